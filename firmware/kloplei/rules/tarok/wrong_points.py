"""What card points cannot be in one hand of Tarok (§ 6, § 10)."""

from kloplei.rules.game import Seat
from kloplei.rules.tarok.hand import Hand, cards_settle
from kloplei.rules.tarok.options import Options
from kloplei.rules.tarok.tariff import FOOL_LEFT

ALL_POINTS = 78
DISCARD = range(1, 11)
"""What the dealer's three cards laid away can count."""


def sum_of_points(options: Options, hand: Hand) -> bool:
    """V-78: card points settle, but cannot add up to 78 any more."""
    if not cards_settle(options, hand):
        return False
    points = [one.points for one in hand.counted]
    whole = [number for number in points if number is not None and number >= 0]
    if len(whole) < len(points) or len(hand.points) < len(points):
        return True
    total = sum(whole)
    complete = set(hand.points) == set(hand.active)
    return total > ALL_POINTS or (complete and total != ALL_POINTS)


def not_all_counted(options: Options, hand: Hand) -> bool:
    """V-78: card points settle, and not everybody's are known yet."""
    return cards_settle(options, hand) and bool(set(hand.active) - set(hand.points))


def beside_a_vole(options: Options, hand: Hand) -> bool:
    """V-ZERO: who took no trick beside a vole has more than what the dealer laid away."""
    maker = hand.maker("vole")
    if options.rule_set != "b" or maker is None or not cards_settle(options, hand):
        return False
    return any(_not_only_discard(hand, seat, 0) for seat in hand.opponents(maker))


def fool_left(options: Options, hand: Hand) -> bool:
    """V-EXCUSE: who was left with the Fool took a trick after all, or has points from one."""
    if options.rule_set != "a" or hand.is_void:
        return False
    kept = FOOL_LEFT if options.a_excuse_alone_cards else 0
    settle = cards_settle(options, hand)
    return len(hand.fool_left) > 1 or any(
        seat in hand.winners
        or any(one.seat == seat and one.what == "pagat_home" for one in hand.fates)
        or (settle and _not_only_discard(hand, seat, kept))
        for seat in hand.fool_left
    )


def _not_only_discard(hand: Hand, seat: Seat, kept: int) -> bool:
    """Whether *seat* counts otherwise than *kept*, and as dealer the three cards laid away."""
    points = hand.points.get(seat)
    if points is None:
        return False
    return points - kept not in DISCARD if seat == hand.dealer else points != kept
