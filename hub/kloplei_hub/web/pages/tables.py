"""One table of the house: its slate as who looks on sees it, live, and its newest evenings."""

from flask import Blueprint, Response, abort, make_response, render_template

from kloplei.frozen import replace
from kloplei_hub.web.boards import TableNow
from kloplei_hub.web.context import house, read_as_asked
from kloplei_hub.web.evenings import history
from kloplei_hub.web.pages.wall import shared
from kloplei_panel.fragments import Parts
from kloplei_panel.pages.history import page_of
from kloplei_panel.reader import reader

bp = Blueprint("tables", __name__)
_EVENINGS = 10


@bp.get("/tables/<which>")
def table(which: str) -> Response:
    """Show the table."""
    found = _found(which)
    lines = history().evenings(None, _EVENINGS, box=found.box)
    return page_of("tables/page.html", table=found, now=_drawn(found), evenings=lines)


@bp.get("/tables/<which>/after/<version>")
def after(which: str, version: str) -> Response:
    """Answer with what moves once it is another than *version*; 204 where none came."""
    read_as_asked()
    _found(which)
    found = house().live.table_after(which, version)
    if found is not None and found.version == version:
        return shared(Response(status=204))
    return shared(make_response(_drawn(found or _found(which))))


def _found(which: str) -> TableNow:
    found = house().live.table(which)
    return found or abort(404)


def _drawn(table: TableNow) -> str:
    """Return the slate of *table*; empty seats of a name go by their number."""
    board = table.board
    if board is None or not board.rows:
        return render_template("tables/now.html", reader=reader(), table=table, board=None)
    who = reader().at(board)
    rows = tuple(replace(row, name=who.name_at(row.seat, board.names)) for row in board.rows)
    named = replace(board, rows=rows)
    return render_template(
        "tables/now.html", reader=who, table=table, board=named, parts=Parts(named)
    )
