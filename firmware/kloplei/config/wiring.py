"""Who claims which pin of the header, and the error when two do."""

from collections.abc import Iterator
from dataclasses import dataclass

from kloplei.config.checks import ConfigError
from kloplei.config.settings import Config, SlateConfig

I2C_PINS = {0: {0: "SDA", 1: "SCL"}, 1: {2: "SDA", 3: "SCL"}}
"""By bus: its BCM pins. Only the buses that a Pi brings out; others the builder sets up."""

SPI_PINS = {
    0: {7: "CE1", 8: "CE0", 9: "MISO", 10: "MOSI", 11: "SCLK"},
    1: {16: "CE2", 17: "CE1", 18: "CE0", 19: "MISO", 20: "MOSI", 21: "SCLK"},
}
"""By bus: the BCM pins that the kernel takes for it, whether the slate needs them or not."""


@dataclass(frozen=True, slots=True)
class Claim:
    """*pin* (BCM) is used by *part*; *setting* is what to change in the file."""

    pin: int
    part: str
    setting: str


def claims(config: Config) -> Iterator[Claim]:
    """Yield every pin that *config* uses, by part; a part that is not fitted claims nothing."""
    for seat, wired in config.wired:
        if wired.button is not None:
            yield Claim(wired.button, f"button {seat.shown}", f"seat.{seat.shown}.button")
        if wired.pad is not None:
            yield Claim(wired.pad, f"pad {seat.shown}", f"seat.{seat.shown}.pad")
    if config.pins.shared_pad is not None:
        yield Claim(config.pins.shared_pad, "shared pad", "pins.shared_pad")
    yield from _slate_claims(config.slate)
    if config.lamp.enabled:
        for colour in ("red", "green", "blue"):
            yield Claim(getattr(config.lamp, colour), f"lamp {colour}", f"lamp.{colour}")
    if config.buzzer.enabled:
        yield Claim(config.buzzer.pin, "buzzer", "buzzer.pin")


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


def check_wiring(config: Config, file: str) -> None:
    """Refuse a *config* in which two parts share a pin.

    Raises:
        ConfigError: Names both settings, the pin, and *file*.
    """
    taken: dict[int, Claim] = {}
    for claim in claims(config):
        other = taken.setdefault(claim.pin, claim)
        if other is not claim:
            raise ConfigError(
                f"{file}: {other.setting} ({other.part}) and {claim.setting} ({claim.part}) both "
                f"claim GPIO {claim.pin}; give one of them another pin (docs/config.md, pins)"
            )
