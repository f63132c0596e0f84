"""The two units of the box, as two processes over their socket."""

import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from kloplei_hub.servers import free_port
from tests.cli.processes import get, patiently, post, rows, running, wait_for_welcome

IDLE_S = 5.0
TRIES = 6
MOST_WOKEN = 50  # in that time, by both units; ten or so are usual, on any machine
MOST_OF_A_CORE = 0.05  # to find what spins: a slow machine takes some of it for the same
MOST_MB = 100


@dataclass(frozen=True)
class Box:
    """Both units at work; *url* is the panel's."""

    url: str
    table_pid: int
    panel_pid: int

    @property
    def pids(self) -> tuple[int, int]:
        return (self.table_pid, self.panel_pid)


def settings(folder: Path, port: int) -> Path:
    path = folder / "kloplei.toml"
    path.write_text(
        f"""
        table.data = "{folder}"
        pins.factory = "mock"
        slate.driver = "none"
        socket.path = "{folder}/table.sock"
        panel = {{ host = "127.0.0.1", port = {port}, locked = false }}
        """
    )
    return path


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    port = free_port()
    config = str(settings(tmp_path, port))
    with running("run", "--config", config) as table, running("panel", "--config", config) as panel:
        url = f"http://127.0.0.1:{port}"
        patiently(lambda: get(f"{url}/api/v1/scoreboard"))
        yield Box(url, table.pid, panel.pid)


def cpu_s(pid: int) -> float:
    """Seconds of a core that *pid* has used so far."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def pss_mb(pid: int) -> float:
    """Memory of *pid*, with its share of what others use too."""
    found = re.search(
        r"^Pss:\s+(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE
    )
    assert found
    return int(found[1]) / 1024


def test_what_a_phone_asks_of_the_panel_is_done_by_the_table(box: Box) -> None:
    for seat, name in enumerate(("Anna", "Bo", "Cees"), start=1):
        post(f"{box.url}/api/v1/seats/{seat}/actions", {"action": "sit_down", "name": name})
    started = post(f"{box.url}/api/v1/seats/3/actions", {"action": "start"})

    board = get(f"{box.url}/api/v1/scoreboard")

    assert (board["phase"], board["dealer"], board["seq"]) == ("between_hands", 3, started["seq"])
    assert [row["name"] for row in rows(board)] == ["Anna", "Bo", "Cees"]


def woken(pid: int) -> int:
    """Return how often a thread of *pid* has waited for something and gone on."""
    threads = [one.read_text() for one in Path(f"/proc/{pid}/task").glob("*/status")]
    return sum(
        int(count)
        for one in threads
        for count in re.findall(r"^voluntary_ctxt_switches:\s+(\d+)", one, re.MULTILINE)
    )


def test_idle_the_box_takes_next_to_nothing(box: Box) -> None:
    # A slow one is still starting at first, and a table turns its slate's pages now and then.
    assert any(is_idle(box) for _ in range(TRIES))
    assert sum(map(pss_mb, box.pids)) < MOST_MB


def is_idle(box: Box) -> bool:
    """Return whether *box* hardly does anything over some seconds."""
    before_s, before = sum(map(cpu_s, box.pids)), sum(map(woken, box.pids))
    time.sleep(IDLE_S)  # idleness of other processes has to be waited for
    load = (sum(map(cpu_s, box.pids)) - before_s) / IDLE_S
    return load < MOST_OF_A_CORE and sum(map(woken, box.pids)) - before < MOST_WOKEN


def test_both_units_tell_a_maker_at_a_terminal_that_they_are_ready(tmp_path: Path) -> None:
    port = free_port()
    config = str(settings(tmp_path, port))

    with running("run", "--config", config) as table, running("panel", "--config", config) as panel:
        assert "The table listens" in wait_for_welcome(table)
        assert f"http://127.0.0.1:{port}/" in wait_for_welcome(panel)
