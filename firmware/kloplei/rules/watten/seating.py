"""Who sits at a Watten table: a fresh slate, and changing places between games (§ 1)."""

from collections.abc import Mapping
from dataclasses import replace

from kloplei.files import KlopleiError
from kloplei.rules.game import Seat
from kloplei.rules.watten.options import Options
from kloplei.rules.watten.sides import accounts
from kloplei.rules.watten.state import PlayedGame, State, put

_NOBODY: Mapping[Seat, int] = {}


class BadSeating(KlopleiError, ValueError):
    """Nobody can play Watten like this: too few or too many seats, or impossible points."""


def seats_for(options: Options) -> tuple[int, int]:
    """Return the least and the greatest number of players."""
    if options.everyone_alone:
        return 2, 6
    return (4, 4) if options.variant == "blind" else (2, 4)


def fresh_state(
    options: Options, seats: tuple[Seat, ...], dealer: Seat, points: Mapping[Seat, int] = _NOBODY
) -> State:
    """Return the table before its first deal.

    Args:
        options: The house rules.
        seats: Who plays, clockwise.
        dealer: Who deals first.
        points: What stands on the slate already; missing is what a new game begins with.

    Raises:
        BadSeating: With a sentence that says what does not fit.
    """
    _check_seats(options, seats, dealer)
    order = seats if options.direction == "clockwise" else seats[::-1]
    state = State(seats=order, dealer=dealer, points=(0,) * (max(seats) + 1))
    state = replace(state, points=clean_points(options, state))
    for seat, number in points.items():
        state = replace(state, points=put(state.points, seat, number))
    _check_points(options, state)
    return state


def clean_points(options: Options, state: State) -> tuple[int, ...]:
    """Return what stands on the slate when a game begins."""
    first = options.bohemian_start if options.everyone_alone else 0
    return tuple(first if seat in state.seats else 0 for seat in range(len(state.points)))


def why_not_reseat(options: Options, state: State) -> str | None:
    """Return why nobody may come, go or swap now: only a clean slate lets them."""
    if state.deal_running:
        return "deal_in_progress"
    clean = state.points == clean_points(options, state) and not state.winners
    return None if clean else "slate_not_clean"


def reseat(
    options: Options, state: State, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat]
) -> State:
    """Return a clean slate for *seats*; games won follow who *moved* from old seat to new."""
    heir = next((moved[s] for s in (state.dealer, *state.after(state.dealer)) if s in moved), None)
    fresh = fresh_state(options, seats, seats[0] if heir is None else heir)
    games = tuple(
        PlayedGame(tuple(moved[seat] for seat in game.winners if seat in moved), game.games)
        for game in state.games
    )
    return replace(fresh, news=state.news, games=games)


def _check_seats(options: Options, seats: tuple[Seat, ...], dealer: Seat) -> None:
    least, most = seats_for(options)
    if not least <= len(seats) <= most:
        wanted = f"{least} to {most}" if least < most else f"{least}"
        raise BadSeating(f"This Watten is for {wanted} players, not {len(seats)}.")
    if len(set(seats)) != len(seats):
        raise BadSeating("Every player needs a seat of his own.")
    if dealer not in seats:
        raise BadSeating("The dealer must be one of the players.")


def _check_points(options: Options, state: State) -> None:
    for account in accounts(options, state):
        if len({state.points[seat] for seat in account}) > 1:
            raise BadSeating("Partners have the same points.")
    held = [state.points[seat] for seat in state.seats]
    if options.everyone_alone:
        if min(held) <= 0:
            raise BadSeating("With these points the game is over.")
    elif not 0 <= min(held) <= max(held) < options.target:
        raise BadSeating(f"Points run from 0 to {options.target - 1} while a game goes on.")
