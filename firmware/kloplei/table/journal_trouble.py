"""What can be wrong with a journal, each in words that say what to do next."""

import errno
import os
import sqlite3
from pathlib import Path

from kloplei.table.entries import JournalError

_FULL = {errno.ENOSPC, errno.EDQUOT}
_NO_FILE = {errno.EISDIR, errno.ENOTDIR, errno.EEXIST}
_FORBIDDEN = {errno.EACCES, errno.EPERM}


class DiskTrouble(JournalError):
    """The disk is full or read-only: it passes once somebody sees to it, so the table stays up."""


class JournalDamaged(JournalError):
    """What the file holds is not what the table wrote."""


def sentence_for(path: Path, error: sqlite3.Error | OSError) -> JournalError:
    """Return *error*, met at the journal *path*, as a `JournalError` fit to be read out."""
    if isinstance(error, JournalError):
        return error
    if _is_damage(error):
        return JournalDamaged(
            f"The journal {path} is damaged. Restart the table: what is sound of it is saved."
        )
    if _is_read_only(path, error):
        return DiskTrouble(
            f"The disk of the journal {path} is read-only. Make it writable again "
            f"(mount -o remount,rw) or replace the card; the table then goes on by itself."
        )
    if _is_full(path, error):
        return DiskTrouble(
            f"The disk of the journal {path} is full. Free some space on it "
            f"(df -h {path.parent}); the table then goes on by itself."
        )
    if _is_forbidden(path, error):
        return JournalError(
            f"The journal {path} may not be written by this user. "
            f"Give its folder to the user that runs the table: chown -R USER {path.parent}"
        )
    if getattr(error, "errno", None) in _NO_FILE:
        return JournalError(
            f"No journal can stand at {path} ({error}). Give the table another folder."
        )
    if _code(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return JournalError(
            f"Another program holds the journal {path}. Close it; the table then goes on by itself."
        )
    return JournalError(
        f"The journal {path} could not be used ({error}). "
        f"Look at the disk and its quota with dmesg and df -h {path.parent}"
    )


def _code(error: sqlite3.Error | OSError) -> int | None:
    """Return SQLite's primary result code; an extended one holds it in its low byte."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else int(code) & 0xFF


def _is_damage(error: sqlite3.Error | OSError) -> bool:
    return _code(error) in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def _is_full(path: Path, error: sqlite3.Error | OSError) -> bool:
    if _code(error) == sqlite3.SQLITE_FULL or getattr(error, "errno", None) in _FULL:
        return True
    # SQLite reports some writes that found no room as a bare I/O error.
    disk = _disk_of(path)
    return disk is not None and disk.f_bavail == 0 and _code(error) is not None


def _is_read_only(path: Path, error: sqlite3.Error | OSError) -> bool:
    if getattr(error, "errno", None) == errno.EROFS:
        return True
    disk = _disk_of(path)
    return disk is not None and bool(disk.f_flag & os.ST_RDONLY)


def _is_forbidden(path: Path, error: sqlite3.Error | OSError) -> bool:
    if getattr(error, "errno", None) in _FORBIDDEN:
        return True
    if _code(error) not in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}:
        return False
    return not os.access(path.parent, os.W_OK) or not os.access(path, os.W_OK)


def _disk_of(path: Path) -> os.statvfs_result | None:
    try:
        return os.statvfs(path.parent)
    except OSError:
        return None
