"""What hw/troubleshooting.md lets the doctor say, the doctor can say; figures are the settings'."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import kloplei
from kloplei.config.settings import Config
from kloplei.words import Words
from tests.diagnostics.test_words import sentences
from tests.words.sources import catalogue

PAGE = Path(__file__).parents[2] / "hw/troubleshooting.md"
DEVICES = Path(kloplei.__file__).parent / "devices"
SAID = re.compile(r"`([a-z0-9 -]+)`: ((?:\*[^*]+\*(?:, or )?)+)")
FACTS: dict[str, object] = {
    "bus": "1",
    "address": "0x3C",
    "other": "0x3D",
    "n": 2,
    "part": "pad 6",
    "pin": 8,
    "version": "2.0.1.post1",
    "package": "python3-lgpio",
    "device": "mmcblk0p2",
    "errors": 7,
    "holder": "fan.py (200)",
}


def quoted() -> list[tuple[str, str]]:
    """Return part and words for all that the page lets the doctor say."""
    page = PAGE.read_text(encoding="utf-8")
    return [
        (part, words)
        for part, phrases in SAID.findall(page)
        for words in re.findall(r"\*([^*]+)\*", phrases)
    ]


@cache
def sayable() -> tuple[str, ...]:
    """Return all that the doctor says in the words of its catalogue, or of the devices."""
    return tuple(_sayable())


def _sayable() -> Iterator[str]:
    words = Words("en", domain="doctor")
    for key in sentences("en"):
        facts = {**FACTS, "bus": "SPI 0"} if key == "pins.bus" else FACTS
        yield words.say(key, facts)
    for sentence in catalogue("en"):
        if str(sentence.id).startswith(("cause.", "error.", "remedy.")):
            yield Words("en").say(str(sentence.id), FACTS)
    for source in DEVICES.glob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


@pytest.mark.parametrize(("part", "words"), quoted())
def test_what_the_doctor_is_said_to_say_it_says(part: str, words: str) -> None:
    assert any(words in sentence for sentence in sayable()), part


def test_enough_is_quoted_to_find_a_line_by_it() -> None:
    """That the test above looks at something."""
    parts = {part for part, _ in quoted()}

    assert {"i2c", "power", "pins", "piezos", "pin library", "kloplei-table"} <= parts


def test_the_slate_sleeps_as_late_as_is_said() -> None:
    minutes = {20: "twenty"}[round(Config().slate.sleep_after_s / 60)]

    assert f"it sleeps after {minutes} minutes" in PAGE.read_text(encoding="utf-8")


def test_every_symptom_has_a_check_and_a_mend_for_each_cause() -> None:
    """The page is read at a table, with a screwdriver in the other hand."""
    sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    with_table = [one for one in sections if "| Likely | Try | Mend |" in one]
    rows = [line for one in with_table for line in one.splitlines() if line.startswith("| ")]
    cells = [row.strip("|").split(" | ") for row in rows if not row.startswith("| Likely")]

    assert len(with_table) > 12
    assert [row for row in cells if len(row) != 3 or not all(map(str.strip, row))] == []
