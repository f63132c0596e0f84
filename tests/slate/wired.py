"""A table with its slate on a modelled wire: what each picture costs, in bytes and never in ms.

Time is passed in: the presenter wakes when it asks to, the table when something is due.
"""

from collections.abc import Callable
from dataclasses import dataclass

import smbus2
from luma.core.interface.serial import i2c
from PIL import Image

from kloplei.config.settings import SlateConfig
from kloplei.devices.oled_drivers import DRIVERS
from kloplei.games.game import Seat
from kloplei.knock import KnockHeard
from kloplei.slate.painter import Presenter
from kloplei.slate.picture import DisplaySettings
from kloplei.table.core import Table
from kloplei.words import Words
from tests.devices.smbus import OledBus
from tests.slate.scene import NAMES
from tests.table.memory_journal import MemoryJournal

FAST_HZ = 400_000


@dataclass(frozen=True, slots=True)
class Sent:
    """One picture: when it went out, and what it took on the wire."""

    at_s: float
    size: int

    @property
    def seconds(self) -> float:
        return self.size * 9 / FAST_HZ


class WiredGlass:
    """An OLED with *driver* on a modelled bus, as a Pi opens it."""

    def __init__(self, driver: str = "ssd1306", clock: Callable[[], float] = lambda: 0.0) -> None:
        self.bus = OledBus(driver=driver)
        serial = i2c(bus=self.bus)
        # As when luma opens the bus by itself: a picture is one message, not blocks of 32 bytes.
        serial._managed, serial._i2c_msg_write = True, smbus2.i2c_msg.write
        self._device = DRIVERS[driver](SlateConfig(driver=driver), serial, clock=clock)

    def show(self, image: Image.Image) -> int:
        """Show *image*; return how many bytes that took, addresses and control bytes as well."""
        before = self.bus.sent_bytes
        self._device.display(image)
        return self.bus.sent_bytes - before


class WiredTable:
    """A table of *seats*, all that goes to its glass, and how often anybody was *woken* for it."""

    def __init__(self, seats: int = 4, driver: str = "ssd1306") -> None:
        self.table = Table(MemoryJournal())
        self.now_s = 100.0
        self._glass = WiredGlass(driver, lambda: self.now_s)
        self._presenter = Presenter(Words("nl"), DisplaySettings(), self.now_s - 10.0)
        self._bits = b""
        self.sent: list[Sent] = []
        self.woken = 0
        for seat in range(seats):
            self.ask(seat, "sit_down", name=NAMES[seat])
        self.ask(0, "start")

    def ask(
        self, seat: int | None, action: str, *, waits: bool = False, **facts: object
    ) -> "WiredTable":
        """Do what a phone of *seat* asks for."""
        place = None if seat is None else Seat(seat)
        self.table.submit(place, action, now_s=self.now_s, facts=facts, waits=waits)
        self._look()
        return self

    def knock(self, seat: int, times: int = 1) -> None:
        """Knock at *seat*; what it asks for is decided when nothing more comes."""
        for _ in range(times):
            self.table.handle(KnockHeard(Seat(seat), 0.5, self.now_s), self.now_s)
            self._look()
            self.wait(0.2)

    def wait(self, seconds: float) -> "WiredTable":
        """Let time pass."""
        until_s = self.now_s + seconds
        while True:
            due = (self.table.next_deadline(), self._wakes_s)
            next_s = min((at for at in due if at is not None), default=until_s)
            if next_s >= until_s:
                break
            self.now_s = max(next_s, self.now_s)
            self.table.tick(self.now_s)
            self.woken += 1
            self._look()
        self.now_s = until_s
        return self

    def cost(self, doing: Callable[[], object]) -> list[Sent]:
        """Return what went to the glass while *doing*."""
        self.sent.clear()
        self.woken = 0
        doing()
        return list(self.sent)

    def _look(self) -> None:
        self._presenter.saw(self.table.scoreboard(), self.now_s)
        request = self._presenter.frame_at(self.now_s)
        self._wakes_s = request.until_s
        if request.image is None or request.image.tobytes() == self._bits:
            return
        self._bits, self.last = request.image.tobytes(), request.image
        self.sent.append(Sent(self.now_s, self._glass.show(request.image)))
