"""Judges to compare with Kloplei's: trained anew by its own trainer, with less, or by other means.

All are written as a `judge.json`, so that the very same ears, trigger and lessons go with them.
"""

from collections.abc import Collection, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scripts.train_knocks import Learner


class Kind(StrEnum):
    """What learns; its value is what it is called in the tables."""

    OURS = "Kloplei"
    LINEAR = "linear model"
    LARGE = "large network"


SETTINGS = {
    Kind.OURS: "the networks and lessons of make train",
    Kind.LINEAR: "logistic regression (C = 1) on the same features, scales and lessons",
    Kind.LARGE: "Kloplei's networks with ten times the units and no decay: "
    "what learns its lessons by heart",
}
TIMES_THE_UNITS = 10
_CERTAINTY = 1.0  # sklearn's C: how little the weights are held back


class NoTrainer(ImportError):
    """What trains is not installed."""


def trained(
    data: Path,
    rates_hz: Collection[int],
    kinds: Sequence[Kind],
    without: Collection[str] = (),
    kept: Path | None = None,
) -> dict[Kind, dict[str, Any]]:
    """Return what each of *kinds* learns from *data*, as `judge.json` has it.

    Args:
        data: Folder with labels.json.
        rates_hz: Which of the rates they learn for.
        kinds: Who learns.
        without: Rigs that are left out of all of it, mixtures as well.
        kept: Folder where lessons are kept for the next time.

    Raises:
        NoTrainer: The trainer's libraries are not installed; it says how to get them.
    """
    try:
        from scripts import train_knocks as trainer
    except ImportError as error:
        raise NoTrainer(f"{error}; pip install '.[train]'") from error
    from kloplei.knock.classifier import classifier_of

    lessons = trainer.gather(data, without, kept)
    judges: dict[Kind, dict[str, Any]] = {kind: {"rates": {}} for kind in kinds}
    for rate_hz in rates_hz:
        there = [one for one in lessons if one.rate_hz == rate_hz]
        for kind in kinds:
            learned = trainer.fit(rate_hz, there, _learner(kind))
            learned["usual"] = trainer.usual(classifier_of(learned), there)
            judges[kind]["rates"][str(rate_hz)] = learned
    return judges


def _learner(kind: Kind) -> "Learner | None":
    from scripts import train_knocks as trainer

    if kind is Kind.LARGE:
        by_heart = partial(trainer.network, units=TIMES_THE_UNITS * trainer.UNITS)
        return lambda scaled, knocks, _, seed: by_heart(scaled, knocks, 0.0, seed)
    return linear if kind is Kind.LINEAR else None


def linear(scaled: Any, knocks: Any, _: float, seed: int) -> dict[str, Any]:
    """Return a logistic regression as a network: two units, whose difference is the sum itself."""
    from sklearn.linear_model import LogisticRegression

    from scripts.train_knocks import LEAN

    model = LogisticRegression(C=_CERTAINTY, max_iter=1000, random_state=seed)
    model.fit(scaled, knocks)
    weights = [round(float(one), 3) for one in model.coef_[0]]
    return {
        "units": [[0.0, *weights], [0.0, *(-one for one in weights)]],
        "outs": [round(float(model.intercept_[0]) + LEAN, 3), 1.0, -1.0],
    }
