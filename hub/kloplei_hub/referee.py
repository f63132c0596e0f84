"""The referee: tournaments in the database, the calls that go out to tables, results that come in.

A tournament is read by folding its trail (`kloplei_hub.tournaments`), and goes on by one more event
at its end; two who add at once are told apart by its number. `take_results` looks at the evenings
of the tables that play: a rubber that exactly those people played since the draw is the result, and
a result that the table corrects afterwards is corrected here as well. `go_on` draws and ends what
goes on by itself, and calls again who has not sat down.

Programs may do this at the same time: each event is written behind the trail that it was made of,
or not at all.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Final

import psycopg

from kloplei.frozen import dataclass, replace
from kloplei.table.history_client import Evening, PlayedRubber
from kloplei.table.schema import WORLD, dump, load
from kloplei.table.uplink_client import HousePerson, TableCall
from kloplei.uplink.wire import CALL_EXPIRES_S, spelled
from kloplei_hub.database import Connection
from kloplei_hub.draws import DrawImpossible, Match
from kloplei_hub.people import HousePeople, house_people
from kloplei_hub.pushes import PushNews, push
from kloplei_hub.tournaments import (
    EVENTS,
    CameOut,
    Drawn,
    Ended,
    Joined,
    Left,
    NotNow,
    Opened,
    Since,
    Tournament,
    TournamentEvent,
    begin,
    checked,
    result_of,
)

AT_THE_TABLE: Final = "corrected at the table"
"""Why a result is another one where the table itself put it right."""
_TRIES: Final = 5
AGAIN: Final = timedelta(minutes=5)
"""After so long who has not sat down is called again."""
_PATIENCE: Final = timedelta(hours=1)  # then the referee knows more than we do
_CALL = """
INSERT INTO calls (box, told, until) VALUES (%s, %s, %s)
ON CONFLICT (box) DO UPDATE SET told = excluded.told, until = excluded.until
"""
# What the table then calls them, the house heeds: it was told of them by the house.
_HAND = """
INSERT INTO claims (box, person) SELECT %s, person FROM people WHERE person = ANY(%s)
ON CONFLICT DO NOTHING
"""
_EVENINGS = """
SELECT evenings.box, era, evenings.after, evening, told FROM evenings JOIN boxes USING (box)
WHERE boxes.number = %s AND NOT retired AND evenings.after >= %s AND evening >= %s ORDER BY evening
"""
_STANDS = """
SELECT DISTINCT ON (boxes.number) boxes.number, evening, told FROM evenings JOIN boxes USING (box)
WHERE boxes.number = ANY(%s) AND NOT retired ORDER BY boxes.number, evening DESC
"""


@dataclass(frozen=True, slots=True)
class TrailLine:
    """One event of a trail, and when it was written down."""

    number: int
    at: datetime
    event: TournamentEvent


@dataclass(frozen=True, slots=True)
class _Played:
    """A rubber at a table: where it stands for good, and in which evening."""

    source: str
    evening: Evening
    rubber: PlayedRubber


_Mark = tuple[int, datetime, frozenset[tuple[int, int]]]
"""The last line of a trail, and when it was written; and who was found to be somebody else."""


class TournamentMemory:
    """How tournaments stood when they were read last; for several threads.

    A trail only grows, so one whose last line is the same has not to be folded again.
    """

    def __init__(self) -> None:
        self._found: dict[int, tuple[_Mark, Tournament]] = {}

    def find(self, number: int, mark: _Mark) -> Tournament | None:
        """Return how tournament *number* stands, if that is known by its *mark*."""
        known, stands = self._found.get(number, (None, None))
        return stands if known == mark else None

    def keep(self, number: int, mark: _Mark, stands: Tournament) -> None:
        """Keep how it *stands*."""
        self._found[number] = mark, stands


class HouseReferee:
    """Tournaments of the house, over a *connection* that commits by itself.

    What cannot be done as things stand is told by `NotNow`, whatever is asked.

    Args:
        connection: To the house's database.
        memory: Of referees who come and go; without one it is its own.
    """

    def __init__(self, connection: Connection, memory: TournamentMemory | None = None) -> None:
        self._connection = connection
        self._memory = TournamentMemory() if memory is None else memory

    @property
    def connection(self) -> Connection:
        """The connection over which it works."""
        return self._connection

    def open(self, opened: Opened) -> int:
        """Open a tournament and return its number."""
        with self._connection.transaction():
            ask = "INSERT INTO tournaments DEFAULT VALUES RETURNING tournament"
            row = self._connection.execute(ask).fetchone()
            number = int(row[0]) if row else 0
            self._write(number, 1, opened)
        return number

    def running(self) -> tuple[int, ...]:
        """Return the tournaments that are not over, newest first."""
        ask = "SELECT tournament FROM tournaments WHERE NOT over ORDER BY tournament DESC"
        return tuple(number for (number,) in self._connection.execute(ask))

    def all(self) -> tuple[int, ...]:
        """Return all tournaments, newest first."""
        ask = "SELECT tournament FROM tournaments ORDER BY tournament DESC"
        return tuple(number for (number,) in self._connection.execute(ask))

    def trail(self, number: int) -> tuple[TrailLine, ...]:
        """Return all that happened in tournament *number*, in order.

        Raises:
            NotNow: There is none.
        """
        ask = (
            "SELECT number, at, event, facts FROM tournament_trail WHERE tournament = %s "
            "ORDER BY number"
        )
        lines = tuple(
            TrailLine(at, when, load(EVENTS[event], json.loads(facts)))
            for at, when, event, facts in self._connection.execute(ask, (number,))
        )
        if not lines:
            raise NotNow(f"There is no tournament {number}.")
        return lines

    def read(self, number: int) -> Tournament:
        """Return tournament *number* as it stands; who was found to be two is one in it.

        Raises:
            NotNow: There is none.
        """
        return self._stands(number)[0]

    def read_all(self) -> tuple[tuple[int, Tournament], ...]:
        """Return all tournaments as they stand, with their numbers, newest first."""
        ask = (
            "SELECT DISTINCT ON (tournament) tournament, number, at FROM tournament_trail "
            "ORDER BY tournament DESC, number DESC"
        )
        people = self.people()
        ends = self._connection.execute(ask).fetchall()
        return tuple(
            (number, self._fold(number, (last, at), people)[0]) for number, last, at in ends
        )

    def people(self) -> HousePeople:
        """Return the people of the house as they are today."""
        return house_people(self._connection)

    def tell(self, number: int, event: TournamentEvent) -> Tournament:
        """Write *event* down behind all that happened; return how it stands then.

        Raises:
            NotNow: There is no such tournament, or it is over.
        """
        for _ in range(_TRIES):
            stands, length = self._stands(number)
            if stands.is_over:
                raise NotNow("The tournament is over; open another one.", "over")
            if self._add(number, length + 1, event):
                return stands.after(event)
        raise NotNow("Too much happens in this tournament at once; try again.", "busy")

    def join(self, number: int, player: int) -> bool:
        """Let *player* take part from the next round on; return whether they did not yet.

        Raises:
            NotNow: There is no such tournament, or it is over.
        """
        stands = self.read(number)
        is_new = player not in stands.players
        if is_new or stands.is_over:
            self.tell(number, Joined(player))
        return is_new

    def leave(self, number: int, player: int) -> None:
        """Let *player* take part no longer.

        Raises:
            NotNow: They do not, or the tournament is over.
        """
        if player not in self.read(number).players:
            raise NotNow("Who does not take part cannot leave.", "absent")
        self.tell(number, Left(player))

    def draw(self, number: int) -> Drawn:
        """Draw the next round, and call its players to their tables.

        Raises:
            NotNow: Results are missing, or nothing is left to play.
            DrawImpossible: Too few players, or tables.
        """
        drawn_before = len(self.read(number).rounds)
        for _ in range(_TRIES):
            stands, length = self._stands(number)
            if len(stands.rounds) != drawn_before:
                raise NotNow("Somebody else drew a round just now; look at it.", "drawn")
            drawn = self._since(stands.draw())
            if self._add(number, length + 1, drawn):
                self.call(number, drawn.matches)
                return drawn
        raise NotNow("Too much happens in this tournament at once; try again.", "busy")

    def call(self, number: int, matches: Iterable[Match]) -> None:
        """Call the players of *matches* to their tables, again if they were called before.

        They are on the slate of the table, and on the phones of who asked for it; a table without a
        box has none, and the referee says it aloud.
        """
        stands = self.read(number)
        people = self.people()
        until = _ends()
        for match in matches:
            box, name = self._box_at(match.table) or ("", "")
            called = TableCall(
                id=_call_id(number, stands, match),
                table=name or str(match.table),
                round=len(stands.rounds),
                game=stands.opened.game,
                players=tuple(HousePerson(one, people.name(one)) for one in match.players),
                until=until.timestamp(),
            )
            told = spelled(dump(called, form=WORLD))
            with self._connection.transaction():
                if box:
                    self._connection.execute(_CALL, (box, told, until))
                    self._connection.execute(_HAND, (box, list(match.players)))
                    self._connection.execute("SELECT pg_notify('calls', %s)", (box,))
                self._push_call(number, stands, match, name, until)

    def _push_call(
        self, number: int, stands: Tournament, match: Match, table_name: str, until: datetime
    ) -> None:
        """Tell who plays *match* on their phones; a final everybody who takes part."""
        is_final = stands.is_final
        news = PushNews(
            kind="final" if is_final else "called",
            tournament=number,
            name=stands.opened.name,
            players=match.players,
            table=match.table,
            round=len(stands.rounds),
            table_name=table_name,
        )
        to = {*match.players, *(stands.players if is_final else ())}
        push(self._connection, news, to, self.people(), until)

    def _push_end(self, number: int, stands: Tournament) -> None:
        """Tell everybody who takes part who won, once it was played."""
        best = tuple(one.player for one in stands.standings() if one.place == 1)
        if stands.results and best:
            news = PushNews("over", number, stands.opened.name, best)
            push(self._connection, news, stands.players, self.people(), _ends())

    def match_at(self, number: int, table: int, round_: int | None = None) -> Match:
        """Return the match at *table* of round *round_*, of the newest one without.

        Raises:
            NotNow: None is there.
        """
        rounds = self.read(number).rounds
        wanted = len(rounds) if round_ is None else round_
        drawn = rounds[wanted - 1] if 1 <= wanted <= len(rounds) else None
        match = next((one for one in drawn.matches if one.table == table), None) if drawn else None
        if match is None:
            raise NotNow(f"No match is played at table {table} in round {wanted or 1}.", "match")
        return match

    def decide(
        self,
        number: int,
        table: int,
        ranks: Iterable[int],
        by: str,
        why: str,
        round_: int | None = None,
    ) -> None:
        """Let the referee say how the match at *table* came out, of round *round_* or the newest.

        Raises:
            NotNow: No match is there, or *ranks* are none of it; or it is of an earlier round of a
                knock-out, whose winner has played on.
        """
        stands = self.read(number)
        match = self.match_at(number, table, round_)
        wanted = round_ or len(stands.rounds)
        came_out = CameOut(wanted, table, checked(match, tuple(ranks)), by=by, why=why)
        if wanted < len(stands.rounds) and stands.opened.kind == "knockout":
            raise NotNow(
                "Who won a match of an earlier round of a knock-out has played on.", "played-on"
            )
        self.tell(number, came_out)

    def take_results(self) -> int:
        """Take what came out at the tables of all running tournaments; return how many did."""
        return sum(self._take(number) for number in self.running())

    def otherwise(self) -> tuple[tuple[int, int, int], ...]:
        """Return the results whose rubbers are told otherwise by now: tournament, round, table.

        A referee's word is none of them, nor one whose evening is gone.
        """
        found, people = [], self.people()
        for number in self.all():
            stands = self.read(number)
            for (round_, table), told in stands.results.items():
                match = self.match_at(number, table, round_)
                drawn = stands.rounds[round_ - 1]
                now = self._ranks_now(match, drawn, told.source, people) if told.source else None
                if now is not None and now != told.ranks:
                    found.append((number, round_, table))
        return tuple(found)

    def _ranks_now(
        self, match: Match, drawn: Drawn, source: str, people: HousePeople
    ) -> tuple[int, ...] | None:
        for played in self._rubbers_at(match.table, drawn, people):
            if played.source == source:
                return result_of(match, played.evening, played.rubber)
        return None

    def end(self, number: int, by: str) -> None:
        """End tournament *number*; its table stands as it stands.

        Raises:
            NotNow: There is none that runs.
        """
        self._push_end(number, self.tell(number, Ended(by)))

    def go_on(self, now: datetime | None = None) -> int:
        """Let all that runs go on by itself as far as it can; return how many rounds were drawn.

        Results are taken; a tournament that goes on by itself draws its next round, or ends after
        its last; who was called and has not sat down after a while is called again.
        """
        self.take_results()
        drawn = sum(self._advance(number) for number in self.running())
        for number in self.running():
            self._call_again(number, now or datetime.now(UTC))
        return drawn

    def _advance(self, number: int) -> bool:
        """Draw the next round of *number*, or end it, if it goes on by itself and can now."""
        stands, length = self._stands(number)
        if not (stands.opened.auto and stands.rounds) or stands.is_over or stands.running:
            return False
        if stands.is_played:
            if self._add(number, length + 1, Ended()):
                self._push_end(number, stands)
            return False
        with suppress(NotNow, DrawImpossible):  # too few are there: the referee sees that
            self.draw(number)
            return True
        return False

    def _call_again(self, number: int, now: datetime) -> None:
        """Call who plays in the newest round of *number* and has not sat down."""
        stands, at = self.read(number), self._drawn_at(number)
        if at is None or not stands.running or now - at > _PATIENCE:
            return
        asked = "SELECT box, told::jsonb ->> 'id', until FROM calls"
        called = {box: (told, until) for box, told, until in self._connection.execute(asked)}
        expires, people = timedelta(seconds=CALL_EXPIRES_S), self.people()

        def is_due(match: Match) -> bool:
            box = self._box_at(match.table)
            if box is None:
                return False  # nobody sees there who has sat down
            told, until = called.get(box[0], ("", now))
            is_new = told != _call_id(number, stands, match)
            return bool(is_new or now >= until - expires + AGAIN)

        due = [one for one in stands.running if is_due(one) and not self._sit(one, people)]
        if due:
            self.call(number, due)

    def _sit(self, match: Match, people: HousePeople) -> bool:
        """Whether all players of *match* sit at its table."""
        ask = "SELECT board FROM boards JOIN boxes USING (box) WHERE number = %s AND NOT retired"
        row = self._connection.execute(ask, (match.table,)).fetchone()
        return set(match.players) <= set(map(people.today, _seated(row[0]))) if row else False

    def _drawn_at(self, number: int) -> datetime | None:
        ask = "SELECT max(at) FROM tournament_trail WHERE tournament = %s AND event = 'Drawn'"
        row = self._connection.execute(ask, (number,)).fetchone()
        found: datetime | None = row[0] if row else None
        return found

    def _stands(self, number: int) -> tuple[Tournament, int]:
        """Return how *number* stands, and how long its trail is."""
        ask = (
            "SELECT number, at FROM tournament_trail WHERE tournament = %s "
            "ORDER BY number DESC LIMIT 1"
        )
        end = self._connection.execute(ask, (number,)).fetchone()
        if end is None:
            raise NotNow(f"There is no tournament {number}.")
        return self._fold(number, (end[0], end[1]), self.people())

    def _fold(
        self, number: int, end: tuple[int, datetime], people: HousePeople
    ) -> tuple[Tournament, int]:
        """Return how *number* stands, whose trail had its last line then, or has more by now."""
        merged = people.merged
        known = self._memory.find(number, (*end, merged))
        if known is not None:
            return known, end[0]
        lines = self.trail(number)  # which may have grown meanwhile
        stands = begin(_as_today(line.event, people) for line in lines)
        self._memory.keep(number, (lines[-1].number, lines[-1].at, merged), stands)
        return stands, len(lines)

    def _add(self, number: int, at: int, event: TournamentEvent) -> bool:
        """Write *event* as line *at* of a trail; False if somebody else was quicker."""
        try:
            with self._connection.transaction():
                self._write(number, at, event)
        except psycopg.errors.UniqueViolation:
            return False
        return True

    def _take(self, number: int) -> int:
        stands, length = self._stands(number)
        taken = 0
        if not stands.rounds or stands.is_over:
            return 0
        newest, people = stands.rounds[-1], self.people()
        used = {one.source for one in stands.results.values() if one.source}
        for match in newest.matches:
            before = stands.results.get((newest.number, match.table))
            if before is not None and not before.source:
                continue  # the referee's word stands
            found = self._found(match, newest, used - {before.source if before else ""}, people)
            if found is not None and (before is None or before.ranks != found.ranks):
                why = AT_THE_TABLE if before else ""
                came_out = CameOut(
                    newest.number, match.table, found.ranks, source=found.source, why=why
                )
                if not self._add(number, length + taken + 1, came_out):
                    break  # somebody else goes on with it
                taken += 1
        return taken

    def _found(
        self, match: Match, drawn: Drawn, used: set[str], people: HousePeople
    ) -> CameOut | None:
        """Return how *match* came out by what its table told since it was drawn."""
        for played in self._rubbers_at(match.table, drawn, people):
            if played.source in used:
                continue
            ranks = result_of(match, played.evening, played.rubber)
            if ranks is not None:
                return CameOut(drawn.number, match.table, ranks, source=played.source)
        return None

    def _rubbers_at(self, table: int, drawn: Drawn, people: HousePeople) -> Iterator[_Played]:
        """Yield the rubbers at *table* that were told since a round was *drawn*, oldest first."""
        since, told = drawn.since.get(table, (0, 0)), drawn.told.get(table, (0, 0))
        for box, era, after, number, written in self._connection.execute(
            _EVENINGS, (table, since[0], told[0])
        ):
            evening = _with_merged(load(Evening, json.loads(written)), people)
            for rubber in evening.rubbers:
                if (after, rubber.number) > since and (number, rubber.number) > told:
                    source = f"{box}/{era}/{after}/{rubber.number}"
                    yield _Played(source, evening, rubber)

    def _since(self, drawn: Drawn) -> Drawn:
        """Return *drawn* with what had been told of its tables by now: none of it counts."""
        told: dict[int, Since] = {match.table: (0, 0) for match in drawn.matches}
        for table, number, written in self._connection.execute(_STANDS, (list(told),)):
            evening = load(Evening, json.loads(written))
            # The rubber that is being played does not count either: it began before the draw.
            under_way = evening.hands[-1].rubber if evening.hands else 0
            told[table] = number, max(len(evening.rubbers), under_way)
        return Drawn(drawn.number, drawn.matches, drawn.byes, told=told)

    def _box_at(self, table: int) -> tuple[str, str] | None:
        ask = "SELECT box, name FROM boxes WHERE number = %s AND NOT retired"
        found: tuple[str, str] | None = self._connection.execute(ask, (table,)).fetchone()
        return found

    def _write(self, tournament: int, number: int, event: TournamentEvent) -> None:
        add = "INSERT INTO tournament_trail (tournament, number, event, facts) VALUES (%s,%s,%s,%s)"
        told = spelled(dump(event))
        self._connection.execute(add, (tournament, number, type(event).__name__, told))
        if isinstance(event, Ended):
            over = "UPDATE tournaments SET over = true WHERE tournament = %s"
            self._connection.execute(over, (tournament,))


def _ends() -> datetime:
    """Return until when a call holds that goes out now."""
    return datetime.now(UTC) + timedelta(seconds=CALL_EXPIRES_S)


def _seated(board: str) -> Iterator[int]:
    """Yield the people on a scoreboard; of what a newer box writes, or a broken one, nobody."""
    rows = json.loads(board).get("rows")
    for row in rows if isinstance(rows, list) else ():
        person = row.get("person") if isinstance(row, dict) else None
        if isinstance(person, int):
            yield person


def _call_id(number: int, stands: Tournament, match: Match) -> str:
    return f"{number}-{len(stands.rounds)}-{match.table}"


def _as_today(event: TournamentEvent, people: HousePeople) -> TournamentEvent:
    """Return *event* with its people as the house knows them: who was two is one."""
    match event:
        case Joined(player) | Left(player):
            return type(event)(people.today(player))
        case Drawn():
            matches = tuple(
                replace(
                    one,
                    players=tuple(map(people.today, one.players)),
                    sides=tuple(tuple(map(people.today, side)) for side in one.sides),
                )
                for one in event.matches
            )
            return replace(event, matches=matches, byes=tuple(map(people.today, event.byes)))
        case _:
            return event


def _with_merged(evening: Evening, people: HousePeople) -> Evening:
    """Return *evening* with its people as the house knows them."""
    players = tuple(
        one if one.person is None else replace(one, person=people.today(one.person))
        for one in evening.line.players
    )
    return replace(evening, line=replace(evening.line, players=players))
