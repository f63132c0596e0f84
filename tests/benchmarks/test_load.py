"""The load of a thousand phones: it counts what they were told, and finds what grew."""

import gzip
import socket
import struct
from dataclasses import replace

import pytest

from benchmarks.load import (
    MOST_FILES,
    MOST_MB,
    MOST_THREADS,
    WARM,
    Minute,
    Phone,
    Phones,
    complaints,
)

FLAT = [Minute(60.0 * at, 30 * at, 50.0, 40.0, 40, 1040, 1e3 * at, 20.0, 90.0) for at in range(9)]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
EVENT = b"event: slate\ndata: {}\n\n"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_a_phone_counts_events_however_they_are_cut_and_packed(at_once: int, packed: bool) -> None:
    told = HEAD + b"\r\n: here\n\n" + 3 * EVENT
    if packed:
        pieces = (gzip.compress(one) for one in (b": here\n\n", *3 * [EVENT]))
        told = HEAD + b"Content-Encoding: gzip\r\n\r\n" + b"".join(pieces)
    with socket.socket() as line:
        phone = Phone(line)
        assert all(phone.take(told[at : at + at_once]) for at in range(0, len(told), at_once))
        assert phone.events == 3


def test_a_breath_is_no_event_and_who_is_refused_is_seen() -> None:
    with socket.socket() as line:
        phone = Phone(line)
        assert phone.take(HEAD + b"\r\n: still here\n\n")
        assert phone.events == 0
        assert not Phone(line).take(b"HTTP/1.1 503 Service Unavailable\r\n\r\n")


def test_a_phone_that_is_cut_off_is_counted_and_ends_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        phones = Phones(server.getsockname()[1])
        phones.come()
        for _ in range(2):
            line = server.accept()[0]
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            line.close()

        phones.read(5.0)
        phones.close()

    assert phones.dropped == 1
    assert not phones.here


def test_what_stays_as_it_was_when_warm_is_flat() -> None:
    assert complaints(FLAT) == []
    assert complaints(FLAT[:WARM]) == [f"only {WARM} minutes: too short to tell"]


@pytest.mark.parametrize(
    ("grown", "told"),
    [
        (replace(FLAT[-1], panel_mb=50.1 + MOST_MB), "the panel grew"),
        (replace(FLAT[-1], table_mb=40.1 + MOST_MB), "the table grew"),
        (replace(FLAT[-1], threads=41 + MOST_THREADS), "threads grew"),
        (replace(FLAT[-1], files=1041 + MOST_FILES), "open files grew"),
    ],
)
def test_what_grows_is_told(grown: Minute, told: str) -> None:
    (complaint,) = complaints([*FLAT, grown])
    assert complaint.startswith(told)
