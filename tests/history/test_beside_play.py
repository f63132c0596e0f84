"""The history beside a table that plays: it tells what is played, and holds nobody up."""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from gpiozero.pins.mock import MockFactory

from kloplei.config.settings import HISTORY, JOURNAL, Config, SlateConfig
from kloplei.games.game import Seat
from kloplei.history.service import HistoryService
from kloplei.table.client import TableClient
from kloplei.table.history_client import HistoryClient
from kloplei.table.journal import Journal
from kloplei.table.rpc_client import remote_table
from kloplei.table.rpc_server import RpcServer
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.unit import TableUnit
from tests.slate.test_painter import eventually

NAMES = ("Ann", "Bo", "Cor")


def begin(table: TableClient) -> None:
    for n, name in enumerate(NAMES):
        table.submit(Seat(n), "sit_down", facts={"name": name})
    table.submit(Seat(0), "start")


def play_hand(table: TableClient, winner: int) -> None:
    table.submit(None, "deal")
    table.submit(Seat(winner), "trick", facts={"n": 4})


def hands(history: HistoryClient) -> int:
    found = history.evenings(None, 1)
    return found[0].hands if found else 0


@contextmanager
def kept_up(folder: Path) -> Iterator[Session]:
    """A table of toepen whose history is kept up."""
    with (
        closing(Journal(folder / JOURNAL)) as journal,
        Session(journal, TableSetup(game="toepen")) as session,
    ):
        history = HistoryService(journal.path)
        session.history = history
        threading.Thread(target=history.follow, args=(session.follow(),), daemon=True).start()
        yield session
        history.close()


def test_an_evening_is_told_as_it_is_played_to_who_asks_over_the_socket(tmp_path: Path) -> None:
    path = tmp_path / "table.sock"
    with (
        kept_up(tmp_path) as table,
        RpcServer(table, path),
        closing(remote_table(path)) as remote,
    ):
        begin(remote)
        for winner in range(3):
            play_hand(remote, winner)

        assert eventually(lambda: hands(remote.history) == 3)
        evening = remote.history.evening(-1)
        assert [one.winners for one in evening.hands] == [(1,), (2,), (3,)]
        assert [one.name for one in evening.line.players] == list(NAMES)
        assert evening.line.runs
        assert evening == table.history.evening(1)
        remote.submit(None, "undo", facts={"steps": 2})
        assert eventually(lambda: hands(remote.history) == 2)
        assert remote.history.evening(1).undone == 2
        season = remote.history.begin_season("Winter", None)
        assert remote.history.table(season.id).season == season


def test_the_unit_keeps_the_history_of_its_journal(tmp_path: Path) -> None:
    config = Config(slate=SlateConfig(driver="none"))
    with TableUnit(config, tmp_path, pin_factory=MockFactory()) as unit:
        assert unit.session.history.stand().evenings == 0
        begin(unit.session)
        play_hand(unit.session, 0)
        assert eventually(lambda: hands(unit.session.history) == 1)
    assert (tmp_path / HISTORY).exists()

    (tmp_path / HISTORY).unlink()
    with TableUnit(config, tmp_path, pin_factory=MockFactory()) as unit:
        assert eventually(lambda: hands(unit.session.history) == 1)


def test_a_history_that_cannot_be_written_is_no_trouble_of_the_table(tmp_path: Path) -> None:
    (tmp_path / HISTORY).mkdir()
    with kept_up(tmp_path) as table:
        begin(table)
        play_hand(table, 1)

        assert eventually(lambda: table.history.stand().trouble is not None)
        play_hand(table, 2)
        assert len(table.scoreboard().hands) == 2
        assert table.scoreboard().notices == ()
        (tmp_path / HISTORY).rmdir()
        play_hand(table, 0)
        assert eventually(lambda: hands(table.history) == 3)
        assert eventually(lambda: table.history.stand().trouble is None)
