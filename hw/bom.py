"""What to buy for each build: counted in the drawings, the circuits and the page of the case.

No quantity stands here or in hw/bom.toml, which only says what the parts are for.
"""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hw import plan
from hw.board import Board
from hw.drawings import BUILDS, read
from hw.footprints import CHIP_8, CLAMP, PITCH
from hw.front_end import ADC, GAIN, PAD
from hw.hands import BUTTON
from hw.layouts import FOUR_BUTTONS, FOUR_STAGES
from hw.sheet import Sheet

HERE = Path(__file__).parent
CASE = HERE / "case/README.md"
CIRCUITS = {"full": ADC, "pads": PAD}
PUCK, BOARD = "puck with its disc", "strip board of 64 x 95 mm"
IN_THE_CASE = ("pads", "full")

OPTIONAL = {FOUR_STAGES.name: (FOUR_STAGES, GAIN), FOUR_BUTTONS.name: (FOUR_BUTTONS, BUTTON)}
"""Boards that no drawing has, with the circuit that is on each of them."""

LINKED = {"JP3"}
"""Links on optional boards that take the place of what is fitted here."""

ONCE = {"full": frozenset({"C5", "C6", "R4", "R5"}), "pads": frozenset[str]()}
"""Parts of a circuit that serve all of its channels (hw/piezo.md)."""

OF_THE_DRAWINGS = {
    "push button": "push button, sealed, for a hole of 12 mm",
    "passive buzzer": "passive buzzer",
}
"""How lines of the case's page begin that say what fits of a part, and its name in the drawings."""

_HALF = " (half)"
_CUT_OFF_M = 0.01  # what sticks out below at both ends of a link
_TO_A_BOARD_M = 0.08  # a flexible wire from one board to the next
_LENGTH = re.compile(r", \d+ cm$")
_SHARES = {"puck": PUCK, "disc": PUCK, "board": BOARD}
_EACH = re.compile(r"(\d+|some)(?: a (puck|disc|board)| each)?$")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list.

    *quantities* are by build, with their unit, and left out where it takes none; *each* says how
    many of them a channel takes.
    """

    section: str
    name: str
    quantities: Mapping[str, str]
    detail: str  # what to ask for, where it sits in the circuit, or its file
    why: str
    instead: str = ""
    each: str = ""


def drawn_rows() -> Iterator[Row]:
    """Yield what the drawings need, in the order of hw/bom.toml.

    Raises:
        KeyError: A drawing needs what hw/bom.toml does not know.
    """
    counted = {build: _counted(build) for build in BUILDS}
    named = {name for one in counted.values() for name, _ in one}
    told = {str(one["name"]): one for one in _told()}
    for missing in {_LENGTH.sub("", name) for name in named} - set(told):
        raise KeyError(f"hw/bom.toml has no part {missing!r}, which hw/wiring/ needs")
    for name, about in told.items():
        for own in sorted(one for one in named if _LENGTH.sub("", one) == name):
            quantities = {
                build: _shown(amount, unit)
                for build, items in counted.items()
                for (item, unit), amount in items.items()
                if item == own
            }
            detail, why, instead = (about[one] for one in ("typical", "why", "instead"))
            yield Row(about["section"], own, quantities, detail, why, instead)


def soldered_rows(build: str) -> Iterator[Row]:
    """Yield the parts of the circuit of *build*, for all its channels together."""
    sheet, channels = CIRCUITS[build], count(build, PUCK)
    for name, refs in _by_name(sheet).items():
        pieces = sum(1 if ref in ONCE[build] else channels for ref in refs)
        if name.endswith(_HALF):
            pieces //= 2
        yield Row(
            build,
            name.removesuffix(_HALF),
            {build: str(pieces)},
            detail=", ".join(refs),
            why=_reasons([sheet.part(ref).why for ref in refs]),
            each=_rate(refs, ONCE[build], name),
        )


def optional_rows(board: str) -> Iterator[Row]:
    """Yield what a whole optional *board* takes, by its name."""
    drawn, sheet = OPTIONAL[board]
    for name, refs in _by_name(sheet).items():
        if pieces := _placed(drawn, refs):
            why = _reasons([sheet.part(ref).why for ref in refs])
            bought = name.removesuffix(_HALF)
            yield Row(board, bought, {board: str(pieces)}, ", ".join(refs), why)
    for name, (amount, unit, why) in _of_the_board(drawn).items():
        if amount:
            yield Row(board, name, {board: _shown(round(amount, 1), unit)}, "", why)


def _placed(board: Board, refs: list[str]) -> int:
    """Return how many of the parts *refs* are bought for *board*, two amplifiers in a chip."""
    bought = {ref.removesuffix("A") for ref in refs} - LINKED
    return sum(put.ref in bought for put in board.parts)


def _of_the_board(board: Board) -> Mapping[str, tuple[float, str, str]]:
    """Return what *board* takes beside the parts of its circuit: how much, its unit and why."""
    stand = Counter(put.footprint.name for put in board.parts)
    spans = [one.end.strip - one.begin.strip for one in board.links]
    wires = {put.ref: len(put.legs) for put in board.parts}
    links_m = sum(span * PITCH / 1000 + _CUT_OFF_M for span in spans)
    return {
        "push button": (stand[CLAMP.name], "", "one a clamp, on two thin wires, twisted"),
        CLAMP.name: (stand[CLAMP.name], "", "the two wires from each button"),
        "DIP-8 socket": (stand[CHIP_8.name], "", "one a chip"),
        BOARD: (1, "", "sawn as the others are"),
        "tinned wire, 0.6 mm": (links_m, "m", "links"),
        "flexible wire, 0.14 mm2": (wires.get("J3", 0) * _TO_A_BOARD_M, "m", "J3, 8 cm each"),
        "jumper wire, female to female, 15 cm": (wires.get("J2", 0), "", "J2, to the Pi"),
    }


def case_rows() -> Iterator[Row]:
    """Yield prints and screws of the page of the case, but for parts that the drawings have."""
    for row in _table("| Part | File |"):
        yield Row("prints", row["Part"], _of_the_case(row["Prints"]), row["File"], row["For"])
    grams = {build: f"{_plastic_g(build):.0f} g" for build in IN_THE_CASE}
    why = "all of these prints, for a Zero 2 W; the box of a large Pi takes some 20 g more"
    yield Row("prints", "plastic", grams, "PETG", why)
    for row in _table("| Quantity | What |"):
        if not _is_drawn(row["What"]):
            yield Row("screws", row["What"], _of_the_case(row["Quantity"]), "", row["Where"])


def count(build: str, name: str) -> int:
    """Return how many pieces of *name* the drawing of *build* has."""
    return round(sum(item.quantity for item in read(build).items() if item.name == name))


def drawn_in_the_case() -> tuple[str, ...]:
    """Return what the page of the case names although the drawings have it."""
    return tuple(row["What"] for row in _table("| Quantity | What |") if _is_drawn(row["What"]))


def _plastic_g(build: str) -> float:
    """Return what a slicer counts for the case of *build* and all of its pucks."""
    pieces = {**plan.PRINTED[plan.ZERO], "puck-27": count(build, PUCK)}
    return sum(plan.taken(name, many)[1] for name, many in pieces.items())


def _counted(build: str) -> Mapping[tuple[str, str], float]:
    """Return how much of each name and unit the drawing of *build* has."""
    amounts: dict[tuple[str, str], float] = defaultdict(float)
    for item in read(build).items():
        amounts[item.name, item.unit] += item.quantity
    return amounts


def _told() -> list[dict[str, str]]:
    parts: list[dict[str, str]] = tomllib.loads((HERE / "bom.toml").read_text("utf-8"))["part"]
    return parts


def _by_name(sheet: Sheet) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for part in sheet.parts:
        found.setdefault(part.name, []).append(part.ref)
    return found


def _reasons(whys: list[str]) -> str:
    """Return *whys* as one, without those that only point to another."""
    own = [why for why in whys if not why.startswith("as ")]
    return "; ".join(own or whys[:1])


def _rate(refs: list[str], once: frozenset[str], name: str) -> str:
    """Return how many of *refs* go to a channel, and how many serve all."""
    shared = sum(ref in once for ref in refs)
    own = len(refs) - shared
    if name.endswith(_HALF):
        own //= 2
    return " and ".join([str(own)] * (own > 0) + [f"{shared} for all"] * (shared > 0))


def _of_the_case(quantity: str) -> Mapping[str, str]:
    """Return how many a build takes, where the page says so many, or so many a puck."""
    said = _EACH.match(quantity)
    if said is None:
        raise ValueError(f"{CASE}: nobody understands the quantity {quantity!r}")
    number, share = said.groups()
    if number == "some":
        return dict.fromkeys(IN_THE_CASE, number)
    times = {build: count(build, _SHARES[share]) if share else 1 for build in IN_THE_CASE}
    return {build: str(int(number) * times[build]) for build in IN_THE_CASE}


def _is_drawn(what: str) -> bool:
    return what.startswith(tuple(OF_THE_DRAWINGS))


def _table(head: str) -> Iterator[dict[str, str]]:
    """Yield the rows of the table of the case's page that begins with *head*, by column."""
    lines = iter(CASE.read_text(encoding="utf-8").splitlines())
    columns = next(_cells(line) for line in lines if line.startswith(head))
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        yield dict(zip(columns, _cells(line), strict=True))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _shown(amount: float, unit: str) -> str:
    return f"{amount:g} {unit}".strip()
