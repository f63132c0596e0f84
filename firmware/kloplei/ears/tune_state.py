"""What a page or a terminal is told of a tuning: where it stands, and what came of it."""

from collections.abc import Iterator

from kloplei.games.game import Facts, Seat
from kloplei.games.scoreboard import Line
from kloplei.knock.calibration import Calibration
from kloplei.knock.tuning import KNOCKS, Lesson, Step
from kloplei.table.ears import TuneState
from kloplei.table.tune import IDLE


def idle_state(in_force: Calibration, *, may_go_back: bool) -> TuneState:
    """Return the state of a table that nobody tunes: what it was taught, and whether to go back."""
    return TuneState(
        IDLE, {"in_force": _spelled(in_force), "commands": _commands(None, may_go_back)}
    )


def state_of(lesson: Lesson, in_force: Calibration, *, may_go_back: bool) -> TuneState:
    """Return where *lesson* stands."""
    shown, result = lesson.shown, lesson.result
    return TuneState(
        shown.step,
        {
            "prompt": _line(shown.prompt),
            "hint": None if shown.hint is None else _line(shown.hint),
            "seat": shown.seat,
            "count": shown.count,
            "of": shown.of,
            "level": shown.level,
            "edges": lesson.seat is not None and lesson.setup.by_edges(lesson.seat),
            "seats": tuple(_seats(lesson)),
            "remarks": tuple(
                {"grade": one.grade.value, **_line(one.line)}
                for one in (result.remarks if result else ())
            ),
            "in_force": _spelled(in_force),
            "proposed": _spelled(result.calibration) if result and result.calibration else None,
            "commands": _commands(lesson, may_go_back),
        },
    )


def _commands(lesson: Lesson | None, may_go_back: bool) -> tuple[str, ...]:
    """Return the steps that make sense now, as they are asked for."""
    if lesson is None:
        return ("begin", "back") if may_go_back else ("begin",)
    match lesson.step:
        case Step.WEIGHING:
            return ("quit",)
        case Step.RESULT:
            is_of_use = lesson.result is not None and lesson.result.calibration is not None
            return ("save", "redo", "quit") if is_of_use else ("redo", "quit")
    return ("next", "skip", "redo", "quit")


def _seats(lesson: Lesson) -> Iterator[Facts]:
    for seat in lesson.setup.seats:
        yield {
            "seat": seat,
            "count": len(lesson.knocks.get(seat, ())),
            "of": KNOCKS,
            "state": _state_of_seat(lesson, seat),
        }


def _state_of_seat(lesson: Lesson, seat: Seat) -> str:
    if seat == lesson.seat:
        return "now"
    if seat in lesson.skipped:
        return "skipped"
    return "done" if lesson.knocks.get(seat) else "to_come"


def _line(line: Line) -> dict[str, object]:
    return {"key": line.key, "facts": dict(line.facts)}


def _spelled(calibration: Calibration) -> Facts:
    """Return what people may want to know of *calibration*, and whether anybody taught it."""
    return {
        "tuned": calibration != Calibration(),
        "gain_db": calibration.gain_db,
        "strictness": calibration.strictness,
        "wary": calibration.distrust is not None,
        "floor": calibration.floor,
        "seats": calibration.places.seats if calibration.places is not None else (),
    }
