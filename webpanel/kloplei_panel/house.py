"""What is played here: the games to choose from, and the presets of the one that is chosen.

Taken from the offer ``options`` of the table: where the game may not change now, there is none.
"""

import json
from dataclasses import dataclass

from kloplei.games.scoreboard import Offer, Scoreboard
from kloplei_panel.reader import Reader

OPTIONS = "options"
_GAME, _PRESET = "game", "preset"


@dataclass(frozen=True, slots=True)
class ToPlay:
    """One thing to play: *fact* and *value* ask for it, *note* is a line about *name*."""

    fact: str
    name: str
    label: str
    note: str
    is_chosen: bool

    @property
    def value(self) -> str:
        """Its name as JSON, for forms."""
        return json.dumps(self.name)


@dataclass(frozen=True, slots=True)
class House:
    """The *games* there are, and the *presets* of the one that is chosen."""

    games: tuple[ToPlay, ...]
    presets: tuple[ToPlay, ...]

    @property
    def title(self) -> str:
        """What is chosen, in a few words."""
        return " · ".join(one.label for one in (*self.games, *self.presets) if one.is_chosen)


def house_at(board: Scoreboard, reader: Reader) -> House | None:
    """Return what may be chosen at *board*, or None where nothing may change now."""
    offer = next((one for one in board.offers if one.action == OPTIONS), None)
    if offer is None:
        return None
    games = _cards(offer, _GAME, board.game, reader)
    return House(games, _cards(offer, _PRESET, board.preset, reader))


def _cards(offer: Offer, fact: str, chosen: str | None, reader: Reader) -> tuple[ToPlay, ...]:
    values = [str(one) for one in offer.choices.get(fact, ())] or [str(chosen)]
    return tuple(
        ToPlay(
            fact,
            value,
            reader.named(fact, value),
            reader.word(f"{fact}-note.{value}") or "",
            is_chosen=value == chosen,
        )
        for value in values
    )
