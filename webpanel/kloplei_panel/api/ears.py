"""What the box heard, for programs: events, marks, the suggestion, the meter, and the tuning."""

from dataclasses import field
from typing import Annotated, ClassVar, Literal

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from kloplei.frozen import dataclass
from kloplei.games.game import Facts, Seat
from kloplei.games.scoreboard import Within
from kloplei.knock.judgement import Verdict
from kloplei.table import client
from kloplei_panel.answers import fresh_json
from kloplei_panel.context import panel
from kloplei_panel.hearing import TuneRemark, tell_remarks
from kloplei_panel.reader import reader
from kloplei_panel.requests import known_seat, problem, read_address, read_body

bp = Blueprint("ears_api", __name__, url_prefix="/api/v1")


@dataclass(frozen=True, slots=True)
class EventsWanted:
    """How many of the last events are wanted."""

    limit: Annotated[int, Within(1, client.MOST_EVENTS)] = field(
        default=50, metadata=problem("bad_limit", most=client.MOST_EVENTS)
    )


@dataclass(frozen=True, slots=True)
class HeardEvents:
    """The last events, newest first, and what is kept of all."""

    events: tuple[client.HeardEvent, ...]
    keeping: client.Keeping


@dataclass(frozen=True, slots=True)
class Mark:
    """What somebody says that an event was in truth."""

    was: Annotated[Literal["knock", "noise"] | None, "null takes it back"] = field(
        metadata=problem("bad_mark")
    )
    seat: Annotated[Seat | None, "Whose knock it was"] = None


@dataclass(frozen=True, slots=True)
class MaybeSuggestion:
    """What the marks suggest; null where they suggest nothing."""

    suggestion: client.Suggestion | None = field(metadata={"nullable": True})


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept by now."""

    keeping: client.Keeping


@dataclass(frozen=True, slots=True)
class MeterRead:
    """How loud it is on the channels of each sensor."""

    described_as: ClassVar[str] = "Meter"
    parts: tuple[client.Loudness, ...]


@dataclass(frozen=True, slots=True)
class TuneStep:
    """A step of the tuning; which make sense, with which facts, the ears themselves judge."""

    step: Annotated[str, {"enum": list(client.TUNE_COMMANDS)}]
    seats: Annotated[
        object,
        {"type": "integer", "minimum": 1},
        "With begin: so many are to knock; with wood: so many sit around it",
    ] = None
    seat: Annotated[Seat | None, "With redo: who is to knock again"] = None
    size: Annotated[object, {"type": "string"}, "With wood: 1.4x0.8, or 1.1; in metres"] = None
    top: Annotated[object, {"type": "string", "enum": ["plate", "planks"]}, "With wood"] = None
    discs: Annotated[
        object, {"type": "string"}, "With wood: corners, seats, or spots by channel"
    ] = None
    facts: Facts = field(default_factory=dict, metadata={"rest": True})


@dataclass(frozen=True, slots=True)
class TuneState:
    """Where the tuning stands; most of it is absent while nobody tunes."""

    step: Annotated[str, {"enum": [client.IDLE, *client.STEPS, "weighing"]}]
    commands: Annotated[tuple[str, ...], "The steps that make sense now"]
    in_force: client.Taught
    text: Annotated[str | None, "What is to be done now"] = None
    count: Annotated[int | None, "So much of it is done"] = None
    of: int | None = None
    level: Annotated[int | None, Within(0, 100)] = None
    seats: Annotated[tuple[client.SeatStand, ...] | None, "All that are to knock"] = None
    remarks: Annotated[tuple[TuneRemark, ...] | None, "What came of it, in plain words"] = None
    seat: Annotated[Seat | None, "Whose knocks are wanted"] = None
    hint: Annotated[str | None, "What was wrong with the last try"] = None
    proposed: client.Taught | None = None
    wood: Annotated[client.WoodStand | None, "The table top, as somebody told it"] = None


@bp.get("/ears/events")
def events() -> Response:
    """Answer with the last events, newest first; ``?limit=`` asks for more or fewer."""
    ears = panel().table.ears
    limit = read_address(EventsWanted, digits=4).limit
    return fresh_json(HeardEvents(ears.heard_events(limit), ears.keeping()))


@bp.post("/ears/events/<int:number>/mark")
def mark(number: int) -> ResponseReturnValue:
    """Say what event *number* was: ``{"was": "knock", "seat": 3}``, ``{"was": null}`` unsays it."""
    ears = panel().table.ears
    asked = read_body(Mark)
    was = None if asked.was is None else Verdict(asked.was)
    return fresh_json(ears.mark(number, was, known_seat(asked.seat)))


@bp.get("/ears/suggestion")
def suggestion() -> Response:
    """Answer with what the marks suggest and what it would do; null where there is nothing."""
    return fresh_json(MaybeSuggestion(panel().table.ears.suggestion()))


@bp.post("/ears/suggestions/<name>/take")
def take(name: str) -> Response:
    """Do what the suggestion with the id *name* says."""
    panel().table.ears.take(name)
    return _kept()


@bp.post("/ears/suggestions/<name>/decline")
def decline(name: str) -> Response:
    """Hear no more of the suggestion with the id *name*."""
    panel().table.ears.decline(name)
    return _kept()


@bp.post("/ears/take-back")
def take_back() -> Response:
    """Undo what was taken last."""
    panel().table.ears.take_back()
    return _kept()


@bp.get("/ears/lessons")
def lessons() -> Response:
    """Answer with what was learned while people played, and what that makes of blows."""
    return fresh_json(panel().table.ears.learned_in_play())


@bp.post("/ears/lessons/<int:number>/forget")
def forget(number: int) -> Response:
    """Take lesson *number* back."""
    ears = panel().table.ears
    ears.forget_lesson(number)
    return fresh_json(ears.learned_in_play())


@bp.post("/ears/lessons/forget")
def forget_all() -> Response:
    """Take back all that was learned in play."""
    ears = panel().table.ears
    ears.forget_lessons()
    return fresh_json(ears.learned_in_play())


@bp.get("/ears/meter")
def meter() -> Response:
    """Answer with how loud each channel was in the last second."""
    return fresh_json(MeterRead(panel().table.ears.meter()))


@bp.get("/tune")
def tuning() -> Response:
    """Answer with where the tuning stands; ``idle`` while nobody tunes."""
    return _tuning(panel().table.ears.tune("look"))


@bp.post("/tune")
def tune() -> Response:
    """Do one step: ``{"step": "begin", "seats": 4}``, ``{"step": "wood", "size": "1.4x0.8"}``."""
    asked = read_body(TuneStep)
    facts = {**asked.facts, "seats": asked.seats, "seat": known_seat(asked.seat)}
    facts |= {"size": asked.size, "top": asked.top, "discs": asked.discs}
    facts = {name: value for name, value in facts.items() if value is not None}
    return _tuning(panel().table.ears.tune(asked.step, facts))


def _kept() -> Response:
    return fresh_json(Kept(panel().table.ears.keeping()))


def _tuning(stand: client.TuneStand) -> Response:
    if not stand.is_under_way:
        idle = TuneState(stand.step, stand.commands, stand.in_force, wood=stand.wood)
        return fresh_json(idle)
    who = reader()
    board = who.reads(panel().table.scoreboard())
    return fresh_json(
        TuneState(
            step=stand.step,
            commands=stand.commands,
            in_force=stand.in_force,
            text=who.tell(stand.prompt, board),
            count=stand.count,
            of=stand.of,
            level=stand.level,
            seats=stand.seats,
            remarks=tell_remarks(stand, who, board),
            seat=stand.seat,
            hint=who.tell(stand.hint, board) or None,
            proposed=stand.proposed,
        )
    )
