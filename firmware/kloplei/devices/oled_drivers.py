"""luma's drivers for the four chips, made thrifty: only the bytes that changed go over the wire.

luma sends a whole frame, 1024 bytes and what addresses them, for every pixel that changes: 93 ms of
an I2C bus at 100 kHz. Here a frame is compared with what stands on the glass (`pages_of`), and what
differs goes out in the rectangles that cost fewest bytes in all (`cheapest_rectangles`). All of it
goes at the start, after an error, and every few minutes: a glass that lost a byte heals then.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from luma.core.error import Error as LumaError
from luma.oled.device import sh1106, ssd1306, ssd1309, ssd1322
from PIL import Image

from kloplei.config.settings import SlateConfig
from kloplei.devices.glass import NOTHING, SlateMissing, slate_missing

HEAL_S = 170.0
"""After so long a new frame goes out whole; the painter moves its picture at least so often."""
_NEVER = float("-inf")
_PAGE_PX = 8
# On I2C a command and the data behind it are two messages, each with address and control byte.
_I2C_MESSAGE_BYTES = 2
# On SPI the wire DC is moved by Python, which takes as long as so many bytes at 8 MHz.
_SPI_MESSAGE_BYTES = 50


class Rectangle(NamedTuple):
    """Bytes of a chip's memory: pages *top* to *foot*, columns *left* to *right*, ends left out."""

    top: int
    foot: int
    left: int
    right: int

    @property
    def size(self) -> int:
        """How many bytes it holds."""
        return (self.foot - self.top) * (self.right - self.left)


def pages_of(image: Image.Image) -> list[bytes]:
    """Return *image*, one bit a pixel, as the chips keep it: a byte is eight pixels of a column.

    The topmost of them is the lowest bit.
    """
    # Turned by a quarter, eight pixels of a column are eight of a row, which Pillow packs.
    packed = image.transpose(Image.Transpose.ROTATE_270).tobytes()
    pages = image.height // _PAGE_PX
    return [packed[pages - 1 - page :: pages] for page in range(pages)]


_CELL_PX = 4  # so many pixels of a row an SSD1322 addresses at once
_CELL_BYTES = _CELL_PX // 2


def grey_pages_of(image: Image.Image) -> list[bytes]:
    """Return *image* as an SSD1322 keeps it, 4 bits a pixel, in pages of eight rows.

    A page is cell by cell: 4 pixels wide and 8 high, 16 bytes, row by row.
    """
    greys = image.convert("L").tobytes()
    # By slices and tables alone: a loop over 16,384 pixels would take longer than the wires.
    halves = greys[::2].translate(_HIGH), greys[1::2].translate(_LOW)
    both = int.from_bytes(halves[0], "big") | int.from_bytes(halves[1], "big")
    packed = both.to_bytes(len(halves[0]), "big")
    row_bytes = image.width // 2
    size = row_bytes * _PAGE_PX
    return [_in_cells(packed[top : top + size], row_bytes) for top in range(0, len(packed), size)]


_HIGH = bytes(grey & 0xF0 for grey in range(256))
_LOW = bytes(grey >> 4 for grey in range(256))


def _in_cells(rows: bytes, row_bytes: int) -> bytes:
    """Return eight *rows* of *row_bytes* each, cell by cell."""
    page = bytearray(len(rows))
    for row in range(_PAGE_PX):
        for byte in range(_CELL_BYTES):
            first = row * row_bytes + byte
            page[row * _CELL_BYTES + byte :: _CELL_BYTES * _PAGE_PX] = rows[
                first : (row + 1) * row_bytes : _CELL_BYTES
            ]
    return bytes(page)


def _in_rows(cells: bytes) -> bytes:
    """Return *cells* of a page as eight rows."""
    column = _CELL_BYTES * _PAGE_PX
    rows = []
    for first in range(0, column, _CELL_BYTES):
        row = bytearray(len(cells) // _PAGE_PX)
        for byte in range(_CELL_BYTES):
            row[byte::_CELL_BYTES] = cells[first + byte :: column]
        rows.append(bytes(row))
    return b"".join(rows)


def cheapest_rectangles(changes: Sequence[bytes], cost: int) -> list[Rectangle]:
    """Return rectangles that hold every byte of *changes* (a page each) that is not zero.

    *cost* is what each rectangle takes besides its bytes. The sum is the least that can be had by
    cutting where more than *cost* columns are the same on all pages, then each part from side to
    side, then each of those from top to foot.
    """
    everywhere = 0
    for page in changes:
        everywhere |= int.from_bytes(page, "big")
    width = len(changes[0])
    found: list[Rectangle] = []
    for left, right in _runs(everywhere.to_bytes(width, "big"), cost):
        found += _bands([page[left:right] for page in changes], left, cost)
    return found


def page_rectangles(changes: Sequence[bytes], cost: int) -> list[Rectangle]:
    """Return rectangles as `cheapest_rectangles` does, each on one page."""
    return [
        Rectangle(page, page + 1, left, right)
        for page, changed in enumerate(changes)
        for left, right in _runs(changed, cost)
    ]


def _bands(changes: list[bytes], at: int, cost: int) -> list[Rectangle]:
    """Return the cheapest rectangles of a part that begins at column *at*, in bands."""
    width = len(changes[0])
    numbers = [int.from_bytes(page, "big") for page in changes]
    best: list[tuple[int, list[Rectangle]]] = [(0, [])]
    for foot, last in enumerate(numbers, 1):
        if not last:
            best.append(best[-1])
            continue
        cheapest, together = None, 0
        for top in range(foot - 1, -1, -1):
            if not numbers[top]:
                continue  # beginning below it is cheaper
            together |= numbers[top]
            runs = _runs(together.to_bytes(width, "big"), cost // (foot - top))
            band = [Rectangle(top, foot, at + left, at + right) for left, right in runs]
            price = best[top][0] + sum(cost + rectangle.size for rectangle in band)
            if cheapest is None or price < cheapest[0]:
                cheapest = (price, best[top][1] + band)
        best.append(cheapest or best[-1])
    return best[-1][1]


def _runs(changes: bytes, gap: int) -> Iterator[tuple[int, int]]:
    """Yield from where to where *changes* are not zero; up to *gap* zeros end no run."""
    return (found.span() for found in _run(gap).finditer(changes))


@cache
def _run(gap: int) -> re.Pattern[bytes]:
    return re.compile(rb"[^\0]+(?:\0{1,%d}[^\0]+)*" % gap if gap else rb"[^\0]+", re.DOTALL)


class ChangedBytes:
    """Mixed in before a luma driver: a frame costs what of it has changed.

    It knows luma, and nothing of Kloplei. A driver says how its chip keeps a picture (`_packed`),
    in columns of how many bytes, how they are addressed (`_address`), and what that costs.
    """

    _sent: list[bytes] | None = None
    _whole_s = _NEVER
    _clock: Callable[[], float] = staticmethod(time.monotonic)
    _rectangles = staticmethod(cheapest_rectangles)
    _packed = staticmethod(pages_of)
    _column_bytes = 1
    _address_bytes: int
    _message_bytes = _I2C_MESSAGE_BYTES

    def display(self, image: Image.Image) -> None:
        """Show *image*, one bit a pixel."""
        pages = self._packed(self.preprocess(image))  # type: ignore[attr-defined]
        if pages == self._sent:
            return
        # A frame that breaks off stands half on the glass, so nothing is known to stand there.
        known, self._sent = self._sent, None
        now_s = self._clock()
        if known is None or now_s - self._whole_s >= HEAL_S:
            self._renew()
            known, self._whole_s = None, now_s
        for rectangle in self._differing(known, pages):
            self._address(rectangle)
            self.data(list(self._bytes_in(rectangle, pages)))
        self._sent = pages

    def data(self, data: list[int]) -> None:
        """Send picture bytes."""
        super().data(data)  # type: ignore[misc]

    def _bytes_in(self, rectangle: Rectangle, pages: list[bytes]) -> bytes:
        """Return what of *pages* goes into *rectangle*, in the order in which the chip takes it."""
        part = pages[rectangle.top : rectangle.foot]
        return b"".join(page[rectangle.left : rectangle.right] for page in part)

    def _differing(self, known: list[bytes] | None, pages: list[bytes]) -> list[Rectangle]:
        if known is None:
            changes = [b"\1" * (len(page) // self._column_bytes) for page in pages]
        else:
            both = zip(known, pages, strict=True)
            changes = [_changed(old, new, self._column_bytes) for old, new in both]
        cost = 2 * self._message_bytes + self._address_bytes
        return self._rectangles(changes, cost // self._column_bytes)

    def _address(self, rectangle: Rectangle) -> None:
        """Tell the chip that what follows belongs into *rectangle*."""
        raise NotImplementedError

    def _renew(self) -> None:
        """Do what has to be done before all of a frame goes out."""


def _changed(one: bytes, other: bytes, column_bytes: int) -> bytes:
    """Return a byte for each column of two pages, 0 where they are the same there."""
    if column_bytes > 1:
        starts = range(0, len(one), column_bytes)
        return bytes(one[at : at + column_bytes] != other[at : at + column_bytes] for at in starts)
    both = int.from_bytes(one, "big") ^ int.from_bytes(other, "big")
    return both.to_bytes(len(one), "big")


class _Slate(ChangedBytes):
    """What a slate asks of its driver besides: it heals, and fails with `SlateMissing` only.

    Args:
        config: Chip, wires and looks.
        serial: luma's interface to the wires.
        byte_s: How long a byte takes on them; 0 where it does not matter.
        clock: Monotonic seconds.
    """

    nothing = NOTHING
    """A command that changes nothing."""
    _settings: tuple[int, ...] | None = None
    _closed = False
    _config: SlateConfig

    def __init__(
        self,
        config: SlateConfig,
        serial: Any,
        *,
        byte_s: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.wire_s = 0.0
        """How long all that was sent took the wires."""
        self._config = config
        self._byte_s = byte_s
        self._clock = clock
        self._brightness: int | None = None
        self._lit = False
        if config.interface == "spi":
            self._message_bytes = _SPI_MESSAGE_BYTES
        super().__init__(  # type: ignore[call-arg]
            serial_interface=serial,
            width=config.glass.width,
            height=config.glass.height,
            rotate=config.rotation // 90,
            **self._extra(config),
        )
        self.contrast(config.contrast)

    def _extra(self, _config: SlateConfig) -> dict[str, Any]:
        return {}

    def display(self, image: Image.Image) -> None:
        """Show *image*, one bit a pixel.

        Raises:
            SlateMissing: The OLED does not answer any more.
        """
        try:
            super().display(image)
        except SlateMissing:
            # One message that was garbled on a long wire: all of it once more, and nobody notices.
            super().display(image)

    def _renew(self) -> None:
        """Set what the chip was set to: one that lost a byte may have taken the next as another."""
        if self._settings is None or self._whole_s == _NEVER:
            return  # luma has just told all of it
        # What stands first switches the glass off; in its place, so many bytes that mean nothing
        # as half a command may wait for.
        self.command(NOTHING, NOTHING, *self._settings[1:])
        if self._brightness is not None:
            self.contrast(self._brightness)
        if self._lit:
            self.show()

    def contrast(self, level: int) -> None:
        """Shine as bright as *level*, 0 to 255."""
        super().contrast(level)  # type: ignore[misc]
        self._brightness = level

    def show(self) -> None:
        """Switch the glass on."""
        super().show()  # type: ignore[misc]
        self._lit = True

    def hide(self) -> None:
        """Switch the glass off; its memory stays."""
        super().hide()  # type: ignore[misc]
        self._lit = False

    def cleanup(self) -> None:
        """Switch the OLED off if it still answers, and let go of its wires; may be called twice.

        With ``persist`` set, luma's switch for it, the last picture stays.
        """
        if self._closed:
            return
        if not self.persist:  # type: ignore[attr-defined]
            with suppress(SlateMissing):
                self.hide()
                self.clear()  # type: ignore[attr-defined]
        self._serial_interface.cleanup()  # type: ignore[attr-defined]
        # luma holds on to every device until the program ends; a loose contact can make
        # thousands in an evening, so let it hold empty ones.
        vars(self).clear()
        self._closed = True

    def command(self, *command: int) -> None:
        """Send a command; raises `SlateMissing` as `display` does."""
        if self._settings is None:
            self._settings = command  # the first one of luma's drivers sets all that the chip has
        try:
            super().command(*command)  # type: ignore[misc]
        except (LumaError, OSError) as error:
            raise slate_missing(self._config, error) from error
        self._spend(len(command))

    def data(self, data: list[int]) -> None:
        """Send picture bytes; raises `SlateMissing` as `display` does."""
        try:
            super().data(data)
        except (LumaError, OSError) as error:
            raise slate_missing(self._config, error) from error
        self._spend(len(data))

    def _spend(self, size: int) -> None:
        self.wire_s += (self._message_bytes + size) * self._byte_s


class Ssd1306(_Slate, ssd1306):
    """The 0.96 inch glass, as most shops sell it; its rectangles are of any columns and pages."""

    _address_bytes = 6

    def _address(self, rectangle: Rectangle) -> None:
        first, last = self._colstart + rectangle.left, self._colstart + rectangle.right - 1
        const = self._const
        self.command(
            const.COLUMNADDR, first, last, const.PAGEADDR, rectangle.top, rectangle.foot - 1
        )


class Ssd1309(Ssd1306, ssd1309):
    """The 2.42 inch glass."""


class Sh1106(_Slate, sh1106):
    """The 1.3 inch glass, often sold as SSD1306; its memory is wider than the glass."""

    # It knows a page and where on it to begin; at its end a page leads nowhere.
    _rectangles = staticmethod(page_rectangles)
    _address_bytes = 3

    def _extra(self, config: SlateConfig) -> dict[str, Any]:
        # 132 columns of memory behind 128 of glass: most makers glue it on two columns in, some
        # elsewhere.
        return {"page_address_offset": config.first_column}

    def _address(self, rectangle: Rectangle) -> None:
        column, const = self._page_address_offset + rectangle.left, self._const
        low, high = const.SETLOWCOLUMN | column & 0x0F, const.SETHIGHCOLUMN | column >> 4
        self.command(_FIRST_PAGE | rectangle.top, low, high)


class Ssd1322(_Slate, ssd1322):
    """The wide glass of 256 x 64 in 16 greys, on SPI; its rectangles are of any cells and rows."""

    nothing = 0xA6  # "not inverted", which it is: the chip has no command that means nothing
    _packed = staticmethod(grey_pages_of)
    _column_bytes = _CELL_BYTES * _PAGE_PX
    # Columns and rows are each a command with two bytes that go as data, which DC tells apart.
    _address_bytes = 7 + 4 * _SPI_MESSAGE_BYTES

    def _extra(self, _config: SlateConfig) -> dict[str, Any]:
        return {"mode": "1"}  # what luma clears it with; greys are our own

    def _renew(self) -> None:
        if self._whole_s == _NEVER:
            return  # luma has just told all of it
        self._init_sequence()
        if self._brightness is not None:
            self.contrast(self._brightness)
        if self._lit:
            self.show()

    def _address(self, rectangle: Rectangle) -> None:
        first = self._column_offset // _CELL_PX
        self.command(_COLUMNS, first + rectangle.left, first + rectangle.right - 1)
        self.command(_ROWS, rectangle.top * _PAGE_PX, rectangle.foot * _PAGE_PX - 1)
        self.command(_WRITE)

    def _bytes_in(self, rectangle: Rectangle, pages: list[bytes]) -> bytes:
        left, right = (side * self._column_bytes for side in (rectangle.left, rectangle.right))
        return b"".join(
            _in_rows(page[left:right]) for page in pages[rectangle.top : rectangle.foot]
        )


_COLUMNS, _ROWS, _WRITE = 0x15, 0x75, 0x5C  # commands of SSD1322
_FIRST_PAGE = 0xB0  # the command of SH1106 that chooses page 0

DRIVERS: Mapping[str, type[Any]] = {
    "ssd1306": Ssd1306,
    "sh1106": Sh1106,
    "ssd1309": Ssd1309,
    "ssd1322": Ssd1322,
}
"""By the name in ``[slate] driver``."""
