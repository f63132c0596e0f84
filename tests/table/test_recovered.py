"""What stood on a slate that was lost stands there again, in whatever game."""

import contextlib
import random

import pytest

from kloplei.games.catalogue import GAMES
from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.actions import TABLE_EVENTS, Recovered, decode, encode
from kloplei.table.ledger import draw_up
from kloplei.table.seating import Seating, TableSetup, TableState, standing
from kloplei.table.session import Session
from tests.table.memory_journal import MemoryJournal
from tests.table.streaming_table import anything

STEPS = {"toepen": 120, "watten": 80, "tarok": 25}
OVER = {"rubber_over", "game_over"}
"""Phases in which a slate is full: it is wiped before anybody deals again."""


def kept(board: Scoreboard, *, is_over: bool) -> tuple[object, ...]:
    """Return what of *board* has to outlive its journal; of a rubber that is over only honours."""
    honours = [(row.seat, row.name, dict(row.counts)) for row in board.rows]
    tallies = None if is_over else (board.dealer, [(row.seat, row.tally) for row in board.rows])
    return board.game, board.preset, board.options, honours, tallies, board.pots


def stand_again(seating: Seating, state: TableState, board: Scoreboard) -> Scoreboard:
    """Return the board of a new table at which what stood in *state* was written down again."""
    name, facts = encode(standing(state, board))
    again = seating.apply(TableState("toepen"), decode(name, facts, TABLE_EVENTS))
    return draw_up(seating, again)


@pytest.mark.parametrize("game", GAMES)
def test_tallies_honours_pots_and_house_rules_stand_again(game: str) -> None:
    chance, setup, stood = random.Random(game), TableSetup(game=game), 0
    seating = Seating(setup)
    with Session(MemoryJournal(), setup) as session:
        for _ in range(STEPS.get(game, 60)):
            board = session.scoreboard()
            if not board.deal_runs:
                again = stand_again(seating, session._table._ledger.state, board)
                is_over = board.phase in OVER
                assert kept(again, is_over=is_over) == kept(board, is_over=is_over)
                stood += 1
            seat, action, facts = anything(board, chance)
            with contextlib.suppress(IllegalAction):
                session.submit(seat, action, facts=facts)
    assert stood > 3


def test_a_slate_that_no_game_can_have_is_read_as_a_clean_one() -> None:
    """So that a journal that holds it opens for ever."""
    seating = Seating(TableSetup())
    players = tuple((seat, f"P{seat:d}") for seat in map(Seat, range(3)))
    for game in GAMES:
        told = Recovered(
            *(game, None, (), players, players[0][0]),
            tallies=tuple((seat, 999) for seat, _ in players),
        )
        board = draw_up(seating, seating.apply(TableState("toepen"), told))
        assert [row.name for row in board.rows] == ["P0", "P1", "P2"]


@pytest.mark.parametrize(("game", "preset"), [("toepen", "laatste man"), ("eenendertigen", None)])
def test_who_is_out_stays_out_and_the_others_play_on(game: str, preset: str | None) -> None:
    seating = Seating(TableSetup())
    players = tuple((seat, f"P{seat:d}") for seat in map(Seat, range(4)))
    tallies = ((Seat(0), 1), (Seat(1), 99), (Seat(2), 0), (Seat(3), 2))

    told = Recovered(game, preset, (), players, Seat(0), tallies=tallies)
    board = draw_up(seating, seating.apply(TableState(game), told))

    assert [row.tally for row in board.rows if row.seat != 1] == [1, 0, 2]
    assert [row.seat for row in board.rows if "out" in row.flags] == [1]
