"""House rules of toepen.md § 8 on cards: exchanges, four of a kind, jacks, misplays."""

import pytest

from tests.games.toepen.table import STAY_ALL, Table


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


@pytest.mark.parametrize(("remedy", "lost"), [("offender_pays", 2), ("void", 0)])
def test_revoke_remedy(remedy: str, lost: int) -> None:
    table = Table(revoke_remedy=remedy)

    table.do("deal", "knock A", *STAY_ALL, "revoke B")

    assert table.lives == [0, lost, 0]
    assert table.dealer == "C"
