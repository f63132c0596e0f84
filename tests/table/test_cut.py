"""The write-ahead log cut or spoilt anywhere: a prefix of whole steps, never an error.

A frame is its head and a page. Every byte of a head says something of its own and is tried; a page
is read whole or not at all, and is tried at its ends and at some bytes between.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from kloplei.table.journal import Journal

STEPS = 12
LAST = 3  # transactions at the end that are cut and spoilt
FRAME = 24 + 1024  # a frame's head and its page
HEAD = 32
OF_A_FRAME = sorted({*range(-2, 26), *range(26, FRAME, 41)})  # bytes at which one is tried


@pytest.fixture(scope="module")
def fast() -> Iterator[Path]:
    """A folder in memory where there is one: thousands of journals are opened here."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def killed(fast: Path) -> Path:
    """A journal as a power cut leaves it: the last steps are in its log only."""
    alive, killed = fast / "alive.db", fast / "killed.db"
    with Journal(alive) as journal:
        for step in range(1, STEPS + 1):
            facts = {"step": step, "text": "x" * 60}
            written = [("First", facts), ("Second", facts)]
            assert journal.append(written, seat=0, via="pad", at=None) == 2 * step
        for ending in ("", "-wal"):
            shutil.copyfile(f"{alive}{ending}", f"{killed}{ending}")
    return killed


def steps_found(killed: Path, log: bytes) -> int:
    """Open *killed* with *log* for its write-ahead log; return how many whole steps it holds."""
    path = killed.with_name("kloplei.db")
    shutil.copyfile(killed, path)
    Path(f"{path}-wal").write_bytes(log)
    Path(f"{path}.mark").unlink(missing_ok=True)  # this disk lies, and keeps no mark either
    with Journal(path) as journal:
        found = [(entry.event, entry.facts["step"]) for entry in journal.entries()]
        assert journal.salvaged is None
    steps = len(found) // 2
    assert found == [(event, n + 1) for n in range(steps) for event in ("First", "Second")]
    return steps


def commits(log: bytes) -> list[int]:
    """Return where each transaction of *log* ends: a frame that says how large the file is."""
    ends = range(HEAD + FRAME, len(log) + 1, FRAME)
    return [end for end in ends if any(log[end - FRAME + 4 : end - FRAME + 8])]


def tried(log: bytes) -> list[int]:
    """Return at which bytes of *log* its last transactions are cut or spoilt."""
    frames = range(commits(log)[-LAST - 1], len(log) + 1, FRAME)
    return [at + byte for at in frames for byte in OF_A_FRAME if at + byte <= len(log)]


def test_cut_anywhere_a_prefix_of_whole_steps_is_found(killed: Path) -> None:
    log = Path(f"{killed}-wal").read_bytes()
    ends = commits(log)

    for cut in tried(log):
        expected = STEPS - sum(end > cut for end in ends)
        assert steps_found(killed, log[:cut]) == expected, f"cut at byte {cut} of {len(log)}"


def test_spoilt_anywhere_a_prefix_of_whole_steps_is_found(killed: Path) -> None:
    log = Path(f"{killed}-wal").read_bytes()
    ends = commits(log)

    for at in tried(log)[:-1]:
        spoilt = bytearray(log)
        spoilt[at] ^= 1 << at % 8
        # SQLite reads up to the first frame that does not agree with its sum.
        expected = STEPS - sum(end > at for end in ends)
        assert steps_found(killed, bytes(spoilt)) == expected, f"spoilt at byte {at}"


def test_after_a_cut_the_evening_goes_on(killed: Path) -> None:
    log = Path(f"{killed}-wal").read_bytes()
    assert steps_found(killed, log[:-1]) == STEPS - 1

    path = killed.with_name("kloplei.db")
    with Journal(path) as journal:
        journal.append([("Third", {})], seat=0, via="pad", at=None)
    with Journal(path) as again:
        assert [entry.event for entry in again.entries()][-2:] == ["Second", "Third"]
