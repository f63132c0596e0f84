"""SIGTERM and Ctrl-C end the waiting, whichever thread the kernel gives them to."""

import os
import signal
import threading
import time

import pytest

from kloplei.systemd import ended_in_good_order, wait_for_signal


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


def test_a_stop_that_comes_before_the_waiting_is_not_lost() -> None:
    with wait_for_signal() as wait:
        os.kill(os.getpid(), signal.SIGTERM)
        wait()
        over = True

    assert over


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP])
def test_being_ended_is_like_ctrl_c(end: signal.Signals) -> None:
    with pytest.raises(KeyboardInterrupt), ended_in_good_order():
        os.kill(os.getpid(), end)
        # Another thread may catch it: this one hears of it when it comes round.
        while True:
            time.sleep(0.01)

    assert signal.getsignal(end) is signal.SIG_DFL


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
