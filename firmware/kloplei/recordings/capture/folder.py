"""The folder of one table: its recordings and labels.json, whole after any power cut.

What a table is asked for, step by step, and when each blow is expected: a plan, and no clock.

labels.json as it lies in a folder: read with care, for the folder may be anybody's.

What one recording is said to hold: what was asked for, when, and what is to be seen of it.

The entries are those of the folders that `benchmarks/knocks.py` measures on, with more in them.

What was recorded with what: the head of labels.json, which does not tell whose box it is.

Where something struck the wood in a recording, judged by loudness alone.

Not by the judge of `kloplei.knock`: what is to measure an ear must not be labelled by it.
"""

import contextlib
import json
import platform
import re
import struct
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import sub
from pathlib import Path
from sys import byteorder
from typing import Any

from kloplei import __version__
from kloplei.config import Config
from kloplei.diagnostics.system import Machine, model_of, version_of
from kloplei.files import KlopleiError, atomic_write, hand_over, sync_folder
from kloplei.games.game import Seat
from kloplei.knock.signal import RAIL
from kloplei.recordings.capture.writer import (
    UNFINISHED,
    Gap,
    Take,
    bytes_of,
    keeping,
    make_folder,
    salvage,
    unfinished,
)
from kloplei.recordings.wav import UnreadableRecording, open_recording, read_head

LEAD_S = 2.4  # three, two, one: quiet before the first blow, and the measure of the silence
TAIL_S = 0.9  # after the last beat, for who is late and for the wood to come to rest

KNOCK, NOISE = "knock", "negative"  # categories of labels.json


@dataclass(frozen=True, slots=True)
class ProtocolKind:
    """One sort of thing to do, as often as *beats* say, *beat_s* apart.

    *blows* is how many belong to one beat: a train of two is one beat. Without a beat it goes
    on for *lasting_s*. *domain* says where a noise comes from, as labels.json has it.
    """

    name: str
    category: str
    beats: int = 0
    beat_s: float = 1.6
    blows: int = 1
    lasting_s: float = 0.0
    domain: str = ""


OF_A_SEAT = (
    ProtocolKind("soft", KNOCK, 3),
    ProtocolKind("usual", KNOCK, 6),
    ProtocolKind("hard", KNOCK, 3),
    ProtocolKind("finger", KNOCK, 3),
    ProtocolKind("fist", KNOCK, 3),
    ProtocolKind("twice", KNOCK, 2, 2.6, blows=2),
    ProtocolKind("thrice", KNOCK, 2, 3.0, blows=3),
)
TOGETHER = ProtocolKind("together", KNOCK, 4, 2.2)
SILENCE = ProtocolKind("silence", NOISE, lasting_s=10.0, domain="electronics")
NOISES = (
    ProtocolKind("glass", NOISE, 5, 2.0, domain="on_table"),
    ProtocolKind("cards", NOISE, 5, 1.8, domain="on_table"),
    ProtocolKind("dice", NOISE, 4, 2.6, domain="on_table"),
    ProtocolKind("phone", NOISE, lasting_s=8.0, domain="on_table"),
    ProtocolKind("elbow", NOISE, 4, 2.2, domain="structure"),
    ProtocolKind("talk", NOISE, lasting_s=10.0, domain="airborne"),
    ProtocolKind("mains", NOISE, lasting_s=10.0, domain="electronics"),
)
KINDS = (SILENCE, *OF_A_SEAT, TOGETHER, *NOISES)
TALK = "talk"


@dataclass(frozen=True, slots=True)
class ProtocolStep:
    """One thing that *seats* do, or whoever likes to; it makes one recording."""

    kind: ProtocolKind
    seats: tuple[Seat, ...] = ()

    @property
    def name(self) -> str:
        """What it is called in the folder: ``seat-3-soft``; seats from 1, as people count."""
        whose = "-".join(str(seat.shown) for seat in self.seats)
        if len(self.seats) == 1:
            return f"seat-{whose}-{self.kind.name}"
        return f"{self.kind.name}-{whose}".rstrip("-")

    @property
    def beats_s(self) -> tuple[float, ...]:
        """When each blow is expected, in seconds from the beginning."""
        return tuple(LEAD_S + at * self.kind.beat_s for at in range(self.kind.beats))

    @property
    def lasts_s(self) -> float:
        """How long the recording is to be."""
        if not self.kind.beats:
            return LEAD_S + self.kind.lasting_s
        last_s = self.beats_s[-1] + (self.kind.blows - 1) * TRAIN_GAP_S
        return last_s + TAIL_S

    def goes_on_from(self, before: "ProtocolStep | None") -> bool:
        """Whether the same person may just go on after *before*, with a hand on the table."""
        return before is not None and len(self.seats) == 1 and self.seats == before.seats


TRAIN_GAP_S = 0.4  # between the knocks of a train, at the slowest


def steps_for(
    seats: Sequence[Seat], without: frozenset[str] = frozenset()
) -> tuple[ProtocolStep, ...]:
    """Return the whole walk for a table at which *seats* knock, but for kinds called *without*."""
    return tuple(step for step in _all(seats) if step.kind.name not in without)


def steps_of_any(seats: int) -> frozenset[ProtocolStep]:
    """Return every step of any walk of a table with up to so many *seats*."""
    walks = (steps_for([Seat(at) for at in range(some)]) for some in range(1, seats + 1))
    return frozenset(step for walk in walks for step in walk)


def walk_s(steps: Sequence[ProtocolStep]) -> float:
    """Return how long all of *steps* last, without the pauses between them."""
    return sum(step.lasts_s for step in steps)


def _all(seats: Sequence[Seat]) -> Iterator[ProtocolStep]:
    yield ProtocolStep(SILENCE)
    for seat in seats:
        for kind in OF_A_SEAT:
            yield ProtocolStep(kind, (seat,))
    # Neighbours feel most alike, and those across from each other least.
    for other in dict.fromkeys((1, len(seats) // 2)):
        if 0 < other < len(seats):
            yield ProtocolStep(TOGETHER, (seats[0], seats[other]))
    for kind in NOISES:
        yield ProtocolStep(kind)


_LIBRARIES = ("gpiozero", "lgpio", "spidev", "luma.oled")

QUESTIONS: Mapping[str, str] = {
    "table": "The table top: which wood, how thick, how long and wide?",
    "discs": "The discs: how large, and what holds them to the wood?",
    "front_end": "Between disc and converter: which circuit, which revision, which jumpers are on?",
}
CORNERS = "The discs in the corners: which channel is where?"
LONGEST_ANSWER = 300


def setup_of(
    config: Config, *, virtual: bool = False, machine: Machine | None = None
) -> dict[str, Any]:
    """Return the setup of *config*: no name, no address, no PIN and no path is in it."""
    return {
        "virtual": virtual,
        "board": "a virtual table" if virtual else model_of(machine or Machine()) or "unknown",
        "versions": {
            "kloplei": __version__,
            "python": platform.python_version(),
            "kernel": platform.release(),
            **{name: number for name in _LIBRARIES if (number := version_of(name))},
        },
        "chip": config.adc.chip,
        "wanted_rate_hz": config.adc.rate_hz,
        "slate": f"{config.slate.driver} on {config.slate.interface}",
        # Seats are counted from 0 in here, as in all that kloplei listen prints.
        "sensors": [
            {
                "channel": at,
                "converter_channel": channel,
                "seat": None if seat is None else int(seat),
            }
            for at, (channel, seat) in enumerate(config.piezos)
        ],
    }


def questions_for(config: Config) -> dict[str, str]:
    """Return what only people can tell of the table of *config*, by what it is kept as."""
    has_corners = any(seat is None for _, seat in config.piezos)
    return {**QUESTIONS, **({"corners": CORNERS} if has_corners else {})}


SEEN = 4.0  # times what the silence of a channel reaches: so loud no noise is
DEAD_S = 0.08  # one blow may have two pushes; two knocks of one hand are farther apart
RINGS_DB_A_S = 100.0  # how fast what a blow left behind must be assumed to fall, at the least
RINGS = 0.7  # of a blow's loudness, at its beginning
CELL_S = 0.005
PEAK_S = 0.03  # a blow is loudest within that
_APART_S = 0.0005  # the difference of two samples so far apart hardly feels the mains
_SILENT = 0.2  # the share of the cells by which the silence is measured
_LEAST = 32  # of 32768: half a step of ten bits; one that twitches by a step is silent, too
_FULL_SCALE = 32768
_SPARSE = 16  # every so many-th sample tells where a channel rests


@dataclass(frozen=True, slots=True)
class BlowEvent:
    """Something began *at_s* and was *clearness* times as loud as the silence of its channel.

    *strength* is its loudest sample of all channels, 0 to 1 of full scale.
    """

    at_s: float
    clearness: float
    strength: float


def blows_in(path: Path) -> tuple[BlowEvent, ...]:
    """Return what struck the wood in *path*, a `Take` of some seconds, in its order.

    It counts in whole numbers and looks at few samples one by one: a small Pi does it between
    two steps.

    Raises:
        OSError: It cannot be read.
    """
    rate_hz, channels = _read(path)
    cell = max(1, round(CELL_S * rate_hz))
    felt = [_Felt(samples, rate_hz, cell) for samples in channels]
    return tuple(_events(felt, rate_hz, cell)) if channels and channels[0] else ()


class _Felt:
    """What one disc has felt: how far it swings, beside how far in silence."""

    def __init__(self, samples: "array[int]", rate_hz: float, cell: int) -> None:
        apart = max(1, round(_APART_S * rate_hz))
        self._samples = samples
        self._rests = sorted(samples[::_SPARSE])[len(samples[::_SPARSE]) // 2] if samples else 0
        self._swings = array("i", bytes(4 * apart))
        self._swings.extend(map(abs, map(sub, samples[apart:], samples)))
        cells = [max(self._swings[at : at + cell]) for at in range(0, len(samples), cell)]
        self._silence = max(sorted(cells)[int(_SILENT * len(cells))], _LEAST) if cells else _LEAST
        self.loud_cells = [at for at, most in enumerate(cells) if most >= SEEN * self._silence]

    @property
    def count(self) -> int:
        """How many samples there are."""
        return len(self._samples)

    def clear(self, at: int) -> float:
        """Return how far above its silence sample *at* is."""
        return self._swings[at] / self._silence

    def clearest(self, at: int, count: int) -> float:
        """Return how far above its silence the clearest of *count* samples from *at* on is."""
        return max(self._swings[at : at + count]) / self._silence

    def loudest(self, at: int, count: int) -> float:
        """Return the loudest of *count* samples from *at* on, 0 to 1 of full scale."""
        part = self._samples[at : at + count]
        return max(max(part) - self._rests, self._rests - min(part)) / _FULL_SCALE


def _read(path: Path) -> tuple[float, list["array[int]"]]:
    """Return the rate, and the samples of each channel as they lie there."""
    with path.open("rb") as file:
        layout = read_head(file)
        frames = array("h", file.read()[: (layout.frames or 0) * layout.frame_bytes])
    if byteorder == "big":
        frames.byteswap()
    return float(layout.rate_hz), [frames[at :: layout.channels] for at in range(layout.channels)]


def _events(felt: Sequence[_Felt], rate_hz: float, cell: int) -> Iterator[BlowEvent]:
    peak_samples = max(1, round(PEAK_S * rate_hz))
    dead = round(DEAD_S * rate_hz)
    falls = 10 ** (-RINGS_DB_A_S / 20 / rate_hz)
    last, last_peak = -dead, 0.0
    for at in _loud_samples(felt, cell):
        since = at - last
        if since < dead:
            continue
        clear = max(one.clear(at) for one in felt)
        if clear < SEEN or clear < RINGS * last_peak * falls**since:
            continue
        last = at
        last_peak = max(one.clearest(at, peak_samples) for one in felt)
        yield BlowEvent(at / rate_hz, last_peak, max(one.loudest(at, peak_samples) for one in felt))


def _loud_samples(felt: Sequence[_Felt], cell: int) -> Iterator[int]:
    """Yield the samples of all cells in which any disc felt more than silence."""
    count = felt[0].count
    for number in sorted({number for one in felt for number in one.loud_cells}):
        yield from range(number * cell, min((number + 1) * cell, count))


EARLY_S, LATE_S = 0.5, 0.85  # about a beat: so far off it is still the blow that was asked for
FAINT = 0.15  # of the clearest blow about a beat: what is fainter is another thing
GAP_IGNORED_S = 0.02  # what was cut out may look like a blow on either side of the cut

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TakenLabels:
    """One recording as it was made; *prompts_s*, None where nothing was sampled, in the file."""

    step: ProtocolStep
    file: str
    lasts_s: float
    rate_hz: float
    channels: int
    prompts_s: tuple[float | None, ...]
    gaps: tuple[Gap, ...] = ()
    bridged: int = 0  # samples drawn straight over the short pauses of the bus
    is_cut_short: bool = False
    complaints: tuple[str, ...] = ()


def entry_of(taken: TakenLabels, events: Sequence[BlowEvent]) -> Entry:
    """Return what labels.json says of *taken*, in which *events* are to be seen."""
    prompts, left = _prompts(taken, events)
    onsets = [at_s for one in prompts for at_s in _found(one)]
    step = taken.step
    is_knock = step.kind.category == KNOCK
    entry: Entry = {
        "file": taken.file,
        "category": step.kind.category,
        "klass": step.kind.name,
        "duration": taken.lasts_s,
        "onsets": onsets if is_knock else [],
        # What nobody asked for, or a second hand, is neither right nor wrong to hear.
        "ignore": [*(_short(one.at_s) for one in left if is_knock), *_cuts(taken.gaps)],
    }
    if step.kind.domain:
        entry["domain"] = step.kind.domain
    if step.kind.blows > 1:
        entry["patterns"] = [
            {"t": found[0], "count": len(found)} for one in prompts if (found := _found(one))
        ]
    entry |= {
        "step": step.name,
        "seats": [int(seat) for seat in step.seats],
        "rate_hz": round(taken.rate_hz, 3),
        "channels": taken.channels,
        "prompts": prompts,
        "gaps": [
            {"at_s": _short(one.at_s), "missed_s": _short(one.missed_s)} for one in taken.gaps
        ],
        "bridged_samples": taken.bridged,
    }
    if taken.is_cut_short:
        entry["cut_short"] = True
    if taken.complaints:
        entry["complaints"] = list(taken.complaints)
    return entry


def knocks_of(entry: Mapping[str, Any]) -> list[Entry]:
    """Return the knocks of *entry* whose seat is known, as `kloplei listen --learn` reads them."""
    if entry["category"] != KNOCK or len(entry["seats"]) != 1:
        return []
    return [
        {"at_s": at_s, "seat": entry["seats"][0], "file": entry["file"]} for at_s in entry["onsets"]
    ]


def unseen(entry: Mapping[str, Any]) -> int:
    """Return how many blows of *entry* were asked for and cannot be seen."""
    return sum(int(one["unseen"]) for one in entry["prompts"])


def _prompts(
    taken: TakenLabels, events: Sequence[BlowEvent]
) -> tuple[list[Entry], list[BlowEvent]]:
    """Return what became of each prompt, and the events that belong to none."""
    left = list(events)
    prompts = []
    for prompted_s in taken.prompts_s:
        mine = _about(prompted_s, taken.step, left)
        left = [one for one in left if one not in mine]
        prompts.append(_prompt(prompted_s, mine, taken.step.kind.blows))
    return prompts, left


def _about(
    prompted_s: float | None, step: ProtocolStep, events: Sequence[BlowEvent]
) -> list[BlowEvent]:
    """Return the events that a hand made which was asked for *prompted_s*, in their order."""
    if prompted_s is None:
        return []
    until_s = prompted_s + LATE_S + (step.kind.blows - 1) * TRAIN_GAP_S
    near = [one for one in events if prompted_s - EARLY_S <= one.at_s <= until_s]
    clearest = max((one.clearness for one in near), default=0.0)
    clear = [one for one in near if one.clearness >= FAINT * clearest]
    loudest = sorted(clear, key=lambda one: -one.clearness)[: step.kind.blows]
    return sorted(loudest, key=lambda one: one.at_s)


def _prompt(prompted_s: float | None, mine: Sequence[BlowEvent], blows: int) -> Entry:
    told: Entry = {
        "prompted_at_s": None if prompted_s is None else _short(prompted_s),
        "found_at_s": _short(mine[0].at_s) if mine else None,
        "unseen": blows - len(mine),
    }
    if len(mine) > 1:
        told["then_found_at_s"] = [_short(one.at_s) for one in mine[1:]]
    if mine:
        told["strength"] = _short(max(one.strength for one in mine))
        told["clipped"] = any(one.strength >= RAIL for one in mine)
    return told


def _found(prompt: Mapping[str, Any]) -> list[float]:
    if prompt["found_at_s"] is None:
        return []
    return [prompt["found_at_s"], *prompt.get("then_found_at_s", ())]


def _cuts(gaps: Sequence[Gap]) -> list[float]:
    return [_short(gap.at_s + off_s) for gap in gaps for off_s in (0.0, GAP_IGNORED_S)]


def _short(seconds: float) -> float:
    return round(seconds, 5)


LABELS, VERSION = "labels.json", 1
_MOST_BYTES = 20_000_000  # ten thousand recordings
_MOST = 1e12  # of whatever is counted
_WAV = b"RIFF"
_STEP = re.compile(r"[a-z0-9-]{1,60}")
_TEXTS = ("category", "klass")
_NUMBERS = ("duration", "rate_hz", "channels")


class NotOurFolder(KlopleiError, ValueError):
    """A folder that holds something else, or another table."""


def read_labels(folder: Path) -> dict[str, Any]:
    """Return what labels.json in *folder* holds; all that this program reads of it is sound.

    Raises:
        NotOurFolder: It is not there, or none that this program wrote.
    """
    path = folder / LABELS
    try:
        raw = _read_labels(path)
    except OSError as error:
        raise NotOurFolder(
            f"{path} cannot be read ({error.strerror}); name a folder of kloplei listen --record"
        ) from error
    try:
        written: dict[str, Any] = json.loads(raw)
        is_ours = all(map(_is_entry, written["files"])) and _is_head(written)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _not_ours(path) from error
    if not is_ours:
        raise _not_ours(path)
    if written.get("version", VERSION) != VERSION:
        raise NotOurFolder(
            f"{path} was written by another version of Kloplei; update this one, or name "
            "another folder"
        )
    return written


def is_there(folder: Path, entry: Mapping[str, Any]) -> bool:
    """Return whether the recording that *entry* tells of lies in *folder*, whole by its looks."""
    path = folder / str(entry["file"])
    if path.is_symlink() or not path.is_file():  # what it leads to may be no recording at all
        return False
    frames: int = round(entry["duration"] * round(entry["rate_hz"]))
    with path.open("rb") as file:
        is_wav = file.read(len(_WAV)) == _WAV  # a card that lost its power may give back zeros
    return is_wav and path.stat().st_size >= bytes_of(frames, int(entry["channels"]))


def _read_labels(path: Path) -> bytes:
    if path.exists() and not path.is_file() and not path.is_dir():
        raise _not_ours(path)  # a pipe would be waited at without end
    with path.open("rb") as file:
        return file.read(_MOST_BYTES)


def _not_ours(path: Path) -> NotOurFolder:
    return NotOurFolder(f"{path} was not written by kloplei listen --record; name another folder")


def _is_head(written: Mapping[str, Any]) -> bool:
    return isinstance(written["files"], list) and isinstance(written.get("answers", {}), dict)


def _is_entry(one: Entry) -> bool:
    """Whether *one* has all that ours have, and names no file but a recording beside it."""
    is_named = _STEP.fullmatch(one["step"]) is not None and one["file"] == f"{one['step']}.wav"
    return (
        is_named
        and all(isinstance(one[name], str) for name in _TEXTS)
        and all(_is_number(one[name]) for name in _NUMBERS)
        and isinstance(one["seats"], list)
        and all(map(_is_number, one["onsets"]))
        and all(_is_number(gap["at_s"]) and _is_number(gap["missed_s"]) for gap in one["gaps"])
        and all(_is_number(prompt["unseen"]) for prompt in one["prompts"])
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value < _MOST


UNDER_WAY = ".under-way.json"
LEAST_S = 1.0  # what is shorter is not worth being kept
_SAME = ("sensors", "chip", "wanted_rate_hz", "virtual")  # else it is another table


@dataclass(frozen=True, slots=True)
class RecordingCount:
    """How much a folder holds."""

    recordings: int
    seconds: float
    knocks: int
    unseen: int
    missed_s: float


class RecordingFolder:
    """Recordings of one table, each with its entry; a step that is done again replaces it.

    Args:
        folder: Made if it is missing.
        setup: What was recorded with what: the head of labels.json, and no secrets.
        steps: What may be recorded, to know again what a power cut has left.

    Raises:
        NotOurFolder: It holds other things, or recordings of another table.
        CannotKeep: It cannot be made or written.
    """

    def __init__(
        self, folder: Path, setup: Mapping[str, Any], steps: Iterable[ProtocolStep]
    ) -> None:
        self.folder = folder
        self._setup = dict(setup)
        self._entries: dict[str, Entry] = {}
        with keeping(folder):
            make_folder(folder)
            if (folder / LABELS).exists():
                self._take_up()
            elif any(not one.name.startswith(".") for one in folder.iterdir()):
                raise NotOurFolder(
                    f"{folder} holds other things; name a new folder for the recordings"
                )
            else:
                self._write()
            self._salvage({step.name: step for step in steps})

    @property
    def answers(self) -> dict[str, str]:
        """What was answered about the table; empty before anybody was asked."""
        return dict(self._setup.get("answers", {}))

    @property
    def is_new(self) -> bool:
        """Whether nothing has been recorded yet."""
        return not self._entries

    @property
    def done(self) -> frozenset[str]:
        """The names of the steps that were recorded to their end."""
        return frozenset(name for name, one in self._entries.items() if "cut_short" not in one)

    @property
    def counted(self) -> RecordingCount:
        """How much there is."""
        ours = self._entries.values()
        return RecordingCount(
            recordings=len(ours),
            seconds=sum(one["duration"] for one in ours),
            knocks=sum(len(one["onsets"]) for one in ours),
            unseen=sum(unseen(one) for one in ours if one["category"] == KNOCK),
            missed_s=sum(gap["missed_s"] for one in ours for gap in one["gaps"]),
        )

    def answer(self, answers: Mapping[str, str]) -> None:
        """Keep what was answered about the table."""
        self._setup["answers"] = dict(answers)
        self._write()

    def begin(self, step: ProtocolStep, channels: int, rate_hz: float) -> Take:
        """Return the recording of *step*, to be written to and then given to `keep`.

        Raises:
            CannotKeep: The folder cannot be written.
        """
        with keeping(self.folder):
            self._note(step, channels, rate_hz)
            return Take(self._path(step.name), channels, rate_hz)

    def keep(
        self,
        take: Take,
        step: ProtocolStep,
        begun_s: float,
        *,
        bridged: int = 0,
        is_cut_short: bool = False,
        complaints: Iterable[str] = (),
    ) -> Entry:
        """Finish *take*, begun at *begun_s* of the clock, and return what is said of it.

        Raises:
            CannotKeep: The disk is full; what was written is kept for the next start.
        """
        with keeping(self.folder):
            self._note(step, take.channels, take.rate_hz, replaces=True)
            take.finish()
            prompts = [
                take.in_file_s(begun_s + beat_s)
                for beat_s in step.beats_s
                if take.end_s is not None and begun_s + beat_s < take.end_s
            ]
            taken = TakenLabels(
                step,
                take.path.name,
                take.lasts_s,
                take.rate_hz,
                channels=take.channels,
                prompts_s=tuple(prompts),
                gaps=take.gaps,
                bridged=bridged,
                is_cut_short=is_cut_short,
                complaints=tuple(complaints),
            )
            return self._enter(taken)

    def drop(self, take: Take) -> None:
        """Throw *take* away, and leave what was recorded of its step before."""
        take.drop()
        (self.folder / UNDER_WAY).unlink(missing_ok=True)

    def written(self) -> dict[str, Any]:
        """Return what labels.json holds."""
        files = [self._entries[name] for name in sorted(self._entries)]
        return {
            "version": VERSION,
            "made_by": "kloplei listen --record; hw/bench.md says what each field means",
            **self._setup,
            "files": files,
            "knocks": [knock for one in files for knock in knocks_of(one)],
        }

    def _note(
        self, step: ProtocolStep, channels: int, rate_hz: float, *, replaces: bool = False
    ) -> None:
        """Write down what is under way; *replaces* once it goes to the place of an older one."""
        note = {
            "step": step.name,
            "channels": channels,
            "rate_hz": rate_hz,
            "replaces": replaces,
        }
        atomic_write(self.folder / UNDER_WAY, json.dumps(note).encode())

    def _enter(self, taken: TakenLabels) -> Entry:
        path = self.folder / taken.file
        entry = entry_of(taken, blows_in(path))
        self._entries[taken.step.name] = entry
        hand_over(path)
        self._write()
        (self.folder / UNDER_WAY).unlink(missing_ok=True)
        return entry

    def _write(self) -> None:
        path = self.folder / LABELS
        with keeping(self.folder):
            atomic_write(path, (json.dumps(self.written(), indent=1) + "\n").encode())
            hand_over(path)
            sync_folder(self.folder)

    def _take_up(self) -> None:
        """Go on with what is in the folder.

        Raises:
            NotOurFolder: It is of another table.
        """
        before = read_labels(self.folder)
        if any(before.get(name) != self._setup.get(name) for name in _SAME):
            raise NotOurFolder(
                f"{self.folder} was recorded with other sensors or another rate; "
                "name a new folder, one for each table and wiring"
            )
        # What was thrown away or damaged is asked for again, and it is not among what is told.
        self._entries = {one["step"]: one for one in before["files"] if is_there(self.folder, one)}
        self._setup["answers"] = before.get("answers", {})

    def _salvage(self, steps: Mapping[str, ProtocolStep]) -> None:
        """Take in what a power cut has left of a recording; its step is asked for again."""
        note_path = self.folder / UNDER_WAY
        with contextlib.suppress(
            *(ValueError, KeyError, TypeError, ArithmeticError, RecursionError, struct.error),
            *(FileNotFoundError, UnreadableRecording),
        ):
            note = json.loads(note_path.read_bytes())
            step = steps[note["step"]]
            if step.name not in self._entries or self._has_replaced(step, note):
                self._rescue(step, note["channels"], note["rate_hz"])
        for left in self.folder.glob(f"*.wav{UNFINISHED}"):
            left.unlink()
        note_path.unlink(missing_ok=True)

    def _has_replaced(self, step: ProtocolStep, note: Mapping[str, Any]) -> bool:
        """Whether the recording that stands there is newer than what labels.json says of it."""
        # As long as it is unfinished, what it was to replace is whole.
        return bool(note.get("replaces")) and not unfinished(self._path(step.name)).exists()

    def _rescue(self, step: ProtocolStep, channels: int, rate_hz: float) -> None:
        """Take in what is there of *step*, whose first sample was taken as it began."""
        path = self._path(step.name)
        if unfinished(path).exists():
            salvage(path, channels, rate_hz)
        with open_recording(str(path)) as recording:
            lasts_s, rate_hz = recording.duration_s or 0.0, float(recording.rate_hz)
        if lasts_s < LEAST_S:
            path.unlink()
            return
        prompts = tuple(beat_s for beat_s in step.beats_s if beat_s < lasts_s)
        self._enter(
            TakenLabels(step, path.name, lasts_s, rate_hz, channels, prompts, is_cut_short=True)
        )

    def _path(self, step: str) -> Path:
        return self.folder / f"{step}.wav"
