"""What may be done at a Watten table now, and why not: one place to ask for all of it (§ 10).

Before play: new cards, Schlag and trump, and whose turn it is to name them (§ 2).

Who can have revoked, and until when somebody may find out (§ 7).
"""

from typing import get_args

from kloplei.games.game import Action, Facts, Seat
from kloplei.games.watten import actions, blind, endings, trick
from kloplei.games.watten.options import Options
from kloplei.games.watten.state import SOLO_PLAYERS, Phase, State, decided_for, opponents
from kloplei.games.watten.trick import WELI_RANK


def announcers(options: Options, state: State) -> tuple[Seat, ...]:
    """Return who is to name Schlag or trump now; in Blind Watten who are to show a card."""
    dealer, neighbour = state.dealer, state.neighbour
    if options.everyone_alone:
        return (dealer,)
    if options.variant == "blind":
        return state.knowing
    if len(state.seats) == SOLO_PLAYERS:
        return (neighbour,)
    if state.deal.schlag is None:
        return (neighbour, dealer) if options.schlag_tausch else (neighbour,)
    if not options.schlag_tausch:
        return (dealer,)
    return tuple(seat for seat in (dealer, neighbour) if seat != state.deal.schlag_by)


def why_not_announcing(options: Options, state: State, action: Action) -> str | None:
    """Return the reason *action* is refused while a deal runs, or None if it may be done."""
    match action:
        case actions.Offer(seat):
            return _why_not_offer(state, seat)
        case actions.Agree(seat) | actions.Refuse(seat):
            if not state.deal.offer_open:
                return "nothing_to_answer"
            return None if seat == state.dealer else "wrong_player"
        case actions.Schlag(seat, rank):
            return _why_not_schlag(options, state, seat, rank)
        case actions.Trump(seat, suit):
            return _why_not_trump(options, state, seat, suit)
        case actions.NameAloud(seat):
            return _why_not_name_aloud(options, state, seat)
        case actions.Show():
            return _why_not_show(state)
        case _:
            raise TypeError(f"{action!r} announces nothing")


def _why_not_offer(state: State, seat: Seat) -> str | None:
    if seat != state.neighbour:
        return "wrong_player"
    begun = state.deal.schlag is not None or state.deal.confirmed or state.deal.announced
    return "exchange_closed" if state.deal.offered or begun else None


def _why_not_schlag(options: Options, state: State, seat: Seat, rank: str) -> str | None:
    if options.variant == "blind":
        return "not_played_here"
    named = state.deal.schlag is not None
    if seat not in announcers(options, state) and not (named and seat == state.deal.schlag_by):
        return "wrong_player"
    if named:
        return "already_announced"
    if state.deal.offer_open:
        return "answer_pending"
    if rank not in get_args(actions.Rank):
        return "unknown_card"
    forbidden = rank == WELI_RANK and not options.six_may_be_schlag
    return "weli_rank_forbidden" if forbidden else None


def _why_not_trump(options: Options, state: State, seat: Seat, suit: str) -> str | None:
    if options.variant == "blind":
        return "not_played_here"
    if state.deal.schlag is None:
        return "schlag_first"
    if seat not in announcers(options, state):
        return "wrong_player"
    if state.deal.trump is not None:
        return "already_announced"
    return None if suit in get_args(actions.Suit) else "unknown_card"


def _why_not_name_aloud(options: Options, state: State, seat: Seat) -> str | None:
    """Who did the naming says so: one who only listened would open play too early."""
    if options.variant == "blind":
        return "not_played_here"
    if state.deal.announced:
        return "already_announced"
    if seat not in (state.dealer, state.neighbour):
        return "wrong_player"
    return "answer_pending" if state.deal.offer_open else None


def _why_not_show(state: State) -> str | None:
    if state.deal.announced:
        return "already_announced"
    return "answer_pending" if state.deal.offer_open else None


def why_not_revoke(options: Options, state: State, seat: Seat) -> str | None:
    """Return why *seat* cannot have revoked in the running or the last deal, or None."""
    if not state.deal_running:
        return _why_not_late(options, state, seat)
    if not state.deal.announced:
        return "no_trump_yet" if options.everyone_alone else "not_announced"
    return _why_not_bound(options, state, seat, state.dealer)


def _why_not_late(options: Options, state: State, seat: Seat) -> str | None:
    if not state.deals:
        return "no_deal"
    if reason := _why_not_bound(options, state, seat, state.deals[-1].dealer):
        return reason
    return None if state.may_take_back else "too_late"


def _why_not_bound(options: Options, state: State, seat: Seat, dealer: Seat) -> str | None:
    """Return why *seat* had no duty to follow in a deal of *dealer*, or None if it had."""
    knew = (dealer, state.after(dealer)[0])
    blind = options.variant == "blind" and seat not in knew
    return "blind_cannot_revoke" if blind else None


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

_BLIND_ALONE = (*blind.SEALED_ACTIONS, actions.Show)


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
        return announcers(self.options, self.state)

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
                return why_not_revoke(options, state, seat)
            case actions.Correct() | actions.Chalk():
                return endings.why_not_correcting(options, state, action)
            case _ if not state.deal_running:
                return "game_over" if over else "no_deal"
            case _ if isinstance(action, _BLIND_ALONE) and options.variant != "blind":
                return "not_blind"
            case _ if options.everyone_alone:
                return endings.why_not_bohemian(options, state, action)
            case _ if isinstance(action, endings.BOHEMIAN_ACTIONS):
                return "not_played_here"
            case _:
                return self._why_not_of_sides(action)

    def facts(self, action: Action) -> Facts:
        """Return what the sentence of a refusal may want to say."""
        chalkable = endings.chalkable(self.options)
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
                return endings.why_not_raising(options, state, action)
            case actions.Signal() | actions.ShowHands():
                return trick.why_not(options, state, action)
            case _ if isinstance(action, blind.SEALED_ACTIONS):
                return blind.why_not(options, state, action)
            case _:
                return why_not_announcing(options, state, action)

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
