"""What can be recorded here, and the sentence where nothing can."""

import socket
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from kloplei.config.settings import AdcConfig, Config, PinsConfig, SeatPins, SocketConfig
from kloplei.devices import adc
from kloplei.diagnostics.pins import TableHasThem
from kloplei.games.game import Seat
from kloplei.knock.judgement import PIEZOS
from kloplei.knock.signal import Block
from kloplei.recordings.capture import sensors
from kloplei.recordings.capture.folder import RecordingFolder
from kloplei.recordings.capture.protocol import NOISES, steps_for
from kloplei.recordings.capture.sensors import (
    CannotRecord,
    Intake,
    Troubles,
    check_can_record,
    open_sensors,
)
from kloplei.recordings.capture.session import Walk
from kloplei.table.messages import PartFailed, PartHealed, Trouble
from tests.devices.chips import Pause, PlayedConverter, WiredChip


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """A box with two piezos, and no table that runs."""
    return replace(
        Config(),
        seats=(SeatPins(piezo=0), SeatPins(piezo=1)),
        adc=AdcConfig(enabled=True),
        socket=replace(SocketConfig(), path=tmp_path / "none.sock"),
    )


@pytest.fixture
def address() -> Iterator[Path]:
    """A short path for a socket; the kernel takes no long one."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "s"


def test_pads_have_no_wave_and_the_sentence_says_what_to_do() -> None:
    with pytest.raises(CannotRecord, match=r"edges, not waves.*kloplei doctor.*docs/sensors.md"):
        check_can_record(Config())


def test_a_table_that_runs_is_to_be_stopped_and_started_again(
    config: Config, address: Path
) -> None:
    with socket.socket(socket.AF_UNIX) as table:
        table.bind(str(address))
        table.listen()

        with pytest.raises(TableHasThem, match=r"stop kloplei-table.* start kloplei-table"):
            check_can_record(replace(config, socket=replace(config.socket, path=address)))


def test_without_a_header_it_says_so(config: Config) -> None:
    with pytest.raises(CannotRecord, match="header cannot be reached"), open_sensors(config):
        pass


def test_pins_that_are_none_lead_to_the_virtual_table(config: Config) -> None:
    with pytest.raises(CannotRecord, match="--virtual"):
        check_can_record(replace(config, pins=PinsConfig(factory="mock")))


def slowly_converted(channel: int) -> int:
    time.sleep(0.002)  # fast machines play it in software faster than any Pi
    return 500 + channel


def test_spi_that_is_off_is_told_with_how_to_switch_it_on(
    config: Config, wired_pins: MockFactory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where there is none gpiozero plays it in software, and that is slow on any Pi."""
    WiredChip(wired_pins, slowly_converted)
    monkeypatch.setattr(sensors, "open_factory", lambda _: wired_pins)
    steps = steps_for([Seat(0), Seat(1)])

    with open_sensors(config) as opened:
        walk = Walk(
            steps, opened, RecordingFolder(tmp_path / "t", {}, steps), Waiting(), time.monotonic
        )
        trouble = walk.wait_for_sensors(within_s=60.0)

    assert trouble is not None
    assert "too slow" in trouble
    assert "raspi-config nonint do_spi 0" in trouble


def test_a_bus_that_is_slow_is_recorded_all_the_same() -> None:
    troubles = Troubles()

    troubles.put(PartFailed(PIEZOS, "read at 2.1 kHz", Trouble.SLOW))

    assert troubles.of(PIEZOS) == "read at 2.1 kHz"
    assert troubles.why_dead(PIEZOS) is None


def test_what_has_healed_is_no_trouble() -> None:
    troubles = Troubles()
    troubles.put(PartFailed(PIEZOS, "gone", Trouble.PART))
    assert troubles.why_dead(PIEZOS) == "gone"

    troubles.put(PartHealed(PIEZOS))

    assert troubles.of(PIEZOS) is None


def test_what_nobody_fetches_takes_no_memory_and_leaves_a_gap() -> None:
    intake = Intake(waiting_s=1.0)
    intake.listen(0.0)

    for at in range(1000):
        intake.take(Block(at * 0.016, 4000.0, ([0.0] * 64,)))

    waiting = intake.blocks()
    assert len(waiting) == 62
    intake.take(Block(16.0, 4000.0, ([0.0] * 64,)))
    assert [one.start_s for one in intake.blocks()] == [16.0]


def test_what_came_before_somebody_listened_is_left_out() -> None:
    intake = Intake()
    intake.take(Block(0.9, 4000.0, ([0.0] * 64,)))
    intake.listen(1.0)

    intake.take(Block(0.99, 4000.0, ([0.0] * 64,)))
    intake.take(Block(1.006, 4000.0, ([0.0] * 64,)))

    assert [one.start_s for one in intake.blocks()] == [1.006]
    assert intake.has_heard


class Waiting:
    """A console before which somebody waits in real time, a little at a time."""

    def show(self, shown: object) -> None:
        """Nobody looks."""

    def say(self, sentence: str) -> None:
        """Nobody listens."""

    def key(self, within_s: float) -> str | None:
        time.sleep(within_s)
        return None


class Hasty(Waiting):
    """Somebody who presses Enter at once, and again."""

    def key(self, within_s: float) -> str | None:
        time.sleep(0.002)  # the time of the converter runs faster than ours
        return "\n"


def test_what_the_converter_gives_is_in_the_file_with_what_it_left_out(
    config: Config, wired_pins: MockFactory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    quiet = [0.0] * 300
    converter = PlayedConverter(*quiet, Pause(0.003), *quiet[:100], Pause(0.3))
    monkeypatch.setattr(sensors, "open_factory", lambda _: wired_pins)
    monkeypatch.setattr(adc, "open_converter", lambda *_: converter)
    left: list[str] = []
    monkeypatch.setattr(wired_pins, "close", lambda: left.append("pins"))
    steps = steps_for([], without=frozenset(one.name for one in NOISES))
    shelf = RecordingFolder(tmp_path / "t", {}, steps)

    with open_sensors(config) as opened:
        walk = Walk(steps, opened, shelf, Hasty(), clock=lambda: converter.now_s)
        assert walk.wait_for_sensors() is None
        assert walk.go()

    (entry,) = shelf.written()["files"]
    assert (entry["step"], entry["channels"]) == ("silence", 2)
    assert entry["rate_hz"] == pytest.approx(4000, rel=0.002)
    missed_s = [one["missed_s"] for one in entry["gaps"]]
    assert max(missed_s) > 0.29  # a busy machine misses more, which has to be told as well
    assert entry["bridged_samples"] == pytest.approx(12, abs=2)
    assert entry["duration"] + sum(missed_s) == pytest.approx(steps[0].lasts_s, abs=0.5)
    assert converter.closed
    assert left == ["pins"]
