"""What a request asks for: forms, addresses and JSON bodies, read with mistrust.

What cannot be read is a `Problem` that names the field; nothing of it reaches the table.
"""

import json
from collections.abc import Mapping
from typing import TypeVar
from urllib.parse import parse_qsl

from flask import request
from werkzeug.datastructures import ImmutableMultiDict
from werkzeug.exceptions import RequestEntityTooLarge

from kloplei.games.game import Seat
from kloplei.table.schema import ASKED, Misfit, load
from kloplei_panel.answers import Problem
from kloplei_panel.context import board_found
from kloplei_panel.reader import whole

MOST_BYTES = 16 * 1024
MOST_TAKE_BYTES = 400 * 1024  # eight seconds of plain samples, and the form about them
# Options are the deepest: a table of names and values.
_MOST_DEEP = 4
# What every JSON reader holds exactly; far below SQLite's limit.
_MOST_INT = 2**53
T = TypeVar("T")


class NotPlain(ValueError):
    """A JSON text that is broken, or holds what no action can need."""


def problem(code: str, **facts: object) -> Mapping[str, object]:
    """Return the metadata of a field of what is asked: the `Problem` of what does not fit it."""
    return {"problem": code, "facts": facts}


def read_body(kind: type[T]) -> T:
    """Return what the JSON object in the body of this request asks for: one of *kind*.

    Raises:
        Problem: 400 as the field says that does not fit, or the body is none as for `read_object`.
    """
    return _load(kind, read_object())


def read_body_if_any(kind: type[T]) -> T:
    """Return the same, or what a bare post asks for: all that *kind* has a default for."""
    return read_body(kind) if request.get_data() else _load(kind, {})


def read_address(kind: type[T], digits: int) -> T:
    """Return what the address asks for: one of *kind*, of numbers with up to so many *digits*.

    Raises:
        Problem: 400 as the field says that does not fit.
    """
    numbers = {name: whole(text, digits) for name, text in request.args.items()}
    return _load(kind, numbers)


def unfold_form() -> None:
    """Put into the form what one of its fields says at once: ``ask``, as an address writes it."""
    told = parse_qsl(request.form.get("ask", ""), keep_blank_values=True)
    request.form = ImmutableMultiDict([*request.form.items(multi=True), *told])


def in_form(field: str, most: int) -> int:
    """Return the number of up to *most* digits in that *field* of the form.

    Raises:
        Problem: 400: there is none in it.
    """
    number = whole(request.form.get(field, ""), most)
    if number is None:
        raise Problem(400, "unreadable", detail=field)
    return number


def seat_in_form(digits: int = 3) -> Seat | None:
    """Return the ``seat`` of the form, or None where it is left empty.

    Raises:
        Problem: 400: it is no number of up to so many *digits*; 404: the table has no such seat.
    """
    return seat_numbered(in_form("seat", digits)) if request.form.get("seat") else None


def seat_numbered(number: int) -> Seat:
    """Return the seat that people call *number*.

    Raises:
        Problem: 404, the table has no such seat.
    """
    seats = board_found().seats
    if not 1 <= number <= seats:
        raise Problem(404, "no_such_seat", number=number, seats=seats)
    return Seat(number - 1)


def known_seat(seat: Seat | None) -> Seat | None:
    """Return the *seat* that was asked for in JSON, None where none was.

    Raises:
        Problem: 404, the table has no such seat.
    """
    return None if seat is None else seat_numbered(seat.shown)


def read_object() -> dict[str, object]:
    """Return the JSON object in the body of this request.

    Raises:
        Problem: There is none, or it holds NaN, huge numbers or deep nests.
        RequestEntityTooLarge: It is longer than `MOST_BYTES`.
    """
    if not request.is_json:
        raise Problem(415, "not_json")
    # MAX_CONTENT_LENGTH does it for forms; for what is read whole, only from Flask 3.1 on.
    if (request.content_length or 0) > MOST_BYTES:
        raise RequestEntityTooLarge
    try:
        body = read_plain(request.get_data())
    except NotPlain:
        raise Problem(400, "unreadable", detail="JSON") from None
    if not isinstance(body, dict):
        raise Problem(400, "unreadable", detail="JSON {...}")
    return body


def read_plain(text: str | bytes) -> object:
    """Return the value of the JSON *text*.

    Raises:
        NotPlain: Broken, or NaN, numbers beyond what JSON readers hold exactly, half
            characters, nests deeper than any action needs.
    """
    try:
        value: object = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:  # ValueError: bad UTF-8, endless digits
        raise NotPlain from error
    if not _is_plain(value, _MOST_DEEP):
        raise NotPlain
    return value


def _load(kind: type[T], plain: object) -> T:
    try:
        return load(kind, plain, ASKED)
    except Misfit as misfit:
        told = kind.__dataclass_fields__[misfit.fact].metadata  # type: ignore[attr-defined]
        code, facts = told.get("problem", "unreadable"), told.get("facts", {})
        raise Problem(400, code, detail=misfit.fact, **facts) from None


def _is_plain(value: object, deep: int) -> bool:
    match value:
        case None | bool():
            return True
        case int() | float():
            return -_MOST_INT <= value <= _MOST_INT
        case str():
            # JSON can spell half of a surrogate pair, which nothing can store.
            return not any("\ud800" <= letter <= "\udfff" for letter in value)
        case list():
            return deep > 0 and all(_is_plain(one, deep - 1) for one in value)
        case dict():
            return deep > 0 and all(
                _is_plain(name, 0) and _is_plain(one, deep - 1) for name, one in value.items()
            )
    return False


def _refuse(text: str) -> object:
    raise ValueError(text)
