"""The Debian package, built once for all tests of it, and what stands in it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parents[2]

Build = Callable[..., Path]


def build_in(folder: Path, *told: str) -> Path:
    """Return the package of these sources, built in *folder* as `scripts/build_deb` is *told*."""
    environment = os.environ | {
        "BUILD": str(folder / "build"),
        "OUT": str(folder / "out"),
        # The running Python's environment: it has what builds wheels, whatever it is called.
        "VENV": str(Path(sys.prefix)),
    }
    built = subprocess.run(
        [HERE / "scripts/build_deb", *told],
        env=environment,
        capture_output=True,
        text=True,
    )
    if built.returncode:
        pytest.fail(f"the package cannot be built:\n{built.stderr}", pytrace=False)
    return Path(built.stdout.strip().splitlines()[-1])


@pytest.fixture(scope="session")
def tools() -> None:
    """Fail if what builds a Debian package is not there."""
    for tool, package in (("dh", "debhelper"), ("dh_python3", "dh-python"), ("lintian", "lintian")):
        if shutil.which(tool) is None:
            pytest.fail(f"No {tool}. Install it: apt-get install {package}", pytrace=False)


@pytest.fixture(scope="session")
def package(tools: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as `make deb` builds it."""
    return build_in(tmp_path_factory.mktemp("package"))


@pytest.fixture(scope="session")
def hub_package(tools: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hub's, as `make hub` builds it."""
    return build_in(tmp_path_factory.mktemp("hub"), "--hub")


@pytest.fixture(scope="session")
def hub_unpacked(hub_package: Path) -> Path:
    """A folder with its files."""
    folder = hub_package.parent / "unpacked"
    subprocess.run(["dpkg-deb", "-x", hub_package, folder], check=True)
    return folder


@pytest.fixture(scope="session")
def unpacked(package: Path) -> Path:
    """A folder with the package's files."""
    folder = package.parent / "unpacked"
    subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    return folder
