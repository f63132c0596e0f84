"""What cannot be true of who took every trick, or none, in one hand of Tarok (§ 6, § 10)."""

from collections import Counter

from kloplei.rules.game import Seat
from kloplei.rules.tarok.entries import FeatTold
from kloplei.rules.tarok.hand import Hand
from kloplei.rules.tarok.options import Options
from kloplei.rules.tarok.tariff import ANNOUNCED, FEATS

_ALL = ("vole", "tout")


def nolo(_: Options, hand: Hand) -> bool:
    """V-NOLO: who took no trick took one after all."""
    if hand.is_void:
        return False
    return any(
        feat.seat in hand.winners or _brought_home(hand, {feat.seat})
        for feat in hand.made
        if feat.what == "nolo"
    )


def feat(options: Options, hand: Hand) -> bool:
    """V-FEAT: not known in this game, or not possible beside all the rest."""
    if hand.is_void:
        return False
    known = FEATS[options.rule_set]
    return (
        any(one.what not in known for one in hand.feats)
        or _twice(hand)
        or any(_not_all_tricks(hand, one.seat) for one in hand.made if one.what in _ALL)
    )


def announcement(options: Options, hand: Hand) -> bool:
    """V-ANN: announced when nobody may, or failed without having been announced."""
    if hand.is_void:
        return False
    announcers = Counter(one.seat for one in hand.feats if one.announced is not None)
    more_than_once = any(times > 1 for times in announcers.values())
    return more_than_once or any(_badly_announced(options, one) for one in hand.feats)


def _badly_announced(options: Options, one: FeatTold) -> bool:
    if options.rule_set == "c":
        return one.announced is not None or not one.made
    if one.what not in ANNOUNCED:
        return False  # nothing this game has, whenever it was announced
    if one.announced not in ANNOUNCED[one.what]:
        return True
    _, failed = ANNOUNCED[one.what][one.announced]
    return not one.made and failed is None


def _twice(hand: Hand) -> bool:
    """Whether two made what only one can, or one both, or somebody's feat is told twice."""
    kinds = Counter("all" if one.what in _ALL else one.what for one in hand.made)
    told = Counter((one.seat, one.what) for one in hand.feats)
    return (
        any(times > 1 for times in kinds.values())
        or (kinds["all"] > 0 and kinds["nolo"] > 0)
        or any(times > 1 for times in told.values())
    )


def _not_all_tricks(hand: Hand, seat: Seat) -> bool:
    """Whether *seat* cannot have taken every trick."""
    others = set(hand.active) - {seat}
    lost = any(one.seat == seat and one.what.endswith("_lost") for one in hand.fates)
    return lost or _brought_home(hand, others) or bool(set(hand.winners) - {seat})


def _brought_home(hand: Hand, seats: set[Seat]) -> bool:
    return any(one.seat in seats and one.what.endswith("_home") for one in hand.fates)
