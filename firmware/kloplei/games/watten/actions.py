"""The words of Watten: what players may ask for, and what happened (§ 10).

Actions go by their names on the wire and in records, events by their class names in the journal:
neither is ever renamed. Tuples of numbers run by seat index of the table; partners hold the same
points.
"""

from dataclasses import field
from typing import ClassVar, Literal

from kloplei.frozen import dataclass
from kloplei.games.card_game import Correct, Deal, Misdeal, NewGame, Ready, Revoke
from kloplei.games.game import (
    SECRET,
    Action,
    Answered,
    Event,
    Seat,
    SeatAction,
    actions_in,
    events_in,
)

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
class Offer(SeatAction):
    """Propose to the dealer that both take new cards (*Schöner*)."""


@dataclass(frozen=True, slots=True)
class Agree(SeatAction):
    """Take new cards, as was proposed."""


@dataclass(frozen=True, slots=True)
class Refuse(SeatAction):
    """Keep the cards, whatever was proposed."""


@dataclass(frozen=True, slots=True)
class Schlag(SeatAction):
    """Name the trump *rank*."""

    rank: Rank


@dataclass(frozen=True, slots=True)
class Trump(SeatAction):
    """Name the trump *suit*."""

    suit: Suit


@dataclass(frozen=True, slots=True)
class NameAloud(SeatAction):
    """Schlag and trump have been named aloud; what they are nobody has told the box."""

    name: ClassVar[str] = "announced"


@dataclass(frozen=True, slots=True)
class Show(Action):
    """Dealer and left neighbour have shown each other a card, in Blind Watten."""


@dataclass(frozen=True, slots=True)
class Confirm(SeatAction):
    """*seat* has shown its card and seen the other one, in Blind Watten."""


# What is sealed must come out nowhere before `SealOpened`: in no sentence, offer, refusal, log line
# or `repr`. So these fields are SECRET and have no `repr`, and the events of them as well.
@dataclass(frozen=True, slots=True)
class SealSchlag(SeatAction):
    """Tell the box the trump *rank* of Blind Watten, and nobody else before the deal is over."""

    rank: Rank = field(repr=False, metadata=SECRET)


@dataclass(frozen=True, slots=True)
class SealTrump(SeatAction):
    """Tell the box the trump *suit* of Blind Watten, and nobody else before the deal is over."""

    suit: Suit = field(repr=False, metadata=SECRET)


@dataclass(frozen=True, slots=True)
class LayCard(SeatAction):
    """*seat*, who knows what is trump, says which *card* was played next, by whoever it was."""

    name: ClassVar[str] = "card"
    card: CardName


@dataclass(frozen=True, slots=True)
class Signal(SeatAction):
    """Give one's partner a sign."""


@dataclass(frozen=True, slots=True)
class ShowHands(SeatAction):
    """Look at one's partner's hand, with the six as Schlag."""


@dataclass(frozen=True, slots=True)
class Raise(SeatAction):
    """Propose that the deal be worth one point more; as an answer it holds first."""


@dataclass(frozen=True, slots=True)
class Accept(SeatAction):
    """Hold: play on for what was proposed."""


@dataclass(frozen=True, slots=True)
class GiveUp(SeatAction):
    """Let the others have the deal for what it was worth."""

    name: ClassVar[str] = "fold"


@dataclass(frozen=True, slots=True)
class Trick(SeatAction):
    """The next trick was taken by *seat*."""


@dataclass(frozen=True, slots=True)
class TrickOf(SeatAction):
    """*seat*, who knows what is trump in Blind Watten, says that the next trick is *took*'s."""

    took: Seat


@dataclass(frozen=True, slots=True)
class LookEarly(SeatAction):
    """*seat* looked at cards before it should have (option ``look_early_penalty``)."""


@dataclass(frozen=True, slots=True)
class Maschine(SeatAction):
    """Show all Kritische in one hand (option ``maschine``)."""


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
    n: int


@dataclass(frozen=True, slots=True)
class Result(Action):
    """How many *tricks* each player has taken, in the order of the seats."""

    tricks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Chalk(SeatAction):
    """Write down by hand that *seat*, and whoever shares its account, has so many *points*."""

    rewrites: ClassVar[bool] = True
    points: int


ACTIONS = actions_in(globals(), Correct, Deal, Misdeal, NewGame, Ready, Revoke)


@dataclass(frozen=True, slots=True)
class Dealt(Event):
    """A deal began; it is worth *value* as long as nobody raises.

    *raised_by* is one of the side that may not raise it, where it counts as raised at once.
    """

    dealer: Seat
    value: int
    raised_by: Seat | None = None


@dataclass(frozen=True, slots=True)
class NewCardsOffered(Event):
    """*seat* proposed to *dealer* that both take new cards."""

    seat: Seat
    dealer: Seat


@dataclass(frozen=True, slots=True)
class NewCardsTaken(Event):
    """The dealer agreed, and both have new cards."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class NewCardsRefused(Event):
    """The dealer did not want new cards."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class SchlagNamed(Event):
    """The trump rank is known."""

    seat: Seat
    rank: str


@dataclass(frozen=True, slots=True)
class TrumpNamed(Event):
    """The trump suit is known, and play begins unless it has begun by `NamedAloud`."""

    seat: Seat
    suit: str


@dataclass(frozen=True, slots=True)
class NamedAloud(Event):
    """*seat* said that Schlag and trump have been named, and play begins; the box was not told."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class CardsShown(Event):
    """The two *seats* who know showed each other a card, and play begins."""

    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class ShowConfirmed(Event):
    """*seat*, one of the two who know, has shown its card and seen the other one."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class SchlagSealed(Event):
    """*seat* entrusted the trump rank to the box; only the journal and the state hold it."""

    seat: Seat
    rank: str = field(repr=False, metadata=SECRET)


@dataclass(frozen=True, slots=True)
class TrumpSealed(Event):
    """*seat* entrusted the trump suit to the box; only the journal and the state hold it."""

    seat: Seat
    suit: str = field(repr=False, metadata=SECRET)


@dataclass(frozen=True, slots=True)
class CardLaid(Event):
    """*seat* played *card*, as one of the two who know has entered."""

    seat: Seat
    card: str


@dataclass(frozen=True, slots=True)
class SealOpened(Event):
    """The deal is over: everybody may know Schlag and trump; None was never sealed."""

    unseals: ClassVar[bool] = True
    rank: str | None
    suit: str | None


@dataclass(frozen=True, slots=True)
class FourForced(Event):
    """The locked side must hold a deal for *proposed*, which *seat*'s side did not ask for."""

    seat: Seat
    proposed: int


@dataclass(frozen=True, slots=True)
class Signalled(Event):
    """Somebody made a sign, or only looked like it."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class HandsShown(Event):
    """Partners looked at each other's hands."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Raised(Answered):
    """*seat* proposed that the deal be worth *proposed*; meanwhile it is worth *value*."""

    seat: Seat
    proposed: int
    value: int


@dataclass(frozen=True, slots=True)
class Held(Answered):
    """The deal is worth *value* from now on."""

    seat: Seat
    value: int


@dataclass(frozen=True, slots=True)
class TrickTaken(Event):
    """Trick *number* of the deal went to *seat*; *cards*, in order of play, where they say so."""

    seat: Seat
    number: int
    cards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DealEnded(Answered):
    """The deal is over.

    *how* is ``tricks``, ``given-up``, ``maschine``, ``illegal-raise``, ``revoke``, ``misdeal``,
    ``looked-early`` or, where everybody plays alone, ``counted``. *winners* score *scored*
    points each, nobody where the deal is void; *seat* is whose doing it was. *value* is what
    was agreed, *points* what stands on the slate now, *dealer* deals next. *moved* is by how much
    that went up or down for each seat, where the tricks were counted.
    """

    unseals: ClassVar[bool] = True
    number: int
    how: str
    seat: Seat | None
    winners: tuple[Seat, ...]
    scored: int
    value: int
    points: tuple[int, ...]
    dealer: Seat
    moved: tuple[int, ...] = ()

    @property
    def is_answer(self) -> bool:
        """Whether *seat* gave it up, which is told by no event of its own."""
        return self.how == "given-up"


@dataclass(frozen=True, slots=True)
class DealTakenBack(Event):
    """*seat* turned out to have revoked: the last deal's points are off the slate again."""

    seat: Seat
    points: tuple[int, ...]
    dealer: Seat


@dataclass(frozen=True, slots=True)
class GameWon(Event):
    """The game is over; it counts for *games*, two where the losers have nothing."""

    winners: tuple[Seat, ...]
    games: int


@dataclass(frozen=True, slots=True)
class GameReopened(Event):
    """A correction took the end of the game back."""


@dataclass(frozen=True, slots=True)
class Corrected(Event):
    """Others had won deal number *hand*: *winners*; *points* stand on the slate now."""

    hand: int
    winners: tuple[Seat, ...]
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Chalked(Event):
    """Somebody wrote down by hand that the *seats* of one account have *number* points.

    *points* stand on the slate now.
    """

    seats: tuple[Seat, ...]
    number: int
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SlateWiped(Event):
    """A new game begins with *points*."""

    unseals: ClassVar[bool] = True
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TurnedUp(Event):
    """A card was turned up; *schlag* is the trump rank it makes, if it makes one.

    *rank* None is not known: somebody without a phone only told the suit.
    """

    suit: str
    rank: str | None
    schlag: str | None


@dataclass(frozen=True, slots=True)
class CardsExchanged(Event):
    """*seat* took *n* new cards."""

    seat: Seat
    n: int


@dataclass(frozen=True, slots=True)
class ExchangeClosed(Event):
    """No more exchanges: play begins."""


# These names and their fields are what stands on the disks of others: never rename or drop one;
# a new field has a default.
EVENTS = events_in(globals())

MOMENTS = {
    "raised": "raise",
    "four-forced": "raise",
    "held": "held",
    "given-up": "given-up",
    "game-won": "game",
    "seal-opened": "unsealed",
}
"""What outsiders react to, by the news that tells it (`kloplei.games.moments`)."""
