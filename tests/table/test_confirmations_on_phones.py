"""A phone says that a doubtful knock was one, or that it was none."""

import pytest

from kloplei.games.game import Seat
from kloplei.table.client import TableUnavailable
from tests.table.seated import (
    TAME,
    THIJS,
    TIMINGS,
    FullDisk,
    Tabletop,
    doubt_of,
    offered,
    reason_of,
)


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

    with pytest.raises(TableUnavailable):
        tabletop.ask(1, "accept_knock")
