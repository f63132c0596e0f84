"""Toepen, the Dutch pub game: `Toepen` by the house rules of `Options` (docs/rules/toepen.md)."""

from kloplei.rules.cards import PIQUET as PACK
from kloplei.rules.toepen.game import Toepen, build
from kloplei.rules.toepen.judge import bench, judge
from kloplei.rules.toepen.options import PRESETS, BadOption, Options, choices, preset_of
from kloplei.rules.toepen.referee import REASONS
from kloplei.rules.toepen.seating import BadSeating
from kloplei.rules.toepen.state import Phase, State

__all__ = [
    "PACK",
    "PRESETS",
    "REASONS",
    "BadOption",
    "BadSeating",
    "Options",
    "Phase",
    "State",
    "Toepen",
    "bench",
    "build",
    "choices",
    "judge",
    "preset_of",
]
