"""Tuning the table from a phone: one thing to do at a time, and what came of it."""

from collections.abc import Mapping

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from kloplei.games.game import IllegalAction
from kloplei.table.client import BadRequest, TableUnavailable, TuneStand, WoodStand
from kloplei_panel import hearing
from kloplei_panel.answers import back_to, fresh_page, why_not
from kloplei_panel.context import panel
from kloplei_panel.reader import reader
from kloplei_panel.requests import in_form, seat_in_form

bp = Blueprint("tune", __name__, url_prefix="/tune")
_MOST_DIGITS = 3


@bp.get("")
def page() -> Response:
    """Show the whole page."""
    return _show("tune/page.html")


@bp.get("/now")
def fragment() -> Response:
    """Show only what changes."""
    return _show("tune/now.html")


@bp.post("/step")
def step() -> ResponseReturnValue:
    """Do the ``step`` of the form; ``seats`` says how many are to knock, ``seat`` who again."""
    facts: dict[str, object] = {}
    if request.form.get("seats"):
        facts["seats"] = in_form("seats", _MOST_DIGITS)
    if (seat := seat_in_form(_MOST_DIGITS)) is not None:
        facts["seat"] = seat
    try:
        panel().table.ears.tune(request.form.get("step", ""), facts)
    except (IllegalAction, BadRequest, TableUnavailable) as error:
        return _show("tune/page.html", *why_not(error, silent="tune.not_saved"))
    return back_to("tune.page")


@bp.get("/wood")
def wood() -> ResponseReturnValue:
    """Show the table top as it was told, or as tables mostly are, to say how this one is."""
    stand = _stand()
    if stand is None or stand.wood is None:
        return back_to("tune.page")
    return _show("tune/wood.html", typed=_typed_of(stand.wood))


@bp.post("/wood")
def tell_wood() -> ResponseReturnValue:
    """Say what the table top is like, in centimetres; ``forget`` takes back what was said.

    With ``draw`` it is only drawn, and nothing is said.
    """
    stand = _stand()
    if stand is None or stand.wood is None:
        return back_to("tune.page")
    form = request.form
    sides = [_metres(form.get(side, "")) for side in ("length", "width")]
    size = sides[0] if form.get("shape") == "round" else "x".join(sides)
    own = form.get("discs") == "own"
    facts: dict[str, object] = {
        "size": "" if "forget" in form else size,
        "top": form.get("top", "plate"),
        "seats": in_form("seats", _MOST_DIGITS),
        # No word of them is what programs say for the places that piezos mostly have.
        "discs": (form.get("spots", "").strip() or "?") if own else form.get("discs", ""),
    }
    draws = "draw" in form
    try:
        stand = panel().table.ears.tune("look" if draws else "wood", facts)
    except BadRequest as error:  # a person wrote it, and has no use for how programs write it
        return _show("tune/wood.html", reader().why(error), 400, typed=form)
    except (IllegalAction, TableUnavailable) as error:
        return _show("tune/wood.html", *why_not(error, silent="tune.not_saved"), typed=form)
    if draws:
        return _show("tune/wood.html", typed=form, stand=stand)
    return back_to("tune.page")


def _typed_of(wood: WoodStand) -> Mapping[str, str]:
    """Return what somebody would have typed to say what *wood* is like, by field of the form."""
    own = wood.discs not in ("corners", "seats")
    return {
        "shape": "round" if wood.is_round else "rectangular",
        "length": f"{wood.length_m * 100:g}",
        "width": f"{wood.width_m * 100:g}",
        "top": "planks" if wood.planks else "plate",
        "seats": str(wood.around),
        "discs": "own" if own else wood.discs,
        "spots": wood.discs if own else "",
    }


def _metres(centimetres: str) -> str:
    """Return *centimetres* in metres; what is no number is left for the ears to refuse."""
    try:
        return f"{float(centimetres.replace(',', '.')) / 100:g}"
    except ValueError:
        return centimetres


def _show(
    template: str,
    message: str = "",
    status: int = 200,
    *,
    typed: Mapping[str, str] | None = None,
    stand: TuneStand | None = None,
) -> Response:
    return fresh_page(
        template,
        status,
        reader=reader(),
        board=reader().reads(panel().table.scoreboard()),
        it=stand or _stand(),
        hearing=hearing,
        locked=panel().settings.locked,
        message=message,
        typed=typed,
    )


def _stand() -> TuneStand | None:
    """Return where the tuning stands, or None at a table that cannot be tuned."""
    try:
        return panel().table.ears.tune("look")
    except BadRequest:
        return None
