"""Server-sent events: one thread tells all phones that follow, however many they are.

A stream (`LiveStream`) is the body of an answer without an end. Any WSGI server may iterate over
it, and holds a thread for each; our own answers its request like any other, and then hands the
socket over to the `Broadcaster`. There a phone is a `StreamConnection`: a socket that never blocks,
and what of one event it has not taken yet. Each event is written once for all of them; who is slow
skips what came meanwhile.
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
_CHECK_S = 1.0
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


@dataclass(slots=True)
class UnreadTimer:
    """For how long a phone has read nothing of what waits for it."""

    _bytes: int = 0
    _since_s: float = float("inf")

    @property
    def is_idle(self) -> bool:
        """Whether nothing waited when it was looked at last."""
        return not self._bytes

    def unread_s(self, unread_bytes: int, now_s: float) -> float:
        """Return for how long nothing was read, now that so much waits; less than 0 for nothing."""
        if not unread_bytes:
            self._since_s = float("inf")
        elif unread_bytes < self._bytes or self._since_s > now_s:
            self._since_s = now_s
        self._bytes = unread_bytes
        return now_s - self._since_s


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """One event for all: as it is, and as a chunk of an answer of unknown length."""

    plain: bytes
    chunk: bytes

    @classmethod
    def of(cls, text: str, *, is_packed: bool = False) -> "StreamEvent":
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
_KEEP_ALIVES = {
    (is_page, is_packed): StreamEvent.of(_STILL if is_page else KEEP_ALIVE, is_packed=is_packed)
    for is_page in (False, True)
    for is_packed in (False, True)
}
_END = StreamEvent(b"", b"0\r\n\r\n")


def _nothing_drawn(_: Scoreboard) -> None:
    return None


class LiveStream:
    """The body of an answer that follows the table from *place*, and begins with *first*.

    *render* returns what is told of a board to who *reads* it so: all who do are told the same.
    Without *reads* that is the scoreboard alone. A page hears as well that nothing is new; what
    *is_packed* takes gzip.
    Whoever iterates over it holds a thread; `Broadcaster.add` does not.
    """

    def __init__(
        self,
        feed: Feed,
        place: Follower,
        first: Scoreboard,
        render: Callable[[Scoreboard, Any], str],
        reads: Callable[[Scoreboard], Hashable] | None = None,
        *,
        is_packed: bool = False,
    ) -> None:
        self.place = place
        self.first = first
        self.render = render
        self.reads = reads or _nothing_drawn
        self.is_drawn = reads is not None
        self.is_packed = is_packed
        self.keep_alive = _KEEP_ALIVES[self.is_drawn, is_packed]
        self._feed = feed
        self._told = self._events()

    def __iter__(self) -> Iterator[bytes]:
        return self._told

    @property
    def beginning(self) -> bytes:
        """What is said at once."""
        retry_ms = _RETRY_MS + self.place.turn * _STRIDE_MS % _SPREAD_MS
        said = f"retry: {retry_ms}\n\n{self.render(self.first, self.reads(self.first))}"
        head = PACKED_HEAD if self.is_packed else b""
        return head + StreamEvent.of(said, is_packed=self.is_packed).plain

    def close(self) -> None:
        """Give the place back; servers call it when the phone has gone."""
        self._told.close()
        self._feed.give_back_place(self.place)

    def _events(self) -> Generator[bytes, None, None]:
        yield self.beginning
        with suppress(TableUnavailable):  # the phone comes back by itself, and hears the reason
            for board in self._feed.watch(self.place, self.first):
                event = self.keep_alive
                if board is not None:
                    told = self.render(board, self.reads(board))
                    event = StreamEvent.of(told, is_packed=self.is_packed)
                yield event.plain


class StreamConnection:
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
        "_unread",
        "_unsent",
        "first",
        "is_drawn",
        "is_packed",
        "is_stuck",
        "keep_alive",
        "place",
        "reads",
        "render",
        "socket",
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
        self.socket = connection
        self.place = stream.place
        self.render = stream.render
        self.reads = stream.reads
        self.keep_alive = stream.keep_alive
        self.is_packed = stream.is_packed
        self.is_drawn = stream.is_drawn
        self.first: Scoreboard | None = stream.first
        """What it was told first, until it is told all that the others are."""
        self.is_stuck = False
        self._chunked = is_chunked
        self._unsent = memoryview(unsent)
        self._next: StreamEvent | None = None
        self._ends_s = float("inf")
        if has_asked_all:
            self._ends_s = time.monotonic() + _HALF_CLOSED_S
        self._unread = UnreadTimer()

    @property
    def has_unsent(self) -> bool:
        """Whether the phone has something yet to take, before it is told more."""
        return bool(self._unsent)

    @property
    def hears_end(self) -> bool:
        """Whether it is news that the phone will ask no more: then it has gone."""
        return self._ends_s == float("inf")

    @property
    def unread_bytes(self) -> int:
        """How much of what was said has not reached the phone, as far as the kernel knows."""
        return len(self._unsent) + unread_in(self.socket)

    def send(self, event: StreamEvent) -> None:
        """Tell the phone of *event*; of what it has not begun to take it gets the newest alone.

        Raises:
            OSError: It has gone.
        """
        if self._unsent:
            self._next = event
            return
        told = event.chunk if self._chunked else event.plain
        with suppress(BlockingIOError):
            sent = self.socket.send(told)
            if sent == len(told):
                return
            told = told[sent:]
        self._unsent = memoryview(told)

    def flush(self) -> None:
        """Send what waits, as far as the phone takes it.

        Raises:
            OSError: It has gone.
        """
        with suppress(BlockingIOError):
            while self._unsent:
                self._unsent = self._unsent[self.socket.send(self._unsent) :]
            following, self._next = self._next, None
            if following is not None:
                self.send(following)

    def check(self, now_s: float) -> bool:
        """Return whether it may stay: it has not vanished, and reads what it is told."""
        unread_s = self._unread.unread_s(self.unread_bytes, now_s)
        self.is_stuck = unread_s >= _STUCK_S
        return unread_s < VANISHED_S and now_s < self._ends_s

    @property
    def is_sure(self) -> bool:
        """Whether the last look found nothing to look at again."""
        return self._unread.is_idle and self.hears_end


class Broadcaster:
    """Tells every `StreamConnection` each change at the table, from a thread of its own.

    Args:
        feed: Says what changes, and has the places.
        keepalive_s: Who is told nothing for so long hears that the table is there.
    """

    def __init__(self, feed: Feed, keepalive_s: float) -> None:
        self._feed = feed
        self._keepalive_s = keepalive_s
        self._phones: dict[int, StreamConnection] = {}
        self._added: deque[StreamConnection] = deque()
        self._dropped: deque[StreamConnection] = deque()
        self._new: set[StreamConnection] = set()
        self._unsure: set[StreamConnection] = set()
        self._told: Scoreboard | None = None
        self._keep_alive_due_s = self._check_due_s = 0.0
        self._stopping = threading.Event()
        self._woken, self._waking = socket.socketpair()
        self._woken.setblocking(False)
        self._waking.setblocking(False)
        self._poll = select.epoll()
        self._poll.register(self._woken, select.EPOLLIN)
        self._thread = threading.Thread(target=self._run, name="panel-broadcast", daemon=True)
        feed.on_news = self.wake

    def __len__(self) -> int:
        return len(self._phones)

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

    def add(self, phone: StreamConnection) -> None:
        """Tell *phone* what happens from now on; from any thread."""
        phone.place.connection = _BroadcastConnection(self, phone)
        self._added.append(phone)
        self.wake()

    def drop(self, phone: StreamConnection) -> None:
        """Let *phone* go, from any thread."""
        self._dropped.append(phone)
        self.wake()

    def wake(self) -> None:
        """Come round, from any thread."""
        # Full, it is awake; closed, there is nobody to wake.
        with suppress(OSError):
            self._waking.send(b"\0")

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._loop_once()
            except Exception:
                # They come back by themselves; a broadcaster that has gone would let nobody follow.
                logger.exception("The broadcaster stumbled, and lets go of all who follow.")
                self._end_all()
        self._end_all()

    def _loop_once(self) -> None:
        for number, what in self._poll.poll(self._wait_s()):
            if number == self._woken.fileno():
                self._woken.recv(1 << 12)
            elif (phone := self._phones.get(number)) is not None:
                self._handle_ready(phone, what)
        now_s = time.monotonic()
        self._register_added(now_s)
        self._send_news(now_s)
        self._keep_alive(now_s)
        self._check_unsure(now_s)
        while self._dropped:
            self._remove(self._dropped.popleft())

    def _wait_s(self) -> float | None:
        if not self._phones:
            return None
        due_s = self._keep_alive_due_s
        if self._unsure:
            due_s = min(due_s, self._check_due_s)
        return max(0.0, due_s - time.monotonic())

    def _handle_ready(self, phone: StreamConnection, what: int) -> None:
        if what & ~select.EPOLLOUT:
            self._remove(phone)
        else:
            self._attempt(phone, phone.flush)

    def _register_added(self, now_s: float) -> None:
        while self._added:
            phone = self._added.popleft()
            if not self._phones:
                self._keep_alive_due_s = now_s + self._keepalive_s
            try:
                self._poll.register(phone.socket, _wanted(phone))
            except (OSError, ValueError):  # closed before it came here
                self._feed.give_back_place(phone.place)
                continue
            self._phones[phone.socket.fileno()] = phone
            self._new.add(phone)
            self._note_unsure(phone)
            if phone.place.is_over:
                # Somebody else got its place before it came here.
                self._dropped.append(phone)

    def _send_news(self, now_s: float) -> None:
        board, is_over = self._feed.newest
        if is_over:
            self._end_all()
        elif board is not None and board is not self._told:
            self._told, self._keep_alive_due_s = board, now_s + self._keepalive_s
            self._send_board(board, list(self._phones.values()))
        elif board is not None and self._new:
            self._send_board(board, list(self._new))

    def _send_board(self, board: Scoreboard, phones: list[StreamConnection]) -> None:
        events: dict[Hashable, StreamEvent | None] = {}
        # Drawing takes its time: those first whom nothing is drawn for, then phones with a right.
        for phone in sorted(phones, key=lambda one: (one.is_drawn, not one.place.has_right)):
            if phone.first is not None and self._knows(phone, phone.first, board):
                continue
            told = _event_for(phone, board, events)
            if told is None:
                self._remove(phone)
            else:
                self._send(phone, told)

    def _knows(self, phone: StreamConnection, first: Scoreboard, board: Scoreboard) -> bool:
        """Whether *phone*, which was told *first* when it asked, knows as much as *board*."""
        if first.seq > board.seq:
            return True
        # From now on it hears all that the others hear.
        phone.first = None
        self._new.discard(phone)
        return first == board

    def _keep_alive(self, now_s: float) -> None:
        if now_s < self._keep_alive_due_s:
            return
        self._keep_alive_due_s = now_s + self._keepalive_s
        for phone in list(self._phones.values()):
            if not phone.has_unsent:
                self._send(phone, phone.keep_alive)

    def _send(self, phone: StreamConnection, event: StreamEvent) -> None:
        # Before it is told: who is let go of meanwhile is not looked after.
        self._note_unsure(phone)
        self._attempt(phone, lambda: phone.send(event))

    def _attempt(self, phone: StreamConnection, do: Callable[[], None]) -> None:
        had_unsent = phone.has_unsent
        try:
            do()
        except OSError:
            self._remove(phone)
        else:
            if phone.has_unsent != had_unsent:
                self._poll.modify(phone.socket, _wanted(phone))

    def _note_unsure(self, phone: StreamConnection) -> None:
        if not self._unsure:
            self._check_due_s = time.monotonic() + _CHECK_S
        self._unsure.add(phone)

    def _check_unsure(self, now_s: float) -> None:
        if not self._unsure or now_s < self._check_due_s:
            return
        self._check_due_s = now_s + _CHECK_S
        for phone in list(self._unsure):
            if not phone.check(now_s):
                self._remove(phone)
            elif phone.is_sure:
                self._unsure.discard(phone)

    def _end_all(self) -> None:
        self._register_added(time.monotonic())
        for phone in list(self._phones.values()):
            # What is packed has no end that all could be told alike: it breaks off.
            if not phone.has_unsent and not phone.is_packed:
                with suppress(OSError):
                    phone.send(_END)
            self._remove(phone)

    def _remove(self, phone: StreamConnection) -> None:
        number = phone.socket.fileno()
        if self._phones.get(number) is phone:
            del self._phones[number]
            # Closed, it leaves the poll as well.
            phone.socket.close()
        self._unsure.discard(phone)
        self._new.discard(phone)
        self._feed.give_back_place(phone.place)


class _BroadcastConnection:
    """A `StreamConnection` as those know it who share out the places."""

    __slots__ = ("_broadcaster", "_phone")

    def __init__(self, broadcaster: Broadcaster, phone: StreamConnection) -> None:
        self._broadcaster = broadcaster
        self._phone = phone

    @property
    def is_stuck(self) -> bool:
        return self._phone.is_stuck

    def follow(self, on_gone: Callable[[], None]) -> None:
        del on_gone  # the broadcaster gives the place back itself

    def hang_up(self) -> None:
        self._broadcaster.drop(self._phone)


def _event_for(
    phone: StreamConnection, board: Scoreboard, events: dict[Hashable, StreamEvent | None]
) -> StreamEvent | None:
    """Return what *phone* is told of *board*, None where that fails: it concerns nobody else.

    What is among *events* already, for who reads the same, is not made twice.
    """
    key: Hashable = phone
    try:
        reads = phone.reads(board)
        key = reads, phone.is_packed
        if key not in events:
            events[key] = StreamEvent.of(phone.render(board, reads), is_packed=phone.is_packed)
    except Exception:
        logger.exception("Entry %d cannot be told to some who follow; they are let go.", board.seq)
        events[key] = None
    return events[key]


def _wanted(phone: StreamConnection) -> int:
    """Return what to hear of *phone*: that it has gone, or asks on, and that it takes more.

    Nobody reads what comes behind a stream; the kernel would keep a megabyte of it for each.
    """
    wanted = select.EPOLLRDHUP | select.EPOLLIN if phone.hears_end else 0
    return wanted | (select.EPOLLOUT if phone.has_unsent else 0)
