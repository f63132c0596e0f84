"""Who claims which pin of the header, and the error when two do."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from kloplei.config.schema import ConfigError
from kloplei.config.settings import DEFAULT_SEATS, AdcConfig, Config, SeatPins, SlateConfig
from kloplei.frozen import dataclass

I2C_PINS = {0: {0: "SDA", 1: "SCL"}, 1: {2: "SDA", 3: "SCL"}}
"""By bus: its BCM pins. Only the buses that a Pi brings out; others the builder sets up."""

SPI_PINS = {
    0: {7: "CE1", 8: "CE0", 9: "MISO", 10: "MOSI", 11: "SCLK"},
    1: {16: "CE2", 17: "CE1", 18: "CE0", 19: "MISO", 20: "MOSI", 21: "SCLK"},
}
"""By bus: the BCM pins that the kernel takes for it, whether the slate needs them or not."""


ADC_BUS = 0
"""The one SPI bus that gpiozero drives by the kernel."""


RING_BUS, RING_SELECT = ADC_BUS, 0
"""Where the ring hangs. The other SPI bus sends too unevenly: it is filled by interrupts."""


def adc_pins(adc: AdcConfig) -> tuple[int, ...]:
    """Return the BCM pins of *adc*: those of its bus but for the chip select that it leaves."""
    left = f"CE{1 - adc.chip_select}"
    return tuple(pin for pin, wire in SPI_PINS[ADC_BUS].items() if wire != left)


def seats_with_piezo(settings: Mapping[str, object]) -> frozenset[int]:
    """Return the places, from 0, to whose ``[seat.N]`` the file gives a piezo."""
    return frozenset(
        int(number) - 1
        for number, seat in settings.items()
        if isinstance(seat, Mapping) and seat.get("piezo", False) is not False
    )


def default_wiring(config: Config, with_piezo: frozenset[int]) -> tuple[SeatPins, ...]:
    """Return what is wired at each seat of *config* where ``[seat.N]`` says nothing.

    A seat that something else listens to has a pad of its own only if the file says so.
    *with_piezo* are the places to which the file gives a piezo.
    """
    wired = DEFAULT_SEATS[: config.table.seats]
    pins = config.pins
    listens = pins.shared_pad is not None or pins.corner_pads or config.adc.corners
    if listens or config.audio.enabled:
        wired = tuple(replace(one, pad=None) for one in wired)
    if config.adc.enabled or config.ring.enabled:
        wired = tuple(_off_the_bus(one) for one in wired)
    if not config.adc.enabled:
        return wired
    if config.adc.corners or with_piezo:
        return tuple(
            replace(one, pad=None) if at in with_piezo else one for at, one in enumerate(wired)
        )
    return tuple(replace(one, pad=None, piezo=at) for at, one in enumerate(wired))


def _off_the_bus(seat: SeatPins) -> SeatPins:
    bus = SPI_PINS[ADC_BUS]
    return SeatPins(
        button=None if seat.button in bus else seat.button,
        pad=None if seat.pad in bus else seat.pad,
    )


OFF_BUTTON = "off button"


@dataclass(frozen=True, slots=True)
class Claim:
    """*pin* (BCM) is used by *part*; *setting* is what to change in the file."""

    pin: int
    part: str
    setting: str


def claims(config: Config) -> Iterator[Claim]:
    """Yield every pin that *config* uses, by part; a part that is not fitted claims nothing."""
    yield from _seat_claims(config)
    yield from _slate_claims(config.slate)
    yield from _second_claims(config)
    if config.adc.enabled and not _shares_the_bus(config.slate):
        for pin, wire in SPI_PINS[ADC_BUS].items():
            yield Claim(pin, f"adc {wire}", "adc.enabled")
    if config.lamp.enabled:
        for colour in ("red", "green", "blue"):
            yield Claim(getattr(config.lamp, colour), f"lamp {colour}", f"lamp.{colour}")
    if config.ring.enabled:
        for pin, wire in SPI_PINS[RING_BUS].items():
            yield Claim(pin, f"ring {wire}", "ring.enabled")
    if config.buzzer.enabled:
        yield Claim(config.buzzer.pin, "buzzer", "buzzer.pin")
    if config.off_pin is not None:
        yield Claim(config.off_pin, OFF_BUTTON, "off.pin")


def _seat_claims(config: Config) -> Iterator[Claim]:
    """Yield the pins of buttons and pads, those that hear for all seats last."""
    for seat, wired in config.wired:
        if wired.button is not None:
            yield Claim(wired.button, f"button {seat.shown}", f"seat.{seat.shown}.button")
        if wired.pad is not None:
            yield Claim(wired.pad, f"pad {seat.shown}", f"seat.{seat.shown}.pad")
    for pad in config.pads:
        if pad.seat is None:
            setting = "corner_pads" if pad.part.startswith("corner") else "shared_pad"
            yield Claim(pad.pin, pad.part, f"pins.{setting}")


def _slate_claims(slate: SlateConfig) -> Iterator[Claim]:
    if slate.driver == "none":
        return
    buses = I2C_PINS if slate.interface == "i2c" else SPI_PINS
    for pin, wire in buses.get(slate.bus_number, {}).items():
        yield Claim(pin, f"slate {wire}", "slate.bus")
    if slate.interface == "i2c":
        return
    yield Claim(slate.dc, "slate DC", "slate.dc")
    if slate.reset is not None:
        yield Claim(slate.reset, "slate reset", "slate.reset")


def _second_claims(config: Config) -> Iterator[Claim]:
    """Yield the pins that the second slate has for itself."""
    for slate in config.slates[1:]:
        if slate.interface == "spi":
            yield Claim(slate.dc, "second slate DC", "second_slate.dc")
            if slate.reset is not None:
                yield Claim(slate.reset, "second slate reset", "second_slate.reset")


def _shares_the_bus(slate: SlateConfig) -> bool:
    return slate.driver != "none" and (slate.interface, slate.bus_number) == ("spi", ADC_BUS)


def check_wiring(config: Config, file: str) -> None:
    """Refuse a *config* in which two parts share a pin, or a channel of the converter.

    Raises:
        ConfigError: Names both settings, the pin, and *file*.
    """
    _check_second(config, file)
    _check_ring(config, file)
    _check_chip_selects(config, file)
    _check_channels(config, file)
    taken: dict[int, Claim] = {}
    for claim in claims(config):
        other = taken.setdefault(claim.pin, claim)
        if other is not claim:
            raise ConfigError(
                f"{file}: {other.setting} ({other.part}) and {claim.setting} ({claim.part}) both "
                f"claim GPIO {claim.pin}; give one of them another pin (docs/config.md, pins)"
            )


def _check_second(config: Config, file: str) -> None:
    """Refuse a second slate that would answer where the first one does, or without a first one."""
    if not config.second_slate.enabled:
        return
    if not config.slates:
        raise ConfigError(
            f'{file}: [second_slate] enabled is true, but [slate] driver is "none"; a box with one '
            "slate has it in [slate]"
        )
    first, second = config.slates
    name = "address" if first.interface == "i2c" else "chip_select"
    one, other = getattr(first, name), getattr(second, name)
    if one == other:
        told = f"0x{one:02X}" if name == "address" else str(one)
        raise ConfigError(
            f"{file}: slate.{name} and second_slate.{name} are both {told}; two slates on a bus "
            "need one each (docs/config.md, second_slate)"
        )


def _check_ring(config: Config, file: str) -> None:
    """Refuse who shares the bus of a ring: whatever is sent there, the ring takes for colours."""
    others = {
        "the converter, [adc] enabled": config.adc.enabled,
        'the slate, [slate] interface = "spi"': _shares_the_bus(config.slate),
    }
    other = next((name for name, is_there in others.items() if is_there), None)
    if config.ring.enabled and other is not None:
        raise ConfigError(
            f"{file}: [ring] enabled needs SPI bus {RING_BUS} for itself, where {other}, is as "
            "well; leave one of them out, or take the lamp in place of the ring (docs/config.md)"
        )


def _check_chip_selects(config: Config, file: str) -> None:
    if not config.adc.enabled or not _shares_the_bus(config.slate):
        return
    if config.second_slate.enabled:
        raise ConfigError(
            f"{file}: [second_slate] and [adc] are both enabled, but two slates take both chip "
            "selects of SPI bus 0; take slates with I2C, or one of them"
        )
    if config.slate.chip_select == config.adc.chip_select:
        raise ConfigError(
            f"{file}: slate.chip_select and adc.chip_select are both {config.adc.chip_select}; "
            "two chips may share SPI bus 0, but each needs a chip select of its own: 0 or 1"
        )


def _check_channels(config: Config, file: str) -> None:
    named = [
        (pins.piezo, f"seat.{seat.shown}.piezo")
        for seat, pins in config.wired
        if pins.piezo is not None
    ]
    if config.adc.enabled and config.audio.enabled:
        raise ConfigError(
            f"{file}: [adc] and [audio] are both enabled, but a table has one set of piezos: "
            "set enabled = false in one of them"
        )
    if config.audio.enabled:
        named += [(channel, "audio.corners") for channel in config.audio.corners]
    else:
        named += [(channel, "adc.corners") for channel in config.adc.corners]
    if named and not (config.adc.enabled or config.audio.enabled):
        raise ConfigError(
            f"{file}: {named[0][1]} is set, but [adc] enabled is false; set it to true, "
            "or leave the piezo out"
        )
    if config.adc.enabled and not named:
        raise ConfigError(
            f"{file}: [adc] enabled is true, but no piezo hangs on it; name channels in "
            "[adc] corners, or one in [seat.1] piezo"
        )
    taken: dict[int, str] = {}
    for channel, setting in named:
        other = taken.setdefault(channel, setting)
        if other is not setting:
            raise ConfigError(
                f"{file}: {other} and {setting} are both channel {channel} of the "
                f"{'sound card' if config.audio.enabled else 'converter'}; "
                "give each piezo a channel of its own"
            )
