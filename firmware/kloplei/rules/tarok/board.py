"""The neutral picture of a table of Tarok (`kloplei.rules.scoreboard`)."""

from collections import defaultdict
from collections.abc import Iterable

from kloplei.rules.game import Action, Seat
from kloplei.rules.scoreboard import Hand, Line, Row, Scoreboard, offers
from kloplei.rules.tarok.actions import Deal
from kloplei.rules.tarok.news import ledger_line
from kloplei.rules.tarok.options import Options, preset_of
from kloplei.rules.tarok.state import Phase, PlayedHand, State
from kloplei.rules.tarok.told_wrong import lacking


def scoreboard(options: Options, state: State, legal: Iterable[Action]) -> Scoreboard:
    """Return what everybody may see of *state*; *legal* actions become offers."""
    by_seat: dict[Seat | None, list[Action]] = defaultdict(list)
    for action in legal:
        by_seat[getattr(action, "seat", None)].append(action)
    by_seat[state.dealer] += [one for one in by_seat[None] if isinstance(one, Deal)]
    playing = state.phase is Phase.HAND
    return Scoreboard(
        game="tarok",
        phase=str(state.phase),
        rows=tuple(_row(state, seat, by_seat[seat]) for seat in sorted(state.seats)),
        dealer=state.dealer,
        leader=state.active[0] if playing else None,
        prompt=_prompt(options, state),
        news=state.news,
        pots={"king": state.pots.king, "pagat": state.pots.pagat} if options.has_pots else {},
        offers=offers(by_seat[None]),
        hands=tuple(_hand(one, state) for one in state.hands),
        options=options.as_facts(),
        preset=preset_of(options),
    )


def _row(state: State, seat: Seat, legal: list[Action]) -> Row:
    playing = state.phase is Phase.HAND
    flags = {
        "in_hand": playing and seat in state.active,
        "sits_out": seat == state.sits_out,
    }
    return Row(
        seat=seat,
        tally=state.scores[seat],
        flags=tuple(flag for flag, holds in flags.items() if holds),
        offers=offers(legal),
    )


def _prompt(options: Options, state: State) -> Line:
    match state.phase:
        case Phase.BETWEEN_HANDS:
            return Line("prompt.next-deal", {"seat": state.dealer})
        case Phase.SETTLED:
            return Line("prompt.settled")
    missing = lacking(options, state.hand)
    if "V-LAST" in missing:
        return Line("prompt.last-trick")
    if "V-PAGAT-FATE" in missing:
        return Line("prompt.pagat-fate")
    return Line("prompt.card-points") if "V-78" in missing else Line("prompt.book")


def _hand(played: PlayedHand, state: State) -> Hand:
    """Return what the log shows of a hand: what it brought everybody, and each line of it."""
    moved = {seat: sum(line.amounts[seat] for line in played.lines) for seat in state.seats}
    told = tuple(ledger_line(line.line, seat=line.seat, count=line.count) for line in played.lines)
    return Hand(
        number=played.number,
        winner=None,
        how=f"how.{played.how}",
        paid={seat: chips for seat, chips in moved.items() if chips},
        told=told,
    )
