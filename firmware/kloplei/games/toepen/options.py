"""House rules of toepen: every option with its default (§ 8)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Literal

from kloplei.frozen import dataclass
from kloplei.games.house_rules import HouseRules, endless, on_off, whole, yes_no

_OF_ARMOEDE = (
    *("armoede_stake", "armoede_leave_cost", "armoede_leads", "armoede_check"),
    "armoede_may_knock",
)
_OF_EXCHANGE = ("exchange_definition", "exchange_penalty", "exchange_bluff_effect")


@dataclass(frozen=True, slots=True)
class Options(HouseRules):
    """How this house plays toepen; the defaults are those of the rule document.

    Raises:
        BadOption: A value that the option cannot have.
    """

    game: ClassVar[str] = "Toepen"
    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "rubber": (
            *("max_lives", "min_players", "rubber_mode", "rubber_end_timing", "overshoot"),
            *("next_dealer", "new_rubber_lead", "latecomer_lives"),
        ),
        "knocking": (
            *("knock_limit_basis", "same_player_reknock", "over_knock_while_pending", "max_stake"),
            *("answer_order", "blind_knock", "all_in", "voluntary_fold", "fold_price"),
            "folded_last_trick",
        ),
        "armoede": ("armoede", *_OF_ARMOEDE),
        "exchange": ("exchange_limit", *_OF_EXCHANGE),
        "special": ("four_of_a_kind", "jack_bonus", "whistle_penalty", "revoke_remedy"),
        "honours": ("toepkoning", "kings", "stake_in", "debt_chips", "tournament_points"),
    }

    max_lives: int = whole(10, least=1, most=100)
    min_players: int = whole(3, least=2, most=3)
    rubber_mode: Literal["first_out_pays", "last_standing"] = "first_out_pays"
    rubber_end_timing: Literal["hand_end", "immediate"] = "hand_end"
    armoede: bool = on_off(True)
    armoede_stake: int = whole(2, least=1)
    armoede_leave_cost: int = whole(1, least=0)
    armoede_leads: Literal["always", "first_time_only"] = "always"
    armoede_check: Literal["at_deal", "after_exchange"] = "at_deal"
    armoede_may_knock: bool = yes_no(False)
    knock_limit_basis: Literal["hand", "own", "off"] = "hand"
    same_player_reknock: Literal["no", "yes", "once_per_hand"] = "no"
    over_knock_while_pending: bool = yes_no(False)
    answer_order: Literal["clockwise", "any"] = "clockwise"
    max_stake: int | None = endless("none", least=2)
    blind_knock: bool = on_off(False)
    all_in: Literal["may_fold", "auto_stay", "must_stay"] = "may_fold"
    voluntary_fold: bool = yes_no(False)
    fold_price: Literal["committed", "one_life"] = "committed"
    folded_last_trick: Literal["ignore", "everyone_loses"] = "ignore"
    exchange_definition: Literal["AKQJ", "AKQJ_or_three_plus_7"] = "AKQJ"
    exchange_limit: int | None = endless("stock", least=0, unit="per hand")
    exchange_penalty: int = whole(1, least=1, most=2)
    exchange_bluff_effect: Literal["keeps_new_hand", "plays_old_hand_open"] = "keeps_new_hand"
    four_of_a_kind: Literal["off", "instant_win_3"] = "off"
    jack_bonus: Literal["off", "minus_1"] = "off"
    whistle_penalty: int = whole(0, least=0, most=1)
    overshoot: Literal["cap", "record"] = "cap"
    next_dealer: Literal["winner", "left", "highest_score"] = "winner"
    new_rubber_lead: Literal["as usual", "previous loser leads"] = "as usual"
    toepkoning: Literal["3 rubbers in total", "3 in a row", "rubber survivor"] = (
        "3 rubbers in total"
    )
    kings: Literal["one reigns", "counted"] = "one reigns"
    revoke_remedy: Literal["offender_pays", "void"] = "offender_pays"
    tournament_points: Literal["off", "5/3/2/1/0"] = "off"
    stake_in: Literal["drink", "chips", "money"] = "drink"
    debt_chips: int = whole(1, least=1, most=1000)
    latecomer_lives: Literal["highest", "average", "nothing"] = "highest"

    def idle(self) -> frozenset[str]:
        """Return the names of options that change nothing as long as the others are as here."""
        return frozenset(
            (
                *(("debt_chips",) if self.stake_in == "drink" else ()),
                *(("kings",) if self.toepkoning == "rubber survivor" else ()),
                *(() if self.armoede else _OF_ARMOEDE),
                *(() if self.exchange_limit != 0 else _OF_EXCHANGE),
            )
        )


_KROEG = Options(answer_order="any")
# The German sisters (docs/rules/schroeoemen.md): seven strokes, no new cards, and who lost leads.
_SCHROEOEMEN = Options(
    max_lives=7,
    min_players=2,
    armoede=False,
    exchange_limit=0,
    new_rubber_lead="previous loser leads",
)

PRESETS: Mapping[str, Options] = {
    "seed": Options(),
    "kroeg": _KROEG,
    "vijftien": replace(_KROEG, max_lives=15, kings="counted"),
    "laatste man": replace(_KROEG, rubber_mode="last_standing"),
    "schroeoemen": _SCHROEOEMEN,
    "siebenschraem": replace(
        _SCHROEOEMEN,
        armoede=True,
        armoede_leads="first_time_only",
        armoede_may_knock=True,
        blind_knock=True,
    ),
}
"""House rules by name; ``kroeg`` is what a new table plays."""
