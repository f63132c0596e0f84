"""Cards for the seats and a table tent, to print: the keeper chooses languages and gets a PDF."""

from flask import Blueprint, Response, request

from kloplei.words.catalogue import LANGUAGES
from kloplei_panel.answers import fresh, fresh_page
from kloplei_panel.context import join_address, panel
from kloplei_panel.reader import reader

bp = Blueprint("seatcards", __name__, url_prefix="/seatcards")
_FIRST, _SECOND = "first", "second"


@bp.get("")
def page() -> Response:
    """Show what may be chosen."""
    return fresh_page(
        "seatcards/page.html",
        reader=reader(),
        board=reader().reads(panel().table.scoreboard()),
        languages=LANGUAGES,
        url=_url(),
    )


@bp.get("/kloplei-seatcards.pdf")
def pdf() -> Response:
    """Answer with the cards, in the languages ``first`` and, where it is one, ``second``."""
    from kloplei.seatcards import SeatCards, draw  # no first page waits for it

    board, way = panel().table.scoreboard(), join_address()
    asked = [request.args.get(_FIRST, reader().language), request.args.get(_SECOND, "")]
    known = [one for one in dict.fromkeys(asked) if one in LANGUAGES]
    cards = SeatCards(
        _url(),
        board.seats,
        tuple(known) or (reader().language,),
        board.game,
        board.preset,
        board.options,
        place=panel().settings.place,
        wifi=way.wifi.name if way.wifi else "",
        locked=panel().settings.locked,
    )
    return fresh(Response(draw(cards), mimetype="application/pdf"))


def _url() -> str:
    return join_address().url or request.host_url
