"""The part of the description that tells of the ears."""

from typing import Any

from kloplei.table.ears import MOST_EVENTS
from kloplei.table.wire_schema_ears import EARS_SCHEMAS

Json = dict[str, Any]

_SAID = {
    400: "Unreadable",
    403: "Not allowed: not paired, or posted by another site",
    404: "Not there",
    409: "Forgotten, or something else is suggested by now",
    413: "Too large",
    415: "Not JSON",
    503: "The table does not answer, or cannot write it down",
}
_NUMBER: Json = {"type": "integer", "minimum": 0}
_KEEPING: Json = {"keeping": {"$ref": "#/components/schemas/Keeping"}}


def ears_paths() -> Json:
    """Return the addresses below ``/api/v1/ears``."""
    number = _in_path("number", "Number of the event", _NUMBER)
    name = _in_path("name", "Id of the suggestion", {"type": "string"})
    suggestions = "/api/v1/ears/suggestions/{name}"
    return {
        "/api/v1/ears/events": {
            "get": {
                **_op("earsEvents", "The last blows on the wood", _ref("HeardEvents"), [400, 503]),
                "parameters": [_limit()],
            }
        },
        "/api/v1/ears/events/{number}/mark": {
            "post": {
                **_op(
                    "earsMark",
                    "Say what a blow was in truth",
                    _ref("HeardEvent"),
                    [400, 403, 404, 409, 413, 415, 503],
                ),
                "parameters": [number],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": _ref("Mark")}},
                },
            }
        },
        "/api/v1/ears/suggestion": {
            "get": _op("earsSuggestion", "What the marks suggest", _ref("MaybeSuggestion"), [503])
        },
        f"{suggestions}/take": {
            "post": {
                **_op("earsTake", "Do what it says", _ref("Kept"), [403, 409, 503]),
                "parameters": [name],
            }
        },
        f"{suggestions}/decline": {
            "post": {
                **_op("earsDecline", "Hear no more of it", _ref("Kept"), [403, 409, 503]),
                "parameters": [name],
            }
        },
        "/api/v1/ears/take-back": {
            "post": _op("earsTakeBack", "Undo what was taken", _ref("Kept"), [403, 409, 503])
        },
        "/api/v1/ears/meter": {
            "get": _op("earsMeter", "How loud it is on each channel", _ref("Meter"), [503])
        },
    }


def ears_schemas() -> Json:
    """Return what those addresses take and answer."""
    return {
        **EARS_SCHEMAS,
        "HeardEvents": _object({"events": _list("HeardEvent"), **_KEEPING}),
        "MaybeSuggestion": _object(
            {"suggestion": {"oneOf": [_ref("Suggestion"), {"type": "null"}]}}
        ),
        "Kept": _object(_KEEPING),
        "Meter": _object({"parts": _list("Loudness")}),
        "Mark": {
            "type": "object",
            "required": ["was"],
            "properties": {
                "was": {"enum": ["knock", "noise", None], "description": "null takes it back"},
                "seat": {
                    "type": ["integer", "null"],
                    "minimum": 1,
                    "description": "Whose knock it was",
                },
            },
        },
    }


def _op(name: str, summary: str, answer: Json, errors: list[int]) -> Json:
    problems = {
        str(status): _body(_SAID[status], _ref("Refusal" if status == 409 else "Problem"))
        for status in errors
    }
    return {
        "operationId": name,
        "summary": summary,
        "responses": {"200": _body("As it stands", answer), **problems},
    }


def _body(said: str, schema: Json) -> Json:
    return {"description": said, "content": {"application/json": {"schema": schema}}}


def _in_path(name: str, description: str, schema: Json) -> Json:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": description,
        "schema": schema,
    }


def _limit() -> Json:
    schema = {"type": "integer", "minimum": 1, "maximum": MOST_EVENTS, "default": 50}
    return {"name": "limit", "in": "query", "schema": schema}


def _list(of: str) -> Json:
    return {"type": "array", "items": _ref(of)}


def _object(properties: Json) -> Json:
    return {"type": "object", "required": list(properties), "properties": properties}


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}
