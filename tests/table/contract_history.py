"""What every `TableClient` keeps of its history, in memory or over a socket."""

from types import SimpleNamespace
from typing import Any

import pytest

from kloplei.games.scoreboard import Line
from kloplei.table.client import BadRequest, TableClient
from kloplei.table.history_client import (
    Evening,
    EveningLine,
    HistoryStand,
    Knock,
    PlayedGame,
    PlayedHand,
    PlayedRubber,
    Player,
    Season,
    SeasonTable,
    Settlement,
)
from kloplei.table.session import Session
from kloplei.words import Sentence
from tests.table.contract import TableClientContract

PLAYERS = (Player(1, "Thijs", person=7), Player(2, "Tame"))
LINE = EveningLine(3, 1_777_000_000.0, None, ("toepen",), PLAYERS, hands=1, rubbers=1, runs=True)
EVENING = Evening(
    LINE,
    games=(PlayedGame("toepen", "kroeg", 1, (Line("rule.changed", {"option": "max_lives"}),)),),
    hands=(
        PlayedHand(
            *(1, "toepen", 1, (1,), Line("how.folds")),
            paid={2: 1},
            tallies={1: 0, 2: 1},
            knocks=(Knock(1, 2, 0.5, 1.25),),
            folded={2: 1},
        ),
    ),
    rubbers=(PlayedRubber(1, "toepen", (1,), (2,), 1),),
    settled=(Settlement(2, 1, 1),),
    turning=1,
    winners=(1,),
)


class HistoryContract(TableClientContract):
    """The part of the contract that `TableClient.history` keeps."""

    def test_a_table_without_a_history_tells_nothing_and_takes_nothing(
        self, client: TableClient
    ) -> None:
        assert client.history.stand() == HistoryStand(0)
        assert client.history.evenings(None, 50) == ()
        for ask in (lambda: client.history.evening(1), lambda: client.history.end_season(1)):
            with pytest.raises(BadRequest, match="keeps no evenings"):
                ask()

    def test_an_evening_arrives_as_it_was_told(self, client: TableClient, session: Session) -> None:
        session.history = _told()

        assert client.history.evening(3) == EVENING
        assert client.history.evenings(None, 50) == (LINE,)
        assert client.history.stand() == Told.STAND
        assert client.history.begin_season("Winter", 5.0, best=3) == Season(
            1, "Winter", 5.0, best=3
        )
        assert client.history.table(None) == SeasonTable(None, {}, 1)


class Told(SimpleNamespace):
    """A history that knows one evening."""

    STAND = HistoryStand(1, behind=4, trouble=Sentence("no-history"))


def _told() -> Any:
    return Told(
        stand=lambda: Told.STAND,
        evenings=lambda before, limit: (LINE,),
        evening=lambda number: EVENING,
        table=lambda season: SeasonTable(None, {}, 1),
        begin_season=lambda name, since, **rule: Season(1, name, since, **rule),
    )
