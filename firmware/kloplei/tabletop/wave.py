"""The voltages of all piezos after one blow, to be read at any time between the samples."""

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Wave:
    """Voltages of all channels from *start_s* on, full scale -1 to 1, not yet clipped."""

    start_s: float
    rate_hz: float
    channels: tuple[Sequence[float], ...]

    @property
    def end_s(self) -> float:
        """When all is still again."""
        return self.start_s + len(self.channels[0]) / self.rate_hz

    def later(self, by_s: float) -> "Wave":
        """Return the same wave *by_s* seconds later."""
        return replace(self, start_s=self.start_s + by_s)

    def at(self, channel: int, at_s: float) -> float:
        """Return the voltage of *channel* at *at_s*, 0 before and after the wave."""
        samples = self.channels[channel]
        place = (at_s - self.start_s) * self.rate_hz
        first = int(place)
        if place < 0 or first + 2 >= len(samples):
            return 0.0
        before = samples[first - 1] if first else 0.0
        here, there, after = samples[first : first + 3]
        part = place - first
        # Catmull and Rom's cubic: true to a tenth of a percent at an eighth of the rate.
        return here + 0.5 * part * (
            there
            - before
            + part
            * (
                2 * before
                - 5 * here
                + 4 * there
                - after
                + part * (3 * (here - there) + after - before)
            )
        )
