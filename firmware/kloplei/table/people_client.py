"""People as pages see them: whom the box knows, and what their keeper does (`PeopleClient`)."""

from dataclasses import field
from typing import Annotated, Protocol

from kloplei.frozen import dataclass
from kloplei.games.game import SPARSE, Seat

LONG_S = 300.0
"""So long may take, on the smallest Pi with years of evenings, what reads or writes all of them."""
TAKE_LONG = frozenset({"forget", "adopt"})


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whom the box knows, because they asked to be remembered.

    They were seen last with entry *seq*, by the wall clock *at*; both are absent where they never
    sat at the table, or that is not known any more.
    """

    id: Annotated[int, "What /people/<id> names them by"]
    name: str
    hidden: Annotated[bool, "Not offered any more to who sits down"] = False
    seq: Annotated[int | None, "The entry with which they were seen last; order is this"] = None
    at: Annotated[float | None, "Wall clock, seconds since 1970; absent where nobody knew"] = None
    seat: Annotated[Seat | None, "Where they sit now"] = None
    was: Annotated[tuple[int, ...], "Ids of who turned out to be them"] = field(
        default=(), metadata=SPARSE
    )
    agreed: Annotated[bool, "Known in the house by name"] = False


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What came of it: so many *entries* of before were rewritten, so many *copies* deleted."""

    entries: int
    copies: int


class PeopleClient(Protocol):
    """Whom the box knows; safe from any thread."""

    def people(self) -> tuple[Person, ...]:
        """Return all of them, whoever was seen last first."""
        ...

    def offered(self, seat: Seat) -> tuple[Person, ...]:
        """Return who may sit down at *seat*: who sat there last, then whoever was seen last.

        Raises:
            BadRequest: No such seat.
        """
        ...

    def rename(self, person: int, name: str) -> None:
        """Call that *person* something else, in all that was ever played as well.

        Raises:
            IllegalAction: ``no_such_person``, ``bad_name``, ``no_name``: seats are called so,
                ``name_known``: another one is, or ``name_taken``: somebody at the table is.
            JournalWriteError: The table could not write it down; so for all below.
        """
        ...

    def merge(self, person: int, into: int) -> None:
        """Let that *person* be the same as another one, whose name holds.

        Raises:
            IllegalAction: ``no_such_person``, ``same_person``, ``sat_together``: both sit at the
                table, or would after an undo or a redo, or ``name_taken``: a guest is called so.
        """
        ...

    def hide(self, person: int, hidden: bool) -> None:
        """Offer that *person* to nobody any more who sits down, or again.

        Raises:
            IllegalAction: ``no_such_person``.
        """
        ...

    def forget(self, person: int) -> Forgotten:
        """Take the name of that *person* off the box, for good: it cannot be taken back.

        Where guests of that name stand in entries of before, and where somebody turned out to be
        that person, their names go as well. Numbers stay, and are nobody's. Copies of the journal
        that were kept beside it after damage or a restore are deleted; backups elsewhere are not.

        Raises:
            IllegalAction: ``no_such_person``.
        """
        ...

    def adopt(self, name: str) -> int:
        """Make a person of the guest of that *name*, in all entries up to now; return the id.

        Where somebody is called so whom the box knows, the guest was that one.

        Raises:
            IllegalAction: ``no_such_name``: no guest was ever called so, ``sat_together``: the
                guest and that person do, or ``too_many_people``.
        """
        ...
