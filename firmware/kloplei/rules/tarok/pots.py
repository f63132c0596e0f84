"""The two pots of Danish Tarok: antes, the dealer's extra, and sharing them out (§ 3)."""

from kloplei.rules.game import Seat
from kloplei.rules.tarok.course import Course
from kloplei.rules.tarok.options import CHIP
from kloplei.rules.tarok.state import Pots, State

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
