"""The journal: every step of the evening is on disk before anybody sees it.

SQLite with a write-ahead log and ``synchronous=FULL``: when `Journal.append` returns, the step
survives a pulled plug; when it raises, nothing of the step was written. A step is one
transaction, so that half of it is never found again. One process owns the file, one thread at a
time uses it; what the file looks like `kloplei.table.journal_file` knows.

A damaged journal is salvaged: what is sound of it goes on in a new file (`salvage`). From its
snapshot, what once stood at the table, the next start reads on. A mark beside the file says how far
it had come, so that one which was taken away or cut short is known at the next start, and what
stood at the table is not lost with it.
"""

import json
import logging
import os
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Self, cast

from kloplei.games.game import NO_FACTS
from kloplei.table._forgetting import Forgetting, purge, write_without
from kloplei.table._journal_mark import LastEntry, MarkFile, Standing
from kloplei.table._journal_pages import Pages, is_ours
from kloplei.table._journal_salvage import (
    beside,
    finish_salvage,
    make_ready,
    read_aside,
    salvage,
    write_draft,
)
from kloplei.table.journal_chain import INSERT_LINK, Chain, Link
from kloplei.table.journal_file import (
    INSERT,
    DiskTrouble,
    Entry,
    ForeignFile,
    JournalDamaged,
    JournalError,
    OwnConnection,
    Place,
    Places,
    Row,
    Snapshot,
    Sound,
    begin_era,
    clear_way,
    connect,
    create,
    demand_sound_header,
    examine,
    examine_after,
    find_origin,
    find_snapshot,
    free_name,
    has_triggers,
    is_gone,
    is_labelled,
    is_log_emptied,
    is_same,
    is_same_file,
    link,
    own,
    places_of,
    readable,
    sentence_for,
    whole_steps,
    write_snapshot,
)
from kloplei.table.people import (
    INSERT_PERSON,
    KnownPerson,
    Register,
    make_tables,
    read_register,
    write_register,
)
from kloplei.table.seating import TableState, dump_state, load_state
from kloplei.words import Sentence, sentence_of

__all__ = ["DiskTrouble", "Entry", "Journal", "JournalCut", "JournalDamaged", "JournalError"]

REACH = 500
"""Entries: three hours of toepen at the least, and read again in a second on the smallest Pi."""

LOST, RECOVERED = "EntryLost", "Recovered"
_LINKED_AT_START = 1000  # entries without a link: some 15 ms
_Linked = tuple[Row, int]  # an entry with its link
_Join = Callable[[Iterator[_Linked]], Iterator[_Linked]]
_spelled = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
logger = logging.getLogger(__name__)


class JournalCut(JournalDamaged):
    """The file lost entries that nobody remembers any more; `Journal.begin_again` goes on."""


class Journal:
    """The one writer of the journal *path*; for one thread at a time.

    A damaged journal does not stop the evening: its sound entries go into a new file and
    *salvaged* says so. Nor does a disk that is full or read-only: what was written is read,
    *trouble* says what is wrong, and `append` refuses until it is mended. Where it has less than
    the mark beside it says, *salvaged* tells that too, and *lost* holds what stood at the table.
    What is taken away, cut short or damaged while the table runs is written anew before the next
    step: what is sound of it, and behind that what the journal remembers.

    At start it is read and checked from its snapshot on, if it has one, and whole if it has none.

    Args:
        path: The file; it and its folder are made when they are missing.
        reach: So many entries at least can be taken back, and stay in memory; None is all.

    Raises:
        JournalError: Another table has it, it is not ours, or nobody may read it.
    """

    people = Register()
    """Who is known, beside the entries."""

    def __init__(self, path: Path, *, reach: int | None = REACH) -> None:
        self.path = path
        self.reach = reach
        self.salvaged: Sentence | None = None
        self.trouble: str | None = None
        self.lost: Mapping[str, object] | None = None
        """What stood when the last hand had ended, where the journal has lost that: facts of the
        event that writes it down again. None once that is done, or cannot be."""
        self._mark = MarkFile(path)
        self._standing = self._mark.standing
        self._settled = True
        self._chain: Chain | None = None
        self._lock: int | None = None
        self._connection: OwnConnection | None = None
        self._writable = False
        self._stood: Places = (None, None)
        self.origin: tuple[str, str] | None = None
        """Box and era of the journal, both random; None where its disk cannot take them yet."""
        self._closed = False
        self._refused: tuple[int, int] | None = None  # number and link it would have ended with
        self.snapshot: tuple[int, TableState] | None = None
        """Number of the entry after which the journal was read, and what stood there."""
        try:
            sound = self._open()
        except BaseException:
            self.close()
            raise
        self.last_seq, self._link = sound.seq, sound.link
        """Number of the last entry, 0 while there is none; and its link."""
        self._remembered: list[_Linked] = []  # without a gap, up to the last one

    def append(
        self,
        written: Sequence[tuple[str, Mapping[str, object]]],
        *,
        seat: int | None,
        via: str,
        at: float | None,
        people: Sequence[KnownPerson] = (),
    ) -> int:
        """Write one step, all of it or nothing, and return the number of its last entry.

        Args:
            written: Name and facts of each event; facts are what JSON can hold.
            seat: Who did it, 0-based; None is the keeper of the slate.
            via: How: ``pad``, ``button``, ``phone`` or ``table``.
            at: Wall clock in seconds, None if nobody knows the time.
            people: Who is known from this step on.

        Raises:
            JournalError: Not written. The next call tries again, and works once the disk does.
        """
        rows = self._rows(written, seat, via, at)
        try:
            links = self._commit_or_mend(rows, people)
        except (sqlite3.Error, OSError) as error:
            # The file is let go of, so that the disk can be unmounted and mended. A connection
            # that met a read-only disk would stay read-only for good anyway.
            self._let_go_unless_gone()
            self._refused = _end(rows)
            problem = sentence_for(self.path, error)
            self.trouble = sentence_of(problem)
            raise problem from error
        except Exception:
            self._let_go()  # or the step that failed would stay open and refuse the next one
            raise
        self.trouble = None
        if people:
            self.people = replace(self.people, known=(*self.people.known, *people))
        self.last_seq, self._link = _end(rows)
        self._remembered += [(row[:-1], row[-1]) for row in rows]
        if self._chain is not None:
            self._chain.wrote(links)
        if self.lost is None and self.origin is not None:
            self._mark.put(self._here(self.origin))
        return self.last_seq

    def write_people(self, register: Register) -> None:
        """Let *register* say who is known; the entries stay as they are.

        Raises:
            JournalError: It is not written; nothing has changed.
        """
        try:
            connection = self._for_writing()
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                write_register(connection, register)
        except (sqlite3.Error, OSError) as error:
            self._let_go_unless_gone()
            raise sentence_for(self.path, error) from error
        self.people = register

    def forget(self, forgetting: Forgetting, register: Register) -> tuple[int, int]:
        """Write the journal anew without names that are forgotten; see `kloplei.table._forgetting`.

        Args:
            forgetting: What is not to stand anywhere any more.
            register: Who is known from now on.

        Returns:
            How many entries were changed, and how many copies beside the file deleted.

        Raises:
            JournalError: It is not written; nothing has changed.
        """
        try:
            source = self._for_writing()
            changed = write_without(self.path, source, forgetting, register)
            # It would tell of links that are none any more, and of what stood at the table.
            self._mark.remove()
            make_ready(self.path)
            self._connection = self._chain = None
            source.close()
            old = finish_salvage(self.path)
            copies = self._take_up(forgetting, old)
        except (sqlite3.Error, OSError) as error:
            if self.path.exists():
                beside(self.path, ".salvaged").unlink(missing_ok=True)
            self._settled = False
            self._let_go_unless_gone()
            raise sentence_for(self.path, error) from error
        self.people = register
        return changed, copies

    def _take_up(self, forgetting: Forgetting, old: Path | None) -> int:
        """Go on with the journal written anew, without the *old* one; return as `forget` does."""
        connection = self._connection = connect(self.path)
        self.origin = find_origin(connection)
        _, self._link = _last(connection)
        self._remembered = []
        self._stood = places_of(self.path)
        if self.snapshot is not None:
            self.snapshot = self.snapshot[0], forgetting.state(self.snapshot[1])
        if (stood := self._standing) is not None:
            read = "SELECT link FROM entries WHERE seq = ?"
            its_link = connection.execute(read, (stood.seq,)).fetchone()
            facts = forgetting.facts(RECOVERED, stood.facts)
            self._standing = Standing(stood.seq, its_link[0], facts) if its_link else None
        self._settled = False
        self._link_up(self.last_seq)
        with suppress(OSError, sqlite3.Error):  # the next start sees to it
            if old is not None:
                old.unlink()
            return purge(self.path, connection)
        return 0

    @property
    def standing(self) -> Standing | None:
        """What stood at the table when the last hand had ended, as far as that is known."""
        return self._standing

    def stand(self, facts: Mapping[str, object]) -> None:
        """Remember what stands at the table, between two hands; `settle` writes it down."""
        if self.lost is None and (self._standing is None or self._standing.facts != facts):
            self._standing = Standing(self.last_seq, self._link, facts)
            self._settled = False

    def give_up_lost(self) -> None:
        """Promise nobody that what was *lost* stands again: this version cannot read it."""
        self.lost = None
        facts = self._salvage_facts()
        told = {name: facts[name] for name in ("file", "seq", "last", "kept") if name in facts}
        self.salvaged = Sentence("journal-short", **told)

    def settle(self) -> None:
        """Write down what nobody has to wait for; to be called once the last step was shown."""
        if self._chain is not None:
            with suppress(sqlite3.Error):
                self._chain.fill(self.last_seq)
        if not self._settled and self.lost is None and self.origin is not None:
            self._settled = True
            self._mark.write(self._here(self.origin), self._standing)

    def look_back(self) -> None:
        """Look whether some steps more are as they were written; to be called in idle moments.

        All of them are looked at once after the start, and once after another program wrote:
        what stood before all that is remembered may be no more what was played.
        """
        changed = None
        with suppress(sqlite3.Error):
            changed = self._chain.find_changed() if self._chain is not None else None
        if changed is not None:
            self.salvaged = Sentence("journal-changed", file=self.path.name, seq=changed)
            logger.warning(self.salvaged)

    def entries(
        self, after: int = 0, *, remember: bool = False, facts_of: Collection[str] | None = None
    ) -> Iterator[Entry]:
        """Yield what was written after entry *after*, oldest first.

        Args:
            after: A number; 0 is from the beginning.
            remember: Keep them in memory, should the file lose them.
            facts_of: The facts of these events alone are wanted: the others go by more quickly.

        Raises:
            JournalError: The disk does not give it back.
        """
        self._remembered = [] if remember else self._remembered
        all_of_them = facts_of is None
        try:
            connection = self._connection or self._reconnect()
            read = "SELECT * FROM entries WHERE seq > ? ORDER BY seq"
            for *row, its_link in connection.execute(read, (after,)):
                if remember:
                    self._remembered.append((cast("Row", tuple(row)), its_link))
                seq, step, at, seat, via, event, facts = row
                is_wanted = all_of_them or event in (facts_of or ())
                yield Entry(seq, step, at, seat, via, event, json.loads(facts) if is_wanted else {})
        except (sqlite3.Error, OSError) as error:
            raise sentence_for(self.path, error) from error

    def write_snapshot(self, seq: int, state: TableState) -> None:
        """Let the next start read and check the journal from entry *seq* on."""
        self._remembered = [one for one in self._remembered if one[0][0] > seq]
        if self._connection is None or not self._writable:
            return
        read = "SELECT link FROM entries WHERE seq = ?"
        try:
            row = self._connection.execute(read, (seq,)).fetchone()
            if row is not None:
                write_snapshot(self._connection, Snapshot(seq, row[0], dump_state(state)))
        except (sqlite3.Error, OSError) as error:
            logger.info("The journal %s got no snapshot: %s", self.path, error)
            # As after a step that failed: the next one takes the file up again.
            self._let_go()

    def begin_again(self, seq: int, event: str, facts: Mapping[str, object]) -> None:
        """Write anew what `JournalCut` was told of: as entry *seq* that *event* with its *facts*.

        What is sound of the file comes before it, what is remembered behind it. Where entries are
        gone stand as many `LOST`, so that all keep their numbers.

        Raises:
            JournalError: It is not written; nothing has changed.
        """
        read = "SELECT count(*) FROM entries WHERE (step, event) = (?, ?)"
        try:
            connection = self._write_anew(partial(self._again, seq, event, facts))
            ((lost,),) = connection.execute(read, (seq, LOST))
        except (sqlite3.Error, OSError) as error:
            self._let_go_unless_gone()
            raise sentence_for(self.path, error) from error
        self._standing = None  # it goes by the links that were
        told = {**self._salvage_facts(), "lost": lost}
        self.salvaged = Sentence("journal-rewritten-from-memory", **told)
        logger.warning(self.salvaged)

    def close(self) -> None:
        """Fold the log into the file and let another table have it."""
        self._closed = True
        self.settle()
        self._mark.close()
        self._let_go()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> Sound:
        try:
            return self._open_for_writing()
        except (sqlite3.Error, OSError) as error:
            problem = sentence_for(self.path, error)
            if not (isinstance(problem, DiskTrouble) and self.path.exists()):
                raise problem from error
        self._let_go()
        self.trouble = sentence_of(problem)
        logger.warning(self.trouble)
        return self._open_aside()

    def _open_for_writing(self) -> Sound:
        clear_way(self.path, was_ours=self._mark.is_there)
        create(self.path)
        self._lock = own(self.path)
        finish_salvage(self.path)
        _remove_bookmark(self.path)
        try:
            demand_sound_header(self.path)
            self._connection = connect(self.path)
            self._purge()
            sound = self._examine(self._connection)
            is_all = not (has_triggers(self._connection) or self._hides_more(sound))
            self.people = read_register(self._connection)
            sound = replace(sound, all=sound.all and is_all)
        except (sqlite3.DatabaseError, JournalError) as error:
            if not self._is_damage(error):
                raise
            sound = Sound(0, 0, all=False)
        self.origin = find_origin(self._connection) if self._connection else None
        if not sound.all:
            self.salvaged, sound = salvage(self.path, self._connection)
            logger.warning(self.salvaged)
            self._connection = connect(self.path)
            self.people = read_register(self._connection)
        if self._connection is not None and (self.salvaged or self.origin is None):
            self.origin = begin_era(self._connection, self._box())
        self._writable = True
        self._stood = places_of(self.path)
        self._compare(sound)
        self._link_up(sound.seq)
        return sound

    def _purge(self) -> None:
        """Delete what was kept beside the file, where somebody was forgotten before a power cut."""
        if self._connection is not None:
            with suppress(OSError):
                purge(self.path, self._connection)

    def _open_aside(self) -> Sound:
        """Read a journal whose disk cannot be written now; `append` will try again."""
        try:
            self._connection = read_aside(self.path)
            sound = self._examine(self._connection)
            self.origin = find_origin(self._connection)
            self.people = read_register(self._connection)
        except (sqlite3.Error, OSError) as error:
            problem = sentence_for(self.path, error)
            if not isinstance(problem, JournalDamaged):
                raise problem from error
            sound = Sound(0, 0, all=False)
        if not sound.all:
            raise JournalDamaged(
                f"The journal {self.path} is damaged after entry {sound.seq}, and its disk cannot "
                f"be written to save the rest. Mend the disk first. {self.trouble}"
            )
        self._compare(sound)
        return sound

    def _is_damage(self, error: sqlite3.DatabaseError | JournalError) -> bool:
        """Return whether *error* tells of a journal that was spoilt, and not of another's file."""
        if isinstance(error, ForeignFile):
            # Beside a mark, be it spoilt as well, stood a journal, be no byte left of that.
            return self._mark.is_there or is_ours(self.path)
        return isinstance(sentence_for(self.path, error), JournalDamaged)

    def _hides_more(self, sound: Sound) -> bool:
        """Return whether there are entries that SQLite passes over: behind a bad bit in its log."""
        mark = self._mark.mark
        return mark is not None and mark.seq > sound.seq and Pages(self.path).last_seq > sound.seq

    def _compare(self, sound: Sound) -> None:
        """Look whether the journal holds all that the mark beside it tells of."""
        mark = self._mark.mark
        if mark is None or not mark.seq or self._holds(mark.seq, mark.link):
            self._settled = mark is not None
            if self._standing and not self._holds(self._standing.seq, self._standing.link):
                self._standing = None  # of a journal that stood here before
            return
        facts, before = {"file": self.path.name, "seq": sound.seq, "last": mark.seq}, self.salvaged
        if sound.seq >= mark.seq or (sound.seq and self._box() != mark.box):
            self.salvaged = self.salvaged or Sentence("journal-another", **facts)
            self._standing = None
            self._warn_of(before)
            return
        kept = self._salvage_facts().get("kept") or self._keep_copy(sound)
        if self._standing and not self._holds(self._standing.seq, self._standing.link):
            gone = {"lost": mark.seq - sound.seq}
            self.lost, self._standing = {**self._standing.facts, **gone}, None
            self.salvaged = Sentence("journal-lost", **facts, kept=kept)
        else:
            self.salvaged = self.salvaged or Sentence("journal-short", **facts, kept=kept)
        self._warn_of(before)
        if self._writable and self._connection and self.origin == (mark.box, mark.era):
            # What comes now goes on from the same entries as what was lost.
            self.origin = begin_era(self._connection, mark.box)

    def _salvage_facts(self) -> Mapping[str, object]:
        """What *salvaged* is filled in with, as far as anything was."""
        return NO_FACTS if self.salvaged is None else self.salvaged.facts

    def _warn_of(self, before: Sentence | None) -> None:
        if self.salvaged != before:
            logger.warning(self.salvaged)

    def _keep_copy(self, sound: Sound) -> str | None:
        """Copy a journal that is whole and shorter than it was, as it stands; return the name."""
        if not (sound.seq and self._writable and self._connection):
            return None
        kept = free_name(self.path, ".shorter")
        try:
            with closing(sqlite3.connect(kept)) as copy:
                self._connection.backup(copy)
            kept.chmod(0o600)
        except (sqlite3.Error, OSError) as error:
            logger.warning("The journal %s is not kept as %s: %s", self.path, kept, error)
            return None
        return kept.name

    def _link_up(self, last_seq: int) -> None:
        """Take up the chain of links, and give them to steps that have none."""
        try:
            self._chain = Chain(self._connection) if self._connection and self.origin else None
            if self._chain is not None:
                self._chain.fill(last_seq, _LINKED_AT_START)
                self._chain.write()
        except sqlite3.Error as error:
            logger.warning("The journal %s gets no further links: %s", self.path, error)
            self._chain = None

    def _holds(self, seq: int, its_link: int) -> bool:
        read = "SELECT 1 FROM entries WHERE (seq, link) = (?, ?)"
        with suppress(OverflowError):  # a number that no journal can hold
            open_now = self._connection
            found = None if open_now is None else open_now.execute(read, (seq, its_link)).fetchone()
            return found == (1,)
        return False

    def _box(self) -> str | None:
        """Return whose journal this is; None where neither it nor the mark tells."""
        if self.origin is not None:
            return self.origin[0]
        return None if self._mark.mark is None else self._mark.mark.box

    def _here(self, origin: tuple[str, str]) -> LastEntry:
        return LastEntry(self.last_seq, self._link, *origin)

    def _examine(self, connection: sqlite3.Connection) -> Sound:
        """Tell how far the journal is sound, from its snapshot on if that is one of its own."""
        snapshot = None if self.reach is None else find_snapshot(connection)
        state = None if snapshot is None else load_state(snapshot.state)
        if snapshot is not None and state is not None:
            sound = examine_after(connection, snapshot.seq, snapshot.link)
            # None was ever taken so near to the end: where it is, the end was lost.
            if sound.all and sound.seq - snapshot.seq >= (self.reach or 0):
                self.snapshot = (snapshot.seq, state)
                return sound
        return examine(connection)

    def _rows(
        self,
        written: Sequence[tuple[str, Mapping[str, object]]],
        seat: int | None,
        via: str,
        at: float | None,
    ) -> list[tuple[*Row, int]]:
        if not written:
            raise ValueError("A step without an event is no step")
        step = self.last_seq + len(written)
        when = None if at is None else float(at)
        who = None if seat is None else int(seat)
        rows, before = [], self._link
        for seq, (event, facts) in enumerate(written, start=self.last_seq + 1):
            row = (seq, step, when, who, via, event, _as_text(facts))
            before = link(before, row)
            rows.append((*row, before))
        return rows

    def _commit_or_mend(
        self, rows: list[tuple[*Row, int]], people: Sequence[KnownPerson]
    ) -> list[Link]:
        """Write *rows*, and where the file is spoilt all of it before them."""
        try:
            return self._commit(rows, people)
        except (sqlite3.Error, OSError) as error:
            if not isinstance(sentence_for(self.path, error), JournalDamaged | ForeignFile):
                raise
        self._mend()
        return self._commit(rows, people)

    def _commit(self, rows: list[tuple[*Row, int]], people: Sequence[KnownPerson]) -> list[Link]:
        connection = self._for_writing()
        links = self._chain.with_step([row[:-1] for row in rows]) if self._chain else []
        # IMMEDIATE asks for the writer's lock at once, and waits for it: a transaction that
        # becomes a writer half way may be told that the file is busy without any wait.
        connection.execute("BEGIN IMMEDIATE")
        is_ours = not connection.has_news() or self._is_as_written(connection)
        # A step may also vanish without a word, where a rule of the file says so.
        if not (is_ours and connection.executemany(INSERT, rows).rowcount == len(rows)):
            raise JournalDamaged(Sentence("journal-damaged", path=str(self.path)))
        if links:
            connection.executemany(INSERT_LINK, links)
        if people:
            make_tables(connection)
            connection.executemany(INSERT_PERSON, [one.row for one in people])
        # What is shown after this survives a pulled plug: COMMIT returns behind the fsync.
        connection.execute("COMMIT")
        return links

    def _is_as_written(self, connection: sqlite3.Connection) -> bool:
        """Return whether the file still holds what is remembered, and as much before it."""
        if self._chain is not None:
            self._chain.look_again()
        first = self._remembered[0][0][0] if self._remembered else self.last_seq + 1
        ((count,),) = connection.execute("SELECT count(*) FROM entries")
        return (
            is_labelled(connection)
            and not has_triggers(connection)
            and (count, _last(connection)) == (self.last_seq, (self.last_seq, self._link))
            and list(readable(connection, first - 1)) == self._remembered
        )

    def _for_writing(self) -> OwnConnection:
        if self._connection is None or not self._writable:
            return self._reconnect()
        now = places_of(self.path)
        if not is_same(self._stood, now):
            return self._mend()
        if is_log_emptied(self._stood, now) and not _is_folded(self._connection):
            return self._mend()
        self._stood = now
        return self._connection

    def _mend(self) -> OwnConnection:
        connection = self._write_anew(self._as_it_was)
        logger.warning(self.salvaged)
        return connection

    def _write_anew(self, join: _Join) -> OwnConnection:
        """Write the journal anew where its file was taken away or spoilt.

        *join* makes of what is sound of it what the new one holds.
        """
        clear_way(self.path)
        source, before, now = self._connection, self._stood, places_of(self.path)
        is_as_before = join == self._as_it_was
        entries = join(self._most_sound(before[0], now[0]))
        sound = write_draft(self.path, entries, self.people, source if is_as_before else None)
        if self._lock is not None:
            os.close(self._lock)
        self._lock = None
        self._lock = own(self.path)  # its name may be gone as well, or be another table's by now
        make_ready(self.path)
        is_file, is_log = map(is_same_file, before, now)
        if is_log and not is_file:
            # Our log beside a file of somebody else's: it would be played into that one.
            for ending in ("-wal", "-shm"):
                beside(self.path, ending).unlink(missing_ok=True)
        kept = finish_salvage(self.path)
        if source is not None:
            source.close()
        self._connection = None
        connection = self._connection = connect(self.path)
        self._writable = True
        self.last_seq, self._link = sound.seq, sound.link
        self.origin = begin_era(connection, self._box())
        self._settled = False
        self._link_up(sound.seq)
        self._stood = places_of(self.path)
        facts = {"file": self.path.name, "seq": sound.seq, "kept": kept.name if kept else None}
        told = Sentence("journal-rewritten", **facts)
        self.salvaged = told if is_file else Sentence("journal-put-back", **facts)
        return connection

    def _most_sound(self, before: Place | None, now: Place | None) -> Iterator[_Linked]:
        """Return the whole steps that are sound, read off the open file or its bare pages."""
        ways: list[Callable[[], Iterator[_Linked]]] = []
        if (source := self._connection) is not None:
            ways.append(lambda: readable(source))
        if now and is_same_file(before, now):
            ways.append(lambda: Pages(self.path).entries(tries=False))
        lengths = [sum(1 for _ in whole_steps(way())) for way in ways]
        return whole_steps(ways[lengths.index(max(lengths))]()) if ways else iter(())

    def _as_it_was(self, sound: Iterator[_Linked]) -> Iterator[_Linked]:
        """Yield all entries: what is *sound* of those before the ones remembered, and these.

        Raises:
            JournalCut: Some are gone.
        """
        then = self._remembered[0] if self._remembered else None
        first = self.last_seq + 1 if then is None else then[0][0]
        seq, its_link = 0, 0
        for row, its_link in takewhile(lambda one: one[0][0] < first, sound):
            seq = row[0]
            yield row, its_link
        its_own = self._link if then is None else then[1]
        if seq + 1 != first or its_own != (link(its_link, then[0]) if then else its_link):
            raise JournalCut(Sentence("journal-damaged", path=str(self.path)))
        yield from self._remembered

    def _again(
        self, seq: int, event: str, facts: Mapping[str, object], sound: Iterator[_Linked]
    ) -> Iterator[_Linked]:
        """Yield what is *sound* before entry *seq*, that one as it is told, and what follows."""
        last, its_link = 0, 0
        for row, its_link in takewhile(lambda one: one[0][0] < seq, sound):
            last = row[0]
            yield row, its_link
        gone = [(one, seq, None, None, "table", LOST, "{}") for one in range(last + 1, seq)]
        text = _as_text({**facts, "lost": len(gone)})
        after = (row for row, _ in self._remembered if row[0] > seq)
        for row in (*gone, (seq, seq, None, None, "table", event, text), *after):
            its_link = link(its_link, row)
            yield row, its_link

    def _reconnect(self) -> OwnConnection:
        """Take up the file again after a trouble, as the table remembers it."""
        if self._closed:
            raise JournalError(Sentence("journal-closed", path=str(self.path)))
        self._let_go()
        if is_gone(self._stood, self.path):
            return self._mend()
        clear_way(self.path)
        self._lock = own(self.path)
        connection = self._connection = connect(self.path)
        last = _last(connection)
        if last == self._refused:
            # A commit whose fsync failed may be in the log after all, but the asker was told no.
            connection.execute("DELETE FROM entries WHERE seq > ?", (self.last_seq,))
            with suppress(sqlite3.OperationalError):  # there may be none
                connection.execute("DELETE FROM chain WHERE seq > ?", (self.last_seq,))
        elif last[0] >= self.last_seq and last != (self.last_seq, self._link):
            raise JournalError(Sentence("journal-moved-on", path=str(self.path), seq=self.last_seq))
        if not self._is_as_written(connection):
            raise JournalDamaged(Sentence("journal-damaged", path=str(self.path)))
        self._writable = True
        self.origin = find_origin(connection) or begin_era(connection, self._box())
        self._link_up(self.last_seq)
        self._stood = places_of(self.path)
        return connection

    def _let_go_unless_gone(self) -> None:
        """Let go of the file, but not of one without a name: nobody could open it again."""
        if self._connection is None or not is_gone(self._stood, self.path):
            self._let_go()

    def _let_go(self) -> None:
        connection, self._connection, self._writable = self._connection, None, False
        self._chain = None
        self._mark.let_go()
        lock, self._lock = self._lock, None
        if connection is not None:
            # What was acknowledged is in the log; folding it into the file can wait.
            with suppress(sqlite3.Error):
                connection.close()
        if lock is not None:
            os.close(lock)


def _remove_bookmark(path: Path) -> None:
    """Clean away what an older Kloplei laid beside the journal where a snapshot stands now."""
    with suppress(OSError):
        path.with_name(f"{path.name}.bookmark").unlink()


def _as_text(facts: Mapping[str, object]) -> str:
    return _spelled(dict(facts))


def _is_folded(connection: sqlite3.Connection) -> bool:
    """Return whether nothing stood in the log of the journal that had not reached its file."""
    try:
        _, frames, _ = connection.execute("PRAGMA wal_checkpoint").fetchone()
    except sqlite3.Error:
        return False
    return bool(frames <= 0)


def _last(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return number and link of the last entry."""
    read = "SELECT seq, link FROM entries ORDER BY seq DESC LIMIT 1"
    return connection.execute(read).fetchone() or (0, 0)


def _end(rows: list[tuple[*Row, int]]) -> tuple[int, int]:
    """Return number and link of the last of *rows*."""
    return rows[-1][0], rows[-1][-1]
