"""The table unit on virtual pins, a fake bus and a passed-in clock, told what to do line by line.

Everything between the pins and the socket is what runs on a Pi: session, journal on its file,
box, driver of the slate. What may break is what lies outside: bus, chip, pins, clock.
"""

import errno
import json
import random
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from kloplei.config.settings import AdcConfig, Config, SeatPins, SlateConfig
from kloplei.demo.bots import next_knocks
from kloplei.devices import adc, sampling
from kloplei.devices.adc import CHIPS, MessageConverter, SpiMessages
from kloplei.devices.box import Box
from kloplei.devices.oled import open_slate
from kloplei.devices.schedule import ManualSchedule
from kloplei.devices.virtual import VirtualBox
from kloplei.games.game import IllegalAction, Seat
from kloplei.slate.painter import Painter
from kloplei.slate.picture import DisplaySettings
from kloplei.table.client import TableUnavailable
from kloplei.table.journal import REACH, Journal
from kloplei.table.rpc_server import RpcServer
from kloplei.table.schema import WORLD, dump
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.words import Words
from tests.devices.chips import KernelChip
from tests.devices.smbus import OledBus

NAMES = ("Thijs", "Tame", "Thomas", "Stan")
PIEZO_SEAT = 7  # nobody sits there, so that its piezo only has to be sound
STORM_PAD = 4
STORM_HZ = 4000
A_STEP_S = 0.01
PATIENCE_S = 60.0
HUNG_S = 1.0  # where a real box waits longer; a busy machine gives nothing for some tenths
_WALL_S = 1.78e9
_YEARS_S = 9 * 365 * 86400.0
_CODES = (508, 512, 516, 512)  # what a disc at rest gives

CONFIG = Config(
    seats=tuple(
        SeatPins(piezo=0) if at == PIEZO_SEAT else pins for at, pins in enumerate(Config().seats)
    ),
    adc=AdcConfig(enabled=True),
)


class Spi:
    """A converter behind the kernel, which may answer nothing, or never come back."""

    def __init__(self) -> None:
        self.answers = True
        self.free = threading.Event()
        self.free.set()
        self._reads = 0
        self._now_s = 1000.0
        self._chip = KernelChip(self._code)

    def open(self, *_: object) -> MessageConverter:
        """Return it as `kloplei.devices.adc` does."""
        chip = CHIPS["mcp3008"]
        messages = SpiMessages(Path("/dev/null"), [chip.request(0)], 64, ioctl=self._ioctl)
        held = SimpleNamespace(close=lambda: None)
        return MessageConverter(held, messages, chip, 1, 4000.0, clock=lambda: self._now_s)

    def _ioctl(self, file: int, request: int, message: Any) -> None:
        self.free.wait()
        time.sleep(0.002)
        self._chip(file, request, message)
        self._now_s += len(message) / 4000.0

    def _code(self, _: int) -> int:
        self._reads += 1
        return _CODES[self._reads % len(_CODES)] if self.answers else 0


class Stand:
    """A box in its pub; each of its commands is a word on a line of JSON.

    Args:
        folder: Where the journal lies; the socket stands in the one above.
        opening: Closes it.
        config: What is wired.
        reach: So many entries at least can be taken back.
    """

    def __init__(
        self,
        folder: Path,
        opening: ExitStack,
        config: Config = CONFIG,
        reach: int | None = REACH,
    ) -> None:
        sampling.HUNG_S = HUNG_S
        sampling.FIRST_PAUSE_S = 0.05
        self.spi, self.bus = Spi(), OledBus()
        vars(adc)["open_converter"] = self.spi.open
        self.clock, self.wall_s = ManualSchedule(), _WALL_S
        self._dice, self._hums = random.Random(4), False
        self.virtual = VirtualBox(config, self.clock)
        self.virtual.pin_factory.piezos = None  # a converter hangs there, as on a Pi
        journal = opening.enter_context(Journal(folder / "kloplei.db", reach=reach))
        self.session = opening.enter_context(
            Session(journal, TableSetup(wall=self._wall), clock=self.clock.now_s, keepalive_s=0.2)
        )
        painter = Painter(
            self.session,
            lambda: open_slate(SlateConfig(), bus=self.bus),
            Words("en"),
            DisplaySettings(),
            inbox=self.session,
            show=self.session.show,
            clock=self.clock.now_s,
        )
        painter.start()
        opening.callback(painter.close)
        pins = self.virtual.pin_factory
        box = Box(config, self.session, pin_factory=pins, schedule=self.clock)
        opening.callback(box.close)
        box.follow(self.session)
        opening.enter_context(RpcServer(self.session, folder.parent / "table.sock", clients=16))
        self._seat_players()

    def do(self, ask: Mapping[str, Any]) -> object:
        """Do what the line says, and return what there is to answer."""
        commands: Mapping[str, Callable[..., object]] = {
            "play": self.play,
            "wait": self.wait,
            "board": self.board,
            "notices": self.notices,
            "rename": self.rename,
            "glass": self.glass,
            "break": lambda what: self.set_fault(what, on=True),
            "mend": lambda what: self.set_fault(what, on=False),
        }
        return commands[ask["do"]](*ask.get("with", ()))

    def play(self, moves: int) -> int:
        """Let bots knock *moves* times, and return the number of the last entry."""
        for _ in range(moves):
            board = self.session.scoreboard()
            if knocks := next_knocks(board, self._dice):
                self.virtual.knock(knocks.seat, knocks.times)
            self.wait(1.2)
            if board.grace or self.session.scoreboard().grace:
                self.wait(3.2)
        return self.session.scoreboard().seq

    def wait(self, seconds: float) -> None:
        """Let time pass, and let the table do what falls due."""
        self.bus.transfers.clear()  # what a fake remembers is no leak of ours
        for _ in range(round(seconds / A_STEP_S)):
            self.clock.advance(A_STEP_S)
        try:
            self.session.submit(None, "undo", seen=-1)
        except (IllegalAction, TableUnavailable):
            return

    def board(self) -> object:
        """Return the scoreboard as phones get it."""
        return dump(self.session.scoreboard(), form=WORLD)

    def rename(self, name: str, times: int = 1) -> bool:
        """Ask for something that is always allowed, so often; return whether it was refused."""
        try:
            for _ in range(times):
                self.session.submit(Seat(0), "rename", facts={"name": name})
        except TableUnavailable:
            return True
        return False

    def notices(self) -> list[str]:
        """Return what the slate says is wrong."""
        say = Words("en").say
        return [say(one.key, one.facts) for one in self.session.scoreboard().notices]

    def glass(self) -> bool:
        """Tell whether the glass shows what phones are told that it shows."""
        deadline_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline_s:
            frame = self.session.frame()
            if frame is not None and frame.bits == _bits_of(self.bus):
                return True
            time.sleep(A_STEP_S)
            self.clock.advance(A_STEP_S)  # what says a big moment goes ahead of the rest
        return False

    def set_fault(self, what: str, *, on: bool) -> None:
        """Break *what*, or mend it."""
        match what:
            case "i2c-errors":
                self.bus.error, self.bus.plugged = errno.EIO, not on
            case "i2c-unplugged":
                self.bus.error, self.bus.plugged = errno.EREMOTEIO, not on
                self.bus.pull_the_plug()
            case "spi-stuck":
                self.spi.answers = not on
            case "spi-hangs":
                self.spi.free.clear() if on else self.spi.free.set()
            case "edge-storm":
                self._hums = on
                if on:
                    self._hum(low=True)
            case "clock-jumps":
                self.wall_s += _YEARS_S if on else -2 * _YEARS_S

    def _hum(self, *, low: bool) -> None:
        """Move the wire of a pad, and again soon, as long as it hums."""
        pin = self.virtual.pin_factory.pin(CONFIG.pads[STORM_PAD].pin)
        pin.drive_low() if low and self._hums else pin.drive_high()
        if self._hums:
            again = partial(self._hum, low=not low)
            self.clock.at(self.clock.now_s() + 1 / STORM_HZ, again)

    def _wall(self) -> float:
        return self.wall_s + self.clock.now_s()

    def _seat_players(self) -> None:
        if not self.session.scoreboard().rows:
            for seat, name in enumerate(NAMES):
                self.session.submit(Seat(seat), "sit_down", facts={"name": name})
            self.session.submit(Seat(0), "start")


def _bits_of(bus: OledBus) -> bytes:
    """Return what stands in the chip's memory, row by row as a frame has it."""
    rows = bytearray()
    for y in range(64):
        page, bit = bus.memory[y // 8], 1 << y % 8
        for x in range(0, 128, 8):
            rows.append(sum(0x80 >> i for i in range(8) if page[x + i] & bit))
    return bytes(rows)


def serve(folder: Path) -> None:
    """Do what comes in on stdin until it ends; answer each line with one."""
    with ExitStack() as opening:
        stand = Stand(folder, opening)
        print("ready", flush=True)
        for line in sys.stdin:
            print(json.dumps(stand.do(json.loads(line))), flush=True)
