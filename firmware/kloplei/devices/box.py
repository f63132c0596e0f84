"""All that is wired to the header, opened and closed as one; the slate on request."""

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from gpiozero import Factory

from kloplei.config import Config
from kloplei.config.wiring import adc_pins
from kloplei.devices.hearing import InboxHearer
from kloplei.devices.inputs import Inputs
from kloplei.devices.oled import open_slate
from kloplei.devices.pins import FaultRegistry, PinsMissing, open_factory, why_part_failed
from kloplei.devices.schedule import Schedule, ThreadSchedule
from kloplei.devices.signals import Buzzer, Lamp, SignalPlayer
from kloplei.knock.judgement import PIEZOS, Hearer
from kloplei.table.client import TableClient
from kloplei.table.messages import Inbox, PartFailed
from kloplei.words import sentence_of

if TYPE_CHECKING:
    from kloplei.devices.adc import BlockSource
    from kloplei.devices.piezos import Piezos
    from kloplei.devices.sampling import AdcSource, Pace
    from kloplei.knock.calibration import Calibration
    from kloplei.knock.detector import Listener

_log = logging.getLogger(__name__)

P = TypeVar("P", bound="Closable")


class Closable(Protocol):
    """A part that lets go of its pins."""

    def close(self) -> None:
        """Let go of them."""
        ...


class Box:
    """Pads, piezos, buttons, lamp and buzzer of *config*, tied to *inbox*.

    Whatever does not open is reported by name as `PartFailed` and left out, be it the whole
    header. For a virtual box, give its *pin_factory* and *schedule*; what is given here is
    not closed here.

    Args:
        config: What is wired where.
        inbox: Where presses, knocks and faults go.
        pin_factory: The pins; None for those of *config*.
        schedule: The clock; None for the real one.
        hearer: Where blows go, noise included; None lets knocks into *inbox*.
        calibration: What this table has taught; None for the defaults.
    """

    def __init__(
        self,
        config: Config,
        inbox: Inbox,
        *,
        pin_factory: Factory | None = None,
        schedule: Schedule | None = None,
        hearer: Hearer | None = None,
        calibration: "Calibration | None" = None,
    ) -> None:
        self._config = config
        self._inbox = inbox
        self._opened = ExitStack()
        self._inputs: Inputs | None = None
        self._piezos: Piezos | None = None
        self._adc: AdcSource | None = None
        self._faults = FaultRegistry(inbox)
        self._hearer = hearer or InboxHearer(inbox)
        self._schedule = schedule or self._open_schedule()
        for_pads, self._for_piezos = self._hearers()
        self._pins = pin_factory or self._open_factory()
        if self._pins is not None:
            self._inputs = Inputs(
                config,
                inbox,
                self._pins,
                self._schedule,
                hearer=for_pads,
                faults=self._faults,
            )
            self._opened.callback(self._inputs.close)
            self._piezos = self._open_piezos(calibration)
        self._player = SignalPlayer(self._open_lamp(), self._open_buzzer(), inbox)
        self._opened.callback(self._player.close)

    def follow(self, table: TableClient) -> None:
        """Let lamp and buzzer show what happens on *table*."""
        self._player.follow(table)

    def rehearse(self) -> Iterator[str]:
        """Let lamp and buzzer show what they can, one thing at a time; yields what it is."""
        return self._player.rehearse()

    def open_slate(self) -> Any:
        """Open the OLED of the settings; see `kloplei.devices.oled.open_slate`."""
        return open_slate(self._config.slate, pin_factory=self._pins)

    def close(self) -> None:
        """Let go of every pin, the last opened first; may be called twice."""
        self._opened.close()

    def calibrate(self, calibration: "Calibration") -> None:
        """Judge by *calibration* from now on."""
        if self._piezos is not None:
            self._piezos.feed_to(self._listener(calibration).feed)

    @property
    def held_down(self) -> tuple[str, ...]:
        """The names of pads and buttons that are down now."""
        return () if self._inputs is None else self._inputs.held_down

    @property
    def pace(self) -> "Pace | None":
        """How well the converter of the piezos is read; None where none is."""
        return None if self._adc is None else self._adc.pace

    def _hearers(self) -> tuple[Hearer, Hearer]:
        """Return who hears pads and who hears piezos; on one table top they feel the same."""
        if not (self._config.pads and self._config.piezos):
            return self._hearer, self._hearer
        from kloplei.devices.hearing import JointHearing
        from kloplei.knock.fusion import TOGETHER_S

        together_s = max(TOGETHER_S, self._config.timing.crosstalk_s)
        joint = JointHearing(self._hearer, self._schedule, together_s)
        return joint.pads, joint.piezos

    def _open_piezos(self, calibration: "Calibration | None") -> "Piezos | None":
        if not self._config.piezos:
            return None
        # Most boxes have no discs: what hears them is imported where there are some.
        from kloplei.devices.piezos import Piezos, piezo_name

        source = self._open(PIEZOS, adc_pins(self._config.adc), self._open_source)
        if source is None:
            return None
        names = [piezo_name(channel, seat) for channel, seat in self._config.piezos]
        feed = self._listener(calibration).feed
        piezos = Piezos(source, names, feed, self._for_piezos, self._faults)
        self._opened.callback(piezos.close)
        return piezos

    def _open_source(self) -> "BlockSource":
        # A box that nobody can touch brings its discs along with its pins.
        virtual: BlockSource | None = getattr(self._pins, "piezos", None)
        if virtual is not None:
            return virtual
        from kloplei.devices.adc import open_converter
        from kloplei.devices.sampling import AdcSource

        channels = tuple(channel for channel, _ in self._config.piezos)
        adc = self._config.adc
        converter = open_converter(adc, channels, self._pins)
        self._adc = AdcSource(converter, len(channels), adc.rate_hz, self._faults)
        return self._adc

    def _listener(self, calibration: "Calibration | None") -> "Listener":
        from kloplei.knock.detector import Listener

        return Listener([seat for _, seat in self._config.piezos], calibration)

    def _open_schedule(self) -> Schedule:
        schedule = ThreadSchedule()
        self._opened.callback(schedule.close)
        return schedule

    def _open_factory(self) -> Factory | None:
        try:
            factory = self._chosen_factory()
        except PinsMissing as error:
            _log.warning("%s", error)
            self._inbox.put(PartFailed("pins", sentence_of(error)))
            return None
        self._opened.callback(factory.close)
        return factory

    def _chosen_factory(self) -> Factory:
        if self._config.pins.factory != "mock":
            return open_factory(self._config.pins.factory)
        from kloplei.devices.virtual import VirtualPins, virtual_piezos

        return VirtualPins(self._schedule, virtual_piezos(self._config, self._schedule))

    def _open_lamp(self) -> Lamp | None:
        lamp = self._config.lamp
        if not lamp.enabled:
            return None
        pins = (lamp.red, lamp.green, lamp.blue)
        return self._open("lamp", pins, lambda: Lamp(lamp, self._schedule, self._pins))

    def _open_buzzer(self) -> Buzzer | None:
        buzzer = self._config.buzzer
        if not buzzer.enabled:
            return None
        pins = (buzzer.pin,)
        return self._open("buzzer", pins, lambda: Buzzer(buzzer, self._schedule, self._pins))

    def _open(self, part: str, pins: tuple[int, ...], open_it: Callable[[], P]) -> P | None:
        if self._pins is None:
            return None
        try:
            opened = open_it()
        except Exception as error:  # noqa: BLE001 - each pin library brings its own errors
            _log.warning("%s: %r", part, error)
            self._inbox.put(PartFailed(part, why_part_failed(error, *pins)))
            return None
        self._opened.callback(opened.close)
        return opened
