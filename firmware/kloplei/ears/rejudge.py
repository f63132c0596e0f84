"""How a kept blow would be judged today, by another calibration."""

import math
from dataclasses import replace

from kloplei.knock.calibration import Calibration
from kloplei.knock.verdict import Judgement, Verdict

KNOCK_LINE = 0.7  # likelihood
DOUBTFUL_LINE = 0.3
_SURE = 1e-9


def rejudge(judged: Judgement, calibration: Calibration) -> Judgement:
    """Return *judged* as *calibration* would have it; one without a window stays as it was."""
    if judged.window is None:
        return judged
    likelihood = min(1 - _SURE, max(_SURE, judged.likelihood))
    odds = math.log(likelihood / (1 - likelihood)) - calibration.strictness
    return replace(judged, verdict=_verdict(1 / (1 + math.exp(-odds))))


def _verdict(likelihood: float) -> Verdict:
    if likelihood >= KNOCK_LINE:
        return Verdict.KNOCK
    return Verdict.DOUBTFUL if likelihood >= DOUBTFUL_LINE else Verdict.NOISE
