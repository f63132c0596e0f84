"""Why an action of toepen may not be done now: the one judge behind `decide` and offers (§ 12).

`Referee` is asked about everything; its checks stand in the order of the rule document, whose
codes are the reasons. Below it stands what closing the exchange and armoede do to a hand before
its first card (§ 2, § 3): `decide` does it, and the referee looks ahead at what it will leave.
"""

from collections.abc import Collection
from functools import cached_property
from typing import get_args

from kloplei.games import card_game
from kloplei.games.card_game import Correct, Deal, Revoke
from kloplei.games.game import Action, Facts, Seat, seat_of
from kloplei.games.toepen import actions
from kloplei.games.toepen.actions import LAST_TRICK, ArmoedeSettled, ExchangeClosed, Stayed
from kloplei.games.toepen.amend import MOST_STAKE, may_be_amended
from kloplei.games.toepen.apply import Course
from kloplei.games.toepen.options import Options
from kloplei.games.toepen.state import Phase, State, cannot_lose_more, lives_left, may_pay_one_more

REASONS = (
    *(
        "after_this_rubber",
        "all_in",
        "answer_pending",
        "exchange_closed",
        "exchange_limit",
        "hand_in_progress",
    ),
    *(
        "hand_unknown",
        "kitty_short",
        "knock_limit",
        "lives_out_of_range",
        "max_stake",
        "no_card_played",
    ),
    *("no_exchange_to_challenge", "no_hand", "not_in_hand", "not_played_here", "not_your_turn"),
    *("nothing_changed", "nothing_owed", "nothing_to_answer", "rubbers_out_of_range"),
    "not_all_seats",
    *(
        "same_knocker",
        "self_challenge",
        "settle_first",
        "slate_not_clean",
        "stock_empty",
        "too_late",
        "trick_order",
    ),
    "unknown_declaration",
)
"""Every code with which toepen refuses something; each has its sentence in ``words/``."""
_VOID = ("misdeal", "revoke")
_BETWEEN_HANDS = (
    *(Deal, Revoke, Correct),
    *(actions.Amend, actions.Drink, actions.Chalk, actions.WonBefore, actions.Payout),
)
_BY_TRICK = ("trick", "corrected", "everyone-lost")
MOST_BEFORE = 30
"""Rubbers that anybody can have won before the evening came to this slate."""


class Referee(card_game.Referee[Options, State]):
    """Judges actions on one state of the table."""

    @cached_property
    def closed(self) -> State:
        """The table as it would stand once exchanging is closed."""
        course = Course(self.options, self.state)
        close_exchange(course)
        return course.state

    @cached_property
    def to_answer(self) -> tuple[Seat, ...]:
        """Who owes an answer, also while the armoede decision waits for the exchange to end."""
        return self.closed.hand.to_answer

    def why_not(self, action: Action) -> str | None:
        """Return the reason *action* is refused, or None if it may be done."""
        if not self.state.hand_running and not isinstance(action, _BETWEEN_HANDS):
            return "no_hand"
        return self._why_not_by_name(action)

    def facts(self, action: Action) -> Facts:
        """Return what the sentence of a refusal may want to say."""
        seat = seat_of(action)
        owing = self.to_answer
        return {
            "seat": seat,
            "stake": self.state.hand.stake,
            "dealer": self.state.dealer,
            "leader": self.state.leader,
            "knocker": self.state.hand.last_knocker,
            "next": owing[0] if owing else None,
            "seats": owing or tuple(s for s in self.state.seats if s in self.state.owes_drink),
            "left": self._left(seat),
            "limit": self.options.max_lives,
            "pot": self.state.pot or None,
            "most": MOST_BEFORE,
        }

    @property
    def _exchange_is_over(self) -> bool:
        return self.state.phase is not Phase.EXCHANGE

    def _left(self, seat: Seat | None) -> int | None:
        if seat is None or seat not in self.state.seats:
            return None
        return lives_left(self.options, self.state, seat)

    def _in_hand(self, seat: Seat) -> bool:
        return seat in self.state.hand.in_hand

    def _why_not_deal(self) -> str | None:
        if self.state.hand_running:
            return "hand_in_progress"
        return "settle_first" if self.state.phase is Phase.RUBBER_OVER else None

    def _why_not_drink(self, seat: Seat) -> str | None:
        return None if seat in self.state.owes_drink else "nothing_owed"

    def _why_not_payout(self, chips: int, _: Seat | None) -> str | None:
        # In the middle of a hand as well: the waiter does not wait for the fourth trick.
        if self.options.stake_in == "drink" and not self.state.pot:
            return "not_played_here"
        return None if 1 <= chips <= self.state.pot else "kitty_short"

    def _why_not_ready(self) -> str | None:
        return "exchange_closed" if self._exchange_is_over else None

    def _why_not_misdeal(self) -> str | None:
        return "too_late" if self._exchange_is_over or any(self.state.hand.paid) else None

    def _why_not_exchange(self, seat: Seat) -> str | None:
        limit, hand = self.options.exchange_limit, self.state.hand
        if self._exchange_is_over:
            return "exchange_closed"
        if not hand.exchanges_left:
            return "stock_empty"
        if not self._in_hand(seat):
            return "not_in_hand"
        if limit is not None and hand.exchanged[seat] >= limit:
            return "exchange_limit"
        return None

    def _why_not_challenge(self, seat: Seat, of: Seat, found: str) -> str | None:
        if self._exchange_is_over:
            return "exchange_closed"
        if seat == of:
            return "self_challenge"
        if of not in self.state.hand.open_exchange:
            return "no_exchange_to_challenge"
        if not self._in_hand(seat):
            return "not_in_hand"
        return None if found in get_args(actions.Found) else "unknown_declaration"

    def _why_not_stay(self, seat: Seat) -> str | None:
        if not self._in_hand(seat):
            return "not_in_hand"
        if seat not in self.to_answer:
            return "nothing_to_answer"
        if self.options.answer_order == "clockwise" and seat != self.to_answer[0]:
            return "not_your_turn"
        return None

    def _why_not_fold(self, seat: Seat) -> str | None:
        freely = self.options.voluntary_fold and self._in_hand(seat) and not self.to_answer
        if not freely and (reason := self._why_not_stay(seat)):
            return reason
        if self.options.all_in != "may_fold" and cannot_lose_more(self.options, self.closed, seat):
            return "all_in"
        return None

    def _why_not_knock(self, seat: Seat, *, blind: bool = False) -> str | None:
        if not self._in_hand(seat):
            return "not_in_hand"
        if self.to_answer and not self._may_knock_over(seat):
            return "answer_pending"
        if self._knocked_enough(seat):
            return "same_knocker"
        if not may_pay_one_more(self.options, self.closed, seat, blind=blind):
            return "knock_limit"
        highest = self.options.max_stake
        if highest is not None and self.closed.hand.stake >= highest:
            return "max_stake"
        return None

    def _may_knock_over(self, seat: Seat) -> bool:
        """Whether *seat* may knock instead of answering the knock before (§ 8)."""
        return (
            self.options.over_knock_while_pending
            and self.state.phase is Phase.ANSWERING
            and self._why_not_stay(seat) is None
        )

    def _knocked_enough(self, seat: Seat) -> bool:
        match self.options.same_player_reknock:
            case "no":
                return seat == self.state.hand.last_knocker
            case "once_per_hand":
                return self.state.hand.knocks[seat] > 0
            case _:
                return False

    def _why_not_trick(self, seat: Seat, n: int) -> str | None:
        if not self._in_hand(seat) and not self._folded_card_counts(seat, n):
            return "not_in_hand"
        if self.to_answer:
            return "answer_pending"
        return None if self.state.hand.tricks < n <= LAST_TRICK else "trick_order"

    def _folded_card_counts(self, seat: Seat, n: int) -> bool:
        return (
            n == LAST_TRICK
            and self.options.folded_last_trick == "everyone_loses"
            and seat in self.state.hand.lately_folded
        )

    def _why_not_revoke(self, seat: Seat) -> str | None:
        if not self.state.hand_running:
            return self._why_not_have_revoked(seat)
        if not self._in_hand(seat):
            return "not_in_hand"
        unplayed = self.state.phase in (Phase.EXCHANGE, Phase.ARMOEDE)
        return "no_card_played" if unplayed else None

    def _why_not_have_revoked(self, seat: Seat) -> str | None:
        """Return why the hand that is just over cannot be dropped for a revoke of *seat*."""
        last = self.state.hands[-1] if self.state.hands else None
        if last is None or last.how not in _BY_TRICK:
            return "no_hand"
        return None if seat in last.stayed else "not_in_hand"

    def _why_not_blind_knock(self, seat: Seat) -> str | None:
        if not self.options.blind_knock:
            return "not_played_here"
        if not self._in_hand(seat):
            return "not_in_hand"
        # Who has exchanged or heard an answer has seen the cards.
        if self._exchange_is_over or self.state.hand.exchanged[seat]:
            return "too_late"
        return self._why_not_knock(seat, blind=True)

    def _why_not_jack(self, seat: Seat) -> str | None:
        if self.options.jack_bonus == "off":
            return "not_played_here"
        return "not_in_hand" if not self._in_hand(seat) else self._why_not_trick(seat, LAST_TRICK)

    def _why_not_four(self, seat: Seat) -> str | None:
        if self.options.four_of_a_kind == "off":
            return "not_played_here"
        if not self._in_hand(seat):
            return "not_in_hand"
        if self.state.hand.to_answer:
            return "answer_pending"
        return "too_late" if self.state.hand.tricks else None

    def _why_not_whistle(self, seat: Seat, holds: str) -> str | None:
        return self._why_not_declare(seat, holds, actions.ThreeAlike)

    def _why_not_stand(self, seat: Seat, holds: str) -> str | None:
        return self._why_not_declare(seat, holds, actions.FourAlike)

    def _why_not_sing(self, seat: Seat, why: str) -> str | None:
        return self._why_not_declare(seat, why, actions.SingReason)

    def _why_not_declare(self, seat: Seat, what: str, known: object) -> str | None:
        if seat not in self.state.hand.dealt_in:
            return "not_in_hand"
        return None if what in get_args(known) else "unknown_declaration"

    def _why_not_correct(self, number: int, winner: Seat) -> str | None:
        if self.state.hand_running:
            return "hand_in_progress"
        hand = next((one for one in self.state.hands if one.number == number), None)
        if hand is None or hand.winner is None or hand.how not in ("trick", "corrected"):
            return "hand_unknown"
        if winner == hand.winner:
            return "nothing_changed"
        return None if winner in hand.stayed else "not_in_hand"

    def _why_not_amend(
        self, number: int, winner: Seat, stake: int, folded: tuple[int, ...]
    ) -> str | None:
        if self.state.hand_running:
            return "hand_in_progress"
        hand = next((one for one in self.state.hands if one.number == number), None)
        if hand is None or not may_be_amended(hand):
            return "hand_unknown"
        if len(folded) != len(self.state.seats) or winner not in self.state.seats:
            return "not_all_seats"
        told = dict(zip(self.state.seats, folded, strict=True))
        dealt_in = self.state.dealt_in(hand)
        if winner not in dealt_in or any(
            price >= 0 and (seat == winner or seat not in dealt_in) for seat, price in told.items()
        ):
            return "not_in_hand"
        if not 1 <= stake <= MOST_STAKE or any(one > self.options.max_lives for one in folded):
            return "lives_out_of_range"
        left = {seat: price for seat, price in told.items() if price >= 0}
        before = {seat: hand.folds[seat] for seat in dealt_in if seat not in hand.stayed}
        same = (winner, stake, left) == (hand.winner, hand.stake, before)
        return "nothing_changed" if same else None

    def _why_not_chalk(self, seat: Seat, lives: int) -> str | None:
        if self.state.hand_running:
            return "hand_in_progress"
        if seat not in self.state.seats:
            return "not_in_hand"
        if not 0 <= lives <= self.options.max_lives:
            return "lives_out_of_range"
        return "nothing_changed" if lives == self.state.lives_lost[seat] else None

    def _why_not_won_before(self, seat: Seat, rubbers: int) -> str | None:
        if self.state.hand_running:
            return "hand_in_progress"
        if seat not in self.state.seats:
            return "not_in_hand"
        if self.state.rubbers:
            return "too_late"
        if not 0 <= rubbers <= MOST_BEFORE:
            return "rubbers_out_of_range"
        return "nothing_changed" if rubbers == self.state.won_before[seat] else None


def poor_among(options: Options, state: State, in_hand: Collection[Seat]) -> tuple[Seat, ...]:
    """Return who of *in_hand* is in armoede, clockwise from the dealer's left.

    When all are, nobody could decide anything, and it is an ordinary hand.
    """
    if not options.armoede:
        return ()
    last_life = options.max_lives - 1
    poor = tuple(
        seat
        for seat in state.after(state.dealer)
        if seat in in_hand and state.lives_lost[seat] == last_life
    )
    return poor if len(poor) < len(in_hand) else ()


def lead(
    options: Options, state: State, armoede: tuple[Seat, ...], in_hand: Collection[Seat]
) -> Seat:
    """Return who leads the first trick."""
    if options.armoede_leads == "first_time_only":
        armoede = tuple(seat for seat in armoede if seat not in state.was_poor)
    if armoede:
        return armoede[0]
    order = tuple(seat for seat in state.after(state.dealer) if seat in in_hand)
    if options.new_rubber_lead == "previous loser leads" and _first_hand(state):
        order = tuple(seat for seat in order if seat in state.lost_first) or order
    return order[0]


def settle_again(course: Course) -> None:
    """Lift or pass on the protection after a seat in armoede went out before the decision."""
    state, options = course.state, course.options
    armoede = state.hand.armoede
    stake = options.armoede_stake if armoede else 1
    first = lead(options, state, armoede, state.hand.in_hand)
    course.tell(ArmoedeSettled(armoede, stake, first))


def close_exchange(course: Course) -> None:
    """End exchanging, if it has not ended yet, and ask for the armoede decision if it is due."""
    if course.state.phase is not Phase.EXCHANGE:
        return
    # Nobody has to say that exchanging is over (`Ready`): the first knock, answer or trick does.
    # The armoede decision comes before it, so the referee looks ahead by this same road.
    options, in_hand = course.options, course.state.hand.in_hand
    if options.armoede_check == "after_exchange":
        armoede = poor_among(options, course.state, in_hand)
        if armoede:
            first = lead(options, course.state, armoede, in_hand)
            course.tell(ArmoedeSettled(armoede, options.armoede_stake, first))
    course.tell(ExchangeClosed(_deciders(course.state)))
    stay_if_forced(course)


def stay_if_forced(course: Course) -> None:
    """Let everybody stay who has nothing more to lose, where the house says so (§ 8)."""
    if course.options.all_in != "auto_stay":
        return
    for seat in course.state.hand.to_answer:
        if cannot_lose_more(course.options, course.state, seat):
            course.tell(Stayed(seat, course.state.hand.stake, forced=True))


def _deciders(state: State) -> tuple[Seat, ...]:
    if not state.hand.armoede or state.leader is None:
        return ()
    order = state.still_in(state.after(state.leader))
    return tuple(seat for seat in order if seat not in state.hand.armoede)


def _first_hand(state: State) -> bool:
    return all(hand.how in _VOID for hand in state.hands)
