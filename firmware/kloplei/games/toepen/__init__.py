"""Toepen, the Dutch pub game: a knock raises the stake, one stays or folds (docs/rules/toepen.md).

What a player asks for comes in as one of `actions`; `legality` says why not, `decide` what follows,
`apply` what that makes of the `state`; `view` is what goes out: the picture, and what knocks mean.
`game` ties them together, `trick` judges cards, `options` are the house rules, and `statistics`
counts for years. All of it is pure, the table owns the state. Read `state` first, then `decide`.
"""

from typing import TYPE_CHECKING

from kloplei.games import parts_of
from kloplei.games.cards import PIQUET as PACK

if TYPE_CHECKING:
    from kloplei.games.toepen.game import GAME, Toepen
    from kloplei.games.toepen.legality import REASONS
    from kloplei.games.toepen.options import PRESETS, Options
    from kloplei.games.toepen.state import Phase, State
    from kloplei.games.toepen.trick import bench, judge
else:
    __getattr__ = parts_of(
        __name__,
        game="GAME Toepen",
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
    "Toepen",
    "bench",
    "judge",
]
