"""A terminal for every test that types a command."""

from pathlib import Path

import pytest

from tests.replay.replayed import Terminal


@pytest.fixture
def terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(tmp_path, capsys)
