"""A folder of labelled recordings: what `labels.json` says about each of them.

The file is an object with ``files``, a list of objects (docs/bench.md has them as a table):

- ``file``: path below the folder; ``category``: one of `CATEGORIES`
- ``onsets``: when knocks begin, in seconds; noises need none

All else may be left out:

- ``rig``: which wood, sensor and hands it was; what the file's name begins with, if not said
- ``klass``: what it is; ``duration`` in seconds; ``ignore``: times of what may be a knock or not
- negatives: ``domain``, where the noise comes from (on_table, structure, airborne, electronics);
  ``gain_db``, how much softer than a knock such a thing usually is there
- scenes: ``patterns`` (``t``, ``count``) and ``negatives`` (``t``, ``end``, ``klass``)
- two channels: ``channel`` struck, for each onset
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from kloplei.recordings.wav import UnreadableRecording, open_recording

LABELS = "labels.json"
KNOCK, NEGATIVE, SCENE, TAP = "knock", "negative", "scene", "tap"
DRUM, TWO_DRUMS = "piezo_drum", "piezo_drum_2ch"
CATEGORIES = (KNOCK, NEGATIVE, SCENE, TAP, DRUM, TWO_DRUMS)
ON_TABLE = "on_table"
_HELP = "docs/bench.md lists the fields"


class NoLabels(ValueError):
    """A folder that cannot be scored, and why."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """*count* knocks that belong together, the first *at_s*."""

    at_s: float
    count: int


@dataclass(frozen=True, slots=True)
class Noise:
    """Something in a scene that was no knock."""

    at_s: float
    end_s: float
    klass: str


@dataclass(frozen=True, slots=True)
class Labelled:
    """One recording and what is in it; times in seconds, in order."""

    file: str
    category: str
    klass: str
    duration_s: float
    onsets_s: tuple[float, ...]
    ignore_s: tuple[float, ...] = ()
    domain: str = ""
    patterns: tuple[Pattern, ...] = ()
    noises: tuple[Noise, ...] = ()
    channels: tuple[int, ...] = ()
    rig: str = ""


def read_labels(folder: Path) -> tuple[Labelled, ...]:
    """Return what `labels.json` in *folder* says, in its order.

    Raises:
        NoLabels: It is not there, or not as the head of this module says; it says what to do.
    """
    path = folder / LABELS
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise NoLabels(
            f"{path} cannot be read ({error.strerror}); name a folder with one: make bench DATA=..."
        ) from error
    except ValueError as error:
        raise NoLabels(f"{path} is no JSON ({error}); {_HELP}") from error
    files = written.get("files") if isinstance(written, dict) else None
    if not isinstance(files, list) or not files:
        raise NoLabels(
            f'{path} names no recordings; write {{"files": [{{"file": ...}}]}} ({_HELP})'
        )
    return tuple(_read(path, number, one) for number, one in enumerate(files, 1))


def entries(folder: Path) -> list[dict[str, Any]]:
    """Return the same with every field filled in, as what learns from recordings wants them.

    Raises:
        NoLabels: As `read_labels`.
    """
    labelled = read_labels(folder)
    written = json.loads((folder / LABELS).read_text(encoding="utf-8"))["files"]
    return [
        {
            **_DEFAULTS,
            **entry,
            "klass": one.klass,
            "domain": one.domain,
            "onsets": list(one.onsets_s),
            "rig": one.rig,
        }
        for one, entry in zip(labelled, written, strict=True)
    ]


_DEFAULTS = {"ignore": [], "gain_db": 0.0}


def check_recordings(folder: Path, labels: Sequence[Labelled]) -> None:
    """Make sure that every recording is there and can be read.

    Raises:
        NoLabels: One is not; it says which, and what to do.
    """
    for one in labels:
        try:
            with open_recording(str(folder / one.file)):
                pass
        except UnreadableRecording as error:
            raise NoLabels(
                f"{folder / LABELS} names {one.file}: {error}. Put it there, or take it out"
            ) from error


def rig_of(file: str) -> str:
    """Return the rig that a recording's name stands for: all before its first underscore."""
    first, underscore, _ = PurePosixPath(file).name.partition("_")
    return first if underscore else "this"


def _read(path: Path, number: int, written: object) -> Labelled:
    if not isinstance(written, dict) or not isinstance(written.get("file"), str):
        raise NoLabels(f"{path}: entry {number} names no recording; give it a 'file' ({_HELP})")
    try:
        return _labelled(path.parent, written)
    except (ValueError, KeyError, TypeError, AttributeError, UnreadableRecording) as error:
        raise NoLabels(f"{path}: {written['file']} {_wrong(error)} ({_HELP})") from error


def _wrong(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"lacks {error}: write it down"
    return f"is not as it should be: {error}"


def _labelled(folder: Path, written: Mapping[str, Any]) -> Labelled:
    category, file = str(written["category"]), str(written["file"])
    if category not in CATEGORIES:
        raise ValueError(f"its category is {category}, and not one of {', '.join(CATEGORIES)}")
    onsets_s = tuple(_numbers(written, "onsets"))
    if category in (KNOCK, TAP) and "onsets" not in written:
        raise KeyError("onsets")
    channels = tuple(map(int, _list(written, "channel")))
    if channels and len(channels) != len(onsets_s):
        raise ValueError(f"{len(channels)} channels were struck by {len(onsets_s)} onsets")
    return Labelled(
        file=file,
        category=category,
        klass=str(written.get("klass", category)),
        duration_s=_duration_s(folder / file, written),
        onsets_s=onsets_s,
        ignore_s=tuple(_numbers(written, "ignore")),
        domain=str(written.get("domain", ON_TABLE if category == NEGATIVE else "")),
        patterns=tuple(
            Pattern(_number(one["t"]), int(one["count"])) for one in _list(written, "patterns")
        ),
        noises=tuple(
            Noise(_number(one["t"]), _number(one["end"]), str(one["klass"]))
            for one in _list(written, "negatives")
        ),
        channels=channels,
        rig=str(written.get("rig", rig_of(file))),
    )


def _duration_s(path: Path, written: Mapping[str, Any]) -> float:
    if "duration" in written:
        return _number(written["duration"])
    with open_recording(str(path)) as recording:
        if recording.duration_s is None:
            raise ValueError("its length is not known: write down its duration")
        return recording.duration_s


def _numbers(written: Mapping[str, Any], key: str) -> Iterator[float]:
    """Yield the times under *key*, which have to run in order."""
    before = 0.0
    for one in _list(written, key):
        if _number(one) < before:
            raise ValueError(f"{key} do not run in order at {one:g} s")
        before = _number(one)
        yield before


def _list(written: Mapping[str, Any], key: str) -> list[Any]:
    found = written.get(key, [])
    if not isinstance(found, list):
        raise TypeError(f"{key} is no list")
    return found


def _number(value: object) -> float:
    if not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no number")
    return float(value)
