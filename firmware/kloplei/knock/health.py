"""Tells a sensor that can be believed from one that is stuck, hangs loose, hums or storms.

`SensorHealth` watches the samples of one channel, `EdgeRate` the edges of one input; each says
which `Fault` it sees, and leaves it to its owner in `kloplei.devices` to tell anybody.
"""

import math
from enum import StrEnum
from operator import mul

from kloplei.knock.signal import RAIL, Block, Samples

RAIL_S = 2.0  # no blow holds it there so long
FLAT_S = 10.0  # the last bit of a sound channel rests for a second at times, never so long
OFF_CENTRE = 0.4  # the front-end holds its input within a few hundredths of the middle
OFF_CENTRE_S = 5.0
HUM_S = 1.0  # a bump under 80 Hz has gone by then
HEALED_S = 2.0
MAINS_HZ = (50.0, 60.0)
HUM_LEVEL = 0.03  # of full scale: a softer hum wakes nobody
HUM_SHARE = 0.5  # of all that is heard
HUM_WINDOW_S = 0.2  # full turns of both mains
HUM_RATE_HZ = 1000.0  # enough for 60 Hz, and cheap


class Fault(StrEnum):
    """What keeps a sensor from hearing."""

    STUCK = "stuck"  # flat, or at the end of its range
    OPEN = "open"  # away from the middle: nothing holds the input
    HUM = "hum"  # the mains, by a loose plug


class SensorHealth:
    """Watches one channel of the blocks as they come.

    A fault counts once it has lasted, and is over when it has not been seen for a while:
    silence is none.
    """

    def __init__(self) -> None:
        self._flat, self._at_rail = _Lasting(FLAT_S), _Lasting(RAIL_S)
        self._off_centre, self._hum = _Lasting(OFF_CENTRE_S), _Lasting(HUM_S)
        self._mains = _Mains()

    def fault(self, block: Block, channel: int, rest: float) -> Fault | None:
        """Return what ails *channel*, now that *block* was heard; None if nothing does.

        *rest* is the level that was taken off its samples, full scale -1 to 1.
        """
        (lowest, highest), at_s = block.extremes[channel], block.end_s
        self._at_rail.see(lowest + rest >= RAIL or highest + rest <= -RAIL, at_s)
        self._off_centre.see(abs(rest) > OFF_CENTRE, at_s)
        if (hums := self._mains.hums(block, channel, highest - lowest)) is not None:
            self._hum.see(hums, at_s)
        self._flat.see(lowest == highest, at_s)
        if self._flat.lasts or self._at_rail.lasts:
            return Fault.STUCK
        if self._off_centre.lasts:
            return Fault.OPEN
        return Fault.HUM if self._hum.lasts else None


class _Lasting:
    """Something that counts when it was seen for *for_s* without a break."""

    def __init__(self, for_s: float) -> None:
        self._for_s = for_s
        self._since_s: float | None = None
        self._seen_s = 0.0
        self.lasts = False

    def see(self, seen: bool, at_s: float) -> None:
        """Take note of whether it is *seen* now."""
        if seen:
            if self._since_s is None:
                self._since_s = at_s
            self._seen_s = at_s
            self.lasts = self.lasts or at_s - self._since_s >= self._for_s
        elif self.lasts or self._since_s is not None:
            self._since_s = None
            self.lasts = self.lasts and at_s - self._seen_s < HEALED_S


class _Mains:
    """Listens for the mains in windows of full turns; costs nothing while all is quiet."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._turns = [[0.0, 0.0] for _ in MAINS_HZ]
        self._power = 0.0
        self._count = 0

    def hums(self, block: Block, channel: int, swing: float) -> bool | None:
        """Return whether the last window hummed; None as long as it is not full."""
        if swing < HUM_LEVEL and not self._count:
            return False
        step = max(1, round(block.rate_hz / HUM_RATE_HZ))
        self._add(block.channels[channel][::step], block.start_s, step / block.rate_hz)
        if self._count * step / block.rate_hz < HUM_WINDOW_S:
            return None
        amplitude = max(2 * math.hypot(*turn) / self._count for turn in self._turns)
        share = amplitude**2 / 2 / (self._power / self._count + 1e-12)
        self._begin()
        return amplitude > HUM_LEVEL and share > HUM_SHARE

    def _add(self, samples: Samples, start_s: float, interval_s: float) -> None:
        for hz, turn in zip(MAINS_HZ, self._turns, strict=True):
            angles = [math.tau * hz * (start_s + at * interval_s) for at in range(len(samples))]
            turn[0] += math.fsum(map(mul, samples, map(math.cos, angles)))
            turn[1] += math.fsum(map(mul, samples, map(math.sin, angles)))
        self._power += math.fsum(map(mul, samples, samples))
        self._count += len(samples)


STORMS = ((400, 0.1), (6000, 5.0))
"""So many edges within so many seconds are a storm.

Glass that rings a comparator bare makes half as many in a tenth of a second, and is quiet
soon; what goes on for seconds wears out a small Pi with fewer of them.
"""
STUCK_S = 3.0  # no blow and no phone holds a comparator down so long
HUM_LOOKS = 2  # so many looks in a row
HUM_HZ = ((47.0, 53.0), (57.0, 63.0), (94.0, 106.0), (114.0, 126.0))
"""Pulses a second that the mains make, one or two at each turn."""


class EdgeRate:
    """Watches the edges of one input; look at it once a second while it is not at rest."""

    def __init__(self) -> None:
        self._counts = [_Count(most, window_s) for most, window_s in STORMS]
        self._pulses = 0
        self._looked_s: float | None = None
        self._low_since_s: float | None = None
        self._hums = 0

    @property
    def is_at_rest(self) -> bool:
        """Whether there is nothing to look at before the next edge."""
        return self._looked_s is None

    def edge(self, at_s: float, *, active: bool) -> bool:
        """Take in an edge; return whether there are so many that the input is to be let alone."""
        if self._looked_s is None:
            self._looked_s = at_s
        # gpiozero's debouncing is off here, for it loses pulses shorter than its bounce time, and a
        # blow is a few ms long. So a storm comes in whole, and is counted edge by edge.
        self._low_since_s = at_s if active else None
        self._pulses += active
        storms = False
        for count in self._counts:
            storms |= count.one_more(at_s)
        return storms

    def look(self, now_s: float) -> Fault | None:
        """Return what ails the input, as far as its edges since the last look tell."""
        since_s, self._looked_s = self._looked_s, now_s
        pulses, self._pulses = self._pulses, 0
        if since_s is not None and now_s > since_s:
            rate_hz = pulses / (now_s - since_s)
            hums = any(low <= rate_hz <= high for low, high in HUM_HZ)
            self._hums = self._hums + 1 if hums else 0
        stuck = self._low_since_s is not None and now_s - self._low_since_s >= STUCK_S
        if not pulses and self._low_since_s is None:
            self._looked_s = None
        if stuck:
            return Fault.STUCK
        return Fault.HUM if self._hums >= HUM_LOOKS else None


class _Count:
    """Counts edges anew in each window of *window_s*."""

    def __init__(self, most: int, window_s: float) -> None:
        self._most = most
        self._window_s = window_s
        self._since_s = float("-inf")
        self._edges = 0

    def one_more(self, at_s: float) -> bool:
        """Count an edge; return whether there are too many."""
        if at_s - self._since_s >= self._window_s:
            self._since_s, self._edges = at_s, 0
        self._edges += 1
        return self._edges >= self._most
