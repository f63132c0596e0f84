"""What reading the piezos costs a Pi, by a model of its driver: before, now, and as told."""

import ctypes
import re
from pathlib import Path

import pytest

from kloplei.config.settings import EARS_HZ, FAST_DISCS, FAST_DISCS_ANYWHERE
from kloplei.devices.adc import (
    CHIPS,
    POLLS_FROM_HZ,
    SHORTEST_REST_US,
    SLEEPS_UP_TO_HZ,
    MessageConverter,
    SpiMessages,
    Transfer,
)
from kloplei.devices.sampling import EFFORT_S, ENOUGH, _Effort
from kloplei.knock.features import judging_rate_hz
from tests.devices.chips import KernelChip
from tests.devices.spi_driver import DEVICE, PI_2, PI_4, PiCosts, TunedAsBefore, cost

HERE = Path(__file__).parents[2]
PAGE = (HERE / "docs/sensors.md").read_text(encoding="utf-8")
MCP3008 = CHIPS["mcp3008"]
PIS = {"Pi 2": PI_2, "Pi 4": PI_4}
WANTED_HZ = 4000.0


@pytest.mark.parametrize(
    ("pi", "channels"), [(PI_2, 4), (PI_2, 5), (PI_2, 6), (PI_4, 5), (PI_4, 6)]
)
def test_a_bus_that_interrupts_make_too_slow_is_polled_between_rests(
    pi: PiCosts, channels: int
) -> None:
    """The clock went to and fro between one that is polled and one that is not, without a rest."""
    before = cost(pi, MCP3008, channels, TunedAsBefore)
    now = cost(pi, MCP3008, channels)

    assert before.reached_hz > 1.2 * WANTED_HZ  # which nobody had asked for
    assert (before.polled, before.busy) == pytest.approx((0.63, 1.0), abs=0.04)
    assert 0.9 * WANTED_HZ < now.reached_hz < 1.02 * WANTED_HZ
    assert now.polled < 0.5
    assert now.busy < 0.9


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("pi", PIS.values(), ids=PIS)
def test_where_there_is_time_nothing_is_polled(pi: PiCosts, chip: str) -> None:
    spent = cost(pi, CHIPS[chip], 3)

    assert spent.polled == 0.0
    assert spent.busy < 0.35
    assert spent.reached_hz == pytest.approx(WANTED_HZ, rel=0.02)


@pytest.mark.parametrize("core_hz", [250_000_000, 400_000_000, 500_000_000])
def test_what_is_meant_to_be_polled_is_so_whatever_the_divisor(core_hz: int) -> None:
    """The divisor is even and rounded up: asked for 1.2 MHz, every Pi stays below it."""

    def sent_hz(asked_hz: int) -> float:
        divisor = -(-core_hz // asked_hz)
        return core_hz / (divisor + divisor % 2)

    assert sent_hz(1_200_000) < 1_200_000 or core_hz % 2_400_000 == 0
    assert sent_hz(SLEEPS_UP_TO_HZ) < 1_200_000
    for polled_hz in (POLLS_FROM_HZ, *(chip.fastest_hz for chip in CHIPS.values())):
        assert sent_hz(polled_hz) >= 1_200_000


@pytest.mark.parametrize("pi", PIS.values(), ids=PIS)
def test_eight_piezos_of_twelve_bits_are_read_as_fast_as_the_ears_take_for_4000(
    pi: PiCosts,
) -> None:
    assert cost(pi, CHIPS["mcp3208"], 8).reached_hz > ENOUGH * WANTED_HZ


@pytest.mark.parametrize("pi", PIS.values(), ids=PIS)
def test_eight_piezos_at_four_kilohertz_take_a_core_whatever_is_done(pi: PiCosts) -> None:
    """31 us a conversion: 20 of bits at the fastest clock, 10 deselected, and the rest is code.

    An interrupt takes longer than what is left, and a longer transfer is no second conversion.
    """
    before, now = cost(pi, MCP3008, 8, TunedAsBefore), cost(pi, MCP3008, 8)

    assert now.reached_hz == pytest.approx(before.reached_hz)
    assert now.busy == pytest.approx(1.0)
    assert 0.6 < now.polled < 0.65
    assert cost(pi, MCP3008, 8, rate_hz=1800.0).busy < 0.42


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("pi", PIS.values(), ids=PIS)
def test_at_8000_up_to_two_piezos_leave_the_core_alone_and_four_are_fast_enough(
    pi: PiCosts, chip: str
) -> None:
    spent = {
        discs: cost(pi, CHIPS[chip], discs, rate_hz=float(EARS_HZ))
        for discs in range(1, FAST_DISCS + 1)
    }

    assert all(judging_rate_hz(one.reached_hz) == EARS_HZ for one in spent.values())
    asleep = [spent[discs] for discs in range(1, FAST_DISCS_ANYWHERE + 1)]
    assert [one.polled for one in asleep] == [0.0] * FAST_DISCS_ANYWHERE
    assert all(one.busy < 0.45 for one in asleep)


def test_a_rest_follows_each_round_so_that_rounds_stay_evenly_spaced() -> None:
    rests: list[list[int]] = []

    class Noting(KernelChip):
        def __call__(self, file: int, request: int, message: "ctypes.Array[Transfer]") -> None:
            super().__call__(file, request, message)
            rests.append([one.delay_usecs for one in message])

    kernel = Noting(lambda channel: 512)
    messages = SpiMessages(DEVICE, [MCP3008.request(at) for at in range(2)], 3, ioctl=kernel)
    messages.send(1_350_000, 40)
    messages.send(600_000)
    messages.close()

    assert rests == [[0, 40] * 3, [0] * 6]


def test_channels_that_are_read_close_together_say_so() -> None:
    class Bus:
        def close(self) -> None: ...

    kernel = KernelChip(lambda channel: 512)
    messages = SpiMessages(DEVICE, [MCP3008.request(at) for at in range(5)], 6, ioctl=kernel)
    reader = MessageConverter(Bus(), messages, MCP3008, 5, WANTED_HZ)
    spread_s = reader.skew_s
    reader.tune(2000.0)  # asleep it is too slow
    reader.tune(1 / (5 * 30e-6))  # 30 us each, polled

    assert reader.rest_us == 100
    assert reader.rest_us >= SHORTEST_REST_US
    assert (spread_s, reader.skew_s) == pytest.approx((50e-6, 30e-6))
    reader.close()


def test_the_buffer_that_is_installed_takes_an_eighth_of_the_calls() -> None:
    installed = re.search(r"bufsiz=(\d+)", (HERE / "systemd/kloplei.modprobe").read_text())
    assert installed
    rounds = {}
    for size in (4096, int(installed[1])):
        kernel = KernelChip(lambda channel: 512, buffer_bytes=size)
        requests = [MCP3008.request(at) for at in range(8)]
        messages = SpiMessages(DEVICE, requests, 64, ioctl=kernel)
        messages.send(1_000_000)
        rounds[size] = messages.rounds
        messages.close()

    assert list(rounds.values()) == [4, 32]
    assert 32 / WANTED_HZ < 0.016  # shorter than a block of the ears: none waits for it


def test_how_busy_the_reader_is_counts_what_its_thread_took_in_the_kernel_too() -> None:
    spent = iter([1.0, 3.5, 3.5])
    effort = _Effort(lambda: next(spent))

    shares = [effort.share(at_s) for at_s in (0.0, EFFORT_S / 2, EFFORT_S + 1, 2 * EFFORT_S + 1)]

    assert shares == [0.0, 0.0, 0.5, 0.0]


def test_the_page_tells_what_the_model_reckons() -> None:
    rows = re.findall(
        r"^\| (Pi \d) \| (MCP3\d08) \| (\d) \| (\d+) \| (\d+) % \| (\d+) % \|$", PAGE, re.MULTILINE
    )

    reckoned = []
    for pi, chip, channels, *_ in rows:
        one = cost(PIS[pi], CHIPS[chip.lower()], int(channels))
        told = (f"{one.reached_hz:.0f}", f"{100 * one.polled:.0f}", f"{100 * one.busy:.0f}")
        reckoned.append((pi, chip, channels, *told))
    assert len(rows) == 12
    assert rows == reckoned
