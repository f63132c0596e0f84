"""A season's table of honour over all tables: the panel's page, with ratings below the points."""

from flask import Blueprint, Response

from kloplei_hub.web.pages import Way
from kloplei_panel.pages import history

bp = Blueprint("seasons", __name__)
WAY = Way("seasons.newest", "way.seasons")


@bp.get("/seasons")
def newest() -> Response:
    """Show the newest season's."""
    return history.seasons(None)


@bp.get("/seasons/<int:season>")
def one(season: int) -> Response:
    """Show that of a *season*, 0 for all evenings."""
    return history.seasons(season)
