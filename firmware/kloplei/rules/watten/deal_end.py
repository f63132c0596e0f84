"""The end of a deal: who scores, who deals next, and whether the game is over (§ 7)."""

from kloplei.rules.card_game import put
from kloplei.rules.game import Seat
from kloplei.rules.watten.apply import Course
from kloplei.rules.watten.bohemian import count_if_over
from kloplei.rules.watten.events import DealEnded, DealTakenBack
from kloplei.rules.watten.game_end import finish_if_over, win
from kloplei.rules.watten.options import Options
from kloplei.rules.watten.raising import value_if_held
from kloplei.rules.watten.sealed import open_seal
from kloplei.rules.watten.sides import decided_for, opponents, side_of
from kloplei.rules.watten.state import TRICKS_IN_DEAL, Phase, PlayedDeal

PENALTY = 2  # points

HOW_ENDED = (
    *("tricks", "given-up", "maschine", "illegal-raise", "revoke", "misdeal", "looked-early"),
    *("counted", "corrected"),
)
"""Every way a deal can end, as `DealEnded` says it."""


def end_if_decided(course: Course, seat: Seat) -> None:
    """End the deal if the trick that *seat* just took settles it."""
    options, state = course.options, course.state
    if options.everyone_alone:
        count_if_over(course)
        return
    won = decided_for(options, state)
    if won and (options.stop_at_three or state.tricks_played == TRICKS_IN_DEAL):
        _end(course, "tricks", seat, won, state.deal.value)


def give_up(course: Course, seat: Seat) -> None:
    """End the deal: *seat* gave it up for what it was worth before an open raise."""
    others = opponents(course.options, course.state, seat)
    _end(course, "given-up", seat, others, course.state.deal.value)


def maschine(course: Course, seat: Seat) -> None:
    """End the deal: *seat* held all the Kritische."""
    _end(course, "maschine", seat, side_of(course.options, course.state, seat), PENALTY)


def raise_locked(course: Course, seat: Seat) -> None:
    """End the deal: *seat* raised although its side may not."""
    bid = value_if_held(course.state) + 1
    by_bid = course.options.illegal_raise == "opponents_score_bid"
    penalize(course, "illegal-raise", seat, bid if by_bid else PENALTY)


def misdeal(course: Course) -> None:
    """Drop the deal: it was dealt wrongly."""
    if course.options.everyone_alone or course.options.misdeal_penalty == "redeal":
        _void(course, "misdeal", course.state.dealer)
    else:
        penalize(course, "misdeal", course.state.dealer, PENALTY)


def revoke(course: Course, seat: Seat) -> None:
    """Settle that *seat* revoked in this deal or, if none is running, in the last one."""
    value = course.state.deal.value
    if not course.state.deal_running:
        last = course.state.deals[-1]
        value = last.value
        course.tell(DealTakenBack(seat, _before(course.options, last), last.dealer))
    remedy = course.options.revoke_remedy
    match "redeal" if course.options.everyone_alone else remedy:
        case "redeal":
            _void(course, "revoke", seat)
            finish_if_over(course)
        case "opponents_2":
            penalize(course, "revoke", seat, PENALTY, value)
        case "opponents_value":
            penalize(course, "revoke", seat, value, value)
        case "lose_game":
            winners = opponents(course.options, course.state, seat)
            _end(course, "revoke", seat, winners, 0, value)
            if course.state.phase is not Phase.GAME_OVER:
                win(course, winners)


def penalize(course: Course, how: str, seat: Seat, points: int, value: int | None = None) -> None:
    """End the deal with *points* for those who play against *seat*."""
    winners = opponents(course.options, course.state, seat)
    _end(course, how, seat, winners, points, value)


def _void(course: Course, how: str, seat: Seat) -> None:
    open_seal(course)
    state = course.state
    number = len(state.deals) + 1
    course.tell(DealEnded(number, how, seat, (), 0, 0, state.points, state.dealer))


def _end(
    course: Course,
    how: str,
    seat: Seat,
    winners: tuple[Seat, ...],
    scored: int,
    value: int | None = None,
) -> None:
    open_seal(course)
    state, points = course.state, course.state.points
    for one in winners:
        points = put(points, one, points[one] + scored)
    course.tell(
        DealEnded(
            number=len(state.deals) + 1,
            how=how,
            seat=seat,
            winners=winners,
            scored=scored,
            value=state.deal.value if value is None else value,
            points=points,
            dealer=state.neighbour,
        )
    )
    finish_if_over(course)


def _before(options: Options, deal: PlayedDeal) -> tuple[int, ...]:
    """Return what stood on the slate before *deal*; a correction may have left less than that."""
    if options.everyone_alone:
        return deal.before
    return tuple(max(0, points) for points in deal.before)
