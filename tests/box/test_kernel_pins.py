"""`kloplei run` as it is on a Raspberry Pi: lgpio, gpiozero and the edges of a real kernel."""

import json
import sys
from typing import Any

import pytest

from tests.box.kernel.guest import FOLDER, REPOSITORY, Guest


@pytest.fixture(scope="module")
def guest() -> Guest:
    return Guest(FOLDER)


@pytest.fixture(scope="module")
def evening(guest: Guest) -> dict[str, Any]:
    """What the guest's table has written down of an evening of knocks and presses."""
    printed = guest.run(sys.executable, "-m", "tests.box.kernel.evening")
    (told,) = [line for line in printed.splitlines() if line.startswith('{"entries"')]
    return dict(json.loads(told))


def done_by(evening: dict[str, Any], event: str) -> list[tuple[int, str]]:
    """Return whose *event* stands in the journal, and what it came by."""
    return [(seat, via) for _, seat, via, kind, _ in evening["entries"] if kind == event]


def test_a_knock_on_a_line_of_the_kernel_is_found_in_the_journal(evening: dict[str, Any]) -> None:
    assert done_by(evening, "SatDown") == [(0, "pad"), (1, "pad"), (2, "pad")]
    assert done_by(evening, "Knocked") == [(1, "pad")]
    assert done_by(evening, "Stayed") == [(0, "pad")]


def test_edges_carry_the_time_of_the_kernel(evening: dict[str, Any]) -> None:
    """Both knocks came while the process stood still: read in one go, they are two all the same."""
    assert done_by(evening, "Folded") == [(2, "pad")]


def test_a_button_of_the_kernel_is_held(evening: dict[str, Any]) -> None:
    assert [via for _, via in done_by(evening, "Dealt")] == ["button"]


def test_the_table_holds_its_pins_while_it_runs_and_no_longer(evening: dict[str, Any]) -> None:
    assert all(holder for holder in evening["held"].values()), evening["held"]
    assert not any(evening["left"].values()), evening["left"]


def test_the_doctor_takes_the_tables_pins_for_its_own(evening: dict[str, Any]) -> None:
    (pins,) = [finding for finding in evening["findings"] if finding["part"] == "pins"]

    assert pins["key"] == "pins.good", pins


def test_the_doctor_names_the_program_that_holds_a_pin(evening: dict[str, Any]) -> None:
    (pins,) = [finding for finding in evening["stranger"] if finding["part"] == "pins"]

    assert "GPIO 17 (pad 1) is held by the program python" in pins["says"], pins
    assert pins["state"] == "bad"


def test_the_bench_passes_on_these_pins(guest: Guest) -> None:
    bench = str(REPOSITORY / "tests/devices/test_bench.py")
    printed = guest.run(
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n0", bench),
        *("--rootdir", str(REPOSITORY), "--basetemp", "/run/pytest"),
    )

    assert "3 passed" in printed


@pytest.fixture(scope="module")
def off_button(guest: Guest) -> dict[str, Any]:
    """What the kernel's own driver makes of the off button, and the doctor of that."""
    drivers = str(FOLDER / "off")
    printed = guest.run(sys.executable, "-m", "tests.box.kernel.off_button", drivers)
    (told,) = [line for line in printed.splitlines() if line.startswith('{"before"')]
    return dict(json.loads(told))


def test_the_off_button_counts_once_it_was_held_long_enough(off_button: dict[str, Any]) -> None:
    """`debounce` of the overlay is how long the pin must stand still: two seconds."""
    (down_s, down), (up_s, up) = off_button["long"]

    assert off_button["short"] == []
    assert (down, up) == (1, 0)
    assert 2.0 <= down_s < 3.5
    assert up_s > 4.0


def test_the_doctor_sees_whether_the_kernel_watches_it(off_button: dict[str, Any]) -> None:
    def keys(when: str) -> list[str]:
        return [one["key"] for one in off_button[when] if one["part"] in ("off", "pins")]

    # Its settings name no pins: two of the eight pads are on wires of an SPI that is off.
    pins = ["pins.good", "pins.shares", "pins.shares"]
    assert keys("before") == [*pins, "off.missing"]
    assert keys("after") == [*pins, "off.good"]
