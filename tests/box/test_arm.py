"""The package on the processors of a Raspberry Pi, emulated: it unpacks, imports and reckons.

What Debian has for these machines is unpacked and not set up, which takes seconds instead of the
better part of an hour; nothing boots, and no pin is there.
"""

import os
import subprocess
from pathlib import Path

import pytest

import kloplei
from tests.box.trees import RELEASES, unpacked_tree

MACHINES = {"arm64": "aarch64", "armhf": "armv7l"}
RECORDS = Path(__file__).parents[1] / "games/examples"
_IMPORTS = """
import sys; sys.path.insert(0, "/usr/share/kloplei")
import platform, gpiozero, luma.oled.device, PIL.Image, cbor2, yaml, spidev, flask, waitress, segno
import kloplei.unit, kloplei.devices.box, kloplei_panel.app, kloplei_panel.server
from importlib.metadata import version
print(platform.machine(), version("gpiozero"), gpiozero.__file__)
"""


@pytest.fixture(scope="module", params=[(r, m) for r in RELEASES for m in MACHINES], ids="-".join)
def pi(
    request: pytest.FixtureRequest, package: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str]:
    """A folder with the package in it and all that it asks for, and the machine it is for."""
    release, machine = request.param
    tree = unpacked_tree(release, machine, package)
    subprocess.run(["dpkg-deb", "-x", package, tree], check=True)
    return tree, MACHINES[machine]


def run(tree: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    # Debian 13 signs return addresses, which qemu checks by the book or, told so, in no time.
    quick = {"QEMU_CPU": "max,pauth-impdef=on"} if tree.name.endswith("arm64") else {}
    return subprocess.run(
        ["chroot", str(tree), *command], env=os.environ | quick, capture_output=True, text=True
    )


def test_all_of_it_imports_with_the_gpiozero_that_it_carries(pi: tuple[Path, str]) -> None:
    tree, machine = pi

    told = run(tree, "/usr/bin/python3", "-I", "-c", _IMPORTS)

    assert told.stdout.split() == [
        machine,
        "2.0.1.post3",
        "/usr/share/kloplei/gpiozero/__init__.py",
    ], told.stderr


def test_the_command_runs(pi: tuple[Path, str]) -> None:
    tree, _ = pi

    assert run(tree, "/usr/bin/kloplei", "--version").stdout == f"kloplei {kloplei.__version__}\n"


def test_written_records_play_as_they_should(pi: tuple[Path, str]) -> None:
    tree, _ = pi
    # A file a game; those of house rules take emulation minutes, and reckon no differently.
    records = [one for one in sorted(RECORDS.glob("*.yaml")) if "_" not in one.stem]
    assert records

    for record in records:
        (tree / "srv" / record.name).write_bytes(record.read_bytes())
    told = run(tree, "/usr/bin/kloplei", "replay", *(f"/srv/{one.name}" for one in records))

    assert told.returncode == 0, (told.stdout, told.stderr)
    assert " records hold" in told.stdout


def test_a_slate_is_drawn_and_kept_for_the_end(pi: tuple[Path, str]) -> None:
    tree, _ = pi

    told = run(tree, "/usr/bin/kloplei", "halt", "--prepare", "--file", "/srv/last-word")

    assert told.returncode == 0, told.stderr
    assert b"strokes" in (tree / "srv/last-word").read_bytes()
