"""What is played here, as people choose it: the game, its preset, and the house rules one by one.

Taken from the offer ``options`` of the table: where nothing may change now, there is none.
"""

import json
from collections.abc import Iterator, Mapping

from kloplei.frozen import dataclass
from kloplei.games.catalogue import GAMES, game_kind
from kloplei.games.game import Facts
from kloplei.games.house_rules import CardList, HouseRules, Spelling
from kloplei.games.scoreboard import Offer, Scoreboard
from kloplei_panel.context import board_found
from kloplei_panel.controls import Choice
from kloplei_panel.reader import Reader, reader

OPTIONS = _OPTIONS = "options"  # the action, and its fact
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
class HouseRule:
    """One option of the game; *usual* is what the preset does.

    *value* is what was written for it, empty for what the preset does. *choices* are the other
    words to choose from; without them it is a number or a list, and *hint* tells which.
    """

    name: str
    label: str
    value: str
    usual: str
    choices: tuple[Choice, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """House rules that belong together."""

    name: str
    label: str
    rules: tuple[HouseRule, ...]

    @property
    def changed(self) -> tuple[HouseRule, ...]:
        """Those that are not as the preset has them."""
        return tuple(one for one in self.rules if one.value)


@dataclass(frozen=True, slots=True)
class GameChoices:
    """The *games* there are, the *presets* of the one that is chosen, and its *groups* of rules.

    Beside them *kept*: what was chosen and changes nothing as the other rules are.
    """

    games: tuple[ToPlay, ...]
    presets: tuple[ToPlay, ...]
    preset: ToPlay
    groups: tuple[RuleGroup, ...]
    kept: Mapping[str, object]

    @property
    def title(self) -> str:
        """What is chosen, in a few words."""
        return " · ".join(one.label for one in (*self.games, self.preset) if one.is_chosen)

    @property
    def changed(self) -> int:
        """How many rules are not as the preset has them."""
        return sum(len(one.changed) for one in self.groups)


def game_choices(board: Scoreboard, reader: Reader) -> GameChoices | None:
    """Return what may be chosen at *board*, or None where nothing may change now."""
    offer = next((one for one in board.offers if one.action == OPTIONS), None)
    if offer is None:
        return None
    kind = game_kind(board.game)
    usual = kind.house_rules(board.preset)
    now = kind.house_rules(board.preset, board.options)
    presets = _cards(offer, _PRESET, board.preset or kind.default_preset, reader)
    return GameChoices(
        _cards(offer, _GAME, board.game, reader),
        presets,
        next(one for one in presets if one.is_chosen),
        tuple(_groups(usual, now, reader)),
        {name: value for name, value in board.options.items() if name in now.idle()},
    )


def as_rules_spell(facts: Facts) -> Facts:
    """Return *facts* with house rules typed in the reader's words as the rules spell them.

    The page shows these words: "no limit" is ``none``.
    """
    typed = facts.get(_OPTIONS)
    if not isinstance(typed, Mapping):
        return facts
    board, who = board_found(), reader()
    if board.game not in GAMES:
        return facts
    known = game_kind(board.game).house_rules(board.preset).spellings()
    spelled = {name: _meant(value, known.get(name), who) for name, value in typed.items()}
    return {**facts, _OPTIONS: spelled}


def _meant(value: object, spelling: Spelling | None, reader: Reader) -> object:
    plain = str(value).strip().casefold()
    words = () if spelling is None else spelling.words
    return next((one for one in words if reader.option_value(one).casefold() == plain), value)


def _cards(offer: Offer, fact: str, chosen: str, reader: Reader) -> tuple[ToPlay, ...]:
    values = [str(one) for one in offer.choices.get(fact, ())] or [chosen]
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


def _groups(usual: HouseRules, now: HouseRules, reader: Reader) -> Iterator[RuleGroup]:
    """Yield the rules that leave a choice in the house *now*, beside what is *usual*."""
    written, before = now.as_written(), usual.as_written()
    idle, spellings = now.idle(), usual.spellings()
    for group, names in usual.grouped().items():
        found = (
            _rule(name, spellings[name], str(written[name]), str(before[name]), reader)
            for name in names
            if name not in idle
        )
        if rules := tuple(one for one in found if one.hint or one.choices):
            yield RuleGroup(group, reader.word(f"option-group.{group}") or group, rules)


def _rule(name: str, spelling: Spelling, now: str, usual: str, reader: Reader) -> HouseRule:
    label = reader.word(f"option.{name}") or name.replace("_", " ")
    value, hint = "" if now == usual else now, spelling.besides_words()
    if isinstance(spelling, CardList):
        return HouseRule(name, label, value, reader.option_value(usual), (), hint)
    if not hint:
        others = tuple(
            Choice(one, reader.option_value(one)) for one in spelling.words if one != usual
        )
        return HouseRule(name, label, value, reader.option_value(usual), others)
    hint = ", ".join((*(reader.option_value(one) for one in spelling.words), hint))
    # Some numbers are words elsewhere: three cards, or four.
    told = reader.option_value(usual) if usual in spelling.words else usual
    return HouseRule(name, label, value, told, (), hint)
