"""Whole evenings, written down, replay to the last drink."""

from pathlib import Path

import pytest

from kloplei.records.reading import read_records

EVENINGS = sorted(Path(__file__).parent.glob("*.yaml"))


def test_there_are_evenings() -> None:
    assert len(EVENINGS) >= 2


@pytest.mark.parametrize("path", EVENINGS, ids=lambda path: path.stem)
def test_an_evening_replays(path: Path) -> None:
    for record in read_records(str(path)):
        assert record.play().difference is None
