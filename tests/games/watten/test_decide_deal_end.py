"""How a deal of Watten ends, as the journal keeps it (watten.md § 7)."""

from typing import Literal

import pytest

from kloplei.games.card_game import Deal, Revoke
from kloplei.games.watten import Options, actions
from kloplei.games.watten.actions import DealEnded
from tests.games.watten.test_view import NINE_HEARTS, A, B, Table

TRICKS = (actions.Trick(A), actions.Trick(A), actions.Trick(A))


@pytest.mark.parametrize("remedy", ["opponents_2", "opponents_value", "lose_game"])
@pytest.mark.parametrize("found", ["at once", "after the deal"])
def test_a_revoke_is_kept_with_what_had_been_agreed(
    remedy: Literal["opponents_2", "opponents_value", "lose_game"], found: str
) -> None:
    table = Table(Options(revoke_remedy=remedy))
    table.do(Deal(), *NINE_HEARTS, actions.Raise(A), actions.Accept(B))
    table.do(*TRICKS[: 3 if found == "after the deal" else 1])

    events = table.game.decide(table.state, Revoke(A))

    assert [one.value for one in events if isinstance(one, DealEnded)] == [3]
