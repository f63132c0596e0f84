"""Boxes at a real broker that comes, goes and hangs, and posts where none is to be had."""

import json
import signal
import socket
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Heard, Line, Row, Scoreboard
from kloplei.table.client import TableUnavailable
from kloplei.table.uplink_client import HousePerson, TableCall, UplinkClient
from kloplei.uplink.boxes import FALLBACK_S, Boxes, BoxUplink, lasting
from kloplei.uplink.links import HttpsLink, KnownHouse, MqttLink
from kloplei.uplink.sender import MOST_AHEAD
from kloplei.uplink.wire import (
    BOARD,
    AgreedPeople,
    Have,
    Online,
    Paired,
    decode,
    encode,
    topic,
)
from kloplei_hub.servers import Broker, free_port
from tests.uplink.houses import PASSWORD, BrokerHouse, PostHouse, ToyTable, house_at, kept_going
from tests.uplink.toy import ToyJournal

_numbers = iter(range(1000))


@pytest.fixture
def table() -> ToyTable:
    """One whose box has a name of its own: retained answers outlive a test."""
    journal = ToyJournal(f"box{next(_numbers)}")
    for size in (1, 3, 2, 4, 1, 1, 5) * 6:
        journal.write(size)
    return ToyTable(journal)


def uplink(table: ToyTable, house: KnownHouse, **more: Any) -> BoxUplink:
    client = cast("UplinkClient", table)
    return BoxUplink(table.journal.box, house, client, chance=lambda: 0.0, **more)


@pytest.fixture
def house(broker: Broker) -> Iterator[BrokerHouse]:
    with BrokerHouse(broker.port) as running:
        yield running


def is_whole(house: BrokerHouse, table: ToyTable) -> bool:
    return house.of(table.journal.box).kept == table.journal.entries


def test_all_that_was_played_arrives_and_then_each_step(
    broker: Broker, house: BrokerHouse, table: ToyTable
) -> None:
    box = uplink(table, house_at(broker))

    with kept_going(box) as until:
        until(lambda: is_whole(house, table))
        until(lambda: box.sender.behind == 0)
        table.journal.write(2)
        box.stir()
        until(lambda: is_whole(house, table))
        until(lambda: box.state == "connected")
        name = f"{table.journal.box}/online"
        assert decode(Online, house.told[name]).online
    with kept_going() as until:
        until(lambda: not decode(Online, house.told[name]).online)

    assert box.trouble is None


def test_a_broker_that_is_killed_and_forgets_all_loses_nothing(
    tmp_path: Path, table: ToyTable
) -> None:
    with Broker(tmp_path) as broker, BrokerHouse(broker.port) as house:
        box = uplink(table, house_at(broker))
        with kept_going(box) as until:
            until(lambda: house.of(table.journal.box).kept)
            broker.stop(signal.SIGKILL)
            table.journal.write(5)
            until(lambda: box.state == "connecting" and box.trouble)
            table.journal.write(2)
            broker.start()
            until(lambda: is_whole(house, table))

        assert house.of(table.journal.box).refused is None


class Caller:
    """Has a line once it is told to, until the far end hangs up; a `BoxUplink` to a loop."""

    wants_to_write = False

    def __init__(self) -> None:
        self.may_call = self.was_heard = False
        self.socket: socket.socket | None = None
        self.far: socket.socket | None = None

    def turn(self, now_s: float) -> float:
        if self.may_call and self.socket is None:
            self.socket, self.far = socket.socketpair()
        return float("inf")

    def move(self, *, reads: bool, writes: bool) -> None:
        assert self.socket is not None
        self.was_heard = True
        if not self.socket.recv(1):
            self.close()

    def close(self) -> None:
        for one in (self.socket, self.far):
            if one is not None:
                one.close()
        self.socket = None


def test_a_line_that_gets_the_number_of_one_that_has_just_ended_is_heard() -> None:
    """Both within one round of the loop, whoever of many has the first turn in it."""
    callers = [Caller() for _ in range(30)]
    with kept_going(*callers) as until:
        callers[0].may_call = True
        until(lambda: callers[0].far)
        callers[0].may_call = False
        assert callers[0].far is not None
        callers[0].far.close()
        for one in callers[1:]:
            one.may_call = True
        until(lambda: callers[0].socket is None)
        for one in callers[1:]:
            assert one.far is not None
            one.far.send(b"!")
        until(lambda: all(one.was_heard for one in callers))


def test_a_broker_that_hangs_is_not_filled_and_holds_nobody_up(
    broker: Broker, house: BrokerHouse, table: ToyTable
) -> None:
    box = uplink(table, house_at(broker))
    turns = 0

    def some_time() -> bool:
        nonlocal turns
        turns += 1
        table.journal.write()
        box.show(Scoreboard("toepen", "play", seq=turns))
        return turns > 100

    with kept_going(box) as until:
        until(lambda: is_whole(house, table))
        broker_process = broker.pid
        subprocess.run(["kill", "-STOP", str(broker_process)], check=True)
        try:
            until(some_time)
            assert box._link is not None
            waits, boards = box._link.waiting("steps"), box._link.waiting("board")
        finally:
            subprocess.run(["kill", "-CONT", str(broker_process)], check=True)
        until(lambda: is_whole(house, table))

    assert 0 < waits <= MOST_AHEAD
    assert boards == 1


def test_a_house_that_forgot_is_told_everything_again(
    broker: Broker, house: BrokerHouse, table: ToyTable
) -> None:
    box = uplink(table, house_at(broker))

    with kept_going(box) as until:
        until(lambda: is_whole(house, table))
        house.houses.clear()
        house.say(table.journal.box, Have(table.journal.era, 0, ""))
        until(lambda: is_whole(house, table))


def test_a_house_that_knows_another_era_is_told_how_this_one_began(
    broker: Broker, house: BrokerHouse, table: ToyTable
) -> None:
    box = uplink(table, house_at(broker))

    with kept_going(box) as until:
        until(lambda: is_whole(house, table))
        table.journal.begin_era("another", 6)
        table.journal.write(3)
        box.stir()
        until(lambda: is_whole(house, table) and house.of(table.journal.box).era == "another")


def test_two_boxes_from_one_card_both_stay_on_the_line_and_are_told(
    broker: Broker, house: BrokerHouse, table: ToyTable
) -> None:
    copied = ToyTable(ToyJournal(table.journal.box, salt="copy"))
    for _ in range(150):
        copied.journal.write()
    one, other = uplink(table, house_at(broker)), uplink(copied, house_at(broker))

    with kept_going(one) as until:
        until(lambda: is_whole(house, table))
    with kept_going(one, other) as until:
        until(lambda: other.state == "refused" and one.state == "refused")
        kept = house.of(table.journal.box).kept

    assert kept == table.journal.entries
    for box in (one, other):
        assert box.trouble is not None
        assert box.trouble.cause == "uplink-twin"


def test_what_is_far_too_large_never_comes_in(
    broker: Broker, house: BrokerHouse, table: ToyTable
) -> None:
    name = topic(table.journal.box, "have")
    house.client.publish(name, b" " * 2_000_000, qos=1, retain=True).wait_for_publish()
    box = uplink(table, house_at(broker))

    with kept_going(box) as until:
        until(lambda: is_whole(house, table))


@pytest.mark.parametrize("body", [b"{", b'{"era": 3}', b"\xff"])
def test_what_makes_no_sense_is_passed_over(
    broker: Broker, house: BrokerHouse, table: ToyTable, body: bytes
) -> None:
    for leaf in ("have", "call"):
        house.client.publish(topic(table.journal.box, leaf), body, qos=1, retain=True)
    box = uplink(table, house_at(broker))

    with kept_going(box) as until:
        until(lambda: is_whole(house, table))

    assert table.calls == []


def test_the_house_sees_the_board_and_who_agreed_and_calls_people(
    broker: Broker, house: BrokerHouse, table: ToyTable
) -> None:
    name = table.journal.box
    table.people = (HousePerson(77, "Thijs"),)
    box = uplink(table, house_at(broker))
    rows = (Row(Seat(0), 3, name="Thijs", person=5), Row(Seat(1), 4, name="Tame", person=6))
    box.show(Scoreboard("toepen", "play", rows, seq=3, stake=2))
    call = TableCall("c1", "Tafel 7", 3)

    with kept_going(box) as until:
        until(lambda: f"{name}/board" in house.told and f"{name}/people" in house.told)
        house.client.publish(topic(name, "call"), encode(call), qos=1)
        until(lambda: table.calls)

    board = json.loads(house.told[f"{name}/board"])
    assert board["stake"] == 2
    assert [(row["name"], row.get("person")) for row in board["rows"]] == [
        ("Thijs", 77),
        ("", None),
    ]
    assert decode(AgreedPeople, house.told[f"{name}/people"]).people == table.people
    assert table.calls == [call]


def test_what_comes_and_goes_at_the_table_makes_no_new_board() -> None:
    board = Scoreboard("toepen", "play", seq=9, stake=2)
    moment = replace(board, struck=True, heard=Heard(Seat(1), 2), shown=Line("show.hurry"))

    assert lasting(moment) == lasting(board) == board


def test_a_password_that_does_not_hold_is_told(tmp_path: Path, table: ToyTable) -> None:
    (tmp_path / "broker").mkdir()
    known = tmp_path / "broker/known"
    known.touch(mode=0o600)
    subprocess.run(
        ["mosquitto_passwd", "-b", str(known), table.journal.box, "another"],
        check=True,
        capture_output=True,
    )
    settings = ["allow_anonymous false", f"password_file {known}"]
    with Broker(tmp_path / "broker", settings=settings) as broker:
        box = uplink(table, house_at(broker))
        with kept_going(box) as until:
            until(lambda: box.trouble)

    assert box.trouble is not None
    assert box.trouble.cause == "uplink-login"


def test_what_is_too_large_for_the_broker_is_told(tmp_path: Path, table: ToyTable) -> None:
    # One that goes out at once: who still writes when the broker hangs up does not hear why.
    limit = 5000
    settings = ["allow_anonymous true", f"max_packet_size {limit}"]
    with Broker(tmp_path, settings=settings) as broker:
        box = uplink(table, house_at(broker))
        with kept_going(box) as until:
            until(lambda: box._link and box._link.is_open)
            assert box._link is not None
            box._link.send(BOARD, b" " * limit)
            until(lambda: box.trouble)

    assert box.trouble is not None
    assert box.trouble.cause == "uplink-too-large"


# paho leaves the socket of a handshake that failed to be closed by whoever drops it.
@pytest.mark.filterwarnings("ignore:unclosed <ssl.SSLSocket:ResourceWarning")
def test_the_line_is_shut_to_others_and_the_house_is_known_by_its_certificate(
    tmp_path: Path, table: ToyTable, certificate: Path
) -> None:
    tls = [f"certfile {certificate}/pem", f"keyfile {certificate}/key", "allow_anonymous true"]
    authority = (certificate / "pem").read_text()
    with Broker(tmp_path / "b", settings=tls) as broker:
        known = uplink(table, house_at(broker, tls=True, authority=authority))
        strange = uplink(table, house_at(broker, tls=True))
        with kept_going(known, strange) as until:
            until(lambda: known._link and known._link.is_open and strange.trouble)

    assert known.certificate_ends is not None
    assert strange.trouble is not None
    assert strange.trouble.cause == "uplink-certificate"


def test_an_authority_that_makes_no_sense_is_told(table: ToyTable) -> None:
    for port in (0, 8883):
        paired = Paired("box", PASSWORD, host="127.0.0.1", port=port, authority="no PEM")
        box = uplink(table, KnownHouse("https://127.0.0.1:1", paired))
        box.turn(0.0)

        assert box.trouble is not None
        assert box.trouble.cause == "uplink-authority"


def test_steps_are_posted_where_there_is_no_broker(table: ToyTable) -> None:
    table.journal.box = "box"
    with PostHouse() as posted:
        box = uplink(table, KnownHouse(posted.address, Paired("box", PASSWORD, port=0)))
        box.show(Scoreboard("toepen", "play", seq=3, stake=2))
        posted.call = TableCall("c1", "Tafel 7", 3)
        with kept_going(box) as until:
            until(lambda: {"online", "people", "board"} <= posted.told.keys() and table.calls)
            until(lambda: posted.house.kept == table.journal.entries)
            posted.status = 503
            table.journal.write(4)
            box.stir()
            until(lambda: box.trouble)
            posted.status = 200
            until(lambda: posted.house.kept == table.journal.entries)

        assert not decode(Online, posted.told["online"]).online  # it has hung up
        assert json.loads(posted.told["board"])["stake"] == 2
        assert table.calls[0] == posted.call

    assert box.trouble is None


def test_steps_are_posted_while_the_broker_is_long_away_and_it_is_tried_again(
    table: ToyTable,
) -> None:
    """Nothing of these minutes passes here."""
    paired = Paired("box", PASSWORD, host="127.0.0.1", port=free_port(), tls=False)
    table.journal.box = "box"
    with PostHouse() as posted:
        box = uplink(table, KnownHouse(posted.address, paired))
        now_s = 0.0
        tried = []
        while now_s < 3 * FALLBACK_S:
            now_s = box.turn(now_s)
            tried.append((now_s, box._dial._posted_last or isinstance(box._link, HttpsLink)))

        first_post_s = next(at_s for at_s, is_post in tried if is_post)
        assert FALLBACK_S <= first_post_s <= FALLBACK_S + 61
        assert not all(is_post for at_s, is_post in tried if at_s > first_post_s)
        assert posted.house.kept == table.journal.entries
        assert len(tried) < 400  # no busy loop
        box.close()


def test_a_table_that_is_away_is_asked_once_a_second(table: ToyTable) -> None:
    asked = 0

    class Quiet(MqttLink):
        def open(self, now_s: float) -> None:
            self.is_open = True

        def tick(self, now_s: float) -> None:
            """Nobody is there."""

        def send(self, leaf: str, body: bytes) -> None:
            """Nobody hears it."""

    def away() -> Any:
        nonlocal asked
        asked += 1
        raise TableUnavailable("away")

    table.agreed = away  # type: ignore[method-assign]
    table.steps = lambda *_: away()  # type: ignore[method-assign]
    house = KnownHouse("https://hub.example", Paired("box", PASSWORD, tls=False))
    box = uplink(table, house, new_link=lambda: Quiet("box", house))
    now_s, turns = 0.0, 0
    while now_s < 60:
        now_s = box.turn(now_s)
        turns += 1

    assert 50 <= asked <= 61
    assert turns <= 80


def test_nobody_is_trusted_by_accident() -> None:
    house = KnownHouse("https://hub.example", Paired("box", PASSWORD, authority=""))

    assert MqttLink("box", house)._trust is None
    assert ssl.create_default_context().verify_mode == ssl.CERT_REQUIRED


def test_whoever_wakes_a_loop_that_has_ended_writes_to_nobody(tmp_path: Path) -> None:
    """The number of its pipe was another file's by then."""
    loop = Boxes()
    loop.close()
    opened = [(tmp_path / str(at)).open("w+b") for at in range(4)]

    loop.wake()

    for one in opened:
        one.close()
    assert {one.stat().st_size for one in tmp_path.iterdir()} == {0}


def test_who_wakes_a_loop_that_stands_still_waits_for_nothing() -> None:
    loop = Boxes()
    for _ in range(100_000):  # more than anything holds that it could be written to
        loop.wake()

    assert loop._selector.select(0)  # it comes round as soon as it goes on
    loop.close()
