"""What is left of a damaged journal, read off its bare pages and not by SQLite.

SQLite finds an entry through the header, the schema and the tree above it: where one of them is
spoilt, all below is out of reach. Here every page that looks like a leaf is searched instead, in
the file and in its write-ahead log, and the links say which rows are entries of this journal. A
row with one bad bit is found by trying: the links are CRC-32s, which tell one flipped bit from
another in any row that a page can hold.

The format is that of https://www.sqlite.org/fileformat2.html; §s below are its sections.
"""

import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import SupportsIndex, cast, overload

from kloplei.table.journal_file import PAGE_BYTES, SCHEMA, Row, link
from kloplei.table.people import Alias, KnownPerson, Register

_HEADER_BYTES = 100
_LEAF, _INNER = 13, 5  # a leaf of a table, and what leads to leaves
_LOCAL_MOST, _LOCAL_LEAST = PAGE_BYTES - 35, (PAGE_BYTES - 12) * 32 // 255 - 23  # § 1.6
_AT_MOST_ONE_BIT = {0, *(1 << bit for bit in range(8))}
_LOG_HEADER_BYTES, _FRAME_BYTES = 32, 24
_MOST_TRIED = 4  # pages whose bits are tried for one entry: 0.06 s each, 0.6 s on a small Pi
_LARGEST = 1 << 20  # bytes; no entry comes near it
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # serial type: bytes
_REAL, _ZERO, _ONE = 7, 8, 9
_KINDS = (int, float | None, int | None, str, str, str, int)  # of a row, behind its number
_UNREADABLE = (IndexError, ValueError, OverflowError, struct.error)


def is_ours(path: Path) -> bool:
    """Return whether the file *path* was a journal, whatever its header says now."""
    if not path.is_file():  # to open a pipe is to wait at it
        return False
    with path.open("rb") as file:
        first = file.read(PAGE_BYTES)
    return SCHEMA.encode() in first or next(Pages(path).entries(), None) is not None


class Pages:
    """The pages of the journal *path* and of its log, each in all the versions there are."""

    def __init__(self, path: Path) -> None:
        self._versions: dict[int, list[bytes]] = defaultdict(list)  # newest first
        self._where: dict[int, list[tuple[int, bytes]]] = defaultdict(list)
        self._strange: list[tuple[int, bytes]] = []
        self._take(path.read_bytes(), Path(f"{path}-wal"))
        for number, versions in self._versions.items():
            for page in versions:
                self._note(number, page)

    @property
    def last_seq(self) -> int:
        """Number of the last entry of which anything is left; 0 where there is none."""
        told = (seq for seq in self._where if next(self._rows(seq), None))
        return max(told, default=0)

    def entries(self, *, tries: bool = True) -> Iterator[tuple[Row, int]]:
        """Yield the entries from the first on, with their links, up to one that is lost.

        Without *tries* one that a flipped bit hides is lost as well: to find it takes seconds.
        """
        before = 0
        for seq in count(1):
            row = self._find(seq, before) or (self._mend(seq, before) if tries else None)
            if row is None:
                return
            before = link(before, row)
            yield row, before

    def people(self) -> Register:
        """Return who is known, of the tables of people, as far as they can be read.

        Nothing tells a bad bit in a name; the newest version of each page is believed.
        """
        known: dict[int, KnownPerson] = {}
        aliases: list[Alias] = []
        agreed: dict[int, int] = {}
        key = ""
        for number, (newest, *_) in self._versions.items():
            with suppress(*_UNREADABLE):
                for rowid, at in _cells(number, newest) if number > 1 else ():
                    match self._told_at(newest, at):
                        case [None, str(name), int(hidden), int() | None as merged, int(gone)]:
                            person = KnownPerson(rowid, name, bool(hidden), merged, bool(gone))
                            known[rowid] = person
                        case [str(name), int(person), int(upto)]:
                            aliases.append(Alias(name, person, upto))
                        case [None, int(house)]:
                            agreed[rowid] = house
                        case [str(key)]:
                            pass
        return Register(tuple(known.values()), tuple(aliases), agreed, key)

    def _told_at(self, page: bytes, at: int) -> list[object]:
        """Return the columns of the cell at *at*; none where it cannot be read."""
        with suppress(*_UNREADABLE):
            return _columns(self._payload(page, at))
        return []

    def _find(self, seq: int, before: int) -> Row | None:
        """Return entry *seq*, whose predecessor has the link *before*; None if it is lost."""
        for row, its_link in self._rows(seq):
            after = link(before, row)
            # Where the link itself is spoilt, the next entry goes on from the right one.
            if after == its_link or any(
                link(after, one) == its for one, its in self._rows(seq + 1)
            ):
                return row
        return None

    def _take(self, raw: bytes, log: Path) -> None:
        for at in range(0, len(raw), PAGE_BYTES):
            self._versions[at // PAGE_BYTES + 1].append(raw[at : at + PAGE_BYTES])
        if log.exists():
            for number, page in _frames(log.read_bytes()):
                self._versions[number].insert(0, page)

    def _note(self, number: int, page: bytes) -> None:
        """Note which entries stand on *page*, or that it might have been a leaf of theirs."""
        seqs: list[int] = []
        with suppress(*_UNREADABLE):
            seqs = [seq for seq, _ in _cells(number, page)]
        # The rows of other tables are numbered too.
        if any(next(self._on_page(number, page, seq), None) for seq in seqs):
            for seq in seqs:
                self._where[seq].append((number, page))
        elif number > 1 and page[:1] and page[0] ^ _LEAF in _AT_MOST_ONE_BIT:
            self._strange.append((number, page))

    def _rows(self, seq: int) -> Iterator[tuple[Row, int]]:
        for number, page in self._where.get(seq, ()):
            yield from self._on_page(number, page, seq)

    def _on_page(self, number: int, page: bytes, seq: int) -> Iterator[tuple[Row, int]]:
        with suppress(*_UNREADABLE):
            for rowid, at in _cells(number, page):
                if rowid == seq:
                    yield _row(rowid, self._payload(page, at))

    def _payload(self, page: bytes, at: int) -> bytes:
        """Return what the cell at *at* holds, gathered from as many pages as it takes (§ 1.6)."""
        size, at = _varint(page, at)
        _, at = _varint(page, at)
        if size <= _LOCAL_MOST:
            return page[at : at + size]
        if size > _LARGEST:
            raise ValueError("no entry")
        at, end = at + _local(size), at
        found = page[end:at]
        for number in self._overflow(_u32(page, at)):
            found += self._versions[number][0][4:]
            if len(found) >= size:
                break
        return found[:size]

    def _overflow(self, number: int) -> Iterator[int]:
        """Yield the pages on which a cell goes on, from *number*, as far as they are there."""
        for _ in range(_LARGEST // PAGE_BYTES):
            if number not in self._versions:
                return
            yield number
            number = _u32(self._versions[number][0], 0)

    def _mend(self, seq: int, before: int) -> Row | None:
        """Return entry *seq* where one flipped bit hides it."""
        near = [self._where.get(one, ())[:1] for one in (seq, seq - 1, seq + 1)]
        found = [one for some in near for one in some]
        around = found[0][0] if found else 0  # entries are written one page after the other
        strange = sorted(self._strange, key=lambda one: (_is_whole(one[1]), abs(one[0] - around)))
        places = dict.fromkeys([*found, *strange])
        for number, page in list(places)[:_MOST_TRIED]:
            read = _Read(page)
            for _ in self._on_page(number, read, seq):
                pass
            for tried in read.one_bit_other():
                if row := _linked(self._on_page(number, tried, seq), before):
                    # What else stands there is found at once from now on.
                    self._strange = [one for one in self._strange if one != (number, page)]
                    self._note(number, tried)
                    return row
        for number, page in list(places)[:_MOST_TRIED]:
            if row := self._mend_overflow(number, page, seq, before):
                return row
        return None

    def _mend_overflow(self, number: int, page: bytes, seq: int, before: int) -> Row | None:
        for other in self._overflow_of(page, number, seq)[:_MOST_TRIED]:
            spoilt = self._versions[other][0]
            read = self._versions[other][0] = _Read(spoilt)
            for _ in self._on_page(number, page, seq):
                pass
            for tried in read.one_bit_other():
                self._versions[other][0] = tried
                if row := _linked(self._on_page(number, page, seq), before):
                    return row
            self._versions[other][0] = spoilt
        return None

    def _overflow_of(self, page: bytes, number: int, seq: int) -> list[int]:
        """Return the pages on which entry *seq* goes on."""
        with suppress(*_UNREADABLE):
            for rowid, cell in _cells(number, page):
                size, at = _varint(page, cell)
                if rowid == seq and _LOCAL_MOST < size <= _LARGEST:
                    _, at = _varint(page, at)
                    return list(self._overflow(_u32(page, at + _local(size))))
        return []


class _Read(bytes):
    """A page that knows which of its bytes were read: the others cannot hide an entry."""

    def __init__(self, _: bytes) -> None:
        self._read: set[int] = set()

    @overload
    def __getitem__(self, at: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> bytes: ...
    def __getitem__(self, at: SupportsIndex | slice) -> int | bytes:
        where = at if isinstance(at, slice) else slice(at, int(at) + 1)
        self._read.update(range(*where.indices(len(self))))
        return super().__getitem__(at)

    def one_bit_other(self) -> Iterator[bytes]:
        """Yield it with each bit flipped in turn that has been read so far."""
        spoilt = bytearray(self)
        for bit in (8 * at + bit for at in sorted(self._read) for bit in range(8)):
            spoilt[bit // 8] ^= 1 << bit % 8
            yield bytes(spoilt)
            spoilt[bit // 8] ^= 1 << bit % 8


def _is_whole(page: bytes) -> bool:
    """Return whether *page* looks like one that leads to others, or like a leaf of other tables."""
    if page[0] == _INNER:
        return True
    try:
        cells = [at for _, at in _cells(0, page)]
        sizes = [_varint(page, at)[0] for at in cells]
    except _UNREADABLE:
        return False
    # Every byte from the first cell on belongs to one; nothing in a journal is ever deleted.
    return bool(cells) and page[0] == _LEAF and len(cells) == _u16(page, 3) and all(sizes)


def _linked(rows: Iterable[tuple[Row, int]], before: int) -> Row | None:
    """Return the row that follows the one with the link *before*, if one does."""
    return next((row for row, its_link in rows if link(before, row) == its_link), None)


def _local(size: int) -> int:
    """Return how much of a cell of *size* bytes stands on its leaf (§ 1.6)."""
    local = _LOCAL_LEAST + (size - _LOCAL_LEAST) % (PAGE_BYTES - 4)
    return local if local <= _LOCAL_MOST else _LOCAL_LEAST


def _frames(log: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the pages of the write-ahead *log*, those behind a spoilt frame as well (§ 4.1)."""
    size = _FRAME_BYTES + PAGE_BYTES
    frames = [log[at : at + size] for at in range(_LOG_HEADER_BYTES, len(log), size)]
    salts = log[16:24]
    if not any(frame[8:16] == salts for frame in frames[:2]) and frames:
        salts = frames[0][8:16]  # the log's own header is what was spoilt
    for frame in frames:
        # One bit of them may be spoilt; half of them is random, and new with each log.
        if len(frame) == size and (_u64(frame[8:16]) ^ _u64(salts)).bit_count() <= 1:
            yield _u32(frame, 0), frame[_FRAME_BYTES:]


def _cells(number: int, page: bytes) -> Iterator[tuple[int, int]]:
    """Yield number and place of each row on a leaf; nothing where the page is no leaf."""
    start = _HEADER_BYTES if number == 1 else 0
    if len(page) < PAGE_BYTES or page[start] != _LEAF:
        return
    end = start + 8 + 2 * _u16(page, start + 3)
    if end > PAGE_BYTES:
        return  # it counts more rows than it has room for
    for at in range(start + 8, end, 2):
        cell = _u16(page, at)
        with suppress(IndexError):  # one that leads out of the page hides no other
            yield _varint(page, _varint(page, cell)[1])[0], cell


def _row(seq: int, payload: bytes) -> tuple[Row, int]:
    """Return the row that *payload* spells, and its link (§ 2.1)."""
    values = _columns(payload)
    values[2] = float(values[2]) if isinstance(values[2], int) else values[2]
    if values[0] is not None or len(values) != len(_KINDS) + 1:
        raise ValueError("no entry")
    if not all(isinstance(one, kind) for one, kind in zip(values[1:], _KINDS, strict=True)):
        raise ValueError("no entry")
    _, *row, its_link = values
    return cast("Row", (seq, *row)), cast("int", its_link)


def _columns(payload: bytes) -> list[object]:
    """Return the values of the row that *payload* spells (§ 2.1)."""
    end, at = _varint(payload, 0)
    values: list[object] = []
    place = end
    while at < end:
        kind, at = _varint(payload, at)
        value, place = _value(payload, kind, place)
        values.append(value)
    return values


def _value(payload: bytes, kind: int, at: int) -> tuple[object, int]:
    """Return the value of serial type *kind* at *at*, and where the next one stands."""
    if kind in _INTEGERS:
        size = _INTEGERS[kind]
        return int.from_bytes(payload[at : at + size], "big", signed=True), at + size
    if kind == _REAL:
        return struct.unpack_from(">d", payload, at)[0], at + 8
    if kind in (0, _ZERO, _ONE):
        return (None if kind == 0 else kind - _ZERO), at
    size = (kind - 13) // 2
    if size < 0 or kind % 2 == 0 or at + size > len(payload):
        raise ValueError("no text")
    # A bit that makes it no text hides no row: its link is wrong, and it is tried for.
    return payload[at : at + size].decode(errors="replace"), at + size


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    """Return the number that stands at *at* in one to nine bytes, and where the next one does."""
    number = 0
    for place in range(at, at + 8):
        byte = raw[place]
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            return number, place + 1
    return number << 8 | raw[at + 8], at + 9


def _u16(raw: bytes, at: int) -> int:
    return raw[at] << 8 | raw[at + 1]


def _u64(raw: bytes) -> int:
    return int.from_bytes(raw, "big")


def _u32(raw: bytes, at: int) -> int:
    return int.from_bytes(raw[at : at + 4], "big")
