"""The calibration of one table: how loud its knocks are, how each seat sounds, what to distrust.

`Calibration` is handed to the detector whole and never changed; `calibration_file` writes it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from kloplei.knock.localization import Places

MOST = 3.0  # log-odds: a blow that the judge is surer of than that is a knock all the same


@dataclass(frozen=True, slots=True)
class Correction:
    """A weighted sum of what the judge looks at, by which it says less often that it was a knock.

    *weights* go by the names of `kloplei.knock.features`, and count for the scaled features of a
    judge of *rate_hz*: at another rate they look otherwise.
    """

    rate_hz: int
    bias: float
    weights: Mapping[str, float]

    def times(self, share: float) -> "Correction":
        """Return so much of it."""
        weights = {name: round(share * weight, 3) for name, weight in self.weights.items()}
        return Correction(self.rate_hz, round(share * self.bias, 3), weights)

    def of(self, scaled: Mapping[str, float]) -> float:
        """Return what is taken off the log-odds of a blow with the *scaled* features, 0 to `MOST`.

        Nothing is ever added. A bump of the table is not seen by what glasses taught, and sounds
        less like a glass than any knock: it would become one.
        """
        said = self.bias + sum(weight * scaled[name] for name, weight in self.weights.items())
        return max(0.0, min(MOST, -said))


VERSION = 1

Label = int | str
"""What a seat is called in a recording."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was learned at one table; the default stands for one that nobody has tuned.

    *gain_db* is added to what comes in, so that this table's knocks are as loud as those that
    the judge knows. *floor* is the loudest sample of each channel while all are quiet, 0 to 1;
    empty where nobody measured it. *strictness* is taken off the log-odds that a blow was a
    knock, before any line is drawn: above 0 more is noise here, below 0 more is a knock.
    *correction* is what glasses and phones taught; None where nobody set one down. *places* is
    where the seats are; None where nobody knocked seat by seat. *labels* is what
    whoever taught them from a recording calls the seats, in their order; empty where a seat is
    called by its number.
    """

    version: int = VERSION
    gain_db: float = 0.0
    floor: tuple[float, ...] = ()
    strictness: float = 0.0
    correction: Correction | None = None
    places: Places | None = None
    labels: tuple[Label, ...] = ()
