"""A journal written anew: what is sound of a spoilt one goes on, and the old file stands aside.

The new file is laid beside the old one as a draft, made ready by one rename, and takes its place
by `finish_salvage`: whenever the power fails, the next start finds the old one or the new one.
"""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from kloplei.files import sync_folder
from kloplei.table._journal_pages import Pages
from kloplei.table.journal_chain import copy_links
from kloplei.table.journal_file import (
    INSERT,
    OwnConnection,
    Row,
    Sound,
    connect,
    copy_superseded,
    create,
    free_name,
)
from kloplei.table.people import Register, read_register, write_register
from kloplei.words import Sentence


def salvage(path: Path, damaged: sqlite3.Connection | None) -> tuple[Sentence, Sound]:
    """Put what is sound into a new journal at *path* and keep the damaged file beside it.

    *damaged* is the open journal, which is closed here; None when it could not be opened
    at all. Whenever the power fails in here, the next start finds the old or the new one.

    Returns:
        What was done, fit to be read out, and how far the new journal goes.
    """
    # Read before SQLite closes it: then it folds its log into it, or throws it away.
    pages = Pages(path)
    sound = write_draft(path, pages.entries(), _people_left(pages, damaged), damaged)
    if damaged is not None:
        damaged.close()
    make_ready(path)
    kept = finish_salvage(path)
    return _sentence(path, kept, sound.seq, pages.last_seq), sound


def _people_left(pages: Pages, damaged: sqlite3.Connection | None) -> Register:
    """Return who is known to the *damaged* journal, as far as that can be read."""
    try:
        return pages.people() if damaged is None else read_register(damaged)
    except sqlite3.DatabaseError:
        return pages.people()


def finish_salvage(path: Path) -> Path | None:
    """Let a salvaged journal take the place of the damaged one, if one stands ready.

    Returns:
        Where the damaged file is kept now.
    """
    ready = beside(path, ".salvaged")
    if not ready.exists():
        return None
    stood = path.exists()
    kept = free_name(path, ".damaged")
    # The log goes first: one that stays behind would be played into the new file.
    for name in ("-wal", "-shm", "-journal", ""):
        if beside(path, name).exists():
            beside(path, name).rename(beside(kept, name))
    ready.rename(path)
    sync_folder(path.parent)
    return kept if stood else None


def read_aside(path: Path) -> OwnConnection:
    """Return the journal *path* copied into memory, for a disk that cannot be written now.

    SQLite wants to write beside a journal even to read it.
    """
    with TemporaryDirectory(prefix="kloplei-") as folder:
        copy = Path(folder) / path.name
        for name in ("", "-wal"):
            if beside(path, name).exists():
                shutil.copyfile(beside(path, name), beside(copy, name))
        with closing(connect(copy)) as source:
            memory = OwnConnection(":memory:", isolation_level=None, check_same_thread=False)
            source.backup(memory)
    return memory


def beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def write_draft(
    path: Path,
    entries: Iterator[tuple[Row, int]],
    people: Register,
    source: sqlite3.Connection | None,
) -> Sound:
    """Lay a new journal with *entries* and *people* beside the journal *path*, for `make_ready`."""
    with closing(new_draft(path)) as fresh:
        sound = copy_entries(entries, fresh)
        if people != Register():
            with fresh:
                write_register(fresh, people)
        if source is not None:
            copy_links(source, fresh, sound.seq)
            copy_superseded(source, fresh)
        fresh.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return sound


def new_draft(path: Path) -> OwnConnection:
    """Open an empty journal beside the journal *path*, for `make_ready`."""
    draft = beside(path, ".draft")
    for ending in ("", "-wal", "-shm"):
        beside(draft, ending).unlink(missing_ok=True)  # of a salvage that was cut short
    create(draft)
    return connect(draft)


def make_ready(path: Path) -> None:
    """Let the draft take the place of the journal *path* as soon as `finish_salvage` is called."""
    beside(path, ".draft").replace(beside(path, ".salvaged"))
    sync_folder(path.parent)


def copy_entries(entries: Iterator[tuple[Row, int]], fresh: sqlite3.Connection) -> Sound:
    """Write *entries* into the journal *fresh*, up to the last whole step."""
    seq, its_link = 0, 0
    fresh.execute("BEGIN IMMEDIATE")
    for row, one in entries:
        fresh.execute(INSERT, (*row, one))
        if row[0] == row[1]:
            seq, its_link = row[0], one
    fresh.execute("DELETE FROM entries WHERE seq > ?", (seq,))
    fresh.execute("COMMIT")
    return Sound(seq, its_link, all=True)


def _sentence(path: Path, kept: Path | None, seq: int, last_seq: int) -> Sentence:
    facts = {"file": path.name, "kept": kept.name if kept else None}
    if not seq:
        return Sentence("salvaged-nothing", **facts)
    if seq < last_seq:
        return Sentence("salvaged", **facts, seq=seq)
    return Sentence("salvaged-all", **facts, seq=seq)
