"""What cannot be declared together in one hand of Tarok (§ 4, § 10)."""

from collections import Counter

from kloplei.rules.game import Seat
from kloplei.rules.tarok.entries import Declared
from kloplei.rules.tarok.hand import Hand
from kloplei.rules.tarok.options import Options
from kloplei.rules.tarok.tariff import (
    CAVALRIES,
    COUNTED,
    DECLARATIONS,
    KINGS,
    MOST_IN_HAND,
    NEED_FOOL,
)

_NOT_OVER = ("kings_full", "cavalry_full")


def unknown(options: Options, hand: Hand) -> bool:
    """V-DECL: not declared in this game, or of so many cards."""
    known = DECLARATIONS[options.rule_set]
    return any(one.what not in known or not _countable(one) for one in hand.declared)


def too_many(_: Options, hand: Hand) -> bool:
    """V-DECL-SUM: more cards, or the same ones twice, than the pack has."""
    totals: Counter[str] = Counter()
    once: list[object] = []
    for one in hand.declared:
        if one.what in COUNTED and one.what != "matadors":
            totals[one.what] += one.count or 0
            once.append((one.what, one.seat))
        elif one.what in CAVALRIES:
            once.append(one.suit or object())  # nobody said which suit
        else:
            once.append("kings" if one.what in KINGS else one.what)
    return len(once) > len(set(once)) or any(
        number > COUNTED[what][1] for what, number in totals.items()
    )


def two_fools(_: Options, hand: Hand) -> bool:
    """V-EXCUSE-ONE: two players declared what needs the Fool."""
    return len(_fool_holders(hand)) > 1


def not_over_full(options: Options, hand: Hand) -> bool:
    """V-OVER: who holds the Fool called four courts full instead of over-full."""
    holders = _fool_holders(hand)
    return options.rule_set == "c" and any(
        one.what in _NOT_OVER and one.seat in holders for one in hand.declared
    )


def pagat_owner(_: Options, hand: Hand) -> bool:
    """V-PAGAT-OWNER: the pagat was declared by somebody else than had it, or denied as well."""
    matadors = {one.seat for one in hand.declared if one.what == "matadors"}
    owners = matadors | _said_of_pagat(hand, with_it=True)
    denied = _said_of_pagat(hand, with_it=False)
    others = set(hand.fates_of("pagat")) - owners
    return len(owners) > 1 or bool(matadors & denied) or bool(owners and others)


def denied_pagat(_: Options, hand: Hand) -> bool:
    """Somebody declared taroks without the pagat, and yet it was his."""
    return bool(_said_of_pagat(hand, with_it=False) & set(hand.fates_of("pagat")))


def _said_of_pagat(hand: Hand, *, with_it: bool) -> set[Seat]:
    """Return who declared taroks and said that the pagat is among them, or that it is not."""
    return {one.seat for one in hand.declared if one.what == "taroks" and one.pagat is with_it}


def _countable(one: Declared) -> bool:
    if one.what not in COUNTED:
        return True
    least, most = COUNTED[one.what]
    return one.count is not None and least <= one.count <= min(most, MOST_IN_HAND)


def _fool_holders(hand: Hand) -> set[Seat]:
    with_fool = (one for one in hand.declared if one.what in NEED_FOOL or one.fool is True)
    return {one.seat for one in with_fool}
