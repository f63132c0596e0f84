"""What of a blow tells where it fell: when, how loud and how alike the discs felt it.

Bending waves run the faster the higher they are, so a blow has no one moment of arrival: taken
are the moments at which a disc has felt small parts of all that it will feel. What the hand
did is in all channels alike; so only differences between channels count.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import cos, log10, pi, sin, sqrt
from operator import mul

from kloplei.knock.felt import Felt
from kloplei.knock.signal import Samples, Window

PARTS = (0.02, 0.1, 0.3)  # of the energy of a blow: felt so much, it has arrived
BANDS_HZ = ((60, 180), (180, 350), (350, 600), (600, 1000), (1000, 1700))
DIGITS = 3  # more say nothing, and make a calibration hard to read

_STEP_HZ = 40  # from one frequency looked at to the next
_TAPER = 0.25  # of the cut, on either side
_FAINT = 1e-6  # power that is added to every band: silence has no logarithm
_TINY = 1e-12


@dataclass(frozen=True, slots=True)
class Traits:
    """One blow, as it differs from channel to channel.

    Of each channel: whether it *felt* anything, when it had felt each of `PARTS`
    (*arrivals_ms*, after the onset) and how loud each of `BANDS_HZ` was (*levels_db*). Of each
    pair of channels, in the order of `itertools.combinations`: how alike they swing in each
    band, in step and a quarter turn apart, each from -1 to 1 (*likeness*). A slow converter
    leaves the highest bands out.
    """

    felt: tuple[bool, ...]
    arrivals_ms: tuple[tuple[float, ...], ...]
    levels_db: tuple[tuple[float, ...], ...]
    likeness: tuple[tuple[float, ...], ...]

    @property
    def bands(self) -> int:
        """How many of `BANDS_HZ` are known."""
        return len(self.levels_db[0])


def traits(window: Window) -> Traits:
    """Return what the blow in *window* tells about its place."""
    channels = [Felt(window, at) for at in range(len(window.channels))]
    spectra = [tuple(_spectrum(channel)) for channel in channels]
    return Traits(
        felt=tuple(channel.is_moved for channel in channels),
        arrivals_ms=tuple(_rounded(channel.arrivals_ms(PARTS)) for channel in channels),
        levels_db=tuple(_rounded(band.level_db for band in bands) for bands in spectra),
        likeness=tuple(
            _rounded(part for a, b in zip(one, other, strict=True) for part in a.likeness(b))
            for one, other in combinations(spectra, 2)
        ),
    )


class _Band:
    """How one channel swings in one band, frequency by frequency."""

    __slots__ = ("mirrored", "power", "swings")

    def __init__(self, swings: Sequence[complex]) -> None:
        self.swings = swings
        self.mirrored = [swing.conjugate() for swing in swings]
        self.power = sum(map(mul, swings, self.mirrored), 0j).real

    @property
    def level_db(self) -> float:
        return 10 * log10(self.power / len(self.swings) + _FAINT)

    def likeness(self, other: "_Band") -> tuple[float, float]:
        common = sum(map(mul, self.swings, other.mirrored), 0j)
        alike = common / sqrt(self.power * other.power + _TINY)
        return alike.real, alike.imag


def _spectrum(channel: Felt) -> Iterator[_Band]:
    """Yield the spectrum of the blow by bands, as if all channels had been read at once."""
    samples, begin_s = channel.blow
    tapered = list(map(mul, _taper(len(samples)), samples))
    for lowest_hz, highest_hz in BANDS_HZ:
        if highest_hz <= channel.rate_hz / 2:
            looked_at = range(lowest_hz + _STEP_HZ // 2, highest_hz, _STEP_HZ)
            yield _Band([_swing(tapered, hz, channel.rate_hz, begin_s) for hz in looked_at])


def _rounded(numbers: Iterable[float]) -> tuple[float, ...]:
    return tuple(round(number, DIGITS) for number in numbers)


def _swing(samples: Samples, hz: int, rate_hz: float, begin_s: float) -> complex:
    cosines, sines = _waves(hz, rate_hz, len(samples))
    found = complex(sum(map(mul, samples, cosines)), -sum(map(mul, samples, sines)))
    turn = -2 * pi * hz * begin_s
    # Summed up over milliseconds and not over samples, so that all rates give the same.
    return found * complex(cos(turn), sin(turn)) * (1000 / rate_hz)


@cache
def _waves(hz: int, rate_hz: float, count: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    turns = [2 * pi * hz * at / rate_hz for at in range(count)]
    return tuple(map(cos, turns)), tuple(map(sin, turns))


@cache
def _taper(count: int) -> tuple[float, ...]:
    edge = max(1.0, _TAPER * count)
    return tuple(min(1.0, (at + 1) / edge, (count - at) / edge) for at in range(count))
