"""A channel with its gain stage: the same disc and front-end, and an amplifier behind them.

It is fitted where the doctor's level card calls a whole table faint although every disc is glued.
"""

from dataclasses import replace

from hw.front_end import GAIN
from hw.sheet import Kind
from hw.spice import Build, netlist
from hw.trials import CHANNEL_F, CHANNEL_LEAK_A, RAIL_V, Curves, on_adc, transient

NETS = ("v(live)", "v(ch)", "v(ampg)", "v(3v3a)", "v(3v3)")
NOISE_V_PER_ROOT_HZ = 28e-9  # of an MCP6002 at its input (DS21733)
OFFSET_V = 4.5e-3  # of it at most

_STAGE = "g"  # ends the names of its nets, which are numbered as those of the front-end are


def nominal_gain() -> float:
    """Return what the drawn resistors make of a knock."""
    return 1 + GAIN.part("R13").value / GAIN.part("R14").value


def on_gain(build: Build, stimulus: str = "0", also: str = "", rail_v: float = RAIL_V) -> str:
    """Return a channel whose converter hangs at ``ampg``, behind the stage; see `on_adc`."""
    stage = netlist(GAIN, build, suffix=_STAGE)
    chip = f"cchipg ampg 0 {CHANNEL_F}\nichipg ampg 0 {CHANNEL_LEAK_A}\nrjoin ch ing 1m\n"
    return on_adc(build, stimulus, f"{stage}\n{chip}{also}", rail_v)


def amplified(
    build: Build, stimulus: str, lasting_s: float = 0.012, step_s: float = 20e-6, also: str = ""
) -> Curves:
    """Return what becomes of *stimulus* before and behind the stage."""
    return transient(on_gain(build, stimulus, also), lasting_s, step_s, NETS)


def with_offset(build: Build, offset_v: float = OFFSET_V) -> Build:
    """Return *build* with an amplifier that is off by *offset_v*."""
    refs = [part.ref for part in GAIN.parts if part.kind is Kind.OPAMP]
    return replace(build, offsets_v=dict.fromkeys(refs, offset_v))
