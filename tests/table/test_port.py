"""The table through its socket: the same contract, and what only a socket can suffer."""

import contextlib
import json
import os
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any, Self

import pytest

from kloplei.rules.game import Seat
from kloplei.table.client import TableClient, TableSilent
from kloplei.table.memory import MemoryJournal
from kloplei.table.port import MOST_BYTES, Port, PortTaken
from kloplei.table.remote import RemoteTable
from kloplei.table.session import Session
from tests.table.contract_doctor import DoctorContract
from tests.table.contract_door import DoorContract
from tests.table.toy import build_toy


class TestRemoteTable(DoctorContract, DoorContract):
    """The body over a Unix socket."""

    @pytest.fixture(autouse=True)
    def _socket(self, tmp_path: Path) -> None:
        self.path = tmp_path / "table.sock"

    def client_of(self, session: Session) -> AbstractContextManager[TableClient]:
        return self._through_the_socket(session)

    @contextmanager
    def _through_the_socket(self, session: Session) -> Iterator[TableClient]:
        with Port(session, self.path), closing(RemoteTable(self.path)) as remote:
            yield remote


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run" / "table.sock"


@pytest.fixture
def session() -> Iterator[Session]:
    with Session(
        MemoryJournal(), game="toy", preset=None, build=build_toy, seats=4, keepalive_s=0.05
    ) as session:
        yield session


def asking(**request: object) -> bytes:
    return json.dumps(request).encode() + b"\n"


class Wire:
    """A client that may say anything."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(5)
        self.socket.connect(str(path))
        self._lines = self.socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._lines.close()
        self.socket.close()

    def say(self, line: bytes) -> None:
        self.socket.sendall(line)

    def hear(self) -> Any:
        line = self._lines.readline()
        return json.loads(line) if line else None


def test_the_words_on_the_socket_are_those_in_the_docstring(session: Session, path: Path) -> None:
    with Port(session, path), Wire(path) as wire:
        wire.say(
            asking(id=7, call="submit", seat=2, action="sit_down", seen=None, facts={}, via="phone")
        )
        assert wire.hear() == {"id": 7, "seq": 2}
        wire.say(
            asking(id=8, call="submit", seat=2, action="sit_down", seen=None, facts={}, via="phone")
        )
        assert wire.hear() == {"id": 8, "refused": "seat_taken", "facts": {"seat": {"$seat": 2}}}
        wire.say(asking(id=9, call="frame"))
        assert wire.hear() == {"id": 9, "frame": None}
        wire.say(asking(id=10, call="follow"))
        assert wire.hear()["board"]["rows"][0]["seat"] == 2


@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\n",
        b"[]\n",
        b"{}\n",
        b'{"id": "one", "call": "scoreboard"}\n',
        b'{"id": 1}\n',
        b'{"id": 1, "call": "explode"}\n',
        b'{"id": 1, "call": "log"}\n',
        b'{"id": 1, "call": "log", "limit": "all"}\n',
        b'{"id": 1, "call": "submit"}\n',
        asking(id=1, call="submit", seat="x", action="deal", seen=None, facts={}, via="pad"),
        asking(id=1, call="submit", seat=1, action="deal", seen=None, facts=[], via="pad"),
        asking(id=1, call="submit", seat=1, action=None, seen=None, facts={}, via="pad"),
        asking(id=1, call="submit", seat=1, action="deal", seen=None, facts={}, via="\ud800"),
        asking(id=1, call="submit", seat=1, action="deal", seen=None, facts={}, via="v" * 999),
        b"\xff\xfe\n",
        b"[" * 60_000 + b"\n",
        b"9" * 60_000 + b"\n",
        b"x" * (MOST_BYTES * 2),
    ],
)
def test_garbage_is_answered_once_and_the_line_is_closed(
    session: Session, path: Path, garbage: bytes
) -> None:
    with Port(session, path):
        with Wire(path) as wire:
            wire.say(garbage)

            assert list(wire.hear()) == ["error"]
            with contextlib.suppress(ConnectionResetError):  # it left the rest unread
                assert wire.hear() is None
        with closing(RemoteTable(path)) as remote:
            assert remote.scoreboard() == session.scoreboard()


def test_facts_nested_too_deep_are_no_end_of_the_table(session: Session, path: Path) -> None:
    deep = b'{"a":' * 400 + b"1" + b"}" * 400
    head = b'{"id": 1, "call": "submit", "seat": 1, "action": "sit_down", "seen": null, '
    with Port(session, path), Wire(path) as wire:
        wire.say(head + b'"via": "phone", "facts": ' + deep + b"}\n")
        answer = wire.hear()
        wire.say(asking(id=2, call="frame"))

        assert set(answer) <= {"id", "unreadable", "silent"}
        assert wire.hear() == {"id": 2, "frame": None}


def test_who_does_not_read_is_dropped_and_the_others_are_not_held_up(
    session: Session, path: Path
) -> None:
    with Port(session, path, patience_s=0.05), Wire(path) as sleeper:
        with pytest.raises(BrokenPipeError):
            sleeper.say(asking(id=1, call="scoreboard") * 50_000)

        with closing(RemoteTable(path)) as remote:
            assert remote.submit(Seat(0), "sit_down") == 2


def test_one_client_too_many_takes_the_place_of_the_idlest(session: Session, path: Path) -> None:
    """64 who said nothing once locked everybody else out."""
    with (
        Port(session, path, clients=3),
        closing(RemoteTable(path)) as panel,
        Wire(path) as idle,
        Wire(path) as idler,
    ):
        for wire in (idler, idle):
            wire.say(asking(id=1, call="frame"))
            wire.hear()
        panel.scoreboard()
        with Wire(path) as late:
            late.say(asking(id=1, call="frame"))

            assert late.hear() == {"id": 1, "frame": None}
            assert idler.hear() is None
            assert panel.scoreboard() == session.scoreboard()
            idle.say(asking(id=2, call="frame"))
            assert idle.hear() == {"id": 2, "frame": None}


def test_a_client_that_lost_its_place_gets_another_as_soon_as_it_asks(
    session: Session, path: Path
) -> None:
    with (
        Port(session, path, clients=1),
        closing(RemoteTable(path)) as first,
        closing(RemoteTable(path)) as second,
    ):
        for one in (first, second, first, second):
            assert one.scoreboard() == session.scoreboard()


def test_followers_leave_half_of_the_places_to_those_who_ask(session: Session, path: Path) -> None:
    with Port(session, path, clients=4), contextlib.ExitStack() as wires:
        followers = []
        for _ in range(5):  # one after the other: who comes first is the oldest
            followers.append(wires.enter_context(Wire(path)))
            followers[-1].say(asking(id=1, call="follow"))
            followers[-1].hear()
        with closing(RemoteTable(path)) as asker:
            assert asker.scoreboard() == session.scoreboard()

        gone = [wire for wire in followers if has_gone(wire)]

    assert gone == followers[:3]


def has_gone(wire: "Wire") -> bool:
    """Tell whether the table has hung up; who follows hears a sign of life otherwise."""
    wire.socket.settimeout(0.5)
    with contextlib.suppress(TimeoutError):
        for _ in range(3):
            if wire.hear() is None:
                return True
    return False


def test_a_place_is_free_again_when_a_client_has_gone(session: Session, path: Path) -> None:
    with Port(session, path, clients=1):
        for _ in range(5):
            with Wire(path) as wire:
                wire.say(asking(id=1, call="frame"))
                assert wire.hear() == {"id": 1, "frame": None}
            wait_until(lambda: len(threads("kloplei-client")) == 0)


def test_a_follower_who_has_gone_is_noticed_without_any_news(session: Session, path: Path) -> None:
    with Port(session, path):
        with Wire(path) as wire:
            wire.say(asking(id=1, call="follow"))
            wire.hear()
            assert len(threads("kloplei-client")) == 1

        wait_until(lambda: len(threads("kloplei-client")) == 0)


def test_the_socket_is_for_its_owner_and_group(session: Session, path: Path) -> None:
    old = os.umask(0)
    try:
        with Port(session, path):
            mode = stat.S_IMODE(path.stat().st_mode)
    finally:
        os.umask(old)

    assert mode == 0o660


def test_the_socket_goes_with_the_port(session: Session, path: Path) -> None:
    with Port(session, path):
        assert path.is_socket()

    assert not path.exists()


def test_a_socket_that_a_killed_table_left_is_replaced(session: Session, path: Path) -> None:
    path.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(path))

    with Port(session, path), closing(RemoteTable(path)) as remote:
        assert remote.scoreboard() == session.scoreboard()


def test_a_live_socket_is_not_taken_over(session: Session, path: Path) -> None:
    with Port(session, path), closing(RemoteTable(path)) as remote:
        with pytest.raises(PortTaken, match="Another table already listens"):
            Port(session, path)

        assert remote.scoreboard() == session.scoreboard()


def test_a_file_in_its_place_is_left_alone(session: Session, path: Path) -> None:
    path.parent.mkdir()
    path.write_text("shopping list")

    with pytest.raises(PortTaken, match="is no socket"):
        Port(session, path)

    assert path.read_text() == "shopping list"


def test_a_path_too_long_for_a_socket_is_told(session: Session, tmp_path: Path) -> None:
    with pytest.raises(PortTaken, match="another path in the settings"):
        Port(session, tmp_path / ("x" * 120))


def test_a_bug_behind_the_socket_is_logged_and_told(
    session: Session,
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(session, "frame", lambda: 1 / 0)
    with Port(session, path), closing(RemoteTable(path)) as remote:
        with pytest.raises(TableSilent, match="see its log"):
            remote.frame()

        assert remote.scoreboard() == session.scoreboard()
    assert "ZeroDivisionError" in caplog.text


def threads(name: str) -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == name]


def wait_until(so: Callable[[], bool], most_s: float = 30.0) -> None:
    until = time.monotonic() + most_s
    while not so():
        assert time.monotonic() < until
        time.sleep(0.005)
