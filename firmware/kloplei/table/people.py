"""People: a seat is hardware, a person comes back; events carry an id, and the name stands here.

The journal's file has a table of them beside its entries (`read_register`, `write_register`), and
`KnownPeople` is what the table knows of it in memory. What an event says of a person is written
without the name (`kloplei.table.actions.encode`) and gets it as it is read (`KnownPeople.fill`), so
that all else goes on seeing names. Who is forgotten has none any more: there sat a guest.

Nobody is remembered who did not ask for it: a guest has a name in the entries, and no id.
"""

import sqlite3
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from secrets import randbelow
from typing import Any

from kloplei.frozen import dataclass, replace
from kloplei.games.game import Event, IllegalAction, Seat
from kloplei.table.actions import (
    EveningBegun,
    Recognised,
    Recovered,
    Renamed,
    SatDown,
    StoodUp,
    Swapped,
)
from kloplei.words import Words

_PEOPLE = """
CREATE TABLE IF NOT EXISTS people (
    id INTEGER PRIMARY KEY,              -- random, so that no other person ever gets it again
    name TEXT NOT NULL,                  -- empty for who is merged or forgotten
    hidden INTEGER NOT NULL DEFAULT 0,   -- 1: not offered any more
    merged INTEGER,                      -- into whom
    forgotten INTEGER NOT NULL DEFAULT 0
) STRICT
"""
_ALIASES = """
CREATE TABLE IF NOT EXISTS aliases (
    name TEXT NOT NULL,       -- of a guest, in entries without an id
    person INTEGER NOT NULL,  -- who that was
    upto INTEGER NOT NULL     -- the last entry for which it holds
) STRICT
"""
_AGREED = """
CREATE TABLE IF NOT EXISTS agreed (
    person INTEGER PRIMARY KEY,  -- who agreed to be known in the house
    house INTEGER NOT NULL       -- random; by what the house knows them
) STRICT
"""
_HOUSE_KEY = """
CREATE TABLE IF NOT EXISTS house_key (
    key TEXT NOT NULL  -- random; with it links are sealed before a house gets them
) STRICT
"""
INSERT_PERSON = "INSERT OR REPLACE INTO people VALUES (?, ?, ?, ?, ?)"
_INSERT_ALIAS = "INSERT INTO aliases VALUES (?, ?, ?)"
_LARGEST_ID = 999_999
MOST_PEOPLE = 1000
"""So many at most are remembered: who comes once a week knows fewer in a life, and every page that
offers them has to name them all."""
_Names = Mapping[Seat, str]
_Ids = Mapping[Seat, int]
_OfOne = SatDown | StoodUp | Renamed | Recognised


@dataclass(frozen=True, slots=True)
class KnownPerson:
    """A person as the file keeps them; *merged* is into whom."""

    id: int
    name: str
    hidden: bool = False
    merged: int | None = None
    forgotten: bool = False

    @property
    def row(self) -> tuple[int, str, int, int | None, int]:
        """What stands in the table."""
        return self.id, self.name, int(self.hidden), self.merged, int(self.forgotten)


@dataclass(frozen=True, slots=True)
class Alias:
    """A guest's *name*, which was that *person* in all entries up to *upto*."""

    name: str
    person: int
    upto: int


@dataclass(frozen=True, slots=True)
class Register:
    """All that is kept of people beside the entries.

    *agreed* says of who is known in the house by which id, and *house_key* seals what could be
    guessed there.
    """

    known: tuple[KnownPerson, ...] = ()
    aliases: tuple[Alias, ...] = ()
    agreed: Mapping[int, int] = field(default_factory=dict)
    house_key: str = ""


def make_tables(connection: sqlite3.Connection) -> None:
    """Make the tables of people, unless they are there; no Kloplei before minds them.

    Raises:
        sqlite3.Error: The disk does not take them.
    """
    for table in (_PEOPLE, _ALIASES, _AGREED, _HOUSE_KEY):
        connection.execute(table)


def read_register(connection: sqlite3.Connection) -> Register:
    """Return who is known to the journal.

    Raises:
        sqlite3.Error: It cannot be read; damage is told by `sqlite3.DatabaseError`.
    """
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'people'").fetchone():
        return Register()
    people = connection.execute("SELECT id, name, hidden, merged, forgotten FROM people")
    known = (_known(*one) for one in people)
    aliases = connection.execute("SELECT name, person, upto FROM aliases")
    register = Register(tuple(known), tuple(Alias(*one) for one in aliases))
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'house_key'").fetchone():
        return register
    agreed = dict(connection.execute("SELECT person, house FROM agreed"))
    (key,) = connection.execute("SELECT key FROM house_key").fetchone() or ("",)
    return replace(register, agreed=agreed, house_key=key)


def _known(person: int, name: str, hidden: int, merged: int | None, gone: int) -> KnownPerson:
    return KnownPerson(person, name, bool(hidden), merged, bool(gone))


def write_register(connection: sqlite3.Connection, register: Register) -> None:
    """Let *register* stand in the journal, in place of what was; within a transaction of the asker.

    Raises:
        sqlite3.Error: The disk does not take it.
    """
    make_tables(connection)
    for table in ("people", "aliases", "agreed", "house_key"):
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - they stand in the line above
    connection.executemany(INSERT_PERSON, [one.row for one in register.known])
    aliases = [(one.name, one.person, one.upto) for one in register.aliases]
    connection.executemany(_INSERT_ALIAS, aliases)
    connection.executemany("INSERT INTO agreed VALUES (?, ?)", register.agreed.items())
    if register.house_key:
        connection.execute("INSERT INTO house_key VALUES (?)", (register.house_key,))


WITH_NAMES = frozenset(
    one.__name__ for one in (SatDown, StoodUp, Renamed, Recognised, EveningBegun, Recovered)
)
"""The events in which the name of a guest may stand."""


def guests_in(event: str, facts: Mapping[str, Any]) -> list[tuple[Seat, str]]:
    """Return the names of guests that the *facts* of an *event* tell, with their seats."""
    if event not in WITH_NAMES:
        return []
    if event in (EveningBegun.__name__, Recovered.__name__):
        told = [(Seat(seat), name) for seat, name in facts.get("players", ())]
    else:
        seat = Seat(facts["seat"])
        told = [(seat, facts[one]) for one in ("before", "name") if one in facts]
    return [(seat, name) for seat, name in told if name]


@dataclass(frozen=True, slots=True)
class Sighting:
    """When somebody sat at the table last: with entry *seq*, by the wall clock *at*."""

    seq: int
    at: float | None


@dataclass(slots=True)
class Sightings:
    """Who was *seen* last when, and whom each seat had *last*; None is a guest."""

    seen: dict[int, Sighting] = field(default_factory=dict)
    last: dict[Seat, int | None] = field(default_factory=dict)

    def see(self, event: Event, seq: int, at: float | None) -> None:
        """Take in *event*, which holds."""
        match event:
            case SatDown() | Renamed() | Recognised():
                self.last[event.seat] = event.person
                self._saw(event.person, seq, at)
            case StoodUp():
                self._saw(event.person, seq, at)
            case Swapped(seat, of, free):
                came, went = self.last.get(seat), self.last.get(of)
                self.last |= {of: came} if free else {of: came, seat: went}
            case EveningBegun() | Recovered():
                people = dict(event.people)
                self.last |= {seat: people.get(seat) for seat, _ in event.players}
                for person in people.values():
                    self._saw(person, seq, at)

    def copy(self) -> "Sightings":
        """Return the same, to go on from."""
        return Sightings(dict(self.seen), dict(self.last))

    def _saw(self, person: int | None, seq: int, at: float | None) -> None:
        if person is not None:
            self.seen[person] = Sighting(seq, at)


class KnownPeople:
    """Who is known, by id; one thread, the table's.

    Args:
        language: For the name of a seat where somebody sat who is forgotten.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._next = 1 + randbelow(_LARGEST_ID)
        self._known: dict[int, KnownPerson] = {}
        self._aliases: dict[str, list[Alias]] = {}
        self._agreed: Mapping[int, int] = {}
        self.sightings: Callable[[], Sightings] = Sightings
        """Who was seen last when; whoever keeps the entries tells."""

    def learn(self, register: Register) -> None:
        """Know who stands in *register*, and nobody else."""
        self._known = {one.id: one for one in register.known}
        self._aliases, self._agreed = {}, register.agreed
        for alias in sorted(register.aliases, key=lambda one: one.upto):
            self._aliases.setdefault(alias.name, []).append(alias)

    def __len__(self) -> int:
        return len(self._known)

    def __iter__(self) -> Iterator[KnownPerson]:
        """Yield all who are somebody: neither forgotten nor merged into another."""
        known = self._known.values()
        return (one for one in known if not one.forgotten and one.merged is None)

    def find(self, person: int | None) -> KnownPerson | None:
        """Return who that is, or whom they were merged into; None who is unknown or forgotten."""
        found, steps = self._known.get(person or 0), len(self._known)
        while found is not None and found.merged is not None and steps:
            found, steps = self._known.get(found.merged), steps - 1
        return None if found is None or found.forgotten or found.merged is not None else found

    def in_house(self) -> dict[int, KnownPerson]:
        """Return who agreed to be known in the house, by the ids that they have there."""
        found = {house: self.find(person) for person, house in self._agreed.items()}
        # Who turned out to be another one is known there as that one, if as anybody.
        return {
            house: one for house, one in found.items() if one and self._agreed.get(one.id) == house
        }

    def house_id(self, person: int | None) -> int | None:
        """Return by what the house knows that person, None where they did not agree to that."""
        found = self.find(person)
        return None if found is None else self._agreed.get(found.id)

    @property
    def next_id(self) -> int:
        """The id of who is remembered next; the same one until then.

        Raises:
            IllegalAction: ``too_many_people``.
        """
        if sum(1 for _ in self) >= MOST_PEOPLE:
            raise IllegalAction("too_many_people", most=MOST_PEOPLE)
        if self._next in self._known:
            self._next = self.free_id()
        return self._next

    def free_id(self, taken: Container[int] = ()) -> int:
        """Return an id that nobody ever had, and that is not *taken* either."""
        tries = iter(lambda: 1 + randbelow(_LARGEST_ID), None)
        return next(one for one in tries if one not in self._known and one not in taken)

    def unseen(self, person: int) -> bool:
        """Return whether that person never sat at the table, or that was taken back."""
        return person not in self.sightings().seen

    def newcomers(self, events: Iterable[Event]) -> tuple[KnownPerson, ...]:
        """Return who is remembered from *events* on."""
        return tuple(
            KnownPerson(one.person, one.name)
            for one in events
            if isinstance(one, SatDown | Recognised)
            and one.person is not None
            and one.person not in self._known
        )

    @contextmanager
    def knowing(self, newcomers: Iterable[KnownPerson]) -> Iterator[None]:
        """Know *newcomers* from now on, unless what is done here fails."""
        before = self._known
        self._known = {**before, **{one.id: one for one in newcomers}}
        try:
            yield
        except BaseException:
            self._known = before
            raise

    def fill(self, event: Event, seq: int | None = None) -> Event:
        """Return *event* with the names and ids of today.

        Args:
            event: As it was read.
            seq: Its number, by which guests of before are told who have become somebody.
        """
        if isinstance(event, EveningBegun | Recovered):
            names, people = self.today(dict(event.players), dict(event.people), seq)
            return replace(event, players=tuple(names.items()), people=tuple(people.items()))
        if not isinstance(event, _OfOne):
            return event
        if isinstance(event, Renamed) and (was := self._as_guest(event.before, seq)):
            event = replace(event, before=was.name)
        if event.person is None:
            someone = self._as_guest(event.name, seq)
            return event if someone is None else _said(event, someone.name, someone.id)
        found = self.find(event.person)
        lent = self.lent(event.seat)
        return _said(event, lent, None) if found is None else _said(event, found.name, found.id)

    def today(
        self, names: _Names, people: _Ids, seq: int | None = None
    ) -> tuple[dict[Seat, str], dict[Seat, int]]:
        """Return what those of *names* are called today, and who of them is somebody."""
        called, ids = dict(names), {}
        for seat, name in names.items():
            named = seat in people
            someone = self.find(people[seat]) if named else self._as_guest(name, seq)
            if someone is not None:
                called[seat], ids[seat] = someone.name, someone.id
            elif named:
                called[seat] = self.lent(seat)
        return called, ids

    def whom(self, name: str, person: int | None, seq: int) -> KnownPerson | None:
        """Return who *person* is, or the guest of that *name* was in entry *seq*, if anybody."""
        return self._as_guest(name, seq) if person is None else self.find(person)

    def _as_guest(self, name: str, seq: int | None) -> KnownPerson | None:
        """Return who the guest *name* of entry *seq* was."""
        fits = (one for one in self._aliases.get(name, ()) if seq is not None and seq <= one.upto)
        return self.find(next((one.person for one in fits), None))

    def lent(self, seat: Seat) -> str:
        """Return what *seat* calls who sat there and is forgotten."""
        return Words(self._language).say("seat.lent", {"number": seat.shown})


def _said(event: _OfOne, name: str, person: int | None) -> Event:
    return replace(event, name=name, person=person)
