"""What one recording is said to hold: what was asked for, when, and what is to be seen of it.

The entries are those of the folders that `benchmarks/knocks.py` measures on, with more in them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kloplei.bench.blows import Event
from kloplei.bench.protocol import KNOCK, TRAIN_GAP_S, Step
from kloplei.bench.take import Gap
from kloplei.knock.signal import RAIL

EARLY_S, LATE_S = 0.5, 0.85  # about a beat: so far off it is still the blow that was asked for
FAINT = 0.15  # of the clearest blow about a beat: what is fainter is another thing
GAP_IGNORED_S = 0.02  # what was cut out may look like a blow on either side of the cut

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Taken:
    """One recording as it was made; *prompts_s*, None where nothing was sampled, in the file."""

    step: Step
    file: str
    lasts_s: float
    rate_hz: float
    channels: int
    prompts_s: tuple[float | None, ...]
    gaps: tuple[Gap, ...] = ()
    bridged: int = 0  # samples drawn straight over the short pauses of the bus
    is_cut_short: bool = False
    complaints: tuple[str, ...] = ()


def entry_of(taken: Taken, events: Sequence[Event]) -> Entry:
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


def _prompts(taken: Taken, events: Sequence[Event]) -> tuple[list[Entry], list[Event]]:
    """Return what became of each prompt, and the events that belong to none."""
    left = list(events)
    prompts = []
    for prompted_s in taken.prompts_s:
        mine = _about(prompted_s, taken.step, left)
        left = [one for one in left if one not in mine]
        prompts.append(_prompt(prompted_s, mine, taken.step.kind.blows))
    return prompts, left


def _about(prompted_s: float | None, step: Step, events: Sequence[Event]) -> list[Event]:
    """Return the events that a hand made which was asked for *prompted_s*, in their order."""
    if prompted_s is None:
        return []
    until_s = prompted_s + LATE_S + (step.kind.blows - 1) * TRAIN_GAP_S
    near = [one for one in events if prompted_s - EARLY_S <= one.at_s <= until_s]
    clearest = max((one.clearness for one in near), default=0.0)
    clear = [one for one in near if one.clearness >= FAINT * clearest]
    loudest = sorted(clear, key=lambda one: -one.clearness)[: step.kind.blows]
    return sorted(loudest, key=lambda one: one.at_s)


def _prompt(prompted_s: float | None, mine: Sequence[Event], blows: int) -> Entry:
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
