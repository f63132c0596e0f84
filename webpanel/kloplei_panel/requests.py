"""What a request asks for: forms, addresses and JSON bodies, read with mistrust.

What cannot be read is a `Problem` that names the field; nothing of it reaches the table.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeGuard

from flask import request
from werkzeug.exceptions import RequestEntityTooLarge

from kloplei.games.game import Seat
from kloplei_panel.answers import Problem
from kloplei_panel.context import panel
from kloplei_panel.reader import whole

MOST_BYTES = 16 * 1024
# Options are the deepest: a table of names and values.
_MOST_DEEP = 4
# What every JSON reader holds exactly; far below SQLite's limit.
_MOST_INT = 2**53


class NotPlain(ValueError):
    """A JSON text that is broken, or holds what no action can need."""


@dataclass(frozen=True, slots=True)
class AskedAction:
    """One action asked for: its name, the ``seq`` the asker saw, and the facts it needs."""

    action: str
    seen: int | None
    facts: Mapping[str, object]


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


def in_address(name: str, usual: int, most: int, digits: int, problem: str) -> int:
    """Return the number from 1 to *most* that the address gives for *name*, else the *usual* one.

    Raises:
        Problem: 400, by the code *problem*: it is no such number, of up to so many *digits*.
    """
    number = whole(request.args.get(name, str(usual)), digits)
    if number is None or not 1 <= number <= most:
        raise Problem(400, problem, most=most)
    return number


def seat_numbered(number: int) -> Seat:
    """Return the seat that people call *number*.

    Raises:
        Problem: 404, the table has no such seat.
    """
    seats = panel().table.scoreboard().seats
    if not 1 <= number <= seats:
        raise Problem(404, "no_such_seat", number=number, seats=seats)
    return Seat(number - 1)


def read_ask() -> AskedAction:
    """Return what the body of this request asks for.

    Raises:
        Problem: It is no JSON object, or holds what no action can need.
    """
    body = read_object()
    action, seen = body.pop("action", None), body.pop("seen", None)
    if not isinstance(action, str) or not action:
        raise Problem(400, "no_action")
    if seen is not None and not is_whole(seen, 0, _MOST_INT):
        raise Problem(400, "unreadable", detail="seen")
    return AskedAction(action, seen, body)


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
        raise Problem(400, "unreadable", detail="JSON object")
    return body


def seat_in(asked: Mapping[str, object]) -> Seat | None:
    """Return the ``seat`` that is *asked* for in JSON, None where none is.

    Raises:
        Problem: 400: it is no number; 404: the table has no such seat.
    """
    number = asked.get("seat")
    if number is None:
        return None
    if not is_whole(number, -_MOST_INT, _MOST_INT):
        raise Problem(400, "unreadable", detail="seat")
    return seat_numbered(number)


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


def is_whole(value: object, least: int, most: int) -> TypeGuard[int]:
    """Return whether *value* is an int from *least* to *most*; a truth is no number."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def is_between(value: object, least: float, most: float) -> TypeGuard[float]:
    """Return whether *value* is a number from *least* to *most*; a truth is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return least <= value <= most


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
