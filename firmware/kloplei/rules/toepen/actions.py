"""What players of toepen may ask for; names as on the wire and in records (§ 12)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from kloplei.rules.game import Action, Seat, SeatAction

Found = Literal["clean", "dirty"]
Whistled = Literal["three_tens", "three_jacks"]
Stood = Literal["four_tens", "four_jacks"]
Sang = Literal["cannot_whistle", "forgot_to_whistle"]

LAST_TRICK = 4


@dataclass(frozen=True, slots=True)
class Deal(Action):
    """Deal the next hand."""

    name: ClassVar[str] = "deal"


@dataclass(frozen=True, slots=True)
class Exchange(SeatAction):
    """Lay four cards away for four new ones."""

    name: ClassVar[str] = "exchange"


@dataclass(frozen=True, slots=True)
class Challenge(SeatAction):
    """Turn up what *of* laid away; *found* is ``clean`` (only A K Q J) or ``dirty``."""

    name: ClassVar[str] = "challenge"
    of: Seat
    found: Found


@dataclass(frozen=True, slots=True)
class Ready(Action):
    """Nobody exchanges any more."""

    name: ClassVar[str] = "ready"


@dataclass(frozen=True, slots=True)
class Stay(SeatAction):
    """Play on for the new stake."""

    name: ClassVar[str] = "stay"


@dataclass(frozen=True, slots=True)
class Fold(SeatAction):
    """Leave the hand and pay."""

    name: ClassVar[str] = "fold"


@dataclass(frozen=True, slots=True)
class Knock(SeatAction):
    """Raise the stake by one."""

    name: ClassVar[str] = "knock"


@dataclass(frozen=True, slots=True)
class BlindKnock(SeatAction):
    """Raise the stake by one without having looked at the cards (option ``blind_knock``)."""

    name: ClassVar[str] = "blind_knock"


@dataclass(frozen=True, slots=True)
class Trick(SeatAction):
    """Trick *n*, 1 to 4, was taken by *seat*; the fourth ends the hand."""

    name: ClassVar[str] = "trick"
    # Who says "my trick" means the one that counts; records write the number out.
    n: int = field(metadata={"implied": LAST_TRICK})


@dataclass(frozen=True, slots=True)
class Jack(SeatAction):
    """The fourth trick was taken with a jack (option ``jack_bonus``)."""

    name: ClassVar[str] = "jack"


@dataclass(frozen=True, slots=True)
class Revoke(SeatAction):
    """This seat did not follow suit although it could."""

    name: ClassVar[str] = "revoke"


@dataclass(frozen=True, slots=True)
class Misdeal(Action):
    """The cards were dealt wrongly."""

    name: ClassVar[str] = "misdeal"


@dataclass(frozen=True, slots=True)
class Whistle(SeatAction):
    """Whistle for what the hand *holds*."""

    name: ClassVar[str] = "whistle"
    holds: Whistled = "three_tens"


@dataclass(frozen=True, slots=True)
class Stand(SeatAction):
    """Stand up for what the hand *holds*."""

    name: ClassVar[str] = "stand"
    holds: Stood = "four_tens"


@dataclass(frozen=True, slots=True)
class Sing(SeatAction):
    """Sing, because one should have whistled."""

    name: ClassVar[str] = "sing"
    why: Sang = "cannot_whistle"


@dataclass(frozen=True, slots=True)
class Four(SeatAction):
    """Show four of a kind (option ``four_of_a_kind``)."""

    name: ClassVar[str] = "four"


@dataclass(frozen=True, slots=True)
class Drink(SeatAction):
    """The drink owed by *seat* stands on the table."""

    name: ClassVar[str] = "drink"


@dataclass(frozen=True, slots=True)
class Correct(Action):
    """Hand number *hand* of this rubber was really won by *winner*."""

    name: ClassVar[str] = "correct"
    rewrites: ClassVar[bool] = True
    hand: int
    winner: Seat


@dataclass(frozen=True, slots=True)
class Chalk(SeatAction):
    """Write down by hand that *seat* has lost so many *lives*."""

    name: ClassVar[str] = "chalk"
    rewrites: ClassVar[bool] = True
    lives: int


ACTIONS: Mapping[str, type[Action]] = {
    action.name: action
    for action in (
        *(Deal, Exchange, Challenge, Ready, Stay, Fold, Knock, BlindKnock, Trick, Jack, Revoke),
        *(Misdeal, Whistle, Stand, Sing, Four, Drink, Correct, Chalk),
    )
}
