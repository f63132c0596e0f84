"""What the box has heard, in the reader's words and in small drawings.

Events with their marks and suggestions, for ``/ears``; a tuning and where it stands, for
``/tune``; what a recording asks for; and what was made of something that landed on the demo's
wood. Templates ask for what they show of plain data, a sentence or the points of a drawing at a
time; the API tells the same.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated

from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line, Scoreboard
from kloplei.knock.judgement import KNOCK_LINE, Landing, Verdict, verdict
from kloplei.table.client import (
    Change,
    HeardEvent,
    LearnedInPlay,
    LessonHeard,
    Shape,
    Taught,
    TuneStand,
    WoodStand,
)
from kloplei.table.recordings_client import AskedStep
from kloplei.words import Words
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
_BENCH, _GO = "bench", "go"  # what a recording asks for, as slate and terminal say it
WAITING, UNFELT, UNHEEDED = "waiting", "unfelt", "unheeded"


def turned(change: Change, reader: Reader, names: Names) -> tuple[str, str]:
    """Return what an event was taken for, and would be after *change*, where that is another."""
    # Only the seat is another.
    if change.before is change.after:
        before = _name_or_none(change.seat_before, reader, names)
        return before, _name_or_none(change.seat_after, reader, names)
    return reader.say(f"ears.{change.before}"), reader.say(f"ears.{change.after}")


def tell_move(move: Line, reader: Reader) -> str:
    """Return what is turned, as one sentence."""
    return reader.say(f"ears.{move.key}", amount=move.facts.get("amount"))


def tell_learned(learned: LearnedInPlay, reader: Reader, board: Scoreboard) -> tuple[str, ...]:
    """Return in a few sentences what the box makes of blows by what it learned in play."""
    return tuple(reader.tell(one, board) for one in learned.lines)


def tell_lesson(lesson: LessonHeard, reader: Reader, board: Scoreboard, now: float) -> str:
    """Return what was learned of one blow, from what, and when."""
    what = reader.say("ears.knock" if lesson.was_knock else "ears.noise")
    said = reader.tell(Line(f"learned.{lesson.said}"), board)
    return " · ".join(part for part in (what, said, ago(lesson.at, reader, now)) if part)


@dataclass(frozen=True, slots=True)
class TuneRemark:
    """One sentence of the result."""

    grade: Annotated[str, {"enum": list(_ICONS)}]
    text: str

    @property
    def icon(self) -> str:
        """Its sign."""
        return _ICONS[self.grade]


def tell_remarks(stand: TuneStand, reader: Reader, board: Scoreboard) -> tuple[TuneRemark, ...]:
    """Return what came of the tuning, as far as it can be told at *stand*."""
    return tuple(TuneRemark(one.grade, reader.tell(one.line, board)) for one in stand.remarks)


def boxes(stand: TuneStand) -> tuple[bool, ...]:
    """Return a box for each thing to do, or some for each box where they are many."""
    shown = min(stand.of, _BOXES)
    return tuple((number + 1) * stand.of <= stand.count * shown for number in range(shown))


def tell_taught(taught: Taught, reader: Reader, how: str = "") -> str:
    """Return what was taught; *how* names another sentence of a tuning for it."""
    how = how or ("tuned" if taught.tuned else "untuned")
    return reader.say(f"tune.{how}", gain=f"{taught.gain_db:+.0f}")


def tell_wood(wood: WoodStand, reader: Reader) -> str:
    """Return what was told of the table top, in one sentence."""
    where = wood.discs if wood.discs in ("corners", "seats") else "own"
    return reader.say(f"wood.told_{where}", size=wood.size.replace("x", " x "), n=wood.around)


def tell_landing(landing: Landing, reader: Reader, names: Names) -> str:
    """Return all that came of *landing* in one breath; *names* are those of who sits where."""
    what = f"{reader.say(f'thing.{landing.kind}')}: {tell_outcome(landing, reader)}"
    said = (what, whose_landing(landing, reader, names), how_felt(landing, reader))
    return " · ".join(part for part in said if part)


def tell_outcome(landing: Landing, reader: Reader) -> str:
    """Return what the box took *landing* for, and how sure it is of that."""
    return reader.say(f"heard.{outcome(landing)}", percent=_percent(landing))


def is_right(landing: Landing) -> bool | None:
    """Return whether the box named the seat that was struck; None where that says nothing."""
    if not landing.is_heeded or landing.near is None or landing.verdict in {None, Verdict.NOISE}:
        return None
    return landing.seat == landing.near


def outline(shape: Shape) -> str:
    """Return the points of a polygon around *shape*: its peaks there, its troughs back."""
    peaks = _points(shape.highs)
    troughs = _points(shape.lows)
    return " ".join((*peaks, *reversed([*troughs])))


def onset_x(shape: Shape) -> float:
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


def _name_or_none(seat: Seat | None, reader: Reader, names: Names) -> str:
    return reader.say("ears.seat_unknown") if seat is None else reader.name_at(seat, names)


def sure(event: HeardEvent, reader: Reader) -> str:
    """Return how sure the judge was of it; a doubtful one has said so already."""
    if event.verdict is Verdict.DOUBTFUL:
        return ""
    right = event.likelihood if event.verdict is Verdict.KNOCK else 1 - event.likelihood
    if right >= _SURE:
        return reader.say("ears.sure")
    return reader.say("ears.rather") if right >= _RATHER else reader.say("ears.hardly")


def line(event: HeardEvent, reader: Reader) -> str:
    """Return where the line lay, where the game had moved it and so made another thing of it."""
    if verdict(event.likelihood) is event.verdict or event.line == KNOCK_LINE:
        return ""
    way = "milder" if event.line < KNOCK_LINE else "stricter"
    heard = min(99, max(1, round(100 * event.likelihood)))
    return reader.say(f"ears.{way}", heard=heard, line=round(100 * event.line))


def whose(event: HeardEvent, reader: Reader, names: Names) -> str:
    """Return who knocked, as sure as the judge was of the seat; "" where nobody did."""
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


def ago(at: float | None, reader: Reader, now: float) -> str:
    """Return how long before the wall clock's *now* that was, or when; "" where nobody knows."""
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


def mark(event: HeardEvent, reader: Reader, names: Names) -> str:
    """Return what somebody has said that *event* was; "" where nobody has."""
    if event.was is None:
        return ""
    if event.was is Verdict.NOISE:
        return reader.say("ears.said_noise")
    if event.was_seat is None:
        return reader.say("ears.said_knock")
    return reader.say("ears.said_seat", name=reader.name_at(event.was_seat, names))


def polyline(wave: Sequence[float]) -> str:
    """Return the points of *wave*, as high as the picture whatever its loudness."""
    if len(wave) < 2:
        return ""
    loudest = max(_QUIETEST, *map(abs, wave))
    step, middle = WAVE_WIDTH / (len(wave) - 1), WAVE_HEIGHT / 2
    heights = (middle - sample / loudest * (middle - 2) for sample in wave)
    return " ".join(f"{at * step:.1f},{height:.1f}" for at, height in enumerate(heights))


def tell_asked(asked: AskedStep, reader: Reader) -> str:
    """Return what a recording asks for, and at which seats: ``seat 3: KNOCK, as you always do``."""
    words = _bench_words(reader)
    what = f"{words.say(f'word.{asked.kind}')}, {words.say(f'how.{asked.kind}')}"
    whose = " + ".join(reader.say("seat.number", number=seat.shown) for seat in asked.seats)
    return f"{whose}: {what}" if whose else what


def tell_go(reader: Reader) -> str:
    """Return the word at which something is to be done."""
    return _bench_words(reader).say(_GO)


def _bench_words(reader: Reader) -> Words:
    return Words(reader.language, domain=_BENCH)


def outcome(landing: Landing) -> str:
    """Return the verdict, or `WAITING`, `UNFELT`, or `UNHEEDED` where the table is deaf."""
    if not landing.is_heeded:
        # Whatever the box may think of it.
        return UNHEEDED
    return landing.verdict or (UNFELT if landing.is_over else WAITING)


def _percent(landing: Landing) -> int:
    """Return how sure the box is of what it says; never all, for it is not."""
    sure = 1 - landing.likelihood if landing.verdict is Verdict.NOISE else landing.likelihood
    return min(99, max(1, round(100 * sure)))


def whose_landing(landing: Landing, reader: Reader, names: Names) -> str | None:
    """Return whose knock it was, for the box; None where that says nothing."""
    if not landing.is_heeded or landing.verdict in {None, Verdict.NOISE}:
        return None
    if landing.seat is None:
        return reader.say("heard.seat_unsure")
    name = names.get(Seat(landing.seat - 1)) or reader.say("seat.empty")
    if landing.near is None:
        return reader.say("heard.seat_between", seat=landing.seat, name=name)
    if landing.seat == landing.near:
        return reader.say("heard.seat_right", seat=landing.seat, name=name)
    return reader.say("heard.seat_wrong", seat=landing.seat, name=name, near=landing.near)


def how_felt(landing: Landing, reader: Reader) -> str | None:
    """Return how many blows the box felt, or how soon it knew; None where that says nothing."""
    if not landing.is_heeded:
        return None
    if landing.blows > 1:
        return reader.say("heard.blows", count=landing.blows)
    if landing.decided_after_s is None:
        return None
    return reader.say("heard.after", ms=round(1000 * landing.decided_after_s))
