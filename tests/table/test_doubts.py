"""A doubtful knock does nothing, stands flagged, and counts once somebody says that it was one."""

from dataclasses import replace

import pytest

from kloplei.knock import KnockHeard
from kloplei.rules.game import IllegalAction, Seat
from kloplei.rules.scoreboard import Doubt, Grace, Heard, Line
from kloplei.table.client import TableSilent
from kloplei.table.inbox import ButtonPressed, ButtonReleased
from kloplei.table.timings import Timings
from tests.table.seated import FullDisk, Tabletop, doubt_of, offered, reason_of, told

TIMINGS = Timings()
THIJS, TAME, THOMAS = Seat(0), Seat(1), Seat(2)


# Flagged, not dropped


def test_a_doubtful_knock_is_echoed_as_such_and_does_nothing(tabletop: Tabletop) -> None:
    tabletop.knock(2, settle=False, doubtful=True)
    echoed = tabletop.board.heard
    before = told(tabletop.board)

    tabletop.wait(TIMINGS.gap_s)

    assert echoed == Heard(TAME, 1, doubtful=True)
    assert told(tabletop.board) == before
    assert tabletop.journal.last_seq == tabletop.board.seq


def test_it_stands_flagged_with_what_it_would_be(tabletop: Tabletop) -> None:
    tabletop.knock(2, doubtful=True)

    doubt = doubt_of(tabletop)
    tabletop.wait(1.0)

    assert doubt == Doubt(TAME, knocks=1, sure=0, left_s=5.0, total_s=5.0, number=1, action="raise")
    assert doubt_of(tabletop) == replace(doubt, left_s=4.0)


def test_without_a_word_it_goes_away_again(tabletop: Tabletop) -> None:
    before = tabletop.board
    tabletop.knock(2, doubtful=True)

    tabletop.wait(TIMINGS.doubt_s)

    assert tabletop.board == before
    assert tabletop.table.next_deadline() is None


def test_what_would_mean_nothing_or_be_refused_is_not_flagged(tabletop: Tabletop) -> None:
    tabletop.knock(2)

    tabletop.knock(2, doubtful=True)  # who raised last may not raise again
    refused = tabletop.board.doubt
    tabletop.knock(3, 8, doubtful=True)

    assert (refused, tabletop.board.doubt) == (None, None)


def test_a_new_doubt_takes_the_place_of_the_old_one(tabletop: Tabletop) -> None:
    tabletop.knock(2, doubtful=True)
    tabletop.knock(3, doubtful=True)

    assert (doubt_of(tabletop).seat, doubt_of(tabletop).number) == (THOMAS, 2)


def test_noise_that_would_mean_nothing_leaves_the_doubt_that_stands(tabletop: Tabletop) -> None:
    tabletop.knock(2, doubtful=True)
    tabletop.knock(3, 8, doubtful=True)

    assert doubt_of(tabletop).seat == TAME


def test_a_power_cut_forgets_it() -> None:
    tabletop = Tabletop(seats=4).start(1, 2, 3)
    tabletop.ask(1, "deal")
    tabletop.knock(2, doubtful=True)

    assert Tabletop(tabletop.journal, seats=4).board.doubt is None


# Any player accepts it with one knock


@pytest.mark.parametrize("by", [1, 2, 3, 4])
def test_one_knock_of_anybody_accepts_it_and_is_not_counted_itself(
    tabletop: Tabletop, by: int
) -> None:
    tabletop.knock(2, doubtful=True)
    before = tabletop.board

    tabletop.knock(by)

    (step,) = tabletop.table.log(1)
    assert (step.seat, step.via, step.line.key) == (TAME, "pad", "news.raised")
    assert (tabletop.board.stake, tabletop.board.seq) == (2, before.seq + 1)
    assert tabletop.board.doubt is None
    assert tabletop.board.refused is None


def test_a_press_is_as_good_as_a_knock(tabletop: Tabletop) -> None:
    tabletop.knock(2, doubtful=True)

    tabletop.press(3, 0.1)
    tabletop.wait(TIMINGS.gap_s)

    assert tabletop.table.log(1)[0].seat == TAME


def test_a_doubtful_knock_accepts_nothing(tabletop: Tabletop) -> None:
    tabletop.knock(2, doubtful=True)

    tabletop.knock(2, doubtful=True)

    assert tabletop.board.stake == 1
    assert doubt_of(tabletop).number == 2


def test_a_knock_from_before_it_was_flagged_counts_as_itself(tabletop: Tabletop) -> None:
    """Nobody can answer a question that does not stand yet."""
    tabletop.knock(2, settle=False, doubtful=True)
    tabletop.wait(0.2)

    tabletop.knock(3)

    assert tabletop.table.log(1)[0].seat == THOMAS
    assert tabletop.board.doubt is None  # the table has moved on


def test_a_knock_in_the_last_moment_still_accepts_it(tabletop: Tabletop) -> None:
    tabletop.knock(2, doubtful=True)
    tabletop.wait(doubt_of(tabletop).left_s - 0.05)

    tabletop.knock(3)

    assert tabletop.table.log(1)[0].seat == TAME


def test_a_knock_just_after_it_went_away_counts_as_itself(tabletop: Tabletop) -> None:
    tabletop.knock(2, doubtful=True)
    tabletop.wait(doubt_of(tabletop).left_s + 0.05)

    tabletop.knock(3)

    assert tabletop.table.log(1)[0].seat == THOMAS


def test_more_than_one_knock_of_another_is_its_own_and_the_doubt_stays(tabletop: Tabletop) -> None:
    tabletop.knock(2, doubtful=True)

    tabletop.knock(3, 3)

    assert tabletop.board.shown == Line("show.hurry-up", {"seat": THOMAS})
    assert doubt_of(tabletop).seat == TAME


def test_who_makes_the_same_pattern_again_has_made_it_once(tabletop: Tabletop) -> None:
    tabletop.knock(2, 2, doubtful=True)

    tabletop.knock(2, 2)

    assert tabletop.board.grace is not None
    assert (tabletop.board.grace.seat, tabletop.board.doubt) == (TAME, None)


def test_what_asks_for_a_grace_gets_it_when_it_is_accepted(tabletop: Tabletop) -> None:
    tabletop.knock(2, 2, doubtful=True)

    tabletop.knock(1)

    grace = tabletop.board.grace
    assert grace is not None
    assert (grace.seat, grace.action) == (TAME, "win")


def test_it_is_forgotten_when_the_table_has_moved_on(tabletop: Tabletop) -> None:
    tabletop.knock(2, doubtful=True)

    tabletop.ask(1, "raise")

    assert tabletop.board.doubt is None
    assert reason_of(tabletop, 2, "accept_knock") == "nothing_doubtful"


def test_what_cannot_be_written_is_not_done_and_is_told() -> None:
    disk = FullDisk()
    tabletop = Tabletop(disk).start(1, 2)
    tabletop.ask(1, "deal")
    tabletop.knock(2, doubtful=True)
    disk.full = True

    tabletop.knock(2)

    assert tabletop.board.stake == 1
    assert [notice.key for notice in tabletop.board.notices] == ["notice.journal"]


# On a phone


def test_phones_are_offered_both_answers_while_it_stands(tabletop: Tabletop) -> None:
    tabletop.knock(2, doubtful=True)
    standing = offered(tabletop.board)

    tabletop.wait(TIMINGS.doubt_s)

    assert {"accept_knock", "dismiss_knock"} <= standing
    assert not {"accept_knock", "dismiss_knock"} & offered(tabletop.board)


def test_the_seat_that_nobody_sits_at_yet_may_answer_too() -> None:
    tabletop = Tabletop(seats=4).start(1, 2)
    tabletop.knock(4, doubtful=True)

    (accept,) = (one for one in tabletop.board.offers if one.action == "accept_knock")
    tabletop.ask(4, "accept_knock")

    assert accept.choices == {"doubt": (1,), "seat": (THIJS, TAME, Seat(3))}
    assert Seat(3) in tabletop.board.names


@pytest.mark.parametrize("by", [None, 1, 2, 4])
def test_a_phone_accepts_it(tabletop: Tabletop, by: int | None) -> None:
    tabletop.knock(2, doubtful=True)

    seq = tabletop.ask(by, "accept_knock")

    assert (seq, tabletop.board.stake) == (tabletop.board.seq, 2)
    assert tabletop.table.log(1)[0].seat == TAME


@pytest.mark.parametrize("by", [None, 1, 2])
def test_a_phone_says_that_it_was_none(tabletop: Tabletop, by: int | None) -> None:
    before = tabletop.board
    tabletop.knock(2, doubtful=True)

    tabletop.ask(by, "dismiss_knock")

    assert tabletop.board == before


@pytest.mark.parametrize("action", ["accept_knock", "dismiss_knock"])
def test_a_late_thumb_does_not_answer_for_the_next_doubt(tabletop: Tabletop, action: str) -> None:
    tabletop.knock(2, doubtful=True)
    first = doubt_of(tabletop).number
    tabletop.knock(3, doubtful=True)

    assert reason_of(tabletop, 1, action, {"doubt": first}) == "nothing_doubtful"
    assert reason_of(tabletop, 1, action, {"doubt": first + 1}) is None


@pytest.mark.parametrize("action", ["accept_knock", "dismiss_knock"])
def test_where_nothing_is_in_doubt_there_is_nothing_to_say(tabletop: Tabletop, action: str) -> None:
    assert reason_of(tabletop, 1, action) == "nothing_doubtful"


def test_a_phone_is_told_what_the_table_refuses_or_cannot_write() -> None:
    disk = FullDisk()
    tabletop = Tabletop(disk).start(1, 2)
    tabletop.ask(1, "deal")
    tabletop.knock(2, doubtful=True)
    disk.full = True

    with pytest.raises(TableSilent):
        tabletop.ask(1, "accept_knock")


# Clear and doubtful knocks in one pattern


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


# Two at once


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


# While something else waits


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
