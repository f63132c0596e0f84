"""One bad bit, or a spoilt page that says where all others are: nothing of the evening is lost."""

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kloplei.table.journal import Journal
from kloplei.table.journal_file import PAGE_BYTES

STEPS = 40
HEADERS = 24
BITS = 36
VERSION = 63  # byte of the header; what it says is believed, for a newer Kloplei says so there


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of STEPS steps with two events each, closed."""
    path = tmp_path_factory.mktemp("sound") / "kloplei.db"
    with Journal(path) as journal:
        write(journal, range(STEPS))
    return path


def write(journal: Journal, steps: range) -> None:
    for step in steps:
        facts = {"step": step, "text": "x" * (40 if step % 9 else 1500)}
        journal.append([("First", facts), ("Second", facts)], seat=step % 4, via="pad", at=2.0)


def expect_all(path: Path) -> None:
    """Assert that the journal *path* holds every step, and takes another one."""
    with Journal(path) as journal:
        found = [(entry.event, entry.facts["step"]) for entry in journal.entries()]
        assert found == [(event, n) for n in range(STEPS) for event in ("First", "Second")]
        assert journal.append([("Third", {})], seat=0, via="pad", at=None) == 2 * STEPS + 1
        if journal.salvaged is not None:
            assert f"All {2 * STEPS} entries are there" in journal.salvaged
            assert path.with_name("kloplei.db.damaged-1").exists()
    with Journal(path) as again:
        assert (again.salvaged, again.last_seq) == (None, 2 * STEPS + 1)


@pytest.fixture
def path(sound: Path, tmp_path: Path) -> Path:
    """A copy of the *sound* journal, to be spoilt."""
    return Path(shutil.copy(sound, tmp_path))


def flip(path: Path, bit: int) -> None:
    raw = bytearray(path.read_bytes())
    raw[bit // 8] ^= 1 << bit % 8
    path.write_bytes(raw)


@pytest.mark.parametrize("seed", range(HEADERS))
def test_a_spoilt_header_page_costs_nothing(path: Path, seed: int) -> None:
    """Sixty of sixty were refused, or started a table that could not write."""
    luck = random.Random(seed)
    raw = bytearray(path.read_bytes())
    if seed % 3 == 0:
        raw[:PAGE_BYTES] = luck.randbytes(PAGE_BYTES)
    elif seed % 3 == 1:
        start = luck.randrange(PAGE_BYTES)
        raw[start:PAGE_BYTES] = luck.randbytes(PAGE_BYTES - start)
    else:
        raw[luck.randrange(100)] = luck.randrange(256)
    path.write_bytes(raw)

    expect_all(path)


@pytest.mark.parametrize("byte", [byte for byte in range(100) if byte != VERSION])
def test_no_bit_of_the_header_keeps_a_table_from_starting_or_writing(path: Path, byte: int) -> None:
    flip(path, 8 * byte + byte * 5 % 8)

    expect_all(path)


@pytest.mark.parametrize("seed", range(BITS))
def test_one_bad_bit_anywhere_costs_nothing(path: Path, seed: int) -> None:
    flip(path, random.Random(seed).randrange(8 * path.stat().st_size))

    expect_all(path)


@pytest.mark.parametrize("page", [2, 3, 4])
def test_a_page_that_leads_to_others_is_not_needed(path: Path, page: int) -> None:
    """The root of the entries' tree, which is no leaf, and its like."""
    raw = bytearray(path.read_bytes())
    at = PAGE_BYTES * (page - 1)
    if raw[at] != 5:
        pytest.skip("it holds entries")
    raw[at : at + PAGE_BYTES] = bytes(PAGE_BYTES)
    path.write_bytes(raw)

    expect_all(path)


def test_a_spoilt_link_is_known_by_the_entry_behind_it(path: Path) -> None:
    raw = path.read_bytes()
    with Journal(path) as journal:
        assert journal._connection is not None
        journal._connection.execute("UPDATE entries SET link = 7 WHERE seq = 42")

    assert path.read_bytes() != raw
    expect_all(path)


@pytest.fixture
def logged(tmp_path: Path) -> Iterator[Path]:
    """A journal whose last steps are in its log only, as a power cut leaves it."""
    alive, killed = tmp_path / "alive.db", tmp_path / "kloplei.db"
    with Journal(alive) as journal:
        write(journal, range(STEPS))
        for ending in ("", "-wal"):
            shutil.copyfile(f"{alive}{ending}", f"{killed}{ending}")
    yield killed


@pytest.mark.parametrize("seed", range(6))
def test_a_log_beside_a_spoilt_file_is_read_as_well(logged: Path, seed: int) -> None:
    raw = bytearray(logged.read_bytes())
    raw[:100] = random.Random(seed).randbytes(100)
    logged.write_bytes(raw)

    expect_all(logged)
