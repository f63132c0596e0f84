"""Set-up beside another package manager, as in a Pi's first minutes."""

import fcntl
import os
import select
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import LONGEST, WHOLE_ONLY
from tests.until import PATIENCE_S

HERE = Path(__file__).parents[1]
SHELL = ("sh", "env", "dirname", "grep")

BUSY_APT = """#!/bin/sh
echo "$@" >>"$SAID_TO_APT"
case "$*" in
update*) [ "$(grep -c ^update "$SAID_TO_APT")" -gt 3 ] && exit 0
    echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 412" >&2
    exit 100 ;;
*DPkg::Lock::Timeout=600*) exit "$COMES_OUT" ;;
*) echo "E: Could not get lock /var/lib/dpkg/lock-frontend" >&2
    exit 100 ;;
esac
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder of programs: a shell's, a sleep that takes no time, and an apt-get that is busy."""
    bin_of = tmp_path / "bin"
    bin_of.mkdir()
    for name in SHELL:
        bin_of.joinpath(name).symlink_to(str(shutil.which(name)))
    programs = {"id": "echo 0", "sleep": "exit 0", "dpkg-query": "exit 1", "apt-get": BUSY_APT}
    for name, script in programs.items():
        program = bin_of / name
        program.write_text(script if script.startswith("#!") else f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
    return bin_of


def run(
    machine: Path, *command: str, comes_out: int, **environment: str
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Run one of our scripts with those programs alone; also return what apt-get was asked."""
    asked = machine / "asked"
    env = {"PATH": str(machine), "SAID_TO_APT": str(asked), "COMES_OUT": str(comes_out)}
    env |= environment
    done = subprocess.run(
        [HERE / command[0], *command[1:]], env=env, capture_output=True, text=True, timeout=60
    )
    return done, asked.read_text().splitlines()


def test_set_up_waits_for_another_package_manager(machine: Path) -> None:
    done, asked = run(machine, "scripts/setup", "systemd", comes_out=0)

    assert done.returncode == 0, done.stderr
    assert done.stdout.count("waits") == 1
    assert asked[:4] == ["update -qq"] * 4
    assert asked[4:] == ["install -y -qq -o DPkg::Lock::Timeout=600 systemd"]


def test_lists_without_a_network_are_asked_for_once(machine: Path) -> None:
    program = machine / "apt-get"
    program.write_text(program.read_text().replace("Could not get lock", "Could not resolve"))

    done, asked = run(machine, "scripts/setup", "systemd", comes_out=0)

    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in asked] == ["update", "install"]


def test_installing_waits_as_well(machine: Path) -> None:
    # It comes out with 7, so that nothing behind apt-get is done to this machine.
    done, asked = run(machine, "scripts/install", comes_out=7)

    assert done.returncode == 7
    assert done.stdout.count("waits") == 1
    assert len(asked) == 1
    assert "-o DPkg::Lock::Timeout=600" in asked[0]


def test_servers_are_installed_where_there_are_none_and_no_service_of_theirs_begins(
    machine: Path,
) -> None:
    for name in ("tee", "chmod", "rm", "cat"):
        machine.joinpath(name).symlink_to(str(shutil.which(name)))
    policy = machine / "policy-rc.d"
    programs = {
        "find": "exit 0",  # no program of PostgreSQL's
        "apt-get": f'echo "$1 $({policy} mosquitto start; echo $?)" "$@" >>"$SAID_TO_APT"',
    }
    for name, script in programs.items():
        program = machine / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    done, asked = run(machine, "scripts/setup", "servers", comes_out=0, POLICY=str(policy))

    assert done.returncode == 0, done.stderr
    installed = [line for line in asked if line.startswith("install")]
    # Debian's packages ask that file whether their service may begin; 101 is no.
    assert all(line.startswith("install 101 ") for line in installed)
    assert [line.split()[-1] for line in installed] == ["mosquitto", "postgresql"]
    assert not policy.exists()


def test_no_script_asks_apt_get_for_a_package_without_waiting() -> None:
    asking = [
        f"{path.relative_to(HERE)}: {line.strip()}"
        for path in [HERE / ".ci/run", *HERE.glob("scripts/*")]
        if path.is_file()
        for line in path.read_text().splitlines()
        if "apt-get install -y" in line and "sudo apt-get" not in line
    ]

    assert asking
    assert [line for line in asking if "DPkg::Lock::Timeout" not in line] == []


@pytest.mark.skipif(not shutil.which("apt-get"), reason="no Debian")
def test_this_apt_get_waits_for_a_held_lock_when_told(tmp_path: Path) -> None:
    """What the option rests on, with a real lock in a folder of its own."""
    for folder in ("state/lists/partial", "cache/archives/partial", "dpkg"):
        tmp_path.joinpath(folder).mkdir(parents=True)
    for file in ("dpkg/status", "sources"):
        tmp_path.joinpath(file).touch()
    settings = tmp_path / "apt.conf"
    settings.write_text(
        f'Dir::State "{tmp_path}/state"; Dir::State::status "{tmp_path}/dpkg/status";\n'
        f'Dir::Cache "{tmp_path}/cache"; Dir::Etc::sourcelist "{tmp_path}/sources";\n'
        'Dir::Etc::main "/dev/null"; Dir::Etc::parts "/dev/null";\n'
        'Dir::Etc::sourceparts "/dev/null";\n'
    )
    env = {**os.environ, "APT_CONFIG": str(settings), "LC_ALL": "C"}
    install = ["apt-get", "install", "-y", "-o"]

    with (tmp_path / "dpkg/lock-frontend").open("w") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        waiting = subprocess.Popen(
            [*install, "DPkg::Lock::Timeout=600", "no-such-package"],
            env=env,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert waiting.stdout is not None
        # It tells so in a second, but not each apt-get ends the line, or says it twice.
        told, _, _ = select.select([waiting.stdout], [], [], PATIENCE_S)
        assert not told or os.read(waiting.stdout.fileno(), 1), "it did not wait"
    _, complaint = waiting.communicate(timeout=2 * PATIENCE_S)

    assert "E: Unable to locate package no-such-package" in complaint


def test_what_make_quick_leaves_out_and_what_begins_first_is_there() -> None:
    """A file that moves would quietly be of the habit again, or begin last."""
    assert [one for one in (*WHOLE_ONLY, *LONGEST) if not (HERE / "tests" / one).exists()] == []
