"""What players of Watten may ask for; names as on the wire (§ 10)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from kloplei.games.game import SECRET, Action, Seat, SeatAction

Suit = Literal["H", "D", "S", "C"]
Rank = Literal["6", "7", "8", "9", "10", "J", "Q", "K", "A"]
# fmt: off
CardName = Literal[
    "H7", "H8", "H9", "H10", "HJ", "HQ", "HK", "HA",
    "D6", "D7", "D8", "D9", "D10", "DJ", "DQ", "DK", "DA",
    "S7", "S8", "S9", "S10", "SJ", "SQ", "SK", "SA",
    "C7", "C8", "C9", "C10", "CJ", "CQ", "CK", "CA",
]
# fmt: on


@dataclass(frozen=True, slots=True)
class Deal(Action):
    """Deal the next cards."""

    name: ClassVar[str] = "deal"


@dataclass(frozen=True, slots=True)
class NewGame(Action):
    """Wipe the slate after a game and begin the next one."""

    name: ClassVar[str] = "new_game"


@dataclass(frozen=True, slots=True)
class Offer(SeatAction):
    """Propose to the dealer that both take new cards (*Schöner*)."""

    name: ClassVar[str] = "offer"


@dataclass(frozen=True, slots=True)
class Agree(SeatAction):
    """Take new cards, as was proposed."""

    name: ClassVar[str] = "agree"


@dataclass(frozen=True, slots=True)
class Refuse(SeatAction):
    """Keep the cards, whatever was proposed."""

    name: ClassVar[str] = "refuse"


@dataclass(frozen=True, slots=True)
class Schlag(SeatAction):
    """Name the trump *rank*."""

    name: ClassVar[str] = "schlag"
    rank: Rank


@dataclass(frozen=True, slots=True)
class Trump(SeatAction):
    """Name the trump *suit*."""

    name: ClassVar[str] = "trump"
    suit: Suit


@dataclass(frozen=True, slots=True)
class NameAloud(SeatAction):
    """Schlag and trump have been named aloud; what they are nobody has told the box."""

    name: ClassVar[str] = "announced"


@dataclass(frozen=True, slots=True)
class Show(Action):
    """Dealer and left neighbour have shown each other a card, in Blind Watten."""

    name: ClassVar[str] = "show"


@dataclass(frozen=True, slots=True)
class Confirm(SeatAction):
    """*seat* has shown its card and seen the other one, in Blind Watten."""

    name: ClassVar[str] = "confirm"


@dataclass(frozen=True, slots=True)
class SealSchlag(SeatAction):
    """Tell the box the trump *rank* of Blind Watten, and nobody else before the deal is over."""

    name: ClassVar[str] = "seal_schlag"
    rank: Rank = field(repr=False, metadata=SECRET)


@dataclass(frozen=True, slots=True)
class SealTrump(SeatAction):
    """Tell the box the trump *suit* of Blind Watten, and nobody else before the deal is over."""

    name: ClassVar[str] = "seal_trump"
    suit: Suit = field(repr=False, metadata=SECRET)


@dataclass(frozen=True, slots=True)
class LayCard(SeatAction):
    """*seat*, who knows what is trump, says which *card* was played next, by whoever it was."""

    name: ClassVar[str] = "card"
    card: CardName


@dataclass(frozen=True, slots=True)
class Signal(SeatAction):
    """Give one's partner a sign."""

    name: ClassVar[str] = "signal"


@dataclass(frozen=True, slots=True)
class ShowHands(SeatAction):
    """Look at one's partner's hand, with the six as Schlag."""

    name: ClassVar[str] = "show_hands"


@dataclass(frozen=True, slots=True)
class Raise(SeatAction):
    """Propose that the deal be worth one point more; as an answer it holds first."""

    name: ClassVar[str] = "raise"


@dataclass(frozen=True, slots=True)
class Accept(SeatAction):
    """Hold: play on for what was proposed."""

    name: ClassVar[str] = "accept"


@dataclass(frozen=True, slots=True)
class GiveUp(SeatAction):
    """Let the others have the deal for what it was worth."""

    name: ClassVar[str] = "fold"


@dataclass(frozen=True, slots=True)
class Trick(SeatAction):
    """The next trick was taken by *seat*."""

    name: ClassVar[str] = "trick"


@dataclass(frozen=True, slots=True)
class Revoke(SeatAction):
    """*seat* did not play what it had to, in this deal or the one before."""

    name: ClassVar[str] = "revoke"


@dataclass(frozen=True, slots=True)
class Misdeal(Action):
    """The cards were dealt wrongly."""

    name: ClassVar[str] = "misdeal"


@dataclass(frozen=True, slots=True)
class LookEarly(SeatAction):
    """*seat* looked at cards before it should have (option ``look_early_penalty``)."""

    name: ClassVar[str] = "look_early"


@dataclass(frozen=True, slots=True)
class Maschine(SeatAction):
    """Show all Kritische in one hand (option ``maschine``)."""

    name: ClassVar[str] = "maschine"


@dataclass(frozen=True, slots=True)
class TurnUp(Action):
    """The bottom card of the pack is shown and makes trump, in Bohemian Watten."""

    name: ClassVar[str] = "turnup"
    suit: Suit
    rank: Rank


@dataclass(frozen=True, slots=True)
class Exchange(SeatAction):
    """Lay *n* cards away for as many new ones; with 0 one keeps all."""

    # Records say `swap`, but at a table that is what players do with their places.
    name: ClassVar[str] = "exchange"
    n: int


@dataclass(frozen=True, slots=True)
class Ready(Action):
    """Nobody exchanges any more."""

    name: ClassVar[str] = "ready"


@dataclass(frozen=True, slots=True)
class Result(Action):
    """How many *tricks* each player has taken, in the order of the seats."""

    name: ClassVar[str] = "result"
    tricks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Correct(Action):
    """Deal number *hand* of this game was really won by the side of *winner*."""

    name: ClassVar[str] = "correct"
    rewrites: ClassVar[bool] = True
    hand: int
    winner: Seat


@dataclass(frozen=True, slots=True)
class Chalk(SeatAction):
    """Write down by hand that *seat*, and whoever shares its account, has so many *points*."""

    name: ClassVar[str] = "chalk"
    rewrites: ClassVar[bool] = True
    points: int


ACTIONS: Mapping[str, type[Action]] = {
    action.name: action
    for action in (
        *(Deal, NewGame, Offer, Agree, Refuse, Schlag, Trump, Show, Signal, ShowHands),
        *(Confirm, SealSchlag, SealTrump, LayCard),
        *(Raise, Accept, GiveUp, Trick, Revoke, Misdeal, LookEarly, Maschine),
        *(TurnUp, Exchange, Ready, Result, NameAloud, Correct, Chalk),
    )
}
