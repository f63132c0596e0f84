"""Whether all are quiet: how loud the wood is by itself, and who cannot keep still."""

import math
from dataclasses import dataclass, replace
from enum import StrEnum

QUIET_S = 4.0  # so long nobody may stir
_KEPT_S = 8.0  # half of it is quiet even while a phone rings
_MOST_REPORTS = 160  # twice as many as sensors send in that time
_LOST_S = 3.0  # no report for so long: the sensor was away; one that feels nothing tells less often
_LOUDER = 2.5  # times the usual loudness: somebody stirred
_STEP = 0.006  # of full scale, three steps of ten bits: less is the converter's own
_OF_LATE_S = 2.5
_BUZZ_S = 0.3  # no blow on wood stays loud for so long
_ONE_BLOW = 2  # reports that a single blow makes loud at the most
_HUM = 0.02  # of full scale
_STEADY = 1.6  # the loudest of a hum is no more than so many times its softest


class Unrest(StrEnum):
    """Who is not quiet."""

    KNOCK = "knock"
    RESTLESS = "restless"
    BUZZ = "buzz"


@dataclass(frozen=True, slots=True)
class Report:
    """The loudest sample of each channel, 0 to 1, in the moment before *at_s*."""

    at_s: float
    peaks: tuple[float, ...]

    @property
    def is_sound(self) -> bool:
        """Whether it tells anything: each peak is a number of that range."""
        return bool(self.peaks) and all(
            math.isfinite(peak) and 0.0 <= peak <= 1.0 for peak in self.peaks
        )


@dataclass(frozen=True, slots=True)
class Silence:
    """The last seconds of a table at which nobody should stir; bounded, and told the time.

    What is usual is learned from the same seconds, so that a sensor that hums all the time is
    no unrest.
    """

    reports: tuple[Report, ...] = ()
    struck_s: float = float("-inf")  # when a blow was last heard

    def heard(self, report: Report) -> "Silence":
        """Take in the next report; one that tells nothing or comes late is left out."""
        if not report.is_sound:
            return self
        kept = self.reports
        if kept and report.at_s <= kept[-1].at_s:
            return self
        if kept and (_is_gap(kept[-1], report) or len(kept[-1].peaks) != len(report.peaks)):
            kept = ()
        kept = (*(one for one in kept if one.at_s > report.at_s - _KEPT_S), report)
        return replace(self, reports=kept[-_MOST_REPORTS:])

    def struck(self, at_s: float) -> "Silence":
        """Take in that somebody struck the wood."""
        return replace(self, struck_s=max(self.struck_s, at_s))

    @property
    def calm_s(self) -> float:
        """For how many seconds nobody has stirred."""
        calm = self._calm()
        return calm[-1].at_s - calm[0].at_s if calm else 0.0

    @property
    def unrest(self) -> Unrest | None:
        """Who stirred of late, or None if nobody did."""
        if not self.reports:
            return None
        since_s = self.reports[-1].at_s - _OF_LATE_S
        loud = self._loud()
        late = [
            (one.at_s, is_loud)
            for one, is_loud in zip(self.reports, loud, strict=True)
            if one.at_s >= since_s
        ]
        if _longest_run_s(late) >= _BUZZ_S:
            return Unrest.BUZZ
        stirred = sum(is_loud for _, is_loud in late)
        if stirred > _ONE_BLOW:
            return Unrest.RESTLESS
        return Unrest.KNOCK if stirred or self.struck_s >= since_s else None

    @property
    def floor(self) -> tuple[float, ...]:
        """The loudest sample of each channel while it was calm; empty if it never was."""
        return tuple(max(peaks) for peaks in _by_channel(self._calm()))

    @property
    def humming(self) -> tuple[int, ...]:
        """The channels, 0-based, that are loud and steady: something hums there."""
        return tuple(
            channel
            for channel, peaks in enumerate(_by_channel(self._calm()))
            if min(peaks) >= _HUM and max(peaks) <= _STEADY * min(peaks)
        )

    def _calm(self) -> tuple[Report, ...]:
        """Return the reports since somebody last stirred."""
        loud = self._loud()
        calm = []
        for report, is_loud in zip(reversed(self.reports), reversed(loud), strict=True):
            if is_loud or report.at_s <= self.struck_s:
                break
            calm.append(report)
        return tuple(reversed(calm))

    def _loud(self) -> tuple[bool, ...]:
        usual = [_lower_quarter(peaks) for peaks in _by_channel(self.reports)]
        limits = [max(_LOUDER * peak, peak + _STEP) for peak in usual]
        return tuple(
            any(peak > limit for peak, limit in zip(one.peaks, limits, strict=True))
            for one in self.reports
        )


def _is_gap(last: Report, report: Report) -> bool:
    return report.at_s - last.at_s > _LOST_S


def _by_channel(reports: tuple[Report, ...]) -> list[tuple[float, ...]]:
    return list(zip(*(one.peaks for one in reports), strict=True))


def _lower_quarter(peaks: tuple[float, ...]) -> float:
    return sorted(peaks)[len(peaks) // 4]


def _longest_run_s(moments: list[tuple[float, bool]]) -> float:
    longest_s, since_s = 0.0, None
    for at_s, is_loud in moments:
        if not is_loud:
            since_s = None
            continue
        since_s = at_s if since_s is None else since_s
        longest_s = max(longest_s, at_s - since_s)
    return longest_s
