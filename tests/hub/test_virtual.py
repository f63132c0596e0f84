"""Virtual tables: bots bring a game to its end, in a journal like any other."""

from pathlib import Path

import pytest

from kloplei_hub.virtual import BotTable

MOST_THOUGHTS = 5_000


@pytest.mark.parametrize("game", ["watten", "toepen", "eenendertigen"])
def test_bots_play_to_the_end_and_their_evening_is_kept(game: str, tmp_path: Path) -> None:
    with BotTable(tmp_path, game, 3) as table:
        for _ in range(MOST_THOUGHTS):
            if table.is_over:
                break
            table.think()
        assert table.is_over
        seq, box = table.session.scoreboard().seq, table.box

    with BotTable(tmp_path, game, 4) as again:
        assert (again.session.scoreboard().seq, again.box) == (seq, box)
        assert again.is_over
        assert len(box) == 16


def test_nobody_sits_down_where_people_are_to_be_called(tmp_path: Path) -> None:
    with BotTable(tmp_path, "watten", 1, players=()) as table:
        assert not table.think()
        assert table.session.scoreboard().rows == ()
