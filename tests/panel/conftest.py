"""A panel over a real table with four players, and the phones that talk to it."""

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jinja2.bccache import Bucket, BytecodeCache
from werkzeug.test import TestResponse

from kloplei.games.game import Seat
from kloplei.knock import KnockHeard
from kloplei.knock.judgement import Landing
from kloplei.table.client import Frame
from kloplei.table.session import Session
from kloplei_panel import PanelSettings, create_app
from tests.table.memory_journal import MemoryJournal

NAMES = ("Thijs", "Tame", "Thomas", "Stan")
PIN = "4711"


class Phone:
    """A client with the few things every test asks of a table; seats are 1-based."""

    def __init__(self, client: FlaskClient, language: str = "en") -> None:
        self.client = client
        self.headers = {"Accept-Language": language}

    def get(self, path: str, **more: Any) -> TestResponse:
        return self.client.get(path, headers={**self.headers, **more.pop("headers", {})}, **more)

    def ask(self, seat: int | None, action: str, **facts: object) -> TestResponse:
        path = "/api/v1/actions" if seat is None else f"/api/v1/seats/{seat}/actions"
        return self.client.post(path, json={"action": action, **facts}, headers=self.headers)

    def do(self, seat: int | None, action: str, **facts: object) -> int:
        response = self.ask(seat, action, **facts)
        assert response.status_code == 202, response.text
        return int(response.json["seq"])  # type: ignore[index]

    @property
    def board(self) -> Any:
        return self.get("/api/v1/scoreboard").json


class DemoOfPins:
    """A virtual table that only notes what was done to its pins and its wood."""

    size_m = (1.2, 0.95)
    has_own_piezos = True
    is_real = False

    def __init__(self, seats: int = 8) -> None:
        self.seats = seats
        self.bots_speed: float | None = None
        self.spoken = ""
        self.moved: list[tuple[object, ...]] = []
        self.landings: list[Landing] = []
        self.is_busy = False
        self.places = [(seat / seats, 0.25) for seat in range(seats)]
        self.piezos = [(seat / seats, 0.1) for seat in range(seats)]

    def strike(self, kind: str, spot: tuple[float, float]) -> int | None:
        if self.is_busy:
            return None
        self.moved.append(("strike", kind, *spot))
        self.landings.append(Landing(len(self.landings) + 1, kind, spot))
        return len(self.landings)

    def heard(self, after: int = 0) -> list[Landing]:
        return [one for one in self.landings if one.number > after]

    def speak(self, language: str) -> None:
        self.spoken = language

    def knock(self, seat: int, times: int) -> None:
        self.moved.append(("knock", seat, times))

    def hold(self, seat: int, for_s: float) -> None:
        self.moved.append(("hold", seat, for_s))

    def box(self) -> dict[str, object]:
        return {"lamp": "#102030", "buzzer_hz": None}

    def set_bots(self, speed: float | None) -> None:
        self.bots_speed = speed

    def choose_game(self, game: str) -> None:
        self.moved.append(("game", game))


class _KeptTemplates(BytecodeCache):
    """Compiled templates, kept for the next test's app: compiling takes longer than most tests."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key] = bucket.bytecode_to_string()


TEMPLATES = _KeptTemplates()


def build(table: Session, settings: PanelSettings, demo: DemoOfPins | None = None) -> Flask:
    app = create_app(table, settings=settings, demo=demo)
    app.jinja_env.bytecode_cache = TEMPLATES
    return app


@pytest.fixture
def table() -> Iterator[Session]:
    """Four people sit at a table of eight; Thijs is to deal."""
    with Session(MemoryJournal()) as session:
        for seat, name in enumerate(NAMES):
            session.submit(Seat(seat), "sit_down", facts={"name": name})
        session.submit(Seat(0), "start")
        yield session


@pytest.fixture
def app(table: Session) -> Flask:
    return build(table, PanelSettings(clients=3, keepalive_s=0.05))


@pytest.fixture
def phone(app: Flask) -> Phone:
    return Phone(app.test_client())


@pytest.fixture
def locked_app(table: Session) -> Flask:
    return build(table, PanelSettings(locked=True, pin=PIN))


@pytest.fixture
def demo() -> DemoOfPins:
    return DemoOfPins()


@pytest.fixture
def demo_phone(table: Session, demo: DemoOfPins) -> Phone:
    return Phone(build(table, PanelSettings(), demo).test_client())


@pytest.fixture
def slate(table: Session) -> Frame:
    """Something stands on the slate: only its top left pixel is lit."""
    frame = Frame(16, 8, bytes([0x80] + [0] * 15))
    table.show(frame)
    return frame


def knock(table: Session, seat: int, at_s: float) -> None:
    """Let the wood of *seat* (1-based) be knocked on."""
    table.put(KnockHeard(Seat(seat - 1), strength=0.5, at_s=at_s))
