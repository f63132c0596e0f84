"""The table itself: hears, understands, does, shows. No thread and no clock of its own."""

from collections.abc import Callable
from dataclasses import replace

from kloplei.knock import KnockHeard
from kloplei.rules.game import Action, Choose, Do, Facts, IllegalAction, Meaning, Seat, Show
from kloplei.rules.scoreboard import Line, Scoreboard
from kloplei.table.actions import NEEDS_NEWEST, Cancel, ItWasMe, Undo
from kloplei.table.board import with_passing_offers
from kloplei.table.client import LogEntry, TableSilent, Unreadable
from kloplei.table.codec import asked
from kloplei.table.entries import JournalError, StepJournal
from kloplei.table.events import house_rules
from kloplei.table.gestures import Gestures, Pattern, Place
from kloplei.table.inbox import ButtonPressed, ButtonReleased, Message, PartFailed, PartHealed
from kloplei.table.ledger import Ledger
from kloplei.table.meaning import asks_undo, meaning_of
from kloplei.table.notices import Notices
from kloplei.table.questions import Passing, Pending, Waiting, WhoKnocked, asking
from kloplei.table.seating import BuildGame, PresetsOf, Seating, TableState
from kloplei.table.timings import Timings

_NO_FACTS: Facts = {}

Blow = KnockHeard | ButtonPressed | ButtonReleased


class Table:
    """One table with its game, its journal and all that is heard at it.

    Every method takes the time it is called at, in monotonic seconds; it never runs back.
    Not safe from several threads: `kloplei.table.session.Session` gives it one of its own.

    Args:
        journal: What has been is read from it; every step is written to it first.
        build: Makes a game from its name, preset and house rules.
        presets: Names the presets of a game, to offer them.
        seats: Places at the table.
        game: Played at a table with an empty journal.
        preset: Of that game; None is the game's own.
        options: House rules on top of the preset.
        language: For the names that seats lend.
        timings: How long to listen, wait and show.
        wall: The wall clock for the journal; None where nobody knows the time.

    Raises:
        JournalError: The journal cannot be read.
        UnknownEntry: It holds something this version does not know.
    """

    def __init__(
        self,
        journal: StepJournal,
        *,
        build: BuildGame,
        presets: PresetsOf = lambda _: (),
        seats: int = 8,
        game: str = "toepen",
        preset: str | None = "kroeg",
        options: Facts = _NO_FACTS,
        language: str = "nl",
        timings: Timings | None = None,
        wall: Callable[[], float] | None = None,
    ) -> None:
        self._timings = timings or Timings()
        self._seating = Seating(build, presets=presets, seats=seats, language=language)
        first = TableState(game, preset, house_rules(options))
        self._ledger = Ledger(journal, self._seating, first, wall)
        self._gestures = Gestures(self._timings)
        self._notices = Notices(self._timings.notice_s)
        self._pending = Pending()
        self._now_s = float("-inf")

    @property
    def seq(self) -> int:
        """Number of the newest entry of the journal."""
        return self._ledger.seq

    def handle(self, message: Message, now_s: float) -> None:
        """Take in what a device noticed; what it means may be decided later (`tick`)."""
        self._now_s = max(self._now_s, now_s)
        match message:
            case PartFailed(part, sentence):
                self._notices.part_failed(part, sentence)
            case PartHealed(part):
                self._notices.part_healed(part)
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
        facts: Facts = _NO_FACTS,
        via: str = "phone",
    ) -> int:
        """Do what a phone asks for; see `kloplei.table.client.TableClient.submit`."""
        self.tick(now_s)
        if not self._has_place(seat):
            raise Unreadable(f"There is no such seat; they run from 1 to {self._seating.seats}.")
        wanted = asked(self._ledger.actions(), action, seat, facts, seats=self._seating.seats)
        match wanted:
            case Cancel(by):
                return self._call_off(by)
            case ItWasMe(by):
                return self._own(by)
        self._ledger.check_seen(action, seen)
        self._demand_no_grace_for(type(wanted))
        return self._do(wanted, seat, via)

    def tick(self, now_s: float) -> None:
        """Do what is due by *now_s*: patterns, graces, questions and lines that end."""
        self._now_s = max(self._now_s, now_s)
        self._run_until(now_s)

    def next_deadline(self) -> float | None:
        """Return when `tick` has something to do next, or None if only a message changes things."""
        parts = (self._gestures, self._pending, self._notices)
        return min((p.next_deadline for p in parts if p.next_deadline is not None), default=None)

    def note_dropped(self, n: int, now_s: float) -> None:
        """Tell at the table that *n* messages found the inbox full."""
        self._notices.dropped(n, now_s)

    def note_fault(self, now_s: float) -> None:
        """Tell at the table that something went wrong inside."""
        self._notices.fault(now_s)

    def log(self, limit: int = 50) -> tuple[LogEntry, ...]:
        """Return the last *limit* steps of the evening, newest first."""
        return self._ledger.log(limit)

    def scoreboard(self, now_s: float) -> Scoreboard:
        """Return the table as it stands, with what is heard and waits at *now_s*."""
        pending = self._pending
        board = with_passing_offers(
            self._ledger.board,
            grace=pending.grace is not None,
            who=() if pending.who is None else self._owners(pending.who.pattern),
        )
        return replace(
            board,
            heard=self._gestures.heard,
            grace=pending.grace.grace(now_s) if pending.grace else None,
            asking=pending.question,
            refused=pending.refused.line if pending.refused else None,
            shown=pending.shown.line if pending.shown else None,
            notices=self._notices.lines(self._gestures.stuck),
        )

    def _has_place(self, seat: Place) -> bool:
        return seat is None or 0 <= seat < self._seating.seats

    def _run_until(self, until_s: float) -> None:
        # One moment after the other: what ends first may change what the next one means.
        while (at_s := self.next_deadline()) is not None and at_s <= until_s:
            self._pass(at_s)

    def _hear(self, message: Blow, at_s: float) -> None:
        # When the wood was struck tells the patterns apart, however late we look up. What
        # people have to see, such as a grace, runs from now.
        self._run_until(at_s)
        match message:
            case KnockHeard(seat):
                self._gestures.knocked(seat, at_s)
                self._object(seat)
            case ButtonPressed(seat):
                self._gestures.pressed(seat, at_s)
                self._object(seat)
            case ButtonReleased(seat):
                self._gestures.released(seat, at_s)
                self._run_until(at_s)  # a hold is decided when the button comes up

    def _object(self, seat: Place) -> None:
        """Let a blow at *seat* cancel what waits there for another; then it means no more."""
        grace = self._pending.grace
        # On a shared sensor nobody knows whose blow it is; better one claim too few.
        if grace is not None and grace.seat != seat:
            self._gestures.spend(seat)
            self._stop_grace(seat)

    def _pass(self, at_s: float) -> None:
        for pattern in self._gestures.due(at_s):
            self._understand(pattern)
        if ended := self._pending.take_grace(at_s):
            self._carry_out(ended)
        self._pending.pass_time(at_s)
        self._notices.pass_time(at_s)

    def _understand(self, pattern: Pattern) -> None:
        pending, seat = self._pending, pattern.seat
        try:
            if seat is None:
                self._ask_who(pattern)
            elif pending.who is not None:
                self._own(seat)
            elif pending.grace is not None and pending.grace.seat == seat:
                self._repeat_in_grace(pattern)
            elif pending.asking is not None and pending.asking.seat == seat:
                self._answer(pattern)
            else:
                self._mean(seat, pattern)
        except IllegalAction as refusal:
            self._refuse(refusal, seat)
        except TableSilent:
            pass  # the notice of the journal tells it

    def _mean(self, seat: Seat, pattern: Pattern) -> None:
        match self._meaning(seat, pattern):
            case Do(action, grace=False):
                self._do(action, seat, pattern.via)
            case Do(action):
                self._begin_grace(action, seat, pattern.via)
            case Choose() as choose:
                until_s = self._now_s + self._timings.ask_s
                self._pending.asking = asking(seat, choose, until_s, self._ledger.question)
            case Show(key):
                self._show(f"show.{key}", seat)

    def _meaning(self, seat: Seat, pattern: Pattern) -> Meaning | None:
        ledger = self._ledger
        return meaning_of(
            self._seating, ledger.state, seat, pattern, undone_last=ledger.undone_last
        )

    def _do(self, action: Action, seat: Seat | None, via: str) -> int:
        try:
            seq = self._ledger.do(action, seat=seat, via=via)
        except JournalError as error:
            self._notices.journal_failed(str(error))
            raise TableSilent(f"Nothing was done, for it cannot be kept. {error}") from error
        self._notices.journal_healed()
        self._pending.refused = None
        self._pending.close_other_than(self._ledger.question)
        return seq

    def _refuse(self, refusal: IllegalAction, seat: Place) -> None:
        facts = refusal.facts if seat is None else {"seat": seat, **refusal.facts}
        line = Line(f"reason.{refusal.reason}", facts)
        self._pending.refused = Passing(line, self._now_s + self._timings.refused_s)

    def _show(self, key: str, seat: Place) -> None:
        facts = {} if seat is None else {"seat": seat}
        self._pending.shown = Passing(Line(key, facts), self._now_s + self._timings.shown_s)

    # A grace: what can cost somebody lives by a slip waits for objections

    def _begin_grace(self, action: Action, seat: Seat, via: str) -> None:
        self._ledger.decide(action)  # refused now rather than after the wait
        if self._pending.grace is not None:
            raise IllegalAction("grace_running", seat=self._pending.grace.seat)
        total_s, ledger = self._timings.grace_s, self._ledger
        self._pending.grace = Waiting(
            seat, action, via, self._now_s + total_s, total_s, ledger.question, ledger.seq
        )

    def _demand_no_grace_for(self, kind: type[Action]) -> None:
        grace = self._pending.grace
        if grace is not None and type(grace.action) is kind:
            raise IllegalAction("grace_running", seat=grace.seat)

    def _repeat_in_grace(self, pattern: Pattern) -> None:
        """Whoever asked may only withdraw; asking again neither confirms nor starts anything."""
        grace = self._pending.grace
        if grace and asks_undo(pattern) and not isinstance(grace.action, Undo):
            self._stop_grace(pattern.seat)

    def _stop_grace(self, seat: Place) -> None:
        self._pending.grace = None
        self._show("show.cancelled", seat)

    def _call_off(self, seat: Place) -> int:
        if self._pending.grace is None:
            raise IllegalAction("nothing_waits")
        self._stop_grace(seat)
        return self._ledger.seq

    def _carry_out(self, ended: Waiting) -> None:
        try:
            self._demand_same_question(ended)
            self._do(ended.action, ended.seat, ended.via)
        except IllegalAction as refusal:
            self._refuse(refusal, ended.seat)
        except TableSilent:
            pass  # the notice of the journal tells it

    def _demand_same_question(self, ended: Waiting) -> None:
        moved_on = self._ledger.question != ended.question
        newest = ended.action.name not in NEEDS_NEWEST or self._ledger.seq == ended.seq
        if moved_on or not newest:
            raise IllegalAction("stale", seen=ended.seq, seq=self._ledger.seq)

    # Questions to a seat, and to the table: who knocked?

    def _answer(self, pattern: Pattern) -> None:
        asked_for = self._pending.asking
        if asked_for is None:
            return
        action = asked_for.choices.get(pattern.knocks)
        if action is not None:
            self._pending.asking = None
            self._do(action, asked_for.seat, pattern.via)
        elif asks_undo(pattern):
            self._pending.asking = None  # nothing has happened yet: take back the question

    def _ask_who(self, pattern: Pattern) -> None:
        """Ask whose *pattern* it was; so many knocks on the shared sensor name that seat."""
        if self._pending.who is not None:
            named = Seat(pattern.knocks - 1)
            if named in self._owners(self._pending.who.pattern):
                self._own(named)
        elif self._owners(pattern):
            until_s = self._now_s + self._timings.ask_s
            self._pending.who = WhoKnocked(pattern, until_s, self._ledger.question)

    def _own(self, seat: Seat) -> int:
        """Let the pattern that was nobody's be *seat*'s."""
        who, self._pending.who = self._pending.who, None
        if who is None:
            raise IllegalAction("nothing_asked", seat=seat)
        self._mean(seat, replace(who.pattern, seat=seat))
        return self._ledger.seq

    def _owners(self, pattern: Pattern) -> tuple[Seat, ...]:
        """Return the seats at which *pattern* means anything."""
        places = map(Seat, range(self._seating.seats))
        return tuple(seat for seat in places if self._meaning(seat, pattern) is not None)
