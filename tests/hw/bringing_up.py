"""A box that is half built: what of it is there, for the doctor to look at stage by stage."""

import errno
import io
import math
import os
import random
import struct
import sys
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from ipaddress import IPv4Address
from pathlib import Path
from types import SimpleNamespace

import pytest
import smbus2

from kloplei.cli import doctor, main
from kloplei.config import reader
from kloplei.config.reader import load_config
from kloplei.config.settings import Config
from kloplei.devices import sampling
from kloplei.devices import sensors as devices_sensors
from kloplei.devices.adc import CHIPS, Burst
from kloplei.devices.box import Box
from kloplei.devices.sampling import AdcSource
from kloplei.devices.schedule import ManualSchedule
from kloplei.devices.sensors import Opening
from kloplei.devices.virtual import VirtualPin, VirtualPins
from kloplei.diagnostics import buses, pins, registry, system
from kloplei.diagnostics import doctor as diagnosis
from kloplei.diagnostics.doctor import TableDoctor
from kloplei.diagnostics.registry import Examination, checks_of_the_wiring
from kloplei.diagnostics.system import Machine, check_clock, check_disk, check_pin_library
from kloplei.network.addresses import Local, Network
from kloplei.table.journal import Journal
from kloplei.table.rpc_server import RpcServer
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from tests.devices.chips import eventually
from tests.devices.smbus import OledBus
from tests.diagnostics.machines import ZERO, machine_with
from tests.diagnostics.test_pins import CHIP, Kernel, process

URL = "http://192.168.1.7:8080/"
PACKAGES = {"gpiozero": "2.0.1.post3", "lgpio": "0.2.2.0"}
UNIT = "Id={}.service\nLoadState=loaded\nActiveState={}\nSubState=x\nResult=success\nNRestarts=0\n"
OPEN = 0.997
"""Of its range: where R2 pulls a channel whose puck is off, as tests/hw/test_piezo_channel.py."""
ROOMY = os.statvfs_result((4096, 1_000_000, 0, 0, 12_000, 0, 0, 0, 0, 255))
SHOWN_S = 4.0  # of the converter's own time, within which all shows that the stages have
NOON = datetime(2026, 12, 5, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Stage:
    """What is there of the box.

    Args:
        i2c: Addresses of what hangs on the bus; None where it is switched off.
        spi: Whether SPI is switched on.
        low: Pins (BCM) that lie on ground.
        level: Where each channel of the converter rests, 0 to 1 of its range; None: no converter.
        hums: Channels that hear the mains.
        held: Pins that the kernel says are held, and by what name.
        table: Whether the table runs.
        touches: Pins that are pulled low for so long, one after the other, at `doctor --try`.
        answers: What is typed.
    """

    i2c: tuple[int, ...] | None = (0x3C,)
    spi: bool = False
    low: frozenset[int] = frozenset()
    level: tuple[float, ...] | None = None
    hums: frozenset[int] = frozenset()
    held: Mapping[int, str] = field(default_factory=dict)
    table: bool = False
    touches: tuple[tuple[int, float], ...] = ()
    answers: str = ""


class I2c(OledBus):
    """The bus of the slate, which is asked who is there as well."""

    def __init__(self, there: tuple[int, ...]) -> None:
        super().__init__()
        self.there = there
        self.plugged = self.address in there

    def write_quick(self, address: int) -> None:
        if address not in self.there:
            raise OSError(errno.EREMOTEIO, "Remote I/O error")

    read_byte = write_quick


class RestingConverter:
    """A converter nobody knocks at: each channel rests at its level, with a code of noise.

    It runs ahead of the real clock, until *until_s* of its own.
    """

    skew_s = 1e-5
    remedy = "nothing"
    drift_ppm = None

    def __init__(self, levels: tuple[float, ...], hums: frozenset[int]) -> None:
        chance = random.Random(7)
        self._bursts = [
            tuple(
                _resting(level, chance, turn if channel in hums else None)
                for channel, level in enumerate(levels)
            )
            for turn in range(_DIFFERENT)
        ]
        self._turn = 0
        self._nap = threading.Event()
        self.now_s = 1000.0
        self.until_s = self.now_s

    def burst(self) -> Burst:
        self._nap.wait(0.0002 if self.now_s < self.until_s else 0.005)
        start_s, self.now_s = self.now_s, self.now_s + 64 / 4000
        self._turn = (self._turn + 1) % _DIFFERENT
        return Burst(start_s, self.now_s, self._bursts[self._turn])

    def own_hz(self) -> float | None:
        return None

    def tune(self, reached_hz: float) -> None:
        pass

    def close(self) -> None:
        pass


_DIFFERENT = 5  # bursts of 16 ms, after which they come again: four full turns of the mains
_HUM = 0.1  # of its range


def _resting(level: float, chance: random.Random, hum_turn: int | None) -> list[float]:
    """Return samples of a channel at *level*; at its end no noise gets through.

    *hum_turn* counts bursts, if it hears the mains.
    """
    chip = CHIPS["mcp3008"]
    top = (1 << chip.bits) - 1
    noise = 0.8 if 0.01 < level < 0.99 else 0.0
    hum = 0.0 if hum_turn is None else _HUM * top
    angles = [math.tau * 50 * (64 * (hum_turn or 0) + at) / 4000 for at in range(64)]
    codes = [round(level * top + hum * math.sin(one) + chance.gauss(0, noise)) for one in angles]
    return chip.samples([max(0, min(top, code)) for code in codes])


class Bench:
    """A half-built box on a bench, with a terminal to type `kloplei doctor` at.

    Args:
        root: An empty folder that stands for the whole machine.
        stage: What of the box is there.
        settings: What stands in the settings file.
        monkeypatch: Puts the fakes in their places.
    """

    def __init__(
        self, root: Path, stage: Stage, settings: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.root = root
        self.stage = stage
        self.file = root / "etc/kloplei/kloplei.toml"
        self.file.parent.mkdir(parents=True)
        self.file.write_text(settings)
        self.machine = self._machine()
        self.schedule = ManualSchedule()
        self.pins = VirtualPins(self.schedule)
        self.converter = None if stage.level is None else RestingConverter(stage.level, stage.hums)
        self.sources: list[AdcSource] = []
        self._replace_the_world(monkeypatch)

    def read(self) -> Config:
        """Return the settings, whose folders are below the bench's own root."""
        read = load_config(self.file)  # the real one: it was imported before it was replaced
        data = self.root / "var/lib/kloplei"
        data.mkdir(parents=True, exist_ok=True)
        socket = replace(read.socket, path=self.root / "table.sock")
        return replace(read, table=replace(read.table, data=data), socket=socket)

    def type(self, arguments: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
        """Return the lines that ``kloplei`` with *arguments* prints."""
        capsys.readouterr()
        with ExitStack() as running:
            if self.stage.table:
                self._run_table(running)
            main([*arguments.split(), "--config", str(self.file)])
        printed = capsys.readouterr()
        return (printed.out + printed.err).replace(str(self.root), "").splitlines()

    def _machine(self) -> Machine:
        files = {
            "proc/device-tree/model": f"{ZERO}\0",
            "proc/meminfo": "MemAvailable:   271000 kB\n",
            "sys/devices/platform/soc/soc:firmware/get_throttled": "0\n",
            "sys/class/thermal/thermal_zone0/temp": "43210\n",
            f"dev/{CHIP}": "",
        }
        if self.stage.i2c is not None:
            files["dev/i2c-1"] = ""
            clock = "sys/class/i2c-adapter/i2c-1/of_node/clock-frequency"
            files[clock] = struct.pack(">I", 400_000).decode("latin-1")
        if self.stage.spi:
            files |= {"dev/spidev0.0": "", "dev/spidev0.1": ""}
        state = "active" if self.stage.table else "inactive"
        units = "\n".join(UNIT.format(one, state) for one in ("kloplei-table", "kloplei-panel"))
        machine = machine_with(
            self.root,
            {name: text.encode("latin-1") for name, text in files.items()},
            systemctl=units,
            timedatectl="yes\n",
            nmcli="",
        )
        if self.stage.table:
            process(self.root, os.getpid(), "kloplei")
        return machine

    def _replace_the_world(self, monkeypatch: pytest.MonkeyPatch) -> None:
        kernel = Kernel(**{f"gpio{pin}": name for pin, name in self.stage.held.items()})
        held = partial(pins.held_lines, ioctl=kernel)
        has = partial(check_pin_library, version=PACKAGES.get, python=(3, 11), pip=lambda: None)
        bench = self

        def source(opening: Opening) -> AdcSource:
            return bench._source(opening)

        noon = partial(check_clock, now=lambda: NOON)
        home = Network((Local("wlan0", IPv4Address("192.168.1.7")),))
        for place, name, fake in (
            (reader, "load_config", lambda _: self.read()),
            (pins, "held_lines", held),
            (system, "check_pin_library", has),
            (system, "check_clock", noon),
            (system, "check_disk", partial(check_disk, statvfs=lambda _: ROOMY)),
            (registry, "look_at_network", lambda: home),
            (buses, "find_spec", lambda _: True),
            (smbus2, "SMBus", self._bus),
            (diagnosis, "Machine", lambda: self.machine),
            (diagnosis, "_url", lambda _: URL),
            (doctor, "time", SimpleNamespace(sleep=self._listen)),
            (doctor, "_until_ctrl_c", self._touch),
            (Box, "_open_schedule", lambda _: self.schedule),
            (Box, "_chosen_factory", lambda _: self._pins_as_wired()),
            (devices_sensors, "open_source", source),
            (sampling, "WAITING_BLOCKS", 1_000_000),  # the converter runs ahead of the clock
            (diagnosis, "COLOUR_S", 0.0),
            (sys, "stdin", io.StringIO(self.stage.answers)),
        ):
            monkeypatch.setattr(place, name, fake)

    def _bus(self, _number: int) -> I2c:
        if self.stage.i2c is None:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", "/dev/i2c-1")
        return I2c(self.stage.i2c)

    def _pins_as_wired(self) -> VirtualPins:
        low = {f"GPIO{pin}" for pin in self.stage.low}

        class Wired(VirtualPin):
            def drive_high(self) -> None:
                if self.info.name not in low:
                    super().drive_high()

        self.pins.pin_class = Wired
        return self.pins

    def _source(self, opening: Opening) -> AdcSource:
        assert self.converter is not None
        channels = len(opening.config.piezos)
        self.sources.append(AdcSource(self.converter, channels, 4000.0, opening.faults))
        return self.sources[-1]

    def _listen(self, for_s: float) -> None:
        self.schedule.advance(for_s)
        if self.converter is None or not self.sources:
            return
        converter, source = self.converter, self.sources[-1]
        converter.until_s = converter.now_s + min(for_s, SHOWN_S)
        fails = source._faults._troubles
        assert eventually(lambda: converter.now_s >= converter.until_s or "piezos" in fails, 20)
        assert eventually(lambda: len(source._queue._blocks) < 2, 20)

    def _touch(self) -> None:
        for pin, for_s in self.stage.touches:
            self.pins.pin(pin).drive_low()
            self.schedule.advance(for_s)
            self.pins.pin(pin).drive_high()
            self.schedule.advance(1.0)

    def _run_table(self, running: ExitStack) -> None:
        read = self.read()
        journal = running.enter_context(Journal(read.table.data / "kloplei.db"))
        session = running.enter_context(Session(journal, TableSetup(seats=read.table.seats)))
        checks = checks_of_the_wiring(self.machine, read, {os.getpid()})
        session.doctor = TableDoctor(
            session,
            seats=read.table.seats,
            examination=Examination(checks),
            show=None,
            slate=read.slate,
        )
        running.enter_context(RpcServer(session, read.socket.path))
