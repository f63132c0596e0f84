"""A festival on one machine: virtual tables that play rounds of MonsterDYP by themselves.

`Festival` is the house's side as it runs, servers and programs of its own; people are called to
tables, sit down, play to the end and wait for the next call. `standings_of_journals` reckons the
same tournament in one process that sees the tables' journals and no network: what came over the
wire has to come to just that.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Self, TypeVar

import psycopg

from kloplei.history.evenings import Fold
from kloplei.history.steps import HoldingSteps, JournalReader
from kloplei.table.history_client import Evening
from kloplei_hub.database import HouseUnavailable
from kloplei_hub.demo import DemoHouse
from kloplei_hub.referee import HouseReferee
from kloplei_hub.tournaments import (
    CameOut,
    Drawn,
    Joined,
    Opened,
    Tournament,
    TournamentEvent,
    TournamentStanding,
    begin,
    result_of,
)
from kloplei_hub.virtual import BotTable, Players

T = TypeVar("T")
FIRST_PERSON = 1_000_001
_LOOK_S = 0.2
_THOUGHT_S = 0.02  # of the bots; whoever waits for a call only looks


class Festival:
    """So many *tables* of four with people who are called to them; a context manager.

    Args:
        folder: For the house and the journals.
        tables: How many.
        rounds: How many rounds are played.
        game: What.
    """

    def __init__(self, folder: Path, tables: int, rounds: int, game: str = "watten") -> None:
        self.house = DemoHouse(folder / "house", careful=True, programs=("ingest", "fold"))
        numbers = tuple(range(1, tables + 1))
        self.opened = Opened("Festival", game, "monster", rounds, numbers, seed=20261123)
        self.tables = [
            BotTable(folder / f"table-{number}", game, number, players=()) for number in numbers
        ]
        self.people = range(FIRST_PERSON, FIRST_PERSON + 4 * tables)
        self.number = 0
        self._opened = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as opening:
            opening.enter_context(self.house)
            opening.enter_context(self.house.on_line(self.tables))
            opening.enter_context(Players(self.tables, _THOUGHT_S))
            self._open_tournament()
            self._opened = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def play_round(self, *, within_s: float, meanwhile: Sequence[Callable[[], None]] = ()) -> None:
        """Draw a round and wait until all of it has come out; *meanwhile* things break."""
        self._referee(lambda referee: referee.draw(self.number), within_s)
        for happen in meanwhile:
            happen()
        until_s = time.monotonic() + within_s
        while time.monotonic() < until_s:
            self._referee(HouseReferee.take_results, within_s)
            if not self._referee(lambda referee: referee.read(self.number).running, within_s):
                return
            time.sleep(_LOOK_S)
        left = self._referee(lambda referee: referee.read(self.number).running, within_s)
        raise AssertionError(f"Not every match came out: tables {[one.table for one in left]}")

    @property
    def tournament(self) -> Tournament:
        """The tournament as the house has it."""
        with self.house.owner() as connection:
            return HouseReferee(connection).read(self.number)

    def _referee(self, do: Callable[[HouseReferee], T], within_s: float) -> T:
        """Let the referee do something, again while the database is away."""
        until_s = time.monotonic() + within_s
        while True:
            try:
                with self.house.owner() as connection:
                    return do(HouseReferee(connection))
            except (HouseUnavailable, psycopg.OperationalError):
                if time.monotonic() > until_s:
                    raise
                time.sleep(_LOOK_S)

    def _open_tournament(self) -> None:
        with self.house.owner() as connection:
            for person in self.people:
                name = f"Speler {person - FIRST_PERSON + 1}"
                add = "INSERT INTO people (person, name) VALUES (%s, %s) ON CONFLICT DO NOTHING"
                connection.execute(add, (person, name))
            referee = HouseReferee(connection)
            self.number = referee.open(self.opened)
            for person in self.people:
                referee.tell(self.number, Joined(person))


def standings_of_journals(
    tables: Sequence[BotTable], tournament: Tournament
) -> tuple[TournamentStanding, ...]:
    """Return what comes of the same draws by what stands in the tables' journals alone."""
    trail: list[TournamentEvent] = [tournament.opened]
    trail += [Joined(one) for one in tournament.players]
    told = {
        number: list(evenings_of(table.journal.path))
        for number, table in zip(tournament.opened.tables, tables, strict=True)
    }
    for drawn in tournament.rounds:
        trail += [drawn, *_came_out(drawn, told)]
    return begin(trail).standings()


def evenings_of(journal: Path) -> Iterator[Evening]:
    """Yield the evenings that *journal* tells, oldest first."""
    with JournalReader(journal) as reader:
        steps, fold = HoldingSteps(is_new=True), Fold()
        settled = [one for step in reader.steps(0) for one in steps.take(step)]
        for step in (*settled, *steps.pending):
            if (ended := fold.take(step)) is not None:
                yield ended.evening
        if (running := fold.running(steps.undone)) is not None:
            yield running.evening


def _came_out(drawn: Drawn, told: dict[int, list[Evening]]) -> Iterator[CameOut]:
    for match in drawn.matches:
        found = (
            result_of(match, evening, rubber)
            for evening in told[match.table]
            for rubber in evening.rubbers
        )
        ranks = next((one for one in found if one is not None), None)
        if ranks is not None:
            yield CameOut(drawn.number, match.table, ranks)
