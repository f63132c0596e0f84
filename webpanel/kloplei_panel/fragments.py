"""What a page shows of the table, drawn once for all who read the same.

And what is the same for most of them (what stands on the slate, the log of the evening, a sheet of
Tarok) is drawn once for a language, as a `Stencil`: what differs from place to place is a hole in
it. Drawn by itself it sees nothing of who reads but what enters its key.

What enters it is the scoreboard and a `Reading`: language, place, how the place was told, and how
the sheets ask. Whoever has more than that in the signed cookie of a locked box (a right, a question
at the door) reads what only a request of its own can tell, and so does who keeps the slate: the
page of the keeper has the log.
"""

import hashlib
import re
import secrets
import time
from collections.abc import Callable, Hashable
from functools import cached_property, lru_cache
from typing import Any, TypeVar, cast

from flask import Flask, request, session
from jinja2 import Environment, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape
from werkzeug.test import EnvironBuilder

from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei_panel.context import FRESH_S, panel
from kloplei_panel.controls import Control
from kloplei_panel.reader import (
    PLACE_COOKIE,
    SHEET_COOKIE,
    SHEETS,
    Reader,
    and_here,
    asked_singly,
    reader,
)

# No name at the table can be one: nobody knows it.
_HOLE = f"hole{secrets.token_hex(8)}"
_HERE, _AND_HERE, _SEEN = f"{_HOLE}here.", f"{_HOLE}andhere.", f"{_HOLE}seen."
_HOLES = re.compile(rf"({_HOLE}\w+\.)")
_PARTS = "parts"
# What lies under some thumbs and behind "more", perhaps 2 kB each.
_KEPT_CONTROLS = 512
_MOST_READINGS = 256
# Of one board: what all readings there are hang on, and not what somebody thinks up in an address.
_MOST_PARTS = 512
Found = TypeVar("Found")


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


@dataclass(frozen=True)
class Fragment:
    """One drawing, for who reads *board*."""

    board: Scoreboard
    drawn_s: float
    text: str

    @cached_property
    def etag(self) -> str:
        """What names it: few phones ask for it, most have it from the stream."""
        return hashlib.blake2b(self.text.encode(), digest_size=12).hexdigest()

    def shows(self, board: Scoreboard) -> bool:
        """Whether it is right for *board* now: seconds that are left grow old at once."""
        return _is_right(self.board, self.drawn_s, board)


class Stencil:
    """A *text* with holes, for what differs from place to place."""

    def __init__(self, text: str) -> None:
        self._pieces = _HOLES.split(text)

    def filled(self, here: str, *, seen: int | str = _SEEN, seat: Seat | None = None) -> Markup:
        """Return it as who sits at *seat* reads it, with the query *here* in links and forms.

        *seen* is the number that forms send along.
        """
        filling = {_HERE: str(escape(here)), _AND_HERE: str(escape(and_here(here)))}
        filling[_SEEN] = str(seen)
        if seat is not None:
            filling[mark_of(seat)] = " mine"
        holes = (filling.get(hole, "") for hole in self._pieces[1::2])
        told = [
            piece for pair in zip(self._pieces[::2], (*holes, ""), strict=True) for piece in pair
        ]
        return Markup("".join(told))  # noqa: S704  # a template has escaped it


class Parts:
    """What is drawn or put together once of *board*, whoever reads it."""

    def __init__(self, board: Scoreboard) -> None:
        self._board = board
        self._begun_s = time.monotonic()
        self._kept: dict[Hashable, Any] = {}

    def shows(self, board: Scoreboard) -> bool:
        """Whether they are right for *board* now."""
        return _is_right(self._board, self._begun_s, board)

    def once(self, key: Hashable, find: Callable[[], Found]) -> Found:
        """Return what *find* does; it is asked once for each *key*, as long as there are few."""
        if key in self._kept:
            return cast("Found", self._kept[key])
        found = find()
        if len(self._kept) < _MOST_PARTS:
            self._kept[key] = found
        return found

    def read_by(self, reader: Reader) -> Scoreboard:
        """Return the board as *reader* reads it."""
        return self.once(("board", reader.language), lambda: reader.reads(self._board))


def parts_of(board: Scoreboard) -> Parts:
    """Return what there is of *board* by now."""
    known = panel().drawn.get(_PARTS)
    if known is None or not known.shows(board):
        known = panel().drawn[_PARTS] = Parts(board)
    return cast("Parts", known)


def mark_of(seat: Seat) -> str:
    """Return the hole in which stands that the reader sits at *seat*."""
    return f"{_HOLE}seat{seat:d}."


@pass_context
def part(context: Context, template: str, **facts: Hashable) -> Markup:
    """Return what *template* makes of the board, drawn once for all who read it.

    It is told who reads, but not from which place, and whatever *facts* say besides.
    """
    who: Reader = context["reader"].looking_on()
    parts: Parts = context["parts"]
    asked = asked_singly(), request.args.get("sheet")

    def draw() -> Stencil:
        told = {name: context[name] for name in ("board", "parts", "house") if name in context}
        told |= {"reader": who, "here": _HERE, "and_here": _AND_HERE}
        return Stencil(context.environment.get_template(template).render(told, **facts))

    stencil = parts.once((template, who, asked, *sorted(facts.items())), draw)
    return stencil.filled(context["here"], seat=context["reader"].seat)


class KeptControls:
    """Draws controls that show nothing of the board, and keeps them from change to change."""

    def __init__(self, templates: Environment) -> None:
        self._templates = templates
        self._kept = lru_cache(_KEPT_CONTROLS)(self._drawn)

    def __call__(self, control: Control, board: Scoreboard, reader: Reader, here: str) -> Markup:
        """Return *control* for *reader*, whose phone shows *board*."""
        return self._kept(control, reader.looking_on()).filled(here, seen=board.seq)

    def _drawn(self, control: Control, reader: Reader) -> Stencil:
        told = {"reader": reader, "here": _HERE, "and_here": _AND_HERE}
        macros = self._templates.get_template("macros.html").make_module(told)
        return Stencil(macros.control_of(control, None, reader, _SEEN))  # type: ignore[attr-defined]


def _is_right(drawn: Scoreboard, drawn_s: float, board: Scoreboard) -> bool:
    if drawn is not board and drawn != board:
        return False
    runs = board.grace is not None or board.doubt is not None
    return not runs or time.monotonic() - drawn_s < FRESH_S


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
        known = drawn[wanted] = Fragment(board, time.monotonic(), draw(board))
    return known


_environ = lru_cache(_MOST_READINGS)(lambda wanted: wanted.environ)


def as_event(
    app: Flask, wanted: Reading, board: Scoreboard, draw: Callable[[Scoreboard], str]
) -> str:
    """Return the page's part of *board* as a server-sent event, for who reads *wanted*."""
    with app.request_context(dict(_environ(wanted))):
        text = fragment(wanted, board, draw).text
    data = text.replace("\n", "\ndata: ")
    return f"event: page\nid: {board.seq}\ndata: {data}\n\n"
