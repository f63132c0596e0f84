"""The folder of one table: its recordings and labels.json, whole after any power cut.

`RecordingFolder` keeps them; `pack` makes one file of it to send, with a page that says what it
is, and nothing private.
"""

import contextlib
import json
import shutil
import struct
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log10, sqrt
from pathlib import Path
from statistics import fmean
from typing import Any

from kloplei.files import KlopleiError, atomic_file, atomic_write, hand_over
from kloplei.frozen import dataclass
from kloplei.recordings.capture._labels import (
    LABELS,
    VERSION,
    Entry,
    NotOurFolder,
    TakenLabels,
    blows_in,
    entry_of,
    is_there,
    knocks_of,
    read_labels,
    unseen,
)
from kloplei.recordings.capture.protocol import KNOCK, SILENCE, TALK, ProtocolStep
from kloplei.recordings.capture.writer import (
    UNFINISHED,
    Take,
    keeping,
    make_folder,
    salvage,
    unfinished,
)
from kloplei.recordings.wav import UnreadableRecording, open_recording

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


PAGE = "README.txt"
_NO_DATE = (1980, 1, 1, 0, 0, 0)  # a file tells nothing of when and where it was made
_SETTLED_S = 3.0  # the lead of a recording, in which people still move


class RecordingGone(KlopleiError, OSError):
    """A recording that labels.json tells of is not there any more, or not as it was."""


@dataclass(frozen=True, slots=True)
class Packed:
    """What went into the file at *path*; *talk_db* is how much talking shows above the silence."""

    path: Path
    recordings: int
    megabytes: float
    talk_db: float | None


def pack(folder: Path, without: frozenset[str] = frozenset()) -> Packed:
    """Write ``FOLDER.zip`` beside *folder*, without the kinds of step named in *without*.

    Raises:
        NotOurFolder: It holds no recordings of ours.
        RecordingGone: One of them has been thrown away or damaged.
        CannotKeep: The file cannot be written; one that stood there before still does.
    """
    labels = read_labels(folder)
    files = [one for one in labels["files"] if one["klass"] not in without]
    if not files:
        raise NotOurFolder(f"{folder} holds no recording yet; record some before you pack them")
    _check_there(folder, files)
    labels["files"] = files
    labels["knocks"] = [knock for one in files for knock in knocks_of(one)]
    talk_db = talk_above_silence_db(folder, files)
    target = folder.resolve().with_name(f"{folder.resolve().name}.zip")
    try:
        page = page_of(labels, talk_db)
    except (ValueError, KeyError, TypeError) as error:
        raise NotOurFolder(
            f"The head of {folder / LABELS} has been changed; put it back"
        ) from error
    with keeping(target.parent):
        _write(target, folder, labels, page)
        hand_over(target)
        size = target.stat().st_size
    return Packed(target, len(files), size / 1e6, talk_db)


def talk_above_silence_db(folder: Path, files: Sequence[Mapping[str, Any]]) -> float | None:
    """Return how much louder talking is than silence at the sensor that feels most of it.

    None where one of the two was not recorded, or broke off at once.
    """
    named = {one["klass"]: str(folder / one["file"]) for one in files}
    if TALK not in named or SILENCE.name not in named:
        return None
    silent, talking = _levels(named[SILENCE.name]), _levels(named[TALK])
    louder = (
        20 * log10(loud / still)
        for loud, still in zip(talking, silent, strict=False)  # nothing, where one was cut short
        if loud > 0 and still > 0
    )
    return max(louder, default=None)


def page_of(labels: Mapping[str, Any], talk_db: float | None) -> str:
    """Return the page that goes along: for whoever opens the file, in whatever year."""
    return "\n".join(_page(labels, talk_db)) + "\n"


def _check_there(folder: Path, files: Sequence[Mapping[str, Any]]) -> None:
    for one in files:
        if not is_there(folder, one):
            raise RecordingGone(
                f"{one['file']} is gone from {folder}, or a part of it. "
                f"Leave it out: --without {one['klass']}; "
                "or record it anew: kloplei listen --record does what is missing"
            )


def _write(target: Path, folder: Path, labels: Mapping[str, Any], page: str) -> None:
    """Write the file whole or not at all."""
    with (
        atomic_file(target) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed,
    ):
        packed.writestr(_member(PAGE), page)
        packed.writestr(_member(LABELS), json.dumps(labels, indent=1) + "\n")
        for one in labels["files"]:
            with (
                (folder / one["file"]).open("rb") as recording,
                packed.open(_member(one["file"]), "w") as member,
            ):
                shutil.copyfileobj(recording, member)


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, _NO_DATE)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = 0o644 << 16
    return member


def _levels(name: str) -> list[float]:
    """Return the mean loudness of each channel of the recording *name*, once all have settled."""
    squares: list[list[float]] = []
    with open_recording(name) as recording:
        for block in recording.blocks():
            if block.start_s < _SETTLED_S:
                continue
            squares.append([fmean(one * one for one in channel) for channel in block.channels])
    return [sqrt(fmean(channel)) for channel in zip(*squares, strict=True)]


def _page(labels: Mapping[str, Any], talk_db: float | None) -> Iterator[str]:
    files = labels["files"]
    knocks = [one for one in files if one["category"] == KNOCK]
    versions = labels["versions"]
    yield "Knocks on a table, recorded by Kloplei"
    yield ""
    yield f"Board: {labels['board']}. Converter: {labels['chip']}, {_rate(files)} samples a second,"
    yield f"{len(labels['sensors'])} sensors. Kloplei {versions['kloplei']}."
    for asked, answer in labels.get("answers", {}).items():
        yield f"{asked}: {answer}"
    yield ""
    yield f"{len(files)} recordings, {sum(one['duration'] for one in files) / 60:.1f} minutes;"
    blows = sum(len(one["onsets"]) for one in knocks)
    yield f"{blows} knocks found, {sum(map(unseen, knocks))} asked for and not to be seen."
    missed_s = sum(gap["missed_s"] for one in files for gap in one["gaps"])
    yield f"Time in which nothing was sampled: {1000 * missed_s:.0f} ms."
    yield ""
    yield 'WAV, 16 bit, a channel for each sensor in the order of "sensors" in labels.json;'
    yield "full scale is that of the converter. Seats are counted from 0 in labels.json, and from"
    yield "1 in the names of the files. Times are seconds from the first sample of a file:"
    yield ""
    yield "  prompted_at_s   when the blow was asked for"
    yield "  found_at_s      when something is seen to begin, by loudness alone; null: nothing is"
    yield "  onsets          all that was found of what was asked for, to measure by"
    yield "  ignore          something else struck there; neither right nor wrong to hear"
    yield "  gaps            nothing was sampled there; what follows joins what was before"
    yield "  bridged_samples drawn straight over pauses of the bus shorter than 10 ms"
    yield ""
    yield "To try it:"
    yield "  kloplei listen *.wav"
    yield "  kloplei listen --learn labels.json *.wav --table my.toml"
    yield "  python benchmarks/knocks.py --data .        (in Kloplei's sources)"
    yield ""
    yield from _about_voices(talk_db)


def _about_voices(talk_db: float | None) -> Iterator[str]:
    yield "Voices: discs on wood feel the air a little, so what was said there may be audible."
    if talk_db is None:
        yield "Nobody was asked to talk here, or there is no silence to compare it with."
    else:
        yield f"Counting aloud raised the level by {talk_db:.1f} dB over silence, at the sensor"
        yield "that felt most of it. Below 1 dB hardly a word can be followed, above 3 dB some can."


def _rate(files: Sequence[Mapping[str, Any]]) -> str:
    rates = sorted({round(one["rate_hz"]) for one in files})
    return str(rates[0]) if len(rates) == 1 else f"{rates[0]} to {rates[-1]}"
