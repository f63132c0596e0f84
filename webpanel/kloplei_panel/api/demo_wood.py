"""The demo's wood: let something land on it, and read what the box made of it."""

from flask import Blueprint, Response, jsonify, request
from flask.typing import ResponseReturnValue

from kloplei_panel.api.demo import demo_table
from kloplei_panel.body import is_between, read_object
from kloplei_panel.demo import KINDS, DemoLanding, DemoTable, Spot
from kloplei_panel.reader import whole
from kloplei_panel.fresh import fresh_json
from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem
from kloplei_panel.reader import reader
from kloplei_panel.verdicts import is_right, tell

bp = Blueprint("demo_wood", __name__, url_prefix="/demo")
MOST_NUMBER = 10**12


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
        "text": tell(one, reader(), names).text,
    }
