"""docs/doctor.md tells of every part that the doctor has a word for, and of no other."""

import re
from pathlib import Path

from kloplei.words import Words
from tests.diagnostics.test_words import sentences

PAGE = Path(__file__).parents[2] / "docs/doctor.md"
OF_DEVICES = {"pad", "button", "piezo", "lamp", "ring", "buzzer", "tuning", "units"}
"""They have a number, or tell of themselves in words of their own."""


def test_every_part_has_its_line() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("## What each line says")[2]
    lines = [line for line in table.splitlines() if line.startswith("| `")]
    told = {part for line in lines for part in re.findall(r"`([^`]+)`", line.split("|")[1])}

    named = {key.removeprefix("part.") for key in sentences("en") if key.startswith("part.")}

    assert named - OF_DEVICES <= told
    assert {re.sub(r" \d$", "", part) for part in told} - named == {"part", "state", "key"} | {
        "says",
        "step",
    }


def test_a_part_with_a_number_has_a_word_as_well() -> None:
    assert Words("de", domain="doctor").name("part", "pad 3") == "Pad 3"
