"""What people see of a table of Tarok, and what their hands mean there.

`scoreboard` is the neutral picture of `kloplei.games.scoreboard`, with the running hand as a
`draft`: what was told, and what each of it would pay. `meaning` says what a button asks for (§ 9):
two presses deal, or take the last trick, and so does holding it down. As long as declarations go
round one press passes, and a hold says that there is something to tell. Blows on the wood mean
nothing: cards fall on it.
"""

from collections.abc import Iterable

from kloplei.frozen import replace
from kloplei.games.card_game import Deal, NewGame
from kloplei.games.game import Action, Do, Facts, Gesture, Meaning, Seat, Show
from kloplei.games.scoreboard import (
    Hand,
    Line,
    Offer,
    Payment,
    Posting,
    Row,
    Scoreboard,
    by_seat,
    offers,
)
from kloplei.games.tarok import actions
from kloplei.games.tarok.actions import AnyEntry, Book, Booked
from kloplei.games.tarok.apply import asked_about, ledger_line, quoted, said_of
from kloplei.games.tarok.booking import CHIPS, payments, preview, preview_shares
from kloplei.games.tarok.consistency import failed, lacking, odd_nothing, unclaimed, warnings
from kloplei.games.tarok.holdings import contradiction
from kloplei.games.tarok.options import Options
from kloplei.games.tarok.state import Phase, PlayedHand, State

_OF_THE_DEALER = (Deal, Book, NewGame)
"""What anybody may ask for, but whoever deals is offered."""
_ONCE, _TWICE = 1, 2


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
        offers=tuple(_with_shares(one, options, state) for one in offers(asked[None])),
        draft=draft(options, state) if playing else (),
        hands=tuple(hand_shown(one, state) for one in state.hands),
        payments=payments_of(options, state),
    )


def meaning(_: Options, state: State, seat: Seat, gesture: Gesture) -> Meaning | None:
    """Return what *gesture* at *seat* asks for, or None if it is only noise."""
    if seat not in state.seats or not (gesture.hold or gesture.presses):
        return None
    if state.phase is Phase.HAND:
        return _in_hand(state, seat, gesture) if seat in state.active else None
    if not gesture.hold and gesture.presses != _TWICE:
        return None
    match state.phase:
        case Phase.BETWEEN_HANDS if seat == state.dealer:
            return Do(Deal())
        case Phase.SETTLED if seat == state.dealer:
            return Do(NewGame())
    return None


def posting(line: Booked) -> Posting:
    """Return *line* of the ledger, as everybody may see it."""
    said = ledger_line(line.line, seat=line.seat, count=line.count)
    return Posting(said, _amounts(line), _pots(line))


def draft(options: Options, state: State) -> tuple[Posting, ...]:
    """Return what was paid at the deal, each entry with its own line, and what follows besides."""
    left = list(preview(options, state))
    entry_of = dict(enumerate(state.entries, start=1))
    # The fine for a wrong discard is booked before all others of the same player.
    as_booked = sorted(
        entry_of, key=lambda n: not isinstance(entry_of[n], actions.WrongDiscardFound)
    )
    line_of = {number: _taken(left, entry_of[number]) for number in as_booked}
    told = (_entry(number, entry, line_of[number]) for number, entry in entry_of.items())
    return (*map(posting, state.lines), *told, *map(posting, left))


def payments_of(options: Options, state: State) -> tuple[Payment, ...]:
    """Return who pays whom, once the pots are shared out."""
    if state.phase is not Phase.SETTLED:
        return ()
    scores = {seat: state.scores[seat] for seat in sorted(state.seats)}
    return payments(scores, CHIPS if options.rule_set == "c" else ())


def hand_shown(played: PlayedHand, state: State) -> Hand:
    """Return what the log shows of a hand: what it brought everybody, and each line of it."""
    moved = {seat: _brought(played, seat) for seat in state.seats}
    return Hand(
        number=played.number,
        winner=None,
        how=f"how.{played.how}",
        paid={seat: chips for seat, chips in moved.items() if chips},
        ledger=tuple(_booked(line, played) for line in played.lines),
    )


def _with_shares(offer: Offer, options: Options, state: State) -> Offer:
    """Return *offer*, and where it shares out the pots what everybody would get."""
    if offer.action != actions.Settle.name:
        return offer
    return replace(offer, brings=tuple(map(posting, preview_shares(options, state))))


def _in_hand(state: State, seat: Seat, gesture: Gesture) -> Meaning | None:
    declaring = state.to_declare is not None and seat not in state.passed
    if declaring and gesture.hold:
        return Show("declares")
    if declaring and gesture.presses == _ONCE:
        return Do(actions.Pass(seat))
    if gesture.hold or gesture.presses == _TWICE:
        return Do(actions.LastTrick(seat), grace=True)
    return None


def _entry(number: int, entry: AnyEntry, line: Booked | None) -> Posting:
    said = said_of(entry)
    if line is None:
        return Posting(said, entry=number)
    return Posting(said, _amounts(line), _pots(line), number)


def _taken(lines: list[Booked], entry: AnyEntry) -> Booked | None:
    """Take the line that *entry* alone brought about from *lines*, if there is one."""
    for line in lines:
        if _tells(entry, line):
            lines.remove(line)
            return line
    return None


def _tells(entry: AnyEntry, line: Booked) -> bool:
    if not isinstance(entry, actions.Entry):
        return isinstance(entry, actions.ResultTold) and line.line == "result"
    return entry.seat == line.seat and _is_called(entry, line.line)


def _is_called(entry: actions.Entry, line: str) -> bool:
    match entry:
        case actions.Declared(what=what) | actions.FateTold(what=what):
            return line == what
        case actions.Fined() | actions.WrongDiscardFound():
            return line == "fine"
        case actions.LastTrickTold():
            return line == "last_trick"
        case actions.LastCardTold(card=card):
            return line.startswith(f"{card}_ultimo")
        case actions.FeatTold(what=what):
            return line in (what, f"{what}_made", f"{what}_failed")
        case actions.FoolLeft():
            return line == "excuse_alone"
    return False


def _amounts(line: Booked) -> dict[Seat, int]:
    return {Seat(n): amount for n, amount in enumerate(line.amounts) if amount}


def _pots(line: Booked) -> dict[str, int]:
    pots = {"king": line.king, "pagat": line.pagat}
    return {pot: chips for pot, chips in pots.items() if chips}


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


def _prompt(options: Options, state: State) -> Line:
    match state.phase:
        case Phase.BETWEEN_HANDS:
            return Line("prompt.next-deal", {"seat": state.dealer})
        case Phase.SETTLED:
            return Line("prompt.settled", tells="news.settled")
    if options.only_points:
        return Line("prompt.book") if state.entries else Line("prompt.result")
    hand = state.hand
    if odd := contradiction(options, hand) or failed(options, hand) or odd_nothing(options, hand):
        told = sorted({state.entries.index(one) + 1 for one in odd})
        return Line("prompt.held", {"said": quoted(odd), "entries": tuple(told)})
    if state.to_declare is not None:
        return Line("prompt.declare", {"seat": state.to_declare})
    return _missing(options, state)


def _missing(options: Options, state: State) -> Line:
    """Return what is still to be told of the hand, or asked of it before it is written down."""
    missing = lacking(options, state.hand)
    if "V-LAST" in missing:
        return Line("prompt.last-trick")
    if "V-PAGAT-FATE" in missing:
        return Line("prompt.pagat-fate")
    if "V-78" in missing:
        return Line("prompt.card-points")
    if "V-UNTOLD" in missing:
        return asked_about(unclaimed(options, state.hand)[0])
    return Line("prompt.book", _odd(options, state))


def _odd(options: Options, state: State) -> Facts:
    """Return what is odd in a hand that can be booked: of how many kings something was told."""
    hand = state.hand
    unpaid = options.b_nolo_replaces == "all" and hand.maker("nolo") is not None
    if unpaid or "V-KINGS" not in warnings(options, hand):
        return {}
    return {"kings": len(hand.fates_of("king"))}


def _booked(line: Booked, played: PlayedHand) -> Posting:
    """Return *line* as the ledger tells it.

    With how many card points brought it, or before which trick a vole or nolo was announced.
    """
    booked = posting(line)
    for one in played.entries:
        if isinstance(one, actions.FeatTold) and one.announced and _tells(one, line):
            facts = {**booked.line.facts, "announced": one.announced}
            return replace(booked, line=replace(booked.line, facts=facts))
    counted = [one for one in played.entries if isinstance(one, actions.PointsCounted)]
    if line.line != "cards" or not counted:
        return booked
    return replace(booked, line=ledger_line("cards", said=quoted(counted)))
