"""Was it a knock? A few small networks look at the features, and say how sure that is.

What they have learned is in ``judge.json``, made by ``make train``; docs/knocks.md says from what.
What a table was taught counts on top of the judge of its time, so that one stays beside it.
A likelihood runs from 0 to 1; inside it is added up as log-odds, from which a calibration takes.
"""

import json
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from importlib.resources import files
from math import exp
from operator import itemgetter, mul
from typing import Any

from kloplei.frozen import dataclass
from kloplei.knock.calibration import FIRST_JUDGE, JUDGE, Calibration
from kloplei.knock.features import LOUDNESS, features, judging_rate_hz, roughened
from kloplei.knock.signal import Weights, Window

_FILES = {FIRST_JUDGE: "judge_1.json", JUDGE: "judge.json"}
_STEEPEST = 30.0  # log-odds: surer than that nobody is
# Log-odds, by the judge's rate, where nobody tuned: of what falls on a table, more passes at 8 kHz.
# A tuning has told how near a table's own noises come, and is left as it was learned.
UNTUNED_STRICTER = {8000: 0.3, 4000: 0.0, 2000: 0.0}


@dataclass(frozen=True, slots=True)
class Scale:
    """Brings a feature to about -2 to 2, so that no odd value counts for too much.

    *knots* are values that ever more of the lessons lay below (1 % to 99 %), rising; *scores*
    are what a normal distribution has there.
    """

    knots: Sequence[float]
    scores: Sequence[float]

    def of(self, value: float) -> float:
        """Return *value* between the first and the last of the scores."""
        at = bisect_right(self.knots, value, 1)
        if at == len(self.knots):
            return self.scores[-1]
        low, low_score = self.knots[at - 1], self.scores[at - 1]
        if value <= low:
            return low_score
        share = (value - low) / (self.knots[at] - low)
        return low_score + share * (self.scores[at] - low_score)


@dataclass(frozen=True)
class NeuralNetwork:
    """One layer of hidden units, each a weighted sum that speaks up when it is above 0.

    *units* hold a bias and then a weight for each feature; *outs* a bias and then a weight for
    each unit.
    """

    units: Sequence[Sequence[float]]
    outs: Sequence[float]

    def log_odds(self, scaled: Sequence[float]) -> float:
        """Return how much more likely a knock is than anything else, as a logarithm."""
        heard = self._weights.sums(self._heeded((1.0, *scaled)))
        spoken = [one if one > 0 else 0.0 for one in heard]
        log_odds: float = self.outs[0] + sum(map(mul, self.outs[1:], spoken))
        return log_odds

    # Most networks heed not all features: what none of their units looks at costs nothing.
    @cached_property
    def _heeded(self) -> Callable[[Sequence[float]], Sequence[float]]:
        heeded = [at for at, weights in enumerate(zip(*self.units, strict=True)) if any(weights)]
        return itemgetter(*heeded) if len(heeded) > 1 else tuple

    @cached_property
    def _weights(self) -> Weights:
        return Weights(map(self._heeded, self.units))


@dataclass(frozen=True, slots=True)
class Classifier:
    """What was learned for one sampling rate; *networks* that learned apart err apart.

    *usual* is how noises look at any table: the mean products of a 1 and the scaled features,
    all but `LOUDNESS`. A table that is taught may not forget them. *thuds* are by how much a
    fist, a flat hand, a slammed card and a chair differ from a knuckle on the same wood: for each,
    what is added to the scaled features, in their order.
    """

    scales: Mapping[str, Scale]
    networks: Sequence[NeuralNetwork]
    usual: Sequence[Sequence[float]] = ()
    thuds: Sequence[Sequence[float]] = ()

    def scaled(self, seen: Mapping[str, float]) -> Mapping[str, float]:
        """Return the features *seen* of a blow as the networks want them, in their order.

        One that is missing, for it was kept when nobody looked at that, is as at most blows: 0.
        """
        return {
            name: scale.of(seen[name]) if name in seen else 0.0
            for name, scale in self.scales.items()
        }

    def as_thud(self, scaled: Mapping[str, float], thud: int) -> Mapping[str, float]:
        """Return how one of the `thuds` would look where a knuckle looks as *scaled*."""
        return {
            name: max(scale.scores[0], min(scale.scores[-1], scaled[name] + by))
            for (name, scale), by in zip(self.scales.items(), self.thuds[thud], strict=True)
        }

    def log_odds(self, scaled: Mapping[str, float]) -> float:
        """Return what the networks say on average of a blow with the features *scaled*."""
        values = tuple(scaled.values())
        return sum(one.log_odds(values) for one in self.networks) / len(self.networks)


def likelihood(window: Window, calibration: Calibration) -> float:
    """Return how sure it is that the blow in *window* was a knock, 0 to 1."""
    return likelihood_of(seen_by(window, calibration), window.rate_hz, calibration)


def seen_by(window: Window, calibration: Calibration) -> Mapping[str, float]:
    """Return the features of *window* by which it is judged at a table with *calibration*.

    Whoever tuned told how a table's own noises look through its own converter.
    """
    return features(window if calibration.is_taught else roughened(window))


def likelihood_of(seen: Mapping[str, float], rate_hz: float, calibration: Calibration) -> float:
    """Return how sure it is, 0 to 1, that a blow was a knock of which these features were *seen*.

    To work them out (`seen_by`) takes longest, so who has kept them asks here. *rate_hz* is that
    of the window.
    """
    judging_hz = judging_rate_hz(rate_hz)
    scaled = scaled_of(seen, rate_hz, calibration)
    log_odds = classifier_for(judging_hz, calibration.judge).log_odds(scaled)
    log_odds += calibration.correction_of(scaled, judging_hz) - calibration.strictness
    if UNTUNED_STRICTER[judging_hz] and not calibration.is_taught:
        log_odds -= UNTUNED_STRICTER[judging_hz]
    return 1 / (1 + exp(-max(-_STEEPEST, min(_STEEPEST, log_odds))))


def log_odds_of(seen: Mapping[str, float], rate_hz: float, calibration: Calibration) -> float:
    """Return the log-odds of a knock by the judge and the gain of *calibration* alone.

    What the table was taught besides (strictness, corrections) is left out.
    """
    judge = classifier_for(judging_rate_hz(rate_hz), calibration.judge)
    return judge.log_odds(scaled_of(seen, rate_hz, calibration))


def scaled_of(
    seen: Mapping[str, float], rate_hz: float, calibration: Calibration
) -> Mapping[str, float]:
    """Return the features *seen* at *rate_hz* as the judge of *calibration* scales them."""
    louder = {**seen, LOUDNESS: seen[LOUDNESS] + calibration.gain_db}
    return classifier_for(judging_rate_hz(rate_hz), calibration.judge).scaled(louder)


@cache
def classifier_for(rate_hz: int, judge: int = JUDGE) -> Classifier:
    """Return what *judge* learned for signals of *rate_hz*, one of `features.RATES_HZ`."""
    known: dict[str, Any] = json.loads(files("kloplei.knock").joinpath(_FILES[judge]).read_text())
    return classifier_of(known["rates"][str(rate_hz)])


def classifier_of(learned: Mapping[str, Any]) -> Classifier:
    """Return the judge in one of the rates of ``judge.json``."""
    return Classifier(
        {name: Scale(knots, learned["scores"]) for name, knots in learned["features"].items()},
        [NeuralNetwork(one["units"], one["outs"]) for one in learned["networks"]],
        learned.get("usual", ()),
        learned.get("thuds", ()),
    )
