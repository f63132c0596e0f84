"""The sensors that hear knocks, one row a kind: what is fitted, how it opens, how long to listen.

`SENSORS` is the one list of them. The box opens what is fitted of each kind and joins what they
feel, the doctor tells which are quiet and which are held down.
Whoever adds a kind writes its settings (`kloplei.config.settings`), its pins
(`kloplei.config.wiring`), a module that opens it, a row here, and its sections in docs/config.md
and docs/sensors.md. What the doctor could find besides is a check in
`kloplei.diagnostics.sensors.CHECKS`, with words of its own.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from kloplei.config.settings import SLOW_HZ, Config
from kloplei.config.wiring import adc_pins
from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.knock.judgement import PIEZOS, Hearer, piezo_name

# Openers import what they need when they run: most boxes have one kind of sensors only, and a
# doctor that asks a running table opens none.
if TYPE_CHECKING:
    from kloplei.devices.adc import Converter, TakeBlock
    from kloplei.devices.pins import FaultRegistry
    from kloplei.devices.sampling import AdcSource, DiscSource, Pace
    from kloplei.devices.schedule import Schedule
    from kloplei.knock.calibration import Calibration
    from kloplei.knock.detector import Listener


class Fitted(NamedTuple):
    """One sensor: what it is called, and whose it is, None where it hears for all."""

    part: str
    seat: Seat | None


class Opening(NamedTuple):
    """What a kind of sensors is opened with; *pins* is a gpiozero factory."""

    config: Config
    pins: Any
    schedule: "Schedule"
    hearer: Hearer
    faults: "FaultRegistry"
    calibration: "Calibration | None"


class OpenSensors(Protocol):
    """All sensors of one kind, listening."""

    @property
    def held_down(self) -> tuple[str, ...]:
        """The names of those that are down now."""
        ...

    @property
    def is_calm(self) -> bool:
        """Whether nothing of it stirs, by which one that ails would be known at once."""
        ...

    def close(self) -> None:
        """Hear nothing more, and let go of the pins; may be called twice."""
        ...


@dataclass(frozen=True, slots=True)
class SensorKind:
    """One kind of sensors.

    Args:
        name: What faults and findings call all of them.
        quiet_s: Seconds of quiet that show what is wrong with one.
        fitted: Which of them the settings wire.
        pins: The BCM pins that they take.
        open: Opens them; what fails as a whole is raised in the words of the pin library.
    """

    name: str
    quiet_s: float
    fitted: Callable[[Config], tuple[Fitted, ...]]
    pins: Callable[[Config], tuple[int, ...]]
    open: Callable[[Opening], OpenSensors]


class Discs:
    """The piezos of a box, and the converter that reads them."""

    def __init__(self, opening: Opening) -> None:
        from kloplei.devices.piezos import Piezos

        self._config = opening.config
        self._hears = self._listener(opening.calibration)
        self._source = open_source(opening)
        self._piezos = Piezos(
            self._source,
            [one.part for one in _fitted_piezos(opening.config)],
            self._hears.feed,
            opening.hearer,
            opening.faults,
        )

    @property
    def held_down(self) -> tuple[str, ...]:
        """None of them: a disc feels what moves."""
        return ()

    @property
    def is_calm(self) -> bool:
        """They never are: of a disc that feels nothing more than noise tells."""
        return False

    @property
    def pace(self) -> "Pace | None":
        """How well the converter is read; None where it is a virtual one."""
        return self._source.pace

    def calibrate(self, calibration: "Calibration") -> None:
        """Judge by *calibration* from the next block on."""
        if not self._hears.learn(calibration):
            self._hears = self._listener(calibration)
            self._piezos.feed_to(self._hears.feed)

    def overhear(self, take: "TakeBlock | None") -> None:
        """Let *take* have every block as it was sampled, and judge none; None judges again."""
        self._source.stay_awake(take is not None)
        self._piezos.overhear(take)

    def close(self) -> None:
        """Hear nothing more; may be called twice."""
        self._piezos.close()

    def _listener(self, calibration: "Calibration | None") -> "Listener":
        from kloplei.knock.detector import Listener

        seats = [seat for _, seat in self._config.piezos]
        told = calibration.wood if calibration is not None else None
        return Listener(seats, calibration, geometry=self._config.geometry_by(told))


def open_source(opening: Opening) -> "DiscSource":
    """Return where the blocks of the piezos come from.

    Raises:
        gpiozero.GPIOPinInUse: Another device holds one of the pins.
        OSError: The kernel's SPI device is not to be had.
    """
    # A box that nobody can touch brings its discs along with its pins; a sound card hears a table
    # that somebody can.
    virtual: DiscSource | None = getattr(opening.pins, "piezos", None)
    if virtual is not None and not opening.config.audio.enabled:
        return virtual
    return open_sampling(opening.config, opening.pins, opening.faults, opening.calibration)


def open_sampling(
    config: Config, pins: Any, faults: "FaultRegistry", calibration: "Calibration | None" = None
) -> "AdcSource":
    """Return what samples the piezos of *config*, on the sound card or through *pins*.

    A card that is not there is no error: it is told, and heard when it comes. *calibration* is
    what the table has taught, and at which rate.

    Raises:
        gpiozero.GPIOPinInUse: Another device holds one of the pins.
        OSError: The kernel's SPI device is not to be had.
    """
    from kloplei.devices.sampling import AdcSource

    channels = tuple(channel for channel, _ in config.piezos)
    converter: Converter
    if config.audio.enabled:
        from kloplei.devices.audio import open_card

        converter = open_card(config.audio, channels)
    else:
        from kloplei.devices.adc import open_converter

        rate_hz = sampling_hz(config, calibration)
        converter = open_converter(replace(config.adc, rate_hz=rate_hz), channels, pins)
        # Nobody asked for more than was always enough.
        enough_hz = config.adc.rate_hz or SLOW_HZ
        return AdcSource(converter, len(channels), rate_hz, faults, enough_hz)
    return AdcSource(converter, len(channels), config.sampled_hz, faults)


def sampling_hz(config: Config, calibration: "Calibration | None") -> float:
    """Return at how many samples a second the converter of *config* is to be read.

    What a table taught at the rate of before looks otherwise at a faster one: where the settings
    name none, such a table goes on as it was.
    """
    learned_hz = None if calibration is None else calibration.learned_hz
    if config.adc.rate_hz is None and learned_hz is not None and learned_hz <= SLOW_HZ:
        return SLOW_HZ
    return config.sampled_hz


def _open_pads(opening: Opening) -> OpenSensors:
    from kloplei.devices.inputs import PadRow

    config, pins, schedule, hearer, faults, _ = opening
    return PadRow(config, hearer, pins, schedule, faults)


def _fitted_piezos(config: Config) -> tuple[Fitted, ...]:
    return tuple(Fitted(piezo_name(channel, seat), seat) for channel, seat in config.piezos)


SENSORS = (
    SensorKind(
        name="pads",
        quiet_s=4.5,  # one that is held down, or hums
        fitted=lambda config: tuple(Fitted(pad.part, pad.seat) for pad in config.pads),
        pins=lambda config: tuple(pad.pin for pad in config.pads),
        open=_open_pads,
    ),
    SensorKind(
        name=PIEZOS,
        quiet_s=11.5,  # a disc that stands still
        fitted=_fitted_piezos,
        pins=lambda config: adc_pins(config.adc) if config.adc.enabled else (),
        open=Discs,
    ),
)
"""In the order in which they are opened and told of; each knows more of a blow than the last."""


def fitted_sensors(config: Config) -> tuple[Fitted, ...]:
    """Return all sensors that *config* wires, of whatever kind."""
    return tuple(one for kind in SENSORS for one in kind.fitted(config))
