"""The demo's hooks: move the virtual pins, let something land on the wood, and see what came of it.

They do what hands do at a real table, and look at the virtual box, no more.
"""

from flask import Blueprint, Response, jsonify, request
from flask.typing import ResponseReturnValue

from kloplei_panel.answers import Problem, fresh_json
from kloplei_panel.context import KINDS, DemoLanding, DemoTable, Spot, panel
from kloplei_panel.hearing import is_right, tell_landing
from kloplei_panel.reader import reader, whole
from kloplei_panel.requests import is_between, is_whole, read_object

bp = Blueprint("demo_hooks", __name__, url_prefix="/demo")
MOST_KNOCKS = 8
MOST_HOLD_S = 10.0
BOT_SPEEDS = (0.25, 8.0)
MOST_NUMBER = 10**12


@bp.post("/seats/<int:number>/knock")
def knock(number: int) -> ResponseReturnValue:
    """Knock on the virtual pin of seat *number*: ``{"times": 2}``, once if it is left out."""
    demo = table_with(number)
    times = _read_if_any().get("times", 1)
    if not is_whole(times, 1, MOST_KNOCKS):
        raise Problem(400, "bad_times", most=MOST_KNOCKS)
    demo.knock(number, times)
    return jsonify(times=times), 202


@bp.post("/seats/<int:number>/hold")
def hold(number: int) -> ResponseReturnValue:
    """Hold the virtual button of seat *number* down: ``{"for_s": 1.0}``."""
    demo = table_with(number)
    for_s = _read_if_any().get("for_s", 1.0)
    if not is_between(for_s, 0.0, MOST_HOLD_S):
        raise Problem(400, "bad_hold", most=int(MOST_HOLD_S))
    demo.hold(number, float(for_s))
    return jsonify(for_s=for_s), 202


@bp.post("/strike")
def strike() -> ResponseReturnValue:
    """Let something land on the wood: ``{"kind": "glass", "x": 0.25, "y": 0.8}``.

    *x* runs along the table from its left edge, *y* across it from the edge opposite the
    slate, both from 0 to 1. It is a knuckle if no *kind* is given.
    """
    demo = demo_table()
    ask = read_object()
    kind = known_kind(ask.get("kind", KINDS[0]))
    return jsonify(number=let_land(demo, kind, _spot(ask))), 202


@bp.get("/heard")
def heard() -> Response:
    """Answer what the box made of all that landed after number ``?after=``, oldest first."""
    landings = demo_table().heard(_after())
    return fresh_json({"heard": [_to_wire(one) for one in landings]})


@bp.get("/box")
def box() -> ResponseReturnValue:
    """Answer with what the lamp and the buzzer do, and how fast the bots play."""
    demo = demo_table()
    return jsonify({**demo.box(), "bots_speed": demo.bots_speed})


@bp.post("/bots")
def bots() -> ResponseReturnValue:
    """Let bots play, ``{"speed": 2}`` times human pace, or stop them: ``{"on": false}``."""
    demo = demo_table()
    ask = read_object()
    if ask.get("on", True) is False:
        demo.set_bots(None)
    elif is_between(speed := ask.get("speed", 1.0), *BOT_SPEEDS):
        demo.set_bots(float(speed))
    else:
        raise Problem(400, "bad_speed", least=BOT_SPEEDS[0], most=BOT_SPEEDS[1])
    return jsonify(bots_speed=demo.bots_speed), 202


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


def known_kind(kind: object) -> str:
    """Return the *kind* of thing that is to land.

    Raises:
        Problem: 400, there is no such thing.
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise Problem(400, "bad_kind", kinds=", ".join(KINDS))
    return kind


def let_land(demo: DemoTable, kind: str, spot: Spot) -> int:
    """Let a thing of that *kind* land at *spot*, and return its number.

    Raises:
        Problem: 503, too much is under way already.
    """
    number = demo.strike(kind, spot)
    if number is None:
        raise Problem(503, "wood_busy")
    return number


def _read_if_any() -> dict[str, object]:
    """Return the body, empty if there is none: a bare post is one plain knock."""
    return read_object() if request.get_data() else {}


def _spot(ask: dict[str, object]) -> Spot:
    x, y = ask.get("x"), ask.get("y")
    if not is_between(x, 0.0, 1.0) or not is_between(y, 0.0, 1.0):
        raise Problem(400, "bad_spot")
    return float(x), float(y)


def _after() -> int:
    after = whole(request.args.get("after", "0"), len(str(MOST_NUMBER)))
    if after is None:
        raise Problem(400, "unreadable", detail="after")
    return after


def _to_wire(one: DemoLanding) -> dict[str, object]:
    names = panel().table.scoreboard().names
    return {
        "number": one.number,
        "kind": one.kind,
        "x": one.spot[0],
        "y": one.spot[1],
        "near": one.near,
        "over": one.is_over,
        "heeded": one.is_heeded,
        "verdict": one.verdict,
        "likelihood": round(one.likelihood, 3),
        "seat": one.seat,
        "confidence": round(one.confidence, 3),
        "right": is_right(one),
        "blows": one.blows,
        "decided_after_s": one.decided_after_s,
        "wave": [round(sample, 3) for sample in one.wave],
        "text": tell_landing(one, reader(), names).text,
    }
