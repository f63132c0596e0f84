"""What the house does not do, or cannot now, in one sentence of its own."""

from typing import Final

import psycopg
from flask import Flask, Response, jsonify, request
from flask.typing import ResponseReturnValue

from kloplei_hub.database import HouseUnavailable
from kloplei_hub.web.context import page, say
from kloplei_panel.answers import fresh

RETRY_S: Final = 5


class Denial(Exception):
    """A request that is refused with that *status*; its sentence is ``error.<code>``."""

    def __init__(self, status: int, code: str) -> None:
        self.status = status
        self.code = code
        super().__init__(code)


def register(app: Flask) -> None:
    """Let *app* answer what it refuses, and that the database is silent."""
    app.register_error_handler(Denial, _refused)
    app.register_error_handler(HouseUnavailable, _silent)
    app.register_error_handler(psycopg.OperationalError, _silent)


def _refused(error: Denial) -> ResponseReturnValue:
    return _answer(error.status, error.code)


def _silent(_: Exception) -> ResponseReturnValue:
    """Answer that the database is silent; a page comes back by itself."""
    told = _answer(503, "silent", again=request.path if request.method == "GET" else "/")
    told.headers["Retry-After"] = str(RETRY_S)
    return told


def _answer(status: int, code: str, again: str = "") -> Response:
    message = say(f"error.{code}")
    if not request.path.startswith("/api/"):
        told = {"status": status, "message": message, "again": again, "retry_s": RETRY_S}
        return page("problem.html", status, **told)
    answer: Response = jsonify(error=code, message=message)
    answer.status_code = status
    return fresh(answer)
