"""A damaged journal gives up what is sound, is kept aside, and the evening goes on."""

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest

from kloplei.games.game import Seat
from kloplei.table._journal_salvage import finish_salvage
from kloplei.table.journal import Journal, JournalDamaged
from kloplei.table.journal_file import examine
from kloplei.table.session import Session

STEPS = 120


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a journal of STEPS steps with two events each, closed."""
    folder = tmp_path_factory.mktemp("sound")
    with Journal(folder / "kloplei.db") as journal:
        for step in range(STEPS):
            facts = {"step": step, "text": "x" * 40}
            journal.append([("First", facts), ("Second", facts)], seat=step % 4, via="pad", at=None)
    return folder


@pytest.fixture
def path(sound: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(sound, tmp_path, dirs_exist_ok=True)
    return tmp_path / "kloplei.db"


def expect_prefix(journal: Journal) -> int:
    """Assert that *journal* holds a prefix of whole steps and return how many."""
    found = [(entry.event, entry.facts["step"]) for entry in journal.entries()]
    steps = len(found) // 2
    assert found == [(event, step) for step in range(steps) for event in ("First", "Second")]
    return steps


def edit(path: Path, sql: str) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(sql)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE entries SET facts = '{\"step\": 999}' WHERE seq = 102",
        "UPDATE entries SET facts = 'no json' WHERE seq = 102",
        "UPDATE entries SET seat = 77 WHERE seq = 102",
        "DELETE FROM entries WHERE seq = 102",
        "UPDATE entries SET seq = 1000 WHERE seq = 102",
    ],
)
def test_an_entry_that_was_changed_ends_the_sound_part_before_its_step(
    path: Path, sql: str
) -> None:
    edit(path, sql)

    with Journal(path) as journal:
        steps = expect_prefix(journal)
        said = journal.salvaged

    assert steps == 50
    assert said == (
        "The journal kloplei.db was damaged after entry 100. Entries 1-100 are sound and the "
        "table goes on from there; the damaged file is kept as kloplei.db.damaged-1."
    )


def test_a_text_that_has_become_bytes_ends_the_sound_part(path: Path) -> None:
    # As a flipped bit in the head of a row would have it; the file itself allows none.
    edit(
        path,
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE entries"
        "(seq INTEGER PRIMARY KEY, step, at, seat, via, event, facts, link)'"
        " WHERE name = 'entries'",
    )
    edit(path, "UPDATE entries SET facts = x'00ff' WHERE seq = 102")

    with Journal(path) as journal:
        assert expect_prefix(journal) == 50


def test_half_a_step_at_the_end_is_no_step(path: Path) -> None:
    edit(path, "DELETE FROM entries WHERE seq = (SELECT max(seq) FROM entries)")

    with Journal(path) as journal:
        assert expect_prefix(journal) == STEPS - 1


def test_the_evening_goes_on_after_damage(path: Path) -> None:
    edit(path, "DELETE FROM entries WHERE seq = 102")

    with Journal(path) as journal:
        seq = journal.append([("Third", {})], seat=0, via="pad", at=None)
    with Journal(path) as again:
        events = [entry.event for entry in again.entries(after=99)]

    assert seq == 101
    assert events == ["Second", "Third"]
    assert again.salvaged is None


def test_the_damaged_file_is_kept_and_never_overwritten(path: Path) -> None:
    for sql in ("DELETE FROM entries WHERE seq = 3", "DELETE FROM entries WHERE seq = 2"):
        edit(path, sql)
        Journal(path).close()

    kept = sorted(one.name for one in path.parent.iterdir())

    assert kept == [
        "kloplei.db",
        "kloplei.db.damaged-1",
        "kloplei.db.damaged-2",
        "kloplei.db.lock",
        "kloplei.db.mark",
    ]
    assert len(path.with_name("kloplei.db.damaged-1").read_bytes()) > 10_000


@pytest.mark.parametrize("seed", range(0, 40, 3))
def test_wherever_a_page_is_spoilt_a_prefix_is_saved(path: Path, seed: int) -> None:
    raw = bytearray(path.read_bytes())
    page = len(raw) // 1024 * seed // 40
    raw[page * 1024 + 37 * seed % 512 : (page + 1) * 1024] = bytes(
        (seed * 31 + n * 7) % 256 for n in range(1024 - 37 * seed % 512)
    )
    if not page:
        raw[:100] = path.read_bytes()[:100]  # a spoilt header is the next test's
    path.write_bytes(raw)

    with Journal(path) as journal:
        steps = expect_prefix(journal)
        assert journal.salvaged is not None
        assert journal.append([("Third", {})], seat=0, via="pad", at=None) == 2 * steps + 1


@pytest.mark.parametrize("column", [b"seq INTEGER", b"facts TEXT", b"CREATE TABLE"])
def test_a_scribble_in_the_schema_that_is_no_text_keeps_no_table_from_starting(
    path: Path, column: bytes
) -> None:
    path.write_bytes(path.read_bytes().replace(column, b"\x8e" + column[1:], 1))

    with Journal(path) as journal:
        assert journal.append([("Third", {})], seat=0, via="pad", at=None) >= 1


@pytest.mark.parametrize("size", [0, 1, 15, 100, 1023, 1024, 5000, 20_000])
def test_a_file_cut_short_is_no_obstacle(path: Path, size: int) -> None:
    with path.open("r+b") as file:
        file.truncate(size)

    with Journal(path) as journal:
        steps = expect_prefix(journal)
        assert journal.append([("Third", {})], seat=0, via="pad", at=None) == 2 * steps + 1


def test_a_file_of_zeros_is_ours_and_damaged(path: Path) -> None:
    """What a card leaves after a power cut."""
    path.write_bytes(bytes(path.stat().st_size))

    with Journal(path) as journal:
        assert journal.last_seq == 0
        assert journal.salvaged == (
            "The journal kloplei.db was damaged. Nothing of it could be saved and the table "
            "starts anew; the damaged file is kept as kloplei.db.damaged-1."
        )


class PowerCutError(Exception):
    """Stands for the plug being pulled."""


@pytest.mark.parametrize("cut", range(1, 6))
def test_a_power_cut_while_saving_loses_nothing_more(
    path: Path, monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    edit(path, "DELETE FROM entries WHERE seq = 102")
    Path(f"{path}-wal").write_bytes(b"")  # one more file to put aside
    renames = 0
    rename, replace = Path.rename, Path.replace

    def cutting(self: Path, target: Path, how: object) -> Path:
        nonlocal renames
        renames += 1
        if renames == cut:
            raise PowerCutError
        return how(self, target)  # type: ignore[operator, no-any-return]

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", lambda self, target: cutting(self, target, rename))
        patch.setattr(Path, "replace", lambda self, target: cutting(self, target, replace))
        with contextlib.suppress(PowerCutError):
            Journal(path).close()

    with Journal(path) as journal:
        assert expect_prefix(journal) == 50


@pytest.mark.parametrize("cut", range(1, 4))
def test_a_power_cut_while_putting_aside_parts_no_file_from_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    path = tmp_path / "kloplei.db"
    for ending in ("", "-wal", ".salvaged"):
        Path(f"{path}{ending}").write_text(f"what stood in {ending}")
    rename, left = Path.rename, iter(range(1, cut))

    def cutting(self: Path, target: Path) -> Path:
        if next(left, None) is None:
            raise PowerCutError
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", cutting)
        with pytest.raises(PowerCutError):
            finish_salvage(path)

    finish_salvage(path)

    assert path.read_text() == "what stood in .salvaged"
    assert Path(f"{path}.damaged-1").read_text() == "what stood in "
    assert Path(f"{path}.damaged-1-wal").read_text() == "what stood in -wal"


def test_a_draft_left_by_a_power_cut_does_not_get_into_the_next_one(path: Path) -> None:
    with Journal(path.with_name("other.db")) as other:
        for _ in range(STEPS):
            other.append([("Other", {})], seat=0, via="pad", at=None)
        for ending in ("", "-wal"):
            shutil.copyfile(f"{other.path}{ending}", f"{path}.draft{ending}")
    edit(path, "DELETE FROM entries WHERE seq = 102")

    with Journal(path) as journal:
        assert expect_prefix(journal) == 50


def test_a_file_that_cannot_be_read_now_is_not_called_damaged(path: Path) -> None:
    edit(path, "PRAGMA journal_mode = DELETE")  # where a writer keeps readers out
    reader, writer = sqlite3.connect(path, timeout=0), sqlite3.connect(path)
    writer.execute("BEGIN EXCLUSIVE")

    with pytest.raises(sqlite3.OperationalError, match="locked"):
        examine(reader)
    writer.close()

    assert examine(reader).all
    reader.close()


def test_damage_met_while_playing_is_said_and_mended_at_the_next_start(path: Path) -> None:
    journal = Journal(path)
    with path.open("r+b") as file:
        file.seek(1024)
        file.write(bytes(path.stat().st_size - 1024))

    assert journal._connection is not None
    journal._connection.execute("PRAGMA shrink_memory")  # or it would write from its own cache
    with pytest.raises(JournalDamaged, match=r"is damaged\. Restart the table"):
        journal.append([("Third", {})], seat=0, via="pad", at=None)
    journal.close()

    with Journal(path) as again:
        expect_prefix(again)


def test_a_salvaged_evening_says_so_at_the_table_until_a_step_is_written(tmp_path: Path) -> None:
    path = tmp_path / "kloplei.db"
    with Journal(path) as journal, Session(journal) as session:
        for seat in range(3):
            session.submit(Seat(seat), "sit_down")
    edit(path, "UPDATE entries SET facts = '{}' WHERE seq = 4")

    with Journal(path) as journal, Session(journal) as session:
        told = session.scoreboard()
        session.submit(Seat(5), "sit_down")
        after = session.scoreboard()

    assert [line.key for line in told.notices] == ["notice.salvaged"]
    assert "ends at entry 3, where 4 had been written" in str(told.notices[0].facts["message"])
    assert "kept as kloplei.db.damaged-1" in str(told.notices[0].facts["message"])
    assert len(told.rows) == 3  # as they stood
    assert after.notices == ()
