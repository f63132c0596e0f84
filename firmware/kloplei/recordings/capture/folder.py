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
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kloplei.files import atomic_write, hand_over, sync_folder
from kloplei.recordings.capture.labels import (
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
from kloplei.recordings.capture.protocol import (
    KNOCK,
    ProtocolStep,
)
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
