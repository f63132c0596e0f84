import threading
from collections.abc import Iterator
from functools import partial

import pytest

from kloplei.devices.schedule import ManualSchedule, ThreadSchedule

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
