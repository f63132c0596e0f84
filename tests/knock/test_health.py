"""A sensor that cannot hear is told from one that hears nothing."""

import math
import random
from collections.abc import Callable, Iterator

import pytest

from kloplei.knock.health import FLAT_S, HEALED_S, HUM_S, RAIL_S, Fault, SensorHealth
from kloplei.knock.signal import Block, DcOffset

RATE_HZ = 4000.0

Wood = Callable[[float], float]
_TWITCHES = [round(random.Random(n).gauss(0, 0.4)) / 512 for n in range(4001)]


def quiet(at_s: float) -> float:
    """The last bit of ten twitches, never the same way in two seconds that follow each other."""
    return _TWITCHES[round(at_s * RATE_HZ) % len(_TWITCHES)]


def blocks(of: Wood, for_s: float, from_s: float = 100.0) -> Iterator[Block]:
    for n in range(round(for_s / 0.016)):
        start_s = from_s + n * 0.016
        samples = [of(start_s + at / RATE_HZ) for at in range(64)]
        yield Block(start_s, RATE_HZ, (samples,))


class Watched:
    """One channel with its bias taken off, as `Piezos` does."""

    def __init__(self) -> None:
        self._soundness = SensorHealth()
        self._bias = DcOffset()
        self._now_s = 100.0

    def hears(self, of: Wood, for_s: float) -> Fault | None:
        """Let it hear *of* for a while, and return what ails it then."""
        found = None
        for block in blocks(of, for_s, self._now_s):
            level = self._bias.taken_off(block)
            found = self._soundness.fault(level, 0, self._bias.levels[0])
        self._now_s += for_s
        return found


def hum(hz: float, loudness: float = 0.1) -> Wood:
    return lambda at_s: loudness * math.sin(2 * math.pi * hz * at_s) + quiet(at_s)


def knock(at_s: float) -> float:
    """One blow a second, 400 Hz, 20 dB in 30 ms."""
    after_s = at_s % 1.0
    fall = 0.8 * 10 ** (-after_s / 0.03)
    return fall * math.sin(2 * math.pi * 400 * after_s) + quiet(at_s)


@pytest.mark.parametrize(
    "wood",
    [
        pytest.param(quiet, id="silence"),
        pytest.param(knock, id="a knock a second"),
        pytest.param(lambda at_s: 0.05 + quiet(at_s), id="a middle that is a little off"),
        pytest.param(hum(50, 0.01), id="a murmur of the mains below what wakes the judge"),
        pytest.param(hum(50, 0.02), id="a murmur that wakes the judge, and nobody else"),
        pytest.param(hum(230), id="a phone that buzzes on"),
        pytest.param(
            lambda at_s: hum(230, 0.3)(at_s) + hum(50, 0.05)(at_s),
            id="a phone that buzzes over a murmur of the mains",
        ),
        pytest.param(hum(71), id="a refrigerator"),
    ],
)
def test_a_sound_sensor_is_not_complained_of(wood: Wood) -> None:
    assert Watched().hears(wood, 12.0) is None


def test_a_bump_under_80_hz_is_no_hum() -> None:
    def bumps(at_s: float) -> float:
        after_s = at_s % 2.0
        return 0.5 * math.exp(-after_s / 0.08) * math.sin(2 * math.pi * 50 * after_s)

    assert Watched().hears(bumps, 6.0) is None


@pytest.mark.parametrize("rail", [1 - 1 / 512, -1.0])
def test_an_input_at_the_end_of_its_range_is_stuck(rail: float) -> None:
    watched = Watched()

    assert watched.hears(lambda _: rail, RAIL_S / 2) is None
    assert watched.hears(lambda _: rail, RAIL_S) is Fault.STUCK


def test_a_line_without_any_noise_is_stuck_and_needs_ten_seconds_to_be_sure() -> None:
    watched = Watched()

    assert watched.hears(lambda _: 0.25, FLAT_S - 1) is None
    assert watched.hears(lambda _: 0.25, 2.0) is Fault.STUCK


def test_an_input_that_nothing_holds_wanders_off() -> None:
    assert Watched().hears(lambda at_s: 0.6 + quiet(at_s), 7.0) is Fault.OPEN


@pytest.mark.parametrize("hz", [50, 60])
@pytest.mark.parametrize("loudness", [0.05, 3.0])
def test_a_loose_plug_hums_also_when_it_clips(hz: float, loudness: float) -> None:
    def clipped(at_s: float) -> float:
        return max(-1.0, min(1.0, hum(hz, loudness)(at_s)))

    assert Watched().hears(clipped, HUM_S + 0.5) is Fault.HUM


@pytest.mark.parametrize(
    ("wood", "for_s"),
    [(hum(50), 3.0), (lambda _: -1.0, 3.0), (lambda _: 0.25, 12.0)],
    ids=["hum", "rail", "flat"],
)
def test_what_is_over_is_forgotten_after_a_while(wood: Wood, for_s: float) -> None:
    watched = Watched()
    ailing = watched.hears(wood, for_s)

    assert ailing is not None
    assert watched.hears(quiet, HEALED_S / 2) is not None
    assert watched.hears(quiet, 4 * HEALED_S) is None


def test_a_heartbeat_of_silence_is_enough_to_know_that_a_sensor_is_sound() -> None:
    """Virtual piezos hand in one block a second while nobody touches them."""
    soundness, bias = SensorHealth(), DcOffset()

    for second in range(60):
        for block in blocks(quiet, 0.016, 100.0 + second):
            assert soundness.fault(bias.taken_off(block), 0, bias.levels[0]) is None
