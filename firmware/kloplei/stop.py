"""Run until somebody says stop: SIGTERM from the system, Ctrl-C from a person."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_STOPS = (signal.SIGTERM, signal.SIGINT)
_ENDS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def until_told() -> Iterator[Callable[[], None]]:
    """Give a function that returns when stop is said, from here on; for the main thread only.

    Nothing is interrupted by it: what was opened inside can be closed in good order.
    """
    # A pipe and not an event: the kernel may hand the signal to any thread, and only the
    # wake-up descriptor reaches a main thread that waits.
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    handlers = {one: signal.signal(one, lambda *_: None) for one in _STOPS}
    woken_before = signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    try:
        yield lambda: _wait(told)
    finally:
        signal.set_wakeup_fd(woken_before)
        for one, handler in handlers.items():
            signal.signal(one, handler)
        os.close(told)
        os.close(tell)


@contextmanager
def ended_in_good_order() -> Iterator[None]:
    """Let SIGTERM and a terminal that closes end what is inside as Ctrl-C does.

    So the lamp goes out, and keys do in the terminal what they did. Who has it ignore a
    terminal that closes (``nohup``) is obeyed. For the main thread only.
    """
    ends = [one for one in _ENDS if signal.getsignal(one) is signal.SIG_DFL]
    for one in ends:
        signal.signal(one, signal.default_int_handler)
    try:
        yield
    finally:
        for one in ends:
            signal.signal(one, signal.SIG_DFL)


def _wait(told: int) -> None:
    while os.read(told, 1)[0] not in _STOPS:  # another signal that Python handles wakes it too
        pass
