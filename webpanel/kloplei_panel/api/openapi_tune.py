"""The part of the description that tells how a table is tuned."""

from typing import Any

from kloplei.table.tune import IDLE, STEPS

Json = dict[str, Any]

_TEXT: Json = {"type": "string"}
_NUMBER: Json = {"type": "integer"}
_SEAT: Json = {"type": "integer", "minimum": 1, "description": "Seat, counted from 1"}
_SAID = {
    400: "Unreadable, or a table that cannot be tuned",
    403: "Not allowed: not paired, or posted by another site",
    404: "There is no such seat",
    409: "Not now",
    413: "Too large",
    415: "Not JSON",
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
            "seats": {**_NUMBER, "minimum": 1, "description": "With begin: so many are to knock"},
            "seat": {**_SEAT, "description": "With redo: who is to knock again"},
        },
    }
    return {
        "/api/v1/tune": {
            "get": _op("tuneLook", "Where the tuning of the table stands", [400, 503]),
            "post": {
                **_op("tuneStep", "Do one step of it", [400, 403, 404, 409, 413, 415, 503]),
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": step}},
                },
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
                "commands": _list(_TEXT, "The steps that make sense now"),
                "in_force": _ref("Taught"),
                "text": {**_TEXT, "description": "What is to be done now"},
                "hint": {**_TEXT, "description": "What was wrong with the last try"},
                "seat": {**_SEAT, "description": "Whose knocks are wanted"},
                "count": {**_NUMBER, "description": "So much of it is done"},
                "of": _NUMBER,
                "level": {**_NUMBER, "minimum": 0, "maximum": 100},
                "seats": _list(_ref("TuneSeat"), "All that are to knock"),
                "remarks": _list(_ref("TuneRemark"), "What came of it, in plain words"),
                "proposed": _ref("Taught"),
            },
        },
        "TuneSeat": _object(
            {
                "seat": _SEAT,
                "count": _NUMBER,
                "of": _NUMBER,
                "state": {"enum": ["to_come", "now", "done", "skipped"]},
            }
        ),
        "TuneRemark": _object({"grade": {"enum": ["good", "fair", "poor"]}, "text": _TEXT}),
        "Taught": _object(
            {
                "tuned": {"type": "boolean"},
                "gain_db": {"type": "number"},
                "strictness": {"type": "number"},
                "wary": {"type": "boolean", "description": "Glasses or phones taught it"},
                "floor": _list({"type": "number"}, "Loudest sample by channel while all are quiet"),
                "seats": _list(_SEAT, "The seats that are told by how their knocks run"),
            }
        ),
    }


def _op(name: str, summary: str, errors: list[int]) -> Json:
    problems = {
        str(status): _body(_SAID[status], "Refusal" if status == 409 else "Problem")
        for status in errors
    }
    return {
        "operationId": name,
        "summary": summary,
        "responses": {"200": _body("As it stands", "TuneState"), **problems},
    }


def _body(said: str, schema: str) -> Json:
    return {"description": said, "content": {"application/json": {"schema": _ref(schema)}}}


def _list(of: Json, description: str) -> Json:
    return {"type": "array", "items": of, "description": description}


def _object(properties: Json) -> Json:
    return {"type": "object", "required": list(properties), "properties": properties}


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}
