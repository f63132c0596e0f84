"""What holds of every line of the ledger, whatever was played (§ 3)."""

from kloplei.games.game import Seat
from kloplei.games.tarok import Options, State
from kloplei.games.tarok.actions import Booked

AT_TABLE = ("ante", "pots_share", "result")
"""Lines that also those pay or get who sit out."""
FREE = (*AT_TABLE, "dealer_extra", "refund_third", "cards")
"""Lines that are not paid by each opponent alike."""


def check_line(options: Options, state: State, line: Booked) -> None:
    """Check one *line* that is booked at the table in *state*."""
    if options.must_balance:
        assert sum(line.amounts) + line.king + line.pagat == 0  # I1
    sitter = state.sits_out
    if sitter is not None and line.line not in AT_TABLE:
        assert line.amounts[sitter] == 0  # I3
    if line.line not in FREE:
        check_each(state, line)
    if line.line == "cards":
        assert line.king == line.pagat == 0  # I6, with I1
    in_chips = options.rule_set == "c" and options.c_rounding == 5
    if in_chips and not options.only_points:
        assert all(amount % 5 == 0 for amount in (*line.amounts, line.king, line.pagat))  # I5
    if not options.has_pots:
        assert line.king == line.pagat == 0


def check_each(state: State, line: Booked) -> None:
    """I4: one player gets from, or pays, each of the two others the same."""
    assert line.seat is not None
    others = [line.amounts[seat] for seat in state.active if seat != line.seat]
    assert len(set(others)) == 1
    assert line.amounts[line.seat] + line.king + line.pagat == -2 * others[0]


def check_table(options: Options, state: State) -> None:
    """Check what holds between any two events: money is kept to the last chip."""
    seated = sum(state.scores[seat] for seat in state.seats)
    assert seated == sum(state.scores)  # nobody else has any
    if options.must_balance:
        assert seated + state.pots.total == 0  # I2
    assert min(state.pots.king, state.pots.pagat) >= 0  # I5
    if not options.has_pots:
        assert state.pots.total == 0


def seats(number: int) -> tuple[Seat, ...]:
    """Return so many seats in a row."""
    return tuple(Seat(n) for n in range(number))
