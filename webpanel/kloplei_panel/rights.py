"""What a phone may do: look on, act for one seat, or keep the slate.

Without a lock everybody may do everything. With one a phone is a viewer until somebody at the
table knocks for it, or until it gives the PIN of the slate; see docs/security.md.
"""

from flask import request

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem

KEEPERS_PAGES = frozenset({"ears", "ears_api", "tune", "tune_api", "doctor", "doctor_api"})
"""Blueprints about the box itself: they teach it, or show what is wrong with it."""

_PLAYERS = frozenset({"undo", "redo"})  # what four knocks at any seat ask for as well
_KEEPERS = frozenset({"options", "wipe", "new_evening"})


def keep_out_players() -> None:
    """Let nobody but the keeper of the slate at the pages about the box.

    Raises:
        Problem: 403, this phone does not keep the slate.
    """
    if request.blueprint in KEEPERS_PAGES:
        demand_keeper()


def demand_keeper() -> None:
    """Refuse a phone that does not keep the slate.

    Raises:
        Problem: 403.
    """
    if not panel().pairing.may_keep:
        raise Problem(403, "keepers_only" if panel().pairing.may_act else "not_allowed")


def demand(seat: Seat | None, action: str) -> None:
    """Refuse *action* for *seat*, or for the table (None), to a phone that may not ask for it.

    Raises:
        Problem: 403, and the sentence says what is missing.
    """
    pairing = panel().pairing
    if pairing.may_keep:
        return
    if not pairing.may_act:
        raise Problem(403, "not_allowed")
    if seat is None or not pairing.may_act_for(seat):
        raise Problem(403, "not_your_seat")
    if action in keepers_own(panel().table.scoreboard(), seat):
        raise Problem(403, "keepers_only")


def keepers_own(board: Scoreboard, seat: Seat) -> frozenset[str]:
    """Return what only the keeper of the slate may ask for now, and not who sits at *seat*."""
    row = board.row(seat)
    asked_here = [one for one in board.offers if seat in one.choices.get("seat", ())]
    own = {offer.action for offer in (*(row.offers if row else ()), *asked_here)}
    of_table = {offer.action for offer in board.offers}
    return frozenset((of_table | _KEEPERS) - own - _PLAYERS)
