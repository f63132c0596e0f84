"""The tables of parts in hw/piezo.md, from the circuits themselves."""

from pathlib import Path

from hw.front_end import SHEETS
from hw.marked import filled
from hw.sheet import Sheet

PAGE = Path(__file__).with_name("piezo.md")
_HEAD = "| Part | What | Why |\n|---|---|---|\n"


def table(sheet: Sheet) -> str:
    """Return the parts of *sheet* as a table in Markdown."""
    return _HEAD + "".join(f"| {one.ref} | {one.name} | {one.why} |\n" for one in sheet.parts)


def rewritten(text: str) -> str:
    """Return *text* of the page with its tables as the circuits have them now."""
    for name, sheet in SHEETS.items():
        text = filled(text, f"parts of {name}", table(sheet))
    return text


def write() -> None:
    """Write the tables into the page."""
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
