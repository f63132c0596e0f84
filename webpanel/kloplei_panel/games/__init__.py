"""What the pages of one game have of their own: a module a game, by its name.

Nothing in it is needed: a game without a module is played all the same. A module may hold
``LOOKS`` (`kloplei_panel.looks.Look` by action), and what ``templates/games/<game>.html``
calls, which stands below the slate on every phone.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


@cache
def game_panel(game: str) -> ModuleType | None:
    """Return the module of *game*, or None where it has none."""
    name = f"{__name__}.{game}"
    return import_module(name) if game.isidentifier() and find_spec(name) else None
