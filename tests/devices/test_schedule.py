import threading
import time
from collections.abc import Iterator
from functools import partial

import pytest

from kloplei.devices.schedule import (
    CATCHES_UP_S,
    ManualSchedule,
    PatientSchedule,
    ThreadSchedule,
)

PATIENCE_S = 60.0


def test_deeds_are_done_in_order_of_time_then_of_asking() -> None:
    schedule, done = ManualSchedule(0.0), list[str]()
    for name, at_s in [("late", 2.0), ("first", 1.0), ("second", 1.0)]:
        schedule.at(at_s, partial(done.append, name))

    schedule.advance(5.0)

    assert done == ["first", "second", "late"]
    assert schedule.now_s() == 5.0


def test_what_is_not_yet_due_waits() -> None:
    schedule, done = ManualSchedule(0.0), list[str]()
    schedule.at(2.0, lambda: done.append("due"))

    schedule.advance(1.999)

    assert done == []


def test_a_deed_may_ask_for_another_within_the_same_stretch() -> None:
    schedule, done = ManualSchedule(0.0), list[float]()
    schedule.at(1.0, lambda: schedule.at(1.5, lambda: done.append(schedule.now_s())))

    schedule.advance(2.0)

    assert done == [1.5]


@pytest.fixture
def real() -> Iterator[ThreadSchedule]:
    schedule = ThreadSchedule("test")
    yield schedule
    schedule.close()


def test_the_thread_does_an_earlier_deed_first_though_asked_later(real: ThreadSchedule) -> None:
    done, asked, both = list[str](), threading.Event(), threading.Event()
    real.at(real.now_s() + 3600, lambda: done.append("never"))
    real.at(real.now_s(), lambda: None if asked.wait(PATIENCE_S) else pytest.fail("not asked"))
    later_s = real.now_s() + 0.01
    real.at(later_s, lambda: done.append("later"))
    real.at(later_s, both.set)
    real.at(later_s - 0.01, lambda: done.append("now"))
    asked.set()

    assert both.wait(PATIENCE_S)
    assert done == ["now", "later"]


def test_a_failing_deed_is_logged_and_the_next_is_done(
    real: ThreadSchedule, caplog: pytest.LogCaptureFixture
) -> None:
    done = threading.Event()
    real.at(0, partial(divmod, 1, 0))
    real.at(0, done.set)

    assert done.wait(PATIENCE_S)
    assert "ZeroDivisionError" in caplog.text


def test_closing_ends_the_thread_and_forgets_the_rest() -> None:
    schedule, done = ThreadSchedule("short-lived"), list[str]()
    schedule.at(schedule.now_s() + 3600, lambda: done.append("never"))

    schedule.close()

    assert "short-lived" not in {thread.name for thread in threading.enumerate()}
    assert done == []


def test_a_deed_may_close_its_own_schedule() -> None:
    schedule, closed = ThreadSchedule("by its own hand"), threading.Event()

    def close() -> None:
        schedule.close()
        closed.set()

    schedule.at(0, close)

    assert closed.wait(PATIENCE_S)


@pytest.fixture
def patient() -> Iterator[PatientSchedule]:
    schedule = PatientSchedule("patient")
    yield schedule
    schedule.close()


def test_a_patient_schedule_lets_no_time_pass_that_a_slow_machine_takes(
    patient: PatientSchedule,
) -> None:
    """A demo on a slow machine heard two knocks as one and one."""
    begun, looked, over = threading.Event(), threading.Event(), threading.Event()
    done: list[float] = []

    def do_slowly() -> None:
        begun.set()
        assert looked.wait(PATIENCE_S)
        done.append(patient.now_s())

    start_s = patient.now_s() + 0.01
    patient.at(start_s, do_slowly)
    patient.at(start_s + 0.1, lambda: done.append(patient.now_s()))
    patient.at(start_s + 0.1, over.set)
    assert begun.wait(PATIENCE_S)
    threading.Event().wait(4 * CATCHES_UP_S)
    meanwhile_s = patient.now_s()
    looked.set()

    assert over.wait(PATIENCE_S)
    assert meanwhile_s == start_s
    assert done == [start_s, start_s + 0.1]
    assert time.monotonic() - patient.now_s() > 2 * CATCHES_UP_S


def test_the_time_of_a_patient_schedule_never_runs_back(patient: PatientSchedule) -> None:
    done, looks = threading.Event(), list[float]()
    for at in range(200):
        patient.at(patient.now_s() - 0.01 * (at % 3), lambda: looks.append(patient.now_s()))
        looks.append(patient.now_s())
    patient.at(patient.now_s() + 0.001, done.set)

    while not done.is_set():
        looks.append(patient.now_s())

    assert looks == sorted(looks)


def test_once_closed_a_patient_schedule_waits_for_nothing(patient: PatientSchedule) -> None:
    due_s = patient.now_s() + 0.05
    patient.at(due_s, lambda: None)
    patient.close()
    threading.Event().wait(0.1)

    assert patient.now_s() > due_s
