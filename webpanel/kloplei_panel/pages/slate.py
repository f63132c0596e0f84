"""The slate on a phone: one page for who looks on, who sits at a seat, and who keeps it.

What it asks without JavaScript lands here as well: a form is posted, and the slate comes back with
what was done or why it was not. So does a phone that asks to be let in: one tap, a word, and a
knock on the table.
"""

from collections.abc import Mapping, Sequence

from flask import (
    Blueprint,
    Response,
    g,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue

from kloplei.frozen import dataclass, replace
from kloplei.games.catalogue import GAMES
from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Offer, Row, Scoreboard
from kloplei.table.client import BadRequest, LogEntry
from kloplei_panel import access
from kloplei_panel.answers import Problem, back_to, fresh, fresh_page, packed, why_not
from kloplei_panel.context import LOG_STEPS, panel
from kloplei_panel.controls import Control, controls, controls_at, look_of
from kloplei_panel.fragments import fragment as drawn_for
from kloplei_panel.fragments import is_everybodys, parts_of, reading
from kloplei_panel.games import game_pages, game_panel
from kloplei_panel.house_rules import OPTIONS, as_rules_spell, game_choices
from kloplei_panel.reader import Reader, reader, whole
from kloplei_panel.requests import NotPlain, in_form, read_plain, seat_in_form, unfold_form
from kloplei_panel.stage import REACTIONS

bp = Blueprint("slate", __name__, template_folder="../templates")
# The table's own, and as four knocks are: anybody's who sits there.
_STEPS = ("undo", "redo")
# The need of what begins the game.
_DEALER = "dealer"
_FACT, _TEXT, _OPTION, _SHARE = "fact.", "text.", "option.", "share."
_MOST_DIGITS = 15
_HALVES = 2
_EXCHANGING = "exchange"


@dataclass(frozen=True, slots=True)
class Place:
    """What the reader may press for one seat: what lies under the thumb, and the rest.

    *answers* are the two of it that fill the phone while the seat is asked, mostly none.
    """

    seat: Seat
    row: Row | None
    big: list[Control]
    more: list[Control]
    answers: list[Control]


@bp.get("/")
def page() -> Response:
    """Show the whole page."""
    response = _show("slate/page.html")
    return packed(response) if is_everybodys() else response


@bp.get("/slate")
def fragment() -> ResponseReturnValue:
    """Show only what changes, for the page to put in place; who has it already is told so."""
    # Who asks now and then whether there is anything new is one of many, and mostly there is not.
    known = panel().feed.known if request.if_none_match else None
    board = known or panel().table.scoreboard()
    wanted = reading(board)
    if wanted is None:
        response = fresh(make_response(draw(board)))
    else:
        found = drawn_for(wanted, board, draw)
        response = fresh(make_response(found.text))
        response.set_etag(found.etag)
    if is_everybodys():
        return packed(response)
    response.add_etag()
    return response.make_conditional(request)


@bp.post("/act")
def act() -> ResponseReturnValue:
    """Ask the table for what the form says, and show the slate, or go back to the page ``then``.

    ``fact.<name>`` holds JSON, ``text.<name>`` what somebody typed, ``option.<name>`` a house
    rule, ``share.<name>.<place>`` the number of one player from 1 on; an empty one was left out.
    With ``waits`` others may call it off first. One field may say all that nobody fills in.
    """
    if not panel().pairing.may_act:
        raise Problem(403, "not_allowed")
    unfold_form()
    action = request.form.get("action", "")
    if not action:
        raise Problem(400, "no_action")
    seat = seat_in_form()
    facts = as_rules_spell(_facts())
    access.demand(seat, action, facts)
    seen = whole(request.form.get("seen", ""), _MOST_DIGITS)
    try:
        panel().table.submit(
            seat,
            action,
            seen=seen,
            facts=facts,
            waits=bool(request.form.get("waits")),
            by=access.doer(reader().doer),
        )
    except (IllegalAction, BadRequest) as error:
        return _show("slate/page.html", *why_not(error))
    return back_to(_next_page())


@bp.post("/react")
def react() -> ResponseReturnValue:
    """Let the ``reaction`` of the form fly over large screens."""
    thrown = next((one for one in REACTIONS if one == request.form.get("reaction")), None)
    if thrown is None:
        raise Problem(400, "unreadable", detail="reaction")
    access.throw_reaction(thrown, reader().doer)
    return back_to("slate.page")


@bp.post("/door/ask")
def ask() -> ResponseReturnValue:
    """Ask for the ``seat`` of the form, or to keep the slate where it is empty."""
    if not panel().pairing.locked:
        raise Problem(404, "door_open")
    seat = seat_in_form()
    try:
        access.ask_at_door(seat)
    except IllegalAction as error:
        return _show("slate/page.html", *why_not(error))
    place = f"?seat={'keeper' if seat is None else seat.shown}"
    return redirect(url_for("slate.page") + place, 303)


@bp.post("/door/withdraw")
def withdraw() -> ResponseReturnValue:
    """Ask no longer."""
    access.withdraw_from_door()
    return back_to("slate.page")


@bp.post("/door/refuse")
def refuse() -> ResponseReturnValue:
    """Turn away the phone with that ``number``, as the keeper of the slate."""
    access.demand_keeper()
    number = in_form("number", _MOST_DIGITS)
    try:
        panel().table.door.refuse(number)
    except IllegalAction as error:
        return _show("slate/page.html", *why_not(error))
    return back_to("slate.page")


def draw(board: Scoreboard) -> str:
    """Return what changes of the page, for who reads it in this request."""
    return render_template("slate/table.html", **_told(board))


def _show(template: str, message: str = "", status: int = 200) -> Response:
    """Return *template* with the table as it stands, and perhaps a *message* on top."""
    told = _told(panel().table.scoreboard())
    return fresh_page(template, status, **told, message=message, demo=panel().demo is not None)


def _told(board: Scoreboard) -> dict[str, object]:
    parts = parts_of(board)
    board = parts.read_by(reader())
    who = reader().at(board)
    seats = range(board.seats) if who.is_keeper else ()
    return {
        "board": board,
        "parts": parts,
        "reader": who,
        "mine": _place(board, who.seat, who) if who.seat is not None else None,
        "places": [_place(board, Seat(one), who) for one in seats],
        "table_controls": _of_the_table(board, who) if who.is_keeper else [],
        "choices": parts.once(("choices", who.language), lambda: game_choices(board, who)),
        "log": _log() if who.is_keeper else (),
        "reactions": REACTIONS if panel().reactions is not None else (),
    }


def _log() -> Sequence[LogEntry]:
    """Return the last steps; the broadcaster has them at hand, for it waits for nobody."""
    log: Sequence[LogEntry] | None = g.get("log")
    return panel().table.log(LOG_STEPS) if log is None else log


def _of_the_table(board: Scoreboard, who: Reader) -> list[Control]:
    # What is played is chosen from cards.
    offers = (one for one in board.offers if one.action != OPTIONS)
    found = controls(offers, None, board, who)
    return [one for one in found if not one.look.on_game_page]


def _place(board: Scoreboard, seat: Seat, who: Reader) -> Place:
    found = controls_at(seat, board, who)
    if who.is_keeper:
        found = [one for one in found if not one.look.anybodys]
    else:
        # Where each takes back its own alone they are offered at that seat.
        own = {one.action for one in found}
        told = [
            one
            for one in board.offers
            if _is_anybodys(one, board) and not one.choices and one.action not in own
        ]
        found = _beginning(board, seat, who) + controls(told, seat, board, who) + found
    found = [one for one in found if not one.look.on_game_page]
    near = {"undo"} if _has_just_answered(seat, board) and not who.is_keeper else ()
    big = [one for one in found if one.look.big or one.action in near]
    more = [one for one in found if one not in big]
    answers = [one for one in big if one.look.answers] if _is_asked(seat, board) else []
    return Place(seat, board.row(seat), big, more, answers if len(answers) == _HALVES else [])


def _is_asked(seat: Seat, board: Scoreboard) -> bool:
    """Whether *seat* has to answer now, and the slate asks nothing else that may not be covered.

    While cards are exchanged one may answer to armoede, and do more than that.
    """
    is_free = board.grace is None and board.doubt is None and board.phase != _EXCHANGING
    return seat in board.to_answer and is_free


def _has_just_answered(seat: Seat, board: Scoreboard) -> bool:
    """Whether the last step at the table is an answer of *seat*."""
    told: frozenset[str] = getattr(game_panel(board.game), "ANSWERED", frozenset())
    undo = next((one.about for one in board.offers if one.action == "undo"), None)
    step = undo.facts.get("step") if undo is not None and undo.facts.get("of") == seat else None
    return isinstance(step, Mapping) and step.get("key") in told


def _beginning(board: Scoreboard, seat: Seat, who: Reader) -> list[Control]:
    """Return what begins the game with who sits at *seat* as dealer, as three knocks there do."""
    offers = [one for one in board.offers if seat in one.choices.get(_DEALER, ())]
    found = controls([replace(one, choices={}) for one in offers], seat, board, who)
    return [replace(one, label=who.say("control.start")) for one in found]


def _is_anybodys(offer: Offer, board: Scoreboard) -> bool:
    of_game = offer.action in GAMES[board.game].actions if board.game in GAMES else False
    return offer.action in _STEPS or (of_game and look_of(offer.action, board.game).anybodys)


def _next_page() -> str:
    """Return where to go once it is done: only pages of a game can ask for themselves."""
    own = {f"{page.name}.page" for page in game_pages(panel().table.scoreboard().game)}
    asked = request.form.get("then", "")
    return asked if asked in own else "slate.page"


def _facts() -> dict[str, object]:
    facts: dict[str, object] = {}
    options = {field.removeprefix(_OPTION): text for field, text in _fields(_OPTION) if text}
    # All of them left empty is an answer as well.
    if any(_fields(_OPTION)):
        facts["options"] = options
    for field, written in request.form.items():
        if written and field.startswith(_TEXT):
            facts[field.removeprefix(_TEXT)] = written
        elif written and field.startswith(_FACT):
            facts[field.removeprefix(_FACT)] = _read_fact(field, written)
    return facts | _shares()


def _shares() -> dict[str, object]:
    """Return a list of numbers for each thing that was told player by player."""
    found: dict[str, dict[int, object]] = {}
    for field, written in _fields(_SHARE):
        name, _, place = field.removeprefix(_SHARE).rpartition(".")
        found.setdefault(name, {})[whole(place, most=2) or 0] = _read_fact(field, written)
    return {name: [numbers[at] for at in sorted(numbers)] for name, numbers in found.items()}


def _fields(family: str) -> list[tuple[str, str]]:
    return [(field, text) for field, text in request.form.items() if field.startswith(family)]


def _read_fact(field: str, written: str) -> object:
    try:
        return read_plain(written)
    except NotPlain:
        raise Problem(400, "unreadable", detail=field) from None
