"""What edges can tell: which of them are one blow, whose it was, and whether it was a knock.

A comparator leaves nothing of a blow but when it was loud. `Pulses` takes the edges of all pads as
a live box does, in monotonic seconds; `judged` runs the edges of one pad through it, such as those
that `edges` makes of recorded samples with a comparator's plain threshold. Where these numbers
come from, and how little they keep out: docs/sensors.md, what pads tell.
"""

from collections.abc import Iterable, Iterator, Mapping

from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.knock.judgement import Judgement, Struck, Verdict

JUDGED_S = 0.06  # after the first edge, if it is quiet by then
QUIET_S = 0.04  # so long without an edge and a blow has ended; two knocks are 150 ms apart
TOLD_S = 0.02  # edges that a busy Pi still has to tell come within this time of the last
LONG_S = 0.12  # few knocks ring for longer
EARLY_S, LATE_S = (0.0, 0.04), (0.08, 0.12)  # of a blow: where its ringing is compared
STEADY = 0.9  # so much of it left, and it does not die away
RUNG_OUT_S = LONG_S + QUIET_S  # what has died away somewhat by then is waited for no longer
LASTING_S = 0.4  # what does not die away until then is a buzz, or a comparator held down

STROKE_S = 0.006  # edges closer than this are the swings of one stroke
KNOCK_STROKES = 5  # a knuckle often touches twice, and a table answers in swells
MOST_STROKES = 9

APART_S = 0.02  # a pad from afar may turn so late; one that is later still was struck itself
RESTRIKE_S = 0.12  # a glass that rocks strikes again so soon, a hand does not
RATTLE_S = 2.0  # what buzzes for longer is a fault of its own, and bears out nothing of others
CLEAR_LEAD_S = 0.001  # the sensor under a knock feels it so much earlier than any other

STRENGTH = 1.0  # a comparator does not know how loud it was
LIKELIHOODS = {Verdict.KNOCK: 0.8, Verdict.DOUBTFUL: 0.5, Verdict.NOISE: 0.1}


@dataclass(slots=True)
class _Blow:
    """A blow: which pads felt it, and when each of them did first; *pad* was told first."""

    pad: str
    arrivals: dict[str, float]
    due_s: float
    is_doubtful: bool
    strokes: int = 1
    early_s: float = 0.0  # how long its pad was down in `EARLY_S`
    late_s: float = 0.0  # and in `LATE_S`
    rang_s: float = 0.0  # and in all
    lasts: bool = False  # it was judged, and goes on

    @property
    def first_s(self) -> float:
        """When it began."""
        return min(self.arrivals.values())

    def down(self, from_s: float, until_s: float) -> None:
        """Take in that its pad was down."""
        self.rang_s += until_s - from_s
        self.early_s += self._overlap_s(from_s, until_s, EARLY_S)
        self.late_s += self._overlap_s(from_s, until_s, LATE_S)

    def is_steady(self, down_since_s: float | None, now_s: float) -> bool:
        """Whether its pad is down as much as in the beginning; *down_since_s* if it is now."""
        early_s, late_s = self.early_s, self.late_s
        if down_since_s is not None:
            early_s += self._overlap_s(down_since_s, now_s, EARLY_S)
            late_s += self._overlap_s(down_since_s, now_s, LATE_S)
        return late_s >= STEADY * early_s

    def _overlap_s(self, from_s: float, until_s: float, span_s: tuple[float, float]) -> float:
        begins_s, ends_s = self.first_s + span_s[0], self.first_s + span_s[1]
        return max(0.0, min(until_s, ends_s) - max(from_s, begins_s))


@dataclass(slots=True)
class _Pad:
    """What one pad does now, and the blow that it rings from."""

    blow: _Blow | None = None
    is_low: bool = False
    last_s: float = float("-inf")  # its last edge
    told_s: float = float("-inf")
    struck_s: float = float("-inf")  # the last blow that began here

    @property
    def quiet_s(self) -> float:
        """When its blow has ended, if nothing more comes."""
        return max(self.last_s + QUIET_S, self.told_s + TOLD_S)

    def rings(self, at_s: float, deaf_s: float) -> bool:
        """Whether an edge *at_s* belongs to the blow before it."""
        if self.blow is None:
            return False
        if self.is_low or at_s - self.last_s < QUIET_S:
            return True
        return at_s - self.blow.first_s < deaf_s


class Pulses:
    """Listens to the edges of all pads, tells of each blow at once, and judges it when it ends.

    The first pad to feel a blow says whose it was; the others only echo it. A pad that rings
    without end keeps no other pad from being heard.

    Args:
        seats: Whose pad each one is, None for one that serves the whole table.
        deaf_s: A knock rings no longer than this at its pad.
        crosstalk_s: Within this time another pad feels the same blow, or a second hand
            struck there: that one is doubtful.
        patience_s: So long after it began, a blow that is not quiet is judged all the same;
            `JUDGED_S` where piezos say what it was.
    """

    def __init__(
        self,
        seats: Mapping[str, Seat | None],
        deaf_s: float = 0.08,
        crosstalk_s: float = 0.03,
        patience_s: float = LASTING_S,
    ) -> None:
        self._seats = dict(seats)
        self._deaf_s = deaf_s
        self._crosstalk_s = crosstalk_s
        self._patience_s = patience_s
        self._pads = {pad: _Pad() for pad in seats}
        self._latest: _Blow | None = None
        self._open: list[_Blow] = []

    @property
    def due_s(self) -> float | None:
        """When to ask `judge`; None while nothing is under way."""
        return min((blow.due_s for blow in self._open), default=None)

    def edge(self, pad: str, at_s: float, now_s: float, *, active: bool) -> Struck | None:
        """Take in an edge of *pad* that was *at_s* and is told *now_s*; return a blow it begins.

        Edges of different pads may come a little out of order, as their interrupts do.
        """
        state = self._pads[pad]
        rings = state.rings(at_s, self._deaf_s)
        struck = None
        if active and not rings:
            struck = self._begin(pad, state, at_s, now_s)
        else:
            self._ring_on(pad, state, at_s, active=active)
        state.is_low, state.told_s = active, now_s
        # Interrupts of several pads overtake each other; the last edge is the latest, not the
        # one told last, or a pad would ring for ever.
        state.last_s = max(state.last_s, at_s)
        return struck

    def judge(self, now_s: float) -> tuple[Judgement, ...]:
        """Return what those blows were that have ended by *now_s*, or last too long."""
        due = [blow for blow in self._open if blow.due_s <= now_s]
        found = [judged for blow in due if (judged := self._judge(blow, now_s)) is not None]
        return tuple(found)

    def forget(self, pad: str) -> None:
        """Let go of all that *pad* did: it is not to be believed."""
        self._open = [blow for blow in self._open if blow.pad != pad]
        self._pads[pad] = _Pad()
        if self._latest is not None and self._latest.pad == pad:
            self._latest = None  # or a knock elsewhere would be taken for its echo

    def _begin(self, pad: str, state: _Pad, at_s: float, now_s: float) -> Struck | None:
        """Begin a blow at *pad*, unless it only echoes one of another."""
        # Wood carries a blow to every pad within some ms, and a busy Pi may tell the echo before
        # the blow: hence the distance both ways, and a pad counts only once for each blow.
        latest = self._latest
        after_s = at_s - latest.first_s if latest and pad not in latest.arrivals else None
        if latest is not None and after_s is not None and abs(after_s) < APART_S:
            latest.arrivals[pad] = at_s
            state.blow = latest
            return None
        overlaps = after_s is not None and abs(after_s) < self._crosstalk_s
        restrike = at_s - state.struck_s < RESTRIKE_S
        state.blow = self._latest = _Blow(
            pad,
            {pad: at_s},
            max(at_s + JUDGED_S, now_s + TOLD_S),
            overlaps or restrike or self._rattles(at_s),
        )
        state.struck_s = at_s
        self._open.append(state.blow)
        return Struck(at_s, STRENGTH)

    def _rattles(self, at_s: float) -> bool:
        """Whether some pad buzzes: what another one hears meanwhile may come from there."""
        return any(
            pad.blow.lasts and pad.rings(at_s, 0.0) and at_s - pad.blow.first_s < RATTLE_S
            for pad in self._pads.values()
            if pad.blow is not None
        )

    def _ring_on(self, pad: str, state: _Pad, at_s: float, *, active: bool) -> None:
        """Take in an edge that belongs to a blow at *pad*; what only echoes tells nothing."""
        blow = state.blow
        if blow is None or blow.pad != pad:
            return
        if state.is_low:
            blow.down(state.last_s, at_s)
        elif active and at_s - state.last_s > STROKE_S:
            blow.strokes += 1

    def _judge(self, blow: _Blow, now_s: float) -> Judgement | None:
        pad = self._pads[blow.pad]
        is_quiet = not pad.is_low and now_s >= pad.quiet_s
        is_steady = blow.is_steady(pad.last_s if pad.is_low else None, now_s)
        if not is_quiet:
            ends_s = blow.first_s + min(self._patience_s, LASTING_S if is_steady else RUNG_OUT_S)
            if now_s < ends_s:
                blow.due_s = ends_s if pad.is_low else min(ends_s, pad.quiet_s)
                return None
        self._open.remove(blow)
        blow.lasts = not is_quiet
        return self._judgement(blow, self._verdict(blow, pad, is_steady=is_steady), now_s)

    def _verdict(self, blow: _Blow, pad: _Pad, *, is_steady: bool) -> Verdict:
        span_s = pad.last_s - blow.first_s
        buzzes = is_steady and (blow.lasts or span_s > LASTING_S)
        if buzzes or blow.strokes > MOST_STROKES:
            return Verdict.NOISE
        hardly_dies = is_steady and span_s > LONG_S
        if blow.is_doubtful or hardly_dies or blow.strokes > KNOCK_STROKES:
            return Verdict.DOUBTFUL
        return Verdict.KNOCK

    def _judgement(self, blow: _Blow, verdict: Verdict, now_s: float) -> Judgement:
        first, *others = sorted(blow.arrivals, key=blow.arrivals.__getitem__)
        lead_s = blow.arrivals[others[0]] - blow.first_s if others else CLEAR_LEAD_S
        seat = self._seats[first]
        return Judgement(
            at_s=blow.first_s,
            decided_at_s=now_s,
            verdict=verdict,
            likelihood=LIKELIHOODS[verdict],
            strength=STRENGTH,
            seat=seat,
            confidence=0.0 if seat is None else sure_by(lead_s),
            part=first,
            rang_s=blow.rang_s,
        )


def sure_by(lead_s: float) -> float:
    """Return how sure a seat is whose sensor felt a blow *lead_s* before any other, 0.5 to 1."""
    return 0.5 + 0.5 * min(1.0, lead_s / CLEAR_LEAD_S)


HYSTERESIS = 0.5  # released below this part of the level, as the module's feedback resistor does
HOLD_S = 0.002  # the envelope capacitor of the module keeps its output low this long


@dataclass(frozen=True, slots=True)
class Edge:
    """The comparator's output changed *at_s* seconds into the signal."""

    at_s: float
    active: bool

    def later(self, by_s: float) -> "Edge":
        """Return this edge *by_s* seconds later."""
        return Edge(self.at_s + by_s, self.active)


def edges(samples: Iterable[float], rate_hz: float, level: float) -> Iterator[Edge]:
    """Yield the edges of a comparator set to *level*, causally and in order.

    Args:
        samples: The signal, full scale -1 to 1.
        rate_hz: Samples a second.
        level: Threshold on the absolute value, in the same scale.
    """
    hold_samples = max(1, round(HOLD_S * rate_hz))
    active, loud_at = False, 0
    at = -1
    for at, sample in enumerate(samples):
        loudness = abs(sample)
        if loudness >= (level * HYSTERESIS if active else level):
            loud_at = at
            if not active:
                active = True
                yield Edge(at / rate_hz, active=True)
        elif active and at - loud_at >= hold_samples:
            active = False
            yield Edge(at / rate_hz, active=False)
    if active:
        yield Edge((at + 1) / rate_hz, active=False)


_PAD = "pad"


def judged(edges: Iterable[Edge], deaf_s: float | None = None) -> Iterator[Judgement]:
    """Yield what the blows in *edges* were, as the box would if each was told when it came.

    Args:
        edges: In the order of their time.
        deaf_s: As for `Pulses`; None for its own.
    """
    pulses = Pulses({_PAD: None}) if deaf_s is None else Pulses({_PAD: None}, deaf_s)
    for edge in edges:
        yield from _due(pulses, edge.at_s)
        pulses.edge(_PAD, edge.at_s, edge.at_s, active=edge.active)
    yield from _due(pulses, float("inf"))


def _due(pulses: Pulses, until_s: float) -> Iterator[Judgement]:
    while (due_s := pulses.due_s) is not None and due_s <= until_s:
        yield from pulses.judge(due_s)
