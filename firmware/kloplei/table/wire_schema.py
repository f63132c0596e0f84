"""What `kloplei.table.wire` makes for the world, as JSON Schema for the API's description.

Stands under ``#/components/schemas`` of an OpenAPI 3.1 document. Absent means "does not
apply"; seats are 1-based; a later version may say more. ``tests/table/test_wire_schema.py``
holds it to the dataclasses.
"""

from typing import Any

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "integer"}
_SECONDS: Schema = {"type": "number", "minimum": 0}
_TRUE: Schema = {"type": "boolean", "const": True}
_SEAT: Schema = {"type": "integer", "minimum": 1, "description": "Seat, counted from 1"}
_FACTS: Schema = {
    "type": "object",
    "description": "What the sentence speaks of; seats in it are counted from 1",
    "additionalProperties": True,
}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _list(of: Schema, description: str) -> Schema:
    return {"type": "array", "items": of, "description": description}


def _counts(description: str) -> Schema:
    return {"type": "object", "additionalProperties": _NUMBER, "description": description}


def _said(schema: Schema, description: str) -> Schema:
    return {**schema, "description": description}


def _object(description: str, *, always: dict[str, Schema], maybe: dict[str, Schema]) -> Schema:
    return {
        "type": "object",
        "description": description,
        "required": list(always),
        "properties": {**always, **maybe},
    }


SCHEMAS: dict[str, Schema] = {
    "Line": _object(
        "A sentence in no language yet: its key, without the family that its place names",
        always={"key": _TEXT, "facts": _FACTS},
        maybe={},
    ),
    "Offer": _object(
        "An action that would be accepted now",
        always={"action": _TEXT},
        maybe={
            "needs": _list(_TEXT, "Names of the facts to send along"),
            "choices": {
                "type": "object",
                "additionalProperties": {"type": "array"},
                "description": "For each fact the values that are legal now",
            },
        },
    ),
    "Row": _object(
        "One player's line on the slate",
        always={
            "seat": _SEAT,
            "name": _TEXT,
            "tally": _said(_NUMBER, "Lives lost (toepen) or points so far"),
            "flags": _list(_TEXT, "Such as in_hand, folded, out, armoede, owes_drink"),
            "counts": _counts("Honours and debts of the evening: rubbers_won, drinks"),
            "actions": _list(_ref("Offer"), "What this seat may do now"),
        },
        maybe={
            "limit": _said(_NUMBER, "Where the tally ends"),
            "committed": _said(_NUMBER, "Stake that this seat has accepted"),
        },
    ),
    "Heard": _object(
        "A pattern of knocks that is still growing",
        always={"knocks": _NUMBER, "holding": {"type": "boolean"}},
        maybe={
            "seat": _said(_SEAT, "Absent where one sensor serves the whole table"),
            "doubtful": _said(_TRUE, "Some of it may have been no knock"),
        },
    ),
    "Doubt": _object(
        "A pattern that may have been none, until one knock or `accept_knock` says that it was",
        always={
            "knocks": _said(_NUMBER, "How many, the doubtful ones included"),
            "sure": _said(_NUMBER, "How many of them are beyond doubt"),
            "left_s": _said(_SECONDS, "Seconds left when this was sent"),
            "total_s": _SECONDS,
            "number": _said(_NUMBER, "What `accept_knock` and `dismiss_knock` may name it by"),
        },
        maybe={
            "seat": _said(_SEAT, "Absent where one sensor serves the whole table"),
            "action": _said(_TEXT, "What it would ask for"),
        },
    ),
    "Grace": _object(
        "An action that waits, and that a knock of another seat cancels",
        always={
            "seat": _SEAT,
            "action": _TEXT,
            "left_s": _said(_SECONDS, "Seconds left when this was sent"),
            "total_s": _SECONDS,
        },
        maybe={},
    ),
    "Tuning": _object(
        "The table is being tuned, and nobody plays",
        always={
            "step": _said(_TEXT, "quiet, glass, phone, knocks, weighing or result"),
            "prompt": _said(_ref("Line"), "What is to be done now"),
            "count": _said(_NUMBER, "So much of it is done"),
            "of": _NUMBER,
            "level": _said(_NUMBER, "How loud the wood is now, 0 to 100"),
        },
        maybe={
            "seat": _said(_SEAT, "Whose knocks are wanted"),
            "hint": _said(_ref("Line"), "What was wrong with the last try"),
        },
    ),
    "Hand": _object(
        "One finished deal of the running rubber",
        always={
            "number": _said(_NUMBER, "What `correct` names it by"),
            "how": _said(_TEXT, "How it ended: trick, folds, revoke, misdeal"),
            "paid": _counts("What each seat lost in it, by seat"),
        },
        maybe={"winner": _SEAT},
    ),
    "Scoreboard": _object(
        "The whole table at one moment",
        always={
            "seq": _said(_NUMBER, "Number of the newest entry in the journal"),
            "game": _TEXT,
            "phase": _TEXT,
            "seats": _said(_NUMBER, "Places at the table, taken or free"),
            "rows": _list(_ref("Row"), "The players"),
            "to_answer": _list(_SEAT, "Who must stay or fold"),
            "pots": _counts("What lies in the middle and outlives a deal"),
            "actions": _list(_ref("Offer"), "What the keeper of the slate may do now"),
            "hands": _list(_ref("Hand"), "The log of the running rubber"),
            "options": _said(_FACTS, "The house rules"),
            "notices": _list(_ref("Line"), "What is wrong with the box"),
        },
        maybe={
            "stake": _said(_NUMBER, "What this deal costs now"),
            "dealer": _SEAT,
            "leader": _said(_SEAT, "Who leads to the next trick"),
            "prompt": _said(_ref("Line"), "What the table waits for"),
            "news": _said(_ref("Line"), "What happened last"),
            "preset": _said(_TEXT, "Name under which the house rules go"),
            "heard": _ref("Heard"),
            "struck": _said(_TRUE, "The wood moved just now, and nobody knows yet what it was"),
            "doubt": _ref("Doubt"),
            "grace": _ref("Grace"),
            "asking": _said(_ref("Line"), "What a seat is asked, to answer with knocks"),
            "refused": _said(_ref("Line"), "Why the last gesture did nothing"),
            "shown": _said(_ref("Line"), "A gesture that is only shown"),
            "tuning": _ref("Tuning"),
        },
    ),
    "LogEntry": _object(
        "One step of the evening",
        always={
            "seq": _NUMBER,
            "via": _said(_TEXT, "How it was asked: pad, button, phone or table"),
            "line": _said(_ref("Line"), "What happened, as the slate told it afterwards"),
            "before": _list(_ref("Line"), "What the same step told before that, in order"),
            "undone": _said({"type": "boolean"}, "Whether it was taken back"),
            "names": {
                "type": "object",
                "additionalProperties": _TEXT,
                "description": "Who sat where then, by seat",
            },
        },
        maybe={
            "seat": _said(_SEAT, "Who did it; absent for the keeper of the slate"),
            "at": _said({"type": "number"}, "Wall clock, seconds since 1970; order is seq"),
            "undone_by": _said(_SEAT, "Who took it back"),
        },
    ),
}
