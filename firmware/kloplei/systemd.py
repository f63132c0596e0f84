"""What a unit and systemd tell each other: ready, alive, stopping, and the signal to stop.

Written by hand: the libraries for sd_notify want the system's headers to install, and it is one
datagram a message. `wait_for_signal` serves people at a terminal as well: Ctrl-C is a signal.
"""

import contextlib
import gc
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from kloplei.files import KlopleiError

_PER_WATCHDOG = 3
"""Signs of life in the time after which systemd gives a unit up."""


class BadNotifySettings(KlopleiError, ValueError):
    """What systemd left in the environment cannot be read."""


class Notifier:
    """Tells systemd, over the socket that it names; where none is named, nobody.

    Safe from any thread.

    Args:
        environ: Where systemd leaves the address and how long it waits for a sign of life.
        clock: Monotonic seconds.

    Raises:
        BadNotifySettings: WATCHDOG_USEC is no number.
    """

    def __init__(
        self,
        environ: Mapping[str, str] = os.environ,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._address = environ.get("NOTIFY_SOCKET", "")
        self._clock = clock
        self._told_at = float("-inf")
        self.beat_s = _beat_s(environ)
        """How often `alive` has to be called, in seconds; None where nobody waits for it."""

    def ready(self) -> None:
        """Tell that the unit does its work from now on."""
        self._tell("READY=1")

    def alive(self) -> None:
        """Tell that the unit still comes round; more calls than needed cost nothing."""
        now_s = self._clock()
        if self.beat_s is not None and now_s - self._told_at >= self.beat_s / 2:
            self._told_at = now_s
            self._tell("WATCHDOG=1")

    def stopping(self) -> None:
        """Tell that the unit ends in good order."""
        self._tell("STOPPING=1")

    def _tell(self, message: str) -> None:
        if not self._address:
            return
        # An address that begins with @ stands in no folder; the kernel writes it with a zero.
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        # Whether systemd listens or not, the evening goes on.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
            end.connect(address)
            end.send(message.encode())


def _beat_s(environ: Mapping[str, str]) -> float | None:
    """Return a third of what systemd waits, if it waits for this very process."""
    waits = environ.get("WATCHDOG_USEC", "")
    meant = environ.get("WATCHDOG_PID", str(os.getpid()))
    if not waits or meant != str(os.getpid()):
        return None
    try:
        return int(waits) / 1e6 / _PER_WATCHDOG
    except ValueError:
        raise BadNotifySettings(
            f"WATCHDOG_USEC is {waits!r:.40}, not a number of microseconds. "
            "Take it out of the environment, or let systemd set it."
        ) from None


_STOPS = (signal.SIGTERM, signal.SIGINT)
_ENDS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def wait_for_signal() -> Iterator[Callable[[], None]]:
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
    # What stands by now stays to the end. Python looked through all of it now and then, and
    # everybody stood still meanwhile: half a second on a small Pi.
    gc.freeze()
    while os.read(told, 1)[0] not in _STOPS:  # another signal that Python handles wakes it too
        pass
    gc.unfreeze()
