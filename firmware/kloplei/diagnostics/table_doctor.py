"""The doctor of a running table: it looks, knocks and shows from the table's process."""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kloplei.config import Config
from kloplei.config.settings import SlateConfig
from kloplei.diagnostics.registry import (
    Check,
    Examination,
    checks_of_the_machine,
    checks_of_the_wiring,
)
from kloplei.diagnostics.sensors import check_held, check_levels, check_pace
from kloplei.diagnostics.slate import NO_SLATE, advise
from kloplei.diagnostics.system import Machine
from kloplei.ears.service import Ears
from kloplei.knock import KnockHeard
from kloplei.rules.game import Seat
from kloplei.slate.painter import Painter
from kloplei.table.client import Unreadable
from kloplei.table.doctor import SHOWN_S, Finding, check_knocks
from kloplei.table.inbox import Inbox
from kloplei.table.session import Session

if TYPE_CHECKING:
    from kloplei.devices.box import Box


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


FRESH_S = 3.0  # several phones may look at once


class Patient:
    """A table unit as its doctor sees it.

    Args:
        config: Settings of the box.
        data: Folder of the journal.
        session: The table, which hears the doctor's knocks.
        painter: Keeps the slate.
        ears: Know how loud it is.
        box: Returns what is wired to the header, None while it is not open.
        url: Returns where the slate's code leads phones.
        is_virtual: Nothing is wired to anything: only the machine itself is looked at.
        clock: Monotonic seconds, the same clock that sensors stamp with.
        machine: Where to look.
    """

    def __init__(
        self,
        config: Config,
        data: Path,
        *,
        session: Session,
        painter: Painter,
        ears: Ears,
        box: "Callable[[], Box | None]",
        url: Callable[[], str],
        is_virtual: bool,
        clock: Callable[[], float] = time.monotonic,
        machine: Machine | None = None,
    ) -> None:
        self._config = replace(config, table=replace(config.table, data=data))
        self._session = session
        self._painter = painter
        self._ears = ears
        self._box = box
        self._url = url
        self._is_virtual = is_virtual
        self._clock = clock
        self._machine = machine or Machine()

    def doctor(self) -> HouseDoctor:
        """Return the doctor that looks after it."""
        config = self._config
        return HouseDoctor(
            self._session,
            seats=config.table.seats,
            examination=Examination(self._checks(), fresh_s=FRESH_S),
            show=None if config.slate.driver == "none" else self._show,
            slate=config.slate,
            apart_s=apart_s(config.timing.gap_s),
            clock=self._clock,
        )

    def _checks(self) -> dict[str, Check]:
        checks: dict[str, Check] = {}
        if not self._is_virtual:
            checks.update(checks_of_the_wiring(self._machine, self._config, {os.getpid()}))
        checks["sensors"] = self._sensors
        checks.update(checks_of_the_machine(self._machine, self._config, self._url))
        return checks

    def _sensors(self) -> Iterator[Finding]:
        box = self._box()
        if box is None:
            return
        yield from check_held(box.held_down)
        yield from check_levels(self._config, self._ears.meter())
        pace = box.pace
        if pace is not None and pace.reached_hz:
            yield check_pace(pace.reached_hz, pace.missed)

    def _show(self, for_s: float) -> None:
        from kloplei.devices.columns import column_picture

        self._painter.lend(column_picture(), for_s)
