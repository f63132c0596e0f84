"""A virtual table that phones record, whose time passes while they look."""

import io
import time
import zipfile
from collections.abc import Callable
from math import exp, sin
from pathlib import Path

from kloplei.config.settings import Config
from kloplei.demo.wood import VirtualTable, virtual_config
from kloplei.devices.schedule import ManualSchedule
from kloplei.games.scoreboard import Offer, Scoreboard, Tuning
from kloplei.knock.signal import Block
from kloplei.recordings.capture.protocol import ProtocolStep
from kloplei.recordings.capture.recorder import TableRecorder
from kloplei.recordings.capture.sensors import Sensors
from kloplei.recordings.capture.session import Shown
from kloplei.table.messages import Message, TuningShown
from kloplei.table.recordings_client import RecordingStand

SEATS = 2
IN_A_MOMENT_S = 60.0
A_LOOK_S = 0.3  # a blow is shown for a little longer
BLOW = [0.4 * exp(-at / 20) * sin(at) for at in range(100)]


class TableAtRest:
    """A table at which nobody plays, unless a test says so."""

    def __init__(self) -> None:
        self.plays = False
        self.tuning: Tuning | None = None
        self.told: list[Tuning | None] = []

    def scoreboard(self) -> Scoreboard:
        offers = (Offer("wipe"),) if self.plays else ()
        return Scoreboard("toepen", "between_hands", offers=offers, tuning=self.tuning)

    def put(self, message: Message) -> None:
        assert isinstance(message, TuningShown)
        self.told.append(message.tuning)


class Recorded:
    """A recorder whose time passes while it waits; *deed* is done at every look."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.schedule = ManualSchedule()
        self.table = TableAtRest()
        self.shown: list[Shown | None] = []
        self.deed: Callable[[], object] = lambda: None
        self.sensors = VirtualTable(self.schedule, SEATS)
        self.is_taken = False
        self.recorder = TableRecorder(
            virtual_config(Config(), SEATS),
            Sensors(self, self.sensors.sensors().troubles, lambda: self.sensors.rate_hz),
            folder,
            self.table,
            clock=self.schedule.now_s,
            show=self.shown.append,
            wait=self.wait,
            oblige=self.oblige,
        )

    def wait(self, within_s: float) -> None:
        self.deed()
        self.schedule.advance(max(within_s, A_LOOK_S))

    def oblige(self, step: ProtocolStep, begun_s: float) -> None:
        """Let something strike on each beat."""
        for beat_s in step.beats_s:
            self.sensors.play([BLOW] * SEATS, begun_s + beat_s)

    def record(self, walk: str = "short", seats: int = SEATS) -> RecordingStand:
        """Make a recording to its end."""
        self.recorder.step("begin", {"walk": walk, "seats": seats})
        return self.ended()

    def ended(self) -> RecordingStand:
        until_s = time.monotonic() + IN_A_MOMENT_S
        while self.recorder.look().state != "idle":
            assert time.monotonic() < until_s
            time.sleep(0.005)
        return self.recorder.look()

    def once(self, is_it_time: Callable[[Shown], bool], do: Callable[[], object]) -> None:
        """Do it once, as soon as what is shown is so."""

        def deed() -> None:
            if self.shown and (last := self.shown[-1]) is not None and is_it_time(last):
                self.deed = lambda: None
                do()

        self.deed = deed

    def file(self, name: str) -> zipfile.ZipFile:
        raw = b""
        while part := self.recorder.read(name, len(raw)):
            raw += part
        return zipfile.ZipFile(io.BytesIO(raw))

    @property
    def channels(self) -> int:
        return self.sensors.channels

    def start(self, take: Callable[[Block], None]) -> None:
        self.is_taken = True
        self.sensors.start(take)

    def close(self) -> None:
        self.is_taken = False
        self.sensors.close()
