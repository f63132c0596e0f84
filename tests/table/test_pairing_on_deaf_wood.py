"""Where cards are slammed on the wood: what lets a phone in there, and what does not."""

import pytest

from kloplei.games.game import Seat
from kloplei.knock import KnockHeard
from kloplei.table.pairing import SETTLE_S
from tests.table.at_the_door import TIMINGS, asks, press, shown, state
from tests.table.seated import Tabletop, told


@pytest.fixture
def slammed() -> Tabletop:
    """Seats 1 to 3 play a game that is deaf in play, and the hand is dealt."""
    tabletop = Tabletop(seats=4, options={"slammed": True}).start(1, 2, 3)
    tabletop.ask(1, "deal")
    tabletop.wait(SETTLE_S)
    return tabletop


@pytest.mark.parametrize("times", [1, 2, 4, 5, 6, 7])
def test_slammed_cards_open_nothing(slammed: Tabletop, times: int) -> None:
    ticket = asks(slammed)
    before = told(slammed.board)

    slammed.knock(2, times)

    assert state(slammed, ticket) == "asking"
    assert told(slammed.board) == before


def test_cards_slammed_in_turn_open_nothing(slammed: Tabletop) -> None:
    ticket = asks(slammed)

    for seat in (1, 2, 3):
        slammed.knock(seat, settle=False)
    slammed.wait(TIMINGS.gap_s)

    assert state(slammed, ticket) == "asking"


def test_three_knocks_in_a_row_open_where_cards_are_slammed(slammed: Tabletop) -> None:
    ticket = asks(slammed)
    assert shown(slammed).knocks == 3

    slammed.knock(2, 3)

    assert state(slammed, ticket) == "granted"


def heard(
    tabletop: Tabletop, ago_s: float, *, doubtful: bool = False, amends: bool = False
) -> None:
    """Let the ears tell a knock of seat 2 that was *ago_s* before."""
    blow = KnockHeard(Seat(1), 0.5, tabletop.now_s - ago_s, doubtful, amends)
    tabletop.table.handle(blow, tabletop.now_s)


def test_a_first_knock_that_is_told_late_is_one_of_the_three(slammed: Tabletop) -> None:
    """It was heard as noise, and what followed it showed what it had been."""
    ticket = asks(slammed)

    slammed.wait(0.4)
    heard(slammed, 0.2)
    heard(slammed, 0.4, amends=True)
    slammed.wait(0.1)
    heard(slammed, 0.0)
    slammed.wait(TIMINGS.gap_s)

    assert state(slammed, ticket) == "granted"


def test_a_doubt_that_was_a_knock_after_all_holds_the_door_shut_no_longer(
    slammed: Tabletop,
) -> None:
    ticket = asks(slammed)

    heard(slammed, 0.0, doubtful=True)
    slammed.wait(0.2)
    heard(slammed, 0.0)
    heard(slammed, 0.2, amends=True)
    slammed.wait(0.2)
    heard(slammed, 0.0)
    slammed.wait(TIMINGS.gap_s)

    assert state(slammed, ticket) == "granted"


def test_a_knock_that_is_told_twice_is_one(slammed: Tabletop) -> None:
    ticket = asks(slammed)

    heard(slammed, 0.0, doubtful=True)
    slammed.wait(0.2)
    heard(slammed, 0.0)
    heard(slammed, 0.2, amends=True)
    slammed.wait(TIMINGS.gap_s)

    assert state(slammed, ticket) == "asking"


def test_what_is_told_once_its_pattern_is_over_begins_no_other(slammed: Tabletop) -> None:
    ticket = asks(slammed)

    for _ in range(3):
        heard(slammed, 0.0, doubtful=True)
        slammed.wait(0.2)
    slammed.wait(TIMINGS.gap_s + 0.2)
    for ago_s in (1.3, 1.1, 0.9):
        heard(slammed, ago_s, amends=True)
    slammed.wait(TIMINGS.gap_s)

    assert state(slammed, ticket) == "asking"


def test_drumming_fingers_open_nothing_where_cards_are_slammed(slammed: Tabletop) -> None:
    ticket = asks(slammed)

    for _ in range(3):
        slammed.knock(2, settle=False)
        slammed.now_s -= 0.1  # fingers are quicker than knuckles
    slammed.wait(TIMINGS.gap_s + 0.3)

    assert state(slammed, ticket) == "asking"


def test_a_button_that_says_nothing_else_opens_where_cards_are_slammed(slammed: Tabletop) -> None:
    """A press raises in Toy, and only the dealer's hold means anything, before a deal."""
    ticket = asks(slammed)
    assert shown(slammed).press == "hold"

    press(slammed, 2)
    stake, after_press = slammed.board.stake, state(slammed, ticket)
    slammed.wait(SETTLE_S)
    slammed.hold(2)
    slammed.wait(TIMINGS.gap_s)

    assert (stake, after_press, state(slammed, ticket)) == (2, "asking", "granted")


def test_three_presses_open_where_cards_are_slammed(slammed: Tabletop) -> None:
    ticket = asks(slammed)

    press(slammed, 2, 3)

    assert state(slammed, ticket) == "granted"


def test_a_hold_as_long_as_for_undo_opens_nothing(slammed: Tabletop) -> None:
    ticket = asks(slammed)

    slammed.press(2, TIMINGS.undo_hold_s + 0.1)

    assert state(slammed, ticket) == "asking"
    assert slammed.board.grace is not None
