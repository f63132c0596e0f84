"""labels.json as it lies in a folder: read with care, for the folder may be anybody's."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kloplei.bench.labels import Entry
from kloplei.bench.take import bytes_of
from kloplei.files import KlopleiError

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
        raw = _read(path)
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


def _read(path: Path) -> bytes:
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
