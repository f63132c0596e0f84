"""A festival on one machine: virtual tables that play rounds of MonsterDYP by themselves.

`Festival` is the house's side as it runs, servers and programs of its own; people are called to
tables, sit down, play to the end and wait for the next call. `standings_of_journals` reckons the
same tournament in one process that sees the tables' journals and no network: what came over the
wire has to come to just that.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from kloplei_hub.virtual import BotTable, Players, Thinker
from tests.festival.real_box import RealBox

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
        boxes: How many of the tables have a box with units of its own; the others are virtual.
        auto: Whether it goes on by itself once its first round is drawn.
    """

    def __init__(
        self, folder: Path, tables: int, rounds: int, *, boxes: int = 0, auto: bool = False
    ) -> None:
        self.house = DemoHouse(folder / "house", careful=True, programs=("ingest", "fold"))
        numbers = tuple(range(1, tables + 1))
        seed = 20261123
        self.opened = Opened("Festival", "watten", "monster", rounds, numbers, seed, auto)
        own = {number: folder / f"table-{number}" for number in numbers}
        virtual, real = numbers[: tables - boxes], numbers[tables - boxes :]
        self.tables = [BotTable(own[one], "watten", one, players=()) for one in virtual]
        self.boxes = {one: RealBox(own[one], one) for one in real}
        self.people = range(FIRST_PERSON, FIRST_PERSON + 4 * tables)
        self.number = 0
        self._opened = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as opening:
            opening.enter_context(self.house)
            opening.enter_context(self.house.on_line(self.tables))
            for number, box in self.boxes.items():
                opening.enter_context(box).go_with(self.house, f"Tafel {number}", number)
            thinkers: list[Thinker] = [*self.tables, *self.boxes.values()]
            opening.enter_context(Players(thinkers, _THOUGHT_S))
            self._open_tournament()
            self._opened = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def play_round(self, *, within_s: float, meanwhile: Sequence[Callable[[], None]] = ()) -> None:
        """Draw a round and wait until all of it has come out; *meanwhile* things break."""
        self.draw(within_s=within_s)
        for happen in meanwhile:
            happen()

        def came_out() -> bool:
            self._referee(HouseReferee.take_results, within_s)
            return not self._stands(within_s).running

        self._wait(came_out, within_s)

    def draw(self, *, within_s: float) -> None:
        """Draw a round, and call its players."""
        self._referee(lambda referee: referee.draw(self.number), within_s)

    def wait_for_rounds(self, rounds: int, *, within_s: float) -> None:
        """Wait until so many rounds are drawn, by whomever."""
        self._wait(lambda: len(self._stands(within_s).rounds) >= rounds, within_s)

    def wait_for_end(self, *, within_s: float) -> None:
        """Wait until the tournament is over, by whomever."""
        self._wait(lambda: self._stands(within_s).is_over, within_s)

    @property
    def journals(self) -> dict[int, Path]:
        """The journals of all tables, by number."""
        virtual = {number: table.journal.path for number, table in enumerate(self.tables, 1)}
        return virtual | {number: box.journal for number, box in self.boxes.items()}

    @property
    def tournament(self) -> Tournament:
        """The tournament as the house has it."""
        with self.house.owner() as connection:
            return HouseReferee(connection).read(self.number)

    def _stands(self, within_s: float) -> Tournament:
        return self._referee(lambda referee: referee.read(self.number), within_s)

    def _wait(self, is_so: Callable[[], bool], within_s: float) -> None:
        until_s = time.monotonic() + within_s
        while not is_so():
            if time.monotonic() > until_s:
                stands = self._stands(within_s)
                left = [one.table for one in stands.running]
                raise AssertionError(f"Round {len(stands.rounds)} goes on at tables {left}")
            time.sleep(_LOOK_S)

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
    journals: Mapping[int, Path], tournament: Tournament
) -> tuple[TournamentStanding, ...]:
    """Return what comes of the same draws by what stands in *journals*, by table, alone."""
    trail: list[TournamentEvent] = [tournament.opened]
    trail += [Joined(one) for one in tournament.players]
    told = {number: list(evenings_of(journal)) for number, journal in journals.items()}
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
