"""The part of the description that tells of the ears."""

from collections.abc import Sequence
from typing import Any

from kloplei.table.ears import MOST_EVENTS
from kloplei.table.schema_parts import ref
from kloplei_panel.api.openapi_parts import as_it_stands, in_path, op, query, takes, whole

Json = dict[str, Any]

_SAID = {
    400: "Unreadable",
    404: "Not there",
    409: "Forgotten, or something else is suggested by now",
    503: "The table does not answer, or cannot write it down",
}
_NUMBER: Json = {"type": "integer", "minimum": 0}
_KEEPING: Json = {"keeping": ref("Keeping")}


def ears_paths() -> Json:
    """Return the addresses below ``/api/v1/ears``."""
    number = in_path("number", "Number of the event", _NUMBER)
    name = in_path("name", "Id of the suggestion")
    suggestions = "/api/v1/ears/suggestions/{name}"
    return {
        "/api/v1/ears/events": {
            "get": {
                **_op(
                    "earsEvents", "The last blows on the wood", ref("HeardEvents"), [400, 403, 503]
                ),
                "parameters": [query("limit", 1, MOST_EVENTS, 50)],
            }
        },
        "/api/v1/ears/events/{number}/mark": {
            "post": {
                **_op(
                    "earsMark",
                    "Say what a blow was in truth",
                    ref("HeardEvent"),
                    [400, 403, 404, 409, 413, 415, 503],
                ),
                "parameters": [number],
                "requestBody": takes(ref("Mark")),
            }
        },
        "/api/v1/ears/suggestion": {
            "get": _op(
                "earsSuggestion", "What the marks suggest", ref("MaybeSuggestion"), [403, 503]
            )
        },
        f"{suggestions}/take": {
            "post": {
                **_op("earsTake", "Do what it says", ref("Kept"), [400, 403, 409, 503]),
                "parameters": [name],
            }
        },
        f"{suggestions}/decline": {
            "post": {
                **_op("earsDecline", "Hear no more of it", ref("Kept"), [400, 403, 409, 503]),
                "parameters": [name],
            }
        },
        "/api/v1/ears/take-back": {
            "post": _op("earsTakeBack", "Undo what was taken", ref("Kept"), [400, 403, 409, 503])
        },
        "/api/v1/ears/meter": {
            "get": _op("earsMeter", "How loud it is on each channel", ref("Meter"), [403, 503])
        },
    }


def ears_schemas() -> Json:
    """Return what those addresses take and answer."""
    return {
        "HeardEvents": whole({"events": {"type": "array", "items": ref("HeardEvent")}, **_KEEPING}),
        "MaybeSuggestion": whole({"suggestion": {"oneOf": [ref("Suggestion"), {"type": "null"}]}}),
        "Kept": whole(_KEEPING),
        "Meter": whole({"parts": {"type": "array", "items": ref("Loudness")}}),
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


def _op(name: str, summary: str, answer: Json, errors: Sequence[int]) -> Json:
    return op(name, summary, as_it_stands(answer), _SAID, errors)
