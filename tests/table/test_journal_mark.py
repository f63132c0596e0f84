"""A journal that lost its end between two runs: it is told, and the scores stand again."""

import os
import random
import shutil
import sqlite3
import zlib
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kloplei.backup import copy_journal, make_backup, restore
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.table import ledger
from kloplei.table._journal_mark import LastEntry, MarkFile, Standing
from kloplei.table.journal import Journal
from kloplei.table.journal_file import PAGE_BYTES
from kloplei.table.ledger import draw_up
from kloplei.table.seating import Seating, TableState
from kloplei.table.session import Session

NAMES = ("Ann", "Bo", "Cor")
OLDER = "older"


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three hands of toepen and half a fourth, as a power cut leaves them; an older copy beside."""
    alive, killed = tmp_path_factory.mktemp("alive"), tmp_path_factory.mktemp("killed")
    with Journal(alive / "kloplei.db") as journal, Session(journal) as session:
        for seat, name in enumerate(NAMES):
            session.submit(Seat(seat), "sit_down", facts={"name": name})
        session.submit(Seat(0), "start")
        for hand in range(3):
            session.submit(session.scoreboard().dealer, "deal")
            session.submit(Seat(2), "trick", facts={"n": 4})
            if not hand:
                copy_journal(journal.path, killed / OLDER)
        session.submit(session.scoreboard().dealer, "deal")
        session.submit(Seat(1), "knock")
        session.log()  # the table has come round: all is settled
        for ending in ("", "-wal", ".mark"):
            shutil.copyfile(f"{journal.path}{ending}", f"{killed / 'kloplei.db'}{ending}")
    return killed


@pytest.fixture
def path(killed: Path, tmp_path: Path) -> Path:
    return shutil.copytree(killed, tmp_path / "table") / "kloplei.db"


def fold(path: Path) -> None:
    """Fold the log into the file, as a table does that is ended in good order."""
    Journal(path).close()


def sealed(line: bytes) -> bytes:
    """Return *line* as a slot of the mark, whose CRC is right."""
    return (b"%08x %s\n" % (zlib.crc32(line), line)).ljust(512)


def take_away(path: Path) -> None:
    for one in path.parent.glob("kloplei.db*"):
        if one.suffix != ".mark":
            one.unlink()


def take_file_away(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    fold(path)
    path.write_bytes(b"")


def empty_beside_its_log(path: Path) -> None:
    path.write_bytes(b"")


def take_log_away(path: Path) -> None:
    Path(f"{path}-wal").unlink()


def cut_log(path: Path) -> None:
    log = Path(f"{path}-wal")
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])


def cut_file(path: Path) -> None:
    fold(path)
    path.write_bytes(path.read_bytes()[: 4 * PAGE_BYTES])


def rename(path: Path) -> None:
    fold(path)
    path.rename(path.with_name("elsewhere.db"))


def put_older_there(path: Path) -> None:
    take_away(path)
    shutil.copy(path.with_name(OLDER), path)


def spoil_every_page(path: Path) -> None:
    fold(path)
    path.write_bytes(path.read_bytes()[:PAGE_BYTES] + random.Random(1).randbytes(9 * PAGE_BYTES))


def spoil_all_bytes(path: Path) -> None:
    for ending in ("", "-wal"):
        spoilt = Path(f"{path}{ending}")
        spoilt.write_bytes(random.Random(2).randbytes(spoilt.stat().st_size))


def spoil_log(path: Path) -> None:
    log = Path(f"{path}-wal")
    log.write_bytes(random.Random(3).randbytes(log.stat().st_size))


def put_other_program_there(path: Path) -> None:
    take_away(path)
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (it)")


def put_pipe_there(path: Path) -> None:
    take_away(path)
    os.mkfifo(path)


def put_folder_beside_its_log(path: Path) -> None:
    path.unlink()
    path.mkdir()


LOSSES = (
    *(take_away, take_file_away, empty, empty_beside_its_log, take_log_away, cut_log, cut_file),
    *(rename, put_older_there, spoil_every_page),
    *(spoil_all_bytes, spoil_log, put_other_program_there),
    *(put_pipe_there, put_folder_beside_its_log),
)


def scores(board: Scoreboard) -> dict[str, int]:
    return {row.name: row.tally for row in board.rows}


def what_is_wrong(path: Path) -> str:
    """Open the journal *path*, which has lost something; return what should not be, if anything."""
    with Journal(path) as journal, Session(journal) as session:
        board, told = session.scoreboard(), journal.salvaged
        if [line.key for line in board.notices] != ["notice.salvaged"] or told is None:
            return "not told"
    if scores(board) != {"Ann": 3, "Bo": 3, "Cor": 0}:
        return f"the scores are {scores(board)}: {told}"
    with Journal(path) as journal, Session(journal) as session:
        if journal.salvaged is not None or scores(session.scoreboard()) != scores(board):
            return f"another one at the next start: {journal.salvaged}"
    return ""


def test_where_all_is_spoilt_and_the_mark_too_a_table_starts(path: Path) -> None:
    for one in path.parent.glob("kloplei.db*"):
        one.write_bytes(random.Random(4).randbytes(one.stat().st_size))

    with Journal(path) as journal, Session(journal) as session:
        assert "Nothing of it could be saved" in str(journal.salvaged)
        assert session.submit(Seat(0), "sit_down", facts={"name": "Ann"})


def test_whatever_is_lost_is_told_and_the_scores_of_the_last_hand_stand_again(
    killed: Path, tmp_path: Path
) -> None:
    found = {}
    for lose in LOSSES:
        path = shutil.copytree(killed, tmp_path / lose.__name__) / "kloplei.db"
        lose(path)
        found[lose.__name__] = what_is_wrong(path)

    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_nothing_is_told_of_a_journal_that_has_all_or_more(path: Path) -> None:
    """A power cut, and a mark that the disk had not yet written."""
    with Journal(path) as journal:
        assert (journal.salvaged, journal.lost) == (None, None)
        mark = Path(f"{path}.mark").read_bytes()
        journal.append([("Dealt", {})], seat=0, via="pad", at=None)
        journal.close()
    Path(f"{path}.mark").write_bytes(mark)

    with Journal(path) as journal:
        assert (journal.salvaged, journal.lost) == (None, None)


def test_what_was_written_down_again_can_be_taken_back(path: Path) -> None:
    take_away(path)
    with Journal(path) as journal, Session(journal) as session:
        assert [one.line.key for one in session.log()] == ["news.recovered-from-less"]
        session.submit(None, "undo")
        assert scores(session.scoreboard()) == {}
        session.submit(None, "redo")
        session.submit(session.scoreboard().dealer, "deal")
        session.submit(Seat(0), "trick", facts={"n": 4})
        again = scores(session.scoreboard())

    assert again == {"Ann": 3, "Bo": 4, "Cor": 1}
    with Journal(path) as journal, Session(journal) as session:
        assert (journal.salvaged, scores(session.scoreboard())) == (None, again)


def test_who_only_looks_into_it_leaves_it_to_the_table_to_write_it_down(path: Path) -> None:
    take_away(path)
    for _ in range(2):
        with Journal(path) as journal:  # as the doctor does
            assert journal.lost is not None
            assert "ends at entry 0, where 17 had been written" in str(journal.salvaged)

    assert what_is_wrong(path) == ""


def test_another_tables_journal_is_told_and_taken_as_it_is(path: Path, tmp_path: Path) -> None:
    take_away(path)
    with Journal(tmp_path / "theirs") as theirs, Session(theirs) as session:
        session.submit(Seat(4), "sit_down", facts={"name": "Dea"})
    shutil.copy(tmp_path / "theirs", path)

    with Journal(path) as journal, Session(journal) as session:
        assert "Another journal" in str(journal.salvaged)
        assert list(scores(session.scoreboard())) == ["Dea"]
        session.submit(Seat(4), "rename", facts={"name": "Dee"})
    with Journal(path) as journal:
        assert journal.salvaged is None


def test_what_stood_at_another_table_never_stands_again_here(path: Path, tmp_path: Path) -> None:
    take_away(path)
    with Journal(tmp_path / "theirs") as theirs:
        theirs.append([("Dealt", {})], seat=0, via="pad", at=None)
    shutil.copy(tmp_path / "theirs", path)
    with Journal(path) as journal:
        journal.append([("Knocked", {})], seat=0, via="pad", at=None)

    with Journal(path) as journal:
        assert (journal.salvaged, journal.standing) == (None, None)


def test_a_restored_backup_has_lost_nothing(path: Path, tmp_path: Path) -> None:
    backup = tmp_path / "evening.zip"
    shutil.copy(path.with_name(OLDER), tmp_path / "kloplei.db")
    make_backup(tmp_path, backup, datetime(2026, 5, 1, tzinfo=UTC))

    restore(backup, path.parent)

    with Journal(path) as journal, Session(journal) as session:
        assert (journal.salvaged, scores(session.scoreboard())) == (
            None,
            {"Ann": 1, "Bo": 1, "Cor": 0},
        )


def test_a_hand_that_was_taken_back_does_not_stand_again(path: Path) -> None:
    with Journal(path) as journal, Session(journal) as session:
        session.submit(None, "undo", facts={"steps": 3})  # the knock, the deal, the third hand

    take_away(path)

    with Journal(path) as journal, Session(journal) as session:
        assert scores(session.scoreboard()) == {"Ann": 2, "Bo": 2, "Cor": 0}


def test_a_power_cut_in_the_middle_of_a_slot_leaves_the_other_one(path: Path) -> None:
    mark = path.with_name("other.mark")
    notes = MarkFile(path.with_name("other"))
    notes.write(LastEntry(1, 11, "box", "era"), Standing(1, 11, {"game": "toepen"}))
    notes.put(LastEntry(2, 22, "box", "era"))
    notes.put(LastEntry(3, 33, "box", "era"))
    notes.close()
    whole = mark.read_bytes()

    left = {}
    for slot in (0, 1):
        mark.write_bytes(whole[: slot * 512 + 20] + b"#" + whole[slot * 512 + 21 :])
        notes = MarkFile(path.with_name("other"))
        assert notes.mark is not None
        left[slot] = notes.mark.seq
        assert notes.standing == Standing(1, 11, {"game": "toepen"})
        notes.close()

    assert sorted(left.values()) == [2, 3]


@pytest.mark.parametrize(
    "raw",
    [
        *(b"", b"\0" * 1024, b"nonsense", b"00000000 [1]\n", b"[" * 9999),
        *(sealed(b"[" * 100_000), sealed(b'["a",2,3,"box","era"]'), sealed(b"{}")),
        *(sealed(b'[1,"a",3,"box","era"]'), sealed(b'[1,2,3,"box"]'), sealed(b"[null]")),
    ],
)
def test_a_mark_that_cannot_be_read_says_nothing_and_stops_nobody(path: Path, raw: bytes) -> None:
    Path(f"{path}.mark").write_bytes(raw)

    with Journal(path) as journal, Session(journal) as session:
        assert (journal.salvaged, scores(session.scoreboard())["Ann"]) == (None, 3)
    take_away(path)
    assert what_is_wrong(path) == ""


def test_a_mark_that_counts_further_than_a_journal_can_stops_nobody(path: Path) -> None:
    Path(f"{path}.mark").write_bytes(sealed(b'[1,%d,3,"box","era"]' % 2**70))

    with Journal(path) as journal, Session(journal) as session:
        assert scores(session.scoreboard())["Ann"] == 3


def test_nobody_is_promised_scores_that_this_version_cannot_read(path: Path) -> None:
    notes = MarkFile(path)
    assert notes.mark is not None
    assert notes.standing is not None
    of_later = {**notes.standing.facts, "seen_in": "a later version"}
    notes.write(notes.mark, Standing(notes.standing.seq, notes.standing.link, of_later))
    notes.close()
    take_away(path)

    with Journal(path) as journal, Session(journal) as session:
        assert "stand again" not in str(journal.salvaged)
        assert "ends at entry 0" in str(journal.salvaged)
        assert session.scoreboard().rows == ()


def test_a_mistake_of_ours_beside_the_journal_stops_nobody(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MarkFile, "write", lambda *_: 1 / 0)

    with Journal(path) as journal, Session(journal) as session:
        session.submit(None, "undo", facts={"steps": 3})
        session.submit(None, "redo")
        assert session.scoreboard().notices == ()
        monkeypatch.undo()


def test_a_mark_that_cannot_be_written_stops_nobody(path: Path) -> None:
    Path(f"{path}.mark").unlink()
    Path(f"{path}.mark").mkdir()

    with Journal(path) as journal, Session(journal) as session:
        session.submit(None, "undo")
        assert session.scoreboard().notices == ()


def test_after_a_restart_nobody_waits_for_the_boards_of_before(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hand of Tarok has a hundred of them: the table was silent for seconds."""
    drawn: list[object] = []

    def drawing(seating: Seating, state: TableState) -> Scoreboard:
        drawn.append(state)
        return draw_up(seating, state)

    with Journal(path) as journal, Session(journal) as session:
        session.log()
        monkeypatch.setattr(ledger, "draw_up", drawing)
        session.submit(None, "undo")
        session.log()

    assert len(drawn) == 1


def test_an_older_copy_is_kept_as_it_was_found(path: Path) -> None:
    put_older_there(path)
    with Journal(path.with_name(OLDER)) as journal:
        older, origin = list(journal.entries()), journal.origin

    with Journal(path) as journal, Session(journal) as session:
        told = session.scoreboard().notices[0]

    assert "kept as kloplei.db.shorter-1" in str(told.facts["message"])
    with Journal(path.with_name("kloplei.db.shorter-1")) as journal:
        assert (list(journal.entries()), journal.origin) == (older, origin)
