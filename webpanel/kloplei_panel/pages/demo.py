"""The virtual table: a table top seen from above, to be knocked on with a mouse or keys."""

from flask import Blueprint, Response, make_response, render_template

from kloplei_panel import tally
from kloplei_panel.hints import hint
from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem
from kloplei_panel.reader import reader

bp = Blueprint("demo", __name__)


@bp.get("/demo")
def page() -> Response:
    """Show the whole page."""
    return _show("demo/page.html")


@bp.get("/demo/table")
def fragment() -> Response:
    """Show only what changes."""
    return _show("demo/table.html")


def _show(template: str) -> Response:
    demo = panel().demo
    if demo is None:
        raise Problem(404, "not_found")
    board, who = panel().table.scoreboard(), reader().looking_on()
    response = make_response(
        render_template(
            template,
            board=board,
            reader=who,
            hint=hint(board, who),
            strokes=tally,
            seats=demo.seats,
            bots_speed=demo.bots_speed,
        )
    )
    response.headers["Cache-Control"] = "no-store"
    return response
