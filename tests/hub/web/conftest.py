"""The pages of a house whose tables were really played, and whoever looks at them."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache

import pytest
from flask import Flask
from flask.testing import FlaskClient

from kloplei.games.catalogue import build_game
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.outbox import for_house
from kloplei.table.uplink_client import HousePerson
from kloplei.uplink.wire import encode
from kloplei_hub.database import Connection
from kloplei_hub.settings import DatabaseConfig, HouseConfig, HubConfig
from kloplei_hub.web.app import create_app
from kloplei_hub.web.live import LiveHouse
from tests.panel.conftest import TEMPLATES
from tests.table.seated import Tabletop

THIJS, TAME = HousePerson(71, "Thijs"), HousePerson(72, "Tame")


@cache
def played(near: bool = False) -> Scoreboard:
    """A table of toepen where seat 2 has to answer; *near*: Thijs has one life left."""
    table = Tabletop(build=build_game, game="toepen", seats=4, options={"max_lives": 5}).start(
        1, 2, 3
    )
    table.ask(1, "rename", facts={"name": "Thijs"})
    table.ask(2, "rename", facts={"name": "Secret Sanne"})
    table.ask(3, "rename", facts={"name": "Tame"})
    table.ask(1, "deal")
    table.ask(1, "knock")
    board = table.board
    rows = [
        replace(row, person={"Thijs": 71, "Tame": 72}.get(row.name), limit=5) for row in board.rows
    ]
    if near:
        rows[0] = replace(rows[0], tally=4, flags=("armoede",))
    return replace(board, rows=tuple(rows))


def sent(board: Scoreboard) -> str:
    """What a box sends of *board*."""
    return encode(for_house(board, (THIJS, TAME))).decode()


@dataclass
class Tables:
    """Puts boxes, boards and people straight into the database, as the ingest does."""

    house: Connection

    def add(
        self,
        box: str,
        number: int | None = None,
        name: str = "",
        board: Scoreboard | None = None,
        *,
        online: bool = True,
    ) -> None:
        self.house.execute(
            "INSERT INTO boxes (box, name, number, online, seen) VALUES (%s, %s, %s, %s, now())",
            (box, name, number, online),
        )
        if board is not None:
            self.show(box, board)
        self.tell(box)

    def show(self, box: str, board: Scoreboard) -> None:
        self.house.execute(
            "INSERT INTO boards (box, board) VALUES (%s, %s) "
            "ON CONFLICT (box) DO UPDATE SET board = excluded.board, at = now()",
            (box, sent(board)),
        )
        self.tell(box)

    def know(self, person: HousePerson, name: str | None = None, *, agreed: bool = True) -> None:
        self.house.execute(
            "INSERT INTO people (person, name, agreed) VALUES (%s, %s, %s) "
            "ON CONFLICT (person) DO UPDATE SET name = excluded.name, agreed = excluded.agreed",
            (person.id, person.name if name is None else name, agreed),
        )

    def tell(self, payload: str, channel: str = "boards") -> None:
        self.house.execute("SELECT pg_notify(%s, %s)", (channel, payload))


@pytest.fixture
def tables(house: Connection) -> Tables:
    tables = Tables(house)
    tables.know(THIJS)
    tables.know(TAME)
    return tables


@pytest.fixture
def config(dsn: str) -> HubConfig:
    web = dsn.replace("user=kloplei_hub", "user=kloplei_web")
    named = HouseConfig(name="De Kelk", language="en")
    return HubConfig(house=named, database=DatabaseConfig(owner=dsn, web=web))


@pytest.fixture
def live(config: HubConfig) -> Iterator[LiveHouse]:
    """Started by who wants it, after the house was filled."""
    with closing(LiveHouse(config.database.web, waiters=1, pause_s=0.02)) as live:
        yield live


Open = Callable[[], FlaskClient]


@pytest.fixture
def open_pages(config: HubConfig, live: LiveHouse) -> Iterator[Open]:
    """Begins to follow the house, and returns who looks at its pages."""

    apps: list[Flask] = []

    def begin() -> FlaskClient:
        live.start()
        app = create_app(config, live, dsn=config.database.web, secret_key="k" * 32)
        app.jinja_env.bytecode_cache = TEMPLATES
        apps.append(app)
        return app.test_client()

    yield begin
    for app in apps:
        app.extensions["kloplei_hub"].close()
