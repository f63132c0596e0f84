"""What leaves the table for a house, as the uplink asks for it: `UplinkClient` and its shapes.

The journal is the outbox: the uplink keeps no queue, and asks for the steps after an entry of which
the house has said that it has it. What is sealed is not told before it is open, nor a name of
anybody who did not agree to that; agreed people go by an id that is made for the house alone.
Nothing at the table waits for any of it.
"""

from dataclasses import field
from typing import Annotated, Literal, Protocol

from kloplei.frozen import dataclass
from kloplei.games.game import SPARSE
from kloplei.table.client import ShortText
from kloplei.words.catalogue import Sentence

MOST_ENTRIES = 100
"""So many entries at most go in one message, or one step where that has more."""
LONGEST_CODE = 40
LONGEST_ADDRESS = 200


@dataclass(frozen=True, slots=True)
class HouseEntry:
    """One entry of the journal as the house gets it.

    *facts* are as the journal has them, but for three things. Names are empty. Who agreed has the
    id of the house, and who did not has none. What was sealed is empty: the event that opened it
    tells it. *link* is that of the step, with its last entry.

    No link here is the journal's own, over which a name could be found by trying. It is sealed with
    a key that stands in the journal, so that two of them are equal where the journal's are.
    """

    seq: int
    step: Annotated[int, "Number of the last entry that was written with it"]
    at: Annotated[float | None, "Wall clock of the box, seconds since 1970; order is seq"]
    seat: Annotated[int | None, "Who did it, counted from 0; absent for the keeper"]
    via: str
    event: str
    facts: Annotated[str, "JSON"]
    link: Annotated[str | None, "SHA-256 of its step, hexadecimal; with its last entry"] = None


@dataclass(frozen=True, slots=True)
class EraBegun:
    """How an era began: behind entry *after* of another one, which has that *link* there.

    One that *supersedes* the other stands in its place: somebody was forgotten. *replaced* are all
    eras of which that is so, of before as well: a house that was away may know only the oldest.
    """

    era: Annotated[str, "The era before"]
    after: int
    link: Annotated[str, "SHA-256 of the step that ends there, hexadecimal; empty for none"]
    supersedes: bool = False
    replaced: tuple[str, ...] = field(default=(), metadata=SPARSE)


@dataclass(frozen=True, slots=True)
class StepsAfter:
    """Whole steps after entry *after*, whose step has that *link*; empty where none may go yet.

    *last* is the number of the journal's last entry. What lies between is sealed, or did not go
    into this answer.
    """

    box: str
    era: str
    after: int
    link: Annotated[str, "SHA-256, hexadecimal; empty before the first entry"]
    last: int
    entries: tuple[HouseEntry, ...] = ()
    begun: Annotated[EraBegun | None, "Absent for the first era of a journal"] = None


@dataclass(frozen=True, slots=True)
class HousePerson:
    """A person who agreed to be known in the house: the id is made for the house alone."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class HubWish:
    """The keeper wants the box to go with the hub at *address*, and typed its *code*."""

    address: str
    code: str


@dataclass(frozen=True, slots=True)
class TableCall:
    """A house calls people to this table, for a *round* of something.

    *until* is when it is no longer of interest, by the wall clock.
    """

    id: str
    table: Annotated[str, "What the house calls this table"]
    round: int | None = None
    game: str | None = None
    players: Annotated[tuple[HousePerson, ...], "In order of their seats"] = ()
    until: float | None = None


UplinkState = Literal["off", "pairing", "connecting", "connected", "refused"]


OutsiderKind = Literal["home_assistant", "webhook"]


@dataclass(frozen=True, slots=True)
class OutsiderStatus:
    """How it stands with somebody else who is told what happens.

    *at* is when they were reached last, as far as that was told here: to the minute.
    """

    kind: OutsiderKind
    at: Annotated[float | None, "Wall clock; absent before the first time"] = None
    trouble: Annotated[Sentence | None, "Why they hear nothing, and what helps"] = field(
        default=None, metadata=SPARSE
    )


@dataclass(frozen=True, slots=True)
class UplinkStatus:
    """How it stands with the house, as the uplink tells it.

    *has* is the last entry that the house has; *trouble* says why it gets no more, and what helps.
    *outsiders* are all that the settings name, house or none.
    """

    state: UplinkState = "off"
    hub: Annotated[str, "Its address"] = ""
    has: int = 0
    at: Annotated[float | None, "When the house confirmed that, wall clock"] = None
    certificate_ends: Annotated[float | None, "Wall clock"] = None
    trouble: Annotated[Sentence | None, "Why, and what helps"] = field(
        default=None, metadata=SPARSE
    )
    outsiders: tuple[OutsiderStatus, ...] = field(default=(), metadata=SPARSE)


class UplinkClient(Protocol):
    """What the uplink asks of the table, and tells it; safe from any thread."""

    def steps(self, after: int, most: int = MOST_ENTRIES) -> StepsAfter:
        """Return the steps after entry *after*, as far as nothing in them is sealed.

        Raises:
            BadRequest: There is no entry *after*, or no step ends with it.
            TableUnavailable: The journal cannot be read now.
        """
        ...

    def agreed(self) -> tuple[HousePerson, ...]:
        """Return who agreed to be known in the house."""
        ...

    def agree(self, person: int, agrees: bool) -> None:
        """Let that person of the box be known in the house from now on, or no longer.

        Raises:
            IllegalAction: ``no_such_person``.
            JournalWriteError: The table could not write it down.
        """
        ...

    def wish(self) -> HubWish | None:
        """Return with which hub the keeper wants to go and has not been taken up yet."""
        ...

    def pair(
        self,
        address: Annotated[str, ShortText(LONGEST_ADDRESS)],
        code: Annotated[str, ShortText(LONGEST_CODE)],
    ) -> None:
        """Ask the uplink to go with the hub at *address*; both empty: with none any more."""
        ...

    def report(self, status: UplinkStatus) -> None:
        """Tell how it stands; ``pairing``, or ``off``, takes up what was wished for."""
        ...

    def status(self) -> UplinkStatus:
        """Return what the uplink told last, ``off`` where none runs."""
        ...

    def call(self, call: TableCall) -> None:
        """Show on slate and phones who is called to this table; who has it already shows it on."""
        ...

    def called(self) -> TableCall | None:
        """Return who is called to this table now."""
        ...
