"""The whole HTTP interface described: ``/api/v1/openapi.json``, OpenAPI 3.1."""

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, Response, jsonify

from kloplei import __version__
from kloplei.rules.scoreboard import Scoreboard
from kloplei.table.client import LogEntry
from kloplei.table.ears import HeardEvent, Keeping, Loudness, Suggestion
from kloplei.table.schema import shapes
from kloplei.table.schema_parts import NUMBER, TEXT, ref
from kloplei_panel.api.demo import BOT_SPEEDS, MOST_HOLD_S, MOST_KNOCKS
from kloplei_panel.api.demo_wood import MOST_NUMBER
from kloplei_panel.api.openapi_door import door_paths, door_schemas
from kloplei_panel.api.openapi_ears import ears_paths, ears_schemas
from kloplei_panel.api.openapi_parts import as_it_stands, body, in_path, op, query, takes, whole
from kloplei_panel.api.openapi_tune import tune_paths, tune_schemas
from kloplei_panel.api.picture import MOST_SCALE
from kloplei_panel.api.scoreboard import MOST_LOG
from kloplei_panel.demo import KINDS
from kloplei_panel.panel import panel

bp = Blueprint("openapi", __name__, url_prefix="/api/v1")

Json = dict[str, Any]

_PART: Json = {"type": "number", "minimum": 0, "maximum": 1}
_SEAT = in_path(
    "number",
    "Seat, counted from 1 clockwise from the slate",
    {"type": "integer", "minimum": 1},
)


@bp.get("/openapi.json")
def openapi_json() -> Response:
    """Answer with the description; the demo's hooks are in it when there is a demo."""
    return jsonify(describe(with_demo=panel().demo is not None))


def describe(*, with_demo: bool) -> Json:
    """Return the OpenAPI document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Kloplei",
            "version": __version__,
            "license": {"name": "MIT", "identifier": "MIT"},
            "description": (
                "The table, as phones see it. Seats are counted from 1. Every error is "
                '`{"error": code, "message": sentence}`; the sentence is in the language of '
                "`?lang=`, of the cookie, or of `Accept-Language` (nl, en, de, da, ja). "
                "Asked by a name that is not the box's own, every address answers 403."
            ),
        },
        "servers": [{"url": "/"}],
        "paths": {
            **_paths(),
            **ears_paths(),
            **tune_paths(),
            **door_paths(),
            **(_demo_paths() if with_demo else {}),
        },
        "components": {
            "schemas": {
                **shapes(Scoreboard, LogEntry, HeardEvent, Suggestion, Keeping, Loudness),
                **ears_schemas(),
                **tune_schemas(),
                **door_schemas(),
                **_own_schemas(),
            }
        },
    }


def _paths() -> Json:
    return {
        "/": {"get": _op("slatePage", "The slate for phones", _page())},
        "/tv": {"get": _op("tvPage", "The same, large, without controls", _page())},
        "/api/v1/scoreboard": {
            "get": _op("scoreboard", "The whole scoreboard", as_it_stands(ref("Scoreboard")), [503])
        },
        "/api/v1/stream": {
            "get": {
                **_op("stream", "Every scoreboard, as server-sent events", _events(), [503]),
                "description": (
                    "An event `scoreboard` at once and at every change; its `id` is the "
                    "scoreboard's `seq`. Comments keep the line alive."
                ),
                "parameters": [
                    {
                        "name": "Last-Event-ID",
                        "in": "header",
                        "description": "Sent by a reader that comes back; it gets all of it",
                        "schema": TEXT,
                    }
                ],
            }
        },
        "/api/v1/seats/{number}/actions": {
            "post": {
                **_action("act", "Do something for a seat", [400, 403, 404, 413, 415, 503]),
                "parameters": [_SEAT],
            }
        },
        "/api/v1/actions": {
            "post": _action(
                "actAsKeeper", "Do something as keeper of the slate", [400, 403, 413, 415, 503]
            )
        },
        "/api/v1/log": {
            "get": {
                **_op("log", "The last steps of the evening", as_it_stands(ref("Log")), [400, 503]),
                "parameters": [query("limit", 1, MOST_LOG, 50)],
            }
        },
        "/api/v1/health": {
            "get": _op("health", "Whether all is well", as_it_stands(ref("Health")), [503]),
        },
        "/api/v1/openapi.json": {
            "get": _op("openapi", "This description", as_it_stands({"type": "object"})),
        },
        "/slate.png": {
            "get": {
                **_op(
                    "slatePicture",
                    "What stands on the OLED now, but for PIN and password",
                    _png(),
                    [400, 404, 503],
                ),
                "parameters": [query("scale", 1, MOST_SCALE, 1)],
            }
        },
    }


def _demo_paths() -> Json:
    times = {"type": "integer", "minimum": 1, "maximum": MOST_KNOCKS, "default": 1}
    for_s = {"type": "number", "minimum": 0, "maximum": MOST_HOLD_S, "default": 1}
    speed = {"type": "number", "minimum": BOT_SPEEDS[0], "maximum": BOT_SPEEDS[1], "default": 1}
    on = {"type": "boolean", "description": "false stops the bots"}
    seat_errors = [400, 403, 404, 413, 415]
    strike_errors = [400, 403, 413, 415, 503]
    return {
        "/demo": {"get": _op("demoPage", "The virtual table", _page())},
        "/demo/seats/{number}/knock": {
            "post": {
                **_hook("demoKnock", "Knock on a virtual pin", {"times": times}, seat_errors),
                "parameters": [_SEAT],
            }
        },
        "/demo/seats/{number}/hold": {
            "post": {
                **_hook("demoHold", "Hold a virtual button down", {"for_s": for_s}, seat_errors),
                "parameters": [_SEAT],
            }
        },
        "/demo/strike": {
            "post": {
                **_op("demoStrike", "Let something land on the wood", _landed(), strike_errors),
                "requestBody": takes(ref("Strike")),
            }
        },
        "/demo/heard": {
            "get": {
                **_op(
                    "demoHeard",
                    "What the box made of what landed",
                    as_it_stands(ref("Landings")),
                    [400],
                ),
                "parameters": [query("after", 0, MOST_NUMBER, 0)],
            }
        },
        "/demo/bots": {
            "post": _hook(
                "demoBots", "Let bots play", {"speed": speed, "on": on}, [400, 403, 413, 415]
            )
        },
        "/demo/box": {"get": _op("demoBox", "Lamp, buzzer and bots", as_it_stands(ref("Box")))},
    }


def _own_schemas() -> Json:
    return {
        "Ask": {
            "type": "object",
            "description": "An action out of the scoreboard, and the facts that it needs",
            "required": ["action"],
            "properties": {
                "action": {
                    **TEXT,
                    "minLength": 1,
                    "examples": ["knock", "stay", "undo", "accept_knock"],
                },
                "seen": {
                    "type": ["integer", "null"],
                    "minimum": 0,
                    "description": "The seq the asker was looking at; late answers are refused",
                },
            },
            "additionalProperties": True,
        },
        "Granted": whole({"seq": {**NUMBER, "description": "Its number in the journal"}}),
        "Problem": whole({"error": {**TEXT, "description": "A code"}, "message": TEXT}),
        "Refusal": whole(
            {
                "error": {**TEXT, "description": "The reason's code, such as knock_limit"},
                "message": {**TEXT, "description": "One sentence fit to read out"},
                "facts": {"type": "object", "description": "What the sentence speaks of"},
            }
        ),
        "Log": whole({"entries": {"type": "array", "items": ref("ToldLogEntry")}}),
        "ToldLogEntry": {"allOf": [ref("LogEntry"), whole({"text": TEXT})]},
        "Health": whole(
            {
                "status": {"const": "ok"},
                "seq": NUMBER,
                "streams": whole({"open": NUMBER, "most": NUMBER}),
                "notices": {"type": "array", "items": TEXT},
            }
        ),
        "Strike": {
            "type": "object",
            "description": (
                "Where it lands, as parts of the table: *x* along its length from the left, *y* "
                "across it from the edge that lies opposite the slate"
            ),
            "required": ["x", "y"],
            "properties": {
                "kind": {"enum": list(KINDS), "default": KINDS[0]},
                "x": _PART,
                "y": _PART,
            },
        },
        "Landings": whole({"heard": {"type": "array", "items": ref("Landing")}}),
        "Landing": _landing(),
        "Box": whole(
            {
                "lamp": {**TEXT, "pattern": "^#[0-9a-f]{6}$"},
                "buzzer_hz": {"type": ["number", "null"]},
                "bots_speed": {"type": ["number", "null"]},
            }
        ),
    }


def _landing() -> Json:
    return whole(
        {
            "number": NUMBER,
            "kind": {"enum": list(KINDS)},
            "x": _PART,
            "y": _PART,
            "near": {"type": ["integer", "null"], "description": "The seat at whose place it was"},
            "over": {"type": "boolean", "description": "The box will say no more about it"},
            "verdict": {"enum": ["knock", "doubtful", "noise", None]},
            "likelihood": {**_PART, "description": "How sure the box is that it was a knock"},
            "seat": {"type": ["integer", "null"], "description": "Whose it is, for the box"},
            "confidence": {**_PART, "description": "How sure the box is of the seat"},
            "right": {"type": ["boolean", "null"], "description": "Whether seat is near"},
            "blows": {**NUMBER, "description": "How many blows the box felt"},
            "decided_after_s": {"type": ["number", "null"]},
            "wave": {"type": "array", "items": {"type": "number"}},
            "text": {**TEXT, "description": "All of it in one breath"},
        }
    )


_SAID = {
    400: "Unreadable",
    404: "Not there",
    409: "Refused by the rules or too late",
    503: "The table does not answer, or too much is under way",
}


def _action(name: str, summary: str, errors: list[int]) -> Json:
    good = {"202": body("Done and written down", ref("Granted"))}
    return {**_op(name, summary, good, sorted([*errors, 409])), "requestBody": takes(ref("Ask"))}


def _hook(name: str, summary: str, asks: Json, errors: list[int]) -> Json:
    good = {"202": body("Done", {"type": "object"})}
    asked = {"type": "object", "properties": asks}
    return {**_op(name, summary, good, errors), "requestBody": takes(asked)}


def _landed() -> Json:
    return {"202": body("It is on its way", whole({"number": NUMBER}))}


def _page() -> Json:
    return {"200": body("A page", TEXT, "text/html")}


def _events() -> Json:
    return {"200": body("The data of each event is a Scoreboard", TEXT, "text/event-stream")}


def _png() -> Json:
    picture = {"200": body("One pixel a pixel, or scale squared", {}, "image/png")}
    return {**picture, "304": {"description": "Unchanged since If-None-Match"}}


def _op(name: str, summary: str, good: Json, errors: Sequence[int] = ()) -> Json:
    return op(name, summary, good, _SAID, errors)
