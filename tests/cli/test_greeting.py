"""`kloplei run` greets before it loads anything of a table, and hands on the glass it greets on."""

import threading
from functools import partial
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from benchmarks.race.starts import modules_before_the_slate
from kloplei.cli import box
from kloplei.cli.box import Greeting
from kloplei.config.settings import Config, SlateConfig
from kloplei.devices import oled
from kloplei.devices.oled import open_slate
from kloplei.games.game import Seat
from kloplei.slate import painter
from kloplei.slate.greeting import greeting_in
from kloplei.slate.picture import draw_greeting
from kloplei.unit import TableUnit
from kloplei.words import LANGUAGES, Words
from tests.devices.smbus import OledBus
from tests.slate.test_painter import eventually

NOT_BEFORE_THE_SLATE = (
    *("kloplei.games.scoreboard", "kloplei.games.toepen", "kloplei.knock", "kloplei.unit"),
    *("kloplei.table.client", "kloplei.table.journal", "kloplei.table.session", "kloplei.keys"),
    *("kloplei.slate.faces", "kloplei.slate.painter", "kloplei.devices.box"),
    *("kloplei.diagnostics", "kloplei.review", "kloplei.network", "kloplei.recordings"),
    "kloplei.history",
)


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> OledBus:
    bus = OledBus()
    monkeypatch.setattr(oled, "open_slate", partial(open_slate, bus=bus))
    return bus


def drawn(language: str = "nl") -> list[bytearray]:
    """Return what a chip holds that shows the greeting."""
    bus = OledBus()
    open_slate(SlateConfig(), bus=bus).display(draw_greeting(Words(language)).image)
    return bus.memory


def test_the_first_slate_waits_for_nothing_of_the_table() -> None:
    loaded = modules_before_the_slate()

    assert "kloplei.slate.greeting" in loaded
    assert [one for one in loaded if one.startswith(NOT_BEFORE_THE_SLATE)] == []


def test_it_greets_at_once_and_hands_the_glass_on_once(bus: OledBus) -> None:
    greeting = Greeting(Config())

    assert bus.memory == drawn()
    assert greeting.take() is not None
    assert greeting.take() is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_greets_as_the_painter_does(language: str) -> None:
    assert greeting_in(language).tobytes() == draw_greeting(Words(language)).image.tobytes()


@pytest.mark.parametrize("slate", [SlateConfig(driver="none"), SlateConfig(interface="spi")])
def test_it_opens_no_glass_that_is_not_there_or_wants_pins(
    slate: SlateConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(oled, "open_slate")

    assert Greeting(Config(slate=slate)).take() is None


def test_a_glass_that_does_not_answer_is_left_to_the_painter(bus: OledBus) -> None:
    bus.plugged = False

    assert Greeting(Config()).take() is None


def test_a_glass_that_hangs_holds_up_nothing_but_who_paints_on_it(
    bus: OledBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = threading.Event()

    def hang(config: SlateConfig) -> object:
        assert answers.wait(30)
        return open_slate(config, bus=bus)

    monkeypatch.setattr(oled, "open_slate", hang)
    monkeypatch.setattr(box, "_GREETING_S", 0.01)

    greeting = Greeting(Config())
    assert not any(map(any, bus.memory))
    answers.set()

    assert greeting.take() is not None
    assert bus.memory == drawn()


def test_the_table_paints_on_the_glass_that_greets_and_asks_for_it_but_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(painter, "RETRY_S", 0.01)
    bus, asked = OledBus(), []

    def greeted() -> object:
        asked.append(bus)
        return open_slate(SlateConfig(), bus=bus)

    with TableUnit(Config(), tmp_path, greeted=greeted, pin_factory=MockFactory()) as unit:
        assert eventually(lambda: any(map(any, bus.memory)))
        bus.plugged = False
        unit.session.submit(Seat(0), "sit_down", facts={"name": "Thijs"})
        assert eventually(lambda: "slate" in str(unit.session.scoreboard().notices))

    assert asked == [bus]


def test_a_box_without_a_glass_draws_for_who_looks_from_afar(tmp_path: Path) -> None:
    config = Config(slate=SlateConfig(driver="none"))

    with TableUnit(config, tmp_path, pin_factory=MockFactory()) as unit:
        frame = unit.session.frame()

    assert frame is not None
    assert any(frame.bits)
