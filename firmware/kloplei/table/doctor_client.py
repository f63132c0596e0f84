"""The doctor as others see it: what one may ask about the box of a table, and what it found.

The table's process answers, as it alone may touch pins and buses.
"""

from enum import StrEnum
from typing import Protocol

from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.table.client import BadRequest, absent
from kloplei.words import Sentence

MOST_KNOCKS = 3
SHOWN_S = 30.0
"""So long the test picture stands on the slate."""

SEEN = (
    *("right", "nothing", "garbled", "left-1", "left-2", "left-3", "left-4"),
    *("right-1", "right-2", "right-3", "right-4"),
)
"""What one may see of it: ``left-2`` is that bar 2 is the last that touches the left edge."""


class FindingState(StrEnum):
    """How a part does: green, amber or red."""

    GOOD = "good"
    POOR = "poor"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    """How *part* does: what was found, and the next step where one is needed.

    Both are sentences of the catalogue ``doctor`` in `kloplei.words`.
    """

    part: str
    state: FindingState
    says: Line
    step: Line | None = None


class DoctorClient(Protocol):
    """What one may ask the doctor of a running table; safe from any thread."""

    def examine(self) -> tuple[Finding, ...]:
        """Return how each part does that the table's process can see; it takes some seconds.

        Never holds the table up. What was found a moment ago may be told again.
        """
        ...

    def knock(self, seat: Seat, times: int = 1) -> None:
        """Let the table hear *times* knocks as if a sensor of *seat* had heard them.

        Raises:
            BadRequest: There is no such seat, or more than `MOST_KNOCKS`.
        """
        ...

    def show_test_picture(self) -> None:
        """Show for `SHOWN_S` seconds a picture on the slate that tells whether it fits its chip.

        Raises:
            BadRequest: This box has no slate.
        """
        ...

    def explain(self) -> None:
        """Lead the table through its next hand, as a new box does through the first.

        Raises:
            BadRequest: This table guides nobody (``[table] guide``).
        """
        ...

    def hush(self, *, quiet: bool) -> None:
        """Let the caller be *quiet* at once, in the middle of a word, or speak again.

        It stays so until it is told otherwise, a power cut in between or none.

        Raises:
            BadRequest: This box has no caller (``[voice]``).
        """
        ...

    def judge_picture(self, seen: str) -> Finding:
        """Return what *seen* on the glass, one of `SEEN`, says of the slate, with what to set.

        Raises:
            BadRequest: This box has no slate, or nobody can see that.
        """
        ...


def check_knocks(seat: Seat, times: int, seats: int) -> None:
    """Refuse knocks that no hand at a table of *seats* seats could do.

    Raises:
        BadRequest: There is no such seat, or not so many knocks.
    """
    if not 0 <= seat < seats:
        raise BadRequest(Sentence("no-such-seat", seats=seats))
    if not 1 <= times <= MOST_KNOCKS:
        raise BadRequest(Sentence("doctor-knocks", most=MOST_KNOCKS))


def no_doctor() -> DoctorClient:
    """Return what a table without a box around it answers."""
    return absent(DoctorClient, Sentence("no-doctor"))
