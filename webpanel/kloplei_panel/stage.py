"""The stage: what a large screen shows in front of the slate.

While somebody must answer to a stake that is the ring of seats (`ring_of`). For a moment it is what
has just happened: `Stage` sees every board by which the panel follows the table, and keeps the one
moment of them (`kloplei.games.moments`) that fills the screen now. Nobody waits for it, and it
waits for nobody: what happens next at the table ends it, and so does time. Whoever looks later sees
the table as it is, never a moment that has been.

What players throw on to it (`Reactions`) is no moment of the game, and stands in no journal. What
stays of the evenings fills it while nobody plays (`Break`), read once for all screens.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.games.moments import Moment, MomentKind, moments_between
from kloplei.games.scoreboard import Hand, Line, Row, Scoreboard
from kloplei.table.history_client import Evening, SeasonTable
from kloplei_panel.pairing import RateLimiter

ASKED_S = 2.5
"""So long while somebody must answer: who that is may not stay hidden."""
_SHORT_S, _LONG_S = 4.0, 8.0
_SHOWN_S = {MomentKind.CROWN: _LONG_S, MomentKind.FANFARE: _LONG_S, MomentKind.CALL: _SHORT_S}
# Pictures of ours, symbols of icons.svg.
_EMBLEMS = {MomentKind.CROWN: "toepkoning", MomentKind.FANFARE: "rubber_winner"}
_HAND = "last_knocker"
CALLED_S = 3.0
"""So long a screen may ask for what has just happened, to call it out."""
_MOST_HAPPENED = 16
_UNSAID = (MomentKind.KNOCK, MomentKind.DOUBT)
# Of what is only notable the slate says most well enough; what has a picture fills the screen.
_NOTABLE = {"armoede": "armoede", "caught": "warning", "unsealed": "lock"}
# What is asked before the first card: nobody has called, and no stake is at issue.
_ANNOUNCING = "announcing"


Reaction = Literal["cheers", "laugh", "cry", "gasp", "heart", "fire"]
"""What a player may throw on to the large screen; each has its picture in ``static/reactions``."""
REACTIONS: tuple[Reaction, ...] = get_args(Reaction)
FLIES_S = 4.0
BREAK_S = 30.0
"""So long what a break tells holds before it is read anew; ``break.js`` asks no oftener."""
# A phone may throw three at once, and one more every two seconds; all of them four times as many.
_EACH, _EACH_PER_S, _TIMES_ALL = 3, 0.5, 4
_MOST_THROWN = 16


class RingSeat(NamedTuple):
    """One seat in the ring of an answer round.

    It *stands* as who "called", is "asked", "in" or "out", or "" where none of that is known.
    """

    row: Row
    stands: str


@dataclass(frozen=True, slots=True)
class Scene:
    """A *moment* that fills the screen until *until_s*; *is_short* while somebody is asked."""

    moment: Moment
    until_s: float
    is_short: bool

    @property
    def emblem(self) -> str:
        """Which picture stands for it: a symbol of ``icons.svg``."""
        return _NOTABLE.get(self.moment.name) or _EMBLEMS.get(self.moment.kind, _HAND)

    def how_won(self, board: Scoreboard) -> str:
        """Whether who won has the "fewest" or the "most" on the slate of *board*; else "".

        Lives are lost up to a limit, where chips have none; points run up to theirs or down to
        nothing, and are told by how the last hand ended.
        """
        won = [row.tally for row in board.rows if row.seat in self.moment.seats]
        others = [row.tally for row in board.rows if row.seat not in self.moment.seats]
        if not won or not others:
            return ""
        if any(row.limit for row in board.rows):
            return "fewest" if max(won) < min(others) else ""
        return "most" if min(won) > max(others) else ""


class Gain(NamedTuple):
    """Who got most chips in a hand, how many, and the line of the ledger that did most of it."""

    seat: Seat
    chips: int
    line: Line


def most_gained(hand: Hand, board: Scoreboard) -> Gain | None:
    """Return who got most in *hand*, where one seat did; None where all went to the pots."""
    most = max(hand.paid.values(), default=0)
    best = [seat for seat, chips in hand.paid.items() if chips == most]
    if most <= 0 or len(best) > 1 or not hand.ledger:
        return None
    (seat,) = best
    if board.row(seat) is None:
        return None
    posting = max(hand.ledger, key=lambda one: one.amounts.get(seat, 0))
    return Gain(seat, most, posting.line)


def told_by(hand: Hand, board: Scoreboard) -> tuple[Seat, ...]:
    """Return who *hand* is told by: who won it, a side or one seat, else who paid for it.

    Whoever has left since is not told.
    """
    if hand.winner is None:
        found = tuple(seat for seat, lives in hand.paid.items() if lives > 0)
    else:
        found = next((side for side in board.duel if hand.winner in side), (hand.winner,))
    return tuple(seat for seat in found if board.row(seat) is not None)


@dataclass(frozen=True, slots=True)
class Happening:
    """What happened at once: the *number*th time, the greatest first, and the *board* then."""

    number: int
    moments: tuple[Moment, ...]
    board: Scoreboard
    at_s: float


class Stage:
    """Keeps what fills the screen now, and what has just happened for who calls it out.

    Args:
        now: Monotonic clock, in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._scene: Scene | None = None
        self._happened: deque[Happening] = deque(maxlen=_MOST_HAPPENED)
        self._last = 0

    @property
    def last(self) -> int:
        """The number of what happened last, 0 where nothing has."""
        return self._last

    def happened(self, after: int = 0) -> tuple[Happening, ...]:
        """Return what has just happened, later than number *after*, oldest first."""
        from_s = self._now() - CALLED_S
        return tuple(
            one for one in tuple(self._happened) if one.number > after and one.at_s > from_s
        )

    def see(self, before: Scoreboard | None, after: Scoreboard) -> None:
        """Take note that the table says *after* now; None before it says that nobody looked."""
        found = moments_between(before, after)
        if after.tuning is None and any(one.kind not in _UNSAID for one in found):
            # The number last: who has read it finds what it stands for.
            self._happened.append(Happening(self._last + 1, found, after, self._now()))
            self._last += 1
        is_asked = bool(after.to_answer)
        shown = (one for one in found if _fills_screen(one, is_asked))
        moment = next(shown, None)
        if moment is not None:
            lasts_s = ASKED_S if is_asked else _SHOWN_S.get(moment.kind, _SHORT_S)
            self._scene = Scene(moment, self._now() + lasts_s, is_asked)

    def scene_at(self, board: Scoreboard) -> Scene | None:
        """Return what fills the screen that shows *board*, if that is what happened last there."""
        scene = self._scene
        if scene is None or scene.moment.seq != board.seq or self._now() >= scene.until_s:
            return None
        return scene


@dataclass(frozen=True, slots=True)
class Thrown:
    """One reaction: the *number*th, by who sits at *seat*, or by nobody who said so."""

    number: int
    reaction: Reaction
    seat: Seat | None
    at_s: float


class Reactions:
    """Keeps what was thrown on to the large screen just now; safe from any thread.

    Args:
        now: Monotonic clock, in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._limit = RateLimiter(_EACH, each_per_s=_EACH_PER_S, times_all=_TIMES_ALL, now=now)
        self._lock = threading.Lock()
        self._thrown: deque[Thrown] = deque(maxlen=_MOST_THROWN)
        self._last = 0

    @property
    def last(self) -> int:
        """The number of the newest one, 0 where nobody has thrown any."""
        return self._last

    def throw(self, reaction: Reaction, seat: Seat | None, address: str) -> int:
        """Throw *reaction* from the phone at *address*; return 0, or in how many seconds it may."""
        if wait_s := self._limit.wait_s(address):
            return wait_s
        with self._lock:
            self._last += 1
            self._thrown.append(Thrown(self._last, reaction, seat, self._now()))
        return 0

    def since(self, number: int) -> tuple[Thrown, ...]:
        """Return those after *number* that still fly, oldest first."""
        with self._lock:
            from_s = self._now() - FLIES_S
            return tuple(one for one in self._thrown if one.number > number and one.at_s > from_s)


class BreakTold(NamedTuple):
    """What a break tells: the *evening* so far, None where none was, and the *table* of honour."""

    evening: Evening | None
    table: SeasonTable


class Break:
    """Keeps what a break tells, so that any number of screens read no more than one; thread-safe.

    Args:
        now: Monotonic clock, in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._changed = threading.Condition()
        self._is_read = False  # now, by some thread
        self._kept: tuple[int, float, BreakTold] | None = None

    def told(self, seq: int, read: Callable[[], BreakTold]) -> BreakTold:
        """Return what is told while the table rests at entry *seq*: what *read* found lately.

        One thread reads, and nobody holds the lock meanwhile: others are told what was found at
        *seq* before, or wait for it.
        """
        with self._changed:
            self._changed.wait_for(lambda: not self._is_read or self._kept_at(seq) is not None)
            kept = self._kept_at(seq)
            if kept is not None and (self._is_read or self._now() - kept[0] < BREAK_S):
                return kept[1]
            self._is_read = True
        found = None
        try:
            found = read()
        finally:
            with self._changed:
                self._is_read = False
                if found is not None:
                    # By when it was read: who asks every BREAK_S is told anew each time.
                    self._kept = seq, self._now(), found
                self._changed.notify_all()
        return found

    def _kept_at(self, seq: int) -> tuple[float, BreakTold] | None:
        return None if self._kept is None or self._kept[0] != seq else self._kept[1:]


def ring_of(board: Scoreboard) -> tuple[RingSeat, ...]:
    """Return the seats of *board* while some of them must answer to a stake, else nothing."""
    if not board.to_answer or board.phase == _ANNOUNCING:
        return ()
    return tuple(RingSeat(row, _stands(row, board)) for row in board.rows)


def rests(board: Scoreboard) -> bool:
    """Whether nobody plays at *board*: no cards are out, nothing is asked, and nobody knocks."""
    is_dealt = board.deal_runs or any("in_hand" in row.flags for row in board.rows)
    is_busy = board.heard or board.doubt or board.grace or board.asking or board.tuning
    return not (is_dealt or is_busy or board.to_answer or board.payments)


def _fills_screen(moment: Moment, is_asked: bool) -> bool:
    if moment.kind is MomentKind.NOTABLE:
        return moment.name in _NOTABLE
    # A call that is to be answered is the ring of who must, and covers nothing.
    return moment.kind in _SHOWN_S and not (is_asked and moment.kind is MomentKind.CALL)


def _stands(row: Row, board: Scoreboard) -> str:
    if row.seat in board.to_answer:
        return "asked"
    if {"last_knocker", "raised"} & set(row.flags):
        return "called"
    if {"folded", "out"} & set(row.flags):
        return "out"
    # Of a side one answers for all: nobody there has said yes by himself.
    return "in" if "in_hand" in row.flags and not board.sides else ""
