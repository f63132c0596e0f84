"""What `kloplei.table.schema` makes for the world, as JSON Schema for the API's description.

Stands under ``#/components/schemas`` of an OpenAPI 3.1 document. Absent means "does not
apply"; seats are 1-based; a later version may say more. ``tests/table/test_wire_schema.py``
holds it to the dataclasses.
"""

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

_TRUE: Schema = {"type": "boolean", "const": True}
_FACTS: Schema = {
    "type": "object",
    "description": "What the sentence speaks of; seats in it are counted from 1",
    "additionalProperties": True,
}


def _counts(description: str) -> Schema:
    return {"type": "object", "additionalProperties": NUMBER, "description": description}


SCHEMAS: dict[str, Schema] = {
    "Line": object_of(
        "A sentence in no language yet: its key, without the family that its place names",
        always={"key": TEXT, "facts": _FACTS},
        maybe={"tone": said(TEXT, "How much it matters: told, shout, fanfare or crown")},
    ),
    "Offer": object_of(
        "An action that would be accepted now",
        always={"action": TEXT},
        maybe={
            "needs": list_of(TEXT, "Names of the facts to send along"),
            "choices": {
                "type": "object",
                "additionalProperties": {"type": "array"},
                "description": "For each fact the values that are legal now",
            },
            "secret": said(_TRUE, "What is sent along is repeated to nobody"),
        },
    ),
    "Row": object_of(
        "One player's line on the slate",
        always={
            "seat": SEAT,
            "name": TEXT,
            "tally": said(NUMBER, "Lives lost (toepen) or points so far"),
            "flags": list_of(TEXT, "Such as in_hand, folded, out, armoede, raised, gestrichen"),
            "counts": _counts("Honours and debts of the evening: rubbers_won, drinks"),
            "actions": list_of(ref("Offer"), "What this seat may do now"),
        },
        maybe={
            "limit": said(NUMBER, "Where the tally ends; one that runs down ends at 0"),
            "committed": said(NUMBER, "Stake that this seat alone has accepted"),
            "tricks": said(NUMBER, "Tricks it took in this deal, where they are counted"),
            "swing": said(NUMBER, "By how much the last deal moved a tally that is a number"),
        },
    ),
    "Heard": object_of(
        "A pattern of knocks that is still growing",
        always={"knocks": NUMBER, "holding": {"type": "boolean"}},
        maybe={
            "seat": said(SEAT, "Absent where one sensor serves the whole table"),
            "doubtful": said(_TRUE, "Some of it may have been no knock"),
        },
    ),
    "Doubt": object_of(
        "A pattern that may have been none, until one knock or `accept_knock` says that it was",
        always={
            "knocks": said(NUMBER, "How many, the doubtful ones included"),
            "sure": said(NUMBER, "How many of them are beyond doubt"),
            "left_s": said(SECONDS, "Seconds left when this was sent"),
            "total_s": SECONDS,
            "number": said(NUMBER, "What `accept_knock` and `dismiss_knock` may name it by"),
        },
        maybe={
            "seat": said(SEAT, "Absent where one sensor serves the whole table"),
            "action": said(TEXT, "What it would ask for"),
        },
    ),
    "Grace": object_of(
        "An action that waits, and that a knock of another seat cancels",
        always={
            "seat": SEAT,
            "action": TEXT,
            "left_s": said(SECONDS, "Seconds left when this was sent"),
            "total_s": SECONDS,
        },
        maybe={},
    ),
    "Tuning": object_of(
        "The table is being tuned, and nobody plays",
        always={
            "step": said(TEXT, "quiet, glass, phone, knocks, weighing or result"),
            "prompt": said(ref("Line"), "What is to be done now"),
            "count": said(NUMBER, "So much of it is done"),
            "of": NUMBER,
            "level": said(NUMBER, "How loud the wood is now, 0 to 100"),
        },
        maybe={
            "seat": said(SEAT, "Whose knocks are wanted"),
            "hint": said(ref("Line"), "What was wrong with the last try"),
        },
    ),
    "Door": object_of(
        "A phone asks to be let in, and shows the same word; a knock on the table lets it",
        always={
            "word": TEXT,
            "number": said(NUMBER, "What it is refused by"),
            "left_s": said(SECONDS, "Seconds left when this was sent"),
            "total_s": SECONDS,
        },
        maybe={
            "seat": said(SEAT, "The seat it asks for; absent where it is the keeper's place"),
            "knocks": said(NUMBER, "So many knocks let it in now; absent where none would"),
            "press": said(TEXT, "press or hold, where a seat's button lets it in as well"),
            "let_in": said(_TRUE, "Somebody knocked for it a moment ago"),
        },
    ),
    "Posting": object_of(
        "One line of a ledger; all its amounts together come to nothing",
        always={
            "line": said(ref("Line"), "What it is for"),
            "amounts": _counts("What it brings, by seat; who is not named gets nothing"),
        },
        maybe={
            "pots": _counts("What goes into the pots; less than 0 comes out of them"),
            "entry": said(NUMBER, "What `take_back` names it by, while its deal is told"),
        },
    ),
    "Payment": object_of(
        "What one player hands another when all is over",
        always={"payer": SEAT, "payee": SEAT, "amount": NUMBER},
        maybe={"chips": list_of(NUMBER, "What each chip is worth, the largest first")},
    ),
    "Hand": object_of(
        "One finished deal of the running rubber",
        always={
            "number": said(NUMBER, "What `correct` names it by"),
            "how": said(TEXT, "How it ended: tricks, folds, given-up, revoke"),
            "paid": _counts("By how much each tally went up in it, by seat"),
        },
        maybe={
            "winner": SEAT,
            "told": list_of(ref("Line"), "What else may be said of it now that it is over"),
            "ledger": list_of(ref("Posting"), "The lines it was booked in, where a game books"),
        },
    ),
    "Scoreboard": object_of(
        "The whole table at one moment",
        always={
            "seq": said(NUMBER, "Number of the newest entry in the journal"),
            "game": TEXT,
            "phase": TEXT,
            "seats": said(NUMBER, "Places at the table, taken or free"),
            "rows": list_of(ref("Row"), "The players"),
            "to_answer": list_of(SEAT, "Who must answer; of a side one does for all"),
            "pots": _counts("What lies in the middle and outlives a deal"),
            "actions": list_of(ref("Offer"), "What the keeper of the slate may do now"),
            "hands": list_of(ref("Hand"), "The log of the running rubber"),
            "options": said(_FACTS, "The house rules"),
            "notices": list_of(ref("Line"), "What is wrong with the box"),
        },
        maybe={
            "stake": said(NUMBER, "What this deal costs now, or is worth"),
            "dealer": SEAT,
            "leader": said(SEAT, "Who leads to the next trick"),
            "draft": list_of(
                ref("Posting"), "What was told of this deal; nothing of it counts yet"
            ),
            "payments": list_of(ref("Payment"), "Who pays whom, once all is over"),
            "proposed": said(NUMBER, "What the stake would be if those in to_answer hold it"),
            "announced": {
                "type": "object",
                "additionalProperties": TEXT,
                "description": "What was said aloud and this deal is played by: schlag, trump",
            },
            "sides": list_of(list_of(SEAT, "One side"), "Who plays together now"),
            "accounts": list_of(list_of(SEAT, "One account"), "Who shares one tally"),
            "tricks_to_win": said(NUMBER, "Tricks with which a side has won the deal"),
            "prompt": said(ref("Line"), "What the table waits for"),
            "news": said(ref("Line"), "What happened last"),
            "told": list_of(ref("Line"), "What has to be said besides"),
            "preset": said(TEXT, "Name under which the house rules go"),
            "heard": ref("Heard"),
            "deaf": said(_TRUE, "Blows on the wood mean nothing now: buttons and phones only"),
            "struck": said(_TRUE, "The wood moved just now, and nobody knows yet what it was"),
            "doubt": ref("Doubt"),
            "grace": ref("Grace"),
            "asking": said(ref("Line"), "What a seat is asked, to answer with knocks"),
            "refused": said(ref("Line"), "Why the last gesture did nothing"),
            "shown": said(ref("Line"), "A gesture that is only shown"),
            "tuning": ref("Tuning"),
            "door": ref("Door"),
        },
    ),
    "LogEntry": object_of(
        "One step of the evening",
        always={
            "seq": NUMBER,
            "via": said(TEXT, "How it was asked: pad, button, phone or table"),
            "line": said(ref("Line"), "What happened, as the slate told it afterwards"),
            "before": list_of(ref("Line"), "What the same step told before that, in order"),
            "undone": said({"type": "boolean"}, "Whether it was taken back"),
            "game": said(TEXT, "What was played then"),
            "names": {
                "type": "object",
                "additionalProperties": TEXT,
                "description": "Who sat where then, by seat",
            },
        },
        maybe={
            "seat": said(SEAT, "Who did it; absent for the keeper of the slate"),
            "at": said({"type": "number"}, "Wall clock, seconds since 1970; order is seq"),
            "undone_by": said(SEAT, "Who took it back"),
        },
    ),
}
