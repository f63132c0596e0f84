"""How a deal of Watten ends, as the journal keeps it (watten.md § 7)."""

from typing import Literal

import pytest

from kloplei.games.card_game import Deal, Revoke
from kloplei.games.game import Seat
from kloplei.games.watten import PRESETS, Options, Watten, actions
from kloplei.games.watten.actions import DealEnded
from kloplei.table.actions import decode
from kloplei.words import LANGUAGES, Words
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


def test_counted_tricks_are_told_with_what_they_brought_everybody() -> None:
    """It said that they are, and one had to compare the tallies."""
    table = Table(PRESETS["boehmisch"], players=3).do(Deal(), actions.TurnUp("S", "9"))
    table.do(*(actions.Trick(seat) for seat in (A, A, B, A, A)))

    told = table.state.news

    assert told is not None
    names = {A: "Thijs", B: "Tame", Seat(2): "Stan"}
    said = {language: Words(language).say(told.key, told.facts, names) for language in LANGUAGES}
    assert said["nl"] == "De slagen zijn geteld: Thijs -4, Tame -1 en Stan +5."
    assert said["ja"] == "トリックを数えました：Thijs -4、Tame -1とStan +5。"
    assert [table.state.points[seat] for seat in names] == [16, 19, 25]


def test_a_journal_of_before_tells_no_amounts_of_counted_tricks() -> None:
    facts = {"number": 1, "how": "counted", "seat": None, "winners": [], "scored": 0}
    written = {**facts, "value": 0, "points": [20, 19, 26], "dealer": 1}
    event = decode("DealEnded", written, actions.EVENTS)

    line = Watten(PRESETS["boehmisch"]).news(event)

    assert line is not None
    assert Words("en").say(line.key, line.facts) == "The tricks are counted."
