"""The neutral picture as the table completes it, and the question it stands for."""

import pytest

from kloplei.games.cards import FRENCH, GERMAN, GERMAN_SUITS
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Offer, Row, Scoreboard
from kloplei.table.actions import TABLE_ACTIONS
from kloplei.table.core import Table
from kloplei.table.ledger import question_of, with_passing_offers
from kloplei.table.seating import TableSetup
from kloplei.table.uplink_client import TableCall
from tests.table.memory_journal import MemoryJournal
from tests.table.seated import Tabletop, offered


def test_the_table_completes_what_the_game_draws() -> None:
    tabletop = Tabletop(seats=6, options={"limit": 9}).start(1, 4)
    tabletop.ask(1, "deal")

    board = tabletop.board

    assert (board.game, board.stake, board.seats, board.options) == ("toy", 1, 6, {"limit": 9})
    assert [(row.seat, row.name, row.limit) for row in board.rows] == [
        (Seat(0), "Plek 1", 9),
        (Seat(3), "Plek 4", 9),
    ]
    assert {offer.action for offer in board.rows[0].offers} == {"raise", "win", "rename"}


def test_a_swap_offers_every_other_seat() -> None:
    tabletop = Tabletop(seats=4).seat_all(2)

    (swap,) = (one for one in tabletop.board.rows[0].offers if one.action == "swap")

    assert swap == Offer("swap", ("of",), {"of": (Seat(0), Seat(2), Seat(3))})


def test_every_action_of_the_table_is_offered_at_some_time() -> None:
    tabletop = Tabletop(seats=4).seat_all(1, 2)
    seen = offered(tabletop.board)
    tabletop.ask(1, "start")
    tabletop.table.call(TableCall("1", "7"), tabletop.now_s)
    seen |= offered(tabletop.board)
    tabletop.ask(1, "dismiss_call")
    tabletop.ask(1, "deal")
    tabletop.knock(None)
    seen |= offered(tabletop.board)
    tabletop.ask(1, "it_was_me")
    tabletop.ask(1, "undo")
    tabletop.knock(1, 2)
    seen |= offered(tabletop.board)

    tabletop.ask(None, "cancel")
    tabletop.knock(2, doubtful=True)
    seen |= offered(tabletop.board)
    tabletop.ask(2, "rename", facts={"name": "Ольга"})
    seen |= offered(tabletop.board)
    tabletop.ask(1, "rename", facts={"name": "Thijs"})
    tabletop.ask(1, "recognise", facts={"remember": True})
    seen |= offered(tabletop.board)

    assert seen >= set(TABLE_ACTIONS)


def test_what_passes_is_offered_only_while_it_does() -> None:
    board = Scoreboard("toy", "play", rows=(Row(Seat(1), 0),), offers=(Offer("undo"),))

    assert with_passing_offers(board, grace=False, who=()) is board
    both = with_passing_offers(board, grace=True, who=(Seat(1), Seat(2)))
    assert both.offers == (
        Offer("undo"),
        Offer("cancel", choices={"seat": (Seat(1),)}),
        Offer("it_was_me", choices={"seat": (Seat(1), Seat(2))}),
    )


@pytest.mark.parametrize(
    ("seat", "action", "same"),
    [(2, "raise", False), (1, "win", False), (2, "rename", True), (1, "undo", False)],
)
def test_the_question_changes_with_the_game_and_not_with_the_names(
    seat: int, action: str, same: bool
) -> None:
    tabletop = Tabletop().start(1, 2)
    tabletop.ask(1, "deal")
    before = question_of(tabletop.board)

    tabletop.ask(seat, action, facts={"name": "Tame"} if action == "rename" else {})

    assert (question_of(tabletop.board) == before) is same


@pytest.mark.parametrize(
    ("game", "suits", "drawn"),
    [
        ("watten", None, GERMAN_SUITS),
        ("watten", FRENCH, ()),
        ("watten", GERMAN, GERMAN_SUITS),
        ("toepen", None, ()),
        ("toepen", GERMAN, GERMAN_SUITS),
        ("tarok", GERMAN, ()),
    ],
)
def test_the_board_says_which_pack_is_on_the_table(
    game: str, suits: str | None, drawn: tuple[str, ...]
) -> None:
    setup = TableSetup(game=game, suits=suits)

    assert Table(MemoryJournal(), setup).scoreboard().suits == drawn
