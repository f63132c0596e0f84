"""A fake I2C bus with an OLED on it: takes luma's bytes apart as the chip would."""

import errno


class OledBus:
    """Stands in for smbus; remembers what was sent, and can go deaf.

    ``memory`` is the chip's, page by page, 132 columns wide as in an SH1106.
    """

    def __init__(self, address: int = 0x3C) -> None:
        self.address = address
        self.plugged = True
        self.error = errno.EREMOTEIO
        self.fails_after: int | None = None  # so many more transfers get through
        self.transfers: list[tuple[int, bytes]] = []
        self.memory = [bytearray(132) for _ in range(8)]
        self._page, self._column = 0, 0
        self._window = (0, 127)

    def write_i2c_block_data(self, address: int, register: int, values: list[int]) -> None:
        assert len(values) <= 32, "an SMBus block holds 32 bytes"
        if self.fails_after is not None:
            self.fails_after -= 1
        if address != self.address or not self.plugged or (self.fails_after or 0) < 0:
            raise OSError(self.error, "Remote I/O error")
        self.transfers.append((register, bytes(values)))
        if register == 0x40:
            self._write(values)
        else:
            self._obey(values)

    @property
    def commands(self) -> list[bytes]:
        return [values for register, values in self.transfers if register == 0x00]

    @property
    def picture_bytes(self) -> int:
        return sum(len(values) for register, values in self.transfers if register == 0x40)

    def _obey(self, command: list[int]) -> None:
        match command:
            case [0x21, first, last, 0x22, page, _]:
                self._window, self._column, self._page = (first, last), first, page
            case [page, low, high] if 0xB0 <= page <= 0xB7:
                self._page, self._column, self._window = page & 7, (high & 15) << 4 | low, (0, 131)

    def _write(self, values: list[int]) -> None:
        for value in values:
            self.memory[self._page][self._column] = value
            self._column += 1
            if self._column > self._window[1]:
                self._column, self._page = self._window[0], (self._page + 1) % 8
