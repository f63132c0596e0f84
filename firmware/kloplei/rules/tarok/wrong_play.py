"""What cannot have happened in one hand of Tarok: who, the last trick, pagat and kings (§ 10)."""

from kloplei.rules.tarok.entries import Entry, PointsCounted
from kloplei.rules.tarok.hand import Hand, cards_settle
from kloplei.rules.tarok.options import CHIP, Options
from kloplei.rules.tarok.tariff import FATES

_KINGS = 4


def stranger(options: Options, hand: Hand) -> bool:
    """V-SEAT: somebody is named who does not play this hand, or the dealer sits it out."""
    active = hand.active
    if hand.dealer not in active or any(seat != hand.dealer for seat in hand.wrong_discard):
        return True
    named = [one for one in hand.entries if isinstance(one, Entry) and one.seat not in active]
    if cards_settle(options, hand):
        return bool(named)
    return any(not isinstance(one, PointsCounted) for one in named)


def last_trick(_: Options, hand: Hand) -> bool:
    """V-LAST: the last trick has more than one winner, or one who does not play."""
    if hand.is_void:
        return False
    return len(hand.winners) > 1 or not set(hand.winners) <= set(hand.active)


def no_last_trick(_: Options, hand: Hand) -> bool:
    """V-LAST: nobody has said yet who won the last trick."""
    return not hand.is_void and not hand.winners


def pagat_twice(_: Options, hand: Hand) -> bool:
    """V-PAGAT-ONCE: the pagat has more than one fate."""
    return len(hand.fates_of("pagat")) > 1


def no_fate(options: Options, hand: Hand) -> bool:
    """V-PAGAT-FATE: in Danish Tarok nobody may lay the pagat away, so something became of it."""
    return options.rule_set == "c" and not hand.is_void and not hand.fates_of("pagat")


def five_kings(_: Options, hand: Hand) -> bool:
    """V-KINGS: there are only four."""
    return len(hand.fates_of("king")) > _KINGS


def few_kings(options: Options, hand: Hand) -> bool:
    """Not all four kings of Grosstarock have a fate; the dealer may not lay one away."""
    return options.rule_set == "b" and not hand.is_void and len(hand.fates_of("king")) < _KINGS


def king_over_pagat(_: Options, hand: Hand) -> bool:
    """V-LAST-ORDER: a king won the last trick although the pagat lay there, a tarok."""
    if hand.is_void or not hand.cards_in_last("pagat"):
        return False
    return bool(set(hand.winners) & set(hand.cards_in_last("king")))


def event(options: Options, hand: Hand) -> bool:
    """V-EVENT: something that this game does not have."""
    return _strange_fate(options, hand) or _of_1754(options, hand) or _into_no_pot(options, hand)


def fine(options: Options, hand: Hand) -> bool:
    """V-FINE: a fine below nothing, or of chips that nobody has."""
    paid = [sum_ for one in hand.fines for sum_ in (one.each or 0, one.king_pot, one.pagat_pot)]
    in_chips = options.rule_set == "c"
    return any(sum_ < 0 or (in_chips and sum_ % CHIP) for sum_ in paid)


def _strange_fate(options: Options, hand: Hand) -> bool:
    if hand.is_void:
        return False
    strange = any(one.what not in FATES[options.rule_set] for one in hand.fates)
    return strange or (options.rule_set == "a" and bool(hand.cards_in_last("king")))


def _of_1754(options: Options, hand: Hand) -> bool:
    return options.rule_set != "a" and bool(hand.wrong_discard or hand.fool_left)


def _into_no_pot(options: Options, hand: Hand) -> bool:
    return not options.has_pots and any(one.king_pot or one.pagat_pot for one in hand.fines)
