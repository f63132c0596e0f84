"""The worked examples of Tarok hold, and each altered expectation is noticed."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kloplei.games import tarok
from kloplei.games.tarok.booking import LINES
from kloplei.replay import tarok as records
from kloplei.replay.reader import documents, read_records
from tests.replay.replayed import EXAMPLES, Terminal

FILE = EXAMPLES.with_name("tarok.yaml")
HOUSE_RULES = EXAMPLES.with_name("tarok_house_rules.yaml")
WRITTEN = yaml.safe_load(FILE.read_text("utf-8"))
HOUSE = yaml.safe_load(HOUSE_RULES.read_text("utf-8"))
BOOKED = [one for one in WRITTEN["examples"] if "out" in one]
REFUSED = [one for one in WRITTEN["examples"] if "reject" in one]


def played(record: dict[str, Any]) -> Any:
    (value,) = documents(yaml.safe_dump(record, sort_keys=False), "altered.yaml")
    return records.read(value).play()


def by_id(records: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(one, id=one["id"]) for one in records]


def test_all_examples_of_the_document_are_here() -> None:
    ids = [one["id"] for part in ("examples", "judge", "count") for one in WRITTEN[part]]

    assert ids == [
        f"{letter}{number:02}"
        for letter, most in (("a", 9), ("b", 10), ("c", 15), ("r", 19), ("j", 17), ("n", 7))
        for number in range(1, most + 1)
    ]


@pytest.mark.parametrize(("path", "records"), [(FILE, 77), (HOUSE_RULES, 57)])
def test_the_file_of_examples_replays(terminal: Terminal, path: Any, records: int) -> None:
    result = terminal.run("replay", str(path))

    assert (result.code, result.out) == (0, f"{records} of {records} records hold.\n")


@pytest.mark.parametrize("path", [FILE, HOUSE_RULES], ids=lambda path: path.stem)
def test_worked_examples(path: Path) -> None:
    records: list[Any] = list(read_records(str(path)))
    played = {record.id: record.play().difference for record in records}

    assert played
    assert {name: wrong for name, wrong in played.items() if wrong is not None} == {}


def test_every_house_rule_is_worked_out_somewhere() -> None:
    inside = [one["in"] for file in (WRITTEN, HOUSE) for one in file["examples"]]
    written = [*inside, *WRITTEN["judge"], *HOUSE["judge"]]

    worked_out = {name for one in written for name in one.get("options", {})}

    for_tables = {"rule_set", "only_points", "must_balance"}  # a record tells a hand in full
    assert set(tarok.Options.choices()) - worked_out == for_tables


def test_every_line_of_the_ledger_is_booked_somewhere() -> None:
    records = [one for file in (WRITTEN, HOUSE) for one in file["examples"] if "out" in one]

    booked = {line["line"] for one in records for line in one["out"].get("lines", [])}

    rare = {"cavaliers", "jacks", "kings_four", "kings_full", "kings_half", "result"}
    assert booked <= set(LINES)
    assert set(LINES) - booked == rare


@pytest.mark.parametrize("example", by_id(BOOKED))
def test_every_altered_expectation_is_noticed(example: dict[str, Any]) -> None:
    mutants = list(altered(example))

    assert len(mutants) > 5
    for what, mutant in mutants:
        assert played(mutant).difference is not None, what


@pytest.mark.parametrize("example", by_id(REFUSED))
def test_another_code_is_noticed(example: dict[str, Any]) -> None:
    came = played(example).report["rejects"]

    other = next(code for code in tarok.REASONS if code not in came)
    outcome = played({**example, "reject": other})

    assert f"expected to be refused with {other}, but it is" in str(outcome.difference)
    assert played({**example, "reject": [example["reject"], other]}).difference is not None


@pytest.mark.parametrize("example", by_id(REFUSED))
def test_what_is_refused_cannot_be_expected_to_be_booked(example: dict[str, Any]) -> None:
    expecting = {key: value for key, value in example.items() if key != "reject"}

    outcome = played({**expecting, "out": {"net": {}}})

    assert "it is refused: V-" in str(outcome.difference)


@pytest.mark.parametrize("example", by_id(BOOKED[:-1]))
def test_what_is_booked_cannot_be_expected_to_be_refused(example: dict[str, Any]) -> None:
    expecting = {key: value for key, value in example.items() if key != "out"}

    outcome = played({**expecting, "reject": "V-78"})

    assert "expected to be refused with V-78, but it is booked" in str(outcome.difference)


def test_the_order_of_steps_counts_and_the_order_within_one_does_not() -> None:
    example = next(one for one in BOOKED if one["id"] == "c11")
    lines = example["out"]["lines"]

    within = [lines[0], *reversed(lines[1:6]), *lines[6:]]
    across = [*lines[1:], lines[0]]

    assert played({**example, "out": {"lines": within}}).difference is None
    found = played({**example, "out": {"lines": across}}).difference
    assert "line 10 (dealer_extra): it is booked before the line above it." in str(found)


@pytest.mark.parametrize("judged", by_id([*WRITTEN["judge"], *HOUSE["judge"]]))
def test_an_altered_trick_is_noticed(judged: dict[str, Any]) -> None:
    others: list[dict[str, Any]] = [
        {"winner": place} for place in (1, 2, 3) if place != judged["winner"]
    ]
    others += [{"events": {**judged.get("events", {}), "king_home": [9]}}, {"fool": "nobody"}]
    if "last" in judged:
        others.append({"last": {1: "other", 2: "other", 3: "other"}})

    for other in others:
        assert played({**judged, **other}).difference is not None, other


@pytest.mark.parametrize("counted", by_id(WRITTEN["count"]))
def test_an_altered_count_is_noticed(counted: dict[str, Any]) -> None:
    points = counted["points"]
    more = {**points, "A": points["A"] + 1} if isinstance(points, dict) else points + 1

    assert played({**counted, "points": more}).difference is not None


def test_an_altered_file_replays_with_exit_code_1(terminal: Terminal) -> None:
    text = FILE.read_text("utf-8").replace("vole_made, A: 52,", "vole_made, A: 51,", 1)

    result = terminal.replay(text)

    assert result.code == 1
    assert 'line 6 (vole_made): expected the line {"line": "vole_made", "A": 51,' in result.out
    assert "76 of 77 records hold." in result.out


def test_json_is_the_ledger_in_the_words_of_the_record(terminal: Terminal) -> None:
    result = terminal.run("replay", "--json", str(FILE))

    reports = {one["id"]: one for one in result.report}
    for example in BOOKED:
        report = reports[example["id"]]
        assert (report["game"], report["set"]) == ("tarok", example["set"])
        assert sorted(map(json.dumps, report["lines"])) == sorted(
            json.dumps(line) for line in example["out"]["lines"]
        )
        assert report["net"] == example["out"]["net"]
        assert report.get("pots_after") == example["out"].get("pots_after")
        assert report["steps"] == [
            {key: report[key] for key in report if key not in ("id", "game", "set", "steps")}
        ]
        assert "rejects" not in report
    for example in REFUSED:
        report = reports[example["id"]]
        assert example["reject"] in report["rejects"]
        assert not {"lines", "net", "pots_after"} & set(report)
    assert reports["c15"]["final"] == {"A": -45, "B": 115, "C": -70}
    assert reports["j04"]["final"] == {
        "winner": 2,
        "events": {"king_lost": [1], "pagat_lost": [3]},
    }
    assert reports["n06"]["final"] == {"points": {"A": 29, "B": 30, "C": 19}}


def test_all_codes_are_reported_at_once(terminal: Terminal) -> None:
    text = """
    {id: R, set: c, in: {players: [A, B, C], dealer: A, declare: [{by: B, what: queens}],
     in_play: [{by: B, what: king_home}], last_trick: {winner: [A, B]}, card_points: {A: 24.5}}}
    """

    (report,) = terminal.replay(text, "--json").report

    codes = ["V-LAST", "V-78", "V-PAGAT-FATE", "V-DECL", "V-EVENT"]
    assert report["rejects"] == codes


def test_what_is_odd_but_may_be_is_told(terminal: Terminal) -> None:
    text = """
    {id: W, set: b, in: {players: [A, B, C], dealer: A,
     declare: [{by: B, what: taroks, count: 10, pagat: false, fool: true}],
     in_play: [{by: C, what: pagat_home}], last_trick: {winner: C},
     card_points: {A: 26, B: 26, C: 26}}, out: {}}
    """

    result = terminal.replay(text, "--json")

    assert result.code == 0
    assert result.report[0]["warnings"] == ["V-KINGS"]


def altered(example: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield *example* with one expectation altered, and say which."""
    out = example["out"]
    for number, line in enumerate(out["lines"]):
        yield f"without line {number}", _with_lines(example, without=number)
        yield f"line {number} twice", _with_lines(example, again=line)
        for key in line:
            mutant = copy.deepcopy(example)
            value = line[key]
            mutant["out"]["lines"][number][key] = "pagat_home_" if key == "line" else value + 5
            yield f"line {number} {key}", mutant
    for what in ("net", "pots_after", "final"):
        for key in out.get(what, {}):
            mutant = copy.deepcopy(example)
            mutant["out"][what][key] += 5
            yield f"{what} {key}", mutant


def _with_lines(
    example: dict[str, Any], *, without: int | None = None, again: Any = None
) -> dict[str, Any]:
    lines = [line for n, line in enumerate(example["out"]["lines"]) if n != without]
    if again is not None:
        lines.append(again)
        lines.sort(key=lambda line: LINES[line["line"]])
    return {**example, "out": {**example["out"], "lines": lines}}
