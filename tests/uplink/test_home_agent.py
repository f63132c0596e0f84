"""A table in Home Assistant, by a real broker: announced, told, forgotten, never waited for."""

import io
import json
import queue
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self, cast

import pytest
from paho.mqtt.client import Client, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion
from PIL import Image

from kloplei.config.settings import HOME_FILE
from kloplei.frozen import replace
from kloplei.games.catalogue import build_game
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import Frame, TableClient
from kloplei.table.uplink_client import HousePerson, StepsAfter
from kloplei.uplink import home_agent, outsiders
from kloplei.uplink.home_agent import HomeAgent, HomeBroker, broker_of, png_of, say_farewell
from kloplei.uplink.home_assistant import BIRTH, Device
from kloplei.uplink.links import KnownHouse
from kloplei.uplink.wire import Paired
from kloplei_hub.servers import Broker, free_port
from kloplei_panel.api.table import to_png
from tests.table.seated import Tabletop
from tests.until import PATIENCE_S, until

_numbers = iter(range(1000))
FRAME = Frame(16, 2, bytes([0b10000000, 1, 0, 0xFF]))


class Table:
    """As much of a table as is asked for; an evening of toepen goes on at it."""

    def __init__(self) -> None:
        self.box = f"home{next(_numbers)}"
        self.uplink = self
        self.people: tuple[HousePerson, ...] = ()
        self.picture: Frame | None = FRAME
        self.game = Tabletop(build=build_game, game="toepen", seats=4).start(1, 2, 3)
        self.game.ask(3, "rename", facts={"name": "Tame"})
        self.game.ask(1, "deal")
        self.board = self.game.board

    def steps(self, after: int, most: int) -> StepsAfter:
        return StepsAfter(self.box, "era", 0, "", 1)

    def agreed(self) -> tuple[HousePerson, ...]:
        return self.people

    def frame(self) -> Frame | None:
        return self.picture

    def scoreboard(self) -> Scoreboard:
        return self.board

    def toep(self) -> None:
        self.game.ask(3, "knock")
        self.board = self.game.board


class Home:
    """Listens as Home Assistant does, and notes what is retained; a context manager."""

    def __init__(self, port: int, box: str) -> None:
        self.box = box
        self.told: dict[str, bytes] = {}
        self.events: queue.Queue[tuple[str, dict[str, Any]]] = queue.Queue()
        self.was_online: list[bool] = []
        self._marks = queue.SimpleQueue[bytes]()
        self._listens = threading.Event()
        self.client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTv5)
        self.client.on_message = lambda *got: self._came(got[2])
        self.client.on_connect = lambda client, *_: client.subscribe(
            [(self.announced, 1), (f"kloplei/v1/{box}/#", 1), (f"mark/{box}", 1)]
        )
        self.client.on_subscribe = lambda *_: self._listens.set()
        self.client.reconnect_delay_set(1, 1)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.disconnect()
        self.client.loop_stop()

    @property
    def device(self) -> dict[str, Any]:
        return cast("dict[str, Any]", json.loads(self.told.get(self.announced) or b"{}"))

    @property
    def announced(self) -> str:
        return f"homeassistant/device/kloplei_{self.box}/config"

    def state(self, leaf: str) -> dict[str, Any]:
        return cast(
            "dict[str, Any]", json.loads(self.told.get(f"kloplei/v1/{self.box}/{leaf}") or b"{}")
        )

    @property
    def slate(self) -> bytes:
        return self.told.get(f"kloplei/v1/{self.box}/slate", b"")

    def hear_all(self) -> None:
        """Wait for whatever the broker had to tell it by now: a mark of its own comes behind."""
        assert self._listens.wait(PATIENCE_S)
        self.client.publish(f"mark/{self.box}", b"here", 1)
        assert self._marks.get(timeout=PATIENCE_S) == b"here"

    def _came(self, message: Any) -> None:
        if message.topic.startswith("mark/"):
            self._marks.put(message.payload)
            return
        if message.topic.endswith("/online") and message.payload:
            self.was_online.append(json.loads(message.payload)["online"])
        if "/moment/" in message.topic:
            self.events.put((message.topic.rpartition("/")[2], json.loads(message.payload)))
        else:
            self.told[message.topic] = bytes(message.payload)


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home_agent, "BOARD_S", 0.0)
    monkeypatch.setattr(home_agent, "PICTURE_S", 0.0)
    monkeypatch.setattr(home_agent, "_LOGIN_S", 0.0)
    monkeypatch.setattr(home_agent, "_SETTLE_S", 0.0)
    monkeypatch.setattr(outsiders, "AGREED_S", 0.0)
    monkeypatch.setattr(outsiders, "LOOK_S", 0.05)


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def home(broker: Broker, table: Table) -> Iterator[Home]:
    with Home(broker.port, table.box) as running:
        yield running


def agent(table: Table, data: Path, broker: Any, **more: Any) -> HomeAgent:
    where = broker if callable(broker) else lambda: HomeBroker("127.0.0.1", broker.port)
    device = Device("", "Raam", "1.2")
    return HomeAgent(cast("TableClient", table), data, where, device, "nl", **more)


def test_a_table_is_announced_told_and_hangs_up(
    broker: Broker, home: Home, table: Table, tmp_path: Path
) -> None:
    with agent(table, tmp_path, broker) as running:
        running.show(table.board)
        until(lambda: home.device and home.state("board") and home.state("online") and home.slate)
        table.toep()
        running.show(table.board)
        kind, told = home.events.get(timeout=PATIENCE_S)
        until(lambda: home.state("board")["stake"] == 2)

        assert home.state("online")["online"] is True
    until(lambda: home.state("online")["online"] is False)

    assert home.device["device"]["name"] == "Raam"
    assert (kind, told["event_type"], told["seats"], told["stake"]) == ("call", "toep", [3], 2)
    assert "Tame" not in json.dumps(told) + json.dumps(home.state("board"))
    with Home(broker.port, table.box) as late:
        until(lambda: late.device and late.state("board") and late.slate)
        late.hear_all()
        assert late.events.empty()  # what happened is over
    assert home.device == late.device  # and yet it is known


def test_only_who_agreed_has_a_name_and_is_seen_by_it(
    broker: Broker, home: Home, table: Table, tmp_path: Path
) -> None:
    board = table.board
    rows = tuple(
        replace(row, person=5) if row.name == "Tame" else replace(row, name="")
        for row in board.rows
    )
    table.board = replace(board, rows=rows)
    with agent(table, tmp_path, broker) as running:
        running.show(table.board)
        until(lambda: home.slate)
        assert Image.open(io.BytesIO(home.slate)).getextrema() == (0, 0)
        table.people = (HousePerson(77, "Tame"),)
        until(lambda: "Tame" in json.dumps(home.state("board")))
        until(lambda: home.slate == png_of(FRAME))
        table.people = ()
        until(lambda: "Tame" not in json.dumps(home.state("board")))
        until(lambda: home.slate != png_of(FRAME))


def test_a_slate_that_was_seen_is_taken_back_when_it_may_be_no_more(
    broker: Broker, home: Home, table: Table, tmp_path: Path
) -> None:
    with agent(table, tmp_path, broker, picture="all"):
        until(lambda: home.slate == png_of(FRAME))
    with agent(table, tmp_path, broker, picture="none"):
        until(lambda: home.device and home.slate == b"")
    with Home(broker.port, table.box) as late:
        until(lambda: late.device and late.state("online"))
        assert late.slate == b""


def test_the_panel_is_where_it_is_by_now(
    broker: Broker, home: Home, table: Table, tmp_path: Path
) -> None:
    """A box that woke up before its network had no link to its panel for good."""
    at = {"url": ""}
    with agent(table, tmp_path, broker, url=lambda: at["url"]):
        until(lambda: home.device)
        assert "configuration_url" not in home.device["device"]
        at["url"] = "http://192.0.2.9"
        home.client.publish(BIRTH, "online", 1)
        until(lambda: home.device["device"].get("configuration_url") == at["url"])


@pytest.mark.parametrize(("picture", "is_shown"), [("all", True), ("none", False)])
def test_the_keeper_says_who_sees_the_slate(
    broker: Broker, home: Home, table: Table, tmp_path: Path, picture: str, is_shown: bool
) -> None:
    with agent(table, tmp_path, broker, picture=picture) as running:
        running.show(table.board)
        until(lambda: home.state("board"))
        if is_shown:
            until(lambda: home.slate == png_of(FRAME))
        assert bool(home.slate) is is_shown


def test_all_is_said_again_when_home_assistant_is_born(
    broker: Broker, home: Home, table: Table, tmp_path: Path
) -> None:
    with agent(table, tmp_path, broker) as running:
        running.show(table.board)
        until(lambda: home.device and home.state("board"))
        home.told.clear()
        home.client.publish(BIRTH, "offline", 1)
        home.client.publish(BIRTH, "online", 1)
        until(lambda: home.device and home.state("board") and home.slate)


def test_a_box_that_vanishes_is_offline_until_it_is_back(
    broker: Broker, home: Home, table: Table, tmp_path: Path
) -> None:
    with agent(table, tmp_path, broker) as running:
        # It is told to be online a moment before the agent has its line.
        until(lambda: home.was_online == [True] and running._line is not None)
        assert running._line is not None
        wire: Any = running._line._client.socket()
        wire.shutdown(socket.SHUT_RDWR)
        until(lambda: home.was_online == [True, False, True])


def test_a_broker_that_hangs_or_is_away_holds_nobody_up(table: Table, tmp_path: Path) -> None:
    with (
        Broker(tmp_path / "broker") as broker,
        Home(broker.port, table.box) as home,
        agent(table, tmp_path, broker) as running,
    ):
        running.show(table.board)
        until(lambda: home.device)
        subprocess.run(["kill", "-STOP", str(broker.pid)], check=True)
        try:
            began_s = time.monotonic()
            for _ in range(300):
                running.show(table.board)
            assert time.monotonic() - began_s < PATIENCE_S / 3
        finally:
            subprocess.run(["kill", "-CONT", str(broker.pid)], check=True)
        broker.stop(signal.SIGKILL)
        home.told.clear()
        until(lambda: running._line and not running._line.is_up)
        table.toep()
        for _ in range(2):  # once the second is taken in, what the first tells of has been
            running.show(table.board)
        until(lambda: not running._shown and not running._moments)
        broker.start()
        until(lambda: home.device and home.state("board").get("stake") == 2)
        assert home.events.empty()  # nobody could hear it


def test_who_is_switched_off_is_forgotten_if_not_now_then_later(
    broker: Broker, home: Home, table: Table, tmp_path: Path
) -> None:
    with agent(table, tmp_path, broker) as running:
        running.show(table.board)
        until(lambda: home.device and home.slate and home.state("board"))
    assert (tmp_path / HOME_FILE).stat().st_mode & 0o777 == 0o600
    subprocess.run(["kill", "-STOP", str(broker.pid)], check=True)
    try:
        assert not say_farewell(tmp_path, 0.2)
    finally:
        subprocess.run(["kill", "-CONT", str(broker.pid)], check=True)

    assert say_farewell(tmp_path)
    until(lambda: not any(home.told.values()))
    assert not (tmp_path / HOME_FILE).exists()
    assert say_farewell(tmp_path)
    with Home(broker.port, table.box) as late:
        late.hear_all()
        assert home.told.keys() >= late.told.keys() == set()


def test_who_goes_to_another_broker_is_forgotten_at_the_first(
    broker: Broker, home: Home, table: Table, tmp_path: Path
) -> None:
    with Broker(tmp_path / "other") as other, Home(other.port, table.box) as there:
        at = HomeBroker("127.0.0.1", broker.port)
        with agent(table, tmp_path, lambda: at) as running:
            running.show(table.board)
            until(lambda: home.device)
            at = HomeBroker("127.0.0.1", other.port)
            until(lambda: there.device and there.state("board"))
            until(lambda: not home.device and not home.state("board"))


def test_at_the_broker_of_the_house_the_uplink_tells_how_it_stands(
    broker: Broker, home: Home, table: Table, tmp_path: Path
) -> None:
    house = KnownHouse(
        "https://hub", Paired(table.box, "x", "", "127.0.0.1", broker.port, tls=False)
    )
    known: list[KnownHouse] = []
    with agent(table, tmp_path, lambda: broker_of(known[0] if known else None)) as running:
        running.show(table.board)
        known.append(house)
        until(lambda: home.device and home.slate)

    assert home.device["availability_topic"] == f"kloplei/v1/{table.box}/online"
    assert (home.state("board"), home.state("online")) == ({}, {})


def test_a_house_without_a_broker_has_none_for_this_either() -> None:
    assert broker_of(KnownHouse("https://hub", Paired("box", "x", port=0))) is None


def test_a_password_that_does_not_hold_is_told_once(
    tmp_path: Path, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    with Broker(tmp_path / "broker", settings=["allow_anonymous false"]) as broker:
        at = HomeBroker("127.0.0.1", broker.port, "box", "krijt-7-geheim")
        with agent(table, tmp_path, lambda: at) as running:
            until(lambda: why(running) == "home-login")

    assert caplog.text.count("does not let this box in") == 1
    assert "geheim" not in caplog.text


def why(running: HomeAgent) -> str | None:
    trouble = running.status.trouble
    return None if trouble is None else trouble.cause


def test_how_it_goes_is_known_while_the_broker_comes_and_goes(tmp_path: Path, table: Table) -> None:
    port = free_port()
    at = HomeBroker("127.0.0.1", port)
    with agent(table, tmp_path, lambda: at) as running:
        until(lambda: why(running) == "home-unreached")
        assert "Connection refused" in str(running.status.trouble)
        assert running.status.at is None
        broker = Broker(tmp_path / "broker", port)
        with broker:
            until(lambda: running.status.at and why(running) is None)
        until(lambda: why(running) == "home-unreached")
        assert running.status.at is not None


def test_a_broker_that_takes_nothing_and_one_that_is_not_there_are_told_apart(
    tmp_path: Path, table: Table
) -> None:
    rights = tmp_path / "rights"
    rights.write_text("topic read #\n")
    rights.chmod(0o600)
    settings = ["allow_anonymous true", f"acl_file {rights}"]
    with Broker(tmp_path / "broker", settings=settings) as broker:
        at: HomeBroker | None = None
        with agent(table, tmp_path, lambda: at) as running:
            until(lambda: why(running) == "home-nowhere")
            at = HomeBroker("127.0.0.1", broker.port)
            until(lambda: why(running) == "home-forbidden")


def test_the_picture_is_that_of_the_panel() -> None:
    frame = Frame(128, 64, bytes(at * 7 % 256 for at in range(1024)))
    ours, panels = (Image.open(io.BytesIO(png)) for png in (png_of(frame), to_png(frame, 4)))

    assert (ours.mode, ours.size) == (panels.mode, panels.size) == ("1", (512, 256))
    assert ours.tobytes() == panels.tobytes()
