"""The rule document's worked examples hold, and each altered expectation is noticed."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from kloplei.records.reading import read_records
from kloplei.records.toepen import read_toepen
from kloplei.records.trick import read_trick
from kloplei.records.yaml_values import documents
from kloplei.rules.catalogue import game_kind
from kloplei.rules.toepen.options import choices
from tests.records.replayed import EXAMPLES, Terminal

WRITTEN = yaml.safe_load(EXAMPLES.read_text("utf-8"))
HOUSE_RULES = EXAMPLES.with_name("house_rules.yaml")
CHECKED = ("lives", "stake", "phase", "leader", "next_to_answer", "armoede", "illegal")
RECORDS = {example["id"]: example for example in WRITTEN["examples"]}


def test_all_examples_of_the_document_are_here() -> None:
    assert list(RECORDS) == [f"T{number:02}" for number in range(1, 32)]
    assert [trick["id"] for trick in WRITTEN["judge"]] == [f"TJ{n}" for n in range(1, 6)]


def test_the_file_of_examples_replays(terminal: Terminal) -> None:
    result = terminal.run("replay", str(EXAMPLES))

    assert (result.code, result.out) == (0, "36 of 36 records hold.\n")


@pytest.mark.parametrize("record", list(read_records(str(EXAMPLES))), ids=lambda one: one.id)
def test_worked_example(record: Any) -> None:
    assert record.play().difference is None


@pytest.mark.parametrize("record", list(read_records(str(HOUSE_RULES))), ids=lambda one: one.id)
def test_worked_out_house_rule(record: Any) -> None:
    assert record.play().difference is None


def test_every_house_rule_is_worked_out_somewhere() -> None:
    written = [*WRITTEN["examples"], *yaml.safe_load(HOUSE_RULES.read_text("utf-8"))["examples"]]

    assert {name for one in written for name in one.get("options", {})} == set(choices())


@pytest.mark.parametrize("name", RECORDS)
def test_every_altered_expectation_is_noticed(name: str) -> None:
    for what, altered in mutants(RECORDS[name]):
        (value,) = documents(yaml.safe_dump(altered), "altered.yaml")
        assert read_toepen(value).play().difference is not None, what


@pytest.mark.parametrize("trick", WRITTEN["judge"], ids=lambda trick: trick["id"])
def test_an_altered_trick_is_noticed(trick: dict[str, Any]) -> None:
    for player, _ in trick["plays"]:
        (value,) = documents(yaml.safe_dump({**trick, "winner": player}), "altered.yaml")
        differs = read_trick(value, game_kind("toepen")).play().difference is not None
        assert differs is (player != trick["winner"])


def mutants(example: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield *example* with one expectation altered, and say which."""
    players = example["players"]
    for number, event in enumerate(example["events"]):
        for key in CHECKED:
            if key in event:
                altered = copy.deepcopy(example)
                altered["events"][number][key] = another(event[key], players)
                yield f"event {number + 1} {key}", altered
        altered = copy.deepcopy(example)
        # What was refused is now expected to be done, and the other way round.
        if altered["events"][number].pop("illegal", None) is None:
            altered["events"][number]["illegal"] = "too_late"
        yield f"event {number + 1} refusal", altered
    for key, value in example["expected"].items():
        altered = copy.deepcopy(example)
        altered["expected"][key] = another(value, players)
        yield f"expected {key}", altered


def another(value: Any, players: list[str]) -> Any:
    """Return something like *value* but different."""
    match value:
        case int():
            return value + 1
        case str() if value in players:
            return players[players.index(value) - 1]
        case str():
            return value + "_not"
        case []:
            return players[:1]
        case [int(), *_]:
            return [value[0] + 1, *value[1:]]
        case list():
            return value[1:]
        case dict():
            return {name: number + 1 for name, number in value.items()}
    raise AssertionError(value)
