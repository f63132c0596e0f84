"""One blow as it is kept for review: its judgement, its window, what people say that it was."""

from array import array
from dataclasses import dataclass, replace

from kloplei.games.game import Seat
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.signal import Samples, Window
from kloplei.table.ears import HeardEvent, Shape

LONGEST_S = 0.2  # of a window; what people say before and after a blow is nobody's business
SHOWN_BEFORE_S = 0.012  # of a shape; the rest of the quiet before a blow tells nobody anything
STRETCHES = 48  # of a shape
_FULL_SCALE = 1000


@dataclass(frozen=True, slots=True)
class Kept:
    """A judged blow, *at* the wall clock's time if anybody knows it."""

    number: int
    at: float | None
    judgement: Judgement
    was: Verdict | None = None
    was_seat: Seat | None = None

    @property
    def is_marked(self) -> bool:
        """Whether somebody has said what it was."""
        return self.was is not None

    def told(self) -> HeardEvent:
        """Return it as those outside read it."""
        judged = self.judgement
        return HeardEvent(
            number=self.number,
            verdict=judged.verdict,
            likelihood=judged.likelihood,
            strength=judged.strength,
            confidence=judged.confidence,
            part=judged.part,
            seat=judged.seat,
            at=self.at,
            shape=None if judged.window is None else shape_of(judged.window),
            was=self.was,
            was_seat=self.was_seat,
        )


def slim(judgement: Judgement) -> Judgement:
    """Return *judgement* with a window that is short and small enough to be kept."""
    window = judgement.window
    return judgement if window is None else replace(judgement, window=_slim(window))


def _slim(window: Window) -> Window:
    """Cut *window* to `LONGEST_S` and pack its samples: 4 bytes each, in memory as on disk."""
    most = max(1, int(LONGEST_S * window.rate_hz))
    return replace(window, channels=tuple(array("f", one[:most]) for one in window.channels))


def shape_of(window: Window) -> Shape | None:
    """Return the outline of *window* on the channel that felt the blow most."""
    onset_s = window.onset_s - window.start_s
    begin = max(0, round((onset_s - SHOWN_BEFORE_S) * window.rate_hz))
    loudest = max((one[begin:] for one in window.channels), key=_peak, default=())
    if not loudest:
        return None
    stretches = min(STRETCHES, len(loudest))
    parts = [
        loudest[at * len(loudest) // stretches : (at + 1) * len(loudest) // stretches]
        for at in range(stretches)
    ]
    return Shape(
        span_s=len(loudest) / window.rate_hz,
        onset_s=onset_s - begin / window.rate_hz,
        lows=tuple(_thousandths(min(part)) for part in parts),
        highs=tuple(_thousandths(max(part)) for part in parts),
    )


def _peak(channel: Samples) -> float:
    return max(map(abs, channel), default=0.0)


def _thousandths(sample: float) -> int:
    return max(-_FULL_SCALE, min(_FULL_SCALE, round(sample * _FULL_SCALE)))
