"""A table without phones: what knocks and holds mean in each phase (toepen.md § 10)."""

import pytest

from kloplei.games.game import Choose, Do, Gesture, Meaning, Show
from tests.games.toepen.table import Table, action_of, seat_of

HOLD = Gesture(hold=True)


def meaning(table: Table, letter: str, gesture: int | Gesture) -> Meaning | None:
    if isinstance(gesture, int):
        gesture = Gesture(knocks=gesture)
    return table.game.meaning(table.state, seat_of(letter), gesture)


@pytest.mark.parametrize("gesture", [2, HOLD])
def test_the_dealer_deals_by_two_knocks_or_a_hold(gesture: int | Gesture) -> None:
    table = Table(dealer="B")

    assert meaning(table, "B", gesture) == Do(action_of("deal"))
    assert meaning(table, "A", gesture) is None


@pytest.mark.parametrize("knocks", [1, 3, 4, 5])
def test_other_knocks_between_hands_are_noise(knocks: int) -> None:
    assert meaning(Table(dealer="B"), "B", knocks) is None


@pytest.mark.parametrize(
    ("gesture", "asks"),
    [
        (1, Do(action_of("knock B"))),
        (2, Do(action_of("trick 4 B"), grace=True)),
        (HOLD, Do(action_of("trick 4 B"), grace=True)),
        (3, Show("hurry-up")),
        (5, None),
    ],
)
def test_in_play(gesture: int | Gesture, asks: Meaning | None) -> None:
    assert meaning(Table().do("deal", "ready"), "B", gesture) == asks


@pytest.mark.parametrize(
    ("gesture", "asks"),
    [
        (1, Do(action_of("knock B"))),
        (2, Do(action_of("trick 4 B"), grace=True)),
        (HOLD, Do(action_of("trick 4 B"), grace=True)),
        (3, Do(action_of("exchange B"))),
        (5, None),
    ],
)
def test_while_exchanging(gesture: int | Gesture, asks: Meaning | None) -> None:
    assert meaning(Table().do("deal"), "B", gesture) == asks


def test_five_knocks_challenge_the_latest_exchange_of_somebody_else() -> None:
    table = Table().do("deal", "exchange A", "exchange C", "exchange B")

    assert meaning(table, "B", 5) == Choose(
        "challenge",
        ((1, action_of("challenge B of C clean")), (2, action_of("challenge B of C dirty"))),
    )


def test_nobody_can_challenge_only_their_own_exchange() -> None:
    assert meaning(Table().do("deal", "exchange A"), "A", 5) is None


@pytest.mark.parametrize(
    ("gesture", "asks"),
    [
        (1, Do(action_of("stay B"))),
        (2, Do(action_of("fold B"))),
        (HOLD, Do(action_of("fold B"))),
        (3, None),
    ],
)
def test_an_answer_is_one_to_stay_and_two_or_a_hold_to_fold(
    gesture: int | Gesture, asks: Meaning | None
) -> None:
    knocked = Table().do("deal", "knock A")
    poor = Table(lives=(9, 0, 0)).do("deal", "ready")

    assert meaning(knocked, "B", gesture) == asks
    assert meaning(poor, "B", gesture) == asks


def test_who_owes_no_answer_only_makes_noise() -> None:
    table = Table().do("deal", "knock A")

    assert [meaning(table, "A", gesture) for gesture in (1, 2, 3, HOLD)] == [None] * 4


def test_an_answer_out_of_turn_is_asked_for_so_that_the_slate_can_say_no() -> None:
    table = Table().do("deal", "knock A")

    assert meaning(table, "C", 1) == Do(action_of("stay C"))
    assert table.refused("stay C") == "not_your_turn"


def test_the_armoede_answer_can_be_given_while_exchanging() -> None:
    table = Table(lives=(9, 0, 0)).do("deal")

    assert meaning(table, "B", 1) == Do(action_of("stay B"))
    assert meaning(table, "B", HOLD) == Do(action_of("fold B"))
    assert meaning(table, "B", 3) == Do(action_of("exchange B"))
    assert meaning(table, "A", 1) is None


def test_three_knocks_raise_over_a_knock_where_the_house_allows_it() -> None:
    table = Table(over_knock_while_pending="yes").do("deal", "knock A")

    assert meaning(table, "B", 3) == Do(action_of("knock B"))


def test_a_seat_that_is_not_in_the_hand_only_makes_noise() -> None:
    table = Table("ABCD").do("deal", "knock A", "fold B", "stay C", "stay D")

    for letter in "BH":
        assert [meaning(table, letter, gesture) for gesture in (1, 2, 3, 5, HOLD)] == [None] * 5


@pytest.mark.parametrize("gesture", [2, HOLD])
def test_a_debtor_pays_by_two_knocks_or_a_hold(gesture: int | Gesture) -> None:
    table = Table(lives=(9, 0, 0), armoede="off").do("deal", "trick 4 B")

    assert meaning(table, "A", gesture) == Do(action_of("drink A"))
    assert meaning(table, "A", 1) is None
    assert meaning(table, "B", gesture) is None


def test_who_sits_out_with_a_debt_may_pay_in_the_middle_of_a_hand() -> None:
    table = Table(lives=(9, 0, 0), armoede="off", rubber_mode="last_standing")
    table.do("deal", "trick 4 B", "deal")

    assert meaning(table, "A", 2) == Do(action_of("drink A"))


def test_a_whole_rubber_needs_no_phone() -> None:
    """Deal, knock, answers, exchange, challenge, armoede, last trick and drink, by hand alone."""
    table = Table(lives=(8, 0, 7))
    for letter, gesture in (
        *(("C", 2), ("A", 3), ("B", 5)),  # deal, A exchanges, B challenges
        *(("C", 1), ("A", 1), ("B", 2), ("A", HOLD)),  # C knocks, A stays, B folds, A's trick
        *(("A", HOLD), ("A", 1), ("B", 1), ("A", 2)),  # C in armoede: both stay, A's trick
    ):
        asked = meaning(table, letter, gesture)
        action = asked.choices[0][1] if isinstance(asked, Choose) else None
        if isinstance(asked, Do):
            action = asked.action
        assert action is not None
        for event in table.game.decide(table.state, action):
            table.state = table.game.apply(table.state, event)

    assert (table.phase, table.lives) == ("rubber_over", [8, 4, 10])
    assert meaning(table, "C", 2) == Do(action_of("drink C"))
