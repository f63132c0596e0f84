"""The words of toepen: what players may ask for, and what happened (§ 12).

Actions go by their names on the wire and in records, events by their class names in the journal:
neither is ever renamed. Tuples of numbers run by seat index of the table; lives are lives lost,
after the event.
"""

from dataclasses import field
from typing import ClassVar, Literal

from kloplei.frozen import dataclass
from kloplei.games.card_game import Correct, Deal, Misdeal, Ready, Revoke
from kloplei.games.game import (
    OPEN,
    Action,
    Answered,
    Event,
    Seat,
    SeatAction,
    actions_in,
    events_in,
)

Found = Literal["clean", "dirty"]
ThreeAlike = Literal["three_tens", "three_jacks"]
FourAlike = Literal["four_tens", "four_jacks"]
SingReason = Literal["cannot_whistle", "forgot_to_whistle"]

LAST_TRICK = 4


@dataclass(frozen=True, slots=True)
class Exchange(SeatAction):
    """Lay four cards away for four new ones."""


@dataclass(frozen=True, slots=True)
class Challenge(SeatAction):
    """Turn up what *of* laid away; *found* is ``clean`` (only A K Q J) or ``dirty``."""

    of: Seat
    found: Found


@dataclass(frozen=True, slots=True)
class Stay(SeatAction):
    """Play on for the new stake."""


@dataclass(frozen=True, slots=True)
class Fold(SeatAction):
    """Leave the hand and pay."""


@dataclass(frozen=True, slots=True)
class Knock(SeatAction):
    """Raise the stake by one."""


@dataclass(frozen=True, slots=True)
class BlindKnock(SeatAction):
    """Raise the stake by one without having looked at the cards (option ``blind_knock``)."""


@dataclass(frozen=True, slots=True)
class Trick(SeatAction):
    """Trick *n*, 1 to 4, was taken by *seat*; the fourth ends the hand."""

    # Who says "my trick" means the one that counts; records write the number out.
    n: int = field(metadata={"implied": LAST_TRICK})


@dataclass(frozen=True, slots=True)
class Jack(SeatAction):
    """The fourth trick was taken with a jack (option ``jack_bonus``)."""


@dataclass(frozen=True, slots=True)
class Whistle(SeatAction):
    """Whistle for what the hand *holds*."""

    holds: ThreeAlike = "three_tens"


@dataclass(frozen=True, slots=True)
class Stand(SeatAction):
    """Stand up for what the hand *holds*."""

    holds: FourAlike = "four_tens"


@dataclass(frozen=True, slots=True)
class Sing(SeatAction):
    """Sing, because one should have whistled."""

    why: SingReason = "cannot_whistle"


@dataclass(frozen=True, slots=True)
class Four(SeatAction):
    """Show four of a kind (option ``four_of_a_kind``)."""


@dataclass(frozen=True, slots=True)
class Drink(SeatAction):
    """The drink owed by *seat* stands on the table."""


@dataclass(frozen=True, slots=True)
class Chalk(SeatAction):
    """Write down by hand that *seat* has lost so many *lives*."""

    rewrites: ClassVar[bool] = True
    lives: int


@dataclass(frozen=True, slots=True)
class Amend(Action):
    """Tell all of hand number *hand* anew: who won it, at what *stake*, and who had *folded*.

    That is a number a player, in the order of the rows: the lives it cost to fold, less than 0
    for who was in to the end, or was not in at all.
    """

    rewrites: ClassVar[bool] = True
    hand: int
    winner: Seat
    stake: int = field(metadata=OPEN)
    folded: tuple[int, ...] = field(metadata=OPEN)


@dataclass(frozen=True, slots=True)
class WonBefore(SeatAction):
    """Write down that *seat* had won so many *rubbers* of this evening on another slate."""

    rewrites: ClassVar[bool] = True
    rubbers: int


@dataclass(frozen=True, slots=True)
class Payout(Action):
    """So many *chips* come out of the pot: for *seat*, or for all, if there is none."""

    chips: int = field(metadata=OPEN)
    seat: Seat | None = None


ACTIONS = actions_in(globals(), Correct, Deal, Misdeal, Ready, Revoke)


@dataclass(frozen=True, slots=True)
class Dealt(Event):
    """A hand began. *in_hand* is clockwise; *exchanges* is how many the stock can serve."""

    dealer: Seat
    in_hand: tuple[Seat, ...]
    stake: int
    lead: Seat
    armoede: tuple[Seat, ...]
    exchanges: int


@dataclass(frozen=True, slots=True)
class Exchanged(Event):
    """A seat took four new cards and may be challenged for it."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Challenged(Event):
    """*seat* turned up what *of* laid away; *loser* lost *n* lives by it."""

    seat: Seat
    of: Seat
    found: str
    loser: Seat
    n: int
    lives: int


@dataclass(frozen=True, slots=True)
class ArmoedeSettled(Event):
    """Who is in armoede in this hand was settled anew, with stake and lead."""

    armoede: tuple[Seat, ...]
    stake: int
    lead: Seat


@dataclass(frozen=True, slots=True)
class ExchangeClosed(Event):
    """No more exchanges or challenges; *to_answer* decide on armoede, in this order."""

    to_answer: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Stayed(Answered):
    """A seat plays for *stake*; *forced* when it could not lose more and was not asked."""

    seat: Seat
    stake: int
    forced: bool = False

    @property
    def is_answer(self) -> bool:
        """Whether it was asked."""
        return not self.forced


@dataclass(frozen=True, slots=True)
class Folded(Answered):
    """A seat left the hand and paid *n* lives."""

    seat: Seat
    n: int
    lives: int


@dataclass(frozen=True, slots=True)
class Knocked(Answered):
    """The stake went up; *to_answer* must stay or fold, in this order."""

    seat: Seat
    stake: int
    to_answer: tuple[Seat, ...]
    blind: bool = False


@dataclass(frozen=True, slots=True)
class TrickTaken(Event):
    """One of the first three tricks; its winner leads the next."""

    seat: Seat
    number: int


@dataclass(frozen=True, slots=True)
class Whistled(Event):
    """A seat whistled."""

    seat: Seat
    holds: str


@dataclass(frozen=True, slots=True)
class Stood(Event):
    """A seat stood up."""

    seat: Seat
    holds: str


@dataclass(frozen=True, slots=True)
class Sang(Event):
    """A seat sang, and lost *n* lives for it where the house says so."""

    seat: Seat
    why: str
    n: int
    lives: int


@dataclass(frozen=True, slots=True)
class WentOut(Event):
    """A seat has no life left in this rubber; *owes* when the drink is due already."""

    seat: Seat
    owes: bool


@dataclass(frozen=True, slots=True)
class CameBack(Event):
    """A correction gave a seat that was out some life back."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class HandEnded(Event):
    """The hand is over.

    *how* is ``trick``, ``folds``, ``four``, ``everyone-lost``, ``revoke``, ``misdeal`` or
    ``out``; *winner* None where nobody won. *seat* is whose doing it was: winner, offender
    or taker of the trick; None for a misdeal. *stayed* were in at the end, *paid* is what
    each seat paid at the end (less than 0 for a life given back), *dealer* deals next.
    """

    number: int
    how: str
    winner: Seat | None
    seat: Seat | None
    stake: int
    stayed: tuple[Seat, ...]
    paid: tuple[int, ...]
    lives: tuple[int, ...]
    dealer: Seat


@dataclass(frozen=True, slots=True)
class RubberWon(Event):
    """The rubber is over; *owes* pay a drink before the slate is wiped.

    *toepkoning* and *lijntoeper* bear their titles from now on, *crowned* are new kings;
    *points* are what each seat earns in a tournament, zeros without one.
    """

    winners: tuple[Seat, ...]
    owes: tuple[Seat, ...]
    toepkoning: tuple[Seat, ...]
    crowned: tuple[Seat, ...]
    lijntoeper: tuple[Seat, ...]
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RubberReopened(Event):
    """A correction took the end of the rubber back, with its honours; *owes* still owe."""

    owes: tuple[Seat, ...]
    toepkoning: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Drank(Event):
    """A debt was paid: a drink, or so many *chips* *into* the pot that is played for.

    Of entries that do not say into what, a drink is told: they come from a version before.
    """

    seat: Seat
    chips: int = 1
    into: str = ""


@dataclass(frozen=True, slots=True)
class SlateWiped(Event):
    """A new rubber begins; *losers* are the ones who lost the old one first."""

    losers: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Corrected(Event):
    """Another seat had won hand number *hand*; *paid* is what each paid at its end.

    Where all of it was told anew, it was played for *stake* by those who *stayed*, and *folded*
    is what the others paid to leave; without anybody who stayed all that is as before.
    """

    hand: int
    winner: Seat
    paid: tuple[int, ...]
    lives: tuple[int, ...]
    dealer: Seat
    stake: int = 0
    stayed: tuple[Seat, ...] = ()
    folded: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Chalked(Event):
    """Somebody wrote down by hand how many lives *seat* has lost."""

    seat: Seat
    lives: int
    dealer: Seat


@dataclass(frozen=True, slots=True)
class RevokeFound(Event):
    """*seat* had revoked in hand number *hand*, which counts no more.

    *paid* is what each seat pays for that hand instead of what it paid at its end.
    """

    hand: int
    seat: Seat
    paid: tuple[int, ...]
    lives: tuple[int, ...]
    dealer: Seat


@dataclass(frozen=True, slots=True)
class RubbersEntered(Event):
    """*seat* had won so many *rubbers* elsewhere; *toepkoning* bear their title for it."""

    seat: Seat
    rubbers: int
    toepkoning: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class PaidOut(Event):
    """So many *chips* were taken out of the pot, by *seat* or for all, and *pot* are left."""

    chips: int
    seat: Seat | None
    pot: int


# These names and their fields are what stands on the disks of others: never rename or drop one;
# a new field has a default.
EVENTS = events_in(globals())

MOMENTS = {
    "knocked": "toep",
    "stayed": "stay",
    "folded": "fold",
    "armoede": "armoede",
    "challenge-dirty": "caught",
    "rubber-over": "rubber",
    "toepkoning": "toepkoning",
}
"""What outsiders react to, by the news that tells it (`kloplei.games.moments`)."""
