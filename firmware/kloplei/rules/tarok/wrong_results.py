"""What cannot be the result of a hand, where a house keeps nothing but results (§ 8)."""

from collections.abc import Iterator

from kloplei.rules.tarok.actions import Result
from kloplei.rules.tarok.entries import ResultTold
from kloplei.rules.tarok.hand import Hand
from kloplei.rules.tarok.options import Options
from kloplei.rules.tarok.state import State

MOST = 9999
"""More than this nobody wins or loses in one hand."""


def wrong_with(options: Options, state: State, result: Result) -> Iterator[str]:
    """Yield the reasons *result* cannot be written down, all of them."""
    into_pots = (result.king, result.pagat)
    told = ResultTold(result.amounts, *into_pots)
    if not options.only_points:
        yield "not_played_here"
        return
    if state.hand.is_void:
        yield "hand_void"
    if len(result.amounts) != len(state.seats):
        yield "not_all_seats"
    if options.must_balance and sum(result.amounts) + sum(into_pots):
        yield "sum_not_zero"
    if any(abs(number) > MOST for number in (*result.amounts, *into_pots)):
        yield "too_much"
    if any(into_pots) and not options.has_pots:
        yield "V-EVENT"
    yield from pots_left(state, told)


def pots_left(state: State, result: ResultTold | None) -> tuple[str, ...]:
    """Return why no pot could pay *result*, and those of the hands that wait after it."""
    king, pagat = state.pots.king, state.pots.pagat
    waiting = (Hand(hand.dealer, (), hand.entries).result for hand in state.waiting)
    for one in (result, *waiting):
        if one is not None:
            king, pagat = king + one.king, pagat + one.pagat
            if min(king, pagat) < 0:
                return ("pot_below_zero",)
    return ()
