"""The doctor of a running table: it looks, knocks and shows from the table's process."""

import os
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from kloplei.config import Config
from kloplei.config.settings import SlateConfig
from kloplei.diagnostics.registry import (
    Examination,
    checks_of_the_machine,
    checks_of_the_wiring,
)
from kloplei.diagnostics.sensors import check_held, check_levels, check_pace
from kloplei.diagnostics.slate import NO_SLATE, advise
from kloplei.diagnostics.system import Machine
from kloplei.games.game import Seat
from kloplei.knock import KnockHeard
from kloplei.table.client import SHOWN_S, BadRequest, Finding, check_knocks
from kloplei.table.messages import Inbox

if TYPE_CHECKING:
    from kloplei.devices.box import Box
    from kloplei.review.service import ReviewService
    from kloplei.slate.painter import Painter
    from kloplei.table.session import Session

FRESH_S = 3.0  # several phones may look at once
STRENGTH = 0.5
_APART_S = 0.25  # as people knock
_TIGHT_S = 0.14  # closer together it is drumming


def apart_s(gap_s: float) -> float:
    """Return how far apart knocks of one pattern come, where silence of *gap_s* ends it."""
    return min(_APART_S, max(_TIGHT_S, gap_s / 2))


class TableDoctor:
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
        """Return how each part does; see `kloplei.table.client.DoctorClient.examine`."""
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
            raise BadRequest(NO_SLATE)
        self._show(SHOWN_S)

    def judge_picture(self, seen: str) -> Finding:
        """Return what *seen* says of the slate; see `DoctorClient.judge_picture`."""
        return advise(self._slate, seen)


def doctor_of(
    config: Config,
    session: "Session",
    *,
    painter: "Painter",
    ears: "ReviewService",
    box: "Callable[[], Box | None]",
    url: Callable[[], str],
    is_virtual: bool,
    clock: Callable[[], float] = time.monotonic,
) -> TableDoctor:
    """Return the doctor who looks after a table unit.

    Args:
        config: Settings of the box, with the folder that the journal lies in.
        session: The table, which hears the doctor's knocks.
        painter: Keeps the slate.
        ears: Know how loud it is.
        box: Returns what is wired to the header, None while it is not open.
        url: Returns where the slate's code leads phones.
        is_virtual: Nothing is wired to anything: only the machine itself is looked at.
        clock: Monotonic seconds, the same clock that sensors stamp with.
    """
    from kloplei.devices.glass import column_picture

    machine = Machine()
    wiring = {} if is_virtual else checks_of_the_wiring(machine, config, {os.getpid()})
    checks = {
        **wiring,
        "sensors": lambda: _check_open_box(box(), config, ears),
        **checks_of_the_machine(machine, config, url),
    }
    return TableDoctor(
        session,
        seats=config.table.seats,
        examination=Examination(checks, fresh_s=FRESH_S),
        show=None
        if config.slate.driver == "none"
        else lambda for_s: painter.lend(column_picture(config.slate.glass), for_s),
        slate=config.slate,
        apart_s=apart_s(config.timing.gap_s),
        clock=clock,
    )


def _check_open_box(box: "Box | None", config: Config, ears: "ReviewService") -> Iterator[Finding]:
    if box is None:
        return
    yield from check_held(box.held_down)
    yield from check_levels(config, ears.meter())
    pace = box.pace
    if pace is not None and pace.reached_hz:
        yield check_pace(pace.reached_hz, pace.missed)
