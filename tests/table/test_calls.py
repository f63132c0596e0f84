"""Whom a house calls to this table: shown until they sit, taken in at once, never in the way."""

from dataclasses import replace

import pytest

from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Called
from kloplei.table.core import CALLED_S
from kloplei.table.uplink_client import HousePerson, TableCall
from tests.table.seated import Tabletop

THIJS, TAME, STAN = (
    HousePerson(2**52 + n, name) for n, name in enumerate(("Thijs", "Tame", "Stan"))
)
CALL = TableCall("31", "Tafel 7", round=3, players=(THIJS, TAME, STAN))
LONG_S = 2.0  # longer than it takes to read


@pytest.fixture
def tabletop() -> Tabletop:
    return Tabletop(seats=4)


def call(tabletop: Tabletop, one: TableCall = CALL) -> None:
    tabletop.table.call(one, tabletop.now_s)
    tabletop.wait(LONG_S)


def offered(tabletop: Tabletop) -> set[str]:
    return {offer.action for offer in tabletop.board.offers} & {"accept_call", "dismiss_call"}


def begin(tabletop: Tabletop) -> None:
    for seat, name in ((1, "Bo"), (2, "Gijs"), (3, "Piet")):
        tabletop.ask(seat, "sit_down", facts={"name": name})
    tabletop.ask(1, "start")


def test_everybody_sees_who_is_called(tabletop: Tabletop) -> None:
    call(tabletop)

    assert tabletop.board.called == Called("Tafel 7", ("Thijs", "Tame", "Stan"), 3, None, knocks=3)
    assert offered(tabletop) == {"accept_call", "dismiss_call"}


def test_so_many_knocks_as_the_slate_says_seat_them(tabletop: Tabletop) -> None:
    call(tabletop)

    tabletop.knock(2, 3)

    assert tabletop.board.names == {Seat(0): "Thijs", Seat(1): "Tame", Seat(2): "Stan"}
    assert tabletop.board.called is None
    assert {row.person for row in tabletop.board.rows} == {THIJS.id, TAME.id, STAN.id}
    assert set(tabletop.table.people.agreed()) == {THIJS, TAME, STAN}


def test_another_number_of_knocks_is_what_it_always_was(tabletop: Tabletop) -> None:
    call(tabletop)

    tabletop.knock(2, 1)

    assert list(tabletop.board.names) == [Seat(1)]
    assert tabletop.board.called is not None


def test_they_take_the_place_of_who_sat_there_and_an_undo_gives_it_back(
    tabletop: Tabletop,
) -> None:
    begin(tabletop)
    before = tabletop.board.names
    call(tabletop)

    tabletop.ask(2, "accept_call")

    assert set(tabletop.board.names.values()) == {"Thijs", "Tame", "Stan"}
    assert tabletop.board.phase == "seating"
    tabletop.ask(2, "undo")
    assert tabletop.board.names == before
    assert tabletop.board.phase != "seating"


def test_a_hand_that_runs_is_played_first(tabletop: Tabletop) -> None:
    begin(tabletop)
    tabletop.ask(None, "deal")
    call(tabletop)
    assert tabletop.board.deal_runs

    assert tabletop.board.called is not None
    assert tabletop.board.called.knocks == 0
    assert offered(tabletop) == {"dismiss_call"}
    with pytest.raises(IllegalAction, match="hand_in_progress"):
        tabletop.table.submit(Seat(0), "accept_call", now_s=tabletop.now_s)


def test_who_is_told_again_is_shown_no_longer_for_it(tabletop: Tabletop) -> None:
    call(tabletop)
    shown = []

    for wait_s in (CALLED_S - 10, 20, 5):
        tabletop.wait(wait_s)
        shown.append(tabletop.board.called is not None)
        call(tabletop)
        shown.append(tabletop.board.called is not None)

    assert shown == [True, True, False, False, False, False]


def test_what_somebody_put_away_does_not_come_back(tabletop: Tabletop) -> None:
    call(tabletop)

    tabletop.ask(None, "dismiss_call")
    call(tabletop)
    assert tabletop.board.called is None
    with pytest.raises(IllegalAction, match="nobody_called"):
        tabletop.table.submit(None, "accept_call", now_s=tabletop.now_s)

    call(tabletop, replace(CALL, id="32"))
    assert tabletop.board.called is not None


@pytest.mark.parametrize(
    ("until", "shown"), [(None, True), (1_000_030.0, True), (999_999.0, False)]
)
def test_a_call_lasts_as_long_as_the_house_says(until: float | None, *, shown: bool) -> None:
    tabletop = Tabletop(wall=lambda: 1_000_000.0)

    call(tabletop, replace(CALL, until=until))

    assert (tabletop.board.called is not None) is shown
    tabletop.wait(40)
    assert (tabletop.board.called is not None) is (until is None)


def test_it_goes_when_they_have_sat_down_by_themselves(tabletop: Tabletop) -> None:
    call(tabletop)
    tabletop.ask(None, "accept_call")
    tabletop.ask(3, "stand_up")

    call(tabletop, replace(CALL, id="32", players=(TAME, STAN)))
    assert tabletop.board.called is not None
    tabletop.ask(4, "sit_down", facts={"person": STAN.id})

    assert tabletop.board.called is None


def test_who_is_known_here_already_stays_who_they_are(tabletop: Tabletop) -> None:
    tabletop.ask(1, "sit_down", facts={"name": "Tame", "remember": True})
    tabletop.ask(2, "sit_down", facts={"name": "Stan", "remember": True})
    people = {one.name: one.id for one in tabletop.table.people.people()}
    tabletop.table.people.agree(people["Tame"], True)
    (tame,) = tabletop.table.people.agreed()

    call(tabletop, replace(CALL, players=(THIJS, tame, STAN)))
    tabletop.ask(None, "accept_call")

    told = [(row.name, row.person) for row in tabletop.board.rows]
    assert told == [("Thijs", THIJS.id), ("Tame", people["Tame"]), ("Stan (2)", STAN.id)]
    call(tabletop, replace(CALL, id="32", players=(STAN, STAN)))
    tabletop.ask(None, "accept_call")
    assert [row.person for row in tabletop.board.rows] == [STAN.id]


def test_who_was_forgotten_here_is_somebody_new(tabletop: Tabletop) -> None:
    call(tabletop)
    tabletop.ask(None, "accept_call")
    tabletop.table.people.forget(STAN.id)

    call(tabletop, replace(CALL, id="32", players=(STAN,)))
    tabletop.ask(None, "accept_call")

    ((row),) = tabletop.board.rows
    assert (row.name, row.person == STAN.id) == ("Stan", False)
    assert STAN in tabletop.table.people.agreed()


def test_a_name_that_no_slate_takes_is_a_question_mark(tabletop: Tabletop) -> None:
    call(tabletop, replace(CALL, players=(HousePerson(5, "\x07" * 30), HousePerson(6, ""))))

    tabletop.ask(None, "accept_call")

    assert list(tabletop.board.names.values()) == ["?", "? (2)"]


def test_a_call_without_anybody_is_put_away_alone(tabletop: Tabletop) -> None:
    call(tabletop, replace(CALL, players=()))

    tabletop.ask(None, "accept_call")

    assert tabletop.board.called is None
    assert tabletop.board.seq == 0


def test_the_game_that_is_called_out_is_on_the_table() -> None:
    tabletop = Tabletop()
    call(tabletop, replace(CALL, game="chess"))
    tabletop.ask(None, "accept_call")
    assert tabletop.board.game == "toy"
