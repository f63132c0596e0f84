"""The table through its socket: the same contract, and what only a socket can suffer."""

import contextlib
import inspect
import json
import os
import socket
import stat
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any, Self, get_args
from unittest.mock import Mock, create_autospec

import pytest

from kloplei.games.game import Facts, Seat
from kloplei.table import rpc, rpc_server
from kloplei.table.client import TableClient, TableUnavailable
from kloplei.table.history_client import HistoryClient, PersonNumbers, Player, Told
from kloplei.table.rpc import PARTS, MalformedMessage, rpc_methods
from kloplei.table.rpc_client import remote_table
from kloplei.table.rpc_server import MOST_BYTES, RpcServer, SocketTaken
from kloplei.table.schema import Misfit, load
from kloplei.table.session import Session
from tests.table.contract_doctor import DoctorContract
from tests.table.contract_door import DoorContract
from tests.table.contract_history import HistoryContract
from tests.table.contract_uplink import UplinkContract
from tests.table.contract_voice import VoiceContract
from tests.table.memory_journal import MemoryJournal
from tests.table.toy import toy_setup
from tests.until import PATIENCE_S, until


class TestRemoteTable(DoctorContract, DoorContract, HistoryContract, UplinkContract, VoiceContract):
    """The body over a Unix socket."""

    @pytest.fixture(autouse=True)
    def _socket(self, tmp_path: Path) -> None:
        self.path = tmp_path / "table.sock"

    def client_of(self, session: Session) -> AbstractContextManager[TableClient]:
        return self._through_the_socket(session)

    @contextmanager
    def _through_the_socket(self, session: Session) -> Iterator[TableClient]:
        with RpcServer(session, self.path), closing(remote_table(self.path)) as remote:
            yield remote


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run" / "table.sock"


@pytest.fixture
def session() -> Iterator[Session]:
    with Session(MemoryJournal(), toy_setup(seats=4), keepalive_s=0.05) as session:
        yield session


def asking(number: int, method: str, /, **params: object) -> bytes:
    return json.dumps({"id": number, "method": method, "params": params}).encode() + b"\n"


SUBMIT: Mapping[str, object] = {
    "seat": 2,
    "action": "sit_down",
    "seen": None,
    "facts": {},
    "via": "phone",
    "waits": False,
}
"""As a panel asks that knows nothing of what was added later."""


def submitting(**params: object) -> bytes:
    return asking(1, "table.submit", **{**SUBMIT, **params})


class Wire:
    """A client that may say anything."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_S)
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
    with RpcServer(session, path), Wire(path) as wire:
        wire.say(asking(7, "table.submit", **SUBMIT))
        assert wire.hear() == {"id": 7, "result": 2}
        wire.say(asking(8, "table.submit", **SUBMIT))
        assert wire.hear() == {"id": 8, "refused": "seat_taken", "facts": {"seat": {"$seat": 2}}}
        wire.say(asking(9, "table.frame"))
        assert wire.hear() == {"id": 9, "result": None}
        wire.say(asking(10, "table.follow", after=None))
        assert wire.hear()["result"]["rows"][0]["seat"] == 2


@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\n",
        b"[]\n",
        b"{}\n",
        b'{"id": "one", "method": "table.scoreboard", "params": {}}\n',
        b'{"id": true, "method": "table.scoreboard", "params": {}}\n',
        b'{"id": 1.0, "method": "table.scoreboard", "params": {}}\n',
        b'{"method": "table.scoreboard", "params": {}}\n',
        b'{"id": 1, "method": "table.scoreboard"}\n',
        b'{"id": 1, "method": "table.scoreboard", "params": null}\n',
        b'{"id": 1, "method": "table.scoreboard", "params": []}\n',
        b'{"id": 1, "method": "table.scoreboard", "params": {}, "more": 1}\n',
        b'{"id": 1, "method": ["table.scoreboard"], "params": {}}\n',
        b'{"id": 1}\n',
        asking(1, "explode"),
        asking(1, "table.explode"),
        asking(1, "table.close"),
        asking(1, "table.put", message="x"),
        asking(1, "table.start"),
        asking(1, "door.fit_key", renew=None),
        asking(1, "table._run"),
        asking(1, "table.__class__"),
        asking(1, "table.__init__"),
        asking(1, "__class__"),
        asking(1, "table"),
        asking(1, "table."),
        asking(1, ".scoreboard"),
        asking(1, "table.ears"),
        asking(1, "table.ears.keeping"),
        asking(1, "scoreboard"),
        asking(1, "table.scoreboard", loud=True),
        asking(1, "table.scoreboard", self=None),
        asking(1, "table.log"),
        asking(1, "table.log", limit="all"),
        asking(1, "table.log", limit=True),
        asking(1, "table.log", limit=None),
        asking(1, "table.log", limit=1.5),
        asking(1, "table.log", limit=50, offset=1),
        asking(1, "table.follow"),
        asking(1, "table.follow", after="now"),
        asking(1, "table.submit"),
        submitting(seat="x"),
        submitting(seat=True),
        submitting(seat=1.0),
        submitting(seat={"$seat": 1}),
        submitting(facts=[]),
        submitting(facts=None),
        submitting(action=None),
        submitting(seen="41"),
        submitting(seen=False),
        submitting(via=None),
        submitting(via="\ud800"),
        submitting(via="v" * 21),
        submitting(via="a\nb"),
        submitting(by="kastelein"),
        submitting(by=True),
        submitting(self=1),
        submitting(id=1),
        asking(1, "door.ask", seat=True, asker="192.168.1.20"),
        asking(1, "door.ask", seat=1, asker="x" * 65),
        asking(1, "door.ask", seat=1, asker=None),
        asking(1, "door.ask", asker="192.168.1.20"),
        asking(1, "door.look", ticket="x" * 65),
        asking(1, "door.look", ticket=7),
        asking(1, "door.withdraw", ticket="x" * 65),
        asking(1, "door.refuse", number=True),
        asking(1, "door.refuse", number="7"),
        asking(1, "ears.heard_events", limit=True),
        asking(1, "ears.heard_events", limit="1"),
        asking(1, "ears.mark", number=True, was="noise", seat=None),
        asking(1, "ears.mark", number=1, was="music", seat=None),
        asking(1, "ears.mark", number=1, was=["noise"], seat=None),
        asking(1, "ears.mark", number=1, was="knock", seat=True),
        asking(1, "ears.mark", number=1, was="noise"),
        asking(1, "ears.take", suggestion=1),
        asking(1, "ears.decline"),
        asking(1, "ears.take_back", suggestion="1f2e"),
        asking(1, "ears.tune", step=None, facts={}),
        asking(1, "ears.tune", step="look", facts=[]),
        asking(1, "doctor.knock", seat=True, times=1),
        asking(1, "doctor.knock", seat=1, times=True),
        asking(1, "doctor.knock", seat=None, times=1),
        asking(1, "doctor.judge_picture", seen=None),
        b"\xff\xfe\n",
        b"[" * 60_000 + b"\n",
        b"9" * 60_000 + b"\n",
        b"x" * (MOST_BYTES * 2),
    ],
    ids=lambda garbage: garbage[:70].decode(errors="replace").strip(),
)
def test_garbage_is_answered_once_and_the_line_is_closed(
    session: Session, path: Path, garbage: bytes
) -> None:
    with RpcServer(session, path):
        with Wire(path) as wire:
            wire.say(garbage)

            (said,) = wire.hear().items()
            assert said[0] == "error"
            assert said[1].startswith("This is not what the table understands: ")
            with contextlib.suppress(ConnectionResetError):  # it left the rest unread
                assert wire.hear() is None
        with closing(remote_table(path)) as remote:
            assert remote.scoreboard() == session.scoreboard()


@pytest.mark.parametrize(
    "asked",
    [
        {"call": "submit", **SUBMIT},
        {"call": "scoreboard"},
        {"call": "log", "limit": 50},
        {"call": "follow"},
        {"call": "frame"},
        {"call": "door.look", "ticket": "x"},
        {"call": "door.forget_phones"},
        {"call": "ears.take_back"},
        {"call": "doctor.examine"},
    ],
    ids=lambda asked: asked["call"],
)
def test_a_panel_of_the_version_before_is_told_so_and_nothing_is_done(
    session: Session, path: Path, asked: dict[str, object]
) -> None:
    """For the minute in which only one of the units is new: it says `TableUnavailable`."""
    before = session.scoreboard()
    with RpcServer(session, path), Wire(path) as wire:
        wire.say(json.dumps({"id": 1, **asked}).encode() + b"\n")

        assert list(wire.hear()) == ["error"]
        assert wire.hear() is None
    assert session.scoreboard() == before


@pytest.mark.parametrize("part", PARTS)
def test_every_method_of_a_protocol_can_be_asked_and_fits_the_socket(part: str) -> None:
    """A new method costs a line of its Protocol."""
    methods = {name for name, one in vars(PARTS[part]).items() if inspect.isfunction(one)}

    found = rpc_methods(part)

    assert {method.attribute for method in found} == {
        one for one in methods if not one.startswith("_")
    }
    for method in found:
        for hint in (*method.hints.values(), method.result):
            with pytest.raises(Misfit):  # and not: nothing can be like that
                load(hint, object())


NUMBERS = [
    (method, name)
    for part in PARTS
    for method in rpc_methods(part)
    for name, hint in method.hints.items()
    if {int, Seat} & {hint, *get_args(hint)}
]


@pytest.mark.parametrize("number", [-(2**63), 2**53, 2**63, 10**400])
def test_every_whole_number_that_may_be_asked_with_has_a_bound(number: int) -> None:
    """Behind byte 2**63 of a recording the table stumbled, and its log grew by a traceback."""
    fitting: Mapping[Any, object] = {int: 1, str: "one", bool: False, Facts: {}}

    assert len(NUMBERS) > 9
    for method, name in NUMBERS:
        asked = {
            one: fitting.get(hint, 1 if hint is Seat else None)
            for one, hint in method.hints.items()
            if one not in method.later
        }
        with pytest.raises(MalformedMessage, match=f"such a {name}"):
            method.arguments({**asked, name: number})


def test_facts_nested_too_deep_are_no_end_of_the_table(session: Session, path: Path) -> None:
    deep = b'{"a":' * 400 + b"1" + b"}" * 400
    flat = submitting(facts="deep")
    with RpcServer(session, path), Wire(path) as wire:
        wire.say(flat.replace(b'"deep"', deep))
        answer = wire.hear()
        wire.say(asking(2, "table.frame"))

        assert set(answer) <= {"id", "unreadable", "cause", "facts", "silent"}
        assert wire.hear() == {"id": 2, "result": None}


def test_a_long_answer_is_spelled_once_until_it_is_another(
    session: Session, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told("hands", "toepen", 1.0, 1, 1)

    def everybody(name: str) -> tuple[PersonNumbers, ...]:
        return tuple(PersonNumbers(Player(n, name), (told,) * 20) for n in range(1, 100))

    numbers = everybody("Ann")
    history = create_autospec(HistoryClient, instance=True)
    history.statistics.side_effect = lambda *_, **__: numbers
    session.history = history
    spelled = Mock(side_effect=rpc.spelled)
    monkeypatch.setattr(rpc_server, "spelled", spelled)
    with RpcServer(session, path), closing(remote_table(path)) as remote:
        assert remote.history.statistics() == remote.history.statistics() == numbers
        assert spelled.call_count == 1
        numbers = everybody("Anna")

        assert remote.history.statistics() == numbers


def test_who_does_not_read_is_dropped_and_the_others_are_not_held_up(
    session: Session, path: Path
) -> None:
    with RpcServer(session, path, patience_s=0.05), Wire(path) as sleeper:
        with pytest.raises(BrokenPipeError):
            sleeper.say(asking(1, "table.scoreboard") * 50_000)

        with closing(remote_table(path)) as remote:
            assert remote.submit(Seat(0), "sit_down") == 2


def test_one_client_too_many_takes_the_place_of_the_idlest(session: Session, path: Path) -> None:
    """64 who said nothing once locked everybody else out."""
    with (
        RpcServer(session, path, clients=3),
        closing(remote_table(path)) as panel,
        Wire(path) as idle,
        Wire(path) as idler,
    ):
        for wire in (idler, idle):
            wire.say(asking(1, "table.frame"))
            wire.hear()
        panel.scoreboard()
        with Wire(path) as late:
            late.say(asking(1, "table.frame"))

            assert late.hear() == {"id": 1, "result": None}
            assert idler.hear() is None
            assert panel.scoreboard() == session.scoreboard()
            idle.say(asking(2, "table.frame"))
            assert idle.hear() == {"id": 2, "result": None}


def test_a_client_that_lost_its_place_gets_another_as_soon_as_it_asks(
    session: Session, path: Path
) -> None:
    with (
        RpcServer(session, path, clients=1),
        closing(remote_table(path)) as first,
        closing(remote_table(path)) as second,
    ):
        for one in (first, second, first, second):
            assert one.scoreboard() == session.scoreboard()


def test_followers_leave_half_of_the_places_to_those_who_ask(session: Session, path: Path) -> None:
    with RpcServer(session, path, clients=4), contextlib.ExitStack() as wires:
        followers = []
        for _ in range(5):  # one after the other: who comes first is the oldest
            followers.append(wires.enter_context(Wire(path)))
            followers[-1].say(asking(1, "table.follow", after=None))
            followers[-1].hear()
        with closing(remote_table(path)) as asker:
            assert asker.scoreboard() == session.scoreboard()
            seq = asker.submit(Seat(0), "sit_down")

        gone = [wire for wire in followers if has_gone(wire, seq)]

    assert gone == followers[:3]


def has_gone(wire: "Wire", news: int) -> bool:
    """Tell whether the table has hung up; who follows hears of entry *news* otherwise."""
    while (told := wire.hear()) is not None:
        board = told["result"]
        if board is not None and board["seq"] >= news:
            return False
    return True


def test_a_place_is_free_again_when_a_client_has_gone(session: Session, path: Path) -> None:
    with RpcServer(session, path, clients=1):
        for _ in range(5):
            with Wire(path) as wire:
                wire.say(asking(1, "table.frame"))
                assert wire.hear() == {"id": 1, "result": None}
            until(lambda: len(threads("kloplei-client")) == 0)


def test_a_follower_who_has_gone_is_noticed_without_any_news(session: Session, path: Path) -> None:
    with RpcServer(session, path):
        with Wire(path) as wire:
            wire.say(asking(1, "table.follow", after=None))
            wire.hear()
            assert len(threads("kloplei-client")) == 1

        until(lambda: len(threads("kloplei-client")) == 0)


def test_the_socket_is_for_its_owner_and_group(session: Session, path: Path) -> None:
    old = os.umask(0)
    try:
        with RpcServer(session, path):
            mode = stat.S_IMODE(path.stat().st_mode)
    finally:
        os.umask(old)

    assert mode == 0o660


def test_the_socket_goes_with_the_port(session: Session, path: Path) -> None:
    with RpcServer(session, path):
        assert path.is_socket()

    assert not path.exists()


def test_a_socket_that_a_killed_table_left_is_replaced(session: Session, path: Path) -> None:
    path.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(path))

    with RpcServer(session, path), closing(remote_table(path)) as remote:
        assert remote.scoreboard() == session.scoreboard()


def test_a_live_socket_is_not_taken_over(session: Session, path: Path) -> None:
    with RpcServer(session, path), closing(remote_table(path)) as remote:
        with pytest.raises(SocketTaken, match="Another table already listens"):
            RpcServer(session, path)

        assert remote.scoreboard() == session.scoreboard()


def test_a_file_in_its_place_is_left_alone(session: Session, path: Path) -> None:
    path.parent.mkdir()
    path.write_text("shopping list")

    with pytest.raises(SocketTaken, match="is no socket"):
        RpcServer(session, path)

    assert path.read_text() == "shopping list"


def test_a_path_too_long_for_a_socket_is_told(session: Session, tmp_path: Path) -> None:
    with pytest.raises(SocketTaken, match="another path in the settings"):
        RpcServer(session, tmp_path / ("x" * 120))


def test_a_bug_behind_the_socket_is_logged_and_told(
    session: Session,
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(session, "frame", lambda: 1 / 0)
    with RpcServer(session, path), closing(remote_table(path)) as remote:
        with pytest.raises(TableUnavailable, match="see its log"):
            remote.frame()

        assert remote.scoreboard() == session.scoreboard()
    assert "ZeroDivisionError" in caplog.text


def threads(name: str) -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == name]
