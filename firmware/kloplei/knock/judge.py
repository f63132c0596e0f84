"""Was it a knock? A weighted sum of what the blow looks like, and two lines drawn through it.

The weights are in ``judge.json``, made by ``make train``; docs/knocks.md says from what.
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
class Weighing:
    """How one feature counts: bent through *knots* to about -2 to 2, then times *weight*.

    *knots* are values that ever more of the lessons lay below (1 % to 99 %), rising; *scores*
    are what a normal distribution has there.
    """

    knots: Sequence[float]
    scores: Sequence[float]
    weight: float

    def of(self, value: float) -> float:
        """Return what *value* adds to the log-odds."""
        return self.weight * self.bent(value)

    def bent(self, value: float) -> float:
        """Return *value* between the first and the last of the scores."""
        for (low, low_score), (high, high_score) in pairwise(
            zip(self.knots, self.scores, strict=True)
        ):
            if value < high:
                share = max(0.0, (value - low) / (high - low)) if high > low else 0.0
                return low_score + share * (high_score - low_score)
        return self.scores[-1]


@dataclass(frozen=True, slots=True)
class Judge:
    """What was learned for one sampling rate."""

    bias: float
    weighings: Mapping[str, Weighing]

    def log_odds(self, seen: Mapping[str, float]) -> float:
        """Return how much more likely a knock is than anything else, as a logarithm."""
        return self.bias + sum(one.of(seen[name]) for name, one in self.weighings.items())


def likelihood(window: Window, calibration: Calibration) -> float:
    """Return how sure it is that the blow in *window* was a knock, 0 to 1."""
    seen = dict(features(window))
    seen["peak_db"] += calibration.gain_db
    odds = learned(judging_rate_hz(window.rate_hz)).log_odds(seen) - calibration.strictness
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
        {
            name: Weighing(item["knots"], known["scores"], item["weight"])
            for name, item in one["features"].items()
        },
    )
