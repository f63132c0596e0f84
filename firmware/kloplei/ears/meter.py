"""How loud it was on each channel of late: a live meter that no blow slips through."""

from collections import deque
from dataclasses import dataclass

from kloplei.table.ears import Loudness

HELD_S = 1.0  # a peak is shown for so long, or a page that looks now and then would miss it
_REPORTS = 32  # of one part, however fast they come


@dataclass(frozen=True, slots=True)
class _Report:
    at_s: float
    peaks: tuple[float, ...]


class Meter:
    """Takes the reports of all parts; for one thread at a time."""

    def __init__(self) -> None:
        self._reports: dict[str, deque[_Report]] = {}

    def take(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        """Note the *peaks* of *part* at *at_s*."""
        reports = self._reports.setdefault(part, deque(maxlen=_REPORTS))
        if reports and len(reports[-1].peaks) != len(peaks):
            reports.clear()  # it was opened anew, with other channels
        reports.append(_Report(at_s, peaks))

    def read(self, now_s: float) -> tuple[Loudness, ...]:
        """Return what each part measured in the last moment, or last of all."""
        return tuple(_held(part, reports, now_s) for part, reports in sorted(self._reports.items()))


def _held(part: str, reports: "deque[_Report]", now_s: float) -> Loudness:
    last = reports[-1]
    recent = [one.peaks for one in reports if one.at_s > last.at_s - HELD_S]
    loudest = tuple(max(channel) for channel in zip(*recent, strict=True))
    return Loudness(part, loudest, max(0.0, now_s - last.at_s))
