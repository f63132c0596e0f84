"""House rules of toepen: every option with its default (§ 8)."""

from collections.abc import Mapping
from dataclasses import Field, dataclass, fields, replace
from typing import Any, Literal

from kloplei.errors import KlopleiError
from kloplei.rules.toepen.spelling import endless, on_off, spelling_of, whole, words, yes_no


class BadOption(KlopleiError, ValueError):
    """An option that does not exist, or a value it cannot have."""


@dataclass(frozen=True, slots=True)
class Options:
    """How this house plays toepen; the defaults are those of the rule document.

    Raises:
        BadOption: A value that the option cannot have.
    """

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

    def __post_init__(self) -> None:
        for name, one in _FIELDS.items():
            spelling, value = spelling_of(one), getattr(self, name)
            taken = spelling.words.values()
            whole = isinstance(value, int) and not isinstance(value, bool)
            if value not in taken and not (whole and spelling.read(value)):
                raise _bad_value(name, value)

    @classmethod
    def from_mapping(
        cls, written: Mapping[str, object], base: "Options | None" = None
    ) -> "Options":
        """Return *base* (the document's defaults) changed by *written*.

        Values are spelled as in the rules; YAML's true and false serve for on/off and
        yes/no, and a number may be written as text.

        Raises:
            BadOption: No such option, or a value that it cannot have.
        """
        changes = {name: _read(name, value) for name, value in written.items()}
        return replace(base or cls(), **changes)

    def as_facts(self) -> dict[str, str | int]:
        """Return what differs from the defaults, as the rules spell it."""
        return {
            name: spelling_of(one).write(getattr(self, name))
            for name, one in _FIELDS.items()
            if getattr(self, name) != one.default
        }


_FIELDS: dict[str, Field[Any]] = {}
_FIELDS.update({one.name: one for one in fields(Options)})

_KROEG = Options(answer_order="any")

PRESETS: Mapping[str, Options] = {
    "seed": Options(),
    "kroeg": _KROEG,
    "vijftien": replace(_KROEG, max_lives=15),
    "laatste man": replace(_KROEG, rubber_mode="last_standing"),
}
"""House rules by name; ``kroeg`` is what a new table plays."""


def preset_of(options: Options) -> str | None:
    """Return the name of the preset that *options* are, or None if they are a house's own."""
    return next((name for name, preset in PRESETS.items() if preset == options), None)


def choices() -> dict[str, str]:
    """Return what may be written for each option, for people and their pages."""
    return {name: spelling_of(one).allowed() for name, one in _FIELDS.items()}


def _read(name: str, written: object) -> Any:
    if name not in _FIELDS:
        raise BadOption(f"Toepen has no option {name!r:.40}; it has {', '.join(_FIELDS)}.")
    found = spelling_of(_FIELDS[name]).read(written)
    if found is None:
        raise _bad_value(name, written)
    return found[0]


def _bad_value(name: str, written: object) -> BadOption:
    allowed = spelling_of(_FIELDS[name]).allowed()
    return BadOption(f"Option {name} cannot be {written!r:.40}; allowed: {allowed}.")
