"""`kloplei tune`: the way through it, what a terminal shows of it, and the command itself."""

import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gpiozero import Factory

from kloplei.cli import main
from kloplei.cli.tune import CannotTune, LiveTune, TuneLines, ailing_parts, open_screen, walk
from kloplei.config.settings import TUNING_BEFORE, TUNING_IN_FORCE
from kloplei.devices import box
from kloplei.devices.pins import PinsMissing
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line, Scoreboard
from kloplei.knock.calibration import Calibration
from kloplei.knock.lessons import LessonSource, PlayLesson
from kloplei.review.calibrations import CalibrationArchive, CalibrationStore
from kloplei.review.lessons import KeptLessons, LessonArchive
from kloplei.table.client import TuneStand, no_ears
from kloplei.unit import TUNING
from kloplei.words import LANGUAGES, Sentence, Words, message_facts
from tests.knock.lessons import PADS, THREE, edge, stroke
from tests.review.evening import Evening

ENGLISH = Words("en")

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

        assert walk(evening.ears, people, ENGLISH)

        assert people.last_word == "Saved, and in force."
        assert {one.name for one in tmp_path.iterdir()} == {TUNING_IN_FORCE, TUNING_BEFORE}
        assert not evening.tuning.is_under_way

    @pytest.mark.parametrize("key", ["q", "n", ""])
    def test_whoever_does_not_say_yes_has_changed_nothing(
        self, evening: Evening, tmp_path: Path, key: str
    ) -> None:
        people = People(*knocks(evening), key)

        assert not walk(evening.ears, people, ENGLISH)

        assert people.last_word == "Nothing was saved; all is as it was."
        assert list(tmp_path.iterdir()) == []
        assert not evening.tuning.is_under_way

    def test_a_part_that_does_not_work_is_told_and_what_was_pressed_in_vain_goes_before(
        self, evening: Evening
    ) -> None:
        """Who tuned without a sound card was asked to be quiet, and nothing more, for ever."""
        gone = Sentence("sound-card-gone", error="No such device")
        ails = Line("notice.part", {"part": "piezos", **message_facts(gone)})
        people = People("\n", "\n", "\n", "\n", None, "q")

        walk(evening.ears, people, ENGLISH, ailing=lambda: [ails])

        assert "Not working: the piezos. The sound card is gone (No such device)" in people.said[0]

    def test_what_ails_the_tuning_itself_is_said_once_and_not_at_every_step(self) -> None:
        parts = [Line("notice.part", {"part": part}) for part in ("piezos", TUNING)]

        found = list(ailing_parts(Scoreboard("toepen", "seating", notices=tuple(parts))))

        assert found == parts[:1]

    def test_ctrl_c_gives_the_table_back(self, evening: Evening) -> None:
        def interrupted() -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            walk(evening.ears, People("\n", interrupted), ENGLISH)

        assert not evening.tuning.is_under_way

    def test_enter_goes_on_and_too_few_knocks_are_told(self, evening: Evening) -> None:
        people = People("\n", "\r", "\n", "\n", None, "q")

        walk(evening.ears, people, ENGLISH)

        assert [one.step for one in people.shown[:4]] == ["quiet", "glass", "phone", "knocks"]
        hint = people.shown[-1].hint
        assert hint is not None
        assert hint.key == "tuning.hint.too-few"

    def test_at_the_result_a_number_lets_that_seat_knock_again(self, evening: Evening) -> None:
        people = People(*knocks(evening), "2", None, "q")

        walk(evening.ears, people, ENGLISH)

        assert (people.shown[-1].step, people.shown[-1].seat) == ("knocks", Seat(1))

    @pytest.mark.parametrize("key", ["y", "7", "x", "\x1b", "²"])
    def test_a_key_that_means_nothing_here_does_nothing(self, evening: Evening, key: str) -> None:
        people = People(key, None, "q")

        walk(evening.ears, people, ENGLISH)

        assert {one.step for one in people.shown} == {"quiet"}
        assert people.said == []

    def test_only_so_many_seats_are_asked(self, evening: Evening) -> None:
        people = People("q")

        walk(evening.ears, people, ENGLISH, seats=2)

        assert [one.seat for one in people.shown[0].seats] == [Seat(0), Seat(1)]

    def test_of_pads_there_is_nothing_to_save(self, tmp_path: Path) -> None:
        evening = Evening(tmp_path, PADS)

        def knock() -> None:
            for seat in THREE:
                evening.now_s += 1.5
                evening.hear(*(edge(0.0, seat),) * 5)

        people = People(knock, evening.tuning.work_out, "y", "q")

        assert not walk(evening.ears, people, ENGLISH)
        assert people.shown[-1].commands == ("redo", "quit")

    def test_what_cannot_be_written_is_told_and_may_be_tried_again(
        self, evening: Evening, tmp_path: Path
    ) -> None:
        in_the_way = tmp_path / "no-folder"
        in_the_way.write_text("a file")
        evening.tuning._store = CalibrationStore(Calibration(), CalibrationArchive(in_the_way).save)
        people = People(*knocks(evening), "y", in_the_way.unlink, "y")

        assert walk(evening.ears, people, ENGLISH)

        assert "cannot be kept in" in people.said[0]

    def test_a_table_without_sensors_is_refused_in_a_sentence(self) -> None:
        with pytest.raises(CannotTune, match="no sensors that listen"):
            walk(no_ears(), People(), ENGLISH)


class TestTheScreen:
    @pytest.fixture
    def quiet(self, evening: Evening) -> TuneStand:
        return evening.do("begin")

    @pytest.fixture
    def result(self, evening: Evening) -> TuneStand:
        return evening.to_the_result()

    def test_lines_say_nothing_twice(self, quiet: TuneStand) -> None:
        out = io.StringIO()
        screen = TuneLines(out, ENGLISH)

        screen.show(quiet)
        once = out.getvalue()
        screen.show(quiet)

        assert "quiet" in once
        assert out.getvalue() == once

    def test_lines_say_what_came_of_it_and_what_may_be_done(self, result: TuneStand) -> None:
        out = io.StringIO()

        TuneLines(out, ENGLISH).show(result, "Why the last key did nothing.")

        lines = out.getvalue().splitlines()
        assert len(lines) >= 4
        assert any("would be heard with" in line for line in lines)
        assert "y: save it" in lines[-2]
        assert lines[-1] == "Why the last key did nothing."

    def test_live_draws_over_what_it_drew(self, quiet: TuneStand, result: TuneStand) -> None:
        out = io.StringIO()
        screen = LiveTune(out, ENGLISH)
        screen.show(quiet)
        lines = out.getvalue().count("\n")

        screen.show(result)

        assert out.getvalue().count(f"\x1b[{lines}F\x1b[J") == 1

    def test_no_line_of_it_wraps(self, quiet: TuneStand) -> None:
        out = io.StringIO()  # whose width nobody knows: 80

        LiveTune(out, ENGLISH).show(quiet, "long " * 40)

        assert max(map(len, out.getvalue().splitlines())) <= 80 + len("\x1b[J")

    def test_without_a_terminal_it_prints_lines(self) -> None:
        out = io.StringIO()

        with open_screen(ENGLISH, out) as screen:
            screen.end("Done.")

        assert isinstance(screen, TuneLines)
        assert out.getvalue() == "Done.\n"


class Spoken(People):
    """People before a screen of both sorts; all that it says is kept."""

    def __init__(self, words: Words, *turns: Turn) -> None:
        super().__init__(*turns)
        self.out = io.StringIO()
        self.screens = (LiveTune(self.out, words), TuneLines(self.out, words))

    def show(self, stand: TuneStand, said: str = "") -> None:
        for screen in self.screens:
            screen.show(stand, said)

    def end(self, sentence: str) -> None:
        for screen in self.screens:
            screen.end(sentence)


def spoken(folder: Path, language: str) -> set[str]:
    """Return the lines with words in them of a whole tuning in *language*, slips and all."""
    folder.mkdir()
    evening, words = Evening(folder), Words(language)
    turns: list[Turn] = ["\n", *knocks(evening)[1:], "2", "\n", *knocks(evening, 1)[-2:], None]
    people = Spoken(words, *turns, "y")
    walk(evening.ears, people, words)
    evening.tuning.close()
    lines = re.sub(r"\x1b\[\d*[FJ]", "\n", people.out.getvalue()).splitlines()
    return {one for one in lines if any(map(str.isalpha, one))}


class TestOtherLanguages:
    @pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"en"}))
    def test_no_line_of_a_whole_tuning_is_english(self, tmp_path: Path, language: str) -> None:
        ours, english = spoken(tmp_path / "ours", language), spoken(tmp_path / "english", "en")

        assert len(ours) > 20
        assert Words(language).say("terminal.saved") in ours
        assert ours & english == set()

    @pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"en"}))
    def test_what_is_in_force_is_told_in_the_language_of_the_house(
        self, tmp_path: Path, language: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        CalibrationArchive(tmp_path).save(Calibration(gain_db=1.0))
        CalibrationArchive(tmp_path).save(Calibration(gain_db=3.5, floor=(0.012, 0.02)))

        told = {one: shown_in(one, tmp_path, capsys) for one in (language, "en")}

        assert len(told[language]) == len(told["en"]) > 2
        assert set(told[language]) & set(told["en"]) == set()
        for one, lines in told.items():
            point = Words(one).name("number", "point")
            assert f"3{point}5" in lines[0]
            assert f"1{point}2 %, 2{point}0 %" in lines[1]

    def test_a_refusal_is_told_in_it_as_well(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        config = settings(tmp_path, "da")

        assert main(["tune", "--back", "--config", config]) == 1

        refusal = Words("da").say("reason.no_older_tuning")
        assert capsys.readouterr().err == f"kloplei: {refusal}\n"

    def test_letters_that_take_two_columns_wrap_no_line(self, evening: Evening) -> None:
        out = io.StringIO()

        LiveTune(out, Words("ja")).show(evening.do("begin"), "木" * 60)

        assert "木" * 40 + "\n" in out.getvalue()
        assert "木" * 41 not in out.getvalue()


def settings(folder: Path, language: str) -> str:
    path = folder / "kloplei.toml"
    path.write_text(
        f"""
        table.data = "{folder}"
        table.language = "{language}"
        pins.factory = "mock"
        slate.driver = "none"
        socket.path = "{folder}/table.sock"
        """
    )
    return str(path)


def shown_in(language: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(["tune", "--show", "--config", settings(folder, language)]) == 0
    return capsys.readouterr().out.splitlines()


class TestTheCommand:
    @pytest.fixture
    def config(self, tmp_path: Path) -> str:
        return settings(tmp_path, "en")

    def test_at_a_table_that_nobody_tuned_it_says_so(
        self, config: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["tune", "--show", "--config", config]) == 0

        assert capsys.readouterr().out.startswith("Nobody has tuned this table")

    def test_without_hardware_it_says_what_is_missing_and_how_to_try_it(
        self, config: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """It asked seat 1 for five knocks that nothing could hear."""

        def no_library(_: str) -> Factory:
            raise PinsMissing("the pin library lgpio is missing")

        monkeypatch.setattr(box, "open_factory", no_library)
        written = Path(config)
        written.write_text(written.read_text().replace('pins.factory = "mock"', ""))

        assert main(["tune", "--config", config]) == 1

        said = capsys.readouterr().err
        assert "the pin library lgpio is missing" in said
        assert "kloplei tune --virtual" in said

    def test_a_file_that_holds_no_tuning_is_named(
        self, config: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """It said that nobody had tuned the table."""
        (tmp_path / TUNING_IN_FORCE).write_text("version = 99")

        assert main(["tune", "--show", "--config", config]) == 0
        told = capsys.readouterr().out
        assert main(["tune", "--show", "--json", "--config", config]) == 0
        trouble = json.loads(capsys.readouterr().out)["trouble"]

        assert told.startswith(f"{tmp_path / TUNING_IN_FORCE} holds no tuning")
        assert "Nobody has tuned" not in told
        assert trouble.startswith(f"{tmp_path / TUNING_IN_FORCE} holds no tuning")

    @pytest.mark.parametrize("how", [("--lessons",), ("--forget", "all")])
    def test_lessons_that_cannot_be_read_are_named_and_left_alone(
        self,
        config: str,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        how: tuple[str, ...],
    ) -> None:
        """It said that nothing had been learned yet."""
        (tmp_path / "lessons.json").write_text("[[[")

        assert main(["tune", *how, "--config", config]) == 0

        told = capsys.readouterr().out
        assert told.startswith(f"{tmp_path / 'lessons.json'} cannot be used")
        assert told.count("\n") == 1
        assert (tmp_path / "lessons.json").read_text() == "[[["

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

    def test_more_seats_than_there_are_are_told(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """It asked as many as there are, and said nothing of the others."""
        config = tmp_path / "kloplei.toml"
        config.write_text(f'[table]\nseats = 3\ndata = "{tmp_path}"\n', encoding="utf-8")

        assert main(["tune", "--virtual", "--seats", "9"]) == 2
        assert "--seats 9: the table has seats 1 to 8" in capsys.readouterr().err
        assert main(["tune", "--config", str(config), "--seats", "4"]) == 2
        assert "--seats 4: the table has seats 1 to 3" in capsys.readouterr().err

    @pytest.mark.parametrize("seats", ["0", "-1", "²", "two", "100"])
    def test_an_odd_number_of_seats_is_refused(
        self, seats: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(SystemExit) as stopped:
            main(["tune", f"--seats={seats}"])

        assert stopped.value.code == 2
        assert "counted from 1 on" in capsys.readouterr().err


class TestLessons:
    @pytest.fixture
    def taught(self, tmp_path: Path) -> Path:
        """A box that learned two blows while people played."""
        archive = LessonArchive(tmp_path)
        seen = {"peak_db": -10.0}
        lessons = [PlayLesson(n, 1, n == 1, LessonSource.MARK, n, 4000, seen) for n in (1, 2)]
        archive.save(KeptLessons(tuple(lessons), numbered=2))
        (tmp_path / "box.toml").write_text(
            f'[table]\ndata = "{tmp_path}"\n[slate]\ndriver = "none"\n'
        )
        return tmp_path / "box.toml"

    def test_they_are_listed_and_forgotten_by_number_or_all(
        self, taught: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def told(*options: str) -> str:
            assert main(["tune", "--config", str(taught), *options]) == 0
            return capsys.readouterr().out

        listed, one_less = told("--lessons"), told("--forget", "1")
        none = told("--forget", "all")

        assert "  2: " in listed
        assert "  1: " in listed
        assert "  1: " not in one_less
        assert "  2: " in one_less
        assert len(none.splitlines()) == 1
        assert LessonArchive(taught.parent).load() == KeptLessons(numbered=2)

    @pytest.mark.parametrize(
        ("settings", "why"),
        [
            (
                "".join(f"[seat.{seat}]\npad = false\n" for seat in (1, 2, 3)),
                "no sensor here hears the wood",
            ),
            ("", "pads feel that something struck"),
            ("[ears]\nkeep = 0\n[adc]\nenabled = true\ncorners = [0, 1]\n", "keep = 0"),
            ("[adc]\nenabled = true\ncorners = [0, 1]\n", ""),
        ],
        ids=["deaf", "edges", "keep", "learns"],
    )
    def test_a_table_that_learns_nothing_says_why(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], settings: str, why: str
    ) -> None:
        box = tmp_path / "box.toml"
        table = f'[table]\nseats = 3\ndata = "{tmp_path}"\nlanguage = "en"\n'
        box.write_text(f'{table}[slate]\ndriver = "none"\n[pins]\nfactory = "mock"\n{settings}')

        assert main(["tune", "--config", str(box), "--lessons"]) == 0

        told = capsys.readouterr().out
        assert why in told
        assert ("Nothing learned in play yet" in told) == (not why)

    def test_one_that_is_gone_is_refused_in_a_sentence(
        self, taught: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["tune", "--config", str(taught), "--forget", "7"]) == 1
        assert len(capsys.readouterr().err.splitlines()) == 1

    @pytest.mark.parametrize("number", ["0", "x", "-1", "٣", "9" * 20])
    def test_what_is_no_number_of_a_lesson_is_refused(self, number: str) -> None:
        with pytest.raises(SystemExit) as refused:
            main(["tune", "--forget", number])

        assert refused.value.code == 2


def test_the_table_top_is_told_without_a_knock(capsys: pytest.CaptureFixture[str]) -> None:
    told = ["tune", "--virtual", "--size", "1.4x0.8", "--seats", "4"]

    assert main(told) == 0
    assert "1.4x0.8 m, 4 plekken, 4 piezo's" in capsys.readouterr().out


def test_a_table_top_that_is_none_is_refused_in_one_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["tune", "--virtual", "--size", "jelly"]) == 1
    assert '"jelly" is geen maat van een tafel' in capsys.readouterr().err


@pytest.mark.parametrize("option", [("--top", "planks"), ("--discs", "corners")])
def test_what_a_table_is_like_goes_with_its_size(
    option: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """It was passed over, and people were led through a tuning."""
    assert main(["tune", "--virtual", *option]) == 2
    assert "add --size 1.4x0.8" in capsys.readouterr().err
