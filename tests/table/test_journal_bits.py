"""One bad bit, or a spoilt page that says where all others are: nothing of the evening is lost.

Each test spoils some copies of one journal and names those that were not read as they were; which
ones is left to chance, and the seed is told.
"""

import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from kloplei.table.journal import Journal
from kloplei.table.journal_file import PAGE_BYTES

STEPS = 40
EVENTS = [(event, step) for step in range(STEPS) for event in ("First", "Second")]
AT_ONCE = 2  # copies a test
BITS_AT_ONCE = 4
ENDINGS = ("", "-wal", ".mark")
INNER, LEAF = 5, 13  # first byte of a page of a tree
VERSION = range(8 * 60, 8 * 64)  # bits of the number that tells a newer Kloplei's
Spoil = Callable[[bytearray], None]


@pytest.fixture(scope="module")
def fast() -> Iterator[Path]:
    """A folder in memory where there is one: no journal here is to outlive a power cut."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def sound(fast: Path) -> Path:
    """A journal of STEPS steps with two events each, closed; ``logged`` beside it is not."""
    path = fast / "sound"
    with Journal(path) as journal:
        for step in range(STEPS):
            facts = {"step": step, "text": "x" * (40 if step % 9 else 1500)}
            journal.append([("First", facts), ("Second", facts)], seat=step % 4, via="pad", at=2.0)
        journal.stand({})
        journal.settle()  # now there is a mark
        for ending in ENDINGS:
            shutil.copyfile(f"{path}{ending}", f"{fast / 'logged'}{ending}")
    return path


@pytest.fixture
def luck() -> random.Random:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    return random.Random(seed)


def what_is_wrong(sound: Path, name: str, spoil: Spoil, spoilt: str = "") -> str:
    """Spoil a copy of the journal *sound*, or its file *spoilt*; return what is lost of it."""
    path = sound.parent / name / "kloplei.db"
    path.parent.mkdir()
    for ending in ENDINGS:
        if Path(f"{sound}{ending}").exists():
            shutil.copyfile(f"{sound}{ending}", f"{path}{ending}")
    raw = bytearray(Path(f"{path}{spoilt}").read_bytes())
    spoil(raw)
    Path(f"{path}{spoilt}").write_bytes(raw)
    with Journal(path) as journal:
        said = str(journal.salvaged or f"All {2 * STEPS} entries are there")
        if [(entry.event, entry.facts["step"]) for entry in journal.entries()] != EVENTS:
            return f"not as it was: {said}"
        if journal.append([("Third", {})], seat=0, via="pad", at=None) != 2 * STEPS + 1:
            return "numbered otherwise"
    if f"All {2 * STEPS} entries are there" not in said:
        return said
    with Journal(path) as again:
        return again.salvaged or ""


def found_wrong(sound: Path, spoils: Mapping[str, Spoil], spoilt: str = "") -> dict[str, str]:
    """Return where the journal *sound*, so spoilt, holds less than every step or takes no other."""
    found = {name: what_is_wrong(sound, name, spoil, spoilt) for name, spoil in spoils.items()}
    return {name: wrong for name, wrong in found.items() if wrong}


def flipped(bit: int) -> Spoil:
    def flip(raw: bytearray) -> None:
        raw[bit // 8] ^= 1 << bit % 8

    return flip


def scribbled(start: int, scribble: bytes) -> Spoil:
    def write(raw: bytearray) -> None:
        raw[start : start + len(scribble)] = scribble

    return write


def test_a_spoilt_header_page_costs_nothing(sound: Path, luck: random.Random) -> None:
    """Sixty of sixty were refused, or started a table that could not write."""
    starts = [0, *(luck.randrange(PAGE_BYTES) for _ in range(AT_ONCE - 1))]

    assert not found_wrong(
        sound,
        {
            f"from {start}, {n}": scribbled(start, luck.randbytes(PAGE_BYTES - start))
            for n, start in enumerate(starts)
        },
    )


def test_no_bit_of_the_header_keeps_a_table_from_starting_or_writing(
    sound: Path, luck: random.Random
) -> None:
    bits = luck.sample(range(800), AT_ONCE)

    assert not found_wrong(sound, {f"header bit {bit}": flipped(bit) for bit in bits})


def test_no_bits_of_the_schema_number_make_it_a_newer_kloplei_s(
    sound: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A table did not start: "written by a newer Kloplei (schema 3)", and two bits make a 2."""
    path = sound.with_name("numbered")
    mark = path.with_name("numbered.mark")
    with Journal(path) as journal:
        journal.append([("First", {})], seat=0, via="pad", at=None)
    raw, marked = path.read_bytes(), mark.read_bytes()

    ones, pairs = combinations(VERSION, 1), combinations(VERSION[24:30], 2)  # 0 to 63
    many = [*ones, *pairs, (VERSION[0], VERSION[31])]
    for bits, is_marked in product(many, (True, False)):
        spoilt = bytearray(raw)
        for bit in bits:
            flipped(bit)(spoilt)
        path.write_bytes(spoilt)
        mark.write_bytes(marked)
        if not is_marked:
            mark.unlink()
        caplog.clear()
        with Journal(path) as journal:
            assert (journal.last_seq, journal.salvaged, journal.lost) == (1, None, None), bits
        assert "Bad bits in" in caplog.text
        assert path.read_bytes()[60:64] == raw[60:64]


def test_one_bad_bit_anywhere_costs_nothing(sound: Path, luck: random.Random) -> None:
    bits = luck.sample(range(800, 8 * sound.stat().st_size), BITS_AT_ONCE)

    assert not found_wrong(sound, {f"bit {bit}": flipped(bit) for bit in bits})


def test_a_page_that_leads_to_others_is_not_needed(sound: Path) -> None:
    """The root of the entries' tree, which is no leaf, and its like."""
    raw = sound.read_bytes()
    inner = [at for at in range(PAGE_BYTES, len(raw), PAGE_BYTES) if raw[at] == INNER]

    assert inner
    assert not found_wrong(
        sound, {f"page at {at}": scribbled(at, bytes(PAGE_BYTES)) for at in inner}
    )


def test_a_spoilt_link_is_known_by_the_entry_behind_it(sound: Path) -> None:
    path = sound.parent / "linked"
    shutil.copyfile(sound, path)
    with Journal(path) as journal:
        assert journal._connection is not None
        journal._connection.execute("UPDATE entries SET link = 7 WHERE seq = 42")

    with Journal(path) as journal:
        assert [(entry.event, entry.facts["step"]) for entry in journal.entries()] == EVENTS


def test_a_log_beside_a_spoilt_file_is_read_as_well(sound: Path, luck: random.Random) -> None:
    """The last steps are in its log only, as a power cut leaves them."""
    assert not found_wrong(
        sound.with_name("logged"),
        {f"logged {n}": scribbled(0, luck.randbytes(100)) for n in range(1)},
    )


def test_one_bad_bit_of_the_log_costs_nothing(sound: Path, luck: random.Random) -> None:
    """SQLite ends such a log where the bit is, or throws all of it away, without a word."""
    logged = sound.with_name("logged")
    last = 8 * Path(f"{logged}-wal").stat().st_size
    salt = 8 * (32 + 10 * (24 + PAGE_BYTES) + 11)
    bits = [luck.randrange(256), salt, *(luck.randrange(256, last) for _ in range(BITS_AT_ONCE))]

    assert not found_wrong(logged, {f"bit {bit} of the log": flipped(bit) for bit in bits}, "-wal")


def test_a_leaf_that_counts_more_rows_than_it_has_keeps_no_table_from_starting(
    sound: Path,
) -> None:
    """The places of its rows lead out of the page: salvage stumbled, and so did every start."""
    raw = sound.read_bytes()
    leaves = [at for at in range(PAGE_BYTES, len(raw), PAGE_BYTES) if raw[at] == LEAF]

    assert not found_wrong(
        sound, {f"leaf at {at}": flipped(8 * (at + 3) + 7) for at in leaves[-1:]}
    )
