"""The slate on a phone: one page for who looks on, who sits at a seat, and who keeps it."""

from dataclasses import dataclass

from flask import Blueprint, Response

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Row, Scoreboard
from kloplei_panel import tally
from kloplei_panel.controls import Control, controls, controls_at
from kloplei_panel.fresh import fresh_page
from kloplei_panel.house_rules import house_rules
from kloplei_panel.panel import panel
from kloplei_panel.reader import Reader, reader

bp = Blueprint("slate", __name__, template_folder="../templates")
_LOG_STEPS = 40
_STEPS = ("undo", "redo")  # the table's own, and as four knocks are: anybody's who sits there


@dataclass(frozen=True, slots=True)
class Place:
    """What the reader may press for one seat: what lies under the thumb, and the rest."""

    seat: Seat
    row: Row | None
    big: list[Control]
    more: list[Control]


@bp.get("/")
def page() -> Response:
    """Show the whole page."""
    return render_slate("slate/page.html")


@bp.get("/slate")
def fragment() -> Response:
    """Show only what changes, for the page to put in place."""
    return render_slate("slate/table.html")


def render_slate(template: str, message: str = "", status: int = 200) -> Response:
    """Return *template* with the table as it stands, and perhaps a *message* on top."""
    board = panel().table.scoreboard()
    who = reader().at(board)
    return fresh_page(
        template,
        status,
        board=board,
        reader=who,
        mine=_place(board, who.seat, who) if who.seat is not None else None,
        places=[_place(board, Seat(one), who) for one in range(board.seats)]
        if who.is_keeper
        else [],
        table_controls=_of_the_table(board, who) if who.is_keeper else [],
        house_rules=house_rules(board, who) if who.is_keeper else [],
        log=panel().table.log(_LOG_STEPS) if who.is_keeper else (),
        strokes=tally,
        message=message,
        demo=panel().demo is not None,
    )


def _of_the_table(board: Scoreboard, who: Reader) -> list[Control]:
    found = controls(board.offers, None, board, who)
    return [one for one in found if not one.look.on_game_page]


def _place(board: Scoreboard, seat: Seat, who: Reader) -> Place:
    found = controls_at(seat, board, who)
    if who.is_keeper:
        found = [one for one in found if not one.look.anybodys]
    else:
        steps = [one for one in board.offers if one.action in _STEPS]
        found = controls(steps, seat, board, who) + found
    found = [one for one in found if not one.look.on_game_page]
    big = [one for one in found if one.look.big]
    return Place(seat, board.row(seat), big, [one for one in found if not one.look.big])
