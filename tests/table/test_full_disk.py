"""A disk that is really full or really read-only: said aloud, nothing half done, then on again."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import JournalWriteError, TableUnavailable
from kloplei.table.journal import DiskTrouble, Journal, JournalDamaged
from kloplei.table.session import Session
from tests.table.small_disk import CannotMountError, Card, SmallDisk, where_mounts_are_allowed


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    disk = SmallDisk(tmp_path / "disk")
    if os.geteuid() != 0:
        yield disk  # the test will run elsewhere
        return
    disk.mount()
    yield disk
    disk.unmount()


def append(journal: Journal) -> int:
    return journal.append([("Happened", {"text": "x" * 200})] * 2, seat=0, via="pad", at=None)


def append_until_refused(journal: Journal) -> DiskTrouble:
    """Use up what its log has left; the refusal closes the file, which may make room again."""
    for _ in range(1000):
        try:
            append(journal)
        except DiskTrouble as refusal:
            return refusal
    pytest.fail("a full disk took a thousand steps")


def events_in(path: Path) -> int:
    with Journal(path) as journal:
        assert journal.salvaged is None
        return len(list(journal.entries()))


@where_mounts_are_allowed
def test_a_full_disk_is_said_and_nothing_of_the_step_is_kept(disk: SmallDisk) -> None:
    path = disk.folder / "kloplei.db"
    with Journal(path) as journal:
        append(journal)
        disk.fill()

        refusal = append_until_refused(journal)
        last = journal.last_seq

        assert str(refusal) == (
            f"The disk of the journal {path} is full. Free some space on it "
            f"(df -h {path.parent}); the table then goes on by itself."
        )
        assert journal.trouble == str(refusal)
    disk.free()
    assert events_in(path) == last
    assert last % 2 == 0


@where_mounts_are_allowed
def test_with_room_again_the_journal_goes_on_by_itself(disk: SmallDisk) -> None:
    path = disk.folder / "kloplei.db"
    with Journal(path) as journal:
        append(journal)
        for _ in range(3):
            disk.fill()
            append_until_refused(journal)
            append_until_refused(journal)
            last = journal.last_seq

            disk.free()

            assert append(journal) == last + 2
            assert journal.trouble is None
    assert events_in(path) == last + 2


@where_mounts_are_allowed
def test_a_table_that_starts_on_a_full_disk_knows_what_was(disk: SmallDisk) -> None:
    path = disk.folder / "kloplei.db"
    with Journal(path) as journal:
        last = append(journal)
    disk.fill()

    with Journal(path) as journal:
        assert [entry.seq for entry in journal.entries()] == list(range(1, last + 1))
        append_until_refused(journal)
        disk.free()
        assert append(journal) == journal.last_seq

    assert events_in(path) > last


@where_mounts_are_allowed
def test_a_read_only_disk_is_said_and_passes(disk: SmallDisk) -> None:
    path = disk.folder / "kloplei.db"
    with Journal(path) as journal:
        append(journal)
        disk.fill()
        append_until_refused(journal)  # and now no file is open for writing
        last = journal.last_seq
        disk.free()
        disk.remount("ro")

        with pytest.raises(DiskTrouble, match=r"is read-only\. Restart the box"):
            append(journal)
        disk.remount("rw")

        assert append(journal) == last + 2
    assert events_in(path) == last + 2


@where_mounts_are_allowed
def test_a_table_that_starts_on_a_read_only_disk_knows_what_was(disk: SmallDisk) -> None:
    path = disk.folder / "kloplei.db"
    with Journal(path) as journal:
        last = append(journal)
    disk.remount("ro")

    with Journal(path) as journal:
        assert "is read-only" in str(journal.trouble)
        assert len(list(journal.entries())) == last
        with pytest.raises(DiskTrouble, match="is read-only"):
            append(journal)
        disk.remount("rw")
        assert append(journal) == last + 2
        assert journal.trouble is None

    assert events_in(path) == last + 2


@where_mounts_are_allowed
def test_what_was_only_in_the_log_is_read_from_a_read_only_disk(disk: SmallDisk) -> None:
    path = disk.folder / "kloplei.db"
    with Journal(path) as journal:
        last = append(journal)
        killed = [(Path(f"{path}{end}"), Path(f"{path}{end}").read_bytes()) for end in ("", "-wal")]
    for file, content in killed:
        file.write_bytes(content)
    disk.remount("ro")

    with Journal(path) as journal:
        assert journal.last_seq == last


@where_mounts_are_allowed
def test_a_damaged_journal_on_a_read_only_disk_is_not_played_on(disk: SmallDisk) -> None:
    path = disk.folder / "kloplei.db"
    with Journal(path) as journal:
        append(journal)
    path.write_bytes(path.read_bytes()[:1024] + bytes(path.stat().st_size - 1024))
    disk.remount("ro")

    with pytest.raises(JournalDamaged, match=r"damaged after entry 0.*Mend the disk first"):
        Journal(path)


@where_mounts_are_allowed
def test_the_table_tells_asker_and_slate_and_plays_on_once_there_is_room(disk: SmallDisk) -> None:
    with Journal(disk.folder / "kloplei.db") as journal, Session(journal) as session:
        session.submit(Seat(0), "sit_down", facts={"name": "Thijs"})
        disk.fill()
        seq = rename_until_refused(session)  # which folds the log away: a little room again
        disk.fill()
        before = session.scoreboard()

        with pytest.raises(JournalWriteError, match=r"is full\. Free some space"):
            session.submit(Seat(1), "sit_down", facts={"name": "Anna"})

        told = session.scoreboard()
        assert notices(told) == ["notice.journal"]
        assert told == before
        assert told.seq == seq
        disk.free()
        session.submit(Seat(1), "sit_down", facts={"name": "Anna"})
        after = session.scoreboard()
        assert notices(after) == []
        assert (after.seq, after.names[Seat(1)]) == (seq + 1, "Anna")


def rename_until_refused(session: Session) -> int:
    """Return the number of the last action that was not refused."""
    seq = session.scoreboard().seq
    for n in range(1000):
        try:
            seq = session.submit(Seat(0), "rename", facts={"name": f"Thijs {n}"})
        except TableUnavailable:
            return seq
    pytest.fail("a full disk took a thousand names")


def notices(board: Scoreboard) -> list[str]:
    return [line.key for line in board.notices]


def test_a_card_that_the_kernel_gives_up_is_said_and_can_be_mended(tmp_path: Path) -> None:
    """What a worn SD card does in mid evening: open files, and from one write to the next no more.

    Such a file system is not reported read-only, and takes no remount: it must be repaired.
    """
    card = Card(tmp_path / "card.img", tmp_path / "card")
    try:
        card.mount()
    except CannotMountError as error:
        pytest.skip(f"needs a loop device and ext4; the other tests use memory: {error}")
    path = card.folder / "kloplei.db"
    try:
        with Journal(path) as journal:
            last = append(journal)
            card.give_up()

            for _ in range(2):
                with pytest.raises(DiskTrouble, match="is read-only"):
                    append(journal)
            card.repair()

            assert append(journal) == last + 2
        assert events_in(path) == last + 2
    finally:
        card.unmount()


LIMITED = """
import json, pathlib, resource, sys
from kloplei.table.journal import Journal, JournalError

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

path = pathlib.Path(sys.argv[1])
with Journal(path) as journal:
    step = [("Happened", {"text": "x" * 200})] * 2
    journal.append(step, seat=0, via="pad", at=None)
    limit(40_000)
    try:
        while True:
            journal.append(step, seat=0, via="pad", at=None)
    except JournalError as error:
        said, last = str(error), journal.last_seq
    limit(resource.RLIM_INFINITY)
    after = journal.append(step, seat=0, via="pad", at=None)
print(json.dumps([said, last, after]))
"""


def test_a_quota_of_the_kernel_is_said_and_passes(tmp_path: Path) -> None:
    path = tmp_path / "kloplei.db"

    done = subprocess.run(
        [sys.executable, "-c", LIMITED, path], capture_output=True, text=True, check=True
    )

    said, last, after = json.loads(done.stdout)
    assert said.startswith(f"The journal {path} could not be used (disk I/O error)")
    assert after == last + 2
    assert events_in(path) == after
