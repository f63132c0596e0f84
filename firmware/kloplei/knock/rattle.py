"""Tells an input that can be believed from one that storms, hums or stands still."""

from kloplei.knock.soundness import Ailment

STORMS = ((400, 0.1), (6000, 5.0))
"""So many edges within so many seconds are a storm.

Glass that rings a comparator bare makes half as many in a tenth of a second, and is quiet
soon; what goes on for seconds wears out a small Pi with fewer of them.
"""
STUCK_S = 3.0  # no blow and no phone holds a comparator down so long
HUM_LOOKS = 2  # so many looks in a row
HUM_HZ = ((47.0, 53.0), (57.0, 63.0), (94.0, 106.0), (114.0, 126.0))
"""Pulses a second that the mains make, one or two at each turn."""


class Rattle:
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
        self._low_since_s = at_s if active else None
        self._pulses += active
        storms = False
        for count in self._counts:
            storms |= count.one_more(at_s)
        return storms

    def look(self, now_s: float) -> Ailment | None:
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
            return Ailment.STUCK
        return Ailment.HUM if self._hums >= HUM_LOOKS else None


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
