"""The description is valid OpenAPI, names every address, and real answers keep to it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from werkzeug.routing import Rule

from kloplei.table.client import Frame
from kloplei_panel import PanelSettings
from kloplei_panel.api.openapi import describe
from tests.panel.conftest import DemoOfPins, Phone, build

INTERFACE = "kloplei_panel.api"
DESCRIPTION = "/api/v1/openapi.json"  # told by the app, which loads it then
PAGES = {
    *("/", "/tv", "/demo", "/evenings", "/evenings/{number}", "/evenings/{number}/recap.png"),
    *("/evenings/{number}/text", "/people/{person}"),
}
"""What is described although it is for people; no other page, form or file is."""


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return describe(with_demo=True)


def assert_fits(document: dict[str, Any], schema: str, answer: object) -> None:
    whole = {"$ref": f"#/components/schemas/{schema}", "components": document["components"]}
    Draft202012Validator(whole).validate(answer)


def assert_as_far_as_described(
    document: dict[str, Any], phone: Phone, path: str, name: str
) -> None:
    (schema,) = [
        one["schema"]
        for one in document["paths"][path]["get"]["parameters"]
        if (one["in"], one["name"]) == ("query", name)
    ]
    least, most = schema["minimum"], schema["maximum"]
    asked = [
        phone.get(f"{path}?{name}={n}").status_code for n in (least - 1, least, most, most + 1)
    ]

    assert asked == [400, 200, 200, 400]


def address(rule: Rule) -> str:
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)


@pytest.mark.parametrize("with_demo", [True, False])
def test_the_description_is_valid_openapi(with_demo: bool) -> None:
    assert list(OpenAPIV31SpecValidator(describe(with_demo=with_demo)).iter_errors()) == []


def test_every_address_is_described_with_its_methods(
    table: Any, document: dict[str, Any], demo: DemoOfPins
) -> None:
    app: Flask = build(table, PanelSettings(), demo)
    served = {
        (address(rule), method.lower())
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if app.view_functions[rule.endpoint].__module__.startswith(INTERFACE)
        or address(rule) in (*PAGES, DESCRIPTION)
    }

    described = {(path, method) for path, item in document["paths"].items() for method in item}

    assert served == described


def test_the_demo_is_only_described_where_it_is(phone: Phone, demo_phone: Phone) -> None:
    plain = phone.get("/api/v1/openapi.json").get_json()
    with_demo = demo_phone.get("/api/v1/openapi.json").get_json()

    assert "/demo/bots" not in plain["paths"]
    assert "/demo/bots" in with_demo["paths"]
    assert plain["openapi"] == "3.1.0"


def test_scoreboards_of_a_whole_hand_fit(phone: Phone, document: dict[str, Any]) -> None:
    assert_fits(document, "Scoreboard", phone.board)
    for ask in (
        (1, "deal"),
        (2, "exchange"),
        (3, "knock"),
        (4, "fold"),
        (1, "stay"),
        (2, "stay"),
        (2, "trick"),
        (None, "undo"),
    ):
        assert_fits(document, "Granted", phone.ask(*ask).get_json())
        assert_fits(document, "Scoreboard", phone.board)


def test_other_answers_fit(
    phone: Phone, demo_phone: Phone, slate: Frame, document: dict[str, Any]
) -> None:
    assert_fits(document, "Log", phone.get("/api/v1/log").get_json())
    assert_fits(document, "Health", phone.get("/api/v1/health").get_json())
    assert_fits(document, "Box", demo_phone.get("/demo/box").get_json())
    for speed in ({"speed": 2}, {"on": False}):
        assert_fits(document, "Bots", demo_phone.client.post("/demo/bots", json=speed).get_json())
    demo_phone.client.post("/demo/strike", json={"x": 0.5, "y": 0.5})
    assert_fits(document, "Landings", demo_phone.get("/demo/heard").get_json())
    assert_fits(document, "Refusal", phone.ask(3, "knock").get_json())
    for broken in (phone.ask(3, "jump"), phone.ask(99, "knock"), phone.get("/slate.png?scale=x")):
        assert_fits(document, "Problem", broken.get_json())


def test_no_answer_is_a_free_object_but_this_description(document: dict[str, Any]) -> None:
    answers = (
        (path, answer.get("content", {}).get("application/json", {}).get("schema", {}))
        for path, item in document["paths"].items()
        for operation in item.values()
        for answer in operation["responses"].values()
    )
    free = {path for path, schema in answers if "additionalProperties" in schema}

    assert free == {"/api/v1/openapi.json"}


def test_every_answer_of_an_action_is_a_status_that_is_described(
    phone: Phone, document: dict[str, Any]
) -> None:
    described = document["paths"]["/api/v1/seats/{number}/actions"]["post"]["responses"]
    answers = (
        phone.ask(1, "deal"),
        phone.ask(3, "jump"),
        phone.ask(9, "knock"),
        phone.ask(3, "stay"),
        phone.ask(1, "rename", name="x" * 20_000),
        phone.client.post("/api/v1/seats/1/actions", data="deal"),
    )

    assert [str(one.status_code) for one in answers] == ["202", "400", "404", "409", "413", "415"]
    assert {str(one.status_code) for one in answers} <= set(described)


def asked_numbers(document: dict[str, Any]) -> Iterator[tuple[str, str, str, str, Any]]:
    """Yield method, path, place, name and schema of each whole number that may be asked with."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            for one in operation.get("parameters", ()):
                yield method, path, one["in"], one["name"], one["schema"]
            for body in operation.get("requestBody", {}).get("content", {}).values():
                shape = document["components"]["schemas"][body["schema"]["$ref"].split("/")[-1]]
                for name, schema in shape["properties"].items():
                    yield method, path, "body", name, schema


def test_every_whole_number_goes_as_far_as_described_and_no_further(
    document: dict[str, Any], demo_phone: Phone
) -> None:
    numbers = [one for one in asked_numbers(document) if "integer" in one[-1].get("type", ())]

    assert len(numbers) > 15
    for method, path, place, name, schema in numbers:
        for number in (schema["maximum"] + 1, 2**63, 10**4000):
            bare = re.sub(r"{\w+}", str(number) if place == "path" else "1", path)
            asked = f"{bare}?{name}={number}" if place == "query" else bare
            body = {"action": "deal", "step": "begin", name: number} if place == "body" else {}
            answer = demo_phone.client.open(asked, method=method.upper(), json=body)

            assert 400 <= answer.status_code < 500, (method, path, name, number)


@pytest.mark.parametrize(("path", "name"), [("/api/v1/log", "limit"), ("/slate.png", "scale")])
def test_numbers_are_described_as_far_as_they_go(
    demo_phone: Phone, slate: Frame, document: dict[str, Any], path: str, name: str
) -> None:
    assert_as_far_as_described(document, demo_phone, path, name)
