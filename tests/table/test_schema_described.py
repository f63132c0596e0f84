"""The API's description says what is sent, all of it and nothing else."""

import random
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given

from kloplei.games.game import IllegalAction
from kloplei.games.scoreboard import Doubt, Grace, Hand, Heard, Line, Offer, Row, Scoreboard, Tuning
from kloplei.table.client import LogEntry
from kloplei.table.schema import WORLD, dump, shapes
from kloplei.table.session import Session
from tests.table.memory_journal import MemoryJournal
from tests.table.streaming_table import anything
from tests.table.test_schema_of_boards import BOARD, boards, entries

WORDS = {"offers": "actions", "until_s": "left_s"}
SCHEMAS = shapes(Scoreboard, LogEntry)
TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}


def misfits(schema: dict[str, Any], value: Any, at: str = "$") -> list[str]:
    """Return where *value* does not fit *schema*, in the few words of JSON Schema used here."""
    if "$ref" in schema:
        return misfits(SCHEMAS[schema["$ref"].rpartition("/")[2]], value, at)
    kind = schema["type"]
    if not isinstance(value, TYPES[kind]) or (kind != "boolean" and isinstance(value, bool)):
        return [f"{at} is no {kind}"]
    if "const" in schema and value != schema["const"]:
        return [f"{at} is not {schema['const']}"]
    if "minimum" in schema and value < schema["minimum"]:
        return [f"{at} is below {schema['minimum']}"]
    found = [f"{at} lacks {name}" for name in schema.get("required", ()) if name not in value]
    if kind == "array" and "items" in schema:
        for n, one in enumerate(value):
            found += misfits(schema["items"], one, f"{at}[{n}]")
    if kind == "object":
        for name, one in value.items():
            rule = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
            if isinstance(rule, dict):
                found += misfits(rule, one, f"{at}.{name}")
    return found


@pytest.mark.parametrize(
    "kind", [Line, Offer, Row, Heard, Doubt, Grace, Tuning, Hand, Scoreboard, LogEntry]
)
def test_every_field_is_described(kind: type) -> None:
    sent = {WORDS.get(one.name, one.name) for one in fields(kind)}

    assert set(SCHEMAS[kind.__name__]["properties"]) == sent


@given(boards)
def test_any_scoreboard_fits_its_description(board: Scoreboard) -> None:
    assert misfits(SCHEMAS["Scoreboard"], dump(board, form=WORLD)) == []


@given(entries)
def test_any_step_of_the_log_fits_its_description(entry: LogEntry) -> None:
    assert misfits(SCHEMAS["LogEntry"], dump(entry, form=WORLD)) == []


def test_a_whole_evening_fits_its_description() -> None:
    chance = random.Random(7)
    with Session(MemoryJournal()) as session:
        for _ in range(300):
            board = session.scoreboard()
            assert misfits(SCHEMAS["Scoreboard"], dump(board, form=WORLD)) == []
            seat, action, facts = anything(board, chance)
            try:
                session.submit(seat, action, facts=facts)
            except IllegalAction:
                continue


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"seq": "41"}, "$.seq is no integer"),
        ({"stake": None}, "$.stake is no integer"),
        ({"dealer": 0}, "$.dealer is below 1"),
        ({"pots": {"pot": "5"}}, "$.pots.pot is no integer"),
        ({"rows": [{"seat": 1}]}, "$.rows[0] lacks name"),
        ({"prompt": "deal"}, "$.prompt is no object"),
    ],
)
def test_what_does_not_fit_is_found(change: dict[str, Any], told: str) -> None:
    """Else the tests above would prove nothing."""
    assert told in misfits(SCHEMAS["Scoreboard"], dump(BOARD, form=WORLD) | change)
