"""How wary glasses and phones make a table, as far as its own knocks bear it."""

from collections.abc import Sequence
from dataclasses import replace

from kloplei.knock.calibration import Calibration
from kloplei.knock.features import features, judging_rate_hz
from kloplei.knock.judge import log_odds_of, scaled_of
from kloplei.knock.margins import Knocks
from kloplei.knock.strokes import Gathered
from kloplei.knock.suggestion import Rejudge
from kloplei.knock.teaching import Seen, taught
from kloplei.knock.verdict import Judgement, Verdict

SHARES = (1.0, 0.7, 0.4)  # of what glasses and phones teach
STRICTER_STEPS = (0.0, 0.5, 1.0, 1.5, 2.0)  # log-odds that they may ask for on top of it
ROOM = 0.5  # log-odds that clear knocks keep: the next may be less likely


class Wariness:
    """What a tuning makes of the glasses and phones that it was shown.

    Args:
        gathered: All that was shown.
        knocks: Those among them that piezos felt.
        levelled: What the table has been taught so far, the distrust of old ones left out.
        rejudge: Judges a blow anew.
    """

    def __init__(
        self, gathered: Gathered, knocks: Knocks, levelled: Calibration, rejudge: Rejudge
    ) -> None:
        self._glasses, self._buzzed = gathered.glasses, gathered.buzzed
        self._knocks = tuple(one for strokes in knocks.values() for one in strokes)
        self._levelled = levelled
        self._rejudge = rejudge
        self._seen: dict[int, Seen | None] = {}
        self.calibration = self._strict_enough(self._distrustful((*self._glasses, *self._buzzed)))
        """*levelled*, as wary as it takes to mistake the fewest glasses and phones."""

    def rejudge(self, judged: Judgement, calibration: Calibration) -> Judgement:
        """Return *judged* as *calibration* would judge it, had it not learned from that blow.

        Only of glasses: they are few, and the next one is what people want to know about.
        """
        learned = calibration.distrust
        # What an older tuning taught has not met this glass.
        if learned is None or learned != self.calibration.distrust or judged not in self._glasses:
            return self._rejudge(judged, calibration)
        others = [one for one in self._glasses if one is not judged]
        without = self._distrustful((*others, *self._buzzed))
        return self._rejudge(judged, replace(calibration, distrust=without.distrust))

    def _distrustful(self, others: Sequence[Judgement]) -> Calibration:
        """Return what was taught so far, with as much of what *others* teach as knocks bear."""
        rates_hz = {
            judging_rate_hz(one.window.rate_hz)
            for one in (*self._knocks, *others)
            if one.window is not None
        }
        if len(rates_hz) != 1:
            return self._levelled
        learned = taught(rates_hz.pop(), self._seen_of(self._knocks), self._seen_of(others))
        if learned is not None:
            for share in SHARES:
                wary = replace(self._levelled, distrust=learned.times(share))
                if self._bears(wary):
                    return wary
        return self._levelled

    def _strict_enough(self, wary: Calibration) -> Calibration:
        others = (*self._glasses, *self._buzzed)
        steps = [_stricter(wary, step) for step in STRICTER_STEPS]
        bearable = [steps[0], *filter(self._bears, steps[1:])]
        return min(bearable, key=lambda one: (self._known(others, one), one.strictness))

    def _bears(self, calibration: Calibration) -> bool:
        """Return whether all knocks that were known stay so by it, and the clear ones clear."""
        return all(
            self._known(self._knocks, _stricter(calibration, by))
            == self._known(self._knocks, _stricter(self._levelled, by))
            for by in (0.0, ROOM)
        )

    def _known(self, blows: Sequence[Judgement], calibration: Calibration) -> int:
        judged = (self._rejudge(one, calibration) for one in blows)
        return sum(one.verdict is Verdict.KNOCK for one in judged)

    def _seen_of(self, blows: Sequence[Judgement]) -> list[Seen]:
        found = map(self._see, blows)
        return [one for one in found if one is not None]

    def _see(self, judged: Judgement) -> Seen | None:
        """Return what the judge sees of a blow, which takes its time, once."""
        if id(judged) not in self._seen:
            self._seen[id(judged)] = _seen(judged, self._levelled)
        return self._seen[id(judged)]


def _stricter(calibration: Calibration, by: float) -> Calibration:
    return replace(calibration, strictness=calibration.strictness + by)


def _seen(judged: Judgement, levelled: Calibration) -> Seen | None:
    window = judged.window
    if window is None:
        return None
    seen = features(window)
    odds = log_odds_of(seen, window.rate_hz, levelled.gain_db) - levelled.strictness
    return scaled_of(seen, window.rate_hz, levelled.gain_db), odds
