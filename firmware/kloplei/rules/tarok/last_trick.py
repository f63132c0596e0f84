"""The last trick, and who took every trick or none (§ 5, § 6): the fourth step of the ledger."""

from kloplei.rules.game import Seat
from kloplei.rules.tarok import tariff
from kloplei.rules.tarok.course import Course
from kloplei.rules.tarok.hand import Hand, bonuses_count
from kloplei.rules.tarok.state import Pots

_SPECIAL = ("pagat", "king")


def book_last_trick(course: Course, hand: Hand) -> None:
    """Book the last trick of *hand* and its feats, as far as they are told."""
    if course.options.rule_set == "c":
        _book_danish(course, hand)
        return
    if bonuses_count(course.options, hand):
        _book_ultimo(course, hand)
    for seat in hand.fool_left:
        receives = course.options.a_excuse_alone == "receives"
        course.each("excuse_alone", seat, tariff.FOOL_LEFT if receives else -tariff.FOOL_LEFT)
    for feat in hand.feats:
        outcome = "made" if feat.made else "failed"
        course.each(f"{feat.what}_{outcome}", feat.seat, tariff.feat_value(feat))


def _book_ultimo(course: Course, hand: Hand) -> None:
    """Book pagat and kings in the last trick, where there are no pots."""
    pays = tariff.last_trick(course.options)
    for seat, card in _in_last(hand):
        value = pays.pagat if card == "pagat" else pays.king
        won = seat == hand.winner
        course.each(f"{card}_ultimo_{'won' if won else 'lost'}", seat, value if won else -value)


def _book_danish(course: Course, hand: Hand) -> None:
    """Book the winner before the losers, each at what lay in the pot before the trick."""
    options, found = course.options, course.state.pots
    pays = tariff.last_trick(options)
    tout, nolo = hand.maker("tout"), hand.maker("nolo")
    if tout is not None:
        course.each("tout", tout, pays.tout, into=-found)
    elif nolo is None:
        _book_won(course, hand, found)
    _book_lost(course, hand, found)
    if nolo is not None:
        course.each("nolo", nolo, tariff.DANISH_NOLO)
    elif tout is None and hand.winner is not None and _trick_pays(course, hand):
        course.each("last_trick", hand.winner, pays.trick)


def _book_won(course: Course, hand: Hand, found: Pots) -> None:
    pays = tariff.last_trick(course.options)
    for seat, card in _in_last(hand):
        if seat == hand.winner:
            value = pays.pagat if card == "pagat" else pays.king
            course.each(f"{card}_ultimo_won", seat, value, into=Pots.only(card, -found.of(card)))


def _book_lost(course: Course, hand: Hand, found: Pots) -> None:
    options = course.options
    pays = tariff.last_trick(options)
    for seat, card in _in_last(hand):
        if seat != hand.winner:
            value = pays.pagat if card == "pagat" else pays.king
            pots = found if options.c_failed_pot == "snapshot" else course.state.pots
            course.each(f"{card}_ultimo_lost", seat, -value, into=Pots.only(card, pots.of(card)))


def _trick_pays(course: Course, hand: Hand) -> bool:
    """Whether the last trick as such is paid beside what pagat and kings did in it."""
    special = _in_last(hand)
    if not special:
        return True
    if any(seat == hand.winner for seat, _ in special):
        return course.options.c_last_trick_with_ultimo
    return course.options.c_last_trick_on_failed_ultimo


def _in_last(hand: Hand) -> list[tuple[Seat, str]]:
    """Return who played the pagat or a king to the last trick, once its winner is known."""
    if hand.winner is None:
        return []
    return [(one.seat, one.card) for one in hand.last_cards if one.card in _SPECIAL]
