"""The app is built without what no page has asked for yet."""

import pytest
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
