"""The referee types what is to be done, and reads what came of it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kloplei_hub.cli import main
from kloplei_hub.database import Connection
from kloplei_hub.desk import Unclear, tables_of
from kloplei_hub.people import house_people

Desk = Callable[..., str]


@pytest.fixture
def desk(dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    """Does one task, and returns what it says."""
    config = tmp_path / "hub.toml"
    config.write_text(f'[database]\nowner = "{dsn}"\n')

    def run(command: str, task: str, *arguments: str, wrong: bool = False) -> str:
        code = main([command, task, "--config", str(config), *arguments])
        assert (code != 0) == wrong
        said = capsys.readouterr()
        return said.err if wrong else said.out

    return run


def test_a_tournament_from_the_desk(desk: Desk, house: Connection) -> None:
    assert "Open one with" in desk("tournament", "list")
    house.execute("INSERT INTO boxes (box, name, number) VALUES ('a', '', 1), ('b', '', 2)")
    desk("people", "add", "Thijs", "Tame", "Stan", "Wim", "Cor")
    opened = desk("tournament", "open", "Feest", "--game", "watten", "--rounds", "2")
    assert opened.startswith("Tournament 1 is open, at tables 1, 2.")
    desk("tournament", "join", "1", "thijs", "Tame", "Stan", "Wim", "Cor")
    assert desk("tournament", "join", "1", "Tame") == "Tame takes part already.\n"
    desk("tournament", "tables", "1", "2")

    drawn = desk("tournament", "draw", "1")

    assert "table   2" in drawn
    (bye,) = [line.split()[-1] for line in drawn.splitlines() if "bye" in line]
    missing = desk("tournament", "draw", "1", wrong=True)
    assert "still playing: table 2" in missing
    assert "can be called: 2" in desk("tournament", "call", "1", "7", wrong=True)
    assert desk("tournament", "call", "1") == "Called to table 2.\n"
    winner = next(one for one in ("Thijs", "Tame") if one != bye)
    desk("tournament", "result", "1", "2", winner)
    desk("tournament", "result", "1", "2", "--ranks", "2,1", "--why", "misread")
    desk("tournament", "leave", "1", bye)
    told = json.loads(desk("tournament", "standings", "1", "--json"))
    assert [one["points"] for one in told["standings"]] == [10, 10, 5, 0, 0]
    assert told["standings"][2]["name"] == bye
    assert "(misread)" in desk("tournament", "trail", "1")
    assert "10 points, 1 of 1 won" in desk("tournament", "standings", "1")
    desk("tournament", "end", "1")
    assert "over" in desk("tournament", "join", "1", bye, wrong=True)


def test_who_is_meant_is_asked_where_it_is_not_clear(desk: Desk, house: Connection) -> None:
    assert "people add" in desk("people", "list")
    desk("people", "add", "Jan", "Jan van Loon", "Janneke")
    desk("tournament", "open", "Feest")
    assert "no table yet" in desk("tournament", "open", "Nog een")

    assert desk("tournament", "join", "1", "jan") == "Jan takes part.\n"
    assert "several people" in desk("tournament", "join", "1", "ja", wrong=True)
    assert "people add NAME" in desk("tournament", "join", "1", "Piet", wrong=True)
    assert "already" in desk("people", "add", "JAN", wrong=True)
    assert "1 to 60" in desk("people", "add", " ", wrong=True)
    person = str(house_people(house).find("Janneke"))
    assert desk("tournament", "join", "1", person) == "Janneke takes part.\n"
    assert 0 < int(person) < 2**53
    assert "no tournament 9" in desk("tournament", "join", "9", "Jan", wrong=True)
    assert "does not take part" in desk("tournament", "leave", "1", "loon", wrong=True)


def test_who_was_found_to_be_one_is_meant_by_either_and_who_is_forgotten_by_nobody(
    house: Connection,
) -> None:
    house.execute("INSERT INTO people (person, name) VALUES (1, 'Jan'), (2, 'Jan thuis'), (3, '')")
    house.execute("UPDATE people SET merged = 1 WHERE person = 2")
    house.execute("UPDATE people SET agreed = false WHERE person = 3")

    people = house_people(house)

    assert (people.today(2), people.name(2), people.name(3)) == (1, "Jan", "")
    assert people.named == {1: "Jan"}
    assert people.find("2") == 1


def test_tables_are_written_as_people_write_them() -> None:
    assert tables_of("1-3, 7 5") == (1, 2, 3, 7, 5)
    assert tables_of("") == ()
    for wrong in ("x", "3-1", "1-", "1-99999"):
        with pytest.raises(Unclear):
            tables_of(wrong)
