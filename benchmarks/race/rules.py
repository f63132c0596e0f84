"""What rules cost alone: finding what may be done in a position, and replaying what was done.

Positions are those of a hand in which anything legal is done by lot, the same each time;
python-chess finds its moves in a game played by lot as well.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

from benchmarks.race.row import Measure, Missing, Row, Side, stopwatch
from kloplei.games.catalogue import build_game
from kloplei.games.game import Event, Seat

_STEPS = 60
_ENDS_TOO_SOON = frozenset({"Wipe", "Misdeal", "Revoke", "Settle", "ThrowIn", "Reopen"})


@dataclass(frozen=True)
class Hand:
    """A hand of one game: the positions it went through, and the events that led there."""

    game: Any
    positions: Sequence[Any]
    events: Sequence[Event]


@cache
def played(name: str, players: int, preset: str | None = None) -> Hand:
    """Return a hand of the game *name* of so many players, by lot."""
    luck = Random(4)  # noqa: S311 - the same hand each time
    game = build_game(name, preset)
    state = game.start(tuple(Seat(at) for at in range(players)), Seat(0))
    positions, events = [state], []
    for _ in range(_STEPS):
        # By their kinds, for of some there are hundreds that are told once an evening.
        kinds: dict[str, list[Any]] = {}
        for one in sorted(game.legal_actions(state), key=repr):
            kinds.setdefault(type(one).__name__, []).append(one)
        kept = [kind for kind in kinds if kind not in _ENDS_TOO_SOON]
        for event in game.decide(state, luck.choice(kinds[luck.choice(kept or [*kinds])])):
            events.append(event)
            state = game.apply(state, event)
        positions.append(state)
    return Hand(game, tuple(positions), tuple(events))


def _offers(name: str, players: int, preset: str | None = None) -> Side:
    @contextmanager
    def opened() -> Iterator[Measure]:
        hand = played(name, players, preset)
        positions = hand.positions[:: 4 if name == "tarok" else 1]

        def look(states: Sequence[Any]) -> None:
            for state in states:
                hand.game.legal_actions(state)

        def once() -> float:
            # What a state remembers of itself is reckoned anew, as it is after each event.
            fresh = [replace(state) for state in positions]
            return stopwatch(lambda: look(fresh), per=1e6)() / len(fresh)

        yield once

    return Side(f"Kloplei, {players} seats", opened)


@contextmanager
def _chess() -> Iterator[Measure]:
    try:
        import chess
    except ImportError as error:
        raise Missing(f"{error}; pip install '.[race]'") from error
    luck, board = Random(4), chess.Board()  # noqa: S311 - the same game each time
    positions: list[Any] = []
    while len(positions) < _STEPS and not board.is_game_over():
        positions.append(board.copy())
        board.push(luck.choice(list(board.legal_moves)))

    def look() -> None:
        for position in positions:
            list(position.legal_moves)

    once = stopwatch(look, per=1e6)
    yield lambda: once() / len(positions)


def _replayed(name: str, players: int) -> Side:
    @contextmanager
    def opened() -> Iterator[Measure]:
        hand = played(name, players)

        def replay() -> None:
            state = hand.positions[0]
            for event in hand.events:
                state = hand.game.apply(state, event)

        once = stopwatch(replay, times=20, per=1.0)
        yield lambda: len(hand.events) / once()

    return Side("Kloplei", opened)


def _offers_row(name: str, players: int) -> Row:
    sides = (_offers(name, players), Side("python-chess", _chess))
    return Row(f"offers-{name}", f"`legal_actions` a position, {name}", "us", sides)


ROWS = (
    _offers_row("toepen", 4),
    _offers_row("watten", 4),
    _offers_row("tarok", 3),
    _offers_row("eenendertigen", 4),
    Row(
        "offers-seats",
        "`legal_actions`, toepen, eight seats beside four",
        "us",
        (_offers("toepen", 8), _offers("toepen", 4)),
        within=1.5,
    ),
    *(
        Row(
            f"replay-{name}",
            f"events of {name} applied in a second, rules alone",
            "a second",
            (_replayed(name, players),),
        )
        for name, players in (("toepen", 4), ("watten", 4), ("tarok", 3), ("eenendertigen", 4))
    ),
)
