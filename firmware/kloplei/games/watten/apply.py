"""What each event of Watten does to the state, and which sentence tells it (§ 10).

An event comes in, a new state goes out, with the event as its latest news. Nothing here refuses or
judges: old journals replay through it under the rules of today. Keys of sentences stand in
``words/`` (``news.<key>``).
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from kloplei.frozen import replace
from kloplei.games import card_game
from kloplei.games.card_game import Telling, put, shown, told
from kloplei.games.game import Event, Seat
from kloplei.games.scoreboard import Line, Tone
from kloplei.games.watten import actions
from kloplei.games.watten.options import Options
from kloplei.games.watten.state import (
    LaidTrick,
    Phase,
    PlayedDeal,
    PlayedGame,
    RunningDeal,
    Seal,
    State,
)

_PLAYED = ("tricks", "given-up", "maschine", "illegal-raise", "counted")
"""Ends of a deal after which somebody may still find that a player had revoked."""


def _with_deal(state: State, **changes: Any) -> State:
    return replace(state, deal=replace(state.deal, **changes))


def _end_of_deal(event: actions.DealEnded) -> Line:
    if not event.winners and event.how in _VOID:
        return _VOID[event.how](event)
    return _ENDS.get(event.how, told("penalty", "seat", seats="winners", points="scored"))(event)


def _counted(event: actions.DealEnded) -> Line:
    """Tell what the tricks took off or put on each tally; journals of before do not know."""
    each = tuple(_moved(Seat(n), by).as_fact() for n, by in enumerate(event.moved) if by)
    return Line("news.counted", {"each": each} if each else {}, Tone.TOLD)


def _moved(seat: Seat, by: int) -> Line:
    if by < 0:
        return Line("told.points-off", {"seat": seat, "points": -by})
    return Line("told.points-on", {"seat": seat, "points": by})


_WON = told("deal-won", seats="winners", points="scored")
_ENDS = {
    "counted": _counted,
    "tricks": _WON,
    "maschine": _WON,
    "given-up": told("given-up", "seat", seats="winners", points="scored"),
}
_VOID = {"misdeal": told("misdealt"), "revoke": told("hand-void", "seat")}


class Course(card_game.Course[Options, State]):
    """Events told so far, and the table they lead to."""

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
        actions.ExchangeClosed: shown("exchange-closed"),
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
    noted: ClassVar[Mapping[type[Event], Telling]] = {actions.Signalled: shown("signalled", "seat")}

    def _when_dealt(self, event: actions.Dealt, state: State) -> State:
        state = replace(state, phase=Phase.ANNOUNCING, dealer=event.dealer, deal=RunningDeal())
        return _with_deal(
            state,
            value=event.value,
            raised_last=event.raised_by,
            tricks=state.zeros(),
            lead=state.neighbour,
        )

    def _when_new_cards_offered(self, event: actions.NewCardsOffered, state: State) -> State:
        return _with_deal(state, offered=True, offer_open=True)

    def _when_new_cards_taken(self, event: Event, state: State) -> State:
        return _with_deal(state, offer_open=False)

    _when_new_cards_refused = _when_new_cards_taken

    def _when_schlag_named(self, event: actions.SchlagNamed, state: State) -> State:
        return _with_deal(state, schlag_by=event.seat, schlag=event.rank)

    def _when_trump_named(self, event: actions.TrumpNamed, state: State) -> State:
        # Where it had been named aloud play has begun, and perhaps a raise is open.
        phase = Phase.PLAY if state.phase is Phase.ANNOUNCING else state.phase
        return replace(_with_deal(state, trump=event.suit), phase=phase)

    def _when_named_aloud(self, event: actions.NamedAloud, state: State) -> State:
        return replace(_with_deal(state, aloud=True), phase=Phase.PLAY)

    def _when_cards_shown(self, event: actions.CardsShown, state: State) -> State:
        return replace(_with_deal(state, informed=event.seats), phase=Phase.PLAY)

    def _when_show_confirmed(self, event: actions.ShowConfirmed, state: State) -> State:
        return _with_deal(state, confirmed=(*state.deal.confirmed, event.seat))

    def _when_schlag_sealed(self, event: actions.SchlagSealed, state: State) -> State:
        return _with_deal(state, seal=replace(state.deal.seal, rank=event.rank))

    def _when_trump_sealed(self, event: actions.TrumpSealed, state: State) -> State:
        return _with_deal(state, seal=replace(state.deal.seal, suit=event.suit))

    def _when_card_laid(self, event: actions.CardLaid, state: State) -> State:
        return _with_deal(state, lying=(*state.deal.lying, event.card))

    def _when_four_forced(self, event: actions.FourForced, state: State) -> State:
        state = _with_deal(state, raiser=event.seat, proposed=event.proposed, forced=True)
        return replace(state, phase=Phase.ANSWERING)

    def _when_signalled(self, event: Event, state: State) -> State:
        return state

    _when_hands_shown = _when_signalled

    def _when_seal_opened(self, event: actions.SealOpened, state: State) -> State:
        # A house never gets what was under the seal but by this.
        return _with_deal(state, seal=Seal(event.rank, event.suit))

    def _when_raised(self, event: actions.Raised, state: State) -> State:
        state = _with_deal(state, value=event.value, raiser=event.seat, proposed=event.proposed)
        return replace(state, phase=Phase.ANSWERING)

    def _when_held(self, event: actions.Held, state: State) -> State:
        state = _with_deal(
            state,
            value=event.value,
            raised_last=state.deal.raiser,
            raiser=None,
            proposed=None,
            forced=False,
        )
        return replace(state, phase=Phase.PLAY)

    def _when_trick_taken(self, event: actions.TrickTaken, state: State) -> State:
        tricks, laid = state.deal.tricks, state.deal.laid
        tricks = put(tricks, event.seat, tricks[event.seat] + 1)
        # Somebody may say who took it while only some of its cards have been entered.
        if cards := event.cards or state.deal.lying:
            laid = (*laid, LaidTrick(event.seat, cards))
        return _with_deal(state, tricks=tricks, laid=laid, lying=(), lead=event.seat)

    def _when_deal_ended(self, event: actions.DealEnded, state: State) -> State:
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

    def _when_deal_taken_back(self, event: actions.DealTakenBack, state: State) -> State:
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

    def _when_game_won(self, event: actions.GameWon, state: State) -> State:
        game = PlayedGame(event.winners, event.games)
        return replace(state, phase=Phase.GAME_OVER, games=(*state.games, game))

    def _when_game_reopened(self, event: actions.GameReopened, state: State) -> State:
        return replace(state, phase=Phase.BETWEEN_DEALS, games=state.games[:-1])

    def _when_corrected(self, event: actions.Corrected, state: State) -> State:
        deals = tuple(
            deal.given_to(event.winners) if deal.number == event.hand else deal
            for deal in state.deals
        )
        return replace(state, deals=deals).with_points(event.points, after=event.hand)

    def _when_chalked(self, event: actions.Chalked, state: State) -> State:
        return state.with_points(event.points, after=0)

    def _when_slate_wiped(self, event: actions.SlateWiped, state: State) -> State:
        return replace(
            state, phase=Phase.BETWEEN_DEALS, points=event.points, deals=(), may_take_back=False
        )

    def _when_turned_up(self, event: actions.TurnedUp, state: State) -> State:
        state = _with_deal(state, trump=event.suit, schlag=event.schlag)
        return replace(state, phase=Phase.EXCHANGE)

    def _when_cards_exchanged(self, event: actions.CardsExchanged, state: State) -> State:
        exchanged = (*state.deal.exchanged, event.seat)
        return _with_deal(state, exchanged=exchanged, taken=state.deal.taken + event.n)

    def _when_exchange_closed(self, event: actions.ExchangeClosed, state: State) -> State:
        return replace(state, phase=Phase.PLAY)
