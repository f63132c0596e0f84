"""Chalk strokes in fives, and what is said of a row."""

from hypothesis import given
from hypothesis import strategies as st

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Row
from kloplei_panel.pages import presenters
from kloplei_panel.reader import Reader


@given(lost=st.integers(0, 60))
def test_every_life_lost_is_one_stroke(lost: int) -> None:
    fives = list(presenters.strokes_in_fives(lost))

    assert sum(len(strokes) for strokes in fives) == lost
    assert all(len(strokes) == presenters.FIVE for strokes in fives[:-1])


@given(lost=st.integers(1, 60))
def test_strokes_stay_in_their_box(lost: int) -> None:
    for x1, y1, x2, y2 in (stroke for five in presenters.strokes_in_fives(lost) for stroke in five):
        assert 0 <= min(x1, x2) < max(x1, x2, 1) <= presenters.FIVE_WIDTH
        assert 0 <= min(y1, y2) < max(y1, y2) <= presenters.FIVE_HEIGHT


def test_the_fifth_stroke_crosses_the_four_before_it() -> None:
    (*upright, across) = next(presenters.strokes_in_fives(5))

    assert all(across[0] < min(x1, x2) and max(x1, x2) < across[2] for x1, _, x2, _ in upright)


def test_a_stroke_stands_where_it_stood_when_more_are_added() -> None:
    assert next(presenters.strokes_in_fives(7)) == next(presenters.strokes_in_fives(5))


def test_a_flag_that_is_counted_says_how_many() -> None:
    row = Row(Seat(0), 0, flags=("toepkoning", "out"), counts={"toepkoning": 2, "drinks": 1})

    told = presenters.flags_of(row, Reader("en", place=None, may_act=False, game="toepen"))

    assert told[0] == ("toepkoning", "toepkoning ×2")
    assert "×" not in told[1][1]
