"""From a real broker into a real database: what is told to be kept is on the disk."""

import queue
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from kloplei.frozen import replace
from kloplei.uplink.wire import Have, PairingRequest, decode, topic
from kloplei_hub._keeping import Keeper, Mail, Receipt
from kloplei_hub.boxes import new_code, pair, retire, tell_broker
from kloplei_hub.database import Connection
from kloplei_hub.ingest import MOST_AT_ONCE, Inflow, Ingest
from kloplei_hub.metrics import Counters
from kloplei_hub.servers import Broker
from kloplei_hub.settings import BrokerConfig, DatabaseConfig, HubConfig
from tests.hub.journals import Journal
from tests.until import PATIENCE_S, until

JOURNAL = Journal("e", (2, 1, 3))


class Box:
    """A box on the wire: what it is told, and what it sends."""

    def __init__(self, name: str, broker: Broker) -> None:
        self.name = name
        self.told: queue.Queue[Have] = queue.Queue()
        self._here = threading.Event()
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self._client.on_message = lambda *got: self.told.put(decode(Have, got[2].payload))
        self._client.on_subscribe = lambda *_: self._here.set()
        self._client.connect("127.0.0.1", broker.port)
        self._client.subscribe(topic(name, "have"), 1)
        self._client.loop_start()
        assert self._here.wait(PATIENCE_S)

    def send(self, body: bytes, leaf: str = "steps") -> None:
        self._client.publish(topic(self.name, leaf), body, qos=1)

    def hears(self) -> Have:
        """Return what it is told next."""
        return self.told.get(timeout=PATIENCE_S)

    def hears_at_last(self, **like: Any) -> Have:
        """Return the first such thing that it is told: what it sent twice was answered twice."""
        while True:
            have = self.hears()
            if all(getattr(have, name) == one for name, one in like.items()):
                return have

    def tells(self, body: bytes, **like: Any) -> Have:
        """Send that now and then, as boxes do, until it is told such a thing; return this."""
        for _ in range(5 * int(PATIENCE_S)):
            self.send(body)
            with suppress(queue.Empty):
                while True:
                    have = self.told.get(timeout=0.2)
                    if all(getattr(have, name) == one for name, one in like.items()):
                        return have
        raise AssertionError(f"{self.name} was never told {like}")

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


class Table:
    """What a box hears of calls, with how long each is of interest; retained ones as well."""

    def __init__(self, name: str, broker: Broker) -> None:
        self.calls: queue.Queue[tuple[bytes, int]] = queue.Queue()
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self._client.on_message = lambda *got: self._hear(got[2])
        self._client.connect("127.0.0.1", broker.port)
        self._client.subscribe(topic(name, "call"), 1)
        self._client.loop_start()

    def _hear(self, message: mqtt.MQTTMessage) -> None:
        left_s: Any = getattr(message.properties, "MessageExpiryInterval", 0)
        self.calls.put((bytes(message.payload), int(left_s)))

    def hears(self) -> tuple[bytes, int]:
        return self.calls.get(timeout=PATIENCE_S)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


class Counted(Counters):
    def __init__(self) -> None:
        self.lost = 0
        self.away = threading.Event()

    def dropped(self, messages: int) -> None:
        self.lost += messages

    def database(self, *, answers: bool) -> None:
        if not answers:
            self.away.set()


@pytest.fixture
def config(dsn: str, broker: Broker) -> HubConfig:
    mine = DatabaseConfig(ingest=dsn.replace("user=kloplei_hub", "user=kloplei_ingest"))
    return HubConfig(database=mine, broker=BrokerConfig(port=broker.port))


@pytest.fixture
def boxes(house: Connection, broker: Broker) -> Iterator[list[Box]]:
    """Two of the house, and one that is not; by names that no other test has on that broker."""
    name = house.info.dbname
    house.execute("INSERT INTO boxes (box) VALUES (%s), (%s)", (f"{name}-a", f"{name}-b"))
    found = [Box(f"{name}-{one}", broker) for one in "abc"]
    yield found
    for one in found:
        one.close()


def last(house: Connection, box: Box) -> int:
    ask = "SELECT coalesce(max(seq), 0) FROM entries WHERE box = %s"
    ((seq,),) = house.execute(ask, (box.name,)).fetchall()
    return int(seq)


def test_what_is_confirmed_is_on_the_disk_and_the_rest_is_asked_for(
    config: HubConfig, boxes: list[Box], house: Connection
) -> None:
    one, other, stranger = boxes
    with Ingest(config):
        one.tells(JOURNAL.body(0, 0), seq=0, refused=None)
        one.send(JOURNAL.body(3))
        other.send(b"\xff")
        stranger.send(JOURNAL.body())

        assert other.hears() == Have("", 0, "", "malformed")
        assert stranger.hears() == Have("e", 0, "", "unknown")
        assert one.tells(JOURNAL.body(0, 3), seq=3) == Have("e", 3, JOURNAL.link(3))
        assert last(house, one) == 3
        assert one.tells(JOURNAL.body(3), seq=6) == Have("e", 6, JOURNAL.link(6))

    assert (last(house, one), last(house, other), last(house, stranger)) == (6, 0, 0)


def test_a_house_that_was_put_back_winds_its_boxes_back(
    config: HubConfig, boxes: list[Box], house: Connection
) -> None:
    box = boxes[0]
    with Ingest(config):
        box.tells(JOURNAL.body(), seq=6)
    house.execute("DELETE FROM entries WHERE seq > 3")
    house.execute("UPDATE eras SET seq = 3, link = %s", (JOURNAL.link(3),))

    with Ingest(config):
        assert box.hears_at_last(seq=3) == Have("e", 3, JOURNAL.link(3))
        box.tells(JOURNAL.body(3), seq=6)

    assert last(house, box) == 6


@contextmanager
def away(house: Connection, postgres: Connection) -> Iterator[None]:
    """The database lets nobody in but us."""
    name = house.info.dbname
    postgres.execute("UPDATE pg_database SET datallowconn = false WHERE datname = %s", (name,))
    end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'kloplei_ingest'"
    postgres.execute(end)
    yield
    postgres.execute("UPDATE pg_database SET datallowconn = true WHERE datname = %s", (name,))


def test_without_its_database_it_confirms_nothing_and_goes_on_when_it_is_back(
    config: HubConfig, boxes: list[Box], house: Connection, owner: Connection
) -> None:
    box, counted = boxes[0], Counted()
    with Ingest(config, counted):
        box.tells(JOURNAL.body(0, 2), seq=2)
        with away(house, owner):
            box.send(JOURNAL.body(2))
            assert counted.away.wait(PATIENCE_S)
        # It is told where it stands, and sends again.
        assert box.hears() == Have("e", 2, JOURNAL.link(2))
        box.tells(JOURNAL.body(2), seq=6)

    assert last(house, box) == 6


def test_an_odd_one_costs_the_others_nothing(
    config: HubConfig, boxes: list[Box], house: Connection
) -> None:
    """A number that no column takes; a check would have found it, had anybody thought of it."""
    house.execute("ALTER TABLE entries ADD CHECK (box NOT LIKE '%-b')")
    one, other, _ = boxes
    ingest = Ingest(config)
    for box in (other, one):
        ingest.inflow.put(Mail(box.name, "steps", JOURNAL.body()))

    with ingest:
        one.tells(replace(JOURNAL, sizes=(2, 1, 3, 1)).body(6), seq=7)

    assert (last(house, one), last(house, other)) == (7, 0)


def test_a_mistake_of_ours_costs_one_message_and_what_is_refused_is_told_once(
    config: HubConfig,
    boxes: list[Box],
    house: Connection,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    one, other, _ = boxes
    keep = Keeper.keep

    def stumble(keeper: Keeper, mails: Sequence[Mail]) -> list[Receipt]:
        if any(mail.body == b"odd" for mail in mails):
            raise ZeroDivisionError
        return keep(keeper, mails)

    monkeypatch.setattr(Keeper, "keep", stumble)
    ingest = Ingest(config)
    bodies = [b"odd", *[b"{"] * 3]
    # Answers come in the order of the messages: whoever hears the last has been told all.
    for box, body in (*((other, body) for body in bodies), (one, JOURNAL.body())):
        ingest.inflow.put(Mail(box.name, "steps", body))

    with ingest:
        with monkeypatch.context() as slowly:
            slowly.setattr("kloplei_hub.ingest._REPEAT_S", 3600.0)  # however slow the machine is
            one.tells(JOURNAL.body(), seq=6)
            said = [told for told in caplog.messages if f"{other.name} is refused" in told]
        other.tells(b"{", refused="malformed")

    assert said == [f"A message of box {other.name} is refused: ZeroDivisionError"]
    assert last(house, one) == 6


def test_an_inbox_that_is_full_drops_what_boxes_still_have() -> None:
    lost: list[int] = []
    inbox = Inflow(lost.append)
    mail = Mail("a", "steps", b" " * 1_000_000)

    taken = sum(inbox.put(mail) for _ in range(70))

    assert (taken, sum(lost)) == (64, 6)
    assert len(inbox.gather(0)) == 2
    inbox.empty()
    assert (sum(lost), inbox.gather(0)) == (68, [])
    assert all(inbox.put(Mail("a", "steps", b"")) for _ in range(MOST_AT_ONCE + 1))
    assert len(inbox.gather(0)) == MOST_AT_ONCE


def test_who_is_called_to_a_table_is_told_until_it_is_of_no_interest(
    config: HubConfig, house: Connection, boxes: list[Box], broker: Broker
) -> None:
    name = boxes[0].name
    add = (
        "INSERT INTO calls VALUES (%s, %s, now() + %s * interval '1 second') "
        "ON CONFLICT (box) DO UPDATE SET told = excluded.told, until = excluded.until"
    )
    house.execute(add, (boxes[1].name, '{"id":"old"}', -1))
    table, late, other = Table(name, broker), None, Table(boxes[1].name, broker)
    with Ingest(config):
        house.execute(add, (name, '{"id":"1"}', 600))
        first, left_s = table.hears()
        house.execute(add, (name, '{"id":"2"}', 600))
        second, _ = table.hears()
        late = Table(name, broker)  # one that was off when it was called
        again, _ = late.hears()

    assert (first, second, again) == (b'{"id":"1"}', b'{"id":"2"}', b'{"id":"2"}')
    assert 0 < left_s <= 600
    assert table.calls.empty() and other.calls.empty()
    for one in (table, late, other):
        one.close()


def test_who_is_let_go_elsewhere_the_broker_lets_in_no_more(
    broker: Broker, dsn: str, house: Connection, tmp_path: Path
) -> None:
    """On the page, whose user may not know passwords; be it while no ingest runs."""
    passwords = tmp_path / "passwords"
    told = BrokerConfig(port=broker.port, passwords=passwords)
    mine = DatabaseConfig(ingest=dsn.replace("user=kloplei_hub", "user=kloplei_ingest"))
    for box in ("a", "b", "c"):
        pair(house, PairingRequest(box, new_code(house)))
    tell_broker(house, told)

    def let_in() -> str:
        return "".join(line[0] for line in passwords.read_text().splitlines())

    retire(house, "a")
    assert let_in() == "abc"
    with Ingest(HubConfig(database=mine, broker=told)):
        until(lambda: let_in() == "bc")
        retire(house, "b")
        until(lambda: let_in() == "c")
