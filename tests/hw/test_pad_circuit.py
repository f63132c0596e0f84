"""A pad: its pulse, its trimmer, and that the arithmetic of `knock.comparator` is what it does."""

from dataclasses import replace
from math import exp, pi, sin

import pytest

from hw import stimuli
from hw.front_end import PAD
from hw.spice import NOMINAL, Build
from hw.trials import drawn, on_pad, pin_edges, swing, transient
from kloplei.knock.edges import Edge, edges, judged

NETS = ["v(out)", "v(n3)", "v(high)", "v(low)"]
AT_S, HERTZ, DECAY_S = 1e-3, 400.0, 0.012
FINE_HZ = 40_000.0


def _pad(build: Build, volts: float) -> list[Edge]:
    stimulus = stimuli.blow(volts, HERTZ, DECAY_S, AT_S)
    return pin_edges(transient(on_pad(build, stimulus), 0.08, 20e-6, NETS))


@pytest.mark.parametrize("volts", [0.8, -0.8, 3.0, stimuli.HARD_V])
def test_a_blow_is_one_pulse_of_some_milliseconds(volts: float) -> None:
    for build in (NOMINAL, drawn(PAD, 1), drawn(PAD, 2)):
        low, high = _pad(build, volts)

        assert low.active
        assert not high.active
        assert low.at_s - AT_S < 0.0006
        assert 0.003 < high.at_s - low.at_s < 0.1


@pytest.mark.parametrize(("trim", "least_v", "most_v"), [(0.0, 0.03, 0.09), (1.0, 0.5, 1.1)])
def test_the_trimmer_reaches_from_a_finger_to_a_fist(
    trim: float, least_v: float, most_v: float
) -> None:
    """A blow below the first voltage is not felt, one above the second one is, on any board."""
    for board in (NOMINAL, drawn(PAD, 3), drawn(PAD, 4)):
        build = replace(board, trim=trim)

        assert _pad(build, least_v) == []
        assert _pad(build, most_v) != []


def test_silence_and_three_metres_of_shielded_cable_make_no_edge() -> None:
    """Even with the trimmer at its finest."""
    for seed in range(5):
        board = drawn(PAD, seed)
        build = replace(board, trim=0.0)
        hum = stimuli.mains(stimuli.SHIELDED_F_PER_M)

        assert pin_edges(transient(on_pad(build, also=hum), 0.1, 50e-6, NETS)) == []


@pytest.mark.parametrize("hysteresis_v", [1e-5, 0.0065])
def test_a_slow_push_turns_a_comparator_once(hysteresis_v: float) -> None:
    """Half a volt within a fifth of a second: with hysteresis at either end, or hardly any.

    C5 does the rest where a second source has none.
    """
    build = Build(hysteresis_v=hysteresis_v)
    slow = stimuli.course([0.5 * sin(pi * at / 40) for at in range(41)], 200.0, at_s=1e-3)

    found = pin_edges(transient(on_pad(build, slow), 0.25, 1e-4, NETS))

    assert [edge.active for edge in found] in ([], [True, False], [True, False] * 2)


def test_a_pad_without_its_disc_holds_its_pin_low() -> None:
    """So the box can name it: a pad that is held down without end."""
    curves = transient(on_pad(Build(disc=False)), 0.02, 1e-4, NETS)

    assert max(curves["v(out)"]) < 0.3


@pytest.mark.parametrize("times", [1.5, 4.0, 20.0])
def test_the_arithmetic_of_the_pads_is_what_the_circuit_does(times: float) -> None:
    """The same blow through both, *times* as loud as the threshold: same blows, same verdict."""
    curves = transient(on_pad(NOMINAL), 0.02, 1e-4, NETS)
    level_v = (curves["v(high)"][-1] - curves["v(low)"][-1]) / 2
    heard = transient(on_pad(NOMINAL, stimuli.blow(0.2)), 0.01, 2e-5, NETS)
    gain = swing(heard, "v(n3)") / _swing_of(0.2)
    samples = [times * level_v * _course(at / FINE_HZ) for at in range(3200)]

    by_arithmetic = list(edges(samples, FINE_HZ, level_v))
    by_circuit = _pad(NOMINAL, times * level_v / gain)

    told = [[one.verdict for one in judged(each)] for each in (by_arithmetic, by_circuit)]
    assert told[0] == told[1] != []
    assert by_circuit[0].at_s == pytest.approx(by_arithmetic[0].at_s, abs=0.0005)
    assert by_circuit[-1].at_s == pytest.approx(by_arithmetic[-1].at_s, abs=0.012)


def _course(at_s: float) -> float:
    since_s = at_s - AT_S
    if since_s < 0:
        return 0.0
    peak = exp(0.25 / HERTZ / DECAY_S)
    return peak * exp(-since_s / DECAY_S) * sin(2 * pi * HERTZ * since_s)


def _swing_of(volts: float) -> float:
    return volts * (1 + exp(-0.5 / HERTZ / 0.008)) / 2
