"""Tarok, three games of the Grosstarock family, kept as a ledger (docs/rules/tarok.md).

A hand is told entry by entry (`actions`), in any order; `legality` says what cannot be, `telling`
of one more entry, `consistency` of a whole hand, and `booking` writes that down as lines that add
up to nothing. `decide` says what follows from an action, `apply` what that makes of the `state`,
and `view` is what goes out: the picture with its draft, and what presses mean. `game` ties them
together, `trick` judges `cards`, `options` are the house rules, and `statistics` counts for years.
All of it is pure, the table owns the state. Read `state` first, then `booking`.
"""

from typing import TYPE_CHECKING

from kloplei.games import parts_of
from kloplei.games.tarok.cards import PACK

if TYPE_CHECKING:
    from kloplei.games.tarok.game import GAME, Tarok
    from kloplei.games.tarok.legality import REASONS
    from kloplei.games.tarok.options import PRESETS, Options
    from kloplei.games.tarok.state import Phase, State
    from kloplei.games.tarok.trick import bench, judge
else:
    __getattr__ = parts_of(
        __name__,
        game="GAME Tarok",
        legality="REASONS",
        options="PRESETS Options",
        state="Phase State",
        trick="bench judge",
    )

__all__ = [
    "GAME",
    "PACK",
    "PRESETS",
    "REASONS",
    "Options",
    "Phase",
    "State",
    "Tarok",
    "bench",
    "judge",
]
