"""The tuning in the table unit: hears along with the ears, shows itself on the slate, and saves.

While it is under way every blow is for it, and none for the game. `TableTuning` may be called
from any thread and has one of its own for as long as somebody tunes.

What the table top is like is told without any lesson, in one step: `WoodSetup` reads it.
"""

import logging
import threading
import time
from collections.abc import Callable
from itertools import combinations
from math import dist
from typing import Literal

from kloplei.config.settings import Config
from kloplei.frozen import dataclass, replace
from kloplei.games.game import Facts, IllegalAction, Seat
from kloplei.games.scoreboard import Tuning
from kloplei.knock import tuning
from kloplei.knock.calibration import Calibration
from kloplei.knock.fitting import Gathered, Learn, Rejudge, SensorSetup
from kloplei.knock.geometry import (
    AT_SEATS,
    IN_CORNERS,
    PLANKS,
    PLATE,
    TOPS,
    NotAGeometry,
    TableGeometry,
    ToldWood,
    read_size,
    read_spots,
    told_size,
    told_spot,
)
from kloplei.knock.judgement import PIEZOS, Judgement
from kloplei.knock.tuning import KNOCKS, Lesson, LessonStep, TuningResult, weigh
from kloplei.review.calibrations import CalibrationArchive, CalibrationStore, TuningUnkept
from kloplei.table.client import (
    IDLE,
    TUNE_COMMANDS,
    BadRequest,
    SeatStand,
    TableUnavailable,
    Taught,
    TuneStand,
    TuningRemark,
    WoodStand,
)
from kloplei.table.messages import Inbox, TuningShown
from kloplei.words import Sentence, sentence_of

logger = logging.getLogger(__name__)
BEAT_S = 2.0  # so often the table is told again, for it forgets a tuning that says nothing
METER_S = 0.15  # a meter that moves faster only heats the phones


class TableTuning:
    """One tuning at a time, from its beginning until it is saved, thrown away or forgotten.

    A `kloplei.review.service.Tuner`; safe from any thread. What it comes to is worked out on a
    thread of its own, which also lets the game come back when nobody touches it any more.

    Args:
        setup: The sensors of the table.
        inbox: Where the slate is told.
        store: The calibration in force.
        archive: Where it is kept, and the one before it; None keeps none.
        rejudge: Judges a blow anew.
        learn: Learns the places; None where no seat is attributed.
        wood: Who is to be told what the table top is like; None where that would tell nothing.
        clock: Monotonic seconds, the same clock that sensors stamp with.
    """

    def __init__(
        self,
        setup: SensorSetup,
        inbox: Inbox,
        store: CalibrationStore,
        archive: CalibrationArchive | None,
        rejudge: Rejudge,
        learn: Learn | None = None,
        *,
        wood: "WoodSetup | None" = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._setup = setup
        self._inbox = inbox
        self._shown: Tuning | None = None
        self._shown_s = float("-inf")
        self._store = store
        self._archive = archive
        self._rejudge = rejudge
        self._learn = learn
        self._wood = wood
        self._clock = clock
        self._lock = threading.RLock()
        self._lesson: Lesson | None = None
        self._news = threading.Event()
        self._closed = False
        self._thread: threading.Thread | None = None

    @property
    def is_under_way(self) -> bool:
        """Whether the blows are for it."""
        return self._lesson is not None

    # What sensors find

    def judged(self, judgement: Judgement) -> None:
        """Take a blow that was judged, noise included."""
        with self._lock:
            if self._lesson is not None:
                self._turn(tuning.judged(self._lesson, judgement), self._clock())

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        """Take how loud each channel of *part* was of late."""
        with self._lock:
            if self._lesson is not None and part == PIEZOS:
                self._turn(tuning.loudness(self._lesson, peaks, at_s), self._clock())

    # What people ask for

    def step(self, step: str, facts: Facts, now_s: float) -> TuneStand:
        """Do *step* of the tuning at *now_s*.

        - ``look`` changes nothing; with the facts of ``wood`` it shows that table top.
        - ``begin`` takes how many ``seats`` are to knock, or joins a tuning that is under way.
        - ``next``, ``skip`` and ``redo`` (a ``seat``, or where it stands) lead through it.
        - ``save`` lets the result be in force, ``quit`` throws it away.
        - ``back`` returns to the tuning before the one in force.
        - ``wood`` says what the table top is like, and is in force at once: its ``size`` as a text
          (empty takes back what was said), its ``top`` (one of `TOPS`), how many ``seats`` are
          evenly around it (0 is all), and where ``discs`` are: `IN_CORNERS`, `AT_SEATS`, places as
          a text, or empty for each before its own seat.

        Raises:
            BadRequest: No such step, or facts that do not fit it.
            IllegalAction: ``not_tuning``, ``tuning``, ``nothing_to_save``, ``no_older_tuning``.
            TableUnavailable: It could not be written.
        """
        with self._lock:
            match step:
                case "look" if "size" in facts:
                    return self._drawn(facts)
                case "look":
                    pass
                case "begin":
                    self._begin(facts, now_s)
                case "next":
                    self._turn(tuning.go_on(self._standing(), now_s), now_s)
                case "skip":
                    self._turn(tuning.skip(self._standing(), now_s), now_s)
                case "redo":
                    seat = _seat(facts)
                    self._turn(tuning.redo(self._standing(), now_s, seat), now_s)
                case "save":
                    self._save(now_s)
                case "quit":
                    self._turn(None, now_s)
                case "back":
                    self._go_back()
                case "wood":
                    self._tell_wood(facts)
                case _:
                    known = ", ".join(TUNE_COMMANDS)
                    raise BadRequest(Sentence("no-such-step", word=f"{step!r:.40}", steps=known))
            return self._state()

    def beat(self, now_s: float) -> None:
        """Tell the table again, and let the game come back if nobody tunes any more."""
        with self._lock:
            if self._lesson is None:
                return
            if self._lesson.is_forgotten(now_s):
                logger.info("Nobody tuned the table any more; the game comes back.")
                self._turn(None, now_s)
            else:
                self._show(now_s)

    def work_out(self) -> None:
        """Work out what the lesson comes to, if it has come to that; takes its time."""
        with self._lock:
            if self._lesson is None or self._lesson.step is not LessonStep.WEIGHING:
                return
            lesson, before = self._lesson, self._store.tuned
        self._take(lesson, self._weighed(lesson.gathered, before))

    def close(self) -> None:
        """Throw away what is under way and stop; twice does no harm."""
        with self._lock:
            self._closed = True
            self._turn(None, self._clock())
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(BEAT_S)

    def _weighed(self, gathered: Gathered, before: Calibration) -> TuningResult:
        try:
            return weigh(gathered, before, self._rejudge, self._learn)
        except Exception:
            logger.exception("The tuning stumbled over what it heard.")
            return TuningResult((), None)

    def _take(self, lesson: Lesson, result: TuningResult) -> None:
        """Take *result* of *lesson*, unless that was thrown away or a seat knocks again by now."""
        with self._lock:
            if self._lesson is not None and self._lesson.gathered == lesson.gathered:
                now_s = self._clock()
                self._turn(tuning.weighed(self._lesson, result, now_s), now_s)

    def _begin(self, facts: Facts, now_s: float) -> None:
        seats = facts.get("seats", len(self._setup.seats))
        if isinstance(seats, bool) or not isinstance(seats, int) or seats < 1:
            raise BadRequest(Sentence("seats-to-knock", most=len(self._setup.seats)))
        if self._lesson is not None or self._closed:
            return
        setup = replace(self._setup, seats=self._setup.seats[:seats])
        self._turn(tuning.begin(setup, now_s), now_s)
        self._thread = threading.Thread(target=self._run, name="kloplei-tuning", daemon=True)
        self._thread.start()

    def _save(self, now_s: float) -> None:
        result = self._standing().result
        if result is None or result.calibration is None:
            raise IllegalAction("nothing_to_save")
        self._store.put(result.calibration)
        self._turn(None, now_s)

    def _go_back(self) -> None:
        if self._lesson is not None:
            raise IllegalAction("tuning")
        try:
            before = None if self._archive is None else self._archive.before
        except TuningUnkept as error:
            raise TableUnavailable(sentence_of(error)) from error
        if before is None:
            raise IllegalAction("no_older_tuning")
        self._store.put(before)

    def _tell_wood(self, facts: Facts) -> None:
        if self._lesson is not None:
            raise IllegalAction("tuning")
        told = self._asked_wood().read(facts)
        self._store.put(replace(self._store.calibration, wood=told))

    def _drawn(self, facts: Facts) -> TuneStand:
        """Return how all stands, but with the table top as *facts* say it; nothing is kept."""
        wood, stand = self._asked_wood(), self._state()
        whose = stand.wood.told if stand.wood else "nobody"
        return replace(stand, wood=replace(wood.stand(wood.read(facts)), told=whose))

    def _asked_wood(self) -> "WoodSetup":
        if self._wood is None:
            raise BadRequest(Sentence("wood-few"))
        return self._wood

    def _standing(self) -> Lesson:
        if self._lesson is None:
            raise IllegalAction("not_tuning")
        return self._lesson

    def _turn(self, lesson: Lesson | None, now_s: float) -> None:
        """Let *lesson* be where it stands, and show it."""
        stepped = lesson is None or self._lesson is None or lesson.step is not self._lesson.step
        self._lesson = lesson
        self._show(now_s)
        if stepped:
            self._news.set()

    def _show(self, now_s: float) -> None:
        """Let people see at once what matters, and the rest unless they just did."""
        shown = None if self._lesson is None else self._lesson.shown
        since_s = now_s - self._shown_s
        if shown == self._shown and (shown is None or since_s < BEAT_S):
            return
        if _but_for_level(shown) == _but_for_level(self._shown) and since_s < METER_S:
            return
        self._inbox.put(TuningShown(shown))
        self._shown, self._shown_s = shown, now_s

    def _state(self) -> TuneStand:
        in_force = self._store.tuned
        wood = None if self._wood is None else self._wood.stand(in_force.wood)
        if self._lesson is None:
            idle = idle_state(in_force, may_go_back=self._may_go_back())
            return replace(idle, wood=wood, trouble=self._store.trouble)
        return replace(state_of(self._lesson, in_force), wood=wood)

    def _may_go_back(self) -> bool:
        try:
            return self._archive is not None and self._archive.before is not None
        except TuningUnkept:
            return False

    def _run(self) -> None:
        # One that was begun anew has a thread of its own.
        while self.is_under_way and self._thread is threading.current_thread():
            self._news.wait(BEAT_S / 2)
            self._news.clear()
            self.work_out()
            self.beat(self._clock())


def setup_of(config: Config) -> SensorSetup | None:
    """Return what there is to tune, or None where no sensor of *config* feels the wood.

    A seat without a sensor of its own is felt by those in the corners, or by the shared pad.
    """
    piezos = tuple(seat for _, seat in config.piezos)
    pads = frozenset(
        seat for seat, pins in config.wired if pins.pad is not None and seat not in piezos
    )
    shared = None in piezos or (not piezos and any(pad.seat is None for pad in config.pads))
    seats = tuple(
        seat
        for seat in map(Seat, range(config.table.seats))
        if shared or seat in piezos or seat in pads
    )
    channels = tuple(channel for channel, _ in config.piezos)
    return SensorSetup(seats, piezos, pads, channels) if seats else None


USUAL_SIZE = "1.4x0.8"
_DISC_M = 0.02  # no two of them lie nearer, or one lies on the other


@dataclass(frozen=True, slots=True)
class WoodSetup:
    """The table whose top is asked for: its *seats*, and whose piezo each of *owners* is.

    *settings* is what the settings tell of it, *channels* the inputs that the piezos hang on.
    """

    seats: int
    owners: tuple[Seat | None, ...]
    settings: ToldWood | None
    channels: tuple[int, ...]

    def read(self, facts: Facts) -> ToldWood | None:
        """Return what *facts* tell of the table top; None where its size is empty.

        Raises:
            BadRequest: It is no table top, or one on which seats and piezos find no room.
        """
        size, top = _text(facts, "size"), _text(facts, "top", PLATE)
        if not size:
            return None
        if top not in TOPS:
            raise BadRequest(Sentence("wood-top", top=top))
        around, discs = facts.get("seats", 0), _text(facts, "discs")
        if isinstance(around, bool) or not isinstance(around, int) or around < 0:
            raise BadRequest(Sentence("wood-seats", places=str(around), seats=self.seats))
        try:
            hung = discs if discs in (IN_CORNERS, AT_SEATS, "") else read_spots(discs)
            told = ToldWood(read_size(size), top == PLANKS, around, hung or ())
            spots = told.geometry(self.seats, self.owners).discs
        except NotAGeometry as error:
            raise BadRequest(Sentence(error.cause, **error.facts)) from error
        if any(
            dist((one.x, one.y), (other.x, other.y)) < _DISC_M
            for one, other in combinations(spots, 2)
        ):
            raise BadRequest(Sentence("wood-same"))
        return told

    def stand(self, told: ToldWood | None) -> WoodStand:
        """Return what was *told* at the table, else in the settings, and what follows from it."""
        if self._fits(told) is not None:
            return self._stand(told, "table")
        if self._fits(self.settings) is not None:
            return self._stand(self.settings, "settings")
        usual = IN_CORNERS if None in self.owners else AT_SEATS
        return self._stand(ToldWood(read_size(USUAL_SIZE), discs=usual), "nobody")

    def _fits(self, told: ToldWood | None) -> TableGeometry | None:
        try:
            return None if told is None else told.geometry(self.seats, self.owners)
        except NotAGeometry:
            return None

    def _stand(self, told: ToldWood | None, whose: str) -> WoodStand:
        if told is None:
            return WoodStand(whose)
        found, size = self._fits(told), told.size
        discs = told.discs or (IN_CORNERS if None in self.owners else AT_SEATS)
        return WoodStand(
            told=whose,
            size=told_size(size),
            planks=told.planks,
            around=len(found.seats) if found else self.seats,
            discs=discs if isinstance(discs, str) else ", ".join(map(told_spot, discs)),
            length_m=size.length_m,
            width_m=size.width_m,
            is_round=size.is_round,
            places=found.seats if found else (),
            spots=found.discs if found else (),
            channels=self.channels if found else (),
        )


def _text(facts: Facts, name: str, otherwise: str = "") -> str:
    told = facts.get(name, otherwise)
    if not isinstance(told, str) or len(told) > _LONGEST:
        raise BadRequest(Sentence("no-such-text", word=repr(name), most=_LONGEST))
    return told.strip()


_LONGEST = 200


def wood_setup_of(config: Config) -> WoodSetup | None:
    """Return whom to ask about the table top of *config*; None with fewer than two piezos."""
    owners = tuple(seat for _, seat in config.piezos)
    if len(owners) < 2:
        return None
    channels = tuple(channel for channel, _ in config.piezos)
    return WoodSetup(config.table.seats, owners, config.wood.told, channels)


def idle_state(in_force: Calibration, *, may_go_back: bool) -> TuneStand:
    """Return the state of a table that nobody tunes: what it was taught, and whether to go back."""
    commands = ("begin", "back") if may_go_back else ("begin",)
    return TuneStand(IDLE, commands, _taught(in_force))


def state_of(lesson: Lesson, in_force: Calibration) -> TuneStand:
    """Return where *lesson* stands."""
    shown, result = lesson.shown, lesson.result
    proposed = result.calibration if result else None
    return TuneStand(
        step=shown.step,
        commands=_commands(lesson),
        in_force=_taught(in_force),
        prompt=shown.prompt,
        hint=shown.hint,
        seat=shown.seat,
        count=shown.count,
        of=shown.of,
        level=shown.level,
        edges=lesson.seat is not None and lesson.setup.by_edges(lesson.seat),
        seats=tuple(
            SeatStand(seat, len(lesson.knocks.get(seat, ())), KNOCKS, _state_of_seat(lesson, seat))
            for seat in lesson.setup.seats
        ),
        remarks=tuple(
            TuningRemark(one.grade, one.line) for one in (result.remarks if result else ())
        ),
        proposed=_taught(proposed) if proposed else None,
    )


def _commands(lesson: Lesson) -> tuple[str, ...]:
    """Return the steps that make sense now, as they are asked for."""
    match lesson.step:
        case LessonStep.WEIGHING:
            return ("quit",)
        case LessonStep.RESULT:
            is_of_use = lesson.result is not None and lesson.result.calibration is not None
            return ("save", "redo", "quit") if is_of_use else ("redo", "quit")
    return ("next", "skip", "redo", "quit")


def _state_of_seat(lesson: Lesson, seat: Seat) -> Literal["to_come", "now", "done", "skipped"]:
    if seat == lesson.seat:
        return "now"
    if seat in lesson.skipped:
        return "skipped"
    return "done" if lesson.knocks.get(seat) else "to_come"


def _taught(calibration: Calibration) -> Taught:
    """Return what people may want to know of *calibration*, and whether anybody taught it."""
    return Taught(
        tuned=calibration.is_taught,
        gain_db=calibration.gain_db,
        strictness=calibration.strictness,
        wary=calibration.correction is not None,
        floor=calibration.floor,
        seats=calibration.places.seats if calibration.places is not None else (),
    )


def _seat(facts: Facts) -> Seat | None:
    seat = facts.get("seat")
    if seat is not None and not isinstance(seat, Seat):
        raise BadRequest("A seat that is to knock again is a seat.")
    return seat


def _but_for_level(tuning: Tuning | None) -> Tuning | None:
    return None if tuning is None else replace(tuning, level=0)
