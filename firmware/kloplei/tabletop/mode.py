"""One way in which a plate swings: a decaying, turning complex number, an exact recurrence."""

from cmath import exp
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, cos, log, pi

from kloplei.tabletop.force import Stretch
from kloplei.tabletop.places import Spot


@dataclass(frozen=True, slots=True)
class Swing:
    """How a mode answers one stretch of force; the imaginary part of a state is the swing.

    It has the states *driven* while it is pushed, one a sample from sample *start* on. From
    sample *end* on it turns on by itself from the state *free*, for *ringing* samples.
    """

    start: int
    driven: Sequence[complex]
    free: complex
    ringing: int

    @property
    def end(self) -> int:
        """The first sample at which nothing pushes."""
        return self.start + len(self.driven)


@dataclass(frozen=True, slots=True)
class Mode:
    """*m* and *n* half waves along length and width of a plate."""

    m: int
    n: int
    omega: float  # radians a second
    decay: float  # 1/s

    def shape(self, at: Spot, length_m: float, width_m: float) -> float:
        """Return how far the plate swings at *at*, -1 to 1; its edges are free."""
        return cos(self.m * pi * at.x / length_m) * cos(self.n * pi * at.y / width_m)

    @property
    def weight(self) -> float:
        """How easily it is pushed: the plate's mass over the mode's own."""
        return (2.0 if self.m else 1.0) * (2.0 if self.n else 1.0)

    def turn(self, rate_hz: float) -> complex:
        """Return what its state is multiplied by from one sample to the next."""
        return exp(complex(-self.decay, self.omega) / rate_hz)

    def swings(self, pushed: Sequence[Stretch], rate_hz: float, least: float) -> Iterator[Swing]:
        """Yield how it answers each stretch of the force *pushed*, which is given at *rate_hz*.

        It rings on until the next one, or until it swings by no more than *least*.
        """
        turn = self.turn(rate_hz)
        state, at = 0j, 0
        for stretch, following in zip(pushed, [*pushed[1:], None], strict=True):
            state *= turn ** (stretch.start - at)
            driven = _driven(stretch.forces, state, turn)
            state, at = driven[-1] * turn, stretch.end
            ringing = self._still_after(state, least, rate_hz)
            if following is not None:
                ringing = min(ringing, following.start - at)
            yield Swing(stretch.start, driven, state, ringing)

    def _still_after(self, state: complex, least: float, rate_hz: float) -> int:
        if abs(state) <= least:
            return 0
        return ceil(log(abs(state) / least) / self.decay * rate_hz)


def _driven(forces: Sequence[float], state: complex, turn: complex) -> list[complex]:
    """Return the states under *forces*, one for each, for a mode that comes with *state*."""
    return list(accumulate(forces, lambda was, force: was * turn + force, initial=state / turn))[1:]
