"""All that stands at one table: which game by which house rules, who sits where, how it goes."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kloplei.games.catalogue import GAMES, build_game, game_kind
from kloplei.games.game import Facts, Game, Seat
from kloplei.table.events import Options
from kloplei.table.timings import Timings

AnyGame = Game[Any]
BuildGame = Callable[[str, str | None, Mapping[str, object]], AnyGame]
"""From a game's name, a preset (None = the game's own) and house rules on top of it."""

PresetsOf = Callable[[str], tuple[str, ...]]
"""From a game's name to the names of its presets."""


def _presets_of(game: str) -> tuple[str, ...]:
    return game_kind(game).presets


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSetup:
    """What a table is set up with, before anything has happened at it.

    Args:
        seats: Places at the table.
        game: Played at a table with an empty journal.
        preset: Of that game; None is the game's own.
        options: House rules on top of the preset.
        language: For the names that seats lend.
        timings: How long to listen, wait and show.
        wall: Seconds since the epoch, for the journal; None where nobody knows the time.
        build: Makes a game from its name, preset and house rules; may raise `KlopleiError`.
        presets: Names the presets of a game, to offer them.
        games: Those there are to choose from.
    """

    seats: int = 8
    game: str = "toepen"
    preset: str | None = None
    options: Facts = field(default_factory=dict)
    language: str = "nl"
    timings: Timings = field(default_factory=Timings)
    wall: Callable[[], float] | None = time.time
    build: BuildGame = build_game
    presets: PresetsOf = _presets_of
    games: tuple[str, ...] = tuple(GAMES)


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
