"""docs/rules/watten.md tells what the code does, completely."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from kloplei.records.reading import read_records
from kloplei.rules.spelling import spelling_of
from kloplei.rules.watten import PRESETS, REASONS, Options
from kloplei.rules.watten.actions import ACTIONS

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "rules" / "watten.md"
TEXT = PAGE.read_text("utf-8")
SECTIONS = dict(
    re.findall(r"^## § (\d+) [^\n]*\n(.*?)(?=^## |\Z)", TEXT, flags=re.MULTILINE | re.DOTALL)
)


@pytest.mark.parametrize("one", fields(Options), ids=lambda one: one.name)
def test_every_option_has_its_line_with_its_default_and_values(one: object) -> None:
    option = next(known for known in fields(Options) if known is one)
    default = spelling_of(option).write(option.default)

    (line,) = re.findall(rf"^\| `{option.name}` \|.*$", SECTIONS["9"], flags=re.MULTILINE)

    assert f"**{default}**" in line
    for word in spelling_of(option).words:
        assert word in line


def test_no_option_is_told_of_that_does_not_exist() -> None:
    told = re.findall(r"^\| `(\w+)` \|.*\*\*", SECTIONS["9"], flags=re.MULTILINE)

    assert told == [one.name for one in fields(Options)]


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_told(preset: str) -> None:
    assert f"| `{preset}` |" in SECTIONS["9"]


@pytest.mark.parametrize("name", [*ACTIONS, *REASONS])
def test_every_action_and_every_reason_is_told(name: str) -> None:
    lines = [line for line in SECTIONS["10"].splitlines() if line.startswith("|")]

    assert any(f"`{name}`" in line.split("|")[1] for line in lines)


@pytest.mark.parametrize("record", list(read_records(str(PAGE))), ids=lambda one: one.id)
def test_the_examples_on_the_page_hold(record: object) -> None:
    assert record.play().difference is None  # type: ignore[attr-defined]


def test_every_paragraph_that_the_code_cites_exists() -> None:
    sources = (ROOT / "firmware" / "kloplei" / "rules" / "watten").glob("*.py")
    cited = {number for source in sources for number in re.findall(r"§ (\d+)", source.read_text())}

    assert cited <= set(SECTIONS)
