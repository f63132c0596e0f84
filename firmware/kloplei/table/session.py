"""The thread around the table: one queue, one order, and everybody sees the same.

Devices put messages in, which may be lost when the queue is full, and are counted then; phones
and the panel ask, and wait for their answer (`MessageQueue`). One thread takes out whatever came
first, lets the table do it and shows the scoreboard (`BoardFeed`), which any number follow from
threads of their own. `TablePairing` is the door of the table, asked the same way, and `TableUplink`
what leaves it for a house.

Nothing but that thread ever touches the `Table`; all that is public here is safe from any.
"""

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NoReply
from functools import partial
from types import SimpleNamespace
from typing import Any, Self, TypeVar, cast

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.games.game import NO_FACTS, Facts, Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import (
    BadRequest,
    Doer,
    DoorAnswer,
    EarsClient,
    Frame,
    LogEntry,
    TableUnavailable,
    methods_of,
    no_ears,
)
from kloplei.table.core import Table
from kloplei.table.doctor_client import DoctorClient, no_doctor
from kloplei.table.expectation import Expectation
from kloplei.table.history_client import HistoryClient, no_history
from kloplei.table.journal import Journal
from kloplei.table.messages import BlowFate, Message
from kloplei.table.outbox import Outbox
from kloplei.table.pairing import PairingRequests
from kloplei.table.people_client import LONG_S, TAKE_LONG, PeopleClient
from kloplei.table.recordings_client import RecordingsClient, no_recordings
from kloplei.table.seating import TableSetup
from kloplei.table.uplink_client import (
    MOST_ENTRIES,
    HousePerson,
    HubWish,
    StepsAfter,
    TableCall,
    UplinkStatus,
)
from kloplei.table.voice_client import VoiceClient, no_voice
from kloplei.words import Sentence

T = TypeVar("T")
# Longer than it takes threads to wake, and nothing to the eye.
_BREATH_S = 0.001


@dataclass(frozen=True, slots=True)
class Call:
    """Something that the table's thread does for another one, which waits for *reply*."""

    do: Callable[[], Any]
    reply: "Future[Any]"


@dataclass(frozen=True, slots=True)
class Close:
    """The last thing in the queue."""


class MessageQueue:
    """One order for all that comes in; only the table's thread takes out.

    Args:
        size: So much may wait; messages that come on top are dropped and counted.
    """

    def __init__(self, size: int) -> None:
        self._waiting: queue.Queue[Message | Call | Close] = queue.Queue(size)
        self._dropped = 0
        self._dropping = threading.Lock()

    def put(self, message: Message) -> None:
        """Queue *message*, or count it as dropped."""
        try:
            self._waiting.put_nowait(message)
        except queue.Full:
            with self._dropping:
                self._dropped += 1

    def ask(self, do: Callable[[], T], reply_s: float) -> T:
        """Let the table's thread *do* it, and wait *reply_s* for the answer.

        Raises:
            TableUnavailable: Nobody answered in time.
        """
        reply: Future[T] = Future()
        try:
            self._waiting.put(Call(do, reply), timeout=reply_s)
            return reply.result(timeout=reply_s)
        except (queue.Full, NoReply, CancelledError):
            # A call that has not begun is never made later, when nobody waits for it any more.
            reply.cancel()
            raise TableUnavailable(Sentence("table-silent")) from None

    def close(self) -> None:
        """Put the last thing in; waits for room."""
        self._waiting.put(Close())

    def take(self, patience_s: float | None) -> Message | Call | Close | None:
        """Return what came in first, or None if nothing does for *patience_s*."""
        try:
            return self._waiting.get(timeout=patience_s)
        except queue.Empty:
            return None

    def take_dropped(self) -> int:
        """Return how many messages were dropped since this was asked last."""
        with self._dropping:
            dropped, self._dropped = self._dropped, 0
        return dropped

    def turn_away(self) -> None:
        """Leave nobody waiting who asked while the table closed."""
        with contextlib.suppress(queue.Empty):
            while True:
                left = self._waiting.get_nowait()
                if isinstance(left, Call):
                    left.reply.cancel()


class BoardFeed:
    """The newest *board*, which everybody may see; all methods are safe from any thread.

    Who passes it on to phones hears of it first. Who draws it *gives way*: all of them take turns
    at one processor, and a drawing takes longer than all phones together.

    Args:
        board: The first one.
    """

    def __init__(self, board: Scoreboard) -> None:
        lock = threading.RLock()
        self._changed = threading.Condition(lock)
        self._told_others = threading.Condition(lock)
        self._waiting = {self._changed: 0, self._told_others: 0}
        self.board = board
        self._version = 0
        self._closed = False

    def put_up(self, board: Scoreboard) -> bool:
        """Let everybody who looks see *board*; return whether it is news, for `call_out`."""
        # Nobody else puts up boards, so that what is compared stands still.
        is_news = board != self.board
        if is_news:
            with self._changed:
                self.board = board
                self._version += 1
        return is_news

    def call_out(self) -> None:
        """Wake those who pass it on, and let them go first: for all phones, not for one."""
        with self._changed:
            passes_on = self._waiting[self._changed]
            self._changed.notify_all()
        if passes_on:
            # They need not be done by then: who has the processor keeps it for longer than that.
            time.sleep(_BREATH_S)

    def call_onlookers(self, *, is_answered: bool) -> None:
        """Wake those who give way, to who has just been answered as well, if *is_answered*."""
        if self._waiting[self._told_others] and is_answered:
            time.sleep(_BREATH_S)
        with self._told_others:
            self._told_others.notify_all()

    def follow(self, keepalive_s: float, *, gives_way: bool = False) -> Iterator[Scoreboard | None]:
        """Yield the board at once and at every change, None after *keepalive_s* without one."""
        seen = -1
        called = self._told_others if gives_way else self._changed
        while True:
            with called:
                self._waiting[called] += 1
                news = called.wait_for(
                    lambda: self._version != seen or self._closed,  # noqa: B023
                    timeout=keepalive_s,
                )
                self._waiting[called] -= 1
                if self._closed:
                    return
                seen, board = self._version, self.board
            # Outside the lock: a reader that takes its time holds up nobody.
            yield board if news else None

    def close(self) -> None:
        """End all who follow."""
        with self._changed:
            self._closed = True
            for called in self._waiting:
                called.notify_all()


class Onlookers:
    """The table as those follow it who draw or play it at the box: see `BoardFeed`.

    Args:
        feed: What they follow.
        keepalive_s: They get None after so long without a change.
    """

    def __init__(self, feed: BoardFeed, keepalive_s: float) -> None:
        self._feed = feed
        self._keepalive_s = keepalive_s

    def follow(self, after: int | None = None) -> Iterator[Scoreboard | None]:
        """Yield the scoreboard at once and at every change; see `TableClient.follow`."""
        del after  # whatever it has seen, a reader gets the whole state
        return self._feed.follow(self._keepalive_s, gives_way=True)


class _TablePart:
    """What is asked of *table* from other threads, and done on its own.

    Args:
        table: Owns what is asked for.
        ask: Lets the table's thread do something, and returns what came of it.
        clock: The table's own.
    """

    def __init__(
        self,
        table: Table,
        ask: Callable[[Callable[[], Any]], Any],
        clock: Callable[[], float],
    ) -> None:
        self._table = table
        self._ask = ask
        self._clock = clock


class TablePairing(_TablePart):
    """A `kloplei.table.client.DoorClient` over a table, which owns the door."""

    _renew: Callable[[], None] | None = None

    def ask(self, seat: Seat | None, asker: str, phone: str = "") -> DoorAnswer:
        """Ask to be let in at *seat*; see `kloplei.table.client.DoorClient.ask`."""
        return self._do(lambda door, now_s: door.ask(seat, asker, now_s, phone))

    def look(self, ticket: str) -> DoorAnswer:
        """Return how the question with *ticket* stands."""
        return self._do(lambda door, now_s: door.questions.look(ticket, now_s))

    def withdraw(self, ticket: str) -> None:
        """Ask no longer."""
        self._do(lambda door, now_s: door.questions.withdraw(ticket, now_s))

    def refuse(self, number: int) -> None:
        """Turn the phone away that asks under *number*."""
        self._do(lambda door, now_s: door.questions.refuse(number, now_s))

    def fit_key(self, renew: Callable[[], None]) -> None:
        """Let *renew* make the new key when all phones are to be forgotten."""
        self._renew = renew

    def forget_phones(self) -> None:
        """Take a new key; see `kloplei.table.client.DoorClient.forget_phones`."""
        if self._renew is None:
            raise BadRequest(Sentence("no-key"))
        try:
            self._renew()  # on the asker's thread: a slow disk holds up no knock
        except OSError as error:
            raise TableUnavailable(Sentence("key-unwritten", error=str(error))) from error

    def _do(self, at_the_door: Callable[[PairingRequests, float], T]) -> T:
        def in_its_turn() -> T:
            now_s = self._clock()
            self._table.tick(now_s)
            return at_the_door(self._table.pairing, now_s)

        return cast("T", self._ask(in_its_turn))


class TableUplink(_TablePart):
    """A `kloplei.table.uplink_client.UplinkClient` over a table: who agreed, and who is called."""

    _outbox: Outbox | None = None
    _wish: HubWish | None = None
    _status = UplinkStatus()

    def fit_outbox(self, outbox: Outbox) -> None:
        """Let *outbox* tell the steps."""
        self._outbox = outbox

    def steps(self, after: int, most: int = MOST_ENTRIES) -> StepsAfter:
        """Return the steps after entry *after*, on the asker's thread."""
        if self._outbox is None:
            raise BadRequest(Sentence("no-uplink"))
        people = self._table.people
        return self._outbox.steps(after, most, lambda: self._ask(people.make_house_key))

    def agreed(self) -> tuple[HousePerson, ...]:
        """Return who agreed to be known in the house."""
        told: tuple[HousePerson, ...] = self._ask(self._table.people.agreed)
        return told

    def agree(self, person: int, agrees: bool) -> None:
        """Let that person be known in the house from now on, or no longer."""
        self._ask(lambda: self._table.people.agree(person, agrees))

    def wish(self) -> HubWish | None:
        """Return with which hub the keeper wants to go."""
        return self._wish

    def pair(self, address: str, code: str) -> None:
        """Ask the uplink to go with the hub at *address*, or with none."""
        self._wish = HubWish(address.strip(), code.strip())

    def report(self, status: UplinkStatus) -> None:
        """Tell how it stands; what was wished for is taken up by that."""
        self._status = status
        # Meanwhile it goes on telling how it stands with the house before.
        if self._wish and status.state == ("pairing" if self._wish.address else "off"):
            self._wish = None

    def status(self) -> UplinkStatus:
        """Return what the uplink told last."""
        return self._status

    def call(self, call: TableCall) -> None:
        """Show who is called to this table."""
        self._ask(lambda: self._table.call(call, self._clock()))

    def called(self) -> TableCall | None:
        """Return who is called to this table now."""
        return self._table.called


def _on_thread(
    protocol: Callable[..., T], body: object, ask: Callable[[Callable[[], Any], str], Any]
) -> T:
    """Return *body*, a *protocol* of which each method is called by *ask*, which hears its name."""

    def asking(name: str) -> Callable[..., Any]:
        return lambda *args, **kwargs: ask(lambda: getattr(body, name)(*args, **kwargs), name)

    return cast("T", SimpleNamespace(**{name: asking(name) for name in methods_of(protocol)}))


logger = logging.getLogger(__name__)


class Session:
    """A table that runs: a `TableClient` for whoever looks and asks, an `Inbox` for devices.

    All methods are safe from any thread. ::

        with Session(Journal(path)) as session:
            session.put(KnockHeard(Seat(0), strength=0.5, at_s=time.monotonic()))

    Args:
        journal: Stays open at the end; who opened it closes it.
        setup: Where and what is played, and how long to listen, wait and show.
        clock: Monotonic seconds, the same clock that messages are stamped with.
        queue_size: Messages that may wait; what comes on top is dropped and counted.
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
        journal: Journal,
        setup: TableSetup | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        queue_size: int = 256,
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
        self._queue = MessageQueue(queue_size)
        self._thread: threading.Thread | None = None
        self._closing = threading.Lock()
        self._closed = False
        self._frame: Frame | None = None
        self.draw_frame: Callable[[], Frame | None] | None = None
        """Draws what stands on the slate for who asks, where nobody draws it for a glass."""
        self.ears: EarsClient = no_ears()
        """What the box heard and how it is tuned; whoever hears takes its place."""
        self.tell_fate: Callable[[BlowFate], None] = lambda _: None
        """Hears what became of blows, on the table's thread; whoever learns takes its place."""
        self.knock_hush: Callable[[], None] = lambda: None
        """Is told that knocks ask the caller to hush, or to speak again, on the table's thread."""
        self.recordings: RecordingsClient = no_recordings()
        """Recordings of the table to send; whoever makes them takes its place."""
        self.doctor: DoctorClient = no_doctor()
        """What works in the box, and what can be tried; whoever knows takes its place."""
        self.history: HistoryClient = no_history()
        """What stays of the evenings; whoever keeps it takes its place."""
        self.door = TablePairing(self._table, self._ask, clock)
        """Who asks to be let in by a knock."""
        self._table.people.beat = self._tell_watchdog
        self.people = _on_thread(PeopleClient, self._table.people, self._ask_of_people)
        """Whom the box knows."""
        self.uplink = TableUplink(self._table, self._ask, clock)
        """What leaves the table for a house."""
        self.voice: VoiceClient = no_voice()
        """What a house says itself; whoever keeps it takes its place."""
        self.expectation = Expectation()
        """What knocks are expected now, for who hears them; replaced whole, at every change."""
        self._expect()
        self._feed = BoardFeed(self._table.scoreboard())
        self.onlookers = Onlookers(self._feed, keepalive_s)
        """The table for slate, lamp and whoever else is in no hurry."""

    def forget_elsewhere(self, forget: Callable[[Iterable[str]], object]) -> None:
        """Let *forget* take names away that are kept beside the journal, before they go there."""
        self._table.people.forget_elsewhere = forget

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the table's thread; messages put before wait in the queue."""
        if self._thread is not None or self._closed:
            raise RuntimeError("a session starts once")
        self._thread = threading.Thread(target=self._run, name="kloplei-table", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Do what is in the queue, stop the thread and end all followers; twice does no harm."""
        with self._closing:
            already, self._closed = self._closed, True
        self._feed.close()
        if already or self._thread is None:
            return
        self._queue.close()
        self._thread.join()

    def put(self, message: Message) -> None:
        """Queue *message*; when the queue is full it is counted and dropped."""
        self._queue.put(message)

    def show(self, frame: Frame | None) -> None:
        """Keep *frame* as what stands on the slate; None says that there is no slate."""
        self._frame = frame

    def submit(
        self,
        seat: Seat | None,
        action: str,
        *,
        seen: int | None = None,
        facts: Facts = NO_FACTS,
        via: str = "phone",
        waits: bool = False,
        by: Doer = None,
    ) -> int:
        """Ask for *action*; see `kloplei.table.client.TableClient`."""
        told: dict[str, Any] = {"seen": seen, "facts": facts, "via": via, "waits": waits, "by": by}
        return self._ask(lambda: self._table.submit(seat, action, now_s=self._clock(), **told))

    def scoreboard(self) -> Scoreboard:
        """Return the table as it stands."""
        return self._feed.board

    def follow(self, after: int | None = None) -> Iterator[Scoreboard | None]:
        """Yield the scoreboard at once and at every change; see `TableClient`."""
        del after  # whatever it has seen, a reader gets the whole state
        return self._feed.follow(self._keepalive_s)

    @property
    def called_evening(self) -> int:
        """The entry with which those whom a house called last began an evening; 0 for none."""
        return self._table.called_evening

    def log(self, limit: int = 50) -> tuple[LogEntry, ...]:
        """Return the last *limit* steps of the evening, newest first."""
        return self._ask(lambda: self._table.log(limit))

    def frame(self) -> Frame | None:
        """Return what stands on the slate, or None if there is no slate."""
        return self._frame if self.draw_frame is None else self.draw_frame()

    def _ask(self, do: Callable[[], T], reply_s: float | None = None) -> T:
        if self._closed or self._thread is None:
            raise TableUnavailable(Sentence("table-not-running"))
        return self._queue.ask(do, reply_s or self._reply_s)

    def _ask_of_people(self, do: Callable[[], T], name: str) -> T:
        return self._ask(do, LONG_S if name in TAKE_LONG else None)

    def _run(self) -> None:
        # The one thread that touches the table: neither it nor its journal knows a lock.
        going = True
        while going:
            self._settle()
            going = self._come_round()
            self._tell_fates()
            self._tell_hushes()
            self._tell_watchdog()
        self._queue.turn_away()

    def _come_round(self) -> bool:
        """Do the next thing there is to do; return False when it was the last."""
        coming = self._queue.take(self._patience_s())
        now_s = self._clock()
        if coming is None:
            # What came in while the thread woke belongs before this moment.
            coming = self._queue.take(0)
        self._tell_dropped()
        # A mistake of ours in one message must not end the evening.
        try:
            match coming:
                case None:
                    self._table.tick(now_s)
                case Close():
                    return False
                case Call():
                    self._answer(coming)
                case _:
                    self._table.handle(coming, self._clock())
        except Exception:
            logger.exception("The table stumbled, and carries on.")
            self._table.notices.fault(self._clock())
        if not isinstance(coming, Call):
            self._publish()
        return True

    def _patience_s(self) -> float | None:
        """Return how long nothing has to be done; None is until something comes in."""
        if self._table.settles_on:
            return 0.0
        deadline = self._table.next_deadline()
        waits = [] if self._beat_s is None else [self._beat_s]
        if deadline is not None:
            waits.append(max(deadline - self._clock(), 0.0))
        return min(waits, default=None)

    def _answer(self, call: Call) -> None:
        is_awaited = call.reply.set_running_or_notify_cancel()
        self._publish(self._answered(call) if is_awaited else None)

    def _answered(self, call: Call) -> Callable[[], None]:
        """Do what *call* asks for; return what tells the asker."""
        try:
            return partial(call.reply.set_result, call.do())
        except KlopleiError as refusal:
            return partial(call.reply.set_exception, refusal)
        except Exception:
            logger.exception("The table stumbled over what was asked, and carries on.")
            self._table.notices.fault(self._clock())
            return partial(call.reply.set_exception, TableUnavailable(Sentence("table-fault")))

    def _tell_fates(self) -> None:
        try:
            for fate in self._table.take_fates():
                self.tell_fate(fate)
        except Exception:
            logger.exception("What became of a knock teaches nothing; the table carries on.")

    def _tell_hushes(self) -> None:
        # Twice is as it was.
        if self._table.take_hushes() % 2:
            try:
                self.knock_hush()
            except Exception:
                logger.exception("The caller cannot be hushed by knocks; the table carries on.")

    def _settle(self) -> None:
        try:
            if self._table.settle():
                self._publish()
        except Exception:
            logger.exception("What stands cannot be kept beside the journal; the table carries on.")

    def _tell_watchdog(self) -> None:
        try:
            if self._on_loop is not None:
                self._on_loop()
        except Exception:
            logger.exception("The watchdog cannot be told, and the table carries on.")
            self._table.notices.fault(self._clock())

    def _publish(self, answer: Callable[[], None] | None = None) -> None:
        """Put the board up, once for all that came of one thing, and *answer* who asked for it."""
        is_news = False
        try:
            is_news = self._feed.put_up(self._table.scoreboard())
        except Exception:
            logger.exception("The scoreboard cannot be drawn; the last one stays.")
        if is_news:
            self._feed.call_out()
        # Who asked looks at what everybody may see by now, and waits for nobody who draws it.
        if answer is not None:
            answer()
        self._expect()
        if is_news:
            self._feed.call_onlookers(is_answered=answer is not None)

    def _expect(self) -> None:
        try:
            self.expectation = self._table.expectation()
        except Exception:
            logger.exception("Nobody knows what may be knocked; every blow is judged alike.")
            self.expectation = Expectation()

    def _tell_dropped(self) -> None:
        dropped = self._queue.take_dropped()
        if dropped:
            logger.warning("The inbox was full: %d messages were dropped.", dropped)
            self._table.notices.dropped(dropped, self._clock())
