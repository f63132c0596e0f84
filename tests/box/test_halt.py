"""What stands on the glass after each kind of stop, in a box that really goes down."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from kloplei.config.settings import Config
from kloplei.devices.oled import open_slate
from kloplei.slate.picture import draw_goodbye, draw_pause
from kloplei.words import Words
from tests.box.machine import HERE, Machine, eventually
from tests.box.trees import RELEASES, booted_tree
from tests.devices.smbus import OledBus

GLASS = "/var/lib/kloplei/glass"
SMBUS = "/usr/lib/python3/dist-packages/smbus2/__init__.py"


def on_glass(machine: Machine) -> list[bytearray]:
    """Return what stands on the glass of *machine* now."""
    return pictures(machine)[-1]


def pictures(machine: Machine) -> list[list[bytearray]]:
    """Return what stood on the glass after each transfer that *machine* has written down."""
    bus, stood = OledBus(), []
    for line in (machine.root / GLASS.lstrip("/")).read_text().splitlines():
        register, _, sent = line.partition(" ")
        values = list(bytes.fromhex(sent))
        for start in range(0, max(len(values), 1), 32):
            bus.write_i2c_block_data(0x3C, int(register, 16), values[start : start + 32])
        stood.append([bytearray(page) for page in bus.memory])
    return stood


def drawn(image: Image.Image) -> list[bytearray]:
    """Return what *image* is on the glass."""
    bus = OledBus()
    device = open_slate(Config().slate, bus=bus)
    device.persist = True
    device.display(image)
    return bus.memory


PAUSE = drawn(draw_pause(Words("nl")).image)
GOODBYE = drawn(draw_goodbye(Words("nl")).image)


@pytest.fixture(params=RELEASES)
def box(request: pytest.FixtureRequest, package: Path, tmp_path: Path) -> Iterator[Machine]:
    """A box with a table on it, whose glass is written down."""
    with Machine(booted_tree(request.param, package), tmp_path / "box") as machine:
        machine.install(package)
        machine.write(SMBUS, (HERE / "paper_glass.py").read_text())
        machine.run("systemctl", "restart", "kloplei-table")
        eventually((machine.root / GLASS.lstrip("/")).exists, 20)
        yield machine


def test_only_when_it_is_off_the_slate_says_that_the_plug_may_be_pulled(box: Machine) -> None:
    box.run("systemctl", "stop", "kloplei-table")
    assert on_glass(box) == PAUSE

    box.run("systemctl", "start", "kloplei-table", "kloplei-halt")
    eventually(lambda: on_glass(box) not in (PAUSE, GOODBYE), 20)
    box.give_back()
    box.power_off("reboot")
    assert on_glass(box) == PAUSE
    assert GOODBYE not in pictures(box)

    box.boot()
    eventually(lambda: box.state("kloplei-halt", "ActiveState") == "active", 60)
    box.give_back()
    box.power_off()
    assert on_glass(box) == GOODBYE


def test_with_a_disk_that_may_be_written_to_it_says_nothing(box: Machine) -> None:
    """A container cannot unmount what its host lends it, and that is on a disk."""
    box.power_off()

    assert on_glass(box) == PAUSE
    assert GOODBYE not in pictures(box)
