"""A maker mends one thing at a time: what only follows from a fault is not told beside it."""

import pytest

from kloplei.checks.findings import bad, good, poor, said
from kloplei.doctor.echoes import without_echoes
from kloplei.table.doctor import Finding, State

NO_OLED = said("slate", State.BAD, "no OLED answers at 0x3C on I2C bus 1")
STOPPED = poor("table", "table.stopped", "do.start-table")


@pytest.mark.parametrize(
    ("cause", "echo"),
    [
        (bad("i2c", "i2c.nobody", bus=1), NO_OLED),
        (bad("spi", "spi.missing", bus=0, select=0), said("slate", State.BAD, "SPI bus 0")),
        (bad("spi", "spi.missing", bus=0, select=0), said("piezos", State.BAD, "SPI is off")),
        (bad("pin library", "library.missing"), said("pins", State.BAD, "lgpio is missing")),
        (poor("kloplei-table", "unit.stopped", unit="kloplei-table"), STOPPED),
    ],
)
def test_what_follows_from_a_fault_is_left_out(cause: Finding, echo: Finding) -> None:
    assert list(without_echoes([cause], [echo])) == []
    assert list(without_echoes([], [echo])) == [echo]


@pytest.mark.parametrize(
    ("told", "finding"),
    [
        (poor("i2c", "i2c.slow", bus=1), NO_OLED),  # slow, but it works
        (good("i2c", "i2c.good", bus=1), NO_OLED),
        (bad("i2c", "i2c.nobody", bus=1), said("pad 1", State.BAD, "held down")),
        (bad("pin library", "library.missing"), good("pins", "pins.good", count=3)),
        (good("kloplei-table", "unit.good"), STOPPED),
        (poor("kloplei-table", "unit.stopped"), good("table", "table.runs", seq=3)),
        (poor("kloplei-table", "unit.stopped"), said("table", State.BAD, "the disk is full")),
    ],
)
def test_a_fault_of_its_own_is_told(told: Finding, finding: Finding) -> None:
    assert list(without_echoes([told], [finding])) == [finding]
