"""From edges and samples to knocks, seats and patterns; pure: time enters as an argument."""

from dataclasses import dataclass

from kloplei.games.game import Seat


@dataclass(frozen=True, slots=True)
class KnockHeard:
    """A blow on the wood, judged to be a knock.

    *seat* None means that nobody can say whose it was; *strength* runs from 0 to 1;
    *at_s* is the kernel's monotonic time in seconds. A *doubtful* one may have been something
    else: it is shown, and does nothing until somebody says that it was a knock.
    """

    seat: Seat | None
    strength: float
    at_s: float
    doubtful: bool = False
