"""Makes the pictures of hw/: ``make hw``. Look at them before they are committed."""

from pathlib import Path

from hw.front_end import SHEETS
from hw.schematic import draw

FOLDER = Path(__file__).parent / "pictures"


def main() -> None:
    """Draw the circuits."""
    FOLDER.mkdir(exist_ok=True)
    for name, sheet in SHEETS.items():
        draw(sheet, FOLDER / f"piezo-{name}.svg")


if __name__ == "__main__":
    main()
