"""``kill -9`` at any moment: what was acknowledged is there again, and nothing by halves."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from kloplei.games.catalogue import GAMES
from kloplei.table.journal import Journal
from kloplei.table.journal_file import Entry
from kloplei.table.session import Session
from tests.killed import Killable, killable, some_chance
from tests.table.memory_journal import MemoryJournal
from tests.table.streaming_table import drafted, lasting

KILLS, KILLS_AT_A_GAME = 60, 30
KILLS_IN_A_HAND = 12
KILLS_A_FILE = 5  # then a fresh one, so that opening it stays quick


@pytest.fixture(scope="module")
def tables() -> Iterator[Killable]:
    with killable("tests.table.streaming_table") as tables:
        yield tables


@pytest.fixture
def chance() -> random.Random:
    return some_chance()


def assert_whole_steps(entries: list[Entry]) -> None:
    """Assert that *entries* are steps of `stream_steps` from first to last, none by halves."""
    for entry in entries:
        nth, of = entry.facts["nth"], entry.facts["of"]
        assert isinstance(nth, int)
        assert isinstance(of, int)
        assert entry.step == entry.seq - nth + of - 1
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    assert not entries or entries[-1].seq == entries[-1].step


def test_a_killed_journal_holds_every_acknowledged_step_and_no_half_one(
    tables: Killable, tmp_path: Path, chance: random.Random
) -> None:
    acknowledged = 0
    for kill in range(KILLS):
        path = tmp_path / f"{kill // KILLS_A_FILE}.db"

        told = tables.run_and_kill("journal", path, chance)

        with Journal(path) as journal:
            assert_whole_steps(list(journal.entries()))
            assert journal.last_seq >= max(told, default=0)
            assert journal.salvaged is None
        acknowledged += len(told)
    print(f"{acknowledged} steps acknowledged")
    assert acknowledged > KILLS  # else it was killed before it did anything


@pytest.mark.parametrize("game", GAMES)
def test_after_a_kill_the_same_hand_stands_with_the_same_stake(
    tables: Killable, tmp_path: Path, chance: random.Random, game: str
) -> None:
    """With an open raise, a sealed deal or half a trick on the table as well.

    It takes its time: so many tables are played at, killed and opened again.
    """
    acknowledged = 0
    for kill in range(KILLS_AT_A_GAME):
        path = tmp_path / f"{kill // KILLS_A_FILE}.db"

        told = tables.run_and_kill(game, path, chance)

        with Journal(path) as journal:
            assert journal.salvaged is None
            restarted = lasting(Session(journal).scoreboard())
            # If it stands as it was told last, nothing came after; else what came is taken away.
            if told and restarted != told[-1]:
                assert restarted["seq"] > told[-1]["seq"]
                assert slate_at(told[-1]["seq"], journal) == told[-1]
        acknowledged += len(told)
    print(f"{acknowledged} actions acknowledged")
    assert acknowledged > KILLS_AT_A_GAME


def test_after_a_kill_a_half_told_hand_stands_there_with_what_it_would_pay(
    tables: Killable, tmp_path: Path, chance: random.Random
) -> None:
    entries = 0
    for kill in range(KILLS_IN_A_HAND):
        path = tmp_path / f"{kill}.db"

        told = tables.run_and_kill("telling", path, chance)

        with Journal(path) as journal:
            restarted = drafted(Session(journal).scoreboard())
        if told:
            assert restarted == told[-1] or restarted["seq"] > told[-1]["seq"]
            entries += sum("entry" in line for line in restarted["draft"])
    print(f"{entries} entries were there again")
    assert entries > KILLS_IN_A_HAND


def slate_at(seq: int, journal: Journal) -> dict[str, object]:
    """Return the slate as it stood at *seq*; at most one step came after, not yet told."""
    until = MemoryJournal()
    steps: dict[int, list[Entry]] = {}
    for entry in journal.entries():
        steps.setdefault(entry.step, []).append(entry)
    for step in steps.values():
        if step[-1].seq <= seq:
            written = [(entry.event, entry.facts) for entry in step]
            until.append(written, seat=step[0].seat, via=step[0].via, at=step[0].at)
    assert sum(step > seq for step in steps) <= 1
    return lasting(Session(until).scoreboard())
