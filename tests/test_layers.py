"""Imports run one way; the contracts themselves stand in pyproject.toml."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")
SOURCES = sorted([*ROOT.glob("firmware/**/*.py"), *ROOT.glob("webpanel/**/*.py")])


def lint(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(LINT_IMPORTS), "--no-cache", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_import_runs_against_the_layers() -> None:
    done = lint()

    assert done.returncode == 0, done.stdout


def test_an_upside_down_house_is_noticed(tmp_path: Path) -> None:
    upside_down = tmp_path / "importlinter.ini"
    upside_down.write_text(
        "[importlinter]\nroot_packages = kloplei\n"
        "[importlinter:contract:1]\nname = upside down\ntype = layers\n"
        "layers =\n    kloplei.games\n    kloplei.table\n"
    )

    done = lint("--config", str(upside_down))

    assert done.returncode != 0, done.stdout


def test_every_part_of_the_box_has_its_layer() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = " ".join(contracts["contracts"][0]["layers"])
    parts = {
        path.stem if path.is_file() else path.name
        for path in (ROOT / "firmware/kloplei").iterdir()
        if path.suffix == ".py" or (path.is_dir() and any(path.glob("*.py")))
    }

    assert {
        part for part in parts - {"__init__", "__main__"} if f"kloplei.{part}" not in layers
    } == set()


def test_folders_are_never_import_names() -> None:
    wrong = re.compile(r"^\s*(from|import)\s+(firmware|webpanel)\b", re.MULTILINE)

    assert SOURCES
    assert [str(one) for one in SOURCES if wrong.search(one.read_text())] == []


@pytest.mark.parametrize("part", ["games", "knock"])
def test_rules_and_ears_never_ask_for_the_time_or_for_luck(part: str) -> None:
    asks = re.compile(
        r"^\s*(from|import)\s+(time|random|datetime|socket|threading|secrets)\b", re.MULTILINE
    )
    guilty = [
        path.name
        for path in (ROOT / "firmware/kloplei" / part).rglob("*.py")
        if asks.search(path.read_text())
    ]

    assert guilty == []
