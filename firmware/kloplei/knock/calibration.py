"""What one table taught the box: how loud its knocks are, and how each seat sounds."""

from dataclasses import dataclass

from kloplei.knock.distrust import Distrust
from kloplei.knock.places import Places

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
    *distrust* is what glasses and phones taught; None where nobody set one down. *places* is
    where the seats are; None where nobody knocked seat by seat. *labels* is what
    whoever taught them from a recording calls the seats, in their order; empty where a seat is
    called by its number.
    """

    version: int = VERSION
    gain_db: float = 0.0
    floor: tuple[float, ...] = ()
    strictness: float = 0.0
    distrust: Distrust | None = None
    places: Places | None = None
    labels: tuple[Label, ...] = ()
