"""Each house rule of toepen.md § 8 by its name, and what it changes at the table."""

import pytest

from kloplei.rules.toepen import BadSeating
from kloplei.rules.toepen.events import Knocked, Stayed
from tests.rules.toepen.table import Table, seat_of

STAY_ALL = ("stay B", "stay C")


def test_max_lives_ends_the_rubber_there() -> None:
    table = Table(lives=(4, 0, 0), max_lives=5, armoede="off")

    table.do("deal", "trick 4 B")

    assert table.phase == "rubber_over"
    assert table.lives == [5, 0, 1]


def test_min_players_lets_two_play() -> None:
    with pytest.raises(BadSeating, match="3 to 8 players, not 2; two may play with"):
        Table("AB")

    table = Table("AB", min_players=2)

    assert table.do("deal", "knock A", "fold B").lives == [0, 1]


def test_rubber_mode_last_standing_lets_the_loser_sit_out() -> None:
    table = Table(lives=(9, 0, 0), rubber_mode="last_standing")

    table.do("deal", "stay B", "stay C", "trick 4 B", "deal")

    assert table.row("A").flags == ("out", "owes_drink")
    assert table.letters(table.state.hand.dealt_in) == "CB"
    assert table.leader == "C"


def test_rubber_mode_last_standing_takes_a_drink_any_time() -> None:
    table = Table(lives=(9, 0, 0), rubber_mode="last_standing")

    table.do("deal", "stay B", "stay C", "trick 4 B", "deal", "drink A")

    assert table.state.drinks[0] == 1
    assert table.refused("drink A") == "nothing_owed"
    assert table.phase == "exchange"


def test_rubber_end_timing_immediate_drops_the_hand() -> None:
    table = Table("ABCD", lives=(0, 9, 0, 0), armoede="off", rubber_end_timing="immediate")

    table.do("deal", "knock A", "fold B")

    assert table.phase == "rubber_over"
    assert table.lives == [0, 10, 0, 0]
    assert table.state.hands[-1].how == "out"
    assert table.dealer == "D"


def test_rubber_end_timing_immediate_lets_the_last_one_win_the_hand() -> None:
    table = Table(lives=(0, 9, 9), armoede="off", rubber_end_timing="immediate")

    table.do("deal", "knock A", "fold B")
    assert table.phase == "rubber_over"

    table = Table(lives=(0, 0, 9), armoede="off", rubber_end_timing="immediate")
    table.do("deal", "knock A", "fold B", "fold C")
    assert table.state.hands[-1].how == "folds"


def test_armoede_off_makes_it_an_ordinary_hand() -> None:
    table = Table(dealer="A", lives=(9, 0, 0), armoede="off")

    table.do("deal")

    assert (table.state.hand.stake, table.leader, table.state.hand.armoede) == (1, "B", ())


def test_armoede_stake_and_leave_cost_are_the_houses_own() -> None:
    table = Table(lives=(9, 0, 0), armoede_stake=3, armoede_leave_cost=2)

    table.do("deal", "fold B", "stay C", "trick 4 A")

    assert table.lives == [9, 2, 3]


def test_armoede_leads_first_time_only() -> None:
    table = Table(dealer="A", lives=(9, 0, 0), armoede_leads="first_time_only")

    table.do("deal")
    assert table.leader == "A"

    table.do("stay B", "stay C", "trick 4 A", "deal")
    assert table.leader == "B"
    assert table.do("ready").asked == "CB"


def test_armoede_leads_counts_no_misdealt_hand() -> None:
    table = Table(dealer="A", lives=(9, 0, 0), armoede_leads="first_time_only")

    table.do("deal", "misdeal", "deal")

    assert table.leader == "A"


def test_armoede_check_after_exchange_counts_when_exchanging_closes() -> None:
    table = Table(lives=(9, 0, 0), armoede_check="after_exchange")

    table.do("deal")
    assert table.state.hand.stake == 1
    assert table.refused("knock B") == "answer_pending"

    table.do("stay B")
    assert (table.phase, table.state.hand.stake, table.leader) == ("armoede", 2, "A")
    assert [row.committed for row in table.board.rows] == [2, 2, 1]


def test_armoede_may_knock_frees_the_poor_of_the_limit() -> None:
    table = Table(lives=(9, 0, 0), armoede_may_knock="yes")

    table.do("deal", "stay B", "stay C", "knock A")

    assert table.state.hand.stake == 3


@pytest.mark.parametrize(
    ("basis", "refusal"), [("hand", "knock_limit"), ("own", None), ("off", None)]
)
def test_knock_limit_basis(basis: str, refusal: str | None) -> None:
    table = Table(lives=(8, 0, 0), knock_limit_basis=basis)

    table.do("deal", "knock B", "stay C", "stay A")

    assert table.refused("knock A") == refusal


def test_knock_limit_basis_off_has_no_limit_at_all() -> None:
    table = Table(lives=(9, 0, 0), knock_limit_basis="off", armoede="off")

    assert table.do("deal").refused("knock A") is None


@pytest.mark.parametrize(
    ("reknock", "at_once", "later"),
    [("no", "same_knocker", None), ("yes", None, None), ("once_per_hand",) + ("same_knocker",) * 2],
)
def test_same_player_reknock(reknock: str, at_once: str | None, later: str | None) -> None:
    table = Table(same_player_reknock=reknock)

    table.do("deal", "knock A", *STAY_ALL)
    assert table.refused("knock A") == at_once

    table.do("knock B", "stay C", "stay A")
    assert table.refused("knock A") == later


def test_over_knock_while_pending_is_for_the_one_whose_turn_it_is() -> None:
    table = Table("ABCD", over_knock_while_pending="yes")

    table.do("deal", "knock A")

    assert table.refused("knock C") == "answer_pending"
    assert table.do("knock B").asked == "CDA"


def test_answer_order_any_takes_answers_as_they_come() -> None:
    table = Table("ABCD", answer_order="any")

    table.do("deal", "knock A", "stay D", "fold B", "stay C")

    assert (table.phase, table.lives) == ("play", [0, 1, 0, 0])


def test_max_stake_ends_the_raising() -> None:
    table = Table(max_stake=3)

    table.do("deal", "knock A", *STAY_ALL, "knock B", "stay C", "stay A")

    assert table.refused("knock C") == "max_stake"


def test_blind_knock_goes_one_above_the_limit_before_the_cards_are_seen() -> None:
    table = Table(lives=(9, 0, 0), blind_knock="on", armoede="off")
    table.do("deal")
    assert table.refused("knock A") == "knock_limit"

    table.do("blind_knock A")

    assert table.told[-1] == Knocked(seat_of("A"), 2, (seat_of("B"), seat_of("C")), blind=True)
    assert table.refused("blind_knock B") == "too_late"


def test_blind_knock_is_lost_by_exchanging_and_unknown_elsewhere() -> None:
    table = Table(blind_knock="on").do("deal", "exchange A")

    assert table.refused("blind_knock A") == "too_late"
    assert Table().do("deal").refused("blind_knock A") == "not_played_here"


def test_all_in_auto_stay_does_not_ask_who_cannot_lose_more() -> None:
    table = Table(lives=(0, 9, 0), armoede="off", all_in="auto_stay")

    table.do("deal", "knock A")

    assert table.asked == "C"
    assert Stayed(table.state.seats[1], 2, forced=True) in table.told


def test_all_in_must_stay_refuses_the_fold() -> None:
    table = Table(lives=(0, 9, 0), armoede="off", all_in="must_stay")

    table.do("deal", "knock A")

    assert table.refused("fold B") == "all_in"
    assert table.do("stay B", "fold C").lives == [0, 9, 1]


def test_voluntary_fold_needs_no_knock() -> None:
    table = Table("ABCD", voluntary_fold="yes")

    table.do("deal", "fold B")
    assert (table.phase, table.lives) == ("exchange", [0, 1, 0, 0])

    table.do("ready", "knock A", "stay C", "stay D", "fold D")
    assert table.lives == [0, 1, 0, 2]


def test_voluntary_fold_leaves_the_last_one_as_winner() -> None:
    table = Table(voluntary_fold="yes")

    table.do("deal", "fold B", "fold C")

    assert (table.phase, table.dealer, table.lives) == ("between_hands", "A", [0, 1, 1])


def test_voluntary_fold_is_no_way_out_for_the_poor() -> None:
    table = Table(lives=(9, 0, 0), voluntary_fold="yes")

    assert table.do("deal").refused("fold A") == "nothing_to_answer"


def test_fold_price_one_life() -> None:
    table = Table(fold_price="one_life")

    table.do("deal", "knock A", *STAY_ALL, "knock B", "fold C", "stay A")

    assert table.lives == [0, 0, 1]


def test_folded_last_trick_counts_only_a_card_played_in_it() -> None:
    table = Table("ABCD", folded_last_trick="everyone_loses")

    table.do("deal", "trick 1 A", "knock A", "fold B", "stay C", "stay D")
    assert table.refused("trick 4 B") is None

    table.do("trick 3 A")
    assert table.refused("trick 4 B") == "not_in_hand"


def test_folded_last_trick_counts_nobody_who_left_before_a_card() -> None:
    table = Table("ABCD", lives=(9, 0, 0, 0), folded_last_trick="everyone_loses")

    table.do("deal", "fold B", "stay C", "stay D")

    assert table.refused("trick 4 B") == "not_in_hand"


@pytest.mark.parametrize("definition", ["AKQJ", "AKQJ_or_three_plus_7"])
def test_exchange_definition_is_for_eyes_only_and_shown(definition: str) -> None:
    table = Table(exchange_definition=definition)

    table.do("deal", "exchange A", "challenge B of A clean")

    assert table.lives == [0, 1, 0]
    shown = table.board.options.get("exchange_definition", "AKQJ")
    assert shown == definition


def test_exchange_limit_one_per_hand_is_for_each_player() -> None:
    table = Table(exchange_limit="1 per hand")

    table.do("deal", "exchange A", "exchange B")

    assert table.refused("exchange A") == "exchange_limit"
    assert table.refused("exchange C") is None


def test_exchange_limit_nought_allows_none() -> None:
    assert Table(exchange_limit=0).do("deal").refused("exchange A") == "exchange_limit"


def test_exchange_penalty_two() -> None:
    table = Table(exchange_penalty=2)

    table.do("deal", "exchange A", "challenge B of A dirty", "exchange C", "challenge A of C clean")

    assert table.lives == [4, 0, 0]


@pytest.mark.parametrize("effect", ["keeps_new_hand", "plays_old_hand_open"])
def test_exchange_bluff_effect_is_for_eyes_only_and_shown(effect: str) -> None:
    table = Table(exchange_bluff_effect=effect)

    table.do("deal", "exchange A", "challenge B of A dirty")

    assert table.lives == [1, 0, 0]
    assert table.board.options.get("exchange_bluff_effect", "keeps_new_hand") == effect


def test_four_of_a_kind_costs_the_others_three() -> None:
    table = Table("ABCD", four_of_a_kind="instant_win_3")

    table.do("deal", "knock A", "fold B", "stay C", "stay D", "four C")

    assert (table.lives, table.dealer) == ([3, 1, 0, 3], "C")


def test_four_of_a_kind_has_its_moment() -> None:
    table = Table(four_of_a_kind="instant_win_3").do("deal", "knock A")
    assert table.refused("four B") == "answer_pending"

    table.do(*STAY_ALL, "trick 1 A")
    assert table.refused("four B") == "too_late"
    assert Table().do("deal").refused("four A") == "not_played_here"


def test_jack_bonus_gives_a_life_back() -> None:
    table = Table(lives=(3, 0, 0), jack_bonus="minus_1")

    table.do("deal", "jack A")

    assert table.lives == [2, 1, 1]
    assert Table().do("deal").refused("jack A") == "not_played_here"


def test_jack_bonus_gives_nothing_to_the_untouched() -> None:
    assert Table(jack_bonus="minus_1").do("deal", "jack A").lives == [0, 1, 1]


def test_whistle_penalty_is_paid_by_singing() -> None:
    table = Table(whistle_penalty=1)

    table.do("deal", "whistle A three_tens", "sing B cannot_whistle")

    assert table.lives == [0, 1, 0]
    assert table.refused("misdeal") == "too_late"


def test_whistle_penalty_can_take_the_last_life_and_the_question_with_it() -> None:
    table = Table("ABCD", lives=(9, 0, 0, 0), whistle_penalty=1)

    table.do("deal", "stay B", "sing A forgot_to_whistle")

    assert (table.phase, table.state.hand.stake, table.leader) == ("play", 1, "B")
    assert table.do("trick 4 B").lives == [10, 0, 1, 1]


@pytest.mark.parametrize(("overshoot", "lost"), [("cap", 10), ("record", 13)])
def test_overshoot(overshoot: str, lost: int) -> None:
    table = Table(lives=(9, 0, 0), armoede="off", overshoot=overshoot)

    table.do("deal", "knock B", "stay C", "stay A", "knock C", "stay A", "stay B")
    table.do("knock B", "stay C", "stay A", "trick 4 C")

    assert table.lives == [lost, 4, 0]
    assert table.phase == "rubber_over"


@pytest.mark.parametrize(
    ("rule", "dealer"), [("winner", "B"), ("left", "A"), ("highest_score", "C")]
)
def test_next_dealer(rule: str, dealer: str) -> None:
    table = Table(lives=(0, 0, 5), next_dealer=rule)

    table.do("deal", "trick 4 B")

    assert table.dealer == dealer


def test_next_dealer_skips_who_is_out() -> None:
    table = Table("ABCD", lives=(9, 0, 0, 0), next_dealer="left", rubber_mode="last_standing")

    table.do("deal", "stay B", "stay C", "stay D", "trick 4 C")

    assert table.dealer == "B"


def test_new_rubber_lead_belongs_to_the_previous_loser() -> None:
    table = Table("ABCD", lives=(0, 0, 9, 0), new_rubber_lead="previous loser leads")
    table.do("deal", "stay D", "stay A", "stay B", "trick 4 A", "drink C")

    table.do("deal")
    assert table.leader == "C"

    table.do("trick 4 B", "deal")
    assert table.leader == "C"  # the ordinary lead: left of the dealer B
    assert table.do("trick 4 D", "deal").leader == "A"


def test_toepkoning_after_three_rubbers_in_total() -> None:
    table = Table()
    for loser, taker in (("B", "A"), ("A", "C"), ("B", "A"), ("B", "A")):
        lose_rubber(table, loser, taker)

    assert table.letters(table.state.toepkoning) == "A"


def test_toepkoning_three_in_a_row_forgets_an_interrupted_run() -> None:
    table = Table(toepkoning="3 in a row")
    for loser, taker in (("B", "A"), ("A", "C"), ("B", "A"), ("B", "A")):
        lose_rubber(table, loser, taker)
    assert table.state.toepkoning == ()

    lose_rubber(table, "B", "A")
    assert table.letters(table.state.toepkoning) == "A"


def test_toepkoning_rubber_survivor_passes_on_with_every_rubber() -> None:
    table = Table(toepkoning="rubber survivor")
    lose_rubber(table, "B", "A")
    assert table.letters(table.state.toepkoning) == "A"

    lose_rubber(table, "A", "C")
    assert table.letters(table.state.toepkoning) == "C"


@pytest.mark.parametrize(("remedy", "lost"), [("offender_pays", 2), ("void", 0)])
def test_revoke_remedy(remedy: str, lost: int) -> None:
    table = Table(revoke_remedy=remedy)

    table.do("deal", "knock A", *STAY_ALL, "revoke B")

    assert table.lives == [0, lost, 0]
    assert table.dealer == "C"


def test_tournament_points_follow_the_order_of_going_out() -> None:
    table = Table(
        "ABCDEF",
        lives=(9, 9, 8, 7, 0, 0),
        tournament_points="5/3/2/1/0",
        rubber_mode="last_standing",
        armoede="off",
    )

    table.do("deal", "trick 4 F")  # A and B go out together
    table.do("deal", "trick 4 F")  # C
    table.do("deal", "trick 4 F")  # D
    table.do("chalk E 9", "deal", "trick 4 F")

    assert [row.counts["points"] for row in table.board.rows] == [0, 0, 1, 2, 3, 5]


def test_tournament_points_go_by_lives_where_the_first_one_out_pays() -> None:
    table = Table(lives=(9, 3, 3), tournament_points="5/3/2/1/0", armoede="off")

    table.do("deal", "trick 4 B")

    assert [row.counts["points"] for row in table.board.rows] == [2, 5, 3]


@pytest.mark.parametrize(
    ("kind", "pots"), [("drink", {}), ("chips", {"chips": 1}), ("money", {"money": 1})]
)
def test_stake_in_fills_the_pot(kind: str, pots: dict[str, int]) -> None:
    table = Table(lives=(9, 0, 0), armoede="off", stake_in=kind)

    table.do("deal", "trick 4 B", "drink A")

    assert table.board.pots == pots
    assert table.state.drinks[0] == 1


def lose_rubber(table: Table, loser: str, winner: str) -> None:
    """Let *loser* lose a rubber to *winner*, with everybody else in between."""
    for player in table.players:
        if player not in (loser, winner):
            table.do(f"chalk {player} 5")
    table.do(f"chalk {loser} 10", f"drink {loser}")
