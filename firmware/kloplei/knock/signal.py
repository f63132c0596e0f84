"""What piezos give: blocks of samples as they come in, and the window cut out around one blow."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

Samples = Sequence[float]
"""One channel, full scale -1 to 1, free of any bias."""

RAIL = 0.98  # of full scale: as far as a converter shows; what is louder is cut off there


@dataclass(frozen=True, slots=True)
class Block:
    """Samples of all channels, equally many in each, *rate_hz* a second.

    *start_s* is when the first sample of channel 0 was taken. A converter that reads one
    channel after the other takes channel c *skew_s* times c later.
    """

    start_s: float
    rate_hz: float
    channels: tuple[Samples, ...]
    skew_s: float = 0.0

    @property
    def end_s(self) -> float:
        """When the sample after the last one is due."""
        return self.start_s + len(self.channels[0]) / self.rate_hz


@dataclass(frozen=True, slots=True)
class Window:
    """All channels around one blow: what it was judged by, and what may be kept for review.

    *start_s* is the time of the first sample; the blow began at *onset_s*, within it.
    """

    onset_s: float
    start_s: float
    rate_hz: float
    channels: tuple[Samples, ...]
    skew_s: float = 0.0


def finite(samples: Samples) -> Samples:
    """Return *samples* with silence for those that are no numbers or without end."""
    # Nearly always all is well, and a sum shows it.
    if isfinite(sum(samples)):
        return samples
    return [sample if isfinite(sample) else 0.0 for sample in samples]
