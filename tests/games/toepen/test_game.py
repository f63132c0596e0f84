"""Toepen by the book, where the worked examples do not go (toepen.md § 2 to § 7)."""

import pytest

from kloplei.games.card_game import Revoke
from kloplei.games.game import Action, Game, IllegalAction, Seat
from kloplei.games.toepen import REASONS, State, Toepen, actions
from kloplei.games.toepen.actions import ACTIONS, EVENTS, Stayed
from tests.games.toepen.table import Table


def test_toepen_is_a_game_to_the_table() -> None:
    game: Game[State] = Toepen()

    assert (game.name, game.min_seats, game.max_seats) == ("toepen", 3, 8)
    assert set(game.actions) == set(ACTIONS)
    assert set(game.events) == set(EVENTS)


@pytest.mark.parametrize(
    ("lost", "knocks_before", "refusal"),
    [
        (9, 0, "knock_limit"),
        (8, 0, None),
        (8, 1, "knock_limit"),
        (7, 1, None),
        (7, 2, "knock_limit"),
    ],
)
def test_a_seat_knocks_only_for_lives_it_still_has(
    lost: int, knocks_before: int, refusal: str | None
) -> None:
    """toepen.md § 5; armoede is off so that nine lost makes an ordinary hand."""
    table = Table(lives=(lost, 0, 0), armoede="off").do("deal")
    for knocker, others in (("B", "CA"), ("C", "AB"))[:knocks_before]:
        table.do(f"knock {knocker}", *(f"stay {other}" for other in others))

    assert table.refused("knock A") == refusal


def test_a_knock_says_what_a_refusal_may_want_to_tell() -> None:
    table = Table(lives=(8, 0, 0)).do("deal", "knock B", "stay C", "stay A")

    with pytest.raises(IllegalAction) as refusal:
        table.game.decide(table.state, actions.Knock(Seat(0)))

    facts = refusal.value.facts
    assert (facts["seat"], facts["left"], facts["stake"]) == (Seat(0), 2, 2)
    assert facts["knocker"] == Seat(1)


def test_refusals_carry_seats_that_edges_can_recognise() -> None:
    table = Table().do("deal", "knock A")

    with pytest.raises(IllegalAction) as refusal:
        table.game.decide(table.state, actions.Stay(Seat(2)))

    assert refusal.value.reason == "not_your_turn"
    assert type(refusal.value.facts["next"]) is Seat
    assert all(type(seat) is Seat for seat in refusal.value.facts["seats"])  # type: ignore[attr-defined]


def test_a_refused_knock_leaves_exchanging_open() -> None:
    table = Table(lives=(9, 0, 0)).do("deal")

    assert table.refused("knock B") == "answer_pending"
    assert table.refused("exchange B") is None


def test_the_first_armoede_answer_closes_the_exchange() -> None:
    table = Table(lives=(9, 0, 0)).do("deal", "stay B")

    assert table.phase == "armoede"
    assert table.refused("exchange C") == "exchange_closed"


def test_nobody_takes_a_trick_before_armoede_is_decided() -> None:
    table = Table(lives=(9, 0, 0)).do("deal")

    assert table.refused("trick 4 B") == "answer_pending"
    assert table.refused("trick 1 A") == "answer_pending"


def test_all_in_armoede_play_an_ordinary_hand() -> None:
    table = Table(dealer="A", lives=(9, 9, 9)).do("deal")

    assert (table.state.hand.stake, table.leader, table.state.hand.armoede) == (1, "B", ())
    assert table.do("trick 4 C").lives == [10, 10, 9]


def test_everybody_leaving_two_in_armoede_lets_them_play_for_two() -> None:
    table = Table("ABCD", lives=(9, 9, 0, 0)).do("deal", "fold C", "fold D")

    assert table.phase == "play"
    assert table.do("trick 4 B").lives == [10, 9, 1, 1]


def test_the_other_one_in_armoede_leads_when_the_first_is_caught() -> None:
    table = Table("ABCD", lives=(9, 0, 9, 0)).do("deal", "exchange A")

    table.do("challenge B of A dirty")

    assert (table.leader, table.state.hand.stake) == ("C", 2)
    assert table.letters(table.state.hand.armoede) == "C"


def test_a_challenge_that_leaves_one_player_ends_the_hand() -> None:
    table = Table("AB", lives=(9, 0), min_players=2, armoede="off").do("deal", "exchange A")

    table.do("challenge B of A dirty")

    assert (table.phase, table.dealer, table.state.rubber_winners) == (
        "rubber_over",
        "B",
        (Seat(1),),
    )


def test_a_new_exchange_saves_the_earlier_one() -> None:
    table = Table("ABCD").do("deal", "exchange A", "exchange B", "exchange A")

    assert table.letters(table.state.hand.open_exchange) == "BA"
    table.do("challenge B of A clean")
    assert table.refused("challenge C of A clean") == "no_exchange_to_challenge"


def test_the_stock_serves_eight_less_the_players() -> None:
    table = Table("ABCDE").do("deal", "exchange A", "exchange B", "exchange A")

    assert table.refused("exchange C") == "stock_empty"


def test_an_exchange_is_refused_in_the_order_of_the_document() -> None:
    table = Table("ABCDEFGH").do("deal")

    assert table.refused("exchange A") == "stock_empty"
    assert table.refused("challenge A of A clean") == "self_challenge"
    assert table.refused("challenge A of B torn") == "no_exchange_to_challenge"


def test_who_has_folded_owes_nothing_and_asks_for_nothing() -> None:
    table = Table("ABCD").do("deal", "knock A", "fold B")

    for words in ("stay B", "fold B", "knock B", "revoke B"):
        assert table.refused(words) == "not_in_hand"


def test_a_misdeal_is_too_late_once_a_life_is_lost_or_exchanging_over() -> None:
    table = Table().do("deal", "exchange A", "challenge B of A clean")
    assert table.refused("misdeal") == "too_late"

    assert Table().do("deal", "ready").refused("misdeal") == "too_late"


def test_a_misdeal_gives_the_same_dealer_another_try() -> None:
    table = Table().do("deal", "exchange A", "misdeal")

    assert (table.phase, table.dealer, table.lives) == ("between_hands", "C", [0, 0, 0])
    assert [hand.how for hand in table.state.hands] == ["misdeal"]


def test_a_revoke_needs_a_card_on_the_table() -> None:
    table = Table(lives=(9, 0, 0)).do("deal")
    assert table.refused("revoke A") == "no_card_played"

    table.do("stay B")
    assert table.refused("revoke A") == "no_card_played"


def test_a_revoke_that_costs_the_last_life_ends_the_rubber() -> None:
    table = Table(lives=(0, 9, 0), armoede="off").do("deal", "ready", "revoke B")

    assert (table.phase, table.dealer) == ("rubber_over", "C")


def test_the_deal_passes_on_when_the_dealer_of_a_void_hand_is_out() -> None:
    table = Table(lives=(0, 0, 9), armoede="off", rubber_mode="last_standing")

    table.do("deal", "ready", "revoke C")

    assert (table.phase, table.dealer) == ("between_hands", "A")


def test_the_lead_passes_on_when_the_leader_folds() -> None:
    table = Table("ABCD").do("deal", "trick 1 B", "knock A", "fold B")

    assert table.leader == "C"


def test_declarations_belong_to_who_was_dealt_in_and_stay_possible_after_folding() -> None:
    table = Table("ABCD").do("deal", "knock A", "fold B")

    assert table.refused("whistle B three_tens") is None
    assert table.refused("whistle B two_tens") == "unknown_declaration"
    assert Table().refused("stand A four_jacks") == "no_hand"


def test_tricks_are_numbered_one_to_four_and_rise() -> None:
    table = Table().do("deal")
    assert [table.refused(f"trick {n} A") for n in (0, 5)] == ["trick_order"] * 2

    table.do("trick 2 A")
    assert [table.refused(f"trick {n} A") for n in (1, 2, 3)] == ["trick_order"] * 2 + [None]


def test_between_hands_everything_of_a_hand_is_refused_alike() -> None:
    table = Table()

    for words in ("ready", "misdeal", "exchange A", "stay A", "trick 4 A", "whistle A three_tens"):
        assert table.refused(words) == "no_hand"


def test_the_last_standing_ones_finish_the_rubber_when_all_go_out_together() -> None:
    """The taker of the trick had folded with his last life: everybody is out."""
    table = Table(
        lives=(9, 9, 9),
        armoede="off",
        rubber_mode="last_standing",
        folded_last_trick="everyone_loses",
        knock_limit_basis="off",
    )

    table.do("deal", "knock A", "fold B", "stay C", "trick 4 B")

    assert table.phase == "rubber_over"
    assert table.letters(table.state.rubber_winners) == "ABC"
    assert table.do("drink A", "drink B", "drink C").lives == [0, 0, 0]


def test_lijntoeper_is_who_folds_most() -> None:
    table = Table("ABCD", lives=(0, 0, 0, 6))
    for _ in range(3):
        table.do("deal", "knock A", "fold B", "stay C", "stay D", "trick 4 A")
        table.do("chalk D 6")

    table.do("chalk D 10")

    assert table.letters(table.state.lijntoeper) == "B"
    assert "lijntoeper" in table.row("B").flags


def test_lijntoeper_needs_three_answers_and_most_of_them_folds() -> None:
    table = Table("ABCD")
    table.do("deal", "knock A", "fold B", "stay C", "stay D", "trick 4 A")
    table.do("deal", "knock A", "fold B", "stay C", "stay D", "trick 4 A")

    table.do("chalk D 10")

    assert table.state.lijntoeper == ()


def test_a_seat_that_does_not_play_is_refused_everything() -> None:
    table = Table().do("deal")
    stranger = Seat(7)

    for kind in (actions.Knock, actions.Stay, actions.Fold, actions.Exchange, Revoke):
        with pytest.raises(IllegalAction, match="not_in_hand"):
            table.game.decide(table.state, kind(stranger))
    with pytest.raises(IllegalAction, match="nothing_owed"):
        table.game.decide(table.state, actions.Drink(stranger))


def test_what_is_no_action_of_toepen_is_our_own_mistake() -> None:
    table = Table().do("deal")

    with pytest.raises(TypeError, match="no action of Toepen"):
        table.game.decide(table.state, Action())
    with pytest.raises(TypeError, match="no event of Toepen"):
        table.game.apply(table.state, object())  # type: ignore[arg-type]


def test_reasons_are_listed_once_each() -> None:
    assert len(REASONS) == len(set(REASONS))


def test_apply_does_not_ask_whether_an_event_was_right() -> None:
    """An old journal replays under new rules."""
    table = Table(max_stake=3).do("deal", "knock A")

    state = table.game.apply(table.state, Stayed(Seat(1), 99))

    assert state.hand.committed[1] == 99
