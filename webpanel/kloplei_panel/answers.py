"""Answers: pages for people and JSON for programs, true now and never again; and every error.

An error has a fitting status, a code and one sentence in the reader's language. Programs get
``{"error": code, "message": sentence}``, browsers a small page.
"""

import gzip
import logging
from functools import lru_cache
from typing import Annotated, Any, ClassVar

from flask import (
    Flask,
    Response,
    jsonify,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as AnyResponse

from kloplei.frozen import dataclass
from kloplei.games.game import Facts, IllegalAction
from kloplei.games.scoreboard import Line, Scoreboard
from kloplei.table.client import BadRequest, JournalWriteError, TableUnavailable
from kloplei.table.schema import dump
from kloplei_panel.context import panel
from kloplei_panel.reader import here, reader

logger = logging.getLogger(__name__)
_CODES = {
    400: "unreadable",
    403: "not_allowed",
    404: "not_found",
    405: "wrong_method",
    413: "too_large",
    415: "not_json",
}
# Of a page of 50 kB a tenth goes out; as small as it gets takes four times as long for 0.5 kB.
_QUICK = 4
# Phones that come at once; what each of them reads is perhaps 60 kB.
_KEPT_PACKED = 8
_AT_THE_DOOR = frozenset({"not_allowed", "keepers_only", "not_your_seat"})
RETRY_S = 2
_NOT_MODIFIED = 304


class Problem(Exception):
    """A request that cannot be served; *facts* fill in the sentence ``error.<code>``."""

    def __init__(self, status: int, code: str, **facts: object) -> None:
        self.status = status
        self.code = code
        self.facts = facts
        super().__init__(code)


@dataclass(frozen=True, slots=True)
class Failure:
    """What an answer says that is none."""

    described_as: ClassVar[str] = "Problem"
    error: Annotated[str, "A code"]
    message: str


@dataclass(frozen=True, slots=True)
class Refusal(Failure):
    """What the rules do not allow now."""

    described_as: ClassVar[str] = "Refusal"
    error: Annotated[str, "The reason's code, such as knock_limit"]
    message: Annotated[str, "One sentence fit to read out"]
    facts: Annotated[Facts, "What the sentence speaks of"]


def fresh_page(template: str, status: int = 200, /, **told: object) -> Response:
    """Return the page that *template* makes of all that is *told*."""
    return fresh(make_response(render_template(template, **told), status))


def fresh_json(told: object) -> Response:
    """Return all that is *told* as JSON, as the world writes it."""
    return fresh(as_json(told))


def fresh(answer: Response) -> Response:
    """Return *answer*, marked so that no browser and no proxy gives it a second time."""
    answer.headers["Cache-Control"] = "no-store"
    return answer


def takes_packed() -> bool:
    """Whether who asks takes gzip."""
    return request.accept_encodings.quality("gzip") > 0


def packed(answer: Response) -> Response:
    """Return *answer*, packed for who takes that, or that the phone has it already.

    Only for what everybody may read: how small it gets would tell a listener of a secret in it
    that stands beside the name somebody gave himself.
    """
    takes = takes_packed()
    answer.vary.add("Accept-Encoding")
    answer.add_etag()
    if takes:
        answer.set_etag(f"{answer.get_etag()[0]}-gzip")
    answer.make_conditional(request)
    if takes and answer.status_code != _NOT_MODIFIED:
        answer.set_data(_gzip(answer.get_data()))
        answer.headers["Content-Encoding"] = "gzip"
    return answer


@lru_cache(_KEPT_PACKED)
def _gzip(plain: bytes) -> bytes:
    return gzip.compress(plain, _QUICK, mtime=0)


def as_json(told: object) -> Response:
    """Return what came of a post as JSON; nobody has to be told not to keep that."""
    return jsonify(dump(told, form=panel().form))


def back_to(page: str, anchor: str = "", **which: Any) -> AnyResponse:
    """Return the way to the endpoint *page* after a post, for the place the reader came from."""
    return redirect(url_for(page, **which) + here() + anchor, 303)


def register(app: Flask) -> None:
    """Let *app* answer every error in our own shape."""
    app.register_error_handler(Problem, _problem)
    app.register_error_handler(IllegalAction, _refused)
    app.register_error_handler(BadRequest, _unreadable)
    app.register_error_handler(TableUnavailable, _silent)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _broken)


def why_not(error: Exception, silent: str = "") -> tuple[str, int]:
    """Return why the table did not do what a page asked for, and the fitting status.

    *silent* is what the page says where the table did not answer, or could not keep it.
    """
    if isinstance(error, IllegalAction):
        return refusal_sentence(error), 409
    if isinstance(error, BadRequest) and (typed := reader().why_no_option(error)):
        # A person wrote a house rule; all else is what programs send.
        return typed, 400
    if isinstance(error, BadRequest):
        # What it says is a sentence of its own; inside ours it needs no full stop.
        return reader().say("error.unreadable", detail=reader().why(error).removesuffix(".")), 400
    return reader().say(silent, message=reader().why(error)), 503


def refusal_sentence(error: IllegalAction) -> str:
    """Return why the table refused, in the reader's language and with the players' names."""
    try:
        board = panel().table.scoreboard()
    except TableUnavailable:
        # It has died since, and its no stands; seats are told by their numbers.
        board = Scoreboard("", "")
    key = f"reason.{error.reason}"
    sentence = reader().tell(Line(key, error.facts), board)
    return reader().say("error.refused", reason=error.reason) if sentence == key else sentence


def _problem(error: Problem) -> Response:
    message = reader().say(f"error.{error.code}", **error.facts)
    response = _answer(error.status, Failure(error.code, message))
    if "wait" in error.facts:
        response.headers["Retry-After"] = str(error.facts["wait"])
    return response


def _refused(error: IllegalAction) -> Response:
    return _answer(409, Refusal(error.reason, refusal_sentence(error), error.facts))


def _unreadable(error: BadRequest) -> Response:
    sentence, status = why_not(error)
    return _answer(status, Failure("unreadable", sentence))


def _silent(error: TableUnavailable) -> Response:
    logger.warning("The table did not do what was asked: %s", error)
    code = "not_kept" if isinstance(error, JournalWriteError) else "table_silent"
    # What is wrong with a disk, and what to do, only its own sentence says.
    message = reader().say(f"error.{code}", why=reader().why(error))
    response = _answer(503, Failure(code, message))
    response.headers["Retry-After"] = str(RETRY_S)
    return response


def _http(error: HTTPException) -> Response:
    status = error.code or 500
    # A redirect is no error.
    if status < 400:
        return Response(error.get_body(), status, error.get_headers())
    code = _CODES.get(status, "broken" if status >= 500 else "unreadable")
    message = reader().say(f"error.{code}", detail=error.name)
    response = _answer(status, Failure(code, message))
    for name, value in error.get_headers():
        if name in {"Allow", "Retry-After"}:
            response.headers[name] = value
    return response


def _broken(error: Exception) -> Response:
    logger.error("The panel failed at %s %s", request.method, request.path, exc_info=error)
    return _answer(500, Failure("broken", reader().say("error.broken")))


def _answer(status: int, told: Failure) -> Response:
    if _wants_page():
        page = render_template(
            "problem.html",
            reader=reader(),
            status=status,
            message=told.message,
            again=_address_again() if status == 503 else "",
            retry_s=RETRY_S,
            with_door=told.error in _AT_THE_DOOR and panel().pairing.locked,
            board=None,
        )
        response = Response(page, status, mimetype="text/html")
    else:
        response = as_json(told)
        response.status_code = status
    return fresh(response)


def _address_again() -> str:
    """Return where this page may be read again in a while; what was sent is not sent twice."""
    if request.method != "GET":
        return url_for("slate.page") + here()
    return request.full_path.removesuffix("?")


def _wants_page() -> bool:
    if request.path.startswith("/api/"):
        return False
    return request.accept_mimetypes.best_match(["application/json", "text/html"]) == "text/html"
