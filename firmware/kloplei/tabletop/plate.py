"""A wooden plate that rings: bending waves as the sum of its modes.

A push adds to every mode, and between pushes each rings on by itself. So nothing is stepped
over a grid, and a mode that has died costs nothing.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, repeat
from math import pi, sqrt
from operator import mul
from random import Random

from kloplei.tabletop.force import Stretch
from kloplei.tabletop.mode import Mode
from kloplei.tabletop.places import Spot

HIGHEST_HZ = 6000.0
SAMPLES_A_SWING = 4  # fewer, and a mode cannot be told between its samples
POISSON = 0.3
SCATTER = 0.01  # wood is no textbook: each mode lies a little off
NORMAL = 6.2  # seconds: makes a usual knuckle peak at about 1 under the nearest disc
AIR_PER_S = 6.0  # decay that every mode has from air and legs


class Plate:
    """A thin rectangular plate with free edges.

    Args:
        length_m: Length of the table top.
        width_m: Width of the table top.
        thickness_m: Thickness of the wood.
        youngs_pa: Young's modulus; 4e9 for chipboard, 12e9 for good beech.
        density_kgm3: Density of the wood.
        loss: Loss factor, 0.02 for a bare top to 0.06 for a damped one.
        luck: Scatters the modes.
    """

    def __init__(
        self,
        length_m: float,
        width_m: float,
        thickness_m: float,
        youngs_pa: float,
        density_kgm3: float = 680.0,
        loss: float = 0.04,
        luck: Random | None = None,
    ) -> None:
        self.length_m, self.width_m, self.loss = length_m, width_m, loss
        stiffness = youngs_pa * thickness_m**3 / (12 * (1 - POISSON**2))
        area_mass = density_kgm3 * thickness_m
        self._speed = sqrt(stiffness / area_mass)  # omega = speed * k^2
        # Piezos follow the strain, k^2 times the swing, and a swing goes with 1/omega: so all
        # modes weigh the same. Stiff and heavy plates swing less.
        self._swing = 1.0 / (area_mass * self._speed * length_m * width_m)
        self.modes = tuple(self._modes(luck or Random(0)))

    @property
    def trim(self) -> float:
        """What the strains of this plate are multiplied by to be alike on all plates."""
        return NORMAL / (self._swing * self.length_m * self.width_m)

    def group_speed_ms(self, frequency_hz: float) -> float:
        """Return how fast a wave packet of that frequency runs."""
        return 2 * sqrt(2 * pi * frequency_hz * self._speed)

    def holds(self, spot: Spot) -> bool:
        """Whether *spot* is on the plate."""
        return 0 <= spot.x <= self.length_m and 0 <= spot.y <= self.width_m

    def strains(
        self,
        pushed: Sequence[Stretch],
        at: Spot,
        sensors: Sequence[tuple[Spot, float]],
        rate_hz: float,
        least: float,
    ) -> tuple[list[float], ...]:
        """Return the strain under each sensor from the first push until all is still.

        Args:
            pushed: The force at *at*, at *rate_hz*.
            at: Where it is pushed.
            sensors: Places, and what the strain there is multiplied by.
            rate_hz: Samples a second, of the forces and of what is returned.
            least: A mode that stays below this at every sensor is still.
        """
        felt: tuple[list[float], ...] = tuple([] for _ in sensors)
        for mode in self.modes:
            if mode.omega > 2 * pi * rate_hz / SAMPLES_A_SWING:
                continue
            gains = self.gains(mode, at, sensors, rate_hz)
            loudest = max(map(abs, gains))
            if loudest == 0:
                continue
            for start, samples in _parts(mode, pushed, rate_hz, least / loudest):
                for channel, gain in zip(felt, gains, strict=True):
                    _add(channel, start, samples, gain)
        return evened(felt)

    def gains(
        self, mode: Mode, at: Spot, sensors: Sequence[tuple[Spot, float]], rate_hz: float
    ) -> list[float]:
        """Return the strain at each sensor for a newton that pushes *mode* at *at* for a sample."""
        drive = mode.weight * mode.shape(at, self.length_m, self.width_m)
        scale = drive * self._swing / rate_hz
        return [
            scale * gain * mode.shape(spot, self.length_m, self.width_m) for spot, gain in sensors
        ]

    def _modes(self, luck: Random) -> Iterator[Mode]:
        highest_k = sqrt(2 * pi * HIGHEST_HZ / self._speed)
        for m in range(int(highest_k * self.length_m / pi) + 1):
            for n in range(int(highest_k * self.width_m / pi) + 1):
                k_squared = (m * pi / self.length_m) ** 2 + (n * pi / self.width_m) ** 2
                omega = self._speed * k_squared * (1 + luck.gauss(0, SCATTER))
                # The plate as a whole moves without any strain.
                if 0 < omega <= 2 * pi * HIGHEST_HZ:
                    yield Mode(m, n, omega, self.loss * omega / 2 + AIR_PER_S)


def _parts(
    mode: Mode, pushed: Sequence[Stretch], rate_hz: float, least: float
) -> Iterator[tuple[int, list[float]]]:
    """Yield where *mode* swings more than *least*: the first sample, and the swings from there."""
    turn = mode.turn(rate_hz)
    for swing in mode.swings(pushed, rate_hz, least):
        yield swing.start, [state.imag for state in swing.driven]
        if swing.ringing > 0:
            free = accumulate(repeat(turn, swing.ringing - 1), mul, initial=swing.free)
            yield swing.end, [state.imag for state in free]


def evened(felt: tuple[list[float], ...]) -> tuple[list[float], ...]:
    """Return *felt* with silence at the end of what is shorter."""
    longest = max(map(len, felt))
    for channel in felt:
        channel.extend(repeat(0.0, longest - len(channel)))
    return felt


def _add(channel: list[float], start: int, swings: Sequence[float], gain: float) -> None:
    end = start + len(swings)
    if len(channel) < end:
        channel.extend(repeat(0.0, end - len(channel)))
    channel[start:end] = [
        was + gain * swing for was, swing in zip(channel[start:end], swings, strict=True)
    ]
