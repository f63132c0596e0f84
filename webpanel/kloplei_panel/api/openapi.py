"""The whole HTTP interface described: ``/api/v1/openapi.json``, OpenAPI 3.1.

One table of routes, and the shapes they take and answer. Those of the seam are made of their
dataclasses by `kloplei.table.schema`. It is put together at the first request and kept: that
takes some milliseconds, less than a file made at build would cost in rules to keep it fresh.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from flask import Blueprint, Response, jsonify

from kloplei import __version__
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard, Share
from kloplei.table.client import (
    IDLE,
    MOST_EVENTS,
    STEPS,
    HeardEvent,
    Keeping,
    LogEntry,
    Loudness,
    SeatStand,
    Suggestion,
)
from kloplei.table.schema import Json, shapes
from kloplei.table.schema import describe as schema_of
from kloplei.words import LANGUAGES
from kloplei_panel.api.demo import BOT_SPEEDS, MOST_HOLD_S, MOST_KNOCKS, MOST_NUMBER
from kloplei_panel.api.door import Doorstep
from kloplei_panel.api.table import MOST_LOG, MOST_SCALE
from kloplei_panel.context import KINDS, panel

bp = Blueprint("openapi", __name__, url_prefix="/api/v1")

_JSON = "application/json"
_TEXT = schema_of(str)
_NUMBER = schema_of(int)
_TRUTH = schema_of(bool)
_SEAT = schema_of(Seat)
_SHARE = schema_of(Share)
_FREE: Json = {"type": "object"}


@bp.get("/openapi.json")
def openapi_json() -> Response:
    """Answer with the description; the demo's hooks are in it when there is a demo."""
    return jsonify(describe(with_demo=panel().demo is not None))


@cache
def describe(*, with_demo: bool) -> Json:
    """Return the OpenAPI document."""
    paths: Json = {}
    for route in (*_ROUTES, *(_DEMO_ROUTES if with_demo else ())):
        paths.setdefault(route.path, {})[route.method] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Kloplei",
            "version": __version__,
            "license": {"name": "MIT", "identifier": "MIT"},
            "description": (
                "The table, as phones see it. Seats are counted from 1. Every error is "
                '`{"error": code, "message": sentence}`; the sentence is in the language of '
                f"`?lang=`, of the cookie, or of `Accept-Language` ({', '.join(LANGUAGES)}). "
                "Asked by a name that is not the box's own, every address answers 403."
            ),
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"schemas": _schemas()},
    }


@dataclass(frozen=True, slots=True)
class _Route:
    """One address and method: its name, what it is for, and what it answers when all is well.

    *good* are the answers by status, *errors* the statuses of what goes wrong; what *takes* a body
    has those of a bad body besides, and what is not for everybody that of too many tries.
    """

    method: str
    path: str
    name: str
    summary: str
    good: Json
    errors: tuple[int, ...] = ()
    takes: Json | None = None
    parameters: tuple[Json, ...] = ()
    description: str = ""


def _schemas() -> Json:
    made = shapes(*_KINDS)
    # Only the world's form of a line leaves out the family, so its class cannot say so.
    said = "A sentence in no language yet: its key, without the family that its place names"
    return {**made, "Line": _said(made["Line"], said), **_SHAPES}


def _operation(route: _Route) -> Json:
    operation: Json = {"operationId": route.name, "summary": route.summary}
    if route.description:
        operation["description"] = route.description
    if route.parameters:
        operation["parameters"] = list(route.parameters)
    if route.takes is not None:
        operation["requestBody"] = {"required": True, "content": {_JSON: {"schema": route.takes}}}
    return {**operation, "responses": {**route.good, **_problems(route)}}


def _problems(route: _Route) -> Json:
    statuses = {*route.errors, *((413, 415) if route.takes is not None else ())}
    if 403 in statuses:
        statuses.add(429)
    area = next((said for prefix, said in _SAID.items() if route.path.startswith(prefix)), {})
    said = {**_ALWAYS_SAID, **area}
    return {
        str(status): _answer(said[status], _ref("Refusal" if status == 409 else "Problem"))
        for status in sorted(statuses)
    }


_ALWAYS_SAID: Mapping[int, str] = {
    400: "Unreadable",
    403: "Not allowed: not paired, or posted by another site",
    404: "Not there",
    409: "Refused by the rules or too late",
    413: "Too large",
    415: "Not JSON",
    429: "Too much at once for a phone that may only look; Retry-After says how long to wait",
    503: "The table does not answer, or too much is under way",
}
_SAID: Mapping[str, Mapping[int, str]] = {
    "/api/v1/ears": {
        409: "Forgotten, or something else is suggested by now",
        503: "The table does not answer, or cannot write it down",
    },
    "/api/v1/tune": {
        400: "Unreadable, or a table that cannot be tuned",
        404: "There is no such seat",
        409: "Not now",
        503: "The table does not answer, or cannot save it",
    },
    "/api/v1/door": {
        404: "There is no such seat, or nobody has to ask here",
        409: "Not now: it asks already, asked in vain of late, or others wait",
        503: "The table does not answer",
    },
}
"""What a status means below an address, where that is something else than everywhere."""


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _said(schema: Json, description: str) -> Json:
    return {**schema, "description": description}


def _list_of(items: Json, description: str | None = None) -> Json:
    told = {} if description is None else {"description": description}
    return {"type": "array", "items": items, **told}


def _or_null(kind: str, **more: object) -> Json:
    return {"type": [kind, "null"], **more}


def _has(**properties: Json) -> Json:
    """Return an object that has all of *properties*."""
    return {"type": "object", "required": list(properties), "properties": properties}


def _may_have(*required: str, **properties: Json) -> Json:
    """Return an object of which only the *required* properties are always there."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", **needed, "properties": properties}


def _answer(said: str, schema: Json, kind: str = _JSON) -> Json:
    return {"description": said, "content": {kind: {"schema": schema}}}


def _as_it_stands(name: str) -> Json:
    return {"200": _answer("As it stands", _ref(name))}


def _kept(path: str, name: str, summary: str, *parameters: Json) -> _Route:
    """Return a step of the review, which answers with what is kept by now."""
    good, errors = _as_it_stands("Kept"), (400, 403, 409, 503)
    return _Route("post", path, name, summary, good, errors, parameters=parameters)


def _done(said: str, schema: Json) -> Json:
    return {"202": _answer(said, schema)}


def _span(least: float, most: float) -> Json:
    return {"type": "number", "minimum": least, "maximum": most, "default": 1}


def _query(name: str, least: int, most: int, default: int) -> Json:
    schema = {**_NUMBER, "minimum": least, "maximum": most, "default": default}
    return {"name": name, "in": "query", "schema": schema}


def _in_path(name: str, description: str, schema: Json) -> Json:
    told = {"name": name, "in": "path", "required": True}
    return {**told, "description": description, "schema": schema}


_LIVE = "An event `scoreboard` at once and at every change; its `id` is the scoreboard's `seq`. \
Comments keep the line alive."
_PAGE = {"200": _answer("A page", _TEXT, "text/html")}
_EVENTS = {"200": _answer("The data of each event is a Scoreboard", _TEXT, "text/event-stream")}
_PNG = {
    "200": _answer("One pixel a pixel, or scale squared", {}, "image/png"),
    "304": {"description": "Unchanged since If-None-Match"},
}
_GRANTED = _done("Done and written down", _ref("Granted"))
_AT_SEAT = _in_path(
    "number", "Seat, counted from 1 clockwise from the slate", {**_NUMBER, "minimum": 1}
)
_OF_EVENT = _in_path("number", "Number of the event", {**_NUMBER, "minimum": 0})
_OF_SUGGESTION = _in_path("name", "Id of the suggestion", _TEXT)
_LAST_EVENT: Json = {
    "name": "Last-Event-ID",
    "in": "header",
    "description": "Sent by a reader that comes back; it gets all of it",
    "schema": _TEXT,
}
_DOOR = "/api/v1/door"
_EARS = "/api/v1/ears"
_SUGGESTIONS = f"{_EARS}/suggestions/{{name}}"

_ROUTES = (
    _Route("get", "/", "slatePage", "The slate for phones", _PAGE),
    _Route("get", "/tv", "tvPage", "The same, large, without controls", _PAGE),
    _Route(
        *("get", "/api/v1/scoreboard", "scoreboard", "The whole scoreboard"),
        _as_it_stands("Scoreboard"),
        errors=(503,),
    ),
    _Route(
        *("get", "/api/v1/stream", "stream", "Every scoreboard, as server-sent events"),
        _EVENTS,
        errors=(503,),
        parameters=(_LAST_EVENT,),
        description=_LIVE,
    ),
    _Route(
        *("post", "/api/v1/seats/{number}/actions", "act", "Do something for a seat"),
        _GRANTED,
        errors=(400, 403, 404, 409, 503),
        takes=_ref("Ask"),
        parameters=(_AT_SEAT,),
    ),
    _Route(
        *("post", "/api/v1/actions", "actAsKeeper", "Do something as keeper of the slate"),
        _GRANTED,
        errors=(400, 403, 409, 503),
        takes=_ref("Ask"),
    ),
    _Route(
        *("get", "/api/v1/log", "log", "The last steps of the evening"),
        _as_it_stands("Log"),
        errors=(400, 503),
        parameters=(_query("limit", 1, MOST_LOG, 50),),
    ),
    _Route(
        *("get", "/api/v1/health", "health", "Whether all is well"),
        _as_it_stands("Health"),
        errors=(503,),
    ),
    _Route(
        *("get", "/api/v1/openapi.json", "openapi", "This description"),
        {"200": _answer("As it stands", _FREE)},
    ),
    _Route(
        *("get", "/slate.png", "slatePicture"),
        "What stands on the OLED now, but for PIN and password",
        _PNG,
        errors=(400, 404, 503),
        parameters=(_query("scale", 1, MOST_SCALE, 1),),
    ),
    _Route(
        *("get", f"{_EARS}/events", "earsEvents", "The last blows on the wood"),
        _as_it_stands("HeardEvents"),
        errors=(400, 403, 503),
        parameters=(_query("limit", 1, MOST_EVENTS, 50),),
    ),
    _Route(
        *("post", f"{_EARS}/events/{{number}}/mark", "earsMark", "Say what a blow was in truth"),
        _as_it_stands("HeardEvent"),
        errors=(400, 403, 404, 409, 503),
        takes=_ref("Mark"),
        parameters=(_OF_EVENT,),
    ),
    _Route(
        *("get", f"{_EARS}/suggestion", "earsSuggestion", "What the marks suggest"),
        _as_it_stands("MaybeSuggestion"),
        errors=(403, 503),
    ),
    _kept(f"{_SUGGESTIONS}/take", "earsTake", "Do what it says", _OF_SUGGESTION),
    _kept(f"{_SUGGESTIONS}/decline", "earsDecline", "Hear no more of it", _OF_SUGGESTION),
    _kept(f"{_EARS}/take-back", "earsTakeBack", "Undo what was taken"),
    _Route(
        *("get", f"{_EARS}/meter", "earsMeter", "How loud it is on each channel"),
        _as_it_stands("Meter"),
        errors=(403, 503),
    ),
    _Route(
        *("get", "/api/v1/tune", "tuneLook", "Where the tuning of the table stands"),
        _as_it_stands("TuneState"),
        errors=(400, 403, 503),
    ),
    _Route(
        *("post", "/api/v1/tune", "tuneStep", "Do one step of it"),
        _as_it_stands("TuneState"),
        errors=(400, 403, 404, 409, 503),
        takes=_may_have(
            "step",
            step={"enum": ["look", "begin", "next", "skip", "redo", "save", "quit", "back"]},
            seats=_said({**_NUMBER, "minimum": 1}, "With begin: so many are to knock"),
            seat=_said(_SEAT, "With redo: who is to knock again"),
        ),
    ),
    _Route(
        *("get", _DOOR, "doorLook", "What this phone may do, and how its question stands"),
        _as_it_stands("Doorstep"),
        errors=(503,),
    ),
    _Route(
        *("post", _DOOR, "doorAsk", "Ask to be let in by a knock on the table"),
        _done("It asks", _ref("Doorstep")),
        errors=(400, 403, 404, 409, 503),
        takes=_may_have(
            seat={**_SEAT, **_or_null("integer", description="Left out: to keep the slate")}
        ),
    ),
    _Route(
        *("delete", _DOOR, "doorWithdraw", "Ask no longer"),
        _as_it_stands("Doorstep"),
        errors=(403, 503),
    ),
    _Route(
        *("post", f"{_DOOR}/refuse", "doorRefuse"),
        "Turn away who asks, as the keeper of the slate",
        _as_it_stands("Doorstep"),
        errors=(400, 403, 409, 503),
        takes=_has(number=_said({**_NUMBER, "minimum": 0}, "That of the scoreboard's door")),
    ),
)

_DEMO_ROUTES = (
    _Route("get", "/demo", "demoPage", "The virtual table", _PAGE),
    _Route(
        *("post", "/demo/seats/{number}/knock", "demoKnock", "Knock on a virtual pin"),
        _done("Done", _FREE),
        errors=(400, 403, 404),
        takes=_may_have(times={**_NUMBER, "minimum": 1, "maximum": MOST_KNOCKS, "default": 1}),
        parameters=(_AT_SEAT,),
    ),
    _Route(
        *("post", "/demo/seats/{number}/hold", "demoHold", "Hold a virtual button down"),
        _done("Done", _FREE),
        errors=(400, 403, 404),
        takes=_may_have(for_s=_span(0, MOST_HOLD_S)),
        parameters=(_AT_SEAT,),
    ),
    _Route(
        *("post", "/demo/strike", "demoStrike", "Let something land on the wood"),
        _done("It is on its way", _has(number=_NUMBER)),
        errors=(400, 403, 503),
        takes=_ref("Strike"),
    ),
    _Route(
        *("get", "/demo/heard", "demoHeard", "What the box made of what landed"),
        _as_it_stands("Landings"),
        errors=(400,),
        parameters=(_query("after", 0, MOST_NUMBER, 0),),
    ),
    _Route(
        *("post", "/demo/bots", "demoBots", "Let bots play"),
        _done("Done", _FREE),
        errors=(400, 403),
        takes=_may_have(
            speed=_span(*BOT_SPEEDS),
            on=_said(_TRUTH, "false stops the bots"),
        ),
    ),
    _Route("get", "/demo/box", "demoBox", "Lamp, buzzer and bots", _as_it_stands("Box")),
)

_KINDS = (
    *(Scoreboard, LogEntry, HeardEvent, Suggestion),
    *(Keeping, Loudness, SeatStand, Doorstep),
)
_EXAMPLES = ["knock", "stay", "undo", "accept_knock"]
_SHAPES: Json = {
    "Ask": {
        **_may_have(
            "action",
            action={**_TEXT, "minLength": 1, "examples": _EXAMPLES},
            seen=_or_null(
                "integer",
                minimum=0,
                description="The seq the asker was looking at; late answers are refused",
            ),
        ),
        "description": "An action out of the scoreboard, and the facts that it needs",
        "additionalProperties": True,
    },
    "Granted": _has(seq=_said(_NUMBER, "Its number in the journal")),
    "Problem": _has(error=_said(_TEXT, "A code"), message=_TEXT),
    "Refusal": _has(
        error=_said(_TEXT, "The reason's code, such as knock_limit"),
        message=_said(_TEXT, "One sentence fit to read out"),
        facts=_said(_FREE, "What the sentence speaks of"),
    ),
    "Log": _has(entries=_list_of(_ref("ToldLogEntry"))),
    "ToldLogEntry": {"allOf": [_ref("LogEntry"), _has(text=_TEXT)]},
    "Health": _has(
        status={"const": "ok"},
        seq=_NUMBER,
        streams=_has(open=_NUMBER, most=_NUMBER),
        notices=_list_of(_TEXT),
    ),
    "HeardEvents": _has(events=_list_of(_ref("HeardEvent")), keeping=_ref("Keeping")),
    "MaybeSuggestion": _has(suggestion={"oneOf": [_ref("Suggestion"), {"type": "null"}]}),
    "Kept": _has(keeping=_ref("Keeping")),
    "Meter": _has(parts=_list_of(_ref("Loudness"))),
    "Mark": _may_have(
        "was",
        was=_said({"enum": ["knock", "noise", None]}, "null takes it back"),
        seat=_or_null("integer", minimum=1, description="Whose knock it was"),
    ),
    "TuneState": _may_have(
        *("step", "commands", "in_force"),
        step={"enum": [IDLE, *STEPS, "weighing"]},
        commands=_list_of(_TEXT, "The steps that make sense now"),
        in_force=_ref("Taught"),
        text=_said(_TEXT, "What is to be done now"),
        hint=_said(_TEXT, "What was wrong with the last try"),
        seat=_said(_SEAT, "Whose knocks are wanted"),
        count=_said(_NUMBER, "So much of it is done"),
        of=_NUMBER,
        level={**_NUMBER, "minimum": 0, "maximum": 100},
        seats=_list_of(_ref("TuneSeat"), "All that are to knock"),
        remarks=_list_of(_ref("TuneRemark"), "What came of it, in plain words"),
        proposed=_ref("Taught"),
    ),
    "TuneRemark": _has(grade={"enum": ["good", "fair", "poor"]}, text=_TEXT),
    "Taught": _has(
        tuned=_TRUTH,
        gain_db={"type": "number"},
        strictness={"type": "number"},
        wary=_said(_TRUTH, "Glasses or phones taught it"),
        floor=_list_of({"type": "number"}, "Loudest sample by channel in silence"),
        seats=_list_of(_SEAT, "The seats that are told by how their knocks run"),
    ),
    "Strike": {
        **_may_have(
            *("x", "y"), kind={"enum": list(KINDS), "default": KINDS[0]}, x=_SHARE, y=_SHARE
        ),
        "description": (
            "Where it lands, as parts of the table: *x* along its length from the left, *y* "
            "across it from the edge that lies opposite the slate"
        ),
    },
    "Landings": _has(heard=_list_of(_ref("Landing"))),
    "Landing": _has(
        number=_NUMBER,
        kind={"enum": list(KINDS)},
        x=_SHARE,
        y=_SHARE,
        near=_or_null("integer", description="The seat at whose place it was"),
        over=_said(_TRUTH, "The box will say no more about it"),
        verdict={"enum": ["knock", "doubtful", "noise", None]},
        likelihood=_said(_SHARE, "How sure the box is that it was a knock"),
        seat=_or_null("integer", description="Whose it is, for the box"),
        confidence=_said(_SHARE, "How sure the box is of the seat"),
        right=_or_null("boolean", description="Whether seat is near"),
        blows=_said(_NUMBER, "How many blows the box felt"),
        decided_after_s=_or_null("number"),
        wave=_list_of({"type": "number"}),
        text=_said(_TEXT, "All of it in one breath"),
    ),
    "Box": _has(
        lamp={**_TEXT, "pattern": "^#[0-9a-f]{6}$"},
        buzzer_hz=_or_null("number"),
        bots_speed=_or_null("number"),
    ),
}
"""What the panel itself takes and answers, which no class of the table is."""
