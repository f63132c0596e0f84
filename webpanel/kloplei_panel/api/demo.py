"""The demo's hooks: move the virtual pins, let something land on the wood, and see what came of it.

They do what hands do at a real table, and look at the virtual box, no more.
"""

from dataclasses import field
from typing import Annotated, ClassVar

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from kloplei.frozen import dataclass
from kloplei.games.scoreboard import Share, Within
from kloplei.knock.judgement import Landing, Verdict
from kloplei.table.schema import WORLD, load
from kloplei_panel.answers import Problem, as_json, fresh_json
from kloplei_panel.context import KINDS, DemoTable, Kind, Spot, panel
from kloplei_panel.hearing import is_right, tell_landing
from kloplei_panel.reader import reader
from kloplei_panel.requests import problem, read_address, read_body, read_body_if_any

bp = Blueprint("demo_hooks", __name__, url_prefix="/demo")
MOST_KNOCKS = 8
MOST_HOLD_S = 10
BOT_SPEEDS = (0.25, 8.0)
_DIGITS = 13
_NULL = {"nullable": True}


@dataclass(frozen=True, slots=True)
class KnocksAsked:
    """How often a virtual pin is knocked on."""

    times: Annotated[int, Within(1, MOST_KNOCKS)] = field(
        default=1, metadata=problem("bad_times", most=MOST_KNOCKS)
    )


@dataclass(frozen=True, slots=True)
class Hold:
    """How long a virtual button is held down."""

    for_s: Annotated[float, Within(0, MOST_HOLD_S)] = field(
        default=1.0, metadata=problem("bad_hold", most=MOST_HOLD_S)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Strike:
    """What lands where on the table; both ways are parts of it."""

    kind: Kind = field(default=KINDS[0], metadata=problem("bad_kind", kinds=", ".join(KINDS)))
    x: Annotated[Share, "Along its length, from the left"] = field(metadata=problem("bad_spot"))
    y: Annotated[Share, "Across it, from the edge that lies opposite the slate"] = field(
        metadata=problem("bad_spot")
    )


@dataclass(frozen=True, slots=True)
class StrikeBegun:
    """Something is on its way to the wood."""

    number: int


@dataclass(frozen=True, slots=True)
class LandedAfter:
    """From which number on landings are wanted."""

    after: Annotated[int, Within(0, 10**_DIGITS - 1)] = 0


@dataclass(frozen=True, slots=True)
class ToldLanding:
    """What landed on the wood, and what the box made of it."""

    described_as: ClassVar[str] = "Landing"
    number: int
    kind: Annotated[str, {"enum": list(KINDS)}]
    x: Share
    y: Share
    near: Annotated[int | None, "The seat at whose place it was"] = field(metadata=_NULL)
    over: Annotated[bool, "The box will say no more about it"]
    heeded: Annotated[bool, "Whether the table listened to its wood when it landed"]
    verdict: Verdict | None = field(metadata=_NULL)
    likelihood: Annotated[Share, "How sure the box is that it was a knock"]
    seat: Annotated[int | None, "Whose it is, for the box"] = field(metadata=_NULL)
    confidence: Annotated[Share, "How sure the box is of the seat"]
    right: Annotated[bool | None, "Whether seat is near"] = field(metadata=_NULL)
    blows: Annotated[int, "How many blows the box felt"]
    decided_after_s: float | None = field(metadata=_NULL)
    wave: tuple[float, ...]
    text: Annotated[str, "All of it in one breath"]


@dataclass(frozen=True, slots=True)
class LandingsHeard:
    """What landed, oldest first."""

    described_as: ClassVar[str] = "Landings"
    heard: tuple[ToldLanding, ...]


@dataclass(frozen=True, slots=True)
class BotsState:
    """How fast the bots play."""

    described_as: ClassVar[str] = "Bots"
    bots_speed: Annotated[float | None, "Beside the pace of people; null while they rest"] = field(
        metadata=_NULL
    )


@dataclass(frozen=True, slots=True)
class BoxState(BotsState):
    """What lamp and buzzer do, and how fast the bots play."""

    described_as: ClassVar[str] = "Box"
    lamp: Annotated[str, {"pattern": "^#[0-9a-f]{6}$"}]
    buzzer_hz: float | None = field(metadata=_NULL)


@dataclass(frozen=True, slots=True)
class BotsAsked:
    """Whether bots play, and how many times as fast as people."""

    on: Annotated[bool, "false stops the bots"] = True
    speed: Annotated[float, Within(*BOT_SPEEDS)] = field(
        default=1.0, metadata=problem("bad_speed", least=BOT_SPEEDS[0], most=BOT_SPEEDS[1])
    )


@bp.post("/seats/<int:number>/knock")
def knock(number: int) -> ResponseReturnValue:
    """Knock on the virtual pin of seat *number*: ``{"times": 2}``, once if it is left out."""
    demo = table_with(number)
    _demand_drawn(demo)
    knocks = read_body_if_any(KnocksAsked)
    demo.knock(number, knocks.times)
    return as_json(knocks), 202


@bp.post("/seats/<int:number>/hold")
def hold(number: int) -> ResponseReturnValue:
    """Hold the virtual button of seat *number* down: ``{"for_s": 1.0}``."""
    demo = table_with(number)
    held = read_body_if_any(Hold)
    demo.hold(number, float(held.for_s))
    return as_json(held), 202


@bp.post("/strike")
def strike() -> ResponseReturnValue:
    """Let something land on the wood: ``{"kind": "glass", "x": 0.25, "y": 0.8}``.

    *x* runs along the table from its left edge, *y* across it from the edge opposite the
    slate, both from 0 to 1. It is a knuckle if no *kind* is given.
    """
    demo = demo_table()
    asked = read_body(Strike)
    spot = float(asked.x), float(asked.y)
    return as_json(StrikeBegun(let_land(demo, asked.kind, spot))), 202


@bp.get("/heard")
def heard() -> Response:
    """Answer what the box made of all that landed after number ``?after=``, oldest first."""
    landings = demo_table().heard(read_address(LandedAfter, _DIGITS).after)
    return fresh_json(LandingsHeard(tuple(map(_told, landings))))


@bp.get("/box")
def box() -> ResponseReturnValue:
    """Answer with what the lamp and the buzzer do, and how fast the bots play."""
    demo = demo_table()
    return as_json(load(BoxState, {**demo.box(), "bots_speed": demo.bots_speed}, WORLD))


@bp.post("/bots")
def bots() -> ResponseReturnValue:
    """Let bots play, ``{"speed": 2}`` times human pace, or stop them: ``{"on": false}``."""
    demo = demo_table()
    asked = read_body(BotsAsked)
    if asked.on:
        _demand_drawn(demo)
    demo.set_bots(float(asked.speed) if asked.on else None)
    return as_json(BotsState(demo.bots_speed)), 202


def demo_table() -> DemoTable:
    """Return the virtual table.

    Raises:
        Problem: 404, this panel serves a real one.
    """
    demo = panel().demo
    if demo is None:
        raise Problem(404, "not_found")
    return demo


def table_with(number: int) -> DemoTable:
    """Return the virtual table, which has a seat *number*.

    Raises:
        Problem: 404, this panel serves a real one, or it has no such seat.
    """
    demo = demo_table()
    if not 1 <= number <= demo.seats:
        raise Problem(404, "no_such_seat", number=number, seats=demo.seats)
    return demo


def let_land(demo: DemoTable, kind: str, spot: Spot) -> int:
    """Let a thing of that *kind* land at *spot*, and return its number.

    Raises:
        Problem: 503, too much is under way already; 404, a real table is listened to.
    """
    _demand_drawn(demo)
    number = demo.strike(kind, spot)
    if number is None:
        raise Problem(503, "wood_busy")
    return number


def _demand_drawn(demo: DemoTable) -> None:
    """Refuse what moves pins and wood that nobody listens to.

    Raises:
        Problem: 404, a real table is listened to.
    """
    if demo.is_real:
        raise Problem(404, "real_table")


def _told(one: Landing) -> ToldLanding:
    names = panel().table.scoreboard().names
    return ToldLanding(
        number=one.number,
        kind=one.kind,
        x=one.spot[0],
        y=one.spot[1],
        near=one.near,
        over=one.is_over,
        heeded=one.is_heeded,
        verdict=one.verdict,
        likelihood=round(one.likelihood, 3),
        seat=one.seat,
        confidence=round(one.confidence, 3),
        right=is_right(one),
        blows=one.blows,
        decided_after_s=one.decided_after_s,
        wave=tuple(round(sample, 3) for sample in one.wave),
        text=tell_landing(one, reader(), names),
    )
