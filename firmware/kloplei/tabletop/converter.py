"""The electronics behind the discs: hum and noise, and a converter that reads in turn."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import pi, sin
from random import Random

from kloplei.knock.signal import Block
from kloplei.tabletop.wave import Wave

MAINS_HZ = 50.0
THIRD = 0.4  # of the hum: its third harmonic, from lamps and chargers

Trouble = Callable[[int, float], float]
"""What else is on a channel's wire at a time, in full scale; see `kloplei.tabletop.trouble`."""


@dataclass(frozen=True, slots=True)
class Electronics:
    """How good the converter and the wires to it are."""

    rate_hz: float = 4000.0
    bits: int = 10
    noise_codes: float = 1.0
    hum_codes: float = 1.0
    jitter_s: float = 20e-6


MCP3008 = Electronics()


class Converter:
    """An MCP3008 with its bias at half: all channels in turn, *rate_hz* times a second.

    Feed it the waves that are on; it goes on from block to block, as the real one does.

    Args:
        channels: Number of channels in use; channel c of C is read c / (C rate_hz) late.
        electronics: How good it is.
        seed: Of noise, jitter and the phase of the hum.
    """

    def __init__(self, channels: int, electronics: Electronics = MCP3008, seed: int = 0) -> None:
        self.electronics = electronics
        self._channels = channels
        self._luck = Random(f"converter {seed}")
        self._phase = self._luck.uniform(0, 2 * pi)
        self._code = 2.0 / (1 << electronics.bits)  # one code, of a full scale of -1 to 1

    @property
    def skew_s(self) -> float:
        """How much later each channel is read than the one before it."""
        return 1.0 / (self._channels * self.electronics.rate_hz)

    def block(
        self,
        waves: Iterable[Wave],
        start_s: float,
        count: int,
        troubles: Iterable[Trouble] = (),
    ) -> Block:
        """Return *count* samples a channel from *start_s* on, with all *waves* in them."""
        rate_hz = self.electronics.rate_hz
        end_s = start_s + count / rate_hz
        on = [wave for wave in waves if wave.start_s < end_s and wave.end_s > start_s]
        also = tuple(troubles)
        channels = tuple(
            tuple(
                self._sample(channel, start_s + at / rate_hz + channel * self.skew_s, on, also)
                for at in range(count)
            )
            for channel in range(self._channels)
        )
        return Block(start_s, rate_hz, channels, self.skew_s)

    def _sample(
        self, channel: int, at_s: float, waves: list[Wave], troubles: tuple[Trouble, ...]
    ) -> float:
        at_s += self._luck.gauss(0, self.electronics.jitter_s)
        turn = 2 * pi * MAINS_HZ * at_s + self._phase
        codes = self.electronics.hum_codes * (sin(turn) + THIRD * sin(3 * turn))
        codes += self._luck.gauss(0, self.electronics.noise_codes)
        level = self._code * codes
        for wave in waves:
            level += wave.at(channel, at_s)
        for trouble in troubles:
            level += trouble(channel, at_s)
        return self._converted(level)

    def _converted(self, level: float) -> float:
        """Return *level* as the nearest of the codes, the outermost if it is beyond them."""
        half = 1 << (self.electronics.bits - 1)
        return max(-half, min(half - 1, round(level * half))) / half
