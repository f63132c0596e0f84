"""The thread around the table: one inbox, one order, and everybody sees the same."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Self, TypeVar

from kloplei.files import KlopleiError
from kloplei.games.game import Facts, Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import Frame, LogEntry, TableSilent
from kloplei.table.core import Table
from kloplei.table.doctor import DoctorClient, no_doctor
from kloplei.table.door_keeper import DoorKeeper
from kloplei.table.ears import EarsClient, no_ears
from kloplei.table.entries import StepJournal
from kloplei.table.inbox import Message
from kloplei.table.letterbox import Call, Close, MessageQueue
from kloplei.table.published import BoardFeed
from kloplei.table.state import TableSetup

logger = logging.getLogger(__name__)

_NO_FACTS: Facts = {}

T = TypeVar("T")


class Session:
    """A table that runs: a `TableClient` for whoever looks and asks, an `Inbox` for devices.

    All methods are safe from any thread. ::

        with Session(Journal(path)) as session:
            session.put(KnockHeard(Seat(0), strength=0.5, at_s=time.monotonic()))

    Args:
        journal: Stays open at the end; who opened it closes it.
        setup: Where and what is played, and how long to listen, wait and show.
        clock: Monotonic seconds, the same clock that messages are stamped with.
        inbox_size: Messages that may wait; what comes on top is dropped and counted.
        keepalive_s: A follower gets None after so long without a change.
        reply_s: How long an asker waits for the table.
        on_loop: Called whenever the thread has come round, for a watchdog.
        beat_s: It comes round after this time even if nothing happens; None is never.

    Raises:
        JournalError: The journal cannot be read.
        UnknownEntry: It holds something this version does not know.
    """

    def __init__(
        self,
        journal: StepJournal,
        setup: TableSetup | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        inbox_size: int = 256,
        keepalive_s: float = 10.0,
        reply_s: float = 5.0,
        on_loop: Callable[[], None] | None = None,
        beat_s: float | None = None,
    ) -> None:
        self._table = Table(journal, setup)
        self._clock = clock
        self._keepalive_s = keepalive_s
        self._reply_s = reply_s
        self._on_loop = on_loop
        self._beat_s = beat_s
        self._inbox = MessageQueue(inbox_size)
        self._thread: threading.Thread | None = None
        self._closing = threading.Lock()
        self._closed = False
        self._frame: Frame | None = None
        self._ears: EarsClient = no_ears()
        self._doctor: DoctorClient = no_doctor()
        self._door = DoorKeeper(self._table, self._ask, clock)
        self._feed = BoardFeed(self._table.scoreboard(clock()), clock)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the table's thread; messages put before wait in the inbox."""
        if self._thread is not None or self._closed:
            raise RuntimeError("a session starts once")
        self._thread = threading.Thread(target=self._run, name="kloplei-table", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Do what is in the inbox, stop the thread and end all followers; twice does no harm."""
        with self._closing:
            already, self._closed = self._closed, True
        self._feed.close()
        if already or self._thread is None:
            return
        self._inbox.close()
        self._thread.join()

    def put(self, message: Message) -> None:
        """Queue *message*; when the inbox is full it is counted and dropped."""
        self._inbox.put(message)

    def show(self, frame: Frame | None) -> None:
        """Keep *frame* as what stands on the slate; None says that there is no slate."""
        self._frame = frame

    def fit_ears(self, ears: EarsClient) -> None:
        """Let *ears* answer for what the box hears."""
        self._ears = ears

    def fit_doctor(self, doctor: DoctorClient) -> None:
        """Let *doctor* answer for what works in the box."""
        self._doctor = doctor

    def submit(
        self,
        seat: Seat | None,
        action: str,
        *,
        seen: int | None = None,
        facts: Facts = _NO_FACTS,
        via: str = "phone",
    ) -> int:
        """Ask for *action*; see `kloplei.table.client.TableClient`."""
        return self._ask(
            lambda: self._table.submit(
                seat, action, now_s=self._clock(), seen=seen, facts=facts, via=via
            )
        )

    def scoreboard(self) -> Scoreboard:
        """Return the table as it stands."""
        return self._feed.now()

    def follow(self, after: int | None = None) -> Iterator[Scoreboard | None]:
        """Yield the scoreboard at once and at every change; see `TableClient`."""
        del after  # whatever it has seen, a reader gets the whole state
        return self._feed.follow(self._keepalive_s)

    def log(self, limit: int = 50) -> tuple[LogEntry, ...]:
        """Return the last *limit* steps of the evening, newest first."""
        return self._ask(lambda: self._table.log(limit))

    def frame(self) -> Frame | None:
        """Return what stands on the slate, or None if there is no slate."""
        return self._frame

    @property
    def ears(self) -> EarsClient:
        """What the box heard and how it is tuned; see `kloplei.table.ears`."""
        return self._ears

    @property
    def doctor(self) -> DoctorClient:
        """What works in the box, and what can be tried; see `kloplei.table.doctor`."""
        return self._doctor

    @property
    def door(self) -> DoorKeeper:
        """Who asks to be let in by a knock; see `kloplei.table.door`."""
        return self._door

    def _ask(self, do: Callable[[], T]) -> T:
        if self._closed or self._thread is None:
            raise TableSilent("The table is not running. Start it with: kloplei run")
        return self._inbox.ask(do, self._reply_s)

    def _run(self) -> None:
        going = True
        while going:
            going = self._come_round()
            self._publish()
            if self._on_loop is not None:
                self._guarded(self._on_loop)
        self._inbox.turn_away()

    def _come_round(self) -> bool:
        """Do the next thing there is to do; return False when it was the last."""
        coming = self._inbox.take(self._patience_s())
        self._tell_dropped()
        match coming:
            case None:
                self._guarded(lambda: self._table.tick(self._clock()))
            case Close():
                return False
            case Call():
                self._answer(coming)
            case _:
                self._guarded(lambda: self._table.handle(coming, self._clock()))
        return True

    def _patience_s(self) -> float | None:
        """Return how long nothing has to be done; None is until something comes in."""
        deadline = self._table.next_deadline()
        waits = [] if self._beat_s is None else [self._beat_s]
        if deadline is not None:
            waits.append(max(deadline - self._clock(), 0.0))
        return min(waits, default=None)

    def _answer(self, call: Call) -> None:
        if not call.reply.set_running_or_notify_cancel():
            return
        try:
            answer = call.do()
        except KlopleiError as refusal:
            self._publish()
            call.reply.set_exception(refusal)
        except Exception:
            logger.exception("The table stumbled over what was asked, and carries on.")
            self._table.note_fault(self._clock())
            self._publish()
            call.reply.set_exception(TableSilent("Something went wrong at the table; see its log."))
        else:
            # First everybody can see it, then the asker hears that it is done.
            self._publish()
            call.reply.set_result(answer)

    def _guarded(self, do: Callable[[], None]) -> None:
        """Do it; a mistake of ours in one message must not end the evening."""
        try:
            do()
        except Exception:
            logger.exception("The table stumbled, and carries on.")
            self._table.note_fault(self._clock())

    def _publish(self) -> None:
        now_s = self._clock()
        try:
            board = self._table.scoreboard(now_s)
        except Exception:
            logger.exception("The scoreboard cannot be drawn; the last one stays.")
        else:
            self._feed.put_up(board, now_s)

    def _tell_dropped(self) -> None:
        dropped = self._inbox.take_dropped()
        if dropped:
            logger.warning("The inbox was full: %d messages were dropped.", dropped)
            self._table.note_dropped(dropped, self._clock())
