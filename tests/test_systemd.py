"""What systemd hears of a unit, over the socket it names; and the signals that end the waiting."""

import gc
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kloplei.systemd import BadNotifySettings, Notifier, ended_in_good_order, wait_for_signal
from tests.until import PATIENCE_S


@pytest.fixture
def ear(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(str(tmp_path / "notify"))
        ear.settimeout(PATIENCE_S)
        yield ear


def heard(ear: socket.socket) -> list[str]:
    """Return what has been told so far."""
    ear.setblocking(False)
    told = []
    while True:
        try:
            told.append(ear.recv(100).decode())
        except BlockingIOError:
            return told


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def environ(ear: socket.socket, **more: str) -> dict[str, str]:
    return {"NOTIFY_SOCKET": str(ear.getsockname()), **more}


def test_a_unit_tells_that_it_is_ready_and_that_it_stops(ear: socket.socket) -> None:
    notifier = Notifier(environ(ear))

    notifier.ready()
    notifier.stopping()

    assert heard(ear) == ["READY=1", "STOPPING=1"]


def test_a_sign_of_life_is_given_three_times_in_the_time_systemd_waits(
    ear: socket.socket,
) -> None:
    clock = Clock()
    notifier = Notifier(environ(ear, WATCHDOG_USEC="15000000"), clock)
    assert notifier.beat_s == pytest.approx(5.0)

    for _ in range(1000):  # a knock comes round as well, and must not flood systemd
        clock.now_s += 0.01
        notifier.alive()

    assert len(heard(ear)) == 4  # at 0, 2.5, 5 and 7.5 s


def test_where_nobody_waits_nothing_is_told(ear: socket.socket) -> None:
    for settings in ({}, {"WATCHDOG_USEC": "15000000", "WATCHDOG_PID": str(os.getpid() + 1)}):
        notifier = Notifier(environ(ear, **settings))
        notifier.alive()
        assert notifier.beat_s is None
    Notifier({}).ready()

    assert heard(ear) == []


def test_an_abstract_address_is_found(tmp_path: Path) -> None:
    name = f"kloplei-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(f"\0{name}")
        Notifier({"NOTIFY_SOCKET": f"@{name}"}).ready()

        assert heard(ear) == ["READY=1"]


def test_a_socket_that_is_gone_ends_no_evening_and_is_told_again_once_it_is_back(
    tmp_path: Path,
) -> None:
    address = str(tmp_path / "notify")
    notifier = Notifier({"NOTIFY_SOCKET": address})
    notifier.ready()

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(address)
        notifier.stopping()

        assert heard(ear) == ["STOPPING=1"]


def test_settings_that_are_no_number_are_named() -> None:
    with pytest.raises(BadNotifySettings, match="WATCHDOG_USEC is 'soon'"):
        Notifier({"WATCHDOG_USEC": "soon"})


@pytest.mark.whole
@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_that_another_thread_catches_ends_the_waiting(stop: signal.Signals) -> None:
    # Not always Python's own: a shell starts what runs in the background deaf to Ctrl-C.
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    signal.pthread_sigmask(signal.SIG_BLOCK, {stop})  # so that the main thread cannot catch it
    catcher = threading.Thread(target=_let_through_and_raise, args=(stop,))
    try:
        with wait_for_signal() as wait:
            catcher.start()
            wait()
            catcher.join()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {stop})

    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == before


@pytest.mark.whole
def test_a_stop_that_comes_before_the_waiting_is_not_lost() -> None:
    with wait_for_signal() as wait:
        os.kill(os.getpid(), signal.SIGTERM)
        wait()
        over = True

    assert over


def test_what_stands_when_all_is_up_is_looked_through_no_more() -> None:
    """Everybody stood still for it in mid evening, half a second on a small Pi."""
    frozen: list[int] = []

    def stop_once_frozen() -> None:
        while not gc.get_freeze_count():
            time.sleep(0.001)
        frozen.append(gc.get_freeze_count())
        os.kill(os.getpid(), signal.SIGTERM)

    stopping = threading.Thread(target=stop_once_frozen)
    with wait_for_signal() as wait:
        stopping.start()
        wait()
        stopping.join()

    assert frozen
    assert not gc.get_freeze_count()


@pytest.mark.whole
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP])
def test_being_ended_is_like_ctrl_c(end: signal.Signals) -> None:
    # Under nohup a hang-up is ignored before we come, and stays so.
    before = signal.signal(end, signal.SIG_DFL)
    try:
        with pytest.raises(KeyboardInterrupt), ended_in_good_order():
            os.kill(os.getpid(), end)
            # Another thread may catch it: this one hears of it when it comes round.
            while True:
                time.sleep(0.01)

        assert signal.getsignal(end) is signal.SIG_DFL
    finally:
        signal.signal(end, before)


@pytest.mark.whole
def test_a_terminal_that_closes_is_ignored_where_somebody_wants_that() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_in_good_order():
            os.kill(os.getpid(), signal.SIGHUP)
            still_there = True
    finally:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)

    assert still_there


def _let_through_and_raise(stop: signal.Signals) -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {stop})
    os.kill(os.getpid(), stop)
