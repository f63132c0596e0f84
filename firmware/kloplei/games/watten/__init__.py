"""Watten, a game of the Tyrol, with its variants and the blind referee (docs/rules/watten.md).

What a player asks for comes in as one of `actions`; `legality` says why not, `decide` what follows,
`apply` what that makes of the `state`; `view` is what goes out: the picture, and what presses mean.
`game` ties them together, `trick` ranks and judges cards, `options` are house rules and variants.
Only `blind` looks under the seal of Blind Watten, and tells nobody before the deal is over;
`statistics`, which counts for years, looks at what is open then. All of it is pure, the table owns
the state. Read `state` first, then `decide`.
"""

from typing import TYPE_CHECKING

from kloplei.games import parts_of

if TYPE_CHECKING:
    from kloplei.games.watten.game import GAME, Watten
    from kloplei.games.watten.legality import REASONS
    from kloplei.games.watten.options import PRESETS, VARIANTS, Options
    from kloplei.games.watten.state import Phase, State
    from kloplei.games.watten.trick import PACK, bench, judge, ladder
else:
    __getattr__ = parts_of(
        __name__,
        game="GAME Watten",
        legality="REASONS",
        options="PRESETS VARIANTS Options",
        state="Phase State",
        trick="PACK bench judge ladder",
    )

__all__ = [
    "GAME",
    "PACK",
    "PRESETS",
    "REASONS",
    "VARIANTS",
    "Options",
    "Phase",
    "State",
    "Watten",
    "bench",
    "judge",
    "ladder",
]
