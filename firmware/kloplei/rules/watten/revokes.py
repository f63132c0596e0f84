"""Who can have revoked, and until when somebody may find out (§ 7)."""

from kloplei.rules.game import Seat
from kloplei.rules.watten.options import Options
from kloplei.rules.watten.state import State


def why_not(options: Options, state: State, seat: Seat) -> str | None:
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
