"""`kloplei tune`: the way through it, what a terminal shows of it, and the command itself."""

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kloplei.cli import main
from kloplei.cli.tune import CannotTune, LiveTune, TuneLines, open_screen, walk
from kloplei.config.settings import TUNING_BEFORE, TUNING_IN_FORCE
from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration
from kloplei.review.calibrations import CalibrationArchive, CalibrationStore
from kloplei.table.client import TuneStand, no_ears
from tests.knock.lessons import PADS, THREE, edge, stroke
from tests.review.evening import Evening

Turn = str | Callable[[], object] | None
"""What happens while somebody looks at the screen: a key, or something at the table."""


class People:
    """A screen with people before it, who do one thing after the other; then they are gone."""

    def __init__(self, *turns: Turn) -> None:
        self.turns = list(turns)
        self.shown: list[TuneStand] = []
        self.said: list[str] = []
        self.last_word = ""

    def show(self, stand: TuneStand, said: str = "") -> None:
        self.shown.append(stand)
        self.said += [said] if said else []

    def key(self, within_s: float) -> str | None:
        if not self.turns:
            return ""
        turn = self.turns.pop(0)
        if callable(turn):
            turn()
            return None
        return turn

    def end(self, sentence: str) -> None:
        self.last_word = sentence


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    evening = Evening(tmp_path)
    yield evening
    evening.tuning.close()


def knocks(evening: Evening, seats: int = 3) -> list[Turn]:
    """Be quiet, leave glass and phone out, and knock five times a seat."""
    five = (stroke(0.0, 0.1),) * 5
    rounds = (lambda: evening.wait(1.5).hear(*five) for _ in range(seats))
    return [lambda: evening.wait(6.0), "s", "s", *rounds, evening.tuning.work_out]


class TestTheWay:
    def test_whoever_does_all_of_it_and_says_yes_has_saved_it(
        self, evening: Evening, tmp_path: Path
    ) -> None:
        people = People(*knocks(evening), "y")

        assert walk(evening.ears, people)

        assert people.last_word == "Saved, and in force."
        assert {one.name for one in tmp_path.iterdir()} == {TUNING_IN_FORCE, TUNING_BEFORE}
        assert not evening.tuning.is_under_way

    @pytest.mark.parametrize("key", ["q", "n", ""])
    def test_whoever_does_not_say_yes_has_changed_nothing(
        self, evening: Evening, tmp_path: Path, key: str
    ) -> None:
        people = People(*knocks(evening), key)

        assert not walk(evening.ears, people)

        assert people.last_word == "Nothing was saved; all is as it was."
        assert list(tmp_path.iterdir()) == []
        assert not evening.tuning.is_under_way

    def test_ctrl_c_gives_the_table_back(self, evening: Evening) -> None:
        def interrupted() -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            walk(evening.ears, People("\n", interrupted))

        assert not evening.tuning.is_under_way

    def test_enter_goes_on_and_too_few_knocks_are_told(self, evening: Evening) -> None:
        people = People("\n", "\r", "\n", "\n", None, "q")

        walk(evening.ears, people)

        assert [one.step for one in people.shown[:4]] == ["quiet", "glass", "phone", "knocks"]
        hint = people.shown[-1].hint
        assert hint is not None
        assert hint.key == "tuning.hint.too-few"

    def test_at_the_result_a_number_lets_that_seat_knock_again(self, evening: Evening) -> None:
        people = People(*knocks(evening), "2", None, "q")

        walk(evening.ears, people)

        assert (people.shown[-1].step, people.shown[-1].seat) == ("knocks", Seat(1))

    @pytest.mark.parametrize("key", ["y", "7", "x", "\x1b", "²"])
    def test_a_key_that_means_nothing_here_does_nothing(self, evening: Evening, key: str) -> None:
        people = People(key, None, "q")

        walk(evening.ears, people)

        assert {one.step for one in people.shown} == {"quiet"}
        assert people.said == []

    def test_only_so_many_seats_are_asked(self, evening: Evening) -> None:
        people = People("q")

        walk(evening.ears, people, seats=2)

        assert [one.seat for one in people.shown[0].seats] == [Seat(0), Seat(1)]

    def test_of_pads_there_is_nothing_to_save(self, tmp_path: Path) -> None:
        evening = Evening(tmp_path, PADS)

        def knock() -> None:
            for seat in THREE:
                evening.now_s += 1.5
                evening.hear(*(edge(0.0, seat),) * 5)

        people = People(knock, evening.tuning.work_out, "y", "q")

        assert not walk(evening.ears, people)
        assert people.shown[-1].commands == ("redo", "quit")

    def test_what_cannot_be_written_is_told_and_may_be_tried_again(
        self, evening: Evening, tmp_path: Path
    ) -> None:
        in_the_way = tmp_path / "no-folder"
        in_the_way.write_text("a file")
        evening.tuning._store = CalibrationStore(Calibration(), CalibrationArchive(in_the_way).save)
        people = People(*knocks(evening), "y", in_the_way.unlink, "y")

        assert walk(evening.ears, people)

        assert "cannot be kept in" in people.said[0]

    def test_a_table_without_sensors_is_refused_in_a_sentence(self) -> None:
        with pytest.raises(CannotTune, match="no sensors that listen"):
            walk(no_ears(), People())


class TestTheScreen:
    @pytest.fixture
    def quiet(self, evening: Evening) -> TuneStand:
        return evening.do("begin")

    @pytest.fixture
    def result(self, evening: Evening) -> TuneStand:
        return evening.to_the_result()

    def test_lines_say_nothing_twice(self, quiet: TuneStand) -> None:
        out = io.StringIO()
        screen = TuneLines(out)

        screen.show(quiet)
        once = out.getvalue()
        screen.show(quiet)

        assert "quiet" in once
        assert out.getvalue() == once

    def test_lines_say_what_came_of_it_and_what_may_be_done(self, result: TuneStand) -> None:
        out = io.StringIO()

        TuneLines(out).show(result, "Why the last key did nothing.")

        lines = out.getvalue().splitlines()
        assert len(lines) >= 4
        assert any("would be heard with" in line for line in lines)
        assert "y: save it" in lines[-2]
        assert lines[-1] == "Why the last key did nothing."

    def test_live_draws_over_what_it_drew(self, quiet: TuneStand, result: TuneStand) -> None:
        out = io.StringIO()
        screen = LiveTune(out)
        screen.show(quiet)
        lines = out.getvalue().count("\n")

        screen.show(result)

        assert out.getvalue().count(f"\x1b[{lines}F\x1b[J") == 1

    def test_no_line_of_it_wraps(self, quiet: TuneStand) -> None:
        out = io.StringIO()  # whose width nobody knows: 80

        LiveTune(out).show(quiet, "long " * 40)

        assert max(map(len, out.getvalue().splitlines())) <= 80 + len("\x1b[J")

    def test_without_a_terminal_it_prints_lines(self) -> None:
        out = io.StringIO()

        with open_screen(out) as screen:
            screen.end("Done.")

        assert isinstance(screen, TuneLines)
        assert out.getvalue() == "Done.\n"


class TestTheCommand:
    @pytest.fixture
    def config(self, tmp_path: Path) -> str:
        path = tmp_path / "kloplei.toml"
        path.write_text(
            f"""
            table.data = "{tmp_path}"
            pins.factory = "mock"
            slate.driver = "none"
            socket.path = "{tmp_path}/table.sock"
            """
        )
        return str(path)

    def test_at_a_table_that_nobody_tuned_it_says_so(
        self, config: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["tune", "--show", "--config", config]) == 0

        assert capsys.readouterr().out.startswith("Nobody has tuned this table")

    def test_what_is_in_force_is_told_to_people(
        self, config: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        CalibrationArchive(tmp_path).save(Calibration(gain_db=3.5, floor=(0.012, 0.02)))

        assert main(["tune", "--show", "--config", config]) == 0

        told = capsys.readouterr().out
        assert "+3.5 dB" in told
        assert "1.2 %, 2.0 % of full scale" in told
        assert "kloplei tune --back" in told

    def test_and_to_tools(
        self, config: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        CalibrationArchive(tmp_path).save(Calibration(gain_db=3.5))

        assert main(["tune", "--show", "--json", "--config", config]) == 0

        told = json.loads(capsys.readouterr().out)
        assert told["step"] == "idle"
        assert (told["in_force"]["tuned"], told["in_force"]["gain_db"]) == (True, 3.5)

    def test_back_puts_the_tuning_before_in_force(self, config: str, tmp_path: Path) -> None:
        archive = CalibrationArchive(tmp_path)
        archive.save(Calibration(gain_db=1.0))
        archive.save(Calibration(gain_db=2.0))

        assert main(["tune", "--back", "--config", config]) == 0

        assert archive.load().gain_db == 1.0

    def test_back_to_nothing_is_refused_in_one_sentence(
        self, config: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["tune", "--back", "--config", config]) == 1

        assert capsys.readouterr().err == "kloplei: There is no older tuning to go back to.\n"

    def test_json_for_people_is_refused(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["tune", "--json"]) == 2

        assert "--json goes with --show or --back" in capsys.readouterr().err

    @pytest.mark.parametrize("seats", ["0", "-1", "²", "two", "100"])
    def test_an_odd_number_of_seats_is_refused(
        self, seats: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(SystemExit) as stopped:
            main(["tune", f"--seats={seats}"])

        assert stopped.value.code == 2
        assert "counted from 1 on" in capsys.readouterr().err
