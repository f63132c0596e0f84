"""Why an action of eenendertigen may not be done now: the one judge behind `decide` and offers."""

from collections.abc import Iterator
from typing import get_args

from kloplei.games import card_game
from kloplei.games.card_game import Deal
from kloplei.games.eenendertigen import actions
from kloplei.games.eenendertigen.options import Options
from kloplei.games.eenendertigen.state import BY_LOWEST, Phase, PlayedHand, State
from kloplei.games.game import Action, Facts, Seat, seat_of

REASONS = (
    *("after_this_rubber", "all_tied", "hand_in_progress", "hand_unknown", "knocked_already"),
    *("lives_out_of_range", "lowest_already", "no_hand", "nobody_left", "not_in_hand"),
    *("not_lowest", "not_played_here", "nothing_changed", "nothing_owed", "settle_first"),
    *("slate_not_clean", "too_late", "unknown_declaration"),
)
"""Every code with which eenendertigen refuses something; each has its sentence in ``words/``."""
_BETWEEN_HANDS = (Deal, actions.Lowest, actions.Drink, actions.Correct, actions.Chalk)


class Referee(card_game.Referee[Options, State]):
    """Judges actions on one state of the table."""

    def why_not(self, action: Action) -> str | None:
        """Return the reason *action* is refused, or None if it may be done."""
        if not self.state.hand_running and not isinstance(action, _BETWEEN_HANDS):
            return "no_hand"
        return self._why_not_by_name(action)

    def facts(self, action: Action) -> Facts:
        """Return what the sentence of a refusal may want to say."""
        return {
            "seat": seat_of(action),
            "dealer": self.state.dealer,
            "knocker": self.state.knocker,
            "seats": tuple(s for s in self.state.seats if s in self.state.owes_drink),
            "limit": self.options.limit,
        }

    def _why_not_deal(self) -> str | None:
        if self.state.hand_running:
            return "hand_in_progress"
        return "settle_first" if self.state.owes_drink else None

    def _why_not_knock(self, seat: Seat) -> str | None:
        if seat not in self.state.in_hand:
            return "not_in_hand"
        if self.state.knocker is not None:
            return "knocked_already"
        return "too_late" if self.state.phase is Phase.LAID_OPEN else None

    def _why_not_lay(self, seat: Seat, holds: str) -> str | None:
        if seat not in self.state.in_hand:
            return "not_in_hand"
        if holds not in get_args(actions.Holds):
            return "unknown_declaration"
        if self.options.shown(holds) == "counts":
            return "not_played_here"
        return "too_late" if self.state.phase is Phase.LAID_OPEN else None

    def _why_not_lowest(self, seat: Seat) -> str | None:
        state = self.state
        if state.hand_running:
            if seat not in state.in_hand:
                return "not_in_hand"
            return "not_lowest" if seat == state.laid_by else None
        if state.latest is None or state.latest.how not in BY_LOWEST or not state.latest.losers:
            return "no_hand"  # who was lowest may have left
        return self._why_not_tied(seat, state.latest)

    def _why_not_tied(self, seat: Seat, hand: PlayedHand) -> str | None:
        """Return why *seat* cannot have been as low as who was lowest in *hand* (§ 3)."""
        if self.options.ties == "nobody_loses":
            return "not_played_here"
        if seat in hand.losers:
            return "lowest_already"
        if seat not in hand.dealt_in or seat in self.state.out:
            return "not_in_hand"
        # Somebody must have been better, and must still be there.
        better = {*hand.dealt_in} - {seat, *hand.losers, *self.state.out}
        return None if better else "all_tied"

    def _why_not_equal(self) -> str | None:
        return None

    def _why_not_misdeal(self) -> str | None:
        return None if self.state.phase is Phase.PLAY else "too_late"

    def _why_not_drink(self, seat: Seat) -> str | None:
        return None if seat in self.state.owes_drink else "nothing_owed"

    def _why_not_correct(self, number: int, of: Seat) -> str | None:
        if self.state.hand_running:
            return "hand_in_progress"
        hand = next((one for one in self.state.hands if one.number == number), None)
        if hand is None or hand.how not in BY_LOWEST:
            return "hand_unknown"
        if of not in hand.dealt_in:
            return "not_in_hand"
        if hand.losers == (of,):
            return "nothing_changed"
        return None if any(self._lives_left(hand, of)) else "nobody_left"

    def _lives_left(self, hand: PlayedHand, of: Seat) -> Iterator[int]:
        """Yield what each has left once *of* alone was lowest in *hand*.

        Who won the rubber may have left since, and the two who stay may both have been lowest.
        """
        price = self.options.price(of, hand.knocker)
        for seat in self.state.seats:
            lost = max(0, self.state.lives_lost[seat] - hand.paid[seat])
            yield max(0, self.options.limit - lost - (price if seat == of else 0))

    def _why_not_chalk(self, seat: Seat, lives: int) -> str | None:
        state = self.state
        if state.hand_running:
            return "hand_in_progress"
        if seat not in state.seats:
            return "not_in_hand"
        if not 0 <= lives <= self.options.limit:
            return "lives_out_of_range"
        if lives == state.lives_lost[seat]:
            return "nothing_changed"
        nobody = not state.standing({*state.out, seat})
        return "nobody_left" if nobody and lives == self.options.limit else None
