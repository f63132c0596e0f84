"""What the table learns while people play: from whom, how it is kept, and how it goes again."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kloplei.config.settings import LESSONS
from kloplei.games.game import IllegalAction, Seat
from kloplei.knock.calibration import Calibration
from kloplei.knock.judgement import DOUBTFUL_LINE, Judgement, Verdict
from kloplei.knock.lessons import MOST_LESSONS, LessonSource
from kloplei.review.calibrations import CalibrationStore
from kloplei.review.lessons import NIGHT_S, SILENT_S, LessonArchive, LessonBook, PlayObserver
from kloplei.review.store import LoggedEvent
from kloplei.table.messages import BlowFate, Fate
from tests.review.blows import Paper, blow

WALL = 1_790_000_000.0


class Table:
    """A book of lessons with a clock, and what was heard."""

    def __init__(self, folder: Path | None = None, wall: float | None = WALL) -> None:
        self.now_s = 1000.0
        self.paper = Paper()
        self.store = CalibrationStore(Calibration(), self.paper.save)
        self.heard: list[LoggedEvent] = []
        archive = LessonArchive(folder) if folder is not None else None
        self.book = LessonBook(
            self.store,
            archive,
            clock=lambda: self.now_s,
            wall=None if wall is None else lambda: wall + self.now_s,
        )
        self.observer = PlayObserver(self.book, lambda: self.now_s)

    def hears(
        self, verdict: Verdict, *, likelihood: float | None = None, seat: Seat | None = None
    ) -> LoggedEvent:
        judged: Judgement = blow(verdict, self.now_s, seat=seat, likelihood=likelihood)
        event = LoggedEvent(len(self.heard) + 1, WALL + self.now_s, judged)
        self.heard.append(event)
        self.observer.heard(event)
        return event

    def becomes(self, fate: Fate, *events: LoggedEvent) -> None:
        blows = tuple(one.judgement.at_s for one in events)
        self.observer.became(BlowFate(fate, blows), self.heard)

    @property
    def lessons(self) -> list[tuple[str, bool]]:
        return [(one.said, one.was_knock) for one in self.book.told().lessons]


@pytest.fixture
def table() -> Iterator[Table]:
    table = Table()
    yield table
    table.book.close()


class TestFromWhat:
    def test_a_mark_is_in_force_for_the_next_blow(self, table: Table) -> None:
        listened: list[Calibration] = []
        table.store.follow(listened.append)

        table.book.learn(table.hears(Verdict.NOISE), True, LessonSource.MARK)
        table.book.settle()

        assert table.lessons == [("mark", True)]
        assert listened[-1].played is not None
        assert listened[-1] == table.store.calibration
        assert table.store.tuned == Calibration()

    def test_an_answer_to_a_doubt_is_learned_either_way(self, table: Table) -> None:
        yes, no = (table.hears(Verdict.DOUBTFUL, likelihood=0.4) for _ in range(2))
        table.heard[1] = no = LoggedEvent(2, no.at, blow(Verdict.DOUBTFUL, 1001.0, likelihood=0.4))

        table.becomes(Fate.CONFIRMED, yes)
        table.becomes(Fate.DENIED, no)

        assert table.lessons == [("answer", False), ("answer", True)]

    def test_what_was_doubtful_for_its_neighbour_alone_teaches_nothing(self, table: Table) -> None:
        held = blow(Verdict.DOUBTFUL, table.now_s, likelihood=DOUBTFUL_LINE, is_held=True)
        table.heard.append(LoggedEvent(1, WALL + table.now_s, held))
        table.becomes(Fate.DENIED, *table.heard)

        assert table.lessons == []

    def test_a_knock_that_was_undone_was_none_until_it_is_redone(self, table: Table) -> None:
        knock = table.hears(Verdict.KNOCK, likelihood=0.7)

        table.becomes(Fate.UNDONE, knock)
        undone = table.lessons
        table.becomes(Fate.REDONE, knock)

        assert (undone, table.lessons) == ([("undo", False)], [])

    def test_of_what_the_judge_is_sure_of_an_undo_says_nothing(self, table: Table) -> None:
        table.becomes(Fate.UNDONE, table.hears(Verdict.KNOCK, likelihood=0.995))

        assert table.lessons == []

    @pytest.mark.parametrize(
        ("likelihood", "waited_s", "seat", "learns"),
        [
            (0.15, 1.0, Seat(1), True),
            (0.01, 1.0, Seat(1), False),  # the judge is surer than the hand
            (0.15, 0.3, Seat(1), False),  # of the same pattern
            (0.15, 4.0, Seat(1), False),  # not at once
            (0.15, 1.0, Seat(2), False),  # another hand
        ],
    )
    def test_an_unheard_blow_that_was_repeated_at_once_was_a_knock(
        self, table: Table, likelihood: float, waited_s: float, seat: Seat, learns: bool
    ) -> None:
        table.hears(Verdict.NOISE, likelihood=likelihood, seat=Seat(1))
        table.now_s += waited_s

        table.becomes(Fate.TAKEN, table.hears(Verdict.KNOCK, seat=seat))

        assert table.lessons == ([("repeat", True)] if learns else [])

    def test_where_something_clatters_nobody_knocked_in_vain(self, table: Table) -> None:
        for _ in range(2):
            table.hears(Verdict.NOISE, likelihood=0.15)
            table.now_s += 0.7

        table.becomes(Fate.TAKEN, table.hears(Verdict.KNOCK))

        assert table.lessons == []

    def test_a_blow_with_half_an_hour_of_silence_on_both_sides_was_none(self, table: Table) -> None:
        table.now_s += SILENT_S
        table.hears(Verdict.DOUBTFUL, likelihood=0.4)
        table.now_s += SILENT_S - 1
        table.hears(Verdict.NOISE, likelihood=0.02)
        early = table.lessons
        table.now_s += 1

        table.hears(Verdict.NOISE, likelihood=0.02)

        assert (early, table.lessons) == ([], [("silence", False)])

    def test_what_turned_out_to_be_a_knock_in_silence_is_one_lesson(self, table: Table) -> None:
        table.now_s += SILENT_S
        doubt = table.hears(Verdict.DOUBTFUL, likelihood=0.4)
        knock = replace(doubt.judgement, verdict=Verdict.KNOCK, likelihood=0.6, amends=True)
        table.observer.heard(replace(doubt, judgement=knock))
        table.now_s += SILENT_S

        table.hears(Verdict.NOISE, likelihood=0.02)

        assert table.lessons == [("silence", False)]

    @pytest.mark.parametrize("before_s", [10.0, SILENT_S])
    def test_whoever_sits_down_and_knocks_breaks_the_silence(
        self, table: Table, before_s: float
    ) -> None:
        table.now_s += before_s
        table.hears(Verdict.KNOCK, likelihood=0.6)
        table.now_s += 60.0
        table.becomes(Fate.STEP)
        table.now_s += SILENT_S

        table.hears(Verdict.NOISE, likelihood=0.02)

        assert table.lessons == []

    def test_what_people_do_does_not_outweigh_what_they_said(self, table: Table) -> None:
        knock = table.hears(Verdict.KNOCK, likelihood=0.6)
        table.book.learn(knock, True, LessonSource.MARK)

        table.becomes(Fate.UNDONE, knock)

        assert table.lessons == [("mark", True)]

    def test_of_edges_nothing_is_learned(self, table: Table) -> None:
        edges = LoggedEvent(1, None, blow(edges_only=True))

        table.book.learn(edges, False, LessonSource.MARK)

        assert table.lessons == []


class TestTakenBack:
    def test_without_it_the_table_is_as_if_it_had_never_been(self, table: Table) -> None:
        knock, noise = table.hears(Verdict.KNOCK), table.hears(Verdict.NOISE)
        table.book.learn(knock, True, LessonSource.MARK)
        table.book.settle()
        before = table.store.calibration
        table.book.learn(noise, True, LessonSource.MARK)
        table.book.settle()

        table.book.forget(2)
        table.book.settle()

        assert table.store.calibration == before
        table.book.forget_all()
        table.book.settle()
        assert table.store.calibration == Calibration()
        assert table.lessons == []

    def test_of_what_is_forgotten_nothing_is_told_while_that_is_learned(self, table: Table) -> None:
        table.book.learn(table.hears(Verdict.NOISE), True, LessonSource.MARK)
        table.book.settle()
        before = table.book.told().lines

        table.book.forget_all()

        assert (len(before), table.book.told().lines) == (1, ())

    def test_twice_is_refused(self, table: Table) -> None:
        with pytest.raises(IllegalAction) as refused:
            table.book.forget(1)

        assert (refused.value.reason, refused.value.facts) == ("lesson_gone", {"number": 1})

    def test_a_new_tuning_keeps_the_lessons_and_learns_them_anew(self, table: Table) -> None:
        table.book.learn(table.hears(Verdict.NOISE), True, LessonSource.MARK)
        table.book.settle()
        before = table.store.calibration.played

        table.store.put(Calibration(strictness=4.0))
        table.book.settle()

        assert table.store.calibration.strictness == 4.0
        assert table.store.calibration.played not in (None, before)
        assert table.paper.saved == [Calibration(strictness=4.0)]


class TestKept:
    def test_lessons_outlive_the_box(self, tmp_path: Path) -> None:
        table = Table(tmp_path)
        table.book.learn(table.hears(Verdict.NOISE), True, LessonSource.MARK)
        table.book.settle()

        again = Table(tmp_path)
        again.book.settle()

        assert again.book.told().lessons == table.book.told().lessons
        assert again.store.calibration == table.store.calibration
        assert (tmp_path / LESSONS).stat().st_size < 1000

    def test_the_file_stays_small_however_much_is_learned(self, tmp_path: Path) -> None:
        table = Table(tmp_path)
        for number in range(50 * len(LessonSource)):
            table.now_s += 1.0
            said = [*LessonSource][number % len(LessonSource)]
            table.book.learn(table.hears(Verdict.NOISE), True, said)
        table.book.settle()

        assert len(table.lessons) == sum(MOST_LESSONS.values())
        assert (tmp_path / LESSONS).stat().st_size < 1000 * len(table.lessons)

    @pytest.mark.parametrize("forgotten", [[2], [1, 2]], ids=str)
    def test_a_number_is_given_once_however_much_is_forgotten(
        self, tmp_path: Path, forgotten: list[int]
    ) -> None:
        """A page that still shows a forgotten lesson would have taken back another's."""
        table = Table(tmp_path)
        for _ in range(2):
            table.book.learn(table.hears(Verdict.NOISE), True, LessonSource.MARK)
        for number in forgotten:
            table.book.forget(number)
        table.book.close()

        again = Table(tmp_path)
        again.now_s += 9.0
        again.book.learn(again.hears(Verdict.NOISE), True, LessonSource.MARK)
        again.book.settle()

        assert again.book.told().lessons[0].number == 3

    @pytest.mark.parametrize("numbered", [None, 1, True, -4, 10**22, 1.5, "9", [7]], ids=repr)
    def test_a_file_that_does_not_tell_how_many_were_numbered_goes_on_from_the_last(
        self, tmp_path: Path, numbered: object
    ) -> None:
        table = Table(tmp_path)
        for _ in range(2):
            table.book.learn(table.hears(Verdict.NOISE), True, LessonSource.MARK)
        table.book.close()
        kept = json.loads((tmp_path / LESSONS).read_text())
        del kept["numbered"]
        told = kept if numbered is None else {**kept, "numbered": numbered}
        (tmp_path / LESSONS).write_text(json.dumps(told))

        again = Table(tmp_path)
        again.now_s += 9.0
        again.book.learn(again.hears(Verdict.NOISE), True, LessonSource.MARK)
        again.book.settle()

        assert [one.number for one in again.book.told().lessons] == [3, 2, 1]

    @pytest.mark.parametrize(
        ("gap_s", "wall", "evenings"),
        [(60.0, WALL, 1), (NIGHT_S, WALL, 2), (NIGHT_S, None, 2)],
    )
    def test_an_evening_ends_with_a_night(
        self, tmp_path: Path, gap_s: float, wall: float | None, evenings: int
    ) -> None:
        table = Table(tmp_path, wall)
        table.book.learn(table.hears(Verdict.NOISE), True, LessonSource.MARK)
        table.now_s += gap_s
        table.book.learn(table.hears(Verdict.NOISE), True, LessonSource.MARK)
        table.book.settle()

        played = table.store.calibration.played
        assert played is not None
        assert len(played.evenings) == evenings

    def test_whoever_does_not_know_the_time_begins_no_evening_by_pulling_the_plug(
        self, tmp_path: Path
    ) -> None:
        for _ in range(2):
            table = Table(tmp_path, None)
            table.now_s += NIGHT_S
            table.heard = [table.hears(Verdict.NOISE)] * len(table.lessons)
            table.book.learn(table.hears(Verdict.NOISE), True, LessonSource.MARK)
            table.book.settle()

        played = table.store.calibration.played
        assert len(table.lessons) == 2
        assert played is not None
        assert len(played.evenings) == 1

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "[]",
            "{",
            '{"version": 2, "lessons": []}',
            '{"version": "\\ud800", "lessons": []}',
            '{"version": "' + "9" * 9000 + '", "lessons": []}',
            '{"version": 1, "lessons": 3}',
            '{"version": 1, "lessons": ' + "[" * 90_000,
            '{"version": 1, "lessons": [' + "0, " * 700_000 + "0]}",
            "\0" * 40,
        ],
        ids=lambda text: text[:30] or "nothing",
    )
    def test_a_file_that_cannot_be_used_is_named_and_left_alone(
        self, tmp_path: Path, text: str
    ) -> None:
        (tmp_path / LESSONS).write_text(text)

        table = Table(tmp_path)
        table.book.learn(table.hears(Verdict.NOISE), True, LessonSource.MARK)
        table.book.settle()

        assert table.book.told().trouble is not None
        told = str(table.book.told().trouble)
        assert str(tmp_path / LESSONS) in told
        assert len(told.encode()) < 400 + len(str(tmp_path))
        assert (tmp_path / LESSONS).read_text() == text
        assert table.lessons == [("mark", True)]

    def test_one_that_was_cut_short_anywhere_is_named_and_the_box_goes_on(
        self, tmp_path: Path
    ) -> None:
        table = Table(tmp_path)
        table.book.learn(table.hears(Verdict.NOISE), True, LessonSource.MARK)
        table.book.settle()
        whole = (tmp_path / LESSONS).read_bytes().rstrip()

        for length in range(0, len(whole), 29):
            (tmp_path / LESSONS).write_bytes(whole[:length])

            again = Table(tmp_path)

            assert again.book.told().trouble is not None
            assert again.lessons == []

    @pytest.mark.parametrize(
        "edit",
        [
            {"seen": {"crest": 1e300}},
            {"seen": {"crest": float("nan")}},
            {"rate_hz": 16000},  # no judge knows it, and the others are still to be learned from
            {"at": float("nan")},
            {"at": 1e300},
            {"number": 10**22},
            {"number": 0},
            {"evening": -1},
        ],
        ids=str,
    )
    def test_a_row_that_somebody_edited_is_left_out(
        self, tmp_path: Path, edit: dict[str, object]
    ) -> None:
        table = Table(tmp_path)
        for _ in range(2):
            table.book.learn(table.hears(Verdict.NOISE), True, LessonSource.MARK)
        table.book.settle()
        kept = json.loads((tmp_path / LESSONS).read_text())
        kept["lessons"][1] |= edit
        (tmp_path / LESSONS).write_text(json.dumps(kept))

        again = Table(tmp_path)
        again.book.settle()

        assert [one.number for one in again.book.told().lessons] == [1]
        assert again.store.calibration.played is not None

    def test_a_full_disk_is_told_and_the_lesson_counts_all_the_same(self, tmp_path: Path) -> None:
        in_the_way = tmp_path / "no-folder"
        in_the_way.write_text("a file")
        table = Table(in_the_way)

        table.book.learn(table.hears(Verdict.NOISE), True, LessonSource.MARK)
        table.book.settle()

        assert table.book.told().trouble is not None
        assert table.store.calibration.played is not None
