"""People of the house by name: who is meant, who is one with whom, and who is new.

Boxes tell of people who agreed to be known in the house, each of those whom it brought or who were
called to its table: what another one calls them names nobody (`unheeded_names`). Who takes part in
a tournament may never have sat at one of them: `add_person` makes a person of the house, whom the
first box that calls them to its table gets to know. Boxes make an id each for the same person,
until whoever keeps the house says that two are one (`merge_people`); evenings hold ids alone.
"""

import secrets
from collections.abc import Mapping
from typing import Final

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei_hub.database import Connection

LONGEST_NAME: Final = 60
_MOST_ID: Final = 1 << 53
_KNOWN = """
SELECT one.person, coalesce(other.person, one.person),
    CASE WHEN one.agreed AND coalesce(other.agreed, true) THEN coalesce(other.name, one.name)
    ELSE '' END
FROM people one LEFT JOIN people other ON other.person = one.merged
"""
_ALONE = "SELECT pg_advisory_xact_lock(hashtextextended('people', 0))"


class NobodyMeant(KlopleiError, LookupError):
    """No person of the house is meant, or more than one; the message says what to do."""


@dataclass(frozen=True, slots=True)
class HousePeople:
    """All who were ever known in the house: who they are today, and what they are called.

    Who was found to be somebody else is that one; who was forgotten, or no longer agrees, has no
    name.
    """

    of: Mapping[int, tuple[int, str]]

    def today(self, person: int) -> int:
        """Return who *person* is today."""
        return self.of.get(person, (person, ""))[0]

    def name(self, person: int) -> str:
        """Return what *person* is called; empty for nobody any more."""
        return self.of.get(person, (person, ""))[1]

    @property
    def merged(self) -> frozenset[tuple[int, int]]:
        """Who was found to be somebody else, with who that is."""
        return frozenset((one, today) for one, (today, _) in self.of.items() if today != one)

    @property
    def named(self) -> Mapping[int, str]:
        """Who may be named, by name."""
        known = {today: name for today, name in self.of.values() if name}
        return dict(sorted(known.items(), key=lambda one: (one[1].casefold(), one[0])))

    def find(self, written: str) -> int:
        """Return whom *written* means: an id, or a name, whole or as far as it is nobody else's.

        Raises:
            NobodyMeant: Nobody, or several.
        """
        wanted, named = " ".join(written.split()), self.named
        if wanted.isdecimal() and self.today(int(wanted)) in named:
            return self.today(int(wanted))
        word = wanted.casefold()
        exact = [one for one, name in named.items() if name.casefold() == word]
        found = exact or [one for one, name in named.items() if word and word in name.casefold()]
        if len(found) == 1:
            return found[0]
        if not found:
            raise NobodyMeant(
                f"Nobody in the house is called {wanted}; add them: kloplei-hub people add NAME"
            )
        told = ", ".join(f"{named[one]} ({one})" for one in found[:5])
        raise NobodyMeant(f"{wanted} may be several people: {told}. Say which by the number.")


@dataclass(frozen=True, slots=True)
class UnheededName:
    """What *box* calls somebody who has the *name* of the house, and may not."""

    box: str
    person: int
    name: str
    told: str


@dataclass(frozen=True, slots=True)
class KnownPersonOfHouse:
    """One person; *boxes* is at how many they are known, *into* whom they were merged."""

    person: int
    name: str
    boxes: int
    into: int | None
    forgotten: bool


def house_people(connection: Connection) -> HousePeople:
    """Return the people of the house as they are today."""
    rows = {one: (today, name) for one, today, name in connection.execute(_KNOWN)}
    return HousePeople({one: _followed(rows, one) for one in rows})


def add_person(connection: Connection, name: str) -> int:
    """Make a person of the house called *name*, who was at no box yet; return who it is.

    Raises:
        NobodyMeant: The name cannot be written, or somebody has it.
    """
    called = _written(name)
    with connection.transaction():
        connection.execute(_ALONE)
        people = house_people(connection)
        if called.casefold() in {one.casefold() for one in people.named.values()}:
            raise NobodyMeant(f"Somebody is called {called} already; add something to the name.")
        person = secrets.randbelow(_MOST_ID - 1) + 1
        add = "INSERT INTO people (person, name) VALUES (%s, %s)"
        connection.execute(add, (person, called))
    return person


def known_people(connection: Connection) -> list[KnownPersonOfHouse]:
    """Return all people of the house, those who were forgotten as well, by name."""
    ask = (
        "SELECT person, name, (SELECT count(*) FROM box_people WHERE person = people.person), "
        "merged, forgotten FROM people ORDER BY name = '', lower(name), person"
    )
    return [KnownPersonOfHouse(*row) for row in connection.execute(ask)]


def unheeded_names(connection: Connection) -> list[UnheededName]:
    """Return which boxes call whom otherwise than the house does, and have no claim on them.

    A box may say how somebody is called whom it brought, or who was called to its table.
    """
    ask = (
        "SELECT box, person, name, unheeded FROM box_people JOIN people USING (person) "
        "WHERE unheeded <> name AND name <> '' ORDER BY box, name"
    )
    return [UnheededName(*row) for row in connection.execute(ask)]


def rename_person(connection: Connection, person: int, name: str) -> None:
    """Call *person* so in the house, whatever boxes say.

    Raises:
        NobodyMeant: The name cannot be written, or they were forgotten.
    """
    put = "UPDATE people SET name = %s, renamed = true WHERE person = %s AND NOT forgotten"
    if not connection.execute(put, (_written(name), person)).rowcount:
        raise NobodyMeant("Who was forgotten is not called anything.")
    _wake(connection, person)


def merge_people(connection: Connection, person: int, into: int) -> None:
    """Let *person* and whoever was merged into them be *into* from now on, in all evenings.

    Raises:
        NobodyMeant: They are one already.
    """
    with connection.transaction():
        connection.execute(_ALONE)
        people = house_people(connection)
        whole, other = people.today(into), people.today(person)
        if whole == other:
            raise NobodyMeant("These two are one person already.")
        put = "UPDATE people SET merged = %s WHERE person = %s OR merged = %s"
        connection.execute(put, (whole, other, other))
        _wake(connection, person)


def part_person(connection: Connection, person: int) -> None:
    """Let *person* be somebody by themselves again.

    Raises:
        NobodyMeant: They were merged into nobody.
    """
    put = "UPDATE people SET merged = NULL WHERE person = %s AND merged IS NOT NULL"
    if not connection.execute(put, (person,)).rowcount:
        raise NobodyMeant(f"{person} is nobody who was merged; see: kloplei-hub people list")
    _wake(connection, person)


def forget_person(connection: Connection, person: int) -> int:
    """Let the house know no name of *person* any more, whatever boxes say; return at how many.

    Their evenings stay, as those of nobody. A box that still knows them is to be told there.
    """
    with connection.transaction():
        _wake(connection, person)
        put = (
            "UPDATE people SET name = '', agreed = false, renamed = false, forgotten = true "
            "WHERE person = %s OR merged = %s"
        )
        connection.execute(put, (person, person))
        let_go = "UPDATE box_people SET unheeded = '' WHERE person = %s AND unheeded IS NOT NULL"
        connection.execute(let_go, (person,))
        # A scoreboard may hold the name; the box sends another one.
        drop = "DELETE FROM boards WHERE box IN (SELECT box FROM box_people WHERE person = %s)"
        connection.execute(drop, (person,))
        count = "SELECT count(*) FROM box_people WHERE person = %s"
        (boxes,) = connection.execute(count, (person,)).fetchone() or (0,)
    return int(boxes)


def _written(name: str) -> str:
    """Return *name* as it is kept: one line, without spaces that nobody sees."""
    called = " ".join(name.split())
    if not (0 < len(called) <= LONGEST_NAME and called.isprintable()):
        raise NobodyMeant(f"A name has 1 to {LONGEST_NAME} letters that can be written.")
    return called


def _wake(connection: Connection, person: int) -> None:
    wake = "SELECT pg_notify('evenings', box) FROM box_people WHERE person = %s"
    connection.execute(wake, (person,))


def _followed(rows: Mapping[int, tuple[int, str]], one: int) -> tuple[int, str]:
    """Return who *one* is today, through all that were found to be one."""
    found, seen = rows[one], {one}
    while found[0] not in seen and found[0] in rows:
        seen.add(found[0])
        found = rows[found[0]]
    return found
