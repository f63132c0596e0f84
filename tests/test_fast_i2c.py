"""`packaging/fast-i2c` on a Raspberry Pi's config.txt: one line, in the right place, or none."""

import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
OURS = "dtparam=i2c_arm_baudrate=400000"
BOOKWORM = """\
# Uncomment some or all of these to enable the optional hardware interfaces
{bus}
#dtparam=i2s=on
dtparam=audio=on
dtoverlay=vc4-kms-v3d

[cm5]
dtoverlay=dwc2,dr_mode=host

[all]
"""


def fast_i2c(order: str, config: Path) -> str:
    """Run the script on *config* and return what it says."""
    program = [str(HERE / "packaging/fast-i2c"), order, str(config)]
    return subprocess.run(program, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.txt"
    file.write_text(BOOKWORM.format(bus="dtparam=i2c_arm=on"))
    return file


@pytest.mark.parametrize(
    "bus", ["dtparam=i2c_arm=on", "dtparam=i2c=on", "dtparam=spi=on,i2c1=on", "dtparam=i2c_arm=on "]
)
def test_the_line_goes_behind_the_one_that_switches_the_bus_on(config: Path, bus: str) -> None:
    """Below another heading it would count for other boards, behind an overlay be taken for its."""
    config.write_text(BOOKWORM.format(bus=bus))

    said = fast_i2c("on", config)

    lines = config.read_text().splitlines()
    assert lines[1] == bus
    assert lines[2].startswith("# Kloplei:")
    assert lines[3] == OURS
    assert "400 kHz" in said
    assert [one.name for one in config.parent.iterdir()] == ["config.txt"]


@pytest.mark.parametrize(
    "bus",
    [
        "#dtparam=i2c_arm=on",
        "dtparam=i2c_arm=off",
        "dtparam=i2c_arm=on\ndtparam=i2c_arm_baudrate=100000",
        "dtparam=i2c_arm=on,i2c_arm_baudrate=1000000",
        "dtparam=i2c_arm=on\ndtoverlay=i2c-rtc,ds1307",
    ],
    ids=["commented", "off", "set", "set beside it", "a clock that is slow"],
)
def test_what_somebody_has_set_stays_as_it_is(config: Path, bus: str) -> None:
    config.write_text(BOOKWORM.format(bus=bus))

    said = fast_i2c("on", config)

    assert config.read_text() == BOOKWORM.format(bus=bus)
    assert said == ""


def test_twice_is_once_and_off_leaves_the_file_as_it_was(config: Path) -> None:
    before = config.read_text()

    fast_i2c("on", config)
    once = config.read_text()
    fast_i2c("on", config)

    assert config.read_text() == once
    fast_i2c("off", config)
    assert config.read_text() == before


def test_a_purge_takes_the_same_lines_away(config: Path) -> None:
    """The package's script is gone by then, so it brings a line of its own."""
    before = config.read_text()
    fast_i2c("on", config)
    postrm = (HERE / "debian/kloplei.postrm").read_text()
    asked, done = (line for line in postrm.splitlines() if "Kloplei: the bus" in line)

    script = f"file={config}\n{asked}\n{done}\nfi"
    subprocess.run(["sh", "-e", "-c", script], check=True)

    assert config.read_text() == before


def test_a_machine_without_a_config_txt_is_left_alone(tmp_path: Path) -> None:
    assert fast_i2c("on", tmp_path / "config.txt") == ""
    assert list(tmp_path.iterdir()) == []


def test_package_and_script_set_it_once_and_take_it_away() -> None:
    install = (HERE / "scripts/install").read_text()
    postinst = (HERE / "debian/kloplei.postinst").read_text()

    assert "kloplei-table.service ] || packaging/fast-i2c on || true" in install
    assert "packaging/fast-i2c off || true" in install
    assert (
        '[ "$1" = configure ] && [ -z "$2" ]; then\n    /usr/libexec/kloplei/fast-i2c on'
        in postinst
    )
