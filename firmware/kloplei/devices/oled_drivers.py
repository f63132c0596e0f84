"""luma's drivers for the three chips, made thrifty: a frame is sent only if it is new."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from luma.core.error import Error as LumaError
from luma.oled.device import sh1106, ssd1306, ssd1309

from kloplei.config.settings import SlateConfig
from kloplei.devices.glass import SlateMissing, slate_missing

if TYPE_CHECKING:
    from PIL import Image


class _Pixels:
    """The pixels of an image for luma, which reads them through ``getdata``.

    Pillow's own method of that name warns, and leaves with Pillow 14.
    """

    def __init__(self, image: "Image.Image") -> None:
        self._pixels = image.convert("L").tobytes()

    def getdata(self) -> bytes:
        """Return one byte a pixel, row by row; 0 is dark."""
        return self._pixels


class _Thrifty:
    """Mixed in before a luma driver: sends new frames only, fails with `SlateMissing` only.

    luma sends all 1024 bytes of a frame, changed or not: 93 ms on a 100 kHz bus.
    """

    _sent: bytes | None = None
    _closed = False
    _config: SlateConfig

    def __init__(self, config: SlateConfig, serial: Any) -> None:
        self._config = config
        super().__init__(  # type: ignore[call-arg]
            serial_interface=serial,
            width=config.glass.width,
            height=config.glass.height,
            rotate=config.rotation // 90,
            **self._extra(config),
        )
        self.contrast(config.contrast)  # type: ignore[attr-defined]

    def _extra(self, _config: SlateConfig) -> dict[str, int]:
        return {}

    def display(self, image: "Image.Image") -> None:
        """Show *image*, one bit a pixel.

        Raises:
            SlateMissing: The OLED does not answer any more.
        """
        bits = image.tobytes()
        if bits == self._sent:
            return
        # A frame that breaks off stands half on the glass, so nothing is known to stand there.
        self._sent = None
        super().display(image)  # type: ignore[misc]
        self._sent = bits

    def cleanup(self) -> None:
        """Switch the OLED off if it still answers, and let go of its wires; may be called twice.

        With ``persist`` set, luma's switch for it, the last picture stays.
        """
        if self._closed:
            return
        if not self.persist:  # type: ignore[attr-defined]
            with suppress(SlateMissing):
                self.hide()  # type: ignore[attr-defined]
                self.clear()  # type: ignore[attr-defined]
        self._serial_interface.cleanup()  # type: ignore[attr-defined]
        # luma holds on to every device until the program ends; a loose contact can make
        # thousands in an evening, so let it hold empty ones.
        vars(self).clear()
        self._closed = True

    def preprocess(self, image: "Image.Image") -> "_Pixels":
        """Return *image* the right way up, as luma's drivers read it."""
        return _Pixels(super().preprocess(image))  # type: ignore[misc]

    def command(self, *command: int) -> None:
        """Send a command; raises `SlateMissing` as `display` does."""
        try:
            super().command(*command)  # type: ignore[misc]
        except (LumaError, OSError) as error:
            raise slate_missing(self._config, error) from error

    def data(self, data: list[int]) -> None:
        """Send picture bytes; raises `SlateMissing` as `display` does."""
        try:
            super().data(data)  # type: ignore[misc]
        except (LumaError, OSError) as error:
            raise slate_missing(self._config, error) from error


class Ssd1306(_Thrifty, ssd1306):
    """The 0.96 inch glass, as most shops sell it."""


class Ssd1309(_Thrifty, ssd1309):
    """The 2.42 inch glass."""


class Sh1106(_Thrifty, sh1106):
    """The 1.3 inch glass, often sold as SSD1306; its memory is wider than the glass."""

    def _extra(self, config: SlateConfig) -> dict[str, int]:
        # 132 columns of memory behind 128 of glass: most makers glue it on two columns in, some
        # elsewhere.
        return {"page_address_offset": config.first_column}


DRIVERS: Mapping[str, Callable[[SlateConfig, Any], Any]] = {
    "ssd1306": Ssd1306,
    "sh1106": Sh1106,
    "ssd1309": Ssd1309,
}
"""By the name in ``[slate] driver``."""
