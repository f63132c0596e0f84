"""What glasses and phones teach a table that knows its knocks: a small logistic regression.

The judge has met the wood of many tables, and has to do for all of them. At one table knocks are
more alike, and so are glasses; a few of each say how its own differ. What they say is added to
the judge's log-odds, and kept so small (ridge) that it corrects the judge, and is none itself.
"""

from collections.abc import Mapping, Sequence
from math import exp
from operator import mul

from kloplei.knock.distrust import Distrust
from kloplei.knock.features import LOUDNESS

FEWEST_KNOCKS = 5  # of fewer it cannot be said how they are at this table

_RIDGE = 0.03  # how much a weight has to be worth
_STEPS = 150
_STEP = 0.5

Scaled = Mapping[str, float]
"""A blow's features as the judge scales them, by name."""

Seen = tuple[Scaled, float]
"""A blow's scaled features, and the log-odds with which the judge takes it for a knock."""


def taught(rate_hz: int, knocks: Sequence[Seen], others: Sequence[Seen]) -> Distrust | None:
    """Return what tells *knocks* from *others* at this table better than the judge alone.

    Args:
        rate_hz: Of the judge that has seen them.
        knocks: Blows that were knocks.
        others: Blows that were none.

    Returns:
        None if there are too few knocks, or nothing else to tell them from.
    """
    if len(knocks) < FEWEST_KNOCKS or not others:
        return None
    names = [name for name in knocks[0][0] if name != LOUDNESS]
    lessons = [
        _Lesson(sign, [1.0, *(scaled[name] for name in names)], odds, 0.5 / len(some))
        for sign, some in ((1, knocks), (-1, others))
        for scaled, odds in some
    ]
    bias, *weights = _descended(lessons, len(names) + 1)
    return Distrust(
        rate_hz, round(bias, 3), {name: round(w, 3) for name, w in zip(names, weights, strict=True)}
    )


class _Lesson:
    """One blow: *sign* 1 for a knock and -1 for none, and how much of its kind it *counts*."""

    def __init__(self, sign: int, values: list[float], odds: float, counts: float) -> None:
        self.values = values
        self._sign = sign
        self._odds = odds
        self._counts = counts

    def pull(self, weights: Sequence[float]) -> float:
        """Return how far, and which way, it wants a judge with *weights* to move."""
        right = self._sign * (self._odds + sum(map(mul, weights, self.values)))
        return self._sign * self._counts / (1 + exp(min(right, 30.0)))


def _descended(lessons: Sequence[_Lesson], count: int) -> list[float]:
    """Return *count* weights, the first of them the bias, after a walk down the loss."""
    weights = [0.0] * count
    for _ in range(_STEPS):
        change = [-_RIDGE * weight for weight in weights]
        for lesson in lessons:
            pull = lesson.pull(weights)
            for at, value in enumerate(lesson.values):
                change[at] += pull * value
        weights = [weight + _STEP * by for weight, by in zip(weights, change, strict=True)]
    return weights
