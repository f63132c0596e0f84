"""What a page costs: bytes of the first look at each game, and drawing what a seat at Tarok sees.

In one process, without a network: bytes of a first look are those of the answers with their heads,
as the server writes them.
"""

import gzip
import re
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import count
from typing import Any

from flask import Flask, Response
from flask.testing import FlaskClient
from werkzeug.test import EnvironBuilder, TestResponse

from benchmarks.race.row import Measure, Row, Side, given
from kloplei.games.cards import SUITS
from kloplei.games.catalogue import GAMES
from kloplei.games.game import Seat
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.words.catalogue import LANGUAGES
from kloplei_panel import PanelSettings, create_app
from tests.table.memory_journal import MemoryJournal

FETCHED_LATER = {"touch-icon.png"}
"""What a phone fetches when somebody puts the page on its home screen."""
_PACKED = {"Accept-Encoding": "gzip, deflate"}
_NAMED = re.compile(
    r"""(?:href="|src="|url\("|from "|import ")(?:/static/(?:v\w+/)?|\./)?([\w/.-]+\.[a-z]\w+)"""
)
_SHEET = "/slate?seat=1"
_PLACES = ("/", "/?seat=1", "/?seat=keeper", "/tv")
_PLAYERS = {"tarok": 3}
_TIMES = 5
_Step = tuple[Seat | None, str, Mapping[str, object]]


def first_loads(game: str) -> dict[tuple[str, str], dict[str, int]]:
    """Return what a first look at a hand of *game* brings, by language and page."""
    with playing(game) as app:
        return {
            (language, page): first_load(app.test_client(), page, language)
            for language in LANGUAGES
            for page in _PLACES
        }


def first_load(client: FlaskClient, page: str, language: str = "nl") -> dict[str, int]:
    """Return all that a phone without a store fetches for *page*: bytes, heads among them."""
    asks = {**_PACKED, "Accept-Language": language}
    brought: dict[str, int] = {}
    wanted = [page]
    while wanted:
        one = wanted.pop()
        if one in brought or one in FETCHED_LATER:
            continue
        answer = client.get(one if one == page else f"/static/{one}", headers=asks)
        if answer.status_code != 200:
            raise ValueError(f"{one} is asked for, and not there")
        brought[one] = _with_head(answer)
        if answer.headers.get("Content-Encoding") == "gzip" and not one.endswith((".svg", ".json")):
            wanted += _NAMED.findall(gzip.decompress(answer.data).decode())
    return brought


def _with_head(answer: TestResponse) -> int:
    head = f"HTTP/1.1 {answer.status}\r\n{answer.headers}"
    return len(head) + len(answer.data)


@contextmanager
def playing(game: str) -> Iterator[Flask]:
    """Give the panel of a table at which a hand of *game* is played."""
    with Session(MemoryJournal(), TableSetup(game=game)) as table:
        for seat in range(_PLAYERS.get(game, 4)):
            table.submit(Seat(seat), "sit_down", facts={"name": f"Speler {seat + 1}"})
        table.submit(Seat(0), "start")
        table.submit(None, "deal")
        yield create_app(table, settings=PanelSettings())


def _size(path: str, headers: Mapping[str, str]) -> float:
    with playing("tarok") as app:
        return len(app.test_client().get(path, headers=headers).data) / 1e3


def _first_load() -> float:
    looks = (one for game in GAMES for one in first_loads(game).values())
    return max(sum(one.values()) for one in looks) / 1e3


@contextmanager
def _drawn() -> Iterator[Measure]:
    with playing("tarok") as app:
        hands = map(_hand, count())

        def measure() -> float:
            return statistics.mean(_told_and_drawn(app, step) for step in next(hands))

        measure()
        yield measure


def _hand(number: int) -> Iterator[_Step]:
    """Yield a hand as three tell it, in which others hold and win what they did before."""
    one, two, three = (Seat((number + at) % 3) for at in range(3))
    yield one, "declare", {"what": "cavalry_half", "suit": SUITS[number % len(SUITS)]}
    yield two, "declare", {"what": "taroks", "count": 10 + number % 3, "pagat": True}
    yield three, "fate", {"what": "king_lost"}
    yield two, "last_trick", {}
    yield two, "last_card", {"card": "pagat"}
    yield one, "points", {"points": 20 + number % 7}
    yield two, "points", {"points": 30 + number % 5}
    yield None, "book", {}
    yield None, "deal", {}


def _told_and_drawn(app: Flask, step: _Step) -> float:
    """Return what it takes to draw what *step* changes."""
    seat, action, facts = step
    app.extensions["kloplei"].table.submit(seat, action, facts=facts)
    return _cpu_ms(lambda: _ask(app), times=1)


@contextmanager
def _unchanged() -> Iterator[Measure]:
    with playing("tarok") as app:
        tag = _ask(app).headers["ETag"]
        yield lambda: _cpu_ms(lambda: _ask(app, tag))


def _ask(app: Flask, tag: str = "") -> Response:
    with app.request_context(dict(_environ(tag))):
        return app.full_dispatch_request()


@cache
def _environ(tag: str) -> dict[str, Any]:
    """Return a request as a server hands it on: to make one up is no part of a page."""
    headers = _PACKED | ({"If-None-Match": tag} if tag else {})
    return EnvironBuilder(_SHEET, headers=list(headers.items())).get_environ()


def _cpu_ms(do: Callable[[], object], times: int = _TIMES) -> float:
    begun_s = time.thread_time()
    for _ in range(times):
        do()
    return 1e3 * (time.thread_time() - begun_s) / times


ROWS = (
    Row(
        "page-first-load",
        "all that a phone fetches at its first look, heads too: the worst game, place, language",
        "kB",
        (given("Kloplei", _first_load),),
        under=60.0,
        counts=True,
    ),
    Row(
        "page-tarok-sheet",
        "Tarok page for a seat: what changes of it, as it goes out",
        "kB",
        (
            given("Kloplei", lambda: _size(_SHEET, _PACKED)),
            given("unpacked", lambda: _size(_SHEET, {})),
        ),
        under=15.0,
        counts=True,
    ),
    Row(
        "page-tarok-cpu",
        "the same, drawn and packed at each change of a hand: processor",
        "ms",
        (Side("Kloplei", _drawn),),
        under=2.5,
        why="what a step leaves as it was is kept; the rest is drawn in Python: was 2.2 times that",
    ),
    Row(
        "page-unchanged",
        "a page of which the phone names the ETag, unchanged (304)",
        "ms",
        (Side("Kloplei", _unchanged),),
        under=1.0,
    ),
)
