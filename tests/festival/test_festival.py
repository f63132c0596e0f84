"""A festival plays its rounds by itself, whatever is killed meanwhile, and its table is right."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.festival.festival import Festival, standings_of_journals
from tests.festival.house import PATIENCE_S, demand_all_is_there, open_to_postgres

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
def festival(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Festival]:
    tables, rounds = request.param
    open_to_postgres(tmp_path)
    with Festival(tmp_path, tables, rounds) as running:
        yield running


@pytest.mark.parametrize("festival", [(40, 4)], indirect=True)
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
    assert tournament.standings() == standings_of_journals(festival.tables, tournament)
    demand_all_is_there(festival.house, festival.tables)
