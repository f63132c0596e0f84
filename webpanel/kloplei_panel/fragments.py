"""What a page shows of the table, drawn once for all who read the same.

And what is the same for most of them (what stands on the slate, the log of the evening, a sheet of
Tarok) is drawn once for a language, as a `Stencil`: what differs from place to place is a hole in
it. Drawn by itself it sees nothing of who reads but what enters its key.

What enters it is the scoreboard and a `Reading`: page, language, place, how the place was told,
how the sheets ask, and what the phone may do there. Of a phone with a cookie of a locked box that
is looked up for each drawing, as it is for each request. Who has a question at the door there reads
what only a request of its own can tell.
"""

import hashlib
import re
import secrets
import time
from collections.abc import Callable, Hashable, Mapping
from functools import cache, cached_property, lru_cache
from typing import Any, TypeVar, cast

from flask import Flask, current_app, g, request, session
from jinja2 import Environment, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape
from werkzeug.test import EnvironBuilder

from kloplei.frozen import dataclass, replace
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Hand, Scoreboard
from kloplei.table.client import KEEPER
from kloplei_panel import access
from kloplei_panel.context import FRESH_S, panel
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
_INDENTED = re.compile(r"\n\s+")  # nobody sees it, and all phones would read it
_HOLES = re.compile(rf"({_HOLE}\w+\.)")
_PARTS = "parts"
# What lies under some thumbs and behind "more", and what players are asked; perhaps 2 kB each.
_MOST_KEPT = 512
_MOST_READINGS = 256
# Of one board: what all readings there are hang on, and not what somebody thinks up in an address.
_MOST_PARTS = 512
# Of an evening's hands, in each language that somebody reads, perhaps 2 kB each.
_KEPT_HANDS = 512
# Of a request, all by which its phone and what it reads are known.
_TOLD_BY_PHONE = frozenset(
    {"QUERY_STRING", "HTTP_COOKIE", "HTTP_HOST", "HTTP_ACCEPT_LANGUAGE", "REMOTE_ADDR"}
)
_OF_THE_ROOM = frozenset({"tv", "overlay"})
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Reading:
    """All that the drawing hangs on besides the scoreboard.

    *is_told* is whether the address tells the *place*: then links and forms repeat it.
    *is_unfolded* is whether it tells how sheets ask: then links do too, and one stands open.
    *may_act* and *may_move_others* are the `Reader`'s. The large screen may show the *address* by
    which its reader came.
    """

    language: str
    place: int | str | None
    is_told: bool
    asks_singly: bool
    is_unfolded: bool = False
    may_act: bool = True
    may_move_others: bool = True
    page: str = "slate"
    address: str = ""

    @property
    def reader(self) -> Reader:
        """Who reads so."""
        return Reader(self.language, self.place, self.may_act, may_move_others=self.may_move_others)

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
        builder = EnvironBuilder(
            "/slate",
            base_url=self.address or None,
            query_string=asked,
            headers=[("Cookie", cookies)],
        )
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
        self._holes = tuple(enumerate(self._pieces))[1::2]

    def filled(self, here: str, *, seen: int | str = _SEEN, seat: Seat | None = None) -> Markup:
        """Return it as who sits at *seat* reads it, with the query *here* in links and forms.

        *seen* is the number that forms send along.
        """
        filling = {_HERE: str(escape(here)), _AND_HERE: str(escape(and_here(here)))}
        filling[_SEEN] = str(seen)
        if seat is not None:
            filling[mark_of(seat)] = " mine"
        told = self._pieces.copy()
        for at, hole in self._holes:
            told[at] = filling.get(hole, "")
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
    if "asks_singly" not in g:
        g.asks_singly = asked_singly()

    def draw() -> Stencil:
        told = {name: context[name] for name in ("board", "parts", "choices") if name in context}
        told |= {"reader": who, "here": _HERE, "and_here": _AND_HERE}
        return Stencil(context.environment.get_template(template).render(told, **facts))

    stencil = parts.once((template, who, g.asks_singly, *sorted(facts.items())), draw)
    return stencil.filled(context["here"], seat=context["reader"].seat)


class KeptPieces:
    """Draws what shows nothing of the board but what is told, and keeps it from change to change.

    What is *told* must be equal only where all of it is that a template shows.
    """

    def __init__(self, templates: Environment) -> None:
        self._templates = templates
        self._kept = lru_cache(_MOST_KEPT)(self._drawn)

    def __call__(
        self, template: str, told: Hashable, board: Scoreboard, reader: Reader, here: str
    ) -> Markup:
        """Return what *template* makes of what is *told*, on a phone that shows *board*."""
        return self._kept(template, told, reader.looking_on()).filled(here, seen=board.seq)

    def _drawn(self, template: str, told: Hashable, reader: Reader) -> Stencil:
        known = {"told": told, "reader": reader, "here": _HERE, "and_here": _AND_HERE}
        drawn = self._templates.get_template(template).render(known, seen=_SEEN)
        return Stencil(_INDENTED.sub("\n", drawn))


class KeptHands:
    """Draws what hands brought that are over, and keeps it from change to change."""

    def __init__(self, templates: Environment) -> None:
        self._templates = templates
        self._kept: dict[tuple[int, str], tuple[tuple[object, ...], Markup]] = {}

    def __call__(self, hand: Hand, board: Scoreboard, reader: Reader) -> Markup:
        """Return the *hand* of *board* for *reader*; it is drawn anew if it was corrected."""
        key, read = (hand.number, reader.language), (hand, board.names, board.game)
        known = self._kept.get(key)
        if known is None or known[0] != read:
            if len(self._kept) >= _KEPT_HANDS:
                self._kept.clear()
            told = {"hand": hand, "board": board, "reader": reader, "here": ""}
            drawn = self._templates.get_template("slate/hand.html").render(told)
            known = self._kept[key] = read, Markup(drawn)  # noqa: S704  # a template has escaped it
        return known[1]


def _is_right(drawn: Scoreboard, drawn_s: float, board: Scoreboard) -> bool:
    if drawn is not board and drawn != board:
        return False
    runs = board.grace is not None or board.doubt is not None
    return not runs or time.monotonic() - drawn_s < FRESH_S


def is_everybodys() -> bool:
    """Whether the slate that this request brings is no other than anybody's who asks the same."""
    return not (panel().pairing.locked and session)


def reading(board: Scoreboard, page: str = "slate") -> Reading | None:
    """Return what the *page* of this request hangs on, None where it is this phone's alone.

    So it is where the answer brings the phone something, such as a right.
    """
    if not is_everybodys() and (access.has_question() or session.modified):
        return None
    who = reader()
    if page != "slate":
        plain = Reading(who.language, None, False, False, page=page)
        if page == "tv":
            return replace(plain, address=request.host_url)
        return replace(plain, may_move_others=who.may_move_others)
    place = who.place
    seat, sheet = (request.args.get(name, "") for name in ("seat", "sheet"))
    # Of places that there are not everybody can think of many.
    if place != KEEPER and not (isinstance(place, int | None) and 1 <= (place or 1) <= board.seats):
        return None
    if seat not in ("", str(place)) or sheet not in ("", *SHEETS):
        return None
    told = Reading(who.language, place, bool(seat), asked_singly(), bool(sheet))
    return replace(told, may_act=who.may_act, may_move_others=who.may_move_others)


def reading_later(environ: Mapping[str, Any], page: str) -> Callable[[Scoreboard], Reading | None]:
    """Return what tells of each board how the phone of *environ* reads *page* by then.

    Its right may have ended, or have gone to another place with its person.
    """
    app = current_app.app_context().app
    own = {name: told for name, told in environ.items() if name in _TOLD_BY_PHONE}

    def reads(board: Scoreboard) -> Reading | None:
        with app.request_context({**_nobody(), **own}):
            g.board_found = board
            access.follow_person()
            return reading(board, page)

    return reads


def fragment(wanted: Reading, board: Scoreboard, draw: Callable[[Scoreboard], str]) -> Fragment:
    """Return the drawing of *board* for who reads *wanted*; *draw* is asked if there is none."""
    drawn = panel().drawn
    known = drawn.get(wanted)
    if len(drawn) > _MOST_READINGS:
        # Whoever invents addresses fills no memory.
        drawn.clear()
    # The address, which a large screen shows, changes without a word, and a moment is soon over.
    is_old = wanted.page in _OF_THE_ROOM and known and time.monotonic() - known.drawn_s >= FRESH_S
    if known is None or is_old or not known.shows(board):
        known = drawn[wanted] = Fragment(board, time.monotonic(), draw(board))
    return known


@cache
def _nobody() -> dict[str, Any]:
    return EnvironBuilder("/slate").get_environ()


_environ = lru_cache(_MOST_READINGS)(lambda wanted: wanted.environ)


def as_event(
    app: Flask, wanted: Reading, board: Scoreboard, draw: Callable[[Scoreboard], str]
) -> str:
    """Return the page's part of *board* as a server-sent event, for who reads *wanted*."""
    with app.request_context(dict(_environ(wanted))):
        g.reader = wanted.reader
        g.log = panel().feed.log_at(board.seq)
        text = fragment(wanted, board, draw).text
    data = text.replace("\n", "\ndata: ")
    return f"event: page\nid: {board.seq}\ndata: {data}\n\n"
