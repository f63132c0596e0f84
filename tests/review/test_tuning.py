"""A tuning at the ears: it hears instead of the game, shows itself, saves only when told to."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kloplei.config.settings import (
    TUNING_IN_FORCE,
    AdcConfig,
    AudioConfig,
    Config,
    PinsConfig,
    SeatPins,
)
from kloplei.games.game import IllegalAction, Seat
from kloplei.knock.calibration import Calibration
from kloplei.knock.fitting import SensorSetup
from kloplei.knock.tuning import IDLE_S
from kloplei.review.calibrations import CalibrationArchive, CalibrationStore, TuningUnkept
from kloplei.review.tuning import BEAT_S, setup_of
from kloplei.table.client import BadRequest, TableUnavailable, Taught
from tests.knock.lessons import FLOOR, PADS, THREE, edge, stroke
from tests.review.evening import Evening


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    evening = Evening(tmp_path)
    yield evening
    evening.tuning.close()


def test_a_knock_is_for_the_tuning_and_not_for_the_game(evening: Evening) -> None:
    evening.hear(stroke(0.0))
    before = evening.knocks
    evening.do("begin")

    evening.hear(stroke(0.0))

    assert (before, evening.knocks) == (1, 1)


def test_what_is_heard_while_tuning_is_not_kept_for_review(evening: Evening) -> None:
    evening.do("begin")

    evening.hear(stroke(0.0), stroke(0.0))

    assert evening.ears.heard_events() == ()


def test_the_slate_follows_it_to_the_end(evening: Evening) -> None:
    evening.to_the_result()
    evening.do("quit")

    assert evening.shown == ["quiet", "glass", "phone", "knocks", "weighing", "result", None]


def test_the_meter_does_not_flood_the_table(evening: Evening) -> None:
    evening.do("begin")
    before = len(evening.inbox)

    for n in range(100):
        evening.now_s += 0.02
        evening.ears.loudness("piezos", (0.001 * 2 ** (n % 9),) * 4, evening.now_s)

    assert len(evening.inbox) - before <= 2.0 / 0.15 + 2


def test_nothing_is_saved_until_somebody_says_so(evening: Evening, tmp_path: Path) -> None:
    state = evening.to_the_result()

    assert state.step == "result"
    assert list(tmp_path.iterdir()) == []
    assert evening.shelf.calibration == Calibration()


def test_what_is_saved_is_in_force_at_once_and_at_the_next_start(
    evening: Evening, tmp_path: Path
) -> None:
    followed: list[Calibration] = []
    evening.shelf.follow(followed.append)
    proposed = evening.to_the_result().proposed

    state = evening.do("save")

    assert proposed == Taught(
        tuned=True, gain_db=8.0, strictness=0.0, wary=False, floor=(FLOOR,) * 4, seats=()
    )
    assert (state.step, state.in_force) == ("idle", proposed)
    assert [one.gain_db for one in followed] == [8.0]
    assert Evening(tmp_path).shelf.calibration == followed[0]


def test_the_tuning_before_comes_back_and_goes_again(evening: Evening) -> None:
    evening.to_the_result()
    tuned = evening.do("save").in_force

    back = evening.do("back")
    forth = evening.do("back")

    assert back.in_force == Taught(
        tuned=False, gain_db=0.0, strictness=0.0, wary=False, floor=(), seats=()
    )
    assert forth.in_force == tuned


def test_what_is_thrown_away_leaves_everything_as_it_was(evening: Evening, tmp_path: Path) -> None:
    evening.to_the_result()

    state = evening.do("quit")

    assert (state.step, state.commands) == ("idle", ("begin",))
    assert list(tmp_path.iterdir()) == []
    assert evening.hear(stroke(0.0)).knocks == 1


def test_a_tuning_that_nobody_touches_gives_the_game_back(evening: Evening) -> None:
    evening.do("begin")
    evening.now_s += IDLE_S

    evening.tuning.beat(evening.now_s)

    assert evening.do("look").step == "idle"
    assert evening.shown[-1] is None


def test_the_table_is_told_again_and_again_that_it_is_tuned(evening: Evening) -> None:
    """It forgets a tuning that says nothing any more, so that no evening hangs on one."""
    evening.do("begin")
    told = len(evening.inbox)
    evening.now_s += BEAT_S

    evening.tuning.beat(evening.now_s)

    assert len(evening.inbox) == told + 1


def test_a_second_phone_joins_the_tuning_that_runs(evening: Evening) -> None:
    evening.do("begin")
    evening.wait(6.0)

    assert evening.do("begin", seats=2).step == "glass"


def test_only_so_many_seats_are_asked_as_sit_there(evening: Evening) -> None:
    state = evening.do("begin", seats=2)

    assert [one.seat for one in state.seats] == [Seat(0), Seat(1)]


@pytest.mark.parametrize("seats", [0, -1, True, "two", 1.5])
def test_an_odd_number_of_seats_is_refused(evening: Evening, seats: object) -> None:
    with pytest.raises(BadRequest):
        evening.do("begin", seats=seats)


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ("next", "not_tuning"),
        ("skip", "not_tuning"),
        ("redo", "not_tuning"),
        ("save", "not_tuning"),
        ("back", "no_older_tuning"),
    ],
)
def test_a_step_at_the_wrong_time_is_refused(evening: Evening, step: str, reason: str) -> None:
    with pytest.raises(IllegalAction) as refused:
        evening.do(step)

    assert refused.value.reason == reason


def test_before_it_has_come_to_a_result_there_is_nothing_to_save(evening: Evening) -> None:
    evening.do("begin")

    with pytest.raises(IllegalAction) as refused:
        evening.do("save")

    assert refused.value.reason == "nothing_to_save"


def test_an_unknown_step_and_a_seat_that_is_none_are_refused(evening: Evening) -> None:
    evening.do("begin")

    with pytest.raises(BadRequest, match="look, begin, next"):
        evening.do("jump")
    with pytest.raises(BadRequest):
        evening.do("redo", seat="3")


def test_a_seat_that_knocks_again_while_it_is_worked_out_is_waited_for(evening: Evening) -> None:
    evening.to_the_last_knock()
    evening.do("redo", seat=Seat(1))

    evening.tuning.work_out()

    assert evening.do("look").step == "knocks"


def test_of_pads_there_is_nothing_to_save(tmp_path: Path) -> None:
    evening = Evening(tmp_path, PADS)
    evening.do("begin")
    for seat in THREE:
        evening.now_s += 1.5
        evening.hear(*(edge(0.0, seat),) * 5)
    evening.tuning.work_out()

    state = evening.do("look")

    assert state.commands == ("redo", "quit")
    assert [one.line.key for one in state.remarks] == ["tuning.pads-answer"]
    evening.tuning.close()


def test_a_folder_that_takes_nothing_leaves_the_tuning_standing(tmp_path: Path) -> None:
    """Mend the disk and save again: nobody wants to knock forty times more."""
    in_the_way = tmp_path / "no-folder"
    in_the_way.write_text("a file")
    evening = Evening(tmp_path)
    evening.tuning._store = CalibrationStore(Calibration(), CalibrationArchive(in_the_way).save)
    evening.to_the_result()

    with pytest.raises(TableUnavailable, match="cannot be kept in"):
        evening.do("save")

    assert evening.do("look").step == "result"
    evening.tuning.close()


def test_a_thread_works_out_what_it_comes_to(evening: Evening) -> None:
    """Nobody calls for it."""
    evening.to_the_last_knock()

    for _ in range(3000):  # a minute, for a busy machine
        if evening.do("look").step == "result":
            break
        evening.tuning._thread.join(0.02)  # type: ignore[union-attr]

    assert evening.do("look").step == "result"


# On disk


def test_a_damaged_file_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "tuning.toml").write_text("not what it was")

    with pytest.raises(TuningUnkept, match="holds no tuning"):
        CalibrationArchive(tmp_path).load()


def test_a_pipe_is_not_waited_at(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / TUNING_IN_FORCE)

    with pytest.raises(TuningUnkept, match="it is a pipe"):
        CalibrationArchive(tmp_path).load()


def test_a_damaged_file_does_not_stop_a_new_tuning(tmp_path: Path) -> None:
    (tmp_path / "tuning.toml").write_text("not what it was")
    archive = CalibrationArchive(tmp_path)

    archive.save(Calibration(gain_db=2.0))

    assert (archive.load().gain_db, archive.before) == (2.0, Calibration())


def test_what_cannot_be_read_is_moved_aside_and_never_written_over(tmp_path: Path) -> None:
    """A newer Kloplei wrote it: one word about the table top by an older one was its end."""
    archive = CalibrationArchive(tmp_path)
    archive.save(Calibration(gain_db=1.0))
    archive.save(Calibration(gain_db=2.0))
    for newer in ("version = 99", "version = 100"):
        (tmp_path / TUNING_IN_FORCE).write_text(newer)
        archive.save(Calibration(gain_db=3.0))

    kept = {one.name: one.read_text() for one in tmp_path.glob("tuning-unread*")}
    assert kept == {"tuning-unread.toml": "version = 99", "tuning-unread-2.toml": "version = 100"}
    assert archive.before == Calibration(gain_db=1.0)


def test_a_folder_in_place_of_the_file_is_moved_aside_too(tmp_path: Path) -> None:
    (tmp_path / TUNING_IN_FORCE / "of somebody").mkdir(parents=True)
    archive = CalibrationArchive(tmp_path)

    archive.save(Calibration(gain_db=2.0))

    assert archive.load().gain_db == 2.0
    assert (tmp_path / "tuning-unread.toml" / "of somebody").is_dir()


def test_only_the_one_before_is_kept(tmp_path: Path) -> None:
    archive = CalibrationArchive(tmp_path)

    for gain_db in (1.0, 2.0, 3.0):
        archive.save(Calibration(gain_db=gain_db))

    assert archive.before == Calibration(gain_db=2.0)
    assert {one.name for one in tmp_path.iterdir()} == {"tuning.toml", "tuning-before.toml"}


# What can be taught


@pytest.mark.parametrize(
    ("config", "setup"),
    [
        (Config(), SensorSetup(tuple(map(Seat, range(8))), (), frozenset(map(Seat, range(8))))),
        (
            Config(
                seats=(SeatPins(piezo=0), SeatPins(pad=17), SeatPins(button=4)),
                adc=AdcConfig(enabled=True),
            ),
            SensorSetup((Seat(0), Seat(1)), (Seat(0),), frozenset({Seat(1)}), (0,)),
        ),
        (
            Config(seats=(), adc=AdcConfig(enabled=True, corners=(0, 1))),
            SensorSetup(tuple(map(Seat, range(8))), (None, None), channels=(0, 1)),
        ),
        (
            Config(seats=(), audio=AudioConfig(enabled=True, corners=(4, 7))),
            SensorSetup(tuple(map(Seat, range(8))), (None, None), channels=(4, 7)),
        ),
        (
            Config(seats=(), pins=PinsConfig(shared_pad=17)),
            SensorSetup(tuple(map(Seat, range(8)))),
        ),
        (
            Config(seats=(), pins=PinsConfig(corner_pads=(17, 27, 22))),
            SensorSetup(tuple(map(Seat, range(8)))),
        ),
        (Config(seats=(SeatPins(button=4),)), None),
    ],
)
def test_the_settings_say_which_seats_can_be_taught(
    config: Config, setup: SensorSetup | None
) -> None:
    assert setup_of(config) == setup
