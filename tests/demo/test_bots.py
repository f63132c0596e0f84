"""The bots look at the board and knock as people do."""

import random
from dataclasses import replace
from typing import cast

import pytest

from kloplei.demo.bots import FASTEST, HAND_S, VICTORY_S, Bots, Knocks, look_s, next_knocks
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Doubt, Grace, Hand, Heard, Offer, Row, Scoreboard
from kloplei.table.client import TableClient
from tests.until import until


def board(phase: str, **offered: tuple[str, ...]) -> Scoreboard:
    """A board on which ``a`` is seat 1 and so on, each with what it is offered."""
    rows = tuple(
        Row(Seat(at), tally=0, offers=tuple(Offer(action) for action in offered.get(name, ())))
        for at, name in enumerate("abc")
    )
    return Scoreboard("toepen", phase, rows, dealer=Seat(2))


def many_moves(looking_at: Scoreboard) -> set[Knocks | None]:
    return {next_knocks(looking_at, random.Random(luck)) for luck in range(300)}


def test_the_dealer_deals_with_two_knocks() -> None:
    assert many_moves(board("between_hands")) == {Knocks(Seat(2), 2)}


def test_only_who_owes_an_answer_stays_or_folds() -> None:
    moves = many_moves(board("answering", b=("fold", "stay"), c=("revoke",)))

    assert moves == {Knocks(Seat(1), 1), Knocks(Seat(1), 2)}


def test_armoede_is_answered_while_hands_are_exchanged() -> None:
    """The demo once stood still there for good: nobody may close the exchange before."""
    moves = many_moves(board("exchange", b=("challenge", "fold", "stay"), c=("challenge",)))

    assert moves == {Knocks(Seat(1), 1), Knocks(Seat(1), 2)}


def test_in_play_a_bot_thinks_toeps_or_takes_the_last_trick_where_it_may() -> None:
    moves = many_moves(board("play", a=("knock", "trick"), b=("trick",)))

    assert moves == {None, Knocks(Seat(0), 1), Knocks(Seat(0), 2), Knocks(Seat(1), 2)}


def test_debtors_pay_their_round() -> None:
    assert many_moves(board("rubber_over", c=("drink",))) == {Knocks(Seat(2), 2)}


def test_a_bot_keeps_its_hands_still_while_a_gesture_is_under_way() -> None:
    ready = board("play", a=("knock", "trick"))
    waiting = Scoreboard("toepen", "play", ready.rows, grace=Grace(Seat(1), "trick", 2.0, 3.0))
    knocking = Scoreboard("toepen", "play", ready.rows, heard=Heard(Seat(1), knocks=1))
    doubt = Doubt(Seat(1), knocks=1, sure=0, until_s=4.0, total_s=5.0, number=1)
    doubtful = Scoreboard("toepen", "play", ready.rows, doubt=doubt)

    assert many_moves(waiting) | many_moves(knocking) | many_moves(doubtful) == {None}


def test_bots_look_at_who_won_before_they_wipe_the_slate() -> None:
    """They paid so soon that the picture of a won rubber was gone within a second."""
    play = board("play")
    over = replace(board("between_hands"), hands=(Hand(1, Seat(0), "how.trick"),))
    won = replace(over, rows=(replace(over.rows[0], flags=("rubber_winner",)), *over.rows[1:]))

    assert [look_s(play, over), look_s(over, over), look_s(over, play)] == [HAND_S, 0, 0]
    assert [look_s(play, won), look_s(won, won), look_s(won, play)] == [VICTORY_S, 0, 0]
    assert look_s(None, won) == look_s(replace(play, game="watten"), won) == 0


class TableThatAsksMuch:
    """Says something first that no bot understands."""

    def __init__(self) -> None:
        self.asked = 0

    def scoreboard(self) -> Scoreboard:
        self.asked += 1
        if self.asked == 1:
            raise LookupError("a game of tomorrow")
        return Scoreboard("toepen", "between_hands", seq=self.asked)


def test_bots_play_on_behind_a_board_that_they_stumble_over(
    caplog: pytest.LogCaptureFixture,
) -> None:
    table = TableThatAsksMuch()
    bots = Bots(cast("TableClient", table), lambda _seat, _times: None)

    bots.speed = FASTEST
    until(lambda: table.asked > 1)
    bots.close()

    assert [one.getMessage() for one in caplog.records] == ["a bot stumbled and plays on"]
