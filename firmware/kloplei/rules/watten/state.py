"""The state of a Watten table: what is remembered, and what follows from it (§ 10).

Tuples of numbers run by seat index of the table; partners hold the same points.
"""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from kloplei.rules.card_game import GameState, put
from kloplei.rules.game import Seat

TRICKS_IN_DEAL = 5
TRICKS_TO_WIN = 3  # of a side


class Phase(StrEnum):
    """What the table is doing."""

    BETWEEN_DEALS = "between_deals"
    ANNOUNCING = "announcing"
    EXCHANGE = "exchange"
    PLAY = "play"
    ANSWERING = "answering"
    GAME_OVER = "game_over"


_IN_DEAL = frozenset({Phase.ANNOUNCING, Phase.EXCHANGE, Phase.PLAY, Phase.ANSWERING})


@dataclass(frozen=True, slots=True)
class LaidTrick:
    """A trick of which *cards* were entered, in order of play from the seat that led."""

    took: Seat
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Seal:
    """What Blind Watten is played by, as far as it was entrusted to the box; None was not."""

    rank: str | None = field(default=None, repr=False)
    suit: str | None = field(default=None, repr=False)

    @property
    def is_whole(self) -> bool:
        """Whether the box can say who takes a trick."""
        return self.rank is not None and self.suit is not None

    @property
    def is_blank(self) -> bool:
        """Whether nothing was entrusted to the box."""
        return self.rank is None and self.suit is None


@dataclass(frozen=True, slots=True)
class RunningDeal:
    """The deal on the table; the blank one stands for none.

    *raiser* has an open raise to *proposed*, or it is *forced* and nobody's doing; *raised_last*
    had one accepted. *aloud* Schlag and trump were named, but not to the box.

    *informed* have shown each other a card, in Blind Watten; each of the two may have *confirmed*
    it alone. What they know may be under *seal*: no edge may see it. *lying* are the cards
    entered of the trick that is played, *laid* the tricks before it.
    """

    value: int = 0
    offered: bool = False
    offer_open: bool = False
    schlag_by: Seat | None = None
    schlag: str | None = None
    trump: str | None = None
    aloud: bool = False
    confirmed: tuple[Seat, ...] = ()
    informed: tuple[Seat, ...] = ()
    seal: Seal = field(default_factory=Seal)
    lying: tuple[str, ...] = ()
    laid: tuple[LaidTrick, ...] = ()
    exchanged: tuple[Seat, ...] = ()
    taken: int = 0  # cards, by those who exchanged
    raiser: Seat | None = None
    proposed: int | None = None
    forced: bool = False
    raised_last: Seat | None = None
    tricks: tuple[int, ...] = ()
    lead: Seat | None = None

    @property
    def announced(self) -> bool:
        """Whether everybody who must know has been told Schlag and trump."""
        return self.trump is not None or self.aloud or bool(self.informed)


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """A finished deal of the running game, with what it takes to undo its points.

    *before* are the points when it began; *seat* is whose doing its end was. The *seal* is
    open now, and *laid* are the tricks that were entered card by card.
    """

    number: int
    how: str
    seat: Seat | None
    winners: tuple[Seat, ...]
    value: int
    dealer: Seat
    before: tuple[int, ...]
    after: tuple[int, ...]
    seal: Seal = field(default_factory=Seal)
    laid: tuple[LaidTrick, ...] = ()

    def given_to(self, winners: tuple[Seat, ...]) -> "PlayedDeal":
        """Return the deal as if *winners* had won it."""
        after = self.before
        for seat in winners:
            after = put(after, seat, after[seat] + self.value)
        return replace(self, how="corrected", winners=winners, after=after)

    def moved(self, by: tuple[int, ...]) -> "PlayedDeal":
        """Return the deal as if it had begun with so many more points, *by* seat index."""
        return replace(self, before=_added(self.before, by), after=_added(self.after, by))


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A finished game of the evening; it counts for *games*."""

    winners: tuple[Seat, ...]
    games: int


@dataclass(frozen=True, slots=True)
class State(GameState):
    """One table of Watten between two events; *seats* stand in the order of play.

    *may_take_back* as long as the points of the last deal can still be taken off the slate.
    """

    points: tuple[int, ...]
    phase: Phase = Phase.BETWEEN_DEALS
    deal: RunningDeal = field(default_factory=RunningDeal)

    # this game
    deals: tuple[PlayedDeal, ...] = ()
    may_take_back: bool = False

    # this evening
    games: tuple[PlayedGame, ...] = ()

    @property
    def deal_running(self) -> bool:
        """Whether cards are on the table."""
        return self.phase in _IN_DEAL

    @property
    def winners(self) -> tuple[Seat, ...]:
        """Who won the game that is over, if one is."""
        return self.games[-1].winners if self.phase is Phase.GAME_OVER else ()

    @property
    def neighbour(self) -> Seat:
        """The seat next to the dealer in the order of play, who speaks and leads first."""
        return self.after(self.dealer)[0]

    @property
    def knowing(self) -> tuple[Seat, ...]:
        """The two who alone know Schlag and trump in Blind Watten: dealer and neighbour."""
        return self.dealer, self.neighbour

    @property
    def tricks_played(self) -> int:
        """How many tricks of the running deal have been taken."""
        return sum(self.deal.tricks)

    def games_won(self, seat: Seat) -> int:
        """Return how many games *seat* has won this evening."""
        return sum(game.games for game in self.games if seat in game.winners)

    def with_points(self, points: tuple[int, ...], *, after: int) -> "State":
        """Return the table with *points*, as if deals later than number *after* began with them.

        A revoke found in the last one takes back what that deal brought, and no correction.
        """
        by = tuple(new - old for new, old in zip(points, self.points, strict=True))
        deals = tuple(deal.moved(by) if deal.number > after else deal for deal in self.deals)
        return replace(self, points=points, deals=deals)


def _added(points: tuple[int, ...], more: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(held + gained for held, gained in zip(points, more, strict=True))
