"""What players of Tarok may ask for; names as on the wire (§ 9)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import ClassVar, Literal

from kloplei.rules.game import KIND, OPEN, Action, SeatAction
from kloplei.rules.tarok import entries
from kloplei.rules.tarok.entries import AnyEntry
from kloplei.rules.tarok.tariff import Declarable, Fate, FeatKind

Suit = Literal["H", "D", "S", "C"]
LastCardKind = Literal["pagat", "king"]
Pot = Literal["king", "pagat"]


@dataclass(frozen=True, slots=True)
class SitOut(SeatAction):
    """*seat* sits out the next hand (option ``sitter``)."""

    name: ClassVar[str] = "sit_out"


@dataclass(frozen=True, slots=True)
class Deal(Action):
    """Deal the next hand; what goes into the pots is paid."""

    name: ClassVar[str] = "deal"


@dataclass(frozen=True, slots=True)
class Declare(SeatAction):
    """Declare a holding, of *count* cards or of a *suit* where that is said.

    *pagat* and *fool* say whether these are among the taroks, where one has to say so.
    """

    name: ClassVar[str] = "declare"
    records: ClassVar[bool] = True
    what: Declarable = field(metadata=KIND)
    count: int | None = None
    suit: Suit | None = None
    pagat: bool | None = None
    fool: bool | None = None


@dataclass(frozen=True, slots=True)
class Pass(SeatAction):
    """*seat* has nothing to declare, or nothing more."""

    name: ClassVar[str] = "pass"
    records: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Fine(SeatAction):
    """*seat* pays *each* opponent so much."""

    name: ClassVar[str] = "fine"
    records: ClassVar[bool] = True
    each: int


@dataclass(frozen=True, slots=True)
class FineIntoPot(SeatAction):
    """*seat* pays so many *chips* into a *pot*."""

    name: ClassVar[str] = "fine_pot"
    records: ClassVar[bool] = True
    pot: Pot
    chips: int


@dataclass(frozen=True, slots=True)
class TellFate(SeatAction):
    """*seat* brought the pagat or a king home, or lost it, before the last trick."""

    name: ClassVar[str] = "fate"
    records: ClassVar[bool] = True
    what: Fate


@dataclass(frozen=True, slots=True)
class LastTrick(SeatAction):
    """*seat* won the last trick."""

    name: ClassVar[str] = "last_trick"
    records: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class LastCard(SeatAction):
    """*seat* played the pagat or a king to the last trick."""

    name: ClassVar[str] = "last_card"
    records: ClassVar[bool] = True
    card: LastCardKind


@dataclass(frozen=True, slots=True)
class TellFeat(SeatAction):
    """*seat* took every trick, or none; or failed to, having *announced* it before that trick."""

    name: ClassVar[str] = "feat"
    records: ClassVar[bool] = True
    what: FeatKind = field(metadata=KIND)
    announced: int | None = None
    made: bool = True


@dataclass(frozen=True, slots=True)
class FoolAlone(SeatAction):
    """*seat* took no trick and was left with the Fool."""

    name: ClassVar[str] = "excuse_alone"
    records: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class WrongDiscard(SeatAction):
    """*seat*, the dealer, had laid away a wrong number of cards."""

    name: ClassVar[str] = "wrong_discard"
    records: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Points(SeatAction):
    """The pile of *seat* counts so many card *points*."""

    name: ClassVar[str] = "points"
    records: ClassVar[bool] = True
    points: int


@dataclass(frozen=True, slots=True)
class Result(Action):
    """All that the hand brought, where only that is kept: *amounts* of those seated, by place.

    *king* and *pagat* are what went into the pots, less than 0 for what came out of them.
    """

    name: ClassVar[str] = "result"
    amounts: tuple[int, ...] = field(metadata=OPEN)
    king: int = field(default=0, metadata=OPEN)
    pagat: int = field(default=0, metadata=OPEN)


@dataclass(frozen=True, slots=True)
class ThrowIn(Action):
    """The hand is void and will be dealt again."""

    name: ClassVar[str] = "throw_in"


@dataclass(frozen=True, slots=True)
class TakeBack(Action):
    """Entry number *entry* of this hand was wrong; those above it move down."""

    name: ClassVar[str] = "take_back"
    rewrites: ClassVar[bool] = True
    entry: int


@dataclass(frozen=True, slots=True)
class Book(Action):
    """All is told: write the hand down."""

    name: ClassVar[str] = "book"


@dataclass(frozen=True, slots=True)
class Reopen(Action):
    """Something is wrong with that *hand*: tell it anew, and book all after it once more."""

    name: ClassVar[str] = "reopen"
    rewrites: ClassVar[bool] = True
    hand: int


@dataclass(frozen=True, slots=True)
class Settle(Action):
    """The evening is over: share out the pots."""

    name: ClassVar[str] = "settle"


@dataclass(frozen=True, slots=True)
class NewGame(Action):
    """Wipe the slate after an evening and begin the next one."""

    name: ClassVar[str] = "new_game"


ACTIONS: Mapping[str, type[Action]] = {
    action.name: action
    for action in (
        *(SitOut, Deal, Declare, Pass, Fine, FineIntoPot, TellFate, LastTrick, LastCard, TellFeat),
        *(FoolAlone, WrongDiscard, Points, Result, ThrowIn, TakeBack, Book, Reopen),
        *(Settle, NewGame),
    )
}

_ENTRY_OF: Mapping[type[Action], type[AnyEntry]] = {
    Declare: entries.Declared,
    TellFate: entries.FateTold,
    LastTrick: entries.LastTrickTold,
    LastCard: entries.LastCardTold,
    TellFeat: entries.FeatTold,
    FoolAlone: entries.FoolLeft,
    WrongDiscard: entries.WrongDiscardFound,
    Points: entries.PointsCounted,
    ThrowIn: entries.HandVoided,
}
_FACTS = {kind: tuple(one.name for one in fields(kind)) for kind in _ENTRY_OF.values()}
"""What an action says of its entry: the same facts by the same names."""


def entry_of(action: Action) -> AnyEntry | None:
    """Return what *action* tells of the running hand, or None if it tells nothing of it."""
    match action:
        case Fine(seat, each):
            return entries.Fined(seat, each)
        case FineIntoPot(seat, pot, chips):
            pots = {"king_pot": chips} if pot == "king" else {"pagat_pot": chips}
            return entries.Fined(seat, 0, **pots)
    kind = _ENTRY_OF.get(type(action))
    if kind is None:
        return None
    return kind(*(getattr(action, fact) for fact in _FACTS[kind]))
