"""Decide, write down, apply: the one way anything changes at the table.

An action comes in, `Ledger` asks the table or the game for its events, applies them to see that
they can be shown, writes them to the journal and only then lets the scoreboard change. Behind it
stands `History`: the evening's steps on a line (`kloplei.table.timeline`).
Between the two stands the way from a state to the neutral scoreboard (`draw_up`), and to the
question that the table waits for an answer to (`question_of`).

At start the journal is read back the same way, from its snapshot on. One thread, the table's.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import MISSING, fields
from itertools import chain, islice

from kloplei.frozen import replace
from kloplei.games.game import Action, Answered, Event, IllegalAction, Seat
from kloplei.games.scoreboard import SEATING, Doubt, Line, Offer, Row, Scoreboard, Tone
from kloplei.table._forgetting import Forgetting
from kloplei.table.actions import (
    TABLE_ACTIONS,
    TABLE_EVENTS,
    EntryLost,
    EveningBegun,
    Recognised,
    Recovered,
    Redo,
    Redone,
    Renamed,
    SatDown,
    StoodUp,
    Swapped,
    Undo,
    Undone,
    UnknownEntry,
    called_then,
    decode,
    encode,
    names_before,
    news_of,
    step_told,
)
from kloplei.table.client import LogEntry
from kloplei.table.gestures import ANYBODY, Touch
from kloplei.table.journal import Entry, Journal, JournalCut, JournalError
from kloplei.table.people import Register, Sightings
from kloplei.table.seating import Seating, TableState, begun, has_no_letters, standing
from kloplei.table.timeline import History, Step, evening_before, holding, steps_of

Question = tuple[object, ...]


def draw_up(seating: Seating, state: TableState) -> Scoreboard:
    """Return the scoreboard of *state*: the game's picture with the table's own things added."""
    draw = _seating_board if state.play is None else _game_board
    board = draw(seating, state)
    return replace(
        board,
        seats=max(seating.seats, *(seat.shown for seat in state.names), 1),
        rows=tuple(_with_tables_own(seating, state, row) for row in board.rows),
        offers=(*board.offers, *_table_offers(seating, state)),
        preset=seating.game(state).preset if state.preset is None else state.preset,
        options=dict(state.options),
        suits=seating.german_suits(state),
        later=_later(seating, state),
        deaf=not seating.hears_wood(state),
    )


def _later(seating: Seating, state: TableState) -> dict[str, Line]:
    """Return what may not change now, with the sentence that says why and when it may."""
    waits = {"players": seating.why_not_reseat(state), "rules": seating.why_not_change(state)}
    return {what: Line(f"reason.{why}") for what, why in waits.items() if why}


def question_of(board: Scoreboard) -> Question:
    """Return what the table waits for, as a value: while it is equal, answers are not late."""
    prompt = board.prompt.key if board.prompt else None
    tricks = tuple(row.tricks for row in board.rows)
    return (board.game, board.phase, board.stake, prompt, board.dealer, len(board.hands), tricks)


def deal_of(board: Scoreboard) -> Question:
    """Return which deal of the evening runs, or is to run next, as a value."""
    return (board.game, board.phase, board.dealer, len(board.hands))


def _seating_board(seating: Seating, state: TableState) -> Scoreboard:
    crowded = Line("reason.too_many_players", {"n": seating.game(state).max_seats})
    is_crowded = seating.why_not_start(state) == "too_many_players"
    return Scoreboard(
        game=state.game,
        phase=SEATING,
        rows=tuple(Row(seat, tally=0, name=state.names[seat]) for seat in state.seated),
        prompt=Line("prompt.sit-down"),
        told=(crowded,) if is_crowded else (),
    )


def _game_board(seating: Seating, state: TableState) -> Scoreboard:
    board = seating.game(state).scoreboard(state.play)
    rows = (replace(row, name=state.names.get(row.seat, "")) for row in board.rows)
    return replace(board, rows=tuple(rows))


def _with_tables_own(seating: Seating, state: TableState, row: Row) -> Row:
    name, is_guest = state.names[row.seat], row.seat not in state.people
    asked = Offer("recognise", needs=("guest",), choices={"guest": (True,)})
    found = [Offer("rename", needs=("name",)) if is_guest else asked]
    if is_guest and has_no_letters(name):
        no_letters = Line("told.no-letters", {"name": name})
        found.append(Offer("shorten", needs=("short",), about=no_letters))
    if seating.why_not_stand_up(state, row.seat) is None:
        found.append(Offer("stand_up"))
    if seating.why_not_reseat(state) is None:
        others = tuple(Seat(n) for n in range(seating.seats) if n != row.seat)
        found.append(Offer("swap", needs=("of",), choices={"of": others}))
    return replace(row, offers=(*row.offers, *found), person=state.people.get(row.seat))


def _table_offers(seating: Seating, state: TableState) -> tuple[Offer, ...]:
    rules: dict[str, tuple[object, ...]] = {"preset": seating.presets(state.game)}
    if len(seating.games) > 1 and seating.is_clean(state):
        rules["game"] = seating.games
    free = tuple(seat for seat in map(Seat, range(seating.seats)) if seat not in state.names)
    may_sit = bool(free) and seating.why_not_sit_down(state) is None
    offered = (
        (Offer("start", choices={"dealer": state.seated}), seating.why_not_start(state) is None),
        (Offer("sit_down", choices={"seat": free}), may_sit),
        (Offer("options", choices=rules), seating.why_not_change(state) is None),
        (Offer("wipe"), seating.why_not_wipe(state) is None),
        (Offer("new_evening"), state.play is not None),
    )
    return tuple(offer for offer, may in offered if may)


def with_passing_offers(
    board: Scoreboard,
    *,
    grace: bool,
    who: tuple[Seat, ...],
    doubt: Doubt | None = None,
    called: bool = False,
) -> Scoreboard:
    """Return *board* with what is only offered for a moment.

    Args:
        board: As drawn up.
        grace: An action waits; any seat may cancel it.
        who: Seats that may own to a knock that is nobody's yet.
        doubt: A pattern that stands flagged; anybody may say what it was.
        called: People are called to this table, who may sit down between two deals.
    """
    seated = tuple(row.seat for row in board.rows)
    passing = [Offer("cancel", choices={"seat": seated})] if grace else []
    passing += [Offer("it_was_me", choices={"seat": who})] if who else []
    passing += _doubt_offers(doubt, seated) if doubt else []
    passing += _call_offers(board) if called else []
    return replace(board, offers=(*board.offers, *passing)) if passing else board


def _call_offers(board: Scoreboard) -> list[Offer]:
    """Return what may be said of who is called to this table, at any place of it."""
    choices = {"seat": tuple(map(Seat, range(board.seats)))}
    actions = ("dismiss_call",) if board.deal_runs else ("accept_call", "dismiss_call")
    return [Offer(action, choices=choices) for action in actions]


def _doubt_offers(doubt: Doubt, seated: tuple[Seat, ...]) -> list[Offer]:
    """Return what may be said of *doubt*, at its own seat too if nobody sits there yet."""
    own = () if doubt.seat is None or doubt.seat in seated else (doubt.seat,)
    choices = {"doubt": (doubt.number,), "seat": (*seated, *own)}
    return [Offer(action, ("doubt",), choices) for action in ("accept_knock", "dismiss_knock")]


logger = logging.getLogger(__name__)
OF_SEATS: frozenset[str] = frozenset(
    kind.__name__
    for kind in (
        *(SatDown, StoodUp, Swapped, Renamed, Recognised),
        *(EveningBegun, Recovered, Undone, Redone),
    )
)
"""The events that tell who sat where."""
_SEEN_AT_ONCE = 2000  # entries of years: 15 ms, and 0.15 s on a small Pi
_DRAWN_AT_ONCE = 4  # boards: up to 0.1 s each in a hand of Tarok, on a small Pi
_UNFIT = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


class Ledger:
    """The state of the table and the journal it comes from.

    Args:
        journal: Read from its beginning; written before anything changes.
        seating: Decides what is not the game's.
        first: The table of a new, empty journal.
        wall: The wall clock; only written down, None where nobody knows the time.

    Raises:
        JournalError: The journal cannot be read.
        UnknownEntry: It holds something this version does not know.
    """

    def __init__(
        self,
        journal: Journal,
        seating: Seating,
        first: TableState,
        wall: Callable[[], float] | None = None,
    ) -> None:
        self._journal = journal
        self._seating = seating
        self._wall = wall
        self._news: dict[int, Line | None] = {}
        self._first = first
        self._asked_s: float | None = None  # when it began to wait for what it waits for
        self._people = seating.people
        self._sighted, self._sighted_upto = Sightings(), 0
        self._seeing: Iterator[int] | None = None
        self._people.sightings = self.sightings
        seating.game(first)  # settings that make no game are told at once
        self._begin()
        is_known = self.board.deal_runs and self._kept is not None
        self._has_moved = journal.salvaged is None and not is_known
        with suppress(JournalError):  # its trouble is told already; `do` tries again
            self._recover()

    @property
    def state(self) -> TableState:
        """The table as it stands."""
        return self._history.state

    @property
    def seq(self) -> int:
        """Number of the newest entry."""
        return self.board.seq

    @property
    def question(self) -> Question:
        """What the table waits for."""
        return question_of(self.board)

    @property
    def undone_last(self) -> bool:
        """Whether the last step of all was an undo."""
        trail = self._history.trail
        return bool(trail) and isinstance(trail[-1].events[0], Undone)

    def actions(self) -> Mapping[str, type[Action]]:
        """Return every action there is by name, the table's and the game's."""
        return {**self._seating.game(self.state).actions, **TABLE_ACTIONS}

    def check_seen(self, action: Action, seen: int | None) -> None:
        """Refuse *action* as ``stale`` if its asker, who saw *seen*, answers a closed question."""
        if seen is None:
            return
        told = self._dealt_at if action.records else self._asked_at
        oldest = self.seq if action.rewrites else told
        if not oldest <= seen <= self.seq:
            raise IllegalAction("stale", seen=seen, seq=self.seq)

    def decide(self, action: Action) -> tuple[Event, ...]:
        """Return what would happen if *action* is done; nothing changes.

        Raises:
            IllegalAction: It may not be done now.
            BadRequest: It asks for options that make no game.
        """
        match action:
            case Undo(steps, seat):
                n = _within(steps, self._history.undoable, "nothing_to_undo")
                self._demand_own(self._history.newest(n), seat)
                return (Undone(n),)
            case Redo(steps, seat):
                n = _within(steps, self._history.redoable, "nothing_to_redo")
                self._demand_own(self._history.taken(n), seat)
                return (Redone(n),)
            case _ if action.name in TABLE_ACTIONS:
                return self._seating.decide(self.state, action)
        if self.state.play is None:
            raise IllegalAction("not_started")
        self._demand_seated(action)
        return self._seating.game(self.state).decide(self.state.play, action)

    def about(self, action: Action) -> Line | None:
        """Return what *action* speaks of besides who asks: a step, or another player."""
        if isinstance(action, Undo | Redo):
            find = self._history.newest if isinstance(action, Undo) else self._history.taken
            moved = find(action.steps)
            return self._step_line(moved[0], self.state.names) if len(moved) == 1 else None
        others = (getattr(action, one.name) for one in fields(action) if one.name != "seat")
        meant = next((one for one in others if isinstance(one, Seat)), None)
        return None if meant is None else Line("step.of", {"of": meant})

    def do(
        self,
        action: Action,
        *,
        seat: Seat | None,
        via: str,
        touch: Touch | None = None,
        now_s: float | None = None,
    ) -> int:
        """Do *action* for *seat* and return the journal number once it is on disk.

        *touch* is the hand that asked, and *now_s* when everybody sees what comes of it.

        Raises:
            IllegalAction: It may not be done now; nothing changed.
            BadRequest: It asks for options that make no game; nothing changed.
            JournalError: It could not be written; nothing changed.
        """
        return self._written(lambda: self._stamped(action, touch), seat, via, now_s)

    def begin(self, evening: EveningBegun, *, seat: Seat | None, via: str) -> int:
        """Let that *evening* begin for *seat*; see `do`."""
        return self._written(lambda: (evening,), seat, via, None)

    def _written(
        self,
        decide: Callable[[], tuple[Event, ...]],
        seat: Seat | None,
        via: str,
        now_s: float | None,
    ) -> int:
        self._recover()
        before = self.question
        try:
            seq = self._write_on(decide(), seat, via)
        except JournalCut as cut:
            self._begin_again(cut)
            seq = self._write_on(decide(), seat, via)
        if self.question != before:
            self._asked_s = now_s
        return seq

    def settle(self) -> None:
        """Let what stood when the last hand had ended be kept, should the journal get lost."""
        if self._has_moved and (found := self._find_rest()) is not None:
            self._has_moved = False
            self._journal.stand(found)
        self._journal.settle()
        # Once after the start that reads all there is: a little at a time, so that nobody waits.
        if len(self._people):
            self._see_on()

    def keep_people(self, register: Register) -> None:
        """Let *register* say who is known, and read again what is remembered of the evening.

        Raises:
            JournalError: It is not written; nothing has changed.
        """
        self._journal.write_people(register)
        self.read_again()

    def forget(self, forgetting: Forgetting, register: Register) -> tuple[int, int]:
        """Let names be forgotten; return how many entries were changed and copies deleted.

        Raises:
            JournalError: It is not written; nothing has changed.
        """
        told = self._journal.forget(forgetting, register)
        self.read_again()
        return told

    def read_again(self) -> None:
        """Read the journal again, for what stands there goes by other names now."""
        before = dict(vars(self))
        try:
            self._begin()
        except BaseException:
            vars(self).update(before)
            raise
        # Nothing was asked or dealt: who answers what they saw is not late.
        self._asked_at, self._dealt_at = before["_asked_at"], before["_dealt_at"]

    @property
    def states(self) -> Iterator[TableState]:
        """The table as it may come to stand by undo and redo alone, or stands."""
        return self._history.states

    def people_in_reach(self) -> frozenset[int]:
        """Return who was at the table in a step that is remembered, be it taken back or not."""
        events = (event for step in self._history.trail for event in step.events)
        people = (one.person for one in events if isinstance(one, SatDown | Recognised))
        return frozenset(one for one in people if one is not None)

    def sightings(self) -> Sightings:
        """Return who of those who are known was seen last when, and who sat where last."""
        if not len(self._people):
            return Sightings()
        while self._see_on():
            pass
        found = self._sighted.copy()
        for step in self._history.past:
            for event in step.events:
                found.see(event, step.seq, step.at)
        return found

    @property
    def sees_on(self) -> bool:
        """Whether `settle` has more to read of who sat here in years."""
        return self._seeing is not None

    def _see_on(self) -> bool:
        """Take in some of what cannot be taken back any more; return whether there is more."""
        if self._seeing is None and self._history.base_seq > self._sighted_upto:
            self._seeing = self._see_the_past()
        if self._seeing is not None and next(self._seeing, None) is None:
            self._seeing = None
        return self._seeing is not None

    def _see_the_past(self) -> Iterator[int]:
        """Take in all that cannot be taken back; yield how far it has come, now and then."""
        after, before = self._sighted_upto, list[Entry]()
        while after < (seq := self._history.base_seq):
            entries = self._journal.entries(after, facts_of=OF_SEATS)
            try:
                some = tuple(islice(entries, min(_SEEN_AT_ONCE, seq - after)))
            except JournalError:
                return  # those of long ago can wait until the disk is mended
            before += (one for one in some if one.seq <= seq)
            after = some[-1].seq if some else seq
            yield after
        for one in holding(steps_of(before), OF_SEATS):
            event = self._people.fill(decode(one.event, one.facts, TABLE_EVENTS), one.seq)
            self._sighted.see(event, one.seq, one.at)
        self._sighted_upto = after

    def log(self, limit: int) -> tuple[LogEntry, ...]:
        """Return the last *limit* steps, newest first."""
        taken_back = self._history.taken_back()
        newest = self._history.trail[-limit:] if limit > 0 else []
        return tuple(self._entry(step, taken_back.get(step.seq)) for step in reversed(newest))

    def _begin(self) -> None:
        """Read the journal, and stand where it ends."""
        self._people.learn(self._journal.people)
        self._sighted, self._sighted_upto, self._seeing = Sightings(), 0, None
        self._read_back(self._first)
        self._news.clear()
        self.board = self._present(draw_up(self._seating, self.state), self._journal.last_seq)
        # Who looked before a restart looks again: only the newest picture counts.
        self._asked_at = self._dealt_at = self._journal.last_seq
        # What stood between two deals, by step; None where a deal ran.
        self._rests: dict[int, Mapping[str, object] | None] = {}
        self._note(self.board)
        self._kept = self._journal.standing
        self._has_moved = True

    def _begin_again(self, cut: JournalCut) -> None:
        """Let the journal, which lost its beginning, be written from where nobody was dealing.

        That is the first such moment from which all that came after leads to what stands now.
        """
        trail = self._history.trail
        for at, step in enumerate(trail):
            picture = draw_up(self._seating, step.after)
            if not picture.deal_runs:
                told = standing(step.after, picture)
                if self._leads_here(told, trail[at + 1 :]):
                    self._journal.begin_again(step.seq, *encode(told))
                    return self._begin()
        raise cut

    def _leads_here(self, told: Recovered, steps: list[Step]) -> bool:
        """Return whether the table comes to stand as it does where *told* goes before *steps*."""
        first = Step(0, None, "table", None, (told,), self._seating.apply(self.state, told))
        history = History(self._first, is_new=False)
        history.accept(first)
        try:
            for step in steps:
                history.accept(replace(step, after=self._after(step.events, history)))
            again = draw_up(self._seating, history.state)
        except _UNFIT:  # what corrects an earlier hand finds none, for one
            return False
        return _as_seen(again) == _as_seen(draw_up(self._seating, self.state))

    def _recover(self) -> None:
        """Write down again what the journal has lost, if it has; anybody may take that back."""
        lost = self._journal.lost
        if lost is None:
            return
        try:
            self._write_on((decode(Recovered.__name__, lost, TABLE_EVENTS),), None, "table")
        except JournalError:
            raise
        except _UNFIT as error:
            logger.warning("What stood when the last hand had ended cannot be read: %s", error)
            self._journal.give_up_lost()
        self._journal.lost = None

    def _stamped(self, action: Action, touch: Touch | None) -> tuple[Event, ...]:
        """Return what comes of *action*, with how it was answered on what was an answer."""
        events = self.decide(action)
        if touch is None:
            return events
        asked_s = self._asked_s if self.board.prompt else None
        # Who had made up their mind before the table asked has not kept it waiting.
        waited_s = None if asked_s is None else max(0.0, round(touch.at_s - asked_s, 2))
        return tuple(
            replace(event, strength=touch.strength, waited_s=waited_s)
            if isinstance(event, Answered) and event.is_answer
            else event
            for event in events
        )

    def _write_on(self, events: tuple[Event, ...], seat: Seat | None, via: str) -> int:
        if not events:
            return self.seq
        if self._journal.last_seq == 0:
            # A journal says itself what it began with, whatever the settings say later.
            self._write((begun(self.state),), None, "table")
        return self._write(events, seat, via)

    def _write(self, events: tuple[Event, ...], seat: Seat | None, via: str) -> int:
        written = [encode(event) for event in events]
        at = self._wall() if self._wall else None
        seat_number = None if seat is None else int(seat)
        newcomers = self._people.newcomers(events)
        with self._people.knowing(newcomers):
            # What is applied is what a restart will read back, and it is drawn before it is
            # written: a rule that cannot take or show it must not get it onto the disk.
            events = tuple(self._decode(name, facts) for name, facts in written)
            after = self._after(events)
            picture = draw_up(self._seating, after)
            seq = self._journal.append(written, seat=seat_number, via=via, at=at, people=newcomers)
        told = _told_by_game(self.state, after)
        self._adopt(Step(seq, seat, via, at, events, after, told), picture)
        return seq

    def _adopt(self, step: Step, picture: Scoreboard) -> None:
        before, deal = self.question, deal_of(self.board)
        base = self._history.accept(step)
        if step.opens_evening or base is not None:
            self._news = {one.seq: self._news_in(one) for one in self._history.trail}
        self.board = self._present(picture, step.seq)
        if self.question != before:
            self._asked_at = step.seq
        if deal_of(self.board) != deal:
            self._dealt_at = step.seq
        if base is not None:
            self._journal.write_snapshot(base.seq, base.after)
            held = {seq for seq, _ in self._history.held}
            self._rests = {seq: rest for seq, rest in self._rests.items() if seq in held}
        self._note(picture)
        if not picture.deal_runs or isinstance(step.events[0], Undone | Redone):
            self._has_moved = True

    def _note(self, picture: Scoreboard) -> None:
        """Note what stands between two deals, if that is where the table is."""
        seq, state = next(self._history.held)
        at_rest = not picture.deal_runs
        self._rests[seq] = encode(standing(state, picture))[1] if at_rest else None

    def _find_rest(self) -> Mapping[str, object] | None:
        """Return what stood when the last hand had ended; one that was taken back has not.

        What was before a restart has to be drawn again, a few at a time: nobody is to wait for it.
        """
        drawn = 0
        for seq, state in self._history.held:
            if seq not in self._rests and self._kept is not None and seq >= self._kept.seq:
                self._rests[seq] = self._kept.facts if seq == self._kept.seq else None
            elif seq not in self._rests:
                if drawn == _DRAWN_AT_ONCE:
                    return None
                drawn += 1
                board = draw_up(self._seating, state)
                rest = None if board.deal_runs else encode(standing(state, board))[1]
                self._rests[seq] = rest
            if (found := self._rests[seq]) is not None:
                return found
        return None

    def _read_back(self, first: TableState) -> None:
        snapshot = self._journal.snapshot
        if snapshot is not None:
            snapshot = snapshot[0], self._seating.as_of_today(snapshot[1], snapshot[0])
        try:
            self._replay(*(snapshot or (None, first)))
        except UnknownEntry as error:
            if snapshot is None:
                raise
            logger.warning("The journal's snapshot does not fit, so all is read: %s", error)
            self._replay(None, first)

    def _replay(self, after: int | None, state: TableState) -> None:
        self._history = History(state, self._journal.reach, is_new=after is None)
        if after is None:
            after = evening_before(self._journal.entries()) - 1
        self._history.base_seq = after
        base = None
        for entries in steps_of(self._journal.entries(after, remember=True)):
            last = entries[-1]
            seat = None if last.seat is None else Seat(last.seat)
            try:
                events = tuple(self._decode(one.event, one.facts, one.seq) for one in entries)
                left = self._after(events)
                told = _told_by_game(self.state, left)
                step = Step(last.seq, seat, last.via, last.at, events, left, told)
                base = self._history.accept(step) or base
            except UnknownEntry:
                raise
            except _UNFIT as error:
                raise _unplayable(last, error) from error
        if base is not None:
            self._journal.write_snapshot(base.seq, base.after)

    def _after(self, events: tuple[Event, ...], history: History | None = None) -> TableState:
        history = history or self._history
        state = history.state
        for event in events:
            match event:
                case Undone(n):
                    state = history.state_before(n)
                case Redone(n):
                    state = history.state_again(n)
                case _:
                    state = self._seating.apply(state, event)
        return state

    def _decode(self, name: str, facts: Mapping[str, object], seq: int | None = None) -> Event:
        if name in TABLE_EVENTS:
            return self._people.fill(decode(name, facts, TABLE_EVENTS), seq)
        return decode(name, facts, self._seating.game(self.state).events)

    def _demand_seated(self, action: Action) -> None:
        # Games index their tuples by seat; an empty place must not reach them.
        for one in fields(action):
            value = getattr(action, one.name)
            if isinstance(value, Seat) and value not in self.state.names:
                raise IllegalAction("not_seated", seat=value)

    def _present(self, picture: Scoreboard, seq: int) -> Scoreboard:
        trail = self._history.trail
        offers = [self._offer("undo", one) for one in self._history.newest(1)]
        offers += [self._offer("redo", one) for one in self._history.taken(1)]
        return replace(
            picture,
            seq=seq,
            offers=(*picture.offers, *offers),
            news=(self._news_in(trail[-1]) or picture.news) if trail else None,
        )

    def _offer(self, action: str, step: Step) -> Offer:
        """Return the offer to take *step* back or do it again, to whom it is made."""
        choices = {} if self._seating.undo == ANYBODY else {"seat": _whose(step)}
        return Offer(action, choices=choices, about=self._step_line(step, self.state.names))

    def _demand_own(self, steps: Iterable[Step], seat: Seat | None) -> None:
        """Refuse *seat* the steps of others where the house does; the keeper may always."""
        if self._seating.undo == ANYBODY or seat is None:
            return
        for step in steps:
            if seat not in _whose(step):
                raise IllegalAction("not_your_step", seat=seat, of=step.seat)

    def _step_line(self, step: Step, now: Mapping[Seat, str]) -> Line:
        """Return what *step* was, by what tells of its player before all that came of it."""
        told = tuple(self._told_in(step))
        own = (line for seat in _whose(step) for line in told if seat in line.facts.values())
        line = next(own, None) or self._line_of(step)
        return step_told(line, step.events[-1], step.seat, step.after.names, now)

    def _line_of(self, step: Step) -> Line:
        """Return what the log says of *step*; of some the slate says nothing."""
        game = self._seating.game(step.after)
        notes = (note for event in step.events if (note := game.note(event)))
        rest = chain(self._told_in(step), notes, (Line("news.nothing"),))
        return self._news_in(step) or next(rest)

    def _news_in(self, step: Step) -> Line | None:
        if step.seq not in self._news:
            self._news[step.seq] = self._moved(step) or news_of(step.events[-1]) or step.told
        return self._news[step.seq]

    def _moved(self, step: Step) -> Line | None:
        """Return who took back what, or did it again, if that is still known."""
        known = (one for one in self._history.trail if (one.seq,) in (step.took, step.again))
        meant = next(known, None)
        facts: dict[str, object] = {"seat": step.seat}
        if meant is not None:
            then, now = meant.after.names, step.after.names
            then = names_before(meant.events[-1], then) if step.again else then
            told = self._step_line(meant, now).as_fact()
            facts = {"seat": called_then(step.seat, then, now), "step": told}
        match step.events[0]:
            case Undone(1):
                return Line("news.undone", facts, Tone.TOLD)
            case Redone(1) if meant:
                return Line("news.redone-step", facts, Tone.TOLD)
            case Undone(n):
                return Line("news.undone-steps", {"n": n}, Tone.TOLD)
        return None

    def _told_in(self, step: Step) -> Iterator[Line]:
        """Yield what each event of *step* told; the slate only kept the last of it."""
        if isinstance(step.events[0], Undone | Redone):
            return  # its news says more: what was taken back, and whose
        game = self._seating.game(step.after)
        for event in step.events:
            if isinstance(event, EntryLost):
                continue  # how many there were is told with what stood
            # What an undo took back stands in its news alone.
            line = None if isinstance(event, Undone) else news_of(event) or game.news(event)
            if line:
                yield line

    def _entry(self, step: Step, undo: Step | None) -> LogEntry:
        left = {event.seat: event.name for event in step.events if isinstance(event, StoodUp)}
        line = self._line_of(step)
        return LogEntry(
            seq=step.seq,
            seat=step.seat,
            via=step.via,
            line=line,
            before=tuple(one for one in self._told_in(step) if one != line),
            undone=undo is not None,
            at=step.at,
            undone_by=undo.seat if undo else None,
            names={**names_before(step.events[-1], step.after.names), **step.after.names, **left},
            game=step.after.game,
            about=_about(step),
        )


def _whose(step: Step) -> tuple[Seat, ...]:
    """Return whose *step* is: who did it, and whom it was about; nobody's where the keeper did."""
    return tuple(one for one in (step.seat, _about(step)) if one is not None)


def _about(step: Step) -> Seat | None:
    """Return whom *step* was about, where another one did it: whose event comes first in it."""
    for event in step.events:
        if found := next((one for one in fields(event) if one.name == "seat"), None):
            # Where it has a default it may as well be nobody's, such as a line of the ledger.
            seat: Seat | None = getattr(event, found.name) if found.default is MISSING else None
            return None if seat == step.seat else seat
    return None


def _told_by_game(before: TableState, after: TableState) -> Line | None:
    """Return what the game told on the way from *before* to *after*; what stands stays the same."""
    was, told = (state.play.news if state.play else None for state in (before, after))
    return None if told is was else told


def _as_seen(board: Scoreboard) -> Scoreboard:
    """Return *board* without what tells of hands that were played before."""
    return replace(board, hands=(), news=None, offers=())


def _within(steps: int, most: int, reason: str) -> int:
    if not 0 < steps <= most:
        raise IllegalAction(reason, n=most)
    return steps


def _unplayable(entry: Entry, error: Exception) -> UnknownEntry:
    return UnknownEntry(
        f"Entry {entry.seq} of the journal ({entry.event}) does not fit what stands before it: "
        f"{error}. Install the version that wrote it, or restore a backup."
    )
