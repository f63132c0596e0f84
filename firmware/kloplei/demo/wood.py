"""The demo's wood: what lands on it runs as a wave to the virtual piezos, in its own time.

Lengths are metres, from the left and from the far edge. People sit round the table top, things land
on it or a recording is played at one place, and the last few landings are kept by number with what
the box has made of them (`Landings`). `VirtualPeople` sit at a table and do what a recording asks
for, on the beat; `VirtualTable` is theirs alone, to record without hardware.
"""

import threading
from array import array
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cache
from math import pi, sin
from pathlib import Path
from random import Random

from kloplei.config.settings import Config, SeatPins
from kloplei.devices.schedule import Schedule
from kloplei.devices.virtual import VirtualPiezos
from kloplei.frozen import dataclass, replace
from kloplei.games.game import Seat
from kloplei.knock.detector import Listener
from kloplei.knock.edges import Edge, edges, judged
from kloplei.knock.geometry import Spot, TableSize
from kloplei.knock.judgement import Hearer, Judgement, Landing, Struck, Verdict
from kloplei.knock.signal import Block, Samples, Window
from kloplei.recordings.capture.protocol import LEAD_S, ProtocolStep
from kloplei.recordings.capture.sensors import Sensors, Troubles
from kloplei.recordings.wav import Thinner, UnreadableRecording, open_recording
from kloplei.simulation.blows import Blow
from kloplei.simulation.coupling import Coupling
from kloplei.simulation.plate import Plate, Wave
from kloplei.simulation.table_top import TableTop, airborne

LENGTH_M, WIDTH_M = 1.2, 0.95
THICKNESS_M = 0.022
YOUNGS_PA = 8e9  # between chipboard and good beech
HAND_M = 0.1  # a hand knocks so far in from its edge of the table
DISC_M = 0.075  # a disc is glued so far in from its edge, nearly under the hand
REACH_M = 0.22  # further off, no hand is at its own place
HALFWAY_M = 0.06  # a spot that is so much nearer to one place than to the next belongs to it
SEED = 1
_MIDDLE = Spot(LENGTH_M / 2, WIDTH_M / 2)
SOFT, SOFT_N = "soft", 7.0  # a knuckle as of somebody who would rather not be heard


def table_top(seats: int, couplings: Sequence[Coupling] = (), *, corners: int = 0) -> TableTop:
    """Return the table for so many *seats*, with the disc of each before its place.

    With *corners*, its discs are in so many of them instead. They are glued, unless *couplings*
    say otherwise.
    """
    places = places_round(seats)
    luck = Random(SEED)  # noqa: S311 - which modes this wood has is no secret
    plate = Plate(LENGTH_M, WIDTH_M, THICKNESS_M, YOUNGS_PA, luck=luck)
    in_corners = TableSize(LENGTH_M, WIDTH_M).corners(corners) if corners else ()
    discs = in_corners or tuple(_towards_the_edge(place) for place in places)
    return TableTop(plate, places, discs, SEED, couplings)


def places_round(seats: int) -> tuple[Spot, ...]:
    """Return where the hands of so many *seats* come down, clockwise from the slate's foot.

    They are as far from each other as they can be, measured round the table.
    """
    step_m = 2 * (LENGTH_M + WIDTH_M - 4 * HAND_M) / seats
    return tuple(_hand_after((seat + 0.5) * step_m) for seat in range(seats))


def place_near(spot: Spot, places: Sequence[Spot]) -> int | None:
    """Return which of *places* a hand at *spot* knocks from, None where two are as likely."""
    near, *others = sorted(range(len(places)), key=lambda at: spot.distance_m(places[at]))
    distance_m = spot.distance_m(places[near])
    if distance_m > REACH_M:
        return None
    if any(spot.distance_m(places[at]) - distance_m < HALFWAY_M for at in others):
        return None
    return near


def _hand_after(way_m: float) -> Spot:
    """Return the point `HAND_M` in from the edge, *way_m* clockwise from the slate's foot."""
    long, wide = LENGTH_M - 2 * HAND_M, WIDTH_M - 2 * HAND_M
    turn_m = way_m + long / 2  # from the corner before the slate's foot
    for corner, side_m, by_x, by_y in (
        (Spot(LENGTH_M - HAND_M, WIDTH_M - HAND_M), long, -1, 0),
        (Spot(HAND_M, WIDTH_M - HAND_M), wide, 0, -1),
        (Spot(HAND_M, HAND_M), long, 1, 0),
        (Spot(LENGTH_M - HAND_M, HAND_M), wide, 0, 1),
    ):
        if turn_m <= side_m:
            return corner.moved(turn_m * by_x, turn_m * by_y)
        turn_m -= side_m
    return _hand_after(turn_m - long / 2)


def _towards_the_edge(place: Spot) -> Spot:
    """Return the point of the table's inner edge that lies behind *place*, from the middle."""
    off_x, off_y = place.x - _MIDDLE.x, place.y - _MIDDLE.y
    reach = min(
        (_MIDDLE.x - DISC_M) / max(abs(off_x), 1e-9),
        (_MIDDLE.y - DISC_M) / max(abs(off_y), 1e-9),
    )
    return _MIDDLE.moved(reach * off_x, reach * off_y)


KEPT = 50
SLACK_S = 0.005  # between the clock of the blow and the onset that was found
AFTERWARDS_S = 0.2  # after the last of a wave the box may still be judging it
UNKNOWN_S = 3.0  # how long a wave lasts at most, until it has been worked out
SHOWN_BEFORE_S = 0.004  # of a wave, so that its beginning is seen
WAVE_SAMPLES = 240
_WEIGHT = {Verdict.NOISE: 0, Verdict.DOUBTFUL: 1, Verdict.KNOCK: 2}


@dataclass(slots=True)
class _Kept:
    """One *landing* while the box makes up its mind about what it feels *at_s* to *until_s*."""

    landing: Landing
    at_s: float
    until_s: float
    judgements: list[Judgement] = field(default_factory=list)

    def take(self, judgement: Judgement) -> None:
        """Note *judgement*, in place of the one that it amends."""
        if judgement.amends:
            self.judgements = [one for one in self.judgements if one.at_s != judgement.at_s]
        self.judgements.append(judgement)


class Landings:
    """The last `KEPT` landings; every method may be called from any thread.

    Args:
        now_s: The clock of the virtual box.
    """

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._lock = threading.Lock()
        self._kept: deque[_Kept] = deque(maxlen=KEPT)
        self._last = 0

    def begin(
        self,
        kind: str,
        spot: tuple[float, float],
        near: int | None,
        at_s: float,
        *,
        is_heeded: bool = True,
    ) -> int:
        """Note that *kind* lands at *spot* at the time *at_s*; return its number.

        It is not *is_heeded* where the table lets blows pass, whatever they are.
        """
        with self._lock:
            self._last += 1
            landing = Landing(self._last, kind, spot, near, is_heeded=is_heeded)
            self._kept.append(_Kept(landing, at_s, at_s + UNKNOWN_S))
            return self._last

    def runs(self, number: int, at_s: float, wave_s: float) -> None:
        """Note that the wave of landing *number* runs from *at_s* on, for *wave_s*."""
        with self._lock:
            for one in self._kept:
                if one.landing.number == number:
                    one.at_s, one.until_s = at_s, at_s + wave_s + AFTERWARDS_S

    def after(self, number: int) -> Sequence[Landing]:
        """Return the landings after *number*, oldest first, as they stand now."""
        now_s = self._now_s()
        with self._lock:
            return [_told(one, now_s) for one in self._kept if one.landing.number > number]

    def judged(self, judgement: Judgement) -> None:
        """Note *judgement* with the landing that it is about, if there is one."""
        if judgement.window is None:
            return  # a pad felt it, not the wood
        with self._lock:
            for one in reversed(self._kept):
                if one.at_s - SLACK_S <= judgement.at_s <= one.until_s:
                    one.take(judgement)
                    return


class Onlooker:
    """A `Hearer` that passes all on to *hearer*, and shows *landings* what was judged."""

    def __init__(self, hearer: Hearer, landings: Landings) -> None:
        self._hearer = hearer
        self._landings = landings

    def struck(self, struck: Struck) -> None:
        """Pass it on."""
        self._hearer.struck(struck)

    def judged(self, judgement: Judgement) -> None:
        """Pass it on, and show it."""
        self._hearer.judged(judgement)
        self._landings.judged(judgement)

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        """Pass it on."""
        self._hearer.loudness(part, peaks, at_s)


def _told(one: _Kept, now_s: float) -> Landing:
    landing = replace(one.landing, is_over=now_s > one.until_s)
    if not one.judgements:
        return landing
    # The one that came nearest to being a knock: it is what the table goes by.
    first = max(one.judgements, key=lambda judged: _WEIGHT[judged.verdict])
    return replace(
        landing,
        verdict=first.verdict,
        likelihood=first.likelihood,
        seat=None if first.seat is None else first.seat.shown,
        confidence=first.confidence,
        blows=len(one.judgements),
        decided_after_s=first.decided_at_s - first.at_s,
        wave=_loudest(first.window),
    )


def _loudest(window: Window | None) -> tuple[float, ...]:
    if window is None:
        return ()
    # Of the long quiet that a judge looks back on, only the end.
    begin = max(0, round((window.onset_s - window.start_s - SHOWN_BEFORE_S) * window.rate_hz))
    loudest = max(window.channels, key=lambda channel: max(map(abs, channel), default=0.0))
    return tuple(loudest[begin : begin + WAVE_SAMPLES])


WAVE_M_S = 550.0  # how fast the waves of a knock run in a table top
HALVED_M = 0.2  # so much further from the blow, a disc feels half as much


def felt_by_discs(
    samples: Samples, rate_hz: float, place: Spot, discs: Sequence[Spot]
) -> list[Samples]:
    """Return what each of *discs* feels if the one nearest to *place* feels *samples*.

    One microphone does not tell how a wave changes on its way, so the others feel the same,
    but later and weaker.
    """
    nearest_m = min(place.distance_m(disc) for disc in discs)
    ways_m = [place.distance_m(disc) - nearest_m for disc in discs]
    return [_felt_after(samples, rate_hz, way_m) for way_m in ways_m]


def _felt_after(samples: Samples, rate_hz: float, way_m: float) -> Samples:
    gain = 1 / (1 + way_m / HALVED_M)
    still = [0.0] * round(way_m / WAVE_M_S * rate_hz)
    return array("f", [*still, *(gain * sample for sample in samples)])


LEVEL = 0.25  # of the loudest sample: a plain threshold
SILENCE = 1e-3  # a recording whose loudest sample is below this holds no knock
MAX_S = 600.0


@dataclass(frozen=True, slots=True)
class PlayedRecording:
    """A recording to play into the wood: the first channel of its file, full scale -1 to 1."""

    name: str  # of its file
    rate_hz: float
    samples: Samples

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return len(self.samples) / self.rate_hz

    def at_rate(self, rate_hz: float) -> "PlayedRecording":
        """Return it at *rate_hz*, as a converter that samples no faster would read it."""
        fewer = max(1, int(self.rate_hz / rate_hz))
        thinner = Thinner(fewer, 1)
        (body,), (end,) = thinner.thin([self.samples]), thinner.flush()
        wave = Wave(0.0, self.rate_hz / fewer, ((*body, *end),))
        read = (wave.at(0, at / rate_hz) for at in range(int(self.duration_s * rate_hz)))
        return PlayedRecording(self.name, rate_hz, array("f", read))

    def edges(self) -> tuple[Edge, ...]:
        """Return what a comparator pad makes of it, threshold at `LEVEL` of the loudest."""
        loudest = max(map(abs, self.samples), default=0.0)
        if loudest < SILENCE:
            return ()
        return tuple(edges(self.samples, self.rate_hz, LEVEL * loudest))

    def knocks_of_edges_s(self, deaf_s: float) -> tuple[float, ...]:
        """Return when its knocks begin, as a pad tells by its edges that rings for *deaf_s*."""
        found = judged(self.edges(), deaf_s)
        return tuple(one.at_s for one in found if one.verdict is Verdict.KNOCK)

    def judged_knocks_s(self) -> tuple[float, ...]:
        """Return when its knocks begin, as the judge finds them in its samples."""
        listener = Listener()
        found = (*listener.feed(Block(0.0, self.rate_hz, (self.samples,))), *listener.flush())
        blows = (one for one in found if isinstance(one, Judgement))
        return tuple(one.at_s for one in blows if one.verdict is Verdict.KNOCK)


def read_recording(path: Path) -> PlayedRecording:
    """Read the first channel of the WAV file at *path*.

    Raises:
        UnreadableRecording: No such file, no WAV file, or one too long to play.
    """
    samples = array("f")
    rate_hz = 0.0
    with open_recording(str(path)) as recording:
        for block in recording.blocks():
            rate_hz = block.rate_hz
            samples.extend(block.channels[0])
            if recording.read_s > MAX_S:
                minutes = f"{MAX_S / 60:.0f} minutes"
                raise UnreadableRecording.of(str(path), f"is longer than {minutes}; cut it")
    return PlayedRecording(path.name, rate_hz, samples)


DELAY_S = 0.12  # from a click to its wave, which is worked out meanwhile: so gaps stay true
MOST_WAITING = 4  # who strikes on and on shall not hold up who only looks
HAND_S = 0.16  # one hand knocks no faster, though a double click does
SAME_HAND_M = 0.15  # further off it is another hand


class Wood:
    """A table top over virtual piezos; every method may be called from any thread.

    Args:
        top: The table top, a disc for each of *piezos*.
        piezos: What feels the waves.
        schedule: The clock.
    """

    def __init__(self, top: TableTop, piezos: VirtualPiezos, schedule: Schedule) -> None:
        self.landings = Landings(schedule.now_s)
        self.rate_hz = piezos.rate_hz
        self._top = top
        self._piezos = piezos
        self._schedule = schedule
        self._room = threading.Semaphore(MOST_WAITING)
        self._timing = threading.Lock()
        self._working = threading.Lock()  # one wave at a time: the others would only be slower
        self._last: tuple[Spot, float] | None = None

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
        """Where the discs are glued, by channel, as parts of length and width."""
        return [self._part_of(disc) for disc in self._top.sensors]

    def strike(self, kind: str, x: float, y: float, *, is_heeded: bool = True) -> int | None:
        """Let *kind*, a `Blow` or `SOFT`, land at *x*, *y*, parts of length and width.

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

    def play(self, recording: PlayedRecording, seat: Seat, at_s: float) -> None:
        """Let the disc of *seat* feel *recording*, and the others what reaches them, at *at_s*.

        Args:
            recording: At the piezos' rate, see `PlayedRecording.at_rate`.
            seat: Whose disc that is.
            at_s: When it begins, by the clock of the virtual box.
        """
        place = self._top.seats[seat]
        felt = felt_by_discs(recording.samples, recording.rate_hz, place, self._top.sensors)
        self._piezos.play(felt, at_s)

    def _land(self, kind: str, part: tuple[float, float], *, is_heeded: bool) -> int:
        length_m, width_m = self.size_m
        spot = Spot(part[0] * length_m, part[1] * width_m)
        nearest = place_near(spot, self._top.seats)
        near = None if nearest is None else nearest + 1
        with self._timing:
            at_s = self._time_for(spot)
            number = self.landings.begin(kind, part, near, at_s, is_heeded=is_heeded)
        with self._working:
            blow, force_n = (Blow.KNUCKLE, SOFT_N) if kind == SOFT else (Blow(kind), None)
            wave = self._top.sampled(blow, spot, self.rate_hz, force_n=force_n, seed=number)
            at_s = max(at_s, self._schedule.now_s())  # on a slow machine it is late
            self.landings.runs(number, at_s, len(wave[0]) / self.rate_hz)
            self._piezos.play(wave, at_s)
        return number

    def _time_for(self, spot: Spot) -> float:
        at_s = self._schedule.now_s() + DELAY_S
        if self._last is not None:
            where, before_s = self._last
            if spot.distance_m(where) < SAME_HAND_M:
                at_s = max(at_s, before_s + HAND_S)
        self._last = (spot, at_s)
        return at_s

    def _part_of(self, spot: Spot) -> tuple[float, float]:
        length_m, width_m = self.size_m
        return (spot.x / length_m, spot.y / width_m)


RECORDED_HZ = 4000.0
_WOOD = 7  # which of many plausible tables
_BEAT = 1  # how well people keep it, of many ways
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
    "coin": (Blow.CHIPS, None),
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
        adc=replace(settings.adc, enabled=True, rate_hz=RECORDED_HZ, corners=()),
        audio=replace(settings.audio, enabled=False),
        slate=replace(settings.slate, driver="none", language=settings.slate_language),
    )


class VirtualPeople:
    """People at a virtual *top* who do what is asked for, on the beat: *piezos* feel it.

    Args:
        piezos: A disc for each of the top's sensors.
        top: What they sit at.
    """

    def __init__(self, piezos: VirtualPiezos, top: TableTop) -> None:
        self._piezos = piezos
        self._top = top
        self._luck = Random(_BEAT)  # noqa: S311 - when a hand comes down is no secret

    def oblige(self, step: ProtocolStep, begun_s: float) -> None:
        """Let people do what *step* asks for, on its beats after *begun_s*."""
        for beat_s in step.beats_s:
            for seat in step.seats or (None,):
                at_s = begun_s + beat_s + self._luck.gauss(0, _HAND_S)
                for number in range(step.kind.blows):
                    self._piezos.play(self._blow(step.kind.name, seat), at_s + number * _TRAIN_S)
        if not step.beats_s:
            self._do_what_lasts(step, begun_s + LEAD_S)

    def _do_what_lasts(self, step: ProtocolStep, from_s: float) -> None:
        """Do what lasts, such as a phone that buzzes."""
        for at in range(int(step.kind.lasting_s / _GOES_ON_S)):
            at_s = from_s + at * _GOES_ON_S
            match step.kind.name:
                case "phone":
                    self._piezos.play(self._blow("phone", None), at_s)
                case "mains":
                    self._piezos.play(_hum(self._piezos.channels), at_s)
                case "talk":
                    self._piezos.play(_voices(self._piezos.channels), at_s)

    def _blow(self, kind: str, seat: Seat | None) -> _Wave:
        """Return one of a few blows of *kind*, before *seat* or in the middle."""
        return _struck(self._top, kind, seat, self._luck.randrange(_VARIETY), self._piezos.rate_hz)


class VirtualTable(VirtualPiezos):
    """Virtual piezos, a disc at each of *seats*; what is asked for happens on the beat.

    Args:
        schedule: The clock; blocks come from its thread.
        seats: How many sit there.
        couplings: How the discs are stuck on; they are glued unless it says otherwise.
    """

    def __init__(self, schedule: Schedule, seats: int, couplings: Sequence[Coupling] = ()) -> None:
        top = _top(seats, tuple(couplings))
        super().__init__(schedule, len(top.sensors), RECORDED_HZ, rests=False)
        self.oblige = VirtualPeople(self, top).oblige

    def sensors(self) -> Sensors:
        """Return this as what is recorded."""
        return Sensors(self, Troubles(), rate_hz=lambda: RECORDED_HZ)


@cache
def _top(seats: int, couplings: tuple[Coupling, ...]) -> TableTop:
    return TableTop.of_seed(_WOOD, seats=seats, couplings=couplings)


@cache
def _struck(top: TableTop, kind: str, seat: Seat | None, seed: int, rate_hz: float) -> _Wave:
    middle = Spot(top.plate.length_m / 2, top.plate.width_m / 2)
    near = Random(f"{kind} {seat} {seed}")  # noqa: S311
    spot = (middle if seat is None else top.seats[seat]).moved(
        near.gauss(0, _OFF_M), near.gauss(0, _OFF_M)
    )
    blow, force_n = _BLOWS[kind]
    return top.sampled(blow, spot, rate_hz, force_n=force_n, seed=seed)


@cache
def _voices(channels: int) -> _Wave:
    sound = airborne()
    voice = [sound(0, at / RECORDED_HZ) for at in range(round(_GOES_ON_S * RECORDED_HZ))]
    return [voice] * channels


@cache
def _hum(channels: int) -> _Wave:
    turn = 2 * pi * _MAINS_HZ / RECORDED_HZ
    hum = [_HUM * sin(at * turn) for at in range(round(_HUM_S * RECORDED_HZ))]
    return [hum] * channels
