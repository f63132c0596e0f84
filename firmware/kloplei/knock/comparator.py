"""What a comparator module makes of a piezo's voltage: its output goes low while it is loud.

The plain threshold of the knock pads, as arithmetic on samples, so that a
recording can be played into a pad that knows only edges.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

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
