"""The virtual table: a table top seen from above, to be struck with a mouse, a thumb or keys."""

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from kloplei_panel import tally, verdicts
from kloplei_panel.api.demo import demo_table
from kloplei_panel.demo import KINDS
from kloplei_panel.fresh import fresh
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
    response = _fresh(render_template("demo/places.css", demo=demo_table()))
    response.mimetype = "text/css"
    return response


@bp.post("/demo/land")
def land() -> ResponseReturnValue:
    """Let something land at a place, or press its button where the wood is deaf; then come back.

    Without JavaScript: a form is posted.
    """
    kind = request.form.get("kind", "")
    if kind not in KINDS:
        raise Problem(400, "bad_kind", kinds=", ".join(KINDS))
    seat = _seat(request.form.get("seat", ""))
    if panel().table.scoreboard().deaf:
        demo_table().hold(seat, PRESS_S)
    elif demo_table().strike(kind, demo_table().places[seat - 1]) is None:
        raise Problem(503, "wood_busy")
    return redirect(url_for("demo.page", kind=kind), 303)


def _seat(number: str) -> int:
    seats = len(demo_table().places)
    if not (number.isascii() and number.isdigit() and len(number) <= 3):
        raise Problem(400, "bad_spot")
    if not 1 <= int(number) <= seats:
        raise Problem(404, "no_such_seat", number=int(number), seats=seats)
    return int(number)


def _show(template: str, **more: object) -> Response:
    demo = demo_table()
    board = panel().table.scoreboard()
    who = reader().looking_on().at(board)
    landed = [verdicts.tell(one, who, board.names) for one in reversed(demo.heard()[-TOLD:])]
    return _fresh(
        render_template(
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
    )


def _fresh(page: str) -> Response:
    return fresh(make_response(page))
