"""Who pays whom at the end: the fewest payments, in the chips there are."""

from collections.abc import Mapping
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kloplei.games.game import Seat
from kloplei.games.tarok.booking import CHIPS, change, payments

ANN, BOB, COR, DIRK = (Seat(n) for n in range(4))
AMOUNTS = st.lists(st.integers(-6, 6).map(lambda n: 5 * n), min_size=1, max_size=4)


def owed(scores: Mapping[Seat, int]) -> list[tuple[Seat, Seat, int]]:
    return [(one.payer, one.payee, one.amount) for one in payments(scores)]


def test_one_pays_all_who_have_won() -> None:
    assert owed({ANN: -50, BOB: 45, COR: 5}) == [(ANN, BOB, 45), (ANN, COR, 5)]


def test_two_pairs_that_even_out_need_two_payments_and_not_three() -> None:
    assert owed({ANN: 30, BOB: -20, COR: 20, DIRK: -30}) == [(DIRK, ANN, 30), (BOB, COR, 20)]


def test_where_nothing_was_won_nothing_is_paid() -> None:
    assert owed({ANN: 0, BOB: 0, COR: 0}) == []


def test_nobody_can_be_paid_what_nobody_owes() -> None:
    assert owed({ANN: 10, BOB: 3}) == []


@given(AMOUNTS)
def test_after_the_payments_everybody_is_even(amounts: list[int]) -> None:
    scores = {Seat(n): amount for n, amount in enumerate((*amounts, -sum(amounts)))}
    left = dict(scores)

    for payer, payee, amount in owed(scores):
        assert amount > 0
        left[payer] += amount
        left[payee] -= amount

    assert not any(left.values())
    assert len(owed(scores)) == fewest([score for score in scores.values() if score])


def fewest(scores: list[int]) -> int:
    """Return how many payments are needed: one less than players in each group that evens out."""
    ways = product(range(len(scores)), repeat=len(scores))  # who is in which group
    even = (
        set(way)
        for way in ways
        if not any(
            sum(score for score, group in zip(scores, way, strict=True) if group == one)
            for one in set(way)
        )
    )
    return len(scores) - max(len(groups) for groups in even)


@pytest.mark.parametrize(
    ("amount", "chips"),
    [(45, (20, 20, 5)), (235, (100, 100, 20, 10, 5)), (5, (5,)), (7, ()), (0, ())],
)
def test_an_amount_is_handed_over_in_chips_the_largest_first(
    amount: int, chips: tuple[int, ...]
) -> None:
    assert change(amount, CHIPS) == chips


def test_more_than_a_house_has_chips_for_is_told_without_any() -> None:
    assert change(10_000, CHIPS) == (100,) * 100
    assert change(10_005, CHIPS) == ()
    assert [one.chips for one in payments({ANN: -(10**15), BOB: 10**15}, CHIPS)] == [()]
