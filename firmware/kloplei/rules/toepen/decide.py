"""What happens when an action is done: the events that follow from it (§ 12)."""

from kloplei.rules.game import Action, Seat
from kloplei.rules.toepen import actions, events, hand_end
from kloplei.rules.toepen.actions import LAST_TRICK
from kloplei.rules.toepen.apply import Course
from kloplei.rules.toepen.armoede import close_exchange, lead, poor_among, stay_if_forced
from kloplei.rules.toepen.corrections import chalk, correct
from kloplei.rules.toepen.lives import fold_price, lose
from kloplei.rules.toepen.referee import Referee
from kloplei.rules.toepen.rubber import wipe_if_settled

_HANDS_IN_PACK = 8  # 32 cards, four each


def follow(course: Course, action: Action) -> None:
    """Tell *course* what comes of *action*, which is legal."""
    match action:
        case actions.Deal():
            _deal(course)
        case actions.Exchange(seat):
            course.tell(events.Exchanged(seat))
        case actions.Challenge(seat, of, found):
            _challenge(course, seat, of, found)
        case actions.Ready():
            close_exchange(course)
        case actions.Stay(seat):
            close_exchange(course)
            course.tell(events.Stayed(seat, course.state.hand.stake))
        case actions.Fold(seat):
            _fold(course, seat)
        case actions.Knock(seat):
            _knock(course, seat)
        case actions.BlindKnock(seat):
            _knock(course, seat, blind=True)
        case actions.Trick(seat, n):
            _trick(course, seat, n)
        case actions.Jack(seat):
            close_exchange(course)
            hand_end.win_by_trick(course, seat, jack=True)
        case _:
            _follow_rarity(course, action)


def _follow_rarity(course: Course, action: Action) -> None:
    match action:
        case actions.Revoke(seat):
            hand_end.revoke(course, seat)
        case actions.Misdeal():
            hand_end.misdeal(course)
        case actions.Four(seat):
            hand_end.win_by_four(course, seat)
        case actions.Whistle(seat, holds):
            course.tell(events.Whistled(seat, holds))
        case actions.Stand(seat, holds):
            course.tell(events.Stood(seat, holds))
        case actions.Sing(seat, why):
            _sing(course, seat, why)
        case actions.Drink(seat):
            course.tell(events.Drank(seat))
            wipe_if_settled(course)
        case actions.Correct(hand, winner):
            correct(course, hand, winner)
        case actions.Chalk(seat, lives):
            chalk(course, seat, lives)


def _deal(course: Course) -> None:
    options, state = course.options, course.state
    in_hand = state.not_out(state.after(state.dealer))
    at_deal = options.armoede_check == "at_deal"
    armoede = poor_among(options, state, in_hand) if at_deal else ()
    course.tell(
        events.Dealt(
            dealer=state.dealer,
            in_hand=in_hand,
            stake=options.armoede_stake if armoede else 1,
            lead=lead(options, state, armoede, in_hand),
            armoede=armoede,
            exchanges=_HANDS_IN_PACK - len(in_hand),
        )
    )


def _challenge(course: Course, seat: Seat, of: Seat, found: str) -> None:
    loser = of if found == "dirty" else seat
    before = course.state.lives_lost[loser]
    lives = lose(course.options, before, course.options.exchange_penalty)
    course.tell(events.Challenged(seat, of, found, loser, lives - before, lives))
    hand_end.after_loss(course, loser)


def _knock(course: Course, seat: Seat, *, blind: bool = False) -> None:
    close_exchange(course)
    state = course.state
    others = state.still_in(one for one in state.after(seat) if one != seat)
    course.tell(events.Knocked(seat, state.hand.stake + 1, others, blind))
    stay_if_forced(course)


def _fold(course: Course, seat: Seat) -> None:
    if Referee(course.options, course.state).to_answer:
        # An answer to armoede; a fold without a question leaves exchanging open (§ 8).
        close_exchange(course)
    price = fold_price(course.options, course.state, seat)
    before = course.state.lives_lost[seat]
    lives = lose(course.options, before, price)
    course.tell(events.Folded(seat, lives - before, lives))
    hand_end.after_loss(course, seat)


def _trick(course: Course, seat: Seat, n: int) -> None:
    close_exchange(course)
    if n == LAST_TRICK:
        hand_end.win_by_trick(course, seat)
    else:
        course.tell(events.TrickTaken(seat, n))


def _sing(course: Course, seat: Seat, why: str) -> None:
    before = course.state.lives_lost[seat]
    lives = lose(course.options, before, course.options.whistle_penalty)
    course.tell(events.Sang(seat, why, lives - before, lives))
    hand_end.after_loss(course, seat)
