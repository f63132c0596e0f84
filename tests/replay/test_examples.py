"""The rule documents' worked examples hold, and each altered expectation is noticed."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kloplei.games import toepen, watten
from kloplei.replay import toepen as toepen_records
from kloplei.replay import watten as watten_records
from kloplei.replay.play import read_trick
from kloplei.replay.reader import documents, read_records
from tests.replay.replayed import EXAMPLES, Terminal

FILES = {"toepen": EXAMPLES, "watten": EXAMPLES.with_name("watten.yaml")}
WRITTEN = {game: yaml.safe_load(path.read_text("utf-8")) for game, path in FILES.items()}
HOUSE_RULES = {
    "toepen": EXAMPLES.with_name("house_rules.yaml"),
    "watten": EXAMPLES.with_name("watten_house_rules.yaml"),
}
REFUSALS = EXAMPLES.with_name("watten_refusals.yaml")
"""What follows from the law of Watten and no worked example shows."""
READ = {"toepen": toepen_records.read, "watten": watten_records.read}
CHOICES = {"toepen": toepen.Options.choices(), "watten": watten.Options.choices()}
HOW_IT_LISTENS = {"pads"}
"""What changes what the table hears, and nothing of what is played."""
JUDGED_BY_PEOPLE = {
    *("last_card_raise", "raise_turn", "rechte_exempt", "schoener", "blind_show"),
    "open_first_trick",
}
"""House rules of Watten that the box can only show, since it sees no cards."""
CHECKED = (
    *("lives", "stake", "phase", "leader", "next_to_answer", "armoede", "illegal"),
    *("pts", "value", "pending", "tricks_now"),
)
RECORDS = [
    pytest.param(game, example, id=example["id"])
    for game, written in WRITTEN.items()
    for example in written["examples"]
]
TRICKS = [
    pytest.param(game, trick, id=trick["id"])
    for game, written in WRITTEN.items()
    for trick in written["judge"]
]


def test_all_examples_of_the_documents_are_here() -> None:
    examples = [example["id"] for game in WRITTEN for example in WRITTEN[game]["examples"]]
    tricks = [trick["id"] for game in WRITTEN for trick in WRITTEN[game]["judge"]]

    toepen_ids = [f"T{number:02}" for number in range(1, 32)]
    assert examples == toepen_ids + [f"W{number:02}" for number in range(1, 32)]
    assert tricks == [f"TJ{n}" for n in range(1, 6)] + [f"WJ{n:02}" for n in range(1, 22)]


@pytest.mark.parametrize(("game", "records"), [("toepen", 36), ("watten", 52)])
def test_the_file_of_examples_replays(terminal: Terminal, game: str, records: int) -> None:
    result = terminal.run("replay", str(FILES[game]))

    assert (result.code, result.out) == (0, f"{records} of {records} records hold.\n")


@pytest.mark.parametrize(
    "path", [*FILES.values(), *HOUSE_RULES.values(), REFUSALS], ids=lambda path: path.stem
)
def test_worked_examples(path: Path) -> None:
    records: list[Any] = list(read_records(str(path)))
    played = {record.id: record.play().difference for record in records}

    assert played
    assert {name: wrong for name, wrong in played.items() if wrong is not None} == {}


@pytest.mark.parametrize("game", WRITTEN)
def test_every_house_rule_is_worked_out_somewhere(game: str) -> None:
    """In a course of events, or in a trick where it is only about cards."""
    house = yaml.safe_load(HOUSE_RULES[game].read_text("utf-8"))
    written = [
        one
        for file in (WRITTEN[game], house)
        for part in ("examples", "judge")
        for one in file.get(part, [])
    ]
    worked_out = {name for one in written for name in one.get("options", {})}

    assert set(CHOICES[game]) - worked_out - JUDGED_BY_PEOPLE - HOW_IT_LISTENS <= {"variant"}


@pytest.mark.parametrize(("game", "example"), RECORDS)
def test_every_altered_expectation_is_noticed(game: str, example: dict[str, Any]) -> None:
    for what, altered in mutants(example):
        (value,) = documents(json.dumps(altered), "altered.yaml")
        assert READ[game](value).play().difference is not None, what


@pytest.mark.parametrize(("game", "trick"), TRICKS)
def test_an_altered_trick_is_noticed(game: str, trick: dict[str, Any]) -> None:
    for player, _ in trick["plays"]:
        (value,) = documents(json.dumps({**trick, "winner": player}), "altered.yaml")
        differs = read_trick(value, game).play().difference is not None
        assert differs is (player != trick["winner"])


def test_an_altered_file_replays_with_exit_code_1(terminal: Terminal) -> None:
    text = FILES["watten"].read_text("utf-8").replace("pts: [4, 3]}", "pts: [3, 4]}", 1)

    result = terminal.replay(text)

    assert result.code == 1
    assert "expected pts [3, 4], but it is [4, 3]" in result.out


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
        case None:
            return 99
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
