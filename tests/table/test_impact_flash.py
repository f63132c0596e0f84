"""That the wood moved is shown at once, goes away by itself, and never comes in a flurry."""

from itertools import pairwise

import pytest

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Heard, Line, Tuning
from kloplei.knock.judgement import Struck
from kloplei.table.core import REST_S, SHOWN_S
from kloplei.table.messages import NoKnock, TuningShown
from tests.table.seated import Tabletop


def strike(tabletop: Tabletop, late_s: float = 0.0) -> None:
    tabletop.table.handle(Struck(tabletop.now_s - late_s, 0.3), tabletop.now_s)


def test_a_blow_is_acknowledged_before_anybody_knows_what_it_was(tabletop: Tabletop) -> None:
    before = tabletop.board

    strike(tabletop)

    assert tabletop.board.struck
    assert (tabletop.board.heard, tabletop.board.seq) == (None, before.seq)


def test_what_turns_out_to_be_noise_is_shown_no_longer(tabletop: Tabletop) -> None:
    before = tabletop.board
    strike(tabletop)
    struck_s = tabletop.now_s

    tabletop.wait(0.05)
    tabletop.table.handle(NoKnock(struck_s - 0.003), tabletop.now_s)

    assert tabletop.board == before


def test_a_knock_takes_its_place(tabletop: Tabletop) -> None:
    strike(tabletop)

    tabletop.knock(2, settle=False)

    assert (tabletop.board.struck, tabletop.board.heard) == (False, Heard(Seat(1), 1))


def test_without_a_word_it_is_forgotten(tabletop: Tabletop) -> None:
    before = tabletop.board
    strike(tabletop)

    assert tabletop.table.next_deadline() == tabletop.now_s + SHOWN_S
    tabletop.wait(SHOWN_S)

    assert tabletop.board == before
    assert tabletop.table.next_deadline() is None


def test_the_verdict_on_an_older_blow_leaves_the_newer_one(tabletop: Tabletop) -> None:
    strike(tabletop)

    tabletop.table.handle(NoKnock(tabletop.now_s - 0.1), tabletop.now_s)

    assert tabletop.board.struck


def test_a_blow_of_long_ago_is_not_shown(tabletop: Tabletop) -> None:
    strike(tabletop, late_s=SHOWN_S)

    assert not tabletop.board.struck


def test_a_blow_from_the_future_is_one_from_now(tabletop: Tabletop) -> None:
    strike(tabletop, late_s=-1000)
    tabletop.wait(SHOWN_S)

    assert not tabletop.board.struck


@pytest.mark.parametrize("every_s", [0.01, 0.1, 0.17])
def test_drumming_fingers_change_the_slate_some_times_a_second_at_most(
    tabletop: Tabletop, every_s: float
) -> None:
    shown, seconds = [tabletop.board.struck], 10

    for _ in range(round(seconds / every_s)):
        strike(tabletop)
        shown.append(tabletop.board.struck)
        tabletop.wait(every_s / 2)
        tabletop.table.handle(NoKnock(tabletop.now_s - every_s / 2), tabletop.now_s)
        shown.append(tabletop.board.struck)
        tabletop.wait(every_s / 2)

    begun = sum(after and not before for before, after in pairwise(shown))
    assert 1 <= begun <= seconds / REST_S + 1


def test_while_the_table_is_tuned_it_shows_nothing(tabletop: Tabletop) -> None:
    tabletop.table.handle(TuningShown(Tuning("quiet", Line("tuning.quiet"))), tabletop.now_s)

    strike(tabletop)

    assert not tabletop.board.struck
