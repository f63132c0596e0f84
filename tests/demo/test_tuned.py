"""A tuning on the virtual wood, from the first knock to the next start of the box."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from kloplei.config.settings import TUNING_BEFORE, TUNING_IN_FORCE, AdcConfig, Config
from kloplei.demo.table import Demo, demo_config
from kloplei.devices.schedule import ManualSchedule
from kloplei.games.game import Seat
from kloplei.knock.calibration import PlayCorrection
from kloplei.table.client import TuneStand

SEATS = 4
KNOCKS = 5
ALL = [1, 2, 3, 4]
NOBODY = [None] * SEATS
A_BLOW_S = 1.2
OFF = 0.025  # of the wood: nobody hits the same spot twice
PATIENCE_S = 60.0


def corners() -> Config:
    """Return a box whose piezos are nobody's, so that only what was learned tells a seat."""
    config = demo_config()
    return replace(
        config,
        table=replace(config.table, seats=SEATS),
        seats=tuple(replace(pins, pad=None, piezo=None) for pins in config.seats),
        adc=AdcConfig(enabled=True, corners=tuple(range(SEATS))),
    )


class Table:
    """A demo whose clock the test moves, and people who knock at it."""

    def __init__(self, demo: Demo, clock: ManualSchedule) -> None:
        self.demo = demo
        self.clock = clock

    def tune(self, step: str, **facts: object) -> TuneStand:
        return self.demo.client.ears.tune(step, facts)

    def strike(self, spot: tuple[float, float], kind: str = "knuckle") -> None:
        assert self.demo.strike(kind, spot) is not None
        self.clock.advance(A_BLOW_S)

    def beside(self, seat: int, turn: int) -> tuple[float, float]:
        x, y = self.demo.places[seat]
        return (x + OFF * (turn % 3 - 1), y + OFF * (turn // 3 - 1))

    def to_the_knocks(self) -> None:
        self.tune("begin")
        self.clock.advance(8.0)
        while self.tune("look").step != "knocks":
            self.tune("skip")
        self.clock.advance(1.5)

    def knock_all_round(self, fewer: int = 0) -> None:
        for seat in range(SEATS - fewer):
            for turn in range(KNOCKS):
                self.strike(self.beside(seat, turn))
            self.clock.advance(1.5)

    def result(self) -> TuneStand:
        """Wait until it has been worked out, on a thread of its own."""
        for _ in range(int(PATIENCE_S / 0.05)):
            state = self.tune("look")
            if state.step == "result":
                return state
            Event().wait(0.05)
        pytest.fail(f"after {PATIENCE_S:g} s the tuning still stands so: {state}")

    def troubles_end(self) -> bool:
        """Wait until the table has nothing to complain of; it learns of it on its own thread."""
        for _ in range(int(PATIENCE_S / 0.05)):
            if not self.demo.client.scoreboard().notices:
                return True
            Event().wait(0.05)
        return False

    def seats_told(self) -> list[int | None]:
        """Knock once at each seat, a little elsewhere, and return whose the box says it was."""
        for seat in range(SEATS):
            self.strike(self.beside(seat, KNOCKS + seat % 3))
        return [one.seat for one in self.demo.heard()[-SEATS:]]


@contextmanager
def table_at(data: Path, config: Config | None = None) -> Iterator[Table]:
    clock = ManualSchedule()
    with Demo(data, config or corners(), schedule=clock) as demo:
        yield Table(demo, clock)


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a table at which all four have knocked."""
    data = tmp_path_factory.mktemp("taught")
    with table_at(data) as table:
        assert table.seats_told() == NOBODY
        table.to_the_knocks()
        table.knock_all_round()
        proposed = table.result().proposed

        assert proposed is not None
        assert proposed.seats == tuple(map(Seat, range(SEATS)))
        table.tune("save")
        assert table.seats_told() == ALL, "it is in force at once"
    return data


def test_seats_are_told_at_the_next_start(taught: Path) -> None:
    with table_at(taught) as table:
        assert table.seats_told() == ALL


def test_going_back_takes_the_places_away_at_once(taught: Path) -> None:
    with table_at(taught) as table:
        table.tune("back")
        untaught = table.seats_told()
        table.tune("back")

        assert untaught == NOBODY
        assert table.seats_told() == ALL


def test_a_plug_that_is_pulled_halfway_leaves_all_as_it_was(taught: Path) -> None:
    before = (taught / TUNING_IN_FORCE).read_text()
    with table_at(taught) as table:
        table.to_the_knocks()
        table.knock_all_round(fewer=2)
        # Nobody quits, nobody saves.

    with table_at(taught) as table:
        assert table.tune("look").step == "idle"
        assert (taught / TUNING_IN_FORCE).read_text() == before
        assert table.seats_told() == ALL


def test_a_file_that_holds_no_tuning_is_named_and_the_evening_goes_on(tmp_path: Path) -> None:
    (tmp_path / TUNING_IN_FORCE).write_text("version = 1\ngain_db = 'loud'")

    with table_at(tmp_path) as table:
        table.clock.advance(0.1)
        said = [dict(line.facts) for line in table.demo.client.scoreboard().notices]
        told = table.seats_told()
        table.to_the_knocks()
        table.knock_all_round()
        table.result()
        table.tune("save")

        assert [(one["part"], "kloplei tune" in str(one["message"])) for one in said] == [
            ("tuning", True)
        ]
        assert told == NOBODY
        assert table.troubles_end()
        assert (tmp_path / TUNING_BEFORE).exists()


def test_what_is_learned_in_play_mends_no_file_that_holds_no_tuning(tmp_path: Path) -> None:
    """Lessons of another evening, learned anew at the start, took the notice off the slate."""
    (tmp_path / TUNING_IN_FORCE).write_text("version = 99")

    with table_at(tmp_path) as table:
        table.clock.advance(0.1)
        table.demo._unit.calibrations.play(PlayCorrection(softer_db=1.0))
        table.clock.advance(0.1)

        notices = [line.facts["part"] for line in table.demo.client.scoreboard().notices]
        stand = table.tune("look")
        assert notices == ["tuning"]
        assert stand.trouble is not None
        assert stand.trouble.cause == "no-tuning-in"


def test_a_tuning_of_other_piezos_is_left_alone(taught: Path) -> None:
    """Somebody took a disc off: what four have felt tells nothing any more."""
    config = corners()
    fewer = replace(config, adc=replace(config.adc, corners=tuple(range(SEATS - 1))))

    with table_at(taught, fewer) as table:
        assert table.seats_told() == NOBODY
