"""An evening without a phone: what knocks and presses mean in the game that is played."""

from dataclasses import replace

from flask import Blueprint, render_template

from kloplei.games.catalogue import GAMES
from kloplei.table.client import TableUnavailable
from kloplei_panel.context import panel
from kloplei_panel.reader import reader

bp = Blueprint("help", __name__)
# For a game that has not written one.
_ANY = "help/page.html"


@bp.get("/help")
def page() -> str:
    """Show the game's page in the reader's language, else in English."""
    game = _game()
    who = replace(reader(), game=game)
    written = [f"help/{game}/{language}.html" for language in (who.language, "en")]
    return render_template([*written, _ANY], reader=who)


def _game() -> str:
    try:
        return panel().table.scoreboard().game
    except TableUnavailable:
        # Who only wants to read need not wait for the table.
        return next(iter(GAMES))
