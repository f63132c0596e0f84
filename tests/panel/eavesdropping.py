"""A table of Blind Watten with everybody's ears at the door: all that leaves it is written down."""

import json
import logging
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self, cast

from werkzeug.test import TestResponse

from kloplei.diagnostics.registry import Examination
from kloplei.games.game import Seat
from kloplei.slate.painter import Presenter
from kloplei.slate.picture import DisplaySettings
from kloplei.table.client import Frame
from kloplei.table.rpc_server import RpcServer
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.words import Words
from kloplei_panel import PanelSettings
from kloplei_panel.reader import PLACE_COOKIE
from tests.panel.conftest import NAMES, Phone, build
from tests.table.memory_journal import MemoryJournal

NOW_S = 1000.0
_LOOKED_AT_S = (0.0, 2.0, 5.0, 9.0, 14.0)  # the slate shows this and that in turns
_PLACES = {"1": "nl", "2": "en", "3": "en", "4": "de", "keeper": "da"}  # and what they read
_LOOKING_ON = ("1", "2", "4", "keeper")  # who plays blind at seat 3 sees what seat 2 does
# One never ends; what the other says of a board, which is compared, is news for some seconds.
_OF_THE_MOMENT = ("/api/v1/stream", "/api/v1/calls")
_OFTEN = ("/slate", "/tv", "/api/v1/scoreboard", "/slate.png")
_AROUND = 60  # bytes on either side of a difference
_SELDOM = 9  # all other pages are looked at after every so many asks, and after the last


@dataclass(frozen=True, slots=True)
class Ask:
    """What a phone asks for at *seat* (1-based, None is the keeper), as a form if *by_form*."""

    seat: int | None
    action: str
    facts: Mapping[str, object] = field(default_factory=dict)
    by_form: bool = False


@dataclass(frozen=True, slots=True)
class Leaf:
    """Some bytes that somebody got: *where* says who, and after which ask."""

    where: str
    got: bytes


class Eavesdropping:
    """Plays what it is told, and keeps every byte that any client of the table receives.

    Nothing in it depends on the time of day or on luck: two tables that are asked the same
    things give the same bytes. A context manager.

    Args:
        folder: For the table's socket.
    """

    def __init__(self, folder: Path) -> None:
        self.heard: list[Leaf] = []
        self._folder = folder
        self._opened = ExitStack()
        self._step = "at first"
        self._asked = 0

    def __enter__(self) -> Self:
        with ExitStack() as opening:
            self._log = opening.enter_context(_LogFile())
            self.table = opening.enter_context(
                Session(
                    MemoryJournal(),
                    TableSetup(game="watten", preset="blind", seats=4, wall=lambda: NOW_S),
                    clock=lambda: NOW_S,
                    keepalive_s=600.0,
                )
            )
            self._easel = Presenter(Words("de"), DisplaySettings(), NOW_S - 60)
            for seat, name in enumerate(NAMES):
                self.table.submit(Seat(seat), "sit_down", facts={"name": name})
            self.table.submit(Seat(3), "start")
            settings = PanelSettings(keepalive_s=600.0)
            self._app = build(self.table, settings)
            nothing = Examination({})  # how warm a machine is differs from time to time
            parts = replace(self._app.extensions["kloplei"], own=nothing, alone=nothing)
            self._app.extensions["kloplei"] = parts
            self._phones = {
                place: Phone(self._app.test_client(), language)
                for place, language in {**_PLACES, "viewer": "ja"}.items()
            }
            for place in _PLACES:
                # A place taken by its address comes back with a cookie, dated by the real clock.
                self._phones[place].client.set_cookie(PLACE_COOKIE, place)
            self._streams = [_Stream(self._phones[one]) for one in ("2", "viewer")]
            for stream in self._streams:
                opening.callback(stream.close)
            path = self._folder / "table.sock"
            opening.enter_context(RpcServer(self.table, path))
            self._line = opening.enter_context(_Line(path))
            self._follower = opening.enter_context(_Line(path))
            self._follower.ask("table.follow", after=None)
            self._opened = opening.pop_all()
        self._listen()
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()
        for thread in threading.enumerate():
            if thread.name == "kloplei-client":
                thread.join()  # what it still has to say belongs to this table's log

    def ask(self, ask: Ask) -> int:
        """Let a phone ask, let everybody look, and return the status of the answer."""
        self._step = f"after ask {self._asked}, {ask.action} at seat {ask.seat}"
        phone = self._phones["keeper" if ask.seat is None else str(ask.seat)]
        answer = _post_form(phone, ask) if ask.by_form else _post_json(phone, ask)
        self._keep("the asker's answer", answer)
        self._listen()
        return answer.status_code

    def look_everywhere(self) -> None:
        """Let somebody open every page that there is."""
        for rule in self._app.url_map.iter_rules():
            is_page = "GET" in (rule.methods or ()) and rule.rule not in _OF_THE_MOMENT
            if is_page and not rule.arguments:
                self._keep(rule.rule, self._phones["viewer"].get(rule.rule))

    def _listen(self) -> None:
        """Let every client get what it gets after each ask."""
        seq = self.table.scoreboard().seq
        self._look_at_the_slate()
        for place in _LOOKING_ON:
            self._keep(f"the page of {place}", self._phones[place].get("/"))
        for path in (*_OFTEN, "/api/v1/log?limit=500"):
            self._keep(path, self._phones["viewer"].get(path))
        self._asked += 1
        if self._asked % _SELDOM == 0:
            self.look_everywhere()
        for number, stream in enumerate(self._streams):
            self._note(f"stream {number}", stream.read_to(seq))
        for method, params in {"scoreboard": {}, "log": {"limit": 500}, "frame": {}}.items():
            self._line.ask(f"table.{method}", **params)
            self._note(f"the socket's {method}", self._line.read())
        self._note("the socket's follower", self._follower.read_to(seq))
        self._note("the log files", self._log.take())

    def _look_at_the_slate(self) -> None:
        self._easel.saw(self.table.scoreboard(), NOW_S)
        for after_s in reversed(_LOOKED_AT_S):
            image = self._easel.frame_at(NOW_S + after_s).image
            bits = image.tobytes() if image else b""
            self._note(f"the slate after {after_s} s", bits)
            if image:
                self.table.show(Frame(image.width, image.height, bits))

    def _keep(self, where: str, answer: TestResponse) -> None:
        answer.headers.remove("Date")  # the time of day is all that it tells
        head = f"{answer.status}\n{answer.headers}".encode()
        self._note(where, head + answer.data)
        answer.close()

    def _note(self, where: str, got: bytes) -> None:
        self.heard.append(Leaf(f"{where}, {self._step}", got))


def first_difference(one: list[Leaf], other: list[Leaf]) -> str | None:
    """Return where two tables gave somebody different bytes, or None if they never did."""
    if len(one) != len(other):
        return f"one gave {len(one)} answers, the other {len(other)}"
    for mine, theirs in zip(one, other, strict=True):
        if mine != theirs:
            around = _around_difference(mine.got, theirs.got)
            return f"{mine.where}: {mine.got[around]!r}\n{theirs.where}: {theirs.got[around]!r}"
    return None


def _around_difference(one: bytes, other: bytes) -> slice:
    pairs = enumerate(zip(one, other, strict=False))
    at = next((n for n, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))
    return slice(max(at - _AROUND, 0), at + _AROUND)


def _post_json(phone: Phone, ask: Ask) -> TestResponse:
    return phone.ask(ask.seat, ask.action, **ask.facts)


def _post_form(phone: Phone, ask: Ask) -> TestResponse:
    facts = {f"fact.{name}": json.dumps(value) for name, value in ask.facts.items()}
    form = {"seat": ask.seat or "", "action": ask.action, **facts}
    return phone.client.post("/act", data=form, headers=phone.headers)


class _Stream:
    """The live stream of one phone."""

    def __init__(self, phone: Phone) -> None:
        self._response = phone.get("/api/v1/stream", buffered=False)
        self._chunks = cast("Iterator[bytes]", iter(self._response.response))
        self._last = -1

    def read_to(self, seq: int) -> bytes:
        """Return all that comes until board *seq* has come."""
        got = b""
        while self._last < seq:
            chunk = next(self._chunks)
            got += chunk
            for line in chunk.split(b"\n"):
                if line.startswith(b"id: "):
                    self._last = int(line[4:])
        return got

    def close(self) -> None:
        self._response.close()


class _Line:
    """A talk with the table's socket, as the panel's own process has it."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))
        self._file = self._socket.makefile("rb")
        self._last = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._socket.close()

    def ask(self, method: str, **params: object) -> None:
        request = {"id": 1, "method": method, "params": params}
        self._socket.sendall(json.dumps(request).encode() + b"\n")

    def read(self) -> bytes:
        line = self._file.readline()
        assert "result" in json.loads(line), line  # it has to be understood
        return line

    def read_to(self, seq: int) -> bytes:
        got = b""
        while self._last < seq:
            line = self.read()
            got += line
            self._last = json.loads(line)["result"]["seq"]
        return got


class _LogFile(logging.Handler):
    """All that any part of the box would write into a log file."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self._lines: list[str] = []

    def __enter__(self) -> Self:
        self._level = logging.getLogger().level
        logging.getLogger().setLevel(logging.DEBUG)
        logging.getLogger().addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self)
        logging.getLogger().setLevel(self._level)

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith("PIL"):
            return  # it tells what it imports, once in a process
        self._lines.append(self.format(record))

    def take(self) -> bytes:
        lines, self._lines = self._lines, []
        return "\n".join(lines).encode()
