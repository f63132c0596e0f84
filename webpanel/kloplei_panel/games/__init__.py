"""What the pages of one game have of their own: a module a game, by its name.

Nothing in it is needed: a game without a module is played all the same. A module may hold
``LOOKS`` (`kloplei_panel.controls.ButtonStyle` by action), ``ANSWERED`` (the news of what somebody
answered), ``COSTS_LIVES`` (where hands do so, rather than bring points), and what
``templates/games/<game>.html`` calls, which stands below the slate on every phone.

A page that only this game has is a module ``<game>_<page>`` with a blueprint ``bp``, whose
name is <page> and whose view is ``page``. Phones find it below the slate as ``page.<page>``
while the game is played, or while ``is_of_use(board)`` says so where the module has that.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from types import ModuleType

from flask import Blueprint

from kloplei.games.scoreboard import Scoreboard


@cache
def game_panel(game: str) -> ModuleType | None:
    """Return the module of *game*, or None where it has none."""
    name = f"{__name__}.{game}"
    return import_module(name) if game.isidentifier() and find_spec(name) else None


@cache
def game_pages(game: str) -> tuple[Blueprint, ...]:
    """Return the pages that *game* alone has, in the order of their names."""
    return tuple(module.bp for module in _page_modules(game))


def pages_now(board: Scoreboard) -> tuple[Blueprint, ...]:
    """Return those of `game_pages` that are of any use at *board*."""
    modules = _page_modules(board.game)
    return tuple(one.bp for one in modules if getattr(one, "is_of_use", _always)(board))


@cache
def _page_modules(game: str) -> tuple[ModuleType, ...]:
    names = sorted(one.name for one in iter_modules(__path__) if one.name.startswith(f"{game}_"))
    modules = (import_module(f"{__name__}.{name}") for name in names)
    return tuple(module for module in modules if hasattr(module, "bp"))


def _always(_: Scoreboard) -> bool:
    return True
