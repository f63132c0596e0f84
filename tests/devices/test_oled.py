import errno
import subprocess
import sys
from dataclasses import replace

import pytest
from gpiozero.pins.mock import MockFactory
from PIL import Image

from kloplei.config.settings import GLASS_OF, SPI_ALONE, SlateConfig
from kloplei.devices.glass import NOTHING, SlateMissing
from kloplei.devices.inputs import KnockPad
from kloplei.devices.oled import open_slate
from tests.devices.oled_chips import CHIPS
from tests.devices.smbus import OledBus

DRIVERS = sorted(set(GLASS_OF) - SPI_ALONE)


def picture(*lit: tuple[int, int]) -> Image.Image:
    image = Image.new("1", (128, 64))
    for point in lit:
        image.putpixel(point, 1)
    return image


@pytest.fixture
def bus(request: pytest.FixtureRequest) -> OledBus:
    """A bus with the glass of the test's *driver*, where it names one."""
    named = getattr(request.node, "callspec", None)
    return OledBus(driver="ssd1306" if named is None else named.params.get("driver", "ssd1306"))


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_slate_opens_cleared_switched_on_and_as_bright_as_set(
    driver: str, bus: OledBus
) -> None:
    device = open_slate(SlateConfig(driver=driver, contrast=77), bus=bus)

    assert device.size == (128, 64)
    assert bus.picture_bytes == 1024
    assert not any(any(page) for page in bus.memory)
    assert bytes([0xAF]) in bus.commands
    assert bus.commands[-1] == bytes([0x81, 77])


@pytest.mark.parametrize(("driver", "first"), [("ssd1306", 0), ("sh1106", 2), ("ssd1309", 0)])
def test_the_top_left_pixel_lands_in_the_first_column_of_the_glass(
    driver: str, first: int, bus: OledBus
) -> None:
    device = open_slate(SlateConfig(driver=driver), bus=bus)

    device.display(picture((0, 0), (127, 63)))

    assert bus.memory[0][first] == 0b0000_0001
    assert bus.memory[7][first + 127] == 0b1000_0000
    assert sum(map(sum, bus.memory)) == 0b1000_0001


@pytest.mark.parametrize("offset", [0, 2, 4])
def test_the_column_offset_moves_the_picture_to_where_the_glass_begins(offset: int) -> None:
    """An SH1106 has 132 columns behind 128 of glass, and each maker glues it elsewhere."""
    bus = OledBus(driver="sh1106")
    device = open_slate(SlateConfig(driver="sh1106", column_offset=offset), bus=bus)

    device.display(picture((0, 0)))

    assert bus.memory[0].index(1) == offset


@pytest.mark.parametrize("driver", DRIVERS)
def test_upside_down_is_a_setting(driver: str, bus: OledBus) -> None:
    config = SlateConfig(driver=driver, rotation=180)
    device = open_slate(config, bus=bus)

    device.display(picture((0, 0)))

    assert device.size == (128, 64)
    assert bus.memory[7][config.first_column + 127] == 0b1000_0000


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_frame_like_the_last_one_is_not_sent(driver: str, bus: OledBus) -> None:
    device = open_slate(SlateConfig(driver=driver), bus=bus)
    device.display(picture((5, 5)))
    sent = len(bus.transfers)

    device.display(picture((5, 5)))

    assert len(bus.transfers) == sent
    device.display(picture((5, 6)))
    assert len(bus.transfers) > sent


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("at_transfer", [0, 1])
def test_error_121_in_mid_evening_names_address_and_bus(
    driver: str, at_transfer: int, bus: OledBus
) -> None:
    """The plug comes out before, or while, a frame is sent."""
    device = open_slate(SlateConfig(driver=driver), bus=bus)
    bus.fails_after = at_transfer

    with pytest.raises(SlateMissing) as missing:
        device.display(picture((5, 5)))

    assert str(missing.value) == (
        "no OLED answers at 0x3C on I2C bus 1. Check SDA/SCL (docs/config.md, Pins), "
        "then: kloplei doctor"
    )


def test_other_errors_of_the_bus_are_told_in_their_own_words(bus: OledBus) -> None:
    """luma hands on any errno but EIO and EREMOTEIO as a bare OSError."""
    device = open_slate(SlateConfig(), bus=bus)
    bus.plugged, bus.error = False, errno.ETIMEDOUT

    with pytest.raises(SlateMissing, match=r"0x3C on I2C bus 1 failed \(Remote I/O error\)"):
        device.display(picture((5, 5)))


def test_no_slate_at_the_address_is_found_out_before_luma_builds_a_device(bus: OledBus) -> None:
    """luma never lets go of a device it began to build: looking for hours would fill memory."""
    bus.address = 0x3D

    with pytest.raises(SlateMissing, match=r"0x3C on I2C bus 1\. Check SDA/SCL"):
        open_slate(SlateConfig(), bus=bus)

    assert bus.transfers == []


def test_the_question_whether_anybody_is_there_changes_nothing_on_the_chip(bus: OledBus) -> None:
    open_slate(SlateConfig(), bus=bus)

    assert bus.transfers[0] == (0x00, bytes([NOTHING]))


def test_a_bus_that_is_not_there_says_where_to_switch_it_on() -> None:
    config = SlateConfig(bus=22)

    with pytest.raises(SlateMissing, match=r"I2C bus 22 is not there\. Switch I2C on"):
        open_slate(config)


def test_a_slate_that_is_not_fitted_is_missing_without_a_look_at_the_bus() -> None:
    with pytest.raises(SlateMissing, match="no slate is fitted"):
        open_slate(SlateConfig(driver="none"))


def test_whoever_catches_oserror_catches_a_missing_slate() -> None:
    assert issubclass(SlateMissing, OSError)


def test_an_unplugged_slate_can_be_let_go_of_and_opened_again(bus: OledBus) -> None:
    device = open_slate(SlateConfig(), bus=bus)
    bus.plugged = False
    with pytest.raises(SlateMissing):
        device.display(picture((5, 5)))
    device.cleanup()
    bus.plugged = True

    again = open_slate(SlateConfig(), bus=bus)
    again.display(picture((5, 5)))

    assert bus.memory[0][5] == 1 << 5


def test_a_slate_that_was_let_go_of_is_dark_and_keeps_no_memory(bus: OledBus) -> None:
    """luma holds on to it until exit; a loose contact can make thousands in an evening."""
    device = open_slate(SlateConfig(), bus=bus)

    device.cleanup()
    device.cleanup()

    assert bytes([0xAE]) in bus.commands[-3:]
    assert set(vars(device)) == {"_closed"}


def test_the_last_picture_stays_if_it_is_asked_to(bus: OledBus) -> None:
    device = open_slate(SlateConfig(), bus=bus)
    device.display(picture((5, 5)))

    device.persist = True
    device.cleanup()

    assert bus.memory[0][5] == 1 << 5
    assert bytes([0xAE]) not in bus.commands[-3:]


def test_nothing_is_imported_that_the_slate_does_not_need() -> None:
    """gpiozero is slow to import on a small Pi, and the first picture waits for it."""
    code = (
        "import sys; from kloplei.config.settings import SlateConfig\n"
        "from kloplei.devices import oled\n"
        "print([name for name in ('luma', 'PIL', 'gpiozero') if name in sys.modules])\n"
        "try: oled.open_slate(SlateConfig(bus=22))\n"
        "except oled.SlateMissing: print([n for n in ('luma', 'gpiozero') if n in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["[]", "['luma']"]


class FakeSpi:
    """Stands in for spidev, with an OLED behind it: what comes while DC is low is a command."""

    def __init__(self, factory: MockFactory, dc: int, driver: str = "ssd1306") -> None:
        self._dc = factory.pin(dc)
        self.chip = CHIPS[driver]()
        self.opened: tuple[int, int] | None = None
        self.closed = False
        self.max_speed_hz = 0
        self.picture_bytes = 0
        self.fails_with: OSError | None = None

    def open(self, bus: int, device: int) -> None:
        if self.fails_with:
            raise self.fails_with
        self.opened = (bus, device)

    def writebytes(self, values: list[int]) -> None:
        if self.fails_with:
            raise self.fails_with
        take = self.chip.data if self._dc.state else self.chip.command
        self.picture_bytes += len(values) if self._dc.state else 0
        for value in values:
            take(value)

    def close(self) -> None:
        self.closed = True


SPI_SLATE = SlateConfig(interface="spi", chip_select=1)


@pytest.fixture
def factory() -> MockFactory:
    return MockFactory()


@pytest.fixture
def spi(factory: MockFactory) -> FakeSpi:
    return FakeSpi(factory, SPI_SLATE.dc)


@pytest.mark.parametrize("driver", DRIVERS)
def test_over_spi_commands_go_with_dc_low_and_pictures_with_dc_high(
    driver: str, factory: MockFactory
) -> None:
    config = replace(SPI_SLATE, driver=driver)
    spi = FakeSpi(factory, config.dc, driver)
    device = open_slate(config, pin_factory=factory, spi=spi)
    cleared = spi.picture_bytes

    device.display(picture((0, 0)))

    assert spi.opened == (0, 1)
    assert (cleared, spi.picture_bytes) == (1024, 1025)
    assert spi.chip.lit
    assert spi.chip.pages(config.first_column)[0][:2] == bytes([1, 0])
    device.cleanup()


def test_the_spi_slates_pins_belong_to_our_factory_and_not_to_rpi_gpio(
    factory: MockFactory, spi: FakeSpi
) -> None:
    device = open_slate(SPI_SLATE, pin_factory=factory, spi=spi)

    assert factory.pin(24).function == "output"
    assert factory.pin(25).state is True  # reset is over
    assert "RPi" not in sys.modules
    device.cleanup()
    assert spi.closed
    assert factory.pin(24).function == "input"


def test_reset_may_be_left_unwired(factory: MockFactory, spi: FakeSpi) -> None:
    device = open_slate(replace(SPI_SLATE, reset=None), pin_factory=factory, spi=spi)

    with KnockPad(25, pin_factory=factory) as pad:  # nobody holds it
        assert not pad.is_active
    device.cleanup()


def test_an_spi_slate_whose_pin_is_taken_says_so_and_holds_nothing(
    factory: MockFactory, spi: FakeSpi
) -> None:
    squatter = KnockPad(25, pin_factory=factory)

    with pytest.raises(SlateMissing, match="another part holds GPIO 25"):
        open_slate(SPI_SLATE, pin_factory=factory, spi=spi)

    KnockPad(24, pin_factory=factory).close()
    squatter.close()


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (FileNotFoundError(errno.ENOENT, "gone"), "SPI bus 0, chip select 1 is not there"),
        (PermissionError(errno.EACCES, "no"), "Add the user of this program to the group spi"),
        (OSError(errno.EIO, "Input/output error"), r"failed \(Input/output error\)\. Check DC"),
    ],
)
def test_a_dead_spi_bus_says_what_to_check(
    error: OSError, sentence: str, factory: MockFactory, spi: FakeSpi
) -> None:
    spi.fails_with = error

    with pytest.raises(SlateMissing, match=sentence):
        open_slate(SPI_SLATE, pin_factory=factory, spi=spi)

    KnockPad(24, pin_factory=factory).close()


def test_without_spidev_the_package_is_named(
    factory: MockFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "spidev", None)

    with pytest.raises(SlateMissing, match="Install python3-spidev"):
        open_slate(SPI_SLATE, pin_factory=factory)
