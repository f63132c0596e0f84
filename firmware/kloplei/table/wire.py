"""The scoreboard and its like as JSON: clean for the world, exact for the socket.

Both forms are made from the dataclasses' own fields, so that a new field is on the wire at
once. What is None is left out, seats are 1-based. For the world, a sentence's key stands
without its family, which its place names: ``stay-or-fold`` under ``prompt``. Among facts the
world cannot tell a seat from a number; for the socket it is marked, ``{"$seat": 2}``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin

from kloplei.rules.game import Facts, Seat
from kloplei.rules.scoreboard import Door, Hand, Heard, Line, Offer, Payment, Posting, Scoreboard
from kloplei.table.client import LogEntry
from kloplei.table.doctor import Finding
from kloplei.table.door import DoorAnswer
from kloplei.table.ears import (
    HeardEvent,
    Keeping,
    Loudness,
    Suggestion,
    TuneState,
)
from kloplei.table.field_hints import field_hints

Json = dict[str, Any]
T = TypeVar("T")

EarRecord = HeardEvent | Suggestion | Keeping | Loudness | TuneState

_MARK = "$seat"
_WORDS = {"offers": "actions"}  # where the wire's word is not the field's
_DROPPED_WHEN_EMPTY = {
    (Offer, "needs"),
    (Offer, "choices"),
    (Offer, "secret"),
    (Heard, "doubtful"),
    (Door, "knocks"),
    (Door, "press"),
    (Door, "let_in"),
    (Scoreboard, "deaf"),
    (Scoreboard, "struck"),
    (Scoreboard, "sides"),
    (Scoreboard, "accounts"),
    (Scoreboard, "announced"),
    (Line, "tone"),
    (Scoreboard, "told"),
    (Hand, "told"),
    (Hand, "ledger"),
    (Posting, "pots"),
    (Payment, "chips"),
    (Scoreboard, "draft"),
    (Scoreboard, "payments"),
}
_KEYS = {(Line, "key"), (Hand, "how")}  # names of sentences in `kloplei.words`


@dataclass(frozen=True, slots=True)
class _Form:
    """How a seat among facts and the key of a sentence are written."""

    seat: Callable[[Seat], object]
    key: Callable[[str], str]


_WORLD = _Form(seat=lambda seat: seat.shown, key=lambda key: key.partition(".")[2] or key)
_SOCKET = _Form(seat=lambda seat: {_MARK: seat.shown}, key=str)


def to_wire(board: Scoreboard) -> Json:
    """Return *board* as the world reads it; `kloplei.table.wire_schema` describes it."""
    return _record(board, _WORLD)


def log_to_wire(entry: LogEntry) -> Json:
    """Return *entry* as the world reads it."""
    return _record(entry, _WORLD)


def ears_to_wire(record: EarRecord) -> Json:
    """Return what the ears answer as the world reads it."""
    return _record(record, _WORLD)


def facts_to_wire(facts: Facts) -> Json:
    """Return the *facts* of a sentence or a refusal as the world reads them."""
    return _facts(facts, _WORLD)


def to_socket(record: Scoreboard | LogEntry | EarRecord | DoorAnswer | Finding) -> Json:
    """Return *record* so that `from_socket` gets it back."""
    return _record(record, _SOCKET)


def from_socket(kind: type[T], json: Json) -> T:
    """Return the *kind* that `to_socket` made *json* of; words it does not know are skipped.

    Raises:
        ValueError: It was made of something else.
    """
    try:
        return cast("T", _read(kind, json))
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"no {kind.__name__}: {error!r}") from error


def facts_to_socket(facts: Facts) -> Json:
    """Return *facts* so that `facts_from_socket` gets them back."""
    return _facts(facts, _SOCKET)


def facts_from_socket(json: Json) -> dict[str, object]:
    """Return the facts that `facts_to_socket` made *json* of."""
    return {name: _read_fact(value) for name, value in json.items()}


def _record(record: Any, form: _Form) -> Json:
    wire: Json = {}
    kind = record.__class__
    for name in field_hints(kind):
        value = getattr(record, name)
        if value is None or (not value and (kind, name) in _DROPPED_WHEN_EMPTY):
            continue
        word = _WORDS.get(name, name)
        wire[word] = form.key(value) if (kind, name) in _KEYS else _written(value, form)
    return wire


def _written(value: object, form: _Form) -> object:
    match value:
        case Seat():
            return value.shown
        case tuple():
            return [_written(one, form) for one in value]
        case Mapping():
            return _facts(value, form)
        case Enum():
            return value.value
    return _record(value, form) if is_dataclass(value) else value


def _facts(facts: Mapping[Any, object], form: _Form) -> Json:
    return {
        str(name.shown if isinstance(name, Seat) else name): _fact(value, form)
        for name, value in facts.items()
    }


def _fact(value: object, form: _Form) -> object:
    match value:
        case Seat():
            return form.seat(value)
        case tuple() | list():
            return [_fact(one, form) for one in value]
        case Mapping():
            return _facts(value, form)
        case Enum():
            return value.value
    return value


def _read(hint: Any, value: Any) -> object:
    """Return *value* as the type *hint* says; `object` is a fact, which says it itself."""
    if hint is Seat:
        return Seat(value - 1)
    if hint is object:
        return _read_fact(value)
    if is_dataclass(hint):
        return _read_record(cast("type", hint), value)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(value)
    inner = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        return _read(next(one for one in inner if one is not NoneType), value)
    if get_origin(hint) is tuple:
        return tuple(_read(inner[0], one) for one in value)
    if get_origin(hint) is Mapping:
        return {_read_key(inner[0], name): _read(inner[1], one) for name, one in value.items()}
    if not isinstance(value, hint) and not (hint is float and isinstance(value, int)):
        raise TypeError(f"{value!r} is no {hint.__name__}")
    return value


def _read_record(kind: type, wire: Json) -> object:
    values = {}
    for name, hint in field_hints(kind).items():
        word = _WORDS.get(name, name)
        if word in wire:
            values[name] = _read(hint, wire[word])
        elif NoneType in get_args(hint):
            values[name] = None
    return kind(**values)


def _read_key(hint: Any, name: str) -> object:
    return Seat(int(name) - 1) if hint is Seat else name


def _read_fact(value: object) -> object:
    match value:
        case list():
            return tuple(_read_fact(one) for one in value)
        case {"$seat": int(shown)}:
            return Seat(shown - 1)
        case dict():
            return {name: _read_fact(one) for name, one in value.items()}
    return value
