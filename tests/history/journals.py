"""Journals of evenings that nobody played: rules and dice, without a table around them.

A `Scribe` writes as the table does, but draws nothing and waits for no disk, so that years of
evenings are written in seconds.
"""

import random
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from kloplei.games.game import Action, Event, IllegalAction, Seat
from kloplei.table import actions
from kloplei.table.actions import encode
from kloplei.table.journal import Entry
from kloplei.table.journal_file import INSERT, begin_era, connect, create, link
from kloplei.table.seating import Seating, TableSetup, TableState
from kloplei.table.timeline import History, Step

NAMES = ("Thijs", "Tame", "Thomas", "Femke", "Aukje", "Sietse", "Rixt", "Jelle")
OFTEN: Mapping[str, float] = {
    **dict.fromkeys(("deal", "new_game", "drink", "book"), 200.0),
    **dict.fromkeys(("correct", "chalk", "amend", "won_before", "payout", "reopen"), 0.0),
    **dict.fromkeys(("misdeal", "revoke", "take_back", "settle", "wrong_discard"), 0.2),
    **dict.fromkeys(("look_early", "maschine", "equal", "throw_in", "fine", "fine_pot"), 0.1),
    **dict.fromkeys(("trick", "schlag", "trump", "lowest", "result", "points", "fate"), 6.0),
}
"""How often dice do what they may; what is missing counts 1."""
OF_THE_SLATE = ("correct", "chalk", "amend", "reopen", "revoke")


class Scribe:
    """Writes what happens at a table that is not there; *now* is its clock on the wall."""

    def __init__(self, seed: int = 0, now: float | None = 1_777_000_000.0) -> None:
        self.dice = random.Random(seed)
        self.now = now
        self.entries: list[Entry] = []
        self.seating = Seating(TableSetup())
        self._history = History(TableState("toepen"), None)

    @property
    def state(self) -> TableState:
        return self._history.state

    @property
    def undoable(self) -> int:
        return min(self._history.undoable, 300)

    @property
    def redoable(self) -> int:
        return self._history.redoable

    def write(self, *events: Event) -> None:
        """Write one step, a minute after the one before."""
        if self.now is not None:
            self.now += 20.0
        state = self.state
        for event in events:
            match event:
                case actions.Undone(n):
                    state = self._history.state_before(n)
                case actions.Redone(n):
                    state = self._history.state_again(n)
                case _:
                    state = self.seating.apply(state, event)
        last = len(self.entries) + len(events)
        for event in events:
            seq = len(self.entries) + 1
            self.entries.append(Entry(seq, last, self.now, None, "phone", *encode(event)))
        self._history.accept(Step(last, None, "phone", self.now, events, state))

    def begin(self, game: str, players: Iterable[str] | int, preset: str | None = None) -> None:
        """Begin an evening and start."""
        names = NAMES[:players] if isinstance(players, int) else players
        seated = tuple((Seat(n), name) for n, name in enumerate(names))
        self.write(actions.EveningBegun(game, preset, (), seated))
        self.do(actions.Start())

    def do(self, action: Action) -> None:
        """Do *action*."""
        if type(action).name in actions.TABLE_ACTIONS:
            self.write(*self.seating.decide(self.state, action))
        else:
            self.write(*self.seating.game(self.state).decide(self.state.play, action))

    def undo(self, n: int = 1) -> None:
        self.write(actions.Undone(n))

    def redo(self, n: int = 1) -> None:
        self.write(actions.Redone(n))

    def play(self, steps: int, *, slate: float = 0.0) -> None:
        """Let dice do *steps* steps; *slate* is how often something on it is put right."""
        for _ in range(steps):
            self.step(slate)

    def step(self, slate: float = 0.0) -> None:
        game: Any = self.seating.game(self.state)
        named: dict[str, list[Action]] = {}
        for one in sorted(game.legal_actions(self.state.play), key=repr):
            named.setdefault(one.name, []).append(one)
        weights = [slate if one in OF_THE_SLATE else OFTEN.get(one, 1.0) for one in named]
        if not any(weights):
            weights = [1.0] * len(named)
        (kind,) = self.dice.choices([*named.values()], weights)
        action = self.dice.choice(kind)
        with suppress(IllegalAction):  # an open field says nothing of the value that was tried
            self.do(action)

    def hands(self, n: int, **how: Any) -> None:
        """Play until *n* more hands are finished."""
        goal = self.finished + n
        while self.finished < goal:
            self.step(**how)

    @property
    def finished(self) -> int:
        return sum(one.event in ("HandEnded", "DealEnded") for one in self.entries)

    def save(self, path: Path) -> None:
        """Lay what is written at *path*, as the table would."""
        create(path)
        with closing(connect(path)) as connection:
            begin_era(connection)
        with closing(sqlite3.connect(path)) as file, file:
            file.execute("PRAGMA synchronous=OFF")
            file.executemany(INSERT, self.rows())

    def rows(self) -> Iterable[tuple[Any, ...]]:
        """Yield what the file holds of each entry, its link included."""
        import json

        before = 0
        for one in self.entries:
            facts = json.dumps(dict(one.facts), separators=(",", ":"))
            row = (one.seq, one.step, one.at, one.seat, one.via, one.event, facts)
            before = link(before, row)
            yield (*row, before)
