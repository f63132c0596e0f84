"""Build the house's pages: one Flask app over the house's database."""

import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from flask import Flask
from jinja2 import ChoiceLoader, FileSystemLoader, PrefixLoader

import kloplei_panel
from kloplei.table.client import TableClient, absent
from kloplei.words.catalogue import LANGUAGES, Sentence
from kloplei.words.dates import short_day_of, time_of
from kloplei_hub.settings import HubConfig
from kloplei_hub.web import access, refusals
from kloplei_hub.web.boards import Player
from kloplei_hub.web.context import HouseSite, house, say
from kloplei_hub.web.evenings import HouseHistory, history
from kloplei_hub.web.live import LiveHouse
from kloplei_hub.web.pages import page_modules, ways
from kloplei_panel import answers, static_files
from kloplei_panel.context import Feed, Panel, PanelSettings
from kloplei_panel.pages import doctor, presenters
from kloplei_panel.pairing import RateLimiter
from kloplei_panel.reader import Reader, shared_words
from kloplei_panel.requests import MOST_BYTES

_HERE = Path(__file__).parent
_PANEL = Path(kloplei_panel.__file__).parent
_ASKS_EACH = 10
_SIGNED_IN = timedelta(days=30)


def create_app(config: HubConfig, live: LiveHouse, *, dsn: str, secret_key: str) -> Flask:
    """Return the pages of the house that *live* follows, over the database that *dsn* names."""
    app = Flask("kloplei_hub.web", root_path=str(_PANEL), static_folder=None)
    own, panels = FileSystemLoader(_HERE / "templates"), FileSystemLoader(_PANEL / "templates")
    # Ours go before those of the panel, which stand below a name of their own as well.
    app.jinja_loader = ChoiceLoader([own, panels, PrefixLoader({"panel": panels})])
    app.config.update(
        SECRET_KEY=secret_key,
        SESSION_COOKIE_NAME="kloplei_house",
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SECURE=config.house.address.startswith("https://"),
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=_SIGNED_IN,
        MAX_CONTENT_LENGTH=MOST_BYTES,
    )
    site = app.extensions["kloplei_hub"] = HouseSite(config, live, dsn)
    app.extensions["kloplei"] = _as_panel(site, secret_key)
    _connect(app)
    return app


def _as_panel(site: HouseSite, secret_key: str) -> Panel:
    """Return the house as the panel's pages know a box: one of which nobody sees a table."""
    table = absent(TableClient, Sentence("no-uplink"))
    table.history = HouseHistory(site)  # type: ignore[misc]
    config = site.config
    settings = PanelSettings(
        language=config.house.language,
        locked=True,
        secret_key=secret_key,
        place=config.house.name,
        people="all" if config.web.people == "all" else "paired",
    )
    own, alone = doctor.examinations(settings)
    feed = Feed(table, 0, settings.keepalive_s)
    return Panel(table, settings, feed, access.Rights(), RateLimiter(_ASKS_EACH), own, alone)


def _connect(app: Flask) -> None:
    app.before_request(access.read_plainly)
    app.before_request(access.refuse_foreign_pages)
    app.before_request(access.hold_back_floods)
    app.before_request(access.refuse_unwritable)
    app.before_request(access.guard)
    app.after_request(access.protect)
    static_files.register(app)
    presenters.register(app)
    answers.register(app)
    refusals.register(app)
    app.jinja_env.globals.update(
        say=say,
        who_sits=who_sits,
        moment=moment,
        languages=LANGUAGES,
        ways=ways(),
        here_is=house,
        table_of=table_of,
        nights_of=lambda lines: history().nights(lines),
        rated=lambda: {game: history().standing(game) for game in history().ratings().games},
    )
    _serve_own_files(app)
    for module in page_modules():
        app.register_blueprint(module.bp)
    # The panel's pages lead back to the slate; here that is the wall.
    app.add_url_rule("/", "slate.page", app.view_functions["wall.whole"])


def _serve_own_files(app: Flask) -> None:
    own = static_files.StaticFiles(_HERE / "static")
    app.add_url_rule("/house/<path:filename>", "house_static", own.send)

    @app.url_defaults
    def name_version(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint == "house_static":
            values["filename"] = f"{own.version}/{values['filename']}"


def who_sits(player: Player, who: Reader) -> str:
    """Return what *player* is called on a page; a seat of no name goes by its number."""
    number, name = player
    words = shared_words(who.language)
    return words.called(name) or who.say("seat.number", number=number)


def table_of(evening: int) -> str:
    """Return what the table is called at which *evening* was, empty where it is gone."""
    found = house().live.table(history().box_of(evening) or "")
    if found is None:
        return ""
    return found.name or (say("table.number", number=found.number) if found.number else "")


def moment(at: float | None, who: Reader) -> str:
    """Return when *at* was: the time of a moment of today, the day of any other."""
    if at is None:
        return ""
    words = shared_words(who.language)
    day = short_day_of(at, words)
    return time_of(at) if day == short_day_of(time.time(), words) else day
