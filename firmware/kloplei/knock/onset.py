"""When a blow is felt, and how far back in the signal it began.

Both look at the signal without what is slower than 60 Hz: bumps, steps and the mains.
"""

from collections import deque

from kloplei.knock.features import CORNER_HZ
from kloplei.knock.signal import HighPass, Samples

HOP_S = 0.001  # the signal is looked at in steps of so much
THRESHOLD = 0.035  # of full scale: what is weaker wakes nobody
RISE = 1.7  # times as loud as the last moments: a blow, and not the end of the one before
LOUDER = 2.0  # times as loud as a blow that is still under way: another one
RECENT_S = 0.014  # how long the last moments are
APART_S = 0.025  # nothing but a louder blow begins within this time of another one

ONSET = 0.06  # part of its peak at which a blow has begun
STANDS_OUT = 1.3  # times the noise before: less, and it may as well be noise
NOISE_S = 0.01  # how long that noise is listened to
LOOK_BACK_S = 0.009  # so far back the beginning is looked for
PAUSE_S = 0.002  # a pause this long ends the way back to it


class Trigger:
    """Feels blows in the loudest samples of all channels, hop after hop.

    Args:
        rate_hz: Samples a second.
    """

    def __init__(self, rate_hz: float) -> None:
        self.hop = max(1, round(rate_hz * HOP_S))
        """How many samples a hop has."""
        self._rate_hz = rate_hz
        self._recent: deque[float] = deque(maxlen=max(2, round(RECENT_S * rate_hz / self.hop)))
        self._since = float("inf")  # samples since the last blow was felt
        self._loudest = 0.0  # of that blow

    def feels(self, peak: float) -> bool:
        """Return whether a blow is felt in the next hop, whose loudest sample is *peak*."""
        is_blow = self._is_blow(peak)
        if is_blow:
            self._since, self._loudest = 0, peak
        elif self._since < RECENT_S * self._rate_hz:
            self._loudest = max(self._loudest, peak)
        self._recent.append(peak)
        self._since += self.hop
        return is_blow

    def _is_blow(self, peak: float) -> bool:
        # Without the last hop: the blow may have begun in it.
        before = max(list(self._recent)[:-1], default=0.0)
        if peak < THRESHOLD or peak < RISE * before:
            return False
        return self._since >= APART_S * self._rate_hz or peak >= LOUDER * self._loudest


class Channel:
    """The last samples of one channel, *raw* as they came and without what is slow."""

    def __init__(self, rate_hz: float) -> None:
        self.raw: list[float] = []
        self._swift: list[float] = []
        self._high_pass = HighPass(rate_hz, CORNER_HZ)
        self._rate_hz = rate_hz

    def take(self, samples: Samples) -> None:
        """Add *samples*, which follow those of the last call."""
        self._swift += self._high_pass.passed(samples)
        self.raw.extend(samples)

    def peak(self, begin: int, end: int) -> float:
        """Return the loudest sample from *begin* to before *end*, without what is slow."""
        return max(map(abs, self._swift[begin:end]))

    def onset(self, end: int, peak: float) -> int:
        """Return the first sample of what is louder than part of *peak*, back from *end*."""
        begin = max(0, end - round(LOOK_BACK_S * self._rate_hz))
        before = self._swift[max(0, begin - round(NOISE_S * self._rate_hz)) : begin]
        line = max(ONSET * peak, STANDS_OUT * max(map(abs, before), default=0.0))
        pause = max(1, round(PAUSE_S * self._rate_hz))
        first = end - 1
        for at in range(end - 1, begin - 1, -1):
            if abs(self._swift[at]) > line:
                first = at
            elif first - at > pause:
                break
        return first

    def forget(self, count: int) -> None:
        """Let go of the first *count* samples."""
        del self.raw[:count]
        del self._swift[:count]
