"""The units as systemd itself reads them, and how much of the machine they lie open to."""

import configparser
import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parents[2]
FOLDER, HUB = HERE / "systemd", HERE / "hub/systemd"
UNITS = ("kloplei-table", "kloplei-panel", "kloplei-uplink", "kloplei-halt", "kloplei-hotspot")
MOST_EXPOSED = dict(zip(UNITS, (3.5, 2.0, 2.0, 1.0, 3.0), strict=True))


@pytest.fixture(autouse=True)
def systemd_is_there() -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.fail("No systemd-analyze. Install it: apt-get install systemd", pytrace=False)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The units as they stand, the hub's too, but for programs that this machine has."""
    ours = re.compile(r"/usr/(bin/kloplei(-hub)? |libexec/kloplei-hub/backup$)", re.MULTILINE)
    for unit in (*(FOLDER / f"{unit}.service" for unit in UNITS), *HUB.iterdir()):
        (tmp_path / unit.name).write_text(ours.sub("/bin/true ", unit.read_text()))
    return tmp_path


def analyze(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["systemd-analyze", *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )


def settings(unit: str, folder: Path = FOLDER) -> dict[str, str]:
    """Return what *unit* sets, the last word where something is said several times."""
    reader = configparser.RawConfigParser(strict=False, interpolation=None)
    reader.optionxform = str  # type: ignore[assignment,method-assign]
    reader.read(folder / f"{unit}.service")
    return {name: value for section in reader.sections() for name, value in reader[section].items()}


def test_systemd_finds_nothing_to_complain_of(here: Path) -> None:
    found = analyze("verify", *(f"./{unit.name}" for unit in here.iterdir()), cwd=here)

    assert found.stderr == found.stdout == ""  # its exit status says nothing
    assert found.returncode == 0


def test_a_slip_in_a_unit_would_be_found(here: Path) -> None:
    unit = here / "kloplei-table.service"
    unit.write_text(unit.read_text().replace("WatchdogSec", "WatchDogSec"))

    assert "WatchDogSec" in analyze("verify", "./kloplei-table.service", cwd=here).stderr


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_lies_open_to_little(here: Path, unit: str) -> None:
    found = analyze("security", "--offline=true", "--no-pager", f"./{unit}.service", cwd=here)

    level = re.search(r"Overall exposure level for \S+: ([\d.]+)", found.stdout)
    assert level, found.stderr
    assert float(level[1]) < MOST_EXPOSED[unit]


def test_every_exposure_that_is_left_is_explained(here: Path) -> None:
    told = (FOLDER / "README.md").read_text()
    for unit in UNITS:
        found = analyze("security", "--offline=true", "--no-pager", f"./{unit}.service", cwd=here)
        left = re.findall(r"^✗ ([A-Za-z]+)=", found.stdout, re.MULTILINE)
        assert left
        assert [name for name in left if f"`{name}`" not in told] == []


def test_a_table_that_hangs_is_started_again_for_ever() -> None:
    table = settings("kloplei-table")

    assert table["Type"] == "notify"
    assert 5 <= int(table["WatchdogSec"]) <= 30
    assert table["Restart"] == "always"
    assert table["StartLimitIntervalSec"] == "0"
    assert "LG_WD=/run/kloplei" in table["Environment"]
    assert table["WorkingDirectory"] == "/run/kloplei"


HUB_MEASURED_MB = {"kloplei-hub-ingest": 136, "kloplei-hub-fold": 347, "kloplei-hub-web": 806}
HUB_MOST_EXPOSED = 2.0


@pytest.mark.parametrize("unit", HUB_MEASURED_MB)
def test_a_program_of_the_hub_lies_open_to_little(here: Path, unit: str) -> None:
    found = analyze("security", "--offline=true", "--no-pager", f"./{unit}.service", cwd=here)

    level = re.search(r"Overall exposure level for \S+: ([\d.]+)", found.stdout)
    assert level, found.stderr
    assert float(level[1]) < HUB_MOST_EXPOSED


@pytest.mark.parametrize("unit", HUB_MEASURED_MB)
def test_a_program_of_the_hub_may_take_what_a_house_was_measured_to_need_with_room(
    unit: str,
) -> None:
    measured_mb = HUB_MEASURED_MB[unit]
    most_mb = int(settings(unit, HUB)["MemoryMax"].removesuffix("M"))

    assert 1.5 * measured_mb <= most_mb <= 1536  # of the 4096 of a house's machine
    assert f"{measured_mb} MB" in (HUB / f"{unit}.service").read_text()
    told = rf"\| {unit.rpartition('-')[2]} \|.* {measured_mb} MB.*\| {most_mb} MB \|"
    assert re.search(told, (HERE / "docs/scale.md").read_text())


MEASURED_MB = {"kloplei-table": 74, "kloplei-panel": 51, "kloplei-uplink": 32}
MEASURED_THREADS = {"kloplei-table": 69, "kloplei-panel": 25, "kloplei-uplink": 3}


@pytest.mark.parametrize("unit", MEASURED_MB)
def test_a_unit_takes_no_more_of_the_machine_than_an_evening_needs_with_room(unit: str) -> None:
    found = settings(unit)
    most_mb = int(found["MemoryMax"].removesuffix("M"))

    assert 2 * MEASURED_MB[unit] <= most_mb <= 256  # of 512 on the smallest board
    assert int(found["TasksMax"]) >= 2 * MEASURED_THREADS[unit]
    assert f"{MEASURED_MB[unit]} MB" in (FOLDER / "README.md").read_text()


def test_the_panel_may_open_what_all_its_phones_need() -> None:
    """More than the usual 1024, at which systemd leaves it; beyond them nobody gets in."""
    phones = 1000
    assert int(settings("kloplei-panel")["LimitNOFILE"]) >= 3 * phones + 200 + 100


def test_the_panel_goes_first_where_memory_is_short_and_is_watched() -> None:
    table, panel = settings("kloplei-table"), settings("kloplei-panel")

    assert int(table["OOMScoreAdjust"]) < 0 < int(panel["OOMScoreAdjust"])
    assert 5 <= int(panel["WatchdogSec"]) <= 60
    assert panel["Restart"] == "always"


def test_the_panel_reaches_the_socket_and_nothing_else_of_the_table() -> None:
    table, panel = settings("kloplei-table"), settings("kloplei-panel")

    assert panel["User"] != table["User"]
    assert table["Group"] in panel["SupplementaryGroups"].split()
    assert panel["PrivateDevices"] == "yes"
    assert "StateDirectory" not in panel
    assert "ReadWritePaths" not in panel
    assert panel["CacheDirectoryMode"] == "0700"  # its own pages: what stands there is run
    assert panel["ProtectSystem"] == "strict"


def test_the_uplink_reaches_the_socket_and_a_house_and_sees_no_journal() -> None:
    table, uplink = settings("kloplei-table"), settings("kloplei-uplink")

    assert uplink["User"] not in (table["User"], settings("kloplei-panel")["User"])
    assert table["Group"] in uplink["SupplementaryGroups"].split()
    assert f"-/var/lib/{table['StateDirectory']}" in uplink["InaccessiblePaths"].split()
    assert (uplink["StateDirectory"], uplink["StateDirectoryMode"]) == ("kloplei-uplink", "0700")
    assert uplink["SocketBindDeny"] == "any"
    assert uplink["CapabilityBoundingSet"] == uplink["AmbientCapabilities"] == ""
    assert "IPAddressDeny" not in uplink  # a house may be anywhere


def test_an_uplink_that_is_switched_off_is_let_be_and_one_that_hangs_is_started_again() -> None:
    uplink = settings("kloplei-uplink")

    assert uplink["Restart"] == "on-failure"
    assert uplink["Type"] == "notify"
    assert int(uplink["OOMScoreAdjust"]) > int(settings("kloplei-panel")["OOMScoreAdjust"])
    # What a loop may wait for at once: a name, a broker, an answer by https.
    assert int(uplink["WatchdogSec"]) >= 120


@pytest.mark.parametrize("unit", UNITS)
def test_no_unit_steps_out_of_its_user_and_its_fence(unit: str) -> None:
    """The keys were made as root, unfenced, in a folder that the table's user owns."""
    commands = re.findall(r"^Exec\w+=(.*)", (FOLDER / f"{unit}.service").read_text(), re.MULTILINE)

    assert commands
    assert [one for one in commands if not one.startswith("/")] == []


def test_users_and_groups_of_the_units_are_made(tmp_path: Path) -> None:
    made = (FOLDER / "kloplei.sysusers").read_text()

    for unit in UNITS:
        user = settings(unit).get("User", "root")
        assert user == "root" or re.search(rf"^u {user}\s", made, re.MULTILINE)
    for group in ("gpio", "i2c", "spi"):
        assert re.search(rf"^m kloplei\s+{group}$", made, re.MULTILINE)
        assert f'GROUP="{group}"' in (FOLDER / "60-kloplei.rules").read_text()


def test_the_hotspot_of_last_resort_asks_for_what_the_command_line_has() -> None:
    hotspot = settings("kloplei-hotspot")

    assert "/usr/bin/kloplei hotspot fallback --config /etc/kloplei/" in hotspot["ExecStart"]
    assert hotspot["Type"] == "exec"  # it waits for minutes, and a start waits for nobody


def test_the_last_word_outlives_its_unit_and_is_drawn_anew_with_the_table() -> None:
    halt = settings("kloplei-halt")

    assert halt["RuntimeDirectoryPreserve"] == "yes"
    assert halt["PartOf"] == halt["After"] == "kloplei-table.service"


@pytest.mark.parametrize("verb", ["reboot", "kexec", ""])
def test_before_a_reboot_the_plug_is_not_spoken_of(verb: str, tmp_path: Path) -> None:
    assert _said_at(verb, tmp_path, is_prepared=True) == []


@pytest.mark.parametrize("verb", ["poweroff", "halt"])
def test_before_the_power_goes_the_last_word_is_said_if_there_is_one(
    verb: str, tmp_path: Path
) -> None:
    said = _said_at(verb, tmp_path, is_prepared=True)

    assert said[-3:] == ["/usr/bin/kloplei", "halt", "--say"]
    assert "--reuid=kloplei" in said
    assert _said_at(verb, tmp_path / "unprepared", is_prepared=False) == []


def _said_at(verb: str, folder: Path, *, is_prepared: bool) -> list[str]:
    """Return what the last step of a shutdown runs, here without the programs."""
    kept = folder / "kept"
    kept.mkdir(parents=True)
    if is_prepared:
        (kept / "last-word").touch()
    script = (FOLDER / "kloplei-halt.shutdown").read_text()
    script = script.replace("/run/kloplei-halt", str(kept)).replace("/usr/bin/timeout", "echo")
    done = subprocess.run(["sh", "-c", script, "sh", verb], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
