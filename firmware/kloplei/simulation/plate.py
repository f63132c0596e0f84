"""A wooden plate that rings: bending waves as the sum of its modes.

A push adds to every mode, and between pushes each rings on by itself: a decaying, turning complex
number, an exact recurrence. So nothing is stepped over a grid, and a mode that has died costs
nothing. `Wave` gives the voltages of all piezos after one blow, at any time between the samples.

Places are in metres. Seen from above with the slate's foot at the middle of the near long side,
x runs to the right from 0 to the length, y towards the slate from 0 to the width.
"""

from cmath import exp
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import count, repeat
from math import atan2, ceil, cos, hypot, inf, log, pi, sin, sqrt
from random import Random
from typing import NamedTuple

from kloplei.frozen import dataclass, replace
from kloplei.knock.geometry import Spot, TableSize
from kloplei.simulation.blows import Stretch


class Disc(NamedTuple):
    """A piezo under the wood: where, and what the strain there is multiplied by."""

    spot: Spot
    gain: float
    highest_hz: float = inf  # what is faster, it follows less and less
    loaded_hz: float = inf  # what is faster, a glass that stands above it holds still

    def gain_at(self, hertz: float) -> float:
        """Return what the strain of a wave of *hertz* is multiplied by."""
        return self.gain / hypot(1.0, hertz / self.highest_hz)


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
    was = state / turn
    return [was := was * turn + force for force in forces]


HIGHEST_HZ = 6000.0
SAMPLES_A_SWING = 4  # fewer, and a mode cannot be told between its samples
DENSITY_KGM3 = 680.0  # of the wood
POISSON = 0.3
SCATTER = 0.01  # wood is no textbook: each mode lies a little off
NORMAL = 6.2  # seconds: makes a usual knuckle peak at about 1 under the nearest disc
AIR_PER_S = 6.0  # decay that every mode has from air and legs


class Plate:
    """A thin plate with free edges, rectangular; `RoundPlate` is the other.

    Args:
        length_m: Length of the table top.
        width_m: Width of the table top.
        thickness_m: Thickness of the wood.
        youngs_pa: Young's modulus; 4e9 for chipboard, 12e9 for good beech.
        loss: Loss factor, 0.02 for a bare top to 0.06 for a damped one.
        luck: Scatters the modes.
        across: Planks lie along the table, and are softer across the grain: the modulus there, as
            a part of that along it. Between them the wood twists as stiffly as their mean.
    """

    def __init__(
        self,
        length_m: float,
        width_m: float,
        thickness_m: float,
        youngs_pa: float,
        loss: float = 0.04,
        luck: Random | None = None,
        *,
        across: float = 1.0,
    ) -> None:
        self.length_m, self.width_m, self.loss = length_m, width_m, loss
        self._slower = sqrt(across)
        stiffness = youngs_pa * thickness_m**3 / (12 * (1 - POISSON**2))
        area_mass = DENSITY_KGM3 * thickness_m
        self._speed = sqrt(stiffness / area_mass)  # omega = speed * k^2
        # Piezos follow the strain, k^2 times the swing, and a swing goes with 1/omega: so all
        # modes weigh the same. Stiff and heavy plates swing less.
        self._swing = 1.0 / (area_mass * self._speed * self.area_m2)
        self.impedance = 8 * area_mass * self._speed * sqrt(self._slower)
        """How much force in newtons moves a point of it by a metre a second."""
        self.modes: tuple[Mode, ...] = tuple(self._modes(luck or Random(0)))

    @property
    def area_m2(self) -> float:
        """How large it is."""
        return self.length_m * self.width_m

    @property
    def size(self) -> TableSize:
        """Its length and width."""
        return TableSize(self.length_m, self.width_m)

    @property
    def trim(self) -> float:
        """What the strains of this plate are multiplied by to be alike on all plates."""
        return NORMAL / (self._swing * self.area_m2)

    def holds(self, spot: Spot) -> bool:
        """Whether *spot* is on the plate."""
        return self.size.holds(spot)

    def gains(self, mode: Mode, at: Spot, discs: Sequence[Disc], rate_hz: float) -> list[float]:
        """Return the strain at each disc for a newton that pushes *mode* at *at* for a sample."""
        drive = mode.weight * mode.shape(at, self.length_m, self.width_m)
        scale = drive * self._swing / rate_hz
        hertz = mode.omega / (2 * pi)
        return [
            scale * disc.gain_at(hertz) * mode.shape(disc.spot, self.length_m, self.width_m)
            for disc in discs
        ]

    def _modes(self, luck: Random) -> Iterator[Mode]:
        highest_k = sqrt(2 * pi * HIGHEST_HZ / self._speed)
        for m in range(int(highest_k * self.length_m / pi) + 1):
            for n in range(int(highest_k * self.width_m / pi / sqrt(self._slower)) + 1):
                along, across = (m * pi / self.length_m) ** 2, (n * pi / self.width_m) ** 2
                k_squared = along + self._slower * across
                omega = self._speed * k_squared * (1 + luck.gauss(0, SCATTER))
                # The plate as a whole moves without any strain.
                if 0 < omega <= 2 * pi * HIGHEST_HZ:
                    yield Mode(m, n, omega, self._decay(omega))

    def _decay(self, omega: float) -> float:
        return self.loss * omega / 2 + AIR_PER_S


@dataclass(frozen=True, slots=True)
class RoundMode(Mode):
    """A mode of a round plate: *m* half turns around it, and still at the *n*-th ring.

    *root* is how many radians of its wave there are from the middle to the edge. Each mode that
    turns comes twice, once of them a quarter of its wave *aside*.
    """

    root: float
    is_aside: bool = False

    def shape(self, at: Spot, length_m: float, width_m: float) -> float:
        """Return how far the plate swings at *at*, -1 to 1; its edge is free."""
        x, y = at.x - length_m / 2, at.y - width_m / 2
        around = self.m * atan2(y, x)
        ring = _bessel(self.m, self.root * 2 * hypot(x, y) / length_m)
        return ring * (sin(around) if self.is_aside else cos(around))

    @property
    def weight(self) -> float:
        """How easily it is pushed: the plate's mass over the mode's own."""
        edge = _bessel(self.m, self.root)
        moved: float = (1 - (self.m / self.root) ** 2) * edge * edge
        return (2.0 if self.m else 1.0) / moved


class RoundPlate(Plate):
    """A thin round plate with a free edge, of the same wood along and across.

    Args:
        diameter_m: How large it is.
        thickness_m: Thickness of the wood.
        youngs_pa: As of a `Plate`.
        loss: As of a `Plate`.
        luck: Scatters the modes.
    """

    def __init__(
        self,
        diameter_m: float,
        thickness_m: float,
        youngs_pa: float,
        loss: float = 0.04,
        luck: Random | None = None,
    ) -> None:
        super().__init__(diameter_m, diameter_m, thickness_m, youngs_pa, loss, luck)

    @property
    def area_m2(self) -> float:
        """How large it is."""
        return pi * self.length_m**2 / 4

    @property
    def size(self) -> TableSize:
        """Its diameter."""
        return TableSize(self.length_m, self.width_m, is_round=True)

    def _modes(self, luck: Random) -> Iterator[Mode]:
        radius_m = self.length_m / 2
        most = radius_m * sqrt(2 * pi * HIGHEST_HZ / self._speed)
        for order in count():
            roots = [root for root in _flat_rings(order, ceil(most)) if root <= most]
            if not roots and order:
                return
            for at, root in enumerate(roots):
                for is_aside in (False, True)[: 2 if order else 1]:
                    usual = self._speed * (root / radius_m) ** 2
                    omega = usual * (1 + luck.gauss(0, SCATTER))
                    yield RoundMode(order, at, omega, self._decay(omega), root, is_aside)


@lru_cache(maxsize=4096)  # discs stay where they are
def _bessel(order: int, x: float) -> float:
    """Return Bessel's function of the first kind, by his own integral over half a turn."""
    steps = 16 + int(0.75 * (x + order))  # more change nothing
    turns = (pi * (step + 0.5) / steps for step in range(steps))
    return sum(cos(order * turn - x * sin(turn)) for turn in turns) / steps


_STEP = 0.5  # two rings are farther apart


@cache
def _flat_rings(order: int, most: int) -> tuple[float, ...]:
    """Return where Bessel's function of that *order* is level, up to *most* and without 0."""

    def slope(x: float) -> float:
        if order == 0:
            return -_bessel(1, x)
        return _bessel(order - 1, x) - _bessel(order + 1, x)

    found = []
    at = max(order, _STEP)  # none lies before
    while at < most:
        low, high = at, at + _STEP
        if slope(low) * slope(high) < 0:
            for _ in range(30):
                middle = (low + high) / 2
                low, high = (middle, high) if slope(low) * slope(middle) > 0 else (low, middle)
            found.append(low)
        at += _STEP
    return tuple(found)


def evened(felt: tuple[list[float], ...]) -> tuple[list[float], ...]:
    """Return *felt* with silence at the end of what is shorter."""
    longest = max(map(len, felt))
    for channel in felt:
        channel.extend(repeat(0.0, longest - len(channel)))
    return felt


@dataclass(frozen=True, slots=True)
class Wave:
    """Voltages of all channels from *start_s* on, full scale -1 to 1, not yet clipped."""

    start_s: float
    rate_hz: float
    channels: tuple[Sequence[float], ...]

    @property
    def end_s(self) -> float:
        """When all is still again."""
        return self.start_s + len(self.channels[0]) / self.rate_hz

    def later(self, by_s: float) -> "Wave":
        """Return the same wave *by_s* seconds later."""
        return replace(self, start_s=self.start_s + by_s)

    def at(self, channel: int, at_s: float) -> float:
        """Return the voltage of *channel* at *at_s*, 0 before and after the wave."""
        samples = self.channels[channel]
        place = (at_s - self.start_s) * self.rate_hz
        first = int(place)
        if place < 0 or first + 2 >= len(samples):
            return 0.0
        before = samples[first - 1] if first else 0.0
        here, there, after = samples[first : first + 3]
        part = place - first
        # Catmull and Rom's cubic: true to a tenth of a percent at an eighth of the rate.
        return here + 0.5 * part * (
            there
            - before
            + part
            * (
                2 * before
                - 5 * here
                + 4 * there
                - after
                + part * (3 * (here - there) + after - before)
            )
        )
