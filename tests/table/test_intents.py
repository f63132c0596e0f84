"""What hands at the table bring about: seats taken, graces, questions, refusals."""

import pytest

from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Grace, Heard, Line
from kloplei.knock import KnockHeard
from kloplei.table.gestures import Timings
from kloplei.table.messages import ButtonPressed
from tests.table.seated import Tabletop, offered, reason_of

TIMINGS = Timings()


# Before the game


def test_one_knock_sits_down() -> None:
    tabletop = Tabletop()

    tabletop.knock(3)

    assert tabletop.board.names == {Seat(2): "Plek 3"}


@pytest.mark.parametrize("times", [2, 3, 5])
def test_other_knocks_at_a_free_seat_are_noise(times: int) -> None:
    tabletop = Tabletop()

    tabletop.knock(3, times)

    assert (tabletop.board.names, tabletop.board.refused) == ({}, None)


@pytest.mark.parametrize("times", [1, 2])
def test_who_sits_may_knock_without_harm(times: int) -> None:
    tabletop = Tabletop().seat_all(1, 2)
    before = tabletop.board

    tabletop.knock(1, times)

    assert tabletop.board == before


def test_three_knocks_start_and_who_knocks_deals() -> None:
    tabletop = Tabletop().seat_all(1, 2, 3)

    tabletop.knock(2, 3)

    assert (tabletop.board.phase, tabletop.board.dealer) == ("between_hands", Seat(1))


def test_a_hold_starts_as_well() -> None:
    tabletop = Tabletop().seat_all(1, 2, 3)

    tabletop.hold(3)

    assert (tabletop.board.phase, tabletop.board.dealer) == ("between_hands", Seat(2))


def test_whoever_does_not_sit_starts_nothing() -> None:
    tabletop = Tabletop().seat_all(1, 2, 3)

    tabletop.hold(4)
    tabletop.knock(4, 3)

    assert tabletop.board.phase == "seating"


def test_a_game_that_cannot_start_says_why() -> None:
    tabletop = Tabletop().seat_all(1)

    tabletop.hold(1)

    assert tabletop.board.refused == Line("reason.too_few_players", {"seat": Seat(0), "n": 2})


def test_a_newcomer_knocks_himself_in_while_the_slate_is_clean() -> None:
    tabletop = Tabletop().start(1, 2)

    tabletop.knock(4)

    assert Seat(3) in tabletop.board.names


def test_a_newcomer_in_mid_rubber_is_told_why_not(tabletop: Tabletop) -> None:
    tabletop.knock(4)

    assert tabletop.board.refused == Line("reason.rubber_running", {"seat": Seat(3), "n": 4})


# Refused, shown


def test_a_refused_gesture_is_told_for_a_while_and_leaves_no_trace(tabletop: Tabletop) -> None:
    tabletop.knock(2)
    seq = tabletop.board.seq

    tabletop.knock(2)
    told = tabletop.board.refused
    tabletop.wait(TIMINGS.refused_s)

    assert told == Line("reason.raised_last", {"seat": Seat(1), "stake": 2})
    assert tabletop.board.refused is None
    assert (tabletop.board.seq, tabletop.journal.last_seq) == (seq, seq)


def test_a_refusal_is_forgotten_when_something_is_done(tabletop: Tabletop) -> None:
    tabletop.knock(2, 1)
    tabletop.knock(2, 1)

    tabletop.knock(1, 1)

    assert tabletop.board.refused is None


def test_what_is_only_shown_does_nothing(tabletop: Tabletop) -> None:
    seq = tabletop.board.seq

    tabletop.knock(3, 3)
    shown = tabletop.board.shown
    tabletop.wait(TIMINGS.shown_s)

    assert shown == Line("show.hurry-up", {"seat": Seat(2)})
    assert (tabletop.board.shown, tabletop.board.seq) == (None, seq)


# Grace


def claim(tabletop: Tabletop, seat: int = 1) -> None:
    tabletop.knock(seat, 2)
    assert tabletop.board.grace is not None


def test_a_claim_waits_and_shows_how_long(tabletop: Tabletop) -> None:
    tabletop.knock(1, 2)

    waiting = tabletop.board
    assert waiting.grace == Grace(Seat(0), "win", tabletop.now_s + 3.0, total_s=3.0)
    assert waiting.phase == "play"
    tabletop.wait(1.0)
    assert tabletop.board == waiting


def test_a_claim_nobody_objects_to_is_done(tabletop: Tabletop) -> None:
    claim(tabletop)

    tabletop.wait(TIMINGS.grace_s)

    assert tabletop.board.grace is None
    assert tabletop.tally() == {1: 0, 2: 1, 3: 1}
    entry = tabletop.table.log()[0]
    assert (entry.seat, entry.via) == (Seat(0), "pad")


@pytest.mark.parametrize("times", [1, 2, 3, 4, 6])
def test_any_knock_of_another_seat_cancels_and_does_no_more(tabletop: Tabletop, times: int) -> None:
    claim(tabletop)
    seq = tabletop.board.seq

    tabletop.knock(2, times)
    tabletop.wait(10)

    assert tabletop.board.grace is None
    assert (tabletop.board.seq, tabletop.board.stake) == (seq, 1)


def test_an_objection_counts_at_once_and_is_echoed(tabletop: Tabletop) -> None:
    claim(tabletop)

    tabletop.table.handle(KnockHeard(Seat(1), 0.5, tabletop.now_s), tabletop.now_s)

    assert tabletop.board.grace is None
    assert tabletop.board.heard == Heard(Seat(1), 1)
    assert tabletop.board.shown == Line("show.cancelled", {"seat": Seat(1)})


def test_that_nothing_has_happened_is_said_no_longer_once_something_has(
    tabletop: Tabletop,
) -> None:
    claim(tabletop)
    tabletop.knock(2)
    said = tabletop.board.shown

    tabletop.ask(2, "raise")

    assert said == Line("show.cancelled", {"seat": Seat(1)})
    assert tabletop.board.shown is None


def test_a_button_objects_when_it_goes_down(tabletop: Tabletop) -> None:
    claim(tabletop)

    tabletop.table.handle(ButtonPressed(Seat(1), tabletop.now_s), tabletop.now_s)

    assert tabletop.board.grace is None


def test_even_a_free_seat_objects(tabletop: Tabletop) -> None:
    """A bystander may see the slip; and the hand of a player reaches farther than his seat."""
    claim(tabletop)

    tabletop.knock(4)

    assert tabletop.board.grace is None


@pytest.mark.parametrize("times", [1, 2, 3])
def test_who_claims_again_confirms_nothing_and_starts_nothing(
    tabletop: Tabletop, times: int
) -> None:
    claim(tabletop)
    ends_s = tabletop.table.next_deadline()

    tabletop.knock(1, times)

    assert tabletop.board.grace is not None
    assert tabletop.table.next_deadline() == ends_s
    tabletop.wait(TIMINGS.grace_s)
    assert tabletop.tally() == {1: 0, 2: 1, 3: 1}
    assert tabletop.board.stake is None


def test_who_claims_may_withdraw_with_the_gesture_of_undo(tabletop: Tabletop) -> None:
    claim(tabletop)
    seq = tabletop.board.seq

    tabletop.knock(1, 4)
    tabletop.wait(10)

    assert (tabletop.board.grace, tabletop.board.seq) == (None, seq)
    assert tabletop.board.phase == "play"


def test_a_phone_may_cancel(tabletop: Tabletop) -> None:
    claim(tabletop)
    assert "cancel" in offered(tabletop.board)

    seq = tabletop.ask(2, "cancel")

    assert seq == tabletop.board.seq
    assert tabletop.board.grace is None
    assert "cancel" not in offered(tabletop.board)


def test_a_second_claim_from_a_phone_is_refused(tabletop: Tabletop) -> None:
    claim(tabletop)

    assert reason_of(tabletop, 2, "win") == "grace_running"
    assert tabletop.board.grace is not None


def test_two_claims_in_one_breath_keep_the_first(tabletop: Tabletop) -> None:
    tabletop.knock(1, 2, settle=False)
    tabletop.now_s -= 0.3
    for _ in range(2):
        tabletop.table.handle(KnockHeard(Seat(1), 0.5, tabletop.now_s), tabletop.now_s + 0.3)
        tabletop.now_s += 0.2
    tabletop.wait(0.6)

    assert tabletop.board.grace is not None
    assert tabletop.board.grace.seat == Seat(0)
    assert tabletop.board.refused == Line("reason.grace_running", {"seat": Seat(0)})


def test_a_claim_whose_question_was_closed_meanwhile_is_refused(tabletop: Tabletop) -> None:
    claim(tabletop)

    tabletop.ask(2, "raise")

    # At once: a bar that can bring nothing any more is not shown to its end.
    assert tabletop.board.grace is None
    assert tabletop.board.stake == 2
    assert tabletop.board.refused is not None
    assert tabletop.board.refused.key == "reason.stale"


def test_a_claim_outlives_what_leaves_its_question_open(tabletop: Tabletop) -> None:
    claim(tabletop)

    tabletop.ask(2, "rename", facts={"name": "Tame"})
    tabletop.wait(TIMINGS.grace_s)

    assert tabletop.tally() == {1: 0, 2: 1, 3: 1}


def test_what_is_refused_anyway_does_not_wait_first() -> None:
    tabletop = Tabletop()

    tabletop.knock(1, 4)

    assert tabletop.board.grace is None
    assert tabletop.board.refused == Line("reason.nothing_to_undo", {"seat": Seat(0), "n": 0})


def test_a_table_may_do_without_grace() -> None:
    tabletop = Tabletop(timings=Timings(grace_s=0)).start(1, 2)
    tabletop.ask(1, "deal")

    tabletop.knock(1, 2)

    assert tabletop.board.phase == "between_hands"


# Undo, redo, new evening by hand


def test_four_knocks_undo_after_the_grace(tabletop: Tabletop) -> None:
    tabletop.knock(2)

    tabletop.knock(3, 4)
    waiting = tabletop.board
    tabletop.wait(TIMINGS.grace_s)

    assert (waiting.stake, waiting.grace and waiting.grace.action) == (2, "undo")
    assert tabletop.board.stake == 1
    raised = Line("news.raised", {"seat": Seat(1), "stake": 2})
    assert waiting.grace is not None
    told = Line("step.told", {"of": Seat(1), "step": raised.as_fact()})
    assert waiting.grace.about == told
    facts = {"seat": Seat(2), "step": told.as_fact()}
    assert tabletop.board.news == Line("news.undone", facts)


@pytest.mark.parametrize("seat", [3, None])
def test_a_phone_may_let_the_others_object_as_well(tabletop: Tabletop, seat: int | None) -> None:
    tabletop.knock(2)

    tabletop.ask(seat, "undo", waits=True)
    assert "cancel" in offered(tabletop.board)
    tabletop.knock(1)
    tabletop.wait(TIMINGS.grace_s)
    assert tabletop.board.stake == 2
    assert "cancel" not in offered(tabletop.board)

    tabletop.ask(seat, "undo", waits=True)
    tabletop.ask(None, "cancel")
    tabletop.ask(seat, "undo", waits=True)
    with pytest.raises(IllegalAction, match="grace_running"):
        tabletop.ask(1, "new_evening", waits=True)
    tabletop.wait(TIMINGS.grace_s)
    assert tabletop.board.stake == 1


def test_four_knocks_again_redo(tabletop: Tabletop) -> None:
    tabletop.knock(2)
    tabletop.knock(3, 4)
    tabletop.wait(TIMINGS.grace_s)

    tabletop.knock(1, 4)

    assert tabletop.board.stake == 2
    assert tabletop.board.news is not None
    assert tabletop.board.news.key == "news.redone-step"
    assert tabletop.board.news.facts["seat"] == Seat(0)


def test_a_hold_of_three_seconds_undoes_step_after_step(tabletop: Tabletop) -> None:
    tabletop.knock(2)
    tabletop.knock(3)

    for _ in range(2):
        tabletop.press(1, TIMINGS.undo_hold_s + 0.2)
        tabletop.wait(TIMINGS.grace_s)

    assert tabletop.board.stake == 1


def test_an_undo_by_hand_takes_back_what_its_maker_saw(tabletop: Tabletop) -> None:
    tabletop.knock(2)
    tabletop.knock(3, 4)

    tabletop.ask(1, "rename", facts={"name": "Thijs"})
    tabletop.wait(TIMINGS.grace_s)

    assert (tabletop.board.stake, tabletop.board.names[Seat(0)]) == (2, "Thijs")
    assert tabletop.board.refused is not None
    assert tabletop.board.refused.key == "reason.stale"


def test_six_knocks_begin_a_new_evening_after_the_grace(tabletop: Tabletop) -> None:
    tabletop.knock(2, 6)
    waiting = tabletop.board.grace
    tabletop.wait(TIMINGS.grace_s)

    assert waiting is not None
    assert waiting.action == "new_evening"
    assert tabletop.board.phase == "seating"
    assert len(tabletop.board.rows) == 3


def test_eight_knocks_are_for_the_caller_alone(tabletop: Tabletop) -> None:
    before = tabletop.board
    tabletop.knock(2, 8)

    assert tabletop.table.take_hushes() == 1
    assert tabletop.table.take_hushes() == 0
    assert tabletop.board == before


def test_eight_knocks_that_may_answer_something_hush_nobody(tabletop: Tabletop) -> None:
    tabletop.knock(2, 5)
    tabletop.knock(2, 8)

    assert tabletop.table.take_hushes() == 0


# A question that is answered in knocks


def test_a_choice_is_answered_with_so_many_knocks(tabletop: Tabletop) -> None:
    tabletop.knock(2, 5)
    asked = tabletop.board.asking

    tabletop.knock(2, 2)

    assert asked == Line("ask.raise-or-win", {"seat": Seat(1)})
    assert tabletop.tally() == {1: 1, 2: 0, 3: 1}
    assert tabletop.board.asking is None


def test_an_answer_that_is_none_leaves_the_question(tabletop: Tabletop) -> None:
    tabletop.knock(2, 5)

    tabletop.knock(2, 3)

    assert tabletop.board.asking is not None
    assert tabletop.board.shown is None


def test_who_was_asked_may_take_the_question_back(tabletop: Tabletop) -> None:
    tabletop.knock(2, 5)
    seq = tabletop.board.seq

    tabletop.knock(2, 4)

    assert (tabletop.board.asking, tabletop.board.grace) == (None, None)
    assert tabletop.board.seq == seq


def test_the_others_play_on_while_one_is_asked(tabletop: Tabletop) -> None:
    tabletop.knock(2, 5)

    tabletop.knock(3)

    assert tabletop.board.stake == 2
    assert tabletop.board.asking is None  # the stake changed, so the question is closed


def test_a_question_times_out(tabletop: Tabletop) -> None:
    tabletop.knock(2, 5)

    tabletop.wait(TIMINGS.ask_s)

    assert tabletop.board.asking is None
