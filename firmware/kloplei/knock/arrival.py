"""What of a blow tells where it fell: when, how loud and how alike the discs felt it.

In comes a `Window`; out go `LocationFeatures`, in ms, dB and parts of 1, for seats that were
learned, and the channel that felt the blow first, where a disc belongs to each seat.

Bending waves run the faster the higher they are, so a blow has no one moment of arrival: taken
are the moments at which a disc has felt small parts of all that it will feel. The first wave to
come is weak and drowns in noise, the loudest is late; so `first_felt` asks four moments, each of
them right at most tables, and takes their mean. What the hand did is in all channels alike: only
differences between channels count.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import accumulate, combinations
from math import cos, dist, exp, hypot, log, log10, sin, sqrt, tau
from operator import add, mul, sub

from kloplei.knock.signal import Samples, Weights, Window, resampled

FINEST_HZ = 8000.0  # nothing faster reaches a converter through 3 kHz of front-end
_QUIET_S = (-0.023, -0.003)  # a whole swing of the mains, and not yet the blow
_ARRIVING_S = (-0.003, 0.012)
_BLOW_S = (-0.002, 0.010)  # longer, and all of the table rings along
_MOVED = 2.0  # times the power of the quiet before: less, and a disc has felt nothing
_NOISE = 1.5  # times the power of the quiet before: taken off what is felt
_TINY = 1e-12


class ChannelOnset:
    """One *channel* of *window*."""

    def __init__(self, window: Window, channel: int) -> None:
        self.rate_hz = min(window.rate_hz, FINEST_HZ)
        self.late_s = channel * window.skew_s
        first_s = max(window.start_s, window.onset_s + _QUIET_S[0])
        begin = round((first_s - window.start_s) * window.rate_hz)
        end = begin + round((_ARRIVING_S[1] - _QUIET_S[0] + 0.001) * window.rate_hz)
        cut = resampled(window.channels[channel][begin:end], window.rate_hz, self.rate_hz)
        self._onset_s = window.onset_s - window.start_s - begin / window.rate_hz
        quiet = self._between(cut, _QUIET_S)
        bias = sum(quiet) / len(quiet) if quiet else 0.0
        self._quiet = dist(quiet, [bias] * len(quiet)) ** 2 / len(quiet) if quiet else 0.0
        self._arriving = [sample - bias for sample in self._between(cut, _ARRIVING_S)]
        self._loud = list(map(abs, self._arriving))
        self._peak = max(self._loud, default=0.0)

    @property
    def noise(self) -> float:
        """The noise before the blow, as a standard deviation."""
        return sqrt(self._quiet)

    @property
    def peak(self) -> float:
        """The loudest sample."""
        return self._peak

    @property
    def is_moved(self) -> bool:
        """Whether it felt more than the noise before."""
        felt = hypot(*self._arriving) ** 2
        return felt > max(_MOVED * self._quiet, _TINY) * len(self._arriving)

    def louder_ms(self, level: float) -> float | None:
        """Return when it was first louder than *level*, after the onset; None if it never was."""
        if self._peak < level:
            return None
        at = next(at for at, one in enumerate(self._loud) if one >= level)
        return self._ms(_crossing(self._loud, at, level))

    def arrivals_ms(self, parts: Sequence[float]) -> tuple[float, ...]:
        """Return when so large *parts* of its energy had been felt, after the onset."""
        sums = self._energies
        total = sums[-1] if sums else 0.0
        levels = [part * (total + _TINY) for part in parts]
        places = [bisect_left(sums, level) for level in levels]
        return tuple(
            self._ms(at if at == len(sums) else _crossing(sums, at, level))
            for at, level in zip(places, levels, strict=True)
        )

    @cached_property
    def _energies(self) -> list[float]:
        """How much had been felt by each of the samples that arrive, noise taken off."""
        noise = _NOISE * self._quiet
        # Not by `max`, which takes as long as all the rest.
        more = [one * one - noise for one in self._arriving]
        return list(accumulate([one if one > 0 else 0.0 for one in more]))

    @property
    def blow(self) -> Samples:
        """The samples of the blow; the first was taken *late_s* after that of the first channel."""
        begin, end = (self._index(one) - self._index(_ARRIVING_S[0]) for one in _BLOW_S)
        return self._arriving[begin:end]

    def _ms(self, place: float) -> float:
        return 1000 * (self._begin_s(_ARRIVING_S) + place / self.rate_hz)

    def _begin_s(self, span_s: tuple[float, float]) -> float:
        return self._index(span_s[0]) / self.rate_hz - self._onset_s + self.late_s

    def _index(self, since_onset_s: float) -> int:
        return max(0, round((self._onset_s + since_onset_s) * self.rate_hz))

    def _between(self, samples: Samples, span_s: tuple[float, float]) -> Samples:
        return samples[self._index(span_s[0]) : self._index(span_s[1])]


def onsets_of(window: Window) -> tuple[ChannelOnset, ...]:
    """Return one for each channel of *window*, the same ones whenever it is asked."""
    return window.remembered(_onsets)


def _onsets(window: Window) -> tuple[ChannelOnset, ...]:
    return tuple(ChannelOnset(window, at) for at in range(len(window.channels)))


PARTS = (0.02, 0.1, 0.3)  # of the energy of a blow: felt so much, it has arrived
BANDS_HZ = ((60, 180), (180, 350), (350, 600), (600, 1000), (1000, 1700))
DIGITS = 3  # more say nothing, and make a calibration hard to read
_STEP_HZ = 40  # from one frequency looked at to the next
_TAPER = 0.25  # of the cut, on either side
_FAINT = 1e-6  # power that is added to every band: silence has no logarithm


@dataclass(frozen=True, slots=True)
class LocationFeatures:
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


def location_features(window: Window) -> LocationFeatures:
    """Return what the blow in *window* tells about its place; it is worked out once."""
    return window.remembered(_location_features)


def _location_features(window: Window) -> LocationFeatures:
    channels = onsets_of(window)
    spectra = [tuple(_spectrum(channel)) for channel in channels]
    return LocationFeatures(
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


def _spectrum(channel: ChannelOnset) -> Iterator[_Band]:
    """Yield the spectrum of the blow by bands, as if all channels had been read at once."""
    blow, rate_hz = channel.blow, channel.rate_hz
    tapered = list(map(mul, _taper(len(blow)), blow))
    # Seen from the middle, a cosine is the same on either side and a sine but for its sign: both
    # sides are added up first, and there is half as much to weigh.
    half = (len(tapered) + 1) // 2
    first, last = tapered[:half], tapered[: -half - 1 : -1]
    cosines, sines = _waves(rate_hz, len(tapered))
    real, imaginary = cosines.sums(map(add, first, last)), sines.sums(map(sub, first, last))
    turns = _turns(rate_hz, channel.late_s)
    swings = list(map(mul, map(complex, real, imaginary), turns))
    end = 0
    for looked_at in _looked_at(rate_hz):
        begin, end = end, end + len(looked_at)
        yield _Band(swings[begin:end])


def _rounded(numbers: Iterable[float]) -> tuple[float, ...]:
    return tuple(round(number, DIGITS) for number in numbers)


@cache
def _looked_at(rate_hz: float) -> tuple[range, ...]:
    """Return the frequencies looked at, of each band that is known at *rate_hz*."""
    return tuple(
        range(lowest_hz + _STEP_HZ // 2, highest_hz, _STEP_HZ)
        for lowest_hz, highest_hz in BANDS_HZ
        if highest_hz <= rate_hz / 2
    )


# A converter that is opened anew may be read at another pace each time.
@lru_cache(maxsize=8)
def _waves(rate_hz: float, count: int) -> tuple[Weights, Weights]:
    """Return the cosines and the sines of all frequencies looked at, over half of *count* samples.

    They run from the first sample to the middle one, where all of them begin.
    """
    # One in the middle stands on both sides.
    shares = [0.5 if 2 * at + 1 == count else 1.0 for at in range((count + 1) // 2)]
    angles = [
        [tau * hz * (at - (count - 1) / 2) / rate_hz for at in range(len(shares))]
        for hz in _every_hz(rate_hz)
    ]
    return (
        Weights([tuple(map(mul, map(cos, one), shares)) for one in angles]),
        Weights([tuple(-sin(angle) for angle in one) for one in angles]),
    )


@lru_cache(maxsize=32)  # one for each channel of them
def _turns(rate_hz: float, late_s: float) -> tuple[complex, ...]:
    """Return by what each frequency looked at is turned in a channel that is read so late.

    Summed up over milliseconds and not over samples, so that all rates give the same.
    """
    angles = [-tau * hz * late_s for hz in _every_hz(rate_hz)]
    return tuple(complex(cos(angle), sin(angle)) * (1000 / rate_hz) for angle in angles)


def _every_hz(rate_hz: float) -> list[int]:
    return [hz for looked_at in _looked_at(rate_hz) for hz in looked_at]


@cache
def _taper(count: int) -> tuple[float, ...]:
    edge = max(1.0, _TAPER * count)
    return tuple(min(1.0, (at + 1) / edge, (count - at) / edge) for at in range(count))


_LEVELS = (0.1, 0.2, 0.4)  # of the loudest disc's peak
_NOISE_LEVEL = 4.0  # standard deviations: below it lies noise
_PART = 0.1  # of a disc's own energy
_FAINT_PEAK = 0.02  # of the loudest disc's peak: fainter, and a disc has felt nothing
_LATE_MS = 1.5  # a disc that comes so much later than the first is just late
_AHEAD_MS = 0.1  # by so much ahead of the next, a disc was rather surely the first
_LOUDER = 4.0  # times as loud as the next says as much: both may be at the same distance


def first_felt(channels: Sequence[ChannelOnset]) -> tuple[int, float]:
    """Return which of *channels*, two or more, felt the blow first, and how sure (0.5 to 1)."""
    means = [sum(moments) / len(moments) for moments in zip(*_moments(channels), strict=True)]
    # Where none comes first, the louder one is nearer.
    order = sorted(range(len(means)), key=lambda at: (means[at], -channels[at].peak))
    first, second = order[:2]
    ahead = (means[second] - means[first]) / _AHEAD_MS
    louder = log(max(1.0, channels[first].peak / max(channels[second].peak, _TINY)), _LOUDER)
    return first, 1 - 0.5 * exp(-ahead - louder)


def _moments(channels: Sequence[ChannelOnset]) -> list[list[float]]:
    """Return by each of the four measures how long after the first each channel felt it."""
    loudest = max(channel.peak for channel in channels)
    found: list[list[float | None]] = [
        [one.louder_ms(max(level * loudest, _NOISE_LEVEL * one.noise)) for one in channels]
        for level in _LEVELS
    ]
    found.append(
        [
            one.arrivals_ms([_PART])[0]
            if one.is_moved and one.peak > _FAINT_PEAK * loudest
            else None
            for one in channels
        ]
    )
    return [_after_the_first(moments) for moments in found]


def _after_the_first(moments: Sequence[float | None], late_ms: float = _LATE_MS) -> list[float]:
    first = min((moment for moment in moments if moment is not None), default=0.0)
    return [late_ms if moment is None else min(late_ms, moment - first) for moment in moments]


_DELAY_PARTS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3)  # of a disc's own energy
_OWN_LEVELS = (0.1, 0.2, 0.4)  # of a disc's own peak
_OWN_LATE_MS = 2.5
DELAYS = len(_DELAY_PARTS) + len(_OWN_LEVELS)


def delays_ms(window: Window) -> dict[int, tuple[float, ...]]:
    """Return when each channel that felt the blow in *window* felt it, by `DELAYS` measures.

    Only what differs between channels says anything. Each disc is measured by its own loudness:
    by the loudest one's, a disc that is glued worse than the others would seem later, and so
    farther. Some are counted from the first channel, and end where a disc is just late.
    """
    felt = {at: channel for at, channel in enumerate(onsets_of(window)) if channel.is_moved}
    if not felt:
        return {}
    found = list(felt.values())
    columns = list(zip(*(one.arrivals_ms(_DELAY_PARTS) for one in found), strict=True))
    for level in _OWN_LEVELS:
        moments = [one.louder_ms(max(level * one.peak, _NOISE_LEVEL * one.noise)) for one in found]
        columns.append(tuple(_after_the_first(moments, _OWN_LATE_MS)))
    return dict(zip(felt, zip(*columns, strict=True), strict=True))


def _crossing(values: Samples, at: int, level: float) -> float:
    """Return the place, before *at* and between samples, at which *values* come to *level*."""
    before = values[at - 1] if at else 0.0
    return at - 1 + (level - before) / (values[at] - before + _TINY)
