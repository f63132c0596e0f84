"""Makes pictures and tables of the circuits: ``make hw``. Look at them, then commit them."""

from pathlib import Path

from hw import parts_table
from hw.front_end import SHEETS
from hw.schematic import draw

FOLDER = Path(__file__).parent / "pictures"


def main() -> None:
    """Draw the circuits, plot what becomes of blows in them, and list their parts."""
    from hw.plots import plot_all  # with matplotlib, which only this needs

    FOLDER.mkdir(exist_ok=True)
    for name, sheet in SHEETS.items():
        draw(sheet, FOLDER / f"piezo-{name}.svg")
    plot_all(FOLDER)
    parts_table.write()


if __name__ == "__main__":
    main()
