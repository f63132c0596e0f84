"""One knock of anybody accepts a doubtful one; what is sure counts as itself."""

import pytest

from kloplei.games.scoreboard import Line
from tests.table.seated import TAME, THOMAS, TIMINGS, FullDisk, Tabletop, doubt_of, reason_of


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
    tabletop.wait(doubt_of(tabletop).until_s - tabletop.now_s - 0.05)

    tabletop.knock(3)

    assert tabletop.table.log(1)[0].seat == TAME


def test_a_knock_just_after_it_went_away_counts_as_itself(tabletop: Tabletop) -> None:
    tabletop.knock(2, doubtful=True)
    tabletop.wait(doubt_of(tabletop).until_s - tabletop.now_s + 0.05)

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
