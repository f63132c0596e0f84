"""A hand told in full becomes lines of the ledger, in the order of the rules (§ 3).

1. antes and dealer's extra, when it was dealt (`kloplei.rules.tarok.pots`)
2. declarations, then fines
3. tricks 1 to 24
4. the last trick, vole or tout, nolo (`kloplei.rules.tarok.last_trick`)
5. card points
"""

from kloplei.rules.game import Seat
from kloplei.rules.tarok import tariff
from kloplei.rules.tarok.course import Course
from kloplei.rules.tarok.entries import Fined
from kloplei.rules.tarok.events import BOOKED, VOID, Booked, Dealt, HandEnded
from kloplei.rules.tarok.hand import Hand, bonuses_count, cards_settle
from kloplei.rules.tarok.last_trick import book_last_trick
from kloplei.rules.tarok.options import Options
from kloplei.rules.tarok.pots import pay_in
from kloplei.rules.tarok.state import Pots, State

_PAR = 26  # card points: a third of all
_PLAYERS = 3


def deal(course: Course, dealer: Seat, sitter: Seat | None) -> None:
    """Deal the next hand, and book what is paid for it."""
    before = course.state
    course.tell(Dealt(dealer, sitter))
    if not before.paid:
        pay_in(course, first=not before.opened)


def write_down(course: Course) -> None:
    """Book the running hand, and once more those after it that waited for it to be put right."""
    waiting = course.state.waiting
    _book(course)
    for hand in waiting:
        deal(course, hand.dealer, hand.sitter)
        for entry in hand.entries:
            course.tell(entry)
        _book(course)


def _book(course: Course) -> None:
    """Book the running hand, which is told in full, and end it."""
    hand = course.state.hand
    _book_told(course, hand)
    state = course.state
    # The cards of a hand thrown in are dealt again, by the same dealer.
    dealer = state.dealer if hand.is_void else state.next_dealer
    course.tell(HandEnded(state.number, VOID if hand.is_void else BOOKED, dealer))


def preview(options: Options, state: State) -> tuple[Booked, ...]:
    """Return what the running hand would pay if nothing more were told of it."""
    course = Course(options, state)
    _book_told(course, state.hand)
    return tuple(line for line in course.events if isinstance(line, Booked))


def _book_told(course: Course, hand: Hand) -> None:
    """Book as much of *hand* as can be paid already."""
    _book_declarations(course, hand)
    _book_fines(course, hand)
    if hand.is_void:
        return
    if hand.result is not None:
        course.tell(Booked("result", hand.result.amounts, hand.result.king, hand.result.pagat))
    _book_fates(course, hand)
    book_last_trick(course, hand)
    if cards_settle(course.options, hand) and len(hand.points) == _PLAYERS:
        _book_cards(course, hand)


def _book_declarations(course: Course, hand: Hand) -> None:
    for one in hand.declared:
        course.each(one.what, one.seat, tariff.price(one), count=one.count)


def _book_fines(course: Course, hand: Hand) -> None:
    for dealer in hand.wrong_discard:
        _refund(course, hand, dealer)
        course.each("fine", dealer, -course.options.a_fine)
    for fine in hand.fines:
        course.each(
            "fine",
            fine.seat,
            -_each_of(course, fine),
            into=Pots(fine.king_pot, fine.pagat_pot),
        )


def _each_of(course: Course, fine: Fined) -> int:
    if fine.each is not None:
        return fine.each
    return course.options.a_fine if course.options.rule_set == "a" else 0


def _refund(course: Course, hand: Hand, dealer: Seat) -> None:
    """Give back what declarations brought *dealer*, and what they cost the third player (§ 7)."""
    for one in hand.declared:
        price = tariff.price(one)
        if one.seat == dealer:
            course.each("refund_own", dealer, -price)
            continue
        (third,) = (seat for seat in hand.opponents(dealer) if seat != one.seat)
        course.pay("refund_third", {dealer: -price, third: price}, seat=dealer)


def _book_fates(course: Course, hand: Hand) -> None:
    options = course.options
    if not bonuses_count(options, hand):
        return
    for fate in hand.fates:
        _book_fate(course, fate.seat, fate.what)
    if options.rule_set == "b" and options.b_king_last_also_king:
        for king in hand.cards_in_last("king"):
            _book_fate(course, king, "king_home" if king == hand.winner else "king_lost")


def _book_fate(course: Course, seat: Seat, what: str) -> None:
    options = course.options
    value = tariff.fate_value(options, what)
    card, _, how = what.partition("_")
    chips = tariff.LOST_TO_POT if options.has_pots and how == "lost" else 0
    if value:
        course.each(what, seat, value, into=Pots.only(card, chips))


def _book_cards(course: Course, hand: Hand) -> None:
    own = {seat: _settled(course, points or 0) for seat, points in hand.points.items()}
    if course.options.rule_set == "c":
        # Rounding may leave something over: one player gets what the others leave.
        # That is the next dealer, or whoever of the three comes first after the dealer.
        rest = hand.dealer if course.options.c_residual == "dealer" else hand.active[0]
        own[rest] = -sum(own[seat] for seat in hand.opponents(rest))
    course.pay("cards", own)


def _settled(course: Course, points: int) -> int:
    """Return what card *points* bring: their difference from a third, or from each opponent's."""
    options = course.options
    difference = points - _PAR
    if options.card_settlement == "pairwise":
        difference *= _PLAYERS
    return rounded(difference, options.c_rounding) if options.rule_set == "c" else difference


def rounded(amount: int, to: int) -> int:
    """Return *amount* rounded to the nearest multiple of *to*, which is odd."""
    return (amount + to // 2) // to * to
