"""The pages of the house, a module each with a blueprint ``bp``.

A module may have a `Way`: then all pages lead to it. Who adds a page adds its module to `PAGES`.
"""

from importlib import import_module
from types import ModuleType
from typing import Final, NamedTuple

PAGES: Final = (
    *("wall", "tables", "tournaments", "evenings", "seasons", "people", "publican"),
    *("push", "login", "shell", "api"),
)
"""Modules of this package, in the order of their ways."""


class Way(NamedTuple):
    """A way to a page, in the bar of all others; its name is the sentence *key* of the house."""

    endpoint: str
    key: str


def page_modules() -> tuple[ModuleType, ...]:
    """Return the modules that `PAGES` names."""
    return tuple(import_module(f"{__name__}.{name}") for name in PAGES)


def ways() -> tuple[Way, ...]:
    """Return the ways that all pages lead."""
    found = (getattr(module, "WAY", None) for module in page_modules())
    return tuple(way for way in found if isinstance(way, Way))
