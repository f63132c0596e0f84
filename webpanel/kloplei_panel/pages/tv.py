"""The slate on a screen above the bar: large, without controls, with the way to join."""

from flask import Blueprint, Response, request

from kloplei_panel import tally
from kloplei_panel.fresh import fresh_page
from kloplei_panel.panel import panel, way_in
from kloplei_panel.qr import as_svg
from kloplei_panel.reader import reader

bp = Blueprint("tv", __name__)


@bp.get("/tv")
def page() -> Response:
    """Show the whole page."""
    return _show("tv/page.html")


@bp.get("/tv/slate")
def fragment() -> Response:
    """Show only what changes."""
    return _show("tv/table.html")


def _show(template: str) -> Response:
    board = panel().table.scoreboard()
    way = way_in()
    join_url = way.url or request.host_url
    return fresh_page(
        template,
        board=board,
        reader=reader().looking_on().at(board),
        strokes=tally,
        join_url=join_url,
        join_name=join_url.removeprefix("http://").rstrip("/"),
        join_code=as_svg(join_url),
        wifi=way.wifi,
    )
