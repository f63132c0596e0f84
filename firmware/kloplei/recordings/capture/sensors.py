"""The sensors of the box, opened for nothing but to be recorded; or a sentence why they are not.

`VirtualTable` is a table that is not there, with people who do as they are told: a bench without
hardware.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from math import pi, sin
from random import Random
from typing import TYPE_CHECKING

from kloplei.config.settings import Config, SeatPins
from kloplei.config.wiring import adc_pins
from kloplei.devices.adc import BlockSource
from kloplei.devices.pins import FaultRegistry, PinsMissing, open_factory, why_part_failed
from kloplei.devices.schedule import Schedule
from kloplei.devices.sensors import open_sampling
from kloplei.devices.virtual import VirtualPiezos
from kloplei.diagnostics.pins import demand_stopped
from kloplei.files import KlopleiError
from kloplei.frozen import dataclass, replace
from kloplei.games.game import Seat
from kloplei.knock.geometry import Spot
from kloplei.knock.judgement import PIEZOS
from kloplei.knock.signal import Block
from kloplei.recordings.capture.protocol import LEAD_S, ProtocolStep
from kloplei.simulation.blows import Blow
from kloplei.simulation.coupling import Coupling
from kloplei.simulation.table_top import TableTop, airborne
from kloplei.table.messages import PartFailed, PartHealed, Trouble

if TYPE_CHECKING:
    from gpiozero import Factory

_log = logging.getLogger(__name__)

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
            _log.debug("%s: %r", PIEZOS, error)
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


RATE_HZ = 4000.0
_WOOD = 7  # which of many plausible tables
_BEAT = 1  # how well people keep it, of many ways
_HAND_S = 0.07  # how well people keep the beat
_OFF_M = 0.01  # nobody hits the same spot twice
_TRAIN_S = 0.26  # between knocks that belong together
_MAINS_HZ = 50.0
_HUM = 0.04  # of full scale, while a lamp is switched
_HUM_S = 1.0  # that lamp
_GOES_ON_S = 2.0  # how often what lasts begins anew
_VARIETY = 2  # blows of a kind at a place

_Wave = Sequence[Sequence[float]]

_BLOWS: Mapping[str, tuple[Blow, float | None]] = {
    "soft": (Blow.KNUCKLE, 8.0),
    "usual": (Blow.KNUCKLE, 25.0),
    "hard": (Blow.KNUCKLE, 60.0),
    "finger": (Blow.KNUCKLE, 14.0),
    "fist": (Blow.KNUCKLE, 80.0),
    "twice": (Blow.KNUCKLE, 22.0),
    "thrice": (Blow.KNUCKLE, 22.0),
    "together": (Blow.KNUCKLE, 25.0),
    "glass": (Blow.GLASS, None),
    "coin": (Blow.CHIPS, None),
    "cards": (Blow.CARD, None),
    "dice": (Blow.DICE, None),
    "phone": (Blow.PHONE, None),
    "elbow": (Blow.ELBOW, None),
}


def virtual_config(settings: Config, seats: int) -> Config:
    """Return *settings* with so many *seats*, a piezo at each, and neither slate nor header."""
    return replace(
        settings,
        table=replace(settings.table, seats=seats),
        seats=tuple(SeatPins(piezo=at) for at in range(seats)),
        adc=replace(settings.adc, enabled=True, rate_hz=RATE_HZ, corners=()),
        audio=replace(settings.audio, enabled=False),
        slate=replace(settings.slate, driver="none", language=settings.slate_language),
    )


class VirtualPeople:
    """People at a virtual *top* who do what is asked for, on the beat: *piezos* feel it.

    Args:
        piezos: A disc for each of the top's sensors.
        top: What they sit at.
    """

    def __init__(self, piezos: VirtualPiezos, top: TableTop) -> None:
        self._piezos = piezos
        self._top = top
        self._luck = Random(_BEAT)  # noqa: S311 - when a hand comes down is no secret

    def oblige(self, step: ProtocolStep, begun_s: float) -> None:
        """Let people do what *step* asks for, on its beats after *begun_s*."""
        for beat_s in step.beats_s:
            for seat in step.seats or (None,):
                at_s = begun_s + beat_s + self._luck.gauss(0, _HAND_S)
                for number in range(step.kind.blows):
                    self._piezos.play(self._blow(step.kind.name, seat), at_s + number * _TRAIN_S)
        if not step.beats_s:
            self._do_what_lasts(step, begun_s + LEAD_S)

    def _do_what_lasts(self, step: ProtocolStep, from_s: float) -> None:
        """Do what lasts, such as a phone that buzzes."""
        for at in range(int(step.kind.lasting_s / _GOES_ON_S)):
            at_s = from_s + at * _GOES_ON_S
            match step.kind.name:
                case "phone":
                    self._piezos.play(self._blow("phone", None), at_s)
                case "mains":
                    self._piezos.play(_hum(self._piezos.channels), at_s)
                case "talk":
                    self._piezos.play(_voices(self._piezos.channels), at_s)

    def _blow(self, kind: str, seat: Seat | None) -> _Wave:
        """Return one of a few blows of *kind*, before *seat* or in the middle."""
        return _struck(self._top, kind, seat, self._luck.randrange(_VARIETY), self._piezos.rate_hz)


class VirtualTable(VirtualPiezos):
    """Virtual piezos, a disc at each of *seats*; what is asked for happens on the beat.

    Args:
        schedule: The clock; blocks come from its thread.
        seats: How many sit there.
        couplings: How the discs are stuck on; they are glued unless it says otherwise.
    """

    def __init__(self, schedule: Schedule, seats: int, couplings: Sequence[Coupling] = ()) -> None:
        top = _top(seats, tuple(couplings))
        super().__init__(schedule, len(top.sensors), RATE_HZ, rests=False)
        self.oblige = VirtualPeople(self, top).oblige

    def sensors(self) -> Sensors:
        """Return this as what is recorded."""
        return Sensors(self, Troubles(), rate_hz=lambda: RATE_HZ)


@cache
def _top(seats: int, couplings: tuple[Coupling, ...]) -> TableTop:
    return TableTop.of_seed(_WOOD, seats=seats, couplings=couplings)


@cache
def _struck(top: TableTop, kind: str, seat: Seat | None, seed: int, rate_hz: float) -> _Wave:
    middle = Spot(top.plate.length_m / 2, top.plate.width_m / 2)
    near = Random(f"{kind} {seat} {seed}")  # noqa: S311
    spot = (middle if seat is None else top.seats[seat]).moved(
        near.gauss(0, _OFF_M), near.gauss(0, _OFF_M)
    )
    blow, force_n = _BLOWS[kind]
    return top.sampled(blow, spot, rate_hz, force_n=force_n, seed=seed)


@cache
def _voices(channels: int) -> _Wave:
    sound = airborne()
    voice = [sound(0, at / RATE_HZ) for at in range(round(_GOES_ON_S * RATE_HZ))]
    return [voice] * channels


@cache
def _hum(channels: int) -> _Wave:
    hum = [_HUM * sin(2 * pi * _MAINS_HZ * at / RATE_HZ) for at in range(round(_HUM_S * RATE_HZ))]
    return [hum] * channels
