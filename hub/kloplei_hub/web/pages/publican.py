"""Behind the bar: how the boxes are, what ails them and what helps, and how another one comes."""

from typing import Final, NamedTuple
from urllib.parse import urlencode

import segno
from flask import Blueprint, Response, redirect, request
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from kloplei.games.scoreboard import Scoreboard
from kloplei_hub.boxes import (
    CODE_LASTS_S,
    LONGEST_NAME,
    KnownBox,
    NoSuchBox,
    known_boxes,
    new_code,
    release,
    rename,
    retire,
    where_to_pair,
)
from kloplei_hub.people import UnheededName, unheeded_names
from kloplei_hub.web import access
from kloplei_hub.web.context import house, page, say
from kloplei_hub.web.pages import Way
from kloplei_panel.reader import whole

bp = Blueprint("publican", __name__, url_prefix="/publican")
WAY = Way("publican.show", "way.publican")
_MOST_DIGITS = 6
_AT_TABLE: Final = "http://kloplei.local/settings/house?"
"""Where a table's own pages take what was scanned, for who is in its network."""
_SEEN = """
SELECT boxes.box, extract(epoch FROM seen)::float8, extract(epoch FROM boards.at)::float8, (
    SELECT trouble FROM folded JOIN eras USING (box, era)
    WHERE folded.box = boxes.box AND superseded IS NULL AND trouble IS NOT NULL
    ORDER BY ordinal DESC LIMIT 1
)
FROM boxes LEFT JOIN boards USING (box)
"""


class BoxTold(NamedTuple):
    """One box, as the landlord sees it; *seen* and *played* are when it was heard, and changed.

    *unheeded* is whom it calls otherwise than the house does, without a claim on them.
    """

    box: KnownBox
    seen: float | None
    played: float | None
    trouble: str | None
    board: Scoreboard | None
    unheeded: list[UnheededName]


@bp.before_request
def keep_to_landlords() -> None:
    """Let nobody but a landlord in."""
    access.demand("landlord")


@bp.get("")
def show(message: str = "", status: int = 200, *, code: str = "", box: str = "") -> Response:
    """Show the boxes, the ailing ones first; a new *code*, and for which *box* alone it is."""
    boxes = sorted(_boxes(), key=lambda one: one.box.retired)
    address = where_to_pair(house().config, request.host_url.rstrip("/"))
    return page(
        "house/publican.html",
        status,
        boxes=boxes,
        message=message,
        code=code,
        coming=next((one.box for one in boxes if one.box.box == box), None),
        picture=_as_svg(_AT_TABLE + urlencode({"hub": address, "code": code})) if code else "",
        address=address,
        minutes=CODE_LASTS_S // 60,
    )


@bp.post("/code")
def make_code() -> Response:
    """Show a code with which a box may come."""
    name, number = _named()
    with house().connected() as connection:
        return show(code=new_code(connection, name, number))


@bp.post("/<box>/code")
def make_code_for(box: str) -> ResponseReturnValue:
    """Show a code with which that box may come again, and no other one."""
    try:
        with house().connected() as connection:
            return show(code=new_code(connection, box=box), box=box)
    except NoSuchBox:
        return redirect("/publican", 303)


@bp.post("/<box>/rename")
def call(box: str) -> ResponseReturnValue:
    """Call a box what the form says."""
    try:
        with house().connected() as connection:
            rename(connection, box, *_named())
    except NoSuchBox:
        return show(say("publican.number_taken"), 409)
    return _told(box)


@bp.post("/<box>/retire")
def let_go(box: str) -> ResponseReturnValue:
    """Let a box go with the house no longer; its evenings stay."""
    with house().connected() as connection:
        retire(connection, box)
    return _told(box)


@bp.post("/<box>/release")
def let_go_on(box: str) -> ResponseReturnValue:
    """Let a box go on that was set apart: as it is kept, or told anew by the box that is there."""
    with house().connected() as connection:
        release(connection, box, anew="anew" in request.form)
    return _told(box)


def _told(box: str) -> ResponseReturnValue:
    house().ask("SELECT pg_notify('boards', %s)", (box,))
    return redirect("/publican", 303)


def _named() -> tuple[str, int | None]:
    name = " ".join(request.form.get("name", "").split())[:LONGEST_NAME]
    return name, whole(request.form.get("number", ""), _MOST_DIGITS) or None


def _boxes() -> list[BoxTold]:
    told = {row[0]: row[1:] for row in house().ask(_SEEN)}
    boards = {one.box: one.board for one in house().live.tables()}
    with house().connected() as connection:
        known, others = known_boxes(connection), unheeded_names(connection)
    found = []
    for one in known:
        seen, played, trouble = told.get(one.box, (None, None, None))
        unheeded = [other for other in others if other.box == one.box]
        found.append(BoxTold(one, seen, played, trouble, boards.get(one.box), unheeded))
    return found


def _as_svg(text: str) -> Markup:
    code = segno.make(text, error="m", micro=False)
    svg = code.svg_inline(border=2, omitsize=True, svgclass="qr")
    return Markup(svg)  # noqa: S704  # drawn by segno from modules, the text is not in it
