"""The signs that partners at a Watten table know (§ 6): what one holds, and who may show it."""

from kloplei.rules.watten import actions
from kloplei.rules.watten.options import Options
from kloplei.rules.watten.ranking import WELI_RANK
from kloplei.rules.watten.sides import TEAM_PLAYERS
from kloplei.rules.watten.state import State

Signs = tuple[tuple[str, str], ...]
"""Words for what is held, and for the sign of it, the greatest first."""

_FINGERS: Signs = (
    ("trump-A", "right-thumb"),
    ("trump-K", "right-index"),
    ("trump-Q", "right-middle"),
    ("trump-J", "right-ring"),
    ("trump-low", "right-little"),
)
_TYROL: Signs = (
    ("rechte", "kiss"),
    ("linke", "wink"),
    ("two-linken", "eyes-closed"),
    ("three-linken", "eyes-closed-wink"),
    *_FINGERS,
    ("suit-C", "left-little"),
    ("suit-S", "left-ring"),
    ("suit-H", "left-middle"),
    ("suit-D", "left-index"),
    ("nothing", "ceiling"),
)
_KRITISCH: Signs = (
    ("martl", "kiss"),
    ("weli", "lips-right"),
    ("nell", "lips-left"),
    ("rechte", "wink-right"),
    ("linke", "wink-left"),
    *_FINGERS,
)


def signs_of(variant: str) -> Signs:
    """Return the signs of *variant*; Blind Watten has those of Tyrol, who plays alone none."""
    return {"bohemian": (), "kritisch": _KRITISCH}.get(variant, _TYROL)


def why_not(
    options: Options, state: State, action: actions.Signal | actions.ShowHands
) -> str | None:
    """Return the reason partners may not tell each other, or None if they may.

    In Blind Watten nobody has said what the Schlag is: a sign stays allowed with the six, and
    showing hands is not, since either answer would give it away.
    """
    if not state.deal.announced:
        return "not_announced"
    if len(state.seats) != TEAM_PLAYERS:
        return "no_signals"
    six = state.deal.schlag == WELI_RANK
    if isinstance(action, actions.ShowHands):
        return None if six else "only_with_schlag_6"
    return "signals_off" if six or not options.signals else None
