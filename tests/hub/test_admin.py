"""Who keeps the house types what is to be done, and reads what came of it."""

from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path

import pytest

from kloplei.table.uplink_client import HousePerson
from kloplei.uplink.wire import AgreedPeople, PairingRequest, encode
from kloplei_hub._keeping import Keeper, Mail
from kloplei_hub.boxes import pair
from kloplei_hub.cli import main
from kloplei_hub.database import Connection, connect, make_partitions
from tests.hub.journals import Journal

Task = Callable[..., str]


@pytest.fixture
def command(dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Task:
    """Does one task of a command, and returns what it says."""
    config = tmp_path / "hub.toml"
    passwords = tmp_path / "passwords"
    config.write_text(f'[database]\nowner = "{dsn}"\n[broker]\npasswords = "{passwords}"\n')

    def run(name: str, task: str, *arguments: str, code: int = 0) -> str:
        assert main([name, task, "--config", str(config), *arguments]) == code
        said = capsys.readouterr()
        return said.err if code else said.out

    return run


@pytest.fixture
def admin(command: Task) -> Task:
    return partial(command, "admin")


@pytest.fixture(params=["admin", "people"])
def in_the_book(command: Task, request: pytest.FixtureRequest) -> Task:
    """Either command by which people are mended: both do the same."""
    return partial(command, request.param)


def test_a_box_comes_is_called_otherwise_and_goes(
    admin: Task, house: Connection, tmp_path: Path
) -> None:
    assert "kloplei-hub admin pair" in admin("boxes")
    code = admin("pair", "--name", "Raam", "--number", "3").split()[0]
    pair(house, PairingRequest("b1", code))
    admin("broker")

    assert (tmp_path / "passwords").read_text().startswith("b1:$7$101$")
    admin("rename", "3", "Stamtafel")
    assert "   3  Stamtafel " in admin("boxes")
    admin("retire", "Stamtafel")
    assert "retired" in admin("boxes")
    assert (tmp_path / "passwords").read_text() == ""


def test_a_code_is_told_with_the_address_that_is_typed_on_the_box(admin: Task) -> None:
    assert admin("pair").strip().endswith("type it on the box, with http://127.0.0.1:8091")


def test_a_code_for_a_box_that_is_here_lets_it_come_again(admin: Task, house: Connection) -> None:
    house.execute("INSERT INTO boxes (box, name, number) VALUES ('b1', 'Raam', 3)")

    pair(house, PairingRequest("b1", admin("pair", "--for", "Raam").split()[0]))

    assert "   3  Raam " in admin("boxes")
    assert "No box goes by Deur" in admin("pair", "--for", "Deur", code=1)


def test_a_twin_is_told_and_released(admin: Task, house: Connection) -> None:
    house.execute("INSERT INTO boxes (box, name) VALUES ('b1', 'Raam')")
    house.execute("INSERT INTO eras (box, era, seq, quarantined) VALUES ('b1', 'e', 9, 'twin')")

    assert "9 entries, set apart: twin" in admin("boxes")
    admin("release", "Raam")
    assert "set apart" not in admin("boxes")


def test_a_box_that_nobody_knows_is_told(admin: Task) -> None:
    assert admin("retire", "Raam", code=1).startswith("kloplei-hub: No box goes by Raam")


def test_the_tables_are_brought_up_to_date(admin: Task) -> None:
    assert "up to date" in admin("migrate")


@pytest.fixture
def people(house: Connection) -> None:
    """Three people, one of whom two boxes know under two ids."""
    house.execute("INSERT INTO boxes (box) VALUES ('a'), ('b')")
    house.execute("INSERT INTO people (person, name) VALUES (1, 'Thijs'), (2, 'Tame'), (3, 'Tame')")
    house.execute("INSERT INTO box_people VALUES ('a', 1), ('a', 2), ('b', 3)")
    house.execute("""INSERT INTO boards (box, board) VALUES ('a', '"Tame"'), ('b', '"Tame"')""")


@pytest.mark.usefixtures("people")
def test_two_who_are_one_are_merged_and_parted(in_the_book: Task, house: Connection) -> None:
    assert "may be several people" in in_the_book("call", "Tame", "Tame V.", code=1)
    in_the_book("call", "2", "  Tame   V. ")
    in_the_book("merge", "3", "tame v.")
    in_the_book("merge", "2", "1")

    merged = "SELECT person, merged FROM people ORDER BY person"
    assert house.execute(merged).fetchall() == [(1, None), (2, 1), (3, 1)]
    assert "one person already" in in_the_book("merge", "1", "3", code=1)
    in_the_book("part", "3")
    assert house.execute(merged).fetchall() == [(1, None), (2, 1), (3, None)]
    assert "people list" in in_the_book("part", "3", code=1)
    assert "1 to 60" in in_the_book("call", "1", "  ", code=1)


def test_who_is_known_is_listed_with_boxes_and_who_they_are_today(
    command: Task, house: Connection
) -> None:
    house.execute("INSERT INTO boxes (box) VALUES ('a')")
    house.execute("INSERT INTO people (person, name) VALUES (1, 'Thijs'), (2, 'Tame V.')")
    house.execute("UPDATE people SET merged = 1 WHERE person = 2")
    house.execute("INSERT INTO people (person, name, forgotten) VALUES (3, '', true)")
    house.execute("INSERT INTO box_people VALUES ('a', 2)")

    assert command("people", "list").splitlines() == [
        "               2  Tame V.               at 1 box  is 1",
        "               1  Thijs                 at 0 boxes",
        "               3  -                     at 0 boxes  forgotten",
    ]


@pytest.mark.usefixtures("people")
def test_who_is_forgotten_has_no_name_anywhere_whatever_a_box_says(
    admin: Task, house: Connection, dsn: str
) -> None:
    admin("merge", "3", "2")

    assert "1 box still knows them" in admin("forget", "2")

    ingest = dsn.replace("user=kloplei_hub", "user=kloplei_ingest")
    with connect(ingest, autocommit=True) as mine:
        told = encode(AgreedPeople((HousePerson(2, "Tame"), HousePerson(1, "Thijs"))))
        Keeper(mine).keep([Mail("a", "people", told)])
    known = house.execute("SELECT name, agreed, forgotten FROM people ORDER BY person").fetchall()
    assert known == [("Thijs", True, False), ("", False, True), ("", False, True)]
    assert house.execute("SELECT box FROM boards").fetchall() == [("b",)]
    assert "Nobody in the house" in admin("call", "2", "Tame", code=1)


def test_a_house_is_put_back_with_all_that_it_held_and_nothing_else(
    admin: Task, house: Connection, dsn: str, owner: Connection, tmp_path: Path
) -> None:
    house.execute("INSERT INTO boxes (box, name) VALUES ('a', 'Raam')")
    make_partitions(house, date(2031, 12, 1))
    add = (
        "INSERT INTO entries (box, era, seq, month, step, via, event, facts) "
        "VALUES ('a', 'e', %s, %s, 1, 'pad', 'Knocked', '{}')"
    )
    house.execute(add, (1, date(2031, 12, 1)))
    file = tmp_path / "house.backup"
    assert "holds the house" in admin("backup", str(file))
    assert file.stat().st_mode & 0o777 == 0o600
    make_partitions(house, date(2032, 6, 1))
    for seq, month in ((2, date(2032, 6, 1)), (3, date(1990, 1, 1))):
        house.execute(add, (seq, month))

    with connect(dsn.replace("user=kloplei_hub", "user=kloplei_web"), autocommit=True):
        assert "First: systemctl stop" in admin("restore", str(file), code=1)
    admin("restore", str(file))

    assert house.execute("SELECT seq FROM entries").fetchall() == [(1,)]
    assert house.execute("SELECT box, name FROM boxes").fetchall() == [("a", "Raam")]
    with connect(dsn.replace("user=kloplei_hub", "user=kloplei_ingest"), autocommit=True) as mine:
        body = Journal("e", (1, 1)).body()
        (kept,) = Keeper(mine).keep([Mail("a", "steps", body)])
    assert kept.entries == 2


def test_what_is_no_backup_changes_nothing(admin: Task, house: Connection, tmp_path: Path) -> None:
    house.execute("INSERT INTO boxes (box, name) VALUES ('a', 'Raam')")
    file = tmp_path / "house.backup"
    admin("backup", str(file))
    cut = tmp_path / "cut.backup"
    cut.write_bytes(file.read_bytes()[:-3000])
    (tmp_path / "text").write_text("no backup")

    for odd in ("none", "text", "cut.backup"):
        assert admin("restore", str(tmp_path / odd), code=1)
    assert "name another file" in admin("backup", str(tmp_path / "none/file"), code=1)

    assert house.execute("SELECT name FROM boxes").fetchall() == [("Raam",)]
