"""`scripts/install` on a bare Debian: both units come up, and all of it goes away again."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.box.machine import Machine, eventually
from tests.box.trees import RELEASES, booted_tree
from tests.packaging.conftest import HERE

SOURCES = "CHANGELOG.md LICENSE README.md pyproject.toml hatch_build.py constraints.txt"
FOLDERS = "firmware packaging scripts systemd webpanel"
UNITS = ("kloplei-table", "kloplei-panel", "kloplei-halt")
UPLINK = "kloplei-uplink"


@pytest.fixture(params=RELEASES)
def box(request: pytest.FixtureRequest, package: Path, tmp_path: Path) -> Iterator[Machine]:
    """A box that was installed out of a checkout, with a network, and booted without one."""
    with Machine(booted_tree(request.param, package), tmp_path / "box", boots=False) as machine:
        checkout = machine.root / "srv/kloplei"
        checkout.mkdir()
        archive = ["tar", "-C", str(HERE), "--exclude=__pycache__", "-c"]
        packed = subprocess.run(
            [*archive, *SOURCES.split(), *FOLDERS.split()], capture_output=True, check=True
        )
        subprocess.run(["tar", "-C", checkout, "-x"], input=packed.stdout, check=True)
        machine.visit("/srv/kloplei/scripts/install")
        machine.boot()
        yield machine


def test_one_command_installs_the_units_and_one_takes_them_away(box: Machine) -> None:
    for unit in UNITS:
        eventually(lambda unit=unit: box.state(unit, "ActiveState") == "active", 60)  # type: ignore[misc]
    assert eventually(lambda: box.table_seq() >= 0, 30)
    assert box.run("kloplei", "--version").startswith("kloplei ")
    # Off, as it comes, it has ended well; switched on it runs out of the same folder, and is kept.
    assert box.state(UPLINK, "UnitFileState") == "enabled"
    assert (box.state(UPLINK, "ActiveState"), box.state(UPLINK, "Result")) == (
        "inactive",
        "success",
    )
    box.write("/etc/kloplei/kloplei.toml", '[pins]\nfactory = "mock"\n[uplink]\nenabled = true\n')
    box.run("systemctl", "restart", "kloplei-table", UPLINK)
    assert box.state(UPLINK, "ActiveState") == "active"
    assert "with no house" in box.run("kloplei", "uplink", "status")

    box.run("/srv/kloplei/scripts/install", "--remove")

    assert "kloplei.db" in box.run("ls", "/var/lib/kloplei")
    assert box.run("stat", "--format=%a %U", "/var/lib/kloplei-uplink").split() == ["700", UPLINK]
    left = box.says(
        "find", "/opt", "/usr", "/etc", "-name", "*kloplei*", "-not", "-path", "/etc/kloplei*"
    )
    assert left == ""
    assert box.says("pgrep", "-f", "kloplei (run|panel|uplink)") == ""


def test_beside_the_package_it_refuses(package: Path, tmp_path: Path) -> None:
    with Machine(booted_tree(RELEASES[0], package), tmp_path / "box") as machine:
        machine.install(package)
        machine.write("/srv/install", (HERE / "scripts/install").read_text())

        said = machine.says("sh", "/srv/install")

        assert "apt-get remove kloplei" in said
        assert machine.state("kloplei-table", "ActiveState") == "active"
