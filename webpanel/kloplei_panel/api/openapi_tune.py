"""The part of the description that tells how a table is tuned."""

from collections.abc import Sequence
from typing import Any

from kloplei.table.schema_parts import NUMBER, SEAT, TEXT, list_of, ref
from kloplei.table.tune import IDLE, STEPS
from kloplei_panel.api.openapi_parts import as_it_stands, op, takes, whole

Json = dict[str, Any]

_SAID = {
    400: "Unreadable, or a table that cannot be tuned",
    404: "There is no such seat",
    409: "Not now",
    503: "The table does not answer, or cannot save it",
}
_ASKED = ("look", "begin", "next", "skip", "redo", "save", "quit", "back")


def tune_paths() -> Json:
    """Return the one address of a tuning."""
    step = {
        "type": "object",
        "required": ["step"],
        "properties": {
            "step": {"enum": list(_ASKED)},
            "seats": {**NUMBER, "minimum": 1, "description": "With begin: so many are to knock"},
            "seat": {**SEAT, "description": "With redo: who is to knock again"},
        },
    }
    return {
        "/api/v1/tune": {
            "get": _op("tuneLook", "Where the tuning of the table stands", [400, 403, 503]),
            "post": {
                **_op("tuneStep", "Do one step of it", [400, 403, 404, 409, 413, 415, 503]),
                "requestBody": takes(step),
            },
        }
    }


def tune_schemas() -> Json:
    """Return what that address answers."""
    return {
        "TuneState": {
            "type": "object",
            "required": ["step", "commands", "in_force"],
            "properties": {
                "step": {"enum": [IDLE, *STEPS, "weighing"]},
                "commands": list_of(TEXT, "The steps that make sense now"),
                "in_force": ref("Taught"),
                "text": {**TEXT, "description": "What is to be done now"},
                "hint": {**TEXT, "description": "What was wrong with the last try"},
                "seat": {**SEAT, "description": "Whose knocks are wanted"},
                "count": {**NUMBER, "description": "So much of it is done"},
                "of": NUMBER,
                "level": {**NUMBER, "minimum": 0, "maximum": 100},
                "seats": list_of(ref("TuneSeat"), "All that are to knock"),
                "remarks": list_of(ref("TuneRemark"), "What came of it, in plain words"),
                "proposed": ref("Taught"),
            },
        },
        "TuneSeat": whole(
            {
                "seat": SEAT,
                "count": NUMBER,
                "of": NUMBER,
                "state": {"enum": ["to_come", "now", "done", "skipped"]},
            }
        ),
        "TuneRemark": whole({"grade": {"enum": ["good", "fair", "poor"]}, "text": TEXT}),
        "Taught": whole(
            {
                "tuned": {"type": "boolean"},
                "gain_db": {"type": "number"},
                "strictness": {"type": "number"},
                "wary": {"type": "boolean", "description": "Glasses or phones taught it"},
                "floor": list_of({"type": "number"}, "Loudest sample by channel in silence"),
                "seats": list_of(SEAT, "The seats that are told by how their knocks run"),
            }
        ),
    }


def _op(name: str, summary: str, errors: Sequence[int]) -> Json:
    return op(name, summary, as_it_stands(ref("TuneState")), _SAID, errors)
