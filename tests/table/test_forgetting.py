"""Forgetting: the name is in no byte of any file any more, and what was played stays."""

import errno
import json
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kloplei import backup
from kloplei.config.settings import HISTORY, JOURNAL
from kloplei.games.catalogue import build_game
from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.history.service import HistoryService
from kloplei.table.client import JournalWriteError
from kloplei.table.journal import Journal
from kloplei.table.journal_chain import find_break, last_link
from kloplei.table.journal_file import open_to_read
from tests.table.memory_journal import MemoryJournal
from tests.table.seated import Tabletop, told
from tests.table.test_people import sitting

NAME, SECOND = "Zwaantjé", "Zwaantjé de W"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / JOURNAL


def person_at(tabletop: Tabletop, seat: int) -> int:
    return next(row.person for row in tabletop.board.rows if row.seat.shown == seat) or 0


def play(tabletop: Tabletop) -> None:
    for winner in (1, 2):
        tabletop.ask(None, "deal")
        tabletop.ask(2, "raise")
        tabletop.ask(winner, "win")


def write_on(tabletop: Tabletop, steps: int) -> None:
    for n in range(steps):
        tabletop.ask(2, "rename", facts={"name": f"Bo {n}"})


def lived(journal: Journal, *, plays: bool = True) -> Tabletop:
    """An evening of a guest who became somebody, and one of before by the same name.

    The snapshot knows our own games alone, and so nothing of one that is a toy.
    """
    tabletop = Tabletop(journal, seats=4)
    tabletop.ask(3, "sit_down", facts={"name": "Gijs"})
    tabletop.ask(1, "sit_down", facts={"name": NAME})
    tabletop.ask(1, "stand_up")
    tabletop.ask(1, "sit_down")
    tabletop.ask(1, "rename", facts={"name": SECOND})
    tabletop.ask(2, "sit_down")
    if plays:
        tabletop.ask(3, "start")
        play(tabletop)
        tabletop.ask(None, "new_evening")
    tabletop.table.settle()  # the mark holds who sat there
    tabletop.ask(1, "recognise", facts={"remember": True})
    tabletop.table.people.rename(person_at(tabletop, 1), NAME)
    if plays:
        tabletop.ask(3, "start")
        play(tabletop)
    tabletop.table.settle()
    return tabletop


def real(journal: Journal) -> Tabletop:
    """A hand of toepen by a guest who became somebody."""
    tabletop = Tabletop(journal, build=build_game, game="toepen", seats=4)
    for seat, name in ((1, NAME), (2, "Bo"), (3, "Gijs")):
        tabletop.ask(seat, "sit_down", facts={"name": name})
    tabletop.ask(1, "start")
    hand(tabletop)
    tabletop.ask(None, "new_evening")
    tabletop.ask(1, "recognise", facts={"remember": True})
    return tabletop


def hand(tabletop: Tabletop) -> None:
    tabletop.ask(None, "deal")
    tabletop.ask(2, "trick", facts={"n": 4})


def holders(folder: Path) -> list[str]:
    """Return the files in which any of her names stands, however it is spelled there."""
    spelled = {
        form for one in (NAME, SECOND) for form in (one.encode(), json.dumps(one)[1:-1].encode())
    }
    files = (one for one in folder.rglob("*") if one.is_file())
    return [one.name for one in files if any(form in one.read_bytes() for form in spelled)]


def standing(tabletop: Tabletop) -> list[tuple[int, int, dict[str, int]]]:
    return [(row.seat.shown, row.tally, dict(row.counts)) for row in tabletop.board.rows]


def links(path: Path) -> dict[int, bytes]:
    with closing(open_to_read(path)) as connection:
        return dict(connection.execute("SELECT seq, link FROM chain"))


def test_no_byte_of_any_file_knows_the_name_and_the_numbers_stay(path: Path) -> None:
    with Journal(path) as journal:
        tabletop = lived(journal)
        for kept in (".shorter-1", ".damaged-1", ".damaged-1-wal"):
            shutil.copyfile(path, Path(f"{path}{kept}"))
        (path.parent / backup.ASIDE).mkdir()
        shutil.copyfile(path, path.parent / backup.ASIDE / JOURNAL)
        assert holders(path.parent)
        before, seq = standing(tabletop), tabletop.board.seq

        forgotten = tabletop.table.people.forget(person_at(tabletop, 1))

        assert holders(path.parent) == []
        assert forgotten.entries > 3
        assert forgotten.copies == 3
        assert (standing(tabletop), tabletop.board.seq) == (before, seq)
        assert sitting(tabletop)[1] == ("Plek 1", None)
        assert sitting(tabletop)[3] == ("Gijs", None)
        tabletop.ask(None, "deal")  # and it goes on
        tabletop.ask(None, "undo")
        seen = told(tabletop.board)
        tabletop.table.settle()
        assert holders(path.parent) == []
    assert holders(path.parent) == []
    with Journal(path) as journal:
        assert journal.salvaged is None
        again = Tabletop(journal, seats=4)
        assert told(again.board) == seen
        assert again.table.people.people() == ()


def test_what_stays_of_the_evenings_is_read_anew_without_the_name(path: Path) -> None:
    history = HistoryService(path)
    with Journal(path) as journal:
        tabletop = real(journal)
        hands: list[list[int]] = []

        def boards() -> Iterator[Scoreboard | None]:
            yield tabletop.board
            assert HISTORY in holders(path.parent)
            hands.append([one.hands for one in history.evenings()])
            tabletop.table.people.forget(person_at(tabletop, 1))
            assert holders(path.parent) == []
            yield None  # a sign of life of the table, which has no news
            hands.append([one.hands for one in history.evenings()])

        history.follow(boards())

        assert hands[0] == hands[1] != []
        assert holders(path.parent) == []
    history.close()


def test_who_is_forgotten_is_not_asked_for_nor_sits_down(path: Path) -> None:
    with Journal(path) as journal:
        tabletop = lived(journal)
        person = person_at(tabletop, 1)
        tabletop.table.people.forget(person)

        assert tabletop.table.people.offered(Seat(3)) == ()
        for change in (
            lambda: tabletop.table.people.forget(person),
            lambda: tabletop.ask(2, "recognise", facts={"person": person}),
        ):
            with pytest.raises(IllegalAction, match="no_such_person"):
                change()
        tabletop.ask(None, "new_evening")
        tabletop.ask(1, "rename", facts={"name": NAME})  # a new guest may be called so
        tabletop.ask(1, "recognise", facts={"remember": True})
        assert person_at(tabletop, 1) != person


def test_a_mistake_that_was_taken_back_costs_nobody_their_name(path: Path) -> None:
    with Journal(path) as journal:
        tabletop = lived(journal)
        tabletop.ask(None, "new_evening")
        person = person_at(tabletop, 1)
        tabletop.ask(1, "stand_up")
        tabletop.ask(3, "recognise", facts={"person": person})  # it was Gijs
        tabletop.ask(None, "undo")

        tabletop.table.people.forget(person)

        assert sitting(tabletop)[3] == ("Gijs", None)


def test_what_came_before_keeps_its_links_and_the_era_says_what_it_supersedes(path: Path) -> None:
    with Journal(path) as journal:
        tabletop = lived(journal)
        journal.settle()
        before, (box, era) = links(path), journal.origin or ("", "")

        tabletop.table.people.forget(person_at(tabletop, 1))

        after, now = links(path), journal.origin
    report = backup.read_report(path.parent)
    first = min(seq for seq in before if before[seq] != after[seq])

    assert now is not None
    assert (now[0] == box, now[1] == era) == (True, False)
    assert report.is_whole
    assert (report.era, report.supersedes) == (now[1], era)
    assert report.untouched == max(seq for seq in before if seq < first)
    assert first <= 4
    assert set(after) == set(before)
    with closing(open_to_read(path)) as connection:
        assert find_break(connection) is None
        assert last_link(connection)[0] == report.entries


def test_a_journal_read_from_its_snapshot_forgets_as_well(path: Path) -> None:
    with Journal(path, reach=10) as journal:
        tabletop = lived(journal, plays=False)
        write_on(tabletop, 30)
        assert journal.snapshot is None
    with Journal(path, reach=10) as journal:
        assert journal.snapshot is not None
        tabletop = Tabletop(journal, seats=4)
        write_on(tabletop, 4)
        tabletop.table.people.forget(person_at(tabletop, 1))
        seen = told(tabletop.board)
        assert holders(path.parent) == []
    with Journal(path, reach=10) as journal:
        assert journal.snapshot is not None
        assert told(Tabletop(journal, seats=4).board) == seen


def test_all_who_were_merged_into_somebody_are_forgotten_with_them(path: Path) -> None:
    with Journal(path) as journal:
        tabletop = Tabletop(journal, seats=4)
        tabletop.ask(1, "sit_down", facts={"name": SECOND, "remember": True})
        second = person_at(tabletop, 1)
        tabletop.ask(1, "stand_up")
        tabletop.ask(2, "sit_down", facts={"name": NAME, "remember": True})
        people = tabletop.table.people
        people.merge(second, person_at(tabletop, 2))

        people.forget(second)

        assert holders(path.parent) == []
        assert people.people() == ()


def test_what_another_was_called_once_goes_as_well_where_it_is_the_same_name(path: Path) -> None:
    with Journal(path) as journal:
        tabletop = Tabletop(journal, seats=4)
        tabletop.ask(1, "sit_down", facts={"name": NAME})
        people = tabletop.table.people
        other = people.adopt(NAME)
        people.rename(other, "Gijs")
        tabletop.ask(1, "stand_up")
        tabletop.ask(2, "sit_down", facts={"name": NAME, "remember": True})

        people.forget(person_at(tabletop, 2))

        assert holders(path.parent) == []
        assert [one.name for one in people.people()] == ["Gijs"]


def test_a_damaged_journal_is_mended_first(path: Path) -> None:
    with Journal(path, reach=10) as journal:
        write_on(lived(journal, plays=False), 30)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE entries SET facts = '{}' WHERE seq = 2")
    with Journal(path, reach=10) as journal:
        tabletop = Tabletop(journal, seats=4)
        before = told(tabletop.board)

        with pytest.raises(JournalWriteError):
            tabletop.table.people.forget(person_at(tabletop, 1))

        assert told(tabletop.board) == before


def test_forgetting_undoes_nothing_that_was_remembered() -> None:
    journal = MemoryJournal()
    tabletop = lived(journal)
    person = person_at(tabletop, 1)

    tabletop.table.people.forget(person)

    assert not any(NAME in json.dumps(one.facts, ensure_ascii=False) for one in journal.entries())
    assert sitting(tabletop)[1] == ("Plek 1", None)


@pytest.mark.parametrize("first", [1, 3])
def test_no_two_are_called_alike_by_the_place_of_who_is_forgotten(first: int) -> None:
    tabletop = Tabletop(MemoryJournal(), seats=4)
    seats: dict[int, dict[str, object]]
    seats = {1: {"name": "Plek 3"}, 3: {"name": NAME, "remember": True}}
    for seat in (first, 4 - first):
        tabletop.ask(seat, "sit_down", facts=seats[seat])
    tabletop.ask(2, "sit_down")
    tabletop.ask(1, "start")

    for begin in (lambda: None, lambda: tabletop.ask(None, "new_evening")):
        begin()
        if person := person_at(tabletop, 3):
            tabletop.table.people.forget(person)
        called = {1: ("Plek 3", None), 2: ("Plek 2", None), 3: ("Plek 3 (2)", None)}
        assert sitting(tabletop) == called
    tabletop.ask(4, "sit_down", facts={"name": "Plek 4"})
    tabletop.ask(4, "undo")
    assert sitting(tabletop) == called


def test_a_guest_who_is_forgotten_is_nobody_else_without_a_name(path: Path) -> None:
    history = HistoryService(path)
    with Journal(path) as journal:
        tabletop = real(journal)
        (person,) = [one.id for one in tabletop.table.people.people()]
        tabletop.ask(1, "stand_up")
        tabletop.ask(4, "sit_down")  # called by the place
        tabletop.ask(2, "start")
        hand(tabletop)
        tabletop.ask(1, "sit_down", facts={"name": "Cor"})  # with three, nobody could leave
        tabletop.ask(4, "stand_up")
        tabletop.ask(4, "sit_down", facts={"name": NAME})
        hand(tabletop)
        history.update()
        before = [len(one.players) for one in history.evenings()]

        tabletop.table.people.forget(person)
        history.update()

        first, last = reversed(history.evenings())
    assert [len(one.players) for one in history.evenings()] == before
    assert [one.name for one in first.players] == ["", "Bo", "Gijs"]
    assert sorted(one.name for one in last.players) == ["", "Bo", "Cor", "Gijs", "Plek 4"]
    history.close()


CHANGING = {
    *("execute", "executemany", "executescript", "commit", "close", "backup", "__exit__"),
    *("rename", "replace", "unlink", "fsync", "fdatasync", "write", "pwrite", "open"),
}


def moments(folder: Path, done: Callable[[], object], kept: Path) -> list[Path]:
    """Do it, and return the folder as ``kill -9`` would have left it before each change of a file.

    Those that look the same are one.
    """
    found: dict[tuple[tuple[str, bytes], ...], Path] = {}

    def keep(_: object, event: str, called: Any) -> None:
        if event != "c_call" or called.__name__ not in CHANGING:
            return
        files = tuple((one.name, one.read_bytes()) for one in sorted(folder.iterdir()))
        if files not in found:
            found[files] = kept / str(len(found))
            shutil.copytree(folder, found[files])

    sys.setprofile(keep)
    try:
        done()
    finally:
        sys.setprofile(None)
    return list(found.values())


def test_killed_at_any_statement_the_old_journal_stands_or_the_new_one(path: Path) -> None:
    with Journal(path) as journal:
        tabletop = lived(journal)
        shutil.copyfile(path, Path(f"{path}.damaged-1"))
        before, numbers = sitting(tabletop), standing(tabletop)
        person = person_at(tabletop, 1)
        after = {**before, 1: ("Plek 1", None)}
        kept = path.parent.parent / "moments"
        folders = moments(path.parent, lambda: tabletop.table.people.forget(person), kept)

    seen = []
    for folder in folders:
        with Journal(folder / JOURNAL) as journal:
            again = Tabletop(journal, seats=4)
            assert journal.salvaged is None, folder
            assert standing(again) == numbers
            assert sitting(again) in (before, after)
            seen.append(sitting(again) == after)
        assert bool(holders(folder)) is not seen[-1], folder
    assert len(folders) > 8
    assert seen == sorted(seen)
    assert {*seen} == {True, False}


def test_a_disk_that_is_full_forgets_nobody(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with Journal(path) as journal:
        tabletop = lived(journal)
        before = told(tabletop.board)
        monkeypatch.setattr("kloplei.table.journal.make_ready", full)
        with pytest.raises(JournalWriteError):
            tabletop.table.people.forget(person_at(tabletop, 1))
        monkeypatch.undo()

        assert told(tabletop.board) == before
        tabletop.ask(None, "deal")
        tabletop.table.people.forget(person_at(tabletop, 1))
        assert holders(path.parent) == []


def test_a_copy_that_cannot_be_deleted_now_is_deleted_at_the_next_start(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    with Journal(path) as journal:
        tabletop = lived(journal)
        Path(f"{path}.damaged-1").write_text(NAME, encoding="utf-8")
        with monkeypatch.context() as locked:
            locked.setattr("kloplei.table.journal.purge", refuse)
            tabletop.table.people.forget(person_at(tabletop, 1))
        assert f"{JOURNAL}.damaged-1" in holders(path.parent)
        tabletop.ask(None, "deal")
    with Journal(path) as journal:
        assert journal.salvaged is None
        assert holders(path.parent) == []
