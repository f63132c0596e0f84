"""The picture of who may know whom shows the layers that `make check` insists on."""

import re
import tomllib
from pathlib import Path

HERE = Path(__file__).parents[2]
PAGE = HERE / "docs/architecture.md"


def drawn() -> list[set[str]]:
    """Return what stands in each line of the picture, the lowest first."""
    picture = PAGE.read_text(encoding="utf-8").partition("## Who may know whom")[2]
    lines = [line.strip() for line in picture.splitlines() if line.startswith("    ")]
    return [set(re.split(r"\s{2,}", line)[0].split(", ")) for line in lines if "^" not in line]


def insisted_on() -> list[set[str]]:
    """Return the layers of the import linter, the lowest first."""
    contracts = tomllib.loads((HERE / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = contracts["contracts"][0]["layers"]
    return [set(re.split(r" [|:] ", one.replace("kloplei.", ""))) for one in reversed(layers)]


def test_every_layer_is_drawn_in_its_place() -> None:
    height = {name: at for at, names in enumerate(drawn()) for name in names}

    heights = [height[name] for names in insisted_on() for name in names & height.keys()]

    assert heights == sorted(heights)


def test_every_part_is_named() -> None:
    page = PAGE.read_text(encoding="utf-8")
    named = set().union(*drawn()) | set(re.findall(r"`([\w.]+)`", page))

    assert set().union(*insisted_on()) - named == set()


def test_every_room_that_is_named_is_there() -> None:
    """A page that names a module which has moved sends the reader to a locked door."""
    parts = HERE / "firmware" / "kloplei", HERE / "webpanel", HERE / "hub"
    rooms = {one.name for part in parts for one in part.rglob("*") if one.is_dir()} - {"debian"}
    named = [
        (page.name, name)
        for page in [*HERE.glob("docs/**/*.md"), HERE / "CONTRIBUTING.md"]
        for name in re.findall(
            r"`(\w+(?:/\w+)+)(?:\.py|\.[A-Z]\w+)?`", page.read_text(encoding="utf-8")
        )
        if name.partition("/")[0] in rooms
    ]

    missing = [
        (page, name)
        for page, name in named
        if not any((part / name).is_dir() or (part / f"{name}.py").exists() for part in parts)
    ]

    assert named
    assert missing == []
