"""A table's state as bytes and back, for a bookmark; whatever does not fit is no state.

Pickled, because each game's state is its own tree of frozen dataclasses. What is read back may
be made of our own dataclasses and enums alone, so that a file can run nothing, and only if each
of them has the very fields it had: a state of another Kloplei is passed over, and replayed.
"""

import io
import json
import pickle
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import import_module
from typing import Any

from kloplei import __version__
from kloplei.rules.game import Seat
from kloplei.table.state import TableState

_OURS = ("kloplei.rules.", "kloplei.table.")
_PLAIN = {("builtins", "frozenset"), ("builtins", "set")}


class _Unfit(Exception):
    """What was written down is no state of this Kloplei."""


class _Writer(pickle.Pickler):
    """Notes of which classes a state is made."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, protocol=4)
        self.shapes: dict[str, list[str]] = {}

    def reducer_override(self, one: object) -> Any:
        """Note the class of *one*; the usual way writes it."""
        kind = type(one)
        if is_dataclass(kind):
            self.shapes[f"{kind.__module__}:{kind.__qualname__}"] = _shape(kind)
        return NotImplemented


class _Reader(pickle.Unpickler):
    """Makes nothing but our own dataclasses and enums."""

    def find_class(self, module: str, name: str) -> Any:
        """Return the class *name* of *module*, if a state may hold it."""
        if (module, name) in _PLAIN:
            return super().find_class(module, name)
        if not module.startswith(_OURS):
            raise _Unfit(f"{module}.{name}")
        found = super().find_class(module, name)
        if isinstance(found, type) and (is_dataclass(found) or issubclass(found, Enum | Seat)):
            return found
        raise _Unfit(f"{module}.{name}")


def written(state: TableState) -> bytes:
    """Return *state* as bytes."""
    pickled = io.BytesIO()
    writer = _Writer(pickled)
    writer.dump(state)
    head = {"kloplei": __version__, "shapes": writer.shapes}
    return json.dumps(head).encode() + b"\n" + pickled.getvalue()


def read(standing: bytes) -> TableState | None:
    """Return the state that `written` made *standing* of, None where this Kloplei has another."""
    line, _, pickled = standing.partition(b"\n")
    try:
        head = json.loads(line)
        if head["kloplei"] != __version__ or not all(map(_still_is, *_columns(head["shapes"]))):
            return None
        state = _Reader(io.BytesIO(pickled)).load()
    except (_Unfit, pickle.UnpicklingError, ImportError, *_WRONG):
        return None
    return state if isinstance(state, TableState) else None


_WRONG = (
    *(AttributeError, EOFError, LookupError, TypeError, ValueError),
    *(ArithmeticError, MemoryError, RecursionError),  # what asks for more than there is
)


def _columns(shapes: dict[str, list[str]]) -> tuple[list[str], list[list[str]]]:
    return list(shapes), list(shapes.values())


def _still_is(where: str, shape: list[str]) -> bool:
    module, _, name = where.partition(":")
    return module.startswith(_OURS) and _shape(getattr(import_module(module), name)) == shape


def _shape(kind: Any) -> list[str]:
    return [one.name for one in fields(kind)]
