"""Putting the slate right between deals: another winner, or points by hand (§ 7)."""

from dataclasses import replace

from kloplei.rules.card_game import put
from kloplei.rules.game import Action, Seat
from kloplei.rules.watten import actions, events
from kloplei.rules.watten.apply import Course
from kloplei.rules.watten.game_end import judge_again
from kloplei.rules.watten.options import Options
from kloplei.rules.watten.sides import accounts, side_of
from kloplei.rules.watten.state import State

CORRECTIONS = (actions.Correct, actions.Chalk)
_DECIDED_BY_TRICKS = ("tricks", "corrected")
_MOST_DOWN, _MOST_UP = 20, 40  # points, where they run down: five tricks of hearts; bad luck


def why_not(options: Options, state: State, action: Action) -> str | None:
    """Return the reason *action* is refused, or None if it may be done."""
    if state.deal_running:
        return "deal_in_progress"
    match action:
        case actions.Correct(hand, winner):
            return _why_not_correct(state, hand, winner)
        case actions.Chalk(seat, points):
            if points not in chalkable(options):
                return "points_out_of_range"
            return "nothing_changed" if points == state.points[seat] else None
        case _:
            raise TypeError(f"{action!r} corrects nothing")


def chalkable(options: Options) -> range:
    """Return the points that may be written by hand; with enough of them the game is over."""
    if options.everyone_alone:
        return range(-_MOST_DOWN, options.bohemian_start + _MOST_UP + 1)
    return range(2 * options.target + 1)


def correct(course: Course, number: int, seat: Seat) -> None:
    """Write down that the side of *seat* had won deal *number*: what it was worth moves over."""
    state = course.state
    deal = next(one for one in state.deals if one.number == number)
    # Three players: who plays with whom went by who dealt then.
    winners = side_of(course.options, replace(state, dealer=deal.dealer), seat)
    points = state.points
    for loser in deal.winners:
        # Later corrections may have left less than was written then.
        points = put(points, loser, max(0, points[loser] - deal.value))
    for winner in winners:
        points = put(points, winner, points[winner] + deal.value)
    course.tell(events.Corrected(number, winners, points))
    judge_again(course)


def chalk(course: Course, seat: Seat, number: int) -> None:
    """Write down that *seat*, and whoever shares its account, has *number* points."""
    state, points = course.state, course.state.points
    account = next(one for one in accounts(course.options, state) if seat in one)
    for one in account:
        points = put(points, one, number)
    course.tell(events.Chalked(account, number, points))
    judge_again(course)


def _why_not_correct(state: State, number: int, winner: Seat) -> str | None:
    deal = next((one for one in state.deals if one.number == number), None)
    if deal is None or deal.how not in _DECIDED_BY_TRICKS:
        return "deal_unknown"
    return "nothing_changed" if winner in deal.winners else None
