"""A hand told in full becomes lines of the ledger, in the order of the rules (§ 3).

1. antes and dealer's extra, when it was dealt (`kloplei.games.tarok.booking`)
2. declarations, then fines
3. tricks 1 to 24
4. the last trick, vole or tout, nolo (`kloplei.games.tarok.consistency`)
5. card points

The two pots of Danish Tarok: antes, the dealer's extra, and sharing them out (§ 3).

Who pays whom at the end of an evening, in the fewest payments, and with which chips.
"""

from collections.abc import Iterator, Mapping, Sequence

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Payment
from kloplei.games.tarok import actions
from kloplei.games.tarok.actions import BOOKED, VOID, Booked, Dealt, Fined, HandEnded
from kloplei.games.tarok.apply import Course
from kloplei.games.tarok.consistency import book_last_trick
from kloplei.games.tarok.options import CHIP, Options
from kloplei.games.tarok.state import Hand, Pots, State, bonuses_count, cards_settle

_POTS = ("king", "pagat")


def pay_in(course: Course, *, first: bool) -> None:
    """Book what is paid before a deal; the *first* one of the evening fills both pots."""
    options, state = course.options, course.state
    if not options.has_pots or options.only_points:
        return
    empty = [pot for pot in _POTS if first or not state.pots.of(pot)]
    if empty:
        payers = state.seats if options.c_sitter_antes else state.active
        own = dict.fromkeys(payers, -options.c_ante * len(empty))
        course.pay("ante", own, into=_in_each(empty, options.c_ante * len(payers)))
    extra = [pot for pot in _POTS if first or options.c_dealer_extra_on_refill or pot not in empty]
    if extra and options.c_dealer_extra:
        own = {state.dealer: -options.c_dealer_extra * len(extra)}
        into = _in_each(extra, options.c_dealer_extra)
        course.pay("dealer_extra", own, into=into, seat=state.dealer)


def share_out(course: Course) -> None:
    """Give everybody at the table an equal part of the pots; what is left over to the lowest."""
    state = course.state
    pots = state.pots
    if not pots.total:
        return
    share = pots.total // len(state.seats) // CHIP * CHIP
    shares = dict.fromkeys(state.seats, share)
    shares[lowest(state)] += pots.total - share * len(state.seats)
    course.pay("pots_share", shares, into=-pots)


def _in_each(pots: list[str], chips: int) -> Pots:
    return Pots(**dict.fromkeys(pots, chips))


def lowest(state: State) -> Seat:
    """Return who has the lowest score; of several the one who would deal first."""
    order = (state.dealer, *state.after(state.dealer))
    return min(order, key=lambda seat: (state.scores[seat], order.index(seat)))


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
        course.each(one.what, one.seat, actions.price(one), count=one.count)


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
        price = actions.price(one)
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
    value = actions.fate_value(options, what)
    card, _, how = what.partition("_")
    chips = actions.LOST_TO_POT if options.has_pots and how == "lost" else 0
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


CHIPS = (100, 20, 10, 5)
"""What the chips of Danish Tarok are worth (§ 1)."""

_MOST_OF_THE_LARGEST = 100
"""No house has more; a pot that doubles hand after hand would need millions."""


def payments(scores: Mapping[Seat, int], chips: Sequence[int] = ()) -> tuple[Payment, ...]:
    """Return the fewest payments after which nobody has won or lost anything.

    Empty where *scores* do not add up to nothing: somebody would be owed by nobody. *chips*
    are those there are, the largest first; without them none are told.
    """
    if sum(scores.values()):
        return ()
    return tuple(
        Payment(payer, payee, amount, change(amount, chips))
        for group in _groups([seat for seat in scores if scores[seat]], scores)
        for payer, payee, amount in _payments_between({seat: scores[seat] for seat in group})
    )


def change(amount: int, chips: Sequence[int]) -> tuple[int, ...]:
    """Return *amount* in *chips*, the largest first; empty if it cannot be paid with them."""
    if chips and amount > _MOST_OF_THE_LARGEST * chips[0]:
        return ()
    given: list[int] = []
    for chip in chips:
        number, amount = divmod(amount, chip)
        given += [chip] * number
    return () if amount else tuple(given)


def _groups(seats: Sequence[Seat], scores: Mapping[Seat, int]) -> list[tuple[Seat, ...]]:
    """Part *seats* into as many groups as can be that each come to nothing.

    A group needs one payment fewer than it has players, so more groups are fewer payments.
    """
    if not seats:
        return []
    first, *rest = seats
    partings = (
        [(first, *others), *_groups([one for one in rest if one not in others], scores)]
        for others in _subsets(rest)
        if scores[first] + sum(scores[one] for one in others) == 0
    )
    return max(partings, key=len)


def _subsets(seats: Sequence[Seat]) -> Iterator[tuple[Seat, ...]]:
    """Yield every choice from *seats*, in their order."""
    for bits in range(1 << len(seats)):
        yield tuple(seat for at, seat in enumerate(seats) if bits >> at & 1)


def _payments_between(scores: dict[Seat, int]) -> Iterator[tuple[Seat, Seat, int]]:
    """Yield who pays whom how much: each payment settles one of the two."""
    while any(scores.values()):
        payer, payee = min(scores, key=scores.__getitem__), max(scores, key=scores.__getitem__)
        amount = min(-scores[payer], scores[payee])
        scores[payer] += amount
        scores[payee] -= amount
        yield payer, payee, amount
