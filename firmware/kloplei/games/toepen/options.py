"""House rules of toepen: every option with its default (§ 8)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from kloplei.games.house_rules import HouseRules, endless, on_off, whole, words, yes_no


@dataclass(frozen=True, slots=True)
class Options(HouseRules):
    """How this house plays toepen; the defaults are those of the rule document.

    Raises:
        BadOption: A value that the option cannot have.
    """

    game: ClassVar[str] = "Toepen"

    max_lives: int = whole(10, least=1, most=100)
    min_players: int = whole(3, least=2, most=3)
    rubber_mode: Literal["first_out_pays", "last_standing"] = words(
        "first_out_pays", "last_standing"
    )
    rubber_end_timing: Literal["hand_end", "immediate"] = words("hand_end", "immediate")
    armoede: bool = on_off(True)
    armoede_stake: int = whole(2, least=1)
    armoede_leave_cost: int = whole(1, least=0)
    armoede_leads: Literal["always", "first_time_only"] = words("always", "first_time_only")
    armoede_check: Literal["at_deal", "after_exchange"] = words("at_deal", "after_exchange")
    armoede_may_knock: bool = yes_no(False)
    knock_limit_basis: Literal["hand", "own", "off"] = words("hand", "own", "off")
    same_player_reknock: Literal["no", "yes", "once_per_hand"] = words("no", "yes", "once_per_hand")
    over_knock_while_pending: bool = yes_no(False)
    answer_order: Literal["clockwise", "any"] = words("clockwise", "any")
    max_stake: int | None = endless("none", least=2)
    blind_knock: bool = on_off(False)
    all_in: Literal["may_fold", "auto_stay", "must_stay"] = words(
        "may_fold", "auto_stay", "must_stay"
    )
    voluntary_fold: bool = yes_no(False)
    fold_price: Literal["committed", "one_life"] = words("committed", "one_life")
    folded_last_trick: Literal["ignore", "everyone_loses"] = words("ignore", "everyone_loses")
    exchange_definition: Literal["AKQJ", "AKQJ_or_three_plus_7"] = words(
        "AKQJ", "AKQJ_or_three_plus_7"
    )
    exchange_limit: int | None = endless("stock", least=0, unit="per hand")
    exchange_penalty: int = whole(1, least=1, most=2)
    exchange_bluff_effect: Literal["keeps_new_hand", "plays_old_hand_open"] = words(
        "keeps_new_hand", "plays_old_hand_open"
    )
    four_of_a_kind: Literal["off", "instant_win_3"] = words("off", "instant_win_3")
    jack_bonus: Literal["off", "minus_1"] = words("off", "minus_1")
    whistle_penalty: int = whole(0, least=0, most=1)
    overshoot: Literal["cap", "record"] = words("cap", "record")
    next_dealer: Literal["winner", "left", "highest_score"] = words(
        "winner", "left", "highest_score"
    )
    new_rubber_lead: Literal["as usual", "previous loser leads"] = words(
        "as usual", "previous loser leads"
    )
    toepkoning: Literal["3 rubbers in total", "3 in a row", "rubber survivor"] = words(
        "3 rubbers in total", "3 in a row", "rubber survivor"
    )
    revoke_remedy: Literal["offender_pays", "void"] = words("offender_pays", "void")
    tournament_points: Literal["off", "5/3/2/1/0"] = words("off", "5/3/2/1/0")
    stake_in: Literal["drink", "chips", "money"] = words("drink", "chips", "money")


_KROEG = Options(answer_order="any")

PRESETS: Mapping[str, Options] = {
    "seed": Options(),
    "kroeg": _KROEG,
    "vijftien": replace(_KROEG, max_lives=15),
    "laatste man": replace(_KROEG, rubber_mode="last_standing"),
}
"""House rules by name; ``kroeg`` is what a new table plays."""
