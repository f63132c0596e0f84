"""All that stands at one table: which game by which house rules, who sits where, how it goes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kloplei.rules.game import Game, Seat
from kloplei.table.events import Options

AnyGame = Game[Any]
BuildGame = Callable[[str, str | None, Mapping[str, object]], AnyGame]
"""From a game's name, a preset (None = the game's own) and house rules on top of it."""

PresetsOf = Callable[[str], tuple[str, ...]]
"""From a game's name to the names of its presets."""


@dataclass(frozen=True, slots=True)
class TableState:
    """All that stands at the table at one moment; *names* only holds seats that are taken."""

    game: str
    preset: str | None = None
    options: Options = ()
    names: Mapping[Seat, str] = field(default_factory=dict)
    play: Any = None  # the game's own state; None until somebody starts

    @property
    def seated(self) -> tuple[Seat, ...]:
        """Seats that are taken, clockwise from the slate."""
        return tuple(sorted(self.names))
