"""Whether all are quiet, told from nothing but how loud it was ten times a second."""

import random

import pytest

from kloplei.knock.tuning import Disturbance, NoiseFloor, Report


def listened(*peaks: float | tuple[float, ...], every_s: float = 0.1) -> NoiseFloor:
    """Return the silence after these reports, of one channel or several."""
    silence = NoiseFloor()
    for n, some in enumerate(peaks):
        several = some if isinstance(some, tuple) else (some,)
        silence = silence.heard(Report(10.0 + n * every_s, several))
    return silence


def noise(count: int, peak: float = 0.004) -> list[float]:
    """Return the loudness of a converter that has nothing to do: a step or two of ten bits."""
    chance = random.Random(7)
    return [peak * chance.uniform(0.5, 1.0) for _ in range(count)]


def test_the_floor_is_the_loudest_moment_of_each_channel() -> None:
    silence = listened(*[(0.002, 0.004)] * 20, (0.003, 0.004), *[(0.002, 0.004)] * 20)

    assert silence.floor == (0.003, 0.004)
    assert silence.calm_s == pytest.approx(4.0)


def test_the_noise_of_a_converter_is_quiet() -> None:
    silence = listened(*noise(41))

    assert silence.calm_s == pytest.approx(4.0)
    assert silence.disturbance is None


def test_a_blow_is_not_in_the_floor() -> None:
    silence = listened(*noise(30), 0.5, 0.2, *noise(30))

    assert max(silence.floor) <= 0.004
    assert silence.calm_s == pytest.approx(2.9)


@pytest.mark.parametrize(
    ("late", "disturbance"),
    [
        ([0.5], Disturbance.KNOCK),
        ([0.1] * 10, Disturbance.BUZZ),
        ([0.03, 0.004, 0.04, 0.004, 0.03], Disturbance.RESTLESS),
    ],
)
def test_who_stirs_is_told_by_how_long_it_lasts(
    late: list[float], disturbance: Disturbance
) -> None:
    assert listened(*noise(30), *late).disturbance is disturbance


def test_a_phone_that_rang_from_the_start_is_noticed_as_soon_as_it_stops() -> None:
    ringing = [0.08] * 10 + noise(10)

    silence = listened(*ringing, *ringing, *noise(10))

    assert silence.calm_s == pytest.approx(1.9)
    assert max(silence.floor) <= 0.004


def test_a_sensor_that_hums_all_the_time_is_quiet_but_named() -> None:
    silence = listened(*[(0.004, 0.1 + 0.01 * (n % 2)) for n in range(41)])

    assert silence.calm_s == pytest.approx(4.0)
    assert silence.humming == (1,)


def test_a_blow_that_was_judged_ends_the_silence() -> None:
    silence = listened(*noise(41)).struck(13.95)

    assert silence.calm_s < 0.2
    assert silence.disturbance is Disturbance.KNOCK


@pytest.mark.parametrize("peaks", [(), (float("nan"),), (-0.1,), (float("inf"),), (1.5,)])
def test_a_report_that_tells_nothing_is_left_out(peaks: tuple[float, ...]) -> None:
    silence = listened(*noise(5))

    assert silence.heard(Report(99.0, peaks)) == silence


def test_a_report_out_of_order_is_left_out() -> None:
    silence = listened(*noise(5))

    assert silence.heard(Report(10.0, (0.9,))) == silence


def test_a_sensor_that_was_away_begins_anew() -> None:
    silence = listened(*noise(30)).heard(Report(20.0, (0.004,)))

    assert silence.reports == (Report(20.0, (0.004,)),)


def test_nothing_heard_is_no_silence() -> None:
    assert (NoiseFloor().calm_s, NoiseFloor().floor, NoiseFloor().disturbance) == (0.0, (), None)


def test_a_long_evening_takes_no_more_room_than_some_seconds() -> None:
    assert len(listened(*noise(5000), every_s=0.01).reports) <= 160
