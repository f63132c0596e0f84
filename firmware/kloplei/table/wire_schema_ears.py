"""What the ears tell the world, as JSON Schema; see `kloplei.table.wire_schema` for the rest."""

from typing import Any

from kloplei.knock.verdict import Verdict

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "integer"}
_SECONDS: Schema = {"type": "number", "minimum": 0}
_SEAT: Schema = {"type": "integer", "minimum": 1, "description": "Seat, counted from 1"}
_PART: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_VERDICT: Schema = {"type": "string", "enum": [*Verdict]}


def _said(schema: Schema, description: str) -> Schema:
    return {**schema, "description": description}


def _list(of: Schema, description: str) -> Schema:
    return {"type": "array", "items": of, "description": description}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(description: str, *, always: dict[str, Schema], maybe: dict[str, Schema]) -> Schema:
    return {
        "type": "object",
        "description": description,
        "required": list(always),
        "properties": {**always, **maybe},
    }


EARS_SCHEMAS: dict[str, Schema] = {
    "Shape": _object(
        "The outline of a blow where it was felt most",
        always={
            "span_s": _said(_SECONDS, "How long all of it lasts"),
            "onset_s": _said(_SECONDS, "When the blow began, from the left"),
            "lows": _list(_NUMBER, "Lowest sample of equal stretches, in 1/1000 of full scale"),
            "highs": _list(_NUMBER, "Highest sample of each"),
        },
        maybe={},
    ),
    "HeardEvent": _object(
        "One blow on the wood, and what the box took it for",
        always={
            "number": _said(_NUMBER, "Counts up"),
            "verdict": _VERDICT,
            "likelihood": _said(_PART, "How sure the box was that it was a knock"),
            "strength": _PART,
            "confidence": _said(_PART, "How sure the box was of the seat"),
            "part": _said(_TEXT, "The sensor that felt it, such as `piezos` or `pad 3`"),
        },
        maybe={
            "seat": _said(_SEAT, "Absent where the box could not say"),
            "at": _said({"type": "number"}, "Wall clock, seconds since 1970"),
            "shape": _said(_ref("Shape"), "Absent where only edges are known"),
            "was": _said(_VERDICT, "What somebody has said that it was: knock or noise"),
            "was_seat": _said(_SEAT, "Whose it was, by the same mark"),
        },
    ),
    "Change": _object(
        "What a suggestion would make of one event",
        always={"number": _NUMBER, "before": _VERDICT, "after": _VERDICT},
        maybe={"seat_before": _SEAT, "seat_after": _SEAT},
    ),
    "Suggestion": _object(
        "What the marks suggest; nothing of it is done until it is taken",
        always={
            "id": _said(_TEXT, "What it is taken or declined by"),
            "moves": _list(_ref("Line"), "What it would turn: stricter, milder, louder ..."),
            "kept": _said(_NUMBER, "So many events were judged anew"),
            "changes": _list(_ref("Change"), "Those of them that would come out otherwise"),
            "marked": _said(_NUMBER, "So many of them are marked"),
            "right_before": _said(_NUMBER, "So many of the marked ones are right now"),
            "right_after": _said(_NUMBER, "So many would be"),
        },
        maybe={},
    ),
    "Keeping": _object(
        "What is kept of what was heard",
        always={
            "most": _said(_NUMBER, "So many events; 0 is switched off"),
            "kept": _NUMBER,
            "taken": _list(_ref("Line"), "What was taken last and may be taken back"),
            "weighing": _said({"type": "boolean"}, "Whether a suggestion is being worked out"),
        },
        maybe={"trouble": _said(_TEXT, "Why the disk does not take it")},
    ),
    "Loudness": _object(
        "How loud it was on each channel of a sensor in the last second",
        always={"part": _TEXT, "peaks": _list(_PART, "By channel"), "age_s": _SECONDS},
        maybe={},
    ),
}
