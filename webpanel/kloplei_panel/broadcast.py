"""Server-sent events: one thread tells all phones that follow, however many they are.

A stream (`LiveStream`) is the body of an answer without an end. Any WSGI server may iterate over
it, and holds a X
"""

import logging
import select
import socket
import threading
import time
import zlib
from array import array
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterator
from contextlib import suppress
from fcntl import ioctl
from termios import TIOCOUTQ
from typing import Any

from kloplei.frozen import dataclass
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import TableUnavailable
from kloplei_panel.context import Feed
from kloplei_panel.followers import Follower

logger = logging.getLogger(__name__)
# Phones that lost the table together come back one by one: each a golden section after the last.
_RETRY_MS, _SPREAD_MS, _STRIDE_MS = 1000, 2000, 1236
_LOOK_S = 1.0
# What is sent to a phone stays underway for so long only where it reads nothing, or has vanished.
_STUCK_S = 5.0
# As small as it gets takes three times as long, for a tenth.
_QUICK = 3
# With a keep-alive every ten seconds it is noticed within thirty.
VANISHED_S = 15.0
# Who said that it asks no more may be gone, and does not say so.
_HALF_CLOSED_S = 20.0
# What the kernel keeps for a phone that does not read; it counts as the panel's memory.
UNREAD_BYTES = 1 << 16


def unread_in(connection: socket.socket) -> int:
    """Return how many bytes of *connection* have not reached its other end."""
    unread = array("i", [0])
    with suppress(OSError):
        ioctl(connection.fileno(), TIOCOUTQ, unread)
    return unread[0]


@dataclass(frozen=True, slots=True)
class Said:
    """One thing told to all: as it is, and as a chunk of an answer of unknown length."""

    plain: bytes
    chunk: bytes

    @classmethod
    def of(cls, text: str, *, is_packed: bool = False) -> "Said":
        """Return *text* as it goes out."""
        plain = packed(text.encode()) if is_packed else text.encode()
        return cls(plain, b"%X\r\n%b\r\n" % (len(plain), plain))


def packed(plain: bytes) -> bytes:
    """Return *plain* as a piece of gzip that hangs on none before it: all phones get the same."""
    packer = zlib.compressobj(_QUICK, wbits=-zlib.MAX_WBITS)
    return packer.compress(plain) + packer.flush(zlib.Z_FULL_FLUSH)


PACKED_HEAD = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
"""What the first piece goes behind."""
KEEP_ALIVE = ": still here\n\n"
# Scripts do not hear of a comment, and would ask whether anybody is there.
_STILL = "event: still\ndata: .\n\n"
_BREATHS = {
    (is_page, is_packed): Said.of(_STILL if is_page else KEEP_ALIVE, is_packed=is_packed)
    for is_page in (False, True)
    for is_packed in (False, True)
}
_END = Said(b"", b"0\r\n\r\n")


def _nothing_drawn(_: Scoreboard) -> None:
    return None


class LiveStream:
    """The body of an answer that follows the table from *place*, and begins with *first*.

    *tell* says what is told of a board to who *reads* it so: all who do are told the same.
    Without *reads* that is the scoreboard alone. A page hears as well that nothing is new; what
    *is_packed* takes gzip.
    Whoever iterates over it holds a thread; `Broadcaster.carry` does not.
    """

    def __init__(
        self,
        feed: Feed,
        place: Follower,
        first: Scoreboard,
        tell: Callable[[Scoreboard, Any], str],
        reads: Callable[[Scoreboard], Hashable] | None = None,
        *,
        is_packed: bool = False,
    ) -> None:
        self.place = place
        self.first = first
        self.tell = tell
        self.reads = reads or _nothing_drawn
        self.is_drawn = reads is not None
        self.is_packed = is_packed
        self.breath = _BREATHS[self.is_drawn, is_packed]
        self._feed = feed
        self._told = self._events()

    def __iter__(self) -> Iterator[bytes]:
        return self._told

    @property
    def beginning(self) -> bytes:
        """What is said at once."""
        retry_ms = _RETRY_MS + self.place.turn * _STRIDE_MS % _SPREAD_MS
        said = f"retry: {retry_ms}\n\n{self.tell(self.first, self.reads(self.first))}"
        head = PACKED_HEAD if self.is_packed else b""
        return head + Said.of(said, is_packed=self.is_packed).plain

    def close(self) -> None:
        """Give the place back; servers call it when the phone has gone."""
        self._told.close()
        self._feed.give_back_place(self.place)

    def _events(self) -> Generator[bytes, None, None]:
        yield self.beginning
        with suppress(TableUnavailable):  # the phone comes back by itself, and hears the reason
            for board in self._feed.watch(self.place, self.first):
                told = None if board is None else self.tell(board, self.reads(board))
                said = self.breath if told is None else Said.of(told, is_packed=self.is_packed)
                yield said.plain


class PhoneLine:
    """One phone that follows, on a *connection* of its own.

    Args:
        connection: Is never waited for.
        stream: The answer that it goes on with.
        unsent: What it was to be told before.
        is_chunked: Whether it takes chunks.
        has_asked_all: Whether it has said already that it will ask nothing more.
    """

    __slots__ = (
        "_chunked",
        "_ends_s",
        "_next",
        "_unread_bytes",
        "_unread_since_s",
        "_unsent",
        "breath",
        "connection",
        "first",
        "is_drawn",
        "is_packed",
        "is_stuck",
        "place",
        "reads",
        "write",
    )

    def __init__(
        self,
        connection: socket.socket,
        stream: LiveStream,
        unsent: bytes = b"",
        *,
        is_chunked: bool = True,
        has_asked_all: bool = False,
    ) -> None:
        self.connection = connection
        self.place = stream.place
        self.write = stream.tell
        self.reads = stream.reads
        self.breath = stream.breath
        self.is_packed = stream.is_packed
        self.is_drawn = stream.is_drawn
        self.first: Scoreboard | None = stream.first
        """What it was told first, until it is told all that the others are."""
        self.is_stuck = False
        self._chunked = is_chunked
        self._unsent = memoryview(unsent)
        self._next: Said | None = None
        self._ends_s = float("inf")
        if has_asked_all:
            self._ends_s = time.monotonic() + _HALF_CLOSED_S
        self._unread_bytes = 0
        self._unread_since_s = float("inf")

    @property
    def waits(self) -> bool:
        """Whether the phone has something yet to take, before it is told more."""
        return bool(self._unsent)

    @property
    def hears_end(self) -> bool:
        """Whether it is news that the phone will ask no more: then it has gone."""
        return self._ends_s == float("inf")

    @property
    def unread_bytes(self) -> int:
        """How much of what was said has not reached the phone, as far as the kernel knows."""
        return len(self._unsent) + unread_in(self.connection)

    def tell(self, said: Said) -> None:
        """Tell the phone *said*; of what it has not begun to take it gets the newest alone.

        Raises:
            OSError: It has gone.
        """
        if self._unsent:
            self._next = said
            return
        told = said.chunk if self._chunked else said.plain
        with suppress(BlockingIOError):
            sent = self.connection.send(told)
            if sent == len(told):
                return
            told = told[sent:]
        self._unsent = memoryview(told)

    def go_on(self) -> None:
        """Tell what waits, as far as the phone takes it.

        Raises:
            OSError: It has gone.
        """
        with suppress(BlockingIOError):
            while self._unsent:
                self._unsent = self._unsent[self.connection.send(self._unsent) :]
            following, self._next = self._next, None
            if following is not None:
                self.tell(following)

    def look(self, now_s: float) -> bool:
        """Return whether it may stay: it has not vanished, and reads what it is told."""
        unread = self.unread_bytes
        if not unread:
            self._unread_since_s = float("inf")
        elif unread < self._unread_bytes or self._unread_since_s > now_s:
            self._unread_since_s = now_s
        self._unread_bytes = unread
        unread_s = now_s - self._unread_since_s
        self.is_stuck = unread_s >= _STUCK_S
        return unread_s < VANISHED_S and now_s < self._ends_s

    @property
    def is_sure(self) -> bool:
        """Whether the last look found nothing to look at again."""
        return not self._unread_bytes and self.hears_end


class Broadcaster:
    """Tells every `PhoneLine` each change at the table, from a thread of its own.

    Args:
        feed: Says what changes, and has the places.
        keepalive_s: Who is told nothing for so long hears that the table is there.
    """

    def __init__(self, feed: Feed, keepalive_s: float) -> None:
        self._feed = feed
        self._keepalive_s = keepalive_s
        self._lines: dict[int, PhoneLine] = {}
        self._arrived: deque[PhoneLine] = deque()
        self._dismissed: deque[PhoneLine] = deque()
        self._new: set[PhoneLine] = set()
        self._unsure: set[PhoneLine] = set()
        self._told: Scoreboard | None = None
        self._breath_s = self._look_s = 0.0
        self._stopping = threading.Event()
        self._woken, self._waking = socket.socketpair()
        self._woken.setblocking(False)
        self._waking.setblocking(False)
        self._poll = select.epoll()
        self._poll.register(self._woken, select.EPOLLIN)
        self._thread = threading.Thread(target=self._run, name="panel-broadcast", daemon=True)
        feed.on_news = self.wake

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def is_alive(self) -> bool:
        """Whether its thread runs."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Begin to tell, and return."""
        self._thread.start()

    def close(self) -> None:
        """Let go of all."""
        self._stopping.set()
        if self._thread.is_alive():
            self.wake()
            self._thread.join()
        for one in (self._poll, self._woken, self._waking):
            one.close()

    def carry(self, line: PhoneLine) -> None:
        """Tell *line* from now on; from any thread."""
        line.place.connection = _Reached(self, line)
        self._arrived.append(line)
        self.wake()

    def dismiss(self, line: PhoneLine) -> None:
        """Let *line* go, from any thread."""
        self._dismissed.append(line)
        self.wake()

    def wake(self) -> None:
        """Come round, from any thread."""
        # Full, it is awake; closed, there is nobody to wake.
        with suppress(OSError):
            self._waking.send(b"\0")

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._come_round()
            except Exception:
                # They come back by themselves; a broadcaster that has gone would let nobody follow.
                logger.exception("The broadcaster stumbled, and lets go of all who follow.")
                self._end_all()
        self._end_all()

    def _come_round(self) -> None:
        for number, what in self._poll.poll(self._wait_s()):
            if number == self._woken.fileno():
                self._woken.recv(1 << 12)
            elif (line := self._lines.get(number)) is not None:
                self._hear(line, what)
        now_s = time.monotonic()
        self._take_up(now_s)
        self._pass_on(now_s)
        self._breathe(now_s)
        self._look(now_s)
        while self._dismissed:
            self._let_go(self._dismissed.popleft())

    def _wait_s(self) -> float | None:
        if not self._lines:
            return None
        due_s = min(self._breath_s, self._look_s) if self._unsure else self._breath_s
        return max(0.0, due_s - time.monotonic())

    def _hear(self, line: PhoneLine, what: int) -> None:
        if what & ~select.EPOLLOUT:
            self._let_go(line)
        else:
            self._do(line, line.go_on)

    def _take_up(self, now_s: float) -> None:
        while self._arrived:
            line = self._arrived.popleft()
            if not self._lines:
                self._breath_s = now_s + self._keepalive_s
            try:
                self._poll.register(line.connection, _wanted(line))
            except (OSError, ValueError):  # closed before it came here
                self._feed.give_back_place(line.place)
                continue
            self._lines[line.connection.fileno()] = line
            self._new.add(line)
            self._note_unsure(line)
            if line.place.is_over:
                # Somebody else got its place before it came here.
                self._dismissed.append(line)

    def _pass_on(self, now_s: float) -> None:
        board, is_over = self._feed.newest
        if is_over:
            self._end_all()
        elif board is not None and board is not self._told:
            self._told, self._breath_s = board, now_s + self._keepalive_s
            self._tell(board, list(self._lines.values()))
        elif board is not None and self._new:
            self._tell(board, list(self._new))

    def _tell(self, board: Scoreboard, lines: list[PhoneLine]) -> None:
        said: dict[Hashable, Said | None] = {}
        # Drawing takes its time: those first whom nothing is drawn for, then phones with a right.
        for line in sorted(lines, key=lambda one: (one.is_drawn, not one.place.has_right)):
            if line.first is not None and self._knows(line, line.first, board):
                continue
            told = _said_to(line, board, said)
            if told is None:
                self._let_go(line)
            else:
                self._say(line, told)

    def _knows(self, line: PhoneLine, first: Scoreboard, board: Scoreboard) -> bool:
        """Whether *line*, which was told *first* when it asked, knows as much as *board*."""
        if first.seq > board.seq:
            return True
        # From now on it hears all that the others hear.
        line.first = None
        self._new.discard(line)
        return first == board

    def _breathe(self, now_s: float) -> None:
        if now_s < self._breath_s:
            return
        self._breath_s = now_s + self._keepalive_s
        for line in list(self._lines.values()):
            if not line.waits:
                self._say(line, line.breath)

    def _say(self, line: PhoneLine, said: Said) -> None:
        # Before it is told: who is let go of meanwhile is not looked after.
        self._note_unsure(line)
        waited = line.waits
        self._do(line, lambda: line.tell(said), waited=waited)

    def _do(self, line: PhoneLine, do: Callable[[], None], *, waited: bool | None = None) -> None:
        waited = line.waits if waited is None else waited
        try:
            do()
        except OSError:
            self._let_go(line)
        else:
            if line.waits != waited:
                self._poll.modify(line.connection, _wanted(line))

    def _note_unsure(self, line: PhoneLine) -> None:
        if not self._unsure:
            self._look_s = time.monotonic() + _LOOK_S
        self._unsure.add(line)

    def _look(self, now_s: float) -> None:
        if not self._unsure or now_s < self._look_s:
            return
        self._look_s = now_s + _LOOK_S
        for line in list(self._unsure):
            if not line.look(now_s):
                self._let_go(line)
            elif line.is_sure:
                self._unsure.discard(line)

    def _end_all(self) -> None:
        self._take_up(time.monotonic())
        for line in list(self._lines.values()):
            # What is packed has no end that all could be told alike: it breaks off.
            if not line.waits and not line.is_packed:
                with suppress(OSError):
                    line.tell(_END)
            self._let_go(line)

    def _let_go(self, line: PhoneLine) -> None:
        number = line.connection.fileno()
        if self._lines.get(number) is line:
            del self._lines[number]
            # Closed, it leaves the poll as well.
            line.connection.close()
        self._unsure.discard(line)
        self._new.discard(line)
        self._feed.give_back_place(line.place)


class _Reached:
    """A `PhoneLine` as those know it who share out the places."""

    __slots__ = ("_broadcaster", "_line")

    def __init__(self, broadcaster: Broadcaster, line: PhoneLine) -> None:
        self._broadcaster = broadcaster
        self._line = line

    @property
    def is_stuck(self) -> bool:
        return self._line.is_stuck

    def follow(self, on_gone: Callable[[], None]) -> None:
        del on_gone  # the broadcaster gives the place back itself

    def hang_up(self) -> None:
        self._broadcaster.dismiss(self._line)


def _said_to(line: PhoneLine, board: Scoreboard, said: dict[Hashable, Said | None]) -> Said | None:
    """Return what *line* is told of *board*, None where that fails: it concerns nobody else.

    Of what was *said* already to who reads the same, nothing is made twice.
    """
    key: Hashable = line
    try:
        reads = line.reads(board)
        key = reads, line.is_packed
        if key not in said:
            said[key] = Said.of(line.write(board, reads), is_packed=line.is_packed)
    except Exception:
        logger.exception("Entry %d cannot be told to some who follow; they are let go.", board.seq)
        said[key] = None
    return said[key]


def _wanted(line: PhoneLine) -> int:
    """Return what to hear of *line*: that it has gone, or asks on, and that it takes more.

    Nobody reads what comes behind a stream; the kernel would keep a megabyte of it for each.
    """
    wanted = select.EPOLLRDHUP | select.EPOLLIN if line.hears_end else 0
    return wanted | (select.EPOLLOUT if line.waits else 0)
