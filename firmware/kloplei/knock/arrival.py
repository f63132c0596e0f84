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
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import accumulate, combinations
from math import cos, dist, exp, hypot, log, log10, sin, sqrt, tau
from operator import add, mul, sub

from kloplei.frozen import dataclass
from kloplei.knock.signal import Samples, Weights, Window, resampled

FINEST_HZ = 8000.0  # nothing faster reaches a converter through 3 kHz of front-end
_QUIET_S = (-0.023, -0.003)  # a whole swing of the mains, and not yet the blow
_ARRIVING_S = (-0.003, 0.012)
_BLOW_S = (-0.002, 0.010)  # longer, and all of the table rings along
_MOVED = 2.0  # times the power of the quiet before: less, and a disc has felt nothing
_NOISE = 1.5  # times the power of the quiet before: taken off what is felt
_TINY = 1e-12


class _Spans:
    """Which samples of *window* tell where its blow fell: the same of each channel."""

    def __init__(self, window: Window) -> None:
        self.rate_hz = min(window.rate_hz, FINEST_HZ)
        first_s = max(window.start_s, window.onset_s + _QUIET_S[0])
        self.begin = round((first_s - window.start_s) * window.rate_hz)
        self.end = self.begin + round((_ARRIVING_S[1] - _QUIET_S[0] + 0.001) * window.rate_hz)
        # From here on they are counted from the first of them on, at our own rate.
        self.onset_s = window.onset_s - window.start_s - self.begin / window.rate_hz
        self.quiet, self.arriving = self._place(_QUIET_S), self._place(_ARRIVING_S)
        blow, ahead = self._place(_BLOW_S), self.arriving.start
        self.blow = slice(blow.start - ahead, blow.stop - ahead)  # of those that arrive

    def _place(self, span_s: tuple[float, float]) -> slice:
        begin, end = (max(0, round((self.onset_s + one) * self.rate_hz)) for one in span_s)
        return slice(begin, end)


class ChannelOnset:
    """One *channel* of *window*, where *spans* lie."""

    def __init__(self, window: Window, channel: int, spans: _Spans) -> None:
        self.rate_hz = spans.rate_hz
        self.late_s = channel * window.skew_s
        cut = window.channels[channel][spans.begin : spans.end]
        if window.rate_hz != self.rate_hz:
            cut = resampled(cut, window.rate_hz, self.rate_hz)
        first: int = spans.arriving.start
        self._begin_s = first / self.rate_hz - spans.onset_s + self.late_s
        quiet = cut[spans.quiet]
        bias = sum(quiet) / len(quiet) if quiet else 0.0
        self._quiet = dist(quiet, [bias] * len(quiet)) ** 2 / len(quiet) if quiet else 0.0
        arriving = [sample - bias for sample in cut[spans.arriving]]
        felt = hypot(*arriving) ** 2
        self.is_moved = felt > max(_MOVED * self._quiet, _TINY) * len(arriving)
        """Whether it felt more than the noise before."""
        self.blow = arriving[spans.blow]
        """The samples of the blow; the first was taken *late_s* after that of the first channel."""
        self._loud = list(map(abs, arriving))
        self.peak = max(self._loud, default=0.0)
        """The loudest sample."""
        # What was felt by each sample, noise taken off. Not by `max`, which takes as long as all
        # the rest.
        noise = _NOISE * self._quiet
        more = [more if (more := one * one - noise) > 0 else 0.0 for one in arriving]
        self._energies = list(accumulate(more))

    @property
    def noise(self) -> float:
        """The noise before the blow, as a standard deviation."""
        return sqrt(self._quiet)

    def louder_ms(self, level: float) -> float | None:
        """Return when it was first louder than *level*, after the onset; None if it never was."""
        if self.peak >= level:
            for at, one in enumerate(self._loud):
                if one >= level:
                    return self._ms(_crossing(self._loud, at, level))
        return None

    def arrivals_ms(self, parts: Sequence[float]) -> tuple[float, ...]:
        """Return when so large *parts* of its energy had been felt, after the onset."""
        sums = self._energies
        total = sums[-1] if sums else 0.0
        found = []
        for part in parts:
            level = part * (total + _TINY)
            at = bisect_left(sums, level)
            found.append(self._ms(at if at == len(sums) else _crossing(sums, at, level)))
        return tuple(found)

    def _ms(self, place: float) -> float:
        return 1000 * (self._begin_s + place / self.rate_hz)


def onsets_of(window: Window) -> tuple[ChannelOnset, ...]:
    """Return one for each channel of *window*, the same ones whenever it is asked."""
    return window.remembered(_onsets)


def _onsets(window: Window) -> tuple[ChannelOnset, ...]:
    spans = _Spans(window)
    return tuple([ChannelOnset(window, at, spans) for at in range(len(window.channels))])


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
    spectra = [_Spectrum(channel) for channel in channels]
    return LocationFeatures(
        felt=tuple([channel.is_moved for channel in channels]),
        arrivals_ms=tuple([_rounded(channel.arrivals_ms(PARTS)) for channel in channels]),
        levels_db=tuple([_rounded(spectrum.levels_db()) for spectrum in spectra]),
        likeness=tuple([_rounded(one.likeness(other)) for one, other in combinations(spectra, 2)]),
    )


class _Spectrum:
    """How one channel swings in each band, frequency by frequency, as if all were read at once."""

    def __init__(self, channel: ChannelOnset) -> None:
        blow, rate_hz = channel.blow, channel.rate_hz
        # Seen from the middle, a cosine is the same on either side and a sine but for its sign:
        # both sides are added up first, and there is half as much to weigh.
        half = (len(blow) + 1) // 2
        first, last = blow[:half], blow[: -half - 1 : -1]
        cosines, sines = _waves(rate_hz, len(blow))
        real, imaginary = cosines.sums(map(add, first, last)), sines.sums(map(sub, first, last))
        if channel.late_s:
            ahead, aside = _turns(rate_hz, channel.late_s)
            real, imaginary = (
                list(map(sub, map(mul, real, ahead), map(mul, imaginary, aside))),
                list(map(add, map(mul, real, aside), map(mul, imaginary, ahead))),
            )
        bands = _looked_at(rate_hz)
        # Plain numbers, and not complex ones: what two channels have in common is had by their
        # distance, as in `Weights`.
        self.bands = [(*real[band], *imaginary[band]) for band in bands]
        backward = [-one for one in imaginary]
        self.quarter_turned = [(*backward[band], *real[band]) for band in bands]
        self.powers = [hypot(*band) ** 2 for band in self.bands]

    def levels_db(self) -> list[float]:
        """Return how loud it is in each band."""
        return [
            10 * log10(2 * power / len(band) + _FAINT)
            for power, band in zip(self.powers, self.bands, strict=True)
        ]

    def likeness(self, other: "_Spectrum") -> list[float]:
        """Return how alike both swing in each band, in step and a quarter turn apart."""
        found: list[float] = []
        for swings, its, turned, power, its_power in zip(
            self.bands,
            other.bands,
            other.quarter_turned,
            self.powers,
            other.powers,
            strict=True,
        ):
            both, scale = power + its_power, 0.5 / sqrt(power * its_power + _TINY)
            off, turned_off = dist(swings, its), dist(swings, turned)
            found += (both - off * off) * scale, (both - turned_off * turned_off) * scale
        return found


def _rounded(numbers: Sequence[float]) -> tuple[float, ...]:
    # As `round`, to the nearest and to the even one of two, in a quarter of the time: next to so
    # large a number there is no room for a fraction.
    return tuple([(number * _SCALE + _WHOLE - _WHOLE) / _SCALE for number in numbers])


_SCALE = 10.0**DIGITS
_WHOLE = 1.5 * 2**52


def _every_hz(rate_hz: float) -> list[list[int]]:
    """Return the frequencies looked at, of each band that is known at *rate_hz*."""
    return [
        list(range(lowest_hz + _STEP_HZ // 2, highest_hz, _STEP_HZ))
        for lowest_hz, highest_hz in BANDS_HZ
        if highest_hz <= rate_hz / 2
    ]


@cache
def _looked_at(rate_hz: float) -> tuple[slice, ...]:
    """Return which of all frequencies looked at are those of each band."""
    ends = list(accumulate(map(len, _every_hz(rate_hz)), initial=0))
    return tuple(map(slice, ends, ends[1:]))


# A converter that is opened anew may be read at another pace each time.
@lru_cache(maxsize=8)
def _waves(rate_hz: float, count: int) -> tuple[Weights, Weights]:
    """Return the cosines and the sines of all frequencies looked at, over half of *count* samples.

    They run from the first sample to the middle one, where all of them begin, and are as high as
    the taper lets through. Summed up over milliseconds and not over samples, so that all rates
    give the same.
    """
    highest = [1000 / rate_hz * one for one in _taper(count)[: (count + 1) // 2]]
    if count % 2:
        highest[-1] /= 2  # one in the middle stands on both sides
    angles = [
        [tau * hz * (at - (count - 1) / 2) / rate_hz for at in range(len(highest))]
        for band in _every_hz(rate_hz)
        for hz in band
    ]
    return (
        Weights([tuple(map(mul, map(cos, one), highest)) for one in angles]),
        Weights(
            [
                tuple(-high * sin(at) for high, at in zip(highest, one, strict=True))
                for one in angles
            ]
        ),
    )


@lru_cache(maxsize=32)  # one for each channel of them
def _turns(rate_hz: float, late_s: float) -> tuple[list[float], list[float]]:
    """Return the cosine and sine by which each frequency is turned in a channel read so late."""
    angles = [-tau * hz * late_s for band in _every_hz(rate_hz) for hz in band]
    return list(map(cos, angles)), list(map(sin, angles))


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
