"""The page of each game in docs/rules tells what the code does, completely."""

import re
from collections.abc import Iterable
from dataclasses import Field, dataclass, fields
from pathlib import Path
from typing import Any

import pytest

from kloplei.games import eenendertigen, tarok, toepen, watten
from kloplei.games.catalogue import GAMES
from kloplei.games.house_rules import spelling_of
from kloplei.replay.reader import read_records

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Page:
    """The page of *game*, and which of its sections tell of house rules, actions and reasons."""

    name: str
    options: type[Any]
    presets: Iterable[str]
    words: tuple[str, ...]  # of actions and reasons
    house_rules: str
    journal: tuple[str, ...]

    @property
    def path(self) -> Path:
        return ROOT / "docs" / "rules" / f"{self.name}.md"

    @property
    def sections(self) -> dict[str, str]:
        headed = r"^## § (\d+) [^\n]*\n(.*?)(?=^## |\Z)"
        text = self.path.read_text("utf-8")
        return dict(re.findall(headed, text, flags=re.MULTILINE | re.DOTALL))


PAGES = (
    Page(
        "toepen",
        toepen.Options,
        toepen.PRESETS,
        (*toepen.actions.ACTIONS, *toepen.REASONS),
        house_rules="8",
        journal=("12",),
    ),
    Page(
        "watten",
        watten.Options,
        watten.PRESETS,
        (*watten.actions.ACTIONS, *watten.REASONS),
        house_rules="9",
        journal=("10",),
    ),
    Page(
        "tarok",
        tarok.Options,
        tarok.PRESETS,
        (*tarok.Tarok.actions, *tarok.REASONS),
        house_rules="8",
        journal=("9", "10"),
    ),
    Page(
        "eenendertigen",
        eenendertigen.Options,
        eenendertigen.PRESETS,
        (*GAMES["eenendertigen"].actions, *eenendertigen.REASONS),
        house_rules="7",
        journal=("8",),
    ),
)


def test_every_game_has_its_page() -> None:
    assert [page.name for page in PAGES] == list(GAMES)


each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def is_told(option: Field[Any], rules: str) -> bool:
    """Return whether *option* has its one line in *rules*, with its default and its values."""
    spelling = spelling_of(option)
    lines = re.findall(rf"^\| `{option.name}` \|.*$", rules, flags=re.MULTILINE)
    words = (f"**{spelling.write(option.default)}**", *spelling.words)
    return len(lines) == 1 and all(word in lines[0] for word in words)


@each_page
def test_every_option_has_its_line_with_its_default_and_values(page: Page) -> None:
    rules = page.sections[page.house_rules]

    assert [one.name for one in fields(page.options) if not is_told(one, rules)] == []


@each_page
def test_no_option_is_told_of_that_does_not_exist(page: Page) -> None:
    rules = page.sections[page.house_rules]
    told = re.findall(r"^\| `(\w+)` \|.*\*\*", rules, flags=re.MULTILINE)

    assert told == [one.name for one in fields(page.options)]


@each_page
def test_every_preset_is_told(page: Page) -> None:
    rules = page.sections[page.house_rules]

    assert [one for one in page.presets if f"| `{one}` |" not in rules] == []


@each_page
def test_every_action_and_every_reason_is_told(page: Page) -> None:
    told_of = "\n".join(page.sections[number] for number in page.journal)
    told = [line.split("|")[1] for line in told_of.splitlines() if line.startswith("|")]

    assert [one for one in page.words if not any(f"`{one}`" in cell for cell in told)] == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("docs/rules/*.md")), ids=lambda path: path.stem)
def test_the_examples_on_the_page_hold(path: Path) -> None:
    records: list[Any] = list(read_records(str(path)))
    played = {record.id: record.play().difference for record in records}

    assert played
    assert {name: wrong for name, wrong in played.items() if wrong is not None} == {}


@each_page
def test_every_paragraph_that_the_code_cites_exists(page: Page) -> None:
    sources = (ROOT / "firmware" / "kloplei" / "games" / page.name).glob("*.py")
    cited = {number for source in sources for number in re.findall(r"§ (\d+)", source.read_text())}

    assert cited <= set(page.sections)
