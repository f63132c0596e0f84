"""Phones that ask nothing, or without end, leave room for those that ask."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from types import SimpleNamespace

import pytest
from flask import Flask

from kloplei_panel.server import LOOK_S, Connections, CountingChannel, Server
from tests.panel.test_server import HOST, PATIENCE_S, call, listening

IDLE_S = 20.0
HALF_A_QUESTION = b"GET / HTTP/1.1\r\nHost: x\r\nX-"


class Channel(CountingChannel):
    """A connection without a socket."""

    def __init__(self) -> None:
        self.requests: list[object] = []
        self.total_outbufs_len = 0


@pytest.fixture
def server(app: Flask) -> Iterator[Server]:
    with Server(app, HOST, 0, clients=3) as server:
        yield server


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
    assert not silent.will_close
    watch.look(IDLE_S)

    assert silent.will_close
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


def test_hundreds_who_never_end_their_question_lock_nobody_out(server: Server) -> None:
    """220 of them once did, for as long as they sent a byte now and then."""
    with ExitStack() as opened:
        trickling: list[socket.socket] = []
        for _ in range(400):
            one = opened.enter_context(socket.create_connection((HOST, server.port), PATIENCE_S))
            one.sendall(HALF_A_QUESTION)
            trickling.append(one)
        began = time.monotonic()
        with listening(server.port, phones=3):
            status, _ = call(server.port, "GET", "/api/v1/scoreboard")
        took_s = time.monotonic() - began
        still_open = len(server._sockets)

    assert status == 200
    assert took_s < PATIENCE_S / 2
    assert still_open < 3 * 3 + 100 + 10
