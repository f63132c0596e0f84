"""The level card of discs: five knocks beside each, three numbers, and whether it is glued.

`measure` listens to blocks of samples, first in silence and then disc by disc, and says what to do;
`card` judges what came of it. How loud a knock is hangs on the hand, the wood and the glue. How
much more one disc makes of the wood than another does not: what disc B feels of a knock at A, and
A of one at B, runs the same way through the wood. Hand and wood cancel out, and the glue is left.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from enum import StrEnum
from functools import partial
from math import log10, sqrt
from statistics import median
from typing import NamedTuple

from kloplei.diagnostics.findings import bad, good, poor
from kloplei.diagnostics.sensors import LOUD, PATIENCE_S
from kloplei.frozen import dataclass
from kloplei.knock.features import CORNER_HZ
from kloplei.knock.signal import RAIL, Block, HighPass
from kloplei.table.doctor_client import Finding

KNOCKS = 5
MOVED = 0.1  # of full scale: less, at the end of the range, is an input that stands still there
REST_S = 3.0
HOP_S = 0.008
BLOW_HOPS = 13  # 100 ms: a knock rings out
APART_HOPS = 31  # a quarter of a second to the next knock
LEAST_REST = 1e-3  # of full scale, half a step of ten bits: no silence is told finer
STIRRED = 4.0  # times the usual moment of the silence: somebody touched the table in it
STANDS_OUT = 2.0  # times the loudest moment of the silence: a blow; and of what rings on
RECENT_HOPS = 5  # so long wood that rings on may swell without being a blow

LOOSE_DB, LOOSE_PEAK = -12.0, 0.2  # so far below the others, and no louder than that
FAR_LOOSE_DB = -16.0  # below the strongest of them: most of the others may be loose as well
WEAK_PEAK = 0.07  # what a soft knock brings at a glued disc: nobody knocks softer when asked to
FAINT_PEAK = 0.1  # a table that is softer all over
DEAD = 1.25  # times its silence, or less: it hears nothing


class DiscState(StrEnum):
    """What the card says of a disc."""

    GLUED = "glued"
    LOOSE = "loose"
    FAINT = "faint"
    LOUD = "loud"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class Felt:
    """What one disc felt of one knock."""

    peak: float  # of full scale
    rms: float
    cut_off: bool


@dataclass(frozen=True, slots=True)
class Level:
    """The card's line for one disc: three numbers, and what they mean.

    *peak* and *rest* are parts of full scale: a usual knock, and the silence at its loudest.
    *beside_db* is how much more than the others it makes of the wood, None if there are none.
    """

    peak: float
    rest: float
    beside_db: float | None
    verdict: DiscState


@dataclass(slots=True)
class Measured:
    """What was heard: the silence of each channel, and the knocks beside each disc.

    ``knocks[disc][number][channel]`` is what a channel felt of a knock beside a disc.
    """

    rest_peak: list[float]
    rest_rms: list[float]
    loudest_hop: list[float]
    knocks: list[list[tuple[Felt, ...]]] = field(default_factory=list)


class _Moment(NamedTuple):
    """One channel in one hop: its loudest sample, mean square, and whether it was cut off."""

    peak: float
    power: float
    is_cut_off: bool

    @property
    def rms(self) -> float:
        return sqrt(self.power)


_Hop = tuple[_Moment, ...]
"""A moment of each channel."""


class _Hops:
    """Cuts blocks into hops of `HOP_S`, without what is slower than the ears listen to."""

    def __init__(self) -> None:
        self._passes: list[HighPass] = []
        self._swift: list[list[float]] = []
        self._cut: list[list[bool]] = []

    def of(self, block: Block) -> Iterator[_Hop]:
        """Yield each hop that *block* completes."""
        if not self._passes:
            self._passes = [
                HighPass(block.rate_hz, CORNER_HZ, samples[0]) for samples in block.channels
            ]
            self._swift = [[] for _ in block.channels]
            self._cut = [[] for _ in block.channels]
        for at, samples in enumerate(block.channels):
            self._swift[at] += self._passes[at].passed(samples)
            self._cut[at] += [abs(one) >= RAIL for one in samples]
        hop = max(1, round(HOP_S * block.rate_hz))
        while len(self._swift[0]) >= hop:
            yield tuple(
                _moment(swift[:hop], cut[:hop])
                for swift, cut in zip(self._swift, self._cut, strict=True)
            )
            self._swift = [one[hop:] for one in self._swift]
            self._cut = [one[hop:] for one in self._cut]


def _moment(swift: Sequence[float], cut: Sequence[bool]) -> _Moment:
    peak = max(map(abs, swift))
    power = sum(one * one for one in swift) / len(swift)
    return _Moment(peak, power, any(cut) and peak > MOVED)


class _KnockCollector:
    """Finds knocks in hops: what stands out of the silence, and of wood that rings on."""

    def __init__(self, loudest_hop: Sequence[float]) -> None:
        self._line = [STANDS_OUT * one for one in loudest_hop]
        self._recent: deque[_Hop] = deque(maxlen=RECENT_HOPS)
        self._blow: list[_Hop] = []
        self.felt: list[tuple[Felt, ...]] = []

    def take(self, hop: _Hop) -> bool:
        """Take *hop* in; return whether a knock is complete with it."""
        if not self._blow and self._stands_out(hop):
            self._blow = list(self._recent)[-1:]
        self._recent.append(hop)
        if not self._blow:
            return False
        self._blow.append(hop)
        if len(self._blow) < APART_HOPS:
            return False
        self.felt.append(_felt(self._blow[:BLOW_HOPS]))
        self._blow = []
        return True

    def _stands_out(self, hop: _Hop) -> bool:
        if len(self._recent) < RECENT_HOPS:
            return False
        return any(
            one.rms > max(line, STANDS_OUT * max(before[at].rms for before in self._recent))
            for at, (one, line) in enumerate(zip(hop, self._line, strict=True))
        )


def _felt(hops: Sequence[_Hop]) -> tuple[Felt, ...]:
    return tuple(
        Felt(
            1.0 if any(one.is_cut_off for one in channel) else max(one.peak for one in channel),
            _rms(channel),
            any(one.is_cut_off for one in channel),
        )
        for channel in zip(*hops, strict=True)
    )


def _rms(channel: Sequence[_Moment]) -> float:
    return sqrt(sum(one.power for one in channel) / len(channel))


def measure(
    blocks: Iterable[Block],
    names: Sequence[str],
    say: Callable[[str], None],
    asked: Callable[[int, float], None] = lambda _disc, _at_s: None,
) -> Measured:
    """Return what was heard of the discs called *names*, in the order of their channels.

    Args:
        blocks: As they are sampled, without end; time is theirs.
        names: Of the discs.
        say: Takes a line that says what to do.
        asked: Is told which disc somebody shall knock beside, and when that was asked.
    """
    stream, hops = iter(blocks), _Hops()
    quiet = f"let nobody touch the table for {REST_S:.0f} s"
    say(quiet)
    found, loudest = _silence(stream, hops)
    if loudest > LOUD:
        say(f"it was not quiet: once more, {quiet}")
        found, _ = _silence(stream, hops)
    for at, name in enumerate(names):
        say(f"{name}: knock five times right beside its puck, as hard as you always do")
        found.knocks.append(_five(stream, hops, found.loudest_hop, say, partial(asked, at)))
    return found


def _silence(stream: Iterator[Block], hops: _Hops) -> tuple[Measured, float]:
    """Return what the discs give while nobody touches the table, and the loudest that came."""
    heard: list[_Hop] = []
    begun_s = None
    for block in stream:
        begun_s = block.start_s if begun_s is None else begun_s
        heard += hops.of(block)
        if block.end_s - begun_s >= REST_S:
            break
    channels = [_calm(channel) for channel in zip(*heard, strict=True)]
    silence = Measured(
        [max(one.peak for one in channel) for channel in channels],
        [_rms(channel) for channel in channels],
        [max(one.rms for one in channel) for channel in channels],
    )
    return silence, max(one.peak for hop in heard for one in hop)


def _calm(channel: Sequence[_Moment]) -> list[_Moment]:
    """Return the moments of *channel* in which nobody touched the table.

    Who knocks all the same would else be the silence that a disc is told dead by.
    """
    usual = max(LEAST_REST**2, sorted(one.power for one in channel)[len(channel) // 4])
    return [one for one in channel if one.power <= STIRRED**2 * usual]


def _five(
    stream: Iterator[Block],
    hops: _Hops,
    loudest_hop: Sequence[float],
    say: Callable[[str], None],
    asked: Callable[[float], None],
) -> list[tuple[Felt, ...]]:
    collector, since_s = _KnockCollector(loudest_hop), None
    for block in stream:
        if since_s is None:
            since_s = block.end_s
            asked(since_s)
        for hop in hops.of(block):
            if collector.take(hop):
                say(f"  {len(collector.felt)}")
                since_s = block.end_s
        if len(collector.felt) >= KNOCKS or block.end_s - since_s > PATIENCE_S:
            break
    return collector.felt[:KNOCKS]


def card(measured: Measured) -> tuple[Level, ...]:
    """Return the level of each disc, in the order of its channel."""
    discs = range(len(measured.knocks))
    peaks = [median([knock[at].peak for knock in measured.knocks[at]] or [0.0]) for at in discs]
    alive = [at for at in discs if not _is_dead(measured, at)]
    is_faint = bool(alive) and median(peaks[at] for at in alive) < FAINT_PEAK
    levels = []
    for at in discs:
        apart_db = _beside_db(measured, at, alive)
        verdict = _verdict(measured, at, peaks[at], apart_db, is_faint=is_faint)
        beside_db = median(apart_db) if apart_db else None
        levels.append(Level(peaks[at], measured.rest_peak[at], beside_db, verdict))
    return tuple(levels)


def _verdict(
    measured: Measured, at: int, peak: float, apart_db: Sequence[float], *, is_faint: bool
) -> DiscState:
    if _is_dead(measured, at):
        return DiscState.DEAD
    if sum(knock[at].cut_off for knock in measured.knocks[at]) > KNOCKS // 2:
        return DiscState.LOUD
    if apart_db and _is_softer(peak, median(apart_db), min(apart_db)):
        return DiscState.LOOSE
    if is_faint and peak < FAINT_PEAK:
        return DiscState.FAINT
    return DiscState.LOOSE if peak < WEAK_PEAK else DiscState.GLUED


def _is_softer(peak: float, usual_db: float, strongest_db: float) -> bool:
    """Return whether a disc falls so far behind the others, or the strongest, as no glue does."""
    return (usual_db < LOOSE_DB and peak < LOOSE_PEAK) or (
        strongest_db < FAR_LOOSE_DB and peak < FAINT_PEAK
    )


def _typical(measured: Measured, at: int, other: int) -> float:
    """Return what of a knock beside disc *at* disc *other* feels, its own noise taken off."""
    heard = median([knock[other].rms for knock in measured.knocks[at]] or [0.0])
    rest = measured.rest_rms[other]
    return sqrt(max(heard * heard - rest * rest, (0.1 * rest) ** 2, 1e-12))


def _is_dead(measured: Measured, at: int) -> bool:
    """Return whether disc *at* heard nothing, of its own knocks or of the others'."""
    rest = max(measured.rest_rms[at], 1e-6)
    own = [knock[at].rms for knock in measured.knocks[at]]
    return median(own or [0.0]) < DEAD * rest


def _beside_db(measured: Measured, at: int, alive: Sequence[int]) -> list[float]:
    """Return how much more disc *at* makes of the wood than each of the others *alive*."""
    others = [one for one in alive if one != at and at in alive]
    return [
        10
        * log10(
            _typical(measured, at, at)
            * _typical(measured, one, at)
            / (_typical(measured, at, one) * _typical(measured, one, one))
        )
        for one in others
    ]


def findings_of(
    name: str, level: Level, half_codes: int, *, on_sound_card: bool = False
) -> Iterator[Finding]:
    """Yield what the card says of the disc *name*, whose converter has *half_codes* a side.

    *on_sound_card* there are knobs in place of jumpers, and a channel may have one of its own.
    """
    softer = "do.glue-or-knob" if on_sound_card else "do.glue"
    all_softer = "do.glue-or-turn-up" if on_sound_card else "do.glue-or-open"
    louder = "do.turn-down-knob" if on_sound_card else "do.close-jumper"
    facts = {
        "peak": f"{level.peak:.0%}" if level.peak >= 0.1 else f"{level.peak:.1%}",
        "codes": round(level.peak * half_codes),
        "of": half_codes,
        "rest": f"{level.rest:.1%}",
        "beside": "-" if level.beside_db is None else f"{level.beside_db:+.0f} dB",
    }
    match level.verdict:
        case DiscState.GLUED:
            yield good(name, "level.glued", **facts)
        case DiscState.LOOSE:
            yield bad(name, "level.loose", softer, **facts)
        case DiscState.FAINT:
            yield poor(name, "level.faint", all_softer, **facts)
        case DiscState.LOUD:
            yield poor(name, "level.loud", louder, **facts)
        case DiscState.DEAD:
            yield bad(name, "level.dead", "do.check-disc", **facts)
