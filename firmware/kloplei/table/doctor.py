"""The seam to the doctor: what works in the box, a fake knock, and a picture to judge the slate by.

`TableClient.doctor` is a `DoctorClient`, in memory and over the Unix socket alike. It answers
for the table's process, which alone may touch pins and buses.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.table.client import Unreadable, absent

MOST_KNOCKS = 3
SHOWN_S = 30.0
"""So long the test picture stands on the slate."""

SEEN = (
    *("right", "nothing", "garbled", "left-1", "left-2", "left-3", "left-4"),
    *("right-1", "right-2", "right-3", "right-4"),
)
"""What one may see of it: ``left-2`` is that bar 2 is the last that touches the left edge."""


class State(StrEnum):
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
    state: State
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
            Unreadable: There is no such seat, or more than `MOST_KNOCKS`.
        """
        ...

    def show_test_picture(self) -> None:
        """Show for `SHOWN_S` seconds a picture on the slate that tells whether it fits its chip.

        Raises:
            Unreadable: This box has no slate.
        """
        ...

    def judge_picture(self, seen: str) -> Finding:
        """Return what *seen* on the glass, one of `SEEN`, says of the slate, with what to set.

        Raises:
            Unreadable: This box has no slate, or nobody can see that.
        """
        ...


def check_knocks(seat: Seat, times: int, seats: int) -> None:
    """Refuse knocks that no hand at a table of *seats* seats could do.

    Raises:
        Unreadable: There is no such seat, or not so many knocks.
    """
    if not 0 <= seat < seats:
        raise Unreadable(f"There is no such seat; they run from 1 to {seats}.")
    if not 1 <= times <= MOST_KNOCKS:
        raise Unreadable(f"The doctor knocks 1 to {MOST_KNOCKS} times.")


def no_doctor() -> DoctorClient:
    """Return what a table without a box around it answers."""
    return absent(DoctorClient, "No doctor looks after this table. Start it with: kloplei run")
