"""The virtual table behaves as wood does: these are claims of physics, not of the code."""

from collections.abc import Sequence
from math import cos, pi, sqrt

import pytest

from benchmarks.measured_table import MeasuredTable, SimulatedConverter
from kloplei.knock.geometry import Spot
from kloplei.simulation.blows import Blow
from kloplei.simulation.plate import Plate, Wave


def at_disc(seed: int, channel: int) -> MeasuredTable:
    """The table of that *seed* with this disc alone: the others only cost time."""
    table = MeasuredTable.of_seed(seed)
    return MeasuredTable(table.plate, table.seats, table.sensors[channel : channel + 1], seed)


def group_speed_ms(plate: Plate, frequency_hz: float) -> float:
    """How fast a wave packet of that frequency runs."""
    return 2 * sqrt(2 * pi * frequency_hz * plate._speed)


def energy(samples: Sequence[float]) -> float:
    return sum(sample * sample for sample in samples)


def spectrum(samples: Sequence[float], rate_hz: float, upto_hz: int) -> dict[int, float]:
    """Energy in steps of 20 Hz, each by one turn a sample (Goertzel)."""
    found = {}
    for hz in range(20, upto_hz, 20):
        turn = 2 * cos(2 * pi * hz / rate_hz)
        last = before = 0.0
        for sample in samples:
            last, before = sample + turn * last - before, last
        found[hz] = last * last + before * before - turn * last * before
    return found


def share(powers: dict[int, float], lowest_hz: int, highest_hz: int) -> float:
    """Part of the energy between two frequencies."""
    within = sum(power for hz, power in powers.items() if lowest_hz <= hz <= highest_hz)
    return within / sum(powers.values())


def heard(wave: Wave, channel: int, lasting_s: float = 0.05) -> dict[int, float]:
    """Spectrum of the first *lasting_s*."""
    samples = wave.channels[channel][: int(lasting_s * wave.rate_hz)]
    return spectrum(samples, wave.rate_hz, 3000)


def arrival_s(wave: Wave, channel: int, part: float = 0.05) -> float:
    samples = wave.channels[channel]
    least = part * max(map(abs, samples))
    return next(at for at, sample in enumerate(samples) if abs(sample) > least) / wave.rate_hz


def falls_by_20_db_s(wave: Wave, channel: int) -> float:
    """From the loudest 5 ms until 5 ms hold a hundredth of its energy."""
    step = int(0.005 * wave.rate_hz)
    samples = wave.channels[channel]
    energies = [energy(samples[at : at + step]) for at in range(0, len(samples), step)]
    top = max(range(len(energies)), key=energies.__getitem__)
    after = next(at for at in range(top, len(energies)) if energies[at] < energies[top] / 100)
    return (after - top) * step / wave.rate_hz


def test_waves_of_500_hz_run_at_550_metres_a_second_on_22_mm_wood() -> None:
    plate = Plate(1.4, 0.85, 0.022, 8e9)

    assert group_speed_ms(plate, 500) == pytest.approx(550, rel=0.08)
    assert group_speed_ms(plate, 2000) == pytest.approx(2 * group_speed_ms(plate, 500))


def test_a_plate_of_a_pub_table_has_some_hundred_and_fifty_modes_up_to_6_khz() -> None:
    plate = Plate(1.4, 0.85, 0.022, 8e9)

    assert 120 < len(plate.modes) < 200


@pytest.mark.parametrize("seed", range(4))
def test_a_blow_in_one_corner_reaches_the_others_in_order_of_distance(seed: int) -> None:
    table = MeasuredTable.of_seed(seed, corners=4)
    here = table.sensors[0]
    wave = table.strike(Blow.KNUCKLE, here.moved(0.02, 0.02), seed=seed)
    arrivals = [arrival_s(wave, channel) for channel in range(4)]
    order = sorted(range(4), key=arrivals.__getitem__)

    assert order[0] == 0
    assert 0.0005 < max(arrivals) - arrivals[0] < 0.006


@pytest.mark.parametrize("seed", range(6))
def test_the_energy_of_a_knuckle_is_low_and_gone_soon(seed: int) -> None:
    table = at_disc(seed, seed % 4)
    wave = table.strike(Blow.KNUCKLE, table.seats[seed % 4], seed=seed)

    assert share(heard(wave, 0), 0, 700) > 0.7
    assert 0.01 <= falls_by_20_db_s(wave, 0) <= 0.15


@pytest.mark.parametrize("seed", range(4))
def test_a_glass_rings_higher_than_a_knuckle(seed: int) -> None:
    table = at_disc(seed, 0)
    knuckle = table.strike(Blow.KNUCKLE, table.seats[0], seed=seed)
    glass = table.strike(Blow.GLASS, table.seats[0], seed=seed)

    assert share(heard(glass, 0), 1000, 3000) > 3 * share(heard(knuckle, 0), 1000, 3000)


@pytest.mark.parametrize("kind", [Blow.BUMP, Blow.ELBOW])
@pytest.mark.parametrize("seed", range(3))
def test_a_bump_lives_under_80_hz_on_every_channel_at_once(kind: Blow, seed: int) -> None:
    table = MeasuredTable.of_seed(seed)
    wave = table.strike(kind, table.seats[1], seed=seed)
    for channel in range(4):
        powers = spectrum(wave.channels[channel][:2000], wave.rate_hz, 1000)

        assert share(powers, 0, 80) > 0.8


def test_a_phone_buzzes_for_about_a_second() -> None:
    table = at_disc(2, 0)
    wave = table.strike(Blow.PHONE, table.seats[0], seed=1)
    step = int(0.1 * wave.rate_hz)
    loud = [energy(wave.channels[0][at : at + step]) for at in range(0, step * 8, step)]

    assert wave.end_s > 0.8
    assert min(loud[1:]) > max(loud) / 20
    assert max(spectrum(wave.channels[0][:6000], wave.rate_hz, 300).items())[0] >= 100


def test_the_same_seed_gives_the_same_blow_and_another_one_another() -> None:
    first = MeasuredTable.of_seed(3).record(Blow.KNUCKLE, Spot(0.3, 0.3), seed=5)
    again = MeasuredTable.of_seed(3).record(Blow.KNUCKLE, Spot(0.3, 0.3), seed=5)
    other = MeasuredTable.of_seed(3).record(Blow.KNUCKLE, Spot(0.3, 0.3), seed=6)

    assert first == again
    assert first != other


@pytest.mark.parametrize("kind", [Blow.KNUCKLE, Blow.GLASS, Blow.ELBOW])
@pytest.mark.parametrize("lasting_s", [0.0, 0.025, 0.1])
def test_a_record_is_what_a_converter_makes_of_the_whole_wave(kind: Blow, lasting_s: float) -> None:
    table, at = MeasuredTable.of_seed(3), Spot(0.3, 0.3)
    converter = SimulatedConverter(len(table.sensors), seed=5)
    count = round((0.05 + lasting_s) * converter.electronics.rate_hz)
    whole = converter.block((table.strike(kind, at, seed=5),), -0.05, count)

    assert table.record(kind, at, seed=5, lasting_s=lasting_s) == whole


def test_usual_knocks_peak_around_half_of_full_scale_at_the_disc_of_their_seat() -> None:
    peaks = sorted(
        max(map(abs, table.strike(Blow.KNUCKLE, table.seats[seat], seed=seat).channels[0]))
        for seat in range(0, 4, 2)
        for table in (at_disc(seed, seat) for seed in range(5))
    )

    assert 0.3 < peaks[len(peaks) // 2] < 0.8
    assert peaks[0] > 0.1


def test_a_hard_blow_clips_at_full_scale() -> None:
    table = MeasuredTable.of_seed(0)
    block = table.record(Blow.KNUCKLE, table.sensors[1], force_n=300)

    assert max(block.channels[1]) == 511 / 512
    assert min(block.channels[1]) == -1


def test_twice_the_force_gives_twice_the_voltage() -> None:
    table = MeasuredTable.of_seed(1)
    soft = table.strike(Blow.KNUCKLE, table.seats[0], force_n=10)
    hard = table.strike(Blow.KNUCKLE, table.seats[0], force_n=20)

    assert max(map(abs, hard.channels[2])) == pytest.approx(
        2 * max(map(abs, soft.channels[2])), rel=0.01
    )


def test_a_wave_is_heard_at_its_source_and_at_the_listener_alike() -> None:
    """Reciprocity: blow and disc may change places."""
    plate = Plate(1.3, 0.8, 0.02, 7e9)
    here, there = Spot(0.2, 0.3), Spot(1.0, 0.6)
    forth = MeasuredTable(plate, [here], [there], seed=1).strike(Blow.KNUCKLE, here)
    back = MeasuredTable(plate, [there], [here], seed=1).strike(Blow.KNUCKLE, there)

    assert forth.channels[0][:2000] == pytest.approx(back.channels[0][:2000], abs=0.005)


def test_soft_blows_at_a_coarser_rate_are_the_same_blows() -> None:
    """What is left out above 2.5 kHz is nothing in a bump."""
    plate = Plate(1.3, 0.8, 0.02, 7e9)
    table = MeasuredTable(plate, [], plate.size.corners(4))
    wave = table.strike(Blow.BUMP, Spot(0.5, 0.4), seed=1)

    powers = spectrum(wave.channels[0][:2000], wave.rate_hz, 2600)
    assert share(powers, 1000, 2600) < 1e-4


def test_nothing_is_struck_beside_the_table() -> None:
    with pytest.raises(ValueError, match="beside a table"):
        MeasuredTable.of_seed(0).strike(Blow.KNUCKLE, Spot(5, 0))
