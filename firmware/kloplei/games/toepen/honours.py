"""Who is toepkoning after the rubbers of an evening, and how many crowns everybody has won (§ 7).

*rubbers* are those that were played on this slate; what was won before them stands in the state.
"""

from collections.abc import Iterable

from kloplei.games.game import Seat
from kloplei.games.toepen.options import Options
from kloplei.games.toepen.state import PlayedRubber, State

KING_AFTER = 3  # rubbers
Rubbers = tuple[PlayedRubber, ...]


def toepkoningen(options: Options, state: State, rubbers: Rubbers) -> tuple[Seat, ...]:
    """Return who bears the title after *rubbers* of this evening, in seat order."""
    if options.toepkoning == "rubber survivor":
        return rubbers[-1].winners if rubbers else ()
    if options.kings == "counted":
        return tuple(seat for seat in state.seats if crowns(options, state, rubbers, seat))
    reigns: tuple[Seat, ...] = ()
    for number in range(len(rubbers) + 1):
        reigns = _heirs(options, state, rubbers[:number], reigns)
    return reigns


def crowns(options: Options, state: State, rubbers: Rubbers, seat: Seat) -> int:
    """Return how often *seat* has won what makes a toepkoning; 0 where crowns are not counted."""
    if options.kings != "counted" or options.toepkoning == "rubber survivor":
        return 0
    if options.toepkoning == "3 in a row":
        return sum(run // KING_AFTER for run in _runs(rubbers, seat))
    return _won(state, rubbers, seat) // KING_AFTER


def crowned(options: Options, state: State, rubbers: Rubbers) -> tuple[Seat, ...]:
    """Return who has a crown that they had not before the last of *rubbers*."""
    return tuple(
        seat
        for seat in toepkoningen(options, state, rubbers)
        if seat not in state.toepkoning
        or crowns(options, state, rubbers, seat) > crowns(options, state, rubbers[:-1], seat)
    )


def _heirs(
    options: Options, state: State, rubbers: Rubbers, before: tuple[Seat, ...]
) -> tuple[Seat, ...]:
    """Return who reigns after the last of *rubbers*, where *before* did until then.

    Who has won most, or has just won as many in a row; who only draws level dethrones nobody.
    """
    if options.toepkoning == "3 in a row":
        return _on_a_run(state, rubbers) or before
    won = {seat: _won(state, rubbers, seat) for seat in state.seats}
    most = max(won.values())
    if most < KING_AFTER:
        return ()
    leading = tuple(seat for seat in state.seats if won[seat] == most)
    return tuple(seat for seat in before if seat in leading) or leading


def _on_a_run(state: State, rubbers: Rubbers) -> tuple[Seat, ...]:
    """Return who has won the last of *rubbers* and enough right before it."""
    last = rubbers[-KING_AFTER:]
    winners: Iterable[Seat] = state.seats if len(last) == KING_AFTER else ()
    return tuple(seat for seat in winners if all(seat in one.winners for one in last))


def _won(state: State, rubbers: Rubbers, seat: Seat) -> int:
    return state.won_before[seat] + sum(seat in one.winners for one in rubbers)


def _runs(rubbers: Rubbers, seat: Seat) -> list[int]:
    """Return how many *seat* has won in a row each time."""
    runs = [0]
    for rubber in rubbers:
        if seat in rubber.winners:
            runs[-1] += 1
        else:
            runs.append(0)
    return runs
