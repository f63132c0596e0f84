"""The words of Tarok: what players may ask for, what was told, and what happened (§ 9).

Actions go by their names on the wire, events by their class names in the journal: neither is ever
renamed. Entries are the events that tell of the running hand; they pay nothing before it is booked,
and a hand is nothing but its entries. Then stand the tables of what may be told in which game of
the family. Tuples of numbers run by seat index of the table.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar, Literal

from kloplei.frozen import dataclass
from kloplei.games.card_game import Deal, NewGame
from kloplei.games.game import KIND, OPEN, Action, Event, Seat, SeatAction, actions_in, events_in
from kloplei.games.tarok.options import RuleSet

Suit = Literal["H", "D", "S", "C"]
LastCardKind = Literal["pagat", "king"]
Pot = Literal["king", "pagat"]


# fmt: off
Declarable = Literal[
    "taroks", "matadors", "honours", "ladons",
    "kings_four", "kings_three", "kings_full", "kings_half", "kings_over",
    "cavalry_full", "cavalry_half", "cavalry_over", "queens", "cavaliers", "jacks",
]
# fmt: on
Fate = Literal["pagat_home", "pagat_lost", "king_home", "king_lost"]
FeatKind = Literal["vole", "nolo", "tout"]


@dataclass(frozen=True, slots=True)
class Telling(SeatAction):
    """What *seat* tells of the running hand: in any order, as long as it is that hand.

    One phone, the dealer's as a rule, tells it of everybody.
    """

    records: ClassVar[bool] = True
    by_anybody: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class SitOut(SeatAction):
    """*seat* sits out the next hand (option ``sitter``)."""


@dataclass(frozen=True, slots=True)
class Declare(Telling):
    """Declare a holding, of *count* cards or of a *suit* where that is said.

    *pagat* and *fool* say whether these are among the taroks, where one has to say so.
    """

    what: Declarable = field(metadata=KIND)
    count: int | None = None
    suit: Suit | None = None
    pagat: bool | None = None
    fool: bool | None = None


@dataclass(frozen=True, slots=True)
class Pass(Telling):
    """*seat* has nothing to declare, or nothing more: that everybody says for himself."""

    by_anybody: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Fine(Telling):
    """*seat* pays *each* opponent so much."""

    each: int


@dataclass(frozen=True, slots=True)
class FineIntoPot(Telling):
    """*seat* pays so many *chips* into a *pot*."""

    name: ClassVar[str] = "fine_pot"
    pot: Pot
    chips: int


@dataclass(frozen=True, slots=True)
class TellFate(Telling):
    """*seat* brought the pagat or a king home, or lost it, before the last trick."""

    name: ClassVar[str] = "fate"
    what: Fate


@dataclass(frozen=True, slots=True)
class LastTrick(Telling):
    """*seat* won the last trick."""


@dataclass(frozen=True, slots=True)
class LastCard(Telling):
    """*seat* played the pagat or a king to the last trick."""

    card: LastCardKind


@dataclass(frozen=True, slots=True)
class TellFeat(Telling):
    """*seat* took every trick, or none; or failed to, having *announced* it before that trick."""

    name: ClassVar[str] = "feat"
    what: FeatKind = field(metadata=KIND)
    announced: int | None = None
    made: bool = True


@dataclass(frozen=True, slots=True)
class FoolAlone(Telling):
    """*seat* took no trick and was left with the Fool."""

    name: ClassVar[str] = "excuse_alone"


@dataclass(frozen=True, slots=True)
class WrongDiscard(Telling):
    """*seat*, the dealer, had laid away a wrong number of cards."""


@dataclass(frozen=True, slots=True)
class Points(Telling):
    """The pile of *seat* counts so many card *points*."""

    points: int


@dataclass(frozen=True, slots=True)
class LeaveUnclaimed(Telling):
    """By the card points *seat* took all tricks, or none, and the table lets that pass."""

    name: ClassVar[str] = "unclaimed"


@dataclass(frozen=True, slots=True)
class Result(Action):
    """All that the hand brought, where only that is kept: *amounts* of those seated, by place.

    *king* and *pagat* are what went into the pots, less than 0 for what came out of them.
    """

    by_anybody: ClassVar[bool] = True
    amounts: tuple[int, ...] = field(metadata=OPEN)
    king: int = field(default=0, metadata=OPEN)
    pagat: int = field(default=0, metadata=OPEN)


@dataclass(frozen=True, slots=True)
class ThrowIn(Action):
    """The hand is void and will be dealt again."""

    by_anybody: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class TakeBack(Action):
    """Entry number *entry* of this hand was wrong; those above it move down."""

    rewrites: ClassVar[bool] = True
    by_anybody: ClassVar[bool] = True
    entry: int


@dataclass(frozen=True, slots=True)
class Book(Action):
    """All is told: write the hand down."""

    by_anybody: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Reopen(Action):
    """Something is wrong with that *hand*: tell it anew, and book all after it once more."""

    rewrites: ClassVar[bool] = True
    by_anybody: ClassVar[bool] = True
    hand: int


@dataclass(frozen=True, slots=True)
class Settle(Action):
    """The evening is over: share out the pots."""

    by_anybody: ClassVar[bool] = True


ACTIONS = actions_in(globals(), Deal, NewGame)


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
class FeatUnclaimed(Entry):
    """By the card points *seat* took all tricks, or none, and it is booked as if it had not."""


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
    *(FeatTold, FoolLeft, WrongDiscardFound, PointsCounted, FeatUnclaimed, ResultTold, HandVoided),
)


@dataclass(frozen=True, slots=True)
class SitterChosen(Event):
    """*seat* sits out the next hand."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Dealt(Event):
    """*dealer* dealt a hand; with four at the table *sitter* sits it out."""

    dealer: Seat
    sitter: Seat | None = None


@dataclass(frozen=True, slots=True)
class Passed(Event):
    """*seat* has nothing to declare, or nothing more."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Booked(Event):
    """One line of the ledger: *amounts* by seat and what went into the pots add up to nothing.

    *seat* is whom the line is about, if it is about one player, *count* of how many cards.
    """

    line: str
    amounts: tuple[int, ...]
    king: int = 0
    pagat: int = 0
    seat: Seat | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True)
class EntryTakenBack(Event):
    """Entry *number* of the running hand, from 1, was none."""

    number: int


@dataclass(frozen=True, slots=True)
class HandEnded(Event):
    """Hand *number* is booked, or thrown in (*how*); *dealer* deals next."""

    number: int
    how: str
    dealer: Seat


@dataclass(frozen=True, slots=True)
class HandReopened(Event):
    """Hand *number* is told anew; what it and those after it brought is taken off the slate."""

    number: int


@dataclass(frozen=True, slots=True)
class EveningSettled(Event):
    """The pots have been shared out: everybody has what they won, the *winners* most."""

    winners: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class SlateWiped(Event):
    """A new evening begins with nothing won and nothing lost."""


# These names and their fields are what stands on the disks of others: never rename or drop one;
# a new field has a default.
EVENTS = events_in(globals())
PAID_AT_THE_DEAL = ("ante", "dealer_extra")
"""Lines that are booked before the cards are played."""
BOOKED, VOID = "booked", "void"
HOW_ENDED = (BOOKED, VOID)
"""How a hand ends: written down, or thrown in."""
COUNTED = {"taroks": (10, 22), "matadors": (3, 22), "honours": (3, 7), "ladons": (16, 40)}
"""Declarations that are counted, with the fewest cards and how many there are."""
MOST_IN_HAND = 25
CAVALRIES: tuple[Declarable, ...] = ("cavalry_full", "cavalry_half", "cavalry_over")
KINGS: tuple[Declarable, ...] = (
    "kings_four",
    "kings_three",
    "kings_full",
    "kings_half",
    "kings_over",
)
NEED_FOOL = ("matadors", "cavalry_half", "cavalry_over", "kings_three", "kings_half", "kings_over")
"""Declarations that only the holder of the Fool can make."""
DECLARATIONS: Mapping[RuleSet, tuple[Declarable, ...]] = {
    "a": ("taroks", "matadors", "cavalry_full", "cavalry_half", "kings_four", "kings_three"),
    "b": (
        *("taroks", "matadors", "honours", "cavalry_full", "cavalry_half"),
        *("queens", "cavaliers", "jacks", "ladons"),
    ),
    "c": ("taroks", "matadors", "kings_full", "kings_half", "kings_over", *CAVALRIES),
}
FATES: Mapping[RuleSet, Mapping[Fate, int]] = {
    "a": {"pagat_home": 0, "pagat_lost": -5},
    "b": {"pagat_home": 5, "pagat_lost": -5, "king_home": 5, "king_lost": -5},
    "c": {"pagat_home": 5, "pagat_lost": -5, "king_lost": -5},
}
"""What becomes of pagat and kings before the last trick."""
FEATS: Mapping[RuleSet, tuple[FeatKind, ...]] = {
    "a": (),
    "b": ("vole", "nolo"),
    "c": ("tout", "nolo"),
}
ANNOUNCED: Mapping[str, Mapping[int | None, tuple[int, int | None]]] = {
    "vole": {None: (26, -26), 1: (52, -52), 13: (38, -38), 20: (31, -31)},
    "nolo": {None: (26, None), 1: (36, -10), 13: (31, -5)},
}
"""Made and failed, by the trick before which a feat was announced (Grosstarock)."""
FOOL_LEFT = 4
_ENTRY_OF: Mapping[type[Action], type[AnyEntry]] = {
    Declare: Declared,
    TellFate: FateTold,
    LastTrick: LastTrickTold,
    LastCard: LastCardTold,
    TellFeat: FeatTold,
    FoolAlone: FoolLeft,
    WrongDiscard: WrongDiscardFound,
    Points: PointsCounted,
    LeaveUnclaimed: FeatUnclaimed,
    ThrowIn: HandVoided,
}
"""An action says the same of its entry, by the same names and in the same order."""


def entry_of(action: Action) -> AnyEntry | None:
    """Return what *action* tells of the running hand, or None if it tells nothing of it."""
    if kind := _ENTRY_OF.get(type(action)):
        return kind(*action.said)
    match action:
        case Fine(seat, each):
            return Fined(seat, each)
        case FineIntoPot(seat, pot, chips):
            pots = {"king_pot": chips} if pot == "king" else {"pagat_pot": chips}
            return Fined(seat, 0, **pots)
    return None


MOMENTS = {
    "won": "game",
    "booked": "booked",
    "ledger.pagat_ultimo_won": "ultimo",
    "ledger.pagat_ultimo_lost": "ultimo-lost",
    "ledger.king_ultimo_won": "ultimo",
    "ledger.king_ultimo_lost": "ultimo-lost",
    "ledger.tout": "tout",
    "ledger.nolo": "nolo",
    "ledger.nolo_made": "nolo",
    "ledger.vole_made": "vole",
}
"""What outsiders react to, by the news that tells it (`kloplei.games.moments`)."""
