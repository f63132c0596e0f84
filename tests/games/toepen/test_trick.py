"""Who takes a trick (toepen.md § 11)."""

from itertools import pairwise

import pytest

from kloplei.games.cards import read_cards
from kloplei.games.toepen.trick import trick_winner
from kloplei.games.trick import NoTrick

RANKS = ("10", "9", "8", "7", "A", "K", "Q", "J")


@pytest.mark.parametrize(("higher", "lower"), list(pairwise(RANKS)))
def test_ranks_run_ten_nine_eight_seven_ace_king_queen_jack(higher: str, lower: str) -> None:
    assert trick_winner(read_cards([f"S{lower}", f"S{higher}"])) == 1


@pytest.mark.parametrize(
    ("cards", "folded", "place"),
    [
        ("HJ S10 D10 C10", (), 0),  # nobody follows
        ("HJ H10 H9", (1,), 2),  # the ten has folded
        ("H7 S10 HJ", (0,), 2),  # the leader folded, but hearts lie there
        ("H7 S9 S10 D10", (0,), 2),  # no hearts left: spades are led
        ("H7 H10 S9 D10", (0, 1), 2),  # nobody in with hearts
        ("H7", (), 0),
    ],
)
def test_the_highest_of_the_led_suit_takes_it(
    cards: str, folded: tuple[int, ...], place: int
) -> None:
    assert trick_winner(read_cards(cards.split()), folded) == place


@pytest.mark.parametrize(
    ("cards", "folded", "complaint"),
    [
        ("", (), "1 to 8 cards, not 0"),
        ("H7 H8 H9 H10 S7 S8 S9 S10 D7", (), "not 9"),
        ("H7 H8", (0, 1), "Everybody has folded"),
        ("H7 H8", (2,), "card lies there"),
        ("H7 H8", (-1,), "card lies there"),
    ],
)
def test_what_is_no_trick_is_told_why(cards: str, folded: tuple[int, ...], complaint: str) -> None:
    with pytest.raises(NoTrick, match=complaint):
        trick_winner(read_cards(cards.split()), folded)
