"""How long it takes to tell years of evenings: rebuilt, asked for, and one hand more.

    python benchmarks/years.py [--evenings 1000] [--keep FOLDER]

Dice play forty evenings of about forty hands in all games, with corrections and undone steps, and
these come again as often as it takes, with other names and on other days.
"""

import argparse
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: what lies beside it is found from the folder above
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from kloplei.config.settings import JOURNAL
from kloplei.history.service import HistoryService
from kloplei.table.journal_file import INSERT, begin_era, connect, create, link
from kloplei.table.people import KnownPerson, Register, write_register
from tests.history.journals import NAMES, Scribe

DAY_S = 86_400.0
BEGAN = 1_577_900_000.0
HANDS = 40
TEMPLATES = (
    *[("toepen", players) for players in (4, 5, 6, 3, 8)] * 4,
    *[("watten", players) for players in (4, 2, 3)] * 4,
    *[("eenendertigen", players) for players in (5, 4)] * 3,
    *[("tarok", 3)] * 2,
)


def evening(game: str, players: int, seed: int) -> Scribe:
    """Return an evening of about `HANDS` hands; of tarok fewer, for dice tell too much of each."""
    scribe = Scribe(seed, now=BEGAN)
    scribe.begin(game, players)
    for _ in range(10 if game == "tarok" else HANDS):
        scribe.hands(1, slate=0.02)
        if scribe.dice.random() < 0.1:
            scribe.undo(2)
    return scribe


def rows(evenings: int) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a journal of so many *evenings*, a day each; two of each are people."""
    made = [evening(*one, seed) for seed, one in enumerate(TEMPLATES)]
    before, seqs = 0, 0
    for number in range(evenings):
        scribe = made[number % len(made)]
        for row in scribe.rows():
            seq, step, at, seat, via, event, facts, _ = row
            told = (seq + seqs, step + seqs, at + number * DAY_S, seat, via, event, facts)
            if event == "EveningBegun":
                told = (*told[:-1], _named(facts, number))
            before = link(before, told)
            yield (*told, before)
        seqs += len(scribe.entries)


def _named(facts: str, number: int) -> str:
    """Let the players of an evening go by the names of its *number*, and two of them be people."""
    for place, name in enumerate(NAMES):
        facts = facts.replace(f'"{name}"', '""' if place < 2 else f'"{name} {number % 5}"')
    people = [[place, 1 + (number + place) % 12] for place in range(2)]
    return facts[:-1] + f',"people":{people}}}'


def lay(folder: Path, evenings: int) -> Path:
    """Lay such a journal into *folder*."""
    journal = folder / JOURNAL
    create(journal)
    with closing(connect(journal)) as connection:
        begin_era(connection)
    with closing(sqlite3.connect(journal)) as file, file:
        file.executemany(INSERT, rows(evenings))
        known = tuple(KnownPerson(n, f"Person {n}") for n in range(1, 13))
        write_register(file, Register(known))
    return journal


def taken(what: str, do: Callable[[], object]) -> None:
    """Say how long *what* took."""
    began = time.perf_counter()
    do()
    print(f"{what:<44} {(time.perf_counter() - began) * 1000:10.1f} ms", flush=True)


def main() -> int:
    """Measure, and print what came of it."""
    parser = argparse.ArgumentParser(description="Time the history on years of evenings.")
    parser.add_argument("--evenings", type=int, default=1000)
    parser.add_argument("--keep", type=Path, help="let the journal lie in this folder")
    arguments = parser.parse_args()
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="kloplei-years-"))
    folder.mkdir(parents=True, exist_ok=True)
    journal = folder / JOURNAL
    if not journal.exists():
        taken("played and written", lambda: lay(folder, arguments.evenings))
    service = HistoryService(journal, path=folder / "history.sqlite3")
    taken("rebuilt", service.update)
    print("  ", service.stand())
    lines = service.evenings(None, 100)
    print("  ", sum(one.hands for one in lines), "hands in the last 100 evenings")
    with closing(sqlite3.connect(journal)) as file:
        print("  ", *file.execute("SELECT count(*) FROM entries").fetchone(), "entries")
    taken("nothing new", service.update)
    taken("a page of 50 evenings", service.evenings)
    taken("an evening", lambda: service.evening(-1))
    taken("people", service.people)
    taken("a person", lambda: service.person(1))
    taken("everybody's numbers", service.statistics)
    taken("a person's numbers", lambda: service.statistics(person=1))
    taken("the table of honour", service.table)
    if not arguments.keep:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
