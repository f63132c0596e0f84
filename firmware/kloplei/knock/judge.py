"""Was it a knock? A sum of what the blow looks like, and two lines drawn through it.

What each feature adds is in ``judge.json``, made by ``make train``; docs/knocks.md says from what.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import exp
from typing import Any

from kloplei.knock.calibration import Calibration
from kloplei.knock.features import features, judging_rate_hz
from kloplei.knock.signal import Window
from kloplei.knock.verdict import Verdict

KNOCK_LINE = 0.5  # likelihood above which a blow counts as a knock
DOUBTFUL_LINE = 0.25  # likelihood above which it is at least flagged

_STEEPEST = 30.0  # log-odds: surer than that nobody is


@dataclass(frozen=True, slots=True)
class Curve:
    """How one feature counts: *adds* to the log-odds at each of *values*, which rise.

    Straight from one to the next; below the first and above the last it counts as they do.
    """

    values: Sequence[float]
    adds: Sequence[float]

    def of(self, value: float) -> float:
        """Return what *value* adds to the log-odds."""
        for (low, low_adds), (high, high_adds) in pairwise(
            zip(self.values, self.adds, strict=True)
        ):
            if value < high:
                share = max(0.0, (value - low) / (high - low)) if high > low else 0.0
                return low_adds + share * (high_adds - low_adds)
        return self.adds[-1]


@dataclass(frozen=True, slots=True)
class Judge:
    """What was learned for one sampling rate."""

    bias: float
    curves: Mapping[str, Curve]

    def log_odds(self, seen: Mapping[str, float]) -> float:
        """Return how much more likely a knock is than anything else, as a logarithm."""
        return self.bias + sum(curve.of(seen[name]) for name, curve in self.curves.items())


def likelihood(window: Window, calibration: Calibration) -> float:
    """Return how sure it is that the blow in *window* was a knock, 0 to 1."""
    return likelihood_of(features(window), window.rate_hz, calibration)


def likelihood_of(seen: Mapping[str, float], rate_hz: float, calibration: Calibration) -> float:
    """Return the same for a blow whose features were *seen* at *rate_hz*, which takes longest."""
    louder = {**seen, "peak_db": seen["peak_db"] + calibration.gain_db}
    odds = learned(judging_rate_hz(rate_hz)).log_odds(louder) - calibration.strictness
    return 1 / (1 + exp(-max(-_STEEPEST, min(_STEEPEST, odds))))


def verdict(sure: float) -> Verdict:
    """Return what a blow is that was a knock with likelihood *sure*."""
    if sure >= KNOCK_LINE:
        return Verdict.KNOCK
    return Verdict.DOUBTFUL if sure >= DOUBTFUL_LINE else Verdict.NOISE


@cache
def learned(rate_hz: int) -> Judge:
    """Return what was learned for signals of *rate_hz*, one of `features.RATES_HZ`."""
    known: dict[str, Any] = json.loads(files("kloplei.knock").joinpath("judge.json").read_text())
    one = known["rates"][str(rate_hz)]
    return Judge(
        one["bias"],
        {name: Curve(item["values"], item["adds"]) for name, item in one["features"].items()},
    )
