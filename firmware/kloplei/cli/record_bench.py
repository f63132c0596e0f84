"""The table that the bench records: the one of the box, or one that is not there."""

import argparse
import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kloplei.config import Config
    from kloplei.recordings.capture.folder import Step
    from kloplei.recordings.capture.sensors import Sensors

_SEATS, _MOST_SEATS = 4, 8  # of a table that is not there


@dataclass(frozen=True, slots=True)
class Bench:
    """A table to be recorded: what there is of it, and the time it lives in.

    *wait* lets that time pass where it is not the real one.
    """

    config: "Config"
    sensors: "Sensors"
    clock: Callable[[], float]
    wait: Callable[[float], None] | None = None
    on_begin: "Callable[[Step, float], None]" = lambda _step, _at_s: None


@contextlib.contextmanager
def open_bench(arguments: argparse.Namespace) -> Iterator[Bench]:
    """Give the table that *arguments* of `kloplei listen --record` name; let go of it at the end.

    Raises:
        ConfigError: The settings cannot be used.
        CannotRecord: The box has no sensors for it, or they cannot be reached.
        TableHasThem: A table runs.
    """
    import time

    from kloplei.config import load_config
    from kloplei.recordings.capture.sensors import open_sensors

    if arguments.virtual:
        with _virtual_bench(arguments) as bench:
            yield bench
        return
    config = load_config(arguments.config)
    with open_sensors(config) as sensors:
        yield Bench(config, sensors, time.monotonic)


@contextlib.contextmanager
def _virtual_bench(arguments: argparse.Namespace) -> Iterator[Bench]:
    from kloplei.config import Config, load_config
    from kloplei.devices.schedule import ManualSchedule, ThreadSchedule
    from kloplei.recordings.capture.sensors import VirtualTable, virtual_config

    settings = Config() if arguments.config is None else load_config(arguments.config)
    config = virtual_config(settings, min(arguments.seats or _SEATS, _MOST_SEATS))
    with contextlib.ExitStack() as opened:
        wait = None
        schedule: ManualSchedule | ThreadSchedule
        if arguments.hurry:
            schedule = ManualSchedule()
            wait = schedule.advance
        else:
            schedule = ThreadSchedule()
            opened.callback(schedule.close)
        table = VirtualTable(schedule, config.table.seats)
        opened.callback(table.close)
        yield Bench(config, table.sensors(), schedule.now_s, wait, table.oblige)
