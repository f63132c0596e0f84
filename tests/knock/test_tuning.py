"""How a table is taught, step by step, and what goes wrong on a first evening in a pub."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.measured_table import MeasuredTable
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.knock import tuning
from kloplei.knock.calibration import Calibration
from kloplei.knock.fitting import SensorSetup
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.tuning import (
    BUZZ_REPORTS,
    FEWEST_KNOCKS,
    GLASSES,
    IDLE_S,
    KNOCKS,
    MOST_BUZZED,
    Lesson,
    LessonStep,
    TuningResult,
)
from tests.knock.lessons import FLOOR, FOUR_PIEZOS, PADS, THREE, Course, edge, stroke
from tests.knock.seated import knock, table

DONE = TuningResult((), Calibration(gain_db=3.0))


def felt(wood: MeasuredTable, seat: int, turn: int) -> Judgement:
    """A knock at a seat of a virtual table."""
    return replace(stroke(0.0), window=knock(wood, seat, turn, off_m=0.01 * (turn % 3)))


# From one step to the next


def test_an_evening_at_a_quiet_table_comes_to_the_result_by_itself() -> None:
    course = Course().listen(6.0)
    quiet = course.at
    course.hear(*(stroke(0.0, 0.3),) * GLASSES)
    phone = course.at
    course.listen(3.0, peak=0.05)
    seats = []
    while course.lesson.step is LessonStep.KNOCKS:
        seats.append(course.lesson.seat)
        course.knock()

    assert (quiet[0], phone[0]) == (LessonStep.GLASS, LessonStep.PHONE)
    assert tuple(seats) == THREE
    assert course.lesson.step is LessonStep.WEIGHING
    assert {seat: len(found) for seat, found in course.lesson.gathered.knocks.items()} == (
        dict.fromkeys(THREE, KNOCKS)
    )


def test_what_was_gathered_is_handed_over_as_it_was_heard() -> None:
    gathered = Course().listen(6.0).hear(*(stroke(0.0, 0.3),) * GLASSES).listen(3, 0.05).lesson

    assert gathered.gathered.floor == (FLOOR,) * 4
    assert [max(one.window.channels[0]) for one in gathered.glasses if one.window] == [0.3] * 3
    assert gathered.gathered.buzz == 0.05


def test_the_result_waits_until_it_has_been_worked_out() -> None:
    course = Course().to_the_result()
    before = course.lesson.result

    course.weighed(DONE)

    assert (before, course.lesson.step, course.lesson.result) == (None, LessonStep.RESULT, DONE)


def test_a_result_of_what_is_being_done_again_is_dropped() -> None:
    course = Course().to_the_result().redo(Seat(1))

    course.weighed(DONE)

    assert (course.at, course.lesson.result) == ((LessonStep.KNOCKS, Seat(1)), None)


def test_the_last_knock_of_one_seat_does_not_count_for_the_next() -> None:
    """People do not stop at five."""
    course = Course().to_the_knocks().knock()

    course.hear(stroke(0.0), every_s=0.4)

    assert course.at == (LessonStep.KNOCKS, Seat(1))
    assert course.lesson.knocks_here == ()


@pytest.mark.parametrize("after_s", [0.25, 0.5, 0.8])
def test_a_seat_need_not_wait_for_its_turn_to_be_read(after_s: float) -> None:
    """A first knock within a second was lost, and nothing said so."""
    wood = table(41, 4, 4)
    course = Course().to_the_knocks().wait(1.5).hear(*(felt(wood, 0, turn) for turn in range(5)))
    asked = course.at

    course.hear(felt(wood, 1, 0), every_s=after_s)

    assert asked == (LessonStep.KNOCKS, Seat(1))
    assert (len(course.lesson.knocks_here), course.hint) == (1, None)


@pytest.mark.parametrize("after_s", [0.25, 0.5, 0.8])
def test_a_sixth_knock_of_the_seat_before_is_named_and_does_not_count(after_s: float) -> None:
    wood = table(41, 4, 4)
    course = Course().to_the_knocks().wait(1.5).hear(*(felt(wood, 0, turn) for turn in range(5)))

    course.hear(felt(wood, 0, 5), every_s=after_s)

    assert (course.lesson.knocks_here, course.hint) == ((), "tuning.hint.elsewhere")


@pytest.mark.parametrize(("after_s", "counted"), [(0.1, 0), (0.25, 1)])
def test_a_pad_of_its_own_counts_once_the_wood_has_rung_out(after_s: float, counted: int) -> None:
    course = Course(PADS).wait(1.5).hear(*(edge(0.0, Seat(0)),) * KNOCKS)

    course.hear(edge(0.0, Seat(1)), every_s=after_s)

    assert len(course.lesson.knocks_here) == counted


def test_a_phone_that_still_buzzes_is_no_first_knock() -> None:
    course = Course().listen(6.0).skip().listen(3.0, peak=0.05)

    assert course.at == (LessonStep.KNOCKS, Seat(0))
    begun_s = course.lesson.begun_s
    course.now_s = begun_s - 0.9
    course.hear(stroke(0.0), every_s=0.4)

    assert course.lesson.knocks_here == ()


def test_without_piezos_there_is_nothing_but_knocks_to_count() -> None:
    course = Course(PADS)

    assert course.at == (LessonStep.KNOCKS, Seat(0))
    for seat in THREE:
        course.wait(1.5).hear(*(edge(0.0, seat),) * KNOCKS)
    assert course.lesson.step is LessonStep.WEIGHING


# Be quiet


def test_a_knock_while_all_should_be_quiet_begins_it_again() -> None:
    course = Course().listen(3.0).listen(0.1, peak=0.3).listen(3.0)

    assert course.lesson.step is LessonStep.QUIET
    assert course.hint is None  # long enough ago
    assert course.listen(1.5).lesson.step is LessonStep.GLASS


def test_it_says_who_is_not_quiet() -> None:
    knocked = Course().listen(3.0).listen(0.1, peak=0.3)
    buzzing = Course().listen(3.0).listen(1.0, peak=0.05)
    restless = Course().listen(3.0)
    for _ in range(4):
        restless.listen(0.1, peak=0.03).listen(0.2)

    assert knocked.hint == "tuning.hint.somebody-knocked"
    assert buzzing.hint == "tuning.hint.something-buzzes"
    assert restless.hint == "tuning.hint.restless"


def test_a_floor_that_nobody_let_be_quiet_can_be_left_out() -> None:
    course = Course().listen(2.0, peak=0.3).skip()

    assert course.lesson.step is LessonStep.GLASS
    assert course.lesson.gathered.floor == ()


# Five knocks a seat


def test_a_knock_that_is_too_soft_does_not_count() -> None:
    course = Course().to_the_knocks().wait(1.5).hear(stroke(0.0, FLOOR * 2))

    assert (course.hint, course.lesson.knocks_here) == ("tuning.hint.too-soft", ())


def test_a_knock_far_softer_than_those_before_does_not_count() -> None:
    course = Course().to_the_knocks().knock(2, peak=0.4).hear(stroke(0.0, 0.04))

    assert (course.hint, len(course.lesson.knocks_here)) == ("tuning.hint.too-soft", 2)


@pytest.mark.parametrize(("clipped", "hint"), [(1, None), (3, "tuning.hint.too-hard")])
def test_only_a_knock_that_overdrives_most_piezos_is_too_hard(
    clipped: int, hint: str | None
) -> None:
    """The nearest piezo is often driven to its end; it counts all the same."""
    course = Course().to_the_knocks().wait(1.5).hear(stroke(0.0, clipped=clipped))

    assert (course.hint, len(course.lesson.knocks_here)) == (hint, 1)


def test_another_noise_does_not_count() -> None:
    course = Course().to_the_knocks().wait(1.5).hear(stroke(0.0, verdict=Verdict.NOISE))

    assert (course.hint, course.lesson.knocks_here) == ("tuning.hint.other-noise", ())


def test_who_insists_is_believed() -> None:
    """An untuned judge may take every knock at this table for noise."""
    course = Course().to_the_knocks().wait(1.5).hear(*(stroke(0.0, verdict=Verdict.NOISE),) * 3)

    assert len(course.lesson.knocks_here) == 3


def test_noise_between_two_knocks_is_not_insisting() -> None:
    noise = stroke(0.0, verdict=Verdict.NOISE)
    course = Course().to_the_knocks().wait(1.5).hear(noise, noise, stroke(0.0), noise, noise)

    assert [one.verdict for one in course.lesson.knocks_here] == [Verdict.KNOCK]


def test_a_doubtful_knock_counts_and_is_told() -> None:
    course = Course().to_the_knocks().wait(1.5).hear(stroke(0.0, verdict=Verdict.DOUBTFUL))

    assert (course.hint, len(course.lesson.knocks_here)) == ("tuning.hint.doubtful", 1)


def test_a_hand_that_bounces_has_knocked_once() -> None:
    course = Course().to_the_knocks().wait(1.5).hear(stroke(0.0), stroke(0.0), every_s=0.1)

    assert len(course.lesson.knocks_here) == 1


def test_a_pad_of_its_own_counts_the_edges_of_that_pad_only() -> None:
    setup = SensorSetup(THREE, FOUR_PIEZOS.piezos, pads=frozenset({Seat(0)}))
    course = Course(setup).to_the_knocks().wait(1.5)

    course.hear(stroke(0.0))
    other = course.hint, len(course.lesson.knocks_here)
    course.hear(edge(0.0, Seat(2)), edge(0.0, Seat(0)))

    assert other == ("tuning.hint.elsewhere", 0)
    assert [one.seat for one in course.lesson.knocks_here] == [Seat(0)]


def test_a_few_knocks_are_enough_to_go_on_but_fewer_are_not() -> None:
    course = Course().to_the_knocks().knock(2).go_on()
    refused = course.at, course.hint
    course.hear(stroke(0.0)).go_on()

    assert refused == ((LessonStep.KNOCKS, Seat(0)), "tuning.hint.too-few")
    assert course.at == (LessonStep.KNOCKS, Seat(1))


def test_a_seat_that_is_skipped_leaves_nothing_behind() -> None:
    course = Course().to_the_knocks().knock(2).skip()
    while course.lesson.step is LessonStep.KNOCKS:
        course.knock()

    assert tuple(course.lesson.gathered.knocks) == THREE[1:]


def test_a_seat_can_be_done_again_and_nothing_else_with_it() -> None:
    course = Course().to_the_result().weighed(DONE).redo(Seat(0))
    asked = course.at
    course.knock(peak=0.5)

    assert asked == (LessonStep.KNOCKS, Seat(0))
    assert course.lesson.step is LessonStep.WEIGHING
    assert {one.strength for one in course.lesson.knocks[Seat(0)]} == {0.5}


def test_a_seat_that_was_skipped_can_still_knock() -> None:
    course = Course().to_the_knocks().skip().knock().knock().redo(Seat(0)).knock()

    assert set(course.lesson.gathered.knocks) == set(THREE)


def test_a_seat_that_has_not_begun_does_the_one_before_again() -> None:
    course = Course().to_the_knocks().knock().redo()

    assert (course.at, course.lesson.knocks_here) == ((LessonStep.KNOCKS, Seat(0)), ())


def test_what_is_done_again_forgets_the_first_try() -> None:
    glass = Course().listen(6.0).hear(stroke(0.0, 0.3)).redo()
    phone = Course().listen(6.0).skip().listen(1.5, 0.05).redo()

    assert (glass.at[0], glass.lesson.glasses) == (LessonStep.GLASS, ())
    assert (phone.at[0], phone.lesson.buzz) == (LessonStep.PHONE, ())


def test_a_blow_of_the_phone_that_is_told_once_more_is_one() -> None:
    course = Course().listen(6.0).skip().hear(stroke(0.0, 0.05))
    (told,) = course.lesson.buzzed

    again = tuning.judged(course.lesson, replace(told, verdict=Verdict.KNOCK, amends=True))

    assert [one.verdict for one in again.buzzed] == [Verdict.KNOCK]


class TestGlassesBesidePads:
    @pytest.fixture
    def course(self) -> Course:
        """Three seats whose pads have each timed five knocks."""
        course = Course(PADS)
        for seat in THREE:
            course.wait(1.5).hear(*(timed(seat),) * KNOCKS)
        return course

    def test_once_all_have_knocked_a_glass_is_asked_for_beside_each_pad(
        self, course: Course
    ) -> None:
        assert course.at == (LessonStep.GLASS, Seat(0))
        assert course.lesson.shown.prompt == Line("tuning.glass-beside", {"seat": Seat(0), "n": 3})

        course.wait(1.5).hear(*(timed(Seat(0)),) * GLASSES)

        assert course.at == (LessonStep.GLASS, Seat(1))
        assert len(course.lesson.gathered.beside[Seat(0)] or ()) == GLASSES

    def test_a_pad_that_feels_no_glass_goes_on_when_people_say_so(self, course: Course) -> None:
        course.wait(1.5).hear(timed(Seat(1)), timed(Seat(0), Verdict.NOISE), stroke(0.0)).go_on()

        assert course.go_on().skip().at == (LessonStep.WEIGHING, None)
        assert course.lesson.gathered.beside == {Seat(0): (), Seat(1): (), Seat(2): None}

    def test_a_seat_that_knocks_again_puts_its_glass_down_again(self, course: Course) -> None:
        course.go_on().wait(1.5).hear(timed(Seat(1))).redo(Seat(0))

        assert course.at == (LessonStep.KNOCKS, Seat(0))
        assert course.lesson.beside == {}

    def test_the_glass_of_a_seat_is_done_again_by_itself(self, course: Course) -> None:
        course.go_on().wait(1.5).hear(timed(Seat(1))).redo()

        assert course.at == (LessonStep.GLASS, Seat(1))
        assert course.lesson.beside == {Seat(0): ()}

    def test_where_too_few_knocks_tell_of_a_trimmer_no_glass_is_asked_for(self) -> None:
        course = Course(PADS)
        for seat in THREE:
            course.wait(1.5).hear(*(timed(seat),) * FEWEST_KNOCKS).go_on()

        assert course.lesson.step is LessonStep.WEIGHING


def timed(seat: Seat, verdict: Verdict = Verdict.KNOCK) -> Judgement:
    return replace(edge(0.0, seat, verdict), rang_s=0.0235)


# What it says


def test_it_shows_what_to_do_and_how_far_it_is() -> None:
    shown = Course().to_the_knocks().knock(3).lesson.shown

    assert (shown.step, shown.seat, shown.count, shown.of) == ("knocks", Seat(0), 3, 5)
    assert shown.prompt == Line("tuning.knocks", {"seat": Seat(0), "n": 5})


@pytest.mark.parametrize(("peak", "level"), [(0.0, 0), (0.001, 0), (0.0317, 50), (1.0, 100)])
def test_the_meter_runs_over_sixty_decibels(peak: float, level: int) -> None:
    assert Course().listen(1.0, peak).lesson.level == level


def test_a_lesson_that_nobody_touches_is_forgotten() -> None:
    course = Course().to_the_knocks().knock(2)

    assert not course.lesson.is_forgotten(course.now_s + IDLE_S - 1)
    assert course.lesson.is_forgotten(course.now_s + IDLE_S)


def test_noise_alone_does_not_keep_a_lesson_awake() -> None:
    course = Course().to_the_knocks()
    began_s = course.now_s
    course.listen(10.0, 0.1).hear(*(stroke(0.0, FLOOR),) * 50)

    assert course.lesson.is_forgotten(began_s + IDLE_S)


# Whatever comes in whatever order

numbers = st.floats(width=32) | st.floats(0, 1)
times_s = st.floats(0, 1e5)
blows = st.builds(
    lambda at_s, peak, verdict, clipped: stroke(at_s, peak, verdict=verdict, clipped=clipped),
    times_s,
    st.floats(0, 1),
    st.sampled_from(Verdict),
    st.integers(0, 4),
) | st.builds(edge, times_s, st.none() | st.integers(0, 5).map(Seat), st.sampled_from(Verdict))
seats = st.none() | st.integers(-1, 9).map(Seat)
moves = st.one_of(
    st.tuples(st.just(tuning.judged), blows),
    st.tuples(st.just(tuning.loudness), st.lists(numbers, max_size=5).map(tuple), times_s),
    st.tuples(st.just(tuning.go_on), times_s),
    st.tuples(st.just(tuning.skip), times_s),
    st.tuples(st.just(tuning.redo), times_s, seats),
    st.tuples(st.just(tuning.weighed), st.just(DONE), times_s),
)
setups = st.sampled_from(
    [
        FOUR_PIEZOS,
        PADS,
        SensorSetup(THREE, (None, None)),
        SensorSetup(THREE, (None,), frozenset({Seat(1)})),
        SensorSetup((), (None,)),
        SensorSetup(()),
    ]
)


@given(setups, st.lists(moves, max_size=120))
def test_no_order_of_things_breaks_a_lesson(
    setup: SensorSetup, made: list[tuple[object, ...]]
) -> None:
    lesson = tuning.begin(setup, 0.0)

    for do, *arguments in made:
        before = lesson
        lesson = do(lesson, *arguments)  # type: ignore[operator]
        assert_sound(lesson)
        assert lesson.result is None or before.result is not None or do is tuning.weighed


@given(st.lists(st.tuples(st.sampled_from(list(Verdict)), st.floats(0.001, 1)), max_size=400))
def test_what_is_kept_is_bounded_however_long_it_goes_on(
    made: list[tuple[Verdict, float]],
) -> None:
    course = Course().to_the_knocks()
    for verdict, peak in made:
        course.hear(stroke(0.0, peak, verdict=verdict)).listen(0.2, peak)

    assert kept(course.lesson) <= len(THREE) * KNOCKS + 2 * MOST_BUZZED


def assert_sound(lesson: Lesson) -> None:
    shown = lesson.shown
    assert 0 <= shown.count <= shown.of or shown.of == 0
    assert 0 <= shown.level <= 100
    assert (lesson.step is LessonStep.KNOCKS) == (lesson.seat is not None)
    assert (lesson.step is LessonStep.RESULT) == (lesson.result is not None)
    assert all(math.isfinite(peak) for peak in lesson.gathered.floor)
    assert set(lesson.knocks) <= set(lesson.setup.seats)
    assert kept(lesson) <= len(lesson.setup.seats) * KNOCKS + 2 * MOST_BUZZED


def kept(lesson: Lesson) -> int:
    """Return how many blows *lesson* holds on to."""
    assert len(lesson.buzz) <= BUZZ_REPORTS
    assert len(lesson.noise_floor.reports) <= 160
    strokes: list[Judgement] = [*lesson.glasses, *lesson.buzzed, *lesson.declined]
    for some in lesson.knocks.values():
        strokes += some
    return len(strokes)


def test_findings_never_change_a_lesson_that_was_handed_out() -> None:
    lesson = Course().to_the_knocks().lesson
    copy = replace(lesson, knocks=dict(lesson.knocks))

    tuning.judged(lesson, stroke(1000.0))

    assert lesson == copy
