"""One file to send: recordings, labels and a page that says what they are; nothing private."""

import json
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log10, sqrt
from pathlib import Path
from statistics import fmean
from typing import Any

from kloplei.files import KlopleiError, atomic_file, hand_over
from kloplei.recordings.capture.labels import (
    LABELS,
    NotOurFolder,
    is_there,
    knocks_of,
    read_labels,
    unseen,
)
from kloplei.recordings.capture.protocol import KNOCK, SILENCE, TALK
from kloplei.recordings.capture.writer import keeping
from kloplei.recordings.wav import open_recording

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
            squares.append([fmean(map(_square, channel)) for channel in block.channels])
    return [sqrt(fmean(channel)) for channel in zip(*squares, strict=True)]


def _square(sample: float) -> float:
    return sample * sample


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
