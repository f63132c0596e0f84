"""One description of every shape: what a dataclass's annotations say is written, read and checked.

`dump` makes plain JSON of a value and `load` makes the value again; both follow the annotations,
through nested dataclasses, tuples, frozensets, mappings, enums, literals, bytes and unions. A new
field is on every wire at once. Where a wire differs from the code, the field's metadata says so:

``wire``
    What the field is called there, where that is not its name.
``sparse``
    It is left out when it is empty, not only when it is None.
``sentence``
    It is a sentence's key; the world sees it without its family, which its place names.
``deadline``
    It is a moment; the world, which has another clock, sees under this name the seconds left.
``implied``
    What an action means where somebody asks without it (`kloplei.table.actions`).
``secret``
    No error repeats what somebody gave for it.
``nullable``
    The world reads null where it is None; without, it is left out there.
``rest``
    It takes as they are all the words that are no other field, of who asks.

A `Form` says what holds for all of one place: the ``WORLD`` of pages and exports, what is
``ASKED`` from there, the ``SOCKET`` between the processes, the ``JOURNAL`` on disk. Where the
annotation is ``object``, as in `Facts`, the value says itself what it is: a tuple, a mapping,
plain, or a seat, which is marked where somebody has to tell it from a number: ``{"$seat": 2}``. A
dataclass that is another than its annotation says, one of a union or a subclass, is marked by its
name: ``{"$": "Fined", ...}``.
"""

import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from inspect import cleandoc
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.games.game import Facts, Seat
from kloplei.games.scoreboard import Within
from kloplei.words.catalogue import Sentence, Words

Json = dict[str, Any]
T = TypeVar("T")
Writer = Callable[[Any], Any]
Reader = Callable[[Any], Any]


class Misfit(KlopleiError, ValueError):
    """A value does not fit; the message says in English what would have done.

    Many are caught and never read, so that the sentence is made when somebody asks for it.

    Args:
        key: Of the sentence ``misfit.<key>``.
        fact: The outermost field that it was given for, if any, as the wire calls it.
        facts: What the sentence is filled in with.
    """

    def __init__(self, key: str, fact: str = "", /, **facts: object) -> None:
        self.fact = fact
        self._key, self._facts = f"misfit.{key}", facts
        super().__init__(key)

    def __str__(self) -> str:
        """Say it in English."""
        return Words("en").say(self._key, self._facts)

    def as_fact(self) -> Facts:
        """Return what does not fit as a fact of a sentence, which quotes it in any language."""
        return {"key": self._key, "facts": self._facts}


class _Told(Misfit):
    """A misfit that is a whole clause already: it names the fact that does not fit."""


@dataclass(frozen=True, slots=True)
class Form:
    """How one place spells what stands in the annotations.

    Attributes:
        first_seat: The number of the first seat: people count from 1.
        marks: Whether a seat among facts is marked, to be told from a number, and a dataclass
            that is another than its annotation says; without, a sentence's key stands without
            its family: ``stay`` for ``prompt.stay``.
        whole: Whether every field is written, None too, and a word that is no field is a
            misfit. Else the one who writes and the one who reads may be of different versions.
        seats: Places at the table, where more of them do not fit.
        clock: What tells how long it is until a deadline; None where they read the same clock,
            as all processes of one machine do, and the deadline stands itself.
        asked: Whether somebody asks for it, who may leave out only what has a default, and
            keeps to what `Within` says.
    """

    first_seat: int = 1
    marks: bool = True
    whole: bool = False
    seats: int | None = None
    clock: Callable[[], float] | None = None
    asked: bool = False


WORLD = Form(marks=False, clock=time.monotonic)
ASKED = Form(marks=False, asked=True)
SOCKET = Form()
JOURNAL = Form(first_seat=0, whole=True)

MOST_WHOLE = 2**53 - 1
"""The largest whole number that is taken from outside: every program reads it as it was written."""

_MARK = "$seat"
_KIND = "$"


def dump(value: object, hint: Any = None, form: Form = SOCKET) -> Any:
    """Return *value* as plain JSON.

    Args:
        value: What is to be written.
        hint: Its annotation; None is the class of *value*, and `object` for what holds others.
        form: Where it is to be read.
    """
    if hint is None:
        hint = object if isinstance(value, Mapping | tuple | list) else type(value)
    return _writer(hint, form)(value)


@overload
def load(hint: type[T], plain: object, form: Form = SOCKET) -> T: ...
@overload
def load(hint: Any, plain: object, form: Form = SOCKET) -> Any: ...
def load(hint: Any, plain: object, form: Form = SOCKET) -> Any:
    """Return what `dump` made *plain* of, as the annotation *hint* says.

    Raises:
        Misfit: It was made of something else; the message says what would have done.
    """
    return _reader_once(hint, form)(plain)


def describe(hint: Any) -> Json:
    """Return the JSON Schema of *hint* on the wire; a dataclass stands there by its name.

    Texts in an `Annotated` say what it means there, a `Within` how large it may be, or how long;
    a dict says in the words of JSON Schema what nothing here can.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _with_notes(describe(inner[0]), hint.__metadata__)
    if is_dataclass(hint):
        return {"$ref": f"#/components/schemas/{schema_name(hint)}"}
    if hint in _SCHEMAS:
        return dict(_SCHEMAS[hint])
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"type": "string", "enum": [one.value for one in hint]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, UnionType):
        kinds = [describe(one) for one in inner if one is not NoneType]
        schema = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
        return _nullable(schema) if NoneType in inner else schema
    if origin is tuple:
        return {"type": "array", **({"items": items} if (items := describe(inner[0])) else {})}
    return {"type": "object", "additionalProperties": describe(inner[1]) or True}


def shapes(*hints: Any, form: Form = WORLD) -> dict[str, Json]:
    """Return the JSON Schema of each dataclass that *hints* are made of.

    As the world reads them, or asks for them where the *form* is `ASKED`.
    """
    found: dict[str, Json] = {}
    waiting = list(hints)
    while waiting:
        hint = waiting.pop(0)
        if not is_dataclass(hint):
            waiting += get_args(hint)
        elif schema_name(hint) not in found:
            found[schema_name(hint)] = _record_schema(hint, form)
            waiting += get_type_hints(hint).values()
    return found


def schema_name(kind: Any) -> str:
    """Return how the dataclass *kind* is called where shapes are described."""
    return str(getattr(kind, "described_as", kind.__name__))


def wire_name(one: "Field[Any]", form: Form = WORLD) -> str:
    """Return how the dataclass field *one* is called outside the code, in *form*."""
    name = one.metadata.get("wire", one.name)
    return str(one.metadata.get("deadline", name) if form.clock else name)


@cache
def _writer(hint: Any, form: Form) -> Writer:
    """Return what makes plain JSON of a value that *hint* describes."""
    if hint is Seat:
        return lambda seat: int(seat) + form.first_seat
    if hint in (object, Any):
        return lambda fact: _written_fact(fact, form)
    if hint is Sentence:
        return _write_sentence if form.marks else _as_it_is
    if is_dataclass(hint):
        return _record_writer(hint, form)
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _union_writer(inner, form)
    if origin is tuple:
        return _tuple_writer(inner, form)
    if origin is frozenset:
        write = _writer(inner[0], form)
        return lambda some: sorted(map(write, some))
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping_writer(inner, form)
    return _scalar_writer(hint)


def _scalar_writer(hint: Any) -> Writer:
    if hint is bytes:
        return lambda some: b64encode(some).decode()
    if isinstance(hint, type) and issubclass(hint, Enum):
        return lambda one: one.value
    return _as_it_is


def _write_sentence(said: Sentence) -> Json:
    return {"english": str(said), "cause": said.cause, "facts": dump(said.facts, Facts)}


def _read_sentence(value: object) -> Sentence:
    match value:
        case {"english": str(english), "cause": str(cause), "facts": dict(facts)}:
            return Sentence.sent(english, cause, load(Facts, facts))
    raise Misfit("sentence")


def _as_it_is(value: Any) -> Any:
    return value


def _record_writer(kind: Any, form: Form) -> Writer:
    plan = [_field_plan(kind, one, form) for one in fields(kind) if one.init]

    def write(record: Any) -> Json:
        if record.__class__ is not kind:
            return _marked(record, form)
        plain = {}
        for name, word, whole, sparse, write_one in plan:
            value = getattr(record, name)
            if whole or not (value is None or (sparse and not value)):
                plain[word] = value if write_one is None else write_one(value)
        return plain

    return write


def _field_plan(
    kind: Any, one: "Field[Any]", form: Form
) -> tuple[str, str, bool, bool, Writer | None]:
    """Return a field's name, its word, if it is always there or sparse, and a writer if needed."""
    hint = _hints(kind)[one.name]
    whole = form.whole or "nullable" in one.metadata
    write = _writer(hint if whole else _without_none(hint), form)
    if "sentence" in one.metadata and not form.marks:
        write = _without_family
    if "deadline" in one.metadata and form.clock:
        write = _countdown(form.clock)
    needed = None if write is _as_it_is else write
    return one.name, wire_name(one, form), whole, "sparse" in one.metadata, needed


def _countdown(clock: Callable[[], float]) -> Writer:
    return lambda until_s: max(until_s - clock(), 0.0)


@cache
def _hints(kind: Any, *, with_notes: bool = False) -> Mapping[str, Any]:
    return get_type_hints(kind, include_extras=with_notes)  # takes milliseconds on a Pi


def _without_none(hint: Any) -> Any:
    if get_origin(hint) not in (Union, UnionType):
        return hint
    return Union[tuple(one for one in get_args(hint) if one is not NoneType)]  # noqa: UP007


def _without_family(key: str) -> str:
    return key.partition(".")[2] or key


def _union_writer(hints: tuple[Any, ...], form: Form) -> Writer:
    kinds = [one for one in hints if one is not NoneType]
    if all(_writer(one, form) is _as_it_is for one in kinds):
        return _as_it_is
    if len(kinds) == 1:
        write = _writer(kinds[0], form)
        return lambda value: None if value is None else write(value)
    return lambda value: _write_one_of(kinds, value, form)


def _write_one_of(hints: list[Any], value: object, form: Form) -> object:
    if is_dataclass(value):
        return _marked(value, form)
    for hint in hints:
        kind = get_origin(hint) or hint
        if isinstance(kind, type) and isinstance(value, kind):
            return _writer(hint, form)(value)
    return value


def _marked(record: object, form: Form) -> Json:
    mark = {_KIND: type(record).__name__} if form.marks else {}
    return {**mark, **dump(record, form=form)}


def _tuple_writer(inner: tuple[Any, ...], form: Form) -> Writer:
    writers = [_writer(one, form) for one in inner if one is not Ellipsis]
    if all(write is _as_it_is for write in writers):
        return list
    if inner[-1] is Ellipsis:
        write = writers[0]
        return lambda some: [write(one) for one in some]
    return lambda some: [write(one) for write, one in zip(writers, some, strict=True)]


def _mapping_writer(inner: tuple[Any, ...], form: Form) -> Writer:
    if object in inner or Any in inner:
        return lambda facts: _written_facts(facts, form)
    write_key, write = _writer(inner[0], form), _writer(inner[1], form)
    return lambda facts: {str(write_key(name)): write(one) for name, one in facts.items()}


_PLAIN = frozenset({str, int, float, bool, NoneType})


def _written_facts(facts: Mapping[Any, object], form: Form) -> Json:
    return {
        str(name + form.first_seat if isinstance(name, Seat) else name): _written_fact(one, form)
        for name, one in facts.items()
    }


def _written_fact(value: Any, form: Form) -> object:
    if value.__class__ in _PLAIN:
        return value
    match value:
        case Seat():
            seat = value + form.first_seat
            return {_MARK: seat} if form.marks else seat
        case tuple() | list():
            return [_written_fact(one, form) for one in value]
        case Mapping():
            return _written_facts(value, form)
        case Enum():
            return value.value
    return dump(value, form=form) if is_dataclass(value) else value


def _reader(hint: Any, form: Form) -> Reader:  # noqa: C901 - a flat list, a line a shape
    """Return what makes a value of plain JSON, or raises `Misfit` with what would have done."""
    if get_origin(hint) is Annotated:
        return _bounded_reader(_reader(get_args(hint)[0], form), hint.__metadata__)
    if hint is Seat:
        return lambda value: _seat(value, form)
    if hint in (object, Any):
        return lambda value: _fact(value, form)
    if hint is Sentence:
        return _read_sentence
    if is_dataclass(hint):
        kind: Any = hint
        return _record_reader(kind, form)
    if hint in _SCALARS:
        # What the journal holds was taken already, and all of it is to open.
        return _scalar_reader(hint, None if form == JOURNAL else MOST_WHOLE)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _choice_reader({one.value: one for one in hint})
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _choice_reader({one: one for one in inner})
    if origin in (Union, UnionType):
        return _union_reader(inner, form)
    if origin is tuple:
        return _tuple_reader(inner, form)
    if origin is frozenset:
        read_all = _tuple_reader((*inner, Ellipsis), form)
        return lambda value: frozenset(read_all(value))
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping_reader(inner, form)
    raise TypeError(f"{hint!r} describes nothing that can be read")


# For `load` alone: to a cache two literals are one whose words stand in another order, and a
# sentence about the second would name the words of the first.
_reader_once = cache(_reader)


def _seat(value: object, form: Form) -> Seat:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MOST_WHOLE:
        seat = value if isinstance(value, Seat) else Seat(value - form.first_seat)
        if (seat >= 0 or not form.whole) and (form.seats is None or seat < form.seats):
            return seat
    if form.seats is None:
        raise Misfit("seat-number", least=form.first_seat)
    raise Misfit("seat", least=form.first_seat, most=form.first_seat + form.seats - 1)


_SCALARS: Mapping[Any, str] = {
    bool: "bool",
    int: "whole",
    float: "number",
    str: "text",
    bytes: "bytes",
    NoneType: "nothing",
}
"""What each is called as a `Misfit`."""


def _scalar_reader(kind: Any, most: int | None) -> Reader:
    # Nearly all are what they should be: a scoreboard has hundreds, and is read at each change.
    if kind is not int or most is None:
        return lambda value: value if value.__class__ is kind else _scalar(kind, value, most)
    return lambda value: (
        value if value.__class__ is int and -most <= value <= most else _scalar(kind, value, most)
    )


def _scalar(kind: Any, value: Any, most: int | None) -> object:
    # A bool is an int to Python, never to a player.
    if isinstance(value, bool) is not (kind is bool):
        raise Misfit(_SCALARS[kind])
    if kind is int and most and isinstance(value, int) and abs(value) > most:
        raise Misfit("whole-up-to", most=most)
    if isinstance(value, kind) or (kind is float and isinstance(value, int)):
        return value
    if kind is bytes and isinstance(value, str):
        return _bytes(value)
    raise Misfit(_SCALARS[kind])


def _bytes(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise Misfit(_SCALARS[bytes]) from None


def _bounded_reader(read: Reader, notes: tuple[object, ...]) -> Reader:
    bounds = next((note for note in notes if isinstance(note, Within)), None)
    if bounds is None:
        return read
    least, most = bounds.least, float("inf") if bounds.most is None else bounds.most

    def read_within(value: object) -> object:
        found = read(value)
        size: Any = len(found) if isinstance(found, str) else found
        if size is None or least <= size <= most:
            return found
        if bounds.most is None:
            raise Misfit("at-least", least=least)
        raise Misfit("within", least=least, most=most)

    return read_within


def _choice_reader(choices: Mapping[Any, object]) -> Reader:
    """Return what reads one of *choices*; True is none where 1 is, nor the other way round."""
    typed = {(type(choice), choice): meant for choice, meant in choices.items()}
    wanted = ", ".join(repr(choice) for choice in choices)

    def read(value: Any) -> object:
        if isinstance(value, str | int | float | None) and (type(value), value) in typed:
            return typed[type(value), value]
        raise Misfit("choice", choices=wanted)

    return read


def _union_reader(hints: tuple[Any, ...], form: Form) -> Reader:
    kinds = [one for one in hints if is_dataclass(one)]
    if len(kinds) > 1:
        others = tuple(one for one in hints if not is_dataclass(one))
        readers = [_one_of_reader(kinds, form), *(_reader(one, form) for one in others)]
    else:
        readers = [_reader(one, form) for one in hints]

    def read(value: object) -> object:
        wanted: list[Misfit] = []
        for read_one in readers:
            try:
                return read_one(value)
            except _Told:
                raise
            except Misfit as misfit:
                wanted.append(misfit)
        raise _any_of(wanted)

    return read


def _one_of_reader(kinds: list[Any], form: Form) -> Reader:
    """Return what reads one of several dataclasses, told apart by the name it is marked with."""

    def read(value: object) -> object:
        if isinstance(value, Mapping) and _KIND in value:
            return _read_marked(kinds, value, form)
        raise _any_kind_of(kinds)

    return read


def _read_marked(kinds: list[Any], value: Mapping[str, Any], form: Form) -> object:
    bare = {word: one for word, one in value.items() if word != _KIND}
    for kind in kinds:
        found = _descendant(kind, value[_KIND])
        if found is not None:
            return _record_reader(found, form)(bare)
    raise _any_kind_of(kinds)


def _any_kind_of(kinds: list[Any]) -> Misfit:
    return _any_of([Misfit("kind", kind=one.__name__) for one in kinds])


def _any_of(wanted: Sequence[Misfit]) -> Misfit:
    """Return what says that each of *wanted* would have done."""
    *others, last = wanted
    if not others:
        return last
    return Misfit("or", one=_any_of(others).as_fact(), other=last.as_fact())


def _descendant(kind: Any, name: object) -> Any:
    """Return *kind* or the subclass of it that is called *name*, or None."""
    for one in reversed(kind.__subclasses__()):  # a slotted class comes after the one it replaced
        found = _descendant(one, name)
        if found is not None:
            return found
    return kind if kind.__name__ == name else None


def _tuple_reader(inner: tuple[Any, ...], form: Form) -> Reader:
    readers = [_reader(one, form) for one in inner if one is not Ellipsis]
    endless = inner[-1:] == (Ellipsis,)

    def read(value: object) -> tuple[object, ...]:
        if not isinstance(value, list | tuple):
            raise Misfit("list")
        if endless:
            return tuple(map(readers[0], value))
        if len(value) != len(readers):
            raise Misfit("list-of", count=len(readers))
        return tuple(read_one(one) for read_one, one in zip(readers, value, strict=True))

    return read


def _mapping_reader(inner: tuple[Any, ...], form: Form) -> Reader:
    if inner[1] in (object, Any) and not form.marks:
        return _plain_facts
    read_key, read_one = _key_reader(inner[0], form), _reader(inner[1], form)

    def read(value: object) -> dict[object, object]:
        if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
            raise Misfit("names")
        return {read_key(name): read_one(one) for name, one in value.items()}

    return read


def _plain_facts(value: object) -> dict[str, object]:
    if isinstance(value, Mapping) and all(
        isinstance(name, str) and isinstance(one, str | int | None) for name, one in value.items()
    ):
        return dict(value)
    raise Misfit("facts")


def _key_reader(hint: Any, form: Form) -> Reader:
    read = _reader(hint, form)
    if not (isinstance(hint, type) and issubclass(hint, int)):
        return read

    def read_number(name: str) -> object:
        try:
            return read(int(name))
        except ValueError:
            raise Misfit("numbers") from None

    return read_number


def _fact(value: object, form: Form) -> object:
    """Return *value*, which says itself what it is."""
    if value.__class__ in _PLAIN:
        return value
    match value:
        case list():
            return tuple(_fact(one, form) for one in value)
        case {"$seat": int(number)}:
            return Seat(number - form.first_seat)
        case dict():
            return {name: _fact(one, form) for name, one in value.items()}
    return value


@cache
def _record_reader(kind: Any, form: Form) -> Reader:
    hints = _hints(kind, with_notes=form.asked)
    rest = _rest_of(kind)
    plan = [
        (one, one.name, wire_name(one, form), _reader(hints[one.name], form))
        for one in fields(kind)
        if one.init and one is not rest
    ]
    known = {word for _, _, word, _ in plan}
    empty = {one.name: None for one, *_ in plan if _may_be_left_out(one, kind, form)}
    needed = {word for one, name, word, _ in plan if name not in empty and _has_no_default(one)}

    def read(value: object) -> object:
        if value.__class__ is not dict and not isinstance(value, Mapping):
            raise _any_kind_of([kind])
        given: Mapping[str, Any] = value
        if _KIND in given and form.marks:
            return _read_marked([kind], given, form)
        if form.whole and not known.issuperset(given):
            unknown = next(one for one in given if one not in known)
            raise _Told("unknown", word=repr(unknown))
        values: Json = dict(empty)
        for one, name, word, read_one in plan:
            if word in given:
                try:
                    values[name] = read_one(given[word])
                except Misfit as misfit:
                    raise _misfit_of(one, misfit, given[word]) from None
            elif word in needed:
                raise _Told("missing", word, word=repr(word))
        if rest is not None:
            values[rest.name] = {word: one for word, one in given.items() if word not in known}
        return kind(**values)

    return read


def _rest_of(kind: Any) -> "Field[Any] | None":
    return next((one for one in fields(kind) if "rest" in one.metadata), None)


def _misfit_of(one: "Field[Any]", misfit: Misfit, value: object) -> Misfit:
    """Return what to say of the *value* of a field, in which *misfit* was found."""
    word, why = wire_name(one), misfit.as_fact()
    if isinstance(misfit, _Told):
        return _Told("inside", word, word=repr(word), why=why)
    # Half of a secret may be right: it is not repeated even to who got it wrong.
    if "secret" in one.metadata:
        return _Told("must", word, word=repr(word), wanted=why)
    return _Told("must-not", word, word=repr(word), wanted=why, value=repr(value))


def _may_be_left_out(one: "Field[Any]", kind: Any, form: Form) -> bool:
    """Whether a field means None where it was left out."""
    return not (form.whole or form.asked) and NoneType in get_args(_hints(kind)[one.name])


_SCHEMAS: Mapping[Any, Json] = {
    object: {},
    Any: {},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    Sentence: {"type": "string"},
    bytes: {"type": "string", "contentEncoding": "base64"},
    Seat: {"type": "integer", "minimum": 1, "description": "Seat, counted from 1"},
}


def _with_notes(schema: Json, notes: tuple[object, ...]) -> Json:
    for note in notes:
        match note:
            case str():
                schema["description"] = note
            case dict():
                schema.update(note)
            case Within():
                schema.update(_bounds(note, "Length" if schema.get("type") == "string" else "imum"))
    return schema


def _bounds(within: Within, of: str) -> Json:
    return {
        word + of: bound
        for word, bound in (("min", within.least), ("max", within.most))
        if bound is not None
    }


def _nullable(schema: Json) -> Json:
    if not schema.keys() & {"enum", "type"}:
        return {"oneOf": [schema, {"type": "null"}]}
    if "enum" in schema:
        schema = {**schema, "enum": [*schema["enum"], None]}
    return {**schema, "type": [schema["type"], "null"]} if "type" in schema else schema


def _record_schema(kind: Any, form: Form) -> Json:
    hints, rest = _hints(kind, with_notes=True), _rest_of(kind)
    known = [one for one in fields(kind) if one.init and one is not rest]
    is_there = _has_no_default if form.asked else _is_always_there
    return {
        "type": "object",
        "description": _first_sentence(kind),
        "required": [wire_name(one) for one in known if is_there(one, hints[one.name])],
        "properties": {wire_name(one): _field_schema(one, hints[one.name], form) for one in known},
        **({} if rest is None else {"additionalProperties": True}),
    }


def _first_sentence(kind: Any) -> str:
    return cleandoc(kind.__doc__).replace("\n", " ").partition(". ")[0].removesuffix(".")


def _is_always_there(one: "Field[Any]", hint: Any) -> bool:
    if "nullable" in one.metadata:
        return True
    return "sparse" not in one.metadata and NoneType not in get_args(_bare(hint))


def _has_no_default(one: "Field[Any]", _hint: Any = None) -> bool:
    return one.default is MISSING and one.default_factory is MISSING


def _field_schema(one: "Field[Any]", hint: Any, form: Form) -> Json:
    """Return what is said of a field: where it is absent instead, it is never null nor empty."""
    notes = hint.__metadata__ if get_origin(hint) is Annotated else ()
    bare = _bare(hint)
    may_be_null = form.asked or "nullable" in one.metadata
    schema = _with_notes(describe(bare if may_be_null else _without_none(bare)), notes)
    if form.asked and one.default not in (MISSING, None):
        schema["default"] = one.default
    if form.asked and "integer" in schema.get("type", ()):
        schema.setdefault("maximum", MOST_WHOLE)
    if "sparse" not in one.metadata:
        return schema
    if bare is bool:
        schema["const"] = True
    if "enum" in schema:
        schema["enum"] = [word for word in schema["enum"] if word]
    return schema


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint
