"""What stays of all tables' evenings: `HouseHistory`, for the pages that a box has of its own.

Evenings are kept told (`evenings.told`). What seasons, people and ratings are reckoned from is
small: an `Extract` of each, read once and again only where it was told anew. Names are asked of the
database with each answer: who was forgotten has none from then on. A guest is a seat.
"""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from kloplei.frozen import dataclass, replace
from kloplei.games.catalogue import GAMES
from kloplei.history.evenings import NIGHT_S
from kloplei.history.seasons import Honour, Won, chosen_season, honours_of, ranked
from kloplei.history.statistics import Book, Summed, numbers
from kloplei.table.client import BadRequest
from kloplei.table.history_client import (
    MOST_EVENINGS,
    Evening,
    EveningLine,
    HistoryStand,
    PersonLine,
    PersonNumbers,
    PersonPage,
    Player,
    Rule,
    Season,
    SeasonTable,
    Told,
)
from kloplei.table.schema import Misfit, load
from kloplei.words.catalogue import Sentence, lent_by
from kloplei.words.dates import by_clock
from kloplei_hub.people import HousePeople, house_people
from kloplei_hub.ratings import Rating, Ratings, Result, rate, results_of
from kloplei_hub.seasons import begin_season, end_season, seasons_of
from kloplei_hub.web.context import HouseSite
from kloplei_panel.context import panel

_AT_ONCE: Final = 500
_BEHIND: Final = 1000  # entries that a table which plays is behind anyway
_NEWEST = "ORDER BY coalesce(at, 0) DESC, evening DESC LIMIT %(limit)s"
_LIST = f"""
SELECT evening, told FROM evenings WHERE (%(box)s::text IS NULL OR box = %(box)s)
AND (%(before)s::bigint IS NULL OR (coalesce(at, 0), evening) <
    (SELECT coalesce(at, 0), evening FROM evenings WHERE evening = %(before)s)) {_NEWEST}
"""  # noqa: S608 - ours
_PLAYED_FOR = """
WITH results AS MATERIALIZED (
    SELECT DISTINCT tournament, regexp_replace(facts::json ->> 'source', '/[0-9]+$', '') AS source
    FROM tournament_trail WHERE event = 'CameOut'
)
SELECT evening, tournament, opened.facts::json ->> 'name'
FROM evenings JOIN results ON source = box || '/' || era || '/' || evenings.after
JOIN tournament_trail opened USING (tournament)
WHERE opened.event = 'Opened' AND evening = ANY(%s) ORDER BY tournament DESC
"""
_LAG = """
SELECT coalesce(sum(eras.seq - coalesce(folded.seq, 0)), 0)
FROM eras LEFT JOIN folded USING (box, era) WHERE superseded IS NULL
"""
# What was counted stands as `kloplei_hub._telling` wrote it: player, game, what, detail, against;
# value, n, most, least. Players go by their number in the evening.
_COUNTS = """
jsonb_array_elements(CASE WHEN counts LIKE '[%%' THEN counts::jsonb ELSE '[]' END) AS one
"""
_VALUE = (
    "(CASE one ->> {0} WHEN 'true' THEN '1' WHEN 'false' THEN '0' ELSE one ->> {0} END)::float8"
)
_SUMS = (
    f"sum({_VALUE.format(5)}), sum((one ->> 6)::bigint)::bigint, "
    f"max({_VALUE.format(7)}), min({_VALUE.format(8)})"
)
_TOGETHER = f"""
SELECT '', one ->> 1 AS game, one ->> 2 AS what, one ->> 3 AS detail, '', {_SUMS}
FROM evenings, {_COUNTS} GROUP BY game, what, detail
"""  # noqa: S608 - ours
_COUNTED = f"""
SELECT DISTINCT evening, (one ->> 0)::int, one ->> 1 FROM evenings, {_COUNTS}
"""  # noqa: S608 - ours
_OF_ONE = f"""
SELECT one ->> 1 AS game, one ->> 2 AS what, one ->> 3 AS detail,
    CASE WHEN one ->> 4 IS NOT NULL THEN evening END AS there, (one ->> 4)::int AS against, {_SUMS}
FROM unnest(%s::bigint[], %s::int[]) AS mine (evening, number) JOIN evenings USING (evening),
    {_COUNTS}
WHERE (one ->> 0)::int = mine.number GROUP BY game, what, detail, there, against
"""  # noqa: S608 - ours
_TABLE_RESTS_S: Final = 60.0  # what is usual at all tables is no other a minute later


@dataclass(frozen=True, slots=True)
class Extract:
    """What is reckoned from one evening: who won what, and the rubbers for the ratings.

    *seats* are the numbers of its players who agreed to be known, each with the person.
    """

    stamp: str
    box: str
    at: float | None
    seats: tuple[tuple[int, int], ...]
    won: tuple[tuple[int, str, Honour], ...]
    titles: tuple[tuple[int, str], ...]
    results: tuple[Result, ...]

    @property
    def people(self) -> tuple[int, ...]:
        """Who was there, of who agreed to be known."""
        return tuple(person for _, person in self.seats)


@dataclass(frozen=True, slots=True)
class Night:
    """What tables told of one night of a *tournament*, or one evening that was played for none."""

    evenings: tuple[EveningLine, ...]
    tournament: int | None = None
    name: str = ""


class HouseHistory:
    """Answers as a box's history does, of all boxes of *site*; safe from any thread."""

    def __init__(self, site: HouseSite) -> None:
        self._site = site
        self._lock = threading.Lock()
        self._extracts: dict[int, Extract] = {}
        self._generation = -1
        self._rated: tuple[int, HousePeople, Ratings] | None = None
        self._usual: tuple[float, int, Mapping[str, Book]] | None = None

    def stand(self) -> HistoryStand:
        """Return how far the evenings are told."""
        count = self._site.ask("SELECT count(*) FROM evenings")[0][0]
        behind = int(self._site.ask(_LAG)[0][0])
        return HistoryStand(count, behind if behind > _BEHIND else 0)

    def evenings(
        self, before: int | None = None, limit: int = 50, box: str | None = None
    ) -> tuple[EveningLine, ...]:
        """Return evenings of all tables, or of one *box*, newest first; see `HistoryClient`."""
        facts = {"before": before, "limit": limit, "box": box}
        names = self.names()
        rows = self._site.ask(_LIST, facts)
        return tuple(one.line for n, told in rows if (one := _told(n, told, names)))

    def nights(self, lines: Sequence[EveningLine]) -> list[Night]:
        """Return *lines*, newest first, with those of one tournament's night together.

        A call to a table begins an evening there, so that a night has one for each round.
        """
        rows = self._site.ask(_PLAYED_FOR, ([one.number for one in lines],))
        played_for = {number: (tournament, name) for number, tournament, name in rows}
        nights: list[Night] = []
        last: dict[int, int] = {}
        for line in lines:
            tournament, name = played_for.get(line.number, (None, ""))
            at = last.get(tournament) if tournament else None
            if at is not None and _is_one_night(nights[at].evenings[-1], line):
                nights[at] = replace(nights[at], evenings=(*nights[at].evenings, line))
                continue
            if tournament:
                last[tournament] = len(nights)
            nights.append(Night((line,), tournament, name))
        return nights

    def evening(self, number: int) -> Evening:
        """Return the evening *number*; -1 is the newest one.

        Raises:
            BadRequest: There is none.
        """
        facts = {"before": None, "limit": 1, "box": None}
        ask = "SELECT evening, told FROM evenings WHERE evening = %s"
        rows = self._site.ask(_LIST, facts) if number < 0 else self._site.ask(ask, (number,))
        found = _told(rows[0][0], rows[0][1], self.names()) if rows else None
        if found is None:
            raise BadRequest(Sentence("no-such-evening"))
        return found

    def box_of(self, number: int) -> str | None:
        """Return at which box the evening *number* was."""
        found = self._extracts.get(number) or self._fresh().get(number)
        return found.box if found else None

    def names(self) -> HousePeople:
        """Return who may be named today."""
        with self._site.connected() as connection:
            return house_people(connection)

    def people(self) -> tuple[PersonLine, ...]:
        """Return who may be named and played, who was here last first."""
        names, came = self.names(), self._came()
        found = [
            PersonLine(Player(0, name, one), *came[one])
            for one, name in names.named.items()
            if one in came
        ]
        found.sort(key=lambda one: (-(one.last or 0), one.player.name))
        return tuple(
            replace(one, player=replace(one.player, number=number))
            for number, one in enumerate(found, 1)
        )

    def person(self, person: int) -> PersonPage:
        """Return what is told of a person.

        Raises:
            BadRequest: Nobody may be named so.
        """
        names = self.names()
        known = _known(person, names)
        if known is None:
            raise BadRequest(Sentence("no-such-person"))
        today, name = known
        mine = {one for one, (same, _) in names.of.items() if same == today}
        there = [
            (one.at or 0, number, one)
            for number, one in self._fresh().items()
            if mine & set(one.people)
        ]
        there.sort(key=lambda one: one[:2], reverse=True)
        days = [at for at, _, _ in there if at]
        newest = [number for _, number, _ in there[:MOST_EVENINGS]]
        return PersonPage(
            player=Player(1, name, today),
            first=min(days, default=None),
            last=max(days, default=None),
            evenings=tuple(self._lines(newest, names)),
            numbers=self._numbers_of(today, names),
            titles=Counter(
                title for _, _, one in there for who, title in one.titles if who in mine
            ),
            in_all=len(there),
        )

    def statistics(
        self, game: str | None = None, since: float | None = None, person: int | None = None
    ) -> tuple[PersonNumbers, ...]:
        """Return what was counted of *person* at all tables, in *game* or all of them.

        Of everybody at once, and of a part of the years, nothing: a house tells one at a time.

        Raises:
            BadRequest: Nobody may be named so.
        """
        names = self.names()
        if person is None or since is not None:
            return ()
        known = _known(person, names)
        if known is None:
            raise BadRequest(Sentence("no-such-person"))
        told = tuple(one for one in self._numbers_of(known[0], names) if game in (None, one.game))
        return (PersonNumbers(Player(1, known[1], known[0]), told),) if told else ()

    def seasons(self) -> tuple[Season, ...]:
        """Return the seasons, newest first."""
        return seasons_of(self._site.ask)

    def table(self, season: int | None = None) -> SeasonTable:
        """Return the table of honour of *season* over all tables; None is all evenings.

        Raises:
            BadRequest: There is no such season.
        """
        chosen, span = chosen_season(self.seasons(), season)
        within = {number: one for number, one in self._fresh().items() if _is_within(one.at, *span)}
        won = _won(within, self.names())
        games = {game: ranked(won[game], chosen) for game in GAMES if game in won}
        return SeasonTable(chosen, games, len(within))

    def begin_season(
        self,
        name: str,
        since: float | None = None,
        rule: Rule = "wins",
        points: int = 1,
        best: int = 0,
    ) -> Season:
        """Begin a season, now or at *since*.

        Raises:
            BadRequest: A name that cannot be written, or numbers that make no rule.
        """
        return begin_season(self._site.do, name, since, rule, points, best)

    def end_season(self, season: int) -> None:
        """Take a season away; its evenings stay.

        Raises:
            BadRequest: There is none.
        """
        end_season(self._site.do, season)

    def ratings(self) -> Ratings:
        """Return the ratings as they stand, of who may be named."""
        extracts, names = self._fresh(), self.names()
        with self._lock:
            known = self._rated
            if known is None or known[:2] != (self._generation, names):
                known = self._rated = self._generation, names, rate(_results(extracts, names))
            return known[2]

    def standing(self, game: str) -> list[tuple[str, Rating]]:
        """Return the ratings of *game* that stand on rubbers enough, best first, with names."""
        names = self.names()
        found = ((_known(one.person, names), one) for one in self.ratings().standings(game))
        return [(known[1], one) for known, one in found if known and one.is_shown]

    def _numbers_of(self, today: int, names: HousePeople) -> tuple[Told, ...]:
        """Return what is told of who is *today* beside what everybody at all tables came to."""
        extracts = self._fresh()
        there = [
            (evening, number)
            for evening, one in extracts.items()
            for number, person in one.seats
            if names.today(person) == today
        ]
        known = {
            (evening, number): f"p{names.today(person)}"
            for evening, _ in there
            for number, person in extracts[evening].seats
        }
        rows: list[Summed] = [
            (f"p{today}", game, what, detail, known.get((evening, against), ""), *sums)
            for game, what, detail, evening, against, *sums in self._site.ask(
                _OF_ONE, tuple(map(list, zip(*there, strict=True))) or ([], [])
            )
        ]
        if not rows:
            return ()
        called = {f"p{one}": name for one, name in names.named.items()}
        return numbers(rows, called, self._together(names)).get(f"p{today}", ())

    def _together(self, names: HousePeople) -> Mapping[str, Book]:
        """Return what all who ever played came to, by game; reckoned anew once in a while."""
        kept, now_s = self._usual, time.monotonic()
        generation = self._site.live.evenings
        if kept is not None and (kept[1] == generation or now_s - kept[0] < _TABLE_RESTS_S):
            return kept[2]
        extracts = self._fresh()
        seats = {
            (evening, number): names.today(person)
            for evening, one in extracts.items()
            for number, person in one.seats
        }
        # Whoever sat at a seat without a name was somebody else each time.
        there = {
            (game, seats.get((evening, number), (evening, number)))
            for evening, number, game in self._site.ask(_COUNTED)
        }
        many = Counter(game for game, _ in there)
        table = {game: Book(n) for game, n in many.items()}
        for row in self._site.ask(_TOGETHER):
            table.setdefault(row[1], Book()).enter(cast("Summed", row))
        self._usual = now_s, generation, table
        return table

    def _came(self) -> Mapping[int, tuple[int, float | None]]:
        """Return in how many evenings each person was, and when the last one was."""
        names = self.names()
        found: dict[int, tuple[int, float | None]] = {}
        for one in self._fresh().values():
            for person in {known[0] for who in one.people if (known := _known(who, names))}:
                n, last = found.get(person, (0, None))
                found[person] = n + 1, max(last or 0, one.at or 0) or None
        return found

    def _lines(self, numbers: list[int], names: HousePeople) -> Iterator[EveningLine]:
        ask = "SELECT evening, told FROM evenings WHERE evening = ANY(%s)"
        told = dict(self._site.ask(ask, (numbers,)))
        for number in numbers:
            if number in told and (one := _told(number, told[number], names)):
                yield one.line

    def _fresh(self) -> Mapping[int, Extract]:
        """Return the extracts; those that were told anew since are read again."""
        with self._lock:
            generation = self._site.live.evenings
            if generation != self._generation:
                self._read_anew()
                self._generation = generation
            return self._extracts

    def _read_anew(self) -> None:
        stamps = dict(self._site.ask("SELECT evening, xmin::text FROM evenings"))
        stay = {n: one for n, one in self._extracts.items() if stamps.get(n) == one.stamp}
        anew = [number for number in stamps if number not in stay]
        ask = "SELECT evening, xmin::text, box, at, told FROM evenings WHERE evening = ANY(%s)"
        for begin in range(0, len(anew), _AT_ONCE):
            some = anew[begin : begin + _AT_ONCE]
            for number, stamp, box, at, told in self._site.ask(ask, (some,)):
                stay[number] = _extract(number, stamp, box, by_clock(at), told)
        self._extracts = stay


def _extract(number: int, stamp: str, box: str, at: float | None, told: str) -> Extract:
    evening = _evening(told)
    if evening is None:
        return Extract(stamp, box, at, (), (), (), ())
    people = {one.number: one.person for one in evening.line.players if one.person is not None}
    won = ((people.get(who), game, brought) for (who, game), brought in honours_of(evening).items())
    titles = ((who, one.key) for one in evening.titles for who in (one.player, *one.shared))
    return Extract(
        stamp,
        box,
        at,
        seats=tuple(people.items()),
        won=tuple((who, game, brought) for who, game, brought in won if who is not None),
        titles=tuple((people[who], key) for who, key in titles if who in people),
        results=tuple(results_of(number, evening)),
    )


def _evening(told: str) -> Evening | None:
    """Return the evening that is *told*; None where another version tells it otherwise."""
    try:
        return load(Evening, json.loads(told))
    except (Misfit, ValueError, TypeError):
        return None


def _told(number: int, told: str, names: HousePeople) -> Evening | None:
    found = _evening(told)
    if found is None:
        return None
    players = tuple(_today(one, names) for one in found.line.players)
    return replace(found, line=replace(found.line, number=number, players=players))


def _is_one_night(later: EveningLine, earlier: EveningLine) -> bool:
    if later.at is None or earlier.at is None:
        return later.at is earlier.at
    return later.at - earlier.at < NIGHT_S


def _known(person: int, names: HousePeople) -> tuple[int, str] | None:
    """Return who *person* is today and what they are called, None for nobody any more."""
    name = names.name(person)
    return (names.today(person), name) if name else None


def _today(player: Player, names: HousePeople) -> Player:
    """Return *player* as the house knows them today; a guest is a seat."""
    if player.person is None:
        return player if lent_by(player.name) else replace(player, name="")
    known = _known(player.person, names)
    return (
        replace(player, name="", person=None)
        if known is None
        else replace(player, name=known[1], person=known[0])
    )


def _is_within(at: float | None, since: float | None, until: float | None) -> bool:
    if since is None:
        return True
    return at is not None and at >= since and (until is None or at < until)


def _won(extracts: Mapping[int, Extract], names: HousePeople) -> Mapping[str, list[Won]]:
    """Return what was won in *extracts*, by game, of who may be named."""
    found: dict[str, list[Won]] = {}
    for number, one in sorted(extracts.items()):
        for who, game, brought in one.won:
            known = _known(who, names)
            if known is not None:
                person, name = known
                won = Won(f"p{person}", Player(0, name, person), number, brought)
                found.setdefault(game, []).append(won)
    return found


def _results(extracts: Mapping[int, Extract], names: HousePeople) -> list[Result]:
    """Return all rubbers in the order of their evenings; who may not be named is a guest."""

    def today(person: int | None) -> int | None:
        known = None if person is None else _known(person, names)
        return known[0] if known else None

    in_order: list[Any] = sorted(extracts.items(), key=lambda one: (one[1].at or 0, one[0]))
    return [
        replace(one, sides=tuple(tuple(map(today, side)) for side in one.sides))
        for _, extract in in_order
        for one in extract.results
    ]


def history() -> HouseHistory:
    """Return what stays of the evenings, for who asks in this request."""
    return cast("HouseHistory", panel().table.history)
