"""The strains of a blow just as a converter reads them: quick enough to be played at once.

`Plate.strains` gives waves to be read at any time, at a fine rate throughout. What goes into
one converter is needed at its samples alone: finely only while the wood is pushed, and from
sample to sample while it rings on by itself, which is most of the time.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, repeat
from math import pi
from operator import mul

from kloplei.tabletop.force import Stretch
from kloplei.tabletop.mode import Mode
from kloplei.tabletop.places import Spot
from kloplei.tabletop.plate import SAMPLES_A_SWING, Plate, evened

SHORT_S = 0.01  # a pause between pushes that is not worth being rung through


def strains_in_turn(
    plate: Plate,
    pushed: Sequence[Stretch],
    at: Spot,
    sensors: Sequence[tuple[Spot, float]],
    rate_hz: float,
    finer: int,
    least: float,
) -> tuple[list[float], ...]:
    """Return the strain under each sensor from the first push until all is still.

    Sample n of sensor c of C is that at (n + c / C) / *rate_hz* seconds.

    Args:
        plate: What is pushed.
        pushed: The force at *at*, at *finer* times *rate_hz*.
        at: Where it is pushed.
        sensors: Places, and what the strain there is multiplied by, in the order of reading.
        rate_hz: Samples a second and sensor.
        finer: How much finer the force is.
        least: A mode that stays below this at every sensor is still.
    """
    fine_hz = rate_hz * finer
    felt: tuple[list[float], ...] = tuple([] for _ in sensors)
    stretches = tuple(_whole(_joined(pushed, round(SHORT_S * fine_hz)), finer))
    for mode in plate.modes:
        if mode.omega > 2 * pi * fine_hz / SAMPLES_A_SWING:
            continue
        gains = plate.gains(mode, at, sensors, fine_hz)
        if loudest := max(map(abs, gains)):
            _ring(felt, mode, gains, stretches, fine_hz, finer, least / loudest)
    return evened(felt)


def _ring(
    felt: Sequence[list[float]],
    mode: Mode,
    gains: Sequence[float],
    stretches: Sequence[Stretch],
    fine_hz: float,
    finer: int,
    least: float,
) -> None:
    """Add to *felt* how *mode* swings, as long as that is more than *least*."""
    turn = mode.turn(fine_hz)
    lags = [finer * channel / len(gains) for channel in range(len(gains))]
    for swing in mode.swings(stretches, fine_hz, least):
        turns = accumulate(repeat(turn**finer, swing.ringing // finer), mul, initial=swing.free)
        ringing = list(turns)[:-1]
        for into, gain, lag in zip(felt, gains, lags, strict=True):
            whole, rest = int(lag), gain * turn ** (lag - int(lag))
            _add(into, swing.start // finer, swing.driven[whole::finer], rest)
            _add(into, swing.end // finer, ringing, gain * turn**lag)


def _joined(pushed: Sequence[Stretch], short: int) -> Iterator[Stretch]:
    """Yield *pushed* with pauses of up to *short* samples filled with no force."""
    held: Stretch | None = None
    for stretch in pushed:
        if held is None:
            held = stretch
        elif stretch.start - held.end <= short:
            pause = (0.0,) * (stretch.start - held.end)
            held = Stretch(held.start, (*held.forces, *pause, *stretch.forces))
        else:
            yield held
            held = stretch
    if held is not None:
        yield held


def _whole(pushed: Iterator[Stretch], finer: int) -> Iterator[Stretch]:
    """Yield *pushed* with no force before and after it, to begin and end with a round."""
    for stretch in pushed:
        before, after = stretch.start % finer, -stretch.end % finer
        forces = ((0.0,) * before, stretch.forces, (0.0,) * after)
        yield Stretch(stretch.start - before, tuple(force for part in forces for force in part))


def _add(into: list[float], start: int, states: Sequence[complex], gain: complex) -> None:
    """Add the swings of *states* to *into* from sample *start* on."""
    end = start + len(states)
    if len(into) < end:
        into.extend(repeat(0.0, end - len(into)))
    real, imag = gain.real, gain.imag
    into[start:end] = [
        was + real * state.imag + imag * state.real
        for was, state in zip(into[start:end], states, strict=True)
    ]
