"""What to do with a journal that is damaged or cannot be written: save what is sound, go on."""

import shutil
import sqlite3
from contextlib import closing
from itertools import count, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from kloplei.table.journal_file import INSERT, Sound, connect, create, readable, sync_folder


def salvage(path: Path, damaged: sqlite3.Connection | None, sound: Sound) -> str:
    """Put the *sound* entries into a new journal at *path* and keep the damaged file beside it.

    *damaged* is the open journal, which is closed here; None when it could not be opened
    at all. Whenever the power fails in here, the next start finds the old or the new one.

    Returns:
        What was done, fit to be read out.
    """
    draft = _beside(path, ".draft")
    draft.unlink(missing_ok=True)  # of a salvage that was cut short
    create(draft)
    with closing(connect(draft)) as fresh:
        if damaged is not None:
            _copy(damaged, fresh, sound.seq)
            damaged.close()
        fresh.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    draft.replace(_beside(path, ".salvaged"))
    sync_folder(path.parent)
    kept = finish_salvage(path)
    return _sentence(path, kept, sound.seq)


def finish_salvage(path: Path) -> Path | None:
    """Let a salvaged journal take the place of the damaged one, if one stands ready.

    Returns:
        Where the damaged file is kept now.
    """
    ready = _beside(path, ".salvaged")
    if not ready.exists():
        return None
    kept = next(one for n in count(1) if not (one := _beside(path, f".damaged-{n}")).exists())
    # The log goes first: one that stays behind would be played into the new file.
    for name in ("-wal", "-shm", "-journal", ""):
        if _beside(path, name).exists():
            _beside(path, name).rename(_beside(kept, name))
    ready.rename(path)
    sync_folder(path.parent)
    return kept


def read_aside(path: Path) -> sqlite3.Connection:
    """Return the journal *path* copied into memory, for a disk that cannot be written now.

    SQLite wants to write beside a journal even to read it.
    """
    with TemporaryDirectory(prefix="kloplei-") as folder:
        copy = Path(folder) / path.name
        for name in ("", "-wal"):
            if _beside(path, name).exists():
                shutil.copyfile(_beside(path, name), _beside(copy, name))
        with closing(connect(copy)) as source:
            memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            source.backup(memory)
    return memory


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _copy(damaged: sqlite3.Connection, fresh: sqlite3.Connection, upto: int) -> None:
    fresh.execute("BEGIN IMMEDIATE")
    for row, its_link in islice(readable(damaged), upto):
        fresh.execute(INSERT, (*row, its_link))
    fresh.execute("COMMIT")


def _sentence(path: Path, kept: Path | None, seq: int) -> str:
    where = f"; the damaged file is kept as {kept.name}." if kept else "."
    if not seq:
        return (
            f"The journal {path.name} was damaged. Nothing of it could be saved and the table "
            f"starts anew{where}"
        )
    return (
        f"The journal {path.name} was damaged after entry {seq}. Entries 1-{seq} are sound and "
        f"the table goes on from there{where}"
    )
