"""House rules of toepen.md § 8 on rubbers: how one ends, who leads the next, what is won by it."""

import pytest

from kloplei.games.card_game import BadSeating
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line, Tone
from kloplei.games.toepen import Options, Toepen, actions
from tests.games.toepen.table import Table


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


def test_one_toepkoning_reigns_until_somebody_has_won_more() -> None:
    """Twenty minutes of bots crowned all four."""
    table = Table()
    for loser, taker in (("B", "A"), ("A", "C")) * 3:
        lose_rubber(table, loser, taker)
    drawn_level = table.letters(table.state.toepkoning)

    lose_rubber(table, "A", "C")

    assert drawn_level == "A"
    assert table.letters(table.state.toepkoning) == "C"
    assert "toepkoning" not in table.row("C").counts


def test_crowns_are_counted_where_the_house_counts_them() -> None:
    table = Table(kings="counted")
    for loser, taker in (("B", "A"), ("A", "C")) * 3 + (("B", "A"),) * 3:
        lose_rubber(table, loser, taker)

    assert table.letters(table.state.toepkoning) == "AC"
    assert [table.row(one).counts.get("toepkoning") for one in "ABC"] == [2, None, 1]
    won = [event for event in table.told if isinstance(event, actions.RubberWon)]
    assert [table.letters(one.crowned) for one in won[-5:]] == ["A", "C", "", "", "A"]


def test_three_in_a_row_hand_the_crown_on_and_counted_ones_stay() -> None:
    told = {}
    for kings in ("one reigns", "counted"):
        table = Table(toepkoning="3 in a row", kings=kings)
        for loser, taker in (("B", "A"),) * 3 + (("A", "C"),) * 3 + (("B", "A"),):
            lose_rubber(table, loser, taker)
        told[kings] = table.letters(table.state.toepkoning)

    assert told == {"one reigns": "C", "counted": "AC"}


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


def test_a_debt_costs_the_agreed_number_of_chips_and_they_stay_in_the_pot() -> None:
    table = Table(lives=(9, 0, 0), armoede="off", stake_in="chips", debt_chips=5)

    table.do("deal", "trick 4 B", "drink A")

    assert table.board.pots == {"chips": 5}
    assert table.state.drinks[0] == 1


def test_chips_are_seen_until_they_are_taken_out_whatever_is_played_for_then() -> None:
    """With a preset that plays for drinks they lay nowhere, and could not be paid out."""
    table = Table(lives=(9, 0, 0), armoede="off", stake_in="chips", debt_chips=5)
    table.do("deal", "trick 4 B", "drink A")
    seen = [table.board]
    table.game = Toepen(Options())
    seen.append(table.board)
    for event in table.game.decide(table.state, actions.Payout(5, Seat(2))):
        table.state = table.game.apply(table.state, event)
    seen.append(table.board)

    assert [board.pots for board in seen] == [{"chips": 5}, {"kitty": 5}, {}]
    assert [board.plays_for_pot for board in seen] == [True, False, False]


def test_a_drink_is_no_chip_in_the_pot_of_whoever_plays_for_chips_later() -> None:
    table = Table(lives=(9, 0, 0), armoede="off")

    table.do("deal", "trick 4 B", "drink A")

    assert table.state.pot == 0


@pytest.mark.parametrize("kind", ["chips", "money"])
def test_who_plays_for_a_pot_is_asked_to_pay_and_told_to_have_paid(kind: str) -> None:
    """It was "drinks are on A" and "A bought the drinks" beside the chips."""
    table = Table(lives=(9, 0, 0), armoede="off", stake_in=kind, debt_chips=5)
    table.do("deal", "trick 4 B")
    asked = table.board.prompt
    paid = table.game.decide(table.state, actions.Drink(Seat(0)))[0]

    assert asked == Line("prompt.debts", {"seats": (Seat(0),), "n": 5})
    assert table.game.news(paid) == Line("news.paid-in", {"seat": Seat(0), "n": 5}, Tone.TOLD)


def test_a_debt_paid_before_the_number_was_told_is_one() -> None:
    table = Table(lives=(9, 0, 0), armoede="off", stake_in="chips", debt_chips=5)
    table.do("deal", "trick 4 B")

    assert table.game.apply(table.state, actions.Drank(Seat(0))).pot == 1


def test_the_pot_is_offered_to_all_while_something_lies_in_it() -> None:
    table = Table(lives=(9, 0, 0), armoede="off", stake_in="chips", debt_chips=5)
    table.do("deal", "trick 4 B", "drink A")
    alike = actions.Payout(1), actions.Payout(1, Seat(2))

    offered = [one in table.game.legal_actions(table.state) for one in alike]
    for event in table.game.decide(table.state, actions.Payout(5, Seat(2))):
        table.state = table.game.apply(table.state, event)

    assert offered == [True, True]
    assert table.board.pots == {"chips": 0}
    assert not any(one in table.game.legal_actions(table.state) for one in alike)


@pytest.mark.parametrize(("kind", "idle"), [("drink", {"debt_chips"}), ("chips", set())])
def test_a_round_of_drinks_has_no_number(kind: str, idle: set[str]) -> None:
    assert Options.from_mapping({"stake_in": kind}).idle() == idle


def lose_rubber(table: Table, loser: str, winner: str) -> None:
    """Let *loser* lose a rubber to *winner*, with everybody else in between."""
    for player in table.players:
        if player not in (loser, winner):
            table.do(f"chalk {player} 5")
    table.do(f"chalk {loser} 10", f"drink {loser}")
