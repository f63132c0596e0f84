"""The virtual table: a table top seen from above, to be struck with a mouse, a thumb or keys."""

from flask import Blueprint, Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from kloplei_panel import tally, verdicts
from kloplei_panel.api.demo import demo_table, table_with
from kloplei_panel.api.demo_wood import known_kind, let_land
from kloplei_panel.demo import KINDS
from kloplei_panel.reader import whole
from kloplei_panel.fresh import fresh_page
from kloplei_panel.hints import hint
from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem
from kloplei_panel.reader import reader

bp = Blueprint("demo", __name__)
PRESS_S = 0.12  # a short press of a button
TOLD = 3  # landings on the page, the newest first


@bp.get("/demo")
def page() -> Response:
    """Show the whole page."""
    kind = request.args.get("kind", "")
    return _show("demo/page.html", kinds=KINDS, kind=kind if kind in KINDS else KINDS[0])


@bp.get("/demo/table")
def fragment() -> Response:
    """Show only what changes with the scoreboard."""
    return _show("demo/table.html")


@bp.get("/demo/ear")
def ear() -> Response:
    """Show only what the box made of what landed last."""
    return _show("demo/ear.html")


@bp.get("/demo/places.css")
def places_css() -> Response:
    """Say where the places are; the policy of our pages allows no styles in the page itself."""
    response = fresh_page("demo/places.css", demo=demo_table())
    response.mimetype = "text/css"
    return response


@bp.post("/demo/land")
def land() -> ResponseReturnValue:
    """Let something land at a place, or press its button where the wood is deaf; then come back.

    Without JavaScript: a form is posted.
    """
    kind = known_kind(request.form.get("kind", ""))
    seat = whole(request.form.get("seat", ""), most=3)
    if seat is None:
        raise Problem(400, "bad_spot")
    demo = table_with(seat)
    if panel().table.scoreboard().deaf:
        demo.hold(seat, PRESS_S)
    else:
        let_land(demo, kind, demo.places[seat - 1])
    return redirect(url_for("demo.page", kind=kind), 303)


def _show(template: str, **more: object) -> Response:
    demo = demo_table()
    board = panel().table.scoreboard()
    who = reader().looking_on().at(board)
    landed = [verdicts.tell(one, who, board.names) for one in reversed(demo.heard()[-TOLD:])]
    return fresh_page(
        template,
        board=board,
        reader=who,
        hint=hint(board, who),
        strokes=tally,
        seats=demo.seats,
        demo=demo,
        places_and_discs=list(zip(demo.places, demo.piezos, strict=True)),
        bots_speed=demo.bots_speed,
        landed=landed,
        picture=verdicts,
        **more,
    )
