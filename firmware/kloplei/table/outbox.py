"""The outbox: what a house may read of the journal, while the table goes on writing it.

The journal is read beside the table, whole steps at a time. Three things never leave it: what is
sealed, from the step that sealed it on, until an event that `unseals` comes, and even then the
value itself, which is told by the event that opens it alone; the names of who did not agree; and
the links of the chain, over which both could be found by trying. A house gets them sealed with a
key that stands in the journal: equal links are equal there as well, and nobody can make one.
`for_house` takes names out of a scoreboard in the same way.
"""

import errno
import hmac
import json
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import closing
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from kloplei.frozen import dataclass, replace
from kloplei.games.catalogue import GAMES
from kloplei.games.game import Event, Seat
from kloplei.games.scoreboard import Line, Row, Scoreboard
from kloplei.table.actions import TABLE_EVENTS, EveningBegun, Recognised, Recovered
from kloplei.table.client import BadRequest, TableUnavailable
from kloplei.table.journal_chain import JournalEra, last_link, last_seq, read_eras
from kloplei.table.journal_file import Row as Written
from kloplei.table.journal_file import open_to_read, replaced_eras, sentence_for, superseded
from kloplei.table.people import WITH_NAMES, KnownPeople, read_register
from kloplei.table.uplink_client import MOST_ENTRIES, EraBegun, HouseEntry, HousePerson, StepsAfter
from kloplei.words import Sentence
from kloplei.words.catalogue import OF_PEOPLE, sentence_of

_WAYS = frozenset({"pad", "button", "phone", "table"})
_READ = (
    "SELECT seq, step, at, seat, via, event, facts FROM entries "
    "WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?"
)
_LAST_OF = (
    "SELECT seq FROM entries WHERE seq > ? AND event IN (SELECT value FROM json_each(?)) "
    "ORDER BY seq DESC LIMIT 1"
)
_FIRST_OF = _LAST_OF.replace("DESC", "ASC")
_NAMES = frozenset((*OF_PEOPLE, "other"))
_spelled = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


class Outbox:
    """Reads the journal *path* for a house; safe from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def steps(self, after: int, most: int, make_key: Callable[[], object]) -> StepsAfter:
        """Return the steps after entry *after*; see `kloplei.table.uplink_client.UplinkClient`.

        Args:
            after: The last entry of a step, or 0.
            most: So many entries at most, or one step.
            make_key: Lets a key stand in the journal, where there is none yet.
        """
        if not 1 <= most <= MOST_ENTRIES:
            raise BadRequest(f"From 1 to {MOST_ENTRIES} entries go at once, and not {most}.")
        found = self._read(after, most)
        if found is None:
            make_key()
            found = self._read(after, most)
        if found is None:  # the disk does not take what tells histories apart
            raise TableUnavailable(Sentence("journal-busy", path=str(self._path)))
        return found

    def _read(self, after: int, most: int) -> StepsAfter | None:
        """Return the steps after entry *after*; None where there is no key yet."""
        try:
            if not self._path.exists():
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            with closing(open_to_read(self._path)) as connection:
                connection.execute("BEGIN")  # all of it is of one moment
                register = read_register(connection)
                eras = _eras(connection)
                if not (register.house_key and eras):
                    return None
                people = KnownPeople("en")
                people.learn(register)
                return _Reading(connection, eras, people, register.house_key).steps(after, most)
        except (sqlite3.Error, OSError) as error:
            raise TableUnavailable(sentence_of(sentence_for(self._path, error))) from error


@dataclass(frozen=True, slots=True)
class _Reading:
    """The journal at one moment; of its *eras* the last one runs."""

    connection: sqlite3.Connection
    eras: list[JournalEra]
    people: KnownPeople
    key: str

    def steps(self, after: int, most: int) -> StepsAfter:
        last = last_seq(self.connection)
        upto = min(_before_seal(self.connection), last_link(self.connection)[0])
        if not 0 <= after <= upto or (after and not self._link(after)):
            raise BadRequest(f"No step that may go to a house ends with entry {after}.")
        now = self.eras[-1]
        return StepsAfter(
            *(now.box, now.era, after, self._link(after), last),
            tuple(self._told(row) for row in self._rows(after, upto, most)),
            self._begun(),
        )

    def _rows(self, after: int, upto: int, most: int) -> list[Written]:
        """Return whole steps: as many as there may be, or a single one that is longer."""
        rows: list[Written] = self.connection.execute(_READ, (after, upto, most)).fetchall()
        ends = [at for at, row in enumerate(rows, 1) if row[0] == row[1]]
        if ends or not rows:
            return rows[: ends[-1]] if ends else []
        step = rows[0][1]
        return self.connection.execute(_READ, (after, min(step, upto), -1)).fetchall()

    def _told(self, row: Written) -> HouseEntry:
        seq, step, at, seat, via, event, facts = row
        return HouseEntry(
            *(seq, step, at, seat, via if via in _WAYS else "phone", event),
            _spelled(_open_facts(event, facts, seq, self.people)),
            self._link(seq) or None if seq == step else None,
        )

    def _link(self, seq: int) -> str:
        """Return the link of the step that ends with entry *seq*, sealed; empty for none."""
        found = self.connection.execute("SELECT link FROM chain WHERE seq = ?", (seq,)).fetchone()
        return hmac.digest(self.key.encode(), found[0], "sha256").hex() if found else ""

    def _begun(self) -> EraBegun | None:
        now = self.eras[-1]
        replaced = replaced_eras(self.connection)
        if (told := superseded(self.connection, now.era)) is not None:
            before, after = told
            return EraBegun(before, after, self._link(after), supersedes=True, replaced=replaced)
        if len(self.eras) == 1:
            return None
        ended = self.eras[-2]
        return EraBegun(ended.era, now.after, self._link(now.after), replaced=replaced)


def _eras(connection: sqlite3.Connection) -> list[JournalEra]:
    """Return the eras of a journal that has links; none of one of before."""
    tables = "SELECT count(*) FROM sqlite_schema WHERE name IN ('origin', 'chain')"
    if connection.execute(tables).fetchone() != (2,):
        return []
    return read_eras(connection)


@cache
def _events() -> Mapping[str, tuple[type[Event], ...]]:
    """Return the events there are, by name; games have some of one name."""
    found: dict[str, tuple[type[Event], ...]] = {}
    for events in (TABLE_EVENTS, *(game.events for game in GAMES.values())):
        for name, kind in events.items():
            found[name] = (*found.get(name, ()), kind)
    return found


@cache
def _secrets() -> Mapping[str, frozenset[str]]:
    """Return which facts of which events are sealed."""
    told = {
        name: frozenset(
            one.name for kind in kinds for one in fields(kind) if one.metadata.get("secret")
        )
        for name, kinds in _events().items()
    }
    return {name: secrets for name, secrets in told.items() if secrets}


@cache
def _unsealing() -> frozenset[str]:
    return frozenset(
        name for name, kinds in _events().items() if any(kind.unseals for kind in kinds)
    )


def _before_seal(connection: sqlite3.Connection) -> int:
    """Return the last entry before the first seal that nothing has opened or ended since.

    Undo and redo open none: a seal that was taken back may be revived, or made again, of the same
    cards.
    """
    opened = _find(connection, _LAST_OF, _unsealing(), 0)
    sealed = _find(connection, _FIRST_OF, _secrets(), opened)
    if not sealed:
        return last_seq(connection)
    ((step,),) = connection.execute("SELECT step FROM entries WHERE seq = ?", (sealed,))
    first = "SELECT seq FROM entries WHERE seq > ? AND step = ? ORDER BY seq LIMIT 1"
    ((begins,),) = connection.execute(first, (opened, step))
    return int(begins) - 1


def _find(connection: sqlite3.Connection, ask: str, events: Collection[str], after: int) -> int:
    """Return the first or the last entry after *after* that is one of *events*; 0 for none."""
    found = connection.execute(ask, (after, json.dumps(list(events)))).fetchone()
    return found[0] if found else 0


def _open_facts(event: str, written: str, seq: int, people: KnownPeople) -> Mapping[str, Any]:
    """Return what the house may know of an *event*; nothing of one that nobody can read."""
    if event not in _events():
        return {}
    try:
        facts = json.loads(written)
        facts = {**facts, **dict.fromkeys(_secrets().get(event, ()), "")}
        return _unnamed(event, facts, seq, people) if event in WITH_NAMES else facts
    except (LookupError, TypeError, ValueError):
        return {}


def _unnamed(
    event: str, facts: Mapping[str, Any], seq: int, people: KnownPeople
) -> Mapping[str, Any]:
    """Return *facts* without names: who agreed stands there by the id of the house."""
    if event in (EveningBegun.__name__, Recovered.__name__):
        return _all_unnamed(facts, seq, people)
    who = people.whom(facts.get("name", ""), facts.get("person"), seq)
    told = {one: "" for one in ("name", "before") if one in facts}
    house = people.house_id(who.id) if who else None
    named = house is not None or event == Recognised.__name__
    others = {one: each for one, each in facts.items() if one != "person"}
    return {**others, **told, **({"person": house} if named else {})}


def _all_unnamed(facts: Mapping[str, Any], seq: int, people: KnownPeople) -> Mapping[str, Any]:
    names = {Seat(seat): name for seat, name in facts.get("players", ())}
    known = {Seat(seat): person for seat, person in facts.get("people", ())}
    _, ids = people.today(names, known, seq)
    agreed = [(int(seat), people.house_id(person)) for seat, person in ids.items()]
    house = [one for one in agreed if one[1] is not None]
    others = {one: each for one, each in facts.items() if one != "people"}
    told = {"players": [[int(seat), ""] for seat in names]} if "players" in facts else {}
    return {**others, **told, **({"people": house} if house else {})}


def for_house(board: Scoreboard, agreed: Iterable[HousePerson]) -> Scoreboard:
    """Return *board* as the house gets it: names of the *agreed* alone, by the ids of the house.

    What may be asked for at the table, and which phone asks to be let in, is nobody's business.
    """
    known = {one.name: one.id for one in agreed}
    rows = tuple(_row_for_house(row, known) for row in board.rows)
    told = replace(board, rows=rows, offers=(), door=None)
    seats = {row.name: row.seat for row in board.rows if row.name}
    names = {row.name for row in rows} | known.keys()
    return cast("Scoreboard", _Renaming(seats, names).told(told))


def _row_for_house(row: Row, known: Mapping[str, int]) -> Row:
    # No two people of a box have one name, but a guest may have that of somebody.
    person = None if row.person is None else known.get(row.name)
    return replace(row, name="" if person is None else row.name, person=person, offers=())


@dataclass(frozen=True, slots=True)
class _Renaming:
    """Who was called otherwise in a line goes by their seat, or by no name but the *agreed*."""

    seats: Mapping[str, Seat]
    agreed: Collection[str]

    def told(self, told: object) -> object:
        """Return *told*, some part of a scoreboard, without the names of others in its lines."""
        match told:
            case Line(facts=facts):
                return replace(told, facts={fact: self._fact(fact, facts[fact]) for fact in facts})
            case tuple():
                return tuple(self.told(one) for one in told)
            case Mapping():
                return {name: self.told(one) for name, one in told.items()}
            case _ if is_dataclass(told) and not isinstance(told, type):
                parts = {one.name: getattr(told, one.name) for one in fields(told)}
                return replace(told, **{name: self.told(one) for name, one in parts.items()})
            case _:
                return told

    def _fact(self, fact: str, value: object) -> object:
        match value:
            case Mapping():
                return {name: self._fact(name, one) for name, one in value.items()}
            case tuple():
                return tuple(self._fact(fact, one) for one in value)
            case str() if fact in _NAMES and value not in self.agreed:
                return self.seats.get(value)
            case _:
                return value
