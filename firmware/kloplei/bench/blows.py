"""Where something struck the wood in a recording, judged by loudness alone.

Not by the judge of `kloplei.knock`: what is to measure an ear must not be labelled by it.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import sub
from pathlib import Path
from sys import byteorder

from kloplei.recordings.wav import read_head

SEEN = 4.0  # times what the silence of a channel reaches: so loud no noise is
DEAD_S = 0.08  # one blow may have two pushes; two knocks of one hand are farther apart
RINGS_DB_A_S = 100.0  # how fast what a blow left behind must be assumed to fall, at the least
RINGS = 0.7  # of a blow's loudness, at its beginning
CELL_S = 0.005
PEAK_S = 0.03  # a blow is loudest within that
_APART_S = 0.0005  # the difference of two samples so far apart hardly feels the mains
_SILENT = 0.2  # the share of the cells by which the silence is measured
_LEAST = 32  # of 32768: half a step of ten bits; one that twitches by a step is silent, too
_FULL_SCALE = 32768
_SPARSE = 16  # every so many-th sample tells where a channel rests


@dataclass(frozen=True, slots=True)
class Event:
    """Something began *at_s* and was *clearness* times as loud as the silence of its channel.

    *strength* is its loudest sample of all channels, 0 to 1 of full scale.
    """

    at_s: float
    clearness: float
    strength: float


def blows_in(path: Path) -> tuple[Event, ...]:
    """Return what struck the wood in *path*, a `Take` of some seconds, in its order.

    It counts in whole numbers and looks at few samples one by one: a small Pi does it between
    two steps.

    Raises:
        OSError: It cannot be read.
    """
    rate_hz, channels = _read(path)
    cell = max(1, round(CELL_S * rate_hz))
    felt = [_Felt(samples, rate_hz, cell) for samples in channels]
    return tuple(_events(felt, rate_hz, cell)) if channels and channels[0] else ()


class _Felt:
    """What one disc has felt: how far it swings, beside how far in silence."""

    def __init__(self, samples: "array[int]", rate_hz: float, cell: int) -> None:
        apart = max(1, round(_APART_S * rate_hz))
        self._samples = samples
        self._rests = sorted(samples[::_SPARSE])[len(samples[::_SPARSE]) // 2] if samples else 0
        self._swings = array("i", bytes(4 * apart))
        self._swings.extend(map(abs, map(sub, samples[apart:], samples)))
        cells = [max(self._swings[at : at + cell]) for at in range(0, len(samples), cell)]
        self._silence = max(sorted(cells)[int(_SILENT * len(cells))], _LEAST) if cells else _LEAST
        self.loud_cells = [at for at, most in enumerate(cells) if most >= SEEN * self._silence]

    @property
    def count(self) -> int:
        """How many samples there are."""
        return len(self._samples)

    def clear(self, at: int) -> float:
        """Return how far above its silence sample *at* is."""
        return self._swings[at] / self._silence

    def clearest(self, at: int, count: int) -> float:
        """Return how far above its silence the clearest of *count* samples from *at* on is."""
        return max(self._swings[at : at + count]) / self._silence

    def loudest(self, at: int, count: int) -> float:
        """Return the loudest of *count* samples from *at* on, 0 to 1 of full scale."""
        part = self._samples[at : at + count]
        return max(max(part) - self._rests, self._rests - min(part)) / _FULL_SCALE


def _read(path: Path) -> tuple[float, list["array[int]"]]:
    """Return the rate, and the samples of each channel as they lie there."""
    with path.open("rb") as file:
        layout = read_head(file)
        frames = array("h", file.read()[: (layout.frames or 0) * layout.frame_bytes])
    if byteorder == "big":
        frames.byteswap()
    return float(layout.rate_hz), [frames[at :: layout.channels] for at in range(layout.channels)]


def _events(felt: Sequence[_Felt], rate_hz: float, cell: int) -> Iterator[Event]:
    peak_samples = max(1, round(PEAK_S * rate_hz))
    dead = round(DEAD_S * rate_hz)
    falls = 10 ** (-RINGS_DB_A_S / 20 / rate_hz)
    last, last_peak = -dead, 0.0
    for at in _loud_samples(felt, cell):
        since = at - last
        if since < dead:
            continue
        clear = max(one.clear(at) for one in felt)
        if clear < SEEN or clear < RINGS * last_peak * falls**since:
            continue
        last = at
        last_peak = max(one.clearest(at, peak_samples) for one in felt)
        yield Event(at / rate_hz, last_peak, max(one.loudest(at, peak_samples) for one in felt))


def _loud_samples(felt: Sequence[_Felt], cell: int) -> Iterator[int]:
    """Yield the samples of all cells in which any disc felt more than silence."""
    count = felt[0].count
    for number in sorted({number for one in felt for number in one.loud_cells}):
        yield from range(number * cell, min((number + 1) * cell, count))
