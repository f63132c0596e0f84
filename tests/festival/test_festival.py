"""A festival plays its rounds by itself, whatever is killed meanwhile, and its table is right."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.festival.festival import Festival, standings_of_journals
from tests.festival.house import PATIENCE_S, demand_all_is_there

_AWAY_S = 4.0


def kill_broker(festival: Festival) -> None:
    festival.house.broker.stop(signal.SIGKILL)
    time.sleep(_AWAY_S)
    festival.house.broker.start()


def pull_plug_of_database(festival: Festival) -> None:
    festival.house.database.stop(signal.SIGQUIT)
    time.sleep(_AWAY_S)
    festival.house.database.start()


def kill_programs(festival: Festival) -> None:
    for name in ("ingest", "fold"):
        festival.house.stop(name, kill=True)
    time.sleep(_AWAY_S)
    for name in ("ingest", "fold"):
        festival.house.start(name)


@pytest.fixture
def festival(folder: Path, request: pytest.FixtureRequest) -> Iterator[Festival]:
    with Festival(folder, **request.param) as running:
        yield running


@pytest.mark.parametrize("festival", [{"tables": 40, "rounds": 4}], indirect=True)
@pytest.mark.timeout(3000)
def test_forty_tables_play_four_rounds_while_broker_and_database_are_killed(
    festival: Festival,
) -> None:
    festival.play_round(within_s=PATIENCE_S)
    festival.play_round(within_s=PATIENCE_S, meanwhile=[lambda: kill_broker(festival)])
    festival.play_round(within_s=PATIENCE_S, meanwhile=[lambda: pull_plug_of_database(festival)])
    both = [lambda: kill_programs(festival), lambda: kill_broker(festival)]
    festival.play_round(within_s=PATIENCE_S, meanwhile=both)

    tournament = festival.tournament
    assert tournament.is_played
    assert len(tournament.results) == 160
    assert tournament.standings() == standings_of_journals(festival.journals, tournament)
    demand_all_is_there(festival.house, festival.journals.values())


@pytest.mark.parametrize(
    "festival", [{"tables": 8, "rounds": 3, "boxes": 2, "auto": True}], indirect=True
)
@pytest.mark.timeout(1500)
def test_a_festival_goes_on_by_itself_with_boxes_of_every_kind(festival: Festival) -> None:
    """Nobody draws but the first time, and who draws the others is killed on the way."""
    festival.draw(within_s=PATIENCE_S)
    festival.wait_for_rounds(2, within_s=PATIENCE_S)
    kill_programs(festival)
    festival.wait_for_end(within_s=PATIENCE_S)

    tournament = festival.tournament
    assert len(tournament.results) == 24
    assert all(result.source for result in tournament.results.values())
    assert tournament.standings() == standings_of_journals(festival.journals, tournament)
    demand_all_is_there(festival.house, festival.journals.values())
