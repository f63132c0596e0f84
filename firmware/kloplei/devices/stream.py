"""From bursts with short gaps between them to blocks of evenly spaced samples."""

from collections import deque
from statistics import median

from kloplei.devices.converter import Burst
from kloplei.devices.sources import BLOCK_S
from kloplei.knock.signal import Block

LONGEST_GAP_S = 0.01  # what is missing for longer is not drawn straight: nobody heard it
SURE_OF_IT = 5  # so many odd paces in a row do not move the rate that was measured before
REMEMBERED = 255  # bursts whose pace tells the rate
RECKONED = 16  # after so many bursts it is reckoned anew
NUDGE = 0.05  # of what a burst is off its place moves the next block


class Stream:
    """Puts each burst where the clock says it belongs, and tells what was missed.

    The rate is the median pace of the last bursts, from start to start: a busy Pi may come
    back late from a burst, but it was read at the pace of the others. A gap of a few samples
    between two bursts is drawn straight, so that blocks join.

    Args:
        channels: How many each burst has.
        rate_hz: Rounds a second, as measured before.
        block_s: How long a block is to be.
    """

    def __init__(self, channels: int, rate_hz: float, block_s: float = BLOCK_S) -> None:
        self._block_s = block_s
        self._interval_s = 1 / rate_hz
        self._paces_s: deque[float] = deque([self._interval_s] * SURE_OF_IT, maxlen=REMEMBERED)
        self._pending: list[list[float]] = [[] for _ in range(channels)]
        self._last: Burst | None = None
        self._end_s = 0.0  # when the sample after the last pending one is due
        self._missed = 0
        self._drawn = 0
        self._until_reckoned = RECKONED

    @property
    def rate_hz(self) -> float:
        """Rounds a second, as measured."""
        return 1 / self._interval_s

    def missed(self) -> int:
        """Return how many rounds nobody read, in gaps too long to draw, since last asked."""
        missed, self._missed = self._missed, 0
        return missed

    def drawn(self) -> int:
        """Return how many rounds were drawn straight over short gaps, since last asked."""
        drawn, self._drawn = self._drawn, 0
        return drawn

    def add(self, burst: Burst, skew_s: float) -> list[Block]:
        """Return the blocks that *burst* completes; the one before a long gap may be short."""
        blocks = self._join(burst, skew_s)
        for pending, samples in zip(self._pending, burst.channels, strict=True):
            pending.extend(samples)
        self._end_s += len(burst.channels[0]) * self._interval_s
        count = max(1, round(self._block_s / self._interval_s))
        while len(self._pending[0]) >= count:
            blocks.append(self._cut(count, skew_s))
        return blocks

    def _join(self, burst: Burst, skew_s: float) -> list[Block]:
        """Make good for the time between the last burst and this one."""
        last, self._last = self._last, burst
        if last is None:
            self._end_s = burst.start_s
            return []
        self._keep_pace((burst.start_s - last.start_s) / len(last.channels[0]))
        late_s = burst.start_s - self._end_s
        if late_s > LONGEST_GAP_S:
            return self._break(burst, late_s, skew_s)
        drawn = max(0, int(late_s / self._interval_s))
        for pending, before, after in zip(
            self._pending, last.channels, burst.channels, strict=True
        ):
            pending.extend(_line(before[-1], after[0], drawn))
        self._drawn += drawn
        shift_s = drawn * self._interval_s
        self._end_s += shift_s + NUDGE * (late_s - shift_s)
        return []

    def _keep_pace(self, pace_s: float) -> None:
        self._paces_s.append(pace_s)
        self._until_reckoned -= 1
        if not self._until_reckoned:
            self._until_reckoned = RECKONED
            self._interval_s = median(self._paces_s)

    def _break(self, burst: Burst, late_s: float, skew_s: float) -> list[Block]:
        self._missed += round(late_s / self._interval_s)
        broken = [self._cut(len(self._pending[0]), skew_s)] if self._pending[0] else []
        self._end_s = burst.start_s
        return broken

    def _cut(self, count: int, skew_s: float) -> Block:
        start_s = self._end_s - len(self._pending[0]) * self._interval_s
        channels = tuple(pending[:count] for pending in self._pending)
        for pending in self._pending:
            del pending[:count]
        return Block(start_s, self.rate_hz, channels, skew_s)


def _line(before: float, after: float, count: int) -> list[float]:
    """Return *count* samples on the straight line from *before* to *after*."""
    step = (after - before) / (count + 1)
    return [before + step * (at + 1) for at in range(count)]
