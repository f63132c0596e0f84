"""What the deal is worth: who may raise, hold or give up now, and why not (§ 6)."""

from kloplei.rules.game import Action, Seat
from kloplei.rules.watten import actions
from kloplei.rules.watten.options import Options
from kloplei.rules.watten.sides import decided_for, is_locked, side_of
from kloplei.rules.watten.state import Phase, State


def why_not(options: Options, state: State, action: Action) -> str | None:
    """Return the reason *action* is refused while a deal runs, or None if it may be done."""
    match action:
        case actions.Raise(seat):
            return _why_not_raise(options, state, seat)
        case actions.Accept(seat):
            return _why_not_answer(options, state, seat)
        case actions.GiveUp(seat):
            return _why_not_give_up(options, state, seat)
        case _:
            raise TypeError(f"{action!r} asks for no other value")


def value_if_held(state: State) -> int:
    """Return what the deal is worth once an open raise is held; a raise asks for one more."""
    return state.deal.proposed or state.deal.value


def _why_not_raise(options: Options, state: State, seat: Seat) -> str | None:
    deal = state.deal
    if not deal.announced:
        return "not_announced"
    if decided_for(options, state):
        return "too_late"
    if is_locked(options, state, seat):
        return None if _raising_costs(options) else "raise_locked"
    own = side_of(options, state, seat)
    if deal.raiser in own:
        return "answer_pending"
    if deal.raiser is None and deal.raised_last in own:
        return "same_side_raised_last"
    highest = options.max_value
    return "max_value" if highest is not None and value_if_held(state) >= highest else None


def _raising_costs(options: Options) -> bool:
    """Return whether a locked side that raises is not stopped but pays for it."""
    return options.illegal_raise != "reject" or options.gestrichen_rule == "tense_auto_raise"


def _why_not_answer(options: Options, state: State, seat: Seat) -> str | None:
    if state.deal.raiser is None:
        return "nothing_to_answer"
    return "own_raise" if state.deal.raiser in side_of(options, state, seat) else None


def _why_not_give_up(options: Options, state: State, seat: Seat) -> str | None:
    if options.concede_anytime and state.phase is Phase.PLAY:
        return "too_late" if decided_for(options, state) else None
    return _why_not_answer(options, state, seat)
