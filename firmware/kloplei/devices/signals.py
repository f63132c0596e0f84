"""Lamp, ring and buzzer: moments of the scoreboard to signal, and a glow that lasts.

Wiring: `Lamp`, an RGB LED; `Ring`, WS2812 on SPI; `Buzzer`, a passive piezo. `SignalPlayer` follows
the table on a thread of its own and plays what is new; a part that fails is named once and left
alone from then on.
"""

import logging
import math
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from enum import Enum, auto
from functools import partial
from typing import NamedTuple, Protocol

from gpiozero import RGBLED, Factory, TonalBuzzer
from gpiozero.tones import Tone

from kloplei.config.settings import LED_IDLE_MA, LED_MA, BuzzerConfig, Config, LampConfig
from kloplei.config.wiring import RING_BUS, RING_SELECT
from kloplei.devices.pins import SpiMissing
from kloplei.devices.schedule import Schedule
from kloplei.games.game import Seat
from kloplei.games.moments import Moment, MomentKind, moments_between
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import Followed, show_all
from kloplei.table.messages import Inbox, PartFailed
from kloplei.words import Sentence

logger = logging.getLogger(__name__)

Colour = tuple[float, float, float]
"""Red, green, blue, each from 0 to 1."""

DARK: Colour = (0.0, 0.0, 0.0)
BLINK_S = 0.5  # lit and dark each so long: once a second hurts nobody


class Lamp:
    """One RGB LED.

    Wiring: a resistor and a colour on each of three pins, the common leg to GND or, where
    the settings say anode, to 3V3. A resistor of 220 ohm in each leg. ::

        lamp = Lamp(config.lamp, schedule, pin_factory)
        lamp.glow((1, 0.5, 0))
        lamp.flash((1, 1, 1), for_s=0.1)  # and back to the glow
        lamp.blink((1, 0.5, 0))

    Raises:
        gpiozero.GPIOZeroError: A pin is taken, or cannot pulse.
    """

    def __init__(
        self, config: LampConfig, schedule: Schedule, pin_factory: Factory | None = None
    ) -> None:
        self._brightness = config.brightness
        self._schedule = schedule
        self._led = RGBLED(
            config.red,
            config.green,
            config.blue,
            active_high=config.common == "cathode",
            pin_factory=pin_factory,
        )
        self._lock = threading.Lock()
        self._glow = DARK
        self._blinking: Colour | None = None
        self._blinks = 0  # so that an old blinking does not disturb a new one
        self._flashes = 0  # so that an old flash does not end a new one

    def glow(self, colour: Colour) -> None:
        """Burn in *colour* until told otherwise, after the flash if one is on."""
        with self._lock:
            self._blinking = None
            self._rest_in(colour)

    def blink(self, colour: Colour) -> None:
        """Burn in *colour* and go dark by turns until told otherwise, around the flashes."""
        with self._lock:
            if self._blinking == colour:
                return
            self._blinking = colour
            self._blinks += 1
            self._rest_in(colour)
            blinks = self._blinks
        self._schedule.at(self._schedule.now_s() + BLINK_S, lambda: self._turn(blinks))

    def flash(self, colour: Colour, for_s: float) -> None:
        """Burn in *colour* for *for_s* seconds, then glow as before."""
        with self._lock:
            self._flashes += 1
            self._burn(colour)
        self._schedule.at(self._schedule.now_s() + for_s, self._end_flash)

    def close(self) -> None:
        """Go dark and let go of the pins."""
        with self._lock:
            self._led.close()

    def _turn(self, blinks: int) -> None:
        """Go on with the blinking number *blinks*, if it still is the one."""
        with self._lock:
            if self._blinking is None or blinks != self._blinks or self._led.closed:
                return
            self._rest_in(DARK if self._glow == self._blinking else self._blinking)
        self._schedule.at(self._schedule.now_s() + BLINK_S, lambda: self._turn(blinks))

    def _rest_in(self, colour: Colour) -> None:
        self._glow = colour
        if not self._flashes:
            self._burn(colour)

    def _end_flash(self) -> None:
        with self._lock:
            self._flashes -= 1
            if not self._flashes and not self._led.closed:
                self._burn(self._glow)

    def _burn(self, colour: Colour) -> None:
        self._led.color = tuple(self._brightness * part for part in colour)


Melody = tuple[tuple[str | None, float], ...]
"""Notes as ("A5", seconds); None is a rest. From A3 to A7."""


class Buzzer:
    """One passive piezo.

    Wiring: one leg to the pin through 100 ohm, the other to GND. ::

        buzzer = Buzzer(config.buzzer, schedule, pin_factory)
        buzzer.play((("C6", 0.1), (None, 0.05), ("G6", 0.2)))

    ``quiet`` may be switched at any time; a quiet buzzer plays nothing.

    Raises:
        gpiozero.GPIOZeroError: The pin is taken, or cannot play tones.
    """

    def __init__(
        self, config: BuzzerConfig, schedule: Schedule, pin_factory: Factory | None = None
    ) -> None:
        self.quiet = config.quiet
        self._schedule = schedule
        # Two octaves about A5: small piezos are loudest there, and whisper at A4.
        self._piezo = TonalBuzzer(
            config.pin, mid_tone=Tone(note="A5"), octaves=2, pin_factory=pin_factory
        )
        self._lock = threading.Lock()
        self._playing = 0  # counts melodies, so that the notes of an old one fall silent

    def play(self, melody: Melody) -> None:
        """Start *melody* and return at once; one that is under way breaks off."""
        if self.quiet:
            return
        with self._lock:
            self._playing += 1
            at_s = self._schedule.now_s()
            for note, for_s in (*melody, (None, 0.0)):
                self._schedule.at(at_s, partial(self._sound, self._playing, note))
                at_s += for_s

    def close(self) -> None:
        """Fall silent and let go of the pin."""
        with self._lock:
            self._playing += 1
            self._piezo.close()

    def _sound(self, melody: int, note: str | None) -> None:
        with self._lock:
            if melody != self._playing:
                return
            if note is None:
                self._piezo.stop()
            else:
                self._piezo.play(Tone(note=note))


class Signal(Enum):
    """Moments worth a flash or a tone, the greatest first."""

    TOEPKONING = "toepkoning"
    RUBBER_OVER = "rubber_over"
    ARMOEDE = "armoede"
    FAULT = "fault"
    KNOCK = "knock"
    DOUBT = "doubt"
    STRUCK = "struck"


AMBER: Colour = (1.0, 0.35, 0.0)
RED: Colour = (1.0, 0.0, 0.0)
WHITE: Colour = (1.0, 1.0, 1.0)
FAINT: Colour = (0.25, 0.25, 0.25)
GOLD: Colour = (1.0, 0.7, 0.1)

FLASHES: dict[Signal, tuple[Colour, float]] = {
    Signal.TOEPKONING: (GOLD, 3.0),
    Signal.RUBBER_OVER: (WHITE, 1.5),
    Signal.ARMOEDE: (AMBER, 1.0),
    Signal.FAULT: (RED, 1.0),
    Signal.KNOCK: (WHITE, 0.12),
    Signal.DOUBT: (AMBER, 0.12),
    Signal.STRUCK: (FAINT, 0.06),
}
"""Colour and seconds."""

MELODIES: dict[Signal, Melody] = {
    Signal.TOEPKONING: (
        ("G5", 0.12), ("C6", 0.12), ("E6", 0.12), ("G6", 0.24),
        (None, 0.04), ("E6", 0.12), ("G6", 0.5),
    ),
    Signal.RUBBER_OVER: (("C6", 0.15), ("G5", 0.15), ("C5", 0.3)),
    Signal.ARMOEDE: (("E5", 0.2), (None, 0.05), ("C5", 0.35)),
    Signal.KNOCK: (("A6", 0.015),),
}  # fmt: skip
"""A fault has none: it lasts all evening, and the slate says it. What may be noise makes none."""


def signals_in(
    moments: Iterable[Moment], before: Scoreboard | None, after: Scoreboard
) -> tuple[Signal, ...]:
    """Return what happened between two looks at the table, the greatest first.

    Args:
        moments: Those between the two.
        before: None where nobody has looked yet: what stands there then is no news.
        after: The table now.
    """
    if before is None:
        return ()
    kinds = {moment.kind for moment in moments}
    happened = {
        Signal.TOEPKONING: _is_new("toepkoning", before, after),
        Signal.RUBBER_OVER: _is_new("rubber_winner", before, after),
        Signal.ARMOEDE: _is_new("armoede", before, after),
        Signal.FAULT: MomentKind.FAULT in kinds,
        Signal.KNOCK: MomentKind.KNOCK in kinds,
        Signal.DOUBT: MomentKind.DOUBT in kinds,
        Signal.STRUCK: after.struck and not before.struck,
    }
    return tuple(signal for signal in Signal if happened[signal])


def glow(board: Scoreboard) -> Colour:
    """Return how the lamp burns while *board* stands.

    Armoede before a fault: it changes what a knock may do, a fault is written on the slate.
    """
    if _flagged(board, "armoede"):
        return AMBER
    return RED if board.notices else DARK


def _flagged(board: Scoreboard, flag: str) -> set[int]:
    return {row.seat for row in board.rows if flag in row.flags}


def _is_new(flag: str, before: Scoreboard, after: Scoreboard) -> bool:
    return bool(_flagged(after, flag) - _flagged(before, flag))


class Wire(Protocol):
    """As much of a spidev as a ring needs."""

    max_speed_hz: int

    def open(self, bus: int, select: int) -> None:
        """Take the device of that bus and chip select."""
        ...

    def writebytes2(self, sent: Sequence[int]) -> None:
        """Send bytes, the highest bit first."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


RING_HZ = 6_400_000
_ZERO, _ONE = 0b1100_0000, 0b1111_0000
"""A bit of a WS2812 as a byte of 1.25 us: high for 0.31 us, or for 0.63. Each begins high and ends
low, so that the clock's rest which a Pi takes after each byte only makes a low longer, of which the
chip bears 5 us; with three or four bits for one, as others send them, it falls into a high too."""
_LATCH_BYTES = 240  # 300 us of low: newer chips (WS2812B-V5) ask for 280
_BITS = range(7, -1, -1)
_SENT = tuple(bytes(_ONE if value >> bit & 1 else _ZERO for bit in _BITS) for value in range(256))
_FULL = 255
FRAME_S = 0.05


def encode(colours: Iterable[Colour]) -> bytes:
    """Return what SPI has to send at `RING_HZ` for *colours*, the first LED first.

    WS2812B, data sheet: green, red, blue, the highest bit first, then low for long enough.
    """
    sent = [
        _SENT[round(_FULL * part)] for red, green, blue in colours for part in (green, red, blue)
    ]
    return bytes(_LATCH_BYTES) + b"".join(sent) + bytes(_LATCH_BYTES)


def within_budget(colours: Sequence[Colour], most_ma: int) -> tuple[Colour, ...]:
    """Return *colours*, darker all alike where they would take more than *most_ma* at 5 V."""
    wanted = LED_MA * sum(map(sum, colours))
    there = max(most_ma - LED_IDLE_MA * len(colours), 0)
    if wanted <= there:
        return tuple(colours)
    share = there / wanted
    return tuple((share * red, share * green, share * blue) for red, green, blue in colours)


class Sweep(Enum):
    """How a scene goes over the ring."""

    SEATS = auto()  # the seats that it is about; all of them where it is about none
    SPREAD = auto()  # from its seat to both sides, until all is lit
    RUN = auto()  # a comet around the ring, which leaves its seats lit


class RingScene(NamedTuple):
    """What a ring makes of a moment, *for_s* seconds long."""

    colour: Colour
    for_s: float
    way: Sweep


GREEN: Colour = (0.0, 1.0, 0.1)
VIOLET: Colour = (0.5, 0.0, 1.0)
SCENES: dict[str, RingScene] = {
    "crown": RingScene(GOLD, 5.0, Sweep.RUN),
    "fanfare": RingScene(GOLD, 3.0, Sweep.RUN),
    "fault": RingScene(RED, 1.0, Sweep.SEATS),
    "armoede": RingScene(AMBER, 1.5, Sweep.SEATS),
    "treats": RingScene(VIOLET, 3.0, Sweep.SEATS),
    "call": RingScene(AMBER, 1.2, Sweep.SPREAD),
    "hand": RingScene(GREEN, 1.5, Sweep.SEATS),
    "stay": RingScene(GREEN, 0.4, Sweep.SEATS),
    "fold": RingScene(RED, 0.4, Sweep.SEATS),
    "knock": RingScene(WHITE, 0.15, Sweep.SEATS),
    "doubt": RingScene(AMBER, 0.15, Sweep.SEATS),
}
"""By the name of a moment, else by its kind (`kloplei.games.moments`), the greatest first. What is
not here is shown elsewhere; nothing blinks by itself faster than `BLINK_S`."""
_RANK = {name: rank for rank, name in enumerate(SCENES)}
_POOR: Colour = (0.3, 0.1, 0.0)
_AILS: Colour = (0.3, 0.0, 0.0)
_COMET = 0.25  # of the ring
_ROUND_S = 1.0
_REST_S = math.inf


class _Playing(NamedTuple):
    name: str
    seats: tuple[Seat, ...]
    begun_s: float

    @property
    def scene(self) -> RingScene:
        return SCENES[self.name]

    def is_over(self, now_s: float) -> bool:
        return now_s >= self.begun_s + self.scene.for_s


class Ring:
    """A ring of WS2812, or a strip around the table; each LED belongs to the seat nearest to it.

    The first LED is at the middle of seat 1, the others follow clockwise, as seats do. Wiring: DIN
    to MOSI (GPIO 10) through 330 ohm behind a 74AHCT125, 5 V and GND (hw/ring.md). ::

        ring = Ring(config, schedule)
        ring.when_failed = print
        ring.show(board, moments_between(before, board))

    Args:
        config: How many LEDs there are, how bright, and for how many seats.
        schedule: Whose thread draws what moves.
        wire: In place of the real one (tests, a virtual box).

    Raises:
        SpiMissing: SPI is off, forbidden, or its package is not there.
    """

    def __init__(self, config: Config, schedule: Schedule, wire: Wire | None = None) -> None:
        self._config = config.ring
        self._seats = config.table.seats
        self._schedule = schedule
        self._lock = threading.Lock()
        self._board: Scoreboard | None = None
        self._playing: _Playing | None = None
        self._ticks = 0  # so that an old tick does not draw beside a new one
        self._closed = False
        self.when_failed: Callable[[Exception], None] = _no_matter
        self._wire = _open_wire(wire)
        self._send([DARK] * self._config.leds)

    def show(self, board: Scoreboard, moments: Sequence[Moment]) -> None:
        """Show *board*, and before it what has just happened, unless something greater plays."""
        with self._lock:
            self._board = board
            now_s = self._schedule.now_s()
            for moment in moments:
                name = moment.name if moment.name in SCENES else str(moment.kind)
                if name in SCENES and self._makes_way(name, now_s):
                    self._playing = _Playing(name, moment.seats, now_s)
            self._draw(now_s)

    def light(self, colour: Colour) -> None:
        """Burn all in *colour*, until there is something to show."""
        with self._lock:
            self._send([colour] * self._config.leds)

    def close(self) -> None:
        """Go dark and let go of the bus."""
        with self._lock:
            if not self._closed:
                self._closed = True
                # A bus that fails now has been named, or nobody looks any more.
                with suppress(OSError):
                    self._send([DARK] * self._config.leds)
                self._wire.close()

    def _makes_way(self, name: str, now_s: float) -> bool:
        playing = self._playing
        return playing is None or playing.is_over(now_s) or _RANK[name] <= _RANK[playing.name]

    def _draw(self, now_s: float) -> None:
        if self._board is None or self._closed:
            return
        colours, next_s = self._resting(self._board, now_s)
        if self._playing is not None and not self._playing.is_over(now_s):
            colours, next_s = self._moving(self._playing, colours, now_s), now_s + FRAME_S
        self._send(colours)
        if next_s < _REST_S:
            self._ticks += 1
            self._schedule.at(next_s, partial(self._tick, self._ticks))

    def _tick(self, number: int) -> None:
        try:
            with self._lock:
                if number == self._ticks:
                    self._draw(self._schedule.now_s())
        except OSError as error:
            self.when_failed(error)

    def _resting(self, board: Scoreboard, now_s: float) -> tuple[list[Colour], float]:
        """Return what lasts, and when it looks otherwise without anything having happened."""
        asked = set(board.to_answer)
        if board.doubt is not None:
            asked = (
                {board.doubt.seat}
                if board.doubt.seat is not None
                else set(map(Seat, range(self._seats)))
            )
        beats = int(now_s / BLINK_S)
        poor = _flagged(board, "armoede")
        colours = []
        for led in range(self._config.leds):
            seat = self._seat_of(led)
            if seat in asked:
                colours.append(DARK if beats % 2 else AMBER)
            elif seat in poor:
                colours.append(_POOR)
            else:
                colours.append(_AILS if board.notices and led == 0 else DARK)
        return colours, (beats + 1) * BLINK_S if asked else _REST_S

    def _moving(self, playing: _Playing, rest: list[Colour], now_s: float) -> list[Colour]:
        scene, leds = playing.scene, self._config.leds
        about = set(playing.seats) or set(map(Seat, range(self._seats)))
        age_s = now_s - playing.begun_s
        if scene.way is Sweep.SEATS:
            return [
                scene.colour if self._seat_of(led) in about else one for led, one in enumerate(rest)
            ]
        if scene.way is Sweep.SPREAD:
            reach = (0.5 / self._seats) + 0.5 * min(2 * age_s / scene.for_s, 1)
            begins = min(about) / self._seats
            return [
                scene.colour if _apart(led / leds, begins) <= reach else one
                for led, one in enumerate(rest)
            ]
        head = age_s / _ROUND_S % 1
        return [
            scene.colour
            if playing.seats and self._seat_of(led) in about
            else _dimmed(scene.colour, 1 - (head - led / leds) % 1 / _COMET)
            for led in range(leds)
        ]

    def _seat_of(self, led: int) -> int:
        return round(led * self._seats / self._config.leds) % self._seats

    def _send(self, colours: Sequence[Colour]) -> None:
        bright = [_dimmed(one, self._config.brightness) for one in colours]
        self._wire.writebytes2(encode(within_budget(bright, self._config.most_ma)))


def _open_wire(wire: Wire | None) -> Wire:
    from kloplei.devices.glass import why_no_spi

    try:
        if wire is None:
            import spidev

            wire = spidev.SpiDev()
        wire.open(RING_BUS, RING_SELECT)
        wire.max_speed_hz = RING_HZ
    except (ImportError, OSError) as error:
        why = why_no_spi(RING_BUS, RING_SELECT, error)
        raise SpiMissing(why or Sentence("signal-failed", error=str(error))) from error
    return wire


def _no_matter(_: Exception) -> None:
    pass


def _dimmed(colour: Colour, share: float) -> Colour:
    share = min(max(share, 0.0), 1.0)
    red, green, blue = colour
    return share * red, share * green, share * blue


def _apart(one: float, other: float) -> float:
    """Return how far apart two places of a ring are, which is 1 around."""
    far = abs(one - other) % 1
    return min(far, 1 - far)


_COLOURS = {"red": RED, "green": (0.0, 1.0, 0.0), "blue": (0.0, 0.0, 1.0)}


class SignalPlayer:
    """Lamp, buzzer and ring of one table; any may be None.

    A part that fails is reported by name and left alone from then on.
    """

    def __init__(
        self, lamp: Lamp | None, buzzer: Buzzer | None, inbox: Inbox, *, ring: Ring | None = None
    ) -> None:
        self._lamp = lamp
        self._buzzer = buzzer
        self._ring = ring
        if ring is not None:
            ring.when_failed = partial(self._failed, "ring")
        self._inbox = inbox
        self._before: Scoreboard | None = None
        self._closing = False
        self._lock = threading.Lock()
        self._left: set[str] = set()

    def follow(self, table: Followed) -> None:
        """Show every change of *table* from now on, on a thread of its own."""
        look_on = partial(show_all, table, self.show, lambda: self._closing, "lamp and buzzer")
        threading.Thread(target=look_on, name="signals", daemon=True).start()

    def show(self, board: Scoreboard) -> None:
        """Show what changed since the board before this one; the greatest moment only."""
        moments = moments_between(self._before, board)
        found = signals_in(moments, self._before, board)
        self._before = board
        if ring := self._ring:
            self._try("ring", lambda: ring.show(board, moments))
        if lamp := self._lamp:
            self._try("lamp", lambda: _rest(lamp, board))
            if found:
                self._try("lamp", lambda: lamp.flash(*FLASHES[found[0]]))
        if (buzzer := self._buzzer) and found and found[0] in MELODIES:
            self._try("buzzer", lambda: buzzer.play(MELODIES[found[0]]))

    def rehearse(self) -> Iterator[str]:
        """Show each colour and a melody, and go dark: whoever builds looks whether they are right.

        Yields what is to be seen or heard now.
        """
        for name, colour in _COLOURS.items():
            if (lamp := self._lamp) is not None:
                self._try("lamp", partial(lamp.glow, colour))
                yield f"lamp: {name}" if self._lamp else "lamp: it fails"
        if lamp := self._lamp:
            self._try("lamp", partial(lamp.glow, DARK))
        for name, colour in {**_COLOURS, "dark": DARK}.items():
            if (ring := self._ring) is not None:
                self._try("ring", partial(ring.light, colour))
                yield f"ring: {name}" if self._ring else "ring: it fails"
        if (buzzer := self._buzzer) and buzzer.quiet:
            yield "buzzer: silent, for [buzzer] quiet is true"
        elif buzzer:
            self._try("buzzer", partial(buzzer.play, MELODIES[Signal.TOEPKONING]))
            yield "buzzer: a melody" if self._buzzer else "buzzer: it fails"

    def close(self) -> None:
        """Stop showing; the thread ends at the table's next sign of life."""
        self._closing = True

    def _try(self, part: str, do: Callable[[], None]) -> None:
        try:
            do()
        except Exception as error:  # noqa: BLE001 - each pin library brings its own errors
            self._failed(part, error)

    def _failed(self, part: str, error: Exception) -> None:
        """Name *part* once and leave it alone; two threads may find out at the same time."""
        with self._lock:
            if self._closing or part in self._left:
                return  # the part was closed under our hands, or somebody was told
            self._left.add(part)
        logger.error("the %s failed", part, exc_info=error)
        self._inbox.put(PartFailed(part, Sentence("signal-failed", error=str(error))))
        match part:
            case "lamp":
                self._lamp = None
            case "ring":
                self._ring = None
            case _:
                self._buzzer = None


def _rest(lamp: Lamp, board: Scoreboard) -> None:
    """Let *lamp* show what lasts; a doubt blinks, for armoede glows amber as well."""
    if board.doubt is not None:
        lamp.blink(AMBER)
    else:
        lamp.glow(glow(board))
