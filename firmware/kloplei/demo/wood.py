"""The demo's wood: what lands on it runs as a wave to the virtual piezos, in its own time."""

import threading
from collections.abc import Sequence

from kloplei.demo.landings import Landing, Landings
from kloplei.demo.playing import felt_by_discs
from kloplei.demo.recording import Recording
from kloplei.demo.top import THINGS, place_near
from kloplei.devices.schedule import Schedule
from kloplei.devices.virtual import VirtualPiezos
from kloplei.rules.game import Seat
from kloplei.simulation import Spot, TableTop

DELAY_S = 0.12  # from a click to its wave, which is worked out meanwhile: so gaps stay true
MOST_WAITING = 4  # who strikes on and on shall not hold up who only looks
HAND_S = 0.16  # one hand knocks no faster, though a double click does
HAND_M = 0.15  # further off it is another hand


class Wood:
    """A table top over virtual piezos; every method may be called from any thread.

    Args:
        top: The table top, a disc for each of *piezos*.
        piezos: What feels the waves.
        schedule: The clock.
    """

    def __init__(self, top: TableTop, piezos: VirtualPiezos, schedule: Schedule) -> None:
        self.landings = Landings(schedule.now_s)
        self._top = top
        self._piezos = piezos
        self._schedule = schedule
        self._room = threading.Semaphore(MOST_WAITING)
        self._timing = threading.Lock()
        self._working = threading.Lock()  # one wave at a time: the others would only be slower
        self._last: tuple[Spot, float] | None = None

    @property
    def rate_hz(self) -> float:
        """Samples a second that each disc is read."""
        return self._piezos.rate_hz

    @property
    def size_m(self) -> tuple[float, float]:
        """Length and width."""
        return (self._top.plate.length_m, self._top.plate.width_m)

    @property
    def places(self) -> Sequence[tuple[float, float]]:
        """Where the hand of each seat comes down, as parts of length and width."""
        return [self._part_of(place) for place in self._top.seats]

    @property
    def discs(self) -> Sequence[tuple[float, float]]:
        """Where the disc of each seat is glued, as parts of length and width."""
        return [self._part_of(disc) for disc in self._top.sensors]

    def strike(self, kind: str, x: float, y: float, *, is_heeded: bool = True) -> int | None:
        """Let *kind*, a key of `THINGS`, land at *x*, *y*, parts of length and width.

        It is not *is_heeded* where the table lets blows pass, whatever they are.
        Returns the number of the landing when its wave has been worked out and is on its way,
        or None when too much is under way already.
        """
        if not self._room.acquire(blocking=False):
            return None
        try:
            return self._land(kind, (x, y), is_heeded=is_heeded)
        finally:
            self._room.release()

    def play(self, recording: Recording, seat: Seat, at_s: float) -> None:
        """Let the disc of *seat* feel *recording*, and the others what reaches them, at *at_s*.

        Args:
            recording: At the piezos' rate, see `Recording.at_rate`.
            seat: Whose disc that is.
            at_s: When it begins, by the clock of the virtual box.
        """
        place = self._top.seats[seat]
        felt = felt_by_discs(recording.samples, recording.rate_hz, place, self._top.sensors)
        self._piezos.play(felt, at_s)

    def heard(self, after: int) -> Sequence[Landing]:
        """Return what landed after number *after*, oldest first."""
        return self.landings.after(after)

    def _land(self, kind: str, part: tuple[float, float], *, is_heeded: bool) -> int:
        length_m, width_m = self.size_m
        spot = Spot(part[0] * length_m, part[1] * width_m)
        nearest = place_near(spot, self._top.seats)
        near = None if nearest is None else nearest + 1
        with self._timing:
            at_s = self._time_for(spot)
            number = self.landings.begin(kind, part, near, at_s, is_heeded=is_heeded)
        with self._working:
            thing = THINGS[kind]
            wave = self._top.sampled(
                thing.blow, spot, self.rate_hz, force_n=thing.force_n, seed=number
            )
            at_s = max(at_s, self._schedule.now_s())  # on a slow machine it is late
            self.landings.runs(number, at_s, len(wave[0]) / self.rate_hz)
            self._piezos.play(wave, at_s)
        return number

    def _time_for(self, spot: Spot) -> float:
        at_s = self._schedule.now_s() + DELAY_S
        if self._last is not None:
            where, before_s = self._last
            if spot.distance_m(where) < HAND_M:
                at_s = max(at_s, before_s + HAND_S)
        self._last = (spot, at_s)
        return at_s

    def _part_of(self, spot: Spot) -> tuple[float, float]:
        length_m, width_m = self.size_m
        return (spot.x / length_m, spot.y / width_m)
