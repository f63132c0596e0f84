"""The memories of the three controllers, as their data sheets have them: bytes in, picture out.

They know what luma sends and what our drivers send, and stop at anything else: a command that a
chip does not have, half a command, a byte beside the memory. Data sheets: SSD1306 rev 1.1 (10.1),
SSD1309 rev 1.1 (10.1), SH1106 v2.3 (commands 1 to 20).
"""

from collections.abc import Iterable

_PAGES = 8
_GLASS_PX = 128
_WITH_ONE = frozenset({0x20, 0x81, 0x8D, 0xA8, 0xD3, 0xD5, 0xD9, 0xDA, 0xDB})


class OledChip:
    """Memory and registers of one controller; `command` and `data` take bytes as wires bring them.

    ``memory`` is page by page, a byte for eight pixels one below the other, the lowest bit on top.
    """

    width: int
    arguments = dict.fromkeys(_WITH_ONE, 1)

    def __init__(self) -> None:
        self.memory = [bytearray(self.width) for _ in range(_PAGES)]
        self.lit = False
        self.contrast = 0x7F
        self._page, self._column = 0, 0
        self.settings: dict[int, int] = {}  # by the lowest command that says it
        self._said: list[int] = []

    @property
    def waits(self) -> bool:
        """Whether half a command has come."""
        return bool(self._said)

    def pages(self, first_column: int = 0) -> list[bytes]:
        """Return what stands behind the glass, which begins at *first_column*."""
        return [bytes(page[first_column : first_column + _GLASS_PX]) for page in self.memory]

    def command(self, byte: int) -> None:
        """Take a byte of a command."""
        self._said.append(byte)
        if len(self._said) > self.arguments.get(self._said[0], 0):
            code, *told = self._said
            self._said = []
            assert self._obeys(code, told), f"{type(self).__name__} has no command {code:#04x}"

    def data(self, byte: int) -> None:
        """Take a byte of the picture."""
        self.memory[self._page][self._column] = byte
        self._go_on()

    def _obeys(self, code: int, told: list[int]) -> bool:
        match code:
            case 0xAE | 0xAF:
                self.lit = code == 0xAF
            case 0x81:
                (self.contrast,) = told
            case 0xA8 | 0xD3 | 0xD5 | 0xD9 | 0xDA | 0xDB:
                (self.settings[code],) = told
            case 0xA0 | 0xA1 | 0xA4 | 0xA5 | 0xA6 | 0xA7:
                self.settings[code & 0xFE] = code & 1
            case 0xC0 | 0xC8:
                self.settings[0xC0] = code & 0x0F
            case 0xE3:
                pass
            case _ if 0x40 <= code <= 0x7F:
                self.settings[0x40] = code & 0x3F
            case _:
                return False
        return True

    def _go_on(self) -> None:
        raise NotImplementedError


class Ssd1306(OledChip):
    """An SSD1306: horizontal addressing within a window, which is all that luma uses of it."""

    width = 128
    arguments = OledChip.arguments | {0x21: 2, 0x22: 2}

    def __init__(self) -> None:
        super().__init__()
        self._mode = 0b10  # after reset: page addressing
        self._columns, self._rows = (0, 127), (0, 7)

    def data(self, byte: int) -> None:
        """Take a byte of the picture."""
        assert self._mode == 0b00, "nobody has asked for horizontal addressing"
        super().data(byte)

    def _obeys(self, code: int, told: list[int]) -> bool:
        match code:
            case 0x20:
                (self._mode,) = told
            case 0x21:
                first, last = (one & 0x7F for one in told)
                self._columns, self._column = (first, last), first
            case 0x22:
                first, last = (one & 0x07 for one in told)
                self._rows, self._page = (first, last), first
            case 0x8D:
                pass
            case _:
                return super()._obeys(code, told)
        return True

    def _go_on(self) -> None:
        first, last = self._columns
        if self._column != last:
            self._column = (self._column + 1) % self.width
            return
        self._column = first
        first, last = self._rows
        self._page = first if self._page == last else (self._page + 1) % _PAGES


class Ssd1309(Ssd1306):
    """An SSD1309: no charge pump, else as an SSD1306."""


class Sh1106(OledChip):
    """An SH1106: 132 columns, page addressing only; a page's end is no way to the next."""

    width = 132

    def __init__(self) -> None:
        self.arguments = OledChip.arguments.copy()
        for unknown in (0x20, 0x8D):  # luma sends them all the same; the chip has neither
            del self.arguments[unknown]
        super().__init__()

    def _obeys(self, code: int, told: list[int]) -> bool:
        match code:
            case _ if code < 0x10:
                self._column = self._column & 0xF0 | code
            case _ if code < 0x20:
                self._column = self._column & 0x0F | (code & 0x0F) << 4
            case _ if 0xB0 <= code <= 0xB7:
                self._page = code & 0x07
            case 0x20 | 0x8D:
                pass
            case _:
                return super()._obeys(code, told)
        return True

    def _go_on(self) -> None:
        self._column += 1


CHIPS: dict[str, type[OledChip]] = {"ssd1306": Ssd1306, "ssd1309": Ssd1309, "sh1106": Sh1106}
"""By the name in ``[slate] driver``: those of one bit a pixel."""

_ROWS_1322, _COLUMNS_1322 = 128, 120
_ONE_1322 = (0xFD, 0xB3, 0xCA, 0xA2, 0xA1, 0xB5, 0xAB, 0xC7, 0xC1, 0xB1, 0xBB, 0xB6, 0xBE)
_WANTS_1322 = dict.fromkeys((0x15, 0x75, 0xA0, 0xB4, 0xD1), 2) | dict.fromkeys(_ONE_1322, 1)
_ALONE_1322 = frozenset({0x5C, 0xA4, 0xA6, 0xA9, 0xAE, 0xAF, 0xB9})


class Ssd1322:
    """An SSD1322 (data sheet rev 1.2): what a command wants besides comes as data, as pictures do.

    ``memory`` is row by row, two pixels a byte, 120 columns of two bytes.
    """

    def __init__(self) -> None:
        self.memory = [bytearray(2 * _COLUMNS_1322) for _ in range(_ROWS_1322)]
        self.lit = False
        self.contrast = 0x7F
        self.settings: dict[int, list[int]] = {}
        self._code = 0
        self._told: list[int] = []
        self._columns, self._rows = (0, _COLUMNS_1322 - 1), (0, _ROWS_1322 - 1)
        self._at = 0

    def greys(self) -> list[list[int]]:
        """Return what stands behind a glass of 256 x 64 in its middle, 0 to 15, row by row."""
        rows = (row[2 * 28 : 2 * 92] for row in self.memory[:64])
        return [[half for byte in row for half in (byte >> 4, byte & 0x0F)] for row in rows]

    def command(self, byte: int) -> None:
        """Take a command."""
        assert not self._wants, "half a command"
        assert byte in _WANTS_1322 or byte in _ALONE_1322, f"an SSD1322 has no {byte:#04x}"
        self._code, self._told, self._at = byte, [], 0
        if byte in (0xAE, 0xAF):
            self.lit = byte == 0xAF

    def data(self, byte: int) -> None:
        """Take what a command wants besides, or a byte of the picture."""
        if self._code != 0x5C:
            assert self._wants, "data for nothing"
            self._told.append(byte)
            if not self._wants:
                self._obey()
            return
        (first, last), (top, foot) = self._columns, self._rows
        row, column = divmod(self._at, 2 * (last - first + 1))
        self.memory[top + row % (foot - top + 1)][2 * first + column] = byte
        self._at += 1

    @property
    def _wants(self) -> int:
        return _WANTS_1322.get(self._code, 0) - len(self._told)

    def _obey(self) -> None:
        match self._code:
            case 0x15:
                self._columns = (self._told[0], self._told[1])
            case 0x75:
                self._rows = (self._told[0], self._told[1])
            case 0xC1:
                (self.contrast,) = self._told
            case code:
                self.settings[code] = list(self._told)


class I2cWire:
    """What an OLED does with a message on I2C: a control byte says what those behind it are."""

    def __init__(self, chip: OledChip) -> None:
        self._chip = chip

    def take(self, message: Iterable[int], *, whole: bool = True) -> None:
        """Take *message*, all but the address; only of a *whole* one the last command ends."""
        left = iter(message)
        for control in left:
            take = self._chip.data if control & 0x40 else self._chip.command
            assert control & 0x3F == 0, "the other bits of a control byte are zero"
            if control & 0x80:
                take(next(left))
            else:
                for byte in left:
                    take(byte)
        assert not (whole and self._chip.waits), "half a command"
