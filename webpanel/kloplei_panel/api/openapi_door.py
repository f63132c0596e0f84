"""The part of the description that tells how a phone is let in."""

from collections.abc import Sequence
from typing import Any

from kloplei.table.door import DoorState
from kloplei.table.schema_parts import SEAT, SECONDS, TEXT, ref
from kloplei_panel.api.openapi_parts import as_it_stands, body, op, takes

Json = dict[str, Any]

_SAID = {
    400: "Unreadable",
    404: "There is no such seat, or nobody has to ask here",
    409: "Not now: it asks already, asked in vain of late, or others wait",
    503: "The table does not answer",
}


def door_paths() -> Json:
    """Return the addresses of the door."""
    seat = {**SEAT, "type": ["integer", "null"], "description": "Left out: to keep the slate"}
    asks: Json = {"type": "object", "properties": {"seat": seat}}
    number = {"type": "integer", "minimum": 0, "description": "That of the scoreboard's door"}
    refuses: Json = {
        "type": "object",
        "required": ["number"],
        "properties": {"number": number},
    }
    asked = {"202": body("It asks", ref("Doorstep"))}
    return {
        "/api/v1/door": {
            "get": _op("doorLook", "What this phone may do, and how its question stands", [503]),
            "post": {
                **op(
                    "doorAsk",
                    "Ask to be let in by a knock on the table",
                    asked,
                    _SAID,
                    [400, 403, 404, 409, 413, 415, 503],
                ),
                "requestBody": takes(asks),
            },
            "delete": _op("doorWithdraw", "Ask no longer", [403, 503]),
        },
        "/api/v1/door/refuse": {
            "post": {
                **_op(
                    "doorRefuse",
                    "Turn away who asks, as the keeper of the slate",
                    [400, 403, 409, 413, 415, 503],
                ),
                "requestBody": takes(refuses),
            }
        },
    }


def door_schemas() -> Json:
    """Return what these addresses answer."""
    return {
        "Doorstep": {
            "type": "object",
            "required": ["may"],
            "properties": {
                "may": {"enum": ["look", "act", "keep"], "description": "act: for one seat"},
                "state": {"enum": [one.value for one in DoorState]},
                "word": {**TEXT, "description": "Stands on the slate as well"},
                "seat": {**SEAT, "description": "The seat it asked for"},
                "left_s": {**SECONDS, "description": "So long the question still stands"},
            },
        }
    }


def _op(name: str, summary: str, errors: Sequence[int]) -> Json:
    return op(name, summary, as_it_stands(ref("Doorstep")), _SAID, errors)
