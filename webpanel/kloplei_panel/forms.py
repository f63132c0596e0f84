"""What stands in the fields of a form."""

from flask import request

from kloplei_panel.digits import whole
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
