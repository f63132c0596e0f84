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
_DECAY = 1.0  # of the linear model's weights


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
    if kind is Kind.LINEAR:
        return lambda scaled, knocks, _, seed: trainer.straight(scaled, knocks, _DECAY, seed)
    return None
