"""A snapshot: a table's state as JSON and back; whatever does not fit is no state.

Where it lies in the journal's file `kloplei.table.journal_file` knows. It says of which classes
it was made and which fields they had: one of another Kloplei is passed over, and all is replayed.
"""

import json
from dataclasses import fields, is_dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any, get_args, get_type_hints

from kloplei import __version__
from kloplei.files import KlopleiError
from kloplei.table.schema import JOURNAL, dump, load
from kloplei.table.seating import TableState

_OURS = "kloplei."
_UNFIT = (
    *(KlopleiError, ImportError, AttributeError, LookupError, TypeError, ValueError),
    *(ArithmeticError, MemoryError, RecursionError),  # what asks for more than there is
)


def dump_state(state: TableState) -> str:
    """Return *state* as JSON, with all that tells whether it is still the same Kloplei's."""
    play: Any = None if state.play is None else type(state.play)
    written = {
        "kloplei": __version__,
        "play": None if play is None else f"{play.__module__}:{play.__qualname__}",
        "shapes": [_shapes(TableState), _shapes(play)],
        "state": [dump(replace(state, play=None), form=JOURNAL), dump(state.play, form=JOURNAL)],
    }
    return json.dumps(written, separators=(",", ":"))


def load_state(written: str) -> TableState | None:
    """Return the state that `dump_state` made *written* of, None where this Kloplei has another."""
    try:
        told = json.loads(written)
        play = None if told["play"] is None else _ours(told["play"])
        shapes = [_shapes(TableState), _shapes(play)]
        if (told["kloplei"], told["shapes"]) != (__version__, shapes):
            return None
        state, played = told["state"]
        return replace(
            load(TableState, state, JOURNAL),
            play=None if play is None else load(play, played, JOURNAL),
        )
    except _UNFIT:
        return None


def _ours(where: str) -> Any:
    """Return the dataclass *where*, which must be one of ours: a file is to run nothing."""
    module, _, name = where.partition(":")
    if not module.startswith(_OURS):
        raise LookupError(where)
    kind = getattr(import_module(module), name)
    if not (isinstance(kind, type) and is_dataclass(kind)):
        raise LookupError(where)
    return kind


@cache
def _shapes(kind: Any) -> dict[str, dict[str, str]]:
    """Return the fields of *kind*, and of every dataclass that it may hold, by name."""
    shapes: dict[str, dict[str, str]] = {}
    waiting = [kind]
    while waiting:
        one = waiting.pop()
        waiting += get_args(one)
        if is_dataclass(one) and isinstance(one, type) and one.__qualname__ not in shapes:
            hints = get_type_hints(one)
            shapes[one.__qualname__] = {each.name: str(hints[each.name]) for each in fields(one)}
            waiting += hints.values()
    return shapes
