"""House rules of toepen.md § 8 on knocks: who may, how far, who answers when, what a fold costs."""

import pytest

from kloplei.games.toepen.actions import Knocked, Stayed
from tests.games.toepen.table import STAY_ALL, Table, seat_of


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


def test_after_the_taker_who_had_folded_with_his_last_life_his_left_neighbour_deals() -> None:
    table = Table(
        "ABCD",
        lives=(0, 9, 0, 0),
        armoede="off",
        rubber_mode="last_standing",
        folded_last_trick="everyone_loses",
    )

    table.do("deal", "knock A", "fold B", "stay C", "stay D", "trick 4 B")

    assert table.letters(table.state.out) == "B"
    assert table.dealer == "C"
