"""Time at a virtual table that is recorded: it passes no faster than the recorder looks at it."""

import threading
from typing import Final

import pytest

from kloplei.demo.table import Demo
from kloplei.devices.schedule import ManualSchedule
from kloplei.recordings.capture import session
from kloplei.recordings.capture.recorder import PhoneConsole
from kloplei.table.recordings_client import RecordingStand

_A_LOOK_S: Final = 0.005  # of the recorder, which has a thread of its own
_AGAIN_S: Final = 0.05


class PacedTime:
    """The *clock* of a *demo*; a recorder that a busy machine holds up sees all of it pass."""

    def __init__(self, demo: Demo, clock: ManualSchedule, monkeypatch: pytest.MonkeyPatch) -> None:
        self._demo = demo
        self._clock = clock
        self._looks = threading.Semaphore(0)
        key = PhoneConsole.key

        def counted(console: PhoneConsole, within_s: float) -> str | None:
            self._looks.release()
            return key(console, within_s)

        monkeypatch.setattr(session, "LOOK_S", _A_LOOK_S)
        monkeypatch.setattr(PhoneConsole, "key", counted)

    def pass_by(self, by_s: float) -> RecordingStand:
        """Let *by_s* seconds pass, and a recorder look once from then on; return what it says."""
        self._clock.advance(by_s)
        while self._looks.acquire(blocking=False):
            pass
        for _ in range(2):  # the first may have looked before
            while not self._looks.acquire(timeout=_AGAIN_S):
                if (stand := self._stand).state != "recording":
                    return stand
        return self._stand

    @property
    def _stand(self) -> RecordingStand:
        return self._demo.client.recordings.look()
