"""The table itself: hears, understands, writes down, shows. No thread and no clock of its own.

Messages come in with the time they were made (`Table.handle`), wishes of phones with what they
had seen (`Table.submit`); out comes the scoreboard. Below the table stand its small parts: the
`Notices` of what is wrong, the `Announcements` of what all may hear once, the `ImpactFlash` that
shows a blow before it is judged, the `DrumFilter` against drumming fingers, and the `TuningMode`
in which no knock plays.

A part that waits for something says when (`Timed`), and nobody calls up: each returns what is to
be done, and only the table does it. Begin reading at `Table.tick`.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Protocol

from kloplei.frozen import dataclass, replace
from kloplei.games.game import NO_FACTS, Action, Facts, IllegalAction, Seat
from kloplei.games.scoreboard import Called, Line, Scoreboard, Tuning
from kloplei.knock import KnockHeard
from kloplei.knock.judgement import Struck
from kloplei.table._people_book import PeopleBook
from kloplei.table.actions import (
    AcceptCall,
    AcceptKnock,
    Cancel,
    DismissCall,
    DismissKnock,
    ItWasMe,
    Redo,
    Undo,
    asked,
    house_rules,
)
from kloplei.table.client import (
    KEEPER,
    BadRequest,
    Doer,
    JournalWriteError,
    LogEntry,
    TableUnavailable,
)
from kloplei.table.expectation import Expectation, expectation
from kloplei.table.gestures import Gestures, Pattern, Place
from kloplei.table.intents import Confirmations, Intent, Intents, asked_by
from kloplei.table.journal import Journal, JournalError
from kloplei.table.ledger import Ledger, with_passing_offers
from kloplei.table.messages import (
    Announced,
    BlowFate,
    ButtonPressed,
    ButtonReleased,
    Fate,
    Message,
    NoKnock,
    PartFailed,
    PartHealed,
    Trouble,
    TuningShown,
)
from kloplei.table.pairing import PairingRequests
from kloplei.table.seating import Seating, TableSetup, TableState
from kloplei.table.uplink_client import TableCall
from kloplei.words.catalogue import Sentence, message_facts, sentence_of

SHOWN_S = 0.15  # the judge takes some 50 ms; what it never speaks of is forgotten by then
REST_S = 0.35  # drumming fingers change the slate no more than some times a second
_ONSET_OFF_S = 0.05  # the judge may place the beginning of a blow a little elsewhere
CLOSE_S = 0.13  # apart; within real patterns of knocks it is 0.15 to 0.43
ALIKE = 0.3  # of the other's strength: a knuckle that bounces comes down weaker
ENOUGH = 3  # so many in a row: a second one may be a glass put down, or a hand that slips
ANNOUNCED_S = 6.0  # a title and its reason, read by who looks up at the sound of it
CALLED_S = 600.0
"""Whoever does not come in ten minutes is called again."""
UNDO_SOON_S = 30.0
"""What is taken back later than that was meant when it was knocked."""
FRESH_S = 15.0
"""A tuning that says nothing for so long has died; no evening may hang on it."""

_Hand = KnockHeard | ButtonPressed | ButtonReleased


class Timed(Protocol):
    """A part that waits for something."""

    @property
    def next_deadline(self) -> float | None:
        """When it is over, if nothing else happens until then."""
        ...


class Table:
    """One table with its game, its journal and all that is heard at it.

    Every method takes the time it is called at, in monotonic seconds; it never runs back.
    Not safe from several threads: `kloplei.table.session.Session` gives it one of its own.

    Args:
        journal: What has been is read from it; every step is written to it first.
        setup: Where and what is played, and how long to listen, wait and show.

    Raises:
        JournalError: The journal cannot be read.
        UnknownEntry: It holds something this version does not know.
    """

    def __init__(self, journal: Journal, setup: TableSetup | None = None) -> None:
        setup = setup or TableSetup()
        timings = setup.timings
        self._seating = Seating(setup)
        self._journal = journal
        first = TableState(setup.game, setup.preset, house_rules(setup.options))
        self._ledger = Ledger(journal, self._seating, first, setup.wall)
        self._gestures = Gestures(timings)
        self._intents = Intents(self._ledger, self._seating, timings)
        self._confirmations = Confirmations(
            self._intents, lambda: self._ledger.question, timings.doubt_s
        )
        self.pairing = PairingRequests(
            self._intents, lambda: self._hears_wood, setup.seats, timings
        )
        self.people = PeopleBook(self._ledger, journal, self._seating, self._intents.forget_names)
        self._impact_flash = ImpactFlash()
        self._drum_filter = DrumFilter()
        self._tuning_mode = TuningMode()
        self._announcements = Announcements()
        self._calls = Calls(setup.wall)
        self.notices = Notices(timings.notice_s, journal.trouble, journal.salvaged)
        self._timed: tuple[Timed, ...] = (
            self._gestures,
            self._intents.pending,
            self._confirmations,
            self._impact_flash,
            self.notices,
            self._tuning_mode,
            self._announcements,
            self._calls,
            self.pairing,
        )
        self._expected: tuple[object, Expectation] | None = None
        self._fates: list[BlowFate] = []
        self._hushes = 0
        self._last_taken: TakenKnock | None = None
        self._now_s = float("-inf")

    def handle(self, message: Message, now_s: float) -> None:
        """Take in what a device noticed; what it means may be decided later (`tick`)."""
        # Should a clock run back, the table stays where it was: nothing that ended begins anew.
        self._now_s = max(self._now_s, now_s)
        match message:
            case PartFailed():
                self.notices.part_failed(message)
            case PartHealed(part):
                self.notices.part_healed(part)
            case TuningShown(tuning):
                self._tuning_mode.show(tuning, self._now_s)
                self.pairing.is_closed = tuning is not None
            case Announced():
                self._announcements.begin(message, self._now_s)
            case KnockHeard() | Struck() if self._tuning_mode.shown is not None:
                pass  # it was meant for the one who tunes
            case KnockHeard() if not self._hears_wood and self._has_place(message.seat):
                self._hear_slammed(message, min(message.at_s, now_s))
            case KnockHeard() | Struck() if not self._hears_wood:
                pass  # a card that was slammed
            case Struck(at_s):
                self._impact_flash.struck(min(at_s, now_s), now_s)
            case NoKnock(at_s, seat, strength):
                self._impact_flash.judged(min(at_s, now_s))
                self._is_drumming(seat, min(at_s, now_s), strength)
            case _ if not self._has_place(message.seat):
                pass  # a device set up for a seat that this table does not have
            case _:
                self._hear(message, min(message.at_s, now_s))

    def submit(
        self,
        seat: Seat | None,
        action: str,
        *,
        now_s: float,
        seen: int | None = None,
        facts: Facts = NO_FACTS,
        via: str = "phone",
        waits: bool = False,
        by: Doer = None,
    ) -> int:
        """Do what a phone asks for; see `kloplei.table.client.TableClient.submit`."""
        self.tick(now_s)
        if not (self._has_place(seat) and (by == KEEPER or self._has_place(by))):
            raise BadRequest(Sentence("no-such-seat", seats=self._seating.seats))
        wanted = asked(self._ledger.actions(), action, seat, facts, seats=self._seating.seats)
        match wanted:
            case Cancel(by):
                self._intents.call_off(by, now_s)
            case ItWasMe(by):
                self._do(self._intents.own(by, now_s))
            case AcceptKnock(doubt=number):
                self._understand(self._confirmations.accept(number, now_s))
            case DismissKnock(doubt=number):
                self._understand(self._confirmations.dismiss(number))
            case DismissCall():
                self._calls.end()
            case AcceptCall():
                self._accept_call(asked_by(by, wanted, seat, via, now_s).doer, via)
            case _:
                self._ledger.check_seen(wanted, seen)
                intent = asked_by(by, wanted, seat, via, now_s)
                joined = self._intents.join(intent, now_s)
                for one in joined or ():
                    self._do(one)
                if joined is not None:
                    return self._ledger.seq
                self._intents.demand_no_grace_for(type(wanted))
                if waits:
                    self._intents.wait_with(intent, now_s)
                else:
                    self._do(intent)
        return self._ledger.seq

    def call(self, call: TableCall, now_s: float) -> None:
        """Show who is called to this table; see `kloplei.table.uplink_client.UplinkClient`."""
        self.tick(now_s)
        self._calls.begin(call, now_s)

    @property
    def called(self) -> TableCall | None:
        """Who is called to this table now."""
        return self._calls.call

    @property
    def called_evening(self) -> int:
        """The entry with which those who were called last began an evening; 0 for none."""
        return self._calls.begun_with

    def tick(self, now_s: float) -> None:
        """Do what is due by *now_s*: patterns, graces, questions and lines that end."""
        self._now_s = max(self._now_s, now_s)
        # One moment after the other: what ends first may change what the next one means.
        while (at_s := self.next_deadline()) is not None and at_s <= now_s:
            self._pass(at_s)

    def next_deadline(self) -> float | None:
        """Return when `tick` has something to do next, or None if only a message changes things."""
        ends = (part.next_deadline for part in self._timed)
        return min((end for end in ends if end is not None), default=None)

    def settle(self) -> bool:
        """Do what may wait until everybody has seen the last step; return whether it is news."""
        salvaged = self._journal.salvaged
        self._ledger.settle()
        if self.next_deadline() is None:
            self._journal.look_back()
        return self._tell_salvaged(salvaged)

    @property
    def settles_on(self) -> bool:
        """Whether there is more of that to do, a little at a time."""
        return self._ledger.sees_on

    def take_fates(self) -> tuple[BlowFate, ...]:
        """Take what became of blows since this was asked last, for a box that learns from it."""
        fates = (*self._confirmations.take_fates(), *self._fates)
        self._fates.clear()
        return fates

    def take_hushes(self) -> int:
        """Take how often somebody knocked for the caller to hush, or to speak again, since then."""
        hushes, self._hushes = self._hushes, 0
        return hushes

    def log(self, limit: int = 50) -> tuple[LogEntry, ...]:
        """Return the last *limit* steps of the evening, newest first."""
        return self._ledger.log(limit)

    def scoreboard(self) -> Scoreboard:
        """Return the table as it stands, with what is heard and waits."""
        pending, doubted = self._intents.pending, self._confirmations.standing
        doubt = doubted.shown if doubted else None
        board = with_passing_offers(
            self._ledger.board,
            grace=pending.grace is not None,
            who=self._intents.owners(),
            doubt=doubt,
            called=self._calls.call is not None,
        )
        return replace(
            board,
            heard=self._gestures.heard,
            struck=self._impact_flash.is_shown,
            doubt=doubt,
            grace=pending.grace.grace if pending.grace else None,
            asking=pending.question,
            refused=pending.refused.line if pending.refused else None,
            shown=pending.shown.line if pending.shown else self._announcements.line,
            notices=self.notices.lines(self._gestures.stuck),
            tuning=self._tuning_mode.shown,
            door=self.pairing.shown,
            called=self._calls.shown(0 if board.deal_runs else self.pairing.spare_knocks),
        )

    def expectation(self) -> Expectation:
        """Return what knocks are expected now, and of whom."""
        if self._asks_anybody:
            return Expectation()
        return self._expected_of_all().beside(self._gestures.growing)

    def _expected_of_all(self) -> Expectation:
        pending = self._intents.pending
        waits = (pending.grace, pending.joining, pending.who, pending.asking)
        stands = (self._ledger.seq, *waits, *pending.again)
        # It takes longer than to draw the board, and a blow alone changes nothing of it.
        if self._expected is None or self._expected[0] != stands:
            asked, owing = pending.asking, self._ledger.board.to_answer
            places = tuple(map(Seat, range(self._seating.seats)))
            answers = owing if asked is None else (*owing, asked.seat)
            self._expected = stands, expectation(places, self._intents.foresee, answers)
        return self._expected[1]

    @property
    def _only_seat(self) -> Seat | None:
        """The one seat that may do anything by some knocks; None where several may."""
        only = None if self._asks_anybody else self._expected_of_all().only
        return only if only in self._ledger.state.names else None

    @property
    def _asks_anybody(self) -> bool:
        """Whether a knock may say something that the game knows nothing of."""
        return (
            self._confirmations.standing is not None
            or self._calls.call is not None
            or self.pairing.listens(self._now_s)
        )

    def _has_place(self, seat: Place) -> bool:
        return seat is None or 0 <= seat < self._seating.seats

    @property
    def _hears_wood(self) -> bool:
        return self._seating.hears_wood(self._ledger.state)

    def _hear(self, message: _Hand, at_s: float) -> None:
        # When the wood was struck tells the patterns apart, however late we look up. What
        # people have to see, such as a grace, runs from now.
        self.tick(at_s)
        self._announcements.give_way()
        match message:
            case KnockHeard(seat, strength, doubtful=doubtful):
                self._impact_flash.judged(at_s)
                # What amends was counted before, as the blow that it is.
                if message.amends:
                    if self._gestures.is_too_late(at_s, self._now_s):
                        return
                elif self._is_drumming(seat, at_s, strength):
                    return
                only = self._only_seat
                if self._gestures.knocked(
                    seat, at_s, doubtful=doubtful, strength=strength, only=only
                ):
                    self._object(seat)
            case ButtonPressed(seat):
                self._gestures.pressed(seat, at_s)
                self._object(seat)
            case ButtonReleased(seat):
                self._gestures.released(seat, at_s)
                self.tick(at_s)  # a hold is decided when the button comes up

    def _hear_slammed(self, knock: KnockHeard, at_s: float) -> None:
        """Let a blow that is no game's count at the door; slammed cards come to nothing there."""
        self.tick(at_s)
        self.pairing.heard(knock.seat)
        # As in `_hear`: what amends is no blow more for fingers that drum.
        if knock.amends or not self._is_drumming(knock.seat, at_s, knock.strength):
            self.pairing.slammed(knock, at_s, self._now_s)

    def _is_drumming(self, seat: Place, at_s: float, strength: float) -> bool:
        is_drumming = self._drum_filter.struck(seat, at_s, strength)
        if is_drumming:
            self._gestures.spend_knocks(seat)
            self.pairing.drummed(seat)
        return is_drumming

    def _object(self, seat: Place) -> None:
        if self._intents.object(seat, self._now_s):
            self._gestures.spend(seat)

    def _pass(self, at_s: float) -> None:
        for pattern in self._gestures.due(at_s):
            meant = pattern if self._hears_wood else pattern.by_button
            # What opens the door is "hurry up" in the game at most: nothing is lost on its way.
            if meant is None or self._lets_in(meant):
                continue
            if self._intents.asks_hush(meant) and not self._confirmations.takes(meant):
                self._hushes += 1
                continue
            with self._refusal_shown_at(meant.seat):
                if self._takes_in(meant):
                    self._accept_call(meant.seat, meant.via)
                else:
                    self._understand(self._confirmations.weigh(meant, self._now_s))
        self.pairing.pass_time(at_s, self._now_s)
        self._confirmations.pass_time(at_s)
        if ended := self._intents.pending.take_grace(at_s):
            with self._refusal_shown_at(ended.seat):
                self._do(self._intents.carried_out(ended))
        self._intents.pending.pass_time(at_s)
        self._impact_flash.pass_time(at_s)
        self.notices.pass_time(at_s)
        self._tuning_mode.pass_time(at_s)
        self._announcements.pass_time(at_s)
        self._calls.pass_time(at_s)
        self.pairing.is_closed = self._tuning_mode.shown is not None

    def _lets_in(self, pattern: Pattern) -> bool:
        confirms = self._confirmations.takes(pattern)
        opens = not confirms and self.pairing.opens(pattern, self._now_s)
        if pattern.via == "pad":
            # Not at the first blow: that would change what the slate asks for in mid pattern.
            self.pairing.heard(pattern.seat)
        return opens

    def _takes_in(self, pattern: Pattern) -> bool:
        """Whether *pattern* says that those who are called to this table sit down."""
        if self._calls.call is None or self._ledger.board.deal_runs:
            return False
        if self.pairing.questions.open is not None or self._confirmations.takes(pattern):
            return False
        return self.pairing.is_spare(pattern, self._calls.since_s)

    def _accept_call(self, doer: Seat | None, via: str) -> None:
        call = self._calls.call
        if call is None:
            raise IllegalAction("nobody_called")
        if self._ledger.board.deal_runs:
            raise IllegalAction("hand_in_progress")
        called = self.people.take_in(call.players[: self._seating.seats])
        if called:
            evening = self._seating.called_to(self._ledger.state, call.game, called)
            self._write(lambda: self._ledger.begin(evening, seat=doer, via=via))
            self._calls.begun_with = self._ledger.seq
        self._calls.end()

    @contextmanager
    def _refusal_shown_at(self, seat: Place) -> Iterator[None]:
        try:
            yield
        except IllegalAction as refusal:
            self._intents.refuse(refusal, seat, self._now_s)
        except TableUnavailable:
            pass  # the notice of the journal tells it

    def _understand(self, pattern: Pattern | None) -> None:
        if pattern is None:
            return
        before = self._ledger.seq
        self._do(self._intents.understand(pattern, self._now_s))
        if self._ledger.seq != before and pattern.via == "pad":
            sure = tuple(one for one in pattern.blows if one not in pattern.doubts)
            self._last_taken = TakenKnock(sure, self._ledger.seq, self._now_s)
            self._fates.append(BlowFate(Fate.TAKEN, sure))

    def _do(self, intent: Intent | None) -> None:
        if intent is None:
            return
        whom = self._intents.who_again(intent)
        before = self._ledger.seq
        self._write(
            lambda: self._ledger.do(
                intent.action,
                seat=intent.doer,
                via=intent.via,
                touch=intent.touch,
                now_s=self._now_s,
            )
        )
        self._tell_fate(intent.action, before)
        self._intents.ask_again(whom, self._now_s)
        self.pairing.settle(self._now_s)

    def _tell_fate(self, action: Action, before: int) -> None:
        """Tell that *action* was done at entry *before*, and what that says of the knock there."""
        self._fates.append(BlowFate(Fate.STEP))
        taken = self._last_taken
        if taken is None or not taken.blows:
            return
        if isinstance(action, Undo) and before == taken.seq:
            if self._now_s - taken.at_s <= UNDO_SOON_S:
                self._fates.append(BlowFate(Fate.UNDONE, taken.blows))
                self._last_taken = replace(taken, undone=self._ledger.seq)
        elif isinstance(action, Redo) and before == taken.undone:
            self._fates.append(BlowFate(Fate.REDONE, taken.blows))

    def _write(self, write: Callable[[], object]) -> None:
        salvaged = self._journal.salvaged
        try:
            write()
        except JournalError as error:
            message = sentence_of(error)
            self._intents.pending.following = None
            self.notices.journal_failed(message)
            raise JournalWriteError(message) from error
        self.notices.journal_healed()
        self._tell_salvaged(salvaged)
        self._announcements.stop()
        self._intents.after_a_step(self._now_s)
        self.pairing.settle(self._now_s)
        self._calls.end_for(self.people.seated_in_house())

    def _tell_salvaged(self, before: str | None) -> bool:
        """Tell what became of the journal since it was *before*; return whether there is news."""
        now = self._journal.salvaged
        if now is None or now == before:
            return False
        self.notices.journal_salvaged(now)
        return True


@dataclass(frozen=True, slots=True)
class TakenKnock:
    """The last knock that something was done by: its sure *blows*, and the entry it came to.

    *undone* is the entry that took it back, 0 while there is none.
    """

    blows: tuple[float, ...]
    seq: int
    at_s: float
    undone: int = 0


class Notices:
    """Troubles of the box: some last until they are healed, some are told for a while.

    Args:
        notice_s: How long a passing one is told.
        journal: Why the journal cannot be written.
        salvaged: What could be saved of a journal that was damaged.
    """

    def __init__(
        self, notice_s: float, journal: str | None = None, salvaged: str | None = None
    ) -> None:
        self._notice_s = notice_s
        self._parts: dict[str, PartFailed] = {}
        self._journal = journal
        self._salvaged = salvaged
        self._dropped = 0
        self._dropped_until_s: float | None = None
        self._fault_until_s: float | None = None

    def part_failed(self, failed: PartFailed) -> None:
        """A device does not work; what it said before is forgotten."""
        self._parts[failed.part] = failed

    def part_healed(self, part: str) -> None:
        """The device *part* works again."""
        self._parts.pop(part, None)

    def journal_failed(self, message: str) -> None:
        """The journal could not be written; *message* says what to do."""
        self._journal = message

    def journal_healed(self) -> None:
        """The journal was written: the evening goes on, and everybody has seen from where."""
        self._journal = self._salvaged = None
        self._parts = {
            part: failed for part, failed in self._parts.items() if failed.trouble != Trouble.KEYS
        }

    def journal_salvaged(self, message: str) -> None:
        """The journal was written anew just now; *message* says why."""
        self._salvaged = message

    def dropped(self, n: int, now_s: float) -> None:
        """*n* messages found the inbox full and are lost."""
        self._dropped += n
        self._dropped_until_s = now_s + self._notice_s

    def fault(self, now_s: float) -> None:
        """Something went wrong inside; the log has the traceback."""
        self._fault_until_s = now_s + self._notice_s

    @property
    def next_deadline(self) -> float | None:
        """When the next passing trouble is told no longer."""
        ends = (self._dropped_until_s, self._fault_until_s)
        return min((end for end in ends if end is not None), default=None)

    def pass_time(self, now_s: float) -> None:
        """Forget the passing troubles that have been told long enough."""
        if self._dropped_until_s is not None and self._dropped_until_s <= now_s:
            self._dropped, self._dropped_until_s = 0, None
        if self._fault_until_s is not None and self._fault_until_s <= now_s:
            self._fault_until_s = None

    def lines(self, stuck: tuple[Seat, ...]) -> tuple[Line, ...]:
        """Return what is to be told, the worst first; *stuck* are seats with a stuck button."""
        found = []
        if self._journal is not None:
            found.append(Line("notice.journal", message_facts(self._journal)))
        if self._salvaged is not None:
            found.append(Line("notice.salvaged", message_facts(self._salvaged)))
        if self._fault_until_s is not None:
            found.append(Line("notice.fault"))
        if self._dropped:
            found.append(Line("notice.dropped", {"n": self._dropped}))
        for part, failed in sorted(self._parts.items()):
            facts = {**message_facts(failed.message), "part": part}
            found.append(Line(f"notice.{failed.trouble}", facts))
        found.extend(Line("notice.stuck", {"seat": seat}) for seat in stuck)
        return tuple(found)


class Announcements:
    """Lines that all may hear once, one after the other; whoever plays on ends them."""

    def __init__(self) -> None:
        self._told = Announced(())
        self.next_deadline: float | None = None

    @property
    def line(self) -> Line | None:
        """The one that is told now."""
        return self._told.lines[0] if self._told.lines else None

    def begin(self, told: Announced, now_s: float) -> None:
        """Tell the lines of *told* from now on, each for a while."""
        self._told = told
        lasts_s = ANNOUNCED_S if told.lasts_s is None else told.lasts_s
        self.next_deadline = now_s + lasts_s if told.lines else None

    def give_way(self) -> None:
        """Somebody knocks: tell nothing more of what was only there until then."""
        if self._told.gives_way:
            self.stop()

    def stop(self) -> None:
        """Tell nothing more."""
        self._told, self.next_deadline = Announced(()), None

    def pass_time(self, now_s: float) -> None:
        """Go on to the next line when the one before was told long enough."""
        if self.next_deadline is not None and now_s >= self.next_deadline:
            self.begin(replace(self._told, lines=self._told.lines[1:]), now_s)


class Calls:
    """Whom a house calls to this table, until they sit, somebody says so, or it is long ago.

    Args:
        wall: The clock that a house reckons by as well; None where nobody knows the time.
    """

    def __init__(self, wall: Callable[[], float] | None) -> None:
        self._wall = wall
        self._over: str | None = None
        self.call: TableCall | None = None
        self.since_s = float("-inf")
        self.next_deadline: float | None = None
        self.begun_with = 0

    def begin(self, call: TableCall, now_s: float) -> None:
        """Show *call*, unless it is over; one that is shown is shown no longer for being told."""
        if call.id == self._over or (self.call is not None and self.call.id == call.id):
            return
        left_s = CALLED_S
        if call.until is not None and self._wall is not None:
            left_s = min(left_s, call.until - self._wall())
        if left_s > 0:
            self.call, self.since_s, self.next_deadline = call, now_s, now_s + left_s

    def end(self) -> None:
        """Show it no longer, however often it is told."""
        if self.call is not None:
            self._over, self.call, self.next_deadline = self.call.id, None, None

    def end_for(self, seated: Collection[int]) -> None:
        """End it where all who are called are *seated*, by the ids of the house."""
        called = {one.id for one in self.call.players} if self.call is not None else set()
        if called and called <= set(seated):
            self.end()

    def shown(self, knocks: int) -> Called | None:
        """Return what everybody sees of it; so many *knocks* take them in."""
        if (call := self.call) is None:
            return None
        players = tuple(one.name for one in call.players)
        return Called(call.table, players, call.round, call.game, knocks if players else 0)

    def pass_time(self, now_s: float) -> None:
        """End what is long ago."""
        if self.next_deadline is not None and now_s >= self.next_deadline:
            self.end()


class ImpactFlash:
    """The last blow that is shown and not yet judged; one at a time, and with rests between."""

    def __init__(self) -> None:
        self._at_s: float | None = None
        self._rests_until_s = float("-inf")

    @property
    def is_shown(self) -> bool:
        """Whether the wood moved a moment ago and nobody knows yet what it was."""
        return self._at_s is not None

    @property
    def next_deadline(self) -> float | None:
        """When the blow that is shown is forgotten."""
        return None if self._at_s is None else self._at_s + SHOWN_S

    def struck(self, at_s: float, now_s: float) -> None:
        """Show that the wood moved at *at_s*, unless that is shown, was just now, or long ago."""
        if self._at_s is None and at_s >= self._rests_until_s and at_s + SHOWN_S > now_s:
            self._at_s, self._rests_until_s = at_s, at_s + REST_S

    def judged(self, at_s: float) -> None:
        """Show the blow of *at_s* no longer, or one before it: it is known what it was."""
        if self._at_s is not None and self._at_s < at_s + _ONSET_OFF_S:
            self._at_s = None

    def pass_time(self, now_s: float) -> None:
        """Forget a blow of which nobody has said in time what it was."""
        if (ends_s := self.next_deadline) is not None and ends_s <= now_s:
            self._at_s = None


@dataclass(frozen=True, slots=True)
class _LastBlow:
    at_s: float
    strength: float
    in_a_row: int = 1


class DrumFilter:
    """Watches all blows at each place, whatever they were taken for.

    Each place by itself: when all answer at once, their knocks come close together as well.
    """

    def __init__(self) -> None:
        self._last: dict[Place, _LastBlow] = {}

    def struck(self, place: Place, at_s: float, strength: float) -> bool:
        """Take in a blow at *at_s* of *strength*, 0 to 1; return whether fingers drum there.

        What is much weaker than the blow before is its echo, and neither goes on nor ends it.
        """
        last = self._last.get(place)
        in_a_row = 1
        if last is not None and abs(at_s - last.at_s) < CLOSE_S:
            if strength < ALIKE * last.strength:
                return False
            in_a_row = last.in_a_row + 1
        self._last[place] = _LastBlow(at_s, strength, in_a_row)
        return in_a_row >= ENOUGH


class TuningMode:
    """What the tuning has shown last."""

    def __init__(self) -> None:
        self.shown: Tuning | None = None
        self.next_deadline: float | None = None

    def show(self, tuning: Tuning | None, now_s: float) -> None:
        """Let people see *tuning*; None when it is over."""
        self.shown = tuning
        self.next_deadline = None if tuning is None else now_s + FRESH_S

    def pass_time(self, now_s: float) -> None:
        """Forget a tuning that has died."""
        if self.next_deadline is not None and now_s >= self.next_deadline:
            self.show(None, now_s)
