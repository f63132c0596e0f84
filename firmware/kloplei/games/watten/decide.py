"""What follows from an action of Watten: the events of a deal, its end and the game's (§ 10).

`Decision` is told only what `kloplei.games.watten.legality` lets pass. In it stand the parts of an
evening in their order: the deal, the end of a deal and who scores (§ 7), the end of the game, and
what is put right between deals.
"""

from collections.abc import Mapping
from typing import ClassVar

from kloplei.frozen import replace
from kloplei.games.card_game import put
from kloplei.games.game import Event, Seat
from kloplei.games.watten import actions, blind
from kloplei.games.watten.actions import DealEnded, DealTakenBack, GameReopened, GameWon
from kloplei.games.watten.apply import Course
from kloplei.games.watten.blind import open_seal
from kloplei.games.watten.legality import value_if_held
from kloplei.games.watten.options import Options
from kloplei.games.watten.state import (
    TRICKS_IN_DEAL,
    Phase,
    PlayedDeal,
    State,
    accounts,
    clean_points,
    decided_for,
    is_locked,
    opponents,
    side_of,
    tense_sides,
)

FIRST_VALUE = 2  # points
PENALTY = 2  # points
HOW_ENDED = (
    *("tricks", "given-up", "maschine", "illegal-raise", "revoke", "misdeal", "looked-early"),
    *("counted", "corrected"),
)
"""Every way a deal can end, as `DealEnded` says it."""
_FORCED_VALUE = 4
_FORCED_GAP = 4
_DOUBLE = 2  # games
_DOUBLING_SUIT = "H"


class Decision(Course):
    """What comes of one action that is legal, told event by event."""

    grants: ClassVar[Mapping[str, type[Event]]] = {
        "agree": actions.NewCardsTaken,
        "refuse": actions.NewCardsRefused,
        "schlag": actions.SchlagNamed,
        "signal": actions.Signalled,
        "show_hands": actions.HandsShown,
        "exchange": actions.CardsExchanged,
    }

    def _do_deal(self) -> None:
        options, dealer = self.options, self.state.dealer
        if options.everyone_alone:
            self.tell(actions.Dealt(dealer, value=0))
            return
        tense = tense_sides(options, self.state)
        if options.gestrichen_rule == "tense_auto_raise" and tense:
            # The deal counts as raised by who is tense; the others may still raise it.
            self.tell(actions.Dealt(dealer, FIRST_VALUE + 1, tense[0][0]))
        else:
            self.tell(actions.Dealt(dealer, FIRST_VALUE))

    def _do_offer(self, seat: Seat) -> None:
        self.tell(actions.NewCardsOffered(seat, self.state.dealer))

    def _do_trump(self, seat: Seat, suit: str) -> None:
        if self.options.everyone_alone:
            self._do_turnup(suit, None)
            return
        begins = not self.state.deal.announced
        self.tell(actions.TrumpNamed(seat, suit))
        if begins:
            self._force_four()

    def _do_announced(self, seat: Seat) -> None:
        self.tell(actions.NamedAloud(seat))
        self._force_four()

    def _do_show(self) -> None:
        self.tell(actions.CardsShown(self.state.knowing))
        self._force_four()

    def _do_confirm(self, seat: Seat, *sealed: Event) -> None:
        if blind.show(self, seat, *sealed):
            self._force_four()

    def _do_seal_schlag(self, seat: Seat, rank: str) -> None:
        self._do_confirm(seat, actions.SchlagSealed(seat, rank))

    def _do_seal_trump(self, seat: Seat, suit: str) -> None:
        self._do_confirm(seat, actions.TrumpSealed(seat, suit))

    def _force_four(self) -> None:
        """Ask the one side that is tense and far ahead to hold four, where the house does (§ 9)."""
        options, state = self.options, self.state
        tense = tense_sides(options, state)
        # Without a lock nobody is gestrichen, and the one forced could go on raising.
        if options.gestrichen_rule != "forced_four" or options.lock is None or len(tense) != 1:
            return
        others = tuple(seat for seat in state.seats if seat not in tense[0])
        ahead = max(state.points[seat] for seat in tense[0])
        if ahead - max(state.points[seat] for seat in others) >= _FORCED_GAP:
            self.tell(actions.FourForced(others[0], _FORCED_VALUE))

    def _do_turnup(self, suit: str, rank: str | None) -> None:
        """Let the turned card make trump; *rank* None is known to the players alone."""
        schlag = rank if self.options.bohemian_schlag == "from_turnup" else None
        self.tell(actions.TurnedUp(suit, rank, schlag))

    def _do_ready(self) -> None:
        """End exchanging if it has not ended yet: who plays on exchanges no more."""
        if self.state.phase is Phase.EXCHANGE:
            self.tell(actions.ExchangeClosed())

    def _do_raise(self, seat: Seat) -> None:
        value = value_if_held(self.state)
        if not is_locked(self.options, self.state, seat):
            self.tell(actions.Raised(seat, value + 1, value))
            return
        by_bid = self.options.illegal_raise == "opponents_score_bid"
        self._penalize("illegal-raise", seat, value + 1 if by_bid else PENALTY)

    def _do_accept(self, seat: Seat) -> None:
        self.tell(actions.Held(seat, value_if_held(self.state)))

    def _do_trick(self, seat: Seat) -> None:
        self._do_ready()
        self.tell(actions.TrickTaken(seat, self.state.tricks_played + 1))
        self._end_if_decided(seat)

    def _do_trick_of(self, _: Seat, took: Seat) -> None:
        self._do_trick(took)

    def _do_card(self, _: Seat, card: str) -> None:
        taker = blind.lay(self, card)
        if taker is not None:
            self._end_if_decided(taker)

    def _do_result(self, tricks: tuple[int, ...]) -> None:
        self._do_ready()
        self._count(tricks)

    def _end_if_decided(self, seat: Seat) -> None:
        """End the deal if the trick that *seat* just took settles it."""
        options, state = self.options, self.state
        if options.everyone_alone:
            if state.tricks_played == TRICKS_IN_DEAL:
                self._count(tuple(state.deal.tricks[one] for one in sorted(state.seats)))
            return
        won = decided_for(options, state)
        if won and (options.stop_at_three or state.tricks_played == TRICKS_IN_DEAL):
            self._end("tricks", seat, won, state.deal.value)

    def _count(self, tricks: tuple[int, ...]) -> None:
        """End the deal with so many *tricks* a player, in the order of the seats."""
        state, moved = self.state, self.state.zeros()
        for seat, n in zip(sorted(state.seats), tricks, strict=True):
            moved = put(moved, seat, _worth(self.options, state, n))
        points = tuple(map(sum, zip(state.points, moved, strict=True)))
        number, dealer = len(state.deals) + 1, state.neighbour
        self.tell(actions.DealEnded(number, "counted", None, (), 0, 0, points, dealer, moved))
        self._finish_if_over()

    def _do_fold(self, seat: Seat) -> None:
        """End the deal: *seat* gave it up for what it was worth before an open raise."""
        others = opponents(self.options, self.state, seat)
        self._end("given-up", seat, others, self.state.deal.value)

    def _do_maschine(self, seat: Seat) -> None:
        """End the deal: *seat* held all the Kritische."""
        self._end("maschine", seat, side_of(self.options, self.state, seat), PENALTY)

    def _do_look_early(self, seat: Seat) -> None:
        self._penalize("looked-early", seat, PENALTY)

    def _do_misdeal(self) -> None:
        """Drop the deal: it was dealt wrongly."""
        if self.options.everyone_alone or self.options.misdeal_penalty == "redeal":
            self._void("misdeal", self.state.dealer)
        else:
            self._penalize("misdeal", self.state.dealer, PENALTY)

    def _do_revoke(self, seat: Seat) -> None:
        """Settle that *seat* revoked in this deal or, if none is running, in the last one."""
        value = self.state.deal.value
        if not self.state.deal_running:
            last = self.state.deals[-1]
            value = last.value
            self.tell(DealTakenBack(seat, _before(self.options, last), last.dealer))
        remedy = self.options.revoke_remedy
        match "redeal" if self.options.everyone_alone else remedy:
            case "redeal":
                self._void("revoke", seat)
                self._finish_if_over()
            case "opponents_2":
                self._penalize("revoke", seat, PENALTY, value)
            case "opponents_value":
                self._penalize("revoke", seat, value, value)
            case "lose_game":
                winners = opponents(self.options, self.state, seat)
                self._end("revoke", seat, winners, 0, value)
                if self.state.phase is not Phase.GAME_OVER:
                    self._win(winners)

    def _penalize(self, how: str, seat: Seat, points: int, value: int | None = None) -> None:
        """End the deal with *points* for those who play against *seat*."""
        winners = opponents(self.options, self.state, seat)
        self._end(how, seat, winners, points, value)

    def _void(self, how: str, seat: Seat) -> None:
        open_seal(self)
        state = self.state
        number = len(state.deals) + 1
        self.tell(DealEnded(number, how, seat, (), 0, 0, state.points, state.dealer))

    def _end(
        self,
        how: str,
        seat: Seat,
        winners: tuple[Seat, ...],
        scored: int,
        value: int | None = None,
    ) -> None:
        open_seal(self)
        state, points = self.state, self.state.points
        for one in winners:
            points = put(points, one, points[one] + scored)
        self.tell(
            DealEnded(
                number=len(state.deals) + 1,
                how=how,
                seat=seat,
                winners=winners,
                scored=scored,
                value=state.deal.value if value is None else value,
                points=points,
                dealer=state.neighbour,
            )
        )
        self._finish_if_over()

    def _finish_if_over(self) -> None:
        """End the game if the slate says that somebody has won it."""
        state, options = self.state, self.options
        held = [state.points[seat] for seat in state.seats]
        best = min(held) if options.everyone_alone else max(held)
        won = best <= 0 if options.everyone_alone else best >= options.target
        if won and state.phase is not Phase.GAME_OVER:
            self._win(tuple(seat for seat in state.seats if state.points[seat] == best))

    def _win(self, winners: tuple[Seat, ...]) -> None:
        """End the game; it counts twice where the house says so and the losers have nothing."""
        state, options = self.state, self.options
        others = (state.points[seat] for seat in state.seats if seat not in winners)
        double = options.schneider and not options.everyone_alone and not any(others)
        self.tell(GameWon(winners, _DOUBLE if double else 1))

    def _judge_again(self) -> None:
        """Take the end of the game back if there was one, and look whether it is over.

        A game that was lost by a revoke stays lost: no points ended it.
        """
        if self.state.phase is Phase.GAME_OVER:
            if self._was_lost_by_a_revoke():
                return
            self.tell(GameReopened())
        self._finish_if_over()

    def _was_lost_by_a_revoke(self) -> bool:
        how = [deal.how for deal in self.state.deals[-1:]]
        loses = self.options.revoke_remedy == "lose_game" and not self.options.everyone_alone
        return loses and how == ["revoke"]

    def _do_new_game(self) -> None:
        self.tell(actions.SlateWiped(clean_points(self.options, self.state)))

    def _do_correct(self, number: int, seat: Seat) -> None:
        """Write down that the side of *seat* had won deal *number*; what it was worth moves."""
        state = self.state
        deal = next(one for one in state.deals if one.number == number)
        # Three players: who plays with whom went by who dealt then.
        winners = side_of(self.options, replace(state, dealer=deal.dealer), seat)
        points = state.points
        for loser in deal.winners:
            # Later corrections may have left less than was written then.
            points = put(points, loser, max(0, points[loser] - deal.value))
        for winner in winners:
            points = put(points, winner, points[winner] + deal.value)
        self.tell(actions.Corrected(number, winners, points))
        self._judge_again()

    def _do_chalk(self, seat: Seat, number: int) -> None:
        """Write down that *seat*, and whoever shares its account, has *number* points."""
        state, points = self.state, self.state.points
        account = next(one for one in accounts(self.options, state) if seat in one)
        for one in account:
            points = put(points, one, number)
        self.tell(actions.Chalked(account, number, points))
        self._judge_again()


def _worth(options: Options, state: State, tricks: int) -> int:
    double = 2 if state.deal.trump == _DOUBLING_SUIT else 1
    each, none = options.bohemian_trick_points, options.bohemian_none_penalty
    return double * (-each * tricks if tricks else none)


def _before(options: Options, deal: PlayedDeal) -> tuple[int, ...]:
    """Return what stood on the slate before *deal*; a correction may have left less than that."""
    if options.everyone_alone:
        return deal.before
    return tuple(max(0, points) for points in deal.before)
