"""A virtual OLED: keeps the last frame for whoever wants to look, and can be unplugged."""

import errno
import threading
from typing import TYPE_CHECKING

from luma.core.device import device
from luma.core.interface.serial import noop

from kloplei.devices.glass import HEIGHT, WIDTH, SlateMissing
from kloplei.table.client import Frame

if TYPE_CHECKING:
    from PIL import Image


class VirtualOled(device):
    """A luma device without glass.

    ``frame`` is what stands on it, None while it is dark or unplugged; ``first_frame`` is
    set as soon as something was shown; ``contrast_level`` follows ``contrast()``.
    """

    def __init__(self) -> None:
        super().__init__(serial_interface=noop())
        self.capabilities(WIDTH, HEIGHT, rotate=0)
        self.first_frame = threading.Event()
        self.contrast_level = 255
        self._shown: Frame | None = None
        self._lit = True
        self._plugged = True

    @property
    def frame(self) -> Frame | None:
        """What a person sees on the glass."""
        return self._shown if self._plugged and self._lit else None

    def open(self) -> "VirtualOled":
        """Attach to it as `kloplei.devices.oled.open_slate` does to a real one: cleared.

        Raises:
            SlateMissing: It is unplugged.
        """
        if not self._plugged:
            raise SlateMissing("no OLED answers: the virtual one is unplugged. Plug it in again")
        self._lit = True
        return self

    def unplug(self) -> None:
        """Pull the plug: from now on it fails as a real one does, with errno 121."""
        self._plugged = False

    def plug(self) -> None:
        """Plug it in again: dark, as a real one, until it is opened anew."""
        self._shown = None
        self._plugged = True

    def display(self, image: "Image.Image") -> None:
        """Keep *image*, one bit a pixel, as the frame.

        Raises:
            OSError: Unplugged.
        """
        self._answer()
        self._shown = Frame(self.width, self.height, image.convert("1").tobytes())
        self.first_frame.set()

    def contrast(self, level: int) -> None:
        """Remember how bright the glass is, 0 to 255."""
        self._answer()
        self.contrast_level = level

    def show(self) -> None:
        """Wake the glass; what stood on it is there again."""
        self._answer()
        self._lit = True

    def hide(self) -> None:
        """Put the glass to sleep."""
        self._answer()
        self._lit = False

    def _answer(self) -> None:
        if not self._plugged:
            raise OSError(errno.EREMOTEIO, "Remote I/O error")
