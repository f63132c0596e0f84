"""Whether a game of Watten is over, and who won it; a correction looks at that afresh (§ 7)."""

from kloplei.rules.game import Seat
from kloplei.rules.watten.apply import Course
from kloplei.rules.watten.events import GameReopened, GameWon
from kloplei.rules.watten.state import Phase

_DOUBLE = 2  # games


def finish_if_over(course: Course) -> None:
    """End the game if the slate says that somebody has won it."""
    state, options = course.state, course.options
    held = [state.points[seat] for seat in state.seats]
    best = min(held) if options.everyone_alone else max(held)
    won = best <= 0 if options.everyone_alone else best >= options.target
    if won and state.phase is not Phase.GAME_OVER:
        win(course, tuple(seat for seat in state.seats if state.points[seat] == best))


def win(course: Course, winners: tuple[Seat, ...]) -> None:
    """End the game; it counts twice where the house says so and the losers have nothing."""
    state, options = course.state, course.options
    others = (state.points[seat] for seat in state.seats if seat not in winners)
    double = options.schneider and not options.everyone_alone and not any(others)
    course.tell(GameWon(winners, _DOUBLE if double else 1))


def judge_again(course: Course) -> None:
    """Take the end of the game back if there was one, and look whether it is over.

    A game that was lost by a revoke stays lost: no points ended it.
    """
    if course.state.phase is Phase.GAME_OVER:
        if _was_lost_by_a_revoke(course):
            return
        course.tell(GameReopened())
    finish_if_over(course)


def _was_lost_by_a_revoke(course: Course) -> bool:
    how = [deal.how for deal in course.state.deals[-1:]]
    return course.options.revoke_remedy == "lose_game" and how == ["revoke"]
