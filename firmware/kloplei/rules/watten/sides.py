"""Who plays with whom in a deal, and who may not raise any more (§ 1, § 6, § 7)."""

from kloplei.rules.game import Seat
from kloplei.rules.watten.options import Options
from kloplei.rules.watten.state import TRICKS_TO_WIN, State

TEAM_PLAYERS = 4
SOLO_PLAYERS = 3  # one against two


def sides(options: Options, state: State) -> tuple[tuple[Seat, ...], ...]:
    """Return who plays together in this deal; three players: the soloist, then the pair."""
    if options.everyone_alone:
        return tuple((seat,) for seat in state.seats)
    if len(state.seats) == SOLO_PLAYERS:
        pair = tuple(seat for seat in state.seats if seat != state.neighbour)
        return (state.neighbour,), pair
    return accounts(options, state)


def accounts(options: Options, state: State) -> tuple[tuple[Seat, ...], ...]:
    """Return who shares points: the teams of four players, else everybody alone."""
    if len(state.seats) == TEAM_PLAYERS and not options.everyone_alone:
        return state.seats[::2], state.seats[1::2]
    return tuple((seat,) for seat in state.seats)


def side_of(options: Options, state: State, seat: Seat) -> tuple[Seat, ...]:
    """Return those who play together with *seat*, itself included."""
    return next(side for side in sides(options, state) if seat in side)


def opponents(options: Options, state: State, seat: Seat) -> tuple[Seat, ...]:
    """Return those who play against *seat*, in the order of play."""
    own = side_of(options, state, seat)
    return tuple(one for one in state.seats if one not in own)


def reaches(options: Options, state: State, side: tuple[Seat, ...], points: int) -> bool:
    """Return whether *side* stands at *points* or more, by the house's view of a pair."""
    every = all if options.three_player_pair_lock == "both of them" else any
    return every(state.points[seat] >= points for seat in side)


def is_locked(options: Options, state: State, seat: Seat) -> bool:
    """Return whether the side of *seat* may not raise; the score of the deal's start counts."""
    side = side_of(options, state, seat)
    return options.lock is not None and reaches(options, state, side, options.lock)


def tense_sides(options: Options, state: State) -> tuple[tuple[Seat, ...], ...]:
    """Return the sides that are *gestrichen*."""
    return tuple(
        side for side in sides(options, state) if reaches(options, state, side, options.tense)
    )


def tricks_of(state: State, side: tuple[Seat, ...]) -> int:
    """Return how many tricks *side* has in the running deal."""
    return sum(state.deal.tricks[seat] for seat in side) if state.deal.tricks else 0


def decided_for(options: Options, state: State) -> tuple[Seat, ...]:
    """Return the side that has won the running deal by its tricks, nobody as long as none has."""
    every = sides(options, state)
    return next((side for side in every if tricks_of(state, side) >= TRICKS_TO_WIN), ())


def clean_points(options: Options, state: State) -> tuple[int, ...]:
    """Return what stands on the slate when a game begins."""
    first = options.bohemian_start if options.everyone_alone else 0
    return tuple(first if seat in state.seats else 0 for seat in range(len(state.points)))
