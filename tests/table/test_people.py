"""People: who is somebody, by which words, and that their names stand beside the entries alone."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from kloplei.games.game import IllegalAction, Seat
from kloplei.table import ledger
from kloplei.table.client import BadRequest, JournalWriteError
from kloplei.table.journal import Journal, JournalError
from kloplei.table.journal_file import PAGE_BYTES
from kloplei.table.people import MOST_PEOPLE, Alias, KnownPerson, Register
from tests.table.memory_journal import MemoryJournal
from tests.table.seated import Tabletop, reason_of, told

JAN, PIET, HIDDEN, FORGOTTEN, MERGED = 41, 42, 43, 44, 45


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kloplei.db"


@pytest.fixture
def known() -> MemoryJournal:
    """A journal that knows Jan and Piet, and Cor, who is hidden."""
    journal = MemoryJournal()
    hidden, forgotten = (
        KnownPerson(HIDDEN, "Cor", hidden=True),
        KnownPerson(FORGOTTEN, "", forgotten=True),
    )
    merged = KnownPerson(MERGED, "", merged=JAN)
    people = (KnownPerson(JAN, "Jan"), KnownPerson(PIET, "Piet"), hidden, forgotten, merged)
    journal.people = Register(people)
    return journal


@pytest.fixture
def kept(path: Path) -> Iterator[Tabletop]:
    """A table whose journal is on disk; Jan is remembered at seat 1, Gijs is a guest at seat 2."""
    with Journal(path) as journal:
        tabletop = Tabletop(journal, seats=4)
        tabletop.ask(1, "sit_down", facts={"name": "Jan", "remember": True})
        tabletop.ask(2, "sit_down", facts={"name": "Gijs"})
        yield tabletop


def sitting(tabletop: Tabletop) -> dict[int, tuple[str, int | None]]:
    return {row.seat.shown: (row.name, row.person) for row in tabletop.board.rows}


def entries(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return "\n".join(facts for (facts,) in connection.execute("SELECT facts FROM entries"))


def test_who_sits_down_as_somebody_is_called_so(known: MemoryJournal) -> None:
    tabletop = Tabletop(known, seats=4)

    tabletop.ask(1, "sit_down", facts={"person": JAN})
    tabletop.ask(2, "sit_down", facts={"person": PIET})
    tabletop.ask(3, "sit_down", facts={"name": "Gijs"})

    assert sitting(tabletop) == {1: ("Jan", JAN), 2: ("Piet", PIET), 3: ("Gijs", None)}


def test_who_was_merged_into_another_sits_down_as_that(known: MemoryJournal) -> None:
    tabletop = Tabletop(known, seats=4)

    tabletop.ask(1, "sit_down", facts={"person": MERGED})

    assert sitting(tabletop) == {1: ("Jan", JAN)}


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"person": JAN}, "person_seated"),
        ({"person": MERGED}, "person_seated"),
        ({"person": HIDDEN}, "no_such_person"),
        ({"person": FORGOTTEN}, "no_such_person"),
        ({"person": 999}, "no_such_person"),
        ({"name": "jan"}, "name_taken"),
        ({"name": "PIET", "remember": True}, "name_known"),
        ({"remember": True}, "no_name"),
        ({"name": "Plek 7", "remember": True}, "no_name"),
        ({"name": "a\tb", "remember": True}, "bad_name"),
    ],
)
def test_nobody_sits_down_as_who_they_cannot_be(
    known: MemoryJournal, facts: dict[str, object], reason: str
) -> None:
    tabletop = Tabletop(known, seats=4)
    tabletop.ask(1, "sit_down", facts={"person": PIET})
    tabletop.ask(1, "stand_up")
    tabletop.ask(1, "sit_down", facts={"person": JAN})

    assert reason_of(tabletop, 2, "sit_down", facts) == reason
    assert sitting(tabletop) == {1: ("Jan", JAN)}


def test_a_guest_may_have_the_name_of_somebody_who_is_not_there(known: MemoryJournal) -> None:
    tabletop = Tabletop(known, seats=4)
    tabletop.ask(1, "sit_down", facts={"name": "Jan"})

    assert sitting(tabletop) == {1: ("Jan", None)}
    assert reason_of(tabletop, 2, "sit_down", {"person": JAN}) == "name_taken"
    tabletop.ask(1, "recognise", facts={"person": JAN})
    assert sitting(tabletop) == {1: ("Jan", JAN)}


def test_nobody_is_remembered_who_did_not_ask_for_it(path: Path) -> None:
    with Journal(path) as journal:
        tabletop = Tabletop(journal, seats=4).start(1, 2)
        tabletop.ask(1, "rename", facts={"name": "Jan"})
        tabletop.ask(None, "new_evening")

        assert journal.people == Register()
    assert "person" not in entries(path)
    assert "people" not in entries(path)


def test_a_name_stands_beside_the_entries_alone(kept: Tabletop, path: Path) -> None:
    ((person, name),) = [(one.id, one.name) for one in kept.journal.people.known]
    kept.ask(1, "swap", facts={"of": 3})
    kept.ask(3, "stand_up")
    kept.ask(3, "sit_down", facts={"person": person})
    kept.ask(None, "start")
    kept.ask(None, "new_evening")

    assert name == "Jan"
    assert sitting(kept) == {2: ("Gijs", None), 3: ("Jan", person)}
    assert "Gijs" in entries(path)
    assert "Jan" not in entries(path)


def test_years_of_evenings_are_read_a_little_at_a_time(
    known: MemoryJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them at once held up the first knock after a start, for seconds."""
    monkeypatch.setattr(ledger, "_SEEN_AT_ONCE", 3)
    tabletop = Tabletop(known, seats=4)
    tabletop.ask(1, "sit_down", facts={"person": PIET})
    tabletop.ask(1, "undo")
    for seat, person in ((1, JAN), (2, PIET)):
        tabletop.ask(seat, "sit_down", facts={"person": person})
    for _ in range(3):
        tabletop.ask(None, "start")
        tabletop.ask(None, "new_evening")
    again = Tabletop(known, seats=4)

    settled = 0
    while again.table.settle() or again.table.settles_on:
        settled += 1

    assert settled >= 3
    seen = {one.name: one.seq for one in again.table.people.people()}
    assert seen == {one.name: one.seq for one in Tabletop(known, seats=4).table.people.people()}
    assert seen["Jan"] is not None


def test_who_is_remembered_is_so_after_a_restart(kept: Tabletop, path: Path) -> None:
    before = sitting(kept)
    kept.journal.close()

    with Journal(path) as journal:
        assert sitting(Tabletop(journal, seats=4)) == before
    assert before[1][1] is not None


def test_a_guest_becomes_somebody_and_is_a_guest_again(kept: Tabletop) -> None:
    kept.ask(2, "recognise", facts={"remember": True})
    said = kept.board.news
    became = sitting(kept)[2]
    assert reason_of(kept, 2, "recognise", {"remember": True}) == "is_person"

    kept.ask(2, "recognise", facts={"guest": True})

    assert said is not None
    assert (said.key, said.facts["name"]) == ("news.recognised", "Gijs")
    assert (became[0], became[1] is None) == ("Gijs", False)
    assert sitting(kept)[2] == ("Plek 2", None)
    assert kept.board.news is not None
    assert kept.board.news.key == "news.guest-again"
    assert reason_of(kept, 2, "recognise", {"guest": True}) == "is_guest"
    assert reason_of(kept, 2, "recognise", {"remember": True}) == "no_name"


@pytest.mark.parametrize(
    "facts", [{}, {"remember": True, "guest": True}, {"person": JAN, "remember": True}]
)
def test_one_thing_is_said_of_who_sits_there(kept: Tabletop, facts: dict[str, object]) -> None:
    with pytest.raises(BadRequest):
        kept.ask(2, "recognise", facts=facts)


def test_what_somebody_is_called_is_not_changed_at_the_seat(kept: Tabletop) -> None:
    for action, facts in (("rename", {"name": "Joop"}), ("shorten", {"short": "J"})):
        assert reason_of(kept, 1, action, facts) == "is_person"
    offers = {offer.action for offer in kept.board.rows[0].offers}
    assert "rename" not in offers
    assert "recognise" in offers


def test_who_is_remembered_by_a_step_that_is_taken_back_may_be_so_again(kept: Tabletop) -> None:
    kept.ask(2, "recognise", facts={"remember": True})
    gijs = sitting(kept)[2]
    kept.ask(None, "undo")
    assert sitting(kept)[2] == ("Gijs", None)

    kept.ask(None, "redo")
    assert sitting(kept)[2] == gijs
    kept.ask(None, "undo")
    kept.ask(2, "recognise", facts={"remember": True})

    assert sitting(kept)[2] == gijs
    assert len(kept.journal.people.known) == 2
    kept.ask(2, "stand_up")
    assert reason_of(kept, 3, "sit_down", {"name": "Gijs", "remember": True}) == "name_known"


def test_so_many_are_remembered_and_no_more(known: MemoryJournal) -> None:
    """A phone that sits down and gets up ten thousand times, as somebody else each time."""
    more = tuple(KnownPerson(100 + n, f"Nr {n}") for n in range(MOST_PEOPLE - 3))
    known.people = Register((*known.people.known, *more))
    tabletop = Tabletop(known, seats=4)
    facts = {"name": "Gijs", "remember": True}

    assert reason_of(tabletop, 1, "sit_down", facts) == "too_many_people"

    tabletop.ask(1, "sit_down", facts={"name": "Gijs"})
    assert reason_of(tabletop, 1, "recognise", {"remember": True}) == "too_many_people"
    with pytest.raises(IllegalAction, match="too_many_people"):
        tabletop.table.people.adopt("Gijs")
    tabletop.ask(2, "sit_down", facts={"person": JAN})
    tabletop.ask(2, "stand_up")
    tabletop.table.people.merge(PIET, JAN)
    tabletop.ask(1, "recognise", facts={"remember": True})
    assert sitting(tabletop)[1][1] is not None


def test_a_refused_step_remembers_nobody(path: Path) -> None:
    with Journal(path) as journal:
        tabletop = Tabletop(journal, seats=4)
        tabletop.ask(1, "sit_down", facts={"name": "Jan"})
        assert reason_of(tabletop, 1, "sit_down", {"name": "Piet", "remember": True}) is not None
        assert journal.people == Register()


def test_a_guest_of_before_is_who_somebody_said_it_was() -> None:
    journal = MemoryJournal()
    tabletop = Tabletop(journal, seats=4)
    tabletop.ask(1, "sit_down", facts={"name": "Jan"})
    tabletop.ask(2, "sit_down")
    tabletop.ask(2, "rename", facts={"name": "Piet"})
    journal.people = Register(
        (KnownPerson(JAN, "Jan de Boer"), KnownPerson(PIET, "Pieter")),
        (Alias("Jan", JAN, journal.last_seq), Alias("Piet", PIET, journal.last_seq)),
    )

    again = Tabletop(journal, seats=4)
    again.ask(1, "stand_up")
    again.ask(3, "sit_down", facts={"name": "Jan"})  # another one, and later

    assert sitting(again) == {2: ("Pieter", PIET), 3: ("Jan", None)}


def test_who_is_forgotten_was_a_guest(known: MemoryJournal) -> None:
    tabletop = Tabletop(known, seats=4)
    tabletop.ask(1, "sit_down", facts={"person": JAN})
    tabletop.ask(2, "sit_down", facts={"person": PIET})
    known.people = Register((KnownPerson(JAN, "", forgotten=True),))  # and Piet's row is lost

    again = Tabletop(known, seats=4)

    assert sitting(again) == {1: ("Plek 1", None), 2: ("Plek 2", None)}


def test_a_journal_written_anew_keeps_its_people(kept: Tabletop, path: Path) -> None:
    before = kept.journal.people
    path.unlink()

    kept.ask(2, "rename", facts={"name": "Gijsbert"})
    kept.journal.close()

    with Journal(path) as journal:
        assert journal.people == before
        assert sitting(Tabletop(journal, seats=4))[1][0] == "Jan"


def test_a_journal_half_salvaged_keeps_its_people(kept: Tabletop, path: Path) -> None:
    before = kept.journal.people
    kept.ask(3, "sit_down")
    kept.journal.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE entries SET facts = '{}' WHERE seq = 3")

    with Journal(path) as journal:
        assert journal.salvaged is not None
        assert journal.people == before
        assert sitting(Tabletop(journal, seats=4))[1][0] == "Jan"


def test_what_the_keeper_changed_holds_after_a_restart(kept: Tabletop, path: Path) -> None:
    kept.ask(2, "recognise", facts={"remember": True})
    jan, gijs = (kept.board.rows[at].person or 0 for at in (0, 1))
    people = kept.table.people
    people.rename(jan, "Johannes")
    people.hide(gijs, hidden=True)
    kept.ask(None, "undo")
    kept.journal.close()

    with Journal(path) as journal:
        again = Tabletop(journal, seats=4)
        assert sitting(again) == {1: ("Johannes", jan), 2: ("Gijs", None)}
        assert reason_of(again, 2, "recognise", {"person": gijs}) == "no_such_person"
    assert "Joh" not in entries(path)


def test_a_change_that_cannot_be_written_changes_nothing(
    kept: Tabletop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise JournalError("The disk is full.")

    jan, before = kept.board.rows[0].person or 0, told(kept.board)
    monkeypatch.setattr(kept.journal, "write_people", full)

    with pytest.raises(JournalWriteError):
        kept.table.people.rename(jan, "Johannes")

    assert told(kept.board) == before


def test_who_sits_there_is_remembered_by_years_of_entries(path: Path) -> None:
    """What is too old to be taken back is read once; nobody who was undone is in it."""
    with Journal(path, reach=8) as journal:
        tabletop = Tabletop(journal, seats=4)
        tabletop.ask(1, "sit_down", facts={"name": "Jan", "remember": True})
        tabletop.ask(2, "sit_down", facts={"name": "Piet", "remember": True})
        tabletop.ask(None, "undo")
        tabletop.ask(1, "swap", facts={"of": 3})
        tabletop.ask(3, "stand_up")
        for n in range(30):
            tabletop.ask(4, "stand_up" if n % 2 else "sit_down")
        people, last = tabletop.table.people.people(), tabletop.table._ledger.sightings().last
    with Journal(path, reach=8) as journal:
        again = Tabletop(journal, seats=4).table

        assert again.people.people() == people
        assert again._ledger.sightings().last == last
    assert (people[0].name, people[0].seq) == ("Jan", 6)
    assert last[Seat(2)] == people[0].id


def people_page(path: Path) -> int:
    """Return the number of the page on which the table of people begins."""
    with closing(sqlite3.connect(path)) as connection:
        read = "SELECT rootpage FROM sqlite_schema WHERE name = 'people'"
        return int(connection.execute(read).fetchone()[0])


@pytest.mark.parametrize("where", ["header", "schema", "tree", "log"])
def test_a_journal_that_sqlite_cannot_read_keeps_its_people(
    kept: Tabletop, path: Path, where: str
) -> None:
    kept.table.people.adopt("Gijs")
    before = kept.journal.people
    if where == "log":  # all of it is there and nothing in the file yet
        copy = path.with_name("copy")
        copy.mkdir()
        for name in (path.name, f"{path.name}-wal"):
            (copy / name).write_bytes((path.parent / name).read_bytes())
        path = copy / path.name
    kept.journal.close()
    with path.open("r+b") as file:
        if where == "tree":
            file.seek((people_page(path) - 1) * PAGE_BYTES + 5)
            file.write(b"\xff\xff")  # where its cells begin
        else:
            file.seek({"header": 0, "schema": 100, "log": 0}[where])
            file.write(b"\xff" * 40)

    with Journal(path) as journal:
        assert journal.salvaged is not None
        assert {one.id: one for one in journal.people.known} == {
            one.id: one for one in before.known
        }
        assert journal.people.aliases == before.aliases
        assert sitting(Tabletop(journal, seats=4))[2][0] == "Gijs"


def test_no_undo_brings_one_person_to_two_seats_or_two_of_one_name(kept: Tabletop) -> None:
    """Two who sat at the table together are two, as long as anybody may take back to then."""
    people, jan = kept.table.people, kept.board.rows[0].person or 0
    kept.ask(3, "sit_down", facts={"name": "Piet", "remember": True})
    piet = kept.board.rows[2].person or 0
    kept.ask(3, "stand_up")
    kept.ask(2, "stand_up")

    with pytest.raises(IllegalAction, match="sat_together"):
        people.merge(piet, jan)
    with pytest.raises(IllegalAction, match="name_taken"):
        people.rename(jan, "Gijs")
    people.rename(piet, "Gijsbert")
    kept.ask(None, "undo", facts={"steps": 2})
    assert sitting(kept) == {1: ("Jan", jan), 2: ("Gijs", None), 3: ("Gijsbert", piet)}


CALLED = ("Anna", "Bob", "Cor", "Dik")
DOING = (
    *("sit", "sit as", "sit to stay", "knock", "knock", "stand up", "recognise", "stay", "guest"),
    *("rename", "swap", "start", "evening", "undo", "redo", "keeper renames", "merge", "adopt"),
)


def do_something(tabletop: Tabletop, chance: random.Random) -> None:
    """Let anybody do anything; most of it is refused."""
    people, seat = tabletop.table.people, chance.randint(1, 4)
    known = [one.id for one in people.people()] or [1]
    name, person, other = chance.choice(CALLED), chance.choice(known), chance.choice(known)
    with suppress(IllegalAction):
        match chance.choice(DOING):
            case "sit":
                tabletop.ask(seat, "sit_down", facts={"name": name})
            case "sit as":
                tabletop.ask(seat, "sit_down", facts={"person": person})
            case "sit to stay":
                tabletop.ask(seat, "sit_down", facts={"name": name, "remember": True})
            case "knock":
                tabletop.knock(seat, chance.choice((1, 1, 1, 3, 4)))
            case "stand up":
                tabletop.ask(seat, "stand_up")
            case "recognise":
                tabletop.ask(seat, "recognise", facts={"person": person})
            case "stay":
                tabletop.ask(seat, "recognise", facts={"remember": True})
            case "guest":
                tabletop.ask(seat, "recognise", facts={"guest": True})
            case "rename":
                tabletop.ask(seat, "rename", facts={"name": name})
            case "swap":
                tabletop.ask(seat, "swap", facts={"of": chance.randint(1, 4)})
            case "start":
                tabletop.ask(seat, "start")
            case "evening":
                tabletop.ask(None, "new_evening")
            case "undo" | "redo" as step:
                tabletop.ask(None, step, facts={"steps": chance.choice((1, 1, 2))})
            case "keeper renames":
                people.rename(person, name)
            case "merge":
                people.merge(person, other)
            case "adopt":
                people.adopt(name)


@pytest.mark.parametrize("reach", [None, 12])
def test_whatever_people_do_a_restart_knows_the_same(path: Path, reach: int | None) -> None:
    chance = random.Random(reach or 0)
    for _ in range(6):
        with Journal(path, reach=reach) as journal:
            tabletop = Tabletop(journal, seats=4)
            for _ in range(12):
                do_something(tabletop, chance)
                at_once = [row.person for row in tabletop.board.rows if row.person is not None]
                assert len(at_once) == len({*at_once})
            tabletop.wait(60)
            stood, people = told(tabletop.board), tabletop.table.people.people()
            last = tabletop.table._ledger.sightings().last
        with Journal(path, reach=reach) as journal:
            again = Tabletop(journal, seats=4)
            assert journal.salvaged is None
            assert told(again.board) == stood
            assert again.table.people.people() == people
            assert again.table._ledger.sightings().last == last


@pytest.mark.parametrize(("wall_s", "at"), [(12.5, None), (1.8e9, 1.8e9)])
def test_when_somebody_was_here_is_not_told_by_a_clock_that_nobody_had_set(
    wall_s: float, at: float | None
) -> None:
    tabletop = Tabletop(seats=4, wall=lambda: wall_s)

    tabletop.ask(1, "sit_down", facts={"name": "Jan", "remember": True})

    assert [one.at for one in tabletop.table.people.people()] == [at]
