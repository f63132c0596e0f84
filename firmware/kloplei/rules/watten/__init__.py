"""Watten, a game of the Tyrol: `Watten` by the house rules of `Options`."""

from kloplei.rules.watten.game import Watten, build
from kloplei.rules.watten.judge import bench, judge, ladder
from kloplei.rules.watten.options import PRESETS, VARIANTS, BadOption, Options, choices, preset_of
from kloplei.rules.watten.ranking import PACK
from kloplei.rules.watten.referee import REASONS
from kloplei.rules.watten.seating import BadSeating
from kloplei.rules.watten.state import Phase, State

__all__ = [
    "PACK",
    "PRESETS",
    "REASONS",
    "VARIANTS",
    "BadOption",
    "BadSeating",
    "Options",
    "Phase",
    "State",
    "Watten",
    "bench",
    "build",
    "choices",
    "judge",
    "ladder",
    "preset_of",
]
