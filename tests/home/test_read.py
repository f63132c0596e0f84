"""What a real Home Assistant makes of a table, over a real broker, from its start to a farewell.

The program is the one that ``HASS`` names; ``make test-home`` says how to have one.
"""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from kloplei.demo.table import Demo, demo_config
from kloplei.games.game import Seat
from kloplei.table.client import TableClient
from kloplei.table.rpc_server import RpcServer
from kloplei.uplink.home_agent import png_of
from kloplei_hub.servers import Broker
from tests.home.hass import PATIENCE_S, RealHomeAssistant, until

TABLE = "table_at_the_window"
SENSORS = {
    f"sensor.{TABLE}_stake": "0",
    f"sensor.{TABLE}_game": "toepen",
    f"sensor.{TABLE}_phase": "between_hands",
    f"sensor.{TABLE}_must_answer": "",
    f"binary_sensor.{TABLE}_problem": "off",
}
SLATE = f"image.{TABLE}_slate"
EVENTS = {
    f"event.{TABLE}_{name}"
    for name in ("knock", "toep_or_raise", "won", "crown", "hand_over", "something_special")
}
URL = "http://192.0.2.7:8080/"
SETTINGS = """\
[socket]
path = "{folder}/table.sock"
[table]
language = "en"
[network]
address = "192.0.2.7"
[uplink]
enabled = {enabled}
data = "{folder}/uplink"
[home_assistant]
enabled = {enabled}
host = "127.0.0.1"
port = {port}
name = "Table at the window"
picture = "{picture}"
"""


class VirtualBox:
    """A table on virtual hardware, and its uplink unit as a process of its own."""

    def __init__(self, demo: Demo, folder: Path, port: int) -> None:
        self.demo, self._folder, self._port = demo, folder, port

    @property
    def table(self) -> TableClient:
        return self.demo.client

    @contextmanager
    def uplink(self, picture: str = "all") -> Iterator[int]:
        """Let the unit run; yields its process."""
        command = self._unit(enabled="true", picture=picture)
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as unit:
            try:
                yield unit.pid
            finally:
                unit.terminate()
                unit.wait(PATIENCE_S)

    def take_leave(self) -> None:
        """Switch the uplink off, and let the unit start once."""
        command = self._unit(enabled="false", picture="none")
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE_S)

    def _unit(self, **told: str) -> list[str]:
        settings = self._folder / "kloplei.toml"
        settings.write_text(SETTINGS.format(folder=self._folder, port=self._port, **told))
        return [sys.executable, "-m", "kloplei", "uplink", "--config", str(settings)]

    def do(self, seat: int, action: str, **facts: object) -> None:
        self.table.submit(Seat(seat - 1), action, facts=facts)


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with Broker(tmp_path_factory.mktemp("broker")) as running:
        yield running


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory, broker: Broker) -> Iterator[RealHomeAssistant]:
    hass = Path(os.environ.get("HASS", ""))
    assert hass.is_file(), 'Name one to try it with: make test-home HASS="$HOME/hass/bin/hass"'
    folder = tmp_path_factory.mktemp("home") / "configuration"
    with RealHomeAssistant(hass, folder, broker.port) as home:
        print(f"Home Assistant {home.version}")
        yield home


@pytest.fixture
def home(known: RealHomeAssistant) -> Iterator[RealHomeAssistant]:
    """It knows no table yet, and has nothing to complain of in the end."""
    assert known.entities() == {}
    yield known
    assert complaints(known) == []


@pytest.fixture
def box(home: RealHomeAssistant, broker: Broker, tmp_path: Path) -> Iterator[VirtualBox]:
    with (
        Demo(tmp_path / "table", demo_config("en")) as demo,
        RpcServer(demo.client, tmp_path / "table.sock"),
    ):
        running = VirtualBox(demo, tmp_path, broker.port)
        yield running
        running.take_leave()
        until(lambda: home.entities() == {}, "Home Assistant does not forget it")


def complaints(home: RealHomeAssistant) -> list[str]:
    """Return what it has logged about MQTT or us that is more than news."""
    graver = re.compile(r"\S+ \S+ (?:WARNING|ERROR|CRITICAL) .*(?:mqtt|kloplei)", re.IGNORECASE)
    return [line for line in home.log.splitlines() if graver.match(line)]


def until_it_stands(home: RealHomeAssistant) -> None:
    until(lambda: SENSORS.items() <= home.entities().items() and home.state(SLATE) > "0")


def test_a_table_appears_as_one_device_with_all_its_entities(
    home: RealHomeAssistant, box: VirtualBox
) -> None:
    with box.uplink():
        until_it_stands(home)
        device = f"device_id('sensor.{TABLE}_stake')"
        assert home.entities().keys() == SENSORS.keys() | EVENTS | {SLATE}
        assert {home.state(one) for one in EVENTS} == {"unknown"}
        assert home.template(f"{{{{ device_attr({device}, 'configuration_url') }}}}") == URL
        assert home.template(f"{{{{ device_attr({device}, 'name') }}}}") == "Table at the window"
        assert home.template(f"{{{{ device_entities({device}) | count }}}}") == "12"
    until(lambda: set(home.entities().values()) == {"unavailable"})


def test_a_toep_is_heard_and_seen(home: RealHomeAssistant, box: VirtualBox) -> None:
    with box.uplink():
        until_it_stands(home)
        box.do(4, "deal")
        box.demo.knock(3, 1)
        until(lambda: home.state(f"sensor.{TABLE}_stake") == "2")
        until(lambda: home.state(f"event.{TABLE}_toep_or_raise") != "unknown")

        told = home.attributes(f"event.{TABLE}_toep_or_raise")
        assert (told["event_type"], told["seats"], told["stake"]) == ("toep", [3], 2)
        assert "toep" in told["text"].lower()
        assert home.attributes(f"event.{TABLE}_knock")["event_type"] == "knock"
        assert home.state(f"sensor.{TABLE}_must_answer") == "1, 2, 4"
        assert home.state(f"sensor.{TABLE}_phase") == "answering"

        def is_shown() -> bool:
            frame = box.table.frame()
            return frame is not None and home.image(SLATE) == png_of(frame)

        until(is_shown, "It never shows what stands on the slate")


def test_armoede_and_a_fanfare_are_heard(home: RealHomeAssistant, box: VirtualBox) -> None:
    with box.uplink():
        until_it_stands(home)
        for seat in (2, 3, 4):
            box.do(seat, "chalk", lives=9)
        box.do(4, "deal")
        until(lambda: home.state(f"event.{TABLE}_something_special") != "unknown")
        box.do(1, "stay")
        box.do(1, "trick", n=4)
        until(lambda: home.state(f"event.{TABLE}_won") != "unknown")
        until(lambda: home.state(f"event.{TABLE}_hand_over") != "unknown")

        types = {one: home.attributes(one)["event_type"] for one in EVENTS}
        assert types[f"event.{TABLE}_something_special"] == "armoede"
        assert types[f"event.{TABLE}_won"] == "rubber"
        assert types[f"event.{TABLE}_hand_over"] == "hand"
        assert types[f"event.{TABLE}_crown"] is None


def test_a_part_that_fails_is_a_problem_until_it_is_mended(
    home: RealHomeAssistant, box: VirtualBox
) -> None:
    with box.uplink():
        until_it_stands(home)
        box.demo.virtual.oled.unplug()
        box.do(4, "deal")  # there is something to draw
        until(lambda: home.state(f"binary_sensor.{TABLE}_problem") == "on")
        box.demo.virtual.oled.plug()
        until(lambda: home.state(f"binary_sensor.{TABLE}_problem") == "off")


def test_a_unit_that_is_killed_is_unavailable_until_it_is_back(
    home: RealHomeAssistant, box: VirtualBox
) -> None:
    with box.uplink() as unit:
        until_it_stands(home)
        os.kill(unit, signal.SIGKILL)
        until(lambda: set(home.entities().values()) == {"unavailable"})
    with box.uplink():
        until_it_stands(home)


def test_a_home_assistant_that_starts_again_knows_all_and_hears_nothing_twice(
    home: RealHomeAssistant, box: VirtualBox
) -> None:
    with box.uplink():
        until_it_stands(home)
        box.do(4, "deal")
        box.do(3, "knock")
        until(lambda: home.state(f"sensor.{TABLE}_stake") == "2")
        until(lambda: home.state(f"event.{TABLE}_toep_or_raise") != "unknown")
        before = {one: home.state(one) for one in EVENTS}
        assert complaints(home) == []
        home.stop()
        box.do(1, "stay")
        home.start()

        until(lambda: home.state(f"sensor.{TABLE}_must_answer") == "2, 4")
        until(lambda: home.state(SLATE) > "0")
        assert {one: home.state(one) for one in EVENTS} == before


def test_a_slate_that_is_no_longer_to_be_seen_is_gone(
    home: RealHomeAssistant, box: VirtualBox
) -> None:
    for _ in range(2):
        with box.uplink(picture="none"):
            until(lambda: home.entities().keys() == SENSORS.keys() | EVENTS)
        with box.uplink(picture="all"):
            until_it_stands(home)


def test_the_lamp_of_the_docs_flashes_at_a_toep_and_not_again_when_the_unit_is_back(
    home: RealHomeAssistant, box: VirtualBox
) -> None:
    page = (Path(__file__).parents[2] / "docs/home-automation.md").read_text()
    (written,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    lamp = home.automate("lamp", yaml.safe_load(written))
    with box.uplink() as unit:
        until_it_stands(home)
        box.do(4, "deal")
        box.do(3, "knock")
        until(lambda: home.attributes(lamp)["last_triggered"])
        flashed = home.attributes(lamp)["last_triggered"]
        os.kill(unit, signal.SIGKILL)
        until(lambda: home.state(f"event.{TABLE}_toep_or_raise") == "unavailable")
    with box.uplink():
        until(lambda: home.state(f"event.{TABLE}_toep_or_raise") > "0")
        box.do(1, "stay")
        until(lambda: home.state(f"sensor.{TABLE}_must_answer") == "2, 4")
        assert home.attributes(lamp)["last_triggered"] == flashed
