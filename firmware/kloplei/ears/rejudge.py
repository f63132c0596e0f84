"""How a kept blow would be judged today, by one calibration or another."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from kloplei.knock.calibration import Calibration
from kloplei.knock.features import features
from kloplei.knock.judge import likelihood_of, verdict
from kloplei.knock.signal import Window
from kloplei.knock.verdict import Judgement

MOST_SEEN = 256  # windows; a ring holds no more than 200


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a blow looks like; *window* is kept with it, so that nothing else gets its id."""

    window: Window
    features: Mapping[str, float]


class Hindsight:
    """Judges blows anew, as the live judge would with another calibration.

    What a blow looks like is worked out once and remembered, for it takes nearly all the time;
    so ten calibrations are tried as quickly as one. For one thread at a time.
    """

    def __init__(self) -> None:
        self._seen: OrderedDict[int, _Seen] = OrderedDict()

    def rejudge(self, judged: Judgement, calibration: Calibration) -> Judgement:
        """Return *judged* with the verdict that *calibration* leads to.

        One of which only edges are known stays as it was.
        """
        window = judged.window
        if window is None:
            return judged
        sure = likelihood_of(self._look_at(window), window.rate_hz, calibration)
        return replace(judged, likelihood=sure, verdict=verdict(sure))

    def _look_at(self, window: Window) -> Mapping[str, float]:
        known = self._seen.get(id(window))
        if known is None:
            known = self._seen[id(window)] = _Seen(window, features(window))
            if len(self._seen) > MOST_SEEN:
                self._seen.popitem(last=False)
        return known.features
