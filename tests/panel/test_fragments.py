"""Pages drawn once for all who read the same: the same bytes as each would get by itself."""

import re
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.session import Session
from kloplei_panel import PanelSettings, fragments
from kloplei_panel.followers import MOST_READINGS, Follower
from kloplei_panel.fragments import Fragment, Stencil, as_event, reading
from kloplei_panel.pages import slate
from tests.panel.conftest import NAMES, PIN, Phone, build
from tests.panel.tarok_table import tarok_at
from tests.panel.watten_table import announce, watten_at
from tests.table.memory_journal import MemoryJournal

PLACES = (None, "", "1", "3", "4", "8", "9", "250", "0", "keeper", "abc", "03")
LANGUAGES = (None, "nl", "en", "da", "ja", "xx")
ACCEPTED = (None, "nl", "de-AT,en;q=0.5", "fr", "ja")
SHEETS = (None, "steps", "all", "other", "")
TEMPLATES = Path(slate.__file__).parents[1] / "templates"


@pytest.fixture(scope="module")
def apps() -> Iterator[list[Flask]]:
    """Tables at which something runs, open and locked, whose clocks stand still."""
    with ExitStack() as opened:
        toepen = opened.enter_context(Session(MemoryJournal()))
        for seat, name in enumerate(NAMES):
            toepen.submit(Seat(seat), "sit_down", facts={"name": name})
        toepen.submit(Seat(0), "start")
        toepen.submit(Seat(0), "deal")
        toepen.submit(Seat(2), "knock")
        toepen.submit(Seat(1), "undo", waits=True)
        watten = opened.enter_context(watten_at("tirol"))
        announce(watten)
        tarok = opened.enter_context(tarok_at())
        tarok.submit(None, "deal")
        now_s = time.monotonic()
        yield [
            build(table, PanelSettings(locked=locked, pin=PIN, clock=lambda: now_s))
            for table in (toepen, watten, tarok)
            for locked in (False, True)
        ]


@given(
    st.integers(0, 5),
    *map(st.sampled_from, (PLACES, PLACES, LANGUAGES, LANGUAGES, SHEETS, SHEETS, ACCEPTED)),
)
def test_whoever_reads_the_same_gets_the_bytes_that_a_request_of_its_own_would_bring(
    apps: list[Flask],
    at: int,
    place: str | None,
    kept_place: str | None,
    language: str | None,
    kept_language: str | None,
    sheet: str | None,
    kept_sheet: str | None,
    accepted: str | None,
) -> None:
    app = apps[at]
    parts = app.extensions["kloplei"]
    asked = {"seat": place, "lang": language, "sheet": sheet}
    kept = {"kloplei_place": kept_place, "kloplei_lang": kept_language, "kloplei_sheet": kept_sheet}
    query = {name: told for name, told in asked.items() if told is not None}
    cookies = "; ".join(f"{name}={told}" for name, told in kept.items() if told is not None)
    headers = {"Cookie": cookies} | ({"Accept-Language": accepted} if accepted else {})
    board = parts.table.scoreboard()

    with app.test_request_context("/api/v1/stream", query_string=query, headers=headers):
        wanted = reading(board)
    parts.drawn.clear()
    own = app.test_client(use_cookies=False).get("/slate", query_string=query, headers=headers)
    parts.drawn.clear()
    # What is drawn once for all others read before.
    app.test_client(use_cookies=False).get("/slate?seat=2", headers={"Accept-Language": "en"})

    if wanted is None:
        odd = {"9", "250", "keeper", "abc", "0", "", "03", "8"}
        assert sheet == "other" or {place, kept_place} & odd
        return
    assert text_of(as_event(app, wanted, board, slate.draw)) == own.text
    assert wanted in parts.drawn


def test_no_template_reads_more_of_a_request_than_a_reading_has() -> None:
    """What else one looked at, all others who read the same would get as well."""
    reads = re.compile(r"\b(?:request|session|g|config)\.\w[\w.]*")
    found = {
        told
        for names in ("slate/*.html", "games/*.html", "macros.html")
        for path in TEMPLATES.glob(names)
        if path != TEMPLATES / "slate" / "page.html"
        for told in reads.findall(path.read_text())
    }

    assert found == {"request.args.sheet"}


def text_of(event: str) -> str:
    """Return the data of a server-sent *event*, as browsers put it together."""
    lines = [line.removeprefix("data: ") for line in event.split("\n") if line[:5] == "data:"]
    return "\n".join(lines)


def test_who_has_more_in_the_cookie_of_a_locked_box_reads_by_requests_of_its_own(
    locked_app: Flask,
) -> None:
    """A right ends, moves along with its person and is taken away; a question is answered."""
    phone = Phone(locked_app.test_client())
    viewer = stream_of(phone)
    phone.client.post("/settings/pair", data={"pin": PIN})
    paired = stream_of(phone)

    assert viewer == ["page", "scoreboard"]
    assert paired == ["scoreboard"]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("?page=slate&seat=2", ["page", "scoreboard"]),
        ("?page=slate&seat=keeper", ["scoreboard"]),
        ("?page=tv", ["scoreboard"]),
        ("", ["scoreboard"]),
    ],
)
def test_the_page_comes_before_its_scoreboard_and_only_to_who_asks(
    phone: Phone, query: str, told: list[str]
) -> None:
    assert stream_of(phone, query) == told


def test_who_reads_as_nobody_else_asks_for_his_page_where_too_many_do(
    app: Flask, phone: Phone
) -> None:
    feed = app.extensions["kloplei"].feed
    feed.most = 4 * MOST_READINGS
    for number in range(MOST_READINGS):
        place = Follower(f"10.0.0.{number}", has_right=False)
        assert feed.take_place(place)
        assert feed.draws_for(place, number)

    assert stream_of(phone) == ["scoreboard"]
    feed.give_back_place(place)

    assert stream_of(phone) == ["page", "scoreboard"]


def test_what_somebody_thinks_up_in_an_address_fills_no_memory(app: Flask, phone: Phone) -> None:
    """Each address was drawn and kept until the next knock: 200 MB of them in some minutes."""
    phone.get("/slate")
    parts = app.extensions["kloplei"].drawn["parts"]
    for number in range(1000):
        parts.once(number, lambda: "drawn")
    before = len(parts._kept)

    assert phone.get("/slate?seat=none&sheet=none").status_code == 200
    assert parts.once("one more", lambda: "drawn as well") == "drawn as well"
    assert len(parts._kept) == before < 1000


def stream_of(phone: Phone, query: str = "?page=slate&seat=2") -> list[str]:
    """Return what comes first of a stream."""
    response = phone.get(f"/api/v1/stream{query}", buffered=False)
    begun = next(cast("Iterator[bytes]", iter(response.response))).decode()
    response.close()
    return [line[len("event: ") :] for line in begun.split("\n") if line.startswith("event: ")]


def test_a_page_is_drawn_once_for_all_who_read_it(
    app: Flask, phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Scoreboard] = []
    draw = slate.draw

    def note(board: Scoreboard) -> str:
        drawn.append(board)
        return draw(board)

    monkeypatch.setattr(slate, "draw", note)

    for _ in range(3):
        stream_of(phone)
        assert phone.get("/slate?seat=2").status_code == 200
    assert len(drawn) == 1
    phone.do(1, "deal")
    stream_of(phone)
    stream_of(phone, "?page=slate&seat=3")

    assert len(drawn) == 3


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was drawn for more than one page."""
    noted: list[str] = []

    class Noted(Stencil):
        def __init__(self, text: str) -> None:
            super().__init__(text)
            noted.append(text)

    monkeypatch.setattr(fragments, "Stencil", Noted)
    return noted


def test_controls_are_drawn_once_for_many_changes(phone: Phone, drawn: list[str]) -> None:
    phone.do(1, "deal")
    first = [phone.get(f"/slate?seat={seat}").text for seat in (1, 2)]
    phone.do(None, "undo")
    phone.do(None, "redo")
    drawn.clear()
    again = [phone.get(f"/slate?seat={seat}").text for seat in (1, 2)]

    assert not [text for text in drawn if "action=knock&" in text]
    assert all("action=knock&" in page for page in (*first, *again))
    assert all(f"seen={phone.board['seq']}" in page for page in again)


def test_what_is_the_same_for_all_is_drawn_once_a_language(phone: Phone, drawn: list[str]) -> None:
    """Forty phones at seven places read seven pages of 15 to 70 kB: most of each is the same."""
    for path in ("/slate", "/slate?seat=1", "/slate?seat=2", "/slate?seat=keeper", "/tv/slate"):
        assert phone.get(path).status_code == 200

    assert [sum(what in text for text in drawn) for what in ('class="rows', 'id="evening"')] == [
        1,
        1,
    ]
    phone.get("/slate?lang=nl")

    assert [sum(what in text for text in drawn) for what in ('class="rows', 'id="evening"')] == [
        2,
        2,
    ]


def test_seconds_that_are_left_are_told_anew(table: Session) -> None:
    board = table.scoreboard()
    still = Fragment(board, drawn_s=0.0, text="")
    runs: Any = object()

    assert still.shows(board)
    assert still.shows(replace(board))
    assert not still.shows(replace(board, seq=board.seq + 1))
    assert not Fragment(replace(board, grace=runs), 0.0, "").shows(replace(board, grace=runs))


def test_a_page_that_has_not_changed_is_not_sent_again(phone: Phone) -> None:
    for query in ("?seat=2", "?seat=keeper", ""):
        etag = phone.get(f"/slate{query}").headers["ETag"]
        again = phone.get(f"/slate{query}", headers={"If-None-Match": etag})

        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["Cache-Control"] == "no-store"
    phone.do(1, "deal")

    assert phone.get("/slate", headers={"If-None-Match": etag}).status_code == 200


def test_what_comes_packed_is_the_same_for_all_and_says_that_nothing_is_new(
    app: Flask, phone: Phone
) -> None:
    """A page of Tarok is 50 kB: 40 phones had a hotspot carry 2 MB at each tap, and now 0.2."""
    accept = {"Accept-Encoding": "gzip"}
    plain, first, second = (
        phone.get("/api/v1/stream?page=slate&seat=2", headers=more, buffered=False)
        for more in ({}, accept, accept)
    )
    streams = [cast("Iterator[bytes]", iter(one.response)) for one in (plain, first, second)]
    unpack = zlib.decompressobj(16 + zlib.MAX_WBITS)
    begun = [next(one) for one in streams]
    phone.do(1, "deal")
    told = [next(one) for one in streams]
    said = [unpack.decompress(one).decode() for one in (begun[1], told[1])]
    still = unpack.decompress(next(streams[1])).decode()
    for one in (plain, first, second):
        one.close()

    assert first.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert "event: page\n" in said[0]
    assert said[1] == told[0].decode()
    assert told[1] == told[2]
    assert len(told[1]) < len(told[0]) / 3
    assert still == "event: still\ndata: .\n\n"
