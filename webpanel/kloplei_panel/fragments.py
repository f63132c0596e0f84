"""What a page shows of the table, drawn once for all who read the same.

What enters it is the scoreboard and a `Reading`: language, place, how the place was told, and how
the sheets ask. Whoever has more than that in the signed cookie of a locked box (a right, a question
at the door) reads what only a request of its own can tell, and so does who keeps the slate: the
page of the keeper has the log.
"""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Flask, request, session
from werkzeug.test import EnvironBuilder

from kloplei.games.scoreboard import Scoreboard
from kloplei_panel.context import FRESH_S, panel
from kloplei_panel.reader import PLACE_COOKIE, SHEET_COOKIE, SHEETS, asked_singly, reader


@dataclass(frozen=True, slots=True)
class Reading:
    """All that the drawing hangs on besides the scoreboard.

    *is_told* is whether the address tells the *place*: then links and forms repeat it.
    *is_unfolded* is whether it tells how sheets ask: then links do too, and one stands open.
    """

    language: str
    place: int | None
    is_told: bool
    asks_singly: bool
    is_unfolded: bool = False

    @property
    def environ(self) -> dict[str, Any]:
        """A request that reads the same, and of which nothing else is known."""
        sheet = SHEETS[not self.asks_singly]
        asked, kept = {"lang": self.language}, {SHEET_COOKIE: sheet}
        if self.place is not None:
            kept[PLACE_COOKIE] = str(self.place)
        if self.is_told:
            asked["seat"] = str(self.place)
        if self.is_unfolded:
            asked["sheet"] = sheet
        cookies = "; ".join(f"{name}={value}" for name, value in kept.items())
        builder = EnvironBuilder("/slate", query_string=asked, headers=[("Cookie", cookies)])
        return builder.get_environ()


@dataclass(frozen=True, slots=True)
class Fragment:
    """One drawing, for who reads *board*; *etag* names it."""

    board: Scoreboard
    drawn_s: float
    text: str
    etag: str

    @classmethod
    def of(cls, board: Scoreboard, text: str) -> "Fragment":
        """Return *text*, drawn of *board* just now."""
        etag = hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
        return cls(board, time.monotonic(), text, etag)

    def shows(self, board: Scoreboard) -> bool:
        """Whether it is right for *board* now: seconds that are left grow old at once."""
        if self.board is not board and self.board != board:
            return False
        runs = board.grace is not None or board.doubt is not None
        return not runs or time.monotonic() - self.drawn_s < FRESH_S


def is_everybodys() -> bool:
    """Whether the slate that this request brings is no other than anybody's who asks the same."""
    return not (panel().pairing.locked and session)


def reading(board: Scoreboard) -> Reading | None:
    """Return what the page of this request hangs on, None where it is this phone's alone."""
    place = reader().place
    seat, sheet = (request.args.get(name, "") for name in ("seat", "sheet"))
    if not is_everybodys():
        return None
    # Of places that there are not everybody can think of many.
    if isinstance(place, str) or not 1 <= (place or 1) <= board.seats:
        return None
    if seat not in ("", str(place)) or sheet not in ("", *SHEETS):
        return None
    return Reading(reader().language, place, bool(seat), asked_singly(), bool(sheet))


def fragment(wanted: Reading, board: Scoreboard, draw: Callable[[Scoreboard], str]) -> Fragment:
    """Return the drawing of *board* for who reads *wanted*; *draw* is asked if there is none."""
    drawn = panel().drawn
    known = drawn.get(wanted)
    if known is None or not known.shows(board):
        known = drawn[wanted] = Fragment.of(board, draw(board))
    return known


def as_event(
    app: Flask, wanted: Reading, board: Scoreboard, draw: Callable[[Scoreboard], str]
) -> str:
    """Return the page's part of *board* as a server-sent event, for who reads *wanted*."""
    with app.request_context(wanted.environ):
        text = fragment(wanted, board, draw).text
    data = text.replace("\n", "\ndata: ")
    return f"event: page\nid: {board.seq}\ndata: {data}\n\n"
