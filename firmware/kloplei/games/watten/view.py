"""What people see of a table of Watten, and what their hands mean there.

`scoreboard` is the neutral picture of `kloplei.games.scoreboard`; `meaning` says what a gesture
asks for (§ 8). Cards are slammed in Watten, so only buttons speak unless the house arms its pads.
"""

from collections.abc import Iterable
from typing import get_args

from kloplei.games.card_game import Deal, Misdeal, NewGame, Ready
from kloplei.games.game import Action, Choose, Do, Gesture, Meaning, Seat, Show
from kloplei.games.scoreboard import Hand, Line, Row, Scoreboard, by_seat, offers
from kloplei.games.watten import actions
from kloplei.games.watten.actions import Result, TurnUp
from kloplei.games.watten.blind import told, told_of
from kloplei.games.watten.legality import Referee, cards_left, may_run_short
from kloplei.games.watten.options import Options
from kloplei.games.watten.state import (
    SOLO_PLAYERS,
    TRICKS_TO_WIN,
    Phase,
    PlayedDeal,
    State,
    accounts,
    is_locked,
    sides,
)

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
        hands=tuple(deal_shown(deal, state) for deal in state.deals),
    )


def meaning(options: Options, state: State, seat: Seat, gesture: Gesture) -> Meaning | None:
    """Return what *gesture* at *seat* asks for, or None if it is only noise."""
    if seat not in state.seats:
        return None
    times = gesture.knocks if options.pads == "armed" else gesture.presses
    if state.phase is Phase.EXCHANGE:
        return _exchanging(state, seat, None if gesture.hold else times)
    if gesture.hold:
        times = 2
    match state.phase:
        case Phase.BETWEEN_DEALS | Phase.GAME_OVER:
            return _outside_a_deal(state, seat, times)
        case Phase.ANNOUNCING:
            return _announcing(options, state, seat, times)
        case Phase.ANSWERING:
            asked = seat in Referee(options, state).to_answer
            return _answering(seat, times) if asked else None
    return _playing(options, state, seat, times)


def deal_shown(deal: PlayedDeal, state: State) -> Hand:
    """Return what the log shows of *deal*."""
    moved = {seat: deal.after[seat] - deal.before[seat] for seat in state.seats}
    paid = {seat: points for seat, points in moved.items() if points}
    winner = deal.winners[0] if deal.winners else None
    return Hand(deal.number, winner, f"how.{deal.how}", paid, told_of(deal))


def _sides(options: Options, state: State) -> tuple[tuple[Seat, ...], ...]:
    """Return who plays together: teams at any time, a pair of three while the deal runs."""
    together = sides if state.deal_running else accounts
    return _together(together(options, state))


def _together(found: tuple[tuple[Seat, ...], ...]) -> tuple[tuple[Seat, ...], ...]:
    """Return *found*, or nothing where everybody is alone."""
    return found if any(len(side) > 1 for side in found) else ()


def _announced(options: Options, state: State) -> dict[str, str]:
    """Return what was said aloud; in Blind Watten nothing ever is, whatever the state holds."""
    # What stands on a scoreboard is seen by all. So this asks the variant and not the deal:
    # whatever the state may come to hold, nothing of it slips out here.
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
            return _prompt_announcing(referee)
        case Phase.EXCHANGE:
            return _prompt_exchanging(referee)
        case Phase.ANSWERING:
            return _hold_or_give_up(referee)
        case _ if referee.options.only_knowing_tell:
            return Line("prompt.play-told", {"next": state.deal.lead, "seats": state.knowing})
        case _:
            return Line("prompt.play", {"seat": state.deal.lead})


def _prompt_exchanging(referee: Referee) -> Line:
    options, state = referee.options, referee.state
    if _all_exchanged(state):
        return Line("prompt.play", {"seat": state.deal.lead})
    if not may_run_short(options, state):
        return Line("prompt.exchange-cards", {"seat": state.deal.lead})
    left = cards_left(options, state)
    return Line("prompt.few-cards", {"seat": state.deal.lead, "cards": left})


def _hold_or_give_up(referee: Referee) -> Line:
    deal = referee.state.deal
    facts = {"seats": referee.to_answer, "stake": deal.proposed, "fold": deal.value}
    if deal.forced:
        return Line("prompt.four-forced", facts)
    return Line("prompt.hold-or-give-up", {"seat": deal.raiser, **facts}, tells="news.raised")


def _prompt_announcing(referee: Referee) -> Line:
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


def _outside_a_deal(state: State, seat: Seat, times: int) -> Meaning | None:
    if seat != state.dealer or times != 2:
        return None
    return Do(NewGame() if state.phase is Phase.GAME_OVER else Deal())


def _announcing(options: Options, state: State, seat: Seat, times: int) -> Meaning | None:
    if seat not in (state.dealer, state.neighbour):
        return None
    if state.deal.offer_open:
        return _agreeing(state, seat, times)
    if options.everyone_alone:
        return _turning_up(seat) if times == 2 and seat == state.dealer else None
    if times == 2:
        blind = options.variant == "blind"
        return Do(actions.Confirm(seat) if blind else actions.NameAloud(seat))
    return Do(actions.Offer(seat)) if times == 3 and seat == state.neighbour else None


def _agreeing(state: State, seat: Seat, times: int) -> Meaning | None:
    if seat != state.dealer:
        return None
    if times == 1:
        return Do(actions.Agree(seat))
    return Do(actions.Refuse(seat)) if times == 2 else None


def _turning_up(dealer: Seat) -> Meaning:
    """Ask for the suit: hearts count double, so that the box has to know."""
    suits = enumerate(get_args(actions.Suit), start=1)
    return Choose("turned-up", tuple((times, actions.Trump(dealer, suit)) for times, suit in suits))


def _all_exchanged(state: State) -> bool:
    """Whether nobody may exchange any more: the dealer, who comes last, has done so."""
    return state.dealer in state.deal.exchanged


def _exchanging(state: State, seat: Seat, times: int | None) -> Meaning | None:
    """So many presses, so many cards; a hold by the dealer or the first trick ends it."""
    if times is not None and _all_exchanged(state):
        return _my_trick(seat) if times == 2 else None
    if times is not None:
        return Do(actions.Exchange(seat, times)) if times else None
    return Do(Ready()) if seat == state.dealer else _my_trick(seat)


def _answering(seat: Seat, times: int) -> Meaning | None:
    match times:
        case 1:
            return Do(actions.Accept(seat))
        case 2:
            return Do(actions.GiveUp(seat), grace=True)
        case 3:
            return Do(actions.Raise(seat))
    return None


def _playing(options: Options, state: State, seat: Seat, times: int) -> Meaning | None:
    match times:
        case 1:
            return None if options.everyone_alone else Do(actions.Raise(seat))
        case 2:
            return _my_trick(seat)
        case 3 if options.only_knowing_tell and seat in state.knowing:
            return _partners_trick(state, seat)
        case 3:
            return Show("hurry-up")
    return None


def _partners_trick(state: State, seat: Seat) -> Meaning:
    """Let one who knows tell what the other cannot say; the sides sit alternately."""
    partner = state.after(seat)[len(state.seats) // 2 - 1]
    return Do(actions.TrickOf(seat, partner), grace=True)


def _my_trick(seat: Seat) -> Meaning:
    return Do(actions.Trick(seat), grace=True)
