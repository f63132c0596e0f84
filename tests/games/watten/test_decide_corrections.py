"""Putting the slate right between deals (watten.md § 7)."""

import pytest

from kloplei.games.card_game import Correct, Deal, Misdeal, Revoke
from kloplei.games.game import Action, IllegalAction, Seat
from kloplei.games.watten import PRESETS, Options, Phase, actions
from tests.games.watten.test_view import A, B, C, D, Table

DEAL = Deal()


def deal(table: Table, winner: Seat, *, raised_by: Seat | None = None) -> Table:
    """Play a deal that the side of *winner* takes, for 3 points if somebody raises."""
    table.do(DEAL, actions.NameAloud(table.state.dealer))
    if raised_by is not None:
        other = table.state.after(raised_by)[0]
        table.do(actions.Raise(raised_by), actions.Accept(other))
    return table.do(*[actions.Trick(winner)] * 3)


def slate(table: Table) -> list[int]:
    return [row.tally for row in table.board.rows]


def refused(table: Table, action: Action) -> str:
    with pytest.raises(IllegalAction) as refusal:
        table.game.decide(table.state, action)
    return refusal.value.reason


def paid(table: Table, number: int) -> dict[int, int]:
    (hand,) = (one for one in table.board.hands if one.number == number)
    return {seat.shown: points for seat, points in hand.paid.items()}


def test_the_side_that_really_won_gets_what_the_deal_was_worth() -> None:
    table = deal(Table(points=(5, 4, 5, 4)), A, raised_by=B)
    assert slate(table) == [8, 4, 8, 4]

    table.do(Correct(1, D))

    assert slate(table) == [5, 7, 5, 7]
    (hand,) = table.board.hands
    assert (hand.winner, hand.how) == (B, "how.corrected")
    assert paid(table, 1) == {2: 3, 4: 3}
    assert table.state.dealer == A


def test_an_older_deal_is_corrected_on_the_points_of_today() -> None:
    table = deal(deal(deal(Table(), A), A), B)

    table.do(Correct(1, B))

    assert slate(table) == [2, 4, 2, 4]
    assert [paid(table, number) for number in (1, 2, 3)] == [
        {2: 2, 4: 2},
        {1: 2, 3: 2},
        {2: 2, 4: 2},
    ]


def test_correcting_back_restores_the_slate() -> None:
    table = deal(deal(Table(), A, raised_by=A), B)
    before = slate(table)

    table.do(Correct(1, B), Correct(1, C))

    assert slate(table) == before


def test_a_revoke_found_after_a_correction_takes_back_all_that_the_deal_brought() -> None:
    table = deal(Table(points=(5, 5, 5, 5)), A, raised_by=A)
    assert slate(table) == [8, 5, 8, 5]

    table.do(Correct(1, B), Revoke(B))

    assert slate(table) == [5, 5, 5, 5]


def test_a_correction_can_end_the_game_and_take_its_end_back() -> None:
    table = deal(Table(points=(13, 13, 13, 13)), A)
    assert (table.state.phase, table.state.winners) == (Phase.GAME_OVER, (A, C))

    table.do(Correct(1, B))

    assert (table.state.phase, table.state.winners) == (Phase.GAME_OVER, (B, D))
    assert [row.counts["rubbers_won"] for row in table.board.rows] == [0, 1, 0, 1]

    table.do(actions.Chalk(B, 14))

    assert (table.state.phase, slate(table)) == (Phase.BETWEEN_DEALS, [13, 14, 13, 14])
    assert table.state.games == ()


def test_points_by_hand_are_those_of_the_whole_team() -> None:
    table = Table().do(actions.Chalk(C, 9))

    assert slate(table) == [9, 0, 9, 0]
    assert table.board.news is not None
    assert table.board.news.facts == {"seats": (A, C), "points": 9}


def test_points_by_hand_are_a_players_own_where_three_play() -> None:
    assert slate(Table(players=3).do(actions.Chalk(B, 9))) == [0, 9, 0]


def test_with_points_by_hand_the_game_may_be_over() -> None:
    table = Table().do(actions.Chalk(A, 15))

    assert (table.state.phase, table.state.winners) == (Phase.GAME_OVER, (A, C))


def test_with_three_the_sides_are_those_of_that_deal() -> None:
    """A played alone in it; in the next one B will, and would share with nobody."""
    table = deal(Table(players=3), A)
    assert (slate(table), table.state.dealer) == ([2, 0, 0], A)

    table.do(Correct(1, B))
    assert slate(table) == [0, 2, 2]

    table.do(Correct(1, A))
    assert slate(table) == [2, 0, 0]


def test_nobody_is_left_with_less_than_nothing() -> None:
    table = deal(Table(), A)

    table.do(actions.Chalk(A, 1), Correct(1, B))

    assert slate(table) == [0, 2, 0, 2]


def test_a_revoke_found_later_takes_back_the_deal_and_no_correction() -> None:
    table = deal(deal(Table(), A), B, raised_by=A)

    table.do(actions.Chalk(B, 7), Correct(1, B), Revoke(D))

    assert slate(table) == [0, 6, 0, 6]
    assert table.state.dealer == A


def test_a_revoke_found_later_leaves_nobody_with_less_than_nothing() -> None:
    table = deal(Table(), A)

    table.do(actions.Chalk(A, 1), Revoke(C))

    assert slate(table) == [0, 0, 0, 0]


def test_a_game_lost_by_a_revoke_stays_lost() -> None:
    table = deal(Table(Options(revoke_remedy="lose_game")), A).do(Revoke(A))
    assert table.state.winners == (B, D)

    table.do(actions.Chalk(A, 3))

    assert (table.state.phase, table.state.winners) == (Phase.GAME_OVER, (B, D))


def test_a_revoke_may_show_that_the_game_was_over_before() -> None:
    """After the correction the others had won it without the last deal."""
    table = deal(deal(Table(points=(11, 13, 11, 13)), A), A)
    assert table.state.winners == (A, C)
    table.do(Correct(1, B))
    assert (table.state.winners, slate(table)) == ((B, D), [13, 15, 13, 15])

    table.do(Revoke(A))

    assert (table.state.winners, slate(table)) == ((B, D), [11, 15, 11, 15])
    assert len(table.state.games) == 1


def test_bohemian_points_are_put_right_by_hand() -> None:
    table = Table(PRESETS["boehmisch"], players=3)

    assert slate(table.do(actions.Chalk(B, 7))) == [20, 7, 20]
    assert table.do(actions.Chalk(C, -1)).state.winners == (C,)
    assert table.do(actions.Chalk(C, 1)).state.phase is Phase.BETWEEN_DEALS


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (Correct(1, C), "nothing_changed"),
        (Correct(2, B), "deal_unknown"),
        (Correct(3, B), "deal_unknown"),
        (Correct(0, B), "deal_unknown"),
        (actions.Chalk(A, 2), "nothing_changed"),
        (actions.Chalk(C, 2), "nothing_changed"),
        (actions.Chalk(A, -1), "points_out_of_range"),
        (actions.Chalk(A, 31), "points_out_of_range"),
    ],
)
def test_what_cannot_be_put_right(action: Action, reason: str) -> None:
    table = deal(Table(), A).do(DEAL, Misdeal())

    assert refused(table, action) == reason
    assert action not in table.game.legal_actions(table.state)


def test_a_deal_that_was_given_up_is_put_right_by_hand() -> None:
    """Who really held would have played on, for who knows how much."""
    table = Table().do(DEAL, actions.NameAloud(D), actions.Raise(A), actions.GiveUp(B))

    assert refused(table, Correct(1, B)) == "deal_unknown"


def test_nothing_is_put_right_while_cards_are_on_the_table() -> None:
    table = deal(Table(), A).do(DEAL)

    for action in (Correct(1, B), actions.Chalk(A, 3)):
        assert refused(table, action) == "deal_in_progress"


def test_who_looks_at_an_old_slate_may_not_rewrite_it() -> None:
    assert Correct.rewrites
    assert actions.Chalk.rewrites


def test_a_game_that_was_only_chalked_to_its_end_can_be_taken_back() -> None:
    """There was no last deal to look at, and the box fell over it."""
    table = Table(Options(revoke_remedy="lose_game")).do(actions.Chalk(A, 15))

    assert table.do(actions.Chalk(A, 3)).state.phase is Phase.BETWEEN_DEALS
