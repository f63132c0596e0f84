"""The glass of a slate: what is said when it is missing, and a picture that measures it.

Nothing of luma, PIL or gpiozero is imported before it is needed: the first picture waits for none.

SH1106 chips have memory for 132 columns behind 128 columns of glass; where the glass begins
differs by maker, and shops sell them as SSD1306. ``kloplei doctor --slate`` shows it;
`kloplei.diagnostics.slate` says what follows from what one sees.
"""

import errno
from pathlib import Path
from typing import TYPE_CHECKING

from kloplei.config.settings import SMALL_GLASS, Glass, SlateConfig
from kloplei.files import KlopleiError, reason_of
from kloplei.words import Sentence

if TYPE_CHECKING:
    from PIL import Image

NOTHING = 0xE3  # the NOP of all chips with I2C: asks "are you there?" and changes nothing

SLOW_HZ = 100_000
"""A Raspberry Pi's I2C bus where nobody has set it, and the least that any of them does."""
FAST_HZ = 400_000
"""What the chips are good for, and a slate is to have."""
I2C_BITS = 9
"""A byte on the wires of I2C, with its acknowledgement."""
_SPEED = "sys/class/i2c-adapter/i2c-{}/of_node/clock-frequency"

STEPS = 5  # columns that may be hidden: 0 to 4
STEP_PX = 12  # from one bar down to the next
BAR_PX = 7
TOP_PX = 4
REACH_PX = 24  # bars end here, counted from their edge


def i2c_hertz(bus: int, root: Path = Path("/")) -> int | None:
    """Return how fast the I2C *bus* runs as the device tree below *root* has it, None if not."""
    try:
        return int.from_bytes((root / _SPEED.format(bus)).read_bytes(), "big") or None
    except OSError:
        return None


def column_picture(glass: Glass = SMALL_GLASS) -> "Image.Image":
    """Return the picture for *glass*, one bit a pixel: on either side five bars, marked 0 to 4.

    On a low glass only every other one is marked.

    Bar *n* begins *n* columns from the edge. So the last bar that still touches the edge of
    the glass on the left says how many columns are hidden there and are to be added to
    ``[slate] column_offset``; on the right, how many are to be taken off it.
    """
    from PIL import Image, ImageDraw

    image = Image.new("1", glass)
    draw = ImageDraw.Draw(image)
    low = glass.height < SMALL_GLASS.height
    step_px, bar_px = (STEP_PX // 2, BAR_PX // 2) if low else (STEP_PX, BAR_PX)
    for step in range(STEPS):
        top = (TOP_PX // 2 if low else TOP_PX) + step * step_px
        bottom = top + bar_px - 1
        draw.rectangle((step, top, REACH_PX, bottom), fill=1)
        draw.rectangle((glass.width - 1 - REACH_PX, top, glass.width - 1 - step, bottom), fill=1)
        if low and step % 2:
            continue  # numbers are higher than the bars are apart
        middle = top + bar_px // 2
        draw.text((REACH_PX + 6, middle), str(step), fill=1, anchor="lm")
        draw.text((glass.width - 7 - REACH_PX, middle), str(step), fill=1, anchor="rm")
    return image


class SlateMissing(KlopleiError, OSError):
    """The OLED does not answer, or cannot be reached; the message says what to check."""


def slate_missing(config: SlateConfig, error: Exception) -> SlateMissing:
    """Return *error*, met while talking to the slate of *config*, as a sentence."""
    if config.interface == "i2c":
        return SlateMissing(_why_not_i2c(config, error))
    return SlateMissing(_why_not_spi(config, error))


def _why_not_i2c(config: SlateConfig, error: Exception) -> str:
    from luma.core.error import DeviceNotFoundError, DevicePermissionError

    bus, address = config.bus_number, f"0x{config.address:02X}"
    number = _errno_of(error)
    if number == errno.ENOENT:
        return Sentence("i2c-off", bus=bus)
    if isinstance(error, DevicePermissionError) or number in (errno.EACCES, errno.EPERM):
        return Sentence("i2c-forbidden", bus=bus)
    if isinstance(error, DeviceNotFoundError) or number in (errno.EREMOTEIO, errno.EIO):
        return Sentence("no-oled", bus=bus, address=address)
    return Sentence("oled-failed", bus=bus, address=address, error=_reason(error))


def why_no_spi(bus: int, select: int, error: Exception) -> str | None:
    """Return why nobody can have that chip select; None where *error* is of who hangs there."""
    where = {"bus": bus, "select": select}
    if isinstance(error, ImportError):
        return Sentence("spi-package-missing", **where)
    if _errno_of(error) == errno.ENOENT:
        return Sentence("spi-off", **where)
    if _errno_of(error) in (errno.EACCES, errno.EPERM):
        return Sentence("spi-forbidden", **where)
    return None


def _why_not_spi(config: SlateConfig, error: Exception) -> str:
    from luma.core.error import DeviceNotFoundError

    where = {"bus": config.bus_number, "select": config.chip_select}
    if isinstance(error, DeviceNotFoundError):
        return Sentence("spi-off", **where)
    if why := why_no_spi(config.bus_number, config.chip_select, error):
        return why
    reset = "-" if config.reset is None else f"GPIO {config.reset}"
    return Sentence("spi-oled-failed", **where, error=_reason(error), dc=config.dc, reset=reset)


def _errno_of(error: Exception) -> int | None:
    """Return the errno of *error*, or of the OSError that luma made it of."""
    if isinstance(error, OSError):
        return error.errno
    return error.__context__.errno if isinstance(error.__context__, OSError) else None


def _reason(error: Exception) -> str:
    return reason_of(error) or type(error).__name__
