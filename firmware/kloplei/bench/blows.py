"""Where something struck the wood in a recording, judged by loudness alone.

Not by the judge of `kloplei.knock`: what is to measure an ear must not be labelled by it.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import mul, sub

from kloplei.recordings.reading import open_recording

SEEN = 4.0  # times what the silence of a channel reaches: so loud no noise is
DEAD_S = 0.08  # one blow may have two pushes; two knocks of one hand are farther apart
RINGS_DB_A_S = 100.0  # how fast what a blow left behind must be assumed to fall, at the least
RINGS = 0.7  # of a blow's loudness, at its beginning
CELL_S = 0.005
PEAK_S = 0.03  # a blow is loudest within that
_APART_S = 0.0005  # the difference of two samples so far apart hardly feels the mains
_SILENT = 0.2  # the share of the cells by which the silence is measured
_LEAST = 1 / 4096  # of full scale: the silence of a wire that is dead


@dataclass(frozen=True, slots=True)
class Event:
    """Something began *at_s* and was *clearness* times as loud as the silence of its channel.

    *strength* is its loudest sample of all channels, 0 to 1 of full scale.
    """

    at_s: float
    clearness: float
    strength: float


def blows_in(name: str) -> tuple[Event, ...]:
    """Return what struck the wood in the recording *name*, of some seconds, in its order.

    Raises:
        UnreadableRecording: It cannot be read.
    """
    rate_hz, swings, loudness = _read(name)
    if not swings or not swings[0]:
        return ()
    cell = max(1, round(CELL_S * rate_hz))
    clear = _clearness(swings, cell)
    return tuple(_events(clear, loudness, rate_hz, cell))


def _read(name: str) -> tuple[float, list["array[float]"], "array[float]"]:
    """Return the rate, how far each channel swings at each sample, and how loud the loudest is."""
    swings: list[array[float]] = []
    loudness = array("f")
    with open_recording(name) as recording:
        rate_hz = float(recording.rate_hz)
        apart = max(1, round(_APART_S * rate_hz))
        before: list[Sequence[float]] = []
        for block in recording.blocks():
            if not swings:
                swings = [array("f") for _ in block.channels]
                before = [[channel[0]] * apart for channel in block.channels]
            for swing, old, channel in zip(swings, before, block.channels, strict=True):
                joined = [*old, *channel]
                swing.extend(map(abs, map(sub, joined[apart:], joined)))
            before = [
                [*old, *new][-apart:] for old, new in zip(before, block.channels, strict=True)
            ]
            loudness.extend(map(max, zip(*(map(abs, one) for one in block.channels), strict=True)))
    return rate_hz, swings, loudness


def _clearness(swings: Sequence["array[float]"], cell: int) -> "array[float]":
    """Return at each sample how far above its own silence the clearest channel is."""
    scaled = []
    for swing in swings:
        cells = sorted(_cells(swing, cell))
        silence = max(cells[int(_SILENT * len(cells))], _LEAST)
        scaled.append(array("f", map(mul, swing, [1 / silence] * len(swing))))
    return scaled[0] if len(scaled) == 1 else array("f", map(max, *scaled))


def _cells(values: "array[float]", cell: int) -> list[float]:
    return [max(values[at : at + cell]) for at in range(0, len(values), cell)]


def _events(
    clear: "array[float]", loudness: "array[float]", rate_hz: float, cell: int
) -> Iterator[Event]:
    peak_samples = max(1, round(PEAK_S * rate_hz))
    dead = round(DEAD_S * rate_hz)
    falls = 10 ** (-RINGS_DB_A_S / 20 / rate_hz)
    last, last_peak = -dead, 0.0
    for number, loudest in enumerate(_cells(clear, cell)):
        if loudest < SEEN:
            continue
        for at in range(number * cell, min((number + 1) * cell, len(clear))):
            since = at - last
            if clear[at] < SEEN or since < dead:
                continue
            if last_peak and clear[at] < RINGS * last_peak * falls**since:
                continue
            last, last_peak = at, max(clear[at : at + peak_samples])
            yield Event(at / rate_hz, last_peak, max(loudness[at : at + peak_samples]))
