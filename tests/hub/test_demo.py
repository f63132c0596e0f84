"""The demo of a house: it takes its own folder and port alone, and leaves nothing running."""

import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from kloplei_hub.cli import main
from kloplei_hub.demo import DemoHouse, DemoRuns, _ours_alone
from kloplei_hub.servers import ServerMissing, begin, end_stale, free_port, last_line

DEMO = (sys.executable, "-m", "kloplei_hub", "demo", "--tables", "1")
PATIENCE_S = 60.0


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that PostgreSQL's own user may enter; pytest keeps its folders to their owner."""
    with tempfile.TemporaryDirectory(prefix="test-hub-demo-") as made:
        Path(made).chmod(0o755)
        yield Path(made)


@pytest.fixture
def stale(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """What an earlier demo left running in a folder."""
    command = [sys.executable, "-c", "import time; time.sleep(99)", str(tmp_path)]
    process = begin(command, tmp_path / "log", tmp_path / "web.pid")
    while not processes_in(tmp_path):  # it may still be on its way to its own command
        time.sleep(0.01)
    yield process
    process.kill()
    process.wait()


def processes_in(folder: Path) -> list[str]:
    """Return the commands of all that run there."""
    commands = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            commands.append(one.read_bytes().decode(errors="replace"))
        except OSError:
            continue  # it has gone
    return [one for one in commands if str(folder) in one and "\0demo\0" not in one]


def wait_for(process: "subprocess.Popen[str]", word: str) -> str:
    """Return the line with *word* of what *process* says."""
    until_s, line = time.monotonic() + PATIENCE_S, "-"
    assert process.stdout is not None
    while line and time.monotonic() < until_s:
        if select.select([process.stdout], [], [], 1.0)[0]:
            line = process.stdout.readline()
            if word in line:
                return line
    pytest.fail(f"nothing was said of {word!r}: {line!r}")


def sign_in_by(told: str) -> None:
    """Come in behind the bar as who looks where the demo says."""
    (found,) = re.findall(r"signs in at (\S+)/login as (\w+), password (\w+)", told)
    address, name, password = found
    form = {"name": name, "password": password, "then": "/publican"}
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with opener.open(f"{address}/login", urllib.parse.urlencode(form).encode()) as page:
        assert (page.status, page.url) == (200, f"{address}/publican")


def test_ctrl_c_leaves_nothing_running_and_nobody_else_comes_in_between(folder: Path) -> None:
    """It takes its time: a whole house is set up, and ended."""
    command = [*DEMO, "--port", str(free_port()), "--data", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, bufsize=0) as demo:
        wait_for(demo, "The house")
        sign_in_by(wait_for(demo, "landlord"))
        with pytest.raises(DemoRuns, match="name another"), _ours_alone(folder):
            pass
        ran = processes_in(folder)
        demo.send_signal(signal.SIGINT)
        assert demo.wait(PATIENCE_S) == 0

    assert len(ran) >= 3
    assert processes_in(folder) == []


def test_what_a_killed_demo_left_running_is_ended_by_the_next(
    stale: "subprocess.Popen[bytes]", tmp_path: Path
) -> None:
    with _ours_alone(tmp_path):
        assert stale.wait(PATIENCE_S)

    with _ours_alone(tmp_path):
        assert list(tmp_path.glob("*.pid")) == []


def test_only_who_is_ours_is_ended(stale: "subprocess.Popen[bytes]", tmp_path: Path) -> None:
    kept = tmp_path / "web.pid"

    assert not end_stale(kept, "/another/folder")
    assert stale.poll() is None
    assert end_stale(kept, str(tmp_path))
    assert stale.wait(PATIENCE_S)
    assert not end_stale(kept, str(tmp_path))


def test_a_number_that_cannot_be_read_ends_nobody(tmp_path: Path) -> None:
    kept = tmp_path / "web.pid"
    kept.write_text("nobody")

    assert not end_stale(kept, "")
    assert not end_stale(tmp_path / "none.pid", "")


def test_a_taken_port_is_told_before_anything_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        assert main(["demo", "--port", str(port), "--data", str(tmp_path)]) == 1

    assert f"port {port}" in capsys.readouterr().err
    assert {one.name for one in tmp_path.iterdir()} <= {"lock"}


@pytest.mark.parametrize("wrong", [("--port", "70000"), ("--tables", "0"), ("--bots", "0")])
def test_a_wrong_option_is_told(wrong: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", *wrong]) == 2
    assert wrong[0] in capsys.readouterr().err


def test_a_program_that_dies_is_told_with_its_last_word(tmp_path: Path) -> None:
    house = DemoHouse(tmp_path, free_port(), programs=())
    (tmp_path / "hub.toml").write_text("[no]\nsense = 1\n")
    house.start("ingest")
    house.running["ingest"].wait(PATIENCE_S)

    with pytest.raises(ServerMissing, match=r"ingest has ended: .*hub\.toml") as told:
        house.look()

    assert last_line(tmp_path / "ingest.log") in str(told.value)


@pytest.mark.skipif(os.geteuid() != 0, reason="PostgreSQL runs as whoever runs this")
def test_a_folder_that_postgresql_may_not_enter_is_named(tmp_path: Path) -> None:
    shut = tmp_path / "shut"
    shut.mkdir(mode=0o700)

    with pytest.raises(ServerMissing, match="may not enter /"):
        DemoHouse(shut / "house", free_port()).database.start()
