"""``kloplei listen --learn``: write down what labelled recordings teach about a table."""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from kloplei.files import KlopleiError
from kloplei.knock.calibration import Label
from kloplei.knock.judgement import Verdict
from kloplei.recordings import listening
from kloplei.recordings.labels import Labelled, check_room, read_labelled, write_table
from kloplei.recordings.learning import LearningExample, Trial, examples, learn_table, meant_for
from kloplei.recordings.listening import listen
from kloplei.recordings.terminal import Progress, complain, say
from kloplei.recordings.wav import Recording, UnreadableRecording, open_recording

LEARNED = 0


class NowhereToKeepIt(KlopleiError, ValueError):
    """``--learn`` without a ``--table``."""


@dataclass(frozen=True, slots=True)
class _Heard:
    """What was found in the recording *name*: the knocks written down, and which are *missed*."""

    name: str
    known: tuple[LearningExample, ...]
    missed: tuple[Labelled, ...]
    complaints: tuple[str, ...]


def learn_from(arguments: argparse.Namespace) -> int:
    """Learn the table from the recordings named, write it down, and return the exit code.

    Raises:
        KlopleiError: Nothing could be learned or kept; an old table stands as it did.
    """
    if arguments.table is None:
        raise NowhereToKeepIt("--learn needs a file to keep what it learns: add --table my.toml")
    labelled = read_labelled(arguments.learn)
    check_room(arguments.table)
    heard = list(_heard(meant_for(labelled, arguments.recordings)))
    learned = learn_table(labelled, [example for one in heard for example in one.known])
    write_table(arguments.table, learned.calibration)
    if arguments.json:
        trials = iter(learned.trials)
        for one in heard:
            mine = list(islice(trials, len(one.known)))
            say(_as_json(one, arguments.table, mine))
    else:
        for line in _rows(arguments.table, learned.trials):
            say(line)
    for one in heard:
        for complaint in (*one.complaints, *map(_unheard, one.missed)):
            complain(f"{one.name}: {complaint}")
    return LEARNED


def _heard(meant: dict[str, list[Labelled]]) -> Iterator[_Heard]:
    """Yield what is found in each recording, all of the same channels."""
    first: Recording | None = None
    for name, labelled in meant.items():
        with open_recording(name) as recording:
            first = first or recording
            _check_sensors(recording, first)
            found = _found(recording, labelled)
            yield _Heard(
                name,
                known=tuple(one for one in found if one is not None),
                missed=tuple(
                    one for one, example in zip(labelled, found, strict=True) if example is None
                ),
                complaints=tuple(recording.complaints()),
            )


def _check_sensors(recording: Recording, first: Recording) -> None:
    if recording.channels == 1:
        raise UnreadableRecording.of(
            recording.name,
            "has 1 channel, and seats are told by what differs between channels; "
            "record two sensors or more",
        )
    if recording.channels != first.channels:
        raise UnreadableRecording.of(
            recording.name,
            f"has {recording.channels} channels, and {first.name} has {first.channels}; "
            "learn a table from recordings of the same sensors",
        )


def _found(
    recording: Recording, labelled: Sequence[Labelled]
) -> tuple[LearningExample | None, ...]:
    progress = Progress()
    try:
        blows = listen(recording, after_block=lambda: progress.tell(recording.name, recording))
        return examples(labelled, blows)
    finally:
        progress.clear()


def _unheard(labelled: Labelled) -> str:
    return f"nothing was heard at {labelled.at_s:g} s, where seat {labelled.seat} knocked"


def _as_json(heard: _Heard, table: Path, trials: Sequence[Trial]) -> str:
    """Return one line: the object of ``kloplei listen --learn --json`` (docs/listen.md).

    It can be learned from in its turn.
    """
    learned: dict[str, object] = {
        "file": heard.name,
        "table": str(table),
        "knocks": [_entry(trial) for trial in trials],
        "missed": [{"at_s": one.at_s, "seat": one.seat} for one in heard.missed],
    }
    if heard.complaints:
        learned["complaints"] = list(heard.complaints)
    return json.dumps(learned, allow_nan=False)


def _entry(trial: Trial) -> dict[str, object]:
    blow = trial.example.blow
    return {
        **listening.entry(blow, trial.example.labelled.seat),
        "confidence": listening.short(trial.confidence),
        "told": trial.told,
    }


def _rows(table: Path, trials: Sequence[Trial]) -> Iterator[str]:
    """Yield a line a seat on how its knocks would fare, and what all of it came to."""
    by_seat: dict[Label, list[Trial]] = {}
    for trial in trials:
        by_seat.setdefault(trial.example.labelled.seat, []).append(trial)
    for seat, mine in by_seat.items():
        told = Counter(trial.told for trial in mine)
        right, unsure = told.pop(seat, 0), told.pop(None, 0)
        remarks = [f"{right} told by the others"]
        remarks += [f"{count} taken for seat {other}" for other, count in told.items()]
        remarks += [f"{unsure} unsure"] * bool(unsure)
        noise = sum(trial.example.blow.verdict is Verdict.NOISE for trial in mine)
        remarks += [f"{noise} not taken for a knock at all"] * bool(noise)
        yield f"  seat {seat}: {len(mine)} knocks, {', '.join(remarks)}"
    yield f"{table}: learned {len(by_seat)} seats from {len(trials)} knocks"
