"""What the box has heard, in the reader's words and in small drawings.

Events with their marks and suggestions, for ``/ears``; a tuning and where it stands, for
``/tune``; and what was made of something that landed on the demo's wood. Plain data comes in,
frozen dataclasses of sentences go out; pages and API tell the same.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line, Scoreboard
from kloplei.knock.judgement import Landing, Verdict
from kloplei.table.client import (
    STEPS,
    Change,
    HeardEvent,
    Shape,
    Suggestion,
    Taught,
    TuneStand,
)
from kloplei_panel.reader import Reader

OUTLINE_WIDTH, OUTLINE_HEIGHT = 96, 40
"""The drawing's own units."""
_FULL_SCALE = 1000
_MIDDLE = OUTLINE_HEIGHT / 2
VERDICT_ICONS = {Verdict.KNOCK: "knock", Verdict.DOUBTFUL: "question", Verdict.NOISE: "noise"}
_SURE, _RATHER = 0.95, 0.8
_SEAT_SURE, _SEAT_RATHER = 0.9, 0.6
_NOW_S, _MINUTE_S, _HOUR_S = 5, 60, 3600
Names = Mapping[Seat, str]
_BOXES = 5
_ICONS = {"good": "knock", "fair": "question", "poor": "warning"}
WAVE_WIDTH, WAVE_HEIGHT = 240, 56
"""The picture's own units."""
# Of full scale: what is softer than this is not magnified any more.
_QUIETEST = 0.02
WAITING, UNFELT, UNHEEDED = "waiting", "unfelt", "unheeded"


@dataclass(frozen=True, slots=True)
class EventText:
    """One event as the page tells it; *wave* is empty where only edges are known."""

    event: HeardEvent
    icon: str
    verdict: str
    sure: str
    whose: str
    ago: str
    mark: str
    wave: str = ""
    onset_x: float = 0.0

    @property
    def was_marked(self) -> bool:
        """Whether somebody has said what it was."""
        return self.event.was is not None


@dataclass(frozen=True, slots=True)
class ToldChange:
    """One event that a suggestion would turn; *before* and *after* in words."""

    number: int
    before: str
    after: str
    icon_before: str
    icon_after: str


def tell_event(event: HeardEvent, reader: Reader, names: Names, now: float) -> EventText:
    """Return how *event* is told to *reader* at the wall clock's *now*."""
    shape = event.shape
    return EventText(
        event=event,
        icon=VERDICT_ICONS[event.verdict],
        verdict=_verdict(event.verdict, reader),
        sure=_sure(event, reader),
        whose=_whose(event, reader, names),
        ago=_ago(event.at, reader, now),
        mark=_mark(event, reader, names),
        wave="" if shape is None else _outline(shape),
        onset_x=0.0 if shape is None else _onset_x(shape),
    )


def tell_changes(suggestion: Suggestion, reader: Reader, names: Names) -> list[ToldChange]:
    """Return what *suggestion* would turn, newest first."""
    newest_first = sorted(suggestion.changes, key=lambda one: -one.number)
    return [_tell_change(one, reader, names) for one in newest_first]


def tell_move(move: Line, reader: Reader) -> str:
    """Return what is turned, as one sentence."""
    amount = move.facts.get("amount")
    shown = f"{amount:g}" if isinstance(amount, int | float) else ""
    return reader.say(f"ears.{move.key}", amount=shown)


@dataclass(frozen=True, slots=True)
class TuneRemark:
    """One sentence of the result."""

    grade: Annotated[str, {"enum": list(_ICONS)}]
    text: str

    @property
    def icon(self) -> str:
        """Its sign."""
        return _ICONS[self.grade]


@dataclass(frozen=True, slots=True)
class TuneTold:
    """All that the page shows; *at* is the number of the step, from 0."""

    stand: TuneStand
    at: int
    prompt: str
    hint: str
    boxes: tuple[bool, ...]
    remarks: tuple[TuneRemark, ...]
    in_force: str
    proposed: str


def tell_tune(stand: TuneStand, reader: Reader, board: Scoreboard) -> TuneTold:
    """Return how *stand* is told to *reader*."""
    return TuneTold(
        stand=stand,
        at=STEPS.index(stand.step) if stand.step in STEPS else len(STEPS) - 1,
        prompt="" if stand.prompt is None else reader.tell(stand.prompt, board),
        hint="" if stand.hint is None else reader.tell(stand.hint, board),
        boxes=_boxes(stand.count, stand.of),
        remarks=tuple(TuneRemark(one.grade, reader.tell(one.line, board)) for one in stand.remarks),
        in_force=_taught(stand.in_force, reader, "tuned" if stand.in_force.tuned else "untuned"),
        proposed="" if stand.proposed is None else _taught(stand.proposed, reader, "proposed"),
    )


@dataclass(frozen=True, slots=True)
class VerdictText:
    """One landing as the page tells it.

    *outcome* is the verdict, or `WAITING`, `UNFELT`, or `UNHEEDED` where the table is deaf;
    *wave* the points of a polyline.
    """

    landing: Landing
    outcome: str
    thing: str
    verdict: str
    whose: str | None
    felt: str | None
    wave: str

    @property
    def text(self) -> str:
        """All of it in one breath."""
        said = (f"{self.thing}: {self.verdict}", self.whose, self.felt)
        return " · ".join(part for part in said if part)


def tell_landing(landing: Landing, reader: Reader, names: Mapping[Seat, str]) -> VerdictText:
    """Return how *landing* is told to *reader*; *names* are those of who sits where."""
    outcome = _outcome(landing)
    return VerdictText(
        landing=landing,
        outcome=outcome,
        thing=reader.say(f"thing.{landing.kind}"),
        verdict=reader.say(f"heard.{outcome}", percent=_percent(landing)),
        whose=_whose_landing(landing, reader, names) if landing.is_heeded else None,
        felt=_how_felt(landing, reader) if landing.is_heeded else None,
        wave=_polyline(landing.wave),
    )


def is_right(landing: Landing) -> bool | None:
    """Return whether the box named the seat that was struck; None where that says nothing."""
    if not landing.is_heeded or landing.near is None or landing.verdict in {None, Verdict.NOISE}:
        return None
    return landing.seat == landing.near


def _outline(shape: Shape) -> str:
    """Return the points of a polygon around *shape*: its peaks there, its troughs back."""
    peaks = _points(shape.highs)
    troughs = _points(shape.lows)
    return " ".join((*peaks, *reversed([*troughs])))


def _onset_x(shape: Shape) -> float:
    """Return where on the drawing the blow began."""
    part = shape.onset_s / shape.span_s if shape.span_s > 0 else 0.0
    return round(OUTLINE_WIDTH * max(0.0, min(1.0, part)), 1)


def _points(samples: Sequence[int]) -> Iterator[str]:
    step = OUTLINE_WIDTH / max(1, len(samples) - 1)
    for at, sample in enumerate(samples):
        yield f"{at * step:.1f},{_MIDDLE - _drawn(sample):.1f}"


def _drawn(sample: int) -> float:
    """Return how far from the middle *sample* is drawn: by its root, as ears would have it.

    So a knock that is a tenth as loud is still a third as high.
    """
    return (_MIDDLE - 1) * math.copysign(math.sqrt(min(1.0, abs(sample) / _FULL_SCALE)), sample)


def _tell_change(change: Change, reader: Reader, names: Names) -> ToldChange:
    before, after = _verdict(change.before, reader), _verdict(change.after, reader)
    # Only the seat is another.
    if change.before is change.after:
        before = _name_or_none(change.seat_before, reader, names)
        after = _name_or_none(change.seat_after, reader, names)
    icons = VERDICT_ICONS[change.before], VERDICT_ICONS[change.after]
    return ToldChange(change.number, before, after, *icons)


def _name_or_none(seat: Seat | None, reader: Reader, names: Names) -> str:
    return reader.say("ears.seat_unknown") if seat is None else reader.name_at(seat, names)


def _verdict(verdict: Verdict, reader: Reader) -> str:
    match verdict:
        case Verdict.KNOCK:
            return reader.say("ears.knock")
        case Verdict.DOUBTFUL:
            return reader.say("ears.doubtful")
    return reader.say("ears.noise")


def _sure(event: HeardEvent, reader: Reader) -> str:
    """Return how sure the judge was of it; a doubtful one has said so already."""
    if event.verdict is Verdict.DOUBTFUL:
        return ""
    right = event.likelihood if event.verdict is Verdict.KNOCK else 1 - event.likelihood
    if right >= _SURE:
        return reader.say("ears.sure")
    return reader.say("ears.rather") if right >= _RATHER else reader.say("ears.hardly")


def _whose(event: HeardEvent, reader: Reader, names: Names) -> str:
    if event.verdict is Verdict.NOISE:
        return ""
    if event.seat is None:
        return reader.say("ears.seat_unknown")
    name = reader.name_at(event.seat, names)
    if event.confidence >= _SEAT_SURE:
        return name
    if event.confidence >= _SEAT_RATHER:
        return reader.say("ears.seat_rather", name=name)
    return reader.say("ears.seat_hardly", name=name)


def _ago(at: float | None, reader: Reader, now: float) -> str:
    if at is None:
        return ""
    passed = now - at
    # Long ago, or the box has learned the time since.
    if not 0 <= passed < _HOUR_S:
        return f"{datetime.fromtimestamp(at).astimezone():%H:%M:%S}"
    if passed < _NOW_S:
        return reader.say("ears.just_now")
    if passed < _MINUTE_S:
        return reader.say("ears.seconds_ago", n=_NOW_S * int(passed // _NOW_S))
    return reader.say("ears.minutes_ago", n=int(passed // _MINUTE_S))


def _mark(event: HeardEvent, reader: Reader, names: Names) -> str:
    if event.was is None:
        return ""
    if event.was is Verdict.NOISE:
        return reader.say("ears.said_noise")
    if event.was_seat is None:
        return reader.say("ears.said_knock")
    return reader.say("ears.said_seat", name=reader.name_at(event.was_seat, names))


def _boxes(count: int, of: int) -> tuple[bool, ...]:
    """Return a box for each thing to do, or some for each box where they are many."""
    boxes = min(of, _BOXES)
    return tuple((number + 1) * of <= count * boxes for number in range(boxes))


def _taught(taught: Taught, reader: Reader, how: str) -> str:
    return reader.say(f"tune.{how}", gain=f"{taught.gain_db:+.0f}")


def _polyline(wave: Sequence[float]) -> str:
    """Return the points of *wave*, as high as the picture whatever its loudness."""
    if len(wave) < 2:
        return ""
    loudest = max(_QUIETEST, *map(abs, wave))
    step, middle = WAVE_WIDTH / (len(wave) - 1), WAVE_HEIGHT / 2
    heights = (middle - sample / loudest * (middle - 2) for sample in wave)
    return " ".join(f"{at * step:.1f},{height:.1f}" for at, height in enumerate(heights))


def _outcome(landing: Landing) -> str:
    if not landing.is_heeded:
        # Whatever the box may think of it.
        return UNHEEDED
    return landing.verdict or (UNFELT if landing.is_over else WAITING)


def _percent(landing: Landing) -> int:
    """Return how sure the box is of what it says; never all, for it is not."""
    sure = 1 - landing.likelihood if landing.verdict is Verdict.NOISE else landing.likelihood
    return min(99, max(1, round(100 * sure)))


def _whose_landing(landing: Landing, reader: Reader, names: Mapping[Seat, str]) -> str | None:
    if landing.verdict in {None, Verdict.NOISE}:
        return None
    if landing.seat is None:
        return reader.say("heard.seat_unsure")
    name = names.get(Seat(landing.seat - 1)) or reader.say("seat.empty")
    if landing.near is None:
        return reader.say("heard.seat_between", seat=landing.seat, name=name)
    if landing.seat == landing.near:
        return reader.say("heard.seat_right", seat=landing.seat, name=name)
    return reader.say("heard.seat_wrong", seat=landing.seat, name=name, near=landing.near)


def _how_felt(landing: Landing, reader: Reader) -> str | None:
    if landing.blows > 1:
        return reader.say("heard.blows", count=landing.blows)
    if landing.decided_after_s is None:
        return None
    return reader.say("heard.after", ms=round(1000 * landing.decided_after_s))
