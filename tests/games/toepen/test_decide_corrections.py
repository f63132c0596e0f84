"""Putting the slate right between hands (toepen.md § 9)."""

from dataclasses import replace

from kloplei.games.toepen.actions import ACTIONS
from tests.games.toepen.table import Table


def test_a_corrected_winner_gets_back_what_the_other_one_pays() -> None:
    table = Table("ABCD", lives=(1, 1, 1, 1))
    table.do("deal", "knock A", "stay B", "fold C", "stay D", "trick 4 A")

    table.do("correct 1 B")

    assert table.lives == [3, 1, 2, 3]
    assert table.dealer == "B"
    (hand,) = table.board.hands
    assert (hand.winner, hand.how, hand.paid) == (1, "how.corrected", {0: 2, 2: 1, 3: 2})


def test_an_older_hand_is_corrected_on_the_lives_of_today() -> None:
    table = Table().do("deal", "trick 4 A", "deal", "trick 4 A", "deal", "trick 4 C")

    table.do("correct 1 B")

    assert table.lives == [2, 2, 2]
    assert table.dealer == "C"


def test_a_void_hand_in_between_leaves_the_deal_to_the_new_winner() -> None:
    table = Table().do("deal", "trick 4 A", "deal", "misdeal")

    assert table.do("correct 1 B").dealer == "B"


def test_correcting_back_restores_the_slate() -> None:
    table = Table(lives=(9, 9, 0), armoede="off")
    table.do("deal", "knock C", "stay A", "stay B", "trick 4 C")
    before = table.lives

    table.do("correct 1 A", "correct 1 C")

    assert table.lives == before == [10, 10, 0]
    assert table.phase == "rubber_over"


def test_a_correction_can_take_the_end_of_the_rubber_back() -> None:
    table = Table(lives=(9, 3, 3), armoede="off").do("deal", "trick 4 B")
    assert table.phase == "rubber_over"

    table.do("correct 1 A")

    assert (table.phase, table.lives) == ("between_hands", [9, 4, 4])
    assert table.state.rubbers == ()
    assert table.state.owes_drink == frozenset()
    assert table.row("B").counts["rubbers_won"] == 0


def test_a_correction_can_end_the_rubber() -> None:
    table = Table(lives=(3, 9, 3), armoede="off").do("deal", "trick 4 B")

    table.do("correct 1 A")

    assert table.phase == "rubber_over"
    assert table.letters(table.state.owes_drink) == "B"
    assert table.letters(table.state.rubber_winners) == "A"


def test_a_correction_passes_the_honours_to_who_deserved_them() -> None:
    table = Table(lives=(9, 3, 4), armoede="off").do("deal", "trick 4 B")
    assert table.letters(table.state.rubber_winners) == "B"

    table.do("chalk B 6")

    assert table.letters(table.state.rubber_winners) == "C"
    assert [table.state.rubbers_won(seat) for seat in table.state.seats] == [0, 0, 1]


def test_a_corrected_king_loses_the_crown() -> None:
    table = Table("ABC", lives=(9, 3, 4), armoede="off")
    table.state = table.game.start(
        table.state.seats,
        table.state.dealer,
        lives_lost={table.state.seats[0]: 9, table.state.seats[2]: 4},
        rubbers_won={table.state.seats[1]: 2},
    )
    table.do("deal", "trick 4 B")
    assert table.letters(table.state.toepkoning) == "B"

    table.do("correct 1 A")

    assert table.state.toepkoning == ()


def test_a_drink_that_was_paid_stays_paid_but_is_not_asked_for_twice() -> None:
    table = Table("ABCD", lives=(9, 9, 0, 0), armoede="off").do("deal", "trick 4 C", "drink A")

    table.do("chalk A 8")
    assert (table.phase, table.letters(table.state.owes_drink)) == ("rubber_over", "B")

    table.do("chalk A 10")
    assert table.letters(table.state.owes_drink) == "B"
    assert table.state.drinks[0] == 1


def test_a_correction_can_bring_somebody_back_where_the_last_one_stands() -> None:
    table = Table(lives=(9, 3, 3), armoede="off", rubber_mode="last_standing")
    table.do("deal", "trick 4 B")
    assert "out" in table.row("A").flags

    table.do("correct 1 A")

    assert (table.lives, table.dealer) == ([9, 4, 4], "A")
    assert table.row("A").flags == ()


def test_the_jack_returns_its_life() -> None:
    table = Table(lives=(3, 0, 0), jack_bonus="minus_1").do("deal", "jack A")

    table.do("correct 1 B")

    assert table.lives == [4, 0, 1]


def test_all_of_a_hand_is_told_anew_and_each_pays_what_it_then_costs() -> None:
    """Only another winner could be told: not that C had stayed, or that it went for three."""
    table = Table("ABCD", lives=(1, 1, 1, 1))
    table.do("deal", "knock A", "stay B", "fold C", "stay D", "trick 4 A")
    assert table.lives == [1, 3, 2, 3]

    table.do("amend 1 B 3 - - - 2")

    assert table.lives == [4, 1, 4, 3]
    assert table.dealer == "B"
    (hand,) = table.board.hands
    assert (hand.winner, hand.how, hand.stake) == (1, "how.corrected", 3)
    assert (hand.paid, hand.stayed, hand.folded) == ({0: 3, 2: 3, 3: 2}, {0: 3, 1: 0, 2: 3}, {3: 2})
    assert table.board.news is not None
    assert table.board.news.key == "news.amended"


def test_a_hand_told_anew_and_back_leaves_the_slate_as_it_was() -> None:
    table = Table("ABCD", lives=(8, 9, 0, 1), armoede="off")
    table.do(
        "deal", "exchange C", "challenge D of C dirty", "knock D", "stay A", "fold B", "stay C"
    )
    table.do("trick 4 C")
    before = table.state

    table.do("amend 1 A 5 - 0 - -", "amend 1 C 2 - 1 - -")

    assert table.lives == [before.lives_lost[seat] for seat in before.seats]
    assert table.state.phase == before.phase == "rubber_over"
    assert [one.paid for one in table.state.hands] == [one.paid for one in before.hands]


def test_a_hand_won_by_folds_is_told_anew_too() -> None:
    table = Table().do("deal", "knock A", "fold B", "fold C")

    table.do("amend 1 C 2 - 1 -")

    assert table.lives == [2, 1, 0]


def test_a_hand_told_anew_can_be_corrected_again() -> None:
    table = Table("ABCD").do("deal", "trick 4 A", "amend 1 A 2 - 1 - -")

    table.do("correct 1 C")

    assert table.lives == [2, 1, 0, 2]
    assert table.refused("correct 1 B") == "not_in_hand"


def test_what_a_hand_cannot_have_been_is_refused() -> None:
    table = Table("ABCD", lives=(0, 9, 0, 0), rubber_mode="last_standing", armoede="off")
    table.do("deal", "trick 4 A", "deal", "knock A", "stay C", "fold D", "trick 4 C")
    table.do("deal", "misdeal")

    assert table.refused("amend 2 C 2 - - - 1") == "nothing_changed"
    assert table.refused("amend 2 D 2 - - - 1") == "not_in_hand"
    assert table.refused("amend 2 B 2 - - - -") == "not_in_hand"
    assert table.refused("amend 2 A 2 - 1 - -") == "not_in_hand"
    assert table.refused("amend 2 A 0 - - - -") == "lives_out_of_range"
    assert table.refused("amend 2 A 2 - - 11 -") == "lives_out_of_range"
    assert table.refused("amend 2 A 2 - - -") == "not_all_seats"
    assert table.refused("amend 3 A 2 - - - -") == "hand_unknown"
    table.do("deal")
    assert table.refused("amend 2 A 2 - - - -") == "hand_in_progress"


def test_a_hand_of_before_that_did_not_write_folds_down_is_told_anew() -> None:
    """What journals of before kept: all that was paid before the end was for folding."""
    table = Table("ABCD").do("deal", "knock A", "stay B", "fold C", "stay D", "trick 4 A")
    (hand,) = table.state.hands
    table.state = replace(table.state, hands=(replace(hand, folded=()),))

    table.do("amend 1 A 2 - - - -")

    assert table.lives == [0, 2, 2, 2]


def test_chalk_writes_lives_by_hand_and_leaves_a_trail() -> None:
    table = Table().do("chalk B 7")

    assert table.lives == [0, 7, 0]
    assert table.board.news is not None
    assert (table.board.news.key, table.board.news.facts) == ("news.chalked", {"seat": 1, "n": 7})


def test_chalking_the_dealer_out_passes_the_deal_on() -> None:
    table = Table("ABCD", rubber_mode="last_standing").do("chalk D 10")

    assert table.dealer == "A"


def test_corrections_wait_for_the_end_of_the_hand() -> None:
    table = Table().do("deal", "trick 4 A", "deal")

    assert table.refused("correct 1 B") == "hand_in_progress"
    assert table.refused("chalk A 3") == "hand_in_progress"


def test_nonsense_corrections_are_refused() -> None:
    table = Table("ABCD").do("deal", "knock A", "fold B", "stay C", "stay D", "trick 4 A")
    table.do("deal", "misdeal")

    assert table.refused("correct 1 A") == "nothing_changed"
    assert table.refused("correct 1 B") == "not_in_hand"
    assert table.refused("correct 2 B") == "hand_unknown"
    assert table.refused("correct 9 B") == "hand_unknown"
    assert table.refused("chalk A 11") == "lives_out_of_range"
    assert table.refused("chalk A -1") == "lives_out_of_range"
    assert table.refused("chalk A 0") == "nothing_changed"
    assert table.refused("chalk G 1") == "not_in_hand"


def test_hands_of_a_wiped_slate_are_settled_for_good() -> None:
    table = Table(lives=(9, 0, 0), armoede="off").do("deal", "trick 4 B", "drink A")

    assert table.refused("correct 1 C") == "hand_unknown"


def test_only_who_looks_at_the_newest_slate_may_correct_it() -> None:
    """The table asks the action itself; it knows none by name (`Action.rewrites`)."""
    rewriting = {name for name, kind in ACTIONS.items() if kind.rewrites}

    assert rewriting == {"correct", "amend", "chalk", "won_before"}
