"""The broadcaster: what one phone is told, and how it tells all of them from one thread."""

import http.client
import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.session import Session
from kloplei_panel import PanelSettings
from kloplei_panel.broadcast import Broadcaster, LiveStream, StreamConnection, StreamEvent
from kloplei_panel.context import Feed
from kloplei_panel.followers import Follower
from kloplei_panel.server import CountingChannel, Server
from tests.panel.conftest import build
from tests.until import PATIENCE_S, until

HOST = "127.0.0.1"
ASKED = b"GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def still_app(table: Session) -> Flask:
    """A panel that says nothing while nothing happens."""
    return build(table, PanelSettings(clients=40, keepalive_s=60))


@pytest.fixture
def server(still_app: Flask) -> Iterator[Server]:
    with Server(still_app, HOST, 0, clients=40) as server:
        yield server


@pytest.fixture
def feed(still_app: Flask) -> Feed:
    return still_app.extensions["kloplei"].feed  # type: ignore[no-any-return]


def follow(server: Server, opened: ExitStack, asked: bytes = ASKED) -> socket.socket:
    """Return a phone that has been told the first scoreboard, and reads nothing else yet."""
    phone = opened.enter_context(socket.create_connection((HOST, server.port), PATIENCE_S))
    phone.sendall(asked)
    said = b""
    while b"event: scoreboard" not in said:
        said += phone.recv(1)
    return phone


class Wire:
    """The socket of a phone that takes so many bytes at once."""

    def __init__(self, *takes: int) -> None:
        self.takes = list(takes)
        self.taken = b""

    def send(self, told: bytes) -> int:
        if not self.takes:
            raise BlockingIOError
        most = self.takes.pop(0)
        self.taken += bytes(told[:most])
        return min(most, len(told))


def line(wire: object, **more: Any) -> StreamConnection:
    return StreamConnection(*unheard(wire), **more)


def unheard(wire: object) -> Any:
    """Return *wire* and a stream of which nothing is asked."""
    return wire, SimpleNamespace(
        place=None,
        render=None,
        reads=None,
        first=None,
        keep_alive=None,
        is_packed=False,
        is_drawn=False,
    )


def event(text: str) -> StreamEvent:
    return StreamEvent(text.encode(), text.encode())


def test_who_is_slow_skips_what_came_meanwhile_and_nothing_is_torn() -> None:
    wire = Wire(2, 3)
    phone = line(wire)

    for text in ("first", "second", "third"):
        phone.send(event(text))
    first = (wire.taken, phone.has_unsent)
    wire.takes = [100, 2, 100]
    phone.flush()

    assert first == (b"fi", True)
    assert (wire.taken, phone.has_unsent) == (b"firstth", True)
    phone.flush()
    assert (wire.taken, phone.has_unsent) == (b"firstthird", False)


def test_what_was_left_of_the_answers_goes_before_all_news() -> None:
    wire = Wire()
    phone = line(wire, unsent=b"begun, ")

    phone.send(event("news"))
    wire.takes = [100, 100]
    phone.flush()

    assert wire.taken == b"begun, news"


def test_an_answer_of_unknown_length_comes_in_chunks_only_to_who_takes_them() -> None:
    told = StreamEvent.of("é\n\n")
    modern, old = Wire(100), Wire(100)

    line(modern).send(told)
    line(old, is_chunked=False).send(told)

    assert modern.taken == b"4\r\n\xc3\xa9\n\n\r\n"
    assert old.taken == b"\xc3\xa9\n\n"


class Underway(StreamConnection):
    """A phone of whom the kernel says how much it has not read."""

    unread = 0

    @property
    def unread_bytes(self) -> int:
        return self.unread


def test_a_phone_that_vanished_or_reads_nothing_is_noticed_in_half_a_minute() -> None:
    keep_alive_s = 10
    vanished, slow, reading = (Underway(*unheard(Wire())) for _ in range(3))
    gone_s = 0

    for second in range(60):
        if second % keep_alive_s == 0:
            vanished.unread += 19
            slow.unread += 1000
        slow.unread = max(0, slow.unread - 90)  # as a bad Wi-Fi takes it
        stays = [one.check(float(second)) for one in (vanished, slow, reading)]
        gone_s = gone_s or second * (not stays[0])
        assert vanished.is_stuck or second < 6
        assert stays[1:] == [True, True]

    assert 0 < gone_s + keep_alive_s <= 30
    assert reading.is_sure
    assert not vanished.is_sure


def test_who_said_that_it_asks_no_more_is_not_followed_forever() -> None:
    phone = Underway(*unheard(Wire()), has_asked_all=True)
    now_s = time.monotonic()

    assert phone.check(now_s)
    assert not phone.is_sure
    assert not phone.check(now_s + 21)


def test_no_phone_that_follows_holds_a_thread(server: Server, opened: ExitStack) -> None:
    """500 of them held 522, and 140 MB."""
    before = threading.active_count()

    for _ in range(30):
        follow(server, opened)

    assert threading.active_count() == before + 1  # who hears the table


def test_a_change_reaches_all_and_is_written_once(
    server: Server, table: Session, opened: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    phones = [follow(server, opened) for _ in range(10)]
    until(lambda: len(server._broadcaster) == 10)
    written: list[str] = []
    of = StreamEvent.of

    def write(text: str, **how: bool) -> StreamEvent:
        written.append(text)
        return of(text, **how)

    monkeypatch.setattr(StreamEvent, "of", write)

    seq = table.submit(Seat(0), "rename", facts={"name": "Wim"})

    for phone in phones:
        heard = b""
        while not heard.endswith(b"\n\n\r\n") or b"id: %d\n" % seq not in heard:
            more = phone.recv(1 << 16)
            assert more
            heard += more
        assert b"Wim" in heard
    assert len(written) == 1


def test_a_phone_that_hangs_up_frees_its_place_though_nothing_happens(
    server: Server, feed: Feed
) -> None:
    """The places of 500 were taken for ten seconds, and newcomers were sent away."""
    with ExitStack() as opened:
        for _ in range(30):
            follow(server, opened)
        assert feed.watching == 30

    until(lambda: not feed.watching)
    assert len(server._broadcaster) == 0


def test_a_phone_whose_place_goes_to_another_is_remove(
    server: Server, feed: Feed, opened: ExitStack
) -> None:
    phone = follow(server, opened)
    until(lambda: len(server._broadcaster) == 1)
    place = next(iter(feed._places._taken))

    place.end()

    while phone.recv(1 << 16):
        pass
    assert phone.recv(1) == b""
    until(lambda: not feed.watching)


def test_a_phone_that_does_not_read_piles_up_nothing_and_costs_nobody_else(
    server: Server, table: Session, opened: ExitStack
) -> None:
    """Ten of them once cost 25 MB in 1500 changes, with no end in sight."""
    deaf = opened.enter_context(socket.socket())
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    deaf.connect((HOST, server.port))
    deaf.sendall(ASKED)
    phone = follow(server, opened)
    until(lambda: len(server._broadcaster) == 2)
    for number in range(300):
        seq = table.submit(Seat(0), "rename", facts={"name": f"Wim {number}"})
    heard = b""
    while b"\nid: %d\n" % seq not in heard:
        heard = heard[-20:] + phone.recv(1 << 16)
    piled = max(len(one._unsent) for one in server._broadcaster._phones.values())
    unread = max(one.unread_bytes for one in server._broadcaster._phones.values())

    assert piled < 100_000
    assert unread < 400_000
    # What it reads at last are whole events.
    deaf.settimeout(0.2)
    said = b""
    while b"\nid: %d\n" % seq not in said:
        said += deaf.recv(1 << 16)
    chunks = said.partition(b"\r\n\r\n")[2]
    while b"\r\n" in chunks:
        size, _, rest = chunks.partition(b"\r\n")
        event, chunks = rest[: int(size, 16)].decode(), rest[int(size, 16) + 2 :]
        if len(event) == int(size, 16):
            *_, data = event.rstrip().split("\n")
            assert json.loads(data.removeprefix("data: "))["seq"]


def test_an_old_browser_gets_its_stream_without_chunks(server: Server, opened: ExitStack) -> None:
    phone = opened.enter_context(socket.create_connection((HOST, server.port), PATIENCE_S))
    phone.sendall(b"GET /api/v1/stream HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
    heard = b""
    while b"\n\n" not in heard:
        heard += phone.recv(1 << 16)

    assert heard.partition(b"\r\n\r\n")[2].startswith(b"retry: ")


def test_who_asks_on_behind_a_stream_is_told_nothing_in_the_middle_of_it(
    server: Server, feed: Feed, opened: ExitStack
) -> None:
    phone = opened.enter_context(socket.create_connection((HOST, server.port), PATIENCE_S))
    phone.sendall(ASKED + b"GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 3)
    said = b""
    while b"event: scoreboard" not in said:
        said += phone.recv(1 << 16)
    until(lambda: len(server._broadcaster) == 1)
    server.close()
    while more := phone.recv(1 << 16):
        said += more

    assert said.count(b"HTTP/1.1 ") == 1
    assert not feed.watching


def test_who_goes_on_sending_behind_a_stream_is_remove(
    server: Server, feed: Feed, opened: ExitStack
) -> None:
    """Nobody reads it: the kernel kept a megabyte of it for each, and for as long as they liked."""
    talker, listener = (follow(server, opened) for _ in range(2))
    until(lambda: len(server._broadcaster) == 2)

    talker.sendall(b"x")

    until(lambda: len(server._broadcaster) == 1)
    assert feed.watching == 1
    listener.setblocking(False)
    with suppress(BlockingIOError):
        assert listener.recv(1 << 16)


def test_phones_come_back_one_by_one(server: Server, opened: ExitStack) -> None:
    told = set()
    for _ in range(5):
        phone = http.client.HTTPConnection(HOST, server.port, timeout=PATIENCE_S)
        opened.callback(phone.close)
        phone.request("GET", "/api/v1/stream")
        told.add(phone.getresponse().readline())

    assert len(told) == 5
    assert all(1000 <= int(one.removeprefix(b"retry: ")) < 3000 for one in told)


class StillFeed(Feed):
    """A feed that says what the test lets it say."""

    said: tuple[Scoreboard | None, bool] = (None, False)

    @property
    def newest(self) -> tuple[Scoreboard | None, bool]:
        return self.said


@pytest.fixture
def still_feed(table: Session) -> StillFeed:
    return StillFeed(table, 40, 60.0)


def as_figures(board: Scoreboard, _: object = None) -> str:
    return f"{board.seq} {board.stake}\n"


def arrive(
    broadcaster: Broadcaster,
    feed: Feed,
    first: Scoreboard,
    opened: ExitStack,
    tell: Callable[[Scoreboard, Any], str] = as_figures,
    reads: Callable[[Scoreboard], Hashable] | None = None,
) -> socket.socket:
    """Return the phone of a line that was told *first*, and has come to *broadcaster*."""
    ours, phone = (opened.enter_context(one) for one in socket.socketpair())
    ours.setblocking(False)
    phone.settimeout(PATIENCE_S)
    place = Follower("192.168.1.7", has_right=False)
    stream = LiveStream(feed, place, first, tell, reads)
    broadcaster.add(StreamConnection(ours, stream, is_chunked=False))
    return phone


def test_a_newcomer_is_told_what_it_does_not_know_yet_and_nothing_older(
    table: Session, still_feed: StillFeed, opened: ExitStack
) -> None:
    """What stood there when it asked may be newer than what the feed has heard."""
    board = replace(table.scoreboard(), seq=7)
    broadcaster = Broadcaster(still_feed, 60.0)
    still_feed.said = (replace(board, seq=8, stake=1), False)
    behind = arrive(broadcaster, still_feed, board, opened)
    ahead = arrive(broadcaster, still_feed, replace(board, seq=9, stake=2), opened)
    even = arrive(broadcaster, still_feed, replace(board, seq=8, stake=1), opened)
    broadcaster._loop_once()

    still_feed.said = (replace(board, seq=9, stake=2), False)
    broadcaster._loop_once()
    still_feed.said = (replace(board, seq=9, stake=3), False)
    broadcaster._loop_once()
    broadcaster.close()

    assert behind.recv(100) == b"8 1\n9 2\n9 3\n"
    assert even.recv(100) == b"9 2\n9 3\n"
    assert ahead.recv(100) == b"9 3\n"


def test_who_is_closed_before_the_broadcaster_looks_costs_nobody_else(
    table: Session, still_feed: StillFeed, opened: ExitStack
) -> None:
    broadcaster = Broadcaster(still_feed, 60.0)
    board = replace(table.scoreboard(), seq=7)
    arrive(broadcaster, still_feed, board, opened)
    broadcaster._added[-1].socket.close()
    stays = arrive(broadcaster, still_feed, board, opened)
    still_feed.said = (replace(board, seq=8, stake=1), False)

    broadcaster._loop_once()

    assert len(broadcaster) == 1
    assert stays.recv(100) == b"8 1\n"
    broadcaster.close()


def test_who_hangs_up_while_all_are_told_costs_nobody_else(
    table: Session, still_feed: StillFeed, opened: ExitStack
) -> None:
    """The broadcaster looked after whom it had just let go of, and for that let go of all."""
    broadcaster = Broadcaster(still_feed, 60.0)
    board = replace(table.scoreboard(), seq=7)
    hung_up = arrive(broadcaster, still_feed, board, opened)
    stays = arrive(broadcaster, still_feed, board, opened)
    broadcaster._loop_once()
    hung_up.close()
    still_feed.said = (replace(board, seq=8, stake=1), False)

    broadcaster._send_news(0.0)
    broadcaster._check_unsure(time.monotonic() + 2.0)

    assert len(broadcaster) == 1
    assert stays.recv(100) == b"8 1\n"
    broadcaster.close()


def test_what_was_handed_to_the_broadcaster_is_not_closed_by_the_loop_that_handed_it() -> None:
    """One look told of room to write and of a phone that hung up; all who followed froze."""
    ours, theirs = socket.socketpair()
    added: list[StreamConnection] = []
    channel = CountingChannel.__new__(CountingChannel)
    channel.__dict__ |= {
        "broadcaster": SimpleNamespace(add=added.append),
        "socket": ours,
        "stream": unheard(ours)[1],
        "requests": [],
        "outbufs": [],
        "outbuf_lock": threading.Lock(),
        "del_channel": lambda: None,
        "will_close": False,
        "connected": True,
    }
    channel.close_when_flushed = True

    channel.handle_write()
    channel.handle_close()

    with ours, theirs:
        assert [one.socket for one in added] == [ours]
        assert ours.fileno() >= 0


def test_a_page_that_cannot_be_drawn_costs_only_who_reads_it(
    table: Session, still_feed: StillFeed, opened: ExitStack, caplog: pytest.LogCaptureFixture
) -> None:
    """It cost all who follow, again and again, since its readers come back by themselves."""
    broadcaster = Broadcaster(still_feed, 60.0)
    board = replace(table.scoreboard(), seq=7)
    refused = [
        arrive(broadcaster, still_feed, board, opened, lambda *_: str(1 // 0), lambda _: 1)
        for _ in range(2)
    ]
    told = arrive(broadcaster, still_feed, board, opened)
    still_feed.said = (replace(board, seq=8, stake=1), False)

    with caplog.at_level(logging.ERROR):
        broadcaster._loop_once()

    assert told.recv(100) == b"8 1\n"
    assert [one.recv(100) for one in refused] == [b"", b""]
    assert len(broadcaster) == 1
    assert "cannot be told" in caplog.text
    broadcaster.close()


def test_who_reads_no_drawing_waits_for_none(
    table: Session, still_feed: StillFeed, opened: ExitStack
) -> None:
    """One household that read fifty different pages held up all others at each change."""
    broadcaster = Broadcaster(still_feed, 60.0)
    board = replace(table.scoreboard(), seq=7)
    heard_before: list[bytes] = []

    def draw(board: Scoreboard, _: object) -> str:
        heard_before.append(plain.recv(100))
        return f"page {board.seq}\n"

    page = arrive(broadcaster, still_feed, board, opened, draw, lambda _: "page")
    plain = arrive(broadcaster, still_feed, board, opened)
    plain.setblocking(False)
    still_feed.said = (replace(board, seq=8, stake=1), False)

    broadcaster._loop_once()

    assert heard_before == [b"8 1\n"]
    assert page.recv(100) == b"page 8\n"
    broadcaster.close()


def test_a_broadcaster_that_stumbles_lets_go_of_all_and_goes_on(
    table: Session,
    still_feed: StillFeed,
    opened: ExitStack,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    broadcaster = Broadcaster(still_feed, 60.0)
    look = broadcaster._check_unsure
    monkeypatch.setattr(broadcaster, "_check_unsure", lambda _now_s: 1 / 0)
    broadcaster.start()
    gone = arrive(broadcaster, still_feed, table.scoreboard(), opened)
    with caplog.at_level(logging.ERROR):
        assert gone.recv(100) == b""
    monkeypatch.setattr(broadcaster, "_check_unsure", look)
    still_feed.said = (replace(table.scoreboard(), seq=99), False)
    told = arrive(broadcaster, still_feed, table.scoreboard(), opened)

    assert told.recv(100).startswith(b"99 ")
    assert broadcaster.is_alive
    assert "lets go of all who follow" in caplog.text
    broadcaster.close()
