"""The neutral picture of a table of Tarok (`kloplei.rules.scoreboard`)."""

from collections.abc import Iterable

from kloplei.rules.game import Action, Seat
from kloplei.rules.scoreboard import Hand, Line, Payment, Row, Scoreboard, by_seat, offers
from kloplei.rules.tarok.actions import Book, Deal, NewGame
from kloplei.rules.tarok.draft import draft, posting
from kloplei.rules.tarok.options import Options
from kloplei.rules.tarok.payments import CHIPS, payments
from kloplei.rules.tarok.state import Phase, PlayedHand, State
from kloplei.rules.tarok.told_wrong import lacking

_OF_THE_DEALER = (Deal, Book, NewGame)
"""What anybody may ask for, but whoever deals is offered."""


def scoreboard(options: Options, state: State, legal: Iterable[Action]) -> Scoreboard:
    """Return what everybody may see of *state*; *legal* actions become offers."""
    asked = by_seat(legal, state.dealer, _OF_THE_DEALER)
    playing = state.phase is Phase.HAND
    return Scoreboard(
        game="tarok",
        phase=str(state.phase),
        rows=tuple(_row(state, seat, asked[seat]) for seat in sorted(state.seats)),
        dealer=state.dealer,
        leader=state.active[0] if playing else None,
        prompt=_prompt(options, state),
        pots={"king": state.pots.king, "pagat": state.pots.pagat} if options.has_pots else {},
        offers=offers(asked[None]),
        draft=draft(options, state) if playing else (),
        hands=tuple(_hand(one, state) for one in state.hands),
        payments=_payments(options, state),
    )


def _row(state: State, seat: Seat, legal: list[Action]) -> Row:
    playing, settled = state.phase is Phase.HAND, state.phase is Phase.SETTLED
    flags = {
        "in_hand": playing and seat in state.active,
        "sits_out": not settled and seat == state.sits_out,
        "rubber_winner": settled and state.scores[seat] == max(state.scores) > 0,
    }
    return Row(
        seat=seat,
        tally=state.scores[seat],
        swing=_swing(state, seat),
        flags=tuple(flag for flag, holds in flags.items() if holds),
        offers=offers(legal),
    )


def _swing(state: State, seat: Seat) -> int:
    """Return what the last hand brought *seat*, or sharing out the pots did."""
    if state.phase is Phase.SETTLED:
        return sum(line.amounts[seat] for line in state.lines)
    return _brought(state.hands[-1], seat) if state.hands else 0


def _brought(played: PlayedHand, seat: Seat) -> int:
    return sum(line.amounts[seat] for line in played.lines)


def _payments(options: Options, state: State) -> tuple[Payment, ...]:
    if state.phase is not Phase.SETTLED:
        return ()
    scores = {seat: state.scores[seat] for seat in sorted(state.seats)}
    return payments(scores, CHIPS if options.rule_set == "c" else ())


def _prompt(options: Options, state: State) -> Line:
    match state.phase:
        case Phase.BETWEEN_HANDS:
            return Line("prompt.next-deal", {"seat": state.dealer})
        case Phase.SETTLED:
            return Line("prompt.settled")
    if options.only_points:
        return Line("prompt.book") if state.entries else Line("prompt.result")
    if state.to_declare is not None:
        return Line("prompt.declare", {"seat": state.to_declare})
    missing = lacking(options, state.hand)
    if "V-LAST" in missing:
        return Line("prompt.last-trick")
    if "V-PAGAT-FATE" in missing:
        return Line("prompt.pagat-fate")
    return Line("prompt.card-points") if "V-78" in missing else Line("prompt.book")


def _hand(played: PlayedHand, state: State) -> Hand:
    """Return what the log shows of a hand: what it brought everybody, and each line of it."""
    moved = {seat: _brought(played, seat) for seat in state.seats}
    return Hand(
        number=played.number,
        winner=None,
        how=f"how.{played.how}",
        paid={seat: chips for seat, chips in moved.items() if chips},
        ledger=tuple(map(posting, played.lines)),
    )
