"""Fingers that drum are no knocks, and those who all answer at once do not drum."""

from itertools import accumulate

import pytest

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Heard
from kloplei.knock import KnockHeard
from kloplei.table.messages import NoKnock
from tests.table.seated import Tabletop


def blow(tabletop: Tabletop, seat: int | None, *, knock: bool, strength: float = 0.5) -> None:
    place = None if seat is None else Seat(seat - 1)
    message = (
        KnockHeard(place, strength, tabletop.now_s)
        if knock
        else NoKnock(tabletop.now_s, place, strength)
    )
    tabletop.table.handle(message, tabletop.now_s)


@pytest.mark.parametrize("heard_as_knocks", ["knnn", "knkn", "kkkk", "nknn", "nnnk"])
@pytest.mark.parametrize("seat", [1, None])
def test_a_roll_of_fingers_is_nothing(
    tabletop: Tabletop, seat: int | None, heard_as_knocks: str
) -> None:
    before = tabletop.board

    for letter in heard_as_knocks:
        blow(tabletop, seat, knock=letter == "k")
        tabletop.wait(0.08)
    tabletop.wait(1.0)

    assert tabletop.board == before


def test_drumming_goes_on_as_long_as_nobody_pauses(tabletop: Tabletop) -> None:
    before = tabletop.board

    for _ in range(40):
        blow(tabletop, 1, knock=True)
        tabletop.wait(0.1)
    tabletop.wait(1.0)
    assert tabletop.board == before

    blow(tabletop, 1, knock=True)
    assert tabletop.board.heard == Heard(Seat(0), 1)


def test_two_hands_that_answer_at_once_do_not_drum(tabletop: Tabletop) -> None:
    for seat in (1, 2, 1, 2):
        blow(tabletop, seat, knock=True)
        tabletop.wait(0.1)

    assert tabletop.table.scoreboard().heard == Heard(Seat(1), 2)


def test_a_knuckle_that_bounces_does_not_drum(tabletop: Tabletop) -> None:
    strengths = accumulate(range(3), lambda last, _: 0.25 * last, initial=0.8)
    for at, strength in enumerate(strengths):
        blow(tabletop, 1, knock=at == 0, strength=strength)
        tabletop.wait(0.06)

    assert tabletop.board.heard == Heard(Seat(0), 1)


def test_the_quickest_knocks_that_people_make_do_not_drum(tabletop: Tabletop) -> None:
    for _ in range(3):
        blow(tabletop, 1, knock=True)
        tabletop.wait(0.15)

    assert tabletop.board.heard == Heard(Seat(0), 3)
