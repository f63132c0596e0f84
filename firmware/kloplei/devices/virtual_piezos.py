"""Virtual piezos on a virtual converter: whoever plays a wave into them is heard as wood is."""

import random
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from math import inf

from kloplei.devices.schedule import Schedule
from kloplei.devices.sources import BLOCK_S, TakeBlock
from kloplei.knock.signal import Block, Samples

LEAD_S = 0.032  # of silence before the first wave: a judge looks back
TAIL_S = 0.15  # of silence after the last one: a judge waits for the end of a blow
HEARTBEAT_S = 1.0  # how often a silent table says that it is there
NOISE_LENGTH = 1009  # samples; a prime, so that no two blocks are alike


@dataclass(frozen=True, slots=True)
class _Wave:
    """Something under way: *channels* from sample *first* on."""

    first: int
    channels: tuple[Samples, ...]

    @property
    def end(self) -> int:
        return self.first + max(map(len, self.channels), default=0)


class VirtualPiezos:
    """A `BlockSource` whose discs feel what is played into them, and cost nothing in silence.

    As an MCP3008 does, it reads one channel after the other, in *bits* bits, clips, and its
    last bit never rests. Every method returns at once and may be called from any thread. ::

        piezos.play(table.strike(x_m=0.4, y_m=0.2))  # a wave for each channel

    Args:
        schedule: The clock; blocks come from its thread, each when its last sample is due.
        channels: How many discs there are.
        rate_hz: Samples a second and channel.
        bits: Of the converter: 10 for an MCP3008, 12 for an MCP3208.
        rests: Whether silence is left out but for a sign of life; a recording wants all of it.
    """

    def __init__(
        self,
        schedule: Schedule,
        channels: int,
        rate_hz: float = 4000.0,
        bits: int = 10,
        *,
        rests: bool = True,
    ) -> None:
        self._schedule = schedule
        self._channels = channels
        self._rate_hz = rate_hz
        self._steps: int = 1 << bits - 1  # codes on either side of the middle
        self._block = max(1, round(rate_hz * BLOCK_S))
        self._noise = _last_bits(NOISE_LENGTH + self._block)
        self._silence = [self._code(one) for one in self._noise]
        self._start_s = schedule.now_s()
        self._lock = threading.Lock()
        self._take: TakeBlock | None = None
        self._waves: list[_Wave] = []
        self._next = 0  # the sample with which the next block starts
        # The sample from which silence is only silence.
        self._quiet_from = 0.0 if rests else inf
        self._running = False

    @property
    def channels(self) -> int:
        """How many discs there are."""
        return self._channels

    @property
    def rate_hz(self) -> float:
        """Samples a second that `play` takes them for."""
        return self._rate_hz

    @property
    def skew_s(self) -> float:
        """How much later than its neighbour a channel is sampled."""
        return 1 / (self._rate_hz * self._channels)

    def start(self, take: TakeBlock) -> None:
        """Hand blocks to *take* from now on: at a wave at once, in silence now and then."""
        with self._lock:
            self._take = take
            if self._quiet_from == inf:
                self._go_on(self._sample_at(self._schedule.now_s()))
                return
        self._beat()

    def close(self) -> None:
        """Hand in nothing more."""
        with self._lock:
            self._take = None

    def play(self, waves: Sequence[Samples], at_s: float | None = None) -> None:
        """Let each disc feel its one of *waves*, beginning *at_s*; what overlaps adds up.

        Sample n of channel c is what that disc feels n / `rate_hz` + c * `skew_s` after the
        beginning, 1 being full scale. None is now.

        Raises:
            ValueError: There are not as many waves as discs.
        """
        if len(waves) != self._channels:
            raise ValueError(f"{len(waves)} waves for {self._channels} piezos; play one for each")
        now_s = self._schedule.now_s()
        first = self._sample_at(now_s if at_s is None else max(at_s, now_s))
        wave = _Wave(first, tuple(waves))
        with self._lock:
            self._waves.append(wave)
            self._quiet_from = max(self._quiet_from, wave.end + round(TAIL_S * self._rate_hz))
            if self._running or self._take is None:
                return
            self._go_on(self._sample_at(now_s - LEAD_S) // self._block * self._block)

    def _go_on(self, first: int) -> None:
        """Hand in block after block, from sample *first* on."""
        self._running = True
        self._next = max(self._next, first)
        self._schedule.at(self._time_of(self._next + self._block), self._hand_in)

    def _hand_in(self) -> None:
        with self._lock:
            take, first = self._take, self._next
            self._next = first + self._block
            block = self._block_from(first)
            self._waves = [wave for wave in self._waves if wave.end > self._next]
            self._running = take is not None and self._next < self._quiet_from
            if self._running:
                self._schedule.at(self._time_of(self._next + self._block), self._hand_in)
        if take is not None:
            take(block)

    def _beat(self) -> None:
        """Hand in one silent block a second, so that a silent table is not a dead one."""
        with self._lock:
            take = self._take
            if take is None:
                return
            now_s = self._schedule.now_s()
            self._schedule.at(now_s + HEARTBEAT_S, self._beat)
            first = self._sample_at(now_s) // self._block * self._block - self._block
            if self._running or first < self._next:
                return
            self._next = first + self._block
            block = self._block_from(first)
        take(block)

    def _block_from(self, first: int) -> Block:
        on = [wave for wave in self._waves if wave.first < first + self._block]
        channels = tuple(self._mixed(channel, first, on) for channel in range(self._channels))
        return Block(self._time_of(first), self._rate_hz, channels, self.skew_s)

    def _mixed(self, channel: int, first: int, on: Sequence[_Wave]) -> Samples:
        """Return what the converter gives of *channel* from sample *first* on."""
        place = (7 * channel + first) % NOISE_LENGTH
        if not on:
            return self._silence[place : place + self._block]
        mixed = self._noise[place : place + self._block]
        for wave in on:
            self._add(mixed, wave.channels[channel], wave.first - first)
        return [self._code(level) for level in mixed]

    def _add(self, into: list[float], samples: Samples, offset: int) -> None:
        """Add to *into* the part of *samples*, which begin at its place *offset*, that it holds."""
        for at in range(max(0, offset), min(len(into), offset + len(samples))):
            into[at] += samples[at - offset] * self._steps

    def _code(self, steps: float) -> float:
        """Return *steps*, of the last bit, as the converter gives it back: whole and clipped."""
        code = max(-self._steps, min(self._steps - 1, round(steps)))
        return code / self._steps

    def _sample_at(self, at_s: float) -> int:
        return round((at_s - self._start_s) * self._rate_hz)

    def _time_of(self, sample: int) -> float:
        return self._start_s + sample / self._rate_hz


def _last_bits(count: int) -> list[float]:
    """Return how the last bit of a converter twitches in silence, over and over."""
    twitches = random.Random(1)  # noqa: S311 - the same noise each time, and nobody's secret
    noise = [twitches.gauss(0, 0.5) for _ in range(NOISE_LENGTH)]
    return list(islice(cycle(noise), count))
