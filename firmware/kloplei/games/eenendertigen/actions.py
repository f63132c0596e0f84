"""The words of eenendertigen: what players may ask for, and what happened (§ 8).

Actions go by their names on the wire and in records, events by their class names in the journal:
neither is ever renamed. Tuples of numbers run by seat index of the table; lives are lives lost,
after the event; *out* is who has none left then.
"""

from collections.abc import Mapping
from typing import ClassVar, Literal

from kloplei.frozen import dataclass
from kloplei.games.card_game import Deal, Misdeal
from kloplei.games.game import Action, Answered, Event, Seat, SeatAction

Holds = Literal["thirty_one", "three_alike", "three_aces"]


@dataclass(frozen=True, slots=True)
class Knock(SeatAction):
    """Everybody else has one more turn."""


@dataclass(frozen=True, slots=True)
class Lay(SeatAction):
    """Lay the hand open at once, because of what it *holds*."""

    holds: Holds


@dataclass(frozen=True, slots=True)
class Lowest(SeatAction):
    """The hand of *seat* was the lowest, or as low as the lowest."""

    of_several: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Equal(Action):
    """All were equal, or the lowest are where a tie costs nothing: nobody loses."""

    by_anybody: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Drink(SeatAction):
    """The drink owed by *seat* stands on the table."""


@dataclass(frozen=True, slots=True)
class Correct(Action):
    """In deal number *hand* the lowest was really *of*, and nobody else."""

    rewrites: ClassVar[bool] = True
    hand: int
    of: Seat


@dataclass(frozen=True, slots=True)
class Chalk(SeatAction):
    """Write down by hand that *seat* has lost so many *lives*."""

    rewrites: ClassVar[bool] = True
    lives: int


ACTIONS: Mapping[str, type[Action]] = {
    action.name: action
    for action in (Deal, Knock, Lay, Lowest, Equal, Misdeal, Drink, Correct, Chalk)
}


@dataclass(frozen=True, slots=True)
class Dealt(Event):
    """A deal began; *in_hand* is clockwise from the dealer's left."""

    dealer: Seat
    in_hand: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Knocked(Answered):
    """*seat* knocked: all others have one more turn."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class LaidOpen(Event):
    """*seat* laid open what it *holds*: nobody takes a turn any more, and the lowest loses."""

    seat: Seat
    holds: str


@dataclass(frozen=True, slots=True)
class HandEnded(Event):
    """A deal is over.

    *how* is ``lowest``, ``equal``, ``misdeal``, or what was laid open so that all others lose.
    *seat* is who laid it open, or was lowest; *paid* is what each lost; *dealer* deals next.
    """

    number: int
    how: str
    seat: Seat | None
    paid: tuple[int, ...]
    lives: tuple[int, ...]
    out: tuple[Seat, ...]
    dealer: Seat


@dataclass(frozen=True, slots=True)
class Tied(Event):
    """*seat* was as low as who was lowest in deal number *hand*, and lost *n* lives as well."""

    hand: int
    seat: Seat
    n: int
    lives: tuple[int, ...]
    out: tuple[Seat, ...]
    dealer: Seat


@dataclass(frozen=True, slots=True)
class RubberWon(Event):
    """*winner* is the only one who is not out; *owes* pay a drink before the slate is wiped."""

    winner: Seat
    owes: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class RubberReopened(Event):
    """A correction took the end of the rubber back; nobody owes anything for it any more."""


@dataclass(frozen=True, slots=True)
class Drank(Event):
    """A debt was paid."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class SlateWiped(Event):
    """A new rubber begins."""


@dataclass(frozen=True, slots=True)
class Corrected(Event):
    """*of* alone had been lowest in deal number *hand*; *paid* is what each lost in it."""

    hand: int
    of: Seat
    paid: tuple[int, ...]
    lives: tuple[int, ...]
    out: tuple[Seat, ...]
    dealer: Seat


@dataclass(frozen=True, slots=True)
class Chalked(Event):
    """Somebody wrote down by hand that *seat* has lost *n* lives."""

    seat: Seat
    n: int
    lives: tuple[int, ...]
    out: tuple[Seat, ...]
    dealer: Seat


# These names and their fields are what stands on the disks of others: never rename or drop one;
# a new field has a default.
EVENTS: Mapping[str, type[Event]] = {
    event.__name__: event
    for event in (
        *(Dealt, Knocked, LaidOpen, HandEnded, Tied, RubberWon, RubberReopened, Drank),
        *(SlateWiped, Corrected, Chalked),
    )
}

MOMENTS = {
    "last-turn": "last-turn",
    "laid-thirty-one": "thirty-one",
    "laid-three-alike": "three-alike",
    "laid-three-aces": "three-aces",
}
"""What outsiders react to, by the news that tells it (`kloplei.games.moments`)."""
