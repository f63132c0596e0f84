"""What landed on the virtual wood, and what the box has made of it: the last few, by number."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kloplei.knock.signal import Window
from kloplei.knock.verdict import Hearer, Judgement, Struck, Verdict

KEPT = 50
SLACK_S = 0.005  # between the clock of the blow and the onset that was found
AFTERWARDS_S = 0.2  # after the last of a wave the box may still be judging it
UNKNOWN_S = 3.0  # how long a wave lasts at most, until it has been worked out
SHOWN_BEFORE_S = 0.004  # of a wave, so that its beginning is seen
WAVE_SAMPLES = 240

_WEIGHT = {Verdict.NOISE: 0, Verdict.DOUBTFUL: 1, Verdict.KNOCK: 2}


@dataclass(frozen=True, slots=True)
class Landing:
    """Fits ``kloplei_panel.demo.Landing``, which says what each of these is."""

    number: int
    kind: str
    spot: tuple[float, float]
    near: int | None
    is_over: bool
    verdict: str | None = None
    likelihood: float = 0.0
    seat: int | None = None
    confidence: float = 0.0
    blows: int = 0
    decided_after_s: float | None = None
    wave: tuple[float, ...] = ()
    is_heeded: bool = True


@dataclass(slots=True)
class _Kept:
    """One landing while the box makes up its mind; *near* is 1-based."""

    number: int
    kind: str
    spot: tuple[float, float]
    near: int | None
    at_s: float
    until_s: float
    is_heeded: bool
    judgements: list[Judgement] = field(default_factory=list)


class Landings:
    """The last `KEPT` landings; every method may be called from any thread.

    Args:
        now_s: The clock of the virtual box.
    """

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._lock = threading.Lock()
        self._kept: deque[_Kept] = deque(maxlen=KEPT)
        self._last = 0

    def begin(
        self,
        kind: str,
        spot: tuple[float, float],
        near: int | None,
        at_s: float,
        *,
        is_heeded: bool = True,
    ) -> int:
        """Note that *kind* lands at *spot* at the time *at_s*; return its number.

        It is not *is_heeded* where the table lets blows pass, whatever they are.
        """
        with self._lock:
            self._last += 1
            until_s = at_s + UNKNOWN_S
            self._kept.append(_Kept(self._last, kind, spot, near, at_s, until_s, is_heeded))
            return self._last

    def runs(self, number: int, at_s: float, wave_s: float) -> None:
        """Note that the wave of landing *number* runs from *at_s* on, for *wave_s*."""
        with self._lock:
            for one in self._kept:
                if one.number == number:
                    one.at_s, one.until_s = at_s, at_s + wave_s + AFTERWARDS_S

    def after(self, number: int) -> Sequence[Landing]:
        """Return the landings after *number*, oldest first, as they stand now."""
        now_s = self._now_s()
        with self._lock:
            return [_told(one, now_s) for one in self._kept if one.number > number]

    def judged(self, judgement: Judgement) -> None:
        """Note *judgement* with the landing that it is about, if there is one."""
        if judgement.window is None:
            return  # a pad felt it, not the wood
        with self._lock:
            for one in reversed(self._kept):
                if one.at_s - SLACK_S <= judgement.at_s <= one.until_s:
                    one.judgements.append(judgement)
                    return


class Onlooker:
    """A `Hearer` that passes all on to *hearer*, and shows *landings* what was judged."""

    def __init__(self, hearer: Hearer, landings: Landings) -> None:
        self._hearer = hearer
        self._landings = landings

    def struck(self, struck: Struck) -> None:
        """Pass it on."""
        self._hearer.struck(struck)

    def judged(self, judgement: Judgement) -> None:
        """Pass it on, and show it."""
        self._hearer.judged(judgement)
        self._landings.judged(judgement)

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        """Pass it on."""
        self._hearer.loudness(part, peaks, at_s)


def _told(one: _Kept, now_s: float) -> Landing:
    is_over = now_s > one.until_s
    if not one.judgements:
        return Landing(one.number, one.kind, one.spot, one.near, is_over, is_heeded=one.is_heeded)
    # The one that came nearest to being a knock: it is what the table goes by.
    first = max(one.judgements, key=lambda judged: _WEIGHT[judged.verdict])
    return Landing(
        one.number,
        one.kind,
        one.spot,
        one.near,
        is_over,
        verdict=first.verdict.value,
        likelihood=first.likelihood,
        seat=None if first.seat is None else first.seat.shown,
        confidence=first.confidence,
        blows=len(one.judgements),
        decided_after_s=first.decided_at_s - first.at_s,
        wave=_loudest(first.window),
        is_heeded=one.is_heeded,
    )


def _loudest(window: Window | None) -> tuple[float, ...]:
    if window is None:
        return ()
    # Of the long quiet that a judge looks back on, only the end.
    begin = max(0, round((window.onset_s - window.start_s - SHOWN_BEFORE_S) * window.rate_hz))
    loudest = max(window.channels, key=lambda channel: max(map(abs, channel), default=0.0))
    return tuple(loudest[begin : begin + WAVE_SAMPLES])
