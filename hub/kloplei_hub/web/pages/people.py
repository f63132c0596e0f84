"""The people of the house: evenings, titles, what was counted, and a rating with how it came."""

from itertools import groupby

from flask import Blueprint, Response, abort

from kloplei.table.client import BadRequest
from kloplei_hub.ratings import FEW, Rating
from kloplei_hub.web import access
from kloplei_hub.web.context import house
from kloplei_hub.web.evenings import history
from kloplei_hub.web.pages import Way
from kloplei_panel.pages.history import page_of

bp = Blueprint("people", __name__, url_prefix="/people")
WAY = Way("people.everybody", "way.people")


@bp.get("")
def everybody() -> Response:
    """Show who may be named."""
    _demand_reader()
    told = history().people()
    return page_of("people/all.html", people=told)


@bp.get("/<int:person>")
def page(person: int) -> Response:
    """Show one person."""
    _demand_reader()
    try:
        found = history().person(person)
    except BadRequest:
        abort(404)
    rated = _ratings_of(found.player.person or 0)
    counted = [one for one in found.numbers if one.value is not None]
    games = [(game, list(ones)) for game, ones in groupby(counted, key=lambda one: one.game)]
    return page_of("people/person.html", page=found, ratings=rated, few=FEW, games=games)


def _demand_reader() -> None:
    """Ask who reads to have a name here, unless the house lets everybody read of people."""
    if house().config.web.people != "all":
        access.demand("player")


def _ratings_of(person: int) -> list[tuple[Rating, int | None]]:
    """Return the ratings of *person*, each with their place among those that are shown."""
    ratings = history().ratings()
    shown = {game: [one.person for _, one in history().standing(game)] for game in ratings.games}
    return [
        (one, shown[game].index(person) + 1 if person in shown[game] else None)
        for game in ratings.games
        for one in ratings.standings(game)
        if one.person == person
    ]
