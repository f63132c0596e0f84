"""constraints.txt: all that is installed is pinned, and a file that nobody knows is refused."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.lock import KEPT, LEFT_OUT, SECTIONS, is_wanted

HERE = Path(__file__).parents[1]
SHELL = ("sh", "env", "dirname", "awk", "grep", "tr", "mktemp", "cat", "rm", "touch")
PIP = """#!/bin/sh
echo "pip $*" >>"$SAID"
for one; do [ "${one#/}" = "$one" ] || cat "$one" >>"$SAID"; done
"""


def pinned(*sections: str) -> list[tuple[Requirement, list[str]]]:
    """Return what the installs take of *sections*, with its hashes."""
    told = subprocess.run(
        [HERE / "scripts/setup", "pinned", *sections], capture_output=True, text=True, check=True
    ).stdout
    lines = told.replace("\\\n", " ").splitlines()
    return [
        (Requirement(line.partition(" --hash")[0]), re.findall(r"--hash=(\S+)", line))
        for line in lines
    ]


def test_every_line_names_one_version_and_the_files_that_may_be_it() -> None:
    lines = pinned(*SECTIONS)

    assert len(lines) == len(re.findall(r"^\w", KEPT.read_text(), re.MULTILINE)) > 100
    for requirement, hashes in lines:
        assert re.fullmatch(r"==[^,*]+", str(requirement.specifier)), requirement
        assert hashes, requirement
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", one) for one in hashes), requirement


def test_all_that_we_ask_for_is_there_in_a_version_that_we_ask_for() -> None:
    ours = tomllib.loads((HERE / "pyproject.toml").read_text())
    asked = ours["project"]["optional-dependencies"] | {"build": ours["build-system"]["requires"]}
    asked["panel"] = [*asked["panel"], *ours["project"]["dependencies"]]

    for extra in asked.keys() - set(LEFT_OUT):
        there = pinned("panel", "uplink", "compiled", "build", "hub", "dev", extra)
        for wanted in map(Requirement, asked[extra]):
            versions = [
                str(one.specifier).removeprefix("==")
                for one, _ in there
                if canonicalize_name(one.name) == canonicalize_name(wanted.name)
            ]
            assert versions, f"{wanted}: make lock"
            assert all(map(wanted.specifier.contains, versions)), f"{wanted}: make lock"


def test_what_a_pi_takes_from_pypi_is_one_file_for_every_pi() -> None:
    assert {len(hashes) for _, hashes in pinned("panel", "build")} == {1}


def test_the_package_carries_what_everybody_else_installs() -> None:
    carried = (HERE / "packaging/carried.txt").read_text()
    known = {(str(one.specifier), *hashes) for one, hashes in pinned("panel", "uplink")}

    for version, file in re.findall(r"^[\w.-]+(==\S+) \\\n +--hash=(\S+)$", carried, re.MULTILINE):
        assert (version, file) in known


@pytest.mark.parametrize(
    ("file", "wanted"),
    [
        ("a-1-py3-none-any.whl", True),
        ("a-1-py2.py3-none-any.whl", True),
        ("a-1-py2-none-any.whl", False),
        ("a-1-cp311-cp311-manylinux_2_17_aarch64.manylinux2014_aarch64.whl", True),
        ("a-1-cp313-cp313-manylinux_2_31_armv7l.whl", True),
        ("a-1-cp312-abi3-manylinux_2_28_x86_64.whl", True),
        ("a-1-cp314-abi3-manylinux_2_28_x86_64.whl", False),
        ("a-1-cp313-cp313t-manylinux_2_28_x86_64.whl", False),
        ("a-1-cp312-cp312-macosx_11_0_arm64.whl", True),
        ("a-1-cp312-cp312-win_amd64.whl", False),
        ("a-1-py3-none-manylinux_2_28_x86_64.whl", True),
    ],
)
def test_wheels_that_somebody_would_be_given_are_known(file: str, wanted: bool) -> None:
    """`cp312-abi3` serves 3.13 as well; left out, pip refused the very file it had chosen."""
    assert is_wanted(file) is wanted


@pytest.mark.parametrize("platform", ["linux-x86_64", "linux-aarch64", "linux-armv7l"])
def test_an_environment_is_filled_with_files_whose_hashes_are_known(
    platform: str, tmp_path: Path
) -> None:
    """All but those that a Pi of 32 bit has from its own index; our own sources are no file."""
    said, venv = tmp_path / "said", tmp_path / "venv/bin"
    venv.mkdir(parents=True)
    for name in SHELL:
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    programs = {"python3": "exit 0", "venv/bin/python": f"echo {platform}", "venv/bin/pip": PIP}
    for name, script in programs.items():
        (tmp_path / name).write_text(script if script[0] == "#" else f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    env = {"PATH": str(tmp_path), "SAID": str(said), "VENV": str(venv.parent), "TMPDIR": "/tmp"}

    subprocess.run([HERE / "scripts/setup", "venv", "panel,dev"], env=env, check=True, timeout=60)

    *before, checked, own = [
        block.partition("\n")[::2] for block in said.read_text().split("pip install")[1:]
    ]
    assert "--require-hashes" in checked[0]
    assert own[0].endswith("--no-deps --no-build-isolation --editable .")
    assert ["pytest==" in checked[1], "uv==" in checked[1]] == [True, False]
    bare = re.findall(r"^\w\S+==\S+$", "".join(text for _, text in before), re.MULTILINE)
    compiled = [f"{one.name}{one.specifier}" for one, _ in pinned("compiled")]
    assert bare == (compiled if platform == "linux-armv7l" else [])
    assert ("pillow==" in checked[1]) == (platform != "linux-armv7l")


@pytest.mark.whole
def test_a_strangers_file_is_refused_and_beside_ours_it_is_left_alone(tmp_path: Path) -> None:
    """Raspberry Pi's own index offers wheels of the same name and version, built anew."""
    ours, theirs = (_index(tmp_path / name, name) for name in ("ours", "theirs"))
    known = hashlib.sha256((ours.parent / WHEEL).read_bytes()).hexdigest()
    (tmp_path / "wanted").write_text(f"kloplei-test==1 --hash=sha256:{known}\n")

    refused = _download(tmp_path, theirs)
    taken = _download(tmp_path, theirs, ours)

    assert refused.returncode != 0
    assert "DO NOT MATCH THE HASHES" in refused.stderr
    assert taken.returncode == 0, taken.stderr
    got = (tmp_path / "got" / WHEEL).read_bytes()
    assert hashlib.sha256(got).hexdigest() == known


WHEEL = "kloplei_test-1-py3-none-any.whl"


def _index(folder: Path, text: str) -> Path:
    """Return the page of an index that offers a wheel with *text* in it, and says its hash."""
    folder.mkdir()
    with zipfile.ZipFile(folder / WHEEL, "w") as wheel:
        wheel.writestr("kloplei_test.py", text)
        about = "kloplei_test-1.dist-info"
        wheel.writestr(
            f"{about}/METADATA", "Metadata-Version: 2.1\nName: kloplei-test\nVersion: 1\n"
        )
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    digest = hashlib.sha256((folder / WHEEL).read_bytes()).hexdigest()
    page = folder / "index.html"
    page.write_text(f'<!DOCTYPE html><a href="{WHEEL}#sha256={digest}">{WHEEL}</a>')
    return page


def _download(folder: Path, *pages: Path) -> "subprocess.CompletedProcess[str]":
    pip = (sys.executable, "-m", "pip", "--isolated", "download", "--no-cache-dir", "--no-index")
    wanted = ("--no-deps", "--require-hashes", "--requirement", folder / "wanted")
    links = [f"--find-links={page}" for page in pages]
    return subprocess.run(
        [*pip, *wanted, *links, "--dest", folder / "got"],
        env=os.environ | {"PIP_CONFIG_FILE": os.devnull},
        capture_output=True,
        text=True,
    )
