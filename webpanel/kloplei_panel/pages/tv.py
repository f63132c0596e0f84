"""The slate on a screen above the bar: large, without controls, with a QR code to join by.

And as an overlay, which a program that sends a picture of the table out lays over it.
"""

from functools import lru_cache
from typing import NamedTuple

from flask import Blueprint, Response, render_template, request
from markupsafe import Markup

from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import BadRequest
from kloplei.table.history_client import Evening, Player
from kloplei_panel.answers import fresh, fresh_page, packed
from kloplei_panel.context import SHOWS, join_address, panel
from kloplei_panel.fragments import is_everybodys, parts_of
from kloplei_panel.pages.history import NEWEST, Sayer, page_of
from kloplei_panel.reader import reader
from kloplei_panel.stage import BreakTold, most_gained, rests, ring_of, told_by

bp = Blueprint("tv", __name__)
CORNERS = ("top-left", "top-right", "bottom-left", "bottom-right")
_AS_MANY = 8  # lines as find room; a full table


class EveningScore(NamedTuple):
    """How far one *player* came in an evening: what they won, and what it did to the tally.

    *paid* is what all hands of the last game came to: lives lost, or points.
    """

    player: Player
    rubbers: int
    hands: int
    paid: int


@bp.get("/tv")
def page() -> Response:
    """Show the whole page."""
    return _show("tv/page.html")


@bp.get("/tv/slate")
def fragment() -> Response:
    """Show only what changes."""
    return _show("tv/table.html")


@bp.get("/tv/break")
def pause() -> Response:
    """Show titles, the evening so far and the table of honour; 204 while somebody plays.

    How they take turns is up to the screen: ``break.js`` knows whether anything may move.
    """
    board = panel().table.scoreboard()
    if not rests(board):
        return fresh(Response(status=204))
    evening, table = panel().pause.told(board.seq, _read_past)
    played = evening.games[-1].game if evening and evening.games else ""
    game = played if played in table.games else next(iter(table.games), "")
    return page_of(
        "tv/break.html",
        evening=evening,
        standings=standings_of(evening)[:_AS_MANY] if evening else (),
        played=played,
        says=Sayer(reader(), evening.line.players) if evening else None,
        table=table,
        game=game,
        rows=table.games.get(game, ()),
        most=_AS_MANY,
    )


def standings_of(evening: Evening) -> list[EveningScore]:
    """Return how its players stand: who won most rubbers first, of those who won most hands."""
    game = evening.games[-1].game if evening.games else None
    found = [
        EveningScore(
            one,
            sum(one.number in rubber.winners for rubber in evening.rubbers),
            sum(one.number in hand.winners for hand in evening.hands),
            sum(hand.paid.get(one.number, 0) for hand in evening.hands if hand.game == game),
        )
        for one in evening.line.players
    ]
    return sorted(found, key=lambda one: (-one.rubbers, -one.hands))


def _read_past() -> BreakTold:
    history = panel().table.history
    evening = _evening_so_far()
    seasons = history.seasons()
    return BreakTold(evening, history.table(seasons[0].id if seasons else None))


def _evening_so_far() -> Evening | None:
    """Return the evening that runs, or the last one; None on a box that has played none."""
    try:
        return panel().table.history.evening(NEWEST)
    except BadRequest:
        return None


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
    # What happens from here on fills the screen, though its stream is yet to be opened.
    told = _told(panel().feed.begin())
    response = fresh_page(template, **told, **more, theme=theme_asked())
    return packed(response) if is_everybodys() else response


def _told(board: Scoreboard) -> dict[str, object]:
    parts = parts_of(board)
    board = parts.read_by(reader())
    way = join_address()
    join_url = way.url or request.host_url
    return {
        "board": board,
        "parts": parts,
        "reader": reader().looking_on().at(board),
        "join_name": join_url.removeprefix("http://").rstrip("/"),
        "join_code": _as_svg(join_url),
        "wifi": way.wifi,
        "ring": ring_of(board),
        "rests": rests(board),
        "told_by": told_by,
        "gain": most_gained(board.hands[-1], board) if board.hands else None,
        "flies": panel().reactions is not None,
        "scene": panel().feed.stage.scene_at(board),
    }
