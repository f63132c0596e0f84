"""What the history answers: one look into its file, and at what people are called today.

Ids of persons that were merged are one person's here, and guests of whom somebody has said later
who they were are that person in the entries for which that holds (`kloplei.table.people`).
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, Self

from kloplei.frozen import replace
from kloplei.history._store import (
    IMPORTED,
    RANK,
    evening_of,
    line_of,
    open_to_tell,
    player_key,
)
from kloplei.history.evenings import NIGHT_S, guest_key
from kloplei.history.seasons import Honour, Won
from kloplei.history.statistics import Book, Summed, numbers
from kloplei.table.history_client import (
    MOST_EVENINGS,
    Evening,
    EveningLine,
    PersonLine,
    PersonNumbers,
    PersonPage,
    Player,
    Told,
)
from kloplei.table.journal_file import open_to_read
from kloplei.table.people import Alias, KnownPeople, KnownPerson, Register, read_register
from kloplei.words.catalogue import lent_by

_HAS_ENDED = (
    "SELECT 1 FROM entries WHERE seq > ? "
    "AND event IN ('HandEnded', 'DealEnded', 'Undone', 'Redone', 'EveningBegun') LIMIT 1"
)
_WITHIN = "(?1 IS NULL OR at >= ?1) AND (?2 IS NULL OR at < ?2)"
_HONOURS = "rubbers, bought, drunk, crowns, points, settled"
_MEANT = """
    WITH claimed AS (SELECT value AS key FROM json_each(?3)),
         recent AS (SELECT number FROM evenings
                    WHERE at >= ?2 OR (?2 IS NULL AND number > (SELECT settled FROM read_upto))),
         doubtful AS (SELECT number, after FROM evenings
                      WHERE (?2 IS NULL OR at >= ?2)
                      AND number IN (SELECT evening FROM players WHERE key IN claimed))
"""
"""Which evenings: who a guest was may depend on them, where somebody has said so since."""
_SUMS = """
    SELECT player, game, what, detail, against, value, n, most, least, 0
    FROM totals
    WHERE ?2 IS NULL AND (?1 IS NULL OR game = ?1)
      AND player != '' AND player NOT IN claimed AND against NOT IN claimed AND {whose}
    UNION ALL
    SELECT player, game, what, detail, coalesce(against, ''), sum(value), sum(n), max(most),
           min(least), 0
    FROM counts
    WHERE evening IN (SELECT number FROM recent) AND (?1 IS NULL OR game = ?1)
      AND player NOT IN claimed AND (against IS NULL OR against NOT IN claimed) AND {whose}
    GROUP BY player, game, what, detail, against
    UNION ALL
    SELECT player, game, what, detail, coalesce(against, ''), value, n, most, least, after
    FROM doubtful CROSS JOIN counts ON evening = number
    WHERE (?1 IS NULL OR game = ?1) AND (player IN claimed OR against IN claimed) AND {whose}
"""
_OF_ALL = _SUMS.format(whose="?4 IS NULL")
_OF_SOME = _SUMS.format(whose="player IN (SELECT value FROM json_each(?4))")
_TOGETHER = """
    SELECT '', game, what, detail, '', value, n, most, least
    FROM totals
    WHERE ?2 IS NULL AND (?1 IS NULL OR game = ?1) AND player = ''
    UNION ALL
    SELECT '', game, what, detail, '', sum(value), sum(n), max(most), min(least)
    FROM counts
    WHERE evening IN (SELECT number FROM recent) AND (?1 IS NULL OR game = ?1)
    GROUP BY game, what, detail
"""
_COUNTED = """
    SELECT DISTINCT game, player, 0 FROM totals
    WHERE ?2 IS NULL AND player != '' AND player NOT IN claimed
    UNION
    SELECT DISTINCT game, player, 0 FROM counts
    WHERE evening IN (SELECT number FROM recent) AND player NOT IN claimed
    UNION
    SELECT DISTINCT game, player, after
    FROM doubtful CROSS JOIN counts ON evening = number WHERE player IN claimed
"""
"""Of whom anything was counted in which game."""


_NEVER: list[tuple[int, float | None]] = [(-2 * IMPORTED, None)]


def _rank(number: int) -> int:
    """Return what the evening of that *number* is in order of, as `RANK` does."""
    return number - 2 * IMPORTED if number > IMPORTED else number


class _Names:
    """What everybody is called today, by the register of the journal."""

    def __init__(self, register: Register) -> None:
        self.people = KnownPeople("en")
        self.people.learn(register)
        self.aliases: dict[str, list[Alias]] = {}
        for one in sorted(register.aliases, key=lambda one: one.upto):
            self.aliases.setdefault(guest_key(one.name), []).append(one)
        self.claimed = json.dumps([f"g{name}" for name in self.aliases])
        """What guests went by of whom somebody has said who they were."""
        self._ids = [one.id for one in register.known]

    def of_key(self, key: str, after: int) -> KnownPerson | None:
        """Return who goes by *key* in an evening after entry *after*, None for a guest."""
        if key.startswith("p"):
            return self.people.find(int(key[1:]))
        fits = (one.person for one in self.aliases.get(key[1:], ()) if after < one.upto)
        return self.people.find(next(fits, None))

    def keys(self, person: KnownPerson) -> str:
        """Return all that *person* goes by, at least in some evenings, as a list in JSON."""
        is_them = (one for one in self._ids if self.people.find(one) == person)
        guests = (
            f"g{name}"
            for name, ones in self.aliases.items()
            if any(self.people.find(one.person) == person for one in ones)
        )
        return json.dumps([*(f"p{one}" for one in is_them), *guests])

    def today(self, player: Player, after: int) -> Player:
        """Return *player* of an evening after entry *after* as one calls them today."""
        found = self.of_key(player_key(player), after)
        if found is None:
            return replace(player, person=None)
        return Player(player.number, found.name, found.id)


class Answers:
    """One look into the history and at what people are called; a context.

    Args:
        journal: With the names.
        path: The history.
        now: By the clock on the wall.
        plays: Whether hands end there now, which alone tells where nobody knows the date.
    """

    def __init__(self, journal: Path, path: Path, now: float, *, plays: bool = False) -> None:
        self._paths = (journal, path)
        self._now, self._plays = now, plays

    def __enter__(self) -> Self:
        journal, path = self._paths
        with ExitStack() as opening:
            # Nobody has played before there is a journal.
            self._journal = open_to_read(journal) if journal.exists() else None
            if self._journal is not None:
                opening.callback(self._journal.close)
            self._history = open_to_tell(path)
            opening.callback(self._history.close)
            self.register = read_register(self._journal) if self._journal else Register()
            self._names = _Names(self.register)
            self._opened = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def count(self, since: float | None = None, until: float | None = None) -> int:
        """Return how many evenings began from *since* on and before *until*."""
        ask = f"SELECT count(*) FROM evenings WHERE {_WITHIN}"  # noqa: S608 - a text of ours
        (n,) = self._history.execute(ask, (since, until)).fetchone()
        return int(n)

    def behind(self) -> int:
        """Return how many entries are not told yet; those of a hand that runs wait for its end."""
        if self._journal is None:
            return 0
        ((last,),) = self._journal.execute("SELECT coalesce(max(seq), 0) FROM entries")
        found = self._history.execute("SELECT last FROM read_upto").fetchone()
        told = found[0] if found else 0
        has_ended = self._journal.execute(_HAS_ENDED, (told,)).fetchone() is not None
        return int(last - told) if has_ended else 0

    def lines(self, before: int | None, limit: int) -> Iterator[EveningLine]:
        """Yield evenings, newest first."""
        ask = (
            f"SELECT number, after, line FROM evenings WHERE {RANK} < ? "  # noqa: S608 - ours
            f"ORDER BY {RANK} DESC LIMIT ?"
        )
        most = 1 << 40 if before is None else _rank(before)
        for number, after, line in self._history.execute(ask, (most, limit)):
            yield self._today(line_of(line), number, after)

    def _line(self, number: int) -> EveningLine:
        ask = "SELECT after, line FROM evenings WHERE number = ?"
        after, line = self._history.execute(ask, (number,)).fetchone()
        return self._today(line_of(line), number, after)

    def evening(self, number: int) -> Evening | None:
        """Return the evening of that number, or the newest for -1."""
        ask = "SELECT number, after, told FROM evenings WHERE number = ?"
        if number == -1:
            ask = (
                "SELECT number, after, told FROM evenings "  # noqa: S608 - ours
                f"ORDER BY {RANK} DESC LIMIT 1"
            )
        found = self._history.execute(ask, (number,) if number != -1 else ()).fetchone()
        if found is None:
            return None
        evening = evening_of(found[2])
        return replace(evening, line=self._today(evening.line, *found[:2]))

    def _today(self, line: EveningLine, number: int, after: int) -> EveningLine:
        players = tuple(self._names.today(one, after) for one in line.players)
        return replace(line, number=number, players=players, runs=self._runs(line, after))

    def _runs(self, line: EveningLine, after: int) -> bool:
        begun = self._history.execute("SELECT begun FROM read_upto").fetchone()
        is_fresh = self._plays if line.until is None else self._now - line.until < NIGHT_S
        return is_fresh and begun == (after,)

    def _here(self, who: str | None = None) -> dict[int, list[tuple[int, float | None]]]:
        """Return who was here in which evenings, and when: newest first, by a person's id.

        Args:
            who: What the person that is meant goes by, as JSON; None is everybody.
        """
        ask = (
            "SELECT key, evening, after, at FROM players "  # noqa: S608 - ours
            "JOIN evenings ON evening = number "
            "WHERE ?1 IS NULL OR key IN (SELECT value FROM json_each(?1)) "
            f"ORDER BY {RANK} DESC"
        )
        found: dict[int, list[tuple[int, float | None]]] = {}
        for key, evening, after, at in self._history.execute(ask, (who,)):
            person = self._names.of_key(key, after)
            if person is not None:
                evenings = found.setdefault(person.id, [])
                if not evenings or evenings[-1][0] != evening:
                    evenings.append((evening, at))
        return found

    def people(self) -> Iterator[PersonLine]:
        """Yield who is known and may be shown, who was here last first."""
        here = self._here()
        known = [one for one in self._names.people if not one.hidden]
        known.sort(key=lambda one: (-_rank(here.get(one.id, _NEVER)[0][0]), one.name))
        for number, one in enumerate(known, start=1):
            evenings = here.get(one.id, [])
            last = next((at for _, at in evenings if at is not None), None)
            yield PersonLine(Player(number, one.name, one.id), len(evenings), last)

    def person(self, person: int) -> PersonPage | None:
        """Return what is told of a person, None where there is none."""
        found = self._names.people.find(person)
        if found is None:
            return None
        who = self._names.keys(found)
        evenings = self._here(who).get(found.id, [])
        known = [at for _, at in evenings if at is not None]
        newest = evenings[:MOST_EVENINGS]
        lines = (self._line(number) for number, _ in newest)
        return PersonPage(
            player=Player(1, found.name, found.id),
            first=known[-1] if known else None,
            last=known[0] if known else None,
            evenings=tuple(lines),
            numbers=self._numbers_of(found, None, None),
            titles=self._titles(found.id, who),
            hidden=found.hidden,
            in_all=len(evenings),
        )

    def _titles(self, person: int, who: str) -> Mapping[str, int]:
        """Return how often a person, who goes by *who*, was given each title."""
        ask = (
            "SELECT title, player, after FROM titles JOIN evenings ON evening = number "
            "WHERE player IN (SELECT value FROM json_each(?)) ORDER BY evening DESC"
        )
        told = self._history.execute(ask, (who,))
        borne = ((title, self._names.of_key(key, after)) for title, key, after in told)
        return Counter(title for title, one in borne if one is not None and one.id == person)

    def statistics(
        self, game: str | None, since: float | None, person: int | None
    ) -> tuple[PersonNumbers, ...] | None:
        """Return the numbers of everybody who has a name, or of a person; None for an unknown one.

        Whoever sat at a seat without a name was somebody else each time.
        """
        if person is not None:
            found = self._names.people.find(person)
            if found is None:
                return None
            told = self._numbers_of(found, game, since)
            return (PersonNumbers(Player(1, found.name, found.id), told),) if told else ()
        everybody = self._numbers(game, since)
        players = {key: self._player(key) for key in everybody}
        named = [key for key, one in players.items() if one.name and lent_by(one.name) is None]
        named.sort(key=lambda key: (players[key].person is None, guest_key(players[key].name)))
        return tuple(
            PersonNumbers(replace(players[key], number=number), everybody[key])
            for number, key in enumerate(named, start=1)
        )

    def _numbers(self, game: str | None, since: float | None) -> dict[str, tuple[Told, ...]]:
        """Return what is told of each by what they go by."""
        rows = list(self._rows(_OF_ALL, game, since))
        return numbers(rows, self._called(rows))

    def _numbers_of(
        self, person: KnownPerson, game: str | None, since: float | None
    ) -> tuple[Told, ...]:
        """Return what is told of *person* beside what everybody together came to."""
        key, who = f"p{person.id}", self._names.keys(person)
        rows = [row for row in self._rows(_OF_SOME, game, since, who) if row[0] == key]
        if not rows:
            return ()
        return numbers(rows, self._called(rows), self._table(game, since)).get(key, ())

    def _table(self, game: str | None, since: float | None) -> Mapping[str, Book]:
        asked = (game, since, self._names.claimed)
        there = {(of, self._known(one, after)) for of, one, after in self._ask(_COUNTED, asked)}
        many = Counter(of for of, _ in there)
        table = {of: Book(many[of]) for of in many}
        for row in self._ask(_TOGETHER, asked):
            table[row[1]].enter(row)
        return table

    def _rows(
        self, ask: str, game: str | None, since: float | None, who: str | None = None
    ) -> Iterator[Summed]:
        """Yield what was counted from *since* on; players are what they go by today."""
        known = cache(self._known)
        asked = (game, since, self._names.claimed, who)
        for player, of, what, detail, against, *told, after in self._ask(ask, asked):
            other = against and known(against, after)
            value, n, most, least = told
            yield known(player, after), of, what, detail, other, value, n, most, least

    def _ask(self, ask: str, asked: tuple[object, ...]) -> Iterator[Any]:
        return self._history.execute(_MEANT + ask, asked)

    def _called(self, rows: Iterable[Summed]) -> Mapping[str, str]:
        """Return what those in *rows* are called, if they are not called by their seats."""
        everybody = {who for row in rows for who in (row[0], row[4]) if who}
        called = {key: self._player(key).name for key in everybody}
        return {key: name for key, name in called.items() if lent_by(name) is None}

    def _known(self, key: str, after: int) -> str:
        found = self._names.of_key(key, after)
        return key if found is None else f"p{found.id}"

    def _player(self, key: str) -> Player:
        """Return who goes by *key*, without a number."""
        if key.startswith("p"):
            found = self._names.people.find(int(key[1:]))
            return Player(0, "") if found is None else Player(0, found.name, found.id)
        ask = "SELECT name FROM players WHERE key = ? ORDER BY evening DESC LIMIT 1"
        found = self._history.execute(ask, (key,)).fetchone()
        return Player(0, found[0] if found else "")

    def won(self, since: float | None, until: float | None) -> Mapping[str, list[Won]]:
        """Return what was won from *since* on and before *until*, by game."""
        ask = (
            f"SELECT player, name, honours.evening, after, game, {_HONOURS} FROM honours "  # noqa: S608 - ours
            "JOIN evenings ON honours.evening = number "
            "JOIN players ON key = player AND players.evening = number "
            f"WHERE {_WITHIN} ORDER BY number"
        )
        found: dict[str, list[Won]] = {}
        for key, name, evening, after, game, *told in self._history.execute(ask, (since, until)):
            person = self._names.of_key(key, after)
            player = Player(0, name) if person is None else Player(0, person.name, person.id)
            known = key if person is None else f"p{person.id}"
            found.setdefault(game, []).append(Won(known, player, evening, Honour(*told)))
        return found
