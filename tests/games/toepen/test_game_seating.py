"""Who sits at a toepen table, and changing places (toepen.md § 7)."""

from collections.abc import Mapping

import pytest

from kloplei.games.card_game import BadSeating
from kloplei.games.game import Seat
from kloplei.games.toepen import Toepen
from tests.games.toepen.table import Table, seat_of

A, B, C, D = (Seat(n) for n in range(4))


@pytest.mark.parametrize(
    ("seats", "dealer", "complaint"),
    [
        ((A, B), A, "3 to 8 players, not 2"),
        (tuple(Seat(n) for n in range(9)), A, "3 to 8 players, not 9"),
        ((A, B, C), D, "dealer must be one of the players"),
        ((A, B, B), A, "a seat of his own"),
    ],
)
def test_impossible_tables_are_refused(
    seats: tuple[Seat, ...], dealer: Seat, complaint: str
) -> None:
    with pytest.raises(BadSeating, match=complaint):
        Toepen().start(seats, dealer)


@pytest.mark.parametrize(("lives"), [{A: 11}, {A: -1}, {A: 10}, {D: 1}])
def test_impossible_slates_are_refused(lives: Mapping[Seat, int]) -> None:
    with pytest.raises(BadSeating):
        Toepen().start((A, B, C), A, lives_lost=lives)


def test_empty_seats_in_between_hold_nothing() -> None:
    state = Toepen().start((A, C, Seat(6)), C, lives_lost={Seat(6): 4})

    assert state.lives_lost == (0, 0, 0, 0, 0, 0, 4)
    assert state.after(C) == (Seat(6), A, C)


def test_honours_brought_along_crown_at_once() -> None:
    state = Toepen().start((A, B, C), A, rubbers_won={B: 3})

    assert state.toepkoning == (B,)


def test_players_come_and_go_only_on_a_clean_slate() -> None:
    table = Table()
    assert table.game.why_not_reseat(table.state) is None

    table.do("deal")
    assert table.game.why_not_reseat(table.state) == "hand_in_progress"

    table.do("trick 4 A")
    assert table.game.why_not_reseat(table.state) == "slate_not_clean"

    table.do("chalk B 10")
    assert table.game.why_not_reseat(table.state) == "settle_first"

    table.do("drink B")
    assert table.game.why_not_reseat(table.state) is None


def test_honours_follow_who_moves_and_leave_with_who_goes() -> None:
    table = Table("ABC", lives=(9, 0, 1), armoede="off").do("deal", "trick 4 B", "drink A")

    state = table.game.reseat(table.state, (A, B, D), {B: A, A: D})

    assert [state.rubbers_won(seat) for seat in (A, B, D)] == [1, 0, 0]
    assert state.drinks == (0, 0, 0, 1)
    assert state.rubber_winners == (A,)
    assert state.dealer == A
    assert state.news == table.state.news


def test_the_deal_passes_on_when_the_dealer_leaves() -> None:
    table = Table("ABCD", dealer="B")

    state = table.game.reseat(table.state, (A, C, D), {A: A, C: C, D: D})

    assert state.dealer == C


def test_a_new_circle_starts_with_its_first_seat() -> None:
    table = Table("ABC", dealer="B")

    assert table.game.reseat(table.state, (C, D, Seat(5)), {}).dealer == C


def test_too_few_cannot_stay() -> None:
    table = Table("ABC")

    with pytest.raises(BadSeating, match="not 2"):
        table.game.reseat(table.state, (A, B), {A: A, B: B})


def test_a_reseated_table_plays_on() -> None:
    table = Table("ABC")
    far = seat_of("H")
    table.state = table.game.reseat(table.state, (A, B, far), {A: far, B: A, C: B})
    table.players = "ABH"

    table.do("deal", "knock H", "stay A", "fold B", "trick 4 H")

    assert table.lives == [2, 1, 0]
