"""A whole box without wood and wire: mock pins, discs that feel what is played, a glass to look at.

People use it (the demo), and so do tests: what moves is a virtual pin or a virtual wave, the rest
is the real road. `VirtualBox` brings it all; its methods return at once, from any thread.
"""

import errno
import random
import threading
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing
from functools import partial
from itertools import cycle, islice
from math import inf
from typing import TYPE_CHECKING

from gpiozero.pins.mock import MockFactory, MockPin, MockPWMPin
from luma.core.device import device
from luma.core.interface.serial import noop

from kloplei.config.settings import SLOW_HZ, SMALL_GLASS, Config, Glass
from kloplei.devices.adc import BLOCK_S, CHIPS, TakeBlock
from kloplei.devices.glass import SlateMissing
from kloplei.devices.schedule import PatientSchedule, Schedule
from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.knock.edges import Edge
from kloplei.knock.signal import Block, Samples
from kloplei.table.client import Frame
from kloplei.words import Sentence

if TYPE_CHECKING:
    from PIL import Image

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
    """A `DiscSource` whose discs feel what is played into them, and cost nothing in silence.

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
        self.channels = channels
        """How many discs there are."""
        self.rate_hz = rate_hz
        """Samples a second that `play` takes them for."""
        self.pace = None
        """No converter is read."""
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
    def skew_s(self) -> float:
        """How much later than its neighbour a channel is sampled."""
        return 1 / (self.rate_hz * self.channels)

    def start(self, take: TakeBlock) -> None:
        """Hand blocks to *take* from now on: at a wave at once, in silence now and then."""
        with self._lock:
            self._take = take
            if self._quiet_from == inf:
                self._go_on(self._sample_at(self._schedule.now_s()))
                return
        self._beat()

    def stay_awake(self, stays: bool) -> None:
        """Hand in every block of silence as well, as a recording wants it, or rest again."""
        with self._lock:
            tail = round(TAIL_S * self.rate_hz)
            felt = max((wave.end for wave in self._waves), default=self._next) + tail
            self._quiet_from = inf if stays else felt
            if stays and not self._running and self._take is not None:
                self._go_on(self._sample_at(self._schedule.now_s()))

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
        if len(waves) != self.channels:
            raise ValueError(f"{len(waves)} waves for {self.channels} piezos; play one for each")
        now_s = self._schedule.now_s()
        first = self._sample_at(now_s if at_s is None else max(at_s, now_s))
        wave = _Wave(first, tuple(waves))
        with self._lock:
            self._waves.append(wave)
            self._quiet_from = max(self._quiet_from, wave.end + round(TAIL_S * self.rate_hz))
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
        channels = tuple(self._mixed(channel, first, on) for channel in range(self.channels))
        return Block(self._time_of(first), self.rate_hz, channels, self.skew_s)

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
        return round((at_s - self._start_s) * self.rate_hz)

    def _time_of(self, sample: int) -> float:
        return self._start_s + sample / self.rate_hz


def _last_bits(count: int) -> list[float]:
    """Return how the last bit of a converter twitches in silence, over and over."""
    twitches = random.Random(1)  # noqa: S311 - the same noise each time, and nobody's secret
    noise = [twitches.gauss(0, 0.5) for _ in range(NOISE_LENGTH)]
    return list(islice(cycle(noise), count))


PULSE_S = 0.004  # what a comparator makes of one blow
PI_3B = "a02082"  # 40 pins, no surprises


class NotFitted(KlopleiError, LookupError):
    """The virtual box has no such part."""


class VirtualPin(MockPWMPin):
    """gpiozero's mock pin on the schedule's clock, and without its endless memory."""

    def _call_when_changed(self) -> None:
        # MockPin stamps edges by the real clock, where a test moves its own.
        super(MockPin, self)._call_when_changed(self.factory.ticks(), self._state)

    def _change_state(self, value: float) -> bool:
        changed: bool = super()._change_state(value)
        del self.states[:-1]
        return changed


class VirtualPins(MockFactory):
    """gpiozero's mock factory on the schedule's clock.

    *piezos* are what hangs on its SPI bus: a `DiscSource` in place of converter and discs.
    """

    def __init__(self, schedule: Schedule, piezos: VirtualPiezos | None = None) -> None:
        super().__init__(revision=PI_3B, pin_class=VirtualPin)
        self.ticks = schedule.now_s
        self.piezos = piezos


def virtual_piezos(config: Config, schedule: Schedule) -> VirtualPiezos | None:
    """Return the discs that *config* wires to its converter, or None if it wires none."""
    if not config.piezos:
        return None
    bits = CHIPS[config.adc.chip].bits
    return VirtualPiezos(schedule, len(config.piezos), config.adc.rate_hz or SLOW_HZ, bits)


class VirtualOled(device):
    """A luma device without glass.

    ``frame`` is what stands on it, None while it is dark or unplugged; ``first_frame`` is
    set as soon as something was shown; ``contrast_level`` follows ``contrast()``.
    """

    wire_s = 0.0
    """It has no wires that a picture would take time on."""

    def __init__(self, glass: Glass = SMALL_GLASS) -> None:
        super().__init__(serial_interface=noop())
        self.capabilities(*glass, rotate=0)
        self.first_frame = threading.Event()
        self.contrast_level = 255
        self._shown: Frame | None = None
        self._lit = True
        self._plugged = True

    @property
    def frame(self) -> Frame | None:
        """What a person sees on the glass."""
        return self._shown if self._plugged and self._lit else None

    def open(self) -> "VirtualOled":
        """Attach to it as `kloplei.devices.oled.open_slate` does to a real one: cleared.

        Raises:
            SlateMissing: It is unplugged.
        """
        if not self._plugged:
            raise SlateMissing(Sentence("oled-unplugged"))
        self._lit = True
        return self

    def unplug(self) -> None:
        """Pull the plug: from now on it fails as a real one does, with errno 121."""
        self._plugged = False

    def plug(self) -> None:
        """Plug it in again: dark, as a real one, until it is opened anew."""
        self._shown = None
        self._plugged = True

    def display(self, image: "Image.Image") -> None:
        """Keep *image*, one bit a pixel or 256 greys, as the frame.

        Raises:
            OSError: Unplugged.
        """
        self._answer()
        self._shown = Frame.of(image)
        self.first_frame.set()

    def contrast(self, level: int) -> None:
        """Remember how bright the glass is, 0 to 255."""
        self._answer()
        self.contrast_level = level

    def show(self) -> None:
        """Wake the glass; what stood on it is there again."""
        self._answer()
        self._lit = True

    def hide(self) -> None:
        """Put the glass to sleep."""
        self._answer()
        self._lit = False

    def _answer(self) -> None:
        if not self._plugged:
            raise OSError(errno.EREMOTEIO, "Remote I/O error")


class VirtualRing:
    """A chain of WS2812 in place of a spidev: it reads what is sent as the chips would.

    ``colours`` is what burns now, red, green and blue from 0 to 255 of each LED; *leds* of them
    take what is meant for them and hand on the rest. Unplugged it fails as the bus of a Pi does.
    """

    def __init__(self, leds: int = 60) -> None:
        self.max_speed_hz = 0
        self.colours: tuple[tuple[int, int, int], ...] = ()
        self.is_open = False
        self.is_dead = False
        self._leds = leds

    def open(self, bus: int, select: int) -> None:
        """Stand in for any device there is."""
        self.is_open = True

    def writebytes2(self, sent: Sequence[int]) -> None:
        """Take each byte for one bit, by how long it is high, and each pause for the end.

        Raises:
            OSError: The ring is dead.
        """
        if self.is_dead:
            raise OSError(errno.EIO, "Input/output error")
        bit_s = 1 / self.max_speed_hz
        bits = [_is_long(byte.bit_count() * bit_s) for byte in sent if byte]
        values = [
            int("".join("01"[bit] for bit in bits[at : at + 8]), 2) for at in range(0, len(bits), 8)
        ]
        burning = [tuple(values[at : at + 3]) for at in range(0, len(values), 3)][: self._leds]
        self.colours = tuple((red, green, blue) for green, red, blue in burning)

    def close(self) -> None:
        """Let go of the bus; what burns goes on burning."""
        self.is_open = False


def _is_long(high_s: float) -> bool:
    """Whether a WS2812B takes so long a high for a 1 (0.58 to 1 us), and not for a 0.

    Raises:
        ValueError: For neither (0.22 to 0.38 us).
    """
    if not (0.22e-6 <= high_s <= 0.38e-6 or 0.58e-6 <= high_s <= 1e-6):
        raise ValueError(f"no WS2812B knows a high of {high_s * 1e6:.2f} us")
    return high_s > 0.38e-6


class VirtualBox:
    """The box of *config*, on virtual pins.

    ``pin_factory`` and ``schedule`` go to `kloplei.devices.box.Box`, ``oled.open`` to the
    slate. Every method returns at once and may be called from any thread. `piezos` are the
    discs on the virtual converter, one for each of ``config.piezos`` and in that order; None
    without ``[adc]``.

    Args:
        config: Which parts sit on which pins.
        schedule: Keeps the gaps between knocks; None for one on the real clock.
    """

    def __init__(self, config: Config, schedule: Schedule | None = None) -> None:
        self._opened = ExitStack()
        if schedule is None:
            schedule = self._opened.enter_context(closing(PatientSchedule("virtual box")))
        self.schedule: Schedule = schedule
        self.config = config
        self.piezos = virtual_piezos(config, self.schedule)
        self.pin_factory = VirtualPins(self.schedule, self.piezos)
        self.oled = VirtualOled(config.slate.glass)
        self._wired = dict(config.wired)
        self._hands = threading.RLock()  # two people may poke at one pin
        self._busy_until_s: dict[int, float] = {}

    def knock(self, seat: Seat, times: int = 1, gap_s: float = 0.22) -> None:
        """Knock on the pad of *seat* so many times, *gap_s* seconds apart.

        Knocks that are still under way at this pad are let finish first.

        Raises:
            NotFitted: No pad can hear *seat*.
        """
        pin = self._pad_of(seat)
        with self._hands:
            start_s = max(self.schedule.now_s(), self._busy_until_s.get(pin, 0.0))
            self._busy_until_s[pin] = start_s + max(times, 1) * gap_s
        for blow in range(times):
            self._pulse(pin, start_s + blow * gap_s, PULSE_S)

    def play(self, seat: Seat, edges: Iterable[Edge]) -> None:
        """Move the pad of *seat* as the comparator's *edges* say, from now on.

        Raises:
            NotFitted: No pad can hear *seat*.
        """
        pin, start_s = self._pad_of(seat), self.schedule.now_s()
        for edge in edges:
            self.schedule.at(start_s + edge.at_s, partial(self._drive, pin, low=edge.active))

    def press(self, seat: Seat) -> None:
        """Push the button of *seat* down.

        Raises:
            NotFitted: *seat* has no button.
        """
        self._drive(self._button_of(seat), low=True)

    def release(self, seat: Seat) -> None:
        """Let the button of *seat* come up.

        Raises:
            NotFitted: *seat* has no button.
        """
        self._drive(self._button_of(seat), low=False)

    def hold(self, seat: Seat, for_s: float) -> None:
        """Push the button of *seat* down and let it come up *for_s* seconds later.

        Raises:
            NotFitted: *seat* has no button.
        """
        self._pulse(self._button_of(seat), self.schedule.now_s(), for_s)

    @property
    def lamp_rgb(self) -> tuple[int, int, int]:
        """What colour the lamp burns, 0 to 255 each; black if none is fitted."""
        lamp = self.config.lamp
        if not lamp.enabled:
            return (0, 0, 0)
        red, green, blue = (self._level(pin) for pin in (lamp.red, lamp.green, lamp.blue))
        if lamp.common == "anode":
            red, green, blue = 1 - red, 1 - green, 1 - blue
        return (round(255 * red), round(255 * green), round(255 * blue))

    @property
    def buzzer_hz(self) -> float | None:
        """What the buzzer plays, None while it is silent or not fitted."""
        if not self.config.buzzer.enabled or not self._level(self.config.buzzer.pin):
            return None
        frequency: float | None = self.pin_factory.pin(self.config.buzzer.pin).frequency
        return frequency

    def close(self) -> None:
        """Stop what is under way."""
        self._opened.close()

    def _pad_of(self, seat: Seat) -> int:
        own = [pad.pin for pad in self.config.pads if pad.seat == seat]
        shared = [pad.pin for pad in self.config.pads if pad.seat is None]
        if seat not in self._wired or not own + shared:
            raise NotFitted(f"seat {seat.shown} has no pad in this box; see [seat.{seat.shown}]")
        return (own + shared)[0]

    def _button_of(self, seat: Seat) -> int:
        wired = self._wired.get(seat)
        if wired is None or wired.button is None:
            raise NotFitted(f"seat {seat.shown} has no button in this box; see [seat.{seat.shown}]")
        return wired.button

    def _pulse(self, pin: int, at_s: float, width_s: float) -> None:
        self.schedule.at(at_s, partial(self._drive, pin, low=True))
        self.schedule.at(at_s + width_s, partial(self._drive, pin, low=False))

    def _drive(self, pin: int, *, low: bool) -> None:
        with self._hands:
            wire = self.pin_factory.pin(pin)
            wire.drive_low() if low else wire.drive_high()

    def _level(self, pin: int) -> float:
        return float(self.pin_factory.pin(pin).state)
