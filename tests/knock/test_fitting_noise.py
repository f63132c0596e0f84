"""What three glasses teach a table: the next ones pass less often, and knocks as before."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import pytest

from benchmarks.measured_table import MeasuredTable
from kloplei.games.game import Seat
from kloplei.knock.calibration import FIRST_JUDGE, MOST, MOST_ALONE, Calibration, Correction
from kloplei.knock.classifier import classifier_for, scaled_of
from kloplei.knock.detector import Listener
from kloplei.knock.features import features
from kloplei.knock.fitting import Gathered, NoiseFit, Scaled, Seen, SensorSetup, logistic_fit
from kloplei.knock.geometry import Spot
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.tuning import weigh
from kloplei.review.suggest import Reclassifier
from kloplei.simulation.blows import Blow
from tests.knock.lessons import FOUR_PIEZOS, THREE, stroke
from tests.knock.seated import table

TABLE = 9209  # at which glasses pass more often than at most
GLASSES = 3
SEATS = tuple(map(Seat, range(4)))
SETUP = SensorSetup(seats=SEATS, piezos=SEATS)


def struck(top: MeasuredTable, blow: Blow, spot: Spot, seed: int) -> Iterator[Judgement]:
    """Yield what a listener makes of one blow; of a knock, that at its onset alone."""
    listener = Listener(SEATS)
    block = top.record(blow, spot, seed=seed, before_s=0.15, lasting_s=0.4)
    for one in (*listener.feed(block), *listener.flush()):
        if isinstance(one, Judgement) and (blow is not Blow.KNUCKLE or abs(one.at_s) < 0.02):
            yield one


@cache
def knocks(top: MeasuredTable, seat: Seat, seeds: range) -> tuple[Judgement, ...]:
    return tuple(one for n in seeds for one in struck(top, Blow.KNUCKLE, top.seats[seat], n))


@cache
def glasses(top: MeasuredTable, seeds: range) -> tuple[Judgement, ...]:
    """All blows of glasses put down between seats and middle."""
    length_m, width_m = top.plate.length_m, top.plate.width_m
    spots = [
        Spot(length_m * (0.2 + 0.12 * (n % 6)), width_m * (0.3 + 0.1 * (n % 5))) for n in seeds
    ]
    return tuple(
        one
        for n, spot in zip(seeds, spots, strict=True)
        for one in struck(top, Blow.GLASS, spot, n)
    )


@cache
def gathered() -> Gathered:
    top = table(TABLE, 4, None)
    return Gathered(
        SETUP,
        glasses=glasses(top, range(GLASSES)),
        knocks={seat: knocks(top, seat, range(5)) for seat in SEATS},
    )


@cache
def tuned() -> Calibration:
    calibration = weigh(gathered(), Calibration(), Reclassifier(SEATS).rejudge, None).calibration
    assert calibration is not None
    return calibration


def test_a_tuning_anew_is_on_top_of_the_judge_of_today() -> None:
    before = Calibration(strictness=3.0, judge=FIRST_JUDGE)

    again = weigh(gathered(), before, Reclassifier(SEATS).rejudge, None).calibration

    assert again == tuned()


def passed(blows: Sequence[Judgement], calibration: Calibration) -> int:
    again = Reclassifier(SEATS)
    return sum(again.rejudge(one, calibration).verdict is Verdict.KNOCK for one in blows)


def test_a_tuned_table_lets_fewer_glasses_pass_and_hears_its_knocks() -> None:
    """It takes its time: knocks and glasses ring on a simulated table, for the tests below too."""
    top = table(TABLE, 4, None)
    others = glasses(top, range(100, 148))
    more = [one for seat in SEATS for one in knocks(top, seat, range(200, 202))]
    before = passed(others, Calibration())

    assert before >= 12, "too easy to show anything"
    assert passed(others, tuned()) <= 0.5 * before
    assert passed(more, tuned()) >= 7, "of 8"


def thuds(top: MeasuredTable) -> list[Judgement]:
    spots = [Spot(top.plate.length_m * (0.15 + 0.1 * n), top.plate.width_m * 0.6) for n in range(8)]
    return [
        one
        for blow in (Blow.FIST, Blow.SLAP, Blow.SLAM, Blow.CHAIR)
        for n, spot in enumerate(spots)
        for one in struck(top, blow, spot, n)
    ]


def seen_of(judged: Judgement) -> Seen:
    assert judged.window is not None
    scaled = scaled_of(features(judged.window), judged.window.rate_hz, Calibration())
    return scaled, classifier_for(4000).log_odds(scaled)


def test_a_table_that_was_shown_glasses_alone_is_not_milder_with_thuds() -> None:
    """They are duller than knuckles, and so even less of a glass."""
    others = thuds(table(TABLE, 4, None))
    knuckles = [seen_of(one) for some in gathered().knocks.values() for one in some]
    shown = [seen_of(one) for one in gathered().glasses]

    by_glasses_alone = logistic_fit(4000, knuckles[:5], shown)
    by_all = logistic_fit(4000, knuckles, shown)

    assert by_glasses_alone is not None
    assert by_all is not None
    before, alone, both = (
        passed(others, Calibration(correction=one)) for one in (None, by_glasses_alone, by_all)
    )
    assert alone > before, "too easy to show anything"
    assert both < before


def test_a_glass_is_told_by_what_the_others_taught() -> None:
    """The next glass is another one; of course all that was taught knows this one."""
    (glass, *_) = shown = gathered().glasses
    plain = Reclassifier(SEATS)
    wary = NoiseFit(gathered(), gathered().knocks, Calibration(), plain.rejudge)
    before = Calibration(correction=Correction(4000, -1.0, {}))

    by_all = plain.rejudge(glass, wary.calibration).likelihood

    assert len(shown) > 1
    assert wary.rejudge(glass, wary.calibration).likelihood > by_all
    assert wary.rejudge(glass, before) == plain.rejudge(glass, before), "it taught nobody then"


def test_what_was_taught_goes_both_ways_and_no_further_than_it_may() -> None:
    taught = Correction(4000, 2.0, {"crest": 5.0})

    assert taught.of({"crest": -0.1}) == pytest.approx(1.5)
    assert taught.of({"crest": 9.0}) == MOST
    assert taught.of({"crest": -9.0}) == -MOST


def test_what_glasses_alone_taught_turns_no_noise_into_a_knock() -> None:
    """A bump is duller than any knock, and so even less of a glass."""
    wary = Correction(4000, 2.0, {"crest": 5.0}, only_stricter=True)

    assert wary.of({"crest": 1.0}) == 0.0
    assert wary.of({"crest": -0.5}) == pytest.approx(-0.5)
    assert wary.of({"crest": -9.0}) == -MOST_ALONE


def test_it_counts_at_the_rate_at_which_it_was_taught_alone() -> None:
    top = table(TABLE, 4, None)
    (blow, *_) = knocks(top, Seat(0), range(1))
    again = Reclassifier(SEATS)
    likelihoods = [
        again.rejudge(blow, Calibration(correction=Correction(rate_hz, -9.0, {}))).likelihood
        for rate_hz in (2000, 4000)
    ]

    assert likelihoods[0] == again.rejudge(blow, Calibration()).likelihood
    assert likelihoods[1] < likelihoods[0]


def test_glasses_that_sound_like_the_knocks_cost_no_knock() -> None:
    """What cannot be told apart is better let through than knocks are lost."""
    top = table(TABLE, 4, None)
    strokes = {seat: knocks(top, seat, range(5)) for seat in SEATS}
    alike = Gathered(SETUP, glasses=strokes[Seat(0)][:GLASSES], knocks=strokes)

    found = weigh(alike, Calibration(), Reclassifier(SEATS).rejudge, None).calibration

    assert found is not None
    for ones in strokes.values():
        assert passed(ones, found) == passed(ones, replace(found, correction=None))


def test_a_table_at_which_no_glass_was_set_down_is_not_wary() -> None:
    knocked = {seat: (stroke(100.0 * seat),) * 5 for seat in THREE}

    found = weigh(
        Gathered(FOUR_PIEZOS, knocks=knocked), Calibration(), Reclassifier().rejudge, None
    ).calibration

    assert found is not None
    assert found.correction is None


def lesson(value: float, odds: float) -> Seen:
    seen: Scaled = {"peak_db": 1.0, "crest": value, "slope": 0.0}
    return seen, odds


def test_what_differs_is_what_counts() -> None:
    found = logistic_fit(4000, [lesson(-1.0, 1.0)] * 5, [lesson(1.0, 1.0)] * 2)

    assert found is not None
    assert found.of({"crest": 1.0, "slope": 0.0}) < -0.5
    assert found.of({"crest": -1.0, "slope": 0.0}) >= 0.0
    assert abs(found.weights["slope"]) < 0.2 * abs(found.weights["crest"])


def test_knocks_that_the_judge_does_not_know_make_it_milder() -> None:
    found = logistic_fit(4000, [lesson(1.0, -1.0)] * 5, [lesson(-1.0, -1.0)] * 3)

    assert found is not None
    assert found.of({"crest": 1.0, "slope": 0.0}) > 1.0
    assert found.of({"crest": -1.0, "slope": 0.0}) <= 0.5


def test_what_the_judge_knows_already_changes_little() -> None:
    found = logistic_fit(4000, [lesson(1.0, 5.0)] * 5, [lesson(-1.0, -5.0)] * 3)

    assert found is not None
    assert abs(found.of({"crest": 1.0, "slope": 0.0})) < 0.2


def test_loudness_is_no_habit_of_a_table() -> None:
    found = logistic_fit(4000, [lesson(-1.0, 1.0)] * 5, [lesson(1.0, 1.0)] * 2)

    assert found is not None
    assert "peak_db" not in found.weights


def test_four_knocks_or_no_glass_teach_nothing() -> None:
    assert logistic_fit(4000, [lesson(-1.0, 1.0)] * 4, [lesson(1.0, 1.0)]) is None
    assert logistic_fit(4000, [lesson(-1.0, 1.0)] * 5, []) is None


def test_half_of_it_is_half_of_each_weight() -> None:
    assert Correction(2000, -1.0, {"crest": 3.0}).times(0.5) == Correction(
        2000, -0.5, {"crest": 1.5}
    )
