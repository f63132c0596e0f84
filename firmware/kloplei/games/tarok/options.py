"""House rules of Tarok: every option with its default (§ 8), and the three games by name."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Literal, get_args

from kloplei.frozen import dataclass
from kloplei.games.house_rules import HouseRules, whole, words, yes_no

_MOST = 10_000  # chips; more than any house has
RuleSet = Literal["c", "a", "b"]
CHIP = 5
"""The smallest: all that is paid in Danish Tarok is a multiple of it (§ 1)."""
_OF_POTS = (
    *("c_ante", "c_dealer_extra", "c_dealer_extra_on_refill", "c_sitter_antes", "c_tout"),
    "c_failed_pot",
)
# Where only results are told, nothing is declared, asked or paid by itself.
_OF_RESULTS = {"rule_set", "sitter", "pips", "only_points", "must_balance"}


def _switch(default: bool) -> Any:
    return yes_no(default, aliases={"true": "yes", "false": "no"})


@dataclass(frozen=True, slots=True)
class Options(HouseRules):
    """How this house plays Tarok; the defaults are those of the rule document.

    The names of some say which of the games they are for: ``a_`` German Taroc of 1754, ``b_``
    Grosstarock as Dummett tells it, ``c_`` Danish Tarok.

    Raises:
        BadOption: A value that the option cannot have.
    """

    game: ClassVar[str] = "Tarok"
    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "game": (
            *("rule_set", "sitter", "pips", "unclaimed_feats", "only_points", "must_balance"),
        ),
        "cards": ("cards", "card_settlement", "c_rounding", "c_residual"),
        "pots": ("c_pots", *_OF_POTS),
        "payments": (
            *("c_pagat_ultimo", "c_king_ultimo", "c_lost", "c_last_trick", "c_nolo"),
            *("c_last_trick_with_ultimo", "c_last_trick_on_failed_ultimo"),
            *("b_vole_with_cards", "b_nolo_replaces", "b_king_last_also_king"),
            *("a_excuse_alone", "a_excuse_alone_cards", "a_fine"),
        ),
    }

    rule_set: RuleSet = "c"
    sitter: Literal["opposite", "chosen"] = words("opposite", {"opposite the dealer": "opposite"})
    pips: Literal["usual", "reversed", "natural"] = "usual"
    cards: bool = _switch(True)
    only_points: bool = _switch(False)
    must_balance: bool = _switch(True)
    card_settlement: Literal["from_26", "pairwise"] = "from_26"
    a_excuse_alone: Literal["receives", "pays"] = "receives"
    a_excuse_alone_cards: int = whole(0, least=0, most=4, step=4)
    a_fine: int = whole(5, least=0, most=_MOST)
    b_vole_with_cards: bool = _switch(True)
    b_nolo_replaces: Literal["all", "card_points"] = "all"
    b_king_last_also_king: bool = _switch(False)
    c_pots: bool = _switch(True)
    c_ante: int = whole(20, least=CHIP, most=_MOST, step=CHIP)
    c_dealer_extra: int = whole(5, least=0, most=_MOST, step=CHIP)
    c_dealer_extra_on_refill: bool = _switch(False)
    c_sitter_antes: bool = _switch(True)
    c_tout: int = whole(80, least=80, most=135, step=CHIP)
    c_pagat_ultimo: int = whole(45, least=0, most=_MOST, step=CHIP)
    c_king_ultimo: int = whole(40, least=0, most=_MOST, step=CHIP)
    c_last_trick: int = whole(20, least=0, most=_MOST, step=CHIP)
    c_nolo: int = whole(25, least=0, most=_MOST, step=CHIP)
    c_lost: int = whole(5, least=0, most=_MOST, step=CHIP)
    c_last_trick_on_failed_ultimo: bool = _switch(False)
    c_last_trick_with_ultimo: bool = _switch(False)
    c_failed_pot: Literal["snapshot", "successive"] = "snapshot"
    c_residual: Literal["next_dealer", "dealer"] = "next_dealer"
    c_rounding: int = whole(5, least=1, most=5, step=4)
    unclaimed_feats: Literal["refuse", "accept"] = "refuse"

    def idle(self) -> frozenset[str]:
        """Return the names of options that change nothing as long as the others are as here."""
        if self.only_points:
            return frozenset({one.name for one in fields(self)} - self._of_results)
        of_others = {f"{one}_" for one in get_args(RuleSet) if one != self.rule_set}
        names = {one.name for one in fields(self) if one.name[:2] in of_others}
        names |= set() if self.c_pots else {*_OF_POTS}
        names |= set() if self.cards else {"card_settlement", "c_rounding", "c_residual"}
        names |= {"unclaimed_feats"} if self.rule_set == "a" else set()
        return frozenset(names | {"must_balance"})

    @property
    def _of_results(self) -> set[str]:
        return _OF_RESULTS | ({"c_pots"} if self.rule_set == "c" else set())

    @property
    def has_pots(self) -> bool:
        """Whether a king pot and a pagat pot stand on the table."""
        return self.rule_set == "c" and self.c_pots

    @property
    def red_reversed(self) -> bool:
        """Whether of the red pip cards the ace is the best and the ten the lowest (§ 2)."""
        return self.pips == "reversed" or (self.pips == "usual" and self.rule_set != "c")

    @property
    def clockwise(self) -> bool:
        """Whether deal and play go to the left."""
        return self.rule_set == "b"


PRESETS: Mapping[str, Options] = {
    "dansk": Options(),
    "dansk uden kopper": Options(c_pots=False),
    "dansk ordret": Options(c_last_trick_on_failed_ultimo=True, c_last_trick_with_ultimo=True),
    "grosstarock": Options(rule_set="b"),
    "taroc 1754": Options(rule_set="a"),
}
"""House rules by name; ``dansk`` is what a new table plays."""
