"""What can be wrong with a journal, each in words that say what to do next."""

import errno
import os
import sqlite3
from pathlib import Path
from tempfile import TemporaryFile

from kloplei.table.entries import JournalError

_FULL = {errno.ENOSPC, errno.EDQUOT}
_FORBIDDEN = {errno.EACCES, errno.EPERM}
_NO_FILE = {errno.EISDIR, errno.ENOTDIR, errno.EEXIST}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_PASSING = _BUSY | {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PROTOCOL,
}


class DiskTrouble(JournalError):
    """The disk is full or read-only: it passes once somebody sees to it, so the table stays up."""


class JournalDamaged(JournalError):
    """What the file holds is not what the table wrote."""


def passes(error: sqlite3.Error) -> bool:
    """Return whether *error* tells about the moment and not about what the file holds."""
    return _code(error) in _PASSING


def sentence_for(path: Path, error: sqlite3.Error | OSError) -> JournalError:
    """Return *error*, met at the journal *path*, as a `JournalError` fit to be read out."""
    if isinstance(error, JournalError):
        return error
    if _code(error) in _DAMAGED:
        return JournalDamaged(
            f"The journal {path} is damaged. Restart the table: what is sound of it is saved."
        )
    if _code(error) in _BUSY:
        return JournalError(
            f"Another program holds the journal {path}. Close it; the table then goes on by itself."
        )
    return _sentence_by_number(path, error, _number(path, error))


def _sentence_by_number(path: Path, error: Exception, number: int | None) -> JournalError:
    if number == errno.EROFS:
        return DiskTrouble(
            f"The disk of the journal {path} is read-only. Restart the box, which repairs it, "
            f"or make it writable (mount -o remount,rw); the table then goes on by itself."
        )
    if number in _FULL:
        return DiskTrouble(
            f"The disk of the journal {path} is full. Free some space on it "
            f"(df -h {path.parent}); the table then goes on by itself."
        )
    if number in _FORBIDDEN:
        return JournalError(
            f"The journal {path} may not be written by this user. "
            f"Give its folder to the user that runs the table: chown -R USER {path.parent}"
        )
    if number in _NO_FILE:
        return JournalError(
            f"No journal can stand at {path} ({error}). Give the table another folder."
        )
    return JournalError(
        f"The journal {path} could not be used ({error}). "
        f"Look at the disk and its quota with dmesg and df -h {path.parent}"
    )


def _code(error: Exception) -> int | None:
    """Return SQLite's primary result code; an extended one holds it in its low byte."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else int(code) & 0xFF


def _number(path: Path, error: sqlite3.Error | OSError) -> int | None:
    """Return the system's error number. SQLite keeps it to itself, so the disk is asked again."""
    if isinstance(error, OSError):
        return error.errno
    if _code(error) == sqlite3.SQLITE_FULL:
        return errno.ENOSPC
    try:
        with TemporaryFile(dir=path.parent, buffering=0) as file:
            file.write(bytes(4096))
            os.fsync(file.fileno())
    except OSError as refusal:
        return refusal.errno
    return None if os.access(path, os.W_OK) else errno.EACCES
