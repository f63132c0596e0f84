"""Both units as systemd runs them: it hears when they are ready, alive, and about to stop."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError

import pytest

from kloplei_hub.servers import free_port
from tests.cli.processes import KLOPLEI, PATIENCE_S, get
from tests.cli.test_units import settings

WATCHDOG_S = 0.9


class Systemd:
    """Starts a unit, and listens to what it tells; *folder* is where it may write."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self._config = str(settings(folder, self.port))
        self._ear = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._ear.bind(str(folder / "notify"))

    @contextmanager
    def started(self, unit: str, **environ: str) -> Iterator["subprocess.Popen[bytes]"]:
        told = {"NOTIFY_SOCKET": str(self._ear.getsockname()), **environ}
        process = subprocess.Popen(
            [*KLOPLEI, unit, "--config", self._config], env={**os.environ, **told}
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def hears(self, wanted: str, within_s: float = PATIENCE_S) -> bool:
        """Listen until a unit tells what is *wanted*; return whether it did."""
        until_s = time.monotonic() + within_s
        while (left_s := until_s - time.monotonic()) > 0:
            self._ear.settimeout(left_s)
            try:
                if self._ear.recv(100).decode() == wanted:
                    return True
            except TimeoutError:
                break
        return False

    def close(self) -> None:
        self._ear.close()


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[Systemd]:
    systemd = Systemd(tmp_path)
    yield systemd
    systemd.close()


def test_a_table_is_ready_alive_and_ends_in_good_order(systemd: Systemd) -> None:
    with systemd.started("run", WATCHDOG_USEC=str(int(WATCHDOG_S * 1e6))) as table:
        assert systemd.hears("READY=1")
        for _ in range(3):  # though nobody does anything
            assert systemd.hears("WATCHDOG=1")
        table.send_signal(signal.SIGTERM)
        assert systemd.hears("STOPPING=1")
        assert table.wait(PATIENCE_S) == 0


def test_a_table_that_hangs_gives_no_sign_of_life(systemd: Systemd) -> None:
    with systemd.started("run", WATCHDOG_USEC=str(int(WATCHDOG_S * 1e6))) as table:
        assert systemd.hears("WATCHDOG=1")
        table.send_signal(signal.SIGSTOP)
        while systemd.hears("WATCHDOG=1", within_s=WATCHDOG_S / 2):
            pass  # what was under way

        assert not systemd.hears("WATCHDOG=1", within_s=2 * WATCHDOG_S)


def test_a_panel_gives_a_sign_of_life_though_nobody_comes(systemd: Systemd) -> None:
    with systemd.started("panel", WATCHDOG_USEC=str(6 * 10**6)):
        assert systemd.hears("READY=1")
        for _ in range(2):
            assert systemd.hears("WATCHDOG=1")


def test_a_panel_is_ready_when_phones_can_come_even_without_a_table(systemd: Systemd) -> None:
    with systemd.started("panel"):
        assert systemd.hears("READY=1")

        with pytest.raises(HTTPError, match="503"):  # it says what it sees: no table
            get(f"http://127.0.0.1:{systemd.port}/api/v1/health")
