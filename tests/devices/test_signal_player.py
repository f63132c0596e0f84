import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import pytest

from kloplei.config.settings import BuzzerConfig, Config, LampConfig
from kloplei.devices.schedule import ManualSchedule
from kloplei.devices.signals import BLINK_S, Buzzer, Lamp, SignalPlayer
from kloplei.devices.virtual import VirtualBox
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Doubt, Heard, Row, Scoreboard
from kloplei.table.client import TableClient, TableUnavailable
from kloplei.table.messages import PartFailed
from tests.devices.conftest import ListInbox

CONFIG = Config(lamp=LampConfig(enabled=True, brightness=1), buzzer=BuzzerConfig(enabled=True))
QUIET = Scoreboard(game="toepen", phase="play", rows=(Row(Seat(0), tally=0),))
KNOCKED = replace(QUIET, heard=Heard(Seat(0), knocks=1))
DOUBT = Doubt(Seat(0), knocks=1, sure=0, until_s=5.0, total_s=5.0, number=1)
POOR = replace(QUIET, rows=(Row(Seat(0), tally=9, flags=("armoede",)),))


@pytest.fixture
def box(schedule: ManualSchedule) -> VirtualBox:
    return VirtualBox(CONFIG, schedule)


@pytest.fixture
def lamp(box: VirtualBox, schedule: ManualSchedule) -> Iterator[Lamp]:
    lamp = Lamp(CONFIG.lamp, schedule, box.pin_factory)
    yield lamp
    lamp.close()


@pytest.fixture
def buzzer(box: VirtualBox, schedule: ManualSchedule) -> Iterator[Buzzer]:
    buzzer = Buzzer(CONFIG.buzzer, schedule, box.pin_factory)
    yield buzzer
    buzzer.close()


def test_a_knock_flashes_white_and_ticks(
    lamp: Lamp, buzzer: Buzzer, box: VirtualBox, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    player = SignalPlayer(lamp, buzzer, inbox)

    player.show(QUIET)
    player.show(KNOCKED)
    schedule.advance(0.001)

    flash, tick = box.lamp_rgb, box.buzzer_hz
    schedule.advance(1.0)

    assert flash == (255, 255, 255)
    assert tick is not None
    assert (box.lamp_rgb, box.buzzer_hz) == ((0, 0, 0), None)


def test_armoede_glows_as_long_as_it_lasts(
    lamp: Lamp, box: VirtualBox, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    player = SignalPlayer(lamp, None, inbox)

    player.show(QUIET)
    player.show(POOR)
    schedule.advance(60.0)
    red, green, blue = box.lamp_rgb
    assert red == 255
    assert 0 < green < 128
    assert blue == 0
    player.show(QUIET)

    assert box.lamp_rgb == (0, 0, 0)


def test_a_doubt_blinks_amber_as_long_as_it_stands(
    lamp: Lamp, buzzer: Buzzer, box: VirtualBox, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    player = SignalPlayer(lamp, buzzer, inbox)
    seen = []

    player.show(POOR)
    player.show(replace(POOR, doubt=DOUBT))
    for _ in range(4):
        seen.append(box.lamp_rgb[0])
        player.show(replace(POOR, doubt=DOUBT))  # news of something else does not disturb it
        schedule.advance(BLINK_S)
    player.show(POOR)
    schedule.advance(10 * BLINK_S)

    assert seen == [255, 0, 255, 0]
    assert box.lamp_rgb[0] == 255  # the glow of armoede
    assert box.buzzer_hz is None


def test_a_box_without_lamp_and_buzzer_shows_nothing_and_minds_nothing(inbox: ListInbox) -> None:
    player = SignalPlayer(None, None, inbox)

    player.show(QUIET)
    player.show(KNOCKED)

    assert inbox.messages == []


def test_a_lamp_that_fails_is_reported_once_and_the_buzzer_goes_on(
    lamp: Lamp,
    buzzer: Buzzer,
    box: VirtualBox,
    inbox: ListInbox,
    schedule: ManualSchedule,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    player = SignalPlayer(lamp, buzzer, inbox)
    player.show(QUIET)
    monkeypatch.setattr(lamp, "glow", lambda colour: 1 // 0)

    player.show(KNOCKED)
    player.show(QUIET)
    player.show(KNOCKED)
    schedule.advance(0.001)

    (failed,) = inbox.messages
    assert isinstance(failed, PartFailed)
    assert failed.part == "lamp"
    assert box.buzzer_hz is not None


def test_a_rehearsal_shows_each_colour_and_a_melody_and_leaves_the_lamp_dark(
    lamp: Lamp, buzzer: Buzzer, box: VirtualBox, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    seen = [(said, box.lamp_rgb) for said in SignalPlayer(lamp, buzzer, inbox).rehearse()]
    schedule.advance(0.001)

    assert seen == [
        ("lamp: red", (255, 0, 0)),
        ("lamp: green", (0, 255, 0)),
        ("lamp: blue", (0, 0, 255)),
        ("buzzer: a melody", (0, 0, 0)),
    ]
    assert box.buzzer_hz is not None


def test_a_rehearsal_says_what_fails_once_and_what_is_silent_by_the_settings(
    lamp: Lamp, buzzer: Buzzer, inbox: ListInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lamp, "glow", lambda colour: 1 // 0)
    buzzer.quiet = True

    said = list(SignalPlayer(lamp, buzzer, inbox).rehearse())

    assert said == ["lamp: it fails", "buzzer: silent, for [buzzer] quiet is true"]
    assert [one.part for one in inbox.failures] == ["lamp"]


class Table:
    """As much of a table as can be followed."""

    def __init__(self, *boards: Scoreboard | None, then: Exception | None = None) -> None:
        self._boards = boards
        self._then = then
        self.watched = threading.Event()

    def follow(self, after: int | None = None) -> Iterator[Scoreboard | None]:
        yield from self._boards
        self.watched.set()
        if self._then:
            raise self._then


def test_it_follows_the_table_on_its_own_thread(
    lamp: Lamp, box: VirtualBox, inbox: ListInbox
) -> None:
    table = Table(QUIET, None, POOR)

    SignalPlayer(lamp, None, inbox).follow(cast("TableClient", table))

    assert table.watched.wait(60)
    assert box.lamp_rgb[0] == 255


def test_a_table_that_falls_silent_ends_it_quietly(
    lamp: Lamp, inbox: ListInbox, caplog: pytest.LogCaptureFixture
) -> None:
    table = Table(QUIET, then=TableUnavailable("gone"))

    SignalPlayer(lamp, None, inbox).follow(cast("TableClient", table))
    for thread in threading.enumerate():
        if thread.name == "signals":
            thread.join(60)

    assert "lost sight of the table" in caplog.text
