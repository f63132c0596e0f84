"""What may be done at a Watten table now, and why not: one place to ask for all of it (§ 10)."""

from kloplei.rules.game import Action, Facts, Seat
from kloplei.rules.watten import (
    actions,
    announcing,
    bohemian,
    corrections,
    raising,
    revokes,
    sealed,
    signals,
)
from kloplei.rules.watten.options import Options
from kloplei.rules.watten.sides import decided_for, opponents
from kloplei.rules.watten.state import Phase, State

REASONS = (
    *("already_announced", "already_shown", "answer_pending", "blind_cannot_revoke"),
    *("card_lies_there", "deal_in_progress", "deal_unknown", "exchange_closed", "exchange_limit"),
    *("game_not_over", "game_over", "max_value", "no_deal", "no_signals", "no_trump_yet"),
    *("not_announced", "not_blind", "not_played_here", "not_sealed", "nothing_changed"),
    *("nothing_to_answer", "only_with_schlag_6", "own_raise", "points_out_of_range"),
    *("raise_locked", "same_side_raised_last", "schlag_first", "signals_off", "slate_not_clean"),
    *("too_late", "trick_count", "unknown_card", "weli_rank_forbidden", "wrong_player"),
)
"""Every code with which Watten refuses something; each has its sentence in ``words/``."""

_BLIND_ALONE = (*sealed.SEALED_ACTIONS, actions.Show)


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
        return announcing.announcers(self.options, self.state)

    def why_not(self, action: Action) -> str | None:
        """Return the reason *action* is refused, or None if it may be done."""
        options, state = self.options, self.state
        over = state.phase is Phase.GAME_OVER
        match action:
            case actions.Deal():
                return self._why_not_deal()
            case actions.NewGame():
                return None if over else "game_not_over"
            case actions.Revoke(seat):
                return revokes.why_not(options, state, seat)
            case actions.Correct() | actions.Chalk():
                return corrections.why_not(options, state, action)
            case _ if not state.deal_running:
                return "game_over" if over else "no_deal"
            case _ if isinstance(action, _BLIND_ALONE) and options.variant != "blind":
                return "not_blind"
            case _ if options.everyone_alone:
                return bohemian.why_not(options, state, action)
            case _ if isinstance(action, bohemian.BOHEMIAN_ACTIONS):
                return "not_played_here"
            case _:
                return self._why_not_of_sides(action)

    def facts(self, action: Action) -> Facts:
        """Return what the sentence of a refusal may want to say."""
        chalkable = corrections.chalkable(self.options)
        return {
            "seat": getattr(action, "seat", None),
            "seats": self.to_answer,
            "next": self.announcers[0],
            "stake": self.deal.value,
            "limit": self.options.lock,
            "most": self.options.max_value,
            "low": chalkable.start,
            "high": chalkable.stop - 1,
        }

    def _why_not_deal(self) -> str | None:
        if self.state.deal_running:
            return "deal_in_progress"
        return "game_over" if self.state.phase is Phase.GAME_OVER else None

    def _why_not_of_sides(self, action: Action) -> str | None:
        """Return why *action* is refused while sides play a deal, or None."""
        options, state = self.options, self.state
        match action:
            case actions.Misdeal():
                return None if state.phase is Phase.ANNOUNCING else "too_late"
            case actions.LookEarly():
                return self._why_not_look_early()
            case actions.Trick():
                return self._why_not_in_play()
            case actions.Maschine():
                return self._why_not_maschine()
            case actions.Raise() | actions.Accept() | actions.GiveUp():
                return raising.why_not(options, state, action)
            case actions.Signal() | actions.ShowHands():
                return signals.why_not(options, state, action)
            case _ if isinstance(action, sealed.SEALED_ACTIONS):
                return sealed.why_not(options, state, action)
            case _:
                return announcing.why_not(options, state, action)

    def _why_not_in_play(self) -> str | None:
        if not self.deal.announced:
            return "not_announced"
        return "answer_pending" if self.deal.raiser is not None else None

    def _why_not_look_early(self) -> str | None:
        if self.options.look_early_penalty == "costs nothing":
            return "not_played_here"
        return None if self.state.phase is Phase.ANNOUNCING else "too_late"

    def _why_not_maschine(self) -> str | None:
        if not self.options.maschine or self.options.variant != "kritisch":
            return "not_played_here"
        if reason := self._why_not_in_play():
            return reason
        return "too_late" if decided_for(self.options, self.state) else None
