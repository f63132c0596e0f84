"""What hands want: of a pattern of knocks the intent, at once, after a grace, or not at all.

Patterns come in, in the order they ended. A doubtful one waits for its confirmation
(`Confirmations`); what is beyond doubt means something at the table first, then in the game.
`Intents` returns what is to be done now as an `Intent`, and keeps what waits in
`Pending`: a grace, a question to one seat, a passing line. Nothing here is written down or
shown: the table does what is returned. Every method is told the time.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, fields, replace

from kloplei.frozen import dataclass
from kloplei.games.game import (
    Action,
    Choose,
    Do,
    Facts,
    Gesture,
    IllegalAction,
    Meaning,
    Seat,
    SeatAction,
    Show,
)
from kloplei.games.scoreboard import Doubt, Grace, Line
from kloplei.table.actions import Cancel, ItWasMe, NewEvening, Recognise, Redo, SitDown, Start, Undo
from kloplei.table.client import KEEPER, Doer
from kloplei.table.gestures import Pattern, Place, Timings, Touch
from kloplei.table.ledger import Ledger, Question
from kloplei.table.messages import BlowFate, Fate
from kloplei.table.seating import Seating
from kloplei.words.letters import chalked_name

UNDO_KNOCKS = 4
EVENING_KNOCKS = 6
HUSH_KNOCKS = 8  # seven are for the door
START_KNOCKS = 3


def asks_undo(pattern: Pattern) -> bool:
    """Return whether *pattern* is the table's gesture for taking something back."""
    return pattern.long or pattern.knocks == UNDO_KNOCKS


@dataclass(frozen=True, slots=True)
class Intent:
    """An *action* that is to be done for *seat*, asked for by such a way (*via*), and *by* whom.

    *touch* is when the hand that asks came down, however long it had to wait since.
    """

    action: Action
    seat: Seat | None
    via: str
    by: Doer = None
    touch: Touch | None = None

    @property
    def doer(self) -> Seat | None:
        """Who asked for it; None is the keeper of the slate."""
        return _doer(self.by, self.seat)


def asked_by(by: Doer, action: Action, seat: Seat | None, via: str, at_s: float) -> Intent:
    """Return the intent of who asks for *action* at *seat* at the time *at_s*.

    What is no seat's own is theirs: whoever keeps the slate from a seat takes back as themselves.
    """
    whose = seat if isinstance(action, SeatAction) else _doer(by, seat)
    return Intent(action, whose, via, by, Touch(at_s))


def _doer(by: Doer, seat: Seat | None) -> Seat | None:
    if by is None or by == KEEPER:
        return seat if by is None else None
    return by


def _by_hand(action: Action, seat: Seat, pattern: Pattern) -> Intent:
    return Intent(action, seat, pattern.via, touch=pattern.touch)


@dataclass(frozen=True, slots=True)
class Waiting:
    """An action in its grace: done at *until_s*, unless another seat knocks before.

    *question* and *seq* are those of the table when it was asked for.
    """

    seat: Place
    action: Action
    via: str
    until_s: float
    total_s: float
    question: Question
    seq: int
    about: Line | None
    by: Doer = None
    touch: Touch | None = None

    @property
    def grace(self) -> Grace:
        """The bar that the slate shows."""
        return Grace(self.seat, self.action.name, self.until_s, self.total_s, self.about)


@dataclass(frozen=True, slots=True)
class Asking:
    """A question that *seat* answers with so many knocks."""

    seat: Seat
    line: Line
    choices: Mapping[int, Action]
    until_s: float
    question: Question


@dataclass(frozen=True, slots=True)
class WhoKnocked:
    """A *pattern* on the shared sensor that nobody has owned to yet."""

    pattern: Pattern
    until_s: float
    question: Question

    @property
    def line(self) -> Line:
        """What the slate asks."""
        return Line("ask.who-knocked", {"n": self.pattern.knocks})


@dataclass(frozen=True, slots=True)
class Passing:
    """A line that only stands for a while."""

    line: Line
    until_s: float


@dataclass(frozen=True, slots=True)
class Joining:
    """*seat* struck while *waiting* waited: an objection, unless it says *asked* by it.

    Then both were meant, as *actions* (`Game.together`).
    """

    seat: Seat
    asked: Action
    actions: tuple[Action, ...]
    waiting: Waiting
    until_s: float


@dataclass(slots=True)
class Pending:
    """All that waits at one table; each of them once at most."""

    grace: Waiting | None = None
    joining: Joining | None = None
    following: Intent | None = None  # waits as soon as what is done now is done
    asking: Asking | None = None
    again: dict[Seat, Asking] = field(default_factory=dict)
    """Whether a guest is who sat there last: by seat, for several sit down at once."""
    who: WhoKnocked | None = None
    refused: Passing | None = None
    shown: Passing | None = None

    @property
    def next_deadline(self) -> float | None:
        """When the first of them is over."""
        all_of_them = (
            *(self.grace, self.joining, self.asking),
            *(self.who, self.refused, self.shown),
            *self.again.values(),
        )
        return min((one.until_s for one in all_of_them if one is not None), default=None)

    @property
    def question(self) -> Line | None:
        """What the slate asks now."""
        asked = self.who or self.asking
        return asked.line if asked else _all_in_one([one.line for one in self.again.values()])

    def take_grace(self, now_s: float) -> Waiting | None:
        """Take the action whose grace is over by *now_s*, if there is one."""
        ended = self.grace
        if ended is None or ended.until_s > now_s:
            return None
        self.grace = None
        return ended

    def pass_time(self, now_s: float) -> None:
        """Drop questions and lines that are over by *now_s*; a grace has to be taken."""
        if self.joining and self.joining.until_s <= now_s:
            self.joining = None
        if self.asking and self.asking.until_s <= now_s:
            self.asking = None
        self.again = {seat: one for seat, one in self.again.items() if one.until_s > now_s}
        if self.who and self.who.until_s <= now_s:
            self.who = None
        if self.refused and self.refused.until_s <= now_s:
            self.refused = None
        if self.shown and self.shown.until_s <= now_s:
            self.shown = None

    def close_other_than(self, question: Question) -> None:
        """Drop what was asked when the table waited for something else than *question*."""
        if self.asking and self.asking.question != question:
            self.asking = None
        if self.who and self.who.question != question:
            self.who = None


def asking(seat: Seat, choose: Choose, until_s: float, question: Question) -> Asking:
    """Return the question that *choose* opens at *seat*.

    Facts that all its choices share, such as whom it is about, go into the sentence.
    """
    choices = dict(choose.choices)
    line = Line(
        f"ask.{choose.key}", {**_shared_facts(choices.values()), **choose.facts, "seat": seat}
    )
    return Asking(seat, line, choices, until_s, question)


def _all_in_one(lines: list[Line]) -> Line | None:
    """Return one line that asks what *lines* ask, each of its own seat."""
    if len(lines) < 2:
        return next(iter(lines), None)
    names = [str(name) for one in lines if (name := one.facts["name"])]
    return Line("ask.again", {"name": " / ".join(names) or None})


def _shared_facts(actions: Iterable[Action]) -> Facts:
    told = [{one.name: getattr(action, one.name) for one in fields(action)} for action in actions]
    first = told[0] if told else {}
    return {
        name: value
        for name, value in first.items()
        if all(name in other and other[name] == value for other in told)
    }


class Intents:
    """Makes intents of patterns; *now_s* is when people see what comes of it.

    Args:
        ledger: What stands, and what may be done.
        seating: Knows the game and the places.
        timings: How long to wait and to show.
    """

    def __init__(self, ledger: Ledger, seating: Seating, timings: Timings) -> None:
        self.pending = Pending()
        self._ledger = ledger
        self._seating = seating
        self._timings = timings

    def understand(self, pattern: Pattern, now_s: float) -> Intent | None:
        """Return what *pattern* wants done at once; what has to wait or be asked begins to.

        Raises:
            IllegalAction: What it asks for may not be done, and need not wait.
        """
        pending, seat = self.pending, pattern.seat
        if seat is None:
            return self._ask_who(pattern, now_s)
        if pending.joining is not None and pending.joining.seat == seat:
            return self._join_or_object(pattern, pending.joining, now_s)
        if pending.who is not None:
            return self.own(seat, now_s)
        if pending.grace is not None and pending.grace.seat == seat:
            # Whoever asked may only withdraw; asking again neither confirms nor starts anything.
            if self._withdraws(pattern, pending.grace):
                self._stop_grace(seat, now_s)
            return None
        if pending.asking is not None and pending.asking.seat == seat:
            return self._answer(pattern, pending.asking)
        return self._intent_of(pattern, seat, now_s)

    def foresee(self, pattern: Pattern) -> Meaning | None:
        """Return what would come of *pattern* and its blows now, or None if nothing would."""
        pending, seat = self.pending, pattern.seat
        if pending.grace is not None:
            others = seat is None or pending.grace.seat != seat
            stops = others or self._withdraws(pattern, pending.grace)
            return Do(Cancel(seat)) if stops else None
        if pending.who is not None:
            owner = Seat(pattern.knocks - 1) if seat is None else seat
            return Do(ItWasMe(owner)) if owner in self.owners() else None
        if seat is None:
            owners = self._owners(pattern)
            if (only := self._only(owners, pattern)) is not None:
                return self.foresee(replace(pattern, seat=only))
            return Choose("who-knocked", ()) if owners else None
        if pending.asking is not None and pending.asking.seat == seat:
            action = pending.asking.choices.get(pattern.knocks)
            takes_back = Do(Cancel(seat)) if asks_undo(pattern) else None
            return takes_back if action is None else self._unless_refused(Do(action))
        return self._unless_refused(self._meaning(seat, pattern))

    def object(self, seat: Place, now_s: float) -> bool:
        """Let a blow at *seat* cancel what waits for another; return whether that is all it does.

        What may be said by several at once is heard out before.
        """
        grace = self.pending.grace
        # On a shared sensor nobody knows whose blow it is; better one claim too few. It is not the
        # keeper's, who has no seat either.
        if grace is None or (seat is not None and grace.seat == seat):
            return False
        if seat is not None and (joining := self._joining(grace, seat, now_s)):
            self.pending.grace, self.pending.joining = None, joining
            return False
        self._stop_grace(seat, now_s)
        return True

    def join(self, intent: Intent, now_s: float) -> tuple[Intent, ...] | None:
        """Return what is done at once as *intent* is said by phone beside what waits.

        None: it has nothing to do with that.
        """
        grace = self.pending.grace
        if grace is None or intent.seat is None or grace.seat == intent.seat:
            return None
        joining = self._joining(grace, intent.seat, now_s)
        if joining is None or joining.asked != intent.action:
            return None
        self.pending.grace = None
        at_once = self._join(joining, intent, now_s)
        return () if at_once is None else (at_once,)

    def call_off(self, seat: Place, now_s: float) -> None:
        """Cancel what waits, as *seat* asks by phone."""
        if self.pending.grace is None:
            raise IllegalAction("nothing_waits")
        self._stop_grace(seat, now_s)

    def own(self, seat: Seat, now_s: float) -> Intent | None:
        """Let the pattern that was nobody's be *seat*'s, and return what it wants done."""
        who, self.pending.who = self.pending.who, None
        if who is None:
            raise IllegalAction("nothing_asked", seat=seat)
        return self._intent_of(replace(who.pattern, seat=seat), seat, now_s)

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits that a blow might answer: no grace, no question."""
        pending = self.pending
        waits = (pending.grace, pending.joining, pending.who, pending.asking)
        return all(one is None for one in waits)

    def asks_hush(self, pattern: Pattern) -> bool:
        """Return whether *pattern* is for the caller alone: to be quiet, or to speak again."""
        return pattern.knocks == HUSH_KNOCKS and not pattern.doubtful and self.is_idle

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

    def wait_with(self, intent: Intent, now_s: float) -> None:
        """Let *intent* wait for objections, for what can cost somebody dearly by a slip.

        Raises:
            IllegalAction: It may not be done, or something else waits.
        """
        ledger, total_s = self._ledger, self._timings.grace_s
        ledger.decide(intent.action)  # refused now rather than after the wait
        if self.pending.grace is not None:
            raise IllegalAction("grace_running", seat=self.pending.grace.seat)
        self.pending.grace = Waiting(
            intent.seat,
            intent.action,
            intent.via,
            now_s + total_s,
            total_s,
            ledger.question,
            ledger.seq,
            ledger.about(intent.action) or self._left_lying(intent.action),
            intent.by,
            intent.touch,
        )

    def _left_lying(self, action: Action) -> Line | None:
        """Return how many chips a new evening would leave in pots that nobody shared out."""
        play = self._ledger.state.play
        if play is None or not isinstance(action, NewEvening):
            return None
        pots = self._seating.game(self._ledger.state).scoreboard(play).pots
        chips = sum(pots.values())
        return Line("step.pots-left", {"chips": chips}) if chips else None

    def after_a_step(self, now_s: float) -> None:
        """Forget what the last step has answered or overtaken, and let wait what follows it.

        A bar that runs for what cannot be done any more ends now.
        """
        self.pending.refused = None
        if self.pending.shown and self.pending.shown.line.key == "show.cancelled":
            self.pending.shown = None  # something has happened since
        self.pending.close_other_than(self._ledger.question)
        phase, asked = self._ledger.question[:2], self.pending.again.items()
        self.pending.again = {
            seat: one
            for seat, one in asked
            if one.question[:2] == phase and self._may_be_asked(one.choices[1])
        }
        grace = self.pending.grace
        if grace is not None and (reason := self._why_not_now(grace)):
            self.pending.grace = None
            self.refuse(reason, grace.seat, now_s)
        following, self.pending.following = self.pending.following, None
        if following is not None:
            self.wait_with(following, now_s)

    def who_again(self, intent: Intent) -> Recognise | None:
        """Return who might sit down with *intent*, of which hands cannot say more than that.

        Whoever sat there last, if that was somebody whom the box knows.
        """
        action = intent.action
        if not isinstance(action, SitDown) or intent.via not in ("pad", "button"):
            return None
        last = self._ledger.sightings().last.get(action.seat)
        return None if last is None else Recognise(action.seat, person=last)

    def ask_again(self, whom: Recognise | None, now_s: float) -> None:
        """Ask at the seat whether it is *whom*; one knock says yes, and means nothing else there.

        Without an answer a guest stays a guest.
        """
        if whom is None or not self._may_be_asked(whom):
            return
        found = self._seating.people.find(whom.person)
        # A name that no slate can write is asked for by the place.
        name = chalked_name(found.name) if found is not None else ""
        line = Line("ask.again", {"name": name or None})
        until_s = now_s + self._timings.ask_s
        asking = Asking(whom.seat, line, {1: whom}, until_s, self._ledger.question)
        self.pending.again[whom.seat] = asking

    def forget_names(self) -> None:
        """Ask for nobody any more: they may be called otherwise."""
        self.pending.again.clear()

    def _may_be_asked(self, whom: Action) -> bool:
        if not isinstance(whom, Recognise) or whom.seat not in self._ledger.state.names:
            return False
        knock = Pattern(whom.seat, Gesture(knocks=1), "pad")
        is_free = self._meant(whom.seat, knock) is None
        is_guest = whom.seat not in self._ledger.state.people
        return is_free and is_guest and self._unless_refused(Do(whom)) is not None

    def refuse(self, refusal: IllegalAction, seat: Place, now_s: float) -> None:
        """Let *seat* see for a while why it may not."""
        facts = refusal.facts if seat is None else {"seat": seat, **refusal.facts}
        line = Line(f"reason.{refusal.reason}", facts)
        self.pending.refused = Passing(line, now_s + self._timings.refused_s)

    def carried_out(self, ended: Waiting) -> Intent:
        """Return what is to be done now that the grace of *ended* is over.

        Raises:
            IllegalAction: The table waits for something else by now.
        """
        if reason := self._why_not_now(ended):
            raise reason
        return Intent(ended.action, ended.seat, ended.via, ended.by, ended.touch)

    def _why_not_now(self, waiting: Waiting) -> IllegalAction | None:
        """Return the refusal if the table waits for something else than when it was asked for."""
        moved_on = self._ledger.question != waiting.question
        newest = not waiting.action.rewrites or self._ledger.seq == waiting.seq
        if newest and not moved_on:
            return None
        return IllegalAction("stale", seen=waiting.seq, seq=self._ledger.seq)

    def tell(self, line: Line, until_s: float) -> None:
        """Let *line* stand on slate and phones until *until_s*."""
        self.pending.shown = Passing(line, until_s)

    def _intent_of(self, pattern: Pattern, seat: Seat, now_s: float) -> Intent | None:
        match self._meaning(seat, pattern):
            case Do(action, grace=False):
                return _by_hand(action, seat, pattern)
            case Do(action):
                # Two who knock at once are heard out before either waits.
                intent = _by_hand(action, seat, pattern)
                joined = self.join(intent, now_s)
                if joined is not None:
                    return next(iter(joined), None)
                self.wait_with(intent, now_s)
            case Choose() as choose:
                until_s = now_s + self._timings.ask_s
                self.pending.asking = asking(seat, choose, until_s, self._ledger.question)
            case Show(key):
                self._show(f"show.{key}", seat, now_s)
        return None

    def _meaning(self, seat: Seat, pattern: Pattern) -> Meaning | None:
        asked = self.pending.again.get(seat)
        if asked is not None and pattern.knocks == 1:
            return Do(asked.choices[1])
        return self._meant(seat, pattern)

    def _meant(self, seat: Seat, pattern: Pattern) -> Meaning | None:
        state = self._ledger.state
        if asks_undo(pattern):
            # Right after an undo its gesture means redo.
            redoes = self._ledger.undone_last and not pattern.long
            return Do(Redo(seat=seat)) if redoes else Do(Undo(seat=seat), grace=True)
        if pattern.knocks == EVENING_KNOCKS:
            return Do(NewEvening(), grace=True)
        if seat not in state.names:
            return Do(SitDown(seat)) if pattern.knocks == 1 else None
        if state.play is None:
            starts = pattern.gesture.hold or pattern.knocks == START_KNOCKS
            return Do(Start(seat)) if starts else None
        return self._seating.game(state).meaning(state.play, seat, pattern.gesture)

    def _unless_refused(self, meaning: Meaning | None) -> Meaning | None:
        if isinstance(meaning, Do):
            try:
                self._ledger.decide(meaning.action)
            except IllegalAction:
                return None
        return meaning

    def _show(self, key: str, seat: Place, now_s: float) -> None:
        facts = {} if seat is None else {"seat": seat}
        self.pending.shown = Passing(Line(key, facts), now_s + self._timings.shown_s)

    def _withdraws(self, pattern: Pattern, grace: Waiting) -> bool:
        return asks_undo(pattern) and not isinstance(grace.action, Undo)

    def _stop_grace(self, seat: Place, now_s: float) -> None:
        self.pending.grace = None
        self._show("show.cancelled", seat, now_s)

    # Said by several at once

    def _joining(self, grace: Waiting, seat: Seat, now_s: float) -> Joining | None:
        """Return what *seat* may still make of a blow while *grace* runs, if anything."""
        state, waiting = self._ledger.state, grace.action
        if state.play is None or seat not in state.names:
            return None
        if not (isinstance(waiting, SeatAction) and waiting.of_several):
            return None
        asked = replace(waiting, seat=seat)
        actions = self._seating.game(state).together(state.play, waiting, asked)
        until_s = now_s + self._timings.grace_s
        return Joining(seat, asked, actions, grace, until_s) if actions else None

    def _join_or_object(self, pattern: Pattern, joining: Joining, now_s: float) -> Intent | None:
        self.pending.joining = None
        if self._meaning(joining.seat, pattern) == Do(joining.asked, grace=True):
            return self._join(joining, _by_hand(joining.asked, joining.seat, pattern), now_s)
        self._show("show.cancelled", joining.seat, now_s)
        return None

    def _join(self, joining: Joining, said: Intent, now_s: float) -> Intent | None:
        """Return what is done at once of *joining* as *said*; the last waits for objections."""
        *at_once, last = joining.actions
        following = replace(said, action=last)
        if not at_once:
            self.wait_with(following, now_s)
            return None
        first = self.carried_out(joining.waiting)
        self.pending.following = following
        return first

    # Questions: to one seat, and to the table: who knocked?

    def _answer(self, pattern: Pattern, asked: Asking) -> Intent | None:
        action = asked.choices.get(pattern.knocks)
        # Nothing has happened yet: the gesture for undo takes back the question alone.
        if action is not None or asks_undo(pattern):
            self.pending.asking = None
        return None if action is None else _by_hand(action, asked.seat, pattern)

    def _ask_who(self, pattern: Pattern, now_s: float) -> Intent | None:
        """Ask whose *pattern* it was; so many knocks on the shared sensor name that seat."""
        if self.pending.who is not None:
            named = Seat(pattern.knocks - 1)
            return self.own(named, now_s) if named in self.owners() else None
        owners = self._owners(pattern)
        if (only := self._only(owners, pattern)) is not None:
            return self.understand(replace(pattern, seat=only), now_s)
        if owners:
            until_s = now_s + self._timings.ask_s
            self.pending.who = WhoKnocked(pattern, until_s, self._ledger.question)
        return None

    def _only(self, owners: Iterable[Seat], pattern: Pattern) -> Seat | None:
        """Return the one of *owners* who may do what *pattern* asks for, None if several may.

        Who has not sat down yet is asked: it may have been anybody's at the bar.
        """
        may = [one for one in owners if self._unless_refused(self._meaning(one, pattern))]
        return may[0] if len(may) == 1 and may[0] in self._ledger.state.names else None

    def _owners(self, pattern: Pattern) -> tuple[Seat, ...]:
        """Return the seats at which *pattern* means anything."""
        places = map(Seat, range(self._seating.seats))
        return tuple(seat for seat in places if self.meaning(seat, pattern) is not None)


@dataclass(frozen=True, slots=True)
class Doubted:
    """The doubtful *pattern*, flagged from *since_s* to *until_s*.

    *meaning* is what it would bring about, and *question* what the table waited for, when it
    was flagged: once either has changed, it would be taken for what nobody meant.
    """

    number: int
    pattern: Pattern
    meaning: Meaning
    question: Question
    since_s: float
    until_s: float

    @property
    def shown(self) -> Doubt:
        """What slate and phones show of it."""
        return Doubt(
            seat=self.pattern.seat,
            knocks=self.pattern.knocks,
            sure=self._sure,
            until_s=self.until_s,
            total_s=self.until_s - self.since_s,
            number=self.number,
            action=self.meaning.action.name if isinstance(self.meaning, Do) else None,
        )

    def is_accepted_by(self, pattern: Pattern) -> bool:
        """Return whether *pattern* says yes: one knock, struck while the question stood."""
        return pattern.knocks == 1 and self.since_s <= pattern.began_s <= self.until_s

    @property
    def accepted(self) -> Pattern:
        """The pattern, with every knock of it counted."""
        return replace(self.pattern, doubtful=0)

    @property
    def dismissed(self) -> Pattern | None:
        """What of the pattern was sure, or None if nothing was."""
        if not self._sure:
            return None
        rest = replace(self.pattern.gesture, knocks=self._sure)  # a press is never in doubt
        return replace(self.pattern, gesture=rest, doubtful=0)

    @property
    def _sure(self) -> int:
        return self.pattern.knocks - self.pattern.doubtful


class Confirmations:
    """The doubtful pattern of the table, until somebody says what it was; the newest one stands.

    One knock says yes, whoever gives it, and is not counted itself. Who made the pattern may as
    well make it again. Without a word nothing is done.

    Args:
        intents: Foresees what would come of a pattern.
        question: Tells what the table waits for.
        doubt_s: How long a doubt stands.
    """

    def __init__(self, intents: Intents, question: Callable[[], Question], doubt_s: float) -> None:
        self._intents = intents
        self._question = question
        self._doubt_s = doubt_s
        self._number = 0
        self._newest: Doubted | None = None
        self._stands = False
        self._fates: list[BlowFate] = []

    @property
    def standing(self) -> Doubted | None:
        """The doubtful pattern that people see, while it would be taken for what it was."""
        return self._open if self._stands else None

    @property
    def next_deadline(self) -> float | None:
        """When the doubtful pattern is shown no longer."""
        return self._newest.until_s if self._newest and self._stands else None

    def pass_time(self, at_s: float) -> None:
        """Show no longer the doubtful pattern of which nobody has said anything by *at_s*."""
        # It is kept: a knock that was struck in time may not have ended yet.
        if (until_s := self.next_deadline) is not None and until_s <= at_s:
            self._stands = False

    def weigh(self, pattern: Pattern, now_s: float) -> Pattern | None:
        """Return what is beyond doubt now: *pattern* itself, or the one that it says yes to."""
        doubt = self._open
        if pattern.doubtful:
            self._flag(pattern, now_s)
            return None
        if doubt is not None and doubt.is_accepted_by(pattern):
            is_same_hand = doubt.pattern.seat == pattern.seat
            self._tell(Fate.REPEATED if is_same_hand else Fate.CONFIRMED, doubt)
            return self._accepted(doubt, now_s)
        if doubt is not None and doubt.pattern.seat == pattern.seat:
            self._tell(Fate.REPEATED, doubt)
            self._close()  # the same hand once more, and clearly
        return pattern

    def takes(self, pattern: Pattern) -> bool:
        """Whether *pattern* would say yes to what is in doubt."""
        doubt = self._open
        return doubt is not None and doubt.is_accepted_by(pattern)

    def accept(self, number: int | None, now_s: float) -> Pattern | None:
        """Return the doubtful pattern, taken for one as a phone asks; *number* None is any.

        None says that it was no more than an objection to what waited.

        Raises:
            IllegalAction: No such doubt stands.
        """
        doubt = self._demand(number)
        self._tell(Fate.CONFIRMED, doubt)
        return self._accepted(doubt, now_s)

    def dismiss(self, number: int | None) -> Pattern | None:
        """Return what was sure of the doubtful pattern, as a phone asks; raises as `accept`."""
        doubt = self._demand(number)
        self._tell(Fate.DENIED, doubt)
        rest = doubt.dismissed
        self._close()
        return rest

    def take_fates(self) -> tuple[BlowFate, ...]:
        """Take what became of doubtful blows since this was asked last."""
        fates = tuple(self._fates)
        self._fates.clear()
        return fates

    @property
    def _open(self) -> Doubted | None:
        newest = self._newest
        if newest is None or newest.question != self._question():
            return None
        return newest if self._intents.foresee(newest.pattern) == newest.meaning else None

    def _accepted(self, doubt: Doubted, now_s: float) -> Pattern | None:
        self._close()
        objected = self._intents.object(doubt.pattern.seat, now_s)
        return None if objected else doubt.accepted

    def _close(self) -> None:
        self._newest, self._stands = None, False

    def _tell(self, fate: Fate, doubt: Doubted) -> None:
        if doubt.pattern.doubts:
            self._fates.append(BlowFate(fate, doubt.pattern.doubts))

    def _flag(self, pattern: Pattern, now_s: float) -> None:
        meaning = self._intents.foresee(pattern)
        if meaning is None:
            return  # whatever it was, nothing would come of it
        self._number += 1
        until_s = now_s + self._doubt_s
        self._newest = Doubted(self._number, pattern, meaning, self._question(), now_s, until_s)
        self._stands = True

    def _demand(self, number: int | None) -> Doubted:
        doubt = self.standing
        if doubt is None or number not in (None, doubt.number):
            raise IllegalAction("nothing_doubtful")
        return doubt
