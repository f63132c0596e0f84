"""The house stays one to live in; what `make house` holds to stands in pyproject.toml."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scripts.house import House, complaints, measure

ROOT = Path(__file__).parents[1]
RULES: Mapping[str, Any] = {
    "most_modules": 6,
    "longest_module": 10,
    "registries": ["kloplei.cli"],
    "alone": [],
    "circles_of_types": [],
}
PARAGRAPH = '"""What it is for.\n\nWhat comes in, and what goes out.\n"""\n'
SOUND = {
    "__init__.py": PARAGRAPH,
    "cli.py": "from kloplei import one, two, three\n",
    "one.py": "class One: ...\n",
    "two.py": "from kloplei.one import One\n",
    "three.py": "from kloplei.one import One\n",
}


def said(folder: Path, changed: Mapping[str, str], **rules: object) -> list[str]:
    """Return what is said of the sound house with some files *changed*."""
    package = folder / "firmware" / "kloplei"
    for name, text in {**SOUND, **changed}.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    house = House(folder)
    held = {**RULES, **rules}
    return list(complaints(house, held, measure(house, held)))


def test_a_sound_house_is_let_alone(tmp_path: Path) -> None:
    assert said(tmp_path, {}) == []


@pytest.mark.parametrize(
    ("changed", "part"),
    [
        ({"two.py": "class One: ...\n"}, "The class One stands in kloplei.one, kloplei.two"),
        ({"one.py": "import kloplei.two\n"}, "These import each other: kloplei.one, kloplei.two"),
        (
            {"one.py": "if TYPE_CHECKING:\n    import kloplei.two\n"},
            "for their types: kloplei.one, kloplei.two",
        ),
        (
            {"one.py": "def later():\n    from kloplei.two import two\n    return two\n"},
            "These import each other: kloplei.one, kloplei.two",
        ),
        ({"one.py": "\n" * 11}, "kloplei.one has 11 lines"),
        (
            {"four.py": "", "three.py": "from kloplei import four, one\n"},
            "kloplei.four serves kloplei.three alone",
        ),
        ({f"more{n}.py": "" for n in range(3)}, "7 modules: 6 are enough"),
        ({"__init__.py": '"""Shh."""\n'}, "The package kloplei does not tell its shape"),
    ],
)
def test_what_makes_a_maze_of_it_is_told(
    tmp_path: Path, changed: Mapping[str, str], part: str
) -> None:
    assert [one for one in said(tmp_path, changed) if part in one]


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("_four.py", {}),
        ("four.py", {"registries": ["kloplei.cli", "kloplei.three"]}),
        ("four.py", {"alone": ["kloplei.four"]}),
    ],
    ids=["a private part", "one that a registry lists", "one with a reason"],
)
def test_some_may_serve_one_alone(tmp_path: Path, name: str, rules: Mapping[str, object]) -> None:
    changed = {name: "", "three.py": f"from kloplei import {name[:-3]}, one\n"}

    assert said(tmp_path, changed, **rules) == []


def test_a_reason_that_is_none_any_more_is_told(tmp_path: Path) -> None:
    assert "kloplei.one is not alone any more" in said(tmp_path, {}, alone=["kloplei.one"])[0]


def test_neither_comments_nor_the_paragraph_of_a_package_count_as_lines(tmp_path: Path) -> None:
    said(tmp_path, {"one.py": "# Why.\nclass One: ...  # a remark counts\n"})

    modules = House(tmp_path).modules

    assert modules["kloplei.one"].counted_lines == 1
    assert modules["kloplei"].counted_lines == 0


def test_this_house_is_one_to_live_in() -> None:
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["kloplei"]["house"]
    house = House(ROOT)

    assert list(complaints(house, rules, measure(house, rules))) == []
