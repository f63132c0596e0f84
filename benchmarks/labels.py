"""A folder of labelled recordings: what `labels.json` says about each of them.

The file is an object with ``files``, a list of objects:

- ``file``: path below the folder; ``category``: knock, tap, negative, scene, piezo_drum or
  piezo_drum_2ch; ``klass``: what it is; ``duration`` in seconds
- ``onsets``: when knocks begin, in seconds; ``ignore``: what may be one or not
- negatives: ``domain``, where the noise comes from (on_table, structure, airborne, electronics)
- scenes: ``patterns`` (``t``, ``count``) and ``negatives`` (``t``, ``end``, ``klass``)
- two channels: ``channel`` struck, for each onset
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LABELS = "labels.json"


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


def read_labels(folder: Path) -> tuple[Labelled, ...]:
    """Return what `labels.json` in *folder* says, in its order.

    Raises:
        NoLabels: It is not there, or not as the head of this module says.
    """
    path = folder / LABELS
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
        return tuple(map(_labelled, written["files"]))
    except OSError as error:
        raise NoLabels(
            f"{path} cannot be read ({error.strerror}); name a folder with one"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NoLabels(f"{path} is not as benchmarks/labels.py describes it ({error!r})") from error


def _labelled(written: Mapping[str, object]) -> Labelled:
    return Labelled(
        file=str(written["file"]),
        category=str(written["category"]),
        klass=str(written["klass"]),
        duration_s=_number(written["duration"]),
        onsets_s=tuple(map(_number, _list(written, "onsets"))),
        ignore_s=tuple(map(_number, _list(written, "ignore"))),
        domain=str(written.get("domain", "")),
        patterns=tuple(
            Pattern(_number(one["t"]), int(one["count"])) for one in _list(written, "patterns")
        ),
        noises=tuple(
            Noise(_number(one["t"]), _number(one["end"]), str(one["klass"]))
            for one in _list(written, "negatives")
        ),
        channels=tuple(map(int, _list(written, "channel"))),
    )


def _list(written: Mapping[str, object], key: str) -> list[Any]:
    found = written.get(key, [])
    if not isinstance(found, list):
        raise TypeError(f"{key} is no list")
    return found


def _number(value: object) -> float:
    if not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no number")
    return float(value)
