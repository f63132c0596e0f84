"""Boxes come with a code, have a password of their own, and the real broker knows them by it."""

import queue
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from kloplei.frozen import replace
from kloplei.uplink.wire import MOST_BYTES, PairingRequest, proof_key, proof_of, topic
from kloplei_hub.boxes import (
    BoxKnown,
    BrokerUntold,
    CodeRefused,
    NoSuchBox,
    find_box,
    hashed,
    is_password,
    known_boxes,
    new_code,
    pair,
    release,
    rename,
    retire,
    tell_broker,
)
from kloplei_hub.database import Connection, connect
from kloplei_hub.servers import Broker
from kloplei_hub.settings import BrokerConfig
from tests.until import until

PATIENCE_S = 30
HUNG_UP, NOT_AUTHORIZED, TOO_LARGE = 128, 135, 149
DEVICE = "homeassistant/device/kloplei_a/config"


def test_a_password_is_kept_as_the_broker_keeps_it(tmp_path: Path) -> None:
    file = tmp_path / "passwords"
    subprocess.run(["mosquitto_passwd", "-b", "-c", file, "a", "geheim"], check=True)
    theirs = file.read_text().strip().partition(":")[2]

    assert is_password("geheim", theirs)
    assert is_password("geheim", hashed("geheim"))
    for kept in (theirs.replace("$7$", "$6$"), "", None, "$7$0$$", hashed("geheym")):
        assert not is_password("geheim", kept)


def test_a_code_lets_one_box_in_however_it_is_typed(house: Connection) -> None:
    code = new_code(house, "Stamtafel", 7)

    password = pair(house, PairingRequest("b1", f" {code.lower().replace('-', ' ')} ", "0.2.0"))

    (box,) = known_boxes(house)
    assert (box.box, box.name, box.number, box.version) == ("b1", "Stamtafel", 7, "0.2.0")
    ((kept,),) = house.execute("SELECT password FROM boxes").fetchall()
    assert is_password(password, kept)
    with pytest.raises(CodeRefused, match="ask it for a new one"):
        pair(house, PairingRequest("b2", code))


@pytest.mark.parametrize("box", ["", "a b", "a/b", "+", "a:b\n", "x" * 65])
def test_no_box_is_called_so_that_it_stands_for_another(house: Connection, box: str) -> None:
    with pytest.raises(CodeRefused, match="No box is called so"):
        pair(house, PairingRequest(box, new_code(house)))


def test_no_box_takes_the_place_of_the_hub_at_the_broker(house: Connection, tmp_path: Path) -> None:
    secret = "own"  # noqa: S105
    config = BrokerConfig(password=secret, passwords=tmp_path / "p", rights=tmp_path / "r")
    with pytest.raises(CodeRefused, match="No box is called so"):
        pair(house, PairingRequest(config.user, new_code(house)), config.user)
    pair(house, PairingRequest(config.user, new_code(house)))  # of before it was called so

    tell_broker(house, config)

    ((name, kept),) = (line.split(":") for line in (tmp_path / "p").read_text().split())
    assert (name, is_password(secret, kept)) == (config.user, True)


def test_a_code_holds_for_a_quarter_of_an_hour(house: Connection) -> None:
    code = new_code(house)
    house.execute("UPDATE pairing_codes SET expires = expires - interval '15 minutes'")

    with pytest.raises(CodeRefused):
        pair(house, PairingRequest("b1", code))
    new_code(house)
    assert house.execute("SELECT count(*) FROM pairing_codes").fetchall() == [(1,)]


def test_a_box_that_comes_again_keeps_its_name_and_takes_a_new_number(house: Connection) -> None:
    pair(house, PairingRequest("b1", new_code(house, "Stamtafel", 7)))
    pair(house, PairingRequest("b2", new_code(house, "Raam", 8)))
    retire(house, "b1")

    pair(house, PairingRequest("b1", new_code(house, number=8)))

    told = [(one.box, one.name, one.number, one.retired) for one in known_boxes(house)]
    assert told == [("b1", "Stamtafel", 8, False), ("b2", "Raam", None, False)]


@pytest.mark.parametrize(
    ("name", "number", "says"), [("a" * 41, 7, "40 letters"), ("Raam", 0, "from 1 to")]
)
def test_no_table_is_called_what_no_page_would_call_it(
    house: Connection, name: str, number: int, says: str
) -> None:
    """The command line showed a code for a table 0 and for names of any length."""
    pair(house, PairingRequest("b1", new_code(house, "a" * 40, 7)))

    with pytest.raises(NoSuchBox, match=says):
        new_code(house, name, number)
    with pytest.raises(NoSuchBox, match=says):
        rename(house, "b1", name, number)

    assert [(one.name, one.number) for one in known_boxes(house)] == [("a" * 40, 7)]


def test_nobody_takes_over_a_table_by_its_name_and_any_code(house: Connection) -> None:
    """A code let whoever called themselves so have that table's branch, and shut it out."""
    password = pair(house, PairingRequest("b1", new_code(house, "Stamtafel", 7)))
    code = new_code(house, number=8)
    before = house.execute("SELECT * FROM boxes").fetchall()
    key, other = proof_key(password), proof_key("guess")

    for proof in ("", proof_of(other, "b1", code), proof_of(key, "b1", "BBBB-BBBB"), "\u00e9"):
        with pytest.raises(BoxKnown, match="admin pair --for b1"):
            pair(house, PairingRequest("b1", code, "0.2.0", proof))

    assert house.execute("SELECT * FROM boxes").fetchall() == before
    again = pair(house, PairingRequest("b1", code, "0.2.0", proof_of(key, "b1", code.lower())))
    (box,) = known_boxes(house)
    assert (box.name, box.number) == ("Stamtafel", 8)
    ((kept,),) = house.execute("SELECT password FROM boxes").fetchall()
    assert is_password(again, kept)


def test_of_two_that_come_by_one_new_name_at_once_the_first_has_it(
    house: Connection, dsn: str
) -> None:
    first, second = (PairingRequest("a", new_code(house)) for _ in range(2))
    waits = "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'"
    with connect(dsn, autocommit=True) as other, ThreadPoolExecutor(1) as pool:
        with house.transaction():
            password = pair(house, first)
            late = pool.submit(pair, other, second)
            with connect(dsn, autocommit=True) as watch:
                until(lambda: watch.execute(waits, (other.info.backend_pid,)).fetchone())
        with pytest.raises(BoxKnown):
            late.result()

    ((kept,),) = house.execute("SELECT password FROM boxes").fetchall()
    assert is_password(password, kept)


def test_a_code_that_is_for_one_box_lets_it_come_again_and_no_other(house: Connection) -> None:
    """Its card is new, or it was paired before boxes could show that they are the same."""
    pair(house, PairingRequest("b1", new_code(house, "Stamtafel", 7)))
    house.execute("UPDATE boxes SET proof = NULL")
    code = new_code(house, box="b1")

    with pytest.raises(CodeRefused, match="for another table"):
        pair(house, PairingRequest("b2", code))
    pair(house, PairingRequest("b1", code))

    told = [(one.box, one.name, one.number) for one in known_boxes(house)]
    assert told == [("b1", "Stamtafel", 7)]
    with pytest.raises(NoSuchBox, match="No box is called b2"):
        new_code(house, box="b2")


def test_of_two_codes_for_one_table_the_newer_holds(house: Connection) -> None:
    pair(house, PairingRequest("b1", new_code(house)))
    old, new = new_code(house, "Raam", 7), new_code(house, "Deur", 7)
    others = [new_code(house, box="b1"), new_code(house), new_code(house), new_code(house, "", 8)]

    with pytest.raises(CodeRefused, match="ask it for a new one"):
        pair(house, PairingRequest("b2", old))
    for box, code in zip(("b3", "b1", "b4", "b5", "b6"), (new, *others), strict=True):
        pair(house, PairingRequest(box, code))
    assert find_box(house, "7") == find_box(house, "Deur") == "b3"


def test_a_box_is_found_by_what_people_call_it(house: Connection) -> None:
    for box, name, number in (("0aff", "Raam", 3), ("0abb", "Bar", 4)):
        pair(house, PairingRequest(box, new_code(house, name, number)))

    assert [find_box(house, one) for one in ("Raam", "4", "0aff", "0ab")] == [
        *("0aff", "0abb", "0aff", "0abb")
    ]
    for odd in ("0a", "Deur", ""):
        with pytest.raises(NoSuchBox, match="kloplei-hub admin boxes"):
            find_box(house, odd)
    with pytest.raises(NoSuchBox, match="table 4 already"):
        rename(house, "0aff", "Raam", 4)
    rename(house, "0aff", "Deur", 5)
    assert find_box(house, "Deur") == "0aff"


@pytest.mark.parametrize(("anew", "left"), [(False, 2), (True, 0)])
def test_a_twin_is_let_go_on_with_what_is_kept_or_from_the_beginning(
    house: Connection, anew: bool, left: int
) -> None:
    house.execute("INSERT INTO boxes (box) VALUES ('a')")
    house.execute(
        "INSERT INTO eras (box, era, seq, link, quarantined) VALUES ('a', 'e', 2, 'x', 'twin')"
    )
    house.execute(
        "INSERT INTO entries (box, era, seq, month, step, via, event, facts) "
        "SELECT 'a', 'e', n, '2031-01-01', n, 'pad', 'Knocked', '{}' FROM generate_series(1, 2) n"
    )

    gone = release(house, "a", anew=anew)

    assert gone == 2 - left
    stands = house.execute("SELECT seq, link, quarantined FROM eras").fetchall()
    assert stands == [(left, "" if anew else "x", None)]
    assert house.execute("SELECT count(*) FROM entries").fetchall() == [(left,)]


def test_what_another_era_went_on_from_stays_where_a_twin_is_told_anew(house: Connection) -> None:
    """Of ``f``, which was played on behind ``e``, the beginning was lost."""
    house.execute("INSERT INTO boxes (box) VALUES ('a')")
    house.execute(
        "INSERT INTO eras (box, era, parent, after, seq, link, quarantined) VALUES "
        "('a', 'e', NULL, 0, 3, 'x', 'twin'), ('a', 'f', 'e', 2, 4, 'x', NULL), "
        "('a', 'g', 'f', 4, 5, 'x', 'twin')"
    )
    house.execute(
        "INSERT INTO entries (box, era, seq, month, step, via, event, facts) "
        "SELECT 'a', era, seq, '2031-01-01', seq, 'pad', 'Knocked', '{}' FROM (VALUES "
        "('e', 1), ('e', 2), ('e', 3), ('f', 3), ('f', 4), ('g', 5)) AS told (era, seq)"
    )

    assert release(house, "a", anew=True) == 1

    stands = "SELECT era, seq FROM eras WHERE quarantined IS NULL ORDER BY era"
    assert house.execute(stands).fetchall() == [("e", 3), ("f", 4), ("g", 0)]
    assert house.execute("SELECT count(*) FROM entries").fetchall() == [(5,)]


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[tuple[Broker, BrokerConfig]]:
    """A broker that lets in whom the house knows, and the settings for it."""
    config = BrokerConfig(
        password="of the hub",  # noqa: S106 - there is no other
        passwords=tmp_path / "passwords",
        rights=tmp_path / "rights",
        pidfile=tmp_path / "pid",
    )
    settings = [
        "allow_anonymous false",
        f"password_file {config.passwords}",
        f"acl_file {config.rights}",
        f"pid_file {config.pidfile}",
    ]
    for path in (config.passwords, config.rights):
        assert path is not None
        path.touch(0o600)
    broker = Broker(tmp_path / "broker", settings=settings)
    yield broker, config
    broker.stop()


class Guest:
    """Somebody on the wire who says what came of it."""

    def __init__(self, broker: Broker, name: str, password: str) -> None:
        self.heard: queue.Queue[tuple[str, bytes]] = queue.Queue()
        self.codes: queue.Queue[int] = queue.Queue()
        self._there = threading.Event()
        self.gone = threading.Event()
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self._client.username_pw_set(name, password)
        self._client.on_connect = lambda *got: self.codes.put(got[3].value)
        self._client.on_disconnect = self._disconnected
        self._client.on_publish = lambda *got: self.codes.put(got[3].value)
        self._client.on_message = lambda *got: self.heard.put((got[2].topic, got[2].payload))
        self._client.on_subscribe = lambda *_: self._there.set()
        self._client.reconnect_delay_set(60, 60)
        self._client.connect("127.0.0.1", broker.port)
        self._client.loop_start()

    def _disconnected(self, *got: Any) -> None:
        self.codes.put(got[3].value)
        self.gone.set()

    def code(self) -> int:
        return self.codes.get(timeout=PATIENCE_S)

    def publishes(self, where: str, told: bytes = b"x") -> int:
        """Return the broker's receipt, or why it hangs up."""
        self._client.publish(where, told, qos=1)
        return self.code()

    def listens(self, where: str) -> None:
        self._there.clear()
        self._client.subscribe(where, 1)
        assert self._there.wait(PATIENCE_S)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


def test_the_broker_keeps_boxes_to_their_own_branch(
    guarded: tuple[Broker, BrokerConfig], house: Connection
) -> None:
    broker, config = guarded
    tell_broker(house, replace(config, pidfile=None))
    broker.start()
    a, b = (pair(house, PairingRequest(one, new_code(house))) for one in "ab")
    tell_broker(house, config)
    guests = [
        Guest(broker, *one)
        for one in (("a", a), ("b", b), ("kloplei-hub", "of the hub"), ("a", b), ("c", a))
    ]
    box, other, hub, *strangers = guests

    try:
        assert [one.code() for one in guests] == [0, 0, 0, NOT_AUTHORIZED, NOT_AUTHORIZED]
        other.listens("#")
        hub.listens("kloplei/v1/+/steps")
        assert box.publishes(topic("a", "steps")) == 0
        others = [topic("b", "steps"), topic("a", "have"), topic("b", "have"), "other"]
        others += [topic("a", "moment/call"), topic("a", "slate"), DEVICE]
        assert {box.publishes(one) for one in others} == {NOT_AUTHORIZED}
        assert hub.publishes(topic("b", "have")) == 0
        assert hub.publishes(topic("b", "steps")) == NOT_AUTHORIZED
        assert hub.heard.get(timeout=PATIENCE_S) == (topic("a", "steps"), b"x")
        assert other.heard.get(timeout=PATIENCE_S) == (topic("b", "have"), b"x")
        assert other.heard.empty()
        assert len(strangers) == 2
    finally:
        for one in guests:
            one.close()


def test_where_a_home_assistant_may_listen_it_hears_moments_and_no_steps(
    guarded: tuple[Broker, BrokerConfig], house: Connection
) -> None:
    broker, config = guarded
    at_home = replace(config, home_password="of the home")  # noqa: S106 - there is no other
    with pytest.raises(CodeRefused, match="No box is called so"):
        pair(house, PairingRequest(config.home_user, new_code(house)), "", config.home_user)
    password = pair(house, PairingRequest("a", new_code(house)))
    tell_broker(house, replace(at_home, pidfile=None))
    broker.start()
    box, home = Guest(broker, "a", password), Guest(broker, config.home_user, "of the home")

    try:
        assert [box.code(), home.code()] == [0, 0]
        home.listens("kloplei/v1/#")
        home.listens("homeassistant/#")
        told = [topic("a", "steps"), topic("a", "moment/call"), topic("a", "slate"), DEVICE]
        assert [box.publishes(one) for one in told] == [0] * 4
        assert box.publishes("homeassistant/device/kloplei_b/config") == NOT_AUTHORIZED
        assert home.publishes(topic("a", "steps")) == NOT_AUTHORIZED
        assert home.publishes("homeassistant/status") == 0
        assert [home.heard.get(timeout=PATIENCE_S)[0] for _ in told] == [
            *told[1:],
            "homeassistant/status",
        ]
    finally:
        box.close()
        home.close()


def test_what_is_too_large_is_refused_and_others_go_on(
    guarded: tuple[Broker, BrokerConfig], house: Connection
) -> None:
    broker, config = guarded
    a, b = (pair(house, PairingRequest(one, new_code(house))) for one in "ab")
    tell_broker(house, replace(config, pidfile=None))
    broker.start()
    guests = [Guest(broker, *one) for one in (("a", a), ("b", b), ("kloplei-hub", "of the hub"))]
    large, other, hub = guests

    try:
        assert [one.code() for one in guests] == [0, 0, 0]
        hub.listens("kloplei/v1/+/steps")
        assert large.publishes(topic("a", "steps"), b" " * MOST_BYTES) == 0
        code = large.publishes(topic("a", "steps"), b" " * (MOST_BYTES + 1000))
        # Who is still writing when the broker hangs up does not hear why.
        assert code in (TOO_LARGE, HUNG_UP)
        assert large.gone.wait(PATIENCE_S)
        assert other.publishes(topic("b", "steps")) == 0
        heard = [hub.heard.get(timeout=PATIENCE_S) for _ in range(2)]
        assert [(where, len(told)) for where, told in heard] == [
            (topic("a", "steps"), MOST_BYTES),
            (topic("b", "steps"), 1),
        ]
        assert not other.gone.is_set()
    finally:
        for one in guests:
            one.close()


def test_a_broker_that_cannot_be_told_is_named(house: Connection, tmp_path: Path) -> None:
    with pytest.raises(BrokerUntold, match="cannot be written"):
        tell_broker(house, BrokerConfig(passwords=tmp_path / "none/passwords"))
    with pytest.raises(BrokerUntold, match="systemctl reload mosquitto"):
        tell_broker(house, BrokerConfig(reload="false"))
    passwords = tmp_path / "passwords"
    tell_broker(house, BrokerConfig(passwords=passwords, reload="true"))
    assert passwords.stat().st_mode & 0o777 == 0o640
