"""The uplink of a box beside a real table: paired, told, forgotten, and never in its way."""

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kloplei.games.game import Seat
from kloplei.games.moments import Moment, MomentKind
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import TableClient, TableUnavailable
from kloplei.table.rpc_client import remote_table
from kloplei.table.uplink_client import OutsiderStatus, UplinkStatus
from kloplei.uplink import service
from kloplei.uplink.boxes import BoxUplink
from kloplei.uplink.links import HouseUnreached
from kloplei.uplink.service import HOUSE_FILE, UplinkService, address_of, kept_house
from kloplei.uplink.wire import Paired
from kloplei_hub.servers import Broker
from tests.until import until
from tests.uplink.houses import PASSWORD, BrokerHouse, PostHouse, table_in
from tests.uplink.test_webhook import Receiver, webhook

CODE = "KRIJT-7"


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "WISH_S", 0.02)
    monkeypatch.setattr(service, "HAS_S", 0.0)
    monkeypatch.setattr(service, "_AGAIN_S", 0.02)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TableClient]:
    with table_in(tmp_path) as table:
        for seat, name in enumerate(("Thijs", "Tame", "Thomas")):
            table.submit(Seat(seat), "sit_down", facts={"name": name})
        yield table


@pytest.fixture
def house() -> Iterator[PostHouse]:
    with PostHouse(CODE) as house:
        yield house


def told(table: TableClient, state: str) -> UplinkStatus:
    until(lambda: table.uplink.status().state == state and not table.uplink.wish())
    return table.uplink.status()


def seqs(house: PostHouse) -> list[int]:
    return [entry.seq for entry in house.house.kept]


def test_a_box_that_was_paired_tells_what_was_played_and_what_is(
    table: TableClient, house: PostHouse, tmp_path: Path
) -> None:
    with UplinkService(table, tmp_path / "uplink"):
        assert told(table, "off").trouble is None
        table.uplink.pair(house.address, CODE)
        status = told(table, "connected")
        until(lambda: len(seqs(house)) == table.scoreboard().seq)
        seq = table.submit(None, "start")
        until(lambda: seqs(house)[-1:] == [seq])
        until(lambda: table.uplink.status().has == seq)

    assert (status.hub, status.trouble) == (house.address, None)
    assert table.uplink.status().at is not None
    assert seqs(house) == list(range(1, seq + 1))


def test_how_to_reach_the_house_is_kept_for_nobody_else_and_goes_when_the_box_leaves(
    table: TableClient, house: PostHouse, tmp_path: Path
) -> None:
    file = tmp_path / "uplink" / HOUSE_FILE
    with UplinkService(table, tmp_path / "uplink"):
        table.uplink.pair(house.address, CODE)
        told(table, "connected")
        mode, kept = file.stat().st_mode & 0o777, kept_house(file)
    with UplinkService(table, tmp_path / "uplink"):  # after a restart
        told(table, "connected")
        table.uplink.pair("", "")
        told(table, "off")

    assert mode == 0o600
    assert kept is not None
    assert (kept.address, kept.paired.password) == (house.address, PASSWORD)
    assert not file.exists()


@pytest.mark.parametrize(
    ("address", "code", "cause"),
    [
        ("", "another", "uplink-code"),
        ("/elsewhere", CODE, "uplink-no-house"),
        ("http://hub.example", CODE, "uplink-address"),
        ("http://127.0.0.1:1", CODE, "uplink-unreached"),
    ],
)
def test_a_pairing_that_fails_says_why_and_leaves_all_as_it_was(
    table: TableClient, house: PostHouse, tmp_path: Path, address: str, code: str, cause: str
) -> None:
    with UplinkService(table, tmp_path / "uplink"):
        table.uplink.pair(address if "://" in address else house.address + address, code)
        trouble = told(table, "refused").trouble

    assert trouble is not None
    assert trouble.cause == cause
    assert not (tmp_path / "uplink" / HOUSE_FILE).exists()


def test_a_box_shows_its_house_that_it_is_the_same_and_nobody_else(
    table: TableClient, house: PostHouse, tmp_path: Path
) -> None:
    """With its data gone it cannot, and the keeper reads what helps."""
    with UplinkService(table, tmp_path / "uplink"), PostHouse(CODE) as other:
        for _ in range(2):
            table.uplink.pair(house.address, CODE)
            assert told(table, "connected").trouble is None
        other.knows_box = True
        table.uplink.pair(other.address, CODE)
        until(lambda: table.uplink.status().trouble)
        elsewhere = table.uplink.status()
    with UplinkService(table, tmp_path / "anew"):
        table.uplink.pair(house.address, CODE)
        anew = told(table, "refused")

    for status, address in ((elsewhere, house.address), (anew, "")):
        assert status.hub == address
        assert status.trouble is not None
        assert status.trouble.cause == "uplink-known-box"


def test_the_table_hears_how_it_stands_with_whoever_else_is_told(
    table: TableClient, tmp_path: Path
) -> None:
    """With a house and without one; once they are reached, that they are."""
    moment, board = Moment(MomentKind.CALL, "toep", 3, "toepen"), table.scoreboard()
    with Receiver() as receiver, webhook(receiver.url) as hook:
        receiver.statuses = [404]
        with UplinkService(table, tmp_path / "uplink", outsiders=(hook,)):
            until(lambda: table.uplink.status().outsiders == (OutsiderStatus("webhook"),))
            hook.happened(moment, board)
            hook.stir()
            until(lambda: table.uplink.status().outsiders[0].trouble)
            hook.happened(moment, board)
            hook.stir()
            until(lambda: table.uplink.status().outsiders[0].at)

        (told,) = table.uplink.status().outsiders
        assert (table.uplink.status().state, told.trouble) == ("off", None)


def test_who_is_with_one_house_stays_there_where_another_does_not_take_the_code(
    table: TableClient, house: PostHouse, tmp_path: Path
) -> None:
    with UplinkService(table, tmp_path / "uplink"), PostHouse("another") as other:
        table.uplink.pair(house.address, CODE)
        told(table, "connected")
        table.uplink.pair(other.address, CODE)
        until(lambda: table.uplink.status().trouble)
        status = told(table, "connected")

    assert status.hub == house.address
    assert status.trouble is not None
    assert status.trouble.cause == "uplink-code"


def test_a_disk_that_takes_nothing_is_told(
    table: TableClient, house: PostHouse, tmp_path: Path
) -> None:
    (tmp_path / "uplink").touch()
    with UplinkService(table, tmp_path / "uplink"):
        table.uplink.pair(house.address, CODE)
        trouble = told(table, "refused").trouble

    assert trouble is not None
    assert trouble.cause == "uplink-unkept"


def test_a_journal_of_another_box_goes_nowhere(table: TableClient, tmp_path: Path) -> None:
    with PostHouse(CODE, Paired("another box", PASSWORD, port=0)) as house:
        with UplinkService(table, tmp_path / "uplink"):
            table.uplink.pair(house.address, CODE)
            trouble = told(table, "refused").trouble

        assert trouble is not None
        assert trouble.cause == "uplink-other-box"
        assert house.house.took == 0


def test_an_uplink_outlives_its_table(house: PostHouse, tmp_path: Path) -> None:
    with (
        closing(remote_table(tmp_path / "table.sock")) as client,
        UplinkService(client, tmp_path / "uplink"),
    ):
        with table_in(tmp_path) as table:
            table.uplink.pair(house.address, CODE)
            told(table, "connected")
            table.submit(Seat(0), "sit_down", facts={"name": "Thijs"})
            until(lambda: len(seqs(house)) == table.scoreboard().seq)
        with pytest.raises(TableUnavailable):
            client.scoreboard()
        with table_in(tmp_path) as table:
            seq = table.submit(Seat(1), "sit_down", facts={"name": "Tame"})
            until(lambda: seqs(house)[-1:] == [seq])
            until(lambda: table.uplink.status().state == "connected")


def test_a_broker_carries_it_where_there_is_one(
    table: TableClient, broker: Broker, tmp_path: Path
) -> None:
    box = table.uplink.steps(0, 1).box
    paired = Paired(box, PASSWORD, "De Kelk", "127.0.0.1", broker.port, tls=False)
    with PostHouse(CODE, paired) as pages, BrokerHouse(broker.port) as house:
        with UplinkService(table, tmp_path / "uplink"):
            table.uplink.pair(pages.address, CODE)
            told(table, "connected")
            seq = table.submit(None, "start")
            until(lambda: len(house.of(box).kept) == seq)

        assert pages.house.took == 0


@pytest.mark.parametrize("written", [b"", b"{}", b"\xff", b'{"address": 3}'])
def test_what_was_kept_and_makes_no_sense_is_as_if_there_were_none(
    tmp_path: Path, written: bytes
) -> None:
    (tmp_path / HOUSE_FILE).write_bytes(written)

    assert kept_house(tmp_path / HOUSE_FILE) is None


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("hub.example", "https://hub.example"),
        (" https://hub.example:8443/ ", "https://hub.example:8443"),
        ("hub.example/kelk/", "https://hub.example/kelk"),
        ("http://192.168.1.7:8090", "http://192.168.1.7:8090"),
        ("http://[::1]:8090", "http://[::1]:8090"),
        ("http://hub.local", "http://hub.local"),
        ("http://hub", "http://hub"),
    ],
)
def test_an_address_is_taken_as_people_type_it(typed: str, address: str) -> None:
    assert address_of(typed) == (address, "")


def test_an_address_may_say_by_which_certificate_the_hub_is_known() -> None:
    assert address_of("hub.local#AB:12:" + "0" * 12) == ("https://hub.local", "ab12" + "0" * 12)


STRANGE = (
    *("", "https://", "://", "https://[", "ftp://hub", "http://hub.example", "http://8.8.8.8"),
    *("https://a:b@hub", "https://hub:port", "https://hub/?a=b", "https://hub/#x"),
    *("https://hub#ab12", f"https://hub#{'0' * 65}", f"http://hub#{'0' * 16}"),
)


@pytest.mark.parametrize("typed", STRANGE)
def test_what_is_no_address_is_told(typed: str) -> None:
    with pytest.raises(HouseUnreached) as told:
        address_of(typed)

    assert told.value.sentence.cause == "uplink-address"


@pytest.mark.parametrize("is_known", [True, False])
def test_a_hub_with_a_certificate_of_its_own_is_known_by_its_fingerprint(
    table: TableClient, certificate: Path, tmp_path: Path, is_known: bool
) -> None:
    pin = subprocess.run(
        ["openssl", "x509", "-in", str(certificate / "pem"), "-noout", "-fingerprint", "-sha256"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.partition("=")[2]
    shown = pin.strip() if is_known else "0" * 64
    with PostHouse(CODE, certificate=certificate) as house:
        with UplinkService(table, tmp_path / "uplink"):
            table.uplink.pair(f"{house.address}#{shown}", CODE)
            status = told(table, "connected" if is_known else "refused")
        took = house.asked

    if is_known:
        assert status.trouble is None
    else:
        assert status.trouble is not None
        assert status.trouble.cause == "uplink-certificate"
        assert took == 0  # the code was told to nobody


def test_an_uplink_that_stumbles_begins_anew(
    table: TableClient,
    house: PostHouse,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    turn = BoxUplink.turn
    stumbled: list[float] = []

    def stumble_once(self: BoxUplink, now_s: float) -> float:
        if not stumbled:
            stumbled.append(now_s)
            raise ZeroDivisionError
        return turn(self, now_s)

    monkeypatch.setattr(BoxUplink, "turn", stumble_once)
    with UplinkService(table, tmp_path / "uplink"):
        table.uplink.pair(house.address, CODE)
        told(table, "connected")

    assert stumbled
    assert "begins its line anew" in caplog.text


def test_an_uplink_that_stumbles_over_a_board_follows_on(
    table: TableClient,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Outsiders heard nothing of the table any more until the next start."""
    show = UplinkService._show
    shown: list[Scoreboard] = []

    def stumble_once(self: UplinkService, board: Scoreboard | None) -> None:
        if board is not None:
            shown.append(board)
            if len(shown) == 1:
                raise ZeroDivisionError
        show(self, board)

    monkeypatch.setattr(UplinkService, "_show", stumble_once)
    with UplinkService(table, tmp_path / "uplink"):
        until(lambda: len(shown) > 1)

    assert "looks for it again" in caplog.text
