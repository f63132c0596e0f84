"""The slate on a screen above the bar: large, without controls, with a QR code to join by.

And as an overlay, which a program that sends a picture of the table out lays over it.
"""

from functools import lru_cache

from flask import Blueprint, Response, render_template, request
from markupsafe import Markup

from kloplei.games.scoreboard import Scoreboard
from kloplei_panel.answers import fresh_page, packed
from kloplei_panel.context import SHOWS, panel, way_in
from kloplei_panel.fragments import is_everybodys, parts_of
from kloplei_panel.reader import reader
from kloplei_panel.stage import ring_of

bp = Blueprint("tv", __name__)
CORNERS = ("top-left", "top-right", "bottom-left", "bottom-right")


@bp.get("/tv")
def page() -> Response:
    """Show the whole page."""
    return _show("tv/page.html")


@bp.get("/tv/slate")
def fragment() -> Response:
    """Show only what changes."""
    return _show("tv/table.html")


@bp.get("/overlay")
def overlay() -> Response:
    """Show the page that lies over a picture: ``?corner=`` of `CORNERS`, and ``?theme=``."""
    asked = request.args.get("corner", "")
    corner = asked if asked in CORNERS else CORNERS[0]
    return _show("overlay/page.html", corner=corner)


@bp.get("/overlay/slate")
def overlay_fragment() -> Response:
    """Show only what changes of it."""
    return _show("overlay/table.html")


def draw_overlay(board: Scoreboard) -> str:
    """Return what changes of the overlay, for who reads it in this request."""
    return render_template("overlay/table.html", **_told(board))


def theme_asked() -> str:
    """Return how loud this screen is: as ``?theme=`` says, else as the house does."""
    asked = request.args.get("theme", "")
    return asked if asked in SHOWS else panel().settings.show


def draw(board: Scoreboard) -> str:
    """Return what changes of the page, for who reads it in this request."""
    return render_template("tv/table.html", **_told(board))


@lru_cache(maxsize=8)
def _as_svg(text: str) -> Markup:
    """Return *text* as an inline SVG; its colours are those of the page's style."""
    import segno

    code = segno.make(text, error="m", micro=False)
    svg = code.svg_inline(border=2, omitsize=True, svgclass="qr")
    return Markup(svg)  # noqa: S704  # drawn by segno from modules, the text is not in it


def _show(template: str, **more: str) -> Response:
    told = _told(panel().table.scoreboard())
    response = fresh_page(template, **told, **more, theme=theme_asked())
    return packed(response) if is_everybodys() else response


def _told(board: Scoreboard) -> dict[str, object]:
    parts = parts_of(board)
    board = parts.read_by(reader())
    way = way_in()
    join_url = way.url or request.host_url
    return {
        "board": board,
        "parts": parts,
        "reader": reader().looking_on().at(board),
        "join_name": join_url.removeprefix("http://").rstrip("/"),
        "join_code": _as_svg(join_url),
        "wifi": way.wifi,
        "ring": ring_of(board),
        "flies": panel().reactions is not None,
        "scene": panel().feed.stage.scene_at(board),
    }
