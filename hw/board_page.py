"""The lists in hw/board.md: parts by position, links, cuts, and volts to measure, from the boards.

What a meter should read is asked of ngspice, in the circuit that is on the board.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from hw.board import DRILLED, Board, Put
from hw.footprints import ELECTROLYTIC, WIRE
from hw.front_end import ADC, GAIN, PAD
from hw.hands import BUTTON
from hw.layouts import BOARDS, FIRST_FOUR, TWO_PADS
from hw.marked import filled
from hw.sheet import GROUND, Sheet
from hw.spice import Build, netlist
from hw.trials import supply, transient

PAGE = Path(__file__).with_name("board.md")
METER_OHM = 10e6  # a digital one
_SPOKEN = {
    "J1": "clamp for the cable",
    "J2": "wires to the Pi",
    "J3": "wires between the boards",
}
_SHEETS = {"ears": ADC, "more-ears": ADC, "pads": PAD, "buttons": BUTTON, "gain": GAIN}


def rewritten(text: str) -> str:
    """Return *text* of the page with its lists as boards and circuits have them now."""
    for name, lines in _lists():
        text = filled(text, name, "".join(f"{line}\n" for line in lines))
    return text


def write() -> None:
    """Write the lists into the page."""
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def _lists() -> Iterator[tuple[str, Iterable[str]]]:
    for board in BOARDS:
        yield f"cuts of {board.name}", [_cuts(board)]
        yield f"links of {board.name}", [_links(board)]
        yield f"parts of {board.name}", _parts(board)
    yield "volts of ears", _table(ears_volts())
    yield "volts of pads", _table(pads_volts())


def _cuts(board: Board) -> str:
    cuts = ", ".join(f"{hole}" for hole in sorted(board.cuts))
    screws = ", ".join(map(str, board.screws))
    counted = f"{len(board.cuts)} cuts: {cuts}" if cuts else "No cuts"
    return f"{counted}. Drill {screws} to {DRILLED} mm."


def _links(board: Board) -> str:
    links = sorted(board.links, key=lambda link: (link.end.strip - link.begin.strip, link.begin))
    return (
        f"{len(links)} links, short ones first: "
        + ", ".join(f"{link.begin} to {link.end}" for link in links)
        + "."
    )


def _parts(board: Board) -> Iterator[str]:
    """Yield a row for each part, the lowest first, with its holes in every channel or pad."""
    rows: dict[str, list[Put]] = {}
    for put in sorted(board.parts, key=lambda put: (put.footprint is WIRE, put.footprint.height)):
        rows.setdefault(put.ref, []).append(put)
    yield "| Part | What | How it stands | Holes |"
    yield "|---|---|---|---|"
    for ref, puts in rows.items():
        holes = "; ".join(_holes(put) for put in puts)
        yield f"| {ref} | {_what(board, ref)} | {puts[0].footprint.name} | {holes} |"


def _what(board: Board, ref: str) -> str:
    if ref == "U1":
        return "MCP3208, or MCP3008" if _SHEETS[board.name] is ADC else "MCP6547, or LMC6772"
    if ref == "U2":
        return _SHEETS[board.name].part("U2A").name.removesuffix(" (half)")
    if ref in _SPOKEN:
        return _SPOKEN[ref]
    return _SHEETS[board.name].part(ref).name


def _holes(put: Put) -> str:
    match put.ref:
        case "J1":
            return f"core {put.holes[0]}, braid {put.holes[1]}"
        case "J2" | "J3":
            return ", ".join(f"{leg.net} {leg.hole}" for leg in put.legs)
        case "U1" | "U2":
            return f"leg 1 {put.holes[0]}, last leg {put.holes[-1]}"
        case _ if put.footprint.has_ring:
            return f"{put.holes[0]}, ring {put.holes[1]}"
        case _ if put.footprint is ELECTROLYTIC:
            return f"plus {put.holes[0]}, minus {put.holes[1]}"
        case _:
            return " ".join(map(str, put.holes))


Volts = tuple[str, str, float]


def ears_volts() -> tuple[Volts, ...]:
    """Return where to measure on the first board without its chip, when, and what is there."""
    chip = next(put for put in FIRST_FOUR.parts if put.ref == "U1").holes
    off, on = (_at_rest(ADC, Build(disc=disc), "ch") for disc in (False, True))
    return (
        (f"{chip[15]} and {chip[14]}, VDD and VREF", "always", off["3v3a"]),
        (f"{chip[8]} and {chip[13]}, both grounds", "always", 0.0),
        (f"{', '.join(map(str, chip[:4]))}, the channels", "no puck in the clamp", off["ch"]),
        ("the same", "puck in the clamp", on["ch"]),
    )


def pads_volts() -> tuple[Volts, ...]:
    """Return the same of the first pad; its trimmer is at both ends in turn."""
    chip = next(put for put in TWO_PADS.parts if put.ref == "U1").holes
    net = PAD.nets_of(PAD.part("U1A"))[1]
    off, on = (_at_rest(PAD, Build(disc=disc, trim=0.0), net) for disc in (False, True))
    high = [_at_rest(PAD, Build(trim=trim), "high")["high"] for trim in (0.0, 1.0)]
    low = [_at_rest(PAD, Build(trim=trim), "low")["low"] for trim in (0.0, 1.0)]
    return (
        (f"{chip[7]}, supply", "always", off["3v3"]),
        (f"{chip[3]}, ground", "always", 0.0),
        (f"{chip[2]} and {chip[5]}, both inputs", "no puck in the clamp", off[net]),
        ("the same", "puck in the clamp", on[net]),
        (f"{chip[4]}, upper threshold", "trimmer at its finest", high[0]),
        ("the same", "trimmer at its coarsest", high[1]),
        (f"{chip[1]}, lower threshold", "trimmer at its finest", low[0]),
        ("the same", "trimmer at its coarsest", low[1]),
    )


def _at_rest(sheet: Sheet, build: Build, measured: str) -> dict[str, float]:
    """Return what a meter reads at *measured*, and the supplies, with no chip in its socket."""
    own = tuple(part for part in sheet.parts if not part.ref.startswith("U"))
    chipless = Sheet(sheet.title, own, sheet.wires, sheet.labels)
    meter = f"rmeter {measured} 0 {METER_OHM}\n"
    nets = [measured, "3v3", *(["3v3a"] if sheet is ADC else [])]
    circuit = f"{supply(build)}{netlist(chipless, build)}\n{meter}"
    curves = transient(circuit, 1e-4, 1e-5, [f"v({net})" for net in nets])
    return {net: curves[f"v({net})"][0] for net in nets}


def _table(rows: Iterable[Volts]) -> Iterator[str]:
    yield f"| Black on {GROUND}, red on | When | Volts |"
    yield "|---|---|---|"
    for where, when, volts in rows:
        yield f"| {where} | {when} | {volts:.2f} |"
