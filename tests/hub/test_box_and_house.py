"""A real table and its uplink, a broker that guards itself, and the house behind it: all of it."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from kloplei.frozen import replace
from kloplei.games.game import Seat
from kloplei.table.client import TableClient
from kloplei.uplink import service
from kloplei.uplink.service import UplinkService
from kloplei_hub._box_api import BoxServer, create_app
from kloplei_hub.boxes import known_boxes, new_code, retire, tell_broker
from kloplei_hub.database import Connection, connect
from kloplei_hub.folding import Folding, rebuild
from kloplei_hub.ingest import Ingest
from kloplei_hub.servers import Broker
from kloplei_hub.settings import BrokerConfig, DatabaseConfig, HubConfig, ListenConfig
from tests.until import until
from tests.uplink.houses import table_in


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "WISH_S", 0.02)
    monkeypatch.setattr(service, "HAS_S", 0.0)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    lines = ["allow_anonymous false", f"password_file {tmp_path / 'passwords'}"]
    lines += [f"acl_file {tmp_path / 'rights'}", f"pid_file {tmp_path / 'pid'}"]
    broker = Broker(tmp_path / "broker", settings=lines)
    yield broker
    broker.stop()


@pytest.fixture
def config(broker: Broker, dsn: str, house: Connection, tmp_path: Path) -> HubConfig:
    """Of a house whose broker runs, and knows nobody but the hub."""
    known = BrokerConfig(
        *("127.0.0.1", broker.port),
        password="of the hub",  # noqa: S106 - there is no other
        passwords=tmp_path / "passwords",
        rights=tmp_path / "rights",
        boxes_host="127.0.0.1",
        boxes_port=broker.port,
        boxes_tls=False,
    )
    tell_broker(house, known)
    broker.start()
    mine = [dsn.replace("user=kloplei_hub", f"user=kloplei_{one}") for one in ("ingest", "fold")]
    database = DatabaseConfig(dsn, *mine)
    return HubConfig(database=database, broker=replace(known, pidfile=tmp_path / "pid"))


def play(table: TableClient, hands: int) -> int:
    """Let the next one win some hands; return the number of the last entry."""
    seq = table.scoreboard().seq
    for n in range(hands):
        table.submit(None, "deal")
        seq = table.submit(Seat(n % 3), "trick")
    return seq


def last(house: Connection) -> int:
    ((seq,),) = house.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchall()
    return int(seq)


def test_what_a_table_plays_is_in_the_house_whatever_was_away(
    config: HubConfig, broker: Broker, house: Connection, tmp_path: Path
) -> None:
    with (
        table_in(tmp_path) as table,
        Folding(config.database.fold, "nl"),
        UplinkService(table, tmp_path / "uplink"),
    ):
        for seat, name in enumerate(("Thijs", "Tame", "Thomas")):
            facts = {"name": name, "remember": name == "Tame"}
            table.submit(Seat(seat), "sit_down", facts=facts)
        (tame,) = table.people.people()
        table.uplink.agree(tame.id, True)
        table.submit(None, "start")
        with Ingest(config) as ingest:
            with BoxServer(create_app(config, ingest.inflow.put), ListenConfig(port=0)) as server:
                code = new_code(house, "Stamtafel", 1)
                table.uplink.pair(f"http://127.0.0.1:{server.port}", code)
                until(lambda: table.uplink.status().state == "connected")
            until(lambda: last(house) == table.scoreboard().seq)
            broker.stop(signal.SIGKILL)
            play(table, 1)
            broker.start()
            until(lambda: last(house) == table.scoreboard().seq)
        seq = play(table, 2)  # nobody takes it in now
        with Ingest(config):
            until(lambda: last(house) == seq)
            until(lambda: table.uplink.status().has == seq)

        seqs = house.execute("SELECT seq FROM entries ORDER BY seq").fetchall()
        assert [one for (one,) in seqs] == list(range(1, seq + 1))
        assert house.execute(
            "SELECT count(*) FROM entries WHERE facts LIKE '%Tame%'"
        ).fetchall() == [(0,)]
        assert house.execute("SELECT name, agreed FROM people").fetchall() == [("Tame", True)]
        until(lambda: house.execute("SELECT 1 FROM evenings WHERE last = %s", (seq,)).fetchall())
        with connect(config.database.fold, autocommit=True) as mine:
            assert rebuild(mine, "nl") == []
        (box,) = known_boxes(house)
        assert (box.name, box.number, box.seq) == ("Stamtafel", 1, seq)

        with Ingest(config):
            retire(house, box.box)  # as the page does; ingest lets the broker know
            play(table, 1)
            until(lambda: table.uplink.status().trouble is not None)
    assert last(house) == seq
