"""What the house's pages work with: `HouseSite`, which `house` finds for each request."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, cast

import psycopg
from flask import current_app, g, make_response, render_template, request
from flask.wrappers import Response

from kloplei.words.catalogue import LANGUAGES
from kloplei_hub.database import Connection, connect
from kloplei_hub.referee import TournamentMemory
from kloplei_hub.settings import HubConfig
from kloplei_hub.web.live import LiveHouse
from kloplei_hub.words import house_words
from kloplei_panel.answers import fresh
from kloplei_panel.pairing import RateLimiter
from kloplei_panel.reader import Reader, reader

_TRIES, _TRIES_PER_S, _TIMES_ALL = 5, 1 / 30, 20  # of passwords, by an address; and by all


def _sign_ins() -> RateLimiter:
    return RateLimiter(_TRIES, each_per_s=_TRIES_PER_S, times_all=_TIMES_ALL)


@dataclass(frozen=True)
class HouseSite:
    """The parts that one app works with.

    *drawn* keeps pages that are the same for everybody, *sign_ins* counts who tries passwords.
    """

    config: HubConfig
    live: LiveHouse
    dsn: str
    drawn: dict[object, Any] = field(default_factory=dict, repr=False)
    drawing: Lock = field(default_factory=Lock, repr=False)
    tournaments: TournamentMemory = field(default_factory=TournamentMemory, repr=False)
    sign_ins: RateLimiter = field(default_factory=_sign_ins, repr=False)
    _idle: list[Connection] = field(default_factory=list, repr=False)

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Give a connection for as long as the context lasts; one that broke is not used again.

        Raises:
            HouseUnavailable: The database does not answer.
        """
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = connect(self.dsn, autocommit=True)
        try:
            yield connection
        finally:
            if not (connection.closed or connection.broken):
                self._idle.append(connection)

    def ask(self, question: str, facts: Any = None) -> list[tuple[Any, ...]]:
        """Return the rows that answer *question*, asked again once over connections that broke.

        What may not be done twice goes to `do`.

        Raises:
            HouseUnavailable: The database does not answer.
            psycopg.Error: It does not take the question.
        """
        try:
            return self._ask(question, facts)
        except psycopg.OperationalError:
            self.close()  # a restart of the database broke all of them
            return self._ask(question, facts)

    def do(self, order: str, facts: Any = None) -> list[tuple[Any, ...]]:
        """Return the rows that come of *order*, which is given once.

        Raises:
            HouseUnavailable: The database does not answer.
            psycopg.Error: It does not take the order; where it fell silent it may have done it.
        """
        self.ask("SELECT 1")  # a connection that a restart broke is not found out by the order
        return self._ask(order, facts)

    def close(self) -> None:
        """Hang up; whoever asks on has a new connection."""
        with suppress(IndexError):
            while True:
                self._idle.pop().close()

    def _ask(self, question: str, facts: Any) -> list[tuple[Any, ...]]:
        with self.connected() as connection:
            found = connection.execute(question, facts)
            return found.fetchall() if found.description else []


def house() -> HouseSite:
    """Return the parts of the app that serves this request."""
    return cast("HouseSite", current_app.extensions["kloplei_hub"])


def say(key: str, **facts: object) -> str:
    """Return the sentence *key* of the house, for who reads."""
    return house_words(reader().language).say(key, facts)


def read_as(language: str) -> Reader:
    """Let this request be read in that *language* by nobody in particular."""
    g.reader = Reader(language, None, may_act=False, may_move_others=False)
    return reader()


def read_as_asked() -> None:
    """Let this request be read in the language that its address asks for, else in the house's.

    No cookie and no browser says it: what is answered may be shared by all who ask for the same.
    """
    asked = request.args.get("lang", "")
    read_as(asked if asked in LANGUAGES else house().config.house.language)


def page(template: str, status: int = 200, /, **told: object) -> Response:
    """Return the page that *template* makes of what is *told*, which nobody keeps."""
    return fresh(make_response(render_template(template, reader=reader(), **told), status))
