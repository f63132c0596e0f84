"""The evenings of each box, told out of its entries by the games and the history of the table.

`Folder` goes on with each box from where it was, and tells what its eras know: an evening stands
once, as the newest era tells it that has entries of it; one that no newer era knows stays with its
own. What an undo may reach is told again, all else stays as it is.
"""

import json
import logging
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import psycopg

from kloplei.frozen import dataclass, replace
from kloplei.games.game import Event, Seat
from kloplei.games.statistics import Counts
from kloplei.history.evenings import Folded
from kloplei.history.reading import JournalReading
from kloplei.history.steps import JournalChanged, facts_in
from kloplei.history.titles import titles_of
from kloplei.table import actions
from kloplei.table.history_client import Evening, PlayedHand, Title
from kloplei.table.journal import Entry
from kloplei.table.schema import dump
from kloplei.table.seating import TableState, dump_state, lent_name, load_state
from kloplei.table.timeline import steps_of
from kloplei.uplink.wire import spelled
from kloplei_hub.database import Connection

logger = logging.getLogger(__name__)
_FIRST = TableState("toepen")
MOST_HELD: Final = 400_000
"""Entries in memory, some 1 kB each; of whom there is no room for it goes on from what is kept."""
_LONGEST = 100_000  # entries that may yet be taken back; a long evening has some thousand
_IDLE_S = 3600.0  # nobody plays there any more
_AT_ONCE = 5000  # entries, before another box has its turn
_LATELY = 4  # evenings in which a title is better not given again, as at the table
_ERAS = (
    "SELECT era, parent, after, seq, link FROM eras "
    "WHERE box = %s AND superseded IS NULL AND seq > 0 ORDER BY ordinal"
)
_BEHIND = """
SELECT box FROM (
SELECT box FROM eras LEFT JOIN folded USING (box, era)
WHERE superseded IS NULL AND eras.seq > 0
    AND (folded.seq, folded.link) IS DISTINCT FROM (eras.seq, eras.link)
UNION
SELECT box FROM folded LEFT JOIN eras USING (box, era)
WHERE eras.seq IS NULL OR superseded IS NOT NULL OR eras.seq = 0
) AS behind WHERE mod(hashtextextended(box, 0), %(of)s) IN (%(part)s - 1, 1 - %(part)s)
"""
_ENTRIES = (
    "SELECT seq, step, at, seat, via, event, facts FROM entries "
    "WHERE box = %s AND era = %s AND seq > %s AND seq <= %s ORDER BY seq LIMIT %s"
)
_PUT = """
INSERT INTO evenings (box, era, after, last, at, told, counts) VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (box, era, after) DO UPDATE SET (last, at, told, counts) =
    (excluded.last, excluded.at, excluded.told, excluded.counts)
WHERE (evenings.last, evenings.at, evenings.told, evenings.counts) IS DISTINCT FROM
    (excluded.last, excluded.at, excluded.told, excluded.counts)
"""
_PUT_FOLDED = """
INSERT INTO folded (box, era, seq, link, first, after, state, titles, trouble)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (box, era) DO UPDATE SET (seq, link, first, after, state, titles, trouble) =
    (excluded.seq, excluded.link, excluded.first, excluded.after, excluded.state, excluded.titles,
     excluded.trouble)
"""
_LINE = """
    SELECT seq, step, at, via, event FROM entries
    JOIN unnest(%s::text[], %s::bigint[], %s::bigint[]) AS span (era, before, last) USING (era)
    WHERE box = %s AND seq > before AND seq <= span.last
"""
# Not by their links: a journal that was put back from before it went with the house has others.
_FIRST_OTHER = f"SELECT min(seq) FROM (({_LINE}) EXCEPT ({_LINE})) AS other"  # noqa: S608 - ours


@dataclass(frozen=True, slots=True)
class _Era:
    """One era; *spans* are the eras that its entries lie in, each with what comes before and last.

    They begin with the oldest, and end with itself.
    """

    name: str
    seq: int
    link: str
    spans: tuple[tuple[str, int, int], ...]

    def shared(self, other: "_Era") -> int:
        """Return up to which entry both have the same, as far as they lie in the same place."""
        upto = 0
        for mine, theirs in zip(self.spans, other.spans, strict=False):
            if mine[:2] != theirs[:2]:
                break
            upto = min(mine[2], theirs[2])
            if mine[2] != theirs[2]:
                break
        return upto

    def has_all_of(self, earlier: "_Era") -> bool:
        """Return whether this is what *earlier* was, or what has become of it by what was sent."""
        return self.shared(earlier) == earlier.seq


@dataclass(frozen=True, slots=True)
class _EveningRow:
    """An evening as it is kept, with the keys of its titles."""

    after: int
    last: int
    at: float | None
    told: str
    counts: str
    titles: tuple[str, ...]


class _EraReading:
    """One era as it is read on, with what tells its evenings."""

    def __init__(
        self, language: str, after: int = 0, state: TableState = _FIRST, titles: Any = ()
    ) -> None:
        self._reading = JournalReading(after, state, fill=partial(name_guests, language))
        self._state = state
        self.titles = [tuple(one) for one in titles]
        self._serializers: dict[int, _EveningSerializer] = {}
        self.told_s = 0.0

    @property
    def last(self) -> int:
        """The last entry that was read."""
        return self._reading.last

    @property
    def after(self) -> int:
        """Behind which entry evenings may yet be told otherwise."""
        return self._reading.after

    @property
    def held(self) -> int:
        """How many entries it has in memory."""
        return self.last - self.after

    @property
    def base(self) -> tuple[int, str, str]:
        """From where to go on another time: entry, table and titles."""
        written = dump_state(self._state) if self.after else ""
        return self.after, written, spelled(self.titles)

    def take(self, steps: Iterable[tuple[Entry, ...]]) -> Iterator[_EveningRow]:
        """Take the next steps; yield the evenings that nobody can take back any more."""
        for step in steps:
            for ended in self._reading.take(step):
                told = self._tell(ended.folded, self.titles)
                self._state = ended.state
                self.titles = [*self.titles, told.titles][-_LATELY:]
                yield told

    def unsettled(self) -> Iterator[_EveningRow]:
        """Yield the evenings that may yet be told otherwise."""
        titles, unsettled = self.titles, self._reading.unsettled()
        self._serializers = {one.after: self._serializer(one) for one in unsettled}
        for folded in unsettled:
            told = self._tell(folded, titles)
            titles = [*titles, told.titles][-_LATELY:]
            yield told

    def _tell(self, folded: Folded, earlier: Sequence[tuple[str, ...]]) -> _EveningRow:
        return self._serializer(folded).tell(folded, earlier)

    def _serializer(self, folded: Folded) -> "_EveningSerializer":
        return self._serializers.get(folded.after) or _EveningSerializer()


class _EveningSerializer:
    """Tells one evening again and again as it is played; what is the same is not made anew."""

    def __init__(self) -> None:
        self._hands: list[tuple[PlayedHand, str]] = []
        self._judged: tuple[Evening, Counts, tuple[str, ...]] | None = None
        self._titles: tuple[Title, ...] = ()
        self._counts = ""

    def tell(self, folded: Folded, earlier: Sequence[tuple[str, ...]]) -> _EveningRow:
        """Return an evening as it is kept; *earlier* are titles of the last ones, newest last."""
        newest = (key for titles in reversed(earlier[-_LATELY:]) for key in titles)
        given = tuple(dict.fromkeys(newest))
        evening, counts = folded.evening, folded.counts
        # For how long it has been going on earns nobody a title.
        judged = (replace(evening, line=replace(evening.line, until=None)), counts, given)
        if judged != self._judged:
            self._titles = titles_of(evening, counts, given)
            self._counts = spelled(list(_counts(counts)))
            self._judged = judged
        told = self._spell(replace(evening, titles=self._titles))
        keys = tuple(one.key for one in self._titles)
        return _EveningRow(folded.after, folded.last, evening.line.at, told, self._counts, keys)

    def _spell(self, evening: Evening) -> str:
        """Return *evening* as JSON; of its hands those that are others than the last time."""
        for at, (hand, _) in enumerate(self._hands):
            if at >= len(evening.hands) or evening.hands[at] is not hand:
                del self._hands[at:]
                break
        new = evening.hands[len(self._hands) :]
        self._hands += [(one, spelled(dump(one))) for one in new]
        parts = {name: spelled(one) for name, one in dump(replace(evening, hands=())).items()}
        parts["hands"] = f"[{','.join(written for _, written in self._hands)}]"
        return f"{{{','.join(f'{spelled(name)}:{one}' for name, one in parts.items())}}}"


class Folder:
    """Keeps the evenings up through *connection*, which nobody else uses.

    Args:
        connection: In autocommit; a box is a transaction.
        language: In which a seat lends its name to who has none in the house.
        part: Which part of the boxes, from 1, of how many.
    """

    def __init__(
        self, connection: Connection, language: str, part: tuple[int, int] = (1, 1)
    ) -> None:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        self._connection = connection
        self._execute = connection.execute
        self._language = language
        self._shard = part
        self._readings: OrderedDict[tuple[str, str], _EraReading] = OrderedDict()
        self._known_forks: dict[tuple[str, str, str], tuple[_Era, _Era, int]] = {}

    @property
    def held(self) -> int:
        """How many entries are in memory, of all boxes together."""
        return sum(one.held for one in self._readings.values())

    def behind(self) -> list[str]:
        """Return the boxes of which something is not told yet."""
        part, of = self._shard
        return sorted(box for (box,) in self._execute(_BEHIND, {"part": part, "of": of}))

    def fold(self, box: str) -> bool:
        """Tell what is new of *box*; return whether that is all there is.

        What nobody has thought of costs this box its news, is told as its trouble, and stops no
        other.
        """
        try:
            with self._connection.transaction():
                return self._fold(box)
        except (psycopg.OperationalError, psycopg.InterfaceError):
            raise
        except Exception as error:
            logger.exception("The evenings of box %s cannot be told.", box)
            self._forget(box)
            self._note_trouble(box, f"{type(error).__name__}: {error}")
            return True

    def _note_trouble(self, box: str, trouble: str) -> None:
        """Let *box* be tried again once it has sent more."""
        with self._connection.transaction():
            for one in self._eras(box):
                row = (box, one.name, one.seq, one.link, 0, 0, "", "[]", trouble)
                self._execute(_PUT_FOLDED, row)

    def _forget(self, box: str) -> None:
        for key in [key for key in self._readings if key[0] == box]:
            del self._readings[key]

    def _fold(self, box: str) -> bool:
        eras = self._eras(box)
        is_all, changed = True, 0
        try:
            # The newest first: it takes over what others told by the same entries.
            for at in reversed(range(len(eras))):
                forks = self._fork_points(box, eras, at)
                projection = _EraProjection(self._connection, box, eras[at], forks)
                reading = self._reading(projection)
                if reading is not None:
                    is_all = self._go_on(projection, reading)
                    self._make_room((box, eras[at].name) if is_all else None)
                changed += projection.drop_forked() + projection.changed
                if not is_all:
                    break
            else:
                changed += self._drop_superseded(box, eras)
        except BaseException:
            self._forget(box)  # what was read is further than what is kept
            raise
        if changed:
            self._execute("SELECT pg_notify('evenings', %s)", (box,))
        return is_all

    def _eras(self, box: str) -> list[_Era]:
        """Return the eras of *box* that stand, the oldest first."""
        rows = {row[0]: row for row in self._execute(_ERAS, (box,))}
        return [_Era(name, row[3], row[4], _spans(name, rows)) for name, row in rows.items()]

    def _fork_points(self, box: str, eras: Sequence[_Era], at: int) -> "_ForkPoints":
        """Return where the era *at* forks from the others."""
        older = {one.name: self._fork_point(box, one, eras[at]) for one in eras[:at]}
        replaced = "SELECT era FROM eras WHERE box = %s AND superseded = %s"
        older |= {era: eras[at].seq for (era,) in self._execute(replaced, (box, eras[at].name))}
        newer = (self._fork_point(box, eras[at], one) for one in eras[at + 1 :])
        return _ForkPoints(max(newer, default=0), older)

    def _fork_point(self, box: str, older: _Era, newer: _Era) -> int:
        """Return up to which entry both eras have the same."""
        if shared := older.shared(newer):
            return shared
        key = (box, older.name, newer.name)
        if key in self._known_forks:
            was_older, was_newer, shared = self._known_forks[key]
            # One that was let go of, and sent anew, may have less than it had.
            is_longer = older.has_all_of(was_older) and newer.has_all_of(was_newer)
            if is_longer and (shared < was_older.seq or older.seq == was_older.seq):
                return shared
        lines = (*_columns(older.spans), box, *_columns(newer.spans), box)
        ((first,),) = self._execute(_FIRST_OTHER, lines).fetchall()
        shared = older.seq if first is None else first - 1
        if shared < newer.seq:  # else more of it may yet be told anew
            self._known_forks[key] = older, newer, shared
        return shared

    def _reading(self, projection: "_EraProjection") -> _EraReading | None:
        """Return how far an era is read; None where nothing is new."""
        kept, era, first = projection.checkpoint(), projection.era, projection.forks.first
        key = (projection.box, era.name)
        if kept is None:
            return self._open(key, _EraReading(self._language))
        if (kept.seq, kept.link) == (era.seq, era.link) and kept.first <= first:
            return None
        is_other = kept.seq > era.seq or projection.link(kept.seq) != kept.link
        if is_other or kept.first > first:
            return self._open(key, _EraReading(self._language))
        reading = self._readings.get(key)
        if reading is None:
            state = load_state(kept.state) if kept.after else None
            reading = _EraReading(self._language)
            if state is not None:
                reading = _EraReading(self._language, kept.after, state, json.loads(kept.titles))
        return self._open(key, reading)

    def _open(self, key: tuple[str, str], reading: _EraReading) -> _EraReading:
        """Keep *reading* in memory, as the one that was told last."""
        self._readings[key] = reading
        self._readings.move_to_end(key)
        reading.told_s = time.monotonic()
        return reading

    def _make_room(self, key: tuple[str, str] | None) -> None:
        """Let go of readings that nobody goes on with, and of that of *key* if there is no room.

        None where the last one is not done: let go of, it would begin again, and never be.

        Not of the one that was told longest ago: tables that play take turns, so it is the next,
        and where there is room for all but one of them none would be found.
        """
        idle_s = time.monotonic() - _IDLE_S
        while next(iter(self._readings.values())).told_s < idle_s:
            self._readings.popitem(last=False)
        if key is not None and self.held > MOST_HELD:
            del self._readings[key]

    def _go_on(self, projection: "_EraProjection", reading: _EraReading) -> bool:
        """Read on and tell what comes of it; return whether that is all there is."""
        try:
            return projection.read_on(reading)
        except JournalChanged:  # it takes back more than a table can: all of it is told anew
            key = (projection.box, projection.era.name)
            return projection.read_on(self._open(key, _EraReading(self._language)))

    def _drop_superseded(self, box: str, eras: Sequence[_Era]) -> int:
        """Delete what was told of eras that stand no more; return how many evenings that were."""
        names = [one.name for one in eras]
        self._execute("DELETE FROM folded WHERE box = %s AND era <> ALL(%s)", (box, names))
        drop = "DELETE FROM evenings WHERE box = %s AND era <> ALL(%s)"
        return self._execute(drop, (box, names)).rowcount


@dataclass(frozen=True, slots=True)
class _ForkPoints:
    """Where an era forks from the others of its box: the last entry that both have.

    *first* is the highest of those with newer eras, which tell the evenings that begin before it.
    *older* has that of each older era, the end of this one where it superseded them: such evenings
    of theirs are told by this one.
    """

    first: int
    older: Mapping[str, int]


class _Checkpoint(NamedTuple):
    """How far an era is told, as its row in ``folded`` has it.

    Up to entry *seq*, whose link it has; *first* as in `_ForkPoints`. It goes on behind entry
    *after*, from *state* (empty where it begins there) and *titles*, given before.
    """

    seq: int
    link: str
    first: int
    after: int
    state: str
    titles: str


class _EraProjection:
    """What is kept of one era of a *box*, brought up to its entries within a transaction.

    *changed* counts evenings that are otherwise now.
    """

    def __init__(self, connection: Connection, box: str, era: _Era, forks: _ForkPoints) -> None:
        self._execute = connection.execute
        self.box, self.era, self.forks = box, era, forks
        self.changed = 0

    def checkpoint(self) -> _Checkpoint | None:
        """Return how far it is told, and from where to go on; None where nothing is told yet."""
        ask = (
            "SELECT seq, link, first, after, state, titles FROM folded WHERE box = %s AND era = %s"
        )
        row = self._execute(ask, (self.box, self.era.name)).fetchone()
        return None if row is None else _Checkpoint(*row)

    def link(self, seq: int) -> str:
        """Return the link of the step that ends with entry *seq*; empty where none does."""
        era = next((name for name, before, last in self.era.spans if before < seq <= last), None)
        ask = "SELECT link FROM entries WHERE box = %s AND era = %s AND seq = %s"
        (found,) = self._execute(ask, (self.box, era, seq)).fetchone() or (None,)
        return found or ""

    def read_on(self, reading: _EraReading) -> bool:
        """Read some more, and tell what comes of it; return whether that is all there is."""
        settled, last = reading.after, reading.last
        found = list(reading.take(steps_of(self._entries(last))))
        is_all = reading.last >= self.era.seq
        if not is_all and reading.last == last:
            # Else it would be read again and again, for ever.
            raise LookupError(f"of era {self.era.name} nothing is kept behind entry {last}")
        if reading.held > _LONGEST:
            raise ValueError(f"an evening behind entry {reading.after} that never ends")
        found += list(reading.unsettled()) if is_all else []
        for one in found:
            if one.after >= self.forks.first:
                self._put(one)
        if is_all:
            drop = (
                "DELETE FROM evenings "
                "WHERE box = %s AND era = %s AND after >= %s AND after <> ALL(%s)"
            )
            gone = (self.box, self.era.name, settled, [one.after for one in found])
            self.changed += self._execute(drop, gone).rowcount
        upto = (self.era.seq, self.era.link) if is_all else (reading.last, self.link(reading.last))
        row = (self.box, self.era.name, *upto, self.forks.first, *reading.base, None)
        self._execute(_PUT_FOLDED, row)
        return is_all

    def drop_forked(self) -> int:
        """Delete what a newer era tells; return how many evenings that were."""
        self._raise_first(self.forks.first, [self.era.name])
        drop = "DELETE FROM evenings WHERE box = %s AND era = %s AND after < %s"
        return self._execute(drop, (self.box, self.era.name, self.forks.first)).rowcount

    def _put(self, one: _EveningRow) -> None:
        """Keep an evening; one that an older era told by the same entries becomes this era's."""
        others = [name for name, upto in self.forks.older.items() if one.after < upto]
        if others:
            mine = (self.box, self.era.name, one.after)
            take = (
                "UPDATE evenings SET era = %s WHERE evening = (SELECT max(evening) FROM evenings "
                "WHERE box = %s AND after = %s AND era = ANY(%s)) "
                "AND NOT EXISTS (SELECT FROM evenings WHERE (box, era, after) = (%s, %s, %s))"
            )
            if self._execute(take, (self.era.name, self.box, one.after, others, *mine)).rowcount:
                self._raise_first(one.after + 1, others)
        row = (self.box, self.era.name, one.after, one.last, one.at, one.told, one.counts)
        self.changed += self._execute(_PUT, row).rowcount

    def _raise_first(self, first: int, eras: list[str]) -> None:
        """Note that *eras* tell nothing before *first*, should the newer one that does so end."""
        note = "UPDATE folded SET first = %s WHERE box = %s AND era = ANY(%s) AND first < %s"
        self._execute(note, (first, self.box, eras, first))

    def _entries(self, after: int) -> Iterator[Entry]:
        """Yield some entries behind *after*, in whole steps."""
        rows: list[Any] = []
        within = ""
        for name, before, last in self.era.spans:
            if last > after and len(rows) < _AT_ONCE:
                asked = (self.box, name, max(after, before), last, _AT_ONCE - len(rows))
                rows += self._execute(_ENTRIES, asked).fetchall()
                within = name
        if rows and rows[-1][0] < rows[-1][1]:  # a step may have more entries than that
            asked = (self.box, within, *rows[-1][:2], None)
            rows += self._execute(_ENTRIES, asked).fetchall()
        for seq, step, at, seat, via, event, facts in rows:
            yield Entry(seq, step, at, seat, via, event, facts_in(facts))


def _spans(name: str, rows: Mapping[str, Any]) -> tuple[tuple[str, int, int], ...]:
    """Return in which eras the entries of era *name* lie, the oldest first."""
    spans: list[tuple[str, int, int]] = []
    at: str | None = name
    last = rows[name][3]
    while at is not None and at in rows and len(spans) < len(rows):
        _, parent, after, seq, _ = rows[at]
        last = min(last, seq)
        if at == name or last > after:
            spans.insert(0, (at, after, last))
        # It may have gone on from before its parent did from another one.
        at, last = parent, min(last, after)
    return tuple(spans)


def _columns(spans: Iterable[tuple[str, int, int]]) -> tuple[list[Any], ...]:
    return tuple(map(list, zip(*spans, strict=True)))


def _counts(counts: Counts) -> Iterator[tuple[Any, ...]]:
    """Yield what was counted: player, game, what, detail, against; value, n, most and least."""
    for key, one in counts.items():
        yield (*key, one.value, one.n, one.most, one.least)


def name_guests(language: str, event: Event, state: TableState) -> Event:
    """Return *event*, which came without names, with those that seats lend to guests."""
    match event:
        case actions.EveningBegun() | actions.Recovered():
            known = dict(event.people)
            names: dict[Seat, str] = {}
            for seat, _ in event.players:
                names[seat] = "" if seat in known else lent_name(seat, language, names.values())
            return replace(event, players=tuple(names.items()))
        case actions.StoodUp():
            return replace(event, name=state.names.get(event.seat, ""))
        case actions.SatDown() | actions.Renamed() | actions.Recognised():
            return replace(event, name=_guest(language, event, state))
    return event


def _guest(
    language: str,
    event: actions.SatDown | actions.Renamed | actions.Recognised,
    state: TableState,
) -> str:
    """Return what who is meant by *event* is called: nothing where it is somebody of the house."""
    if event.person is not None:
        return ""
    called = state.names.get(event.seat, "")
    if called and isinstance(event, actions.Renamed):
        return called  # as nobody knows what
    back = state.left.get(event.seat)
    others = [name for seat, name in state.names.items() if seat != event.seat]
    is_back = isinstance(event, actions.SatDown) and back and back not in others
    return str(back) if is_back else lent_name(event.seat, language, others)
