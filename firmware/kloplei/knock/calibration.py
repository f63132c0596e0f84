"""The calibration of one table: how loud its knocks are, how each seat sounds, what to distrust.

`Calibration` is handed to the detector whole and never changed; `calibration_file` writes it.
"""

from collections.abc import Mapping

from kloplei.frozen import dataclass, replace
from kloplei.knock.geometry import ToldWood
from kloplei.knock.localization import Places

MOST = 5.0  # log-odds: a blow that the judge is surer of than that is what it seems all the same
MOST_ALONE = 3.0  # log-odds, where a table was taught by its glasses alone
MOST_PLAYED = 2.5  # log-odds that all lessons of play together may move a blow
MOST_AN_EVENING = 1.0  # log-odds that those of one evening may
MOST_SOFTER_DB = 3.0  # by which soft knocks that people confirmed may lower the threshold


@dataclass(frozen=True, slots=True)
class Correction:
    """A weighted sum of what the judge looks at, which is added to the log-odds of a knock.

    *weights* go by the names of `kloplei.knock.features`, and count for the scaled features of a
    judge of *rate_hz*: at another rate they look otherwise. Where it is *only_stricter*, a table
    was taught by its glasses alone, as all were once: there it takes off, and never adds, for a
    bump sounds even less like a glass than a knock does.
    """

    rate_hz: int
    bias: float
    weights: Mapping[str, float]
    only_stricter: bool = False

    def __hash__(self) -> int:
        """Return the hash of all it says: a mapping has none of its own."""
        return hash((self.rate_hz, self.bias, tuple(self.weights.items()), self.only_stricter))

    def times(self, share: float) -> "Correction":
        """Return that *share* of it, bias and weights to three digits."""
        weights = {name: round(share * weight, 3) for name, weight in self.weights.items()}
        return replace(self, bias=round(share * self.bias, 3), weights=weights)

    def of(self, scaled: Mapping[str, float]) -> float:
        """Return what is added to the log-odds of a blow with the *scaled* features.

        From -`MOST` to `MOST`; from -`MOST_ALONE` to 0 where it is *only_stricter*.
        """
        said = self.unbounded(scaled)
        if self.only_stricter:
            return max(-MOST_ALONE, min(0.0, said))
        return max(-MOST, min(MOST, said))

    def unbounded(self, scaled: Mapping[str, float]) -> float:
        """Return what is added to the log-odds before it is bounded, as `of` does it."""
        return self.bias + sum(weight * scaled[name] for name, weight in self.weights.items())


@dataclass(frozen=True, slots=True)
class PlayCorrection:
    """What a table taught while people played, on top of its tuning.

    *evenings* are what all lessons up to the end of each evening taught, the oldest first.
    *softer_db* is by how much the trigger's threshold is lower than the tuning alone would have
    it, 0 to `MOST_SOFTER_DB`.
    """

    evenings: tuple[Correction, ...] = ()
    softer_db: float = 0.0

    def of(self, scaled: Mapping[str, float]) -> float:
        """Return what is added to the log-odds of a blow with the *scaled* features.

        No evening moves what those before it said by more than `MOST_AN_EVENING`, and all of them
        together move no blow by more than `MOST_PLAYED`, whatever somebody answered.
        """
        said = 0.0
        for evening in self.evenings:
            wanted = evening.unbounded(scaled)
            said = max(said - MOST_AN_EVENING, min(said + MOST_AN_EVENING, wanted))
            said = max(-MOST_PLAYED, min(MOST_PLAYED, said))
        return said


VERSION = 1
RATE_OF_BEFORE_HZ = 4000  # of tables that were tuned before it was written down
FIRST_JUDGE, JUDGE = 1, 2  # the one that tables were taught on top of once, and that of today

Label = int | str
"""What a seat is called in a recording."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was learned at one table; the default stands for one that nobody has tuned.

    Args:
        version: Of the file's format (`calibration_file`).
        gain_db: Added to what comes in, so that this table's knocks are as loud as those that the
            judge knows.
        floor: The loudest sample of each channel while all are quiet, 0 to 1; empty where nobody
            measured it.
        strictness: Taken off the log-odds that a blow was a knock, before any line is drawn: above
            0 more is noise here, below 0 more is a knock.
        correction: What its own knocks and noises taught; None where none were shown.
        places: Where the seats are; None where nobody knocked seat by seat.
        labels: What whoever taught them from a recording calls the seats, in their order; empty
            where a seat is called by its number.
        wood: What people said of the table top at the table itself; None where they said nothing,
            and the settings stand.
        played: What was learned on top of all that while people played; has a file of its own.
        rate_hz: What a tuning was heard at.
        judge: The number of the judge that all of this was taught on top of: another one needs
            another correction.
    """

    version: int = VERSION
    gain_db: float = 0.0
    floor: tuple[float, ...] = ()
    strictness: float = 0.0
    correction: Correction | None = None
    places: Places | None = None
    labels: tuple[Label, ...] = ()
    wood: ToldWood | None = None
    played: PlayCorrection | None = None
    rate_hz: int = RATE_OF_BEFORE_HZ
    judge: int = JUDGE

    @property
    def learned_hz(self) -> int | None:
        """The judge's rate at which the table was tuned; None where nobody tuned it.

        What was learned in play is left out: that is learned anew while the box listens.
        """
        if self.correction is not None:
            return self.correction.rate_hz
        return self.rate_hz if self.is_taught else None

    @property
    def is_taught(self) -> bool:
        """Whether the table has taught anything: a size is only told."""
        return replace(self, wood=None, played=None) != Calibration()

    @property
    def trigger_db(self) -> float:
        """How much softer than at most tables a blow may be that wakes the judge."""
        return self.gain_db + (self.played.softer_db if self.played is not None else 0.0)

    def correction_of(self, scaled: Mapping[str, float], rate_hz: int) -> float:
        """Return what tuning and play add to the log-odds of a blow that was judged at *rate_hz*.

        Never more than `MOST` either way. What was learned at another rate counts nothing.
        """
        said = 0.0
        if self.correction is not None and self.correction.rate_hz == rate_hz:
            said = self.correction.of(scaled)
        if self.played is not None and all(one.rate_hz == rate_hz for one in self.played.evenings):
            said += self.played.of(scaled)
        return max(-MOST, min(MOST, said))
