"""Decide, write down, apply: the one way anything changes at the table."""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace

from kloplei.games.game import Action, Event, IllegalAction, Seat
from kloplei.games.scoreboard import Line, Offer, Scoreboard
from kloplei.table.actions import TABLE_ACTIONS, Redo, Undo
from kloplei.table.board import Question, deal_of, draw_up, question_of
from kloplei.table.client import LogEntry
from kloplei.table.entries import Entry, StepJournal
from kloplei.table.events import (
    TABLE_EVENTS,
    Redone,
    StoodUp,
    Undone,
    UnknownEntry,
    decode,
    encode,
    news_of,
)
from kloplei.table.history import History, Step, evening_before, steps_of
from kloplei.table.seating import Seating, begun
from kloplei.table.state import TableState

logger = logging.getLogger(__name__)


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
        journal: StepJournal,
        seating: Seating,
        first: TableState,
        wall: Callable[[], float] | None = None,
    ) -> None:
        self._journal = journal
        self._seating = seating
        self._wall = wall
        self._news: dict[int, Line | None] = {}
        seating.game(first)  # settings that make no game are told at once
        self._read_back(first)
        self.board = self._present(draw_up(seating, self.state), journal.last_seq)
        # Who looked before a restart looks again: only the newest picture counts.
        self._asked_at = self._dealt_at = journal.last_seq

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
            Unreadable: It asks for options that make no game.
        """
        match action:
            case Undo(steps):
                return (Undone(_within(steps, self._history.undoable, "nothing_to_undo")),)
            case Redo(steps):
                return (Redone(_within(steps, self._history.redoable, "nothing_to_redo")),)
            case _ if action.name in TABLE_ACTIONS:
                return self._seating.decide(self.state, action)
        if self.state.play is None:
            raise IllegalAction("not_started")
        self._demand_seated(action)
        return self._seating.game(self.state).decide(self.state.play, action)

    def do(self, action: Action, *, seat: Seat | None, via: str) -> int:
        """Do *action* for *seat* and return the journal number once it is on disk.

        Raises:
            IllegalAction: It may not be done now; nothing changed.
            Unreadable: It asks for options that make no game; nothing changed.
            JournalError: It could not be written; nothing changed.
        """
        events = self.decide(action)
        if self._journal.last_seq == 0:
            # A journal says itself what it began with, whatever the settings say later.
            self._write((begun(self.state),), None, "table")
        return self._write(events, seat, via) if events else self.seq

    def log(self, limit: int) -> tuple[LogEntry, ...]:
        """Return the last *limit* steps, newest first."""
        taken_back = self._history.taken_back()
        newest = self._history.trail[-limit:] if limit > 0 else []
        return tuple(self._entry(step, taken_back.get(step.seq)) for step in reversed(newest))

    def _write(self, events: tuple[Event, ...], seat: Seat | None, via: str) -> int:
        written = [encode(event) for event in events]
        # What is applied is what a restart will read back, and it is drawn before it is
        # written: a rule that cannot take or show it must not get it onto the disk.
        events = tuple(self._decode(name, facts) for name, facts in written)
        after = self._after(events)
        picture = draw_up(self._seating, after)
        at = self._wall() if self._wall else None
        seat_number = None if seat is None else int(seat)
        seq = self._journal.append(written, seat=seat_number, via=via, at=at)
        self._adopt(Step(seq, seat, via, at, events, after), picture)
        return seq

    def _adopt(self, step: Step, picture: Scoreboard) -> None:
        before, deal = self.question, deal_of(self.board)
        base = self._history.accept(step)
        self._news[step.seq] = _news_of(step, picture)
        if step.opens_evening or base is not None:
            self._news = {one.seq: self._news_in(one) for one in self._history.trail}
        self.board = self._present(picture, step.seq)
        if self.question != before:
            self._asked_at = step.seq
        if deal_of(self.board) != deal:
            self._dealt_at = step.seq
        if base is not None:
            self._journal.write_snapshot(base.seq, base.after)

    def _read_back(self, first: TableState) -> None:
        snapshot = self._journal.snapshot
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
        base = None
        for entries in steps_of(self._journal.entries(after)):
            last = entries[-1]
            seat = None if last.seat is None else Seat(last.seat)
            try:
                events = tuple(self._decode(one.event, one.facts) for one in entries)
                step = Step(last.seq, seat, last.via, last.at, events, self._after(events))
                base = self._history.accept(step) or base
            except UnknownEntry:
                raise
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                raise _unplayable(last, error) from error
        if base is not None:
            self._journal.write_snapshot(base.seq, base.after)

    def _after(self, events: tuple[Event, ...]) -> TableState:
        state = self.state
        for event in events:
            match event:
                case Undone(n):
                    state = self._history.state_before(n)
                case Redone(n):
                    state = self._history.state_again(n)
                case _:
                    state = self._seating.apply(state, event)
        return state

    def _decode(self, name: str, facts: Mapping[str, object]) -> Event:
        events = TABLE_EVENTS if name in TABLE_EVENTS else self._seating.game(self.state).events
        return decode(name, facts, events)

    def _demand_seated(self, action: Action) -> None:
        # Games index their tuples by seat; an empty place must not reach them.
        for one in fields(action):
            value = getattr(action, one.name)
            if isinstance(value, Seat) and value not in self.state.names:
                raise IllegalAction("not_seated", seat=value)

    def _present(self, picture: Scoreboard, seq: int) -> Scoreboard:
        trail = self._history.trail
        offers = [Offer("undo")] if self._history.undoable else []
        offers += [Offer("redo")] if self._history.redoable else []
        return replace(
            picture,
            seq=seq,
            offers=(*picture.offers, *offers),
            news=self._news_in(trail[-1]) if trail else None,
        )

    def _news_in(self, step: Step) -> Line | None:
        if step.seq not in self._news:
            self._news[step.seq] = _news_of(step, draw_up(self._seating, step.after))
        return self._news[step.seq]

    def _told_in(self, step: Step) -> Iterator[Line]:
        """Yield what each event of *step* told; the slate only kept the last of it."""
        game = self._seating.game(step.after)
        for event in step.events:
            if line := news_of(event) or game.news(event):
                yield line

    def _entry(self, step: Step, undo: Step | None) -> LogEntry:
        left = {event.seat: event.name for event in step.events if isinstance(event, StoodUp)}
        line = self._news_in(step) or Line("news.nothing")
        return LogEntry(
            seq=step.seq,
            seat=step.seat,
            via=step.via,
            line=line,
            before=tuple(one for one in self._told_in(step) if one != line),
            undone=undo is not None,
            at=step.at,
            undone_by=undo.seat if undo else None,
            names={**step.after.names, **left},
            game=step.after.game,
        )


def _within(steps: int, most: int, reason: str) -> int:
    if not 0 < steps <= most:
        raise IllegalAction(reason, n=most)
    return steps


def _news_of(step: Step, picture: Scoreboard) -> Line | None:
    return news_of(step.events[-1]) or picture.news


def _unplayable(entry: Entry, error: Exception) -> UnknownEntry:
    return UnknownEntry(
        f"Entry {entry.seq} of the journal ({entry.event}) does not fit what stands before it: "
        f"{error}. Install the version that wrote it, or restore a backup."
    )
