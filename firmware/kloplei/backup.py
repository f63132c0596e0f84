"""What a box remembers, in one file: taken while the table runs, verified when it is read.

Kept are the journal, what the table was taught, and the seasons. Not kept are the PIN and the key
of the phones' cookies, which belong to the box, what the ears keep for review, and the history,
which is read out of the journal again.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from kloplei import __version__
from kloplei.config.settings import (
    JOURNAL,
    LESSONS,
    NOTEBOOKS,
    SEASONS,
    TUNING_BEFORE,
    TUNING_IN_FORCE,
    VOICE,
)
from kloplei.files import (
    KlopleiError,
    as_owner_of,
    atomic_file,
    atomic_write,
    hand_over,
    opened_folder,
    read_below,
    reason_of,
    sync_folder,
)
from kloplei.frozen import dataclass, replace
from kloplei.table.journal_chain import find_break, last_link, last_seq
from kloplei.table.journal_file import (
    FORMER,
    SCHEMA_VERSION,
    JournalDamaged,
    JournalError,
    Sound,
    begin_era,
    connect,
    examine,
    find_origin,
    has_triggers,
    open_to_read,
    own,
    remove_snapshot,
    superseded,
)

KEPT = (JOURNAL, TUNING_IN_FORCE, TUNING_BEFORE, LESSONS, SEASONS, NOTEBOOKS)
"""Files of the data folder that a backup holds, as far as they are there."""
ASIDE = FORMER
"""Folder beside them, where what a backup replaced is found again."""
_FORMAT, _WITH_VOICE = 1, 2
"""A Kloplei of before takes files in folders for damage, and says of `_WITH_VOICE` what helps."""
_VOICE = re.compile(r"voice/[a-z]{2,8}/\w[\w.-]*")
"""Files of a house that is its own caller (`kloplei.voice.recorded`)."""
_MANIFEST = "manifest.json"
_MOST_BYTES = 512 << 20  # of all files together; a journal grows by some 33 MB a year at most
_NO_ZIP = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError),
    KeyError,  # a file that the manifest names is missing
    RuntimeError,  # a flipped bit calls it encrypted, or packed in a way nobody knows
    UnicodeDecodeError,  # or spells a name that no letters have
)
"""What reading a damaged zip raises."""
_WORKSHOP, _PACKED = ".kloplei-", "whole.zip"
_BESIDE_JOURNAL = ("-wal", "-shm", ".mark")


class BadBackup(KlopleiError, ValueError):
    """The file is no backup, or a damaged one; one sentence says which and what to do."""


NOT_HERE = "nobody has played here yet, or it was by other settings (--config FILE)"
"""Why there may be no journal."""


class BackupFailed(KlopleiError, OSError):
    """It could not be written or put back; what was there still is."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself: which Kloplei made it when, and a SHA-256 of each file."""

    kloplei: str
    made_at: str
    schema: int
    files: Mapping[str, str]
    format: int = _FORMAT


def make_backup(data: Path, file: Path, made_at: datetime) -> Manifest:
    """Write all that the folder *data* remembers to *file*, whole or not at all.

    The table may go on meanwhile: the journal is copied as it stands at one moment.

    Raises:
        BackupFailed: There is no journal, or the disk does not play along.
    """
    if not (data / JOURNAL).exists():
        raise BackupFailed(f"There is no journal in {data} to keep: {NOT_HERE}.")
    if file.is_dir():
        raise BackupFailed(f"{file} is a folder; name the file to write in it.")
    if not file.absolute().parent.is_dir():
        raise BackupFailed(f"There is no folder {file.parent}; make it, or name another.")
    try:
        with _workshop(file.absolute().parent) as folder:
            copies = dict(_copies(data, folder))
            _refuse_damaged(data / JOURNAL, copies[JOURNAL])
            files = {name: _sha256(copy) for name, copy in copies.items()}
            of_form = _WITH_VOICE if any(map(_VOICE.fullmatch, files)) else _FORMAT
            manifest = Manifest(__version__, made_at.isoformat(), SCHEMA_VERSION, files, of_form)
            _pack(folder / _PACKED, manifest, copies)
            (folder / _PACKED).replace(file)
            hand_over(file)
    except (OSError, sqlite3.Error) as error:
        if isinstance(error, BackupFailed):
            raise
        raise BackupFailed(
            f"{file} could not be written: {reason_of(error)}. Look at the disk: df -h"
        ) from error
    sync_folder(file.absolute().parent)
    return manifest


def read_backup(file: Path) -> Manifest:
    """Return what *file* says of itself, once all of it has been found sound.

    Raises:
        BadBackup: It is none, it is damaged, or a newer Kloplei made it.
    """
    with tempfile.TemporaryDirectory() as folder:
        return _unpack(file, Path(folder))


def restore(file: Path, data: Path) -> Manifest:
    """Let the folder *data* remember what *file* holds; what it held lies in `ASIDE` then.

    Raises:
        BadBackup: As `read_backup` says; nothing has changed.
        JournalError: A table runs on that folder.
        BackupFailed: The disk does not play along.
    """
    with tempfile.TemporaryDirectory() as named:
        folder = Path(named)
        manifest = _unpack(file, folder)
        with contextlib.closing(connect(folder / JOURNAL)) as connection:
            begin_era(connection)  # two boxes may go on from one backup
        held = {name: (folder / name).read_bytes() for name in manifest.files}
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        # The table's user owns the folder, and may have put links there to lead root astray.
        with as_owner_of(data):
            _lay_down(held, data)
    except JournalError:
        raise
    except OSError as error:
        raise BackupFailed(
            f"{data} could not be written: {error}. What was there lies in {data / ASIDE}."
        ) from error
    return manifest


def _lay_down(held: Mapping[str, bytes], data: Path) -> None:
    lock = _claim(data)
    try:
        _put_aside(data)
        for name, raw in held.items():
            (data / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_write(data / name, raw, 0o600)
    finally:
        os.close(lock)


def _claim(data: Path) -> int:
    try:
        return own(data / JOURNAL)
    except JournalError as error:
        raise JournalError(
            f"A table runs on {data}. Stop it first: sudo systemctl stop kloplei-table"
        ) from error


def _refuse_damaged(journal: Path, copy: Path) -> None:
    """Refuse to keep a damaged journal, and see to it that the next start saves what is sound.

    A table that starts reads from its snapshot on, and would not meet damage before that.
    """
    sound = _examined(copy)
    if not sound.all:
        with contextlib.suppress(sqlite3.Error, JournalDamaged), as_owner_of(journal.parent):
            remove_snapshot(journal)
        raise BackupFailed(
            f"The journal {journal} is damaged after entry {sound.seq}. Restart the table, which "
            "saves what is sound, then take the backup again."
        )


@contextlib.contextmanager
def _workshop(beside: Path) -> Iterator[Path]:
    """Give a folder to work in, below *beside*; what killed backups have left there goes."""
    with opened_folder(beside) as parent:
        # One at a time until its folder is held: else another would take it for a killed one's.
        fcntl.flock(parent, fcntl.LOCK_EX)
        for left in beside.glob(f"{_WORKSHOP}*"):
            with contextlib.suppress(OSError), opened_folder(left) as folder:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left)
        made = tempfile.TemporaryDirectory(dir=beside, prefix=_WORKSHOP)
        held = os.open(made.name, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(held, fcntl.LOCK_EX)
    try:
        with made as folder:
            yield Path(folder)
    finally:
        os.close(held)


def _copies(data: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield each file that is there with a copy of it in *folder*."""
    for name in KEPT:
        if not (data / name).exists():
            continue
        copy = folder / name
        if name == JOURNAL:
            copy_journal(data / name, copy)
        else:
            with opened_folder(data) as below:
                copy.write_bytes(read_below(below, name, _MOST_BYTES))
        yield name, copy
    for file in sorted((data / VOICE).glob("*/*")):
        name = file.relative_to(data).as_posix()
        if _VOICE.fullmatch(name):
            copy = folder / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            with opened_folder(file.parent) as below:
                copy.write_bytes(read_below(below, file.name, _MOST_BYTES))
            yield name, copy


@dataclass(frozen=True, slots=True)
class JournalReport:
    """What a journal says of itself: so many *entries*, sound up to *sound*.

    Two can be compared by *link*, that of the step that ends with entry *linked*, in hex;
    *broken* ends the first step whose link is not what it should be. Where somebody was forgotten,
    its era *supersedes* another one: up to entry *untouched* both have the same links.
    """

    entries: int
    sound: int
    linked: int
    link: str
    broken: int | None
    box: str | None
    era: str | None
    supersedes: str | None = None
    untouched: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all that stands there is what was written."""
        return self.broken is None and self.sound == self.entries


def read_report(data: Path) -> JournalReport:
    """Return what the journal in the folder *data* says of itself; its table may go on.

    Raises:
        BackupFailed: There is none, or it cannot be read.
    """
    if not (data / JOURNAL).exists():
        raise BackupFailed(f"There is no journal in {data}: {NOT_HERE}.")
    try:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / JOURNAL
            copy_journal(data / JOURNAL, copy)
            with contextlib.closing(connect(copy)) as connection:
                sound = examine(connection)
                linked, link = last_link(connection)
                box, era = find_origin(connection) or (None, None)
                before, untouched = superseded(connection, era) or (None, None)
                entries = max(sound.seq, last_seq(connection))
                broken = find_break(connection)
    except (OSError, sqlite3.Error) as error:
        raise BackupFailed(f"The journal in {data} cannot be read: {error}") from error
    told = (entries, sound.seq, linked, link.hex(), broken, box, era, before, untouched)
    return JournalReport(*told)


def copy_journal(journal: Path, copy: Path) -> None:
    """Write the *journal* as it stands at this moment to *copy*; its table may go on.

    Raises:
        sqlite3.Error: It cannot be read, or the copy not be written.
    """
    with (
        contextlib.closing(open_to_read(journal)) as source,
        contextlib.closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)


def _pack(file: Path, manifest: Manifest, copies: Mapping[str, Path]) -> None:
    with atomic_file(file) as raw, zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_MANIFEST, json.dumps(asdict(manifest), indent=2))
        for name, copy in copies.items():
            archive.write(copy, name)


def _unpack(file: Path, folder: Path) -> Manifest:
    """Lay the files of the backup *file* into *folder*, all found sound; return its manifest."""
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = _manifest(file, archive)
            held = {name: archive.read(name) for name in manifest.files}
    except FileNotFoundError as error:
        raise BadBackup(f"There is no file {file}.") from error
    except IsADirectoryError as error:
        raise BadBackup(f"{file} is a folder; name the file that kloplei backup made.") from error
    except _NO_ZIP as error:
        raise _damaged(file, str(error).strip("'\"")) from error
    for name, told in manifest.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(held[name])
        if _sha256(folder / name) != told:
            raise _damaged(file, f"{name} is not what was put in")
    _demand_sound(file, folder / JOURNAL)
    return manifest


def _manifest(file: Path, archive: zipfile.ZipFile) -> Manifest:
    listed = {one.filename: one.file_size for one in archive.infolist()}
    if _MANIFEST not in listed:
        raise BadBackup(f"{file} is a zip file, but no backup of Kloplei.")
    if sum(listed.values()) > _MOST_BYTES:
        raise BadBackup(f"{file} unpacks to more than a box ever remembers; it is no backup.")
    try:
        manifest = Manifest(**json.loads(archive.read(_MANIFEST)))
        files = dict(manifest.files)
    except (ValueError, TypeError) as error:
        raise _damaged(file, "its manifest cannot be read") from error
    if manifest.format not in (_FORMAT, _WITH_VOICE):
        raise BadBackup(f"{file} was made by Kloplei {manifest.kloplei}. Update this one first.")
    unknown = {one for one in files if not _VOICE.fullmatch(one)} - set(KEPT)
    if unknown or JOURNAL not in files:
        raise _damaged(file, "it names files that no backup has")
    return manifest


def _demand_sound(file: Path, journal: Path) -> None:
    try:
        sound = _examined(journal)
    except sqlite3.Error as error:
        raise _damaged(file, str(error)) from error
    if not sound.all:
        raise _damaged(file, f"its journal is sound up to entry {sound.seq} only")


def _examined(journal: Path) -> Sound:
    """Tell how far *journal* is sound; one in which somebody planted something is not."""
    try:
        with contextlib.closing(connect(journal)) as connection:
            sound = examine(connection)
            return replace(sound, all=sound.all and not has_triggers(connection))
    except JournalDamaged:
        return Sound(0, 0, all=False)


def _damaged(file: Path, how: str) -> BadBackup:
    return BadBackup(f"{file} is damaged ({how}). Take an older backup.")


def _put_aside(data: Path) -> None:
    """Move what is in force into `ASIDE`; what an earlier restore put there goes."""
    aside = data / ASIDE
    aside.mkdir(mode=0o700, exist_ok=True)
    shutil.rmtree(aside / VOICE, ignore_errors=True)
    names = [*KEPT, *(JOURNAL + end for end in _BESIDE_JOURNAL), VOICE]
    for name in names[:-1]:
        (aside / name).unlink(missing_ok=True)
    for name in names:
        if (data / name).exists():
            (data / name).replace(aside / name)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
