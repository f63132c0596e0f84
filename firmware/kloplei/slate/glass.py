"""The glass: opened when it is there, told what is new only, reopened when it was lost."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from luma.core.error import Error as LumaError

from kloplei.files import KlopleiError
from kloplei.slate.easel import Hanging
from kloplei.table.inbox import Inbox, PartFailed, PartHealed

logger = logging.getLogger(__name__)

PART = "slate"
RETRY_S = 2.0
_TROUBLES = (OSError, KlopleiError, LumaError)


@dataclass(slots=True)
class _Known:
    """What is known to stand on the glass; None is nothing."""

    bits: bytes | None = None
    contrast: int | None = None
    lit: bool | None = None


class Glass:
    """One OLED that may come and go.

    Trouble is told to *inbox* once when it begins and once when it is over. A glass that
    stumbles and comes back at the first try is not worth a word.

    Args:
        open_device: Returns a luma device, cleared and lit, or raises with a sentence.
        inbox: Where a broken part is told.
    """

    def __init__(self, open_device: Callable[[], Any], inbox: Inbox) -> None:
        self._open_device = open_device
        self._inbox = inbox
        self._device: Any = None
        self._told = False
        self._try_again_s = float("-inf")
        self._known = _Known()
        self._proven = False

    def hang(self, hanging: Hanging, now_s: float) -> float | None:
        """Bring the glass to look like *hanging*; return when to try again, None if it does."""
        if self._device is not None and self._brought(hanging):
            return None
        if now_s < self._try_again_s:
            return self._try_again_s
        self._try_again_s = now_s + RETRY_S
        if self._opened() and self._brought(hanging):
            self._healed()
            return None
        return self._try_again_s

    def let_go(self) -> None:
        """Let go of the glass; the last picture stays on it when the program ends."""
        if self._device is not None:
            self._device.persist = True
            self._drop()

    def _opened(self) -> bool:
        try:
            self._device, self._known, self._proven = self._open_device(), _Known(), False
        except _TROUBLES as error:
            self._failed(error)
            return False
        return True

    def _brought(self, hanging: Hanging) -> bool:
        try:
            self._send(hanging)
        except _TROUBLES as error:
            logger.warning("The slate does not take its picture: %s", error)
            if not self._proven:
                self._failed(error)
            self._drop()
            return False
        self._proven = True
        return True

    def _send(self, hanging: Hanging) -> None:
        """Send what the glass does not show yet; a picture before light falls on it."""
        if hanging.image is None:
            self._set_lit(False)
            return
        if self._known.contrast != hanging.contrast:
            self._device.contrast(hanging.contrast)
            self._known.contrast = hanging.contrast
        bits = hanging.image.tobytes()
        if self._known.bits != bits:
            self._device.display(hanging.image)
            self._known.bits = bits
        self._set_lit(True)

    def _set_lit(self, lit: bool) -> None:
        if self._known.lit == lit:
            return
        if lit:
            self._device.show()
        else:
            self._device.hide()
        self._known.lit = lit

    def _drop(self) -> None:
        device, self._device = self._device, None
        try:
            device.cleanup()
        except _TROUBLES as error:
            logger.debug("The slate's wires could not be let go of: %s", error)

    def _failed(self, error: Exception) -> None:
        if not self._told:
            self._told = True
            self._inbox.put(PartFailed(PART, str(error) or type(error).__name__))

    def _healed(self) -> None:
        if self._told:
            self._told = False
            self._inbox.put(PartHealed(PART))
