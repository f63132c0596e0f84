"""Events to journal facts and back, and asked-for facts to actions; all by type hints.

In the journal a seat is its 0-based number. In what an edge asks, a seat is a `Seat`, or
the number people see (a plain int, 1-based): `asked` is the one place that converts.

The metadata of an action's field may say what the fact is called on the wire (``fact``),
what it is when somebody asks without it (``implied``), and that nobody is told it (``secret``).
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from enum import Enum
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin

from kloplei.files import KlopleiError
from kloplei.rules.game import Action, Event, Facts, Seat
from kloplei.table.client import Unreadable
from kloplei.table.field_hints import field_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

ReadSeat = Callable[[object], Seat]

T = TypeVar("T", bound="DataclassInstance")


class UnknownEntry(KlopleiError, ValueError):
    """An entry of the journal that this version cannot read."""


class _Misfit(Exception):
    """A value does not fit; the argument says what would."""


def encode(event: Event) -> tuple[str, dict[str, object]]:
    """Return *event* as its name and its facts, ready for JSON."""
    return type(event).__name__, {
        one.name: _plain(getattr(event, one.name)) for one in fields(event)
    }


def decode(name: str, facts: Mapping[str, object], events: Mapping[str, type[Event]]) -> Event:
    """Return the event *name* with *facts*, as `encode` wrote them.

    Raises:
        UnknownEntry: No such event, or facts that do not fit it.
    """
    if name not in events:
        raise UnknownEntry(
            f"The journal holds an event {name!r} that this version does not know. "
            "Install the version that wrote it."
        )
    try:
        return _build(events[name], facts, _seat_from_journal)
    except _Misfit as misfit:
        raise UnknownEntry(f"The journal's event {name!r} cannot be read: {misfit}.") from None


def asked(
    actions: Mapping[str, type[Action]],
    name: str,
    seat: Seat | None,
    facts: Facts,
    *,
    seats: int,
) -> Action:
    """Return the action *name* of *seat* with *facts*.

    Args:
        actions: Every action there is, by name.
        name: The word on the wire.
        seat: Who asks; None is the keeper of the slate, who may give it as a fact.
        facts: Seats in them are `Seat`, or 1-based plain numbers.
        seats: Places at the table; a seat beyond them is unreadable.

    Raises:
        Unreadable: With a sentence that names what does not fit.
    """
    if name not in actions:
        raise Unreadable(f"No action is called {name!r}; the scoreboard lists those there are.")
    kind = actions[name]
    whole: dict[str, object] = dict(facts)
    if "seat" in field_hints(kind) and seat is not None:
        said = whole.get("seat", seat)
        if said != (seat if isinstance(said, Seat) else seat.shown):
            raise Unreadable(f"{name!r} is asked at seat {seat.shown}, but its facts say another.")
        whole["seat"] = seat
    for one in fields(kind):
        if "implied" in one.metadata:
            whole.setdefault(fact_name(one), one.metadata["implied"])
    try:
        return _build(kind, whole, _seat_from_wire(seats))
    except _Misfit as misfit:
        raise Unreadable(f"{name!r} cannot be done like this: {misfit}.") from None


def fact_name(one: "Field[Any]") -> str:
    """Return how the dataclass field *one* is called on the wire and in offers."""
    return str(one.metadata.get("fact", one.name))


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Enum):
        return value.value
    return int(value) if isinstance(value, Seat) else value


def _seat_from_journal(value: object) -> Seat:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return Seat(value)
    raise _Misfit("a seat number from 0")


def _seat_from_wire(seats: int) -> ReadSeat:
    def read(value: object) -> Seat:
        if isinstance(value, int) and not isinstance(value, bool):
            seat = value if isinstance(value, Seat) else Seat(value - 1)
            if 0 <= seat < seats:
                return seat
        raise _Misfit(f"a seat from 1 to {seats}")

    return read


def _build(kind: type[T], facts: Mapping[str, object], read_seat: ReadSeat) -> T:
    known = {fact_name(one): one for one in fields(kind)}
    for fact in facts:
        if fact not in known:
            raise _Misfit(f"it has no fact {fact!r}")
    values: dict[str, object] = {}
    for fact, one in known.items():
        if fact in facts:
            values[one.name] = _fact(one, field_hints(kind)[one.name], facts[fact], read_seat)
        elif one.default is MISSING and one.default_factory is MISSING:
            raise _Misfit(f"the fact {fact!r} is missing")
    return kind(**values)


def _fact(one: "Field[Any]", hint: Any, value: object, read_seat: ReadSeat) -> object:
    try:
        return _fit(hint, value, read_seat)
    except _Misfit as misfit:
        # Half of a secret may be right: it is not repeated even to who got it wrong.
        but = "" if "secret" in one.metadata else f", not {value!r}"
        raise _Misfit(f"the fact {fact_name(one)!r} must be {misfit}{but}") from None


def _fit(hint: Any, value: object, read_seat: ReadSeat) -> object:
    """Return *value* as *hint* wants it; raise `_Misfit` with what would have done."""
    if hint is Seat:
        return read_seat(value)
    if hint in _SCALARS:
        # A bool is an int to Python, never to a player.
        if isinstance(value, hint) and (hint is bool or not isinstance(value, bool)):
            return value
        raise _Misfit(_SCALARS[hint])
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _one_of({one.value: one for one in hint}, value)
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _one_of({one: one for one in inner}, value)
    if origin in (Union, UnionType):
        return _fit_any(inner, value, read_seat)
    if origin is tuple:
        return _fit_tuple(inner, value, read_seat)
    if origin is not None and issubclass(origin, Mapping):
        return _fit_mapping(value)
    raise TypeError(f"{hint!r} is no type hint for a fact")


_SCALARS: Mapping[type, str] = {
    bool: "true or false",
    int: "a whole number",
    str: "a text",
    NoneType: "nothing",
}


def _one_of(choices: Mapping[Any, object], value: object) -> object:
    for choice, meant in choices.items():
        if type(choice) is type(value) and choice == value:
            return meant
    raise _Misfit("one of " + ", ".join(repr(choice) for choice in choices))


def _fit_any(hints: tuple[Any, ...], value: object, read_seat: ReadSeat) -> object:
    wanted = []
    for hint in hints:
        try:
            return _fit(hint, value, read_seat)
        except _Misfit as misfit:
            wanted.append(str(misfit))
    raise _Misfit(" or ".join(wanted))


def _fit_tuple(inner: tuple[Any, ...], value: object, read_seat: ReadSeat) -> object:
    if not isinstance(value, list | tuple):
        raise _Misfit("a list")
    hints = (inner[0],) * len(value) if inner[-1:] == (Ellipsis,) else inner
    if len(hints) != len(value):
        raise _Misfit(f"a list of {len(hints)}")
    return tuple(_fit(hint, one, read_seat) for hint, one in zip(hints, value, strict=True))


def _fit_mapping(value: object) -> object:
    if isinstance(value, Mapping) and all(
        isinstance(name, str) and isinstance(one, str | int | NoneType)
        for name, one in value.items()
    ):
        return dict(value)
    raise _Misfit("a list of names with texts, numbers, true, false or nothing")
