"""The links of SHA-256: each step has one, whatever became of the journal, and they prove it."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from kloplei.backup import make_backup, restore
from kloplei.cli.main import main
from kloplei.config.settings import JOURNAL
from kloplei.diagnostics.system import check_links
from kloplei.games.game import Seat
from kloplei.table import journal_chain
from kloplei.table.journal import Journal
from kloplei.table.journal_chain import copy_links, find_break
from kloplei.table.journal_file import link as crc_link
from kloplei.table.session import Session


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / JOURNAL


def write(journal: Journal, steps: int) -> None:
    for step in range(steps):
        events: list[tuple[str, dict[str, object]]] = [("First", {"step": step})]
        if step % 2:
            events.append(("Second", {"name": "Zoë"}))
        journal.append(events, seat=step % 4, via="pad", at=1.5)


def ask(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(sql).fetchall()


def links(path: Path) -> dict[int, bytes]:
    """Return the links of *path* by the last entry of their step, and see that none is broken."""
    with closing(sqlite3.connect(path)) as connection:
        assert find_break(connection) is None
        return dict(connection.execute("SELECT seq, link FROM chain").fetchall())


def step_ends(path: Path) -> set[int]:
    return {int(str(seq)) for (seq,) in ask(path, "SELECT DISTINCT step FROM entries")}


def test_a_link_is_the_sha_256_of_the_one_before_it_and_the_step(path: Path) -> None:
    """As docs/architecture.md has it, so that another program can find them too."""
    with Journal(path) as journal:
        write(journal, 2)
        assert journal.origin is not None
        before = sha256(json.dumps(journal.origin, separators=(",", ":")).encode()).digest()
    first = b'[1,1,1.5,0,"pad","First","{\\"step\\":0}"]'
    second = b'[2,3,1.5,1,"pad","First","{\\"step\\":1}"]\n[3,3,1.5,1,"pad","Second",'
    second += b'"{\\"name\\":\\"Zo\\\\u00eb\\"}"]'

    one = sha256(before + first).digest()

    assert links(path) == {1: one, 3: sha256(one + second).digest()}


def test_a_journal_of_before_gets_them_at_once_and_an_old_one_as_it_is_played_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(path) as journal:
        write(journal, 60)
    wanted = links(path)
    ask(path, "DROP TABLE chain")

    Journal(path).close()
    assert links(path) == wanted

    ask(path, "DELETE FROM chain WHERE seq > 9")  # as a version before plays on
    monkeypatch.setattr("kloplei.table.journal._LINKED_AT_START", 10)
    monkeypatch.setattr(journal_chain, "_AT_ONCE", 20)
    with Journal(path) as journal:
        assert len(links(path)) < len(wanted)
        for _ in range(9):
            journal.append([("Third", {})], seat=0, via="pad", at=None)
            journal.settle()
        last = journal.last_seq
    assert {seq: one for seq, one in links(path).items() if seq in wanted} == wanted
    assert links(path).keys() == step_ends(path)
    assert max(links(path)) == last


def test_undo_and_redo_are_steps_like_any_other(path: Path) -> None:
    with Journal(path) as journal, Session(journal) as session:
        for seat in range(3):
            session.submit(Seat(seat), "sit_down")
        session.submit(None, "undo", facts={"steps": 2})
        session.submit(None, "redo")

    assert links(path).keys() == step_ends(path)


def test_who_restores_a_backup_goes_on_from_the_same_link_to_another_one(path: Path) -> None:
    with Journal(path) as journal:
        write(journal, 9)
    common, backup = links(path), path.parent.parent / "evening.zip"
    make_backup(path.parent, backup, datetime(2026, 5, 1, tzinfo=UTC))
    ends = set()

    for name in ("one", "two"):
        restore(backup, path.parent.parent / name)
        with Journal(path.parent.parent / name / JOURNAL) as journal:
            journal.append([("Third", {})], seat=0, via="pad", at=None)
        after = links(path.parent.parent / name / JOURNAL)
        assert common.items() < after.items()
        ends.add(after[max(after)])

    assert len(ends) == 2


def test_a_salvaged_journal_keeps_the_links_of_what_is_sound(path: Path) -> None:
    with Journal(path) as journal:
        write(journal, 8)
    before = links(path)
    ask(path, "UPDATE entries SET facts = '{}' WHERE seq = 8")

    with Journal(path) as journal:
        assert journal.salvaged is not None
        journal.append([("Third", {})], seat=0, via="pad", at=None)

    after = links(path)
    assert after.keys() == step_ends(path)
    assert {seq: one for seq, one in before.items() if seq < 8}.items() <= after.items()
    assert after[max(after)] not in before.values()


def test_one_that_was_written_anew_keeps_them_all(path: Path) -> None:
    with Journal(path) as journal:
        write(journal, 20)
        before = links(path)
        path.unlink()
        write(journal, 1)

    assert before.items() < links(path).items()
    assert links(path).keys() == step_ends(path)


def test_where_nothing_but_bare_pages_is_left_they_are_found_anew(path: Path) -> None:
    with Journal(path) as journal:
        write(journal, 8)
    path.write_bytes(bytes(1024) + path.read_bytes()[1024:])

    with Journal(path) as journal:
        write(journal, 1)

    assert links(path).keys() == step_ends(path)


def test_a_forged_entry_is_found_and_stops_no_table(path: Path) -> None:
    """With all the entries' own links as they should be: CRCs keep nobody from lying."""
    with Journal(path) as journal:
        write(journal, 30)
    forge(path, seq=20)

    with closing(sqlite3.connect(path)) as connection:
        broken = find_break(connection)
        assert find_break(connection, last=10) is None
    with Journal(path) as journal:
        assert "Another journal" in str(journal.salvaged)  # the mark knows the last link
        journal.append([("Third", {})], seat=0, via="pad", at=None)

    assert broken == 21


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entries SET facts = '{\"lives\":0}' WHERE seq = 171",
        "UPDATE chain SET link = x'00' WHERE seq = 171",
        "UPDATE entries SET step = 174 WHERE seq = 172",
    ],
)
def test_what_another_program_changes_behind_all_memory_is_found_in_idle_moments(
    path: Path, change: str
) -> None:
    with Journal(path) as journal:
        write(journal, 150)
        for _ in range(10):
            journal.look_back()
        list(journal.entries(200, remember=True))

        ask(path, change)
        write(journal, 1)
        found = []
        for _ in range(10):
            journal.look_back()
            found.append(getattr(journal.salvaged, "facts", {}).get("seq"))
        journal.salvaged = None
        journal.look_back()

        assert found[0] is None, "so much at once holds up a knock"
        assert found[-1] in {171, 172}
        assert journal.salvaged is None, "it is told once"
        assert journal.last_seq == 226
    with Journal(path) as journal:
        write(journal, 2)


def test_a_journal_that_nobody_touched_is_looked_at_once_and_found_sound(path: Path) -> None:
    with Journal(path) as journal:
        write(journal, 100)
    with Journal(path) as journal:
        assert journal._chain is not None
        read: list[str] = []
        assert journal._connection is not None
        for _ in range(10):
            journal.look_back()
        journal._connection.set_trace_callback(read.append)
        journal.look_back()
        write(journal, 1)
        journal.look_back()

        assert journal.salvaged is None
        assert not [one for one in read if "FROM entries" in one]


def test_steps_that_somebody_took_out_stop_no_table(path: Path) -> None:
    """Their links still stand there, where those of the next steps have to go."""
    with Journal(path) as journal:
        write(journal, 4)
    ask(path, "DELETE FROM entries WHERE seq > 3")

    with Journal(path) as journal:
        write(journal, 2)
        assert journal.last_seq == 6
    assert links(path).keys() >= step_ends(path)


def forge(path: Path, seq: int) -> None:
    """Let entry *seq* say something else, and see to it that the entries' links are right."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE entries SET facts = '{\"lives\":0}' WHERE seq = ?", (seq,))
        before = 0
        for *row, _ in connection.execute("SELECT * FROM entries ORDER BY seq").fetchall():
            before = crc_link(before, tuple(row))
            connection.execute("UPDATE entries SET link = ? WHERE seq = ?", (before, row[0]))


def test_the_command_and_the_doctor_tell_a_break_and_what_to_compare(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = path.parent.parent / "kloplei.toml"
    settings.write_text(f'table.data = "{path.parent}"\n')
    assert main(["journal", "--config", str(settings)]) == 1
    assert "There is no journal" in capsys.readouterr().err
    with Journal(path) as journal:
        write(journal, 30)
        last = max(links(path).items())

        assert main(["journal", "--config", str(settings), "--json"]) == 0  # while it is open
        told = json.loads(capsys.readouterr().out)
        assert (told["box"], told["era"]) == journal.origin
        assert (told["entries"], told["linked"], told["link"]) == (45, last[0], last[1].hex())
    assert list(check_links(path)) == []
    forge(path, seq=20)

    assert main(["journal", "--config", str(settings)]) == 1
    assert "changed by somebody at entry 21" in capsys.readouterr().out
    assert [(one.part, one.says.key, one.says.facts["seq"]) for one in check_links(path)] == [
        ("journal", "journal.broken", 21)
    ]


def test_the_command_tells_a_journal_that_is_damaged(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = path.parent.parent / "kloplei.toml"
    settings.write_text(f'table.data = "{path.parent}"\n')
    with Journal(path) as journal:
        write(journal, 30)
    ask(path, "UPDATE entries SET facts = '{}' WHERE seq = 20")

    assert main(["journal", "--config", str(settings)]) == 1
    assert "45 entries, damaged after entry 19" in capsys.readouterr().out


@pytest.mark.parametrize("spoilt", [None, "text"])
def test_a_link_that_a_bad_bit_made_another_thing_keeps_nothing_from_being_saved(
    spoilt: str | None,
) -> None:
    """One bit in the head of a row, found by flipping some at random: no table started there."""
    with (
        closing(sqlite3.connect(":memory:")) as source,
        closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh,
    ):
        source.execute("CREATE TABLE origin (box, era, after)")
        source.execute("INSERT INTO origin VALUES ('b', 'e', 0)")
        source.execute("CREATE TABLE chain (seq, link)")
        source.execute("INSERT INTO chain VALUES (1, x'00'), (2, ?)", (spoilt,))

        copy_links(source, fresh, 2)

        assert fresh.execute("SELECT name FROM sqlite_schema").fetchall() == []
        fresh.execute("BEGIN IMMEDIATE")  # nor is it left in the midst of something
