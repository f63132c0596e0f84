"""A virtual table in time that stands still until somebody looks, and people at its console."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kloplei.demo.wood import VirtualTable
from kloplei.devices.schedule import ManualSchedule
from kloplei.games.game import Seat
from kloplei.knock.signal import Block
from kloplei.recordings.capture.folder import RecordingFolder
from kloplei.recordings.capture.protocol import ProtocolStep, steps_for
from kloplei.recordings.capture.sensors import Sensors
from kloplei.recordings.capture.session import Shown, Walk

SETUP: Mapping[str, Any] = {"sensors": [0, 1], "chip": "mcp3008", "virtual": True}

Deed = str | Callable[[], object]


def names(folder: Path) -> set[str]:
    return {one.name for one in folder.iterdir()}


class Console:
    """Looks on and, at a moment of a step, does something; who does nothing has no keys.

    *deeds* say what at which step and when: a key, or anything else that may happen. Each is
    done once.
    """

    def __init__(self, schedule: ManualSchedule, deeds: Mapping[tuple[str, float], Deed]) -> None:
        self._schedule = schedule
        self._deeds = dict(deeds)
        self.shown: list[Shown] = []
        self.said: list[str] = []

    def show(self, shown: Shown) -> None:
        self.shown.append(shown)

    def say(self, sentence: str) -> None:
        self.said.append(sentence)

    def key(self, within_s: float) -> str | None:
        self._schedule.advance(within_s)
        if not self.shown:
            return ""
        last = self.shown[-1]
        since_s = last.since_s if last.runs else -1.0
        for (step, at_s), deed in list(self._deeds.items()):
            if step == last.step.name and since_s >= at_s and (at_s < 0) == (since_s < 0):
                del self._deeds[step, at_s]
                if isinstance(deed, str):
                    return deed
                deed()
        return ""

    @property
    def begun(self) -> list[str]:
        """The steps that ran, in their order; one that began twice is there twice."""
        runs = [one for one in self.shown if one.runs]
        return [
            one.step.name
            for before, one in zip([None, *runs], runs, strict=False)
            if before is None or before.step != one.step or before.since_s > one.since_s
        ]


class Bench:
    """A table of two seats with everything that a walk needs; *only* those kinds of step."""

    def __init__(self, folder: Path, only: tuple[str, ...] = ("silence", "soft", "glass")) -> None:
        self.folder = folder
        self.schedule = ManualSchedule()
        self.table = VirtualTable(self.schedule, 2)
        everything = steps_for([Seat(0), Seat(1)])
        self.steps = tuple(step for step in everything if step.kind.name in only)
        self.shelf = RecordingFolder(folder, SETUP, self.steps)
        self.sensors = self.table.sensors()
        self.deaf_s: tuple[float, float] | None = None

    def walk(self, deeds: Mapping[tuple[str, float], Deed] | None = None) -> tuple[bool, Console]:
        """Go through all of it; return whether somebody came to the end, and the console."""
        console = Console(self.schedule, deeds or {})
        walk = Walk(
            self.steps,
            Sensors(self, self.sensors.troubles, self.sensors.rate_hz),
            self.shelf,
            console,
            self.schedule.now_s,
            self.table.oblige,
        )
        return walk.go(), console

    def again(self) -> "Bench":
        """Return the bench after the power was cut: the folder is all that is left."""
        return Bench(self.folder, tuple({step.kind.name for step in self.steps}))

    def entry(self, step: ProtocolStep | str) -> dict[str, Any]:
        """Return what labels.json says of *step*."""
        name = step if isinstance(step, str) else step.name
        return next(one for one in self.shelf.written()["files"] if one["step"] == name)

    @property
    def channels(self) -> int:
        return self.table.channels

    def start(self, take: Callable[[Block], None]) -> None:
        """Hand in what the table gives, but for what falls into the time in which it is deaf."""

        def taken(block: Block) -> None:
            if self.deaf_s is None or not self.deaf_s[0] <= block.start_s < self.deaf_s[1]:
                take(block)

        self.table.start(taken)

    def close(self) -> None:
        self.table.close()
