"""Who sits at a toepen table: a fresh slate, and changing places between rubbers (§ 7)."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from kloplei.files import KlopleiError
from kloplei.rules.game import Seat
from kloplei.rules.toepen.options import Options
from kloplei.rules.toepen.rubber import is_over, toepkoningen
from kloplei.rules.toepen.state import Phase, PlayedRubber, State, put

MOST_SEATS = 8
_NOBODY: Mapping[Seat, int] = {}


class BadSeating(KlopleiError, ValueError):
    """Nobody can play toepen like this: too few or too many seats, or impossible lives."""


def fresh_state(
    options: Options,
    seats: tuple[Seat, ...],
    dealer: Seat,
    lives_lost: Mapping[Seat, int] = _NOBODY,
    rubbers_won: Mapping[Seat, int] = _NOBODY,
) -> State:
    """Return the table before its first deal.

    Args:
        options: The house rules.
        seats: Who plays, clockwise.
        dealer: Who deals first.
        lives_lost: What stands on the slate already; missing is 0.
        rubbers_won: Honours of the evening so far; missing is 0.

    Raises:
        BadSeating: With a sentence that says what does not fit.
    """
    _check_seats(options, seats, dealer)
    if not {*lives_lost, *rubbers_won} <= set(seats):
        raise BadSeating("Only who plays can have lost lives or won rubbers.")
    zeros = (0,) * (max(seats) + 1)
    lives = won = out_since = zeros
    for seat, lost in lives_lost.items():
        if not 0 <= lost <= options.max_lives:
            raise BadSeating(f"Nobody can have lost {lost} of {options.max_lives} lives.")
        lives = put(lives, seat, lost)
        out_since = put(out_since, seat, int(lost == options.max_lives))
    for seat, rubbers in rubbers_won.items():
        won = put(won, seat, rubbers)
    state = State(
        seats=seats,
        dealer=dealer,
        lives_lost=lives,
        out_since=out_since,
        answers=zeros,
        folds=zeros,
        won_before=won,
        drinks=zeros,
    )
    if is_over(options, state) or out_since[dealer]:
        raise BadSeating("With these lives lost the rubber is over, or the dealer is out.")
    return replace(state, toepkoning=toepkoningen(options, state, ()))


def why_not_reseat(state: State) -> str | None:
    """Return why nobody may come, go or swap now: only a clean slate lets them (§ 7)."""
    if state.hand_running:
        return "hand_in_progress"
    if state.phase is Phase.RUBBER_OVER:
        return "settle_first"
    return "slate_not_clean" if any(state.lives_lost) else None


def reseat(
    options: Options, state: State, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat]
) -> State:
    """Return a clean slate for *seats*; honours follow who *moved* from old seat to new."""
    heir = next((moved[s] for s in (state.dealer, *state.after(state.dealer)) if s in moved), None)
    dealer = seats[0] if heir is None else heir
    _check_seats(options, seats, dealer)
    size = max(seats) + 1

    def taken_along(values: tuple[int, ...]) -> tuple[int, ...]:
        new = (0,) * size
        for old, seat in moved.items():
            new = put(new, seat, values[old])
        return new

    def moved_on(old_seats: Iterable[Seat]) -> tuple[Seat, ...]:
        found = {moved[seat] for seat in old_seats if seat in moved}
        return tuple(seat for seat in seats if seat in found)

    return replace(
        fresh_state(options, seats, dealer),
        news=state.news,
        rubbers=tuple(
            PlayedRubber(moved_on(rubber.winners), taken_along(rubber.points))
            for rubber in state.rubbers
        ),
        won_before=taken_along(state.won_before),
        drinks=taken_along(state.drinks),
        toepkoning=moved_on(state.toepkoning),
        lijntoeper=moved_on(state.lijntoeper),
        lost_first=moved_on(state.lost_first),
    )


def _check_seats(options: Options, seats: tuple[Seat, ...], dealer: Seat) -> None:
    least = options.min_players
    if not least <= len(seats) <= MOST_SEATS:
        raise BadSeating(
            f"Toepen is for {least} to {MOST_SEATS} players, not {len(seats)}"
            + ("; two may play with the option min_players: 2." if len(seats) == 2 else ".")
        )
    if len(set(seats)) != len(seats):
        raise BadSeating("Every player needs a seat of his own.")
    if dealer not in seats:
        raise BadSeating("The dealer must be one of the players.")
