"""What stands in the fields of a form, and in an address: numbers and seats."""

from flask import request

from kloplei.games.game import Seat
from kloplei_panel.reader import whole
from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem


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
