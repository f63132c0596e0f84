"""What each event of Watten does to the state, and which sentence tells it (§ 10).

An event comes in, a new state goes out, with the event as its latest news. Nothing here refuses or
judges: old journals replay through it under the rules of today. Keys of sentences stand in
``words/`` (``news.<key>``).
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import singledispatch
from typing import Any, ClassVar

from kloplei.games import card_game
from kloplei.games.card_game import Telling, put, shown, told
from kloplei.games.game import Event
from kloplei.games.scoreboard import Line, Tone
from kloplei.games.watten import actions
from kloplei.games.watten.options import Options
from kloplei.games.watten.state import LaidTrick, Phase, PlayedDeal, PlayedGame, RunningDeal, State

_PLAYED = ("tricks", "given-up", "maschine", "illegal-raise", "counted")
"""Ends of a deal after which somebody may still find that a player had revoked."""


@singledispatch
def _change(event: Event, state: State) -> State:
    raise TypeError(f"{event!r} is no event of Watten")


@_change.register
def _dealt(event: actions.Dealt, state: State) -> State:
    state = replace(state, phase=Phase.ANNOUNCING, dealer=event.dealer, deal=RunningDeal())
    return _with_deal(
        state,
        value=event.value,
        raised_last=event.raised_by,
        tricks=state.zeros(),
        lead=state.neighbour,
    )


@_change.register
def _new_cards_offered(event: actions.NewCardsOffered, state: State) -> State:
    return _with_deal(state, offered=True, offer_open=True)


@_change.register(actions.NewCardsTaken)
@_change.register(actions.NewCardsRefused)
def _offer_settled(event: Event, state: State) -> State:
    return _with_deal(state, offer_open=False)


@_change.register
def _schlag_named(event: actions.SchlagNamed, state: State) -> State:
    return _with_deal(state, schlag_by=event.seat, schlag=event.rank)


@_change.register
def _trump_named(event: actions.TrumpNamed, state: State) -> State:
    # Where it had been named aloud play has begun, and perhaps a raise is open.
    phase = Phase.PLAY if state.phase is Phase.ANNOUNCING else state.phase
    return replace(_with_deal(state, trump=event.suit), phase=phase)


@_change.register
def _named_aloud(event: actions.NamedAloud, state: State) -> State:
    return replace(_with_deal(state, aloud=True), phase=Phase.PLAY)


@_change.register
def _cards_shown(event: actions.CardsShown, state: State) -> State:
    return replace(_with_deal(state, informed=event.seats), phase=Phase.PLAY)


@_change.register
def _show_confirmed(event: actions.ShowConfirmed, state: State) -> State:
    return _with_deal(state, confirmed=(*state.deal.confirmed, event.seat))


@_change.register
def _schlag_sealed(event: actions.SchlagSealed, state: State) -> State:
    return _with_deal(state, seal=replace(state.deal.seal, rank=event.rank))


@_change.register
def _trump_sealed(event: actions.TrumpSealed, state: State) -> State:
    return _with_deal(state, seal=replace(state.deal.seal, suit=event.suit))


@_change.register
def _card_laid(event: actions.CardLaid, state: State) -> State:
    return _with_deal(state, lying=(*state.deal.lying, event.card))


@_change.register
def _four_forced(event: actions.FourForced, state: State) -> State:
    state = _with_deal(state, raiser=event.seat, proposed=event.proposed, forced=True)
    return replace(state, phase=Phase.ANSWERING)


@_change.register(actions.Signalled)
@_change.register(actions.HandsShown)
@_change.register(actions.SealOpened)
def _nothing_to_remember(event: Event, state: State) -> State:
    return state


@_change.register
def _raised(event: actions.Raised, state: State) -> State:
    state = _with_deal(state, value=event.value, raiser=event.seat, proposed=event.proposed)
    return replace(state, phase=Phase.ANSWERING)


@_change.register
def _held(event: actions.Held, state: State) -> State:
    state = _with_deal(
        state,
        value=event.value,
        raised_last=state.deal.raiser,
        raiser=None,
        proposed=None,
        forced=False,
    )
    return replace(state, phase=Phase.PLAY)


@_change.register
def _trick_taken(event: actions.TrickTaken, state: State) -> State:
    tricks, laid = state.deal.tricks, state.deal.laid
    tricks = put(tricks, event.seat, tricks[event.seat] + 1)
    # Somebody may say who took it while only some of its cards have been entered.
    if cards := event.cards or state.deal.lying:
        laid = (*laid, LaidTrick(event.seat, cards))
    return _with_deal(state, tricks=tricks, laid=laid, lying=(), lead=event.seat)


@_change.register
def _deal_ended(event: actions.DealEnded, state: State) -> State:
    played = PlayedDeal(
        number=event.number,
        how=event.how,
        seat=event.seat,
        winners=event.winners,
        value=event.value,
        dealer=state.dealer,
        before=state.points,
        after=event.points,
        seal=state.deal.seal,
        laid=state.deal.laid,
    )
    return replace(
        state,
        phase=Phase.BETWEEN_DEALS,
        deal=RunningDeal(),
        dealer=event.dealer,
        points=event.points,
        deals=(*state.deals, played),
        may_take_back=event.how in _PLAYED,
    )


@_change.register
def _deal_taken_back(event: actions.DealTakenBack, state: State) -> State:
    games = state.games[:-1] if state.phase is Phase.GAME_OVER else state.games
    last = state.deals[-1]
    return replace(
        state,
        phase=Phase.BETWEEN_DEALS,
        # What it was played by stays open: the end that follows tells it anew.
        deal=RunningDeal(seal=last.seal, laid=last.laid),
        dealer=event.dealer,
        points=event.points,
        deals=state.deals[:-1],
        games=games,
        may_take_back=False,
    )


@_change.register
def _game_won(event: actions.GameWon, state: State) -> State:
    game = PlayedGame(event.winners, event.games)
    return replace(state, phase=Phase.GAME_OVER, games=(*state.games, game))


@_change.register
def _game_reopened(event: actions.GameReopened, state: State) -> State:
    return replace(state, phase=Phase.BETWEEN_DEALS, games=state.games[:-1])


@_change.register
def _corrected(event: actions.Corrected, state: State) -> State:
    deals = tuple(
        deal.given_to(event.winners) if deal.number == event.hand else deal for deal in state.deals
    )
    return replace(state, deals=deals).with_points(event.points, after=event.hand)


@_change.register
def _chalked(event: actions.Chalked, state: State) -> State:
    return state.with_points(event.points, after=0)


@_change.register
def _slate_wiped(event: actions.SlateWiped, state: State) -> State:
    return replace(
        state, phase=Phase.BETWEEN_DEALS, points=event.points, deals=(), may_take_back=False
    )


@_change.register
def _turned_up(event: actions.TurnedUp, state: State) -> State:
    state = _with_deal(state, trump=event.suit, schlag=event.schlag)
    return replace(state, phase=Phase.EXCHANGE)


@_change.register
def _cards_exchanged(event: actions.CardsExchanged, state: State) -> State:
    exchanged = (*state.deal.exchanged, event.seat)
    return _with_deal(state, exchanged=exchanged, taken=state.deal.taken + event.n)


@_change.register
def _exchange_closed(event: actions.ExchangeClosed, state: State) -> State:
    return replace(state, phase=Phase.PLAY)


def _with_deal(state: State, **changes: Any) -> State:
    return replace(state, deal=replace(state.deal, **changes))


def _end_of_deal(event: actions.DealEnded) -> Line:
    if not event.winners and event.how in _VOID:
        return _VOID[event.how](event)
    return _ENDS.get(event.how, told("penalty", "seat", seats="winners", points="scored"))(event)


_WON = told("deal-won", seats="winners", points="scored")
_ENDS = {
    "counted": told("counted"),
    "tricks": _WON,
    "maschine": _WON,
    "given-up": told("given-up", "seat", seats="winners", points="scored"),
}
_VOID = {"misdeal": told("misdealt"), "revoke": told("hand-void", "seat")}


class Course(card_game.Course[Options, State]):
    """Events told so far, and the table they lead to."""

    change = staticmethod(_change)
    # A sign is for one's partner only; what is under the seal is no fact before `SealOpened`.
    sentences: ClassVar[Mapping[type[Event], Telling]] = {
        actions.Dealt: shown("dealt", seat="dealer"),
        actions.NewCardsOffered: shown("new-cards-offered", "seat", of="dealer"),
        actions.NewCardsTaken: told("new-cards-taken"),
        actions.NewCardsRefused: told("new-cards-refused", "seat"),
        actions.SchlagNamed: shown("schlag", "seat", "rank"),
        actions.TrumpNamed: shown("trump", "seat", "suit"),
        actions.NamedAloud: shown("named-aloud", "seat"),
        actions.CardsShown: shown("cards-shown", "seats"),
        actions.ShowConfirmed: shown("show-confirmed", "seat"),
        actions.SchlagSealed: shown("schlag-sealed", "seat"),
        actions.TrumpSealed: shown("trump-sealed", "seat"),
        actions.FourForced: shown("four-forced", stake="proposed"),
        actions.TurnedUp: shown("turned-up", "suit", "rank"),
        actions.CardsExchanged: told("cards-exchanged", "seat", cards="n"),
        actions.HandsShown: told("hands-shown", "seat"),
        actions.Raised: told("raised", "seat", stake="proposed", tone=Tone.SHOUT),
        actions.Held: shown("held", "seat", stake="value"),
        actions.CardLaid: shown("card", "seat", "card"),
        actions.TrickTaken: shown("trick", "seat", "number"),
        actions.SealOpened: shown("seal-opened", "rank", "suit"),
        actions.DealEnded: _end_of_deal,
        actions.DealTakenBack: told("deal-taken-back", "seat"),
        actions.GameWon: told("game-won", seats="winners", tone=Tone.FANFARE),
        actions.SlateWiped: told("slate-wiped"),
        actions.Corrected: told("corrected", "hand", seats="winners"),
        actions.Chalked: told("chalked", "seats", points="number"),
    }
