"""`kloplei import`: evenings from paper, checked before anything of them is taken."""

import os
from pathlib import Path

import pytest

from kloplei.cli.main import main
from kloplei.config.settings import NOTEBOOKS
from tests.history.test_notebooks import hand


@pytest.fixture
def config(tmp_path: Path) -> list[str]:
    path = tmp_path / "kloplei.toml"
    path.write_text(f'[table]\ndata = "{tmp_path / "data"}"\n')
    return ["--config", str(path)]


@pytest.fixture
def club(tmp_path: Path) -> Path:
    path = tmp_path / "club.yaml"
    path.write_text(hand("2019-03-08") + hand("2019-03-15"))
    return path


def test_a_notebook_is_taken_in_once_listed_and_taken_away(
    club: Path, config: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", str(club), *config]) == 0
    assert main(["import", str(club), *config]) == 0
    assert main(["import", "--list", *config]) == 0
    first, again, listed = capsys.readouterr().out.splitlines()

    assert first == "club.yaml: 2 evenings, 2 hands."
    assert again.endswith("it was here already.")
    assert listed.endswith("club.yaml")
    assert main(["import", "--remove", listed.split()[0], *config]) == 0
    assert main(["import", "--list", *config]) == 0
    assert capsys.readouterr().out == ""


def test_it_is_listed_before_anybody_has_played_here(
    club: Path, config: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", str(club), *config]) == 0
    capsys.readouterr()

    assert main(["evenings", *config]) == 0

    first, second = capsys.readouterr().out.splitlines()
    assert "8 mrt 2019" in first
    assert "15 mrt 2019" in second


def test_a_file_may_be_called_what_nobody_can_spell(
    club: Path, config: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = club.rename(tmp_path / os.fsdecode(b"c\xff\x1b[2J\nlub.yaml"))

    assert main(["import", str(odd), *config]) == 0
    assert main(["import", "--list", *config]) == 0

    taken, listed = capsys.readouterr().out.splitlines()
    called = "c\ufffd\ufffd[2J\ufffdlub.yaml"
    assert taken == f"{called}: 2 evenings, 2 hands."
    assert listed.endswith(called)


def test_looking_takes_nothing(club: Path, config: list[str], tmp_path: Path) -> None:
    assert main(["import", "--check", str(club), *config]) == 0
    assert not (tmp_path / "data" / NOTEBOOKS).exists()


def test_one_mistake_and_nothing_of_all_the_files_is_taken(
    club: Path, config: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(hand("2019-03-22", lives="9, 0, 1"))

    assert main(["import", str(club), str(wrong), *config]) == 1
    assert "wrong.yaml:" in capsys.readouterr().err
    assert not (tmp_path / "data" / NOTEBOOKS).exists()


@pytest.mark.parametrize(
    "asked", [[], ["nothing.yaml"], ["--remove", "abc"], ["--remove", "../kloplei.db"]]
)
def test_what_makes_no_sense_is_wrong_use(
    asked: list[str], config: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", *asked, *config]) == 2

    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "Traceback" not in told
