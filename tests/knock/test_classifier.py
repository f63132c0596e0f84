"""The judge and its parameters: on tables that are not there and that it has not learned from."""

from collections.abc import Sequence
from math import log
from operator import mul

import pytest

from benchmarks.measured_table import MeasuredTable
from kloplei.knock.calibration import FIRST_JUDGE, Calibration
from kloplei.knock.calibration_file import from_toml
from kloplei.knock.classifier import (
    NeuralNetwork,
    Scale,
    classifier_for,
    likelihood_of,
    log_odds_of,
    seen_by,
)
from kloplei.knock.detector import Listener
from kloplei.knock.features import RATES_HZ, features, roughened
from kloplei.knock.judgement import KNOCK_LINE, Judgement, Struck, Verdict, verdict
from kloplei.knock.signal import Block, Window
from kloplei.simulation.blows import Blow


def heard(block: Block, cut: int = 64, calibration: Calibration | None = None) -> list[Judgement]:
    """What a listener makes of *block*, fed *cut* samples at a time."""
    listener = Listener((), calibration)
    found: list[Struck | Judgement] = []
    for at in range(0, len(block.channels[0]), cut):
        part = tuple(channel[at : at + cut] for channel in block.channels)
        found += listener.feed(
            Block(block.start_s + at / block.rate_hz, block.rate_hz, part, block.skew_s)
        )
    found += listener.flush()
    return [one for one in found if isinstance(one, Judgement)]


def knuckle(seed: int) -> Block:
    table = MeasuredTable.of_seed(500 + seed)
    return table.record(Blow.KNUCKLE, table.seats[seed % 4], seed=seed, force_n=25.0)


def test_a_knuckle_on_the_wood_is_a_knock_at_most_tables() -> None:
    knocks = [
        any(one.verdict is Verdict.KNOCK for one in heard(knuckle(seed))) for seed in range(12)
    ]

    assert sum(knocks) >= 11


def test_a_knock_is_decided_fifty_milliseconds_after_it_began() -> None:
    (knock, *_) = heard(knuckle(0))

    assert 0 < knock.decided_at_s - knock.at_s <= 0.05


def test_how_the_signal_is_cut_into_blocks_makes_no_difference() -> None:
    block = knuckle(1)

    whole, pieces = heard(block, cut=10_000), heard(block, cut=7)

    assert [one.verdict for one in whole] == [one.verdict for one in pieces]
    assert [one.at_s for one in whole] == pytest.approx([one.at_s for one in pieces])
    assert [one.likelihood for one in whole] == pytest.approx([one.likelihood for one in pieces])


def test_a_stricter_table_hears_fewer_knocks() -> None:
    block = knuckle(2)

    usual = max(one.likelihood for one in heard(block))
    strict = max(one.likelihood for one in heard(block, calibration=Calibration(strictness=3.0)))

    assert strict < usual


@pytest.mark.parametrize(("rate_hz", "stricter"), [(8000.0, 0.3), (4000.0, 0.0), (2000.0, 0.0)])
def test_nobody_is_judged_more_strictly_at_8_khz_whose_table_was_tuned(
    rate_hz: float, stricter: float
) -> None:
    names = classifier_for(int(rate_hz)).scales
    seen = {name: scale.knots[len(scale.knots) // 2] for name, scale in names.items()}
    tuned = Calibration(floor=(0.001,))

    untuned_odds, tuned_odds = (
        log(sure / (1 - sure))
        for sure in (likelihood_of(seen, rate_hz, one) for one in (Calibration(), tuned))
    )

    assert tuned_odds == pytest.approx(log_odds_of(seen, rate_hz, tuned))
    assert tuned_odds - untuned_odds == pytest.approx(stricter)


def test_a_table_that_was_taught_is_judged_by_its_own_converter() -> None:
    still = tuple(0.02 * (at > 480) * (-1.0) ** (at // 3) for at in range(672))
    window = Window(0.12, 0.0, 4000, (still,))
    taught = Calibration(gain_db=1.0)

    assert seen_by(window, Calibration()) == features(roughened(window)) != features(window)
    assert seen_by(window, taught) == features(window)


def test_silence_wakes_nobody() -> None:
    assert heard(Block(0.0, 4000.0, ((0.0,) * 4000,) * 4)) == []


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_every_feature_of_a_rate_has_its_weight(rate_hz: int) -> None:
    block = Block(0.0, float(rate_hz), (((0.0,) * 240) + (0.5, -0.5) * 60,))
    window = heard(block)[0].window
    assert window is not None

    assert set(classifier_for(rate_hz).scales) == set(features(window))


def test_a_table_that_was_taught_by_an_earlier_version_hears_as_it_did() -> None:
    """The figures are of that version; the judge of today says 0.298 and 0.561."""
    before = from_toml("version = 1\nstrictness = 2.0")

    as_it_did = [
        max(one.likelihood for one in heard(knuckle(n), calibration=before)) for n in (0, 1)
    ]

    assert as_it_did == pytest.approx([0.4131, 0.5446], abs=1e-4)


def test_a_feature_that_nobody_looked_at_then_is_as_at_most_blows() -> None:
    judge, before = classifier_for(4000), classifier_for(4000, FIRST_JUDGE)
    seen = {name: scale.knots[2] for name, scale in before.scales.items()}

    scaled = judge.scaled(seen)

    assert {name for name, score in scaled.items() if score == 0.0} == (
        judge.scales.keys() - before.scales.keys()
    )


def test_a_value_beyond_the_scale_counts_as_its_end() -> None:
    scale = Scale((1.0, 2.0, 4.0), (-1.0, 0.0, 2.0))

    assert [scale.of(value) for value in (-9.0, 1.5, 3.0, 99.0)] == [-1.0, -0.5, 1.0, 2.0]


def test_between_two_knots_it_rises_evenly_and_on_a_knot_it_is_that_score() -> None:
    scale = Scale((0.0, 10.0, 10.0, 30.0), (-1.0, 0.0, 0.5, 1.0))

    assert [scale.of(value) for value in (0.0, 5.0, 10.0, 20.0)] == [-1.0, -0.5, 0.5, 0.75]


@pytest.mark.parametrize("heeded", [(0, 2, 5), (3,), (), range(6)])
def test_what_no_unit_looks_at_changes_nothing(heeded: Sequence[int]) -> None:
    values = (0.3, -1.2, 0.9, 2.0, -0.4)
    units = [
        [0.5 * (at + unit) if at in heeded else 0.0 for at in range(6)] for unit in range(1, 4)
    ]

    said = NeuralNetwork(units, (0.1, 1.0, -2.0, 0.7)).log_odds(values)

    heard = [max(0.0, sum(map(mul, unit, (1.0, *values)))) for unit in units]
    assert said == pytest.approx(0.1 + heard[0] - 2 * heard[1] + 0.7 * heard[2], abs=1e-12)


def test_a_hidden_unit_below_zero_keeps_quiet() -> None:
    network = NeuralNetwork(units=((0.5, 1.0, -1.0), (-9.0, 1.0, 1.0)), outs=(0.25, 2.0, 5.0))

    assert network.log_odds((2.0, 1.0)) == 0.25 + 2.0 * 1.5


def test_between_the_lines_lies_doubt() -> None:
    assert [verdict(sure) for sure in (0.1, 0.4, KNOCK_LINE)] == [
        Verdict.NOISE,
        Verdict.DOUBTFUL,
        Verdict.KNOCK,
    ]
