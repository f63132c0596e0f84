"""What a page costs: bytes of the first look at each game, and drawing what a seat at Tarok sees.

In one process, without a network: bytes of a first look are those of the answers with their heads,
as the server writes them.
"""

import gzip
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from flask import Flask, Response
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from benchmarks.race.row import Measure, Row, Side, given
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
        panel = app.extensions["kloplei"]

        def draw() -> None:
            panel.drawn.clear()  # else it is drawn once for all who read it
            _ask(app)

        draw()
        yield lambda: _cpu_ms(draw)


@contextmanager
def _unchanged() -> Iterator[Measure]:
    with playing("tarok") as app:
        tag = _ask(app).headers["ETag"]
        yield lambda: _cpu_ms(lambda: _ask(app, {"If-None-Match": tag}))


def _ask(app: Flask, more: Mapping[str, str] | None = None) -> Response:
    with app.test_request_context(_SHEET, headers={**_PACKED, **(more or {})}):
        return app.full_dispatch_request()


def _cpu_ms(do: Callable[[], object]) -> float:
    begun_s = time.thread_time()
    for _ in range(_TIMES):
        do()
    return 1e3 * (time.thread_time() - begun_s) / _TIMES


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
        "the same, drawn and packed: processor",
        "ms",
        (Side("Kloplei", _drawn),),
        under=2.5,
        why="a whole hand is told and drawn in Python, once for all who read the same",
    ),
    Row(
        "page-unchanged",
        "a page of which the phone names the ETag, unchanged (304)",
        "ms",
        (Side("Kloplei", _unchanged),),
        under=1.0,
    ),
)
