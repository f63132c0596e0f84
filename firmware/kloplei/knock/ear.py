"""Which edges are one blow: an echo of the pad itself, or of the wood it shares, is none."""

from dataclasses import dataclass

from kloplei.knock import KnockHeard
from kloplei.rules.game import Seat

Pad = Seat | None
"""Where an edge came from; None is a pad that serves the whole table."""


@dataclass(frozen=True, slots=True)
class _Blow:
    """The last blow that counted, and the pad that felt it first."""

    pad: Pad
    at_s: float


class Ear:
    """Listens to the edges of all pads and tells the blows among them.

    A struck pad rings and its comparator gives an edge for every swing: for *deaf_s* from the
    first they are one blow. Counting from the first and not from the last, a pad that never
    stops ringing cannot keep the ear shut. Wood carries a blow to the other pads: within
    *crosstalk_s* the first pad wins, and what rings there is the same blow as well.

    Args:
        deaf_s: Seconds from the beginning of a blow in which its pad tells nothing new.
        crosstalk_s: Seconds in which another pad only feels the same blow.
    """

    def __init__(self, deaf_s: float = 0.08, crosstalk_s: float = 0.03) -> None:
        self._deaf_s = deaf_s
        self._crosstalk_s = crosstalk_s
        self._since_s: dict[Pad, float] = {}  # when the blow that a pad rings from began
        self._last: _Blow | None = None

    def hear(self, pad: Pad, at_s: float, strength: float = 1.0) -> KnockHeard | None:
        """Return the knock that the edge of *pad* at *at_s* begins, or None if it is an echo.

        Edges of different pads may come a little out of order, as their interrupts do.
        """
        if self._rings(pad, at_s):
            return None
        if self._last is not None and self._is_crosstalk(self._last, pad, at_s):
            self._since_s[pad] = self._last.at_s
            return None
        self._since_s[pad] = at_s
        self._last = _Blow(pad, at_s)
        return KnockHeard(pad, strength, at_s)

    def _rings(self, pad: Pad, at_s: float) -> bool:
        return pad in self._since_s and abs(at_s - self._since_s[pad]) < self._deaf_s

    def _is_crosstalk(self, last: _Blow, pad: Pad, at_s: float) -> bool:
        return pad != last.pad and abs(at_s - last.at_s) < self._crosstalk_s
