"""The interface fuzzed from its own description: no 5xx, answers that fit, no change without right.

A second of each world is enough for every change; for longer, set KLOPLEI_FUZZ to the number
of requests for each address: ``KLOPLEI_FUZZ=2000 pytest tests/panel/test_fuzz.py``.
"""

import os
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from kloplei.games.game import Seat
from kloplei.games.toepen import Toepen
from kloplei.table.actions import TABLE_ACTIONS
from kloplei.table.client import Frame
from kloplei.table.session import Session
from kloplei_panel import PanelSettings
from kloplei_panel.api.openapi import describe
from tests.panel.conftest import NAMES, PIN, DemoOfPins, build
from tests.table.memory_journal import MemoryJournal

EXAMPLES = int(os.environ.get("KLOPLEI_FUZZ", "10"))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
ENDLESS = "/api/v1/stream"
ACTIONS = sorted({*TABLE_ACTIONS, *Toepen.actions})
SEAT = 2


class World:
    """A table of Toepen and its panel; *cookie* says what the phone may that is fuzzed with."""

    def __init__(self, session: Session, app: Flask, cookie: str = "") -> None:
        self.session = session
        self.app = app
        self.cookie = cookie

    def send(self, case: Any) -> Any:
        return case.call(cookies={"kloplei": self.cookie} if self.cookie else None)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(MemoryJournal()) as session:
        for seat, name in enumerate(NAMES):
            session.submit(Seat(seat), "sit_down", facts={"name": name})
        session.submit(Seat(0), "start")
        session.submit(Seat(0), "deal")
        session.show(Frame(16, 8, bytes(16)))
        yield session


@pytest.fixture(scope="module")
def everybody(session: Session) -> World:
    return World(session, build(session, PanelSettings(reactions=True), DemoOfPins()))


@pytest.fixture(scope="module")
def locked(session: Session) -> Flask:
    return build(session, PanelSettings(locked=True, pin=PIN, reactions=True, asks_each=10**6))


@pytest.fixture(scope="module")
def watcher(session: Session, locked: Flask) -> World:
    return World(session, locked)


@pytest.fixture(scope="module")
def player(session: Session, locked: Flask) -> World:
    """Somebody knocked for this phone at seat 2."""
    with locked.test_request_context() as context:
        locked.extensions["kloplei"].pairing.let_in(Seat(SEAT - 1))
        answer = locked.response_class()
        locked.session_interface.save_session(locked, context.session, answer)
    return World(session, locked, answer.headers["Set-Cookie"].split(";")[0].partition("=")[2])


@cache
def schema_of(app: Flask) -> Any:
    return schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)


def addresses(*, with_demo: bool) -> list[tuple[str, str]]:
    paths = describe(with_demo=with_demo)["paths"]
    return [(path, method) for path in paths for method in paths[path] if path != ENDLESS]


def posts() -> list[tuple[str, str]]:
    return [(path, method) for path, method in addresses(with_demo=False) if method != "get"]


def with_words() -> list[tuple[str, str]]:
    """Return the addresses that can be asked wrongly: by a number or a body; any name is one."""
    paths = describe(with_demo=True)["paths"]
    return [
        (path, method)
        for path, method in addresses(with_demo=True)
        if {"parameters", "requestBody"} & set(paths[path][method]) and "{name}" not in path
    ]


def fuzz(
    world: World,
    path: str,
    method: str,
    examine: Any,
    mode: GenerationMode = GenerationMode.POSITIVE,
) -> int:
    """Send what the description allows, or in another *mode* what it does not; return how often.

    *examine* is called with each case and its answer.
    """
    sent = 0
    operation = schema_of(world.app)[path][method.upper()]
    cases = operation.as_strategy(generation_mode=mode)

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases, action=st.sampled_from([None, *ACTIONS]))
    def send(case: Any, action: str | None) -> None:
        nonlocal sent
        sent += 1
        if action is not None and isinstance(case.body, dict) and "action" in case.body:
            case.body["action"] = action  # a text of chance is hardly ever one that there is
        examine(case, world.send(case))

    send()
    return sent


@pytest.mark.parametrize(("path", "method"), addresses(with_demo=True))
def test_nothing_breaks_and_every_answer_is_as_described(
    everybody: World, path: str, method: str
) -> None:
    def examine(case: Any, answer: Any) -> None:
        case.validate_response(answer, checks=CHECKS)  # raises

    assert fuzz(everybody, path, method, examine) > 0


@pytest.mark.parametrize(("path", "method"), with_words())
def test_what_no_description_allows_breaks_nothing(
    everybody: World, path: str, method: str
) -> None:
    def examine(case: Any, answer: Any) -> None:
        case.validate_response(answer, checks=[not_a_server_error])  # raises

    assert fuzz(everybody, path, method, examine, GenerationMode.NEGATIVE) > 0


@pytest.mark.parametrize(("path", "method"), addresses(with_demo=False))
def test_a_locked_panel_answers_as_described_too(watcher: World, path: str, method: str) -> None:
    def examine(case: Any, answer: Any) -> None:
        case.validate_response(answer, checks=CHECKS)  # raises

    assert fuzz(watcher, path, method, examine) > 0


@pytest.mark.parametrize(("path", "method"), posts())
def test_who_only_looks_on_changes_nothing(watcher: World, path: str, method: str) -> None:
    before = watcher.session.scoreboard()
    at_the_door = path == "/api/v1/door"

    def examine(_case: Any, answer: Any) -> None:
        assert at_the_door or answer.status_code in (400, 403, 404, 413, 415)

    fuzz(watcher, path, method, examine)

    after = watcher.session.scoreboard()
    assert (after.seq, after.rows, after.options) == (before.seq, before.rows, before.options)


def test_who_sits_at_one_seat_does_nothing_for_another(player: World) -> None:
    before = player.session.scoreboard()

    def examine(case: Any, answer: Any) -> None:
        if case.path_parameters.get("number") != SEAT:
            assert answer.status_code in (400, 403, 404, 413, 415)
            assert player.session.scoreboard().seq == before.seq

    def elsewhere(case: Any, answer: Any) -> None:
        assert answer.status_code not in (200, 202)

    fuzz_seats(player, examine)
    for path in ("/api/v1/actions", "/api/v1/door/refuse", "/api/v1/tune"):
        fuzz(player, path, "post", elsewhere)


def fuzz_seats(world: World, examine: Any) -> None:
    """Post every action there is for each of the other seats, with facts of chance."""

    def sent(case: Any, answer: Any) -> None:
        examine(case, answer)

    operation = schema_of(world.app)["/api/v1/seats/{number}/actions"]["POST"]

    @settings(
        max_examples=4 * EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(
        case=operation.as_strategy(),
        seat=st.sampled_from([1, 3, 4, 5]),
        action=st.sampled_from(ACTIONS),
    )
    def send(case: Any, seat: int, action: str) -> None:
        case.path_parameters = {"number": seat}
        case.body = {"action": action, "seat": SEAT}
        sent(case, world.send(case))

    send()


def test_the_phone_of_a_player_may_really_act(player: World) -> None:
    """Else all of the above would hold for a phone that may do nothing."""
    operation = schema_of(player.app)["/api/v1/seats/{number}/actions"]["POST"]
    case = operation.Case(
        path_parameters={"number": SEAT},
        body={"action": "rename", "name": "Tamme"},
        media_type="application/json",
    )

    assert player.send(case).status_code == 202
