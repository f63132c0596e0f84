"""One sensor for the whole table: the slate asks who it was, and somebody owns to it."""

import pytest

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.table.core import Table
from kloplei.table.gestures import Timings
from kloplei.table.seating import TableSetup
from tests.table.memory_journal import MemoryJournal
from tests.table.seated import Tabletop, offered, reason_of

TIMINGS = Timings()


def test_a_knock_on_the_shared_sensor_asks_whose_it_was(tabletop: Tabletop) -> None:
    tabletop.knock(None)

    assert tabletop.board.asking == Line("ask.who-knocked", {"n": 1})
    assert tabletop.board.stake == 1
    assert "it_was_me" in offered(tabletop.board)


def test_a_phone_owns_to_the_knock(tabletop: Tabletop) -> None:
    tabletop.knock(None)

    seq = tabletop.ask(3, "it_was_me")

    assert (tabletop.board.stake, tabletop.board.seq) == (2, seq)
    assert tabletop.table.log()[0].seat == Seat(2)
    assert tabletop.board.asking is None


def test_a_pad_of_ones_own_owns_to_the_knock(tabletop: Tabletop) -> None:
    tabletop.knock(None)

    tabletop.knock(2)

    assert tabletop.board.stake == 2
    assert tabletop.table.log()[0].seat == Seat(1)


def test_so_many_knocks_on_the_shared_sensor_name_the_seat(tabletop: Tabletop) -> None:
    """A table with one sensor and no phone can play as well."""
    tabletop.knock(None)

    tabletop.knock(None, 3)

    assert tabletop.board.stake == 2
    assert tabletop.table.log()[0].seat == Seat(2)


def test_only_who_sits_may_own_to_it_while_nobody_may_sit_down(tabletop: Tabletop) -> None:
    """Phones at the free seats offered "It was me" as well, and only got a refusal for it."""
    tabletop.knock(None)

    (offer,) = (one for one in tabletop.board.offers if one.action == "it_was_me")

    assert offer.choices == {"seat": tuple(tabletop.board.names)}


def test_a_seat_is_taken_by_its_number() -> None:
    tabletop = Tabletop()
    tabletop.knock(None)

    tabletop.knock(None, 4)

    assert tabletop.board.names == {Seat(3): "Plek 4"}


def test_naming_an_empty_seat_leaves_the_question(tabletop: Tabletop) -> None:
    tabletop.knock(None, 2)

    tabletop.knock(None, 4)

    assert tabletop.board.asking is not None


def test_a_claim_on_the_shared_sensor_waits_and_any_knock_cancels_it(tabletop: Tabletop) -> None:
    tabletop.knock(None, 2)
    tabletop.ask(1, "it_was_me")
    waiting = tabletop.board.grace

    tabletop.knock(None)

    assert waiting is not None
    assert waiting.seat == Seat(0)
    assert tabletop.board.grace is None
    assert tabletop.board.asking is None


def test_what_the_keeper_asks_for_waits_and_any_knock_cancels_it_as_well(
    tabletop: Tabletop,
) -> None:
    """The keeper has no seat, and a knock on the shared sensor has none: they are not the same."""
    tabletop.ask(None, "undo", waits=True)
    waiting = tabletop.board.grace

    tabletop.knock(None)

    assert waiting is not None
    assert tabletop.board.grace is None
    assert tabletop.board.asking is None


def test_noise_on_the_shared_sensor_asks_nothing(tabletop: Tabletop) -> None:
    tabletop.knock(None, 8)

    assert tabletop.board.asking is None


def test_who_knocked_is_not_asked_for_ever(tabletop: Tabletop) -> None:
    tabletop.knock(None)

    tabletop.wait(TIMINGS.ask_s)

    assert tabletop.board.asking is None
    assert reason_of(tabletop, 1, "it_was_me") == "nothing_asked"


def test_what_the_rules_refuse_is_told_to_the_phone_that_owned_to_it(tabletop: Tabletop) -> None:
    tabletop.knock(2)
    tabletop.knock(None)

    assert reason_of(tabletop, 2, "it_was_me") == "raised_last"


def test_where_one_seat_alone_may_act_nobody_is_asked_who_it_was() -> None:
    tabletop = Tabletop(seats=2).start(1, 2)
    tabletop.ask(1, "deal")
    tabletop.knock(1)

    tabletop.knock(None)

    assert tabletop.board.asking is None
    assert tabletop.board.stake == 3
    assert tabletop.table.log()[0].seat == Seat(1)


def one_who_may_answer() -> Tabletop:
    """Two who play toepen; seat 2 has knocked, and seat 1 alone may do anything."""
    tabletop = Tabletop()
    setup = TableSetup(seats=2, game="toepen", options={"min_players": 2})
    tabletop.table = Table(MemoryJournal(), setup)
    tabletop.start(1, 2).ask(1, "deal")
    tabletop.knock(2)
    assert tabletop.board.to_answer == (Seat(0),)
    return tabletop


def test_undo_takes_back_what_was_taken_for_the_one_who_may_act() -> None:
    tabletop = one_who_may_answer()
    tabletop.knock(None)
    assert not tabletop.board.to_answer

    tabletop.ask(1, "undo")

    assert tabletop.board.to_answer == (Seat(0),)


def test_what_is_surely_of_another_seat_is_not_taken_for_the_one_that_may_act() -> None:
    tabletop = one_who_may_answer()

    tabletop.knock(2)

    assert tabletop.board.to_answer == (Seat(0),)


@pytest.mark.parametrize("places", [(1, None), (None, 1), (None, None), (1, 1)])
def test_two_knocks_of_the_one_who_may_act_are_two_though_one_cannot_be_placed(
    places: tuple[int | None, ...],
) -> None:
    """They were taken for two patterns of one: who wanted to fold stayed, and then toeped."""
    tabletop = one_who_may_answer()

    for place in places:
        tabletop.knock(place, settle=False)
    tabletop.wait(TIMINGS.gap_s)

    assert tabletop.board.hands[0].winner == Seat(1)


def test_where_several_may_act_a_knock_that_nobody_can_place_is_of_no_other_ones_pattern(
    tabletop: Tabletop,
) -> None:
    tabletop.knock(1, settle=False)
    tabletop.knock(None)

    assert tabletop.board.stake == 2
    assert tabletop.board.asking == Line("ask.who-knocked", {"n": 1})


def test_the_last_free_seat_is_asked_all_the_same() -> None:
    """A blow that nobody can place seats nobody: it may have been anybody's at the bar."""
    tabletop = Tabletop(seats=2).seat_all(1)

    tabletop.knock(None)

    assert tabletop.board.asking is not None
    assert len(tabletop.board.names) == 1
