"""A doubtful knock does nothing, stands flagged, and counts once somebody says that it was one."""

from kloplei.games.scoreboard import Doubt, Heard
from tests.table.seated import TAME, THOMAS, TIMINGS, Tabletop, doubt_of, told


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
    until_s = tabletop.now_s + 5.0
    tabletop.wait(1.0)

    assert doubt == Doubt(TAME, 1, 0, until_s, total_s=5.0, number=1, action="raise")
    assert doubt_of(tabletop) == doubt


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
