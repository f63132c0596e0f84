"""Blind Watten: the referee who knows Schlag and trump, and tells nobody too early (§ 11).

Only the two who may know ask for anything here (`SEALED_ACTIONS`). What may be done never depends
on what lies under the seal, only on whether it does: an offer, a refusal or its reason would give
it away otherwise. While a deal runs people are told that there is a seal and which cards lie; what
it was they hear when the deal is over. Nothing else in the package looks under it.
"""

from collections.abc import Iterator
from typing import get_args

from kloplei.games.cards import Card, read_cards
from kloplei.games.game import Action, Event, Seat, seat_of
from kloplei.games.scoreboard import Line, Tone
from kloplei.games.watten import actions
from kloplei.games.watten.apply import Course
from kloplei.games.watten.options import Options
from kloplei.games.watten.state import PlayedDeal, State
from kloplei.games.watten.trick import PACK, WELI_RANK, Announced, Ranking, pack_of

SEALED_ACTIONS = (actions.Confirm, actions.SealSchlag, actions.SealTrump, actions.LayCard)
"""What may only be asked for in Blind Watten, and only by the two who know."""


def why_not(options: Options, state: State, action: Action) -> str | None:
    """Return the reason *action* is refused while a deal of Blind Watten runs, or None."""
    if seat_of(action) not in state.knowing:
        return "wrong_player"
    if state.deal.offer_open:
        return "answer_pending"
    match action:
        case actions.Confirm(seat):
            done = state.deal.announced or seat in state.deal.confirmed
            return "already_shown" if done else None
        case actions.SealSchlag(rank=rank):
            return _why_not_seal(state) or _why_not_rank(options, rank)
        case actions.SealTrump(suit=suit):
            known = suit in get_args(actions.Suit)
            return _why_not_seal(state) or (None if known else "unknown_card")
        case actions.LayCard(card=card):
            return _why_not_lay(state) or _why_not_card(options, state, card)
        case _:
            raise TypeError(f"{action!r} is nothing for the blind referee")


def show(course: Course, seat: Seat, *sealed: Event) -> bool:
    """Let *seat* say that it has shown its card; return whether play begins by it.

    Who has *sealed* something has said so as well.
    """
    deal = course.state.deal
    if not deal.announced and seat not in deal.confirmed:
        course.tell(actions.ShowConfirmed(seat))
    for event in sealed:
        course.tell(event)
    both = set(course.state.deal.confirmed) == set(course.state.knowing)
    begins = both and not deal.announced
    if begins:
        course.tell(actions.CardsShown(course.state.knowing))
    return begins


def lay(course: Course, card: str) -> Seat | None:
    """Put *card* to the trick; return who took it if that was the last one."""
    course.tell(actions.CardLaid(next_to_lay(course.state), card))
    lying = course.state.deal.lying
    if len(lying) < len(course.state.seats):
        return None
    taker = _order(course.state)[_best(course.options, course.state, lying)]
    course.tell(actions.TrickTaken(taker, course.state.tricks_played + 1, lying))
    return taker


def open_seal(course: Course) -> None:
    """Tell everybody what was sealed, for the deal is over."""
    seal = course.state.deal.seal
    if not seal.is_blank:
        course.tell(actions.SealOpened(seal.rank, seal.suit))


def next_to_lay(state: State) -> Seat:
    """Return whose card is entered next."""
    return _order(state)[len(state.deal.lying)]


def _why_not_seal(state: State) -> str | None:
    # Who has seen a trick go might mend what he has sealed to fit it.
    begun = state.tricks_played or state.deal.lying
    return "too_late" if begun else None


def _why_not_rank(options: Options, rank: str) -> str | None:
    if rank not in get_args(actions.Rank):
        return "unknown_card"
    forbidden = rank == WELI_RANK and not options.six_may_be_schlag
    return "weli_rank_forbidden" if forbidden else None


def _why_not_lay(state: State) -> str | None:
    if not state.deal.announced:
        return "not_announced"
    if state.deal.raiser is not None:
        return "answer_pending"
    return None if state.deal.seal.is_whole else "not_sealed"


def _why_not_card(options: Options, state: State, card: str) -> str | None:
    if Card(card[:1], card[1:]) not in pack_of(options):
        return "unknown_card"
    entered = {*state.deal.lying, *(one for trick in state.deal.laid for one in trick.cards)}
    return "card_lies_there" if card in entered else None


def _order(state: State) -> tuple[Seat, ...]:
    """Return in which order cards are played to the trick."""
    lead = state.neighbour if state.deal.lead is None else state.deal.lead
    return lead, *state.after(lead)[:-1]


def _best(options: Options, state: State, lying: tuple[str, ...]) -> int:
    """Return the place of the best of the cards *lying*, by what is under the seal."""
    seal = state.deal.seal
    assert seal.suit is not None  # noqa: S101 - see `_why_not_lay`
    ranking = Ranking(options, Announced(seal.rank, seal.suit))
    return ranking.best(read_cards(lying, PACK)).place


def told(state: State) -> tuple[Line, ...]:
    """Return what has to be said of *state* besides its news."""
    if state.deal_running:
        return tuple(_told_while_it_runs(state))
    if not state.deals:
        return ()
    last = state.deals[-1]
    tricks = (Line("told.trick", {"card": one.cards, "seat": one.took}) for one in last.laid)
    return (*told_of(last), *tricks)


def told_of(deal: PlayedDeal) -> tuple[Line, ...]:
    """Return what had been sealed in *deal*, which is over, if anything was."""
    if deal.seal.is_blank:
        return ()
    facts = {"rank": deal.seal.rank, "suit": deal.seal.suit}
    return (Line("news.seal-opened", facts, Tone.TOLD),)


def _told_while_it_runs(state: State) -> Iterator[Line]:
    """Yield who has yet to show a card, that something is sealed, and what lies."""
    deal, seal = state.deal, state.deal.seal
    left = [seat for seat in state.knowing if seat not in deal.confirmed]
    if len(left) == 1 and not deal.announced:
        yield Line("told.waits-for", {"seat": left[0]})
    if seal.is_whole:
        yield Line("told.sealed")
    elif seal.rank is not None:
        yield Line("told.schlag-sealed")
    elif seal.suit is not None:
        yield Line("told.trump-sealed")
    if deal.lying:
        yield Line("told.cards-lie", {"card": deal.lying, "next": next_to_lay(state)})
