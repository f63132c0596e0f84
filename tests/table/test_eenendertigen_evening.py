"""A rubber of eenendertigen by knocks alone, and the same one by phones."""

from collections.abc import Callable

import pytest

from kloplei.games.catalogue import build_game
from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Line
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


def tallies(table: Tabletop) -> tuple[int, ...]:
    return tuple(row.tally for row in table.board.rows)


@pytest.mark.parametrize("overlapping", [False, True])
def test_two_who_were_lowest_may_knock_at_once_and_both_pay(*, overlapping: bool) -> None:
    """The second one called off what the first had said, and neither paid."""
    table = at_table().start(4, 1, 2, 3)
    table.ask(4, "deal")

    if overlapping:
        for seat in (1, 3, 1, 3):
            table.knock(seat, settle=False)
        table.wait(TIMINGS.gap_s)
    else:
        table.knock(1, 2)
        table.knock(3, 2)

    assert tallies(table) == (1, 0, 0, 0)  # what the second one says waits for objections
    assert table.board.grace is not None
    assert (table.board.grace.seat, table.board.grace.action) == (Seat(2), "lowest")
    table.wait(TIMINGS.grace_s)
    assert tallies(table) == (1, 0, 1, 0)


def test_one_knock_while_somebody_says_lowest_still_objects() -> None:
    table = at_table().start(4, 1, 2, 3)
    table.ask(4, "deal")

    table.knock(1, 2)
    table.knock(3, 1)

    assert table.board.shown == Line("show.cancelled", {"seat": Seat(2)})
    table.wait(TIMINGS.grace_s)
    assert tallies(table) == (0, 0, 0, 0)
    assert table.board.phase == "play"


def test_two_phones_may_say_lowest_at_once() -> None:
    table = at_table().start(4, 1, 2, 3)
    table.ask(4, "deal")

    for seat in (1, 3):
        table.ask(seat, "lowest", waits=True)
    table.wait(TIMINGS.grace_s)

    assert tallies(table) == (1, 0, 1, 0)


@pytest.mark.parametrize("by_phone", [True, False])
def test_where_only_two_are_left_both_lowest_means_equal(*, by_phone: bool) -> None:
    table = at_table().start(1, 2)
    table.ask(1, "deal")

    for seat in (1, 2):
        if by_phone:
            table.ask(seat, "lowest", waits=True)
        else:
            table.knock(seat, 2)

    assert table.board.grace is not None
    assert table.board.grace.action == "equal"
    table.wait(TIMINGS.grace_s)
    assert tallies(table) == (0, 0)
    assert table.board.phase == "between_hands"
