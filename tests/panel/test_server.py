"""The panel's own server: streams, a port that is taken, an orderly end.

Phones that ask nothing, or without end, leave room for those that ask.
"""

import errno
import http.client
import json
import logging
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask

from benchmarks.race.pages import first_load
from kloplei.games.game import Seat
from kloplei.table.session import Session
from kloplei.words.catalogue import LANGUAGES
from kloplei_hub.servers import free_port
from kloplei_panel import PanelSettings
from kloplei_panel import server as listening_sockets
from kloplei_panel.reader import own_words
from kloplei_panel.server import LOOK_S, CannotListen, Connections, CountingChannel, Server
from tests.panel.conftest import build
from tests.until import PATIENCE_S, until

HOST = "127.0.0.1"
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def server(app: Flask) -> Iterator[Server]:
    with Server(app, HOST, 0, clients=3) as server:
        yield server


def call(
    port: int, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(HOST, port, timeout=PATIENCE_S)
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    answer = response.status, response.read()
    connection.close()
    return answer


def test_a_first_look_is_reckoned_as_the_server_writes_it(server: Server, app: Flask) -> None:
    """Heads are no small part of it: six hundred bytes for each file."""
    page = "/?seat=1"
    ask = f"GET {page} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip, deflate\r\n"
    with socket.create_connection((HOST, server.port), PATIENCE_S) as phone:
        phone.sendall(f"{ask}Accept-Language: nl\r\n\r\n".encode())
        phone.shutdown(socket.SHUT_WR)
        with phone.makefile("rb") as answer:
            written = answer.read()

    assert len(written) == first_load(app.test_client(), page)[page]


@contextmanager
def listening(port: int, phones: int = 1) -> Iterator[list[http.client.HTTPResponse]]:
    """So many phones that have read the first bytes of their stream."""
    connections = [
        http.client.HTTPConnection(HOST, port, timeout=PATIENCE_S) for _ in range(phones)
    ]
    try:
        for connection in connections:
            connection.request("GET", "/api/v1/stream")
        responses = [connection.getresponse() for connection in connections]
        for response in responses:
            assert response.status == 200
            response.read(10)
        yield responses
    finally:
        for connection in connections:
            connection.close()


def test_pages_are_answered_while_every_stream_is_taken(server: Server) -> None:
    with listening(server.port, phones=3):
        status, body = call(server.port, "GET", "/api/v1/stream")
        page, _ = call(server.port, "GET", "/")

    assert (status, json.loads(body)["error"]) == (503, "too_many_streams")
    assert page == 200


def test_a_phone_that_has_gone_gives_its_place_back(server: Server, app: Flask) -> None:
    with listening(server.port, phones=3):
        pass

    # The keep-alive comments find out that nobody reads them any more.
    feed = app.extensions["kloplei"].feed
    until(lambda: not feed.watching)


def test_a_phone_that_hangs_up_is_missed_at_the_next_news(table: Session) -> None:
    """A closed connection takes the first words without complaint; it once took two to tell."""
    app = build(table, PanelSettings(clients=3, keepalive_s=60))
    with Server(app, HOST, 0, clients=3) as server:
        with listening(server.port, phones=3):
            pass
        feed = app.extensions["kloplei"].feed
        deadline = time.monotonic() + PATIENCE_S
        number = 0
        while feed.watching and time.monotonic() < deadline:
            assert call(server.port, "GET", "/api/v1/health")[0] == 200  # it has come round
            number += 1
            if number == 2:
                table.submit(Seat(0), "rename", facts={"name": "Wim"})

        assert feed.watching == 0


def test_what_the_server_itself_refuses_has_the_shape_of_our_errors(server: Server) -> None:
    for sent, status in (
        (b"POST /act HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n", b"413"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nCookie: " + b"x" * 20_000 + b"\r\n\r\n", b"431"),
        (b"BROKEN\r\n\r\n", b"400"),
    ):
        with socket.create_connection((HOST, server.port), timeout=PATIENCE_S) as raw:
            raw.sendall(sent)
            head, _, body = b"".join(iter(lambda: raw.recv(4096), b"")).partition(b"\r\n\r\n")

        assert head.split()[1] == status
        assert set(json.loads(body)) == {"error", "message"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_server_itself_refuses_is_told_in_the_words_of_who_asks(
    server: Server, language: str
) -> None:
    """A recording that was too large for the caller brought "Request Entity Too Large."."""
    large = b" HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\nAccept-Language: "
    words = own_words(language)

    for path, accept, kind, told in (
        (b"/act", b"*/*", b"application/json", words.say("error.too_large")),
        (b"/voice/keep", b"text/html,*/*;q=0.8", b"text/plain", words.say("voice.long")),
    ):
        with socket.create_connection((HOST, server.port), timeout=PATIENCE_S) as raw:
            raw.sendall(b"POST " + path + large + language.encode())
            raw.sendall(b"\r\nAccept: " + accept + b"\r\n\r\n")
            head, _, body = b"".join(iter(lambda: raw.recv(4096), b"")).partition(b"\r\n\r\n")

        assert b"Content-Type: " + kind in head
        assert (json.loads(body)["message"] if b"json" in kind else body.decode()) == told


@pytest.mark.parametrize("address", [b"http://[::1/", b"http://[", b"http://x]/"])
def test_an_address_that_cannot_be_taken_apart_fills_no_log(
    server: Server, address: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_connection((HOST, server.port), timeout=PATIENCE_S) as raw:
        raw.sendall(b"GET " + address + b" HTTP/1.1\r\nHost: x\r\n\r\n")

        assert raw.recv(4096) == b""

    assert not caplog.records
    assert call(server.port, "GET", "/api/v1/health")[0] == 200


UNREADABLE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nX: \0\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: \xb2\r\n\r\n",
    b"BROKEN\0\r\n\r\n",
)


def said(port: int, asked: bytes) -> bytes:
    """Return all that comes of a phone that has *asked*, and says that it asks no more."""
    with socket.create_connection((HOST, port), timeout=PATIENCE_S) as raw:
        raw.sendall(asked)
        raw.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: raw.recv(4096), b""))


@pytest.mark.parametrize("asked", UNREADABLE)
def test_what_cannot_be_read_fills_no_log_whoever_hangs_up(
    server: Server, asked: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """A NUL in a header and a phone that hangs up once wrote 250 MB an hour."""
    for _ in range(100):
        assert said(server.port, asked).split()[1] == b"400"
        with socket.create_connection((HOST, server.port), timeout=PATIENCE_S) as raw:
            raw.sendall(asked)

    assert call(server.port, "GET", "/api/v1/health")[0] == 200
    assert not [one for one in caplog.records if one.levelno > logging.INFO]


def test_who_says_that_it_asks_no_more_gets_its_answers(server: Server) -> None:
    asked = b"GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

    for times in (1, 2, 10):
        for _ in range(20):
            assert said(server.port, asked * times).count(b"HTTP/1.1 200 OK") == times


def test_a_slow_answer_waits_for_who_asks_no_more(app: Flask) -> None:
    released = threading.Event()
    app.add_url_rule("/slow", view_func=lambda: str(released.wait(PATIENCE_S)))
    with (
        Server(app, HOST, 0, clients=1) as server,
        socket.create_connection((HOST, server.port), timeout=PATIENCE_S) as raw,
    ):
        raw.sendall(b"GET /slow HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        raw.shutdown(socket.SHUT_WR)
        call(server.port, "GET", "/api/v1/health")  # it has come round since
        call(server.port, "GET", "/api/v1/health")
        released.set()

        assert b"".join(iter(lambda: raw.recv(4096), b"")).endswith(b"True")


def test_requests_that_wait_for_a_thread_fill_no_log(
    app: Flask, caplog: pytest.LogCaptureFixture
) -> None:
    released = threading.Event()
    app.add_url_rule("/slow", view_func=lambda: str(released.wait(PATIENCE_S)))
    with Server(app, HOST, 0, clients=1) as server, ExitStack() as closing:
        phones = [
            closing.enter_context(socket.create_connection((HOST, server.port), PATIENCE_S))
            for _ in range(20)  # and 9 threads
        ]
        for phone in phones:
            phone.sendall(b"GET /slow HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        queue = server._listener.task_dispatcher.queue
        until(lambda: queue)
        released.set()

        assert all(phone.recv(4096).startswith(b"HTTP/1.1 200") for phone in phones)

    assert not caplog.records


def test_files_wait_for_no_page_that_waits_for_a_table_that_hangs(
    app: Flask, table: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()
    waiting = threading.Semaphore(0)
    look = table.scoreboard

    def hang() -> object:
        waiting.release()
        released.wait(PATIENCE_S)
        return look()

    monkeypatch.setattr(table, "scoreboard", hang)
    with Server(app, HOST, 0, clients=1) as server, ExitStack() as closing:
        closing.callback(released.set)
        for _ in range(20):  # and 9 threads
            phone = closing.enter_context(socket.create_connection((HOST, server.port), PATIENCE_S))
            phone.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        for _ in range(9):
            assert waiting.acquire(timeout=PATIENCE_S)

        assert [call(server.port, "GET", "/static/live.js")[0] for _ in range(20)] == [200] * 20

        assert not released.is_set()


@pytest.mark.parametrize("storm", ["/evenings/1/recap.png?lang=da", "/api/v1/statistics?since=9"])
def test_the_game_waits_for_nothing_that_is_read_of_old_evenings(
    app: Flask, monkeypatch: pytest.MonkeyPatch, storm: str
) -> None:
    """A hundred pictures take a hundred seconds on the smallest Pi, whoever asks for them."""
    released, reading = threading.Event(), threading.Semaphore(0)

    def read(**_: object) -> str:
        reading.release()
        return str(released.wait(PATIENCE_S))

    for endpoint in ("history.recap", "history_api.statistics"):
        monkeypatch.setitem(app.view_functions, endpoint, read)
    with Server(app, HOST, 0, clients=1) as server, ExitStack() as closing:
        closing.callback(released.set)
        for _ in range(30):
            phone = closing.enter_context(socket.create_connection((HOST, server.port), PATIENCE_S))
            phone.sendall(f"GET {storm} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        assert reading.acquire(timeout=PATIENCE_S)

        assert call(server.port, "GET", "/")[0] == 200
        assert call(server.port, "GET", "/static/live.js")[0] == 200
        assert not released.is_set()


def test_a_port_that_is_taken_is_told_with_the_next_step(server: Server, app: Flask) -> None:
    with pytest.raises(CannotListen) as caught:
        Server(app, HOST, server.port)

    assert f"Port {server.port}" in str(caught.value)
    assert f"--port {server.port + 1}" in str(caught.value)


@pytest.mark.parametrize("host", ["203.0.113.7", "no.such.host.invalid"])
def test_an_address_that_is_not_ours_is_told(app: Flask, host: str) -> None:
    with pytest.raises(CannotListen, match=host):
        Server(app, host, 0)


def test_every_network_is_served_by_ipv4_and_ipv6(app: Flask) -> None:
    with Server(app, "::", 0) as server:
        for address in ("127.0.0.1", "::1"):
            connection = http.client.HTTPConnection(address, server.port, timeout=PATIENCE_S)
            connection.request("GET", "/api/v1/health")
            assert connection.getresponse().status == 200
            connection.close()


def test_a_kernel_without_ipv6_serves_ipv4(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_ipv6(host: str, port: int, _bound: Any = listening_sockets._bound) -> Any:
        if host == "::":
            raise OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")
        return _bound(host, port)

    monkeypatch.setattr(listening_sockets, "_bound", without_ipv6)

    with Server(app, "::", 0) as server:
        assert call(server.port, "GET", "/api/v1/health")[0] == 200


def test_where_port_80_is_not_allowed_the_panel_does_without(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hotspot's addresses need not be there yet, nor need port 80 be ours."""

    def refuse(address: str) -> None:
        tried.append(address)

    tried: list[str] = []
    monkeypatch.setattr(listening_sockets, "_bound_ahead", refuse)

    with Server(app, HOST, 0, also=["10.75.76.1"]) as server:
        assert call(server.port, "GET", "/api/v1/health")[0] == 200

    assert tried == ["10.75.76.1"]


def test_closing_ends_the_streams_and_frees_the_port(
    app: Flask, caplog: pytest.LogCaptureFixture
) -> None:
    server = Server(app, HOST, free_port(), clients=3)
    server.start()
    with listening(server.port) as (stream,):
        server.close()  # a stream has no end to wait for: this comes back at all

        assert caplog.text == ""
        with suppress(http.client.IncompleteRead):
            stream.read()
    with Server(app, HOST, server.port) as again:
        assert again.port == server.port
    server.close()


def test_a_server_that_never_started_can_be_closed(app: Flask) -> None:
    server = Server(app, HOST, free_port())

    server.close()

    with Server(app, HOST, server.port) as again:
        assert again.port == server.port


def test_sigterm_ends_it_in_good_order() -> None:
    program = textwrap.dedent("""
        from tests.table.memory_journal import MemoryJournal
        from kloplei.systemd import wait_for_signal
        from kloplei.table.session import Session
        from kloplei_panel import PanelSettings, create_app
        from kloplei_panel import server
        start = server.Server.start
        def told(self):
            start(self)
            print(self.port, flush=True)
        server.Server.start = told
        with Session(MemoryJournal()) as session:
            app = create_app(session, settings=PanelSettings())
            with wait_for_signal() as wait, server.Server(app, "127.0.0.1", 0):
                wait()
        print("in good order", flush=True)
    """)
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    guard = threading.Timer(2 * PATIENCE_S, process.kill)
    guard.start()
    assert process.stdout is not None
    with listening(int(process.stdout.readline())):
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE_S)
    guard.cancel()

    assert (process.returncode, out.strip(), err) == (0, "in good order", "")


IDLE_S = 20.0
HALF_A_QUESTION = b"GET / HTTP/1.1\r\nHost: x\r\nX-"


class Channel(CountingChannel):
    """A connection without a socket."""

    unread = 0

    @property
    def unread_bytes(self) -> int:
        return self.unread

    def __init__(self) -> None:
        self.requests: list[object] = []
        self.total_outbufs_len = 0

    def hang_up(self) -> None:
        self.will_close = True


def connections(*channels: Channel, most: int = 100) -> Connections:
    others: list[object] = [SimpleNamespace()]  # the listener, and what wakes it
    sockets = dict(enumerate([*others, *channels]))
    return Connections(sockets, most, IDLE_S)


def test_who_asks_nothing_for_too_long_is_hung_up_on() -> None:
    silent, asking = Channel(), Channel()
    watch = connections(silent, asking)

    for second in range(int(IDLE_S)):
        watch.look(float(second))
        asking.served += second == 10
    before = silent.will_close
    watch.look(IDLE_S)

    assert (before, silent.will_close) == (False, True)
    assert not asking.will_close


def test_who_waits_for_an_answer_or_follows_is_no_idler() -> None:
    following, reading = Channel(), Channel()
    following.requests = ["stream"]
    reading.total_outbufs_len = 1000
    watch = connections(following, reading, most=2)

    for second in range(100):
        watch.look(float(second))

    assert not following.will_close
    assert not reading.will_close


def test_when_all_places_are_taken_the_idlest_goes() -> None:
    channels = [Channel() for _ in range(5)]
    watch = connections(*channels)
    watch.look(0.0)
    channels[0].served = 1
    watch.look(LOOK_S)
    watch._most = 5

    watch.look(LOOK_S)

    assert [one.will_close for one in channels] == [False, True, True, False, False]


def test_a_stream_that_has_begun_is_left_to_the_broadcaster_and_not_closed() -> None:
    """The loop was writing while a worker said that nothing follows: one phone in thousands."""
    following, reading = Channel(), Channel()
    following.stream = SimpleNamespace()  # type: ignore[assignment]

    for channel in (following, reading):
        channel.close_when_flushed = True

    assert (following.close_when_flushed, following.leaves) == (False, True)
    assert (reading.close_when_flushed, reading.leaves) == (True, False)
    assert following.writable()
    assert not following.readable()


def test_who_asks_no_more_waits_no_longer_than_others() -> None:
    channel = Channel()
    channel.requests, channel.has_asked_all = ["stream"], True
    watch = connections(channel)

    watch.look(0.0)
    watch.look(IDLE_S)

    assert channel.will_close


def test_who_reads_at_an_answer_for_longest_goes_once_nobody_is_idle() -> None:
    """Three hundred that asked for fonts and read nothing once let nobody else in."""
    channels = [Channel() for _ in range(4)]
    watch = connections(*channels)
    for at, one in enumerate(channels):
        one.unread = one.total_outbufs_len = 100_000
        watch.look(10.0 + at)
    channels[0].unread = 0  # it has had all of it by now, and waits for more
    watch.look(14.0)
    watch._most = 5

    watch.look(15.0)

    assert [one.will_close for one in channels] == [False, True, False, False]


def test_who_reads_nothing_of_an_answer_is_hung_up_on_as_well() -> None:
    silent = Channel()
    silent.unread = silent.total_outbufs_len = 100_000
    watch = connections(silent)

    for second in range(14):
        watch.look(float(second))
    before = silent.will_close
    watch.look(15.0)

    assert (before, silent.will_close) == (False, True)


def test_no_thread_waits_for_who_asks_on_and_on_and_reads_nothing(server: Server) -> None:
    """Two that did kept all others from fonts, styles and scripts, for as long as they liked."""
    asked = b"GET /static/page-demo.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with ExitStack() as opened:
        for _ in range(4):
            one = opened.enter_context(socket.socket())
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            one.connect((HOST, server.port))
            one.sendall(100 * asked)
            assert one.recv(1) == b"H"

        given_up_s = time.monotonic() + PATIENCE_S
        while any(isinstance(one, CountingChannel) for one in list(server._sockets.values())):
            assert call(server.port, "GET", "/static/live.js")[0] == 200
            assert time.monotonic() < given_up_s


def test_a_stranger_cannot_keep_phones_with_rights_from_following(table: Session) -> None:
    app = build(table, PanelSettings(locked=True, pin="4711", clients=4, keepalive_s=0.05))
    with Server(app, HOST, 0, clients=4) as server, ExitStack() as opened:
        for _ in range(1, 10):
            stranger = opened.enter_context(socket.create_connection((HOST, server.port)))
            stranger.sendall(b"GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert stranger.recv(12).startswith(b"HTTP/1.1 ")
        assert app.extensions["kloplei"].feed.watching == 1

        phone = http.client.HTTPConnection(HOST, server.port, timeout=PATIENCE_S)
        opened.callback(phone.close)
        phone.request("POST", "/settings/pair", "pin=4711", {"Content-Type": FORM})
        answer = phone.getresponse()
        answer.read()
        cookie = str(answer.headers["Set-Cookie"]).partition(";")[0]
        for _ in range(4):
            line = http.client.HTTPConnection(HOST, server.port, timeout=PATIENCE_S)
            opened.callback(line.close)
            line.request("GET", "/api/v1/stream", headers={"Cookie": cookie})
            assert line.getresponse().status == 200


def test_hundreds_who_never_end_their_question_lock_nobody_out(server: Server) -> None:
    """220 of them once did, for as long as they sent a byte now and then."""
    with ExitStack() as opened:
        trickling: list[socket.socket] = []
        for _ in range(400):
            one = opened.enter_context(socket.create_connection((HOST, server.port), PATIENCE_S))
            one.sendall(HALF_A_QUESTION)
            trickling.append(one)
        with listening(server.port, phones=3):  # or it loses its patience
            status, _ = call(server.port, "GET", "/api/v1/scoreboard")
        still_open = len(server._sockets)

    assert status == 200
    assert still_open < 3 * 3 + 100 + 10
