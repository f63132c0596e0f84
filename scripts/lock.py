"""Write constraints.txt: which versions an install takes, with the hashes of the files it may take.

``make lock``; what pyproject.toml names anew is added, what it drops goes, and what is pinned stays
as it is. ``make lock ARGS=--upgrade`` takes the newest of all. uv asks the index.
"""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "constraints.txt"
HEAD = """\
# What CI tested, and what every install takes: a file with another hash is refused (`make lock`
# writes this anew). scripts/setup takes the sections it is asked for, scripts/install what is pure
# Python and leaves the compiled rest to Debian, which has it for every Raspberry Pi.
"""
SECTIONS = {
    "panel": "the program and its panel: one file for every machine",
    "uplink": "what carries its evenings to a house",
    "hub": "what the house keeps them with",
    "compiled": "what of it is compiled: one file a machine",
    "build": "what builds it",
    "dev": "what checks it",
    "hw": "what plots its circuits",
    "train": "what learns a knock",
    "voices": "what says its Japanese clips",
    "pi": "pins, where a Raspberry Pi's own packages are not wanted",
    "upkeep": "what looks over and renews these lines",
}
LEFT_OUT = ("bench", "race")  # what others do: compared, and never played with
# Linux and macOS, on what people have; of Linux also the 32 bit of an older Pi.
_MACHINE = re.compile(r"manylinux\w*_(x86_64|aarch64|armv7l)$|macosx\w*_(x86_64|arm64|universal2)$")
_PYTHONS = ("cp311", "cp312", "cp313")


def is_wanted(file: str) -> bool:
    """Return whether somebody's pip would take the wheel *file*."""
    python, abi, machine = file.removesuffix(".whl").split("-")[-3:]
    if machine == "any":
        return "py3" in python.split(".")
    if not _MACHINE.search(machine):
        return False
    if abi == "abi3":
        return all(int(one[3:]) <= 13 for one in python.split("."))
    return abi == "none" or python == abi in _PYTHONS


def hashes(package: Mapping[str, Any]) -> list[str]:
    """Return the hashes of the files of *package* that are taken: its wheels, or its source."""
    wheels = {one["url"].rpartition("/")[2]: one["hash"] for one in package.get("wheels", ())}
    found = sorted(wheels[file] for file in wheels if is_wanted(file))
    return found or [package["sdist"]["hash"]]


def is_pure(package: Mapping[str, Any]) -> bool:
    """Return whether one wheel of *package* serves every machine."""
    return bool(for_every_machine(package)["wheels"])


def for_every_machine(package: Mapping[str, Any]) -> dict[str, Any]:
    """Return *package* without wheels that serve some machines alone: a Pi takes what all take."""
    wheels = [one for one in package.get("wheels", ()) if one["url"].endswith("-none-any.whl")]
    return {**package, "wheels": wheels}


def normal(name: str) -> str:
    """Return *name* as an index spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def sections(project: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each section's name with its lines."""
    lock = tomllib.loads((project / "uv.lock").read_text(encoding="utf-8"))
    files = {(one["name"], one["version"]): one for one in lock["package"]}
    told: set[str] = set()
    compiled: list[str] = []
    for section in SECTIONS:
        if section == "compiled":
            yield section, compiled
            continue
        lines: list[str] = []
        for pin in _uv(project, "export", *_EXPORT, "--extra", section).splitlines():
            if pin in told:
                continue
            told.add(pin)
            name, version = re.match(r"(\S+)==([^\s;]+)", pin).groups()  # type: ignore[union-attr]
            package = files[name, version]
            goes_to = compiled if section == "panel" and not is_pure(package) else lines
            taken = (
                for_every_machine(package) if section == "panel" and is_pure(package) else package
            )
            goes_to.append(" \\\n    ".join([pin, *(f"--hash={one}" for one in hashes(taken))]))
        yield section, lines


_EXPORT = ("--frozen", "--no-hashes", "--no-header", "--no-annotate", "--no-emit-project")


def _uv(project: Path, *command: str) -> str:
    done = subprocess.run(  # noqa: S603 - no word of it comes from outside
        [Path(sys.executable).with_name("uv"), "--quiet", *command],
        cwd=project,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout


def _project(pins: list[str]) -> str:
    """Return a pyproject.toml that wants what ours wants, held to *pins*."""
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = ours["project"]["optional-dependencies"] | {"build": ours["build-system"]["requires"]}
    extras = "\n".join(
        f"{name} = {json.dumps(of)}" for name, of in wanted.items() if name not in LEFT_OUT
    )
    return f"""\
[project]
name = "kloplei"
version = "0"
requires-python = {json.dumps(ours["project"]["requires-python"])}
dependencies = {json.dumps(ours["project"]["dependencies"])}
[project.optional-dependencies]
{extras}
[tool.uv]
constraint-dependencies = {json.dumps(pins)}
"""


def main(*, upgrade: bool) -> None:
    """Write the file anew."""
    pins = re.findall(r"^(\w[^\\\n]*?)(?: \\)?$", KEPT.read_text(encoding="utf-8"), re.MULTILINE)
    with TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "pyproject.toml").write_text(_project([] if upgrade else pins), encoding="utf-8")
        _uv(project, "lock")
        written = [HEAD]
        for name, lines in sections(project):
            written.append("\n".join([f"# [{name}] {SECTIONS[name]}", *lines]) + "\n")
    KEPT.write_text("\n".join(written), encoding="utf-8")


if __name__ == "__main__":
    main(upgrade="--upgrade" in sys.argv[1:])
