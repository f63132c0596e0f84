"""People and their numbers; and what the keeper of the slate does for them.

A person may be renamed, be the same as another one, be hidden, or be forgotten. On a locked box
these pages are for phones that were let in, unless the house says otherwise (`panel.people`).
"""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple
from urllib.parse import quote

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from kloplei.games.catalogue import GAMES
from kloplei.games.game import IllegalAction
from kloplei.table.client import BadRequest, TableUnavailable
from kloplei.table.history_client import PersonNumbers, PersonPage, Player, Told
from kloplei.table.people_client import Person
from kloplei_panel import access
from kloplei_panel.answers import Problem, back_to, why_not
from kloplei_panel.context import board_found, panel
from kloplei_panel.pages.history import (
    demand_reader_of_people,
    games_played,
    missing,
    moment_of,
    page_of,
)
from kloplei_panel.reader import reader
from kloplei_panel.requests import in_form

bp = Blueprint("people", __name__, url_prefix="/people")
_MOST_DIGITS = 9


@bp.get("")
def everybody(message: str = "", status: int = 200, *, done: str = "") -> Response:
    """Show the people that the box knows."""
    demand_reader_of_people()
    told = panel().table.history.people()
    there = {one.player.person for one in told}
    return page_of(
        "history/people.html",
        status,
        people=told,
        stand=panel().table.history.stand(),
        others=[one for one in _known() if one.id not in there] if _may_keep() else [],
        games=games_played(),
        message=message,
        done=done,
    )


@bp.get("/<int:person>")
def page(person: int, message: str = "", status: int = 200) -> Response:
    """Show one person."""
    demand_reader_of_people()
    found = _page_found(person)
    numbers = [one for one in found.numbers if one.value is not None]
    games = [(game, list(ones)) for game, ones in groupby(numbers, key=lambda one: one.game)]
    return page_of(
        "history/person.html",
        status,
        page=found,
        stand=panel().table.history.stand(),
        games=games,
        others=[one for one in _known() if one.id != person] if _may_keep() else [],
        agreed=_agreed(person),
        message=message,
    )


@bp.get("/numbers")
def numbers() -> Response:
    """Show everybody's numbers side by side; ``?game=`` and ``?since=YYYY-MM-DD`` choose."""
    demand_reader_of_people()
    games = games_played()
    game = request.args.get("game") or (games[0] if games else next(iter(GAMES)))
    if game not in GAMES:
        raise Problem(404, "not_found")
    since = moment_of(request.args.get("since", ""))
    told = panel().table.history.statistics(game, since)
    return page_of(
        "history/numbers.html",
        standings=standings_of(told),
        stand=panel().table.history.stand(),
        game=game,
        games=games,
        since=request.args.get("since", "") if since is not None else "",
    )


@bp.post("/adopt")
def adopt() -> ResponseReturnValue:
    """Make a person of the guest whom the form calls ``name``."""
    access.demand_keeper()
    try:
        panel().table.people.adopt(request.form.get("name", "").strip())
    except (IllegalAction, BadRequest, TableUnavailable) as error:
        return everybody(*why_not(error, silent="people.not_kept"))
    return back_to("people.everybody")


@bp.post("/<int:person>/rename")
def rename(person: int) -> ResponseReturnValue:
    """Call them what the form says."""
    name = request.form.get("name", "").strip()
    return _done(person, lambda: panel().table.people.rename(person, name))


@bp.post("/<int:person>/hide")
def hide(person: int) -> ResponseReturnValue:
    """Offer them to nobody any more, or again."""
    hidden = bool(in_form("hidden", 1))
    return _done(person, lambda: panel().table.people.hide(person, hidden))


@bp.post("/<int:person>/agree")
def agree(person: int) -> ResponseReturnValue:
    """Let the house know them by name from now on, or no longer, as they say or the keeper does."""
    if not _may_agree(person):
        access.demand_keeper()
    try:
        panel().table.uplink.agree(person, bool(in_form("agrees", 1)))
    except (IllegalAction, BadRequest, TableUnavailable) as error:
        return page(person, *why_not(error, silent="people.not_kept"))
    return back_to("people.page", person=person)


@bp.post("/<int:person>/merge")
def merge(person: int) -> ResponseReturnValue:
    """Let them be the same as the one whom the form calls ``into``."""
    into = in_form("into", _MOST_DIGITS)
    return _done(person, lambda: panel().table.people.merge(person, into), stays=into)


@bp.post("/<int:person>/forget")
def forget(person: int) -> ResponseReturnValue:
    """Take their name off the box, for good."""
    access.demand_keeper()
    try:
        forgotten = panel().table.people.forget(person)
    except (IllegalAction, BadRequest, TableUnavailable) as error:
        return page(person, *why_not(error, silent="people.not_kept"))
    told = {"entries": forgotten.entries, "copies": forgotten.copies}
    return everybody(done=reader().say("people.forgot", **told))


def _done(
    person: int, do: Callable[[], object], *, stays: int | None = None
) -> ResponseReturnValue:
    """Let the keeper *do* it, and show who it was about, or who *stays*; or why it cannot be."""
    access.demand_keeper()
    try:
        do()
    except (IllegalAction, BadRequest, TableUnavailable) as error:
        return page(person, *why_not(error, silent="people.not_kept"))
    return back_to("people.page", person=stays or person)


def _page_found(person: int) -> PersonPage:
    """Return what is told of *person*; of who has not played yet that is the name alone."""
    try:
        return panel().table.history.person(person)
    except BadRequest:
        for one in _known():
            if one.id == person and (_may_keep() or not one.hidden):
                who = Player(1, one.name, one.id)
                return PersonPage(who, one.at, one.at, (), (), hidden=one.hidden)
        raise missing("no_person") from None


def _known() -> tuple[Person, ...]:
    return panel().table.people.people()


def _agreed(person: int) -> bool | None:
    """Return whether the house knows *person*; None where that is not for the reader to say."""
    found = next((one for one in _known() if one.id == person), None)
    if found is None or not _may_agree(person):
        return None
    goes_with_house = panel().table.uplink.status().state != "off"
    return found.agreed if goes_with_house or found.agreed else None


def _may_agree(person: int) -> bool:
    """Whether the reader keeps the slate, or sits at it as that *person*."""
    own = panel().pairing.own_seat
    row = None if own is None else board_found().row(own)
    return _may_keep() or (row is not None and row.person == person)


def _may_keep() -> bool:
    return panel().pairing.may_keep


class Ranking(NamedTuple):
    """Everybody's number for one statistic, the largest first.

    *told* are those that stand on enough cases, which are *few* at the least; *silent* the others.
    """

    key: str
    unit: str
    few: int
    mean: float | None
    told: tuple[tuple[Player, Told], ...]
    silent: tuple[tuple[Player, Told], ...]

    @property
    def anchor(self) -> str:
        """Where it stands on the page: ``of-folds``, ``of-folds-at-3``."""
        detail = self.told[0][1].detail
        return f"of-{self.key}" + (f"-{quote(detail)}" if detail else "")


def standings_of(everybody: Sequence[PersonNumbers]) -> tuple[Ranking, ...]:
    """Return the numbers of *everybody* by what they tell, the largest first."""
    by_key: dict[tuple[str, str], list[tuple[Player, Told]]] = {}
    for one in everybody:
        for told in one.numbers:
            by_key.setdefault((told.key, told.detail), []).append((one.player, told))
    found = []
    for (key, _), told_of in by_key.items():
        spoken = [one for one in told_of if one[1].value is not None]
        spoken.sort(key=lambda one: -(one[1].value or 0.0))
        first = told_of[0][1]
        if spoken:
            silent = tuple(one for one in told_of if one[1].value is None)
            found.append(Ranking(key, first.unit, first.few, first.mean, tuple(spoken), silent))
    # What only a later player has of a kind came last of all, far from the others of its kind.
    kinds = list(dict.fromkeys(key for key, _ in by_key))
    return tuple(
        sorted(found, key=lambda one: (kinds.index(one.key), _numbered(one.told[0][1].detail)))
    )


def _numbered(detail: str) -> int:
    """Return what seats and stakes are in order of; words stay as they came, behind them."""
    return int(detail) if detail.isdecimal() else 10**_MOST_DIGITS
