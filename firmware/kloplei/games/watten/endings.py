"""The end of a deal: who scores, who deals next, and whether the game is over (§ 7).

Whether a game of Watten is over, and who won it; a correction looks at that afresh (§ 7).

Bohemian Watten: everybody alone, all five tricks, down from twenty to nothing (§ 5).

What the deal is worth: who may raise, hold or give up now, and why not (§ 6).

Putting the slate right between deals: another winner, or points by hand (§ 7).
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, pairwise
from typing import get_args

from kloplei.games.card_game import put
from kloplei.games.game import Action, Seat
from kloplei.games.watten import actions, events
from kloplei.games.watten.apply import Course
from kloplei.games.watten.blind import open_seal
from kloplei.games.watten.events import DealEnded, DealTakenBack, GameReopened, GameWon
from kloplei.games.watten.options import Options
from kloplei.games.watten.state import (
    TRICKS_IN_DEAL,
    Phase,
    PlayedDeal,
    State,
    accounts,
    decided_for,
    is_locked,
    opponents,
    side_of,
)
from kloplei.games.watten.trick import WELI, WELI_RANK, pack_of

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


_USUAL_LIMIT, _DEALER_LIMIT, _TWO_PLAYER_LIMIT = 3, 2, 4  # cards
MOST_EXCHANGED = _TWO_PLAYER_LIMIT
_DOUBLING_SUIT = "H"

BOHEMIAN_ACTIONS = (actions.TurnUp, actions.Exchange, actions.Ready, actions.Result)
"""What may only be asked for where everybody plays alone."""


def why_not_bohemian(options: Options, state: State, action: Action) -> str | None:
    """Return the reason *action* is refused while a deal runs, or None if it may be done."""
    if isinstance(action, actions.TurnUp):
        return _why_not_turn_up(options, state, action)
    if isinstance(action, actions.Trump):
        return _why_not_trump(state, action)
    known = (*BOHEMIAN_ACTIONS, actions.Trick, actions.Misdeal)
    if not isinstance(action, known):
        return "not_played_here"
    if isinstance(action, actions.Misdeal):
        return "too_late" if state.phase is Phase.PLAY else None
    if state.phase is Phase.ANNOUNCING:
        return "no_trump_yet"
    match action:
        case actions.Exchange(seat, n):
            return _why_not_exchange(options, state, seat, n)
        case actions.Ready():
            return None if state.phase is Phase.EXCHANGE else "exchange_closed"
        case actions.Result(tricks):
            return None if _fits(state, tricks) else "trick_count"
        case _:
            return None


def exchange_limit(options: Options, state: State, seat: Seat) -> int:
    """Return how many cards *seat* may exchange in a deal."""
    if options.bohemian_exchange == "4 with two players" and len(state.seats) == 2:
        return _TWO_PLAYER_LIMIT
    if options.bohemian_exchange == "3 for all" or seat != state.dealer:
        return _USUAL_LIMIT
    return _DEALER_LIMIT


def may_run_short(options: Options, state: State) -> bool:
    """Return whether the pack cannot serve every exchange: with five or six players."""
    wanted = sum(exchange_limit(options, state, seat) for seat in state.seats)
    return _undealt(options, state) < wanted


def cards_left(options: Options, state: State) -> int:
    """Return how many cards the pack still holds for who exchanges."""
    return max(0, _undealt(options, state) - state.deal.taken)


def turn_up(course: Course, suit: str, rank: str | None) -> None:
    """Let the turned card make trump; *rank* None is known to the players alone."""
    schlag = rank if course.options.bohemian_schlag == "from_turnup" else None
    course.tell(events.TurnedUp(suit, rank, schlag))


def close_exchange(course: Course) -> None:
    """End exchanging if it has not ended yet: who plays on exchanges no more."""
    if course.state.phase is Phase.EXCHANGE:
        course.tell(events.ExchangeClosed())


def count_if_over(course: Course) -> None:
    """Count the deal when all five tricks have been taken."""
    state = course.state
    if state.tricks_played == TRICKS_IN_DEAL:
        count(course, tuple(state.deal.tricks[seat] for seat in sorted(state.seats)))


def count(course: Course, tricks: tuple[int, ...]) -> None:
    """End the deal with so many *tricks* a player, in the order of the seats."""
    state, points = course.state, course.state.points
    for seat, n in zip(sorted(state.seats), tricks, strict=True):
        points = put(points, seat, points[seat] + _worth(course.options, state, n))
    number = len(state.deals) + 1
    course.tell(events.DealEnded(number, "counted", None, (), 0, 0, points, state.neighbour))
    finish_if_over(course)


def results(state: State) -> Iterator[tuple[int, ...]]:
    """Yield every way in which the tricks of a deal can fall."""
    players = len(state.seats)
    for bars in combinations(range(TRICKS_IN_DEAL + players - 1), players - 1):
        edges = (-1, *bars, TRICKS_IN_DEAL + players - 1)
        yield tuple(right - left - 1 for left, right in pairwise(edges))


def _worth(options: Options, state: State, tricks: int) -> int:
    double = 2 if state.deal.trump == _DOUBLING_SUIT else 1
    each, none = options.bohemian_trick_points, options.bohemian_none_penalty
    return double * (-each * tricks if tricks else none)


def _undealt(options: Options, state: State) -> int:
    return len(pack_of(options)) - TRICKS_IN_DEAL * len(state.seats)  # a card a trick in every hand


def _why_not_turn_up(options: Options, state: State, action: actions.TurnUp) -> str | None:
    if state.phase is not Phase.ANNOUNCING:
        return "already_announced"
    known = action.suit in get_args(actions.Suit) and action.rank in get_args(actions.Rank)
    if action.rank == WELI_RANK:
        known = action.suit == WELI.suit and options.has_weli
    return None if known else "unknown_card"


def _why_not_trump(state: State, action: actions.Trump) -> str | None:
    if state.phase is not Phase.ANNOUNCING:
        return "already_announced"
    if action.seat != state.dealer:
        return "wrong_player"
    return None if action.suit in get_args(actions.Suit) else "unknown_card"


def _why_not_exchange(options: Options, state: State, seat: Seat, n: int) -> str | None:
    if state.phase is not Phase.EXCHANGE:
        return "exchange_closed"
    enough = seat in state.deal.exchanged or not 0 <= n <= exchange_limit(options, state, seat)
    return "exchange_limit" if enough else None


def _fits(state: State, tricks: tuple[int, ...]) -> bool:
    """Return whether *tricks* make a whole deal, and no fewer than were entered one by one."""
    if len(tricks) != len(state.seats) or sum(tricks) != TRICKS_IN_DEAL:
        return False
    entered = (state.deal.tricks[seat] for seat in sorted(state.seats))
    return all(n >= had for n, had in zip(tricks, entered, strict=True))


def why_not_raising(options: Options, state: State, action: Action) -> str | None:
    """Return the reason *action* is refused while a deal runs, or None if it may be done."""
    match action:
        case actions.Raise(seat):
            return _why_not_raise(options, state, seat)
        case actions.Accept(seat):
            return _why_not_answer(options, state, seat)
        case actions.GiveUp(seat):
            return _why_not_give_up(options, state, seat)
        case _:
            raise TypeError(f"{action!r} asks for no other value")


def value_if_held(state: State) -> int:
    """Return what the deal is worth once an open raise is held; a raise asks for one more."""
    return state.deal.proposed or state.deal.value


def _why_not_raise(options: Options, state: State, seat: Seat) -> str | None:
    deal = state.deal
    if not deal.announced:
        return "not_announced"
    if decided_for(options, state):
        return "too_late"
    if is_locked(options, state, seat):
        return None if _raising_costs(options) else "raise_locked"
    own = side_of(options, state, seat)
    if deal.raiser in own:
        return "answer_pending"
    if deal.raiser is None and deal.raised_last in own:
        return "same_side_raised_last"
    highest = options.max_value
    return "max_value" if highest is not None and value_if_held(state) >= highest else None


def _raising_costs(options: Options) -> bool:
    """Return whether a locked side that raises is not stopped but pays for it."""
    return options.illegal_raise != "reject" or options.gestrichen_rule == "tense_auto_raise"


def _why_not_answer(options: Options, state: State, seat: Seat) -> str | None:
    if state.deal.raiser is None:
        return "nothing_to_answer"
    return "own_raise" if state.deal.raiser in side_of(options, state, seat) else None


def _why_not_give_up(options: Options, state: State, seat: Seat) -> str | None:
    if options.concede_anytime and state.phase is Phase.PLAY:
        return "too_late" if decided_for(options, state) else None
    return _why_not_answer(options, state, seat)


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


CORRECTIONS = (actions.Correct, actions.Chalk)
_DECIDED_BY_TRICKS = ("tricks", "corrected")
_MOST_DOWN, _MOST_UP = 20, 40  # points, where they run down: five tricks of hearts; bad luck


def why_not_correcting(options: Options, state: State, action: Action) -> str | None:
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
