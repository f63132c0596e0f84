"""The evening to take along: what was played, by whom, and why anybody owes anything."""

import csv
import io
import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kloplei.backup import BackupFailed
from kloplei.cli import main
from kloplei.config.settings import HISTORY, JOURNAL
from kloplei.export import FORMATS, HISTORY_FORMATS, read_evening, read_history
from kloplei.games.game import Seat
from kloplei.history import _store
from kloplei.history.service import HistoryService
from kloplei.table.journal import Journal
from kloplei.table.schema import WORLD, dump
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.words import Words
from tests.history.journals import Scribe
from tests.history.made import Night
from tests.history.test_store import Box

ANN, BO, COR = (Seat(n) for n in range(3))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def table(data: Path) -> Iterator[Session]:
    """A table of Danish Tarok whose first hand is booked, and which goes on."""
    with (
        closing(Journal(data / JOURNAL)) as journal,
        Session(journal, TableSetup(game="tarok", wall=lambda: 1_777_000_000.0)) as table,
    ):
        for seat, name in ((ANN, "Ann"), (BO, "Bo"), (COR, "Cor")):
            table.submit(seat, "sit_down", facts={"name": name})
        table.submit(ANN, "start")
        table.submit(None, "deal")
        table.submit(BO, "fate", facts={"what": "pagat_home"}, via="button")
        table.submit(BO, "last_trick")
        table.submit(COR, "fate", facts={"what": "king_lost"})
        table.submit(None, "undo")
        table.submit(ANN, "points", facts={"points": 31})
        table.submit(BO, "points", facts={"points": 26})
        table.submit(None, "book")
        yield table


def test_a_text_tells_who_stands_where_and_why(table: Session, data: Path) -> None:
    text = FORMATS["text"](read_evening(data), Words("en"))

    assert text == (
        "Tarok: Danish Tarok\n\n"
        "Ann: -70\nBo: 10\nCor: -70\n\n"
        "1. played (Ann -70, Bo +10, Cor -70)\n"
        "   everybody pays into the pots: Ann -40, Bo -40, Cor -40, kings +60, pagat +60\n"
        "   Ann pays into the pots as dealer: Ann -10, kings +5, pagat +5\n"
        "   Bo brings the pagat home: Ann -5, Bo +10, Cor -5\n"
        "   Bo takes the last trick: Ann -20, Bo +40, Cor -20\n"
        "   card points: Ann counts 31, Bo counts 26 and Cor counts 21: Ann +5, Cor -5\n"
    )


def test_at_the_end_it_tells_who_pays_whom(table: Session, data: Path) -> None:
    table.submit(None, "settle")

    text = FORMATS["text"](read_evening(data), Words("nl"))

    payments = table.scoreboard().payments
    assert payments
    for one in payments:
        names = table.scoreboard().names
        assert f"{names[one.payer]} -> {names[one.payee]}: {one.amount}\n" in text


def test_a_table_of_steps_has_a_line_for_each_with_what_was_taken_back(
    table: Session, data: Path
) -> None:
    told = list(csv.DictReader(io.StringIO(FORMATS["csv"](read_evening(data), Words("en")))))

    assert [one["seq"] for one in told] == sorted((one["seq"] for one in told), key=int)
    by_what = {one["what"]: one for one in told}
    assert by_what["Bo brings the pagat home"] == {
        "seq": "9",
        "at": "2026-04-24T03:06:40+00:00",
        "seat": "2",
        "name": "Bo",
        "via": "button",
        "undone": "no",
        "what": "Bo brings the pagat home",
        "about": "",
        "about_name": "",
    }
    assert by_what["Cor loses a king"]["undone"] == "yes"


def test_a_table_of_steps_says_at_its_end_of_whom_another_one_told(
    table: Session, data: Path
) -> None:
    table.submit(ANN, "rename", facts={"name": "Anna"}, by=Seat(1))

    told = [*csv.reader(io.StringIO(FORMATS["csv"](read_evening(data), Words("en"))))]

    assert told[0][-2:] == ["about", "about_name"]
    assert (told[-1][2:4], told[-1][-2:]) == (["2", "Bo"], ["1", "Anna"])


@pytest.mark.parametrize("name", ["=1+1", "@SUM(A1)", "+49 1", "-2", " =1", "\uff1d1+1", "|x"])
def test_a_spreadsheet_runs_nothing_that_a_player_is_called(
    table: Session, data: Path, name: str
) -> None:
    table.submit(ANN, "rename", facts={"name": name})

    told = list(csv.reader(io.StringIO(FORMATS["csv"](read_evening(data), Words("en")))))

    assert f"'{name.strip()}" in {cell for row in told for cell in row}
    assert not [cell for row in told for cell in row if cell[:1] in {*"=+-@|", "\uff1d"}]


@pytest.mark.parametrize("name", [";=1+1", "a; @SUM(A1)", ';"=1"', ";;-2"])
def test_nor_where_it_parts_cells_at_semicolons(table: Session, data: Path, name: str) -> None:
    """As it does in the Netherlands, in Germany and in Denmark."""
    table.submit(ANN, "rename", facts={"name": name})

    told = FORMATS["csv"](read_evening(data), Words("en"))

    cells = [cell.lstrip(' "') for line in told.splitlines() for cell in line.split(";")[1:]]
    assert cells
    assert not [cell for cell in cells if cell[:1] in {*"=+-@|", "\uff1d"}]


def test_json_is_what_the_panel_sends(table: Session, data: Path) -> None:
    told = json.loads(FORMATS["json"](read_evening(data), Words("en")))

    assert told["scoreboard"]["game"] == "tarok"
    assert told["scoreboard"]["rows"][1]["tally"] == 10
    assert told["log"][0]["names"] == {"1": "Ann"}


def test_an_evening_is_read_while_it_goes_on_and_left_as_it_is(table: Session, data: Path) -> None:
    before = table.scoreboard()

    assert read_evening(data).board.rows == before.rows
    table.submit(None, "deal")
    assert read_evening(data).board.phase == "hand"


def test_the_command_prints_it_in_the_language_of_the_slate(
    table: Session, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = data.parent / "kloplei.toml"
    config.write_text(f'table.data = "{data}"\ntable.language = "da"\n')

    assert main(["export", "--config", str(config)]) == 0
    assert "Bo: 10" in capsys.readouterr().out
    config.write_text(f'table.data = "{data.parent}"\n')
    assert main(["export", "--config", str(config)]) == 1
    assert "no journal" in capsys.readouterr().err


def test_without_a_journal_there_is_nothing_to_read(data: Path) -> None:
    with pytest.raises(BackupFailed):
        read_evening(data)


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """A folder with two evenings, of which one guest has a name that a spreadsheet would run."""
    box = Box(tmp_path)
    scribe = Scribe(seed=2)
    for names in (("Ann", "Bo", "=1+1"), ("Ann", "Bo", "Cor")):
        scribe.begin("eenendertigen", names)
        scribe.hands(13)
        scribe.now = (scribe.now or 0) + 86_400
    box.grow(scribe.rows())
    write_settings(tmp_path)
    return tmp_path


def write_settings(folder: Path) -> None:
    told = f'[table]\ndata = "{folder}"\nlanguage = "en"\n'
    (folder / "settings.toml").write_text(told, encoding="utf-8")


def said(folder: Path, capsys: pytest.CaptureFixture[str], *asked: str) -> str:
    assert main([*asked, "--config", str(folder / "settings.toml")]) == 0
    return capsys.readouterr().out


def test_evenings_are_listed_and_told(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {one.name for one in played.iterdir()}

    first, second = said(played, capsys, "evenings").splitlines()
    told = json.loads(said(played, capsys, "evenings", "--json"))

    assert first.endswith("Thirty-one: Ann, Bo, =1+1 (13 hands)")
    assert second.split()[0] == "2"
    assert [(one["number"], one["hands"]) for one in told] == [(1, 13), (2, 13)]
    assert json.loads(said(played, capsys, "people", "--json")) == []
    assert said(played, capsys, "people") == ""
    assert {one.name.partition("-")[0] for one in played.iterdir()} == before


def test_an_evening_of_before_is_a_text_to_send(
    played: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    title, names, *lines, goodbye = said(played, capsys, "export", "--evening", "2").splitlines()

    with read_history(played) as history:
        rubber = history.evening(2).rubbers[0]
    winner = ("Ann", "Bo", "Cor")[rubber.winners[0] - 1]
    assert title.startswith("Thirty-one · ")
    assert names == "Ann, Bo, Cor"
    assert any(one.startswith(f"1. {winner}: {rubber.last_hand} hands (Ann ") for one in lines)
    assert goodbye == "Until next time!"
    assert said(played, capsys, "export", "--evening", "all").count(goodbye) == 2


def test_all_hands_come_as_a_table_that_runs_nothing(
    played: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = list(
        csv.DictReader(
            io.StringIO(said(played, capsys, *["export", "--evening", "all", "--format", "csv"]))
        )
    )

    assert len(told) == 2 * 13 * 3
    assert {one["player"] for one in told} == {"Ann", "Bo", "Cor", "'=1+1"}
    with read_history(played) as history:
        evening = history.evening(1)
    paid = [one for one in told if (one["evening"], one["player"]) == ("1", "Ann")]
    assert [int(one["paid"]) for one in paid] == [one.paid.get(1, 0) for one in evening.hands]
    assert [int(one["tally"]) for one in paid] == [one.tallies[1] for one in evening.hands]


def test_all_that_is_told_comes_as_json(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (told,) = json.loads(said(played, capsys, "export", "--evening", "1", "--as", "json"))

    with read_history(played) as history:
        assert told == json.loads(json.dumps(dump(history.evening(1), form=WORLD)))


@pytest.mark.parametrize("asked", ["99", "0", "-1", "none", "²", "9" * 30])
def test_an_evening_that_is_not_there_is_named(
    played: Path, capsys: pytest.CaptureFixture[str], asked: str
) -> None:
    config = str(played / "settings.toml")

    assert main(["export", f"--evening={asked}", "--config", config]) != 0
    assert "kloplei evenings" in capsys.readouterr().err  # where the numbers stand


def test_what_the_table_has_told_already_is_gone_on_from(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    HistoryService(played / JOURNAL).update()
    monkeypatch.setattr(_store, "_put", lambda *_: pytest.fail("told anew"))

    with read_history(played) as history:
        assert history.stand().evenings == 2


def test_without_a_journal_there_are_no_evenings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_settings(tmp_path)

    for command in ("evenings", "people"):
        assert main([command, "--config", str(tmp_path / "settings.toml")]) != 0
        error = capsys.readouterr().err
        assert "no journal" in error
        assert "export" not in error  # nobody has asked for that


def test_a_pipe_in_place_of_the_history_holds_up_nobody(played: Path) -> None:
    os.mkfifo(played / HISTORY)

    with read_history(played) as history:
        assert history.evenings()


def test_who_shares_a_rubber_and_who_lent_a_name_is_told_as_people_do() -> None:
    night = Night("Thijs", "Plek 2", "").hand(1, paid={2: 1}).hand(3, paid={2: 1}).rubber(1, 3)

    told = HISTORY_FORMATS["text"]([night.evening()], Words("en"))

    assert "\nThijs, Seat 2, player 3\n" in told
    assert "\n1. Thijs and player 3: 2 hands (Thijs 0, Seat 2 2, player 3 0)\n" in told
