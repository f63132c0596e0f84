"""docs/history.md says of every number what it is, and from how many cases on it is told."""

import re
from pathlib import Path

import pytest

from kloplei.games.catalogue import GAMES
from kloplei.history.statistics import statistics_of

PAGE = Path(__file__).parents[2] / "docs/history.md"
NAMES = {"eenendertigen": "Eenendertigen (31)"}


@pytest.mark.parametrize("game", [game for game in GAMES if statistics_of(game)])
def test_every_number_is_told_with_its_cases(game: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    heading = f"\n### {NAMES.get(game, game.capitalize())}\n"
    part = page.partition(heading)[2].partition("\n### ")[0]

    rows = re.findall(r"^\| `([a-z-]+)` \|.*\| (\d+) \|$", part, re.M)

    assert rows == [(one.key, str(one.few)) for one in statistics_of(game)]
