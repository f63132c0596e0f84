"""The front-end of the virtual table and the circuit of hw/ do the same to a blow.

What is compared is what the ears use: above their 60 Hz. Below it the circuit hears less
(hw/piezo.md tells why), which spares the converter the push of an elbow.
"""

from cmath import exp as cexp
from math import exp, log10, pi, sin

import pytest

from benchmarks.measured_table import MeasuredTable, SimulatedConverter
from hw.front_end import ADC
from hw.played import MIDDLE_HZ, through_circuit
from hw.spice import NOMINAL, Build
from hw.trials import drawn, response
from kloplei.knock.detector import Listener
from kloplei.knock.features import LOUDNESS, features
from kloplei.knock.geometry import PAD_M, Spot
from kloplei.knock.judgement import Judgement
from kloplei.simulation.blows import LOW_PASS_HZ, Blow
from kloplei.simulation.plate import Wave
from kloplei.simulation.table_top import FINE_HZ

LASTS_S = 0.06  # after that a blow has been judged
QUIET_S = 0.15


def _model_gain(hertz: float) -> float:
    """Return what the virtual table's low pass leaves of *hertz*."""
    keep = exp(-2 * pi * LOW_PASS_HZ / FINE_HZ)
    return abs((1 - keep) / (1 - keep * cexp(-2j * pi * hertz / FINE_HZ)))


def test_the_band_is_that_of_the_virtual_table() -> None:
    bands_hz = [100, 200, 400, 800, 1200, 1600, 2000]

    for build in (NOMINAL, *(drawn(ADC, seed) for seed in range(5))):
        circuit = response(build, [*bands_hz, MIDDLE_HZ])
        for hertz, gain in zip(bands_hz, circuit, strict=False):
            ours_db = 20 * log10(gain / circuit[-1])
            theirs_db = 20 * log10(_model_gain(hertz) / _model_gain(MIDDLE_HZ))
            assert ours_db == pytest.approx(theirs_db, abs=1.0), hertz


def _heard(wave: Wave) -> Judgement:
    """Return what the ears make of *wave*, through the same converter with the same noise."""
    block = SimulatedConverter(1, seed=5).block(
        (wave,), -QUIET_S, round((QUIET_S + LASTS_S) * 4000)
    )
    listener = Listener()
    found = (*listener.feed(block), *listener.flush())
    return next(one for one in found if isinstance(one, Judgement))


@pytest.mark.parametrize(
    ("kind", "seat", "force_n"),
    [
        (Blow.KNUCKLE, 0, None),
        (Blow.KNUCKLE, 1, None),
        (Blow.KNUCKLE, 2, 40.0),
        (Blow.KNUCKLE, 3, 120.0),
        (Blow.GLASS, 1, None),
    ],
)
def test_the_ears_hear_the_same_blow_through_either(
    kind: Blow, seat: int, force_n: float | None
) -> None:
    table = MeasuredTable.of_seed(3, seats=4)
    table = MeasuredTable(table.plate, table.seats, [Spot(PAD_M, PAD_M)], 3)
    wave = table.strike(kind, table.seats[seat], force_n=force_n, seed=seat + 1)
    wave = Wave(0.0, wave.rate_hz, (wave.channels[0][: round(LASTS_S * wave.rate_hz)],))

    model, circuit = _heard(wave), _heard(through_circuit(wave, NOMINAL))

    assert circuit.verdict is model.verdict
    assert circuit.likelihood == pytest.approx(model.likelihood, abs=0.15)
    assert model.window is not None
    assert circuit.window is not None
    ours, theirs = features(circuit.window), features(model.window)
    assert ours[LOUDNESS] == pytest.approx(theirs[LOUDNESS], abs=2.0)
    apart = [abs(ours[name] - theirs[name]) for name in theirs]
    assert sum(apart) / len(apart) < 1.0  # dB, nearly all of them


@pytest.mark.parametrize("build", [NOMINAL, Build(closed=frozenset({"JP1"}))])
def test_what_is_too_loud_is_cut_off_alike_and_over_as_soon(build: Build) -> None:
    """A swing of three full scales that dies away in 8 ms."""
    rate_hz = FINE_HZ
    swing = [
        3 * exp(-at / rate_hz / 0.008) * sin(2 * pi * MIDDLE_HZ * at / rate_hz)
        for at in range(round(LASTS_S * rate_hz))
    ]
    wave = Wave(0.0, rate_hz, (swing,))

    read = []
    for one in (wave, through_circuit(wave, build)):
        block = SimulatedConverter(1, seed=5).block((one,), 0.0, round(LASTS_S * 4000))
        read.append(block.channels[0])
    model, circuit = read

    cut_off = [sum(abs(sample) > 0.98 for sample in one) for one in read]
    assert cut_off[0] > 10
    assert cut_off[1] == pytest.approx(cut_off[0], abs=4)
    for begin_ms, end_ms in ((12, 20), (20, 28), (28, 36)):
        cut = slice(begin_ms * 4, end_ms * 4)
        assert max(circuit[cut]) - min(circuit[cut]) == pytest.approx(
            max(model[cut]) - min(model[cut]), rel=0.2, abs=0.02
        )
