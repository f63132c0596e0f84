"""Where cards are slammed, the wood means nothing: only buttons and phones are listened to."""

import pytest

from kloplei.games.game import Gesture, Seat
from kloplei.games.scoreboard import Line
from kloplei.knock.judgement import Struck
from kloplei.table.gestures import Pattern, Timings
from tests.table.seated import Tabletop

TIMINGS = Timings()


@pytest.fixture
def slammed() -> Tabletop:
    """Seats 1 to 3 play a game that is deaf in play, and the hand is dealt."""
    tabletop = Tabletop(seats=4, options={"slammed": True}).start(1, 2, 3)
    tabletop.ask(1, "deal")
    return tabletop


def press(tabletop: Tabletop, seat: int, times: int = 1) -> None:
    for _ in range(times):
        tabletop.press(seat, 0.1)
    tabletop.wait(TIMINGS.gap_s)


@pytest.mark.parametrize("times", range(1, 8))
@pytest.mark.parametrize("seat", [1, 4, None], ids=["taken", "free", "shared"])
def test_cards_may_be_slammed_as_often_as_one_likes(
    slammed: Tabletop, seat: int | None, times: int
) -> None:
    """Four would be an undo, six a new evening, and one at a free seat would sit down."""
    before = slammed.board

    slammed.knock(seat, times, settle=False)
    while_slamming = slammed.board
    slammed.wait(TIMINGS.gap_s + TIMINGS.grace_s)

    assert while_slamming == slammed.board == before


def test_the_board_says_whether_the_wood_is_heard(slammed: Tabletop) -> None:
    in_play = slammed.board.deaf
    press(slammed, 1, 2)
    slammed.wait(TIMINGS.grace_s)

    assert (in_play, slammed.board.deaf) == (True, False)
    assert not Tabletop(options={"slammed": True}).board.deaf


def test_not_even_the_lamp_answers_a_slammed_card(slammed: Tabletop) -> None:
    slammed.table.handle(Struck(slammed.now_s, 0.9), slammed.now_s)

    assert not slammed.board.struck


def test_a_doubtful_blow_is_not_asked_about(slammed: Tabletop) -> None:
    slammed.knock(1, doubtful=True)

    assert slammed.board.doubt is None


def test_a_slammed_card_calls_nothing_off(slammed: Tabletop) -> None:
    press(slammed, 1, 2)
    waiting = slammed.board.grace

    slammed.knock(2, settle=False)

    assert waiting is not None
    assert slammed.board.grace is not None
    slammed.wait(TIMINGS.grace_s)
    assert slammed.board.phase == "between_hands"


def test_a_press_does_call_it_off(slammed: Tabletop) -> None:
    press(slammed, 1, 2)

    slammed.press(2, 0.1)

    assert slammed.board.grace is None
    assert slammed.board.shown == Line("show.cancelled", {"seat": Seat(1)})


def test_a_card_slammed_beside_the_button_does_not_count_with_the_press(slammed: Tabletop) -> None:
    """A card and then the button were two knocks: not a raise but a claim to the trick."""
    slammed.knock(1, settle=False)
    press(slammed, 1)

    assert (slammed.board.grace, slammed.board.stake) == (None, 2)
    assert slammed.table.log(1)[0].via == "button"


def test_presses_and_holds_mean_what_they_always_do(slammed: Tabletop) -> None:
    press(slammed, 2, 1)
    raised = slammed.board.stake
    press(slammed, 2, 4)
    slammed.wait(TIMINGS.grace_s)

    assert (raised, slammed.board.stake) == (2, 1)


def test_the_wood_is_heard_again_when_no_cards_are_slammed(slammed: Tabletop) -> None:
    press(slammed, 1, 2)
    slammed.wait(TIMINGS.grace_s)

    slammed.knock(2, 4)

    assert slammed.board.phase == "between_hands"
    assert slammed.board.grace is not None  # four knocks: undo


def test_a_knock_that_ends_after_the_deal_was_no_knock_in_it(slammed: Tabletop) -> None:
    press(slammed, 1, 2)
    slammed.wait(TIMINGS.grace_s)
    dealer = slammed.board.dealer
    assert dealer is not None

    slammed.knock(2, 1, settle=False)
    slammed.ask(dealer.shown, "deal")
    slammed.wait(TIMINGS.gap_s)

    assert (slammed.board.phase, slammed.board.stake) == ("play", 1)


def test_before_the_game_everybody_sits_down_by_a_knock() -> None:
    tabletop = Tabletop(seats=4, options={"slammed": True})

    for seat in (1, 2):
        tabletop.knock(seat)
    tabletop.knock(2, 3)

    assert [row.seat for row in tabletop.board.rows] == [0, 1]
    assert tabletop.board.phase == "between_hands"


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        (Pattern(Seat(0), Gesture(3, presses=1), "pad", doubtful=1), Gesture(1, presses=1)),
        (Pattern(Seat(0), Gesture(2, presses=2), "button"), Gesture(2, presses=2)),
        (Pattern(Seat(0), Gesture(hold=True), "button"), Gesture(hold=True)),
        (Pattern(Seat(0), Gesture(2), "pad"), None),
    ],
)
def test_what_the_button_did_of_a_pattern(pattern: Pattern, left: Gesture | None) -> None:
    rest = pattern.by_button

    assert (rest and rest.gesture) == left
    assert rest is None or (rest.via, rest.doubtful) == ("button", 0)
