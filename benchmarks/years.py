"""How long it takes to tell years of evenings: rebuilt, asked for, and one hand more.

    python benchmarks/years.py [--evenings 1000]

Dice play forty evenings of about forty hands in all games, with corrections and undone steps, and
these come again as often as it takes, with other names and on other days.
"""

import argparse
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
HANDS = 48  # some of which are taken back
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


def lay(journal: Path, evenings: int) -> list[tuple[Any, ...]]:
    """Lay such a *journal*, all but its last hand, and return the rows of that."""
    create(journal)
    with closing(connect(journal)) as connection:
        begin_era(connection)
    told = list(rows(evenings))
    last = max(n for n, row in enumerate(told) if row[5] == "Dealt")
    grow(journal, told[:last])
    with closing(sqlite3.connect(journal)) as file, file:
        known = tuple(KnownPerson(n, f"Person {n}") for n in range(1, 13))
        write_register(file, Register(known))
    return told[last:]


def grow(journal: Path, told: list[tuple[Any, ...]]) -> None:
    """Write the rows *told* into the *journal*."""
    with closing(sqlite3.connect(journal)) as file, file:
        file.executemany(INSERT, told)


def taken(what: str, do: Callable[[], object]) -> None:
    """Say how long *what* took, and how much of that the processor was busy with it."""
    began_s, busy_s = time.perf_counter(), time.process_time()
    do()
    took_s, busy_s = time.perf_counter() - began_s, time.process_time() - busy_s
    print(f"{what:<24} {took_s * 1000:10.1f} ms {busy_s * 1000:10.1f} ms busy", flush=True)


def main() -> int:
    """Measure, and print what came of it."""
    parser = argparse.ArgumentParser(description="Time the history on years of evenings.")
    parser.add_argument("--evenings", type=int, default=1000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kloplei-years-") as folder:
        measure(Path(folder) / JOURNAL, arguments.evenings)
    return 0


def measure(journal: Path, evenings: int) -> None:
    """Play so many *evenings* into the *journal*, and say how long it takes to tell them."""
    last_hand = lay(journal, evenings)
    service = HistoryService(journal)
    taken("all of it", service.update)
    with closing(sqlite3.connect(journal)) as file:
        ((entries,),) = file.execute("SELECT count(*) FROM entries")
    lines = service.evenings(None, 100)
    each = sum(one.hands for one in lines) / len(lines)
    print(f"  {service.stand().evenings} evenings of {each:.0f} hands, {entries} entries")
    grow(journal, last_hand)
    taken("the end of a hand", service.update)
    taken("nothing new", service.update)
    taken("a page of 50 evenings", service.evenings)
    taken("an evening", lambda: service.evening(-1))
    taken("people", service.people)
    taken("a person", lambda: service.person(1))
    taken("everybody's numbers", service.statistics)
    taken("a person's numbers", lambda: service.statistics(person=1))
    taken("the table of honour", service.table)


if __name__ == "__main__":
    sys.exit(main())
