"""Doubtful knocks beside clear ones in one pattern, and while something else waits."""

import pytest

from kloplei.games.game import IllegalAction
from kloplei.games.scoreboard import Grace, Line
from kloplei.knock import KnockHeard
from kloplei.table.messages import ButtonPressed, ButtonReleased
from tests.table.seated import TAME, THOMAS, TIMINGS, Tabletop, doubt_of


def test_one_doubtful_knock_makes_the_whole_pattern_doubtful(tabletop: Tabletop) -> None:
    tabletop.knock(2, settle=False)
    tabletop.knock(2, doubtful=True)

    assert tabletop.board.stake == 1
    assert (doubt_of(tabletop).knocks, doubt_of(tabletop).sure) == (2, 1)


@pytest.mark.parametrize("first", [True, False])
def test_accepted_it_counts_whole_and_dismissed_what_was_sure_counts(
    tabletop: Tabletop, first: bool
) -> None:
    def mixed() -> None:
        tabletop.knock(2, settle=False, doubtful=first)
        tabletop.knock(2, doubtful=not first)

    mixed()
    tabletop.ask(3, "accept_knock")
    accepted = tabletop.board.grace
    tabletop.ask(3, "cancel")
    mixed()
    tabletop.ask(3, "dismiss_knock")

    assert accepted is not None
    assert (accepted.seat, accepted.action) == (TAME, "win")
    assert (tabletop.board.stake, tabletop.board.grace) == (2, None)


def test_ignored_nothing_of_it_counts(tabletop: Tabletop) -> None:
    """What was meant nobody knows; a knock too few can be made again, one too many costs lives."""
    before = tabletop.board
    tabletop.knock(2, settle=False)
    tabletop.knock(2, doubtful=True)

    tabletop.wait(TIMINGS.doubt_s)

    assert tabletop.board == before


def test_a_finger_that_the_pad_heard_on_the_button_is_no_doubt(tabletop: Tabletop) -> None:
    at_s = tabletop.now_s
    tabletop.table.handle(KnockHeard(TAME, 0.2, at_s, doubtful=True), at_s)
    tabletop.table.handle(ButtonPressed(TAME, at_s + 0.02), at_s + 0.02)
    tabletop.table.handle(ButtonReleased(TAME, at_s + 0.12), at_s + 0.12)
    tabletop.wait(1.0)

    assert (tabletop.board.stake, tabletop.board.doubt) == (2, None)


def test_a_hold_is_beyond_doubt_whatever_was_heard_before_it() -> None:
    tabletop = Tabletop().start(1, 2)
    tabletop.knock(1, settle=False, doubtful=True)

    tabletop.hold(1)

    assert tabletop.board.phase == "play"


def test_of_two_blows_at_once_the_first_counts_and_the_second_is_shown(tabletop: Tabletop) -> None:
    tabletop.ask(1, "raise")
    at_s = tabletop.now_s
    tabletop.table.handle(KnockHeard(TAME, 0.5, at_s), at_s)
    tabletop.table.handle(KnockHeard(THOMAS, 0.5, at_s + 0.02), at_s + 0.02)
    tabletop.wait(0.6)

    assert tabletop.table.log(1)[0].seat == TAME
    assert (tabletop.board.stake, doubt_of(tabletop).seat) == (3, THOMAS)


def test_blows_a_little_further_apart_both_count(tabletop: Tabletop) -> None:
    at_s = tabletop.now_s
    tabletop.table.handle(KnockHeard(TAME, 0.5, at_s), at_s)
    tabletop.table.handle(KnockHeard(THOMAS, 0.5, at_s + 0.04), at_s + 0.04)
    tabletop.wait(0.6)

    assert [step.seat for step in tabletop.table.log(2)] == [THOMAS, TAME]


def test_a_doubtful_knock_stops_no_grace_until_it_is_accepted(tabletop: Tabletop) -> None:
    tabletop.knock(1, 2)
    tabletop.knock(2, doubtful=True)
    waiting, doubt = tabletop.board.grace, doubt_of(tabletop)

    tabletop.ask(2, "accept_knock")

    assert isinstance(waiting, Grace)
    assert doubt.action == "cancel"
    assert tabletop.board.grace is None
    assert tabletop.board.shown == Line("show.cancelled", {"seat": TAME})
    assert tabletop.board.phase == "play"


def test_a_clear_knock_stops_the_grace_at_once_all_the_same(tabletop: Tabletop) -> None:
    tabletop.knock(1, 2)
    tabletop.knock(2, doubtful=True)

    tabletop.knock(2, settle=False)

    assert tabletop.board.grace is None


def test_an_objection_in_doubt_is_over_with_the_grace(tabletop: Tabletop) -> None:
    tabletop.knock(1, 2)
    tabletop.knock(2, doubtful=True)

    tabletop.wait(TIMINGS.grace_s)

    assert (tabletop.board.phase, tabletop.board.doubt) == ("between_hands", None)


def test_what_was_in_doubt_before_a_claim_is_not_taken_for_an_objection(tabletop: Tabletop) -> None:
    tabletop.knock(2, doubtful=True)
    tabletop.knock(1, 2)

    assert tabletop.board.grace is not None
    assert tabletop.board.doubt is None


def test_a_doubtful_answer_to_a_question_waits_for_a_yes(tabletop: Tabletop) -> None:
    tabletop.knock(2, 5)
    asked = tabletop.board.asking
    tabletop.knock(2, doubtful=True)
    still_asked = tabletop.board.asking

    tabletop.knock(2)

    assert asked is not None
    assert still_asked == asked
    assert (tabletop.board.asking, tabletop.board.stake) == (None, 2)


def test_nobodys_doubtful_knock_asks_who_it_was_once_it_is_accepted(tabletop: Tabletop) -> None:
    tabletop.knock(None, doubtful=True)
    flagged = doubt_of(tabletop)

    tabletop.knock(None)
    asked = tabletop.board.asking
    tabletop.knock(None, 2)

    assert (flagged.seat, flagged.action) == (None, None)
    assert asked == Line("ask.who-knocked", {"n": 1})
    assert tabletop.table.log(1)[0].seat == TAME


def test_a_doubtful_name_is_no_name_until_it_is_accepted(tabletop: Tabletop) -> None:
    tabletop.knock(None)
    tabletop.knock(None, 2, doubtful=True)
    asked = tabletop.board.asking

    tabletop.knock(3)

    assert asked is not None
    assert tabletop.table.log(1)[0].seat == TAME


def test_a_refusal_that_comes_with_the_yes_reaches_who_said_it(tabletop: Tabletop) -> None:
    tabletop.knock(2, settle=False)
    tabletop.knock(2, doubtful=True)
    tabletop.ask(2, "raise")
    tabletop.knock(2, settle=False)
    tabletop.knock(2, doubtful=True)

    with pytest.raises(IllegalAction, match="raised_last"):
        tabletop.ask(1, "dismiss_knock")
