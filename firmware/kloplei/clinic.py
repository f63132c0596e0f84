"""The doctor of a table unit, put together: what it examines, and what it shows on the slate."""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kloplei.checks.examination import Check, Examination
from kloplei.checks.house_doctor import HouseDoctor, apart_s
from kloplei.checks.machine import Machine
from kloplei.checks.of_the_box import checks_of_the_machine, checks_of_the_wiring
from kloplei.checks.sensors import check_held, check_levels, check_pace
from kloplei.config import Config
from kloplei.ears import Ears
from kloplei.slate.painter import Painter
from kloplei.table.doctor import Finding
from kloplei.table.session import Session

if TYPE_CHECKING:
    from kloplei.devices.box import Box

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
