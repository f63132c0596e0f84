"""What may be done at a Watten table now, and why not (§ 10)."""

from typing import get_args

from kloplei.rules.game import Action, Facts, Seat
from kloplei.rules.watten import actions, bohemian, corrections, sealed
from kloplei.rules.watten.options import Options
from kloplei.rules.watten.ranking import WELI_RANK
from kloplei.rules.watten.sides import (
    SOLO_PLAYERS,
    TEAM_PLAYERS,
    is_locked,
    opponents,
    side_of,
    sides,
    tricks_of,
)
from kloplei.rules.watten.state import Phase, State

TRICKS_TO_WIN = 3

REASONS = (
    *("already_announced", "already_shown", "answer_pending", "blind_cannot_revoke"),
    *("card_lies_there", "deal_in_progress", "not_sealed"),
    *("deal_unknown", "nothing_changed", "points_out_of_range"),
    *(
        "exchange_closed",
        "exchange_limit",
        "no_trump_yet",
        "trick_count",
        "game_not_over",
        "game_over",
        "max_value",
        "no_deal",
        "no_signals",
    ),
    *("not_announced", "not_blind", "not_played_here", "nothing_to_answer"),
    *("only_with_schlag_6", "own_raise", "raise_locked", "same_side_raised_last", "schlag_first"),
    *("signals_off", "slate_not_clean", "too_late", "unknown_card", "weli_rank_forbidden"),
    "wrong_player",
)
"""Every code with which Watten refuses something; each has its sentence in ``words/``."""


class Referee:
    """Judges actions on one state of the table.

    Args:
        options: The house rules.
        state: The table as it stands.
    """

    def __init__(self, options: Options, state: State) -> None:
        self.options = options
        self.state = state
        self.deal = state.deal

    @property
    def to_answer(self) -> tuple[Seat, ...]:
        """Who may answer for the side that is asked; one answer binds it."""
        if self.deal.offer_open:
            return (self.state.dealer,)
        if self.deal.raiser is None:
            return ()
        return opponents(self.options, self.state, self.deal.raiser)

    @property
    def announcers(self) -> tuple[Seat, ...]:
        """Who is to name Schlag or trump now; in Blind Watten who are to show a card."""
        dealer, neighbour = self.state.dealer, self.state.neighbour
        if self.options.everyone_alone:
            return (dealer,)
        if self.options.variant == "blind":
            return self.state.knowing
        if len(self.state.seats) == SOLO_PLAYERS:
            return (neighbour,)
        if self.deal.schlag is None:
            return (neighbour, dealer) if self.options.schlag_tausch else (neighbour,)
        if not self.options.schlag_tausch:
            return (dealer,)
        return tuple(seat for seat in (dealer, neighbour) if seat != self.deal.schlag_by)

    def why_not(self, action: Action) -> str | None:
        """Return the reason *action* is refused, or None if it may be done."""
        over = self.state.phase is Phase.GAME_OVER
        match action:
            case actions.Deal():
                return self._why_not_deal()
            case actions.NewGame():
                return None if over else "game_not_over"
            case actions.Revoke(seat):
                return self._why_not_revoke(seat)
            case actions.Correct() | actions.Chalk():
                return corrections.why_not(self.options, self.state, action)
            case _ if not self.state.deal_running:
                return "game_over" if over else "no_deal"
            case _ if self.options.everyone_alone:
                return bohemian.why_not(self.options, self.state, action)
            case actions.TurnUp() | actions.Exchange() | actions.Ready() | actions.Result():
                return "not_played_here"
            case _ if isinstance(action, sealed.SEALED_ACTIONS):
                return sealed.why_not(self.options, self.state, action)
            case actions.Misdeal():
                return None if self.state.phase is Phase.ANNOUNCING else "too_late"
            case actions.LookEarly():
                return self._why_not_look_early()
            case actions.Raise(seat) | actions.Accept(seat) | actions.GiveUp(seat):
                return self._why_not_value(action, seat)
            case actions.Trick():
                return self._why_not_trick()
            case _:
                return self._why_not_announce(action)

    def facts(self, action: Action) -> Facts:
        """Return what the sentence of a refusal may want to say."""
        seat = getattr(action, "seat", None)
        return {
            "seat": seat,
            "seats": self.to_answer,
            "next": self.announcers[0],
            "stake": self.deal.value,
            "limit": self.options.lock,
            "most": self.options.max_value,
            "low": corrections.chalkable(self.options).start,
            "high": corrections.chalkable(self.options).stop - 1,
        }

    def _why_not_announce(self, action: Action) -> str | None:
        match action:
            case actions.Offer(seat):
                return self._why_not_offer(seat)
            case actions.Agree(seat) | actions.Refuse(seat):
                if not self.deal.offer_open:
                    return "nothing_to_answer"
                return None if seat == self.state.dealer else "wrong_player"
            case actions.Schlag(seat, rank):
                return self._why_not_schlag(seat, rank)
            case actions.Trump(seat, suit):
                return self._why_not_trump(seat, suit)
            case actions.NameAloud(seat):
                return self._why_not_name_aloud(seat)
            case actions.Show():
                return self._why_not_show()
            case actions.Signal():
                return self._why_not_signal()
            case actions.ShowHands():
                return self._why_not_show_hands()
            case actions.Maschine():
                return self._why_not_maschine()
            case _:
                raise TypeError(f"{action!r} is no action of Watten")

    def _why_not_deal(self) -> str | None:
        if self.state.deal_running:
            return "deal_in_progress"
        return "game_over" if self.state.phase is Phase.GAME_OVER else None

    def _why_not_offer(self, seat: Seat) -> str | None:
        if seat != self.state.neighbour:
            return "wrong_player"
        begun = self.deal.schlag is not None or self.deal.confirmed or self.deal.announced
        return "exchange_closed" if self.deal.offered or begun else None

    def _why_not_schlag(self, seat: Seat, rank: str) -> str | None:
        if self.options.variant == "blind":
            return "not_played_here"
        named = self.deal.schlag is not None
        if seat not in self.announcers and not (named and seat == self.deal.schlag_by):
            return "wrong_player"
        if named:
            return "already_announced"
        if self.deal.offer_open:
            return "answer_pending"
        if rank not in get_args(actions.Rank):
            return "unknown_card"
        no_six = self.options.variant == "kritisch" or self.options.weli == "not in the pack"
        return "weli_rank_forbidden" if rank == WELI_RANK and no_six else None

    def _why_not_trump(self, seat: Seat, suit: str) -> str | None:
        if self.options.variant == "blind":
            return "not_played_here"
        if self.deal.schlag is None:
            return "schlag_first"
        if seat not in self.announcers:
            return "wrong_player"
        if self.deal.trump is not None:
            return "already_announced"
        return None if suit in get_args(actions.Suit) else "unknown_card"

    def _why_not_show(self) -> str | None:
        if self.options.variant != "blind":
            return "not_blind"
        if self.deal.announced:
            return "already_announced"
        return "answer_pending" if self.deal.offer_open else None

    def _why_not_name_aloud(self, seat: Seat) -> str | None:
        """Who did the naming says so: one who only listened would open play too early."""
        if self.options.variant == "blind":
            return "not_played_here"
        if self.deal.announced:
            return "already_announced"
        if seat not in (self.state.dealer, self.state.neighbour):
            return "wrong_player"
        return "answer_pending" if self.deal.offer_open else None

    def _why_not_signal(self) -> str | None:
        if not self.deal.announced:
            return "not_announced"
        if len(self.state.seats) != TEAM_PLAYERS:
            return "no_signals"
        off = not self.options.signals or self.deal.schlag == WELI_RANK
        return "signals_off" if off else None

    def _why_not_show_hands(self) -> str | None:
        if not self.deal.announced:
            return "not_announced"
        if len(self.state.seats) != TEAM_PLAYERS:
            return "no_signals"
        # In Blind Watten nobody has said what the Schlag is, and showing would give it away.
        return None if self.deal.schlag == WELI_RANK else "only_with_schlag_6"

    def _why_not_value(self, action: Action, seat: Seat) -> str | None:
        match action:
            case actions.Raise():
                return self._why_not_raise(seat)
            case actions.Accept():
                return self._why_not_answer(seat)
            case _:
                return self._why_not_give_up(seat)

    def _why_not_raise(self, seat: Seat) -> str | None:
        if not self.deal.announced:
            return "not_announced"
        if self._decided:
            return "too_late"
        if is_locked(self.options, self.state, seat):
            return None if self.raising_costs else "raise_locked"
        if self.deal.raiser is not None and self._is_own(self.deal.raiser, seat):
            return "answer_pending"
        if self.deal.raiser is None and self._is_own(self.deal.raised_last, seat):
            return "same_side_raised_last"
        highest = self.options.max_value
        return "max_value" if highest is not None and self.next_value > highest else None

    @property
    def next_value(self) -> int:
        """What the deal would be worth after one more raise."""
        return (self.deal.proposed or self.deal.value) + 1

    @property
    def raising_costs(self) -> bool:
        """Whether a locked side that raises is not stopped but pays for it."""
        return (
            self.options.illegal_raise != "reject"
            or self.options.gestrichen_rule == "tense_auto_raise"
        )

    @property
    def _decided(self) -> bool:
        return any(
            tricks_of(self.state, side) >= TRICKS_TO_WIN for side in sides(self.options, self.state)
        )

    def _is_own(self, other: Seat | None, seat: Seat) -> bool:
        return other is not None and other in side_of(self.options, self.state, seat)

    def _why_not_answer(self, seat: Seat) -> str | None:
        if self.deal.raiser is None:
            return "nothing_to_answer"
        return "own_raise" if self._is_own(self.deal.raiser, seat) else None

    def _why_not_give_up(self, seat: Seat) -> str | None:
        if self.options.concede_anytime and self.state.phase is Phase.PLAY:
            return "too_late" if self._decided else None
        return self._why_not_answer(seat)

    def _why_not_trick(self) -> str | None:
        if not self.deal.announced:
            return "not_announced"
        return "answer_pending" if self.deal.raiser is not None else None

    def _why_not_revoke(self, seat: Seat) -> str | None:
        if not self.state.deal_running:
            return self._why_not_late_revoke(seat)
        if self.options.everyone_alone:
            return bohemian.why_not(self.options, self.state, actions.Revoke(seat))
        if not self.deal.announced:
            return "not_announced"
        return self._why_not_bound(seat, self.state.dealer)

    def _why_not_late_revoke(self, seat: Seat) -> str | None:
        if not self.state.deals:
            return "no_deal"
        if reason := self._why_not_bound(seat, self.state.deals[-1].dealer):
            return reason
        return None if self.state.may_take_back else "too_late"

    def _why_not_bound(self, seat: Seat, dealer: Seat) -> str | None:
        """Return why *seat* had no duty to follow in a deal of *dealer*, or None if it had."""
        knew = (dealer, self.state.after(dealer)[0])
        blind = self.options.variant == "blind" and seat not in knew
        return "blind_cannot_revoke" if blind else None

    def _why_not_look_early(self) -> str | None:
        if self.options.look_early_penalty == "costs nothing":
            return "not_played_here"
        return None if self.state.phase is Phase.ANNOUNCING else "too_late"

    def _why_not_maschine(self) -> str | None:
        if not self.options.maschine or self.options.variant != "kritisch":
            return "not_played_here"
        if not self.deal.announced:
            return "not_announced"
        if self.deal.raiser is not None:
            return "answer_pending"
        return "too_late" if self._decided else None
