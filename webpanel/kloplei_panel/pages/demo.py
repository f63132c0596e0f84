"""The virtual table: a table top seen from above, to be struck with a mouse, a thumb or keys.

Below it stands one thing to try next, chosen from the scoreboard's phase.
"""

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from kloplei.frozen import dataclass
from kloplei.games.game import NO_FACTS, IllegalAction, Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import BadRequest
from kloplei_panel import access, hearing
from kloplei_panel.answers import Problem, fresh_page, packed, why_not
from kloplei_panel.api.demo import demo_table, let_land, table_with
from kloplei_panel.context import KINDS, panel
from kloplei_panel.fragments import is_everybodys
from kloplei_panel.house_rules import OPTIONS, game_choices
from kloplei_panel.reader import Reader, reader, whole

bp = Blueprint("demo", __name__)
# A short press of a button.
PRESS_S = 0.12
# Landings on the page, the newest first.
TOLD = 3


@bp.get("/demo")
def page() -> Response:
    """Show the whole page; the slate beside the table speaks the language of who opened it."""
    demo_table().speak(reader().language)
    kind = request.args.get("kind", "")
    return _show("demo/page.html", kinds=KINDS, kind=kind if kind in KINDS else KINDS[0])


@bp.get("/demo/show")
def show() -> Response:
    """Show the whole evening at once: the large screen, two phones, and the slate on its glass."""
    demo_table().speak(reader().language)
    return fresh_page("demo/show.html", reader=reader())


@bp.get("/demo/table")
def fragment() -> Response:
    """Show only what changes with the scoreboard."""
    return _show("demo/table.html")


def draw(board: Scoreboard) -> str:
    """Return what changes of the page, for who reads it in this request."""
    return render_template("demo/table.html", **_told(board))


@bp.get("/demo/ear")
def ear() -> Response:
    """Show only what the box made of what landed last."""
    return _show("demo/ear.html")


@bp.get("/demo/places.css")
def places_css() -> Response:
    """Say where the places are; the policy of our pages allows no styles in the page itself."""
    response = fresh_page("demo/places.css", demo=demo_table())
    response.mimetype = "text/css"
    return response


@bp.post("/demo/land")
def land() -> ResponseReturnValue:
    """Let something land at a place, or press its button where the wood is deaf; then come back.

    Without JavaScript: a form is posted.
    """
    kind = request.form.get("kind", "")
    if kind not in KINDS:
        raise Problem(400, "bad_kind", kinds=", ".join(KINDS))
    seat = whole(request.form.get("seat", ""), most=3)
    if seat is None:
        raise Problem(400, "bad_spot")
    demo = table_with(seat)
    if panel().table.scoreboard().deaf:
        demo.hold(seat, PRESS_S)
    else:
        let_land(demo, kind, demo.places[seat - 1])
    return redirect(url_for("demo.page", kind=kind), 303)


@bp.post("/demo/game")
def game() -> ResponseReturnValue:
    """Play the ``game`` of the form; then come back."""
    demo = demo_table()
    access.demand(None, OPTIONS, NO_FACTS)
    try:
        demo.choose_game(request.form.get("game", ""))
    except (IllegalAction, BadRequest) as error:
        message, status = why_not(error)
        return _show("demo/page.html", status, kinds=KINDS, kind=KINDS[0], message=message)
    return redirect(url_for("demo.page"), 303)


@dataclass(frozen=True, slots=True)
class Hint:
    """A sentence, and the *seat* (as shown) whose pad it speaks of."""

    text: str
    seat: int | None


def hint(board: Scoreboard, reader: Reader) -> Hint:
    """Return what somebody who has never seen Kloplei should try now."""
    if board.doubt:
        return Hint(reader.say("hint.doubt"), None)
    if board.grace:
        return Hint(reader.say("hint.grace"), None)
    seat = _whose(board)
    name = board.names.get(seat, "") if seat is not None else ""
    known = (reader.known(key, name=name) for key in _keys(board))
    text = next(filter(None, known), reader.say("hint.other", name=name))
    return Hint(text, None if seat is None else seat.shown)


def _real_hint(reader: Reader) -> Hint:
    """Return what to do where a real table is listened to, and no click is a knock."""
    return Hint(reader.say("hint.real"), None)


def _keys(board: Scoreboard) -> tuple[str, ...]:
    """Return the sentences to look for, the most fitting first."""
    waits_for = board.prompt.key.removeprefix("prompt.") if board.prompt else ""
    return f"hint.{waits_for}", f"hint.{board.phase}"


def _whose(board: Scoreboard) -> Seat | None:
    """Return the seat that the table waits for, or else the one whose knock says most."""
    if board.to_answer:
        return board.to_answer[0]
    if debtors := [row.seat for row in board.rows if "owes_drink" in row.flags]:
        return debtors[0]
    if not board.deal_runs:
        return board.dealer
    knockers = [row.seat for row in board.rows if any(o.action == "knock" for o in row.offers)]
    return knockers[0] if knockers else _prompted(board)


def _prompted(board: Scoreboard) -> Seat | None:
    """Return the first seat that the prompt speaks of."""
    facts = board.prompt.facts if board.prompt else {}
    seats = facts.get("seats")
    named = (facts.get("seat"), *(seats if isinstance(seats, tuple) else ()))
    return next((one for one in named if isinstance(one, Seat)), None)


def _show(template: str, status: int = 200, **more: object) -> Response:
    response = fresh_page(template, status, **_told(panel().table.scoreboard()), **more)
    return packed(response) if is_everybodys() else response


def _told(board: Scoreboard) -> dict[str, object]:
    demo = demo_table()
    board = reader().reads(board)
    who = reader().looking_on().at(board)
    return {
        "board": board,
        "reader": who,
        "choices": game_choices(board, who) if who.may_move_others else None,
        "hint": _real_hint(who) if demo.is_real and not board.deaf else hint(board, who),
        "seats": demo.seats,
        "demo": demo,
        "bots_speed": demo.bots_speed,
        "landed": list(reversed(demo.heard()[-TOLD:])),
        "hearing": hearing,
    }
