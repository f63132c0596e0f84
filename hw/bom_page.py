"""Writes what `hw.bom` counts: the page hw/bom.md, and a CSV for shops and spreadsheets."""

import csv
from collections.abc import Iterable
from pathlib import Path

from hw import prices
from hw.bom import (
    IN_THE_CASE,
    OPTIONAL,
    Row,
    case_rows,
    drawn_rows,
    optional_rows,
    soldered_rows,
)
from hw.drawings import BUILDS

HERE = Path(__file__).parent
PAGE = HERE / "bom.md"
CSV = HERE / "built/bom.csv"

_TITLES = {"box": "The box", "wires": "Wires and clamps", "boards": "Boards and pucks"}
_HEAD = """# What to buy

Revision A. `make hw` counts this page together from the [wirings](wiring), the [circuits](piezo.md) and the [case](case/README.md):
what is wrong here is wrong there.

| Build | Is | Drawing | Settings |
|---|---|---|---|
| easy | four buttons and an OLED on a breadboard; nothing is soldered | [picture](pictures/wiring-easy.svg) | [easy.toml](wiring/easy.toml) |
| pads | an OLED, eight pads, the case; with fewer seats fewer pads, and more than four do [not go into the case](board.md) | [picture](pictures/wiring-pads.svg) | [pads.toml](wiring/pads.toml) |
| full | eight bare piezos on a converter, OLED, lamp, buzzer, off button, the case | [picture](pictures/wiring-full.svg) | [full.toml](wiring/full.toml) |

Single wires are counted by the piece, cable by the metre. Names are typical ones: any maker's will do unless a line says otherwise.
"""  # noqa: E501
_SOLDERED = """
Values that differ from these were not simulated: what may stand in for a part is in its name.
Discs and the resistors that go into the pucks are among them.
"""
_PRINTED = """
For pads and full build; what a puck takes is counted for eight.
"""
_COSTS = """
In euro, estimated by us in {date} from what shops in the EU ask, tax included and postage not; nobody's offer. Each line below has its range, and a build costs the sum of its lines.
What is sold by the bag or reel counts with what is used of it, so a first order costs more. Tools and a printer are not among it; a Pi that you have is.
"""  # noqa: E501
_OPTIONAL = """
Boards that no build above counts, each in whole. Nothing is missing where one is left out.
"""
_EACH_OPTIONAL = {
    "gain": """
For the full build on a table that the [level card](../docs/doctor.md#the-level-card) calls *faint* though every disc is glued:
[when, and where it goes](piezo.md#gain-stage); [how to solder it](board.md#four-gain-stages). In all {least} to {most} EUR.
""",  # noqa: E501
    "buttons": """
For pads or full build at a table that plays Watten or Tarok at its own seats: [how to solder it](board.md#four-buttons), and [which pins](../docs/config.md#pins-of-a-new-box).
For one or two buttons the resistor and the 100 nF are soldered to the button itself. In all {least} to {most} EUR with the buttons and their P6KE6.8CA, without the wires to the seats.
""",  # noqa: E501
}


def page() -> str:
    """Return the page in Markdown."""
    drawn = list(drawn_rows())
    parts = [_HEAD, f"\n## What it costs\n{_COSTS.format(date=prices.estimated())}\n", _costs()]
    for section, title in _TITLES.items():
        parts += [f"\n## {title}\n\n", _drawn_table(one for one in drawn if one.section == section)]
    for build, title in (("full", "front-end boards, full"), ("pads", "pad boards, pad")):
        parts += [f"\n## On the {title} build\n{_SOLDERED}\n", _soldered_table(build)]
    parts += [f"\n## The printed case\n{_PRINTED}\n", _case_table()]
    parts += [f"\n## Optional\n{_OPTIONAL}", *map(_optional, OPTIONAL)]
    return "".join(parts)


def _optional(board: str) -> str:
    rows = list(optional_rows(board))
    euro = prices.total(rows, board)
    title, about = OPTIONAL[board][0].title, _EACH_OPTIONAL[board]
    costs = about.format(least=f"{euro.least:.0f}", most=f"{euro.most:.0f}")
    table = _table(
        ("Part", "In the circuit", "In all", "EUR each", "For"),
        ((row.name, row.detail, row.quantities[board], _each(row), row.why) for row in rows),
    )
    return f"\n### {title}\n{costs}\n{table}"


def write() -> None:
    """Write the page, and the CSV beside what is built."""
    PAGE.write_text(page(), encoding="utf-8")
    CSV.parent.mkdir(exist_ok=True)
    with CSV.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        columns = [*BUILDS, *OPTIONAL]
        head = ["section", "part", *columns, "detail", "instead", "for", "EUR from", "EUR to"]
        lines.writerow(head)
        for row in all_rows():
            quantities = [row.quantities.get(build, "") for build in columns]
            euro = prices.each(row)
            about = (row.detail, row.instead, row.why, euro.least, euro.most)
            lines.writerow([row.section, row.name, *quantities, *about])


def all_rows() -> list[Row]:
    """Return every row of the list."""
    soldered = (row for build in ("full", "pads") for row in soldered_rows(build))
    optional = (row for board in OPTIONAL for row in optional_rows(board))
    return [*drawn_rows(), *soldered, *case_rows(), *optional]


def _drawn_table(rows: Iterable[Row]) -> str:
    head = ("Part", "Typical", "Easy", "Pads", "Full", "EUR each", "Instead", "For")
    return _table(
        head,
        (
            (row.name, row.detail, *_amounts(row, BUILDS), _each(row), row.instead, row.why)
            for row in rows
        ),
    )


def _soldered_table(build: str) -> str:
    rows = soldered_rows(build)
    return _table(
        (
            "Part",
            "In the circuit",
            "A channel" if build == "full" else "A pad",
            "In all",
            "EUR each",
            "For",
        ),
        (
            (row.name, row.detail, row.each, row.quantities[build], _each(row), row.why)
            for row in rows
        ),
    )


def _case_table() -> str:
    return _table(
        ("Part", "File", "Pads", "Full", "EUR each", "For"),
        (
            (row.name, row.detail, *_amounts(row, IN_THE_CASE), _each(row), row.why)
            for row in case_rows()
        ),
    )


def _costs() -> str:
    totals = {build: prices.total(all_rows(), build) for build in BUILDS}
    return _table(
        ("Build", "From", "To"),
        (
            (build, f"{euro.least:.0f} EUR", f"{euro.most:.0f} EUR")
            for build, euro in totals.items()
        ),
    )


def _each(row: Row) -> str:
    """Return what one costs; what is put together of other lines has no price of its own."""
    euro = prices.each(row)
    return f"{euro.least:g} to {euro.most:g}" if euro.most else "in its parts"


def _amounts(row: Row, builds: Iterable[str]) -> list[str]:
    return [row.quantities.get(build, "-") for build in builds]


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head), *([cell or "-" for cell in row] for row in rows)]
    top, *rest = (f"| {' | '.join(line)} |\n" for line in lines)
    return f"{top}|{'---|' * len(lines[0])}\n{''.join(rest)}"


if __name__ == "__main__":
    write()
