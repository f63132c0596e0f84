"""A tuning as the page tells it: where it stands, in the reader's words."""

from dataclasses import dataclass

from kloplei.games.game import Facts, Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import STEPS, TuneStand
from kloplei_panel.hearing import name_of
from kloplei_panel.reader import Reader

_BOXES = 5
_ICONS = {"good": "knock", "fair": "question", "poor": "warning"}


@dataclass(frozen=True, slots=True)
class RemarkText:
    """One sentence of the result, with its sign."""

    grade: str
    icon: str
    text: str


@dataclass(frozen=True, slots=True)
class SeatTold:
    """One seat with its name, and how far it is."""

    seat: Seat
    name: str
    count: int
    of: int
    state: str


@dataclass(frozen=True, slots=True)
class TuneTold:
    """All that the page shows; *at* is the number of the step, from 0."""

    stand: TuneStand
    at: int
    prompt: str
    hint: str
    boxes: tuple[bool, ...]
    seats: tuple[SeatTold, ...]
    remarks: tuple[RemarkText, ...]
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
        seats=tuple(
            SeatTold(one.seat, name_of(one.seat, reader, board.names), one.count, one.of, one.state)
            for one in stand.seats
        ),
        remarks=tuple(
            RemarkText(one.grade, _ICONS.get(one.grade, "said"), reader.tell(one.line, board))
            for one in stand.remarks
        ),
        in_force=_taught(stand.in_force, reader),
        proposed="" if stand.proposed is None else _gain(stand.proposed, reader),
    )


def _boxes(count: int, of: int) -> tuple[bool, ...]:
    """Return a box for each thing to do, or some for each box where they are many."""
    boxes = min(of, _BOXES)
    return tuple((number + 1) * of <= count * boxes for number in range(boxes))


def _taught(calibration: Facts, reader: Reader) -> str:
    if not calibration.get("tuned"):
        return reader.say("tune.untuned")
    return reader.say("tune.tuned", gain=_decibels(calibration))


def _gain(calibration: Facts, reader: Reader) -> str:
    return reader.say("tune.proposed", gain=_decibels(calibration))


def _decibels(calibration: Facts) -> str:
    gain_db = calibration.get("gain_db")
    return f"{gain_db:+.0f}" if isinstance(gain_db, int | float) else ""
