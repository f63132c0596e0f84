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
from kloplei.games.scoreboard import Line, Offer, Scoreboard
from kloplei.table.session import Session
from kloplei_panel import PanelSettings, controls, fragments
from kloplei_panel.controls import Control
from kloplei_panel.followers import MOST_READINGS, Follower
from kloplei_panel.fragments import Fragment, KeptHands, KeptPieces, Stencil, as_event, reading
from kloplei_panel.pages import slate
from kloplei_panel.reader import Reader
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
        odd = {"9", "250", "abc", "0", "", "03", "8"}
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


@pytest.fixture
def evening() -> dict[str, str]:
    """What the rights of this evening hang on, and until when they hold."""
    return {"seal": "tonight"}


@pytest.fixture
def locked(table: Session, evening: dict[str, str]) -> Iterator[Phone]:
    """A phone at a locked box of which the stream is looked at."""
    settings = PanelSettings(
        locked=True, pin=PIN, read_seal=lambda: evening["seal"], keepalive_s=30.0
    )
    phone = Phone(build(table, settings).test_client())
    yield phone
    phone.client.application.extensions["kloplei"].feed.close()


def follow(phone: Phone, query: str = "?page=slate&seat=2") -> Iterator[str]:
    """Yield what the stream of *phone* tells, event by event."""
    response = phone.get(f"/api/v1/stream{query}", buffered=False)
    for told in cast("Iterator[bytes]", iter(response.response)):
        yield told.decode()


def page_in(told: str) -> str | None:
    """Return the page that comes with what the stream *told*."""
    events = [one for one in told.split("\n\n") if one.startswith("event: page")]
    return text_of(events[0]) if events else None


def keep(table: Session, phone: Phone, query: str = "?seat=2") -> Iterator[str]:
    """Let *phone* keep the slate, and follow."""
    phone.client.post("/settings/pair", data={"pin": PIN})
    return follow(phone, f"?page=slate&{query[1:]}")


@pytest.mark.parametrize("query", ["?seat=2", "?seat=keeper", "?seat=6"])
def test_who_has_a_right_gets_with_the_stream_what_a_request_would_bring(
    table: Session, locked: Phone, query: str
) -> None:
    told = keep(table, locked, query)
    first, asked = page_in(next(told)), locked.get(f"/slate{query}").text
    table.submit(Seat(0), "deal")
    then = page_in(next(told))

    assert first == asked
    assert then == locked.get(f"/slate{query}").text
    assert then != first


def test_a_right_that_has_ended_brings_no_page_any_more(
    table: Session, locked: Phone, evening: dict[str, str]
) -> None:
    told = keep(table, locked)
    first = page_in(next(told))
    evening["seal"] = "tomorrow"
    table.submit(Seat(0), "deal")
    then = page_in(next(told))

    assert first is not None and then is not None
    assert 'name="action"' in first
    assert 'name="action"' not in then
    assert then == locked.get("/slate?seat=2").text


def test_a_phone_that_waits_at_the_door_asks_for_its_page_itself(
    table: Session, locked: Phone
) -> None:
    """With its own request alone it can take what was granted to it."""
    locked.client.post("/door/ask", data={"seat": "2"})
    told = follow(locked)

    assert page_in(next(told)) is None
    table.submit(Seat(0), "deal")
    assert page_in(next(told)) is None


def test_a_right_that_went_along_with_its_person_is_fetched(table: Session, locked: Phone) -> None:
    """The cookie that says so comes with an answer of its own."""
    with locked.client.session_transaction() as session, locked.client.application.app_context():
        pairing = locked.client.application.extensions["kloplei"].pairing
        mark = pairing._mark()
        until = int(time.time()) + 3600
        session.update(may=2, until=until, mark=mark, who=NAMES[1])
    told = follow(locked)
    first = page_in(next(told))
    table.submit(Seat(1), "swap", facts={"of": Seat(2)})

    assert first is not None and 'id="door"' not in first
    assert page_in(next(told)) is None
    assert 'data-seat="3"' in locked.get("/slate?seat=2").text


def test_how_small_it_gets_tells_nothing_of_what_hangs_on_a_cookie(
    table: Session, locked: Phone
) -> None:
    locked.headers["Accept-Encoding"] = "gzip"
    viewer = locked.get("/api/v1/stream?page=slate", buffered=False)
    locked.client.post("/settings/pair", data={"pin": PIN})
    paired = locked.get("/api/v1/stream?page=slate", buffered=False)
    viewer.close()
    paired.close()

    assert viewer.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in paired.headers


def test_the_log_is_asked_for_once_a_change_however_many_keep_the_slate(
    table: Session, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    log = Session.log

    def note(session: Session, limit: int = 50) -> Any:
        asked.append(limit)
        return log(session, limit)

    monkeypatch.setattr(Session, "log", note)
    keepers = [follow(Phone(app.test_client()), "?page=slate&seat=keeper") for _ in range(3)]
    begun = [page_in(next(one)) for one in keepers]
    table.submit(Seat(0), "deal")
    told = [page_in(next(one)) for one in keepers]
    app.extensions["kloplei"].feed.close()

    assert len(asked) == 2
    assert None not in (*begun, *told)
    assert len({*told}) == 1


def test_a_new_name_comes_to_all_who_follow_though_no_entry_was_written(
    table: Session, app: Flask
) -> None:
    table.submit(Seat(3), "recognise", facts={"remember": True})
    stan = table.scoreboard().rows[3].person or 0
    phone = Phone(app.test_client())
    follower = follow(Phone(app.test_client()), "?page=slate&seat=keeper")
    begun, asked = page_in(next(follower)), phone.get("/slate?seat=2")

    table.people.rename(stan, "Stanislaus")
    told = page_in(next(follower))
    phone.headers["If-None-Match"] = asked.headers["ETag"]
    again = phone.get("/slate?seat=2")
    app.extensions["kloplei"].feed.close()

    assert "Stan sits at seat 4" in (begun or "")  # says the log
    assert "Stan sits at seat 4" not in (told or "")
    assert "Stanislaus sits at seat 4" in (told or "")
    assert (again.status_code, "Stanislaus" in again.text) == (200, True)


@pytest.mark.parametrize(("page", "path"), [("tv", "/tv/slate"), ("demo", "/demo/table")])
def test_large_screen_and_table_top_come_with_the_stream_as_well(
    table: Session, demo_phone: Phone, page: str, path: str
) -> None:
    told = follow(demo_phone, f"?page={page}")
    first, asked = page_in(next(told)), demo_phone.get(path).text
    table.submit(Seat(0), "deal")
    then = page_in(next(told))
    demo_phone.client.application.extensions["kloplei"].feed.close()

    assert first == asked
    assert then == demo_phone.get(path).text


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("?page=slate&seat=2", ["page", "scoreboard"]),
        ("?page=slate&seat=keeper", ["page", "scoreboard"]),
        ("?page=tv", ["page", "scoreboard"]),
        ("?page=demo", ["scoreboard"]),
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


A, B, C = map(Seat, range(3))
Step = tuple[Seat | None, str, dict[str, object]]
DEAL: Step = (None, "deal", {})
REOPEN: Step = (None, "reopen", {"hand": 1})
HAND: tuple[Step, ...] = (
    (A, "declare", {"what": "cavalry_half", "suit": "H"}),
    (B, "declare", {"what": "taroks", "count": 11, "pagat": True}),
    (C, "fate", {"what": "king_lost"}),
    (B, "rename", {"name": "Truus & Co"}),
    (B, "last_trick", {}),
    (B, "last_card", {"card": "pagat"}),
    (None, "take_back", {"entry": 1}),
    (A, "points", {"points": 20}),
    (B, "points", {"points": 35}),
    (None, "book", {}),
)
READ_BY = ("?seat=1&lang=da", "?seat=keeper&sheet=steps")


def forget(app: Flask) -> None:
    """Forget all that *app* has drawn."""
    app.extensions["kloplei"].drawn.clear()
    controls._kept.clear()
    cast("KeptPieces", app.jinja_env.globals["kept"])._kept.cache_clear()
    cast("KeptHands", app.jinja_env.globals["kept_hand"])._kept.clear()


def test_a_page_at_a_change_is_the_one_that_nothing_was_drawn_before() -> None:
    with tarok_at() as table:
        app = build(table, PanelSettings())
        phone = app.test_client(use_cookies=False)
        steps: tuple[Step, ...] = (DEAL, *HAND, (B, "rename", {"name": "Bo"}), REOPEN)
        for seat, action, facts in steps:
            table.submit(seat, action, facts=facts)
            if action in ("fate", "last_trick", "last_card", "points"):
                continue

            told = [phone.get(f"/slate{place}").text for place in READ_BY]
            forget(app)

            assert told == [phone.get(f"/slate{place}").text for place in READ_BY], action


def test_at_a_change_only_what_is_new_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty offers and the ledger of the whole evening were put together anew at each change."""
    told: list[str] = []
    tell, make = Reader.tell, controls._control

    def count_told(who: Reader, line: Line, board: Scoreboard) -> str:
        told.append(line.key)
        return tell(who, line, board)

    def count_made(offer: Offer, *more: Any) -> Control:
        told.append(offer.action)
        return make(offer, *more)

    monkeypatch.setattr(Reader, "tell", count_told)
    monkeypatch.setattr(controls, "_control", count_made)
    with tarok_at() as table:
        phone = build(table, PanelSettings()).test_client(use_cookies=False)
        for seat, action, facts in (DEAL, *HAND, DEAL):
            table.submit(seat, action, facts=facts)
            phone.get("/slate?seat=1")
        table.submit(*HAND[0][:2], facts=HAND[0][2])
        told.clear()
        phone.get("/slate?seat=1")

    assert told.count("ledger.ante") == 1  # of the running hand
    assert len(told) <= 12


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


def test_a_kind_of_sheet_that_there_is_not_is_drawn_as_none(app: Flask, phone: Phone) -> None:
    """Some hundred of them took the room of what others read of that board."""
    phone.get("/slate?seat=2&sheet=none")
    parts = app.extensions["kloplei"].drawn["parts"]
    before = len(parts._kept)

    phone.get("/slate?seat=2&sheet=nothing")

    assert len(parts._kept) == before


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


def test_who_has_the_newest_page_is_told_so_without_asking_the_table(
    table: Session, phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Scoreboard] = []
    scoreboard = Session.scoreboard

    def note(session: Session) -> Scoreboard:
        asked.append(scoreboard(session))
        return asked[-1]

    told = follow(phone)
    etag = phone.get("/slate?seat=2").headers["ETag"]
    next(told)
    table.submit(Seat(0), "deal")
    next(told)
    monkeypatch.setattr(Session, "scoreboard", note)
    newer = phone.get("/slate?seat=2", headers={"If-None-Match": etag})
    again = phone.get("/slate?seat=2", headers={"If-None-Match": newer.headers["ETag"]})

    assert (newer.status_code, again.status_code, asked) == (200, 304, [])
    # What a phone did itself it sees in whatever it reads next.
    seq = phone.do(2, "knock")
    seen = phone.get("/slate?seat=2", headers={"If-None-Match": newer.headers["ETag"]})
    assert f'data-seq="{seq}"' in seen.text
    assert asked
    phone.client.application.extensions["kloplei"].feed.close()


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
    refused = phone.get("/api/v1/stream?page=slate&packed=no", headers=accept, buffered=False)
    refused.close()
    assert "Content-Encoding" not in refused.headers
