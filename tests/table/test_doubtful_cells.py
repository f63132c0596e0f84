"""Every doubtful gesture of toepen, in every phase, and what becomes of it by each answer."""

from collections.abc import Callable

import pytest

from kloplei.games.catalogue import build_game
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.gestures import Timings
from tests.table.seated import Tabletop, doubt_of, told

TIMINGS = Timings()
TAME = Seat(1)


def seating() -> Tabletop:
    return Tabletop(build=build_game, game="toepen", preset="kroeg", seats=4)


def between_hands() -> Tabletop:
    tabletop = seating()
    for seat in (1, 2, 3):
        tabletop.ask(seat, "sit_down")
    tabletop.ask(2, "start")  # seat 2 deals
    return tabletop


def dealt() -> Tabletop:
    tabletop = between_hands()
    tabletop.ask(None, "deal")
    return tabletop


def answering() -> Tabletop:
    tabletop = dealt()
    tabletop.ask(1, "knock")
    return tabletop


def playing() -> Tabletop:
    tabletop = answering()
    tabletop.ask(2, "stay")
    tabletop.ask(3, "stay")
    return tabletop


def armoede() -> Tabletop:
    tabletop = between_hands()
    tabletop.ask(1, "chalk", facts={"lives": 9}, seen=tabletop.board.seq)
    tabletop.ask(None, "deal")
    return tabletop


def rubber_over() -> Tabletop:
    tabletop = between_hands()
    tabletop.ask(2, "chalk", facts={"lives": 9}, seen=tabletop.board.seq)
    tabletop.ask(None, "deal")
    tabletop.ask(1, "stay")
    tabletop.ask(3, "stay")
    tabletop.ask(1, "trick", facts={"n": 4})
    return tabletop


Becomes = Callable[[Scoreboard], object]


def flagged(flag: str) -> Becomes:
    return lambda board: flag in board.rows[1].flags


def must_answer(board: Scoreboard) -> object:
    return TAME in board.to_answer


def stake(board: Scoreboard) -> object:
    return board.stake


CELLS: dict[tuple[Callable[[], Tabletop], int], tuple[Becomes, object, object] | None] = {
    (seating, 1): (lambda board: len(board.rows), 0, 1),
    (seating, 2): None,
    (seating, 3): None,
    (between_hands, 1): None,
    (between_hands, 2): (stake, None, 1),
    (between_hands, 3): None,
    (dealt, 1): (stake, 1, 2),
    (dealt, 2): (lambda board: board.grace and board.grace.action, None, "trick"),
    (dealt, 3): (flagged("open_exchange"), False, True),
    (answering, 1): (must_answer, True, False),
    (answering, 2): (flagged("folded"), False, True),
    (answering, 3): None,
    (playing, 1): (stake, 2, 3),
    (playing, 2): (lambda board: board.grace and board.grace.action, None, "trick"),
    (playing, 3): (lambda board: board.shown and board.shown.key, None, "show.hurry-up"),
    (armoede, 1): (must_answer, True, False),
    (armoede, 2): (flagged("folded"), False, True),
    (armoede, 3): (flagged("open_exchange"), False, True),
    (rubber_over, 1): None,
    (rubber_over, 2): (flagged("owes_drink"), True, False),
    (rubber_over, 3): None,
}
cells = pytest.mark.parametrize(
    ("table", "times", "cell"),
    [pytest.param(*at, cell, id=f"{at[0].__name__}-{at[1]}") for at, cell in CELLS.items()],
)


@cells
@pytest.mark.parametrize("answer", ["repeated", "knocked", "phone", "ignored", "dismissed"])
def test_every_cell(
    table: Callable[[], Tabletop],
    times: int,
    cell: tuple[Becomes, object, object] | None,
    answer: str,
) -> None:
    tabletop = table()
    before = tabletop.board

    tabletop.knock(2, times, doubtful=True)

    assert told(tabletop.board) == told(before)
    assert tabletop.journal.last_seq == before.seq
    if cell is None:
        assert tabletop.board.doubt is None
        return
    becomes, was, accepted = cell
    assert (doubt_of(tabletop).seat, doubt_of(tabletop).knocks) == (TAME, times)
    match answer:
        case "repeated":
            tabletop.knock(2)
        case "knocked":
            tabletop.knock(3)
        case "phone":
            tabletop.ask(1, "accept_knock", seen=before.seq)
        case "dismissed":
            tabletop.ask(1, "dismiss_knock", seen=before.seq)
        case _:
            tabletop.wait(TIMINGS.doubt_s)
    said_yes = answer in ("repeated", "knocked", "phone")
    assert becomes(tabletop.board) == (accepted if said_yes else was)
    assert tabletop.board.doubt is None
    if not said_yes:
        assert tabletop.board == before
