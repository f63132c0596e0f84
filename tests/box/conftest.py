"""The packages that the boxes under test install: ours, and the next one."""

import os
import shutil
from pathlib import Path

import pytest

from tests.packaging.conftest import build_in

NEXT = "99.0"
"""The version of a package that is otherwise the same."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let what boots machines take its time."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.timeout(1800))


@pytest.fixture(scope="session")
def lanes() -> None:
    """Fail if what boots and fills a container is missing."""
    for tool, package in (("systemd-nspawn", "systemd-container"), ("mmdebstrap", "mmdebstrap")):
        if shutil.which(tool) is None:
            pytest.fail(f"No {tool}. Install it: apt-get install {package}", pytrace=False)
    if os.geteuid() != 0:
        pytest.fail("Only root boots containers. Run: sudo make test-box", pytrace=False)


@pytest.fixture(scope="session")
def package(lanes: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of these sources."""
    return build_in(tmp_path_factory.mktemp("package"))


@pytest.fixture(scope="session")
def next_package(lanes: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A later one."""
    return build_in(tmp_path_factory.mktemp("next"), NEXT)
