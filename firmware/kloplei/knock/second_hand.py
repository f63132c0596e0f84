"""A second hand, while the wood still rings from the first: all of it grows louder once more."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from kloplei.knock.signal import Samples, Window
from kloplei.knock.spectrum import high_passed

CORNER_HZ = 400.0  # what is slower rings on and hides what comes
APART_S = 0.009  # the first blow itself grows no longer
SPAN_S = 0.008  # before and after, to compare
STRIKING_S = 0.003  # by then the wave has hardly left the place that was struck
LOUDER = 1.7  # times the energy before: wood that only rings has never gained so much
FAINT = 0.03  # of the energy of the first blow: nobody knocks so much softer than another
_TINY = 1e-12


@dataclass(frozen=True, slots=True)
class SecondHand:
    """A blow that began at *onset_s*, nearest to the disc on *channel*; *peak* of full scale."""

    onset_s: float
    channel: int
    peak: float


def second_hand(window: Window) -> SecondHand | None:
    """Return the blow that came after the one *window* was cut out for, or None without one."""
    rate_hz = window.rate_hz
    energies = [_Energy(_swift(channel, rate_hz)) for channel in window.channels]
    onset = _onset(energies, round((window.onset_s - window.start_s) * rate_hz), rate_hz)
    if onset is None:
        return None
    channel = _nearest(energies, onset, rate_hz)
    felt = window.channels[channel][onset : onset + round(SPAN_S * rate_hz)]
    return SecondHand(window.start_s + onset / rate_hz, channel, min(1.0, max(map(abs, felt))))


class _Energy:
    """How much energy there is between two samples of a channel of so many *samples*."""

    def __init__(self, samples: Samples) -> None:
        self.samples = len(samples)
        self._sums = [0.0, *accumulate(sample * sample for sample in samples)]

    def sum(self, begin: int, end: int) -> float:
        last = len(self._sums) - 1
        return self._sums[min(max(end, 0), last)] - self._sums[min(max(begin, 0), last)]


def _onset(energies: Sequence[_Energy], first: int, rate_hz: float) -> int | None:
    """Return where all grows loudest anew after the blow at *first*, None if it does nowhere."""
    apart, span = round(APART_S * rate_hz), round(SPAN_S * rate_hz)
    loud = max((_sum(energies, at, at + span) for at in range(first, first + apart)), default=0.0)
    gains = {
        at: after / (_sum(energies, at - span, at) + _TINY)
        for at in range(first + apart, energies[0].samples - span)
        if (after := _sum(energies, at, at + span)) > FAINT * loud
    }
    onset = max(gains, key=gains.__getitem__, default=0)
    return onset if gains.get(onset, 0.0) >= LOUDER else None


def _nearest(energies: Sequence[_Energy], onset: int, rate_hz: float) -> int:
    """Return the channel that grew most before the wave had left the place that was struck."""
    strike = round(STRIKING_S * rate_hz)
    grown = [one.sum(onset, onset + strike) - one.sum(onset - strike, onset) for one in energies]
    return grown.index(max(grown))


def _sum(energies: Sequence[_Energy], begin: int, end: int) -> float:
    return sum(one.sum(begin, end) for one in energies)


def _swift(samples: Samples, rate_hz: float) -> list[float]:
    """Return *samples* without what is slower than the corner, twice over."""
    return high_passed(high_passed(samples, rate_hz, CORNER_HZ), rate_hz, CORNER_HZ)
