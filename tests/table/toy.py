"""Toy: a game small enough to read at once, which proves that the table knows no toepen.

Deal, then anybody raises the stake; who *wins* makes the others pay it. Five lost ends the
rubber; *settle* wipes the slate and gives the lowest a star. *boom* is a rule with a bug.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from kloplei.files import KlopleiError
from kloplei.games.game import (
    Action,
    Choose,
    Do,
    Event,
    Game,
    Gesture,
    IllegalAction,
    Meaning,
    Seat,
    SeatAction,
    Show,
    Slate,
)
from kloplei.games.scoreboard import Hand, Line, Row, Scoreboard, offers
from kloplei.table.seating import TableSetup

BETWEEN, PLAY, OVER = "between_hands", "play", "rubber_over"


@dataclass(frozen=True, slots=True)
class Deal(Action):
    name: ClassVar[str] = "deal"


@dataclass(frozen=True, slots=True)
class Raise(SeatAction):
    name: ClassVar[str] = "raise"


@dataclass(frozen=True, slots=True)
class Win(SeatAction):
    name: ClassVar[str] = "win"


@dataclass(frozen=True, slots=True)
class Settle(Action):
    name: ClassVar[str] = "settle"


@dataclass(frozen=True, slots=True)
class Chalk(SeatAction):
    name: ClassVar[str] = "chalk"
    rewrites: ClassVar[bool] = True
    lost: int


@dataclass(frozen=True, slots=True)
class Boom(Action):
    name: ClassVar[str] = "boom"


@dataclass(frozen=True, slots=True)
class Dealt(Event):
    dealer: Seat


@dataclass(frozen=True, slots=True)
class Raised(Event):
    seat: Seat
    stake: int


@dataclass(frozen=True, slots=True)
class Won(Event):
    seat: Seat
    lost: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RubberEnded(Event):
    winners: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Settled(Event):
    stars: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Chalked(Event):
    seat: Seat
    lost: int


@dataclass(frozen=True, slots=True)
class Boomed(Event):
    pass


@dataclass(frozen=True, slots=True)
class ToyState:
    seats: tuple[Seat, ...]
    dealer: Seat
    lost: tuple[int, ...]
    stars: tuple[int, ...]
    phase: str = BETWEEN
    stake: int | None = None
    raiser: Seat | None = None
    hands: tuple[Hand, ...] = ()
    news: Line | None = None


class Toy:
    name = "toy"
    min_seats = 2
    preset: str | None = None
    max_seats = 4
    actions: Mapping[str, type[Action]] = {
        one.name: one for one in (Deal, Raise, Win, Settle, Chalk, Boom)
    }
    events: Mapping[str, type[Event]] = {
        one.__name__: one for one in (Dealt, Raised, Won, RubberEnded, Settled, Chalked, Boomed)
    }

    def __init__(self, limit: int = 5, *, slammed: bool = False) -> None:
        self.limit = limit
        self.slammed = slammed  # the cards are, so that the wood means nothing in play

    def start(self, seats: tuple[Seat, ...], dealer: Seat) -> ToyState:
        nothing = (0,) * (max(seats) + 1)
        return ToyState(seats, dealer, nothing, nothing)

    def recover(self, seats: tuple[Seat, ...], dealer: Seat, slate: Slate) -> ToyState:
        return replace(self.start(seats, dealer), lost=tuple(slate.tallies.values()))

    def why_not(self, state: ToyState, action: Action) -> str | None:
        match action:
            case Deal():
                return None if state.phase == BETWEEN else "hand_running"
            case Settle():
                return None if state.phase == OVER else "no_rubber_over"
            case Chalk(_, lost):
                return None if 0 <= lost < self.limit and state.phase == BETWEEN else "bad_chalk"
            case Raise(seat) if state.phase == PLAY:
                return "raised_last" if seat == state.raiser else None
            case Win() if state.phase == PLAY:
                return None
            case Boom():
                return None
            case _:
                return "no_hand"

    def legal_actions(self, state: ToyState) -> frozenset[Action]:
        every: list[Action] = [Deal(), Settle()]
        for seat in state.seats:
            every += [Raise(seat), Win(seat), *(Chalk(seat, n) for n in range(self.limit))]
        return frozenset(one for one in every if self.why_not(state, one) is None)

    def decide(self, state: ToyState, action: Action) -> tuple[Event, ...]:
        if reason := self.why_not(state, action):
            raise IllegalAction(reason, stake=state.stake)
        match action:
            case Deal():
                return (Dealt(state.dealer),)
            case Raise(seat):
                return (Raised(seat, (state.stake or 0) + 1),)
            case Win(seat):
                return self._won(state, seat)
            case Settle():
                lowest = min(state.lost[seat] for seat in state.seats)
                stars = [*state.stars]
                for seat in state.seats:
                    stars[seat] += state.lost[seat] == lowest
                return (Settled(tuple(stars)),)
            case Chalk(seat, lost):
                return (Chalked(seat, lost),)
            case _:
                return (Boomed(),)

    def _won(self, state: ToyState, winner: Seat) -> tuple[Event, ...]:
        pays = [seat for seat in state.seats if seat != winner]
        stake = state.stake or 0
        lost = tuple(n + (stake if Seat(i) in pays else 0) for i, n in enumerate(state.lost))
        over = max(lost) >= self.limit
        return (Won(winner, lost), *((RubberEnded((winner,)),) if over else ()))

    def note(self, event: Event) -> Line | None:
        return None

    def news(self, event: Event) -> Line | None:
        match event:
            case Dealt(dealer):
                return Line("news.dealt", {"seat": dealer})
            case Raised(seat, stake):
                return Line("news.raised", {"seat": seat, "stake": stake})
            case Won(seat):
                return Line("news.hand-won", {"seat": seat})
            case RubberEnded(winners):
                return Line("news.over", {"seats": winners})
        return None

    def apply(self, state: ToyState, event: Event) -> ToyState:
        state = replace(state, news=self.news(event) or state.news)
        match event:
            case Dealt():
                return replace(state, phase=PLAY, stake=1, raiser=None)
            case Raised(seat, stake):
                return replace(state, stake=stake, raiser=seat)
            case Won(seat, lost):
                hand = Hand(len(state.hands) + 1, seat, "how.win")
                return replace(
                    state,
                    phase=BETWEEN,
                    stake=None,
                    dealer=seat,
                    lost=lost,
                    hands=(*state.hands, hand),
                )
            case RubberEnded():
                return replace(state, phase=OVER)
            case Settled(stars):
                wiped = (0,) * len(state.lost)
                return replace(state, phase=BETWEEN, lost=wiped, stars=stars, hands=(), news=None)
            case Chalked(seat, n):
                lost = tuple(n if i == seat else one for i, one in enumerate(state.lost))
                return replace(state, lost=lost)
        raise ZeroDivisionError("boom")

    def meaning(self, state: ToyState, seat: Seat, gesture: Gesture) -> Meaning | None:
        if gesture.hold:
            return Do(Deal()) if seat == state.dealer and state.phase == BETWEEN else None
        match state.phase, gesture.knocks:
            case "play", 1:
                return Do(Raise(seat))
            case "play", 2:
                return Do(Win(seat), grace=True)
            case "play", 5:
                return Choose("raise-or-win", ((1, Raise(seat)), (2, Win(seat))))
            case "play", 3:
                return Show("hurry-up")
            case "rubber_over", 1:
                return Do(Settle())
            case "between_hands", 7:
                return Do(Boom())
            case _:
                return None

    def together(self, state: ToyState, waiting: Action, asked: Action) -> tuple[Action, ...]:
        return ()

    def hears_wood(self, state: ToyState) -> bool:
        return not (self.slammed and state.phase == "play")

    def scoreboard(self, state: ToyState) -> Scoreboard:
        legal = self.legal_actions(state)
        return Scoreboard(
            game=self.name,
            phase=state.phase,
            rows=tuple(
                Row(
                    seat,
                    state.lost[seat],
                    self.limit,
                    counts={"stars": state.stars[seat]},
                    offers=offers(one for one in legal if getattr(one, "seat", None) == seat),
                )
                for seat in state.seats
            ),
            stake=state.stake,
            dealer=state.dealer,
            prompt=Line(f"prompt.{state.phase}", {"seat": state.dealer}),
            news=state.news,
            hands=state.hands,
            offers=offers(one for one in legal if not hasattr(one, "seat")),
            options={"limit": self.limit},
        )

    def is_clean(self, state: ToyState) -> bool:
        return self.why_not_reseat(state) is None

    def why_not_change(self, state: ToyState) -> str | None:
        return self.why_not_reseat(state)

    def why_not_go_on(
        self,
        state: ToyState,
        seats: tuple[Seat, ...],
        moved: Mapping[Seat, Seat],
        before: "Toy",
    ) -> str | None:
        return "rubber_running"

    def go_on(
        self, state: ToyState, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat]
    ) -> ToyState:
        return self.reseat(state, seats, moved)

    def why_not_reseat(self, state: ToyState) -> str | None:
        fresh = state.phase == BETWEEN and not any(state.lost) and not state.hands
        return None if fresh or state.phase == OVER else "rubber_running"

    def reseat(
        self, state: ToyState, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat]
    ) -> ToyState:
        stars = [0] * (max(seats) + 1)
        for old, new in moved.items():
            stars[new] = state.stars[old]
        dealer = moved.get(state.dealer, seats[0])
        return ToyState(seats, dealer, (0,) * len(stars), tuple(stars))


class NoSuchToy(KlopleiError, ValueError):
    """There is one toy only."""


def build_toy(name: str, preset: str | None, options: Mapping[str, object]) -> Game[ToyState]:
    limit = options.get("limit", 7 if preset == "long" else 5)
    if name != "toy" or set(options) - {"limit", "slammed"} or not isinstance(limit, int):
        raise NoSuchToy(f"No game {name!r} with {sorted(options)}.")
    return Toy(limit, slammed=bool(options.get("slammed")))


def toy_setup(**more: Any) -> TableSetup:
    """Return the setup of a table at which the toy is played, and nothing else is offered."""
    toy: dict[str, Any] = {"game": "toy", "build": build_toy, "presets": lambda _: (), "games": ()}
    return TableSetup(**{**toy, **more})
