"""A table that is not there, with people who do as they are told: a bench without hardware."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import pi, sin
from random import Random

from kloplei.bench.protocol import LEAD_S, Step
from kloplei.bench.sensors import Sensors, Troubles
from kloplei.config import Config, SeatPins
from kloplei.devices.schedule import Schedule
from kloplei.devices.virtual import VirtualPiezos
from kloplei.games.game import Seat
from kloplei.simulation import Blow, Spot, TableTop
from kloplei.simulation.table_top import airborne

RATE_HZ = 4000.0
_WOOD = 7  # which of many plausible tables
_HAND_S = 0.07  # how well people keep the beat
_OFF_M = 0.01  # nobody hits the same spot twice
_TRAIN_S = 0.26  # between knocks that belong together
_MAINS_HZ = 50.0
_HUM = 0.04  # of full scale, while a lamp is switched
_HUM_S = 1.0  # that lamp
_GOES_ON_S = 2.0  # how often what lasts begins anew
_VARIETY = 2  # blows of a kind at a place

_Wave = Sequence[Sequence[float]]

_BLOWS: Mapping[str, tuple[Blow, float | None]] = {
    "soft": (Blow.KNUCKLE, 8.0),
    "usual": (Blow.KNUCKLE, 25.0),
    "hard": (Blow.KNUCKLE, 60.0),
    "finger": (Blow.KNUCKLE, 14.0),
    "fist": (Blow.KNUCKLE, 80.0),
    "twice": (Blow.KNUCKLE, 22.0),
    "thrice": (Blow.KNUCKLE, 22.0),
    "together": (Blow.KNUCKLE, 25.0),
    "glass": (Blow.GLASS, None),
    "cards": (Blow.CARD, None),
    "dice": (Blow.DICE, None),
    "phone": (Blow.PHONE, None),
    "elbow": (Blow.ELBOW, None),
}


def virtual_config(settings: Config, seats: int) -> Config:
    """Return *settings* with so many *seats*, a piezo at each, and neither slate nor header."""
    return replace(
        settings,
        table=replace(settings.table, seats=seats),
        seats=tuple(SeatPins(piezo=at) for at in range(seats)),
        adc=replace(settings.adc, enabled=True, rate_hz=RATE_HZ, corners=()),
        slate=replace(settings.slate, driver="none", language=settings.slate_language),
    )


class VirtualTable(VirtualPiezos):
    """Virtual piezos, a disc at each of *seats*; what is asked for happens on the beat.

    Args:
        schedule: The clock; blocks come from its thread.
        seats: How many sit there.
        seed: Of how well people keep the beat.
    """

    def __init__(self, schedule: Schedule, seats: int, seed: int = 1) -> None:
        super().__init__(schedule, len(_top(seats).sensors), RATE_HZ, rests=False)
        self._seats = seats
        self._luck = Random(seed)  # noqa: S311 - when a hand comes down is no secret

    def sensors(self) -> Sensors:
        """Return this as what is recorded."""
        return Sensors(self, Troubles(), rate_hz=lambda: RATE_HZ)

    def oblige(self, step: Step, begun_s: float) -> None:
        """Let people do what *step* asks for, on its beats after *begun_s*."""
        for beat_s in step.beats_s:
            for seat in step.seats or (None,):
                at_s = begun_s + beat_s + self._luck.gauss(0, _HAND_S)
                for number in range(step.kind.blows):
                    self.play(self._blow(step.kind.name, seat), at_s + number * _TRAIN_S)
        if not step.beats_s:
            self._do_what_lasts(step, begun_s + LEAD_S)

    def _do_what_lasts(self, step: Step, from_s: float) -> None:
        """Do what lasts, such as a phone that buzzes."""
        for at in range(int(step.kind.lasting_s / _GOES_ON_S)):
            at_s = from_s + at * _GOES_ON_S
            match step.kind.name:
                case "phone":
                    self.play(self._blow("phone", None), at_s)
                case "mains":
                    self.play(_hum(self.channels), at_s)
                case "talk":
                    self.play(_voices(self.channels), at_s)

    def _blow(self, kind: str, seat: Seat | None) -> _Wave:
        return _struck(self._seats, kind, seat, self._luck.randrange(_VARIETY))


@cache
def _top(seats: int) -> TableTop:
    return TableTop.of_seed(_WOOD, seats=seats)


@cache
def _struck(seats: int, kind: str, seat: Seat | None, seed: int) -> _Wave:
    """Return one of a few blows of *kind*, before *seat* or in the middle."""
    top = _top(seats)
    middle = Spot(top.plate.length_m / 2, top.plate.width_m / 2)
    near = Random(f"{kind} {seat} {seed}")  # noqa: S311
    spot = (middle if seat is None else top.seats[seat]).moved(
        near.gauss(0, _OFF_M), near.gauss(0, _OFF_M)
    )
    blow, force_n = _BLOWS[kind]
    return top.sampled(blow, spot, RATE_HZ, force_n=force_n, seed=seed)


@cache
def _voices(channels: int) -> _Wave:
    sound = airborne()
    voice = [sound(0, at / RATE_HZ) for at in range(round(_GOES_ON_S * RATE_HZ))]
    return [voice] * channels


@cache
def _hum(channels: int) -> _Wave:
    hum = [_HUM * sin(2 * pi * _MAINS_HZ * at / RATE_HZ) for at in range(round(_HUM_S * RATE_HZ))]
    return [hum] * channels
