"""The package on Debian 12 and 13, booted: from apt install to purge."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kloplei
from tests.box.conftest import NEXT
from tests.box.machine import Machine, eventually, files_of
from tests.box.trees import RELEASES, booted_tree

UNITS = ("kloplei-table", "kloplei-panel")
PADS, BUTTONS = (17, 27, 22), (4, 23, 16)  # seats 1 to 3, as docs/config.md wires them
HOLD_S = 1.0
KEYS = "/var/lib/kloplei/panel-keys.json"


@pytest.fixture(scope="module", params=RELEASES)
def release(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def box(release: str, package: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A box with Kloplei on it, three players, and a deal that has begun."""
    tree = booted_tree(release, package)
    with Machine(tree, tmp_path_factory.mktemp(release)) as machine:
        machine.install(package)
        machine.fit_virtual_pins()
        machine.write("/etc/kloplei/kloplei.toml", '[pins]\nfactory = "mock"\n')
        machine.run("systemctl", "restart", *UNITS)
        yield machine


@pytest.fixture
def dealt(box: Machine) -> Any:
    """The scoreboard of a deal that is under way, with a stake that somebody knocked up."""
    if box.board()["phase"] == "seating":
        for pad in PADS:
            said = box.table_seq()
            box.knock(pad)
            eventually(lambda said=said: box.table_seq() > said, 30)  # type: ignore[misc]
        box.press(BUTTONS[0], HOLD_S)
        eventually(lambda: box.board()["phase"] != "seating", 30)
        box.press(BUTTONS[box.board()["dealer"] - 1], HOLD_S)
        eventually(lambda: box.board()["phase"] != "between_hands", 30)
        box.knock(PADS[0])
        eventually(lambda: box.board()["stake"] == 2, 30)
    return box.board()


def test_it_installs_on_a_machine_without_pins_and_both_units_run(
    release: str, package: Path, tmp_path: Path
) -> None:
    with Machine(booted_tree(release, package), tmp_path) as bare:
        bare.install(package)

        for unit in UNITS:
            assert bare.state(unit, "ActiveState") == "active"
            assert bare.state(unit, "UnitFileState") == "enabled"
        assert "lgpio" in str(bare.board()["notices"])
        units = [f"{unit}.service" for unit in UNITS]
        assert bare.says("systemd-analyze", "verify", *units) == ""
        assert bare.run("kloplei", "--version").strip() == f"kloplei {kloplei.__version__}"

        before_s = bare.state("kloplei-table", "InvocationID")
        bare.give_back()
        bare.power_off()
        assert "Powering off" in bare.console
        assert "kloplei-halt.shutdown failed" not in bare.console
        bare.boot()

        for unit in UNITS:
            eventually(lambda unit=unit: bare.state(unit, "ActiveState") == "active", 30)  # type: ignore[misc]
        assert bare.state("kloplei-table", "InvocationID") != before_s
        assert bare.board()["phase"] == "seating"


def test_settings_and_secrets_are_for_root_and_the_two_units(box: Machine) -> None:
    kept = ("/etc/kloplei/kloplei.toml", "/var/lib/kloplei", KEYS)

    told = box.run("stat", "--format=%a %U %G", *kept).splitlines()

    assert told == ["640 root kloplei", "750 kloplei kloplei", "640 kloplei kloplei"]
    assert "Permission denied" in box.says(
        *["setpriv", "--reuid=kloplei-panel", "--regid=kloplei-panel", "--groups=kloplei"],
        *("touch", "/var/lib/kloplei/kloplei.db"),
    )


def test_a_knock_on_a_pin_stands_in_the_journal_and_on_the_phones(box: Machine, dealt: Any) -> None:
    assert [row["seat"] for row in dealt["rows"]] == [1, 2, 3]
    assert dealt["stake"] == 2
    journal = box.run("kloplei", "export", "--as", "csv")
    assert ",pad," in journal or "pad" in journal


def test_a_table_that_stands_still_is_started_again_where_it_was(box: Machine, dealt: Any) -> None:
    table = box.state("kloplei-table", "MainPID")

    box.run("kill", "-STOP", table)

    eventually(lambda: box.state("kloplei-table", "MainPID") not in (table, "0"), 60)
    eventually(lambda: box.table_seq() == dealt["seq"], 30)
    assert _play(box.board()) == _play(dealt)
    assert box.state("kloplei-table", "NRestarts") == "1"
    assert "watchdog" in box.run("journalctl", "--unit=kloplei-table", "--output=cat").lower()


def test_a_panel_that_stands_still_is_started_again(box: Machine, dealt: Any) -> None:
    panel = box.state("kloplei-panel", "MainPID")

    box.run("kill", "-STOP", panel)

    eventually(lambda: box.state("kloplei-panel", "MainPID") not in (panel, "0"), 120)
    eventually(lambda: box.table_seq() == dealt["seq"], 30)
    assert box.state("kloplei-panel", "NRestarts") == "1"
    assert "watchdog" in box.run("journalctl", "--unit=kloplei-panel", "--output=cat").lower()


def test_no_unit_may_take_all_of_the_machine(box: Machine) -> None:
    limits = ("MemoryMax", "TasksMax", "OOMScoreAdjust")

    units = (*UNITS, "kloplei-uplink")
    told = {unit: [box.state(unit, limit) for limit in limits] for unit in units}

    assert told == {
        "kloplei-table": [str(256 << 20), "256", "-500"],
        "kloplei-panel": [str(192 << 20), "64", "300"],
        "kloplei-uplink": [str(96 << 20), "16", "500"],
    }


def test_keys_that_root_made_for_an_earlier_version_stay_and_are_the_tables(
    box: Machine, dealt: Any
) -> None:
    """`ExecStartPre=+kloplei keys` made them once."""
    before = {"pin": "4711", "secret_key": "5a" * 32}
    box.run("systemctl", "stop", *UNITS)
    box.write(KEYS, json.dumps(before))
    box.run("chown", "root:kloplei", KEYS)
    box.run("chmod", "640", KEYS)

    box.run("systemctl", "start", *UNITS)

    eventually(lambda: box.table_seq() == dealt["seq"], 30)
    kept = json.loads(box.run("cat", KEYS))
    assert kept == kept | before
    assert kept["evening_code"]
    assert box.run("stat", "--format=%a %U %G", KEYS).strip() == "640 kloplei kloplei"


def test_an_upgrade_amid_a_deal_keeps_the_deal_and_so_does_the_way_back(
    box: Machine, dealt: Any, package: Path, next_package: Path
) -> None:
    box.install(next_package)

    assert box.run("kloplei", "--version").strip() == f"kloplei {NEXT}"
    eventually(lambda: box.table_seq() == dealt["seq"], 30)
    assert _play(box.board()) == _play(dealt)
    # A changed settings file is the admin's: nobody asks, nothing is overwritten.
    assert 'factory = "mock"' in box.run("cat", "/etc/kloplei/kloplei.toml")

    box.install(package, "--allow-downgrades")

    assert box.run("kloplei", "--version").strip() == f"kloplei {kloplei.__version__}"
    eventually(lambda: box.table_seq() == dealt["seq"], 30)
    assert _play(box.board()) == _play(dealt)
    assert {box.state(unit, "ActiveState") for unit in UNITS} == {"active"}


def test_removed_it_keeps_the_evening_and_purged_it_leaves_nothing(
    release: str, package: Path, tmp_path: Path
) -> None:
    with Machine(booted_tree(release, package), tmp_path) as machine:
        # What it asks for is installed first, so that what is left is its own.
        machine.install(package)
        machine.run("apt-get", "purge", "-y", "kloplei")
        before = files_of(machine)
        machine.install(package)
        eventually(lambda: machine.table_seq() >= 0, 30)

        machine.run("apt-get", "remove", "-y", "kloplei")

        assert "kloplei.db" in machine.run("ls", "/var/lib/kloplei")
        assert "[table]" in machine.run("cat", "/etc/kloplei/kloplei.toml")
        assert machine.says("pgrep", "-f", "kloplei run") == ""
        assert machine.says("ls", "/usr/share/kloplei").startswith("ls: cannot access")

        said = machine.run("apt-get", "purge", "-y", "kloplei")

        assert "removing the journal" in said
        assert "removing the user kloplei" in said
        assert files_of(machine) - before == set()
        assert machine.says("find", "/etc", "/usr", "/var/lib", "/run", "-name", "*kloplei*") == ""
        assert "kloplei" not in machine.run("cat", "/etc/passwd", "/etc/group", "/etc/shadow")


def _play(board: Any) -> Any:
    """Return what players would miss if it were gone."""
    return {name: board.get(name) for name in ("seq", "game", "phase", "stake", "dealer", "rows")}
