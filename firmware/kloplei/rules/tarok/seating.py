"""Who sits at a table of Tarok: a fresh slate, and changing places between evenings (§ 1)."""

from collections.abc import Mapping
from dataclasses import replace

from kloplei.files import KlopleiError
from kloplei.rules.game import Seat
from kloplei.rules.tarok.options import Options
from kloplei.rules.tarok.state import Phase, Pots, State

MIN_SEATS, MAX_SEATS = 3, 4

_NOBODY: Mapping[Seat, int] = {}
_EMPTY = Pots()


class BadSeating(KlopleiError, ValueError):
    """Nobody can play Tarok like this: too few or too many seats, or impossible pots."""


def fresh_state(
    order: tuple[Seat, ...],
    dealer: Seat,
    *,
    scores: Mapping[Seat, int] = _NOBODY,
    pots: Pots = _EMPTY,
    opened: bool = False,
) -> State:
    """Return the table before a hand.

    Args:
        order: Who sits there, in the order of play.
        dealer: Who deals next.
        scores: What stands on the slate already.
        pots: What lies in them already.
        opened: Whether the first antes of the evening have been paid.

    Raises:
        BadSeating: With a sentence that says what does not fit.
    """
    if not MIN_SEATS <= len(order) <= MAX_SEATS:
        raise BadSeating(f"Tarok is for {MIN_SEATS} to {MAX_SEATS} players, not {len(order)}.")
    if len(set(order)) != len(order):
        raise BadSeating("Every player needs a seat of his own.")
    if dealer not in order:
        raise BadSeating("The dealer must be one of the players.")
    if min(pots.king, pots.pagat) < 0:
        raise BadSeating("No pot holds less than nothing.")
    by_seat = tuple(scores.get(Seat(n), 0) for n in range(max(order) + 1))
    return State(order, dealer, by_seat, pots=pots, opened=opened)


def in_order(options: Options, seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
    """Return *seats*, which stand clockwise, in the order of play."""
    return seats if options.clockwise else seats[::-1]


def why_not_reseat(state: State) -> str | None:
    """Return why nobody may come, go or swap now: chips won or lost belong to who sits there."""
    if state.phase is Phase.HAND:
        return "deal_in_progress"
    if state.phase is Phase.SETTLED:
        return "game_over"  # who pays whom stands there until all have looked
    untouched = not state.opened and not any(state.scores)
    return None if untouched else "slate_not_clean"


def reseat(
    options: Options, state: State, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat]
) -> State:
    """Return a clean slate for *seats*; the deal stays with who had it, or goes to the next."""
    heir = next((moved[s] for s in (state.dealer, *state.after(state.dealer)) if s in moved), None)
    fresh = fresh_state(in_order(options, seats), seats[0] if heir is None else heir)
    return replace(fresh, news=state.news)
