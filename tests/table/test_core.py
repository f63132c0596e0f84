"""What the table hears, when it decides, and what it tells when something is wrong."""

import pytest

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Grace, Heard, Line, Tuning
from kloplei.knock import KnockHeard
from kloplei.table.core import FRESH_S
from kloplei.table.gestures import Timings
from kloplei.table.messages import (
    ButtonPressed,
    NoKnock,
    PartFailed,
    PartHealed,
    Trouble,
    TuningShown,
)
from tests.table.seated import FullDisk, Tabletop

TIMINGS = Timings()


# Heard at once, decided when the pattern ends


def test_a_knock_is_echoed_at_once_and_done_when_the_pattern_ends(tabletop: Tabletop) -> None:
    tabletop.knock(2, settle=False)
    echoed = tabletop.board

    tabletop.wait(TIMINGS.gap_s)

    assert (echoed.heard, echoed.stake) == (Heard(Seat(1), 1), 1)
    assert (tabletop.board.heard, tabletop.board.stake) == (None, 2)


def test_the_echo_leaves_no_number_behind(tabletop: Tabletop) -> None:
    before = tabletop.board.seq

    tabletop.knock(2, settle=False)

    assert tabletop.board.seq == before


def test_a_button_knocks_like_a_pad(tabletop: Tabletop) -> None:
    tabletop.press(2, 0.1)
    tabletop.wait(TIMINGS.gap_s)

    assert tabletop.board.stake == 2
    assert tabletop.table.log()[0].via == "button"


def test_a_late_thread_still_tells_one_knock_from_two(tabletop: Tabletop) -> None:
    """The table may look up late: what counts is when the wood was struck."""
    at_s, now_s = tabletop.now_s, tabletop.now_s + 5
    for moment in (at_s, at_s + 1.0, at_s + 1.2):
        tabletop.table.handle(KnockHeard(Seat(1), 0.5, moment), now_s)
    tabletop.now_s = now_s
    tabletop.wait(0)

    assert tabletop.board.stake == 2
    # Nobody could object to what was not to be seen: the grace runs from now.
    assert tabletop.board.grace == Grace(Seat(1), "win", now_s + 3.0, total_s=3.0)


def test_a_knock_from_the_future_is_one_from_now(tabletop: Tabletop) -> None:
    tabletop.table.handle(KnockHeard(Seat(1), 0.5, tabletop.now_s + 1000), tabletop.now_s)

    tabletop.wait(TIMINGS.gap_s)

    assert tabletop.board.stake == 2


def test_devices_at_seats_that_are_not_there_are_ignored(tabletop: Tabletop) -> None:
    before = tabletop.board

    tabletop.knock(9)
    tabletop.hold(9)

    assert tabletop.board == before


def test_nothing_waits_when_nothing_is_heard(tabletop: Tabletop) -> None:
    assert tabletop.table.next_deadline() is None


# Troubles


def test_a_broken_part_is_told_by_name_until_it_works_again(tabletop: Tabletop) -> None:
    failed = PartFailed("slate", "No OLED answers. Check SDA, then: kloplei doctor")

    tabletop.table.handle(failed, tabletop.now_s)
    told = tabletop.board.notices
    tabletop.table.handle(PartHealed("slate"), tabletop.now_s)

    assert told == (Line("notice.part", {"part": "slate", "message": failed.message}),)
    assert tabletop.board.notices == ()


def test_a_trouble_of_a_sensor_is_told_in_words_of_its_own(tabletop: Tabletop) -> None:
    failed = PartFailed("piezo 3", "piezo 3 hums. Plug it in again", Trouble.HUM)

    tabletop.table.handle(failed, tabletop.now_s)

    facts = {"part": "piezo 3", "message": failed.message}
    assert tabletop.board.notices == (Line("notice.hum", facts),)


def test_phones_keys_made_anew_are_told_until_the_next_step(tabletop: Tabletop) -> None:
    tabletop.table.handle(PartFailed("keys", "", Trouble.KEYS), tabletop.now_s)
    told = [line.key for line in tabletop.board.notices]

    tabletop.knock(1)

    assert told == ["notice.keys"]
    assert tabletop.board.notices == ()


def test_a_stuck_button_is_told_and_the_evening_goes_on(tabletop: Tabletop) -> None:
    tabletop.table.handle(ButtonPressed(Seat(0), tabletop.now_s), tabletop.now_s)
    tabletop.wait(TIMINGS.undo_hold_s)
    tabletop.knock(2)  # objects to the undo that the long press asks for
    tabletop.wait(TIMINGS.stuck_s)

    tabletop.knock(2)

    assert tabletop.board.notices == (Line("notice.stuck", {"seat": Seat(0)}),)
    assert tabletop.board.stake == 2


def test_messages_that_were_lost_are_told_for_a_while(tabletop: Tabletop) -> None:
    tabletop.table.notices.dropped(2, tabletop.now_s)
    tabletop.table.notices.dropped(1, tabletop.now_s)
    told = tabletop.board.notices

    tabletop.wait(TIMINGS.notice_s)

    assert told == (Line("notice.dropped", {"n": 3}),)
    assert tabletop.board.notices == ()


def test_a_knock_that_cannot_be_written_is_not_done_and_is_told() -> None:
    disk = FullDisk()
    tabletop = Tabletop(disk).start(1, 2)
    tabletop.ask(1, "deal")
    disk.full = True

    tabletop.knock(2)
    told = tabletop.board
    disk.full = False
    tabletop.knock(2)

    assert told.stake == 1
    assert [notice.key for notice in told.notices] == ["notice.journal"]
    assert (tabletop.board.stake, tabletop.board.notices) == (2, ())


def test_a_claim_that_cannot_be_written_is_not_done() -> None:
    disk = FullDisk()
    tabletop = Tabletop(disk).start(1, 2)
    tabletop.ask(1, "deal")
    tabletop.knock(1, 2)
    disk.full = True

    tabletop.wait(TIMINGS.grace_s)

    assert (tabletop.board.phase, tabletop.board.grace) == ("play", None)
    assert [notice.key for notice in tabletop.board.notices] == ["notice.journal"]


def test_a_rule_with_a_bug_never_reaches_the_journal(tabletop: Tabletop) -> None:
    """Else the box could not start again."""
    before, seq = tabletop.board, tabletop.journal.last_seq

    with pytest.raises(ZeroDivisionError):
        tabletop.ask(None, "boom")

    assert (tabletop.board, tabletop.journal.last_seq) == (before, seq)


# While the table is being tuned


def test_a_knock_meant_for_the_tuning_plays_nothing(tabletop: Tabletop) -> None:
    quiet = Tuning("quiet", Line("tuning.quiet"))
    tabletop.table.handle(TuningShown(quiet), tabletop.now_s)

    tabletop.knock(2)

    assert tabletop.board.tuning == quiet
    assert (tabletop.board.stake, tabletop.board.heard) == (1, None)


def test_a_tuning_that_has_died_gives_the_game_back(tabletop: Tabletop) -> None:
    """The last word of it may be lost in a full inbox, or with the thread that tunes."""
    tabletop.table.handle(TuningShown(Tuning("quiet", Line("tuning.quiet"))), tabletop.now_s)
    tabletop.wait(FRESH_S - 1)
    still = tabletop.board.tuning

    tabletop.wait(1)
    tabletop.knock(2)

    assert still is not None
    assert (tabletop.board.tuning, tabletop.board.stake) == (None, 2)


def test_the_game_goes_on_when_the_tuning_is_over(tabletop: Tabletop) -> None:
    tabletop.table.handle(TuningShown(Tuning("quiet", Line("tuning.quiet"))), tabletop.now_s)
    tabletop.table.handle(TuningShown(None), tabletop.now_s)

    tabletop.knock(2)

    assert (tabletop.board.tuning, tabletop.board.stake) == (None, 2)


# What was a knock after all


@pytest.mark.parametrize("was_doubtful", [True, False])
def test_a_blow_that_was_a_knock_after_all_counts_in_its_pattern(
    tabletop: Tabletop, was_doubtful: bool
) -> None:
    first_s = tabletop.now_s
    tabletop.table.handle(
        KnockHeard(Seat(1), 0.1, first_s, doubtful=True)
        if was_doubtful
        else NoKnock(first_s, Seat(1), 0.1),
        first_s,
    )
    tabletop.wait(0.35)
    for at_s, amends in ((first_s, True), (first_s + 0.3, False)):
        tabletop.table.handle(KnockHeard(Seat(1), 0.1, at_s, amends=amends), tabletop.now_s)

    assert tabletop.board.heard == Heard(Seat(1), 2)
    assert tabletop.board.doubt is None


def test_what_is_amended_too_late_for_its_pattern_is_let_be(tabletop: Tabletop) -> None:
    first_s, before = tabletop.now_s, tabletop.board.stake
    tabletop.table.handle(KnockHeard(Seat(1), 0.1, first_s, doubtful=True), first_s)
    tabletop.wait(TIMINGS.gap_s + 0.1)

    tabletop.table.handle(KnockHeard(Seat(1), 0.1, first_s, amends=True), tabletop.now_s)
    tabletop.wait(TIMINGS.gap_s)

    assert tabletop.board.stake == before
    assert tabletop.board.doubt is not None, "it is asked about still"


def test_a_blow_that_is_told_twice_does_not_drum(tabletop: Tabletop) -> None:
    for number in (1, 2):
        at_s = tabletop.now_s
        tabletop.table.handle(NoKnock(at_s, Seat(1), 0.1), at_s)
        tabletop.table.handle(KnockHeard(Seat(1), 0.1, at_s, amends=True), at_s)
        assert tabletop.board.heard == Heard(Seat(1), number)
        tabletop.wait(0.12)

    tabletop.wait(TIMINGS.gap_s)

    assert tabletop.board.grace is not None, "two knocks are a trick that is won"
