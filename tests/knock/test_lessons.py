"""What play teaches: both ways, bounded by evening and in all, and on top of the tuning."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from kloplei.knock.calibration import (
    MOST_AN_EVENING,
    MOST_PLAYED,
    MOST_SOFTER_DB,
    Calibration,
    Correction,
    PlayCorrection,
)
from kloplei.knock.classifier import classifier_for, likelihood_of, log_odds_of, scaled_of
from kloplei.knock.features import LOUDNESS
from kloplei.knock.lessons import (
    MOST_LESSONS,
    LessonSource,
    PlayLesson,
    fitted,
    kept_of,
    likelihood_by,
    taught_by,
)
from kloplei.knock.onset import FAINTEST, LOWEST, NoiseFollower

RATE_HZ = 4000
UNTUNED = Calibration()
MIDDLE = {name: scale.knots[4] for name, scale in classifier_for(RATE_HZ).scales.items()}
BRIGHT = {**MIDDLE, "attack_octave": 10.5, "crossings_attack": 0.5, "band_7": -6.0}


def lesson(
    number: int = 1,
    *,
    knock: bool = True,
    said: LessonSource = LessonSource.MARK,
    evening: int = 1,
    seen: Mapping[str, float] = MIDDLE,
) -> PlayLesson:
    return PlayLesson(number, evening, knock, said, number, RATE_HZ, seen)


def moved(calibration: Calibration, seen: Mapping[str, float] = MIDDLE) -> float:
    """Return by how much play has moved the log-odds of a blow."""
    assert calibration.played is not None
    return calibration.played.of(scaled_of(seen, RATE_HZ, Calibration()))


@pytest.mark.parametrize("knock", [True, False])
def test_a_lesson_moves_the_judge_its_own_way(knock: bool) -> None:
    log_odds = log_odds_of(MIDDLE, RATE_HZ, Calibration())
    against = replace(UNTUNED, strictness=log_odds + (1.0 if knock else -1.0))

    by = moved(taught_by([lesson(knock=knock)], against))

    assert by > 0.2 if knock else by < -0.2


def test_doings_weigh_less_than_words() -> None:
    near = replace(UNTUNED, strictness=log_odds_of(MIDDLE, RATE_HZ, Calibration()))

    said, undone, silent = (
        abs(moved(taught_by([lesson(knock=False, said=said)], near)))
        for said in (LessonSource.MARK, LessonSource.UNDO, LessonSource.SILENCE)
    )

    assert said > undone > silent > 0


@pytest.mark.parametrize("knock", [True, False])
def test_an_evening_moves_no_blow_farther_than_its_bound(knock: bool) -> None:
    stubborn = replace(UNTUNED, strictness=20.0 if knock else -20.0)

    one = taught_by([lesson(n, knock=knock) for n in range(1, 41)], stubborn)
    all_of_them = taught_by(
        [lesson(n, knock=knock, evening=n // 5) for n in range(1, 41)], stubborn
    )

    assert abs(moved(one)) == MOST_AN_EVENING
    assert abs(moved(all_of_them)) == MOST_PLAYED


def test_an_evening_of_wrong_answers_is_bounded_from_where_the_others_left_it() -> None:
    stubborn = replace(UNTUNED, strictness=20.0)
    before = [lesson(n, evening=1) for n in range(1, 21)]
    lies = [lesson(n, knock=False, evening=2) for n in range(21, 61)]
    milder = replace(UNTUNED, strictness=-20.0)

    assert moved(taught_by(before, stubborn)) == MOST_AN_EVENING
    assert moved(taught_by([*before, *lies], milder)) >= moved(taught_by(before, milder)) - 1.0


def test_tuning_and_play_together_stay_within_what_any_table_may_teach() -> None:
    sure = Correction(RATE_HZ, 5.0, {})
    played = PlayCorrection((Correction(RATE_HZ, 2.0, {}),))
    scaled = scaled_of(MIDDLE, RATE_HZ, Calibration())

    assert Calibration(correction=sure, played=played).correction_of(scaled, RATE_HZ) == 5.0
    assert Calibration(played=played).correction_of(scaled, RATE_HZ) == 1.0
    assert Calibration(correction=sure, played=played).correction_of(scaled, 8000) == 0.0


def test_what_the_tuning_knows_need_not_be_learned_again() -> None:
    log_odds = log_odds_of(MIDDLE, RATE_HZ, Calibration())
    tuned = Calibration(strictness=log_odds, correction=Correction(RATE_HZ, 4.0, {}))

    taught = taught_by([lesson()], tuned)

    assert taught.correction == tuned.correction
    assert 0 <= moved(taught) < moved(taught_by([lesson()], replace(tuned, correction=None)))


def test_lessons_that_are_taken_back_leave_no_trace() -> None:
    both = [lesson(1), lesson(2, knock=False, seen=BRIGHT)]

    assert taught_by(both[:1], UNTUNED) == taught_by(
        [one for one in both if one.number != 2], UNTUNED
    )
    assert taught_by([], taught_by(both, UNTUNED)) == UNTUNED


def test_a_lesson_that_this_judge_cannot_read_counts_nothing() -> None:
    odd = lesson(seen={"timbre": 1.0})

    assert taught_by([odd], UNTUNED) == UNTUNED
    assert likelihood_by(odd, UNTUNED) == 0.0
    assert likelihood_by(lesson(), UNTUNED) == likelihood_of(MIDDLE, RATE_HZ, UNTUNED)


def test_the_oldest_of_a_kind_go_first_and_of_no_other() -> None:
    most = MOST_LESSONS[LessonSource.SILENCE]
    silent = [lesson(n, said=LessonSource.SILENCE) for n in range(2, most + 5)]

    kept = kept_of([lesson(1), *silent])

    assert [one.number for one in kept] == [1, *range(5, most + 5)]


@pytest.mark.parametrize(
    ("levels_db", "softer_db"),
    [
        ([-31.0, -31.0], 0.0),  # too few
        ([-31.0, -10.0, -10.0], 0.0),  # the softest one may be a slip
        ([-29.0, -29.0, -10.0], 1.8),
        ([-36.0, -36.0, -36.0], MOST_SOFTER_DB),
    ],
)
def test_soft_knocks_that_were_confirmed_lower_the_threshold(
    levels_db: list[float], softer_db: float
) -> None:
    lessons = [
        lesson(n, seen={**MIDDLE, LOUDNESS: level_db}) for n, level_db in enumerate(levels_db, 1)
    ]

    taught = taught_by(lessons, UNTUNED)

    assert taught.played is not None
    assert taught.played.softer_db == softer_db
    threshold = _settled(taught.trigger_db)
    assert threshold == pytest.approx(LOWEST * 10 ** (-softer_db / 20))


def test_the_threshold_never_falls_below_the_faintest() -> None:
    assert _settled(12.0 + MOST_SOFTER_DB) == FAINTEST


def test_what_was_fitted_is_unbounded_until_it_is_applied() -> None:
    stubborn = replace(UNTUNED, strictness=20.0)

    wanted = fitted((lesson(),), stubborn).unbounded(scaled_of(MIDDLE, RATE_HZ, Calibration()))

    assert wanted > MOST_AN_EVENING


def _settled(gain_db: float) -> float:
    """Return the threshold at a table that has long been still."""
    follower = NoiseFollower(gain_db, LOWEST)
    return [follower.after(0.0, is_end=True) for _ in range(400)][-1]
