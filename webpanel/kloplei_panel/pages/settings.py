"""A phone's own settings: where it sits, which language it speaks, what it may do."""

import math
import time

from flask import Blueprint, Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from kloplei.table.client import BadRequest, TableUnavailable
from kloplei.table.uplink_client import LONGEST_ADDRESS, LONGEST_CODE
from kloplei.words.catalogue import LANGUAGES
from kloplei_panel import access
from kloplei_panel.answers import Problem, back_to, fresh_page, why_not
from kloplei_panel.context import panel
from kloplei_panel.pairing import TooManyTries
from kloplei_panel.reader import reader
from kloplei_panel.requests import seat_numbered

bp = Blueprint("settings", __name__)
_DAY_S = 86_400


@bp.get("/settings")
def page() -> Response:
    """Show the settings of this phone."""
    return _show()


@bp.post("/settings/pair")
def pair() -> ResponseReturnValue:
    """Pair this phone if the form's ``pin`` is the one on the slate."""
    pin = request.form.get("pin", "").strip()
    try:
        is_right = _pair(pin)
    except TooManyTries as error:
        raise Problem(429, "too_many_tries", wait=math.ceil(error.wait_s)) from error
    if not is_right:
        return _show(message=reader().say("pin.wrong"), status=403, wrong_pin=True)
    return back_to("slate.page")


@bp.get("/IN/<code>")  # as the slate shows it: capitals make a smaller QR code
@bp.get("/in/<code>")
def scan(code: str) -> ResponseReturnValue:
    """Note that this phone has scanned the slate's QR code; where it asks to be, it is let in."""
    if panel().pairing.locked and not panel().pairing.see_slate(code):
        return _show(message=reader().say("code.old"), status=403)
    return redirect(url_for("slate.page"), 303)


@bp.get("/S/<int:number>")  # as the seat cards have it
@bp.get("/s/<int:number>")
def sit(number: int) -> ResponseReturnValue:
    """Go to the place of a seat card; on a locked box the phone asks there to be let in."""
    return redirect(url_for("slate.page", seat=seat_numbered(number).shown), 303)


@bp.post("/settings/explain")
def explain() -> ResponseReturnValue:
    """Let the box lead the table through its next hand."""
    access.demand_keeper()
    panel().table.doctor.explain()
    return back_to("slate.page")


@bp.post("/settings/hush")
def hush() -> ResponseReturnValue:
    """Let the caller be quiet, or speak again where the form's ``quiet`` is ``no``."""
    access.demand_keeper()
    panel().table.doctor.hush(quiet=request.form.get("quiet") != "no")
    return redirect(url_for("settings.page"), 303)


@bp.post("/settings/unpair")
def unpair() -> ResponseReturnValue:
    """Make this phone a viewer again."""
    panel().pairing.forget()
    return redirect(url_for("settings.page"), 303)


@bp.post("/settings/forget-all")
def forget_all() -> ResponseReturnValue:
    """Make every phone a viewer again, this one too: the box takes a new key."""
    access.demand_keeper()
    panel().table.door.forget_phones()
    panel().pairing.forget()
    return redirect(url_for("settings.page"), 303)


@bp.get("/settings/house")
def house() -> Response:
    """Show how it stands with the house; what was scanned (``?hub=`` and ``code``) is filled in."""
    access.demand_keeper()
    return _show_house()


@bp.post("/settings/house/pair")
def pair_with_house() -> ResponseReturnValue:
    """Go with the house at ``hub`` that shows this ``code``."""
    hub, code = (request.form.get(one, "").strip() for one in ("hub", "code"))
    if not (hub and code):
        raise Problem(400, "unreadable", detail="hub" if code else "code")
    return _wish(hub, code)


@bp.post("/settings/house/leave")
def leave_house() -> ResponseReturnValue:
    """Go with no house any more."""
    return _wish("", "")


def _wish(hub: str, code: str) -> ResponseReturnValue:
    access.demand_keeper()
    try:
        panel().table.uplink.pair(hub[:LONGEST_ADDRESS], code[:LONGEST_CODE])
    except (BadRequest, TableUnavailable) as error:
        return _show_house(*why_not(error, silent="hub.not_taken"))
    return back_to("settings.house")


def _show_house(message: str = "", status: int = 200) -> Response:
    uplink = panel().table.uplink
    stands = uplink.status()
    ends = stands.certificate_ends
    return fresh_page(
        "settings/house.html",
        status,
        reader=reader(),
        stands=stands,
        wish=uplink.wish(),
        left=max(0, panel().table.scoreboard().seq - stands.has),
        days=None if ends is None else max(0, int((ends - time.time()) // _DAY_S)),
        typed={one: request.args.get(one, "") for one in ("hub", "code")},
        message=message,
    )


def _pair(pin: str) -> bool:
    pairing, address = panel().pairing, request.remote_addr or ""
    try:
        return pairing.pair(pin, address)
    except TooManyTries:
        if not access.is_welcome():
            raise
    return pairing.pair(pin, address, is_welcome=True)


def _show(message: str = "", status: int = 200, *, wrong_pin: bool = False) -> Response:
    return fresh_page(
        "settings/page.html",
        status,
        reader=reader(),
        board=reader().reads(panel().table.scoreboard()),
        languages=LANGUAGES,
        locked=panel().settings.locked,
        may_keep=panel().pairing.may_keep,
        has_caller=panel().settings.caller,
        may_do_more=panel().pairing.may_act,
        message=message,
        wrong_pin=wrong_pin,
    )
