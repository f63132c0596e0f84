"""Players for a table nobody sits at: they look at the scoreboard, and knock or press.

They knock where the game hears knocks, and press what phones are offered where it is deaf to the
wood; a hand of Tarok they tell in the order in which it happens. Dice decide, so that the same seed
plays the same evening; one thread (`Bots`) gives them time to think.
"""

import logging
import random
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cache

from kloplei.frozen import dataclass
from kloplei.games.catalogue import game_kind
from kloplei.games.game import Facts, IllegalAction, Seat
from kloplei.games.scoreboard import SEATING, Offer, Scoreboard
from kloplei.table.actions import TABLE_ACTIONS
from kloplei.table.client import TableClient

PAUSE_CHANCE = 0.4  # of a thought: somebody has to play the cards
OFTEN: Mapping[str, float] = {
    **dict.fromkeys(("start", "deal", "new_game", "schlag", "trump", "turnup", "confirm"), 4.0),
    "accept_call": 4.0,
    **dict.fromkeys(("trick", "accept"), 4.0),
    "fold": 1.5,
    "raise": 0.3,
    "lowest": 0.4,
    **dict.fromkeys(("signal", "offer", "show_hands", "lay", "equal"), 0.1),
    # Mishaps, and what asks for cards that no bot sees.
    **dict.fromkeys(("misdeal", "revoke", "look_early", "maschine", "card", "announced"), 0.0),
}
"""How often a bot does what it may, beside everything else; what is missing counts 1."""
_OF_THE_TABLE = {*TABLE_ACTIONS} - {"start", "accept_call"}
KNOCK = "knock"
"""What a bot does on the wood wherever a game hears it: a knock is a knock."""


@dataclass(frozen=True, slots=True)
class Press:
    """What a bot asks for on its phone; *seat* None asks for the table."""

    seat: Seat | None
    action: str
    facts: Facts = field(default_factory=dict)


def next_press(board: Scoreboard, dice: random.Random) -> Press | None:
    """Return what one of the bots would press about *board*, or None if all of them think."""
    kept = _kept_by_people(board.game)
    offered = [(seat, offer) for seat, offer in _offered(board) if offer.action not in kept]
    weights = [OFTEN.get(offer.action, 1.0) for _, offer in offered]
    if board.grace or not any(weights) or dice.random() < PAUSE_CHANCE:
        return None
    ((seat, offer),) = dice.choices(offered, weights)
    # In the order of their names, so that the same dice play the same evening.
    facts = {need: dice.choice(offer.choices[need]) for need in sorted(offer.needs)}
    return Press(seat, offer.action, facts)


@cache
def _kept_by_people(game: str) -> frozenset[str]:
    """Return what no bot does at a table of *game*: move people, or rewrite the slate."""
    own = game_kind(game).actions
    return frozenset(_OF_THE_TABLE | {name for name, kind in own.items() if kind.rewrites})


def _offered(board: Scoreboard) -> Iterator[tuple[Seat | None, Offer]]:
    """Yield what may be asked for, by whom; facts that are free text are not for bots."""
    owners = [(None, board.offers), *((row.seat, row.offers) for row in board.rows)]
    for seat, offers in owners:
        for offer in offers:
            if all(offer.choices.get(need) for need in offer.needs):
                yield seat, offer


HANDS = 9  # after so many it is late enough
PLAYING_CHANCE = 0.6  # of a thought: 25 tricks take their time
PAYING_CHANCE = 0.85  # ... and so does looking who pays whom
DECLARING_CHANCE = 0.2
PAR, SPREAD = 26, 9  # of card points
CHIP, MOST_CHIPS = 5, 12  # what a hand brings a player where only that is kept
DECLARED: Mapping[str, float] = {"taroks": 4.0, "cavalry_half": 3.0, "cavalry_full": 2.0}
"""How often these are held, beside all others."""
IN_PLAY: Mapping[str, float] = {
    "pagat_home": 3.0,
    "pagat_lost": 1.0,
    "king_home": 1.0,
    "king_lost": 1.0,
    "pagat": 0.2,
    "king": 0.2,
    "nolo": 0.02,
    "tout": 0.01,
    "vole": 0.01,
}
"""The same of what becomes of pagat and kings, there and in the last trick, and of feats."""
LAST_TRICK = 3.0  # beside these


def next_tarok_press(board: Scoreboard, dice: random.Random) -> Press | None:
    """Return what one of the bots would tell of *board*, or None if they think or play."""
    if board.grace or board.prompt is None or dice.random() < PAUSE_CHANCE:
        return None
    match board.prompt.key:
        case "prompt.next-deal":
            late = len(board.hands) >= HANDS
            return Press(None, "settle") if late else Press(board.dealer, "deal")
        case "prompt.settled":
            return None if dice.random() < PAYING_CHANCE else Press(None, "new_game")
        case "prompt.declare":
            return _declare(board, dice)
        case "prompt.last-trick" if dice.random() < PLAYING_CHANCE:
            return None
        case "prompt.last-trick" | "prompt.pagat-fate":
            return _tell_play(board, dice)
        case "prompt.card-points":
            return _count(board, dice)
        case "prompt.result":
            return Press(None, "result", _result(board, dice))
        case "prompt.book":
            return Press(None, "book")
        case "prompt.held":
            return _think_again(board)
        case "prompt.untold-nolo" | "prompt.untold-vole" | "prompt.untold-tout":
            return _own_up(board)
    return None


def _declare(board: Scoreboard, dice: random.Random) -> Press | None:
    """Let who is asked pass, or declare something that it could hold."""
    asked = board.prompt.facts["seat"] if board.prompt else None
    held = [(seat, offer) for seat, offer in _tarok_offered(board, "declare") if seat == asked]
    if not isinstance(asked, Seat):
        return None
    if not held or dice.random() > DECLARING_CHANCE:
        return Press(asked, "pass")
    weights = [DECLARED.get(str(offer.choices["what"][0]), 1.0) for _, offer in held]
    ((_, offer),) = dice.choices(held, weights)
    return Press(asked, "declare", _facts(offer, dice))


def _think_again(board: Scoreboard) -> Press | None:
    """Take back the last of what cannot be true together: bots see no cards either."""
    entries = board.prompt.facts["entries"] if board.prompt else ()
    return Press(None, "take_back", {"entry": entries[-1]}) if isinstance(entries, tuple) else None


def _own_up(board: Scoreboard) -> Press | None:
    """Tell what the card points prove, or let it pass where something else speaks against it."""
    if board.prompt is None:
        return None
    seat, what = board.prompt.facts["seat"], board.prompt.key.rpartition("-")[2]
    if not isinstance(seat, Seat):
        return None
    for asked, offer in _tarok_offered(board, "feat"):
        if asked == seat and what in offer.choices["what"] and True in offer.choices["made"]:
            return Press(seat, "feat", {"what": what, "announced": None, "made": True})
    return Press(seat, "unclaimed")


def _tell_play(board: Scoreboard, dice: random.Random) -> Press | None:
    """Say what became of pagat and kings, who took the last trick, or all or none of them."""
    told = list(_tellable(board))
    if not told:
        return None
    (press,) = dice.choices([one for one, _ in told], [weight for _, weight in told])
    return press


def _tellable(board: Scoreboard) -> Iterator[tuple[Press, float]]:
    """Yield what may be told of the play, and how often it happens."""
    waits_for_pagat = board.prompt is not None and board.prompt.key == "prompt.pagat-fate"
    for seat, _ in _tarok_offered(board, "last_trick"):
        yield Press(seat, "last_trick"), LAST_TRICK
    for action, fact in (("fate", "what"), ("last_card", "card"), ("feat", "what")):
        # A bot announces no feat, and so fails none.
        more = {"announced": None, "made": True} if action == "feat" else {}
        for seat, offer in _tarok_offered(board, action):
            for value in map(str, offer.choices[fact]):
                if value.startswith("pagat") or not waits_for_pagat:
                    yield Press(seat, action, {fact: value, **more}), IN_PLAY[value]


def _count(board: Scoreboard, dice: random.Random) -> Press | None:
    """Count the pile of one who has not counted yet."""
    piles = list(_tarok_offered(board, "points"))
    if not piles:
        return None
    seat, offer = dice.choice(piles)
    found = dice.gauss(PAR, SPREAD)
    may_be = [points for points in offer.choices["points"] if isinstance(points, int)]
    return Press(seat, "points", {"points": min(may_be, key=lambda one: abs(one - found))})


def _result(board: Scoreboard, dice: random.Random) -> Facts:
    """Return what a hand brought those who play it; together it is nothing."""
    *some, last = [row.seat for row in board.rows if "in_hand" in row.flags]
    chips = {seat: CHIP * dice.randint(-MOST_CHIPS, MOST_CHIPS) for seat in some}
    chips[last] = -sum(chips.values())
    return {"amounts": tuple(chips.get(row.seat, 0) for row in board.rows), "king": 0, "pagat": 0}


def _facts(offer: Offer, dice: random.Random) -> Facts:
    """Return something to say along; numbers are mostly the smallest ones, as holdings are."""
    return {
        need: choices[min(int(dice.expovariate(1)), len(choices) - 1)]
        if need == "count"
        else dice.choice(choices)
        for need, choices in sorted(offer.choices.items())
    }


def _tarok_offered(board: Scoreboard, action: str) -> Iterator[tuple[Seat, Offer]]:
    return ((row.seat, one) for row in board.rows for one in row.offers if one.action == action)


logger = logging.getLogger(__name__)

THINK_S = (0.8, 2.2)  # shortest and longest thought at speed 1
HAND_S, VICTORY_S = 2.0, 9.0
"""So much longer at speed 1 while there is something to see: who won a hand, or a rubber."""
SLOWEST, FASTEST = 0.25, 8.0
KNOCK_CHANCE = 0.12  # a thought in play ends with a toep
LAST_TRICK_CHANCE = 0.2  # ... or the hand has been played out
STAY_CHANCE = 0.65
EXCHANGE_CHANCE = 0.06

ON_THE_WOOD = "toepen"
"""The game whose bots need no phones."""
WITH_THOUGHT: Mapping[str, Callable[[Scoreboard, random.Random], Press | None]] = {
    "tarok": next_tarok_press,
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
    return [row.seat for row in board.rows if any(one.action == action for one in row.offers)]


def look_s(before: Scoreboard | None, board: Scoreboard) -> float:
    """Return how long bots look at *board*, beside all thought, because of what has just ended.

    Whoever pours and deals takes their time; what the room is shown of it would be gone at once.
    """
    if before is None or before.game != board.game:
        return 0.0
    if _is_won(board):
        return 0.0 if _is_won(before) else VICTORY_S
    return HAND_S if len(board.hands) > len(before.hands) else 0.0


def _is_won(board: Scoreboard) -> bool:
    return any("rubber_winner" in row.flags for row in board.rows)


def _press_of_game(board: Scoreboard, dice: random.Random) -> Press | None:
    if board.phase == SEATING:
        return next_press(board, dice)  # whatever the game, somebody begins it
    return WITH_THOUGHT.get(board.game, next_press)(board, dice)


class Bots:
    """A thread that plays every seat, from the first time that `speed` is set; `close` ends it.

    Args:
        table: Where the bots look.
        knock: Moves the virtual pin of a seat so many times.
    """

    def __init__(self, table: TableClient, knock: Callable[[Seat, int], None]) -> None:
        self._table = table
        self._knock = knock
        self._dice = random.Random()  # noqa: S311 - a card player's luck, no secret
        self._speed: float | None = None
        self._changed = threading.Event()
        self._closing = False
        self._seen: Scoreboard | None = None
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
                board = self._table.scoreboard()
                before, self._seen = self._seen, board
                if (seen_s := look_s(before, board)) and speed is not None:
                    self._changed.wait(seen_s / speed)
                    continue
                self._move(board)
            except IllegalAction:
                pass  # somebody else was quicker
            except Exception:
                # Whatever it was: bots that think on and never move would look like a dead table.
                logger.exception("a bot stumbled and plays on")

    def _move(self, board: Scoreboard) -> None:
        if board.game == ON_THE_WOOD and board.phase != SEATING:
            if knocks := next_knocks(board, self._dice):
                self._knock(knocks.seat, knocks.times)
        elif not (press := _press_of_game(board, self._dice)):
            return
        elif press.action == KNOCK and press.seat is not None and not board.deaf:
            if not (board.heard or board.doubt or board.asking):
                self._knock(press.seat, 1)
        else:
            self._table.submit(press.seat, press.action, seen=board.seq, facts=press.facts)
