"""Reading all channels: through messages to the kernel, and call by call over mock wires."""

import os
import warnings
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from gpiozero import DigitalInputDevice, GPIOPinInUse
from gpiozero.pins.mock import MockFactory

from kloplei.config.settings import AdcConfig
from kloplei.devices.adc import (
    ANSWER_BYTES,
    CHIPS,
    CLOCKS_A_BYTE,
    CallConverter,
    Converter,
    MessageConverter,
    NobodyAnswers,
    SpiMessages,
    clock_for,
    open_converter,
)
from kloplei.devices.pins import why_part_failed
from kloplei.devices.sampling import Pace
from kloplei.knock.features import judging_rate_hz
from kloplei.words import Words
from tests.devices.chips import KernelChip, WiredChip

CHIP = CHIPS["mcp3008"]
MCP3008 = AdcConfig(enabled=True)


class Bus:
    """gpiozero's SPI device, which is asked for nothing but to be closed."""

    closed = 0

    def close(self) -> None:
        self.closed += 1


class BusClock:
    """A clock that a transfer of 27 clocks and a pause after it move on."""

    def __init__(self, kernel: KernelChip, pause_s: float) -> None:
        self._kernel = kernel
        self._pause_s = pause_s

    def now_s(self) -> float:
        return sum(27 / hz + self._pause_s for hz in self._kernel.clocks_hz)


def converter(kernel: KernelChip, clock: BusClock, channels: int = 4) -> MessageConverter:
    requests = [CHIP.request(channel) for channel in range(channels)]
    messages = SpiMessages(Path("/dev/null"), requests, 64, ioctl=kernel)
    return MessageConverter(Bus(), messages, CHIP, channels, 4000.0, clock.now_s)


class TestThroughMessages:
    def test_a_burst_is_stamped_and_its_samples_are_by_channel(self) -> None:
        kernel = KernelChip(lambda channel: 512 + 64 * channel, aligned_to=4)
        clock = BusClock(kernel, pause_s=10e-6)
        reader = converter(kernel, clock)

        burst = reader.burst()

        assert burst.channels == tuple([channel / 8] * 64 for channel in range(4))
        assert burst.start_s == 0.0
        assert burst.end_s == pytest.approx(0.016, rel=0.01)
        reader.close()

    @pytest.mark.parametrize("pause_s", [2e-6, 10e-6, 25e-6, 40e-6])
    def test_the_clock_is_tuned_until_four_channels_run_at_four_kilohertz(
        self, pause_s: float
    ) -> None:
        """What the kernel does between two transfers is known on no Pi before it is measured."""
        kernel = KernelChip(lambda channel: 512, aligned_to=4)
        clock = BusClock(kernel, pause_s)
        reader = converter(kernel, clock)

        for _ in range(2):
            burst = reader.burst()
            reader.tune(64 / (burst.end_s - burst.start_s))
        burst = reader.burst()

        assert 64 / (burst.end_s - burst.start_s) == pytest.approx(4000, rel=0.01)
        reader.close()

    def test_what_the_bus_cannot_do_it_does_as_fast_as_it_may(self) -> None:
        """8 channels with 40 us between transfers: 2 kHz, and no clock helps."""
        kernel = KernelChip(lambda channel: 512, aligned_to=4)
        reader = converter(kernel, BusClock(kernel, 40e-6), channels=8)

        burst = reader.burst()
        reader.tune(len(burst.channels[0]) / (burst.end_s - burst.start_s))

        assert reader.clock_hz == CHIP.fastest_hz
        reader.close()

    def test_closing_lets_go_of_kernel_and_pins(self) -> None:
        kernel = KernelChip(lambda channel: 512)
        reader = converter(kernel, BusClock(kernel, 0.0))

        reader.close()
        reader.close()

        assert reader._spi.closed == 2

    def test_a_missing_chip_is_told_from_loud_ones(self) -> None:
        kernel = KernelChip(lambda channel: 0b1111_1111_111)  # the bit before the code as well
        reader = converter(kernel, BusClock(kernel, 0.0))

        with pytest.raises(NobodyAnswers):
            reader.burst()

        reader.close()


@pytest.mark.parametrize(
    ("conversions_hz", "pause_s", "clock_hz"),
    [
        (16_000, 0.0, 432_000),
        (16_000, 10e-6, 514_286),
        (32_000, 31.25e-6, 1_350_000),  # nothing left for the bits
        (32_000, 12e-6, 1_350_000),
        (1_000, 0.0, 100_000),
    ],
)
def test_the_clock_spreads_conversions_over_the_time_there_is(
    conversions_hz: float, pause_s: float, clock_hz: int
) -> None:
    assert clock_for(conversions_hz, pause_s, CHIP.fastest_hz) == clock_hz


class Stopwatch:
    """Time that passes only while one sleeps or the bus is busy."""

    def __init__(self, call_s: float) -> None:
        self.now_s = 50.0
        self.call_s = call_s
        self.slept_s = 0.0

    def clock(self) -> float:
        return self.now_s

    def sleep(self, for_s: float) -> None:
        self.slept_s += for_s
        self.now_s += for_s

    def transfer(self, request: list[int]) -> list[int]:
        self.now_s += self.call_s
        return [0xFF, 0b10, request[1]]  # 512 + what was asked for

    def close(self) -> None:
        pass


class TestCallByCall:
    @pytest.mark.parametrize(
        ("call_s", "rate_hz"),
        [(20e-6, 4000.0), (50e-6, 2500.0), (111e-6, 0.5 / 444e-6)],
    )
    def test_no_more_than_half_a_processor_is_spent(self, call_s: float, rate_hz: float) -> None:
        bus = Stopwatch(call_s)
        reader = CallConverter(
            bus, CHIP, [CHIP.request(at) for at in range(4)], 4000.0, bus.clock, bus.sleep
        )
        began_s, bus.slept_s = bus.now_s, 0.0

        bursts = [reader.burst() for _ in range(30)]

        assert reader.rate_hz == pytest.approx(rate_hz)
        rounds = sum(len(burst.channels[0]) for burst in bursts)
        assert rounds / (bus.now_s - began_s) == pytest.approx(rate_hz, rel=0.05)
        assert bus.slept_s > 0.45 * (bus.now_s - began_s)

    def test_after_being_held_up_it_does_not_run_after_the_time_that_is_lost(self) -> None:
        bus = Stopwatch(20e-6)
        requests = [CHIP.request(at) for at in range(4)]
        reader = CallConverter(bus, CHIP, requests, 4000.0, bus.clock, bus.sleep)
        reader.burst()

        bus.now_s += 10
        late = reader.burst()
        after = reader.burst()

        assert late.start_s == bus.now_s - (after.end_s - late.start_s)
        assert 64 / (after.end_s - after.start_s) < 8000

    def test_over_the_wires_it_reads_what_the_chip_was_given(self, wired_pins: MockFactory) -> None:
        WiredChip(wired_pins, lambda channel: 100 * channel + 12)

        reader = open_converter(MCP3008, (1, 6), wired_pins)
        burst = reader.burst()

        assert {*burst.channels[0]} == {(112 - 512) / 512}
        assert {*burst.channels[1]} == {(612 - 512) / 512}
        reader.close()

    def test_an_mcp3208_on_the_other_select_gives_twelve_bits(
        self, wired_pins: MockFactory
    ) -> None:
        WiredChip(wired_pins, lambda channel: 4095 - channel, CHIPS["mcp3208"], select_pin=7)

        config = AdcConfig(enabled=True, chip="mcp3208", chip_select=1)
        reader = open_converter(config, (0, 7), wired_pins)
        burst = reader.burst()

        assert {*burst.channels[0]} == {2047 / 2048}
        assert {*burst.channels[1]} == {2040 / 2048}
        reader.close()

    @pytest.mark.parametrize(("wired", "named"), [("mcp3208", "mcp3008"), ("mcp3008", "mcp3208")])
    def test_a_chip_that_is_not_the_one_that_is_named_gives_its_upper_ten_bits(
        self, wired_pins: MockFactory, wired: str, named: str
    ) -> None:
        """So a converter may be swapped before its line in the settings is changed."""
        chip = CHIPS[wired]
        WiredChip(wired_pins, lambda channel: (300 + channel) << (chip.bits - 10), chip)

        reader = open_converter(AdcConfig(enabled=True, chip=named), (0, 7), wired_pins)
        burst = reader.burst()

        for channel, code in zip(burst.channels, (300, 307), strict=True):
            assert channel[0] == pytest.approx((code - 512) / 512, abs=1 / 512)
        reader.close()

    def test_where_no_chip_is_wired_the_wire_floats(self, wired_pins: MockFactory) -> None:
        chip = WiredChip(wired_pins, lambda channel: 512)
        chip.silent = True
        reader = open_converter(MCP3008, (0,), wired_pins)

        with pytest.raises(NobodyAnswers):
            reader.burst()

        reader.close()


@pytest.mark.parametrize("pin", [8, 9, 10, 11])
def test_a_pin_of_the_bus_that_another_part_holds_is_named(
    wired_pins: MockFactory, pin: int
) -> None:
    pad = DigitalInputDevice(pin, pull_up=True, pin_factory=wired_pins)

    with pytest.raises(GPIOPinInUse) as clash:
        open_converter(MCP3008, (0,), wired_pins)

    assert why_part_failed(clash.value, 8, 9, 10, 11) == (
        f"another part holds GPIO {pin}. Give one of them another in the settings"
    )
    pad.close()


def test_while_it_reads_nobody_else_gets_its_pins(wired_pins: MockFactory) -> None:
    WiredChip(wired_pins, lambda channel: 512)
    reader = open_converter(MCP3008, (0,), wired_pins)

    with pytest.raises(GPIOPinInUse, match="GPIO9"):
        DigitalInputDevice(9, pull_up=True, pin_factory=wired_pins)

    reader.close()
    DigitalInputDevice(9, pull_up=True, pin_factory=wired_pins).close()


def test_opening_warns_of_nothing(wired_pins: MockFactory) -> None:
    """The words of gpiozero about software SPI are for programmers."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        open_converter(MCP3008, (0,), wired_pins).close()

    assert told == []


def told(reader: Converter) -> str:
    return Words("en").name("remedy", reader.remedy)


class TestWithoutTheKernelsBus:
    """What is told of a slow converter is what its maker can do about it."""

    def test_spi_that_is_off_is_to_be_switched_on(self, wired_pins: MockFactory) -> None:
        with closing(open_converter(replace(MCP3008, chip_select=1), (0,), wired_pins)) as reader:
            assert told(reader).startswith("SPI is off: switch it on with sudo raspi-config")

    def test_a_device_that_may_not_be_opened_names_the_group(
        self, wired_pins: MockFactory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Path, "exists", lambda _: True)
        monkeypatch.setattr(os, "access", lambda *_: False)

        with closing(open_converter(MCP3008, (0,), wired_pins)) as reader:
            assert told(reader) == (
                "the SPI device may not be opened: add the user of this program to the group spi"
            )

    def test_a_pin_library_that_cannot_use_it_names_one_that_can(
        self, wired_pins: MockFactory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Path, "exists", lambda _: True)
        monkeypatch.setattr(os, "access", lambda *_: True)

        with closing(open_converter(MCP3008, (0,), wired_pins)) as reader:
            assert '[pins] factory = "lgpio"' in told(reader)


def test_eight_channels_of_an_mcp3208_are_read_as_fast_as_the_ears_take_for_4000() -> None:
    """Linux leaves 10 us after a transfer (`_spi_transfer_cs_change_delay`), and takes its own."""
    a_conversion_s = CLOCKS_A_BYTE * ANSWER_BYTES / CHIPS["mcp3208"].fastest_hz + 13e-6

    reached_hz = 1 / (8 * a_conversion_s)

    assert judging_rate_hz(reached_hz) == 4000
    assert not Pace(4000.0, reached_hz).is_slow
    assert Pace(4000.0, 3400.0).is_slow
    # More was only better, and nobody is told of it.
    assert not Pace(8000.0, 3500.0, enough_hz=4000.0).is_slow
    assert Pace(8000.0, 3400.0, enough_hz=4000.0).is_slow
