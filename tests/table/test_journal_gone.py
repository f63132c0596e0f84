"""A journal taken away under a running table: noticed before the next step, told, written anew."""

import shutil
from pathlib import Path

import pytest

from kloplei.games.game import Seat
from kloplei.table.client import TableUnavailable
from kloplei.table.journal import Journal
from kloplei.table.session import Session


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table" / "kloplei.db"


def take_away(path: Path) -> None:
    path.unlink()


def take_all_away(path: Path) -> None:
    shutil.rmtree(path.parent)


def take_log_away(path: Path) -> None:
    Path(f"{path}-wal").unlink()


def rename(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))


def replace(path: Path) -> None:
    copy = path.with_name("copy")
    with Journal(copy) as journal:
        journal.append([("Theirs", {})], seat=0, via="pad", at=None)
    copy.replace(path)


@pytest.mark.parametrize("spoil", [take_away, take_all_away, take_log_away, rename, replace])
def test_the_evening_goes_on_and_nothing_of_it_is_lost(path: Path, spoil: object) -> None:
    assert callable(spoil)
    with Journal(path) as journal, Session(journal) as session:
        for seat, name in enumerate(("Ann", "Bo", "Cor")):
            session.submit(Seat(seat), "sit_down", facts={"name": name})
        seq = session.scoreboard().seq
        spoil(path)

        assert session.submit(Seat(0), "rename", facts={"name": "Anna"}) == seq + 1
        told = session.scoreboard()
        session.submit(Seat(1), "rename", facts={"name": "Bob"})
        after = session.scoreboard()

    assert [line.key for line in told.notices] == ["notice.salvaged"]
    assert str(told.notices[0].facts["cause"]) == "journal-put-back"
    assert f"all {seq} entries" in str(told.notices[0].facts["message"])
    assert after.notices == ()
    with Journal(path) as journal, Session(journal) as session:
        assert (journal.salvaged, journal.last_seq) == (None, seq + 2)
        assert [row.name for row in session.scoreboard().rows] == ["Anna", "Bob", "Cor"]


def test_the_file_that_took_its_place_is_kept(path: Path) -> None:
    with Journal(path) as journal:
        journal.append([("Ours", {})], seat=0, via="pad", at=None)
        replace(path)
        journal.append([("Ours", {})], seat=0, via="pad", at=None)

    with Journal(path.with_name("kloplei.db.damaged-1")) as theirs:
        assert [entry.event for entry in theirs.entries()] == ["Theirs"]


def test_a_journal_that_was_cut_short_takes_no_step_that_would_be_lost(path: Path) -> None:
    with Journal(path) as journal, Session(journal) as session:
        for n in range(20):
            session.submit(Seat(0), "rename" if n else "sit_down", facts={"name": f"Ann {n}"})
        assert journal._connection is not None
        journal._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        journal._connection.execute("PRAGMA shrink_memory")
        with path.open("r+b") as file:
            file.truncate(0)

        with pytest.raises(TableUnavailable, match="is damaged"):
            session.submit(Seat(0), "rename", facts={"name": "Bo"})
        assert [line.key for line in session.scoreboard().notices] == ["notice.journal"]
    with Journal(path) as journal, Session(journal) as session:  # as systemd starts it anew
        assert [line.key for line in session.scoreboard().notices] == ["notice.salvaged"]
        assert [row.name for row in session.scoreboard().rows] == ["Ann 19"]
