"""The state of a Watten table: what is remembered, and what follows from it (§ 10).

Tuples of numbers run by seat index of the table; partners hold the same points. Below the state
stand the sides: who plays with whom in a deal, and who may not raise any more (§ 1, § 6, § 7).
"""

from dataclasses import field
from enum import StrEnum

from kloplei.frozen import dataclass, replace
from kloplei.games.card_game import GameState, put
from kloplei.games.game import Seat
from kloplei.games.watten.options import Options

TRICKS_IN_DEAL = 5
TRICKS_TO_WIN = 3  # of a side
TEAM_PLAYERS = 4
SOLO_PLAYERS = 3  # one against two


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


def sides(options: Options, state: State) -> tuple[tuple[Seat, ...], ...]:
    """Return who plays together in this deal; three players: the soloist, then the pair."""
    if options.everyone_alone:
        return tuple((seat,) for seat in state.seats)
    if len(state.seats) == SOLO_PLAYERS:
        pair = tuple(seat for seat in state.seats if seat != state.neighbour)
        return (state.neighbour,), pair
    return accounts(options, state)


def accounts(options: Options, state: State) -> tuple[tuple[Seat, ...], ...]:
    """Return who shares points: the teams of four players, else everybody alone."""
    if len(state.seats) == TEAM_PLAYERS and not options.everyone_alone:
        return state.seats[::2], state.seats[1::2]
    return tuple((seat,) for seat in state.seats)


def side_of(options: Options, state: State, seat: Seat) -> tuple[Seat, ...]:
    """Return those who play together with *seat*, itself included."""
    return next(side for side in sides(options, state) if seat in side)


def opponents(options: Options, state: State, seat: Seat) -> tuple[Seat, ...]:
    """Return those who play against *seat*, in the order of play."""
    own = side_of(options, state, seat)
    return tuple(one for one in state.seats if one not in own)


def reaches(options: Options, state: State, side: tuple[Seat, ...], points: int) -> bool:
    """Return whether *side* stands at *points* or more, by the house's view of a pair."""
    every = all if options.three_player_pair_lock == "both of them" else any
    return every(state.points[seat] >= points for seat in side)


def is_locked(options: Options, state: State, seat: Seat) -> bool:
    """Return whether the side of *seat* may not raise; the score of the deal's start counts."""
    side = side_of(options, state, seat)
    return options.lock is not None and reaches(options, state, side, options.lock)


def tense_sides(options: Options, state: State) -> tuple[tuple[Seat, ...], ...]:
    """Return the sides that are *gestrichen*."""
    return tuple(
        side for side in sides(options, state) if reaches(options, state, side, options.tense)
    )


def tricks_of(state: State, side: tuple[Seat, ...]) -> int:
    """Return how many tricks *side* has in the running deal."""
    return sum(state.deal.tricks[seat] for seat in side) if state.deal.tricks else 0


def decided_for(options: Options, state: State) -> tuple[Seat, ...]:
    """Return the side that has won the running deal by its tricks, nobody as long as none has."""
    every = sides(options, state)
    return next((side for side in every if tricks_of(state, side) >= TRICKS_TO_WIN), ())


def clean_points(options: Options, state: State) -> tuple[int, ...]:
    """Return what stands on the slate when a game begins."""
    first = options.bohemian_start if options.everyone_alone else 0
    return tuple(first if seat in state.seats else 0 for seat in range(len(state.points)))


def _added(points: tuple[int, ...], more: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(held + gained for held, gained in zip(points, more, strict=True))
