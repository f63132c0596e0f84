"""Who keeps the house begins its seasons by a line, and they are those of the pages."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kloplei_hub.cli import main
from kloplei_hub.database import Connection

Season = Callable[..., str]


@pytest.fixture
def season(dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Season:
    """Does one task of ``admin season``, and returns what it says."""
    config = tmp_path / "hub.toml"
    config.write_text(f'[database]\nowner = "{dsn}"\n')

    def run(task: str, *arguments: str, wrong: bool = False) -> str:
        code = main(["admin", "season", task, "--config", str(config), *arguments])
        assert (code != 0) == wrong
        said = capsys.readouterr()
        return said.err if wrong else said.out

    return run


def test_a_season_begins_and_goes(season: Season, house: Connection) -> None:
    assert "season begin NAME" in season("list")

    begun = season("begin", "Herfst", "--since", "2026-09-01", "--rule", "best", "--best", "8")
    season("begin", "Winter")

    assert begun == "Season 1, Herfst, counts since 2026-09-01.\n"
    assert [line.split()[1] for line in season("list").splitlines()] == ["Winter", "Herfst"]
    kept = house.execute("SELECT rule, points, best FROM seasons ORDER BY season").fetchall()
    assert kept == [("best", 1, 8), ("wins", 1, 0)]
    season("end", "1")
    assert "no season 1" in season("end", "1", wrong=True)


@pytest.mark.parametrize(
    "arguments",
    [(" ",), ("Herfst", "--since", "september"), ("Herfst", "--rule", "points", "--points", "0")],
)
def test_a_season_that_cannot_be_is_told(
    season: Season, house: Connection, arguments: tuple[str, ...]
) -> None:
    assert season("begin", *arguments, wrong=True).startswith("kloplei-hub: ")
    assert house.execute("SELECT count(*) FROM seasons").fetchall() == [(0,)]
