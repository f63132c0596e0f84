"""A hand told in full becomes lines of the ledger, in the order of the rules (§ 3).

1. antes and dealer's extra, when it was dealt
2. declarations, then fines
3. tricks 1 to 24
4. the last trick, vole or tout, nolo
5. card points

Every line adds up to nothing over all seats and both pots. What things cost stands here as well
(§ 4 to § 7), and who pays whom at the end of an evening, in the fewest payments.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Payment
from kloplei.games.tarok import actions
from kloplei.games.tarok.apply import Course
from kloplei.games.tarok.options import CHIP, Options
from kloplei.games.tarok.state import Hand, Pots, State, bonuses_count, cards_settle

CHIPS = (100, 20, 10, 5)
"""What the chips of Danish Tarok are worth (§ 1)."""
_MOST_OF_THE_LARGEST = 100
"""No house has more; a pot that doubles hand after hand would need millions."""
_POTS = ("king", "pagat")
_PAR = 26  # card points: a third of all
_PLAYERS = 3
_SPECIAL = ("pagat", "king")
_PRICES: Mapping[str, int] = {
    **dict.fromkeys(("cavalry_full", "kings_four", "kings_full", "taroks", "matadors"), 10),
    **dict.fromkeys(("cavalry_half", "kings_three", "kings_half", "honours"), 5),
    **dict.fromkeys(("queens", "cavaliers", "jacks"), 5),
    **dict.fromkeys(("cavalry_over", "kings_over", "ladons"), 15),
}
"""From each opponent, where cards are counted for the fewest of them."""
_ONE_MORE = 5
_USUAL = Options()
_TOUT_WITHOUT_POTS = 25
_WITHOUT_POTS = {"c_pagat_ultimo": 15, "c_king_ultimo": 10, "c_last_trick": 5}
"""What clubs pay that have no pots, unless the house says otherwise."""
_STEPS: tuple[tuple[str, ...], ...] = (
    actions.PAID_AT_THE_DEAL,
    (
        *dict.fromkeys(what for known in actions.DECLARATIONS.values() for what in known),
        *("refund_own", "refund_third", "fine"),
    ),
    tuple(dict.fromkeys(what for known in actions.FATES.values() for what in known)),
    (
        *("pagat_ultimo_won", "king_ultimo_won", "pagat_ultimo_lost", "king_ultimo_lost"),
        *("last_trick", "tout", "nolo", "vole_made", "vole_failed", "nolo_made", "nolo_failed"),
        "excuse_alone",
    ),
    ("cards",),
    ("result", "pots_share"),
)
LINES: Mapping[str, int] = {
    name: step for step, names in enumerate(_STEPS, start=1) for name in names
}
"""Every line by name, with its step; the order within a step means nothing."""


@dataclass(frozen=True, slots=True)
class LastTrickPay:
    """What the last trick pays: an ultimo of pagat or king, the trick itself, a tout."""

    pagat: int
    king: int
    trick: int = 0
    tout: int = 0


def deal(course: Course, dealer: Seat, sitter: Seat | None) -> None:
    """Deal the next hand, and book what is paid for it."""
    before = course.state
    course.tell(actions.Dealt(dealer, sitter))
    if not before.paid:
        _pay_in(course, first=not before.opened)


def write_down(course: Course) -> None:
    """Book the running hand, and once more those after it that waited for it to be put right."""
    waiting = course.state.waiting
    _book(course)
    for hand in waiting:
        deal(course, hand.dealer, hand.sitter)
        for entry in hand.entries:
            course.tell(entry)
        _book(course)


def preview(options: Options, state: State) -> tuple[actions.Booked, ...]:
    """Return what the running hand would pay if nothing more were told of it."""
    course = Course(options, state)
    _book_told(course, state.hand)
    return tuple(line for line in course.events if isinstance(line, actions.Booked))


def preview_shares(options: Options, state: State) -> tuple[actions.Booked, ...]:
    """Return what sharing out the pots would bring, if the evening ended now."""
    course = Course(options, state)
    share_out(course)
    return tuple(line for line in course.events if isinstance(line, actions.Booked))


def _pay_in(course: Course, *, first: bool) -> None:
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
    # Chips that cannot be shared must go to somebody: if a pot kept them the scores would not come
    # to nothing, and `payments` has no answer to such an evening.
    share = pots.total // len(state.seats) // CHIP * CHIP
    shares = dict.fromkeys(state.seats, share)
    shares[_lowest(state)] += pots.total - share * len(state.seats)
    course.pay("pots_share", shares, into=-pots)


def _lowest(state: State) -> Seat:
    """Return who has the lowest score; of several the one who would deal first."""
    order = (state.dealer, *state.after(state.dealer))
    return min(order, key=lambda seat: (state.scores[seat], order.index(seat)))


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
        for payer, payee, amount in _settling({seat: scores[seat] for seat in group})
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


def price(declared: actions.Declared) -> int:
    """Return what each opponent pays for a declaration."""
    price = _PRICES[declared.what]
    if declared.what in actions.COUNTED and declared.count is not None:
        price += _ONE_MORE * (declared.count - actions.COUNTED[declared.what][0])
    return price


def fate_value(options: Options, what: str) -> int:
    """Return what each opponent pays whoever *what* happened to; it is a fate of this game."""
    if options.rule_set == "c" and what.endswith("_lost"):
        return -options.c_lost
    return actions.FATES[options.rule_set][cast("actions.Fate", what)]


def feat_value(feat: actions.FeatTold) -> int:
    """Return what who made or failed a vole or nolo of Grosstarock gets from each."""
    made, failed = actions.ANNOUNCED[feat.what][feat.announced]
    return made if feat.made else failed or 0


def last_trick_pay(options: Options) -> LastTrickPay:
    """Return what the last trick pays in this house."""
    match options.rule_set:
        case "a":
            return LastTrickPay(pagat=10, king=0)
        case "b":
            return LastTrickPay(pagat=15, king=10)
    return LastTrickPay(
        pagat=_danish(options, "c_pagat_ultimo"),
        king=_danish(options, "c_king_ultimo"),
        trick=_danish(options, "c_last_trick"),
        tout=options.c_tout if options.c_pots else _TOUT_WITHOUT_POTS,
    )


def _danish(options: Options, name: str) -> int:
    """Return the amount *name*: where it is as usual, a house without pots pays less."""
    amount: int = getattr(options, name)
    if options.c_pots or amount != getattr(_USUAL, name):
        return amount
    return _WITHOUT_POTS[name]


def _book(course: Course) -> None:
    """Book the running hand, which is told in full, and end it."""
    hand = course.state.hand
    _book_told(course, hand)
    state = course.state
    # The cards of a hand thrown in are dealt again, by the same dealer.
    dealer = state.dealer if hand.is_void else state.next_dealer
    course.tell(
        actions.HandEnded(state.number, actions.VOID if hand.is_void else actions.BOOKED, dealer)
    )


def _book_told(course: Course, hand: Hand) -> None:
    """Book as much of *hand* as can be paid already."""
    for one in hand.declared:
        course.each(one.what, one.seat, price(one), count=one.count)
    _book_fines(course, hand)
    if hand.is_void:
        return
    if hand.result is not None:
        course.tell(
            actions.Booked("result", hand.result.amounts, hand.result.king, hand.result.pagat)
        )
    _book_fates(course, hand)
    _book_last_trick(course, hand)
    if cards_settle(course.options, hand) and len(hand.points) == _PLAYERS:
        _book_cards(course, hand)


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


def _each_of(course: Course, fine: actions.Fined) -> int:
    if fine.each is not None:
        return fine.each
    return course.options.a_fine if course.options.rule_set == "a" else 0


def _refund(course: Course, hand: Hand, dealer: Seat) -> None:
    """Give back what declarations brought *dealer*, and what they cost the third player (§ 7)."""
    for one in hand.declared:
        value = price(one)
        if one.seat == dealer:
            course.each("refund_own", dealer, -value)
            continue
        (third,) = (seat for seat in hand.opponents(dealer) if seat != one.seat)
        course.pay("refund_third", {dealer: -value, third: value}, seat=dealer)


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
    value = fate_value(options, what)
    card, _, how = what.partition("_")
    chips = options.c_lost if options.has_pots and how == "lost" else 0
    if value:
        course.each(what, seat, value, into=Pots.only(card, chips))


def _book_last_trick(course: Course, hand: Hand) -> None:
    """Book the last trick of *hand* and its feats, as far as they are told."""
    if course.options.rule_set == "c":
        _book_danish(course, hand)
        return
    if bonuses_count(course.options, hand):
        _book_ultimo(course, hand)
    for seat in hand.fool_left:
        receives = course.options.a_excuse_alone == "receives"
        course.each("excuse_alone", seat, actions.FOOL_LEFT if receives else -actions.FOOL_LEFT)
    for feat in hand.feats:
        outcome = "made" if feat.made else "failed"
        course.each(f"{feat.what}_{outcome}", feat.seat, feat_value(feat))


def _book_ultimo(course: Course, hand: Hand) -> None:
    """Book pagat and kings in the last trick, where there are no pots."""
    pays = last_trick_pay(course.options)
    for seat, card in _in_last(hand):
        value = pays.pagat if card == "pagat" else pays.king
        won = seat == hand.winner
        course.each(f"{card}_ultimo_{'won' if won else 'lost'}", seat, value if won else -value)


def _book_danish(course: Course, hand: Hand) -> None:
    """Book the winner before the losers, each at what lay in the pot before the trick."""
    options, found = course.options, course.state.pots
    pays = last_trick_pay(options)
    tout, nolo = hand.maker("tout"), hand.maker("nolo")
    if tout is not None:
        course.each("tout", tout, pays.tout, into=-found)
    elif nolo is None:
        _book_won(course, hand, found)
    _book_lost(course, hand, found)
    if nolo is not None:
        course.each("nolo", nolo, options.c_nolo)
    elif tout is None and hand.winner is not None and _trick_pays(course, hand):
        course.each("last_trick", hand.winner, pays.trick)


def _book_won(course: Course, hand: Hand, found: Pots) -> None:
    pays = last_trick_pay(course.options)
    for seat, card in _in_last(hand):
        if seat == hand.winner:
            value = pays.pagat if card == "pagat" else pays.king
            course.each(f"{card}_ultimo_won", seat, value, into=Pots.only(card, -found.of(card)))


def _book_lost(course: Course, hand: Hand, found: Pots) -> None:
    options = course.options
    pays = last_trick_pay(options)
    for seat, card in _in_last(hand):
        if seat != hand.winner:
            value = pays.pagat if card == "pagat" else pays.king
            pots = found if options.c_failed_pot == "snapshot" else course.state.pots
            course.each(f"{card}_ultimo_lost", seat, -value, into=Pots.only(card, pots.of(card)))


def _trick_pays(course: Course, hand: Hand) -> bool:
    """Whether the last trick as such is paid beside what pagat and kings did in it."""
    special = _in_last(hand)
    if not last_trick_pay(course.options).trick:
        return False
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
    return _rounded(difference, options.c_rounding) if options.rule_set == "c" else difference


def _rounded(amount: int, to: int) -> int:
    """Return *amount* rounded to the nearest multiple of *to*, which is odd."""
    return (amount + to // 2) // to * to


def _in_each(pots: list[str], chips: int) -> Pots:
    return Pots(**dict.fromkeys(pots, chips))


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


def _settling(scores: dict[Seat, int]) -> Iterator[tuple[Seat, Seat, int]]:
    """Yield who pays whom how much: each payment settles one of the two."""
    while any(scores.values()):
        payer, payee = min(scores, key=scores.__getitem__), max(scores, key=scores.__getitem__)
        amount = min(-scores[payer], scores[payee])
        scores[payer] += amount
        scores[payee] -= amount
        yield payer, payee, amount
