"""The doctor of a running table: a `DoctorClient` that looks, knocks and shows from its process."""

import time
from collections.abc import Callable

from kloplei.checks.examination import Examination
from kloplei.checks.slate_test import NO_SLATE, advise
from kloplei.config.settings import SlateConfig
from kloplei.knock import KnockHeard
from kloplei.rules.game import Seat
from kloplei.table.client import Unreadable
from kloplei.table.doctor import SHOWN_S, Finding, check_knocks
from kloplei.table.inbox import Inbox

STRENGTH = 0.5
_APART_S = 0.25  # as people knock
_TIGHT_S = 0.14  # closer together it is drumming


def apart_s(gap_s: float) -> float:
    """Return how far apart knocks of one pattern come, where silence of *gap_s* ends it."""
    return min(_APART_S, max(_TIGHT_S, gap_s / 2))


class HouseDoctor:
    """Examines the box, and lets the table hear knocks that nobody knocked.

    Args:
        inbox: Where knocks go: the table's own.
        seats: Places at the table.
        examination: What is looked at.
        show: Shows the test picture for so many seconds; None for a box without a slate.
        slate: How the slate is set up.
        apart_s: So far apart two knocks of one pattern come.
        clock: Monotonic seconds, the same clock that sensors stamp with.
        pause: Waits.
    """

    def __init__(
        self,
        inbox: Inbox,
        *,
        seats: int,
        examination: Examination,
        show: Callable[[float], None] | None,
        slate: SlateConfig,
        apart_s: float = _APART_S,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._inbox = inbox
        self._seats = seats
        self._examination = examination
        self._show = show
        self._slate = slate
        self._apart_s = apart_s
        self._clock = clock
        self._pause = pause

    def examine(self) -> tuple[Finding, ...]:
        """Return how each part does; see `kloplei.table.doctor.DoctorClient.examine`."""
        return self._examination.findings()

    def knock(self, seat: Seat, times: int = 1) -> None:
        """Let the table hear *times* knocks, and return when the last one is in its inbox."""
        check_knocks(seat, times, self._seats)
        for at in range(times):
            if at:
                self._pause(self._apart_s)
            self._inbox.put(KnockHeard(seat, STRENGTH, self._clock()))

    def show_test_picture(self) -> None:
        """Show the test picture; see `DoctorClient.show_test_picture`."""
        if self._show is None:
            raise Unreadable(NO_SLATE)
        self._show(SHOWN_S)

    def judge_picture(self, seen: str) -> Finding:
        """Return what *seen* says of the slate; see `DoctorClient.judge_picture`."""
        return advise(self._slate, seen)
