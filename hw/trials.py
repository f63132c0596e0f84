"""Boards built of good and bad parts, and what is measured on them: the trials of hw/piezo.md."""

from cmath import exp as cexp
from collections.abc import Iterator, Sequence
from itertools import product
from math import pi
from random import Random

from hw.front_end import ADC, PAD
from hw.hands import BUTTON, BUZZER
from hw.sheet import Kind, Sheet
from hw.spice import SCHOTTKY_IS_A, Build, models, netlist, simulate
from hw.stimuli import CABLE_F_PER_M, CABLE_M
from kloplei.knock.edges import Edge

RAIL_V = 3.3
RAIL_SPREAD = 0.05
PI_F = 4.7e-6  # on its 3V3, at the very least
MCP3008_OHM = 15e3  # it draws 0.2 mA at least while it converts
CHANNEL_F = 7e-12
CHANNEL_LEAK_A = 1e-9
PULL_UP_OHM = 57e3  # of the Pi; 50 to 65 k
PIN_F = 10e-12
PIN_CLAMP_OHM = 1.0  # of the diodes inside the chip; less is worse
PIN_LOW_V, PIN_HIGH_V = 0.9, 1.6  # below the one it reads low, above the other high again

SAMPLE_F = 20e-12  # of the converter, behind 1 kohm
SWITCH_OHM = 1e3
ROUND_S = 250e-6  # eight channels, 4000 times a second
SLOT_S = ROUND_S / 8
SETTLING_S = 5e-6
TAKING_S = 2e-6  # 1.5 clocks

CORNERED = ("BZ1", "R2", "R3", "C1", "C4", "D1")
"""Parts whose tolerance moves what the pin sees; the others only halve or double what is small."""

Curves = dict[str, list[float]]


def corners(sheet: Sheet, every: int = 1) -> Iterator[Build]:
    """Yield boards with every part of `CORNERED` at either end of its tolerance, cold and warm.

    Args:
        sheet: Of what circuit.
        every: Only each so-manieth of them.
    """
    parts = [sheet.part(ref) for ref in CORNERED]
    for signs in list(product((-1, 1), repeat=len(parts)))[::every]:
        values = {
            one.ref: one.value * (1 + sign * one.tolerance)
            for one, sign in zip(parts, signs, strict=True)
        }
        warm = signs[0] * signs[-1] > 0
        clamp = SCHOTTKY_IS_A["leaky" if warm else "high drop"]
        yield Build(values, clamp_is_a=clamp, celsius=45.0 if warm else 5.0)


def drawn(sheet: Sheet, seed: int) -> Build:
    """Return the board that chance gives: every part somewhere within its tolerance."""
    luck = Random(f"board {seed}")  # noqa: S311 - repeatable, and no secret
    values = {
        one.ref: one.value * (1 + luck.uniform(-one.tolerance, one.tolerance))
        for one in sheet.parts
        if one.value
    }
    least, most = SCHOTTKY_IS_A["high drop"], SCHOTTKY_IS_A["leaky"]
    offsets = {
        one.ref: luck.uniform(-0.007, 0.007) for one in sheet.parts if one.kind is Kind.COMPARATOR
    }
    return Build(
        values,
        clamp_is_a=least * (most / least) ** luck.random(),
        offsets_v=offsets,
        celsius=luck.uniform(5, 45),
        hysteresis_v=luck.uniform(0.0015, 0.0065),
    )


def supply(build: Build, rail_v: float = RAIL_V) -> str:
    """Return models and a regulator, which gives current and never takes any back."""
    wires = f"cpi 3v3 0 {PI_F}\nccable live 0 {CABLE_F_PER_M * CABLE_M}\n"
    return f"{models(ADC, build)}vreg reg 0 {rail_v}\ndreg reg 3v3 regulator\n{wires}"


def on_adc(build: Build, stimulus: str = "0", also: str = "", rail_v: float = RAIL_V) -> str:
    """Return a channel with disc, cable and converter; *also* is what else is on its wires.

    Its clamps, its supply and its signal are the nets ``3v3a``, ``3v3``, ``live`` and ``ch``.
    """
    chip = f"rchip 3v3a 0 {MCP3008_OHM}\ncchip ch 0 {CHANNEL_F}\nichip ch 0 {CHANNEL_LEAK_A}\n"
    return f"{supply(build, rail_v)}{netlist(ADC, build, stimulus)}\n{chip}{also}"


def on_pad(build: Build, stimulus: str = "0", also: str = "", rail_v: float = RAIL_V) -> str:
    """Return a pad with disc, cable and the Pi's pin at ``out``; its comparators look at ``n3``."""
    chip = f"rpull out 3v3 {PULL_UP_OHM}\ncpin out 0 {PIN_F}\n"
    return f"{supply(build, rail_v)}{netlist(PAD, build, stimulus)}\n{chip}{also}"


def on_button(build: Build, also: str = "", rail_v: float = RAIL_V) -> str:
    """Return a button with the Pi's pin at ``gpio``; *also* is what touches its wire, ``hand``.

    The chip keeps its pin within its rails by diodes of its own, which are as good as none can
    say: the current through them is that of the source ``vpin``.
    """
    return f"{models(BUTTON, build)}{_pin(rail_v)}{netlist(BUTTON, build)}\n{also}"


def on_buzzer(build: Build, stimulus: str = "0", also: str = "", rail_v: float = RAIL_V) -> str:
    """Return a buzzer that is hit while its pin, as above, drives nothing: an input at start."""
    return f"{models(BUZZER, build)}{_pin(rail_v)}{netlist(BUZZER, build, stimulus)}\n{also}"


def _pin(rail_v: float) -> str:
    return (
        f"vreg 3v3 0 {rail_v}\ncpin gpio 0 {PIN_F}\nvpin gpio inside 0\n"
        "dhigh inside 3v3 inner\ndlow 0 inside inner\n"
        f".model inner d(is=1e-14 n=1 rs={PIN_CLAMP_OHM} cjo=2p)\n"
    )


def neighbours(build: Build, stimulus: str, between_f: float) -> str:
    """Return two channels read one after the other, the first of them struck.

    Args:
        build: Of what both are built.
        stimulus: The voltage of the first disc; the second one rests.
        between_f: From one disc's wire to the other's, over the whole cable.
    """
    turns = "\n".join(
        f"vturn{at} turn{at} 0 pulse(0 1 {at * SLOT_S + SETTLING_S} 50n 50n {TAKING_S} {ROUND_S})\n"
        f"sturn{at} {net} mux turn{at} 0 taking"
        for at, net in enumerate(("ch", "chb"))
    )
    return (
        f"{on_adc(build, stimulus)}{netlist(ADC, build, '0', 'b')}\ncchipb chb 0 {CHANNEL_F}\n"
        f"ccableb liveb 0 {CABLE_F_PER_M * CABLE_M}\ncbetween live liveb {between_f}\n"
        f"{turns}\nrmux mux hold {SWITCH_OHM}\nchold hold 0 {SAMPLE_F}\nrhold hold 0 1e12\n"
        f".model taking sw(vt=0.5 vh=0.1 ron=10 roff=1e12)\n"
    )


def readings(curves: Curves, name: str, turn: int) -> list[float]:
    """Return what the converter reads from *name* in each round, at the end of *turn*."""
    first = turn * SLOT_S + SETTLING_S + TAKING_S
    count = int((curves["x"][-1] - first) / ROUND_S)
    return at_times(curves, name, [first + at * ROUND_S for at in range(count)])


def at_times(curves: Curves, name: str, times: Sequence[float]) -> list[float]:
    """Return *name* at *times*, which rise, straight between its points."""
    xs, ys = curves["x"], curves[name]
    out, at = [], 0
    for time in times:
        while at < len(xs) - 2 and xs[at + 1] < time:
            at += 1
        part = (time - xs[at]) / (xs[at + 1] - xs[at])
        out.append(ys[at] + part * (ys[at + 1] - ys[at]))
    return out


def tone(samples: Sequence[float], hertz: float, rate_hz: float) -> float:
    """Return how much of *hertz* is in *samples*, as an amplitude; best over whole swings."""
    turns = [cexp(-2j * pi * hertz * at / rate_hz) for at in range(len(samples))]
    mean = sum(samples) / len(samples)
    total = sum((one - mean) * turn for one, turn in zip(samples, turns, strict=True))
    return 2 * abs(total) / len(samples)


def settled(curves: Curves, name: str, part: float = 0.2) -> float:
    """Return the mean of *name* over the last *part* of the time."""
    samples = curves[name][-int(len(curves["x"]) * part) :]
    return sum(samples) / len(samples)


def swing(curves: Curves, name: str, part: float = 1.0) -> float:
    """Return half of the way from the lowest to the highest of *name* in the last *part*."""
    samples = curves[name][-int(len(curves["x"]) * part) :]
    return (max(samples) - min(samples)) / 2


def above_rail_v(curves: Curves, pin: str = "v(ch)", rail: str = "v(3v3a)") -> float:
    """Return how far *pin* ever was above its *rail*."""
    return max(at - top for at, top in zip(curves[pin], curves[rail], strict=True))


def into_rail_a(curves: Curves, ohm: float) -> float:
    """Return the largest current through R3 of *ohm*, which the clamps pass on."""
    between = zip(curves["v(live)"], curves["v(ch)"], strict=True)
    return max(one - other for one, other in between) / ohm


def transient(circuit: str, lasting_s: float, step_s: float, vectors: Sequence[str]) -> Curves:
    """Return the *vectors* from the resting circuit on."""
    return simulate(circuit, f"tran {step_s} {lasting_s} 0 {step_s}", vectors)


def response(build: Build, hertz: Sequence[float]) -> list[float]:
    """Return what of the disc's voltage reaches the converter at each of *hertz*."""
    out = []
    curves = simulate(on_adc(build, "dc 0 ac 1"), "ac dec 40 1 20k", ["vm(ch)"])
    for one in hertz:
        at = min(range(len(curves["x"])), key=lambda place: abs(curves["x"][place] - one))
        out.append(curves["vm(ch)"][at])
    return out


def pin_edges(curves: Curves, pin: str = "v(out)", high_v: float = PIN_HIGH_V) -> list[Edge]:
    """Return what the Pi makes of the voltage at *pin*, which has a memory: low is active."""
    found, active = [], False
    for at_s, volts in zip(curves["x"], curves[pin], strict=True):
        if volts < (high_v if active else PIN_LOW_V):
            if not active:
                found.append(Edge(at_s, active=True))
            active = True
        elif active:
            found.append(Edge(at_s, active=False))
            active = False
    return found
