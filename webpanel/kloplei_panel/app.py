"""Build the panel: one Flask app over a `TableClient`."""

import hashlib
import threading
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask, Request, Response, jsonify
from flask.templating import Environment
from jinja2 import Template, TemplateNotFound
from jinja2.bccache import Bucket, BytecodeCache
from jinja2.environment import TemplateModule
from werkzeug.routing import Rule

from kloplei.games.catalogue import GAMES
from kloplei.table.client import TableClient
from kloplei_panel import access, answers, captive, static_files
from kloplei_panel.api import door as door_api
from kloplei_panel.api import ears as ears_api
from kloplei_panel.api import history as history_api
from kloplei_panel.api import recordings as recordings_api
from kloplei_panel.api import table as table_api
from kloplei_panel.api import voice as voice_api
from kloplei_panel.context import DemoTable, Feed, Panel, PanelSettings, panel
from kloplei_panel.games import game_pages
from kloplei_panel.pages import (
    doctor,
    ears,
    history,
    judge,
    people,
    presenters,
    recordings,
    seatcards,
    slate,
    tune,
    tv,
    voice,
    who,
)
from kloplei_panel.pages import help as help_page
from kloplei_panel.pages import settings as settings_page
from kloplei_panel.pairing import Pairing, RateLimiter
from kloplei_panel.reader import REMEMBERED_S, remember_choices
from kloplei_panel.requests import MOST_BYTES, MOST_TAKE_BYTES
from kloplei_panel.stage import Reactions

_SUM_BYTES = 16
_openapi = Blueprint("openapi", __name__, url_prefix="/api/v1")


class _Route(Rule):
    """A route that learns how to spell its address when it is first asked for it.

    werkzeug compiles two functions for each, and pages ask for few of them: they were two thirds
    of what it takes to build the app. Where werkzeug stops asking for them like this, it is as
    slow as before.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        learned: Callable[..., tuple[str, str]] | None = None

        def spell(*route: Rule, **values: object) -> tuple[str, str]:
            nonlocal learned
            learned = learned or super(_Route, self)._compile_builder(append_unknown)
            return learned(*route, **values)

        return spell


class _Template(Template):
    """A template that is run once where all templates of one page import it."""

    def make_module(self, *told: Any, **more: Any) -> TemplateModule:
        def run() -> TemplateModule:
            return super(_Template, self).make_module(*told, **more)

        page = told[0] if told else {}
        if "parts" not in page:
            return run()
        found: TemplateModule = page["parts"].once((self.name, page["reader"], page["here"]), run)
        return found


class _Templates(Environment):
    """Templates that are compiled once, however many phones ask for one that nobody read yet.

    Else each thread compiles it, all of them in turn: 40 phones stood still for seconds at the
    first page of a game.
    """

    template_class = _Template

    def __init__(self, app: Any, **options: Any) -> None:
        super().__init__(app, **options)
        self._loading = threading.RLock()
        self._missing: set[str] = set()

    def make_globals(self, given: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return what a template may call: the same for all, for none is given more.

        As a chain of two each of a hundred names was looked up in Python for each drawing.
        """
        return super().make_globals(given) if given else self.globals

    def _load_template(self, name: str, given: MutableMapping[str, Any] | None) -> Template:
        if name in self._missing:
            raise TemplateNotFound(name)
        with self._loading:
            try:
                return super()._load_template(name, given)
            except TemplateNotFound:
                # Few games bring each page that they may: all folders were searched at each page.
                self._missing.add(name)
                raise


class _Request(Request):
    """A request whose body may be longer where somebody says a few words."""

    @property  # type: ignore[misc]  # newer ones may be set, for one request
    def max_content_length(self) -> int | None:  # type: ignore[override]
        return MOST_TAKE_BYTES if self.endpoint == "voice.keep" else super().max_content_length


class _Panel(Flask):
    request_class = _Request
    jinja_environment = _Templates
    url_rule_class = _Route


class PageCache(BytecodeCache):
    """Keeps pages compiled in *folder*: to compile those of the slate takes longer than all else.

    What cannot be kept or read is compiled; so is what is spoilt, for a power cut may leave half.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give *bucket* what was kept, if it is whole."""
        with suppress(OSError):
            kept = (self._folder / bucket.key).read_bytes()
            if kept[:_SUM_BYTES] == _sum_of(kept[_SUM_BYTES:]):
                bucket.bytecode_from_string(kept[_SUM_BYTES:])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what *bucket* holds, without waiting for the disk."""
        code = bucket.bytecode_to_string()
        written = self._folder / f"{bucket.key}.{threading.get_ident()}"
        with suppress(OSError):
            written.write_bytes(_sum_of(code) + code)
            written.replace(self._folder / bucket.key)


def _sum_of(code: bytes) -> bytes:
    return hashlib.blake2b(code, digest_size=_SUM_BYTES).digest()


def create_app(
    table: TableClient, *, settings: PanelSettings, demo: DemoTable | None = None
) -> Flask:
    """Return the panel for *table*; with *demo* it serves the virtual table as well."""
    app = _Panel("kloplei_panel", static_folder=None)
    app.session_interface = access.NewestKey()
    app.config.update(
        SECRET_KEY=settings.secret_key,
        SESSION_COOKIE_NAME="kloplei",
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_HTTPONLY=True,
        # Of two answers on their way at once, the older one must not bring an old cookie back.
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=timedelta(seconds=REMEMBERED_S),
        MAX_CONTENT_LENGTH=MOST_BYTES,
    )
    pairing = Pairing(
        settings.pin,
        locked=settings.locked,
        read_seal=settings.read_seal,
        read_evening=settings.read_evening,
    )
    feed = Feed(table, settings.clients, settings.keepalive_s)
    flood = RateLimiter(settings.asks_each)
    own, alone = doctor.examinations(settings)
    reactions = Reactions() if settings.reactions else None
    parts = Panel(table, settings, feed, pairing, flood, own, alone, demo, reactions)
    app.extensions["kloplei"] = parts
    _connect(app, with_demo=demo is not None)
    if settings.cache is not None:
        app.jinja_env.bytecode_cache = PageCache(settings.cache)
    return app


def _connect(app: Flask, *, with_demo: bool) -> None:
    app.before_request(captive.redirect_portal)
    app.before_request(access.refuse_foreign_pages)
    app.before_request(access.redeem_ticket)
    app.before_request(access.follow_person)
    app.before_request(access.hold_back_strangers)
    app.before_request(access.keep_out_players)
    app.before_request(access.note_asked)
    app.after_request(remember_choices)
    app.after_request(access.note_done)
    app.after_request(_protect)
    static_files.register(app)
    presenters.register(app)
    answers.register(app)
    parts = [slate, tv, judge, settings_page, help_page, ears, tune, recordings, doctor]
    parts += [seatcards, voice, voice_api]
    parts += [history, people, who, table_api, door_api, ears_api, recordings_api, history_api]
    if with_demo:
        from kloplei_panel.api import demo as demo_api
        from kloplei_panel.pages import demo as demo_page

        parts += [demo_page, demo_api]
    for part in parts:
        app.register_blueprint(part.bp)
    app.register_blueprint(_openapi)
    for page in (page for game in GAMES for page in game_pages(game)):
        app.register_blueprint(page)


@_openapi.get("/openapi.json")
def openapi_json() -> Response:
    """Answer with the API described; the demo's hooks are in it when there is a demo."""
    # Here: it knows all routes, also those of a demo that is none, and few ever ask.
    from kloplei_panel.api.openapi import describe

    return jsonify(describe(with_demo=panel().demo is not None))


def _protect(response: Response) -> Response:
    # Only the virtual table shows phones in frames.
    framed_by = "'none'" if panel().demo is None else "'self'"
    return access.harden(response, images="'self' blob: data:", framed_by=framed_by)
