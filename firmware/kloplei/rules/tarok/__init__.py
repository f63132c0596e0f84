"""The Grosstarock family: `Tarok` by the house rules of `Options`."""

from kloplei.rules.tarok.cards import PACK
from kloplei.rules.tarok.game import Tarok, build
from kloplei.rules.tarok.judge import bench, judge
from kloplei.rules.tarok.options import PRESETS, BadOption, Options, choices, preset_of
from kloplei.rules.tarok.referee import REASONS
from kloplei.rules.tarok.seating import BadSeating
from kloplei.rules.tarok.state import Phase, State

__all__ = [
    "PACK",
    "PRESETS",
    "REASONS",
    "BadOption",
    "BadSeating",
    "Options",
    "Phase",
    "State",
    "Tarok",
    "bench",
    "build",
    "choices",
    "judge",
    "preset_of",
]
