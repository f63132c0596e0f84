"""Where whole houses stand."""

from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.hub.conftest import open_folder

__all__ = ["folder", "open_folder"]


@pytest.fixture
def folder(open_folder: Path) -> Path:
    """One of each test's own, which PostgreSQL's own user may enter."""
    made = Path(mkdtemp(dir=open_folder))
    made.chmod(0o755)
    return made
