"""What was recorded with what: the head of labels.json, which does not tell whose box it is."""

import platform
from collections.abc import Mapping
from typing import Any

from kloplei import __version__
from kloplei.config import Config
from kloplei.diagnostics.system import Machine, model_of, version_of

_LIBRARIES = ("gpiozero", "lgpio", "spidev", "luma.oled")

QUESTIONS: Mapping[str, str] = {
    "table": "The table top: which wood, how thick, how long and wide?",
    "discs": "The discs: how large, and what holds them to the wood?",
    "front_end": "Between disc and converter: which circuit, which revision, which jumpers are on?",
}
CORNERS = "The discs in the corners: which channel is where?"
LONGEST_ANSWER = 300


def setup_of(
    config: Config, *, virtual: bool = False, machine: Machine | None = None
) -> dict[str, Any]:
    """Return the setup of *config*: no name, no address, no PIN and no path is in it."""
    return {
        "virtual": virtual,
        "board": "a virtual table" if virtual else model_of(machine or Machine()) or "unknown",
        "versions": {
            "kloplei": __version__,
            "python": platform.python_version(),
            "kernel": platform.release(),
            **{name: number for name in _LIBRARIES if (number := version_of(name))},
        },
        "chip": config.adc.chip,
        "wanted_rate_hz": config.adc.rate_hz,
        "slate": f"{config.slate.driver} on {config.slate.interface}",
        # Seats are counted from 0 in here, as in all that kloplei listen prints.
        "sensors": [
            {
                "channel": at,
                "converter_channel": channel,
                "seat": None if seat is None else int(seat),
            }
            for at, (channel, seat) in enumerate(config.piezos)
        ],
    }


def questions_for(config: Config) -> dict[str, str]:
    """Return what only people can tell of the table of *config*, by what it is kept as."""
    has_corners = any(seat is None for _, seat in config.piezos)
    return {**QUESTIONS, **({"corners": CORNERS} if has_corners else {})}
