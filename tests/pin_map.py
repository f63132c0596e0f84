"""Which wire of a box comes out where on the 40-pin header: what every page about wiring shows."""

from dataclasses import dataclass, replace

from kloplei.config.settings import (
    BuzzerConfig,
    Config,
    LampConfig,
    OffConfig,
    SlateConfig,
    TableConfig,
)
from kloplei.config.wiring import claims

HEADER = {
    2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33,
    14: 8, 15: 10, 16: 36, 17: 11, 18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18,
    25: 22, 26: 37, 27: 13,
}  # fmt: skip
"""BCM number: where it comes out on the header, 1 being the corner marked so on the board."""


@dataclass(frozen=True, slots=True)
class PinRow:
    """One wire: *gpio* (BCM) comes out at *header* and serves *part*."""

    gpio: int
    header: int
    part: str


def pin_map(config: Config) -> tuple[PinRow, ...]:
    """Return the wires of the box of *config*, by BCM number."""
    rows = (
        PinRow(
            gpio=claim.pin,
            header=HEADER[claim.pin],
            part=claim.part,
        )
        for claim in claims(config)
        if claim.pin in HEADER
    )
    return tuple(sorted(rows, key=lambda row: row.gpio))


LARGEST_BOX = Config(
    lamp=LampConfig(enabled=True), buzzer=BuzzerConfig(enabled=True), off=OffConfig(enabled=True)
)
"""Eight seats with a button and a pad each, lamp, buzzer, off button; the slate is on I2C."""

LARGEST_SPI_BOX = replace(
    LARGEST_BOX, table=TableConfig(seats=5), slate=SlateConfig(interface="spi")
)
"""An SPI slate takes the pins of seats 6 to 8."""

PINS = pin_map(LARGEST_BOX)
SPI_PINS = pin_map(LARGEST_SPI_BOX)
