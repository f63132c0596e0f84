"""What becomes of blows at the table, told to a box that learns from it."""

from kloplei.table.core import UNDO_SOON_S
from kloplei.table.messages import BlowFate, Fate
from tests.table.seated import TIMINGS, Tabletop


def fates(tabletop: Tabletop) -> list[BlowFate]:
    """Return what became of blows since the last look, steps left out."""
    return [one for one in tabletop.table.take_fates() if one.fate is not Fate.STEP]


def knocked(tabletop: Tabletop, seat: int, *, doubtful: bool = False) -> float:
    """Knock once, and return when."""
    at_s = tabletop.now_s
    tabletop.knock(seat, doubtful=doubtful)
    return at_s


def test_a_knock_that_something_was_done_by_was_taken(tabletop: Tabletop) -> None:
    at_s = knocked(tabletop, 2)

    assert fates(tabletop) == [BlowFate(Fate.TAKEN, (at_s,))]
    assert fates(tabletop) == []


def test_a_knock_that_means_nothing_here_teaches_nothing(tabletop: Tabletop) -> None:
    tabletop.knock(4, 3)

    assert fates(tabletop) == []


def test_a_doubt_that_nobody_answers_teaches_nothing(tabletop: Tabletop) -> None:
    tabletop.knock(2, doubtful=True)
    tabletop.wait(TIMINGS.doubt_s)

    assert fates(tabletop) == []


def test_a_doubt_is_confirmed_by_phone(tabletop: Tabletop) -> None:
    at_s = knocked(tabletop, 2, doubtful=True)

    tabletop.ask(1, "accept_knock")

    assert fates(tabletop)[0] == BlowFate(Fate.CONFIRMED, (at_s,))


def test_a_doubt_is_denied_by_phone(tabletop: Tabletop) -> None:
    at_s = knocked(tabletop, 2, doubtful=True)

    tabletop.ask(1, "dismiss_knock")

    assert fates(tabletop) == [BlowFate(Fate.DENIED, (at_s,))]


def test_another_hand_confirms_a_doubt_and_the_same_hand_repeats_it(tabletop: Tabletop) -> None:
    first_s = knocked(tabletop, 2, doubtful=True)
    tabletop.knock(3)
    confirmed = fates(tabletop)[0]
    second_s = knocked(tabletop, 1, doubtful=True)
    tabletop.knock(1)

    assert confirmed == BlowFate(Fate.CONFIRMED, (first_s,))
    assert fates(tabletop)[0] == BlowFate(Fate.REPEATED, (second_s,))


def test_an_undo_at_once_says_that_it_was_none_and_a_redo_that_it_was(tabletop: Tabletop) -> None:
    at_s = knocked(tabletop, 2)
    tabletop.ask(1, "undo")
    undone = fates(tabletop)
    tabletop.ask(1, "redo")

    assert undone == [BlowFate(Fate.TAKEN, (at_s,)), BlowFate(Fate.UNDONE, (at_s,))]
    assert fates(tabletop) == [BlowFate(Fate.REDONE, (at_s,))]


def test_an_undo_much_later_or_of_another_step_says_nothing_of_it(tabletop: Tabletop) -> None:
    tabletop.knock(2)
    tabletop.wait(UNDO_SOON_S + 1)
    tabletop.ask(1, "undo")
    tabletop.knock(2)
    tabletop.ask(3, "raise")
    tabletop.ask(1, "undo")

    assert {one.fate for one in fates(tabletop)} == {Fate.TAKEN}


def test_any_step_tells_that_somebody_plays(tabletop: Tabletop) -> None:
    tabletop.table.take_fates()

    tabletop.ask(3, "raise")

    assert tabletop.table.take_fates() == (BlowFate(Fate.STEP),)
