"""The demo's hooks: they move the virtual pins and look at the virtual box, no more."""

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from kloplei_panel.body import is_between, is_whole, read_object
from kloplei_panel.demo import DemoTable
from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem

bp = Blueprint("demo_hooks", __name__, url_prefix="/demo")
MOST_KNOCKS = 8
MOST_HOLD_S = 10.0
BOT_SPEEDS = (0.25, 8.0)


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


def _read_if_any() -> dict[str, object]:
    """Return the body, empty if there is none: a bare post is one plain knock."""
    return read_object() if request.get_data() else {}


def table_with(number: int) -> DemoTable:
    """Return the virtual table, which has a seat *number*.

    Raises:
        Problem: 404, this panel serves a real one, or it has no such seat.
    """
    demo = demo_table()
    if not 1 <= number <= demo.seats:
        raise Problem(404, "no_such_seat", number=number, seats=demo.seats)
    return demo
