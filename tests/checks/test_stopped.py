"""Whoever opens pins of his own is kept from those of a table that runs."""

import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from kloplei.checks.stopped import TableHasThem, demand_stopped


@pytest.fixture
def address() -> Iterator[Path]:
    """A short path for a socket; the kernel takes no long one."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "s"


def test_a_table_that_listens_is_to_be_stopped(address: Path) -> None:
    with socket.socket(socket.AF_UNIX) as table:
        table.bind(str(address))
        table.listen()

        with pytest.raises(TableHasThem, match=r"Stop it first: .* start it again: "):
            demand_stopped(address)


def test_where_it_may_not_be_asked_nobody_takes_its_pins(
    address: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without sudo, on a box whose table runs: the pins would be found held, one by one."""

    class Locked(socket.socket):
        def connect(self, address: object) -> None:
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket, "socket", Locked)

    with pytest.raises(TableHasThem, match=f"may not be asked at {address}. Use sudo"):
        demand_stopped(address)


def test_a_socket_that_a_killed_table_left_holds_nobody_up(address: Path) -> None:
    with socket.socket(socket.AF_UNIX) as table:
        table.bind(str(address))

    demand_stopped(address)

    assert address.exists()
