"""The sensors of the box, opened for nothing but to be recorded; or a sentence why they are not.

A table that is not there, with people who do as they are told, is in `kloplei.demo.wood`.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from kloplei.config.settings import Config
from kloplei.config.wiring import adc_pins
from kloplei.devices.adc import BlockSource
from kloplei.devices.pins import FaultRegistry, PinsMissing, open_factory, why_part_failed
from kloplei.devices.sensors import open_sampling
from kloplei.diagnostics.pins import demand_stopped
from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.knock.judgement import PIEZOS
from kloplei.knock.signal import Block
from kloplei.table.messages import PartFailed, PartHealed, Trouble

if TYPE_CHECKING:
    from gpiozero import Factory

logger = logging.getLogger(__name__)

_DEADLY = (Trouble.PART, Trouble.STUCK)
WAITING_S = 10.0  # a card that writes nothing for so long loses samples, and that is noted


class CannotRecord(KlopleiError):
    """There is nothing that could be recorded here; the sentence says why, and what to do."""


class Troubles:
    """The inbox of a box that has no table: keeps what is wrong now, part by part."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._told: dict[str, PartFailed] = {}

    def put(self, message: object) -> None:
        """Note a part that failed, and forget one that healed; nothing else matters here."""
        with self._lock:
            match message:
                case PartFailed():
                    self._told[message.part] = message
                case PartHealed(part):
                    self._told.pop(part, None)

    def of(self, part: str) -> str | None:
        """Return what is wrong with *part*, None if nothing is."""
        with self._lock:
            return self._told[part].message if part in self._told else None

    def why_dead(self, part: str) -> str | None:
        """Return why *part* gives nothing at all, None if it does, however badly."""
        with self._lock:
            told = self._told.get(part)
        return told.message if told is not None and told.trouble in _DEADLY else None


class BoxTroubles(Troubles):
    """What is wrong with the sensors of a box whose table runs; *ask* tells it part by part."""

    def __init__(self, ask: Callable[[str], PartFailed | None]) -> None:
        super().__init__()
        self._ask = ask

    def of(self, part: str) -> str | None:
        """Return what is wrong with *part*, None if nothing is."""
        told = self._ask(part)
        return None if told is None else told.message

    def why_dead(self, part: str) -> str | None:
        """Return why *part* gives nothing at all, None if it does, however badly."""
        told = self._ask(part)
        return told.message if told is not None and told.trouble in _DEADLY else None


class Intake:
    """Blocks on their way from the thread that reads to the one that writes; memory bounded.

    What does not fit in is left out, and shows as a gap in the times of the blocks.
    """

    def __init__(self, waiting_s: float = WAITING_S) -> None:
        self._waiting_s = waiting_s
        self._lock = threading.Lock()
        self._blocks: deque[Block] = deque()
        self._from_s: float | None = None
        self.has_heard = False
        """Whether any block has come since this was made."""

    def take(self, block: Block) -> None:
        """Take *block* in, if it is wanted and there is room."""
        with self._lock:
            self.has_heard = True
            if self._from_s is None or block.start_s < self._from_s:
                return
            if not self._blocks or block.end_s - self._blocks[0].start_s <= self._waiting_s:
                self._blocks.append(block)

    def listen(self, from_s: float) -> None:
        """Keep what is sampled from *from_s* on."""
        with self._lock:
            self._blocks.clear()
            self._from_s = from_s

    def rest(self) -> None:
        """Keep nothing more."""
        with self._lock:
            self._blocks.clear()
            self._from_s = None

    def blocks(self) -> list[Block]:
        """Return what has come since this was asked."""
        with self._lock:
            blocks = list(self._blocks)
            self._blocks.clear()
            return blocks


@dataclass(frozen=True, slots=True)
class Sensors:
    """What is recorded: *source*, not yet started; *pins* may serve a slate as well.

    *rate_hz* and *bridged* tell how it is read now: rounds a second, and rounds drawn straight.
    """

    source: BlockSource
    troubles: Troubles
    rate_hz: Callable[[], float]
    bridged: Callable[[], int] = lambda: 0
    pins: "Factory | None" = None


@contextmanager
def open_sensors(config: Config) -> Iterator[Sensors]:
    """Give the piezos of *config*, with nothing else of the box opened.

    Raises:
        CannotRecord: It has none, or they cannot be reached.
        TableHasThem: A table runs.
    """
    check_can_record(config)
    troubles = Troubles()
    with ExitStack() as opened:
        pins = None if config.audio.enabled else _opened_pins(config)
        if pins is not None:
            opened.callback(pins.close)
        try:
            source = open_sampling(config, pins, FaultRegistry(troubles))
        except Exception as error:
            logger.debug("%s: %r", PIEZOS, error)
            raise CannotRecord(why_part_failed(error, *adc_pins(config.adc))) from error
        opened.callback(source.close)
        yield Sensors(
            source,
            troubles,
            rate_hz=lambda: source.pace.reached_hz or config.sampled_hz,
            bridged=lambda: source.pace.drawn,
            pins=pins,
        )


def check_can_record(config: Config) -> None:
    """See to it that *config* has waves to record, and that nobody else listens to them.

    Raises:
        CannotRecord: It has none.
        TableHasThem: A table runs.
    """
    if not config.piezos:
        raise CannotRecord(
            "This box has no piezos on a converter. Its pads give edges, not waves, so there is "
            "nothing to record: see how they answer with kloplei doctor, or wire a converter "
            "(docs/sensors.md), or plug in a sound card (hw/audio.md)"
        )
    if config.pins.factory == "mock" and not config.audio.enabled:
        raise CannotRecord(
            'The settings say [pins] factory = "mock", which has no sensors. Try it on a table '
            "that is not there: kloplei listen --record FOLDER --virtual"
        )
    # The kernel would let two programs read one converter, and both would get half of it.
    demand_stopped(config.socket.path)


def _opened_pins(config: Config) -> "Factory":
    try:
        return open_factory(config.pins.factory)
    except PinsMissing as error:
        raise CannotRecord(f"The header cannot be reached: {error}") from error
