"""Lamp and buzzer: what they make of the scoreboard, moments to signal and a glow that lasts.

Wiring: `Lamp`, an RGB LED; `Buzzer`, a passive piezo. `SignalPlayer` follows the table on a thread
of its own and plays what is new; a part that fails is named once and left alone from then on.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from enum import Enum
from functools import partial

from gpiozero import RGBLED, Factory, TonalBuzzer
from gpiozero.tones import Tone

from kloplei.config.settings import BuzzerConfig, LampConfig
from kloplei.devices.schedule import Schedule
from kloplei.files import KlopleiError
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import Followed
from kloplei.table.messages import Inbox, PartFailed
from kloplei.words import Sentence

_log = logging.getLogger(__name__)

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


def signals(before: Scoreboard | None, after: Scoreboard) -> tuple[Signal, ...]:
    """Return what happened between two looks at the table, the greatest first.

    *before* None means that nobody has looked yet: what stands there then is no news.
    """
    if before is None:
        return ()
    happened = {
        Signal.TOEPKONING: _is_new("toepkoning", before, after),
        Signal.RUBBER_OVER: _is_new("rubber_winner", before, after),
        Signal.ARMOEDE: _is_new("armoede", before, after),
        Signal.FAULT: any(notice not in before.notices for notice in after.notices),
        Signal.KNOCK: _knocked(before, after) and not _in_doubt(after),
        Signal.DOUBT: _knocked(before, after) and _in_doubt(after),
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


def _in_doubt(board: Scoreboard) -> bool:
    return board.heard is not None and board.heard.doubtful


def _knocked(before: Scoreboard, after: Scoreboard) -> bool:
    """Tell whether the growing pattern grew by a knock, or another has begun."""
    was, heard = before.heard, after.heard
    if heard is None or not heard.knocks:
        return False
    return was is None or (was.seat, was.knocks) != (heard.seat, heard.knocks)


_COLOURS = {"red": RED, "green": (0.0, 1.0, 0.0), "blue": (0.0, 0.0, 1.0)}


class SignalPlayer:
    """Lamp and buzzer of one table; either may be None.

    A part that fails is reported by name and left alone from then on.
    """

    def __init__(self, lamp: Lamp | None, buzzer: Buzzer | None, inbox: Inbox) -> None:
        self._lamp = lamp
        self._buzzer = buzzer
        self._inbox = inbox
        self._before: Scoreboard | None = None
        self._closing = False

    def follow(self, table: Followed) -> None:
        """Show every change of *table* from now on, on a thread of its own."""
        threading.Thread(target=self._follow, args=(table,), name="signals", daemon=True).start()

    def show(self, board: Scoreboard) -> None:
        """Show what changed since the board before this one; the greatest moment only."""
        moments = signals(self._before, board)
        self._before = board
        if lamp := self._lamp:
            self._try("lamp", lambda: _rest(lamp, board))
            if moments:
                self._try("lamp", lambda: lamp.flash(*FLASHES[moments[0]]))
        if (buzzer := self._buzzer) and moments and moments[0] in MELODIES:
            self._try("buzzer", lambda: buzzer.play(MELODIES[moments[0]]))

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
        if (buzzer := self._buzzer) and buzzer.quiet:
            yield "buzzer: silent, for [buzzer] quiet is true"
        elif buzzer:
            self._try("buzzer", partial(buzzer.play, MELODIES[Signal.TOEPKONING]))
            yield "buzzer: a melody" if self._buzzer else "buzzer: it fails"

    def close(self) -> None:
        """Stop showing; the thread ends at the table's next sign of life."""
        self._closing = True

    def _follow(self, table: Followed) -> None:
        try:
            for board in table.follow():
                if self._closing:
                    return
                if board is not None:
                    self.show(board)
        except KlopleiError:
            _log.exception("lamp and buzzer lost sight of the table")

    def _try(self, part: str, do: Callable[[], None]) -> None:
        try:
            do()
        except Exception as error:  # noqa: BLE001 - each pin library brings its own errors
            if self._closing:
                return  # the part was closed under our hands
            _log.exception("the %s failed", part)
            self._inbox.put(PartFailed(part, Sentence("signal-failed", error=str(error))))
            if part == "lamp":
                self._lamp = None
            else:
                self._buzzer = None


def _rest(lamp: Lamp, board: Scoreboard) -> None:
    """Let *lamp* show what lasts; a doubt blinks, for armoede glows amber as well."""
    if board.doubt is not None:
        lamp.blink(AMBER)
    else:
        lamp.glow(glow(board))
