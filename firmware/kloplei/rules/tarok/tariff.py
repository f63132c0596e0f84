"""What everything costs in each game of the family, from each opponent (§ 4 to § 7)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from kloplei.rules.tarok.entries import Declared, FeatTold
from kloplei.rules.tarok.options import Options, RuleSet

# fmt: off
Declarable = Literal[
    "taroks", "matadors", "honours", "ladons",
    "kings_four", "kings_three", "kings_full", "kings_half", "kings_over",
    "cavalry_full", "cavalry_half", "cavalry_over", "queens", "cavaliers", "jacks",
]
# fmt: on
Fate = Literal["pagat_home", "pagat_lost", "king_home", "king_lost"]
FeatKind = Literal["vole", "nolo", "tout"]

COUNTED = {"taroks": (10, 22), "matadors": (3, 22), "honours": (3, 7), "ladons": (16, 40)}
"""Declarations that are counted, with the fewest cards and how many there are."""
MOST_IN_HAND = 25
CAVALRIES: tuple[Declarable, ...] = ("cavalry_full", "cavalry_half", "cavalry_over")
KINGS: tuple[Declarable, ...] = (
    "kings_four",
    "kings_three",
    "kings_full",
    "kings_half",
    "kings_over",
)
NEED_FOOL = ("matadors", "cavalry_half", "cavalry_over", "kings_three", "kings_half", "kings_over")
"""Declarations that only the holder of the Fool can make."""

_PRICES: Mapping[str, int] = {
    **dict.fromkeys(("cavalry_full", "kings_four", "kings_full", "taroks", "matadors"), 10),
    **dict.fromkeys(("cavalry_half", "kings_three", "kings_half", "honours"), 5),
    **dict.fromkeys(("queens", "cavaliers", "jacks"), 5),
    **dict.fromkeys(("cavalry_over", "kings_over", "ladons"), 15),
}
"""From each opponent, where cards are counted for the fewest of them."""
_ONE_MORE = 5

DECLARATIONS: Mapping[RuleSet, tuple[Declarable, ...]] = {
    "a": ("taroks", "matadors", "cavalry_full", "cavalry_half", "kings_four", "kings_three"),
    "b": (
        *("taroks", "matadors", "honours", "cavalry_full", "cavalry_half"),
        *("queens", "cavaliers", "jacks", "ladons"),
    ),
    "c": ("taroks", "matadors", "kings_full", "kings_half", "kings_over", *CAVALRIES),
}
FATES: Mapping[RuleSet, Mapping[Fate, int]] = {
    "a": {"pagat_home": 0, "pagat_lost": -5},
    "b": {"pagat_home": 5, "pagat_lost": -5, "king_home": 5, "king_lost": -5},
    "c": {"pagat_home": 5, "pagat_lost": -5, "king_lost": -5},
}
"""What becomes of pagat and kings before the last trick."""
LOST_TO_POT = 5  # chips, where there are pots
FEATS: Mapping[RuleSet, tuple[FeatKind, ...]] = {
    "a": (),
    "b": ("vole", "nolo"),
    "c": ("tout", "nolo"),
}
ANNOUNCED: Mapping[str, Mapping[int | None, tuple[int, int | None]]] = {
    "vole": {None: (26, -26), 1: (52, -52), 13: (38, -38), 20: (31, -31)},
    "nolo": {None: (26, None), 1: (36, -10), 13: (31, -5)},
}
"""Made and failed, by the trick before which a feat was announced (Grosstarock)."""
FOOL_LEFT = 4
DANISH_NOLO = 25


@dataclass(frozen=True, slots=True)
class LastTrick:
    """What the last trick pays: an ultimo of pagat or king, the trick itself, a tout."""

    pagat: int
    king: int
    trick: int = 0
    tout: int = 0


def last_trick(options: Options) -> LastTrick:
    """Return what the last trick pays in this house."""
    match options.rule_set:
        case "a":
            return LastTrick(pagat=10, king=0)
        case "b":
            return LastTrick(pagat=15, king=10)
    if options.c_pots:
        return LastTrick(pagat=45, king=40, trick=20, tout=options.c_tout)
    return LastTrick(pagat=15, king=10, trick=5, tout=25)


def price(declared: Declared) -> int:
    """Return what each opponent pays for a declaration."""
    price = _PRICES[declared.what]
    if declared.what in COUNTED and declared.count is not None:
        price += _ONE_MORE * (declared.count - COUNTED[declared.what][0])
    return price


def fate_value(options: Options, what: str) -> int:
    """Return what each opponent pays whoever *what* happened to; it is a fate of this game."""
    return FATES[options.rule_set][cast("Fate", what)]


def feat_value(feat: FeatTold) -> int:
    """Return what who made or failed a vole or nolo of Grosstarock gets from each."""
    made, failed = ANNOUNCED[feat.what][feat.announced]
    return made if feat.made else failed or 0
