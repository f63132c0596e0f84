"""House rules as a page asks for them: each by its name, with words to choose or a number."""

from dataclasses import dataclass

from kloplei.games.catalogue import game_kind
from kloplei.games.scoreboard import Scoreboard
from kloplei_panel.controls import Choice
from kloplei_panel.reader import Reader

_NUMBER = "a whole number, "
_TO, _OR_MORE = " to ", " or more"


@dataclass(frozen=True, slots=True)
class HouseRule:
    """One option of the game.

    *value* is what was written for it, empty for what the preset does. *choices* are the words
    to choose from; without them it is a number, and *hint* tells which.
    """

    name: str
    label: str
    value: str
    choices: tuple[Choice, ...] = ()
    hint: str = ""


def house_rules(board: Scoreboard, reader: Reader) -> list[HouseRule]:
    """Return every house rule that leaves a choice while the rules may be changed, else none."""
    if not any(offer.action == "options" for offer in board.offers):
        return []
    allowed = game_kind(board.game).choices
    found = [
        _rule(name, what, str(board.options.get(name, "")), reader)
        for name, what in allowed.items()
    ]
    return [one for one in found if one.hint or len(one.choices) > 1]


def said(value: str, reader: Reader) -> str:
    """Return the word for *value* of a house rule, or as it is written."""
    return reader.word(f"option-value.{value}") or value


def _rule(name: str, allowed: str, value: str, reader: Reader) -> HouseRule:
    label = reader.word(f"option.{name}") or name.replace("_", " ")
    words, number, span = allowed.partition(_NUMBER)
    known = [one for one in words.split(", ") if one]
    if not number:
        return HouseRule(name, label, value, tuple(Choice(one, said(one, reader)) for one in known))
    numbers = span.replace(_TO, "–").replace(_OR_MORE, "+")
    return HouseRule(
        name, label, value, (), ", ".join((*(said(one, reader) for one in known), numbers))
    )
