"""A whole house, as it runs: called people sit down, play, and come out on the standings."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.festival.festival import Festival, standings_of_journals

PATIENCE_S = 120.0


@pytest.fixture
def festival(open_folder: Path) -> Iterator[Festival]:
    with Festival(open_folder / "festival", 2, 1) as running:
        yield running


def test_two_tables_play_a_round_by_themselves(festival: Festival) -> None:
    """The same as one process says that sees their journals, and no name but of the called."""
    festival.play_round(within_s=PATIENCE_S)

    tournament = festival.tournament
    assert tournament.is_played
    assert tournament.standings() == standings_of_journals(festival.journals, tournament)
    with festival.house.owner() as connection:
        told = connection.execute("SELECT count(*) FROM evenings").fetchone()
        people = connection.execute("SELECT facts FROM entries WHERE event = 'EveningBegun'")
        assert told == (2,)
        assert not [facts for (facts,) in people if "Plek" in facts]
