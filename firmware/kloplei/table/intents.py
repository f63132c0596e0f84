"""What hands ask for, what of it waits for objections, and what the slate asks back."""

from collections.abc import Callable
from dataclasses import replace

from kloplei.games.game import Action, Choose, Do, IllegalAction, Meaning, Seat, Show
from kloplei.games.scoreboard import Line
from kloplei.table.actions import Cancel, ItWasMe, Undo
from kloplei.table.client import TableSilent
from kloplei.table.gestures import Pattern, Place
from kloplei.table.ledger import Ledger
from kloplei.table.meaning import asks_undo, meaning_of
from kloplei.table.questions import Asking, Passing, Pending, Waiting, WhoKnocked, asking
from kloplei.table.seating import Seating
from kloplei.table.timings import Timings

DoAction = Callable[[Action, Seat | None, str], None]
"""Do an action for a seat, asked in such a way; may raise `IllegalAction` or `TableSilent`."""


class Intents:
    """Makes actions of patterns; *now_s* is when people see what comes of it.

    Args:
        ledger: What stands, and what may be done.
        seating: Knows the game and the places.
        timings: How long to wait and to show.
        do: The way everything is done.
    """

    def __init__(self, ledger: Ledger, seating: Seating, timings: Timings, do: DoAction) -> None:
        self.pending = Pending()
        self._ledger = ledger
        self._seating = seating
        self._timings = timings
        self._do = do

    def understand(self, pattern: Pattern, now_s: float) -> None:
        """Bring about what *pattern* asks for; a refusal is shown for a while."""
        try:
            self.perform(pattern, now_s)
        except IllegalAction as refusal:
            self._refuse(refusal, pattern.seat, now_s)
        except TableSilent:
            pass  # the notice of the journal tells it

    def perform(self, pattern: Pattern, now_s: float) -> None:
        """Bring about what *pattern* asks for; may raise `IllegalAction` or `TableSilent`."""
        pending, seat = self.pending, pattern.seat
        if seat is None:
            self._ask_who(pattern, now_s)
        elif pending.who is not None:
            self.own(seat, now_s)
        elif pending.grace is not None and pending.grace.seat == seat:
            self._repeat(pattern, pending.grace, now_s)
        elif pending.asking is not None and pending.asking.seat == seat:
            self._answer(pattern, pending.asking)
        else:
            self._bring_about(pattern, seat, now_s)

    def foresee(self, pattern: Pattern) -> Meaning | None:
        """Return what would come of *pattern* and its blows now, or None if nothing would."""
        pending, seat = self.pending, pattern.seat
        if pending.grace is not None:
            stops = pending.grace.seat != seat or self._withdraws(pattern, pending.grace)
            return Do(Cancel(seat)) if stops else None
        if pending.who is not None:
            owner = Seat(pattern.knocks - 1) if seat is None else seat
            return Do(ItWasMe(owner)) if owner in self.owners() else None
        if seat is None:
            return Choose("who-knocked", ()) if self._owners(pattern) else None
        if pending.asking is not None and pending.asking.seat == seat:
            action = pending.asking.choices.get(pattern.knocks)
            takes_back = Do(Cancel(seat)) if asks_undo(pattern) else None
            return takes_back if action is None else self._unless_refused(Do(action))
        return self._unless_refused(self._meaning(seat, pattern))

    def object(self, seat: Place, now_s: float) -> bool:
        """Let a blow at *seat* cancel what waits for another; return whether it did."""
        grace = self.pending.grace
        # On a shared sensor nobody knows whose blow it is; better one claim too few.
        if grace is None or grace.seat == seat:
            return False
        self._stop_grace(seat, now_s)
        return True

    def call_off(self, seat: Place, now_s: float) -> None:
        """Cancel what waits, as *seat* asks by phone."""
        if self.pending.grace is None:
            raise IllegalAction("nothing_waits")
        self._stop_grace(seat, now_s)

    def own(self, seat: Seat, now_s: float) -> None:
        """Let the pattern that was nobody's be *seat*'s."""
        who, self.pending.who = self.pending.who, None
        if who is None:
            raise IllegalAction("nothing_asked", seat=seat)
        self._bring_about(replace(who.pattern, seat=seat), seat, now_s)

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits that a blow might answer: no grace, no question."""
        pending = self.pending
        return pending.grace is None and pending.who is None and pending.asking is None

    @property
    def seated(self) -> tuple[Seat, ...]:
        """The seats somebody sits at."""
        return self._ledger.state.seated

    def meaning(self, seat: Seat, pattern: Pattern) -> Meaning | None:
        """Return what *pattern* asks for at *seat*, refused or not, or None if it is noise."""
        meaning = self._meaning(seat, pattern)
        # Who sits here is told why it is refused; where nobody may sit, nobody has knocked.
        sits = seat in self._ledger.state.names
        return meaning if sits else self._unless_refused(meaning)

    def owners(self) -> tuple[Seat, ...]:
        """Return the seats that may own to the pattern that is nobody's yet."""
        return () if self.pending.who is None else self._owners(self.pending.who.pattern)

    def demand_no_grace_for(self, kind: type[Action]) -> None:
        """Refuse an action of a *kind* that waits already: one claim at a time."""
        grace = self.pending.grace
        if grace is not None and type(grace.action) is kind:
            raise IllegalAction("grace_running", seat=grace.seat)

    def after_a_step(self) -> None:
        """Forget what the last step has answered or overtaken."""
        self.pending.refused = None
        self.pending.close_other_than(self._ledger.question)

    def pass_time(self, at_s: float, now_s: float) -> None:
        """End what is over at *at_s*; an action whose grace ends is done."""
        if ended := self.pending.take_grace(at_s):
            self._carry_out(ended, now_s)
        self.pending.pass_time(at_s)

    def _bring_about(self, pattern: Pattern, seat: Seat, now_s: float) -> None:
        match self._meaning(seat, pattern):
            case Do(action, grace=False):
                self._do(action, seat, pattern.via)
            case Do(action):
                self._begin_grace(action, seat, pattern.via, now_s)
            case Choose() as choose:
                until_s = now_s + self._timings.ask_s
                self.pending.asking = asking(seat, choose, until_s, self._ledger.question)
            case Show(key):
                self._show(f"show.{key}", seat, now_s)

    def _meaning(self, seat: Seat, pattern: Pattern) -> Meaning | None:
        ledger = self._ledger
        return meaning_of(
            self._seating, ledger.state, seat, pattern, undone_last=ledger.undone_last
        )

    def _unless_refused(self, meaning: Meaning | None) -> Meaning | None:
        if isinstance(meaning, Do):
            try:
                self._ledger.decide(meaning.action)
            except IllegalAction:
                return None
        return meaning

    def _refuse(self, refusal: IllegalAction, seat: Place, now_s: float) -> None:
        facts = refusal.facts if seat is None else {"seat": seat, **refusal.facts}
        line = Line(f"reason.{refusal.reason}", facts)
        self.pending.refused = Passing(line, now_s + self._timings.refused_s)

    def _show(self, key: str, seat: Place, now_s: float) -> None:
        facts = {} if seat is None else {"seat": seat}
        self.pending.shown = Passing(Line(key, facts), now_s + self._timings.shown_s)

    # A grace: what can cost somebody dearly by a slip waits for objections.

    def _begin_grace(self, action: Action, seat: Seat, via: str, now_s: float) -> None:
        self._ledger.decide(action)  # refused now rather than after the wait
        if self.pending.grace is not None:
            raise IllegalAction("grace_running", seat=self.pending.grace.seat)
        total_s, ledger = self._timings.grace_s, self._ledger
        self.pending.grace = Waiting(
            seat, action, via, now_s + total_s, total_s, ledger.question, ledger.seq
        )

    def _repeat(self, pattern: Pattern, grace: Waiting, now_s: float) -> None:
        """Whoever asked may only withdraw; asking again neither confirms nor starts anything."""
        if self._withdraws(pattern, grace):
            self._stop_grace(grace.seat, now_s)

    def _withdraws(self, pattern: Pattern, grace: Waiting) -> bool:
        return asks_undo(pattern) and not isinstance(grace.action, Undo)

    def _stop_grace(self, seat: Place, now_s: float) -> None:
        self.pending.grace = None
        self._show("show.cancelled", seat, now_s)

    def _carry_out(self, ended: Waiting, now_s: float) -> None:
        try:
            self._demand_same_question(ended)
            self._do(ended.action, ended.seat, ended.via)
        except IllegalAction as refusal:
            self._refuse(refusal, ended.seat, now_s)
        except TableSilent:
            pass  # the notice of the journal tells it

    def _demand_same_question(self, ended: Waiting) -> None:
        moved_on = self._ledger.question != ended.question
        newest = not ended.action.rewrites or self._ledger.seq == ended.seq
        if moved_on or not newest:
            raise IllegalAction("stale", seen=ended.seq, seq=self._ledger.seq)

    # Questions: to one seat, and to the table: who knocked?

    def _answer(self, pattern: Pattern, asked: Asking) -> None:
        action = asked.choices.get(pattern.knocks)
        if action is not None:
            self.pending.asking = None
            self._do(action, asked.seat, pattern.via)
        elif asks_undo(pattern):
            self.pending.asking = None  # nothing has happened yet: take back the question

    def _ask_who(self, pattern: Pattern, now_s: float) -> None:
        """Ask whose *pattern* it was; so many knocks on the shared sensor name that seat."""
        if self.pending.who is not None:
            named = Seat(pattern.knocks - 1)
            if named in self.owners():
                self.own(named, now_s)
        elif self._owners(pattern):
            until_s = now_s + self._timings.ask_s
            self.pending.who = WhoKnocked(pattern, until_s, self._ledger.question)

    def _owners(self, pattern: Pattern) -> tuple[Seat, ...]:
        """Return the seats at which *pattern* means anything."""
        places = map(Seat, range(self._seating.seats))
        return tuple(seat for seat in places if self.meaning(seat, pattern) is not None)
