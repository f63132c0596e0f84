"""Boxes on their lines: `BoxUplink` is one, `Boxes` a loop that keeps any number of them going.

On a box there is one; a rehearsal of a festival has a thousand in one process. What a table does
reaches the loop by `BoxUplink.show`, from any thread; all else is done by whoever runs the loop.
"""

import contextlib
import logging
import random
import selectors
import socket
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from kloplei.files import KlopleiError
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import TableUnavailable
from kloplei.table.outbox import for_house
from kloplei.table.uplink_client import (
    MOST_ENTRIES,
    HousePerson,
    StepsAfter,
    TableCall,
    UplinkClient,
    UplinkState,
)
from kloplei.uplink.links import TICK_S, HttpsLink, KnownHouse, Link, MqttLink
from kloplei.uplink.sender import LONGEST_PAUSE_S, MOST_AHEAD, Sender
from kloplei.uplink.wire import (
    BOARD,
    CALL,
    HAVE,
    MOST_BYTES,
    PEOPLE,
    STEPS,
    AgreedPeople,
    BadMessage,
    Have,
    decode,
    encode,
)
from kloplei.words import Sentence

BOARD_S: Final = 0.5
"""No board sooner after another; what comes and goes in between nobody far away need see."""
PEOPLE_S: Final = 30.0
"""So often one looks who agreed, and asks where the house cannot speak by itself."""
FALLBACK_S: Final = 180.0
"""So long the broker may be away before steps are posted, and then before it is tried again."""
TOO_LARGE: Final = "too-large"
_NO_SPIN_S = 0.02
_TABLE_AGAIN_S = 1.0
_NEVER = float("inf")
logger = logging.getLogger(__name__)


class BoxUplink:
    """One box and its house; for one thread, but for `show` and `stir`.

    Args:
        box: What its journal calls itself.
        house: Where it goes.
        table: Its steps, and who agreed; it hears who is called.
        new_link: Makes a line; the one that pairing told of where it is None.
        chance: From 0 to 1; see `Sender`.
    """

    def __init__(
        self,
        box: str,
        house: KnownHouse,
        table: UplinkClient,
        *,
        new_link: Callable[[], Link] | None = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.house = house
        self.sender = Sender(self._steps, chance)
        self.certificate_ends: float | None = None
        self._box = box
        self._table = table
        self._dial = _Dial(box, house, new_link, chance)
        self._link: Link | None = None
        self._trouble: Sentence | None = None
        self._most = MOST_ENTRIES
        self._board: Scoreboard | None = None
        self._is_stirred = True
        self._unheard: Have | None = None
        self._has_answered = False
        self._begin_line(float("-inf"))

    def show(self, board: Scoreboard) -> None:
        """Take in how the table stands; from any thread, and then `Boxes.wake`."""
        before, self._board = self._board, board
        if before is None or before.seq != board.seq:
            self._is_stirred = True

    def stir(self) -> None:
        """Take note that there are new steps; from any thread, and then `Boxes.wake`."""
        self._is_stirred = True

    @property
    def state(self) -> UplinkState:
        """How it stands, in a word."""
        if self.sender.refused is not None:
            return "refused"
        return "connected" if self._is_up and self._has_answered else "connecting"

    @property
    def trouble(self) -> Sentence | None:
        """Why the house gets nothing more, and what helps; None where all is well."""
        refused = self.sender.refused
        return self._trouble if refused is None else refusal(refused, self.house.address)

    @property
    def socket(self) -> Any:
        """What to watch; None where there is nothing."""
        return self._link.socket if self._link else None

    @property
    def wants_to_write(self) -> bool:
        """Whether more can be written as soon as there is room."""
        return self._link is not None and self._link.wants_to_write

    def move(self, *, reads: bool, writes: bool) -> None:
        """Take in what came, and send what waited for room; then it is its `turn`."""
        if self._link is not None and reads:
            self._link.read()
        if self._link is not None and writes:
            self._link.write()

    def turn(self, now_s: float) -> float:
        """Do what is due, and return when to do so again though nothing comes."""
        if self._link is None:
            self._link = self._dial.link(now_s)
            self._begin_line(now_s)
        link = self._link
        if link is not None:
            self._do(link, now_s)
        wakes_s = self._dial.again_s if self._link is None else self._wakes_s(self._link, now_s)
        return max(wakes_s, now_s + _NO_SPIN_S)

    def close(self) -> None:
        """Hang up in good order."""
        if self._link is not None:
            self._link.close()
            self._link = None

    def _begin_line(self, now_s: float) -> None:
        self._is_up = False
        self._agreed: tuple[HousePerson, ...] | None = None
        self._shown: Scoreboard | None = None
        self._board_s = self._people_s = self._table_s = now_s
        self._until_s = _NEVER

    def _do(self, link: Link, now_s: float) -> None:
        link.tick(now_s)
        self._hear_all(link)
        if link.is_open and not self._is_up:
            self._come_up(link, now_s)
        if link.is_open and now_s >= self._table_s:
            try:
                self._talk(link, now_s)
            except TableUnavailable as error:
                logger.debug("The table does not answer now: %s", error)
                self._table_s = now_s + _TABLE_AGAIN_S
            self._hear_all(link)  # what was posted is answered by now
        if now_s >= self._until_s:
            link.close()
        if link.is_closed:
            self._go_down(link, now_s)

    def _come_up(self, link: Link, now_s: float) -> None:
        self._is_up = True
        self._until_s = self._dial.until_s(link, now_s)
        self.certificate_ends = link.certificate_ends or self.certificate_ends
        self.sender.connected(now_s, is_told=link.socket is not None)

    def _go_down(self, link: Link, now_s: float) -> None:
        self._dial.hung_up(link, now_s, has_answered=self._has_answered)
        self._trouble = link.trouble
        self._link, self._is_up = None, False
        self._unheard, self._has_answered = None, False
        self.sender.lost()

    def _hear_all(self, link: Link) -> None:
        for leaf, body in link.take():
            self._hear(leaf, body)

    def _hear(self, leaf: str, body: bytes) -> None:
        try:
            if leaf == HAVE:
                self._unheard = decode(Have, body)
            elif leaf == CALL:
                self._table.call(decode(TableCall, body))
        except BadMessage as error:
            logger.warning("The house says something odd: %s", error)
        except KlopleiError as error:
            logger.warning("The table does not take a call: %s", error)

    def _talk(self, link: Link, now_s: float) -> None:
        if self._unheard is not None:
            self.sender.heard(self._unheard, now_s)
            self._unheard, self._has_answered, self._trouble = None, True, None
        if now_s >= self._people_s:
            self._tell_people(link, now_s)
        if now_s >= self._board_s and not link.waiting(BOARD):
            self._tell_board(link, now_s)
        self._tell_steps(link, now_s)

    def _tell_people(self, link: Link, now_s: float) -> None:
        agreed = self._table.agreed()
        self._people_s = now_s + PEOPLE_S
        if agreed != self._agreed:
            self._agreed = agreed
            link.send(PEOPLE, encode(AgreedPeople(agreed)))
        link.ask()
        if link.socket is None and self.sender.wakes_s is None:
            link.send(STEPS, encode(self.sender.question()))

    def _tell_board(self, link: Link, now_s: float) -> None:
        board = self._board and for_house(lasting(self._board), self._agreed or ())
        if board is not None and board != self._shown:
            self._shown = board
            self._board_s = now_s + BOARD_S
            link.send(BOARD, encode(board))

    def _tell_steps(self, link: Link, now_s: float) -> None:
        if self._is_stirred:
            self._is_stirred = False  # first: what happens from here on is for another turn
            self.sender.stirred()
        is_all = False
        try:
            is_all = self._send_steps(link, now_s)
        finally:
            self._is_stirred = self._is_stirred or not is_all

    def _send_steps(self, link: Link, now_s: float) -> bool:
        """Send what is due, and return whether that was all."""
        if link.waiting(STEPS) >= MOST_AHEAD:
            return False  # the broker hangs; it need not get anything twice
        for message in self.sender.due(now_s):
            body = encode(message)
            if len(body) > MOST_BYTES:
                self._most = max(self._most // 2, 1)
                self.sender.refuse(TOO_LARGE, now_s)
                break
            link.send(STEPS, body)
            if link.waiting(STEPS) >= MOST_AHEAD or link.is_closed:
                return False
        return True

    def _steps(self, after: int) -> StepsAfter:
        return self._table.steps(after, self._most)

    def _wakes_s(self, link: Link, now_s: float) -> float:
        if not link.is_open:
            return now_s + TICK_S
        is_stuck = link.waiting(STEPS) >= MOST_AHEAD
        steps_s = _NEVER if is_stuck else self.sender.wakes_s or _NEVER
        board_s = self._board_s if self._board_s > now_s else _NEVER
        heard_s = _NEVER if self._unheard is None else now_s
        due_s = min(steps_s, board_s, heard_s, self._people_s)
        return min(max(due_s, self._table_s), self._until_s, now_s + TICK_S)


class _Dial:
    """When to open a line again, and which: to the broker, or posts where that is long away."""

    def __init__(
        self,
        box: str,
        house: KnownHouse,
        new_link: Callable[[], Link] | None,
        chance: Callable[[], float],
    ) -> None:
        self.again_s = float("-inf")
        self._box, self._house = box, house
        self._new_link = new_link
        self._chance = chance
        self._pause_s = 1.0
        self._away_s: float | None = None
        self._posted_last = False

    def link(self, now_s: float) -> Link | None:
        """Return a line that was begun; None where it is not time yet."""
        if now_s < self.again_s:
            return None
        link = self._made(now_s)
        link.open(now_s)
        return link

    def until_s(self, link: Link, now_s: float) -> float:
        """Return how long that line is good for."""
        is_instead = isinstance(link, HttpsLink) and self._house.paired.port
        return now_s + FALLBACK_S if is_instead else _NEVER

    def hung_up(self, link: Link, now_s: float, *, has_answered: bool) -> None:
        """Take note of how a line ended."""
        self._posted_last = isinstance(link, HttpsLink)
        if has_answered:
            self._pause_s = 1.0
            if not self._posted_last:
                self._away_s = None
        if self._away_s is None:
            self._away_s = now_s
        self.again_s = now_s + self._pause_s * (1 + self._chance()) / 2
        self._pause_s = min(self._pause_s * 2, LONGEST_PAUSE_S)

    def _made(self, now_s: float) -> Link:
        if self._new_link is not None:
            return self._new_link()
        is_away = self._away_s is not None and now_s >= self._away_s + FALLBACK_S
        if not self._house.paired.port or (is_away and not self._posted_last):
            return HttpsLink(self._box, self._house)
        return MqttLink(self._box, self._house)


class Boxes:
    """A loop that keeps boxes going; `wake` may be called from any thread.

    Args:
        clock: Monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._watched: dict[BoxUplink, tuple[Any, int] | None] = {}
        self._wakes_s: dict[BoxUplink, float] = {}
        self._stirred: set[BoxUplink] = set()
        self._selector = selectors.DefaultSelector()
        # No pipe: whoever wakes a loop that has just ended would write to its bare number, which
        # may be another file's by then.
        self._woken, self._waking = socket.socketpair()
        self._woken.setblocking(False)
        self._waking.setblocking(False)
        self._selector.register(self._woken, selectors.EVENT_READ)

    def add(self, box: BoxUplink) -> None:
        """Keep *box* going from now on."""
        self._watched[box] = None
        self._wakes_s[box] = float("-inf")

    def remove(self, box: BoxUplink) -> None:
        """Let *box* hang up."""
        box.close()
        self._watch(box, None)
        del self._watched[box], self._wakes_s[box]

    def wake(self, box: BoxUplink | None = None) -> None:
        """Let the loop come round, and *box* have its turn; from any thread."""
        if box is not None:
            self._stirred.add(box)
        # Full, it is awake; closed, there is nobody to wake.
        with contextlib.suppress(OSError):
            self._waking.send(b"\0")

    def run_once(self, most_s: float) -> None:
        """Wait until something comes or is due, for *most_s* at most, and do it."""
        now_s = self._clock()
        due_s = min(self._wakes_s.values(), default=_NEVER)
        wait_s = 0.0 if self._stirred else max(min(most_s, due_s - now_s), 0.0)
        turns = self._moved(wait_s)
        now_s = self._clock()
        while self._stirred:
            turns.add(self._stirred.pop())
        turns.update(box for box, due_s in self._wakes_s.items() if now_s >= due_s)
        for box in turns & self._watched.keys():
            self._wakes_s[box] = box.turn(now_s)
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if box.wants_to_write else 0)
            self._watch(box, box.socket and (box.socket, events))

    def close(self) -> None:
        """Let all hang up."""
        for box in tuple(self._watched):
            self.remove(box)
        self._selector.close()
        self._woken.close()
        self._waking.close()

    def _moved(self, wait_s: float) -> set[BoxUplink]:
        moved = set()
        for key, events in self._selector.select(wait_s):
            box = key.data
            if box is None:
                with contextlib.suppress(BlockingIOError):
                    self._woken.recv(4096)
                continue
            moved.add(box)
            box.move(
                reads=bool(events & selectors.EVENT_READ),
                writes=bool(events & selectors.EVENT_WRITE),
            )
            if box.socket is None:
                # At once: the next line that anybody opens may get the number of its socket.
                self._watch(box, None)
        return moved

    def _watch(self, box: BoxUplink, wanted: tuple[Any, int] | None) -> None:
        """Watch the line of *box*, which may be another one than before, for that."""
        before = self._watched[box]
        if wanted == before:
            return
        if before is not None:
            self._selector.unregister(before[0])
        if wanted is not None:
            self._selector.register(wanted[0], wanted[1], box)
        self._watched[box] = wanted


def lasting(board: Scoreboard) -> Scoreboard:
    """Return *board* without what comes and goes within a moment, which only the table need see."""
    return replace(
        board,
        heard=None,
        struck=False,
        doubt=None,
        grace=None,
        asking=None,
        refused=None,
        shown=None,
        tuning=None,
    )


def refusal(why: str, address: str) -> Sentence:
    """Return what is to be said where the house at *address* takes nothing for that reason."""
    match why:
        case "twin":
            return Sentence("uplink-twin")
        case "unknown":
            return Sentence("uplink-unknown", address=address)
        case "too-large":
            return Sentence("uplink-too-large")
        case "malformed":
            return Sentence("uplink-malformed", address=address)
    return Sentence("uplink-refused", address=address, error=why)
