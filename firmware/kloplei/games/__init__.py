"""The games: rules alone, with no clock, no pins, no sockets and no randomness.

An `Action` comes in and may be refused; `Event`s go out, and a neutral `Scoreboard` that every edge
reads. Nobody here owns anything: the table holds the state and asks, from one thread. `game` and
`scoreboard` are the vocabulary, `card_game` what all games do alike, `catalogue` lists them. Each
game is a package with the same parts; a new one is told in `docs/adding-a-game.md`. Read `game`
first, then `scoreboard`, then `eenendertigen`, the smallest.
"""

from collections.abc import Callable
from importlib import import_module


def parts_of(package: str, **parts: str) -> Callable[[str], object]:
    """Return a ``__getattr__`` for *package*: of its *parts*, each gives those names when asked.

    Who wants the house rules of a game waits for none of the rest of it.
    """
    known = {name: part for part, names in parts.items() for name in names.split()}

    def give(name: str) -> object:
        if name not in known:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{known[name]}"), name)

    return give
