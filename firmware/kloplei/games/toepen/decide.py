"""What follows from an action of toepen: the events of a hand, its end and the rubber's (§ 12).

`Decision` is told only what `kloplei.games.toepen.legality` lets pass. In it stand the parts of an
evening in their order: the hand, the end of a hand and who deals next (§ 2, § 6), the end of a
rubber with its titles and drinks (§ 7), and what is put right between hands (§ 9).
"""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import ClassVar, cast

from kloplei.frozen import replace
from kloplei.games.card_game import put
from kloplei.games.game import Event, Seat
from kloplei.games.toepen import actions
from kloplei.games.toepen.actions import (
    LAST_TRICK,
    CameBack,
    Chalked,
    Corrected,
    HandEnded,
    RubberReopened,
    RubberWon,
    SlateWiped,
    WentOut,
)
from kloplei.games.toepen.amend import Telling, hand_shown, lives_after
from kloplei.games.toepen.apply import Course
from kloplei.games.toepen.honours import crowned, toepkoningen
from kloplei.games.toepen.legality import (
    Referee,
    close_exchange,
    lead,
    poor_among,
    settle_again,
    stay_if_forced,
)
from kloplei.games.toepen.options import Options
from kloplei.games.toepen.state import Phase, PlayedRubber, State, fold_price, lose

TOURNAMENT_POINTS = (5, 3, 2, 1)
FOUR_COSTS = 3  # lives, § 8
VOID = ("revoke", "misdeal", "out")
_HANDS_IN_PACK = 8  # 32 cards, four each
_CAUTIOUS_ANSWERS = 3
_CAUTIOUS_FOLDS = 0.6


def is_over(options: Options, state: State) -> bool:
    """Whether the rubber ends here; asked between hands only."""
    if options.rubber_mode == "first_out_pays":
        return bool(state.out)
    return len(state.not_out(state.seats)) <= 1


class Decision(Course):
    """What comes of one action that is legal, told event by event."""

    grants: ClassVar[Mapping[str, type[Event]]] = {
        "exchange": actions.Exchanged,
        "whistle": actions.Whistled,
        "stand": actions.Stood,
    }

    def _do_deal(self) -> None:
        options, state = self.options, self.state
        in_hand = state.not_out(state.after(state.dealer))
        at_deal = options.armoede_check == "at_deal"
        armoede = poor_among(options, state, in_hand) if at_deal else ()
        self.tell(
            actions.Dealt(
                dealer=state.dealer,
                in_hand=in_hand,
                stake=options.armoede_stake if armoede else 1,
                lead=lead(options, state, armoede, in_hand),
                armoede=armoede,
                exchanges=_HANDS_IN_PACK - len(in_hand),
            )
        )

    def _do_challenge(self, seat: Seat, of: Seat, found: str) -> None:
        loser = of if found == "dirty" else seat
        told = partial(actions.Challenged, seat, of, found, loser)
        self._charge(loser, self.options.exchange_penalty, told)

    def _do_ready(self) -> None:
        close_exchange(self)

    def _do_stay(self, seat: Seat) -> None:
        close_exchange(self)
        self.tell(actions.Stayed(seat, self.state.hand.stake))

    def _do_knock(self, seat: Seat, *, blind: bool = False) -> None:
        close_exchange(self)
        state = self.state
        others = state.still_in(one for one in state.after(seat) if one != seat)
        self.tell(actions.Knocked(seat, state.hand.stake + 1, others, blind))
        stay_if_forced(self)

    def _do_blind_knock(self, seat: Seat) -> None:
        self._do_knock(seat, blind=True)

    def _do_fold(self, seat: Seat) -> None:
        if Referee(self.options, self.state).to_answer:
            # An answer to armoede; a fold without a question leaves exchanging open (§ 8).
            close_exchange(self)
        price = fold_price(self.options, self.state, seat)
        self._charge(seat, price, partial(actions.Folded, seat))

    def _do_trick(self, seat: Seat, n: int) -> None:
        close_exchange(self)
        if n == LAST_TRICK:
            self._win_by_trick(seat)
        else:
            self.tell(actions.TrickTaken(seat, n))

    def _do_jack(self, seat: Seat) -> None:
        close_exchange(self)
        self._win_by_trick(seat, jack=True)

    def _do_sing(self, seat: Seat, why: str) -> None:
        self._charge(seat, self.options.whistle_penalty, partial(actions.Sang, seat, why))

    def _charge(self, loser: Seat, price: int, told: Callable[[int, int], Event]) -> None:
        """Let *loser* pay in the middle of a hand; the event is *told* what that cost, and left."""
        before = self.state.lives_lost[loser]
        lives = lose(self.options, before, price)
        self.tell(told(lives - before, lives))
        # Both are asked before anything is struck off: who goes out is in armoede no longer. The
        # order below counts: who is left alone has won whatever else is open, a house may end the
        # rubber at once, and only a hand that goes on has its armoede settled anew, before that
        # rubber is over.
        was_poor = loser in self.state.hand.armoede
        undecided = self.state.phase in (Phase.EXCHANGE, Phase.ARMOEDE)
        self._send_out((loser,))
        state = self.state
        if len(state.hand.in_hand) == 1:
            (winner,) = state.hand.in_hand
            self._end("folds", {}, seat=winner, winner=winner)
        elif state.out_since[loser] and self.options.rubber_end_timing == "immediate":
            self._end("out", {}, seat=loser)
        elif was_poor and undecided and state.out_since[loser]:
            settle_again(self)

    def _win_by_trick(self, winner: Seat, *, jack: bool = False) -> None:
        """End the hand: *winner* took the fourth trick, with a *jack* maybe."""
        state = self.state
        if winner not in state.hand.in_hand:
            # Its card still counts although its player has folded (§ 8).
            prices = dict.fromkeys(state.hand.in_hand, state.hand.stake)
            self._end("everyone-lost", prices, seat=winner)
            return
        prices = dict.fromkeys(state.hand.in_hand - {winner}, state.hand.stake)
        if jack:
            prices[winner] = -1
        self._end("trick", prices, seat=winner, winner=winner)

    def _do_four(self, winner: Seat) -> None:
        """End the hand: *winner* showed four of a kind."""
        prices = dict.fromkeys(self.state.hand.in_hand - {winner}, FOUR_COSTS)
        self._end("four", prices, seat=winner, winner=winner)

    def _do_revoke(self, offender: Seat) -> None:
        """Drop the hand because *offender* did not follow suit."""
        if not self.state.hand_running:
            self._drop_last_hand(offender)
            return
        price = self.state.hand.committed[offender]
        prices = {offender: price} if self.options.revoke_remedy == "offender_pays" else {}
        self._end("revoke", prices, seat=offender)

    def _drop_last_hand(self, offender: Seat) -> None:
        """Take back what the last hand cost at its end, and let *offender* pay for it."""
        state, hand = self.state, self.state.hands[-1]
        lives, paid = state.lives_lost, state.zeros()
        for seat in state.seats:
            lives = put(lives, seat, lose(self.options, lives[seat], -hand.paid_at_end[seat]))
        if self.options.revoke_remedy == "offender_pays":
            lost = lose(self.options, lives[offender], hand.stake)
            paid = put(paid, offender, lost - lives[offender])
            lives = put(lives, offender, lost)
        dealer = self._dealer(lives, None, state.dealer if hand.dealer is None else hand.dealer)
        self.tell(actions.RevokeFound(hand.number, offender, paid, lives, dealer))
        self._judge_rubber_again()

    def _do_misdeal(self) -> None:
        """Drop the hand because it was dealt wrongly."""
        self._end("misdeal", {}, seat=None)

    def _end(
        self,
        how: str,
        prices: Mapping[Seat, int],
        *,
        seat: Seat | None,
        winner: Seat | None = None,
    ) -> None:
        options, state = self.options, self.state
        paid, lives = state.zeros(), state.lives_lost
        for one, price in prices.items():
            lost = lose(options, lives[one], price)
            paid, lives = put(paid, one, lost - lives[one]), put(lives, one, lost)
        taker = None if how in VOID else seat
        self.tell(
            HandEnded(
                number=state.hand_number,
                how=how,
                winner=winner,
                seat=seat,
                stake=state.hand.stake,
                stayed=state.still_in(state.hand.dealt_in),
                paid=paid,
                lives=lives,
                dealer=self._next_dealer(lives, taker),
            )
        )
        self._send_out(state.seats)
        self._finish_if_over()

    def _next_dealer(self, lives: tuple[int, ...], taker: Seat | None) -> Seat:
        """Return who deals next; *taker* has won, or None if the hand was void (§ 2)."""
        options, state = self.options, self.state
        present = _may_deal(options, state, lives)
        order = tuple(seat for seat in state.after(state.dealer) if seat in present)
        if taker is None:
            return state.dealer if state.dealer in present else order[0]
        if options.next_dealer == "left":
            return order[0]
        if options.next_dealer == "highest_score":
            return max(order, key=lambda seat: lives[seat])
        if taker in present:
            return taker
        return next(seat for seat in state.after(taker) if seat in present)

    def _send_out(self, seats: Collection[Seat]) -> None:
        """Let those of *seats* go out who have lost their last life."""
        for seat in seats:
            state = self.state
            if state.lives_lost[seat] >= self.options.max_lives and not state.out_since[seat]:
                at_once = self.options.rubber_mode == "last_standing"
                self.tell(WentOut(seat, owes=at_once and seat not in state.drank))

    def _finish_if_over(self) -> None:
        """End the rubber if it is over, and wipe the slate if nobody owes anything."""
        options, state = self.options, self.state
        if not is_over(options, state):
            return
        winners = _winners(options, state)
        rubbers = (*state.rubbers, PlayedRubber(winners, state.zeros()))
        kings = toepkoningen(options, state, rubbers)
        self.tell(
            RubberWon(
                winners=winners,
                owes=tuple(seat for seat in state.out if seat not in state.drank),
                toepkoning=kings,
                crowned=crowned(options, state, rubbers),
                lijntoeper=_lijntoeper(state),
                points=_points(options, state),
            )
        )
        self._wipe_if_settled()

    def _do_drink(self, seat: Seat) -> None:
        pot = self.options.stake_in
        paid = actions.Drank(seat, 0)
        self.tell(
            paid if pot == "drink" else replace(paid, chips=self.options.debt_chips, into=pot)
        )
        self._wipe_if_settled()

    def _do_payout(self, chips: int, seat: Seat | None) -> None:
        self.tell(actions.PaidOut(chips, seat, self.state.pot - chips))

    def _wipe_if_settled(self) -> None:
        """Wipe the slate when the rubber is over and the last debt is paid."""
        state = self.state
        if state.phase is Phase.RUBBER_OVER and not state.owes_drink:
            first = min((state.out_since[seat] for seat in state.out), default=0)
            self.tell(SlateWiped(tuple(s for s in state.out if state.out_since[s] == first)))

    def _do_correct(self, number: int, winner: Seat) -> None:
        """Write down that *winner* had won hand *number*.

        The new winner gets back what it paid at the end of that hand; the old one pays the
        stake, and returns the life that a jack gave it.
        """
        state = self.state
        hand = next(one for one in state.hands if one.number == number)
        # Only a hand that somebody won can be corrected (`Referee`).
        old = cast("Seat", hand.winner)
        paid, lives = hand.paid_at_end, state.lives_lost
        charged = lose(self.options, lives[old], hand.stake - paid[old])
        paid_by_old = paid[old] + charged - lives[old]
        # Later corrections may have left less than was paid then.
        returned = max(0, lives[winner] - paid[winner])
        lives = put(put(lives, winner, returned), old, charged)
        paid = put(put(paid, winner, 0), old, paid_by_old)
        dealer = self._dealer(lives, winner if _latest(state) == number else None)
        self.tell(Corrected(number, winner, paid, lives, dealer))
        self._judge_rubber_again()

    def _do_amend(self, number: int, winner: Seat, stake: int, folded: tuple[int, ...]) -> None:
        """Write hand *number* down as it is told now, on the lives of today."""
        state = self.state
        hand = next(one for one in state.hands if one.number == number)
        told = dict(zip(state.seats, folded, strict=True))
        stayed = tuple(seat for seat in state.dealt_in(hand) if told[seat] < 0)
        left = {seat: price for seat, price in told.items() if price >= 0}
        telling = Telling(winner, stake, frozenset(stayed), left)
        before = dict(
            zip(state.seats, (state.lives_lost[seat] for seat in state.seats), strict=True)
        )
        after = lives_after(self.options, before, hand_shown(hand, state), telling)
        lives, at_end, folds = state.lives_lost, state.zeros(), state.zeros()
        for seat, lost in after.items():
            # What is paid is what it moves: never past nothing, or past the last life.
            share = hand.shares[seat] + lost - before[seat]
            lives = put(lives, seat, lost)
            if seat in left:
                folds = put(folds, seat, share)
            else:
                at_end = put(at_end, seat, share)
        dealer = self._dealer(lives, winner if _latest(state) == number else None)
        self.tell(Corrected(number, winner, at_end, lives, dealer, stake, stayed, folds))
        self._judge_rubber_again()

    def _do_chalk(self, seat: Seat, lost: int) -> None:
        """Write down that *seat* has lost so many lives."""
        lives = put(self.state.lives_lost, seat, lost)
        self.tell(Chalked(seat, lost, self._dealer(lives, None)))
        self._judge_rubber_again()

    def _do_won_before(self, seat: Seat, rubbers: int) -> None:
        """Write down what *seat* had won elsewhere."""
        won = put(self.state.won_before, seat, rubbers)
        kings = toepkoningen(self.options, replace(self.state, won_before=won), ())
        self.tell(actions.RubbersEntered(seat, rubbers, kings))

    def _judge_rubber_again(self) -> None:
        self._reopen_if_over()
        for seat in self.state.out:
            if self.state.lives_lost[seat] < self.options.max_lives:
                self.tell(CameBack(seat))
        self._send_out(self.state.seats)
        self._finish_if_over()

    def _reopen_if_over(self) -> None:
        """Take the end of the rubber back, so that a correction may look at it afresh."""
        options, state = self.options, self.state
        if state.phase is not Phase.RUBBER_OVER:
            return
        stay_due = state.owes_drink if options.rubber_mode == "last_standing" else frozenset()
        self.tell(
            RubberReopened(
                owes=tuple(seat for seat in state.seats if seat in stay_due),
                toepkoning=toepkoningen(options, state, state.rubbers[:-1]),
            )
        )

    def _dealer(
        self, lives: tuple[int, ...], winner: Seat | None, dealer: Seat | None = None
    ) -> Seat:
        """Return who deals next; *winner* is the new one of the latest hand, if that changed.

        Else it is *dealer*, or who has the deal now, if still at the table.
        """
        state = self.state
        present = _may_deal(self.options, state, lives)
        first = state.dealer if dealer is None else dealer
        if winner is not None and self.options.next_dealer == "winner":
            first = winner
        return next(one for one in (first, *state.after(first)) if one in present)


def _may_deal(options: Options, state: State, lives: tuple[int, ...]) -> tuple[Seat, ...]:
    """Return who is at the next deal if everybody has lost *lives*; a wiped slate brings all."""
    left = tuple(seat for seat in state.seats if lives[seat] < options.max_lives)
    if options.rubber_mode == "first_out_pays":
        return left if len(left) == len(state.seats) else state.seats
    return left if len(left) > 1 else state.seats


def _winners(options: Options, state: State) -> tuple[Seat, ...]:
    if options.rubber_mode == "first_out_pays":
        fewest = min(state.lives_lost[seat] for seat in state.seats)
        return tuple(seat for seat in state.seats if state.lives_lost[seat] == fewest)
    standing = state.not_out(state.seats)
    if standing:
        return standing
    # All went out: the last to go share it.
    last = max(state.out_since[seat] for seat in state.seats)
    return tuple(seat for seat in state.seats if state.out_since[seat] == last)


def _lijntoeper(state: State) -> tuple[Seat, ...]:
    """Return who folded the largest share of its answers; a joke, and shared when equal."""
    shares = {
        seat: state.folds[seat] / state.answers[seat]
        for seat in state.seats
        if state.answers[seat] >= _CAUTIOUS_ANSWERS
    }
    highest = max(shares.values(), default=0.0)
    if highest < _CAUTIOUS_FOLDS:
        return ()
    return tuple(seat for seat, share in shares.items() if share == highest)


def _points(options: Options, state: State) -> tuple[int, ...]:
    """Return tournament points by seat: places by when one went out, else by lives lost."""
    points = state.zeros()
    if options.tournament_points == "off":
        return points
    for seat in state.seats:
        better = sum(
            _rank(options, state, one) < _rank(options, state, seat) for one in state.seats
        )
        if better < len(TOURNAMENT_POINTS):
            points = put(points, seat, TOURNAMENT_POINTS[better])
    return points


def _rank(options: Options, state: State, seat: Seat) -> int:
    if options.rubber_mode == "first_out_pays":
        return state.lives_lost[seat]
    return -state.out_since[seat] if state.out_since[seat] else -(state.hand_number + 1)


def _latest(state: State) -> int:
    """Return the number of the last hand that was played to an end."""
    return next((hand.number for hand in reversed(state.hands) if hand.how not in VOID), 0)
