"""An evening without a phone: what the knocks mean, on one page."""

from flask import Blueprint, render_template

from kloplei_panel.reader import reader

bp = Blueprint("help", __name__)
_WRITTEN = ("nl", "en")  # other readers get English


@bp.get("/help")
def page() -> str:
    """Show the page for players in the reader's language, else in English."""
    who = reader()
    language = who.language if who.language in _WRITTEN else "en"
    return render_template(f"help/{language}.html", reader=who)
