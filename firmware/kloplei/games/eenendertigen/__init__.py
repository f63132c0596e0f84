"""Eenendertigen (31, Schwimmen): three cards, one knock, and the lowest loses a life.

The page is docs/rules/eenendertigen.md. There are no tricks in it, so nothing judges cards.
`actions` come in, `legality` says why not, `decide` what follows and what that makes of the
`state`. `game` ties them together and says what goes out, the picture and what knocks mean;
`options` are the house rules, and `statistics` counts for years. All of it is pure, the table owns
the state. Read `state` first, then `decide`.
"""

from typing import TYPE_CHECKING

from kloplei.games import parts_of

if TYPE_CHECKING:
    from kloplei.games.eenendertigen.game import GAME, Eenendertigen
    from kloplei.games.eenendertigen.legality import REASONS
    from kloplei.games.eenendertigen.options import PRESETS, Options
    from kloplei.games.eenendertigen.state import HOW_ENDED, Phase, State
else:
    __getattr__ = parts_of(
        __name__,
        game="GAME Eenendertigen",
        legality="REASONS",
        options="PRESETS Options",
        state="HOW_ENDED Phase State",
    )

__all__ = [
    "GAME",
    "HOW_ENDED",
    "PRESETS",
    "REASONS",
    "Eenendertigen",
    "Options",
    "Phase",
    "State",
]
