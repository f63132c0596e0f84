"""Checks all at once: one that hangs or stumbles spoils nothing."""

import logging
import threading
from collections.abc import Iterator

import pytest

from kloplei.diagnostics.findings import bad, good, may_not, poor
from kloplei.diagnostics.registry import Examination, merged
from kloplei.table.doctor_client import Finding
from tests.diagnostics.machines import english, keys


def well() -> Iterator[Finding]:
    yield good("clock", "clock.good", time="noon")


def test_findings_come_in_the_order_of_the_checks() -> None:
    examination = Examination({"power": lambda: [good("power", "power.good")], "clock": well})

    assert [one.part for one in examination.findings()] == ["power", "clock"]


@pytest.fixture
def only_i2c_runs_out_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for every other check to its end, however busy the machine is."""
    join = threading.Thread.join

    def join_patiently(thread: threading.Thread, timeout: float | None = None) -> None:
        join(thread, timeout if thread.name == "kloplei-check-i2c" else None)

    monkeypatch.setattr(threading.Thread, "join", join_patiently)


@pytest.mark.usefixtures("only_i2c_runs_out_of_time")
def test_a_check_that_hangs_is_named_and_left_behind_and_not_begun_twice() -> None:
    """A bus that is stuck may hold a process for ever."""
    over, begun = threading.Event(), []

    def hang() -> Iterator[Finding]:
        begun.append(1)
        over.wait()
        yield good("i2c", "i2c.good", bus=1, devices=("0x3C",))

    examination = Examination({"i2c": hang, "clock": well}, limit_s=0.05)

    first, second = examination.findings(), examination.findings()
    over.set()
    examination._hanging["i2c"].join()
    examination._limit_s = 60.0
    third = examination.findings()

    assert keys(first) == keys(second) == [("poor", "check.hangs"), ("good", "clock.good")]
    assert "After 0.05 seconds" in english(first[0])
    assert keys(third) == [("good", "i2c.good"), ("good", "clock.good")]
    assert len(begun) == 2  # the one that hung was never joined by a second


def test_a_check_that_stumbles_spoils_no_other(caplog: pytest.LogCaptureFixture) -> None:
    def stumble() -> Iterator[Finding]:
        raise ZeroDivisionError

    with caplog.at_level(logging.CRITICAL):
        found = Examination({"power": stumble, "clock": well}).findings()

    assert keys(found) == [("bad", "check.stumbled"), ("good", "clock.good")]


def test_what_was_found_a_moment_ago_is_told_again() -> None:
    now, begun = [100.0], []

    def look() -> Iterator[Finding]:
        begun.append(1)
        yield from well()

    examination = Examination({"clock": look}, fresh_s=3.0, clock=lambda: now[0])
    examination.findings()
    now[0] = 102.9
    assert examination.findings()
    assert len(begun) == 1
    now[0] = 103.1
    examination.findings()
    assert len(begun) == 2


def test_what_we_may_not_see_is_told_by_the_table_and_the_rest_by_us() -> None:
    own = [may_not("pins", "/dev/gpiochip0"), well().__next__(), may_not("spi", "/dev/spidev0.0")]
    told = [
        good("pins", "pins.good", count=3),
        poor("clock", "clock.wrong", "do.set-clock", time="1970"),
        bad("pad 2", "sensor.held", "do.let-go", part="pad 2"),
        may_not("spi", "/dev/spidev0.0"),
    ]

    assert [one.says.key for one in merged(own, told)] == [
        "clock.good",
        "may-not",
        "pins.good",
        "sensor.held",
    ]
