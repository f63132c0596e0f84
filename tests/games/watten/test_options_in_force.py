"""No option is shown where it changes nothing (watten.md § 9)."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kloplei.games.game import Action, Event, Gesture, Seat
from kloplei.games.house_rules import CardList, spelling_of
from kloplei.games.trick import NoTrick
from kloplei.games.watten import VARIANTS, Options, State, Watten, actions
from kloplei.games.watten.trick import ladder

FOR_PEOPLE = {
    *("last_card_raise", "raise_turn", "rechte_exempt", "schoener", "blind_show"),
    "open_first_trick",
}
"""What the document lists as for people's eyes, since the box sees no cards."""
NUMBERS: Mapping[str, int] = {"target": 5, "raise_lock": 1, "max_value": 3}
NEAR = (0, 13, 14, 30)  # points that are chalked
WEIGHTS = {"Trick": 6.0, "Trump": 3.0, "Show": 3.0, "Raise": 3.0, "Misdeal": 0.5}
WALKS, STEPS = 60, 20
Step = tuple[object, Action, tuple[Event, ...]]
"""What is seen at a table, what is done then, and what comes of it."""
DOCUMENT = Path(__file__).parents[3] / "docs" / "rules" / "watten.md"


def others(name: str, house: Options) -> list[Any]:
    """Return the values of the option *name* but the one of *house*, each that has a word."""
    (option,) = (one for one in fields(Options) if one.name == name)
    spelling = spelling_of(option)
    values = list(spelling.words.values())
    if isinstance(spelling, CardList):
        values.append("CA S7")
    elif spelling.least is not None:
        values.append(NUMBERS.get(name, spelling.least))
    return [one for one in values if one != getattr(house, name)]


@cache
def judged(house: Options) -> object:
    """Return what beats what in every deal of *house*."""
    said = {"variant": house.variant, "options": house.as_facts()}
    found: list[object] = []
    for schlag in ("6", "7", "9", "A"):
        for trump in "HDSC":
            try:
                found.append(ladder({**said, "schlag": schlag, "trump": trump}))
            except NoTrick as refused:
                found.append(str(refused))
    return found


def plays_differently(house: Options, other: Options, number: int) -> bool:
    """Go a walk of *house* at a table of *other* too; return whether they come to differ on it."""
    seats, steps = walk(house, number)
    game = Watten(other)
    state = game.start(seats, seats[-1])
    for picture, action, events in steps:
        if seen(game, state) != picture or game.decide(state, action) != events:
            return True
        for event in events:
            state = game.apply(state, event)
    return False


@cache
def walk(house: Options, number: int) -> tuple[tuple[Seat, ...], list[Step]]:
    """Do what comes to mind at a table of *house*; return who sat there, and each step."""
    dice, game = random.Random(number), Watten(house)
    seats = tuple(Seat(n) for n in range(dice.randint(game.min_seats, min(game.max_seats, 4))))
    state = game.start(seats, seats[-1])
    steps: list[Step] = []
    for _ in range(STEPS):
        action = likely(sorted(game.legal_actions(state), key=repr), dice)
        events = game.decide(state, action)
        steps.append((seen(game, state), action, events))
        for event in events:
            state = game.apply(state, event)
    return seats, steps


def seen(game: Watten, state: State) -> object:
    """Return what is offered and shown at a table, and what a hand at it means."""
    hands = [game.meaning(state, seat, Gesture(2)) for seat in state.seats]
    board = replace(game.scoreboard(state), preset=None, options={})
    return game.legal_actions(state), board, game.hears_wood(state), hands


def likely(legal: list[Action], dice: random.Random) -> Action:
    """Return one of the *legal* actions: each kind alike, and points near the lock."""
    tense = [one for one in legal if not isinstance(one, actions.Chalk) or one.points in NEAR]
    kinds = sorted({type(one).__name__ for one in tense})
    weights = [WEIGHTS.get(kind, 1.0) for kind in kinds]
    (kind,) = dice.choices(kinds, weights)
    return dice.choice([one for one in tense if type(one).__name__ == kind])


HOUSES = {
    **VARIANTS,
    "Bohemian with Kritische": Options(variant="bohemian", bohemian_kritische=True),
    "Kritische of its own": Options(variant="kritisch", kritische_cards="HK CA"),
}


def shown() -> Iterator[tuple[str, str]]:
    for called, house in HOUSES.items():
        for one in fields(Options):
            if one.name not in house.idle() | FOR_PEOPLE and others(one.name, house):
                yield called, one.name


@pytest.mark.parametrize(("called", "option"), list(shown()))
def test_every_option_that_is_shown_changes_something(called: str, option: str) -> None:
    house = HOUSES[called]

    changes: list[dict[str, Any]] = [{option: value} for value in others(option, house)]
    other_houses = [replace(house, **change) for change in changes]
    assert any(judged(house) != judged(other) for other in other_houses) or any(
        plays_differently(house, other, number) for number in range(WALKS) for other in other_houses
    )


@pytest.mark.parametrize("called", list(HOUSES))
def test_options_that_are_not_shown_change_nothing(called: str) -> None:
    """All of them at once, to each of their values in turn."""
    house = HOUSES[called]
    hidden = {one: others(one, house) for one in sorted(house.idle() - FOR_PEOPLE)}

    for turn in range(max(map(len, hidden.values()))):
        changes = {name: some[turn % len(some)] for name, some in hidden.items() if some}
        other = replace(house, **changes)
        assert judged(house) == judged(other), changes
        assert not any(plays_differently(house, other, number) for number in (0, 1)), changes


def test_blind_watten_offers_no_guate_and_lets_the_weli_be_a_trump() -> None:
    idle = VARIANTS["blind"].idle()

    assert {"guate", "kritische", "maschine", "bohemian_start"} <= idle
    assert not {"weli", "supergute", "blind_show", "trick_by"} & idle


@pytest.mark.parametrize("called", list(VARIANTS))
def test_what_people_see_to_is_told_as_such(called: str) -> None:
    rules = DOCUMENT.read_text("utf-8").partition("**For people's eyes only**")[2]

    assert all(f"`{option}`" in rules for option in FOR_PEOPLE - VARIANTS[called].idle())
