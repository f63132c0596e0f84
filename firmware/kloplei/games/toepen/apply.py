"""What each event of toepen does to the state, and which sentence tells it (§ 12).

An event comes in, a new state goes out, with the event as its latest news. Nothing here refuses or
judges: old journals replay through it under the rules of today. Keys of sentences stand in
``words/`` (``news.<key>``).
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from kloplei.frozen import replace
from kloplei.games import card_game
from kloplei.games.card_game import Telling, add, put, shown, told
from kloplei.games.game import Event, Seat
from kloplei.games.scoreboard import Line, Tone
from kloplei.games.toepen import actions
from kloplei.games.toepen.options import Options
from kloplei.games.toepen.state import Phase, PlayedHand, PlayedRubber, RunningHand, State


def _rewritten(
    hand: PlayedHand, event: actions.Corrected | actions.RevokeFound, how: str
) -> PlayedHand:
    paid = tuple(
        whole - before + now
        for whole, before, now in zip(hand.paid, hand.paid_at_end, event.paid, strict=True)
    )
    winner = getattr(event, "winner", None)
    return replace(hand, winner=winner, how=how, paid=paid, paid_at_end=event.paid)


def _amended(hand: PlayedHand, event: actions.Corrected) -> PlayedHand:
    """Return *hand* as all of it was told anew, as far as that is."""
    hand, folds = _rewritten(hand, event, "corrected"), hand.folds
    if not event.stayed:
        return hand
    paid = tuple(
        whole - before + now
        for whole, before, now in zip(hand.paid, folds, event.folded, strict=True)
    )
    told = replace(hand, stake=event.stake, stayed=event.stayed, folded=event.folded)
    return replace(told, paid=paid)


def _with_hand(state: State, **changes: Any) -> State:
    return replace(state, hand=replace(state.hand, **changes))


def _lose(state: State, seat: Seat, n: int, lives: int) -> State:
    state = replace(state, lives_lost=put(state.lives_lost, seat, lives))
    return _with_hand(state, paid=add(state.hand.paid, seat, n))


def _answered(state: State, seat: Seat) -> State:
    """Strike *seat* off those who owe an answer; after the last one play goes on."""
    to_answer = tuple(one for one in state.hand.to_answer if one != seat)
    state = _with_hand(state, to_answer=to_answer)
    if state.phase in (Phase.ARMOEDE, Phase.ANSWERING) and not to_answer:
        return replace(state, phase=Phase.PLAY)
    return state


def _dealt_news(event: actions.Dealt) -> Line:
    return (_DEALT_ARMOEDE if event.armoede else shown("dealt", seat="dealer"))(event)


def _end_of_rubber(event: actions.RubberWon) -> Line:
    if not event.crowned:
        return Line("news.rubber-over", {"seats": event.winners}, Tone.FANFARE)
    alone = event.crowned[0] if len(event.crowned) == 1 else event.crowned
    return Line("news.toepkoning", {"seat": alone}, Tone.CROWN)


_ARMOEDE = shown("armoede", seats="armoede", stake="stake")
_DEALT_ARMOEDE = shown("armoede", seat="dealer", seats="armoede", stake="stake")
_MISDEALT = told("misdealt")
_ENDS = {
    "trick": told("hand-won", seat="winner", n="stake"),
    "folds": told("hand-won-by-folds", seat="winner"),
    "four": told("four", seat="winner"),
    "everyone-lost": told("everyone-lost", "seat", n="stake"),
    "out": told("hand-dropped", "seat"),
    "revoke": told("hand-void", "seat"),
}


class Course(card_game.Course[Options, State]):
    """Events told so far, and the table they lead to."""

    sentences: ClassVar[Mapping[type[Event], Telling]] = {
        actions.Dealt: _dealt_news,
        actions.ArmoedeSettled: lambda event: _ARMOEDE(event) if event.armoede else None,
        actions.Exchanged: told("exchanged", "seat"),
        actions.Challenged: lambda event: told(f"challenge-{event.found}", "seat", "of", "n")(
            event
        ),
        actions.Knocked: told("knocked", "seat", "stake", tone=Tone.SHOUT),
        actions.Stayed: lambda event: (
            None if event.forced else shown("stayed", "seat", "stake")(event)
        ),
        actions.Folded: shown("folded", "seat", "n"),
        actions.TrickTaken: shown("trick", "seat", "number"),
        actions.Whistled: told("whistled", "seat"),
        actions.Stood: told("stood", "seat"),
        actions.Sang: told("sang", "seat"),
        actions.HandEnded: lambda event: _ENDS.get(event.how, _MISDEALT)(event),
        actions.RubberWon: _end_of_rubber,
        actions.Drank: lambda event: (
            told("paid-in", "seat", n="chips")(event)
            if event.into
            else told("drank", "seat")(event)
        ),
        actions.SlateWiped: told("slate-wiped"),
        actions.Corrected: lambda event: (
            told("amended", "hand")(event)
            if event.stayed
            else told("corrected", "hand", seat="winner")(event)
        ),
        actions.Chalked: told("chalked", "seat", n="lives"),
        actions.RevokeFound: told("revoke-found", "seat", "hand"),
        actions.RubbersEntered: told("rubbers-entered", "seat", n="rubbers"),
        actions.PaidOut: told("paid-out", "seat", n="chips"),
    }
    noted: ClassVar[Mapping[type[Event], Telling]] = {
        actions.ExchangeClosed: shown("exchange-closed")
    }

    def _when_dealt(self, event: actions.Dealt, state: State) -> State:
        committed = state.zeros()
        for seat in event.in_hand:
            committed = put(committed, seat, event.stake if seat in event.armoede else 1)
        hand = RunningHand(
            stake=event.stake,
            committed=committed,
            dealt_in=event.in_hand,
            in_hand=frozenset(event.in_hand),
            lead=event.lead,
            armoede=event.armoede,
            knocks=state.zeros(),
            exchanges_left=event.exchanges,
            exchanged=state.zeros(),
            paid=state.zeros(),
        )
        return replace(state, phase=Phase.EXCHANGE, dealer=event.dealer, hand=hand)

    def _when_exchanged(self, event: actions.Exchanged, state: State) -> State:
        # A new exchange takes the place of the seat's earlier one (§ 4).
        others = tuple(seat for seat in state.hand.open_exchange if seat != event.seat)
        return _with_hand(
            state,
            exchanges_left=state.hand.exchanges_left - 1,
            exchanged=add(state.hand.exchanged, event.seat, 1),
            open_exchange=(*others, event.seat),
        )

    def _when_challenged(self, event: actions.Challenged, state: State) -> State:
        still_open = tuple(seat for seat in state.hand.open_exchange if seat != event.of)
        state = _lose(state, event.loser, event.n, event.lives)
        return _with_hand(state, open_exchange=still_open)

    def _when_armoede_settled(self, event: actions.ArmoedeSettled, state: State) -> State:
        committed = state.hand.committed
        for seat in state.hand.in_hand:
            if seat in event.armoede or not event.armoede:
                committed = put(committed, seat, event.stake)
        state = _with_hand(
            state, armoede=event.armoede, stake=event.stake, lead=event.lead, committed=committed
        )
        if state.phase is Phase.ARMOEDE and not event.armoede:
            # The question has gone with the one it was about.
            return replace(_with_hand(state, to_answer=()), phase=Phase.PLAY)
        return state

    def _when_exchange_closed(self, event: actions.ExchangeClosed, state: State) -> State:
        phase = Phase.ARMOEDE if event.to_answer else Phase.PLAY
        state = _with_hand(state, open_exchange=(), to_answer=event.to_answer)
        return replace(state, phase=phase)

    def _when_stayed(self, event: actions.Stayed, state: State) -> State:
        answers = state.answers if event.forced else add(state.answers, event.seat, 1)
        state = _with_hand(state, committed=put(state.hand.committed, event.seat, event.stake))
        return _answered(replace(state, answers=answers), event.seat)

    def _when_folded(self, event: actions.Folded, state: State) -> State:
        state = _lose(state, event.seat, event.n, event.lives)
        folded = add(state.hand.folded or state.zeros(), event.seat, event.n)
        state = _with_hand(state, folded=folded)
        lately_folded = state.hand.lately_folded
        if state.phase in (Phase.PLAY, Phase.ANSWERING):
            # Before a card is played there is none that could still take a trick (§ 8).
            lately_folded |= {event.seat}
        state = _with_hand(
            state,
            in_hand=state.hand.in_hand - {event.seat},
            lately_folded=lately_folded,
            open_exchange=tuple(s for s in state.hand.open_exchange if s != event.seat),
        )
        state = replace(
            state,
            answers=add(state.answers, event.seat, 1),
            folds=add(state.folds, event.seat, 1),
        )
        return _answered(state, event.seat)

    def _when_knocked(self, event: actions.Knocked, state: State) -> State:
        state = _with_hand(
            state,
            stake=event.stake,
            committed=put(state.hand.committed, event.seat, event.stake),
            last_knocker=event.seat,
            knocks=add(state.hand.knocks, event.seat, 1),
            to_answer=event.to_answer,
        )
        return replace(state, phase=Phase.ANSWERING)

    def _when_trick_taken(self, event: actions.TrickTaken, state: State) -> State:
        return _with_hand(state, tricks=event.number, lead=event.seat, lately_folded=frozenset())

    def _when_whistled(self, event: Event, state: State) -> State:
        return state

    _when_stood = _when_whistled

    def _when_sang(self, event: actions.Sang, state: State) -> State:
        return _lose(state, event.seat, event.n, event.lives)

    def _when_went_out(self, event: actions.WentOut, state: State) -> State:
        owes = state.owes_drink | {event.seat} if event.owes else state.owes_drink
        # Between hands it is a correction of the last one that finishes somebody.
        number = state.hand_number if state.hand_running else max(1, len(state.hands))
        state = replace(state, out_since=put(state.out_since, event.seat, number), owes_drink=owes)
        if not state.hand_running:
            return state
        state = _with_hand(
            state,
            in_hand=state.hand.in_hand - {event.seat},
            armoede=tuple(seat for seat in state.hand.armoede if seat != event.seat),
            open_exchange=tuple(seat for seat in state.hand.open_exchange if seat != event.seat),
        )
        return _answered(state, event.seat)

    def _when_came_back(self, event: actions.CameBack, state: State) -> State:
        return replace(
            state,
            out_since=put(state.out_since, event.seat, 0),
            owes_drink=state.owes_drink - {event.seat},
        )

    def _when_hand_ended(self, event: actions.HandEnded, state: State) -> State:
        paid = tuple(a + b for a, b in zip(state.hand.paid, event.paid, strict=True))
        played = PlayedHand(
            number=event.number,
            winner=event.winner,
            how=event.how,
            stake=event.stake,
            stayed=event.stayed,
            paid=paid,
            paid_at_end=event.paid,
            dealer=state.dealer,
            folded=state.hand.folded,
            dealt_in=state.hand.dealt_in,
        )
        was_poor = (
            state.was_poor | set(state.hand.armoede) if event.how != "misdeal" else state.was_poor
        )
        return replace(
            state,
            phase=Phase.BETWEEN_HANDS,
            hand=RunningHand(),
            dealer=event.dealer,
            lives_lost=event.lives,
            hands=(*state.hands, played),
            was_poor=was_poor,
        )

    def _when_rubber_won(self, event: actions.RubberWon, state: State) -> State:
        return replace(
            state,
            phase=Phase.RUBBER_OVER,
            owes_drink=frozenset(event.owes),
            rubbers=(*state.rubbers, PlayedRubber(event.winners, event.points)),
            toepkoning=event.toepkoning,
            lijntoeper=event.lijntoeper,
        )

    def _when_rubber_reopened(self, event: actions.RubberReopened, state: State) -> State:
        return replace(
            state,
            phase=Phase.BETWEEN_HANDS,
            owes_drink=frozenset(event.owes),
            rubbers=state.rubbers[:-1],
            toepkoning=event.toepkoning,
            lijntoeper=(),
        )

    def _when_drank(self, event: actions.Drank, state: State) -> State:
        return replace(
            state,
            owes_drink=state.owes_drink - {event.seat},
            drank=state.drank | {event.seat},
            drinks=add(state.drinks, event.seat, 1),
            pot=state.pot + event.chips,
        )

    def _when_slate_wiped(self, event: actions.SlateWiped, state: State) -> State:
        return replace(
            state,
            phase=Phase.BETWEEN_HANDS,
            lives_lost=state.zeros(),
            out_since=state.zeros(),
            hands=(),
            owes_drink=frozenset(),
            drank=frozenset(),
            answers=state.zeros(),
            folds=state.zeros(),
            was_poor=frozenset(),
            lost_first=event.losers,
            left=(),
        )

    def _when_corrected(self, event: actions.Corrected, state: State) -> State:
        hands = tuple(
            _amended(hand, event) if hand.number == event.hand else hand for hand in state.hands
        )
        return replace(state, hands=hands, lives_lost=event.lives, dealer=event.dealer)

    def _when_chalked(self, event: actions.Chalked, state: State) -> State:
        lives = put(state.lives_lost, event.seat, event.lives)
        return replace(state, lives_lost=lives, dealer=event.dealer)

    def _when_revoke_found(self, event: actions.RevokeFound, state: State) -> State:
        hands = tuple(
            _rewritten(hand, event, "revoke") if hand.number == event.hand else hand
            for hand in state.hands
        )
        return replace(state, hands=hands, lives_lost=event.lives, dealer=event.dealer)

    def _when_rubbers_entered(self, event: actions.RubbersEntered, state: State) -> State:
        won = put(state.won_before, event.seat, event.rubbers)
        return replace(state, won_before=won, toepkoning=event.toepkoning)

    def _when_paid_out(self, event: actions.PaidOut, state: State) -> State:
        return replace(state, pot=event.pot)
