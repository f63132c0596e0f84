"""Before play: new cards, Schlag and trump, and whose turn it is to name them (§ 2)."""

from typing import get_args

from kloplei.rules.game import Action, Seat
from kloplei.rules.watten import actions
from kloplei.rules.watten.options import Options
from kloplei.rules.watten.ranking import WELI_RANK
from kloplei.rules.watten.sides import SOLO_PLAYERS
from kloplei.rules.watten.state import State


def announcers(options: Options, state: State) -> tuple[Seat, ...]:
    """Return who is to name Schlag or trump now; in Blind Watten who are to show a card."""
    dealer, neighbour = state.dealer, state.neighbour
    if options.everyone_alone:
        return (dealer,)
    if options.variant == "blind":
        return state.knowing
    if len(state.seats) == SOLO_PLAYERS:
        return (neighbour,)
    if state.deal.schlag is None:
        return (neighbour, dealer) if options.schlag_tausch else (neighbour,)
    if not options.schlag_tausch:
        return (dealer,)
    return tuple(seat for seat in (dealer, neighbour) if seat != state.deal.schlag_by)


def why_not(options: Options, state: State, action: Action) -> str | None:
    """Return the reason *action* is refused while a deal runs, or None if it may be done."""
    match action:
        case actions.Offer(seat):
            return _why_not_offer(state, seat)
        case actions.Agree(seat) | actions.Refuse(seat):
            if not state.deal.offer_open:
                return "nothing_to_answer"
            return None if seat == state.dealer else "wrong_player"
        case actions.Schlag(seat, rank):
            return _why_not_schlag(options, state, seat, rank)
        case actions.Trump(seat, suit):
            return _why_not_trump(options, state, seat, suit)
        case actions.NameAloud(seat):
            return _why_not_name_aloud(options, state, seat)
        case actions.Show():
            return _why_not_show(state)
        case _:
            raise TypeError(f"{action!r} announces nothing")


def _why_not_offer(state: State, seat: Seat) -> str | None:
    if seat != state.neighbour:
        return "wrong_player"
    begun = state.deal.schlag is not None or state.deal.confirmed or state.deal.announced
    return "exchange_closed" if state.deal.offered or begun else None


def _why_not_schlag(options: Options, state: State, seat: Seat, rank: str) -> str | None:
    if options.variant == "blind":
        return "not_played_here"
    named = state.deal.schlag is not None
    if seat not in announcers(options, state) and not (named and seat == state.deal.schlag_by):
        return "wrong_player"
    if named:
        return "already_announced"
    if state.deal.offer_open:
        return "answer_pending"
    if rank not in get_args(actions.Rank):
        return "unknown_card"
    forbidden = rank == WELI_RANK and not options.six_may_be_schlag
    return "weli_rank_forbidden" if forbidden else None


def _why_not_trump(options: Options, state: State, seat: Seat, suit: str) -> str | None:
    if options.variant == "blind":
        return "not_played_here"
    if state.deal.schlag is None:
        return "schlag_first"
    if seat not in announcers(options, state):
        return "wrong_player"
    if state.deal.trump is not None:
        return "already_announced"
    return None if suit in get_args(actions.Suit) else "unknown_card"


def _why_not_name_aloud(options: Options, state: State, seat: Seat) -> str | None:
    """Who did the naming says so: one who only listened would open play too early."""
    if options.variant == "blind":
        return "not_played_here"
    if state.deal.announced:
        return "already_announced"
    if seat not in (state.dealer, state.neighbour):
        return "wrong_player"
    return "answer_pending" if state.deal.offer_open else None


def _why_not_show(state: State) -> str | None:
    if state.deal.announced:
        return "already_announced"
    return "answer_pending" if state.deal.offer_open else None
