"""Whether an option changes anything: evenings gone in one house, then step by step in another."""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any

from kloplei.games.card_game import BadSeating, CardGame
from kloplei.games.game import Action, Gesture, IllegalAction, Seat
from kloplei.games.house_rules import CardList, spelling_of

SEATS = range(1, 9)
PATIENCE = 12  # how often somebody thinks of something that is refused
Came = tuple[Action | None, object]
"""What is asked at a table, and what comes of it, be it a refusal."""


@dataclass(frozen=True, eq=False)
class Toggler:
    """Toggles options of a game: *numbers* are values to try of those that have no words.

    Each kind of action comes to mind as often as its *weights* say, or one time; the evenings
    begin with the *scripts* in turn. What is *judged* needs no evening.
    """

    game: type[CardGame[Any, Any]]
    numbers: Mapping[str, int] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    scripts: tuple[tuple[Action, ...], ...] = ((),)
    asked_besides: tuple[Action, ...] = ()
    judged: Callable[[Any], object] = type
    walks: int = 60
    steps: int = 20

    def values(self, name: str, house: Any) -> list[Any]:
        """Return every value of the option *name* but that of *house*."""
        (option,) = (one for one in fields(house) if one.name == name)
        return [one for one in values_of(option, self.numbers) if one != getattr(house, name)]

    def changes(self, name: str, house: Any) -> bool:
        """Return whether the option *name* changes anything where the others are as in *house*."""
        return self.tells_apart(
            house, [replace(house, **{name: one}) for one in self.values(name, house)], self.walks
        )

    def tells_apart(self, house: Any, others: list[Any], walks: int) -> bool:
        """Return whether anything is otherwise in one of *others*, for so many *walks*."""
        told = self._told(house)
        return any(self._told(one) != told for one in others) or any(
            self._strays(house, one, n) for n in range(walks) for one in others
        )

    def _told(self, house: Any) -> object:
        return self.judged(house), self.seatings(house)

    @cache  # noqa: B019 - a toggler is one for all tests
    def seatings(self, house: Any) -> list[int]:
        """Return how many may sit down in *house*."""
        return [n for n in SEATS if self._start(house, n) is not None]

    @cache  # noqa: B019
    def walk(self, house: Any, number: int) -> tuple[int, list[Came], object]:
        """Do what comes to mind in *house*; return who sat there, each step, and what is seen."""
        dice, game = random.Random(number), self.game(house)
        players = dice.choice([n for n in self.seatings(house) if n <= 4])
        state = self._start(house, players)
        steps: list[Came] = []
        for first in self.scripts[number % len(self.scripts)]:
            steps.append((first, outcome(game, state, first)))
            state = done(game, state, steps[-1][1])
        for _ in range(self.steps):
            thoughts, weights = self._thoughts(game, state)
            some = [dice.choice(kind) for kind in dice.choices(thoughts, weights, k=PATIENCE)]
            for asked in dict.fromkeys(some):  # what is refused once is refused again
                came = outcome(game, state, asked)
                steps.append((asked, came))
                if not isinstance(came, str):
                    break
            state = done(game, state, steps[-1][1])
        return players, steps, seen(game, state)

    def _strays(self, house: Any, other: Any, number: int) -> bool:
        players, steps, picture = self.walk(house, number)
        game, state = self.game(other), self._start(other, players)
        for asked, came in steps:
            if outcome(game, state, asked) != came:
                return True
            state = done(game, state, came)
        return seen(game, state) != picture

    def _start(self, house: Any, players: int) -> Any:
        seats = tuple(Seat(n) for n in range(players))
        try:
            return self.game(house).start(seats, seats[-1])
        except BadSeating:
            return None

    def _thoughts(
        self, game: CardGame[Any, Any], state: Any
    ) -> tuple[list[list[Action | None]], list[float]]:
        """Return by their kinds what could be asked, None for who comes late, and how often."""
        kinds: dict[str, list[Action | None]] = {"late": [None]}
        for group in (*game._imaginable(state), self.asked_besides):
            for one in group:
                kinds.setdefault(type(one).__name__, []).append(one)
        return list(kinds.values()), [self.weights.get(kind, 1.0) for kind in kinds]


def values_of(option: Any, numbers: Mapping[str, int]) -> Iterator[Any]:
    """Yield each value of *option* that has a word, and a number or list of cards if it can."""
    spelling = spelling_of(option)
    yield from spelling.words.values()
    if isinstance(spelling, CardList):
        yield "CA S7"
    elif spelling.least is not None:
        yield from (spelling.least, spelling.least + spelling.step)
        yield numbers.get(option.name, spelling.least)


def seen(game: CardGame[Any, Any], state: Any) -> object:
    """Return what is shown at a table, and what a hand at it means."""
    hands = [game.meaning(state, seat, Gesture(2)) for seat in state.seats]
    return replace(game.scoreboard(state), preset=None, options={}), hands


def outcome(game: CardGame[Any, Any], state: Any, asked: Action | None) -> object:
    """Return the events that *asked* leads to, the state it comes to, or why it is refused."""
    if asked is None:
        return comes_late(game, state)
    try:
        return game.decide(state, asked)
    except IllegalAction as refused:
        return refused.reason


def comes_late(game: CardGame[Any, Any], state: Any) -> object:
    """Return the state with one player more, or why nobody may come."""
    stay = {seat: seat for seat in state.seats}
    seats = (*state.seats, Seat(max(state.seats) + 1))
    if reason := game.why_not_reseat(state):
        return reason
    if len(seats) > game.max_seats:
        return "full"
    if game.is_clean(state):
        return game.reseat(state, seats, stay)
    return game.why_not_go_on(state, seats, stay, game) or game.go_on(state, seats, stay)


def done(game: CardGame[Any, Any], state: Any, came: object) -> Any:
    """Return where a table stands after what *came* of something."""
    if isinstance(came, str):
        return state
    if not isinstance(came, tuple):
        return came
    for event in came:
        state = game.apply(state, event)
    return state
