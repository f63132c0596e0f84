"""What is told of a hand of Tarok, entry by entry: events that pay nothing before it is booked.

A hand is nothing but its entries, whether it has all of them or only the first (§ 9).
"""

from dataclasses import dataclass

from kloplei.rules.game import Event, Seat


@dataclass(frozen=True, slots=True)
class Entry(Event):
    """Something told of the hand that *seat* played; it counts when the hand is booked."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Declared(Entry):
    """*seat* declared a holding before the first lead (§ 4).

    *count* cards where they are counted, *suit* of a cavalry. *pagat* and *fool* say whether
    these are among the taroks declared; None where nobody said so.
    """

    what: str
    count: int | None = None
    suit: str | None = None
    pagat: bool | None = None
    fool: bool | None = None


@dataclass(frozen=True, slots=True)
class Fined(Entry):
    """*seat* pays *each* opponent, and so many chips into the pots (§ 7).

    *each* None is what the rules know for it: ``a_fine`` in 1754, else nothing.
    """

    each: int | None = None
    king_pot: int = 0
    pagat_pot: int = 0


@dataclass(frozen=True, slots=True)
class FateTold(Entry):
    """*seat* brought the pagat or a king home, or lost it, before the last trick (§ 5)."""

    what: str


@dataclass(frozen=True, slots=True)
class LastTrickTold(Entry):
    """*seat* won the last trick."""


@dataclass(frozen=True, slots=True)
class LastCardTold(Entry):
    """*seat* played the pagat, a king or another card to the last trick."""

    card: str


@dataclass(frozen=True, slots=True)
class FeatTold(Entry):
    """*seat* took every trick, or none, or failed to.

    *announced* is the trick it was announced before; None if it was not.
    """

    what: str
    announced: int | None = None
    made: bool = True


@dataclass(frozen=True, slots=True)
class FoolLeft(Entry):
    """*seat* took no trick and was left with the Fool (1754)."""


@dataclass(frozen=True, slots=True)
class WrongDiscardFound(Entry):
    """*seat*, the dealer, had laid away a wrong number of cards: the hand is void (1754)."""


@dataclass(frozen=True, slots=True)
class PointsCounted(Entry):
    """The pile of *seat* counts so many card points; None is no whole number."""

    points: int | None


@dataclass(frozen=True, slots=True)
class ResultTold(Event):
    """What the hand brought in all, where a house keeps nothing else.

    *amounts* by seat index of the table, *king* and *pagat* into the pots.
    """

    amounts: tuple[int, ...]
    king: int = 0
    pagat: int = 0


@dataclass(frozen=True, slots=True)
class HandVoided(Event):
    """The cards are thrown in: of this hand only declarations and fines count."""


AnyEntry = Entry | ResultTold | HandVoided
ENTRIES: tuple[type[Event], ...] = (
    *(Declared, Fined, FateTold, LastTrickTold, LastCardTold),
    *(FeatTold, FoolLeft, WrongDiscardFound, PointsCounted, ResultTold, HandVoided),
)
