"""What one recording is said to hold: what was asked for, when, and what is to be seen of it.

The entries are those of the folders that `benchmarks/knocks.py` measures on, with more in them.
Where something struck the wood is judged by loudness alone and not by `kloplei.knock`: what is to
measure an ear must not be labelled by it. labels.json is read with care, for the folder may be
anybody's.
"""

import json
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from operator import sub
from pathlib import Path
from typing import Any

from kloplei.files import KlopleiError, little_endian
from kloplei.frozen import dataclass
from kloplei.knock.signal import RAIL
from kloplei.recordings.capture.protocol import KNOCK, TRAIN_GAP_S, ProtocolStep
from kloplei.recordings.capture.writer import Gap, bytes_of
from kloplei.recordings.wav import read_head

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
        read = file.read()[: (layout.frames or 0) * layout.frame_bytes]
    frames = little_endian(array("h", read))
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
