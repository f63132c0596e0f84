"""A recording that phones ask for, made beside the table that plays, and the files that are kept.

`TableRecorder` leads through the same steps as `kloplei listen --record`, on a thread of its own,
and makes one file of them. It needs no phone to go on: what waits begins by itself.
`RecordingStore` keeps the files, and the folder of one that is under way: what a power cut leaves
of it counts for nothing until a phone goes on with it.
"""

import contextlib
import json
import logging
import lzma
import re
import shutil
import threading
import zipfile
import zlib
from collections.abc import Callable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any, Literal, Protocol, cast, get_args

from kloplei.config.settings import Config, Glass
from kloplei.devices.adc import TakeBlock
from kloplei.devices.box import Box
from kloplei.files import (
    KlopleiError,
    atomic_write,
    opened_folder,
    read_below,
    reason_or_kind,
    sync_folder,
)
from kloplei.games.game import NO_FACTS, Facts, IllegalAction, Seat
from kloplei.games.scoreboard import Line, Scoreboard, Tuning
from kloplei.recordings.capture._labels import LABELS, NotOurFolder
from kloplei.recordings.capture.folder import RecordingFolder, pack
from kloplei.recordings.capture.protocol import WALKS, ProtocolStep, setup_of, walk_s
from kloplei.recordings.capture.sensors import BoxTroubles, CannotRecord, Sensors
from kloplei.recordings.capture.session import (
    ENTERS_BY_ITSELF_S,
    Shown,
    moment_of,
    picture_of,
)
from kloplei.recordings.capture.session import Walk as Walking
from kloplei.recordings.capture.writer import CannotKeep
from kloplei.slate.drawing import blank
from kloplei.slate.painter import Painter
from kloplei.table.client import BadRequest, TableUnavailable
from kloplei.table.messages import Message, TuningShown
from kloplei.table.recordings_client import (
    CHUNK_BYTES,
    HELD_BY,
    RECORDING,
    RECORDING_STEPS,
    AskedStep,
    RecordedTable,
    RecordingStand,
    Walk,
)
from kloplei.words import Sentence, sentence_of

logger = logging.getLogger(__name__)
FOLDER = "recordings"
MOST_FILES = 5
ROOM_LEFT_BYTES = 100_000_000
"""What a recording leaves free: the journal shares the disk."""
HELD_S = 120.0
"""So long a step waits for who said so; then nobody is there, and the table plays again."""
BEAT_S = 2.0  # so often the table is told, for it forgets one that says nothing
CLOSING_S = 3.0
_SAMPLE_BYTES = 2
_PRESSED = {"go": "\n", "skip": "s", "seat": "n", "again": "r", "stop": "q"}
_UNDER_WAY, _PLAN = ".under-way", ".plan.json"
_NAME = re.compile(r"table-([1-9][0-9]{0,5})\.zip")
_LARGEST_LABELS = 20_000_000
_LARGEST_PLAN = 4096
# What a spoilt file raises, wherever in it the first spoilt byte lies.
_UNREADABLE = (
    *(OSError, EOFError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError),
    *(RuntimeError, zipfile.BadZipFile, zlib.error, lzma.LZMAError),
)


class RecordedAt(Protocol):
    """The table as a recording needs it: `kloplei.table.session.Session` is one."""

    def scoreboard(self) -> Scoreboard:
        """Return the table as it stands."""
        ...

    def put(self, message: Message) -> None:
        """Take *message* in."""
        ...


class RecordingStore:
    """The files in *folder*, which is made with the first of them; names tell no date."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.under_way = folder / _UNDER_WAY
        self._known: dict[tuple[str, int], RecordedTable] = {}

    @property
    def files(self) -> tuple[RecordedTable, ...]:
        """All that are kept, the newest first; one that cannot be read is told as spoilt."""
        told = (self._told(path) for _, path in sorted(self._paths().items(), reverse=True))
        return tuple(one for one in told if one is not None)

    @property
    def free(self) -> int:
        """How many bytes are free there."""
        there = next(one for one in (self.folder, *self.folder.parents) if one.exists())
        return shutil.disk_usage(there).free

    @property
    def left_over(self) -> Walk | None:
        """Which walk was cut off, None if none was."""
        return cast("Walk | None", self._plan().get("walk"))

    def begin(self, walk: str, seats: int) -> None:
        """Make room for *walk*; what is left of another one, or is kept already, goes."""
        plan = {"walk": walk, "seats": seats}
        if self._plan() != plan or self._is_packed or self._is_strange:
            self.clear()
        self.under_way.mkdir(parents=True, exist_ok=True)
        atomic_write(self.under_way / _PLAN, json.dumps(plan).encode())

    def keep(self) -> RecordedTable | None:
        """Make one file of what is under way, and return it; None where there is nothing of it.

        Raises:
            CannotKeep: There is no room for it.
        """
        with contextlib.suppress(NotOurFolder):
            packed = pack(self.under_way)
            number = max(self._paths(), default=0) + 1
            path = packed.path.replace(self.folder / f"table-{number}.zip")
            sync_folder(self.folder)
            self.clear()
            return self._told(path)
        self.clear()
        return None

    def clear(self) -> None:
        """Throw away what is under way."""
        for one in (self.under_way, self.under_way.with_name(f"{_UNDER_WAY}.zip")):
            if one.is_dir() and not one.is_symlink():
                shutil.rmtree(one, ignore_errors=True)
            else:
                one.unlink(missing_ok=True)

    def path(self, name: str) -> Path:
        """Return where the file *name* lies.

        Raises:
            BadRequest: No such file is kept.
        """
        found = [path for path in self._paths().values() if path.name == name]
        if not found:
            raise BadRequest(Sentence("no-such-recording", name=name))
        return found[0]

    @property
    def _is_packed(self) -> bool:
        """Whether the power was cut after the file stood there and before its folder had gone."""
        with contextlib.suppress(OSError, ValueError):
            newest = max(path.stat().st_mtime_ns for path in self._paths().values())
            return newest >= (self.under_way / LABELS).stat().st_mtime_ns
        return False

    @property
    def _is_strange(self) -> bool:
        """Whether something of it is no plain file: a pipe would be waited at for ever."""
        if self.under_way.is_symlink():
            return True
        found = self.under_way.iterdir() if self.under_way.is_dir() else ()
        return any(one.is_symlink() or not one.is_file() for one in found)

    def _plan(self) -> dict[str, Any]:
        with contextlib.suppress(*_UNREADABLE), opened_folder(self.under_way) as folder:
            plan = json.loads(read_below(folder, _PLAN, _LARGEST_PLAN))
            if isinstance(plan, dict) and plan.get("walk") in WALKS:
                return plan
        return {}

    def _paths(self) -> dict[int, Path]:
        with contextlib.suppress(OSError):  # it is not there, or nobody may look into it
            found = ((_NAME.fullmatch(one.name), one) for one in self.folder.iterdir())
            return {int(name[1]): one for name, one in found if name and one.is_file()}
        return {}

    def _told(self, path: Path) -> RecordedTable | None:
        with contextlib.suppress(OSError):  # it has just gone
            stat = path.stat()
            key = path.name, stat.st_mtime_ns
            if key not in self._known:
                # Looked at once: a bad sector may take seconds to say that it is one.
                self._known[key] = _described_or_spoilt(path, stat.st_size)
            return self._known[key]
        return None


def _described_or_spoilt(path: Path, size: int) -> RecordedTable:
    try:
        return _described(path, size)
    except _UNREADABLE:
        return RecordedTable(path.name, size, None, 0, 0.0, 0, 0, spoilt=True)


def _described(path: Path, size: int) -> RecordedTable:
    with zipfile.ZipFile(path) as packed, packed.open(LABELS) as labels:
        told = json.loads(labels.read(_LARGEST_LABELS))
    files = told["files"]
    walk, seconds = told.get("walk"), float(sum(one["duration"] for one in files))
    if not isfinite(seconds):
        raise ValueError("no time at all")
    return RecordedTable(
        name=path.name,
        size=size,
        walk=walk if walk in get_args(Walk) else "long",
        recordings=len(files),
        seconds=seconds,
        knocks=sum(len(one["onsets"]) for one in files),
        unseen=sum(prompt["unseen"] for one in files for prompt in one["prompts"]),
    )


class PhoneConsole:
    """The `kloplei.recordings.capture.session.Console` of phones, which may all have gone dark.

    Args:
        show: Shows it at the table as well.
        clock: That of the sensors' blocks.
        wait: Lets time pass that is not the real one; None waits for what is pressed.
        goes_on: Whether the table is still free for it.
    """

    def __init__(
        self,
        show: Callable[[Shown], None],
        clock: Callable[[], float],
        wait: Callable[[float], None] | None,
        goes_on: Callable[[], bool],
    ) -> None:
        self._show = show
        self._clock = clock
        self._wait = wait
        self._goes_on = goes_on
        self._changed = threading.Condition()
        self._key: str | None = None
        self._held_s: float | None = None
        self._since_s = clock()
        self.shown: Shown | None = None
        self.said = ""

    @property
    def is_held(self) -> bool:
        """Whether the next step waits until somebody says go."""
        return self._held_s is not None

    def press(self, key: str) -> None:
        """Let *key* be the next one that is read."""
        with self._changed:
            self._key, self._held_s = key, None
            self._changed.notify_all()

    def hold(self) -> None:
        """Let the next step wait."""
        with self._changed:
            self._held_s = self._clock()

    def show(self, shown: Shown) -> None:
        """Keep what is to be done, for who looks."""
        before = self.shown
        if before is None or (before.step, before.runs) != (shown.step, shown.runs):
            self._since_s, self.said = self._clock(), ""
        self.shown = shown
        self._show(shown)

    def say(self, sentence: str) -> None:
        """Keep what is wrong, for who looks."""
        self.said = sentence

    def key(self, within_s: float) -> str | None:
        """Return what was pressed, "" where nothing was and the step may begin by itself."""
        if self._wait is not None:
            self._wait(within_s)
        with self._changed:
            if self._key is None and self._wait is None:
                self._changed.wait(within_s)
            key, self._key = self._key, None
            held_s = self._held_s
        if not self._goes_on() or (held_s is not None and self._clock() - held_s >= HELD_S):
            return _PRESSED["stop"]
        return key or ("" if held_s is None else None)

    def asked(self, left_s: float) -> AskedStep | None:
        """Return what is asked for now, and that all the rest takes *left_s*."""
        shown = self.shown
        if shown is None:
            return None
        step = shown.step
        coming = [beat_s - shown.since_s for beat_s in step.beats_s] if shown.runs else []
        begins_s = ENTERS_BY_ITSELF_S - (self._clock() - self._since_s)
        return AskedStep(
            kind=step.kind.name,
            number=shown.number,
            of=shown.of,
            runs=shown.runs,
            is_now=shown.is_now,
            seats=step.seats,
            count=shown.count if shown.runs else None if self.is_held else max(1, round(begins_s)),
            done=shown.beats_done if shown.runs else 0,
            beats=step.kind.beats,
            next_s=min((at_s for at_s in coming if at_s > 0), default=None),
            left_s=max(0.0, left_s - (shown.since_s if shown.runs else 0.0)),
        )


class TableRecorder:
    """A `kloplei.table.client.RecordingsClient` over the sensors of a table that runs.

    As long as one is under way the sensors are its own, and no knock plays. It ends by itself: with
    its last step, when somebody begins to play, or when it is held and nobody comes back.

    Args:
        config: What is wired.
        sensors: What is recorded; whoever starts them takes them from the judge, and whoever
            closes them gives them back.
        folder: Where the files are kept.
        table: What is told, and asked whether somebody plays.
        show: Shows on the slate what is to be done; None is that it is over.
        clock: That of the sensors' blocks.
        wait: Lets time pass that is not the real one (tests).
        oblige: Told each step and when it began, for people who are not there.
    """

    def __init__(
        self,
        config: Config,
        sensors: Sensors,
        folder: Path,
        table: RecordedAt,
        *,
        clock: Callable[[], float],
        show: Callable[[Shown | None], None] = lambda _: None,
        wait: Callable[[float], None] | None = None,
        oblige: Callable[[ProtocolStep, float], None] | None = None,
    ) -> None:
        self._config = config
        self._sensors = sensors
        self._table = table
        self._clock = clock
        self._show = show
        self._wait = wait
        self._oblige = oblige
        self._store = RecordingStore(folder)
        self._lock = threading.RLock()
        self._thread: threading.Thread | None = None
        self._console: PhoneConsole | None = None
        self._steps: tuple[ProtocolStep, ...] = ()
        self._walk: Walk | None = None
        self._held_by = HELD_BY[0]
        self._said: Sentence | None = None
        self._told: tuple[Tuning | None, float] = (None, clock())
        self._closing = False

    @property
    def is_under_way(self) -> bool:
        """Whether the sensors are a recording's."""
        return self._console is not None

    def look(self) -> RecordingStand:
        """Return where it stands; see `kloplei.table.client.RecordingsClient`."""
        with self._lock:
            console, state = self._console, self._state
            trouble = "" if console is None else console.said
            why_not = self._why_not() if state == "idle" else None
            return RecordingStand(
                state=state,
                commands=() if why_not else self._commands(),
                seats=tuple(map(Seat, range(self._config.table.seats))),
                files=self._store.files,
                most=MOST_FILES,
                free=self._store.free,
                needs={walk: self._needs(walk) for walk in WALKS},
                walk=self._walk if state != "idle" else None,
                asked=None if console is None else console.asked(self._left_s(console)),
                held=console is not None and console.is_held,
                left_over=self._store.left_over if state == "idle" else None,
                said=Sentence("recording-troubled", error=trouble) if trouble else self._said,
                why_not=None if why_not is None else _told(why_not),
            )

    def step(self, step: str, facts: Facts = NO_FACTS) -> RecordingStand:
        """Do one step; see `kloplei.table.client.RecordingsClient`."""
        with self._lock:
            if step not in RECORDING_STEPS:
                known = ", ".join(RECORDING_STEPS)
                raise BadRequest(Sentence("no-such-step", word=f"{step!r:.40}", steps=known))
            if step == "begin":
                self._begin(*self._wanted(facts))
            elif self._console is None:
                raise IllegalAction("not_recording")
            elif step == "hold":
                self._console.hold()
            else:
                self._console.press(_PRESSED[step])
            return self.look()

    def read(self, name: str, start: int) -> bytes:
        """Return a part of the file *name*; see `kloplei.table.client.RecordingsClient`."""
        if start < 0:
            raise BadRequest("A file is read from byte 0 on.")
        try:
            with self._store.path(name).open("rb") as file:
                file.seek(start)
                return file.read(CHUNK_BYTES)
        except OSError as error:
            raise TableUnavailable(Sentence("recording-unread", error=str(error))) from error

    def delete(self, name: str) -> None:
        """Throw the file *name* away; see `kloplei.table.client.RecordingsClient`."""
        try:
            self._store.path(name).unlink(missing_ok=True)
            self._said = None  # it may have told of this one
        except OSError as error:
            raise TableUnavailable(Sentence("recording-unread", error=str(error))) from error

    def close(self) -> None:
        """Stop what is under way, which is gone on with at the next start; twice does no harm."""
        with self._lock:
            self._closing = True
            thread = self._thread
        if thread is not None:
            thread.join(CLOSING_S)

    @property
    def _state(self) -> Literal["idle", "recording", "packing"]:
        if self._thread is None:
            return "idle"
        return "packing" if self._console is None else "recording"

    def _commands(self) -> tuple[str, ...]:
        if self._console is None:
            return ("begin",) if self._thread is None else ()
        shown = self._console.shown
        if shown is not None and shown.runs:
            return ("again", "skip", "seat", "stop")
        may_hold = () if self._console.is_held else ("hold",)
        return ("go", "skip", "seat", "again", "stop", *may_hold)

    def _wanted(self, facts: Facts) -> tuple[Walk, int, str]:
        walk, most = facts.get("walk", "short"), self._config.table.seats
        if not isinstance(walk, str) or walk not in WALKS:
            raise BadRequest(Sentence("no-such-walk", walks=", ".join(WALKS)))
        seats = facts.get("seats", most)
        if isinstance(seats, bool) or not isinstance(seats, int) or not 1 <= seats <= most:
            raise BadRequest(Sentence("seats-to-knock", most=most))
        held_by = facts.get("held_by", HELD_BY[0])
        if not isinstance(held_by, str) or held_by not in HELD_BY:
            raise BadRequest(Sentence("not-held-so", ways=", ".join(HELD_BY)))
        return cast("Walk", walk), seats, held_by

    def _begin(self, walk: Walk, seats: int, held_by: str) -> None:
        """Begin *walk*, unless something else has the table or there is no room.

        Raises:
            IllegalAction: Why not.
            TableUnavailable: The folder cannot be made.
        """
        self._demand_free(walk)
        try:
            self._store.begin(walk, seats)
        except OSError as error:
            raise TableUnavailable(Sentence("recording-unkept", error=str(error))) from error
        self._walk, self._held_by, self._said = walk, held_by, None
        self._steps = WALKS[walk]([Seat(at) for at in range(seats)])
        self._console = PhoneConsole(self._show_all, self._clock, self._wait, self._goes_on)
        self._thread = threading.Thread(target=self._run, name="kloplei-recorder", daemon=True)
        self._thread.start()

    def _why_not(self) -> IllegalAction | None:
        """Return why none may begin now, whichever it is."""
        board = self._table.scoreboard()
        if self._thread is not None:
            return IllegalAction("recording")
        # Its own last word may still be on its way to the table.
        if board.tuning is not None and board.tuning.step != RECORDING:
            return IllegalAction("tuning")
        if evening_runs(board):
            return IllegalAction("evening_runs")
        if len(self._store.files) >= MOST_FILES:
            return IllegalAction("recordings_full", most=MOST_FILES)
        return None

    def _demand_free(self, walk: Walk) -> None:
        if (why_not := self._why_not()) is not None:
            raise why_not
        needs, free = self._needs(walk), self._store.free
        if free < needs:
            raise IllegalAction("no_room", needs=round(needs / 1e6), free=round(free / 1e6))

    def _needs(self, walk: str) -> int:
        """Return what *walk* of all seats needs at the most, as recorded and as one file of it."""
        lasts_s = walk_s(WALKS[walk]([Seat(at) for at in range(self._config.table.seats)]))
        frames = lasts_s * self._config.sampled_hz
        recorded = round(frames * _SAMPLE_BYTES * self._sensors.source.channels)
        return 2 * recorded + ROOM_LEFT_BYTES

    def _left_s(self, console: PhoneConsole) -> float:
        number = 1 if console.shown is None else console.shown.number
        return walk_s(self._steps[number - 1 :])

    def _goes_on(self) -> bool:
        return not self._closing and not evening_runs(self._table.scoreboard())

    def _show_all(self, shown: Shown) -> None:
        """Show it on the slate, and let the table know that no knock plays."""
        self._show(shown)
        seats = shown.step.seats
        seat = seats[0] if len(seats) == 1 else None
        self._tell(Tuning(RECORDING, Line("tuning.record"), seat, shown.number, shown.of))

    def _tell(self, tuning: Tuning | None) -> None:
        now_s = self._clock()
        if tuning != self._told[0] or now_s - self._told[1] >= BEAT_S:
            self._told = (tuning, now_s)
            self._table.put(TuningShown(tuning))

    def _run(self) -> None:
        said: Sentence | None
        try:
            self._lead()
            self._give_back()
            said = None if self._closing else self._kept()
        except CannotRecord as error:
            said = Sentence("recording-deaf", error=sentence_of(error))
        except (CannotKeep, OSError) as error:
            logger.warning("A recording of the table could not be kept: %s", error)
            said = Sentence("recording-unkept", error=_reason(error))
        except Exception:
            logger.exception("A recording of the table failed.")
            said = Sentence("recording-failed")
        finally:
            self._give_back()
        with self._lock:
            self._thread, self._said = None, said

    def _lead(self) -> None:
        setup = {**setup_of(self._config, virtual=self._oblige is not None), "walk": self._walk}
        console = self._console
        assert console is not None  # noqa: S101 - it was made with this thread
        folder = self._folder(setup)
        walk = Walking(
            self._steps,
            self._sensors,
            folder,
            console,
            self._clock,
            self._oblige or (lambda _step, _at_s: None),
        )
        if trouble := walk.wait_for_sensors():
            if folder.is_new:
                self._store.clear()  # there is nothing in it to go on with
            raise CannotRecord(trouble)
        walk.go()

    def _folder(self, setup: Mapping[str, Any]) -> RecordingFolder:
        """Return where to record into; what is left of other sensors or settings goes."""
        folder, steps = self._store.under_way, self._steps
        try:
            kept = RecordingFolder(folder, setup, steps)
        except NotOurFolder:
            self._store.clear()
            kept = RecordingFolder(folder, setup, steps)
        if self._held_by != HELD_BY[0] or not kept.answers:  # else it was said before a power cut
            kept.answer({"held_by": self._held_by})
        return kept

    def _kept(self) -> Sentence:
        kept = self._store.keep()
        if kept is None:
            return Sentence("recording-empty")
        of = len(self._steps)
        return Sentence("recording-kept", name=kept.name, recordings=kept.recordings, of=of)

    def _give_back(self) -> None:
        """Let the judge have the sensors, and the table its knocks."""
        with self._lock:
            if self._console is None:
                return
            self._console = None
        self._sensors.source.close()
        self._show(None)
        self._tell(None)


class BoxSource:
    """The piezos of a *box* that hears already: as long as they are started, it judges none."""

    def __init__(self, box: Box, channels: int) -> None:
        self._box = box
        self.channels = channels
        """How many each block has."""

    def start(self, take: TakeBlock) -> None:
        """Hand blocks to *take*, and to nobody else."""
        self._box.overhear(take)

    def close(self) -> None:
        """Let the box judge them again; may be called twice."""
        self._box.overhear(None)


class LentSlate:
    """What is to be done, on the slate that *painter* keeps and lends."""

    def __init__(self, painter: Painter, glass: Glass) -> None:
        self._painter = painter
        self._glass = glass
        self._hung: tuple[object, float] | None = None

    def show(self, shown: Shown | None, now_s: float) -> None:
        """Hang *shown* there, None gives the slate back to the table."""
        if shown is None:
            self._painter.lend(blank(self._glass), 0.0)
            self._hung = None
            return
        language = self._painter.language
        moment = (moment_of(shown), language)
        if self._hung is None or self._hung[0] != moment or now_s - self._hung[1] > BEAT_S:
            self._hung = (moment, now_s)
            self._painter.lend(picture_of(shown, language, self._glass), 2 * BEAT_S)


def recorder_of(
    config: Config,
    box: Box,
    data: Path,
    table: RecordedAt,
    painter: Painter,
    *,
    clock: Callable[[], float],
    oblige: Callable[[ProtocolStep, float], None] | None = None,
) -> TableRecorder:
    """Return what records the table of *config* while it runs, and keeps it below *data*."""
    slate = LentSlate(painter, config.slate.glass)
    sensors = Sensors(
        BoxSource(box, len(config.piezos)),
        BoxTroubles(box.trouble_of),
        rate_hz=lambda: (box.pace and box.pace.reached_hz) or config.sampled_hz,
        bridged=lambda: box.pace.drawn if box.pace else 0,
    )
    return TableRecorder(
        config,
        sensors,
        data / FOLDER,
        table,
        clock=clock,
        show=lambda shown: slate.show(shown, clock()),
        oblige=oblige,
    )


def evening_runs(board: Scoreboard) -> bool:
    """Whether something stands on the slate that a recording would come between."""
    return any(offer.action == "wipe" for offer in board.offers)


def _told(refusal: IllegalAction) -> Line:
    return Line(f"reason.{refusal.reason}", refusal.facts)


def _reason(error: Exception) -> str:
    cause = error.__cause__ if isinstance(error, KlopleiError) else error
    return reason_or_kind(cause)
