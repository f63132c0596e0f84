"""Tables that are no bare rectangular plate: round ones, planks, cloths, and a glass on a disc."""

from itertools import pairwise
from math import log10, pi
from random import Random
from statistics import median

import pytest

from benchmarks.measured_table import MeasuredTable
from kloplei.knock.geometry import Spot
from kloplei.simulation.blows import Blow
from kloplei.simulation.coupling import unevenly
from kloplei.simulation.plate import Plate, RoundPlate
from kloplei.simulation.table_top import KINDS, TableTop, wandering

RATE_HZ = 4000.0
HIGH_HZ, FINE = 1200.0, 24_000.0


def rises_s(felt: list[float], rate_hz: float, part: float = 0.1) -> float:
    """When so large a part of the energy of the first 20 ms has come."""
    squares = [one * one for one in felt[: round(0.02 * rate_hz)]]
    wanted, so_far = part * sum(squares), 0.0
    for at, square in enumerate(squares):
        so_far += square
        if so_far >= wanted:
            return at / rate_hz
    raise AssertionError(felt)


def high_share(felt: list[float], rate_hz: float) -> float:
    """How much of the energy is in steps from sample to sample: the more, the higher it sounds."""
    steps = sum((b - a) ** 2 for a, b in pairwise(felt))
    return steps / sum(one * one for one in felt) * (rate_hz / FINE) ** 2


def test_a_round_plate_rings_as_the_books_say() -> None:
    """Roots of the slope of Bessel's functions: Abramowitz and Stegun, table 9.5."""
    plate = RoundPlate(1.1, 0.022, 8e9, luck=Random(1))
    roots = sorted({round(mode.root, 4) for mode in plate.modes})  # type: ignore[attr-defined]

    assert roots[:6] == [1.8412, 3.0542, 3.8317, 4.2012, 5.3176, 5.3314]
    highest = max(mode.omega for mode in plate.modes) / (2 * pi)
    assert 5500 < highest <= 6000


def test_a_mode_of_a_round_plate_weighs_what_it_swings() -> None:
    """The mean square of its shape, over the whole plate, is one over its weight."""
    plate = RoundPlate(1.0, 0.022, 8e9, luck=Random(1))
    grid = [Spot((x + 0.5) / 60, (y + 0.5) / 60) for x in range(60) for y in range(60)]
    on_it = [spot for spot in grid if plate.holds(spot)]

    for mode in plate.modes[::25]:
        square = sum(mode.shape(spot, 1.0, 1.0) ** 2 for spot in on_it) / len(on_it)
        assert square * mode.weight == pytest.approx(1, rel=0.08)


def test_at_a_round_table_a_blow_comes_later_the_farther_away_it_fell() -> None:
    table = MeasuredTable.of_seed(1, seats=4, kind=KINDS["round"])
    wave = table.strike(Blow.KNUCKLE, table.seats[0], seed=1)

    near, side, across, other = (rises_s(list(one), wave.rate_hz) for one in wave.channels)

    assert near < min(side, other)
    assert max(side, other) < across


def test_planks_pass_a_blow_on_sooner_along_the_grain() -> None:
    """As far both ways: the wood is a tenth as stiff across."""
    middle, along, across = Spot(0.5, 0.45), Spot(0.85, 0.45), Spot(0.5, 0.8)
    plate = Plate(1.4, 0.9, 0.024, 10e9, luck=Random(2), across=0.1)
    table = MeasuredTable(plate, [middle], [along, across])

    wave = table.strike(Blow.KNUCKLE, middle, seed=1)

    sooner, later = (rises_s(list(one), wave.rate_hz) for one in wave.channels)
    assert later - sooner > 0.0002


def test_a_cloth_makes_knocks_softer_and_duller() -> None:
    quieter_db, duller = [], []
    for seed in range(5):
        bare, covered = (
            TableTop.of_seed(seed, kind=KINDS[kind]).sampled(
                Blow.KNUCKLE, Spot(0.3, 0.3), RATE_HZ, seed=seed
            )[0]
            for kind in ("plate", "cloth")
        )
        quieter_db.append(20 * log10(max(map(abs, bare)) / max(map(abs, covered))))
        duller.append(high_share(covered, RATE_HZ) / high_share(bare, RATE_HZ))

    assert 3 < median(quieter_db) < 12
    assert median(duller) < 0.9


def test_a_glass_on_a_disc_makes_it_feel_less_and_later() -> None:
    free = MeasuredTable.of_seed(2, seats=4)
    laden = MeasuredTable(
        free.plate, free.seats, free.sensors, 2, glasses_kg={1: 0.5}
    )  # on the disc of seat 2

    before = free.strike(Blow.KNUCKLE, free.seats[0], seed=3)
    after = laden.strike(Blow.KNUCKLE, free.seats[0], seed=3)

    assert after.channels[0] == before.channels[0]
    assert max(map(abs, after.channels[1])) < max(map(abs, before.channels[1]))
    late_s = rises_s(list(after.channels[1]), FINE) - rises_s(list(before.channels[1]), FINE)
    assert 0.00004 < late_s < 0.0005


def test_what_is_read_at_once_is_what_is_read_slowly_under_a_glass_too() -> None:
    table = MeasuredTable.of_seed(3, seats=2, kind=KINDS["glass"])

    quick = table.sampled(Blow.KNUCKLE, table.seats[0], 8000.0, seed=1)
    wave = table.strike(Blow.KNUCKLE, table.seats[0], seed=1)

    for channel in range(2):
        slow = [wave.at(channel, (at + channel / 2) / 8000.0) for at in range(400)]
        most = max(map(abs, slow))
        assert list(quick[channel][:400]) == pytest.approx(slow, abs=0.1 * most)


def test_discs_of_an_uneven_table_lose_up_to_twenty_decibels_each() -> None:
    losses = [one.loss_db for seed in range(20) for one in unevenly(4, Random(seed))]

    assert (min(losses) < 3, max(losses) > 17, max(losses) <= 20) == (True, True, True)


def test_a_hand_wanders_but_stays_on_the_table_and_within_reach() -> None:
    plate, usual, luck = RoundPlate(1.0, 0.02, 8e9), Spot(0.5, 0.13), Random(4)

    spots = [wandering(usual, 0.1, plate, luck) for _ in range(200)]

    assert all(plate.holds(spot) and spot.distance_m(usual) <= 0.25 for spot in spots)
    assert 0.08 < median(spot.distance_m(usual) for spot in spots) < 0.16
