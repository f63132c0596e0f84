"""Box and era: which journal it is, and which of the histories that go on from the same entries."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kloplei.backup import make_backup, restore
from kloplei.config.settings import JOURNAL
from kloplei.table.journal import Journal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / JOURNAL


def origin(path: Path, steps: int = 0) -> tuple[str, str]:
    """Open the journal *path*, write so many *steps*, and return its box and era."""
    with Journal(path) as journal:
        for _ in range(steps):
            journal.append([("Happened", {})], seat=0, via="pad", at=None)
        assert journal.origin is not None
        return journal.origin


def test_a_new_journal_has_its_own_and_keeps_them(path: Path) -> None:
    first = origin(path, steps=3)

    assert origin(path) == first
    assert not set(first) & set(origin(path.with_name("other.db")))


def test_a_journal_of_the_version_before_gets_them(path: Path) -> None:
    origin(path, steps=3)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE origin")

    first = origin(path)

    assert origin(path) == first


def test_a_salvaged_journal_is_the_same_boxs_in_a_new_era(path: Path) -> None:
    box, era = origin(path, steps=9)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE entries SET facts = '{\"odd\": 1}' WHERE seq = 5")

    new_box, new_era = origin(path)

    assert (new_box == box, new_era == era) == (True, False)


def test_each_restored_journal_has_an_era_of_its_own(path: Path) -> None:
    first = origin(path, steps=3)
    file = path.parent.parent / "evening.zip"
    make_backup(path.parent, file, datetime(2026, 5, 1, tzinfo=UTC))

    eras = {first[1]}
    for name in ("one", "two"):
        restore(file, path.parent.parent / name)
        box, era = origin(path.parent.parent / name / JOURNAL)
        assert box == first[0]
        eras.add(era)

    assert len(eras) == 3
