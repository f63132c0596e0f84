"""What one may ask a table over its Unix socket: one JSON object a line.

Whoever connects asks, and gets each answer under the same ``id``::

    {"id": 1, "method": "table.submit", "params": {"seat": 2, "action": "swap", "seen": 41, ...}}
    {"id": 1, "result": 42}
    {"id": 1, "refused": "stale", "facts": {...}}    or "unreadable" / "unkept" / "silent":
                                                a sentence
    {"id": 2, "method": "table.follow", "params": {"after": null}}
    {"id": 2, "result": {...}}    at once and at every change, null as a sign of life,
                                  at last {"id": 2, "end": true}

The methods are those of the Protocols in `PARTS`, and nothing else. Their annotations say what
goes over the line and back: each parameter has to be there, and no other; one that was added later
may be left out, and is where it says nothing. One that returns an iterator is a stream and keeps
its connection to itself; what it tells later replaces what it told before.
`kloplei.table.rpc_server` answers, `kloplei.table.rpc_client` asks.
"""

import contextlib
import functools
import inspect
import json
import select
import socket
from collections.abc import Iterator, Mapping
from typing import Any, get_args, get_origin, get_type_hints

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.games.game import Facts, IllegalAction
from kloplei.table.client import (
    AddedLater,
    BadRequest,
    DoorClient,
    EarsClient,
    JournalWriteError,
    ShortText,
    TableClient,
    TableUnavailable,
    methods_of,
)
from kloplei.table.doctor_client import DoctorClient
from kloplei.table.history_client import HistoryClient
from kloplei.table.people_client import PeopleClient
from kloplei.table.recordings_client import RecordingsClient
from kloplei.table.schema import Json, dump, load
from kloplei.table.uplink_client import UplinkClient
from kloplei.table.voice_client import VoiceClient
from kloplei.words import Sentence, sentence_of

PARTS: Mapping[str, type] = {
    "table": TableClient,
    "ears": EarsClient,
    "recordings": RecordingsClient,
    "doctor": DoctorClient,
    "door": DoorClient,
    "history": HistoryClient,
    "people": PeopleClient,
    "uplink": UplinkClient,
    "voice": VoiceClient,
}
"""What one may ask: the table, and its attributes of these names."""

_FAILURES: Mapping[str, type[KlopleiError]] = {
    "unreadable": BadRequest,
    "unkept": JournalWriteError,
    "silent": TableUnavailable,
}
"""By which word the other end learns what to raise; the first that fits."""

_CHUNK_BYTES = 65_536


class MalformedMessage(ValueError):
    """What came in is not one JSON object on a line of bearable length, or asks for nothing."""


class JsonLineConnection:
    """One end of a connection; for one reader and one writer at a time, and neither for ever.

    Args:
        connection: A connected stream socket; it belongs to this from now on.
        patience_s: How long the other end may let a line of ours wait before it is given up.
        most_bytes: Length of the longest line that is taken in.
    """

    def __init__(
        self, connection: socket.socket, *, patience_s: float, most_bytes: int | None = None
    ) -> None:
        connection.settimeout(patience_s)
        self._connection = connection
        self._most_bytes = most_bytes
        self._read = bytearray()
        self._readable = select.poll()
        self._readable.register(connection, select.POLLIN)

    def send(self, message: Json) -> None:
        """Send *message*.

        Raises:
            OSError: The other end has gone, or does not read (`TimeoutError`).
        """
        self.send_line(spelled(message))

    def send_line(self, message: str) -> None:
        """Send a message that is `spelled` already; raises as `send` does."""
        self._connection.sendall(message.encode() + b"\n")

    def receive(self, within_s: float | None = None) -> Json | None:
        """Return the next message, or None when the other end has hung up.

        Args:
            within_s: How long to wait for it; None waits as long as it takes.

        Raises:
            MalformedMessage: Something else than a message came in.
            OSError: The line is broken, or nothing came in time (`TimeoutError`).
        """
        line = self.receive_line(within_s)
        return None if line is None else message_on(line)

    def receive_line(self, within_s: float | None = None) -> bytes | None:
        """Return the next message as it came, which may be none; else as `receive`."""
        while b"\n" not in self._read:
            if self._most_bytes is not None and len(self._read) > self._most_bytes:
                raise MalformedMessage(f"a line of more than {self._most_bytes} bytes")
            if not self._readable.poll(None if within_s is None else within_s * 1000):
                raise TimeoutError("nothing was said in time")
            if not self._take_in():
                return None
        line, _, self._read = self._read.partition(b"\n")
        return bytes(line)

    @property
    def has_more(self) -> bool:
        """Whether another message has come in already."""
        if self._readable.poll(0):
            with contextlib.suppress(OSError):  # `receive` will meet it as well
                self._take_in()
        return b"\n" in self._read

    @property
    def is_quiet(self) -> bool:
        """Whether nothing has come in unasked, which a hang-up is as well."""
        return not self._read and not self._readable.poll(0)

    def hang_up(self) -> None:
        """End it for both, from any thread; who receives or sends then stops."""
        with contextlib.suppress(OSError):  # the other end was quicker
            self._connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Give the socket back."""
        self._connection.close()

    def _take_in(self) -> bool:
        """Read what is there; return False when the other end has hung up."""
        chunk = self._connection.recv(_CHUNK_BYTES)
        self._read += chunk
        return bool(chunk)


def spelled(plain: object) -> str:
    """Return *plain* as it goes over the line."""
    return json.dumps(plain, separators=(",", ":"))


def message_on(line: bytes) -> Json:
    """Return the message on a *line*.

    Raises:
        MalformedMessage: There is none.
    """
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise MalformedMessage("no JSON") from error
    if not isinstance(message, dict):
        raise MalformedMessage("no JSON object")
    return message


@dataclass(frozen=True, slots=True)
class RpcMethod:
    """A method of a Protocol as it goes over the line.

    *hints* are the annotations of its parameters, *limits* what some may not exceed, *later* those
    that a table or a panel of before does without. *result* is the annotation of what it returns;
    of a stream, of each thing that comes.
    """

    name: str
    part: str
    attribute: str
    signature: inspect.Signature
    hints: Mapping[str, Any]
    defaults: Mapping[str, Any]
    limits: Mapping[str, ShortText]
    later: frozenset[str]
    result: Any
    is_stream: bool

    def params(self, *args: object, **kwargs: object) -> Json:
        """Return what goes over the line when the method is called like this."""
        told = {**self.defaults, **dict(zip(self.hints, args, strict=False)), **kwargs}
        if len(args) > len(self.hints) or told.keys() != self.hints.keys():
            self.signature.bind(self, *args, **kwargs)  # it says what is wrong, and is slow
        said = [
            one for one in self.hints if one not in self.later or told[one] != self.defaults[one]
        ]
        return {name: dump(told[name], self.hints[name]) for name in said}

    def arguments(self, params: object) -> dict[str, Any]:
        """Return what the method is to be called with, as *params* came over the line.

        Raises:
            MalformedMessage: A parameter is missing, does not fit or does not exist.
        """
        needed = self.hints.keys() - self.later
        if not isinstance(params, dict) or not needed <= params.keys() <= self.hints.keys():
            raise MalformedMessage(f"{self.name} wants {', '.join(self.hints) or 'nothing'}")
        return {name: self._argument(name, params[name]) for name in params}

    def _argument(self, name: str, plain: object) -> object:
        try:
            argument = load(self.hints[name], plain)
        except ValueError as error:
            raise MalformedMessage(f"{self.name} cannot be asked with such a {name}") from error
        if name in self.limits and not self.limits[name].holds(argument):
            raise MalformedMessage(f"{self.name} cannot be asked with such a {name}")
        return argument


@functools.cache
def rpc_methods(part: str) -> tuple[RpcMethod, ...]:
    """Return what one may ask *part*, a name in `PARTS`."""
    return tuple(_rpc_method(part, name, one) for name, one in methods_of(PARTS[part]).items())


def _rpc_method(part: str, name: str, function: Any) -> RpcMethod:
    hints, told = get_type_hints(function), get_type_hints(function, include_extras=True)
    result = hints.pop("return")
    if is_stream := get_origin(result) is Iterator:
        (result,) = get_args(result)
    signature = inspect.signature(function)
    notes = [
        (parameter, note)
        for parameter, hint in told.items()
        for note in getattr(hint, "__metadata__", ())
    ]
    return RpcMethod(
        name=f"{part}.{name}",
        part=part,
        attribute=name,
        signature=signature,
        hints=hints,
        defaults={
            one.name: one.default
            for one in signature.parameters.values()
            if one.default is not one.empty
        },
        limits={parameter: note for parameter, note in notes if isinstance(note, ShortText)},
        later=frozenset(parameter for parameter, note in notes if isinstance(note, AddedLater)),
        result=result,
        is_stream=is_stream,
    )


def failure(error: KlopleiError) -> Json:
    """Return *error* so that `raise_failure` raises it at the other end."""
    if isinstance(error, IllegalAction):
        return {"refused": error.reason, "facts": dump(error.facts, Facts)}
    word = next((word for word, kind in _FAILURES.items() if isinstance(error, kind)), "silent")
    said = sentence_of(error)
    if not isinstance(said, Sentence):
        return {word: str(error)}
    return {word: str(error), "cause": said.cause, "facts": dump(said.facts, Facts)}


def raise_failure(answer: Json) -> None:
    """Raise what `failure` made *answer* of, if it did.

    Raises:
        IllegalAction: Refused.
        BadRequest: Nobody understood it.
        JournalWriteError: The table could not write it down.
        TableUnavailable: The table could not do it.
    """
    match answer:
        case {"refused": str(reason), "facts": dict(facts)}:
            raise IllegalAction(reason, **load(Facts, facts))
    for word, kind in _FAILURES.items():
        match answer.get(word), answer:
            case str(english), {"cause": str(cause), "facts": dict(facts)}:
                raise kind(Sentence.sent(english, cause, load(Facts, facts)))
            case str(english), _:
                raise kind(english)
