"""Tables that nobody sits at, for demos, rehearsals and load: real journals, real uplinks, bots.

A `BotTable` is the table of a box without wood and glass; its bots press what phones may press,
and `Players` lets them. `VirtualHouse` keeps any number of them on the line, as `kloplei uplink`
keeps one.
"""

import logging
import random
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Protocol, Self

from kloplei.config.settings import JOURNAL
from kloplei.demo.bots import WITH_THOUGHT, Press, next_press
from kloplei.files import KlopleiError
from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import SEATING, Scoreboard
from kloplei.table.client import TableClient
from kloplei.table.gestures import Timings
from kloplei.table.journal import Journal
from kloplei.table.outbox import Outbox
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.uplink.boxes import Boxes, BoxUplink
from kloplei.uplink.links import KnownHouse

NAMES: Final = (
    *("Thijs", "Tame", "Joost", "Aukje", "Sietse", "Femke", "Bram", "Nynke"),
    *("Wiebe", "Griet", "Douwe", "Jitske", "Harm", "Baukje", "Klaas", "Trijn"),
)
_SEATS: Final = 4
_AT_ONCE = Timings(gap_s=0.01, grace_s=0.0)
_LOOK_S = 1.0
_OVER: Final = frozenset({"rubber_over", "game_over"})
logger = logging.getLogger(__name__)


def names_at(table: int) -> tuple[str, ...]:
    """Return who plays at that *table*; four tables have no name in common."""
    return tuple(NAMES[(_SEATS * table + seat) % len(NAMES)] for seat in range(_SEATS))


class BotTable:
    """A table at which bots play *game*; a context manager.

    Args:
        folder: For its journal.
        game: By its usual house rules.
        seed: Of the bots' dice.
        players: Names of who sit down at once, and agree to be known in the house; empty where
            people are to be called.
    """

    def __init__(
        self, folder: Path, game: str, seed: int, players: Sequence[str] = NAMES[:_SEATS]
    ) -> None:
        self._dice = random.Random(seed)  # noqa: S311 - a card player's luck, no secret
        self._players = players
        self.folder = folder
        self._opened = ExitStack()
        folder.mkdir(parents=True, exist_ok=True)
        self.journal = self._opened.enter_context(Journal(folder / JOURNAL))
        setup = TableSetup(seats=_SEATS, game=game, timings=_AT_ONCE)
        self.session = self._opened.enter_context(Session(self.journal, setup))
        self.session.uplink.fit_outbox(Outbox(self.journal.path))

    def __enter__(self) -> Self:
        if not self.session.scoreboard().rows:
            for at, name in enumerate(self._players):
                facts = {"name": name, "remember": True}
                self.session.submit(Seat(at), "sit_down", facts=facts)
            for person in self.session.people.people():
                self.session.uplink.agree(person.id, True)
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    @property
    def box(self) -> str:
        """What its journal calls itself."""
        return self.journal.origin[0] if self.journal.origin else ""

    @property
    def is_over(self) -> bool:
        """Whether the rubber, or the game, has been won."""
        return self.session.scoreboard().phase in _OVER

    def think(self) -> bool:
        """Let the bots do one thing, or only look; return whether they did."""
        return think_at(self.session, self._dice, plays_on=bool(self._players))


def think_at(table: TableClient, dice: random.Random, *, plays_on: bool) -> bool:
    """Let the bots at *table* do one thing, or only look; return whether they did.

    Who was called to it does not *play on* where a rubber is over, and waits for the next call.
    """
    board = table.scoreboard()
    press = _called(board)
    if press is None and (plays_on or board.phase not in _OVER):
        press = _of_game(board, dice)
    if press is None:
        return False
    try:
        table.submit(press.seat, press.action, facts=press.facts)
    except (IllegalAction, KlopleiError) as error:
        logger.debug("A bot is refused: %s", error)
        return False
    return True


def _called(board: Scoreboard) -> Press | None:
    """Return that those whom the house called sit down, where they may."""
    offered = any(offer.action == "accept_call" for offer in board.offers)
    return Press(None, "accept_call") if offered else None


def _of_game(board: Scoreboard, dice: random.Random) -> Press | None:
    if board.phase == SEATING and not board.rows:
        return None
    think = next_press if board.phase == SEATING else WITH_THOUGHT.get(board.game, next_press)
    return think(board, dice)


class Thinker(Protocol):
    """Who may do something now and then: a `BotTable`, or what stands before several."""

    def think(self) -> bool:
        """Do one thing, or only look; return whether it was done."""
        ...


class Players:
    """Lets each of *tables* think, and all of them again after a pause; a context manager.

    Args:
        tables: In this order, one after the other, on one thread.
        pause_s: Between two rounds of thoughts.
    """

    def __init__(self, tables: Sequence[Thinker], pause_s: float) -> None:
        self._tables = tables
        self._pause_s = pause_s
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="players", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closing.wait(self._pause_s):
            for table in self._tables:
                table.think()


class VirtualHouse:
    """Keeps *tables* on the line with the house that each was paired with; a context manager.

    Args:
        tables: Each with where it goes.
    """

    def __init__(self, tables: Sequence[tuple[BotTable, KnownHouse]]) -> None:
        self._boxes = Boxes()
        self._tables = tuple(tables)
        self.uplinks = tuple(
            BoxUplink(table.box, known, table.session.uplink) for table, known in self._tables
        )
        self._closing = threading.Event()
        self._threads = [threading.Thread(target=self._run, name="virtual-uplinks", daemon=True)]

    def __enter__(self) -> Self:
        for (table, _), uplink in zip(self._tables, self.uplinks, strict=True):
            self._boxes.add(uplink)
            follows = threading.Thread(
                target=self._follow, args=(table, uplink), name="virtual-box", daemon=True
            )
            self._threads.append(follows)
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._boxes.wake()
        self._threads[0].join()
        self._boxes.close()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._boxes.run_once(_LOOK_S)

    def _follow(self, table: BotTable, uplink: BoxUplink) -> None:
        for board in table.session.follow():
            if self._closing.is_set():
                return
            if board is not None:
                uplink.show(board)
                self._boxes.wake(uplink)
