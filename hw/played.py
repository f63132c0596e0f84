"""Blows on a virtual table, played through the circuit in the place of the table's own front-end.

`kloplei.simulation` filters, limits and reads a disc by arithmetic. Here its front-end is taken
out again and ngspice put in, so that the two can be compared.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import exp, pi

from hw.spice import Build
from hw.stimuli import course
from hw.trials import at_times, on_adc, response, settled, transient
from kloplei.simulation.blows import LOW_PASS_HZ
from kloplei.simulation.plate import Wave

MIDDLE_HZ = 400.0  # where the gain of a circuit is taken
REST_S = 0.02  # of silence before
STEP_S = 20e-6


def unfiltered(samples: Sequence[float], rate_hz: float) -> list[float]:
    """Return *samples* as they were before the virtual table's low pass."""
    follow = 1 - exp(-2 * pi * LOW_PASS_HZ / rate_hz)
    before = [0.0, *samples]
    return [was + (one - was) / follow for was, one in zip(before, samples, strict=False)]


def through_circuit(wave: Wave, build: Build, scale: float | None = None) -> Wave:
    """Return *wave*, of a single disc, as the circuit hands it to the converter.

    Args:
        wave: What the virtual table says; full scale 1.
        build: The board.
        scale: Volts of the unloaded disc for full scale; None for what makes this board just as
            sensitive as the table is.
    """
    raw = unfiltered(wave.channels[0], wave.rate_hz)
    quiet = transient(on_adc(build), 0.05, 1e-3, ["v(ch)", "v(3v3a)"])
    reference_v, rest_v = settled(quiet, "v(3v3a)"), settled(quiet, "v(ch)")
    if scale is None:
        scale = reference_v / 2 / response(build, [MIDDLE_HZ])[0]
    lasting_s = REST_S + len(raw) / wave.rate_hz
    circuit = on_adc(build, course(raw, wave.rate_hz, scale, REST_S))
    curves = transient(circuit, lasting_s, STEP_S, ["v(ch)", "v(3v3a)"])
    times = [REST_S + at / wave.rate_hz for at in range(1, len(raw) + 1)]
    volts = at_times(curves, "v(ch)", [min(one, curves["x"][-1]) for one in times])
    return replace(wave, channels=([2 * (one - rest_v) / reference_v for one in volts],))
