"""What one table has learned to distrust: blows that look less like its own knocks than most."""

from collections.abc import Mapping
from dataclasses import dataclass

MOST = 3.0  # log-odds: a blow that the judge is surer of than that is a knock all the same


@dataclass(frozen=True, slots=True)
class Distrust:
    """A weighted sum of what the judge looks at, by which it says less often that it was a knock.

    *weights* go by the names of `kloplei.knock.features`, and count for the scaled features of a
    judge of *rate_hz*: at another rate they look otherwise.
    """

    rate_hz: int
    bias: float
    weights: Mapping[str, float]

    def times(self, share: float) -> "Distrust":
        """Return so much of it."""
        weights = {name: round(share * weight, 3) for name, weight in self.weights.items()}
        return Distrust(self.rate_hz, round(share * self.bias, 3), weights)

    def of(self, scaled: Mapping[str, float]) -> float:
        """Return what is taken off the log-odds of a blow with the *scaled* features, 0 to `MOST`.

        Nothing is ever added. A bump of the table is not seen by what glasses taught, and sounds
        less like a glass than any knock: it would become one.
        """
        said = self.bias + sum(weight * scaled[name] for name, weight in self.weights.items())
        return max(0.0, min(MOST, -said))
