"""Who claims which pin of the header, and the error when two do."""

from collections.abc import Iterator
from dataclasses import dataclass

from kloplei.config.checks import ConfigError
from kloplei.config.settings import Config, SlateConfig

I2C_PINS = {0: (0, 1), 1: (2, 3)}
"""BCM pins (data, clock) of the buses that a Pi brings out; others are set up by the builder."""

SPI_PINS = {0: (7, 8, 9, 10, 11), 1: (16, 17, 18, 19, 20, 21)}
"""BCM pins that the kernel takes for an SPI bus, all of its chip selects included."""


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
    if slate.interface == "i2c":
        for pin in I2C_PINS.get(slate.bus_number, ()):
            yield Claim(pin, f"slate I2C{slate.bus_number}", "slate.bus")
        return
    for pin in SPI_PINS.get(slate.bus_number, ()):
        yield Claim(pin, f"slate SPI{slate.bus_number}", "slate.bus")
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
