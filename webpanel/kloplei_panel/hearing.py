"""What was heard, in the reader's words: verdicts, seats, how sure, how long ago."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.knock.judgement import Verdict
from kloplei.table.client import Change, HeardEvent, Suggestion
from kloplei_panel import waves
from kloplei_panel.reader import Reader

VERDICT_ICONS = {Verdict.KNOCK: "knock", Verdict.DOUBTFUL: "question", Verdict.NOISE: "noise"}

_SURE, _RATHER = 0.95, 0.8
_SEAT_SURE, _SEAT_RATHER = 0.9, 0.6
_NOW_S, _MINUTE_S, _HOUR_S = 5, 60, 3600

Names = Mapping[Seat, str]


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
        wave="" if shape is None else waves.outline(shape),
        onset_x=0.0 if shape is None else waves.onset_x(shape),
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


def name_of(seat: Seat, reader: Reader, names: Names) -> str:
    """Return who sits at *seat*, or which seat it is."""
    return names.get(seat) or reader.say("seat.number", number=seat.shown)


def _tell_change(change: Change, reader: Reader, names: Names) -> ToldChange:
    before, after = _verdict(change.before, reader), _verdict(change.after, reader)
    if change.before is change.after:  # only the seat is another
        before = _name_or_none(change.seat_before, reader, names)
        after = _name_or_none(change.seat_after, reader, names)
    icons = VERDICT_ICONS[change.before], VERDICT_ICONS[change.after]
    return ToldChange(change.number, before, after, *icons)


def _name_or_none(seat: Seat | None, reader: Reader, names: Names) -> str:
    return reader.say("ears.seat_unknown") if seat is None else name_of(seat, reader, names)


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
    name = name_of(event.seat, reader, names)
    if event.confidence >= _SEAT_SURE:
        return name
    if event.confidence >= _SEAT_RATHER:
        return reader.say("ears.seat_rather", name=name)
    return reader.say("ears.seat_hardly", name=name)


def _ago(at: float | None, reader: Reader, now: float) -> str:
    if at is None:
        return ""
    passed = now - at
    if not 0 <= passed < _HOUR_S:  # long ago, or the box has learned the time since
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
    return reader.say("ears.said_seat", name=name_of(event.was_seat, reader, names))
