"""Whole evenings, written down, replay to the last drink."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from kloplei.games import watten
from kloplei.replay.reader import read_records
from kloplei.replay.tarok import TarokRecord

EVENINGS = sorted(Path(__file__).parent.glob("*.yaml"))


def test_there_are_evenings() -> None:
    assert len(EVENINGS) >= 2


def test_there_is_an_evening_of_each_watten() -> None:
    written = yaml.safe_load((Path(__file__).parent / "watten.yaml").read_text("utf-8"))
    records = written["examples"] if isinstance(written, dict) else written

    played = {(one["variant"], len(one["players"])) for one in records}

    assert {variant for variant, _ in played} == set(watten.VARIANTS)
    assert {number for variant, number in played if variant == "tyrol"} == {2, 3, 4}


@pytest.mark.parametrize("rule_set", ["a", "b", "c"])
def test_an_evening_of_each_tarok_hangs_together(rule_set: str) -> None:
    """What one hand leaves on the slate and in the pots the next one begins with."""
    written = yaml.safe_load((Path(__file__).parent / "tarok.yaml").read_text("utf-8"))
    hands = [one for one in written["examples"] if one["set"] == rule_set]

    assert len(hands) >= 4
    assert hands[-1]["kind"] == "session_end"
    assert sum(hands[-1]["out"]["final"].values()) == 0
    for before, after in pairwise(hands):
        assert after["in"]["scores"] == before["out"]["final"]
        assert after["in"].get("pots_before") == before["out"].get("pots_after")
        assert after["in"].get("redeal", False) is before["in"].get("void", False)
        if "kind" not in after and "redeal" not in after["in"]:
            players, dealer = after["in"]["players"], before["in"]["dealer"]
            assert after["in"]["dealer"] == players[(players.index(dealer) + 1) % len(players)]


@pytest.mark.parametrize("rule_set", ["a", "b", "c"])
def test_a_table_that_plays_the_evening_ends_with_the_same(rule_set: str) -> None:
    """The records begin each hand anew; at a table one follows from the other."""
    found: list[Any] = [
        one
        for one in read_records(str(Path(__file__).parent / "tarok.yaml"))
        if isinstance(one, TarokRecord) and one.start.game.options.rule_set == rule_set
    ]
    game, state = found[0].start.game, found[0].start.state

    for hand in found:
        for event in (
            *(event for action in hand.first for event in game.decide(state, action)),
            *hand.entries,
        ):
            state = game.apply(state, event)
        for event in game.decide(state, hand.last):
            state = game.apply(state, event)

    assert state.scores == tuple(found[-1].play().report["final"].values())
    assert len(state.hands) == len(found) - 1


@pytest.mark.parametrize("path", EVENINGS, ids=lambda path: path.stem)
def test_an_evening_replays(path: Path) -> None:
    for record in read_records(str(path)):
        assert record.play().difference is None
