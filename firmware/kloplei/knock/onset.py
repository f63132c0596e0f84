"""Where a blow begins: a trigger that follows the table's noise, and the way back to the onset.

Samples are of full scale -1 to 1; each object is fed by one thread, hop by hop or piece by piece.
"""

from collections.abc import Iterable, Sequence
from math import ceil, inf

from kloplei.knock.features import CORNER_HZ
from kloplei.knock.signal import HighPass, loudest

HOP_S = 0.001  # the signal is looked at in steps of so much
THRESHOLD = 0.035  # of full scale: what is louder wakes the judge at any table, however noisy
LOWEST = 0.022  # of full scale: what is weaker wakes nobody at a table that nobody has tuned
FAINTEST = 0.0125  # of full scale: nor at any other, however soft its knocks are
ABOVE_NOISE = 2.5  # times as loud as the table by itself
ABOVE_NOISE_TUNED = 4.0  # the same where somebody tuned: so it was when most were
RISE = 1.7  # times as loud as the last moments: a blow, and not the end of the one before
LOUDER = 2.0  # times as loud as a blow that is still under way: another one
RECENT_S = 0.014  # how long the last moments are
APART_S = 0.025  # nothing but a louder blow begins within this time of another one
ONSET = 0.06  # part of its peak at which a blow has begun
STANDS_OUT = 1.3  # times the noise before: less, and it may as well be noise
NOISE_S = 0.01  # how long that noise is listened to
LOOK_BACK_S = 0.009  # so far back the beginning is looked for
PAUSE_S = 0.002  # a pause this long ends the way back to it
SLACK_S = 0.1  # so much more is kept than is asked for: to let go of it takes time as well


class Trigger:
    """Feels blows in the loudest samples of all channels, hop by hop, as they go by.

    Args:
        rate_hz: Samples a second.
    """

    def __init__(self, rate_hz: float) -> None:
        self.hop = max(1, round(rate_hz * HOP_S))
        """How many samples a hop has."""
        self.threshold = THRESHOLD
        """Of full scale: what is weaker wakes nobody; whoever follows the noise sets it anew."""
        self._recent = max(2, round(RECENT_S * rate_hz / self.hop))
        self._growing = ceil(RECENT_S * rate_hz / self.hop)
        self._apart = APART_S * rate_hz
        self._since = inf  # samples from the last blow that was felt to the next hop
        self._loudest = 0.0  # of that blow, or less

    def line(self, hops: int) -> float:
        """Return the level below which the next *hops* hold no blow."""
        is_under_way = self._since + (hops - 1) * self.hop < self._apart
        return max(self.threshold, LOUDER * self._loudest) if is_under_way else self.threshold

    @property
    def measured_by(self) -> int:
        """How many hops before the next one `feels` has to be given along with it."""
        under_way = int(self._since) // self.hop if self._since < self._apart else 0
        return max(self._recent, under_way)

    def rising(self, peaks: Sequence[float], asked: Iterable[int]) -> list[int]:
        """Return those hops of *asked* in which a blow may be felt, and few others.

        A quick look before `feels`: loud enough, and `RISE` times as loud as two hops before.
        """
        threshold = self.threshold
        return [
            at
            for at in asked
            if peaks[at] >= threshold and (at < 2 or peaks[at] >= RISE * peaks[at - 2])
        ]

    def feels(self, peaks: Sequence[float], at: int, ahead: int) -> bool:
        """Return whether a blow is felt in the hop whose loudest sample is *peaks* [*at*].

        Before it in *peaks* are those that it is `measured_by`. It comes *ahead* hops after the
        next one that is to `pass_by`.
        """
        peak, since = peaks[at], self._since + ahead * self.hop
        if peak < self.threshold or (since < self._apart and peak < LOUDER * self._loudest):
            return False
        # Of what goes on and on, the hop before the last one mostly tells.
        if at > 1 and peak < RISE * peaks[at - 2]:
            return False
        # Without the last hop: the blow may have begun in it.
        recent = peaks[max(0, at - self._recent) : max(0, at - 1)]
        if recent and peak < RISE * max(recent):
            return False
        if since < self._apart:
            begun = at - int(since) // self.hop
            if peak < LOUDER * max(peaks[begun : min(at, begun + self._growing)]):
                return False
        self._since, self._loudest = -ahead * self.hop, peak
        return True

    def pass_by(self, hops: int) -> None:
        """Let so many *hops* have been the next ones."""
        self._since += hops * self.hop


class NoiseFollower:
    """Follows how loud the table is by itself, and tells the threshold below which none is judged.

    It falls fast and rises slowly, so that blows hardly move it: loud for a moment is a blow,
    loud for seconds is the table.

    Args:
        gain_db: `Calibration.trigger_db`: how much softer knocks are here than at most tables.
        lowest: No threshold is lower where knocks are as loud as at most tables.
        above_noise: Times as loud as the table by itself what wakes the judge has to be.
    """

    def __init__(
        self, gain_db: float = 0.0, lowest: float = FAINTEST, above_noise: float = ABOVE_NOISE
    ) -> None:
        self._lowest_there = lowest
        self._above_noise = above_noise
        self.reach(gain_db)
        self._floor = self._highest / above_noise
        self._loudest = 0.0

    def reach(self, gain_db: float) -> None:
        """Let so much softer blows wake the judge from now on; what it followed stays."""
        # Nobody is to be deaf to what a tuned table calls a knock.
        softer = min(1.0, 10 ** (-gain_db / 20))
        self._highest = max(FAINTEST, softer * THRESHOLD)
        self._lowest = max(FAINTEST, softer * self._lowest_there)
        self.told_from = max(FAINTEST, softer * LOWEST)
        """Of full scale: what is softer is a knock only if another blow says so."""

    def after(self, loudest: float, *, is_end: bool) -> float:
        """Return the threshold after samples up to *loudest*, which end a piece or do not."""
        self._loudest = max(self._loudest, loudest)
        if is_end:
            kept = _FALLS if self._loudest < self._floor else _RISES
            self._floor = max(_STILLEST, min(self._highest, kept * self._floor))
            self._loudest = 0.0
        return max(self._lowest, min(self._highest, self._above_noise * self._floor))


_FALLS, _RISES = 0.95, 1.005  # a piece: to a tenth in 0.7 s, tenfold in 7 s
_STILLEST = 0.001  # of full scale: a step of ten bits is twice as much


class Channel:
    """The last samples of one channel: *raw* as they came, and high-passed by `CORNER_HZ`.

    The filter runs only where something may have woken the trigger (`passed`): silence is added to
    *raw* and looked at no further.
    """

    def __init__(self, rate_hz: float) -> None:
        self.raw: list[float] = []
        self._passed: list[float] = []  # those before `_done` without slow swings
        self._done = 0  # first sample of *raw* that slow swings have not been taken off
        self._high_pass = HighPass(rate_hz, CORNER_HZ)
        # Hops are asked for from those on that a blow is measured by.
        self._look_back = round((LOOK_BACK_S + NOISE_S + HOP_S - RECENT_S) * rate_hz)
        self._slack = round(SLACK_S * rate_hz)
        self._rate_hz = rate_hz

    @property
    def held_back(self) -> float:
        """How much of the last sample that went through the filter was slow."""
        return self._high_pass.held_back

    def passed(self, begin: int, end: int) -> list[float]:
        """Return the samples from *begin* to before *end*, high-passed."""
        if self._done < len(self.raw):
            self._catch_up(max(0, begin - self._look_back))
        first = self._done - len(self._passed)
        return self._passed[begin - first : end - first]

    def peak(self, begin: int, end: int) -> float:
        """Return the loudest sample from *begin* to before *end*, high-passed."""
        return loudest(self.passed(begin, end))

    def onset(self, end: int, peak: float) -> int:
        """Return the first sample of the blow that is as loud as *peak* shortly before *end*.

        It is looked for backwards, for `LOOK_BACK_S` at most: nothing before it is louder than
        `ONSET` of the peak and than the noise for as long as `PAUSE_S`.
        """
        begin = max(0, end - round(LOOK_BACK_S * self._rate_hz))
        quiet_begin = max(0, begin - round(NOISE_S * self._rate_hz))
        heard = list(map(abs, self.passed(quiet_begin, end)))
        before = heard[: begin - quiet_begin]
        line = max(ONSET * peak, STANDS_OUT * max(before, default=0.0))
        pause = max(1, round(PAUSE_S * self._rate_hz))
        first = end - 1
        for at in range(end - 1, begin - 1, -1):
            if heard[at - quiet_begin] > line:
                first = at
            elif first - at > pause:
                break
        return first

    def forget(self, count: int) -> None:
        """Let go of the first *count* samples."""
        del self.raw[:count]
        self._done -= count
        surplus = len(self._passed) - max(0, self._done)
        if surplus > self._slack:
            del self._passed[:surplus]

    def _catch_up(self, begin: int) -> None:
        """Take what is slow off all samples from *begin* on."""
        # To go on from samples long before costs more than to look back at the last of them.
        remembers = self._high_pass.remembers
        if self._done < max(0, begin - remembers // 2):
            self._high_pass.come_after(self.raw[max(0, begin - remembers) : begin])
            self._passed, self._done = [], begin
        self._passed += self._high_pass.passed(self.raw[self._done :])
        self._done = len(self.raw)
