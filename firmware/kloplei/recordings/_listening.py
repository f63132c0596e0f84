"""What is in a recording, heard as the box hears its piezos: causally, block by block.

`listen` yields judgements, `Found` gathers them with their patterns, and the rest says them: as
one JSON object for tools, as a table for people.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import field

from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration, Label
from kloplei.knock.detector import USUAL_LINES, CompanyLines, Listener
from kloplei.knock.geometry import TableGeometry
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.recordings.wav import Recording
from kloplei.table.gestures import Timings

GAP_S = Timings().gap_s


@dataclass(slots=True)
class KnockPattern:
    """Knocks of one seat that belong together, the first *at_s*."""

    at_s: float
    seat: Seat | None
    last_s: float
    count: int = 1


@dataclass(slots=True)
class Found:
    """What has been found in one recording so far, without the samples; *knocks* are counted.

    *labels* is what the table that was learned calls its seats; empty where nobody named them.
    """

    labels: tuple[Label, ...] = ()
    judgements: list[Judgement] = field(default_factory=list)
    patterns: list[KnockPattern] = field(default_factory=list)
    knocks: int = 0
    _last: dict[Seat | None, KnockPattern] = field(default_factory=dict)

    def add(self, judgement: Judgement) -> KnockPattern | None:
        """Take in *judgement*; return the pattern it belongs to, None if it is no knock."""
        if judgement.amends:
            self.judgements = [one for one in self.judgements if one.at_s != judgement.at_s]
        self.judgements.append(judgement)
        if judgement.verdict is not Verdict.KNOCK:
            return None
        self.knocks += 1
        return self._pattern(judgement)

    def label(self, seat: Seat | None) -> Label | None:
        """Return what *seat* is called outside: the label learned, else a plain number."""
        if seat is None:
            return None
        return self.labels[seat] if seat < len(self.labels) else int(seat)

    def those(self, verdict: Verdict) -> list[Judgement]:
        """Return what was judged so, in the order it was heard."""
        found = [one for one in self.judgements if one.verdict is verdict]
        return sorted(found, key=lambda one: one.at_s)

    def _pattern(self, knock: Judgement) -> KnockPattern:
        """Group as the table does: seat by seat, until nothing more comes for a while."""
        pattern = self._last.get(knock.seat)
        if pattern is not None and knock.at_s - pattern.last_s <= GAP_S:
            # What turns out to have been a knock may be told after one that followed it.
            pattern.at_s = min(pattern.at_s, knock.at_s)
            pattern.last_s = max(pattern.last_s, knock.at_s)
            pattern.count += 1
            return pattern
        pattern = self._last[knock.seat] = KnockPattern(knock.at_s, knock.seat, knock.at_s)
        self.patterns.append(pattern)
        return pattern


def listen(
    recording: Recording,
    calibration: Calibration | None = None,
    after_block: Callable[[], None] = lambda: None,
    geometry: TableGeometry | None = None,
    lines: CompanyLines = USUAL_LINES,
) -> Iterator[Judgement]:
    """Yield what every blow in *recording* was found to be, as soon as the box would know.

    Without a table that *calibration* has learned, and without a *geometry* of it, each of
    several channels is a seat.
    *after_block* is called again and again while it goes on, for whoever shows progress; *lines*
    tell how much the company of a blow counts.

    Raises:
        UnreadableRecording: It cannot be read to its end.
    """
    is_seat = recording.channels > 1 and geometry is None
    seats = tuple(map(Seat, range(recording.channels))) if is_seat else ()
    listener = Listener(seats, calibration, geometry=geometry, lines=lines)
    for block in recording.blocks():
        yield from (one for one in listener.feed(block) if isinstance(one, Judgement))
        after_block()
    yield from (one for one in listener.flush() if isinstance(one, Judgement))


BAR = 10  # places of the loudest knock
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_SPELLED = 4  # patterns up to here are written out
_DIGITS = 6  # of a second and of what runs from 0 to 1
_SORTS = {1: "single", 2: "double", 3: "triple"}


def as_json(name: str, recording: Recording, found: Found, *, with_noise: bool = False) -> str:
    """Return one line: the object of ``kloplei listen --json`` (docs/listen.md)."""
    report: dict[str, object] = {
        "file": name,
        "knocks": _entries(found, Verdict.KNOCK),
        "doubtful": _entries(found, Verdict.DOUBTFUL),
        "patterns": [
            {"at_s": short(one.at_s), "count": one.count, "seat": found.label(one.seat)}
            for one in sorted(found.patterns, key=lambda one: one.at_s)
        ],
        "duration_s": short(recording.read_s),
        "rate_hz": recording.rate_hz,
        "channels": recording.channels,
    }
    if with_noise:
        report["noise"] = _entries(found, Verdict.NOISE)
    if complaints := list(recording.complaints()):
        report["complaints"] = complaints
    return json.dumps(report, allow_nan=False)


def heading(name: str, recording: Recording) -> str:
    """Return the line above the table of a recording."""
    length = "" if recording.duration_s is None else f"{clock(recording.duration_s)}, "
    return f"{name}: {length}{recording.rate_hz} Hz, {channels_of(recording.channels)}"


def channels_of(count: int) -> str:
    """Return *count* with its word."""
    return "1 channel" if count == 1 else f"{count} channels"


def row(
    judgement: Judgement, pattern: KnockPattern | None, seat: Label | None, *, plain: bool = False
) -> str:
    """Return the line of one blow at *seat*; *plain* keeps to ASCII."""
    whose = "-" if seat is None else f"{seat} ({judgement.confidence:.0%})"
    amended = ", after all" if judgement.amends else ""
    bar = strength_bar(judgement.strength, plain=plain)
    said = _said(judgement) if pattern is None else spelled(pattern.count)
    return f"  {clock(judgement.at_s)}  {bar:<{BAR}}  {whose:<10}  {said}{amended}"


def summary(found: Found) -> str:
    """Return the line below the table."""
    knocks = found.knocks
    doubtful = len(found.those(Verdict.DOUBTFUL))
    sorts = Counter(_SORTS.get(one.count, "longer") for one in found.patterns)
    listed = ", ".join(f"{sorts[one]} {one}" for one in (*_SORTS.values(), "longer") if sorts[one])
    told = f"{knocks} knock{'s' * (knocks != 1)}" if knocks else "no knock"
    return "  " + told + (f" ({listed})" if listed else "") + f", {doubtful} doubtful"


def spelled(count: int) -> str:
    """Return how a pattern of *count* knocks sounds."""
    return " ".join(["tok"] * count) if count <= _SPELLED else f"tok x{count}"


def strength_bar(strength: float, *, plain: bool = False) -> str:
    """Return a bar of up to `BAR` places for a *strength* from 0 to 1."""
    if plain:
        return "#" * max(1, round(strength * BAR))
    full, eighths = divmod(max(1, round(strength * BAR * 8)), 8)
    return "█" * full + _EIGHTHS[eighths].strip()


def clock(at_s: float) -> str:
    """Return minutes, seconds and thousandths: 61:02.123."""
    minutes, thousandths = divmod(round(at_s * 1000), 60_000)
    return f"{minutes:02}:{thousandths // 1000:02}.{thousandths % 1000:03}"


def _said(judgement: Judgement) -> str:
    if judgement.verdict is Verdict.NOISE:
        return "no knock"
    return f"doubtful: {judgement.likelihood:.0%} a knock"


def _entries(found: Found, verdict: Verdict) -> list[dict[str, object]]:
    return [entry(one, found.label(one.seat)) for one in found.those(verdict)]


def entry(judgement: Judgement, seat: Label | None) -> dict[str, object]:
    """Return one blow at *seat* as plain values."""
    return {
        "at_s": short(judgement.at_s),
        "decided_at_s": short(judgement.decided_at_s),
        "strength": short(judgement.strength),
        "seat": seat,
        "confidence": short(judgement.confidence),
        "likelihood": short(judgement.likelihood),
    }


def short(number: float) -> float:
    """Return *number* with no more digits than say something."""
    return round(number, _DIGITS)
