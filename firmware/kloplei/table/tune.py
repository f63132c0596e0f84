"""Where a tuning stands, as pages and terminals read it off a `TuneState`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from kloplei.games.game import Facts, Seat
from kloplei.games.scoreboard import Line
from kloplei.table.client import TableSilent
from kloplei.table.ears import TuneState

IDLE = "idle"
RESULT = "result"
STEPS = ("quiet", "glass", "phone", "knocks", RESULT)
"""What is done one after the other; before the result it says ``weighing`` for a moment."""


@dataclass(frozen=True, slots=True)
class SeatStand:
    """How far one seat is."""

    described_as: ClassVar[str] = "TuneSeat"
    seat: Seat
    count: int
    of: int
    state: Literal["to_come", "now", "done", "skipped"]


@dataclass(frozen=True, slots=True)
class Told:
    """One sentence of the result: *grade* is ``good``, ``fair`` or ``poor``."""

    grade: str
    line: Line


@dataclass(frozen=True, slots=True)
class TuneStand:
    """A tuning at one moment; `kloplei.games.scoreboard.Tuning` says what is like it there.

    *commands* are the steps that make sense now. *edges* tells that of this seat only edges are
    known, and no loudness. *in_force* and *proposed* spell what was taught and what would be.
    """

    step: str
    commands: tuple[str, ...]
    in_force: Facts
    prompt: Line | None = None
    hint: Line | None = None
    seat: Seat | None = None
    count: int = 0
    of: int = 0
    level: int = 0
    edges: bool = False
    seats: tuple[SeatStand, ...] = ()
    remarks: tuple[Told, ...] = ()
    proposed: Facts | None = None

    @property
    def is_under_way(self) -> bool:
        """Whether somebody tunes."""
        return self.step != IDLE


def read_stand(state: TuneState) -> TuneStand:
    """Return what *state* tells.

    Raises:
        TableSilent: It was made by another version.
    """
    try:
        return _read(state.step, state.facts)
    except (KeyError, TypeError, AttributeError) as error:
        raise TableSilent(
            "The table tells of its tuning in another version. Restart both units after an update."
        ) from error


def _read(step: str, facts: Mapping[str, Any]) -> TuneStand:
    if step == IDLE:
        return TuneStand(step, facts["commands"], facts["in_force"])
    return TuneStand(
        step=step,
        commands=facts["commands"],
        in_force=facts["in_force"],
        prompt=_line(facts["prompt"]),
        hint=None if facts["hint"] is None else _line(facts["hint"]),
        seat=facts["seat"],
        count=facts["count"],
        of=facts["of"],
        level=facts["level"],
        edges=facts["edges"],
        seats=tuple(
            SeatStand(one["seat"], one["count"], one["of"], one["state"]) for one in facts["seats"]
        ),
        remarks=tuple(Told(one["grade"], _line(one)) for one in facts["remarks"]),
        proposed=facts["proposed"],
    )


def _line(spelled: Mapping[str, Any]) -> Line:
    return Line(spelled["key"], spelled["facts"])
