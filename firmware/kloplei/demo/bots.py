"""Players for a table nobody sits at: they look at the scoreboard, and knock or press."""

import logging
import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kloplei.demo import phone_bots, tarok_bots
from kloplei.demo.phone_bots import Press
from kloplei.files import KlopleiError
from kloplei.rules.game import IllegalAction, Seat
from kloplei.rules.scoreboard import Row, Scoreboard
from kloplei.table.board import SEATING
from kloplei.table.client import TableClient

_log = logging.getLogger(__name__)

THINK_S = (0.8, 2.2)  # shortest and longest thought at speed 1
SLOWEST, FASTEST = 0.25, 8.0

KNOCK_CHANCE = 0.12  # a thought in play ends with a toep
LAST_TRICK_CHANCE = 0.2  # ... or the hand has been played out
STAY_CHANCE = 0.65
EXCHANGE_CHANCE = 0.06

ON_THE_WOOD = "toepen"
"""The game whose bots need no phones."""
WITH_THOUGHT: Mapping[str, Callable[[Scoreboard, random.Random], Press | None]] = {
    "tarok": tarok_bots.next_press,
}
"""Games in which one thing told asks for another; in others a bot presses what it may."""


@dataclass(frozen=True, slots=True)
class Knocks:
    """A bot's hand comes down *times* times at *seat*."""

    seat: Seat
    times: int


def next_knocks(board: Scoreboard, dice: random.Random) -> Knocks | None:
    """Return what a bot would do about *board*, or None if it lets the moment pass.

    Only gestures of the table are used (docs/evening.md): one knock, two, three.
    """
    if board.grace or board.asking or board.heard or board.doubt:
        return None  # somebody's gesture is under way; knocking now would settle it
    match board.phase:
        case "between_hands":
            return Knocks(board.dealer, 2) if board.dealer is not None else None
        case "armoede" | "answering":
            return _answer(board, dice)
        case "exchange" | "play":
            return _play(board, dice)
        case "rubber_over":
            debtors = _seats(board, "drink")
            return Knocks(dice.choice(debtors), 2) if debtors else None
        case _:
            return None


def _answer(board: Scoreboard, dice: random.Random) -> Knocks | None:
    waiting = _seats(board, "stay")
    if not waiting:
        return None
    return Knocks(dice.choice(waiting), 1 if dice.random() < STAY_CHANCE else 2)


def _play(board: Scoreboard, dice: random.Random) -> Knocks | None:
    if _seats(board, "stay"):  # somebody in armoede is asked about while hands are exchanged
        return _answer(board, dice)
    thought = dice.random()
    may_knock, may_win = _seats(board, "knock"), _seats(board, "trick")
    if may_knock and thought < KNOCK_CHANCE:
        return Knocks(dice.choice(may_knock), 1)
    if may_win and thought < KNOCK_CHANCE + LAST_TRICK_CHANCE:
        return Knocks(dice.choice(may_win), 2)
    may_exchange = _seats(board, "exchange")
    if may_exchange and thought > 1 - EXCHANGE_CHANCE:
        return Knocks(dice.choice(may_exchange), 3)
    return None


def _seats(board: Scoreboard, action: str) -> list[Seat]:
    def offers(row: Row) -> bool:
        return any(offer.action == action for offer in row.offers)

    return [row.seat for row in board.rows if offers(row)]


def _next_press(board: Scoreboard, dice: random.Random) -> Press | None:
    if board.phase == SEATING:
        return phone_bots.next_press(board, dice)  # whatever the game, somebody begins it
    return WITH_THOUGHT.get(board.game, phone_bots.next_press)(board, dice)


class Bots:
    """A thread that plays every seat.

    Args:
        table: Where the bots look.
        knock: Moves the virtual pin of a seat so many times.
        dice: Their luck; a seeded one plays the same evening again.
    """

    def __init__(
        self,
        table: TableClient,
        knock: Callable[[Seat, int], None],
        dice: random.Random | None = None,
    ) -> None:
        self._table = table
        self._knock = knock
        self._dice = dice or random.Random()  # noqa: S311 - a card player's luck, no secret
        self._speed: float | None = None
        self._changed = threading.Event()
        self._closing = False
        self._thread: threading.Thread | None = None

    @property
    def speed(self) -> float | None:
        """Thoughts run at so many times the ordinary pace; None while the bots rest."""
        return self._speed

    @speed.setter
    def speed(self, speed: float | None) -> None:
        self._speed = None if speed is None else min(max(speed, SLOWEST), FASTEST)
        if self._speed is not None and self._thread is None:
            self._thread = threading.Thread(target=self._play_on, name="bots", daemon=True)
            self._thread.start()
        self._changed.set()

    def close(self) -> None:
        """Send the bots home."""
        self._closing = True
        self._changed.set()
        if self._thread is not None:
            self._thread.join()

    def _play_on(self) -> None:
        while not self._closing:
            self._changed.clear()
            speed = self._speed
            pause_s = None if speed is None else self._dice.uniform(*THINK_S) / speed
            if self._changed.wait(pause_s) or self._closing:
                continue
            try:
                self._move(self._table.scoreboard())
            except IllegalAction:
                pass  # somebody else was quicker
            except KlopleiError:
                _log.exception("a bot stumbled and plays on")

    def _move(self, board: Scoreboard) -> None:
        if board.game == ON_THE_WOOD and board.phase != SEATING:
            if knocks := next_knocks(board, self._dice):
                self._knock(knocks.seat, knocks.times)
        elif press := _next_press(board, self._dice):
            self._table.submit(press.seat, press.action, seen=board.seq, facts=press.facts)
