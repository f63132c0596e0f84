"""The house rules of eenendertigen are worked out on its page, and altered examples fail."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kloplei.games.card_game import Deal
from kloplei.games.eenendertigen import Eenendertigen, Options
from kloplei.games.eenendertigen.actions import Correct, Lowest
from kloplei.games.game import Choose, Gesture, IllegalAction, Seat, Slate
from kloplei.replay.eenendertigen import read
from kloplei.replay.reader import documents

PAGE = Path(__file__).parents[3] / "docs" / "rules" / "eenendertigen.md"
EXAMPLES = yaml.safe_load(PAGE.read_text("utf-8").partition("```yaml examples\n")[2].rstrip("`\n"))


def altered(example: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield *example* with one of its expectations turned into another, and say which."""
    for number, event in enumerate(example["events"]):
        for key in event.keys() & {"lives", "phase", "knocker", "out", "illegal"}:
            other = copy.deepcopy(example)
            other["events"][number][key] = another(event[key], example["players"])
            yield f"event {number + 1} {key}", other
    for key, value in example["expected"].items():
        other = copy.deepcopy(example)
        other["expected"][key] = another(value, example["players"])
        yield f"expected {key}", other


def another(value: Any, players: list[str]) -> Any:
    match value:
        case None:
            return players[0]
        case str() if value in players:
            return players[players.index(value) - 1]
        case str():
            return f"{value}_not"
        case {}:
            return {players[0]: 9}
        case [int(), *_]:
            return [value[0] + 1, *value[1:]]
    return value[1:] or players


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["id"])
def test_every_altered_expectation_is_noticed(example: dict[str, Any]) -> None:
    for what, other in altered(example):
        (value,) = documents(json.dumps(other), "altered.yaml")
        assert read(value).play().difference is not None, what


def test_every_house_rule_is_worked_out_on_the_page() -> None:
    worked_out = {name for example in EXAMPLES for name in example.get("options", {})}

    assert worked_out == set(Options.choices())


@pytest.mark.parametrize(("lost", "stands"), [(2, (1, 2)), (3, (0, 0))])
def test_what_a_lost_journal_left_stands_again(lost: int, stands: tuple[int, int]) -> None:
    """Of a rubber that was over only the honours stand."""
    one, other = Seat(0), Seat(1)
    slate = Slate({one: 1, other: lost}, {(one, "rubbers_won"): 2, (other, "drinks"): 3}, {})

    state = Eenendertigen().recover((one, other), other, slate)

    assert (state.lives_lost, state.winners, state.drinks) == (stands, (one, one), (0, 3))


def test_a_deal_corrected_to_who_had_nothing_left_is_won_by_nobody() -> None:
    game = Eenendertigen(Options(lives=1))
    ann, bob, cor = (Seat(n) for n in range(3))
    state = game.start((ann, bob, cor), cor)
    for asked in (Deal(), Lowest(ann), Deal(), Lowest(bob), Correct(1, bob)):
        for event in game.decide(state, asked):
            state = game.apply(state, event)

    assert state.out == (bob,)
    assert game.scoreboard(state).hands[0].winner is None


def test_two_who_stay_cannot_both_have_been_lowest_in_deals_of_who_left() -> None:
    game = Eenendertigen(Options(lives=1, payer="nobody"))
    ann, bob, cor, dan = (Seat(n) for n in range(4))
    state = game.start((ann, bob, cor, dan), dan)
    for asked in (Deal(), Lowest(cor), Deal(), Lowest(dan)):
        for event in game.decide(state, asked):
            state = game.apply(state, event)
    state = game.go_on(state, (ann, bob), {ann: ann, bob: bob})
    for event in game.decide(state, Correct(1, ann)):
        state = game.apply(state, event)

    with pytest.raises(IllegalAction) as refused:
        game.decide(state, Correct(2, bob))

    assert refused.value.reason == "nobody_left"


@pytest.mark.parametrize(
    ("counting", "key", "knocks"),
    [
        ((), "laid-open", [1, 2, 3, 5]),
        (("three_alike",), "laid-open-some", [1, 3, 5]),
        (("thirty_one", "three_alike", "three_aces"), "all-equal", [5]),
    ],
)
def test_three_knocks_ask_only_for_what_is_laid_open_in_this_house(
    counting: tuple[str, ...], key: str, knocks: list[int]
) -> None:
    options = dict.fromkeys(counting, "counts")
    game = Eenendertigen(Options.from_mapping(options))
    (dealt,) = game.decide(start := game.start((Seat(0), Seat(1)), Seat(0)), Deal())

    asked = game.meaning(game.apply(start, dealt), Seat(1), Gesture(3))

    assert isinstance(asked, Choose)
    assert (asked.key, sorted(n for n, _ in asked.choices)) == (key, knocks)
    assert sorted(asked.facts) == (["held", "other"] if key == "laid-open-some" else [])


def test_nobody_is_as_low_as_somebody_who_has_left() -> None:
    """A phone offered to be "as low as …"."""
    game, seats = Eenendertigen(Options()), (Seat(0), Seat(1), Seat(2))
    state = game.start(seats, Seat(0))
    for action in (Deal(), Lowest(Seat(1))):
        for event in game.decide(state, action):
            state = game.apply(state, event)

    left = game.go_on(state, (Seat(0), Seat(2)), {Seat(0): Seat(0), Seat(2): Seat(2)})

    with pytest.raises(IllegalAction) as refused:
        game.decide(left, Lowest(Seat(2)))
    assert refused.value.reason == "no_hand"
