"""The app is built without what no page has asked for yet."""

import threading
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment
from werkzeug.routing import Map, Rule

from kloplei.table.session import Session
from kloplei_panel import PanelSettings, create_app


def unwanted(route: Rule, append_unknown: bool = True) -> None:
    raise AssertionError(f"nobody has asked for the address of {route}")


def test_an_address_is_compiled_when_it_is_asked_for_and_spelled_as_werkzeug_would(
    table: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Rule, "_compile_builder", unwanted)
        routes = list(create_app(table, settings=PanelSettings()).url_map.iter_rules())
    plain = [Rule(one.rule, endpoint=one.endpoint, methods=one.methods) for one in routes]
    Map(plain)

    def spelled(rules: list[Rule]) -> list[tuple[str, str] | None]:
        return [one.build({**dict.fromkeys(one.arguments, 3), "more": "a b"}) for one in rules]

    assert len(spelled(routes)) > 40
    assert spelled(routes) == spelled(plain)
    assert [one.build({}, append_unknown=False) for one in routes if not one.arguments] == [
        ("", one.rule) for one in routes if not one.arguments
    ]


def compiled(table: Session, cache: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many templates a new panel compiles to show its first page."""
    names: list[str | None] = []
    compile_template = Environment.compile

    def noted(self: Environment, source: str, name: str | None, filename: str | None) -> object:
        names.append(name)
        return compile_template(self, source, name, filename)

    with monkeypatch.context() as patch:
        patch.setattr(Environment, "compile", noted)
        app = create_app(table, settings=PanelSettings(cache=cache))
        assert app.test_client().get("/").status_code == 200
    return len(names)


def test_a_page_is_compiled_once_for_all_starts(
    table: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compiled(table, tmp_path, monkeypatch) > 10

    assert compiled(table, tmp_path, monkeypatch) == 0


def test_what_was_kept_and_spoilt_is_compiled_again(
    table: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a power cut: a file may be empty, cut short, or of other bytes."""
    at_first = compiled(table, tmp_path, monkeypatch)
    for at, kept in enumerate(sorted(tmp_path.iterdir())):
        whole = kept.read_bytes()
        kept.write_bytes([b"", whole[: len(whole) // 2], whole[:-9] + bytes(9)][at % 3])

    assert compiled(table, tmp_path, monkeypatch) == at_first
    assert compiled(table, tmp_path, monkeypatch) == 0


def test_pages_come_where_nothing_can_be_kept(
    table: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compiled(table, tmp_path / "gone", monkeypatch) > 10


def test_a_template_that_many_ask_for_at_once_is_compiled_once(
    table: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the first page of a game 40 phones waited for 40 threads that all compiled it."""
    app = create_app(table, settings=PanelSettings())
    app.jinja_env.bytecode_cache = None
    compiled: list[str | None] = []
    compile_one = Environment.compile

    def note(self: Environment, source: str, name: str | None = None, *more: Any) -> Any:
        compiled.append(name)
        return compile_one(self, source, name, *more)

    monkeypatch.setattr(Environment, "compile", note)
    ready = threading.Barrier(8)

    def ask() -> None:
        ready.wait()
        assert app.test_client().get("/slate?seat=2").status_code == 200

    asking = [threading.Thread(target=ask) for _ in range(8)]
    for one in asking:
        one.start()
    for one in asking:
        one.join()

    assert "slate/table.html" in compiled
    assert len(compiled) == len(set(compiled))
