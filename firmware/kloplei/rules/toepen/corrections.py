"""Putting the slate right between hands: another winner, or lives by hand (§ 9)."""

from typing import cast

from kloplei.rules.card_game import put
from kloplei.rules.game import Seat
from kloplei.rules.toepen.apply import Course
from kloplei.rules.toepen.events import Chalked, Corrected
from kloplei.rules.toepen.hand_end import VOID, may_deal
from kloplei.rules.toepen.lives import lose
from kloplei.rules.toepen.rubber import call_back, finish_if_over, reopen_if_over, send_out
from kloplei.rules.toepen.state import State


def correct(course: Course, number: int, winner: Seat) -> None:
    """Write down that *winner* had won hand *number*.

    The new winner gets back what it paid at the end of that hand; the old one pays the
    stake, and returns the life that a jack gave it.
    """
    state = course.state
    hand = next(one for one in state.hands if one.number == number)
    # Only a hand that somebody won can be corrected (`Referee`).
    old = cast("Seat", hand.winner)
    paid, lives = hand.paid_at_end, state.lives_lost
    charged = lose(course.options, lives[old], hand.stake - paid[old])
    paid_by_old = paid[old] + charged - lives[old]
    # Later corrections may have left less than was paid then.
    returned = max(0, lives[winner] - paid[winner])
    lives = put(put(lives, winner, returned), old, charged)
    paid = put(put(paid, winner, 0), old, paid_by_old)
    dealer = _dealer(course, lives, winner if _latest(state) == number else None)
    course.tell(Corrected(number, winner, paid, lives, dealer))
    _judge_rubber_again(course)


def chalk(course: Course, seat: Seat, lost: int) -> None:
    """Write down that *seat* has lost so many lives."""
    lives = put(course.state.lives_lost, seat, lost)
    course.tell(Chalked(seat, lost, _dealer(course, lives, None)))
    _judge_rubber_again(course)


def _judge_rubber_again(course: Course) -> None:
    reopen_if_over(course)
    call_back(course)
    send_out(course, course.state.seats)
    finish_if_over(course)


def _latest(state: State) -> int:
    """Return the number of the last hand that was played to an end."""
    return next((hand.number for hand in reversed(state.hands) if hand.how not in VOID), 0)


def _dealer(course: Course, lives: tuple[int, ...], winner: Seat | None) -> Seat:
    """Return who deals next; *winner* is the new one of the latest hand, if that changed."""
    state = course.state
    present = may_deal(course.options, state, lives)
    first = state.dealer
    if winner is not None and course.options.next_dealer == "winner":
        first = winner
    return next(one for one in (first, *state.after(first)) if one in present)
