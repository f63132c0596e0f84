"""The page about the journal: it names all there is, and its SQL says what is so."""

import json
import random
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from kloplei.games.game import IllegalAction, Seat
from kloplei.table.journal import Journal
from kloplei.table.journal_file import SCHEMA, open_to_read
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.table.timeline import Timeline
from tests.table.streaming_table import anything
from tests.table.write_sample import known_events

PAGE = Path(__file__).parents[2] / "docs/journal.md"
KEEPER = None
TITLES = {"the table, whatever is played": "table"}
STEPS = 45
TOEPEN = (
    (0, "start"),
    (0, "deal"),
    (1, "knock"),
    (2, "stay"),
    (3, "fold"),
    (0, "stay"),
    (1, "trick"),
)
WATTEN = (
    *((KEEPER, "start"), (KEEPER, "deal"), (1, "announced"), (1, "raise"), (0, "accept")),
    *((0, "raise"), (1, "fold")),
)
Hand = tuple[tuple[int | None, str], ...]
Rows = list[tuple[Any, ...]]


@dataclass(frozen=True)
class Moved:
    """A step; none opens an evening, for `Timeline` would let go of all that is before it."""

    seq: int
    entries: Rows
    opens_evening: bool = False


def statements() -> list[str]:
    """Return each statement of SQL that the page shows, in order."""
    shown = re.findall(r"^```sql\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    return [one for block in shown for one in re.split(r"(?<=;)\n\s*", block) if one.strip()]


def described() -> dict[str, dict[str, set[str]]]:
    """Return the events of the page with their facts, by game."""
    events = PAGE.read_text(encoding="utf-8").partition("\n## Events\n")[2]
    _, *parts = re.split(r"^### (.+)$", events, flags=re.M)
    return {
        TITLES.get(title.lower(), title.lower()): {
            name: set(re.findall(r"`(\w+)`", facts))
            for name, facts in re.findall(r"^\| `(\w+)` \| (.*?) ?\| ", part, re.M)
        }
        for title, part in zip(parts[::2], parts[1::2], strict=True)
    }


def asked(path: Path) -> list[Rows]:
    """Return what each statement of the page brings, of the journal *path*."""
    with closing(open_to_read(path)) as journal:
        return [journal.execute(one).fetchall() for one in statements()]


def held_in(journal: sqlite3.Connection) -> Rows:
    """Return the entries that hold, found step by step."""
    line: Timeline[Moved] = Timeline()
    entries = journal.execute("SELECT seq, step, event, facts FROM entries ORDER BY seq")
    for _, step in groupby(entries, key=lambda entry: entry[1]):
        first, *more = step
        match first[2]:
            case "Undone":
                line.undo(json.loads(first[3])["n"])
            case "Redone":
                line.redo(json.loads(first[3])["n"])
            case _:
                line.add(Moved(first[0], [first, *more]))
    return [entry for moved in line.past for entry in moved.entries]


@pytest.fixture(scope="module")
def evenings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Session]]:
    """Yield a journal of two evenings of bots, who change places in between, and its table."""
    path, chance = tmp_path_factory.mktemp("bots") / "kloplei.db", random.Random(7)
    with Journal(path) as journal, Session(journal, TableSetup(wall=lambda: 1.78e9)) as session:
        for seat in range(4):
            session.submit(Seat(seat), "sit_down", facts={"name": f"Player {seat + 1}"})
        play(session, TOEPEN, chance)
        session.submit(KEEPER, "new_evening")
        session.submit(KEEPER, "options", facts={"game": "watten"})
        session.submit(Seat(1), "swap", facts={"of": Seat(3)})
        play(session, WATTEN, chance)
        session.submit(Seat(2), "rename", facts={"name": "O'Bot"})
        session.submit(Seat(1), "recognise", facts={"remember": True})
        yield path, session


def play(session: Session, hand: Hand, chance: random.Random) -> None:
    """Play a *hand*; then let bots do anything, and take some of it back now and then."""
    for who, action in hand:
        session.submit(None if who is None else Seat(who), action)
    session.submit(KEEPER, "deal")
    for n in range(STEPS):
        seat, action, facts = anything(session.scoreboard(), chance)
        with suppress(IllegalAction):
            session.submit(seat, action, facts=facts)
            if n % 9 == 8:
                session.submit(KEEPER, "undo", facts={"steps": chance.randint(1, 3)})
            if n % 18 == 17:
                session.submit(KEEPER, "redo")


def test_the_page_has_every_event_with_its_facts() -> None:
    there = {
        game: {name: set(facts) for name, facts in events.items()}
        for game, events in known_events().items()
    }

    assert described() == there, "tell docs/journal.md of the event, or of its new fact"


def test_the_page_has_every_table_and_column(evenings: tuple[Path, Session]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    with closing(open_to_read(evenings[0])) as journal:
        tables = [name for (name,) in journal.execute("SELECT name FROM sqlite_schema")]
        columns = [row[1] for row in journal.execute("PRAGMA table_info(entries)")]

    assert {name for name in tables if f"**`{name}`**" not in page} == set()
    assert re.findall(r"^\| `(\w+)` \| [A-Z]+", page, re.M) == columns


def test_what_holds_is_found_through_any_undo_and_redo() -> None:
    with closing(sqlite3.connect(":memory:")) as journal:
        journal.execute(SCHEMA)
        wander(journal, random.Random(5))
        expected = held_in(journal)
        journal.execute(statements()[0])
        read = "SELECT seq, step, event, facts FROM held ORDER BY seq"
        found = journal.execute(read).fetchall()

    assert found == expected
    assert {event for _, _, event, _ in found} == {"Did"}


def wander(journal: sqlite3.Connection, chance: random.Random) -> None:
    """Write a thousand steps of one to three entries, which are taken back and done again."""
    seq = done = undone = 0
    for _ in range(1000):
        move = chance.choice(["Did", "Did", "Undone", "Redone"])
        most = {"Did": 3, "Undone": min(done, 4), "Redone": min(undone, 4)}[move]
        if not most:
            continue
        n = chance.randint(1, most)
        last = seq + (n if move == "Did" else 1)
        rows = [(one, last, "pad", move, json.dumps({"n": n})) for one in range(seq + 1, last + 1)]
        write = "INSERT INTO entries VALUES (?, ?, NULL, 0, ?, ?, ?, 0)"
        journal.executemany(write, rows)
        seq = last
        done += {"Did": 1, "Undone": -n, "Redone": n}[move]
        undone = 0 if move == "Did" else undone + {"Undone": n, "Redone": -n}[move]


def test_who_sits_where_is_followed(evenings: tuple[Path, Session]) -> None:
    path, session = evenings
    with closing(open_to_read(path)) as journal:
        for one in statements()[:3]:
            journal.execute(one)
        now = "SELECT seat, name FROM sat WHERE until > (SELECT max(seq) FROM entries)"
        found = dict(journal.execute(now).fetchall())
        persons = journal.execute("SELECT DISTINCT name FROM sat WHERE person").fetchall()

    assert persons == [("Player 4",)]
    assert found == {int(seat): name for seat, name in session.scoreboard().names.items()}
    assert "O'Bot" in found.values()


def test_guests_who_were_somebody_and_who_was_merged_go_by_one_name(
    evenings: tuple[Path, Session],
) -> None:
    with (
        closing(open_to_read(evenings[0])) as kept,
        closing(sqlite3.connect(":memory:")) as journal,
    ):
        kept.backup(journal)
        ((person,),) = journal.execute("SELECT id FROM people").fetchall()
        other, nobody, whole = person + 1, person + 2, 10_000
        journal.execute("INSERT INTO people VALUES (?, '', 0, ?, 0)", (other, person))
        journal.execute("INSERT INTO people VALUES (?, '', 0, NULL, 1)", (nobody,))
        journal.execute("INSERT INTO aliases VALUES (?, ?, ?)", ("O'Bot", other, whole))
        journal.execute("INSERT INTO aliases VALUES (?, ?, ?)", ("Player 2", nobody, whole))
        for one in statements()[:3]:
            journal.execute(one)
        now = "SELECT name FROM sat WHERE until > (SELECT max(seq) FROM entries) ORDER BY seat"
        found = [name for (name,) in journal.execute(now)]

    assert found == ["Player 1", "Player 4", "Player 4", "seat 4"]


def test_the_worked_examples_say_what_happened(evenings: tuple[Path, Session]) -> None:
    path, _ = evenings
    with closing(open_to_read(path)) as journal:
        held = [(event, json.loads(facts)) for _, _, event, facts in held_in(journal)]
        entries = journal.execute("SELECT seq, event FROM entries").fetchall()
        holds = {row[0] for row in held_in(journal)}
    _, _, _, knocks, folds, lives, raises, days, gone = asked(path)

    count = Counter(event for event, _ in held)
    forced = sum(bool(facts.get("forced")) for _, facts in held)
    given_up = sum(facts.get("how") == "given-up" for _, facts in held)
    assert sum(row[2] for row in knocks) == count["Knocked"] > 0
    assert sum(row[1] for row in folds) == count["Stayed"] + count["Folded"] - forced > 0
    assert sum(row[1] or 0 for row in lives) == paid(held, "Folded", "n")
    assert sum(row[2] or 0 for row in lives) == paid(held, "HandEnded", "paid") > 0
    assert sum(row[1] for row in raises) == count["Held"] > 0
    assert sum(row[2] for row in raises) == given_up > 0
    assert [(row[0], row[1][:4]) for row in days] == [(1, "2026"), (2, "2026")]
    assert sum(row[3] for row in days) == count["HandEnded"] + count["DealEnded"]
    moves = {"Undone", "Redone"}
    assert {row[0] for row in gone} == {
        seq for seq, event in entries if seq not in holds and event not in moves
    }


def paid(held: list[tuple[str, dict[str, Any]]], event: str, fact: str) -> int:
    """Return the sum of what the facts of *event* say was paid."""
    found = [facts[fact] for one, facts in held if one == event]
    return sum(sum(one) if isinstance(one, list) else one for one in found)
