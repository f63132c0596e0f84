"""Makes pictures of wirings, circuits and boards, and tables: ``make hw``.

Look at them, then commit them.
"""

import sys
from pathlib import Path

from hw import (
    bench_slates,
    board_drawing,
    board_page,
    bom_page,
    breadboard,
    coupling,
    header,
    parts_table,
    plan,
)
from hw.drawings import BUILDS, NoPencil, read
from hw.drawings import draw as draw_wiring
from hw.front_end import SHEETS
from hw.layouts import BOARDS
from hw.schematic import draw
from hw.spice import NoSimulator

FOLDER = Path(__file__).parent / "pictures"


def main() -> None:
    """Draw everything, or say in one sentence what is missing for it."""
    try:
        draw_all()
    except (NoPencil, NoSimulator) as error:
        sys.exit(str(error))


def draw_all() -> None:
    """Draw wirings, circuits, boards and slates, plot what becomes of blows, list the parts."""
    FOLDER.mkdir(exist_ok=True)
    for build in BUILDS:
        draw_wiring(build, FOLDER / f"wiring-{build}.svg")
        header.draw(read(build), FOLDER / f"header-{build}.svg")
    for name, sheet in SHEETS.items():
        draw(sheet, FOLDER / f"piezo-{name}.svg")
    for board in BOARDS:
        board_drawing.draw(board, FOLDER)
    bench_slates.draw(FOLDER)
    from hw.plots import plot_all  # with matplotlib, which only this needs

    plot_all(FOLDER)
    breadboard.write()
    parts_table.write()
    plan.write()
    coupling.write()
    bom_page.write()
    board_page.write()


if __name__ == "__main__":
    main()
