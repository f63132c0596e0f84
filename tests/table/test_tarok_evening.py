"""Evenings of Tarok through the real inbox: presses, phones, and older hands that are mended."""

import pytest

from kloplei.games.catalogue import build_game
from kloplei.games.game import IllegalAction
from tests.table.seated import Tabletop, told
from tests.table.tarok_evening import CHIPS, TIMINGS, Evening, chips, owed, written


@pytest.mark.parametrize("rule_set", ["a", "b", "c"])
def test_a_table_that_presses_and_taps_an_evening_ends_with_the_written_scores(
    rule_set: str,
) -> None:
    hands, end = written(rule_set)
    evening = Evening(rule_set, hands[0]["in"]["players"])
    nothing = dict.fromkeys(evening.seats, 0)

    for hand in hands:
        evening.play(hand["in"])
        assert evening.scores == nothing | hand["out"]["final"]
        assert evening.board.pots == hand["out"].get("pots_after", {})
    evening.tell(None, "settle")

    board = evening.board
    assert evening.scores == owed(board) == nothing | end["out"]["final"]
    assert len(board.payments) < len(board.rows)
    assert chips(board) <= (CHIPS if rule_set == "c" else set())
    assert board.dealer is not None
    evening.press(board.dealer.shown, 2)
    assert evening.scores == nothing


@pytest.fixture
def dansk() -> Evening:
    """Four who have played the first three hands of the Danish evening."""
    hands, _ = written("c")
    evening = Evening("c", hands[0]["in"]["players"])
    for hand in hands[:3]:
        evening.play(hand["in"])
    return evening


def test_an_older_hand_that_was_told_wrong_is_mended_and_the_others_follow() -> None:
    """The pagat ultimo of hand 2 was forgotten: without it the pot stays full in hand 3."""
    hands, _ = written("c")
    evening = Evening("c", hands[0]["in"]["players"])
    right, wrong = hands[1]["in"], {**hands[1]["in"], "last_trick": {"winner": "Anne"}}
    wrong["in_play"] = [*wrong["in_play"], {"by": "Anne", "what": "pagat_home"}]
    for hand in (hands[0]["in"], wrong, hands[2]["in"]):
        evening.play(hand)
    told_wrong = evening.scores

    evening.tell(None, "reopen", hand=2)
    told_so_far = evening.board.draft
    home = next(one for one in told_so_far if one.line.key == "ledger.pagat_home")
    evening.tell(None, "take_back", entry=home.entry)
    evening.tell("Anne", "last_card", card="pagat")
    evening.tell(None, "book")

    assert right["last_trick"]["cards"] == {"Anne": "pagat"}
    assert told_wrong != evening.scores == hands[2]["out"]["final"]
    assert evening.board.pots == hands[2]["out"]["pots_after"]
    assert [hand.number for hand in evening.board.hands] == [1, 2, 3]


def test_what_is_told_is_shown_with_what_it_would_pay_and_counts_when_it_is_booked(
    dansk: Evening,
) -> None:
    hand = written("c")[0][4]["in"]
    before = dansk.scores

    dansk.deal_and_declare(hand)
    dealt = dansk.scores
    dansk.tell_play(hand)

    assert dansk.scores == dealt != before
    nolo = next(one for one in dansk.board.draft if one.line.key == "ledger.nolo")
    assert {dansk.board.names[seat]: paid for seat, paid in nolo.amounts.items()} == {
        "Anne": 50, "Clara": -25, "Dorte": -25,
    }  # fmt: skip
    assert nolo.entry is not None


def test_a_half_told_hand_is_there_again_when_the_power_comes_back(dansk: Evening) -> None:
    dansk.deal_and_declare({"dealer": "Dorte"})
    dansk.tell("Anne", "fate", what="pagat_home")
    dansk.take_last_trick("Clara")
    dansk.tell("Clara", "points", points=20)

    again = Tabletop(dansk.tabletop.journal, build=build_game, game="tarok", seats=4)

    assert told(again.board) == told(dansk.board)
    assert [one.line.key for one in again.board.draft if one.entry] == [
        "ledger.pagat_home", "ledger.last_trick", "news.points-counted",
    ]  # fmt: skip


def test_cards_may_be_slammed_from_the_first_deal_to_the_last(dansk: Evening) -> None:
    dansk.deal_and_declare({"dealer": "Dorte"})
    before = dansk.board

    for seat in (1, 2, 3, 4, None):
        for times in (1, 2, 4, 6):
            dansk.tabletop.knock(seat, times)
    dansk.tabletop.wait(TIMINGS.grace_s)

    assert before.deaf
    assert dansk.board == before


def test_who_took_the_last_trick_can_be_called_off_by_a_press_elsewhere(dansk: Evening) -> None:
    dansk.deal_and_declare({"dealer": "Dorte"})

    dansk.press(dansk.seats["Anne"], 2)
    waiting = dansk.board.grace
    dansk.press(dansk.seats["Clara"], 1)
    dansk.tabletop.wait(TIMINGS.grace_s)

    assert waiting is not None
    assert waiting.action == "last_trick"
    assert not any(one.line.key == "ledger.last_trick" for one in dansk.board.draft)


def test_two_phones_that_tell_the_same_fate_tell_it_once(dansk: Evening) -> None:
    """Both showed the same slate."""
    dansk.deal_and_declare({"dealer": "Dorte"})

    dansk.tell("Anne", "fate", what="pagat_home")
    with pytest.raises(IllegalAction) as refused:
        dansk.tell("Anne", "fate", what="pagat_home")

    assert refused.value.reason == "V-PAGAT-ONCE"
