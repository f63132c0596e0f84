"""What the ears tell the world, as JSON Schema; see `kloplei.table.wire_schema` for the rest."""

from kloplei.knock.verdict import Verdict
from kloplei.table.schema_parts import (
    NUMBER,
    SEAT,
    SECONDS,
    TEXT,
    Schema,
    list_of,
    object_of,
    ref,
    said,
)

_PART: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_VERDICT: Schema = {"type": "string", "enum": [*Verdict]}


EARS_SCHEMAS: dict[str, Schema] = {
    "Shape": object_of(
        "The outline of a blow where it was felt most",
        always={
            "span_s": said(SECONDS, "How long all of it lasts"),
            "onset_s": said(SECONDS, "When the blow began, from the left"),
            "lows": list_of(NUMBER, "Lowest sample of equal stretches, in 1/1000 of full scale"),
            "highs": list_of(NUMBER, "Highest sample of each"),
        },
        maybe={},
    ),
    "HeardEvent": object_of(
        "One blow on the wood, and what the box took it for",
        always={
            "number": said(NUMBER, "Counts up"),
            "verdict": _VERDICT,
            "likelihood": said(_PART, "How sure the box was that it was a knock"),
            "strength": _PART,
            "confidence": said(_PART, "How sure the box was of the seat"),
            "part": said(TEXT, "The sensor that felt it, such as `piezos` or `pad 3`"),
        },
        maybe={
            "seat": said(SEAT, "Absent where the box could not say"),
            "at": said({"type": "number"}, "Wall clock, seconds since 1970"),
            "shape": said(ref("Shape"), "Absent where only edges are known"),
            "was": said(_VERDICT, "What somebody has said that it was: knock or noise"),
            "was_seat": said(SEAT, "Whose it was, by the same mark"),
        },
    ),
    "Change": object_of(
        "What a suggestion would make of one event",
        always={"number": NUMBER, "before": _VERDICT, "after": _VERDICT},
        maybe={"seat_before": SEAT, "seat_after": SEAT},
    ),
    "Suggestion": object_of(
        "What the marks suggest; nothing of it is done until it is taken",
        always={
            "id": said(TEXT, "What it is taken or declined by"),
            "moves": list_of(ref("Line"), "What it would turn: stricter, milder, louder ..."),
            "kept": said(NUMBER, "So many events were judged anew"),
            "changes": list_of(ref("Change"), "Those of them that would come out otherwise"),
            "marked": said(NUMBER, "So many of them are marked"),
            "right_before": said(NUMBER, "So many of the marked ones are right now"),
            "right_after": said(NUMBER, "So many would be"),
        },
        maybe={},
    ),
    "Keeping": object_of(
        "What is kept of what was heard",
        always={
            "most": said(NUMBER, "So many events; 0 is switched off"),
            "kept": NUMBER,
            "taken": list_of(ref("Line"), "What was taken last and may be taken back"),
            "weighing": said({"type": "boolean"}, "Whether a suggestion is being worked out"),
        },
        maybe={"trouble": said(TEXT, "Why the disk does not take it")},
    ),
    "Loudness": object_of(
        "How loud it was on each channel of a sensor in the last second",
        always={"part": TEXT, "peaks": list_of(_PART, "By channel"), "age_s": SECONDS},
        maybe={},
    ),
}
