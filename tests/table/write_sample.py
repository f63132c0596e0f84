"""Write the sample journal of today's schema: ``python -m tests.table.write_sample``.

Run it once, when the schema has changed: what an older Kloplei wrote is never written anew.
"""

import contextlib
import json
import random
import sqlite3
import tempfile
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from kloplei.games.catalogue import GAMES, build_game
from kloplei.games.game import Event, IllegalAction
from kloplei.table.actions import TABLE_EVENTS
from kloplei.table.journal import Journal
from kloplei.table.journal_file import SCHEMA_VERSION
from kloplei.table.schema import WORLD, dump
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from tests.table.streaming_table import anything

FOLDER = Path(__file__).parent / "journals"
EVENTS = FOLDER / "events.json"
STEPS_A_GAME = 120
LASTING = ("seq", "game", "phase", "stake", "dealer", "leader", "pots", "rows", "hands", "draft")


def sample(version: int) -> Path:
    """Return the journal that schema *version* wrote, as SQL."""
    return FOLDER / f"schema-{version}.sql"


def told(version: int) -> Path:
    """Return how the table stood that wrote it."""
    return FOLDER / f"schema-{version}.json"


def load(version: int, path: Path) -> None:
    """Make the file *path* out of the sample of schema *version*."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(sample(version).read_text(encoding="utf-8"))


def standing(session: Session) -> dict[str, object]:
    """Return what a table must still know when another Kloplei opens its journal."""
    board = dump(session.scoreboard(), form=WORLD)
    for row in board["rows"]:
        row.pop("actions", None)  # what is legal may be judged otherwise some day
    return {word: board[word] for word in LASTING if word in board}


def known_events() -> dict[str, dict[str, list[str]]]:
    """Return every event there is, by game, with the names of its fields."""
    return {
        where: {name: [one.name for one in fields(kind)] for name, kind in sorted(events.items())}
        for where, events in event_kinds().items()
    }


def play(session: Session, game: str, chance: random.Random) -> None:
    """Let people do anything legal at *session*, in *game*."""
    session.submit(None, "options", facts={"game": game})
    done = 0
    while done < STEPS_A_GAME:
        seat, action, facts = anything(session.scoreboard(), chance)
        with contextlib.suppress(IllegalAction):
            session.submit(seat, action, facts=facts)
            done += 1


def as_sql(path: Path) -> str:
    """Return the journal *path* as SQL that makes it again, with its application and version."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        pragmas = [
            f"PRAGMA {one} = {connection.execute(f'PRAGMA {one}').fetchone()[0]};"
            for one in ("page_size", "application_id", "user_version")
        ]
        return "\n".join([*pragmas, *connection.iterdump()]) + "\n"


def event_kinds() -> Mapping[str, Mapping[str, type[Event]]]:
    """Return the class of every event there is, by game."""
    games = {game: build_game(game, None, {}).events for game in GAMES}
    return {"table": TABLE_EVENTS, **games}


def main() -> None:
    """Write the sample, unless there is one."""
    EVENTS.write_text(json.dumps(known_events(), indent=1) + "\n", encoding="utf-8")
    if sample(SCHEMA_VERSION).exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kloplei.db"
        with Journal(path) as journal, Session(journal, TableSetup(wall=lambda: 1.78e9)) as session:
            for at, game in enumerate(GAMES):
                if at:
                    session.submit(None, "new_evening")
                play(session, game, random.Random(at))
            told(SCHEMA_VERSION).write_text(json.dumps(standing(session), indent=1) + "\n")
        sample(SCHEMA_VERSION).write_text(as_sql(path), encoding="utf-8")


if __name__ == "__main__":
    main()
