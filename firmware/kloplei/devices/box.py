"""All that is wired to the header, opened and closed as one; the slate on request."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from gpiozero import Factory

from kloplei.config.settings import Config
from kloplei.devices.hearing import InboxHearer
from kloplei.devices.inputs import ButtonRow
from kloplei.devices.oled import open_slate
from kloplei.devices.pins import FaultRegistry, PinsMissing, open_factory, why_part_failed
from kloplei.devices.schedule import Schedule, ThreadSchedule
from kloplei.devices.sensors import SENSORS, Discs, Opening, OpenSensors
from kloplei.devices.signals import Buzzer, Lamp, Ring, SignalPlayer
from kloplei.knock.judgement import Hearer
from kloplei.table.client import Followed
from kloplei.table.messages import Inbox, PartFailed
from kloplei.words import sentence_of

if TYPE_CHECKING:
    from kloplei.devices.adc import TakeBlock
    from kloplei.devices.sampling import Pace
    from kloplei.knock.calibration import Calibration

logger = logging.getLogger(__name__)

P = TypeVar("P", bound="Closable")


class Closable(Protocol):
    """A part that lets go of its pins."""

    def close(self) -> None:
        """Let go of them."""
        ...


class Box:
    """Pads, piezos, buttons, lamp, ring and buzzer of *config*, tied to *inbox*.

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
        self._buttons: ButtonRow | None = None
        self._discs: Discs | None = None
        self._sensors: list[OpenSensors] = []
        self._failed: list[str] = []
        self._faults = FaultRegistry(inbox)
        self._hearer = hearer or InboxHearer(inbox)
        self._schedule = schedule or self._open_schedule()
        self._pins = pin_factory or self._open_factory()
        self._open_sensors(calibration)
        if self._pins is not None:
            self._buttons = ButtonRow(config, inbox, self._pins, self._schedule, self._faults)
            self._opened.callback(self._buttons.close)
        self._player = SignalPlayer(
            self._open_lamp(), self._open_buzzer(), inbox, ring=self._open_ring()
        )
        self._opened.callback(self._player.close)

    def follow(self, table: Followed) -> None:
        """Let lamp, ring and buzzer show what happens on *table*."""
        self._player.follow(table)

    def rehearse(self) -> Iterator[str]:
        """Let lamp, ring and buzzer show what they can, one thing at a time; yields what it is."""
        return self._player.rehearse()

    def open_slate(self, number: int = 0) -> Any:
        """Open that OLED of the settings; see `kloplei.devices.oled.open_slate`."""
        slate = self._config.slates[1] if number else self._config.slate
        return open_slate(slate, pin_factory=self._pins)

    def close(self) -> None:
        """Let go of every pin, the last opened first; may be called twice."""
        self._opened.close()

    def calibrate(self, calibration: "Calibration") -> None:
        """Judge by *calibration* from now on."""
        if self._discs is not None:
            self._discs.calibrate(calibration)

    def overhear(self, take: "TakeBlock | None") -> None:
        """Let *take* have what the piezos give, and judge none of it; None judges again."""
        if self._discs is not None:
            self._discs.overhear(take)

    def trouble_of(self, part: str) -> PartFailed | None:
        """Return the worst trouble of *part* or of its wires, None where it has none."""
        return self._faults.worst(part)

    @property
    def held_down(self) -> tuple[str, ...]:
        """The names of pads and buttons that are down now."""
        buttons = () if self._buttons is None else self._buttons.held_down
        return (*(part for kind in self._sensors for part in kind.held_down), *buttons)

    @property
    def is_calm(self) -> bool:
        """Whether no sensor stirs, as one does that ails; piezos always do."""
        return all(kind.is_calm for kind in self._sensors)

    @property
    def pace(self) -> "Pace | None":
        """How well the converter of the piezos is read; None where none is."""
        return None if self._discs is None else self._discs.pace

    @property
    def why_deaf(self) -> str | None:
        """Why no sensor hears anything, in a few words; None where one does."""
        if self._sensors:
            return None
        return "; ".join(self._failed) or "no knock pad and no piezo is set up (docs/config.md)"

    def _open_sensors(self, calibration: "Calibration | None") -> None:
        kinds = [kind for kind in SENSORS if kind.fitted(self._config)]
        hearers = self._hearers([kind.name for kind in kinds])
        for kind in kinds:
            opening = Opening(
                self._config,
                self._pins,
                self._schedule,
                hearers[kind.name],
                self._faults,
                calibration,
            )
            opened = self._open(kind.name, kind.pins(self._config), partial(kind.open, opening))
            if opened is not None:
                self._sensors.append(opened)
            if isinstance(opened, Discs):
                self._discs = opened

    def _hearers(self, kinds: Sequence[str]) -> Mapping[str, Hearer]:
        """Return who hears each of *kinds*; on one table top they feel the same blow."""
        if len(kinds) < 2:
            return dict.fromkeys(kinds, self._hearer)
        from kloplei.devices.hearing import JointHearing
        from kloplei.knock.fusion import TOGETHER_S

        together_s = max(TOGETHER_S, self._config.timing.crosstalk_s)
        return JointHearing(self._hearer, self._schedule, kinds, together_s).sides

    def _open_schedule(self) -> Schedule:
        schedule = ThreadSchedule()
        self._opened.callback(schedule.close)
        return schedule

    def _open_factory(self) -> Factory | None:
        try:
            factory = self._chosen_factory()
        except PinsMissing as error:
            logger.warning("%s", error)
            self._inbox.put(PartFailed("pins", sentence_of(error)))
            self._failed.append(str(error))
            return None
        self._opened.callback(factory.close)
        return factory

    def _chosen_factory(self) -> Factory:
        if self._config.pins.factory != "mock":
            return open_factory(self._config.pins.factory)
        # A real box never imports gpiozero's mock pins.
        from kloplei.devices.virtual import VirtualPins, virtual_piezos

        return VirtualPins(self._schedule, virtual_piezos(self._config, self._schedule))

    def _open_lamp(self) -> Lamp | None:
        lamp = self._config.lamp
        if not lamp.enabled:
            return None
        pins = (lamp.red, lamp.green, lamp.blue)
        return self._open("lamp", pins, lambda: Lamp(lamp, self._schedule, self._pins))

    def _open_ring(self) -> Ring | None:
        if not self._config.ring.enabled:
            return None
        wire = None
        if self._config.pins.factory == "mock":
            from kloplei.devices.virtual import VirtualRing

            wire = VirtualRing()
        return self._open("ring", (), lambda: Ring(self._config, self._schedule, wire))

    def _open_buzzer(self) -> Buzzer | None:
        buzzer = self._config.buzzer
        if not buzzer.enabled:
            return None
        pins = (buzzer.pin,)
        return self._open("buzzer", pins, lambda: Buzzer(buzzer, self._schedule, self._pins))

    def _open(self, part: str, pins: tuple[int, ...], open_it: Callable[[], P]) -> P | None:
        if self._pins is None and pins:
            return None  # a sound card hangs on none
        try:
            opened = open_it()
        except Exception as error:  # noqa: BLE001 - each pin library brings its own errors
            logger.warning("%s: %r", part, error)
            why = why_part_failed(error, *pins)
            self._inbox.put(PartFailed(part, why))
            self._failed.append(str(why))
            return None
        self._opened.callback(opened.close)
        return opened
