"""How the socket writes boards and facts, and reads them; see `kloplei.table.schema`."""

from typing import Any

from kloplei.rules.game import Facts
from kloplei.table.schema import Json, dump, load

to_socket = dump
from_socket = load


def facts_to_socket(facts: Facts) -> Json:
    """Return *facts* so that `facts_from_socket` gets them back."""
    return dict(dump(facts, Facts))


def facts_from_socket(json: Json) -> dict[str, Any]:
    """Return the facts that `facts_to_socket` made *json* of."""
    return dict(load(Facts, json))
