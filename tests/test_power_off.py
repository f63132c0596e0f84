"""What the slate says at the very end: drawn before, sent when every disk is at rest."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory
from PIL import Image

from kloplei import power_off
from kloplei.cli import main
from kloplei.config.reader import parse_config
from kloplei.config.settings import GLASS_OF, SPI_ALONE, Config, SlateConfig
from kloplei.devices.glass import SlateMissing
from kloplei.devices.oled import open_slate
from kloplei.slate.picture import draw_goodbye
from kloplei.words import Words
from tests.devices.smbus import OledBus

AT_REST = """\
/dev/mmcblk0p2 / ext4 ro,noatime 0 0
proc /proc proc rw,nosuid 0 0
tmpfs /run tmpfs rw,nosuid,nodev 0 0
/dev/mmcblk0p1 /boot/firmware vfat ro,relatime 0 0
"""


class SpiBus:
    """A spidev that only listens; what came while DC was high is the picture."""

    def __init__(self) -> None:
        self.sent: list[int] = []

    def open(self, *_where: int) -> None:
        self.opened = True

    def writebytes(self, data: list[int]) -> None:
        self.sent += data

    def writebytes2(self, data: list[int]) -> None:
        self.sent += data

    def close(self) -> None:
        self.opened = False


def goodbye(config: Config, image: Image.Image | None = None) -> OledBus:
    """Return a bus on whose glass stands what the last word should be."""
    bus = OledBus(config.slate.address, config.slate.driver)
    device = open_slate(config.slate, bus=bus)
    device.persist = True
    device.display(image or draw_goodbye(Words("nl")).image)
    return bus


@pytest.mark.parametrize("driver", sorted(set(GLASS_OF) - SPI_ALONE))
def test_what_was_kept_stands_on_the_glass_later(tmp_path: Path, driver: str) -> None:
    config = parse_config(f'[slate]\ndriver = "{driver}"\naddress = 0x3D\nrotation = 180\n', "k")
    glass = OledBus(0x3D, driver)

    assert power_off.prepare(config, tmp_path / "kept")
    assert glass.transfers == []
    power_off.say(tmp_path / "kept", bus=glass)

    assert glass.memory == goodbye(config).memory
    assert any(any(page) for page in glass.memory)
    assert bytes([0xAF]) in glass.commands  # lit, also where the glass slept
    assert glass.commands[-1] != bytes([0xAE])


def test_it_speaks_the_language_of_the_slate(tmp_path: Path) -> None:
    glass = OledBus()

    power_off.prepare(parse_config('[table]\nlanguage = "de"\n', "k"), tmp_path / "kept")
    power_off.say(tmp_path / "kept", bus=glass)

    assert glass.memory == goodbye(Config(), draw_goodbye(Words("de")).image).memory
    assert glass.memory != goodbye(Config()).memory


def test_an_spi_slate_says_it_too_by_the_pins_of_its_settings(tmp_path: Path) -> None:
    config = parse_config(
        '[table]\nseats = 5\n[slate]\ninterface = "spi"\ndc = 6\n[seat.5]\npad=false\n', "k"
    )
    told, pins = SpiBus(), MockFactory()
    dc, reset = pins.pin("GPIO6"), pins.pin("GPIO25")

    power_off.prepare(config, tmp_path / "kept")
    power_off.say(tmp_path / "kept", pin_factory=pins, spi=told)

    drawn = bytes(power_off._strokes(config, config.slate)[-2][1])
    assert len(drawn) > 100
    assert drawn in bytes(told.sent)
    assert {level for _, level in dc.states} == {False, True}
    assert False in {level for _, level in reset.states}


@pytest.mark.parametrize("there", [0x3C, 0x3D])
def test_the_one_of_two_slates_that_is_there_says_it(tmp_path: Path, there: int) -> None:
    config = parse_config("[second_slate]\nenabled = true\nrotation = 180\n", "k")
    glass = OledBus(there)
    slate = next(one for one in config.slates if one.address == there)

    power_off.prepare(config, tmp_path / "kept")
    with pytest.raises(SlateMissing):
        power_off.say(tmp_path / "kept", bus=glass)

    assert glass.memory == goodbye(replace(config, slate=slate)).memory


def test_a_box_without_a_slate_has_nothing_to_say(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("of yesterday")

    assert not power_off.prepare(parse_config('[slate]\ndriver = "none"\n', "k"), kept)

    assert not kept.exists()


def test_a_glass_that_is_gone_is_told_in_a_sentence(tmp_path: Path) -> None:
    glass = OledBus()
    glass.plugged = False
    power_off.prepare(Config(), tmp_path / "kept")

    with pytest.raises(SlateMissing, match="no OLED answers at 0x3C"):
        power_off.say(tmp_path / "kept", bus=glass)


@pytest.mark.parametrize(
    "written", ["", "[]", '{"version": 2}', '{"version": 1, "slate": {}}', "[" * 200_000]
)
def test_what_is_no_last_word_is_refused(tmp_path: Path, written: str) -> None:
    (tmp_path / "kept").write_text(written)

    with pytest.raises(power_off.PowerOffError, match="kloplei halt --prepare"):
        power_off.say(tmp_path / "kept", bus=OledBus())


def test_every_disk_at_rest_is_rest_enough() -> None:
    try:
        power_off.demand_rest(AT_REST)
    except power_off.DiskInUse as busy:
        pytest.fail(str(busy))


@pytest.mark.parametrize("disk", ["/", "/boot/firmware"])
def test_a_disk_that_may_be_written_to_keeps_it_silent(disk: str) -> None:
    mounts = "".join(
        line.replace(" ro,", " rw,") if line.split()[1] == disk else line
        for line in AT_REST.splitlines(keepends=True)
    )

    with pytest.raises(power_off.DiskInUse, match=f"^{disk} may still be written to"):
        power_off.demand_rest(mounts)


def test_the_command_keeps_it_for_root_alone_to_read_aloud(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings, kept = tmp_path / "kloplei.toml", tmp_path / "kept"
    settings.write_text('[table]\nlanguage = "en"\n')
    monkeypatch.setattr(power_off, "MOUNTS", tmp_path / "mounts")
    (tmp_path / "mounts").write_text("/dev/sda1 / ext4 rw 0 0\n")

    assert main(["halt", "--prepare", "--config", str(settings), "--file", str(kept)]) == 0
    assert main(["halt", "--say", "--file", str(kept)]) == 1

    assert json.loads(kept.read_text())["slate"]["driver"] == SlateConfig().driver
    assert "/ may still be written to" in capsys.readouterr().err


def test_a_power_off_without_a_slate_has_not_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """systemd wrote a red line about it, the last thing anybody saw."""
    kept, mounts = tmp_path / "kept", tmp_path / "mounts"
    mounts.write_text(AT_REST)
    monkeypatch.setattr(power_off, "MOUNTS", mounts)
    power_off.prepare(Config(slate=SlateConfig(bus=22)), kept)

    assert main(["halt", "--say", "--file", str(kept)]) == 0

    said = capsys.readouterr()
    assert "I2C bus 22 is not there" in said.out
    assert said.err == ""
