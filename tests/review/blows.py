"""Blows for the tests of the ears: judged as one likes, with a small window around them."""

import math
from array import array
from dataclasses import replace

from kloplei.files import KlopleiError
from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.signal import Window

RATE_HZ = 4000.0


def window(
    at_s: float = 10.0, *, loud: float = 0.5, channels: int = 2, length_s: float = 0.17
) -> Window:
    """Return a blow that rings down from *loud* on channel 0, and softer on the others."""
    before_s = 0.12
    count = int(length_s * RATE_HZ)
    first = int(before_s * RATE_HZ)
    ring = [
        0.0 if at < first else loud * math.exp((first - at) / 40) * math.cos((at - first) / 3)
        for at in range(count)
    ]
    return Window(
        onset_s=at_s,
        start_s=at_s - before_s,
        rate_hz=RATE_HZ,
        channels=tuple(array("f", [one / (1 + at) for one in ring]) for at in range(channels)),
        skew_s=2e-5,
    )


def blow(
    verdict: Verdict = Verdict.KNOCK,
    at_s: float = 10.0,
    *,
    seat: Seat | None = None,
    likelihood: float | None = None,
    edges_only: bool = False,
    is_held: bool = False,
) -> Judgement:
    """Return a judged blow."""
    usual = {Verdict.KNOCK: 0.95, Verdict.DOUBTFUL: 0.5, Verdict.NOISE: 0.05}
    return Judgement(
        at_s=at_s,
        decided_at_s=at_s + 0.05,
        verdict=verdict,
        likelihood=usual[verdict] if likelihood is None else likelihood,
        strength=0.5,
        seat=seat,
        confidence=0.0 if seat is None else 0.9,
        part="pad 1" if edges_only else "piezos",
        window=None if edges_only else window(at_s),
        is_held=is_held,
    )


def rejudge(judged: Judgement, calibration: Calibration) -> Judgement:
    """Judge *judged* by its likelihood alone, as no model would: 0.7 is a knock, 0.3 doubtful."""
    if judged.window is None:
        return judged
    odds = math.log(judged.likelihood / (1 - judged.likelihood)) - calibration.strictness
    lines = {Verdict.KNOCK: 0.7, Verdict.DOUBTFUL: 0.3, Verdict.NOISE: 0.0}
    sure = 1 / (1 + math.exp(-odds))
    return replace(judged, verdict=next(one for one, line in lines.items() if sure >= line))


class DiskFullError(KlopleiError):
    """What a shelf on a full disk says."""


class Paper:
    """Where a shelf saves in tests; refuses while it is *full*."""

    def __init__(self) -> None:
        self.saved: list[Calibration] = []
        self.full = False

    def save(self, calibration: Calibration) -> None:
        if self.full:
            raise DiskFullError("The calibration cannot be written: the disk is full.")
        self.saved.append(calibration)
