"""From a drawn circuit to ngspice and back: parts as the simulator knows them, and its curves."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import pi
from pathlib import Path

from hw.sheet import GROUND, Kind, Part, Sheet

RESISTOR_F = 0.3e-12  # across a small resistor, from end to end
LEAD_H = 8e-9  # of a part with wires, 8 mm of them
LEAD_LOSS_OHM = 100.0  # beside it: no lead rings for ever
DISC_LOSS_OHM = 200.0  # glue, ceramic and brass, as a resistor beside its capacitance
SUPPRESSOR_F = 0.9e-9
ZENER_A = 0.049  # at which a 1N4733A has its 5.1 V
INPUT_F = 5e-12  # of a comparator
COMPARATOR_DELAY = ("4k", "1n")  # 3 us with 100 mV more than needed, as an MCP6547's 4
OVERDRIVE_V = 0.1  # what is above it makes a comparator no quicker
DRAIN_OHM = 100.0  # an MCP6547 sinks 2 mA at 0.2 V, and some far more
HYSTERESIS_V = 3.3e-3  # of an MCP6547: 1.5 to 6.5 mV; an LMC6772 has none

OPAMP_HZ, OPAMP_GAIN, OPAMP_V_PER_S = 1e6, 4e5, 0.6e6  # MCP6002: bandwidth, at rest, slew rate
OPAMP_RAIL_V = 0.025  # so near it comes to either supply
OPAMP_OHM = 100.0
OPAMP_F = 1e-9  # of the model's own pole; any will do

SCHOTTKY_IS_A = {"typical": 1e-8, "high drop": 3.5e-10, "leaky": 1e-7}
"""Saturation currents: the first has 0.31 V at 1 mA, the second 0.42 V, more than a 1N5711 or
BAS40 may have; the last leaks 0.1 uA, as either may at thirty times the voltage it sees here."""

MODELS = """
.model dbrk d(is=1e-12 n=1.05 rs=0.1 bv={breakdown} ibv=1m cjo=10p)
.model dclamp d(is={clamp_is} n=1.05 rs=15 cjo=2p eg=0.69 xti=2)
.model odrain sw(vt=0 vh={hysteresis} ron={drain} roff=1e9)
.model regulator d(is=1e-9 n=0.05 eg=0.1 xti=0)
"""


@dataclass(frozen=True, slots=True)
class Build:
    """One built board: what its parts really are.

    Args:
        values: Of parts by their name; nominal ones where left out.
        clamp_is_a: Saturation current of the Schottky diodes.
        disc: Whether a puck is plugged in.
        closed: Jumpers with their caps on, and buttons that are held.
        left_out: Parts that were not put in.
        trim: Of the trimmer, 0 to 1.
        offsets_v: Of the two comparators.
        hysteresis_v: Of both, from where they turn to where they turn back.
        drain_ohm: Of their outputs while they are low.
        celsius: How warm it is.
        inductive: With the inductance of leads, which only sparks notice.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    clamp_is_a: float = SCHOTTKY_IS_A["typical"]
    disc: bool = True
    closed: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()
    trim: float = 0.2
    offsets_v: Mapping[str, float] = field(default_factory=dict)
    hysteresis_v: float = HYSTERESIS_V
    drain_ohm: float = DRAIN_OHM
    celsius: float = 25.0
    inductive: bool = False

    def value(self, part: Part) -> float:
        """Return what *part* really has."""
        return self.values.get(part.ref, part.value)


NOMINAL = Build()


def netlist(sheet: Sheet, build: Build, stimulus: str = "0", suffix: str = "") -> str:
    """Return *sheet* as it was built, *stimulus* being the voltage of the unloaded disc.

    Args:
        sheet: What was drawn.
        build: What it was built of.
        stimulus: A voltage source's value, in ngspice's words.
        suffix: Ends the names of parts and nets of a further channel; supplies, and what lies
            between them, are shared by all.
    """
    lines: list[str] = []
    for part in sheet.parts:
        if part.ref in build.left_out or (part.is_in_puck and not build.disc):
            continue
        if suffix and _is_shared(sheet, part):
            continue
        nets = [_node(net, suffix) for net in sheet.nets_of(part)]
        lines += _lines(part, nets, build, stimulus, suffix)
    return "\n".join(lines)


def models(sheet: Sheet, build: Build) -> str:
    """Return the models that the parts of *sheet* refer to, and the temperature."""
    volt = max((build.value(one) for one in sheet.parts if one.kind is Kind.SUPPRESSOR), default=12)
    text = MODELS.format(
        breakdown=volt - 0.65,
        clamp_is=build.clamp_is_a,
        drain=build.drain_ohm,
        hysteresis=build.hysteresis_v / 2,
    )
    return f"{text}.options temp={build.celsius} reltol=1e-4 abstol=1e-10 vntol=1e-6\n"


def _is_shared(sheet: Sheet, part: Part) -> bool:
    return all(_node(net, "x") == _node(net, "") for net in sheet.nets_of(part))


def _node(net: str, suffix: str) -> str:
    if net == GROUND:
        return "0"
    return net.lower() if net.startswith("3V3") else f"{net.lower()}{suffix}"


def _lines(
    part: Part, nets: Sequence[str], build: Build, stimulus: str, suffix: str
) -> Iterable[str]:
    ref, value = f"{part.ref.lower()}{suffix}", build.value(part)
    match part.kind:
        case Kind.RESISTOR:
            yield f"r{ref} {nets[0]} {nets[1]} {value}"
            yield f"cp{ref} {nets[0]} {nets[1]} {RESISTOR_F}"
        case Kind.TRIMMER:
            yield f"r{ref} {nets[0]} {nets[1]} {max(1.0, value * build.trim)}"
        case Kind.JUMPER | Kind.BUTTON:
            ohm = 0.1 if part.ref in build.closed else 1e12
            yield f"r{ref} {nets[0]} {nets[1]} {ohm}"
        case Kind.CAPACITOR:
            yield from _with_leads(f"c{ref}", nets, f"{value}", inductive=build.inductive)
        case Kind.DISC:
            yield f"c{ref} {nets[0]} {ref}a {value}"
            yield f"r{ref} {ref}a {ref}b {DISC_LOSS_OHM}"
            yield f"v{ref} {ref}b {nets[1]} {stimulus}"
        case Kind.SUPPRESSOR:
            inner = f"{ref}a" if build.inductive else nets[0]
            if build.inductive:
                yield from _lead(f"l{ref}", nets[0], inner)
            yield f"c{ref} {inner} {nets[1]} {SUPPRESSOR_F}"
            yield f"d{ref}a {inner} {ref}b dbrk"
            yield f"d{ref}b {nets[1]} {ref}b dbrk"
        case Kind.ZENER:
            yield f"d{ref} {nets[0]} {nets[1]} z{ref}"
            yield f".model z{ref} d(is=1e-12 n=1.05 rs=1 bv={value} ibv={ZENER_A} cjo=400p)"
        case Kind.SCHOTTKY:
            yield f"d{ref} {nets[0]} {nets[1]} dclamp"
        case Kind.COMPARATOR:
            yield from _comparator(ref, nets, build.offsets_v.get(part.ref, 0.0))
        case Kind.OPAMP:
            yield from _opamp(ref, nets, build.offsets_v.get(part.ref, 0.0))


def _with_leads(ref: str, nets: Sequence[str], value: str, *, inductive: bool) -> Iterable[str]:
    if not inductive:
        yield f"{ref} {nets[0]} {nets[1]} {value}"
        return
    yield from _lead(f"l{ref}", nets[0], f"{ref}x")
    yield f"{ref} {ref}x {nets[1]} {value}"


def _lead(ref: str, begin: str, end: str) -> Iterable[str]:
    yield f"{ref} {begin} {end} {LEAD_H}"
    yield f"r{ref} {begin} {end} {LEAD_LOSS_OHM}"


def _comparator(ref: str, nets: Sequence[str], offset_v: float) -> Iterable[str]:
    plus, minus, out = nets
    ohm, farad = COMPARATOR_DELAY
    yield f"c{ref}p {plus} 0 {INPUT_F}"
    yield f"c{ref}m {minus} 0 {INPUT_F}"
    above = f"(v({minus})-v({plus})+{offset_v})"
    yield f"b{ref} {ref}e 0 v={OVERDRIVE_V}*tanh({above}/{OVERDRIVE_V})"
    yield f"r{ref}d {ref}e {ref}f {ohm}"
    yield f"c{ref}d {ref}f 0 {farad}"
    yield f"s{ref} {out} 0 {ref}f 0 odrain"


def _opamp(ref: str, nets: Sequence[str], offset_v: float) -> Iterable[str]:
    """Yield one pole, a slew rate and rails: what an MCP6002 does to a knock (DS21733)."""
    plus, minus, out = nets
    slope = 2 * pi * OPAMP_HZ * OPAMP_F
    yield f"c{ref}p {plus} 0 {INPUT_F}"
    yield f"c{ref}m {minus} 0 {INPUT_F}"
    above = f"(v({plus})-v({minus})+{offset_v})"
    most = OPAMP_V_PER_S * OPAMP_F
    yield f"b{ref} 0 {ref}e i={most}*tanh({slope / most}*{above})"
    yield f"c{ref}e {ref}e 0 {OPAMP_F}"
    yield f"r{ref}e {ref}e 0 {OPAMP_GAIN / slope}"
    # A real one stops at its rails; this one is held there, or it would take long to come back.
    yield f"v{ref}t 3v3a {ref}t {OPAMP_RAIL_V}"
    yield f"d{ref}t {ref}e {ref}t regulator"
    yield f"v{ref}l {ref}l 0 {OPAMP_RAIL_V}"
    yield f"d{ref}l {ref}l {ref}e regulator"
    yield f"b{ref}o {ref}o 0 v=v({ref}e)"
    yield f"r{ref}o {ref}o {out} {OPAMP_OHM}"


class NoSimulator(RuntimeError):
    """ngspice is not installed."""


def simulate(circuit: str, analysis: str, vectors: Sequence[str]) -> dict[str, list[float]]:
    """Return the curves of *vectors*, and of what they run over as ``"x"``.

    Args:
        circuit: A netlist without its title.
        analysis: Such as ``tran 10u 50m uic``.
        vectors: Such as ``v(ch)``, in ngspice's words.

    Raises:
        NoSimulator: ngspice is not installed.
        ValueError: ngspice did not understand the circuit, or did not come to an end with it.
    """
    program = shutil.which("ngspice")
    if program is None:
        raise NoSimulator("circuits are simulated by ngspice. Run: scripts/setup hw")
    with tempfile.TemporaryDirectory() as folder:
        deck, curves = Path(folder, "deck.cir"), Path(folder, "curves.txt")
        deck.write_text(
            f"* kloplei\n{circuit}\n.control\nset wr_singlescale\nset numdgt=9\n"
            f"{analysis}\nwrdata {curves} {' '.join(vectors)}\nquit\n.endc\n.end\n"
        )
        run = subprocess.run(  # noqa: S603 - the program was found on the path
            [program, "-b", str(deck)], capture_output=True, text=True, timeout=30, check=False
        )
        if not curves.exists() or "aborted" in run.stdout + run.stderr:
            raise ValueError(f"ngspice gave no curves: {run.stdout[-600:]}{run.stderr[-600:]}")
        rows = [list(map(float, line.split())) for line in curves.read_text().splitlines()]
    columns = list(zip(*rows, strict=True))
    return {name: list(one) for name, one in zip(["x", *vectors], columns, strict=True)}
