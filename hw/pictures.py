"""Makes pictures of wirings and circuits, and tables: ``make hw``. Look at them, then commit."""

from pathlib import Path

from hw import parts_table
from hw.drawings import BUILDS
from hw.drawings import draw as draw_wiring
from hw.front_end import SHEETS
from hw.schematic import draw

FOLDER = Path(__file__).parent / "pictures"


def main() -> None:
    """Draw wirings and circuits, plot what becomes of blows in them, and list their parts."""
    from hw.plots import plot_all  # with matplotlib, which only this needs

    FOLDER.mkdir(exist_ok=True)
    for build in BUILDS:
        draw_wiring(build, FOLDER / f"wiring-{build}.svg")
    for name, sheet in SHEETS.items():
        draw(sheet, FOLDER / f"piezo-{name}.svg")
    plot_all(FOLDER)
    parts_table.write()


if __name__ == "__main__":
    main()
