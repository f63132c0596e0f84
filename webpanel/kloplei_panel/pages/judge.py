"""Who takes the trick? Tap the cards as they lie there, and see who takes it and why."""

from flask import Blueprint, Response, request

from kloplei_panel import judging
from kloplei_panel.fresh import fresh_page
from kloplei_panel.judging import CardLayout
from kloplei_panel.panel import panel
from kloplei_panel.reader import reader

bp = Blueprint("judge", __name__, url_prefix="/judge")


@bp.get("")
def page() -> Response:
    """Show an empty trick of the game that is played here."""
    return _show(judging.at_table(panel().table.scoreboard()))


@bp.post("")
def press() -> Response:
    """Show the trick after one press; the form carries all of it along, the box keeps nothing.

    A post, not an address: what somebody says of a blind deal stays out of histories and logs.
    """
    return _show(judging.laid_out(panel().table.scoreboard(), request.form))


def _show(layout: CardLayout) -> Response:
    board = panel().table.scoreboard()
    taken, wrong = judging.judged(layout)
    return fresh_page(
        "judge/page.html",
        reader=reader().at(board),
        board=board,
        layout=layout,
        cards=judging.written(layout),
        taken=taken,
        wrong=wrong,
    )
