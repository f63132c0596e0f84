"""A table that is not there, with people who do as they are told: to see a tuning without wood."""

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from kloplei.demo.table import Demo, demo_config
from kloplei.rules.scoreboard import Tuning
from kloplei.table.client import TableClient
from kloplei.table.ears import EarsClient

SEATS, MOST_SEATS = 4, 8
_PACE_S = (0.7, 1.3)  # between two things that somebody does
_OFF_M = 0.02  # nobody hits the same spot twice


@contextlib.contextmanager
def obliging_table(seats: int | None = None) -> Iterator[EarsClient]:
    """Give the ears of a virtual table where all do what the slate asks.

    It has so many *seats*, but no fewer than the people who sit in the demo.
    """
    config = demo_config()
    seats = max(SEATS, min(seats or SEATS, MOST_SEATS))
    config = replace(config, table=replace(config.table, seats=seats))
    with Demo(config=config) as demo:
        people = People(demo)
        try:
            yield demo.client.ears
        finally:
            people.close()


class People:
    """Does on the wood of *demo* what its slate asks for, on a thread of its own."""

    def __init__(self, demo: Demo, seed: int = 1) -> None:
        self._demo = demo
        self._luck = Random(seed)  # noqa: S311 - where a hand comes down is no secret
        self._going = threading.Event()
        self._thread = threading.Thread(target=self._run, name="people", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Let them go home."""
        self._going.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._going.wait(self._luck.uniform(*_PACE_S)):
            tuning = _asked(self._demo.client)
            if tuning is not None:
                self._oblige(tuning)

    def _oblige(self, tuning: Tuning) -> None:
        match tuning.step:
            case "glass":
                self._demo.strike("glass", self._somewhere((0.5, 0.5), 0.2))
            case "phone":
                self._demo.strike("phone", self._somewhere((0.5, 0.5), 0.2))
            case "knocks" if tuning.seat is not None:
                place = self._demo.places[tuning.seat]
                self._demo.strike("knuckle", self._somewhere(place, _OFF_M))

    def _somewhere(self, spot: tuple[float, float], off: float) -> tuple[float, float]:
        """Return a point about *spot*, still on the table."""
        x, y = (min(0.98, max(0.02, self._luck.gauss(part, off / 2))) for part in spot)
        return (x, y)


def _asked(table: TableClient) -> Tuning | None:
    return table.scoreboard().tuning
