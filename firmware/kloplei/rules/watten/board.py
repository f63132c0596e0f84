"""The neutral picture of a Watten table (`kloplei.rules.scoreboard`)."""

from collections.abc import Iterable

from kloplei.rules.game import Action, Seat
from kloplei.rules.scoreboard import Hand, Line, Row, Scoreboard, by_seat, offers
from kloplei.rules.watten.actions import Deal, Misdeal, NewGame, Ready, Result, TurnUp
from kloplei.rules.watten.bohemian import cards_left, may_run_short
from kloplei.rules.watten.options import Options
from kloplei.rules.watten.referee import Referee
from kloplei.rules.watten.sealed_board import told, told_of
from kloplei.rules.watten.sides import SOLO_PLAYERS, accounts, is_locked, sides
from kloplei.rules.watten.state import TRICKS_TO_WIN, Phase, PlayedDeal, State

_DEALERS = (Deal, Misdeal, NewGame, Ready, Result, TurnUp)  # asked for at the dealer's seat


def scoreboard(options: Options, state: State, legal: Iterable[Action]) -> Scoreboard:
    """Return what everybody may see of *state*; *legal* actions become offers."""
    referee = Referee(options, state)
    asked = by_seat(legal, state.dealer, _DEALERS)
    return Scoreboard(
        game="watten",
        phase=str(state.phase),
        rows=tuple(_row(referee, seat, asked[seat]) for seat in sorted(state.seats)),
        stake=state.deal.value or None,
        dealer=state.dealer,
        leader=state.deal.lead,
        proposed=state.deal.proposed,
        announced=_announced(options, state),
        sides=_sides(options, state),
        accounts=_together(accounts(options, state)),
        tricks_to_win=None if options.everyone_alone else TRICKS_TO_WIN,
        to_answer=referee.to_answer,
        prompt=_prompt(referee),
        told=told(state),
        offers=offers(asked[None]),
        hands=tuple(_hand(deal, state) for deal in state.deals),
    )


def _sides(options: Options, state: State) -> tuple[tuple[Seat, ...], ...]:
    """Return who plays together: teams at any time, a pair of three while the deal runs."""
    together = sides if state.deal_running else accounts
    return _together(together(options, state))


def _together(found: tuple[tuple[Seat, ...], ...]) -> tuple[tuple[Seat, ...], ...]:
    """Return *found*, or nothing where everybody is alone."""
    return found if any(len(side) > 1 for side in found) else ()


def _announced(options: Options, state: State) -> dict[str, str]:
    """Return what was said aloud; in Blind Watten nothing ever is, whatever the state holds."""
    if options.variant == "blind":
        return {}
    said = {"schlag": state.deal.schlag, "trump": state.deal.trump}
    return {what: word for what, word in said.items() if word is not None}


def _row(referee: Referee, seat: Seat, legal: list[Action]) -> Row:
    options, state = referee.options, referee.state
    return Row(
        seat=seat,
        tally=state.points[seat],
        limit=0 if options.everyone_alone else options.target,
        flags=_flags(referee, seat),
        counts={"rubbers_won": state.games_won(seat)},
        tricks=state.deal.tricks[seat] if state.deal.tricks else None,
        offers=offers(legal),
    )


def _flags(referee: Referee, seat: Seat) -> tuple[str, ...]:
    options, state = referee.options, referee.state
    alone = len(state.seats) == SOLO_PLAYERS and not options.everyone_alone
    flags = {
        "in_hand": state.deal_running,
        "must_answer": seat in referee.to_answer,
        "raised": seat == state.deal.raiser and not state.deal.forced,
        "soloist": alone and state.deal_running and seat == state.neighbour,
        "gestrichen": _is_gestrichen(options, state, seat),
        "rubber_winner": seat in state.winners,
    }
    return tuple(flag for flag, holds in flags.items() if holds)


def _is_gestrichen(options: Options, state: State, seat: Seat) -> bool:
    """Whether the side of *seat* may not raise; between deals of three nobody has a partner."""
    if options.everyone_alone or state.winners or options.lock is None:
        return False
    if state.deal_running:
        return is_locked(options, state, seat)
    return state.points[seat] >= options.lock


def _prompt(referee: Referee) -> Line:
    state = referee.state
    match state.phase:
        case Phase.BETWEEN_DEALS:
            return Line("prompt.next-deal", {"seat": state.dealer})
        case Phase.GAME_OVER:
            return Line("prompt.next-game", {"seats": state.winners})
        case Phase.ANNOUNCING:
            return _announcing(referee)
        case Phase.EXCHANGE:
            return _exchanging(referee)
        case Phase.ANSWERING:
            return _hold_or_give_up(referee)
        case _:
            return Line("prompt.play", {"seat": state.deal.lead})


def _exchanging(referee: Referee) -> Line:
    options, state = referee.options, referee.state
    if not may_run_short(options, state):
        return Line("prompt.exchange-cards", {"seat": state.deal.lead})
    left = cards_left(options, state)
    return Line("prompt.few-cards", {"seat": state.deal.lead, "cards": left})


def _hold_or_give_up(referee: Referee) -> Line:
    deal = referee.state.deal
    facts = {"seats": referee.to_answer, "stake": deal.proposed, "fold": deal.value}
    if deal.forced:
        return Line("prompt.four-forced", facts)
    return Line("prompt.hold-or-give-up", {"seat": deal.raiser, **facts})


def _announcing(referee: Referee) -> Line:
    state, announcers = referee.state, referee.announcers
    if state.deal.offer_open:
        return Line("prompt.new-cards", {"seat": state.neighbour, "of": state.dealer})
    if referee.options.everyone_alone:
        return Line("prompt.turn-up", {"seat": state.dealer})
    if referee.options.variant == "blind":
        return Line("prompt.show", {"seats": announcers})
    if state.deal.schlag is None:
        return Line("prompt.schlag", {"seat": announcers[0]})
    return Line("prompt.trump", {"seat": announcers[0], "rank": state.deal.schlag})


def _hand(deal: PlayedDeal, state: State) -> Hand:
    moved = {seat: deal.after[seat] - deal.before[seat] for seat in state.seats}
    paid = {seat: points for seat, points in moved.items() if points}
    winner = deal.winners[0] if deal.winners else None
    return Hand(deal.number, winner, f"how.{deal.how}", paid, told_of(deal))
