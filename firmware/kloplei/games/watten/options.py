"""House rules of Watten: every option with its default (§ 9), and the variants by name."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import ClassVar, Literal, get_args

from kloplei.frozen import dataclass
from kloplei.games.cards import GERMAN_SUITS
from kloplei.games.house_rules import (
    HouseRules,
    cards_or,
    endless,
    number_or,
    on_off,
    whole,
    words,
    yes_no,
)
from kloplei.games.watten.actions import CardName

_OF_KRITISCHE = ("kritische", "kritische_cards", "acorn_suit")
_OF_BLIND = ("blind_show", "trick_by")
_OF_SIDES = (
    *("target", "raise_lock", "gestrichen_rule", "illegal_raise", "last_card_raise", "max_value"),
    *("raise_turn", "concede_anytime", "rechte_exempt", "schoener", "signals", "schneider"),
    *("look_early_penalty", "misdeal_penalty", "revoke_remedy", "stop_at_three", "guate"),
)
_OF_TWO_AND_THREE = ("three_player", "three_player_pair_lock")
_BELOW_TARGET = 2  # points: who is that near may not raise


@dataclass(frozen=True, slots=True)
class Options(HouseRules):
    """How this house plays Watten; the defaults are those of the rule document.

    Raises:
        BadOption: A value that the option cannot have.
    """

    game: ClassVar[str] = "Watten"
    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "game": (
            "variant",
            "target",
            "stop_at_three",
            "schneider",
            "maschine",
            "direction",
            "pads",
        ),
        "raising": (
            *("raise_lock", "gestrichen_rule", "illegal_raise", "last_card_raise", "max_value"),
            *("raise_turn", "concede_anytime", *_OF_TWO_AND_THREE),
        ),
        "cards": (
            *("weli", "weli_as_schlag", "guate", "supergute", "seven_guate", *_OF_KRITISCHE),
            *("linke_vs_trump", "rechte_exempt"),
        ),
        "dealing": (
            *("schlag_tausch", "schoener", *_OF_BLIND, "open_first_trick", "signals"),
            *("look_early_penalty", "misdeal_penalty", "revoke_remedy"),
        ),
        "bohemian": (
            *("bohemian_start", "bohemian_trick_points", "bohemian_none_penalty"),
            *("bohemian_schlag", "bohemian_kritische", "bohemian_exchange"),
        ),
    }

    variant: Literal["tyrol", "kritisch", "blind", "bohemian"] = "tyrol"
    target: int = whole(15, least=3, most=100)
    raise_lock: int | str | None = number_or(
        {"target_minus_2": "target_minus_2", "none": None}, least=1
    )
    gestrichen_rule: Literal["no_raise", "forced_four", "tense_auto_raise"] = "no_raise"
    illegal_raise: Literal["reject", "opponents_score_bid", "opponents_2"] = "reject"
    last_card_raise: Literal["free", "trump_schlag_or_led"] = words(
        "free", {"only with trump, Schlag or led suit": "trump_schlag_or_led"}
    )
    max_value: int | None = endless("none", least=3)
    raise_turn: Literal["any time", "only when a member is to play"] = "any time"
    concede_anytime: bool = yes_no(False)
    weli: Literal["lowest trump", "lowest trump in Blind too", "second best", "not in the pack"] = (
        "lowest trump"
    )
    weli_as_schlag: Literal["seed", "weli_top"] = "seed"
    guate: bool = on_off(False)
    supergute: bool = on_off(False)
    seven_guate: bool = on_off(False)
    kritische: Literal["3", "4", "bavarian"] = words(
        "3",
        {
            **dict.fromkeys(("HK D6 S7", "HK D6 C7"), "3"),
            **dict.fromkeys(("HK D6 D7 S7", "HK D6 D7 C7"), "4"),
            **dict.fromkeys(("HK D7 S7", "HK D7 C7"), "bavarian"),
        },
    )
    kritische_cards: str | None = cards_or(
        "as kritische", get_args(CardName), most=5, example="HK D6 S7"
    )
    acorn_suit: Literal["S", "C"] = words("S", {"♠": "S", "♣": "C"})
    linke_vs_trump: Literal["linke_high", "trump_high"] = "linke_high"
    rechte_exempt: bool = yes_no(False)
    schlag_tausch: bool = yes_no(False)
    schoener: Literal["announcers only", "all four", "shuffled back"] = words(
        "announcers only", {"with cards shuffled back in": "shuffled back"}
    )
    blind_show: Literal["card of choice", "bottom card of the first packet"] = "card of choice"
    trick_by: Literal["announcers", "anybody"] = "announcers"
    open_first_trick: bool = yes_no(False)
    signals: bool = on_off(True)
    look_early_penalty: Literal["costs nothing", "opponents_2"] = words(
        "costs nothing", {"none": "costs nothing", "2 to opponents": "opponents_2"}
    )
    misdeal_penalty: Literal["redeal", "opponents_2"] = words(
        "redeal", {"2 to opponents": "opponents_2"}
    )
    revoke_remedy: Literal["redeal", "opponents_2", "opponents_value", "lose_game"] = "redeal"
    three_player: Literal["one against two"] = "one against two"
    three_player_pair_lock: Literal["one of them", "both of them"] = words(
        "one of them", {"any": "one of them", "all": "both of them"}
    )
    maschine: bool = on_off(False)
    schneider: bool = on_off(False)
    stop_at_three: bool = yes_no(True, aliases={"play all five": "no"})
    bohemian_trick_points: int = whole(1, least=1, most=2)
    bohemian_none_penalty: int = whole(5, least=0, most=20)
    bohemian_schlag: Literal["from_turnup", "no rank"] = words("from_turnup", {"none": "no rank"})
    bohemian_kritische: bool = on_off(False)
    bohemian_exchange: Literal["3 and dealer 2", "3 for all", "4 with two players"] = words(
        "3 and dealer 2", {"3, dealer 2": "3 and dealer 2"}
    )
    bohemian_start: int = whole(20, least=1, most=100)
    direction: Literal["clockwise", "anticlockwise"] = "clockwise"
    pads: Literal["off", "armed"] = "off"

    @property
    def everyone_alone(self) -> bool:
        """Whether there are no sides and nothing is raised: Bohemian Watten."""
        return self.variant == "bohemian"

    @property
    def has_kritische(self) -> bool:
        """Whether some cards are better than all others in every deal."""
        return self.variant == "kritisch" or (self.everyone_alone and self.bohemian_kritische)

    @property
    def german_suits(self) -> tuple[str, ...]:
        """Acorns are clubs, unless the seven of acorns is a Kritische that this house calls ♠7."""
        heart, bell, leaf, acorn = GERMAN_SUITS
        if self.has_kritische and self.kritische_cards is None and self.acorn_suit == "S":
            return heart, bell, acorn, leaf
        return GERMAN_SUITS

    @property
    def _weli_is_kritisch(self) -> bool:
        if self.kritische_cards is not None:
            return self.has_kritische and "D6" in self.kritische_cards
        return self.has_kritische and self.kritische != "bavarian"

    def idle(self) -> frozenset[str]:
        """Return the names of options that change nothing as long as the others are as here."""
        return frozenset((*self._idle_by_variant(), *self._idle_by_others()))

    def _idle_by_variant(self) -> Iterator[str]:
        if self.everyone_alone:
            yield from (*_OF_SIDES, *_OF_TWO_AND_THREE, "schlag_tausch")
        else:
            yield from (one.name for one in fields(self) if one.name.startswith("bohemian_"))
        if self.variant == "blind":
            yield from ("guate", "schlag_tausch", *_OF_TWO_AND_THREE)
        else:
            yield from _OF_BLIND
        if self.variant != "kritisch":
            yield "maschine"

    def _idle_by_others(self) -> Iterator[str]:
        if not self.has_kritische:
            yield from _OF_KRITISCHE
        elif self.kritische_cards is not None:
            yield from ("kritische", "acorn_suit")
        if not self.has_guate:
            yield from ("supergute", "seven_guate")
        if not self.six_may_be_schlag or self._weli_is_kritisch:
            yield "weli_as_schlag"

    @property
    def has_guate(self) -> bool:
        """Whether the card above the Schlag is the best."""
        return self.variant == "blind" or (self.guate and not self.everyone_alone)

    @property
    def only_knowing_tell(self) -> bool:
        """Whether only the two who know what is trump say who took a trick: in Blind Watten."""
        return self.variant == "blind" and self.trick_by == "announcers"

    @property
    def weli_is_lowest(self) -> bool:
        """Whether the Weli is the lowest trump, unless it is something better."""
        everywhere = self.weli == "lowest trump in Blind too" and not self.everyone_alone
        return everywhere or self.variant in ("tyrol", "kritisch")

    @property
    def has_weli(self) -> bool:
        """Whether the six of diamonds is in the pack."""
        return self.weli != "not in the pack"

    @property
    def six_may_be_schlag(self) -> bool:
        """Whether somebody may name the rank of the Weli."""
        return self.has_weli and self.variant != "kritisch"

    @property
    def lock(self) -> int | None:
        """Points from which a side may not raise, or None where all may."""
        if isinstance(self.raise_lock, str):
            return self.target - _BELOW_TARGET
        return self.raise_lock

    @property
    def tense(self) -> int:
        """Points from which a side is *gestrichen*, which some rules go by even without a lock."""
        return self.target - _BELOW_TARGET if self.lock is None else self.lock


VARIANTS: Mapping[str, Options] = {
    "tyrol": Options(),
    "guate": Options(guate=True),
    "kritisch": Options(variant="kritisch"),
    "blind": Options(variant="blind"),
    "bohemian": Options(variant="bohemian"),
}
"""What records and the trick judge call a variant."""

PRESETS: Mapping[str, Options] = {
    "tirol": VARIANTS["tyrol"],
    "suedtirol": VARIANTS["guate"],
    "kritisch": VARIANTS["kritisch"],
    "vier kritische": replace(VARIANTS["kritisch"], kritische="4"),
    "blind": VARIANTS["blind"],
    "boehmisch": VARIANTS["bohemian"],
    "turnier 11": Options(target=11, illegal_raise="opponents_score_bid", signals=False),
}
"""House rules by name; ``tirol`` is what a new table plays."""
