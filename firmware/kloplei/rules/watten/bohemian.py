"""Bohemian Watten: everybody alone, all five tricks, down from twenty to nothing (§ 5)."""

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import get_args

from kloplei.rules.card_game import put
from kloplei.rules.game import Action, Seat
from kloplei.rules.watten import actions, events
from kloplei.rules.watten.apply import Course
from kloplei.rules.watten.game_end import finish_if_over
from kloplei.rules.watten.options import Options
from kloplei.rules.watten.ranking import WELI, WELI_RANK, pack_of
from kloplei.rules.watten.state import TRICKS_IN_DEAL, Phase, State

_USUAL_LIMIT, _DEALER_LIMIT, _TWO_PLAYER_LIMIT = 3, 2, 4  # cards
MOST_EXCHANGED = _TWO_PLAYER_LIMIT
_DOUBLING_SUIT = "H"

BOHEMIAN_ACTIONS = (actions.TurnUp, actions.Exchange, actions.Ready, actions.Result)
"""What may only be asked for where everybody plays alone."""


def why_not(options: Options, state: State, action: Action) -> str | None:
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
