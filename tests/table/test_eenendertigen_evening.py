"""A rubber of eenendertigen by knocks alone, and the same one by phones."""

from collections.abc import Callable

import pytest

from kloplei.games.catalogue import build_game
from kloplei.games.game import IllegalAction, Seat
from kloplei.table.gestures import Timings
from kloplei.table.journal import Journal
from tests.table.seated import Tabletop, told

TIMINGS = Timings()
COURSE = (
    *((4, "deal"), (2, "knock"), (1, "lowest"), (3, "tied")),
    *((1, "deal"), (3, "thirty_one"), (2, "deal"), (4, "equal")),
    *((3, "deal"), (2, "three_aces"), (4, "deal"), (4, "lowest")),
    *((2, "deal"), (3, "knock"), (3, "lowest"), (1, "drink")),
)
KNOCKS = {
    "deal": (2,),
    "knock": (1,),
    "lowest": (2,),
    "tied": (3,),
    "equal": (3, 5),
    "drink": (2,),
    "thirty_one": (3, 1),
    "three_aces": (3, 3),
}


def at_table(journal: Journal | None = None) -> Tabletop:
    return Tabletop(journal, build=build_game, game="eenendertigen", seats=4)


def by_knocks(table: Tabletop, seat: int, move: str) -> None:
    for times in KNOCKS[move]:
        table.knock(seat, times)
    if move in ("lowest", "tied"):
        table.wait(TIMINGS.grace_s)


def by_phone(table: Tabletop, seat: int, move: str) -> None:
    if move in ("thirty_one", "three_aces"):
        table.ask(seat, "lay", facts={"holds": move})
    else:
        table.ask(seat, {"tied": "lowest"}.get(move, move))


@pytest.mark.parametrize("hands", [by_knocks, by_phone])
def test_a_rubber_is_played_by_knocks_and_by_phones_alike(
    hands: Callable[[Tabletop, int, str], None],
) -> None:
    table = at_table().start(4, 1, 2, 3)
    tallies = []

    for seat, move in COURSE:
        hands(table, seat, move)
        tallies.append(tuple(row.tally for row in table.board.rows))

    assert tallies[3] == (1, 0, 1, 0)
    assert tallies[5] == (2, 1, 1, 1)
    assert tallies[9] == (3, 1, 2, 2)
    assert tallies[-1] == (0, 0, 0, 0)
    assert [row.counts["drinks"] for row in table.board.rows] == [1, 0, 0, 0]
    assert [row.counts["rubbers_won"] for row in table.board.rows] == [0, 1, 0, 0]
    assert told(at_table(table.journal).board) == told(table.board)


def test_a_slip_is_called_off_and_a_step_taken_back() -> None:
    table = at_table().start(4, 1, 2, 3)
    by_knocks(table, 4, "deal")
    table.knock(2, 2)
    assert table.board.grace is not None
    table.knock(3)
    table.wait(TIMINGS.grace_s)
    assert [row.tally for row in table.board.rows] == [0, 0, 0, 0]
    by_knocks(table, 2, "lowest")
    assert [row.tally for row in table.board.rows] == [0, 1, 0, 0]

    table.ask(None, "undo")

    assert [row.tally for row in table.board.rows] == [0, 0, 0, 0]
    assert table.board.phase == "play"


def test_the_second_knock_is_noise_and_a_phone_reads_why() -> None:
    table = at_table().start(4, 1, 2, 3)
    by_knocks(table, 4, "deal")
    by_knocks(table, 2, "knock")
    seq = table.board.seq

    by_knocks(table, 3, "knock")

    assert table.board.seq == seq
    with pytest.raises(IllegalAction) as refused:
        table.ask(3, "knock")
    assert refused.value.reason == "knocked_already"
    assert refused.value.facts["knocker"] == Seat(1)
