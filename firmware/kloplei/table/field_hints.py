"""Type hints of a dataclass's fields, looked up once: it takes milliseconds on a Pi."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, get_type_hints

# functools.cache would do, but for mypy, which finds no class with frozen objects hashable.
_known: dict[Any, Mapping[str, Any]] = {}


def field_hints(kind: type[Any]) -> Mapping[str, Any]:
    """Return the resolved type hint of each field of the dataclass *kind*, in their order."""
    if kind not in _known:
        hints = get_type_hints(kind)
        _known[kind] = {one.name: hints[one.name] for one in fields(kind)}
    return _known[kind]
