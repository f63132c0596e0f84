"""What is found by the name of an action or event: no type checker sees whether it is there."""

import inspect
from collections.abc import Callable
from dataclasses import fields
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from kloplei.games.card_game import CardGame, Course, Deal
from kloplei.games.catalogue import GAMES, build_game
from kloplei.games.game import Action, Event, actions_in, events_in, in_words
from kloplei.games.tarok import actions as tarok

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@pytest.fixture(params=list(GAMES))
def game(request: pytest.FixtureRequest) -> CardGame[Any, Any]:
    built = build_game(request.param)
    assert isinstance(built, CardGame)
    return built


def called(course: type[Course[Any, Any]], prefix: str) -> set[str]:
    return {one.removeprefix(prefix) for one in dir(course) if one.startswith(prefix)}


def meant(hint: object) -> set[object]:
    """Return what values of this *hint* are: one of several words is a text."""
    if isinstance(hint, UnionType):
        return set().union(*map(meant, get_args(hint)))
    return {str if get_origin(hint) is Literal else hint}


def said_by(kind: type[Action] | type[Event]) -> list[set[object]]:
    hints = get_type_hints(kind)
    # How a hand answered (`Answered`) is nothing that an action says.
    return [meant(hints[one.name]) for one in fields(kind) if not one.kw_only]


def taken_by(method: Callable[..., object]) -> list[set[object]]:
    hints = get_type_hints(method)
    taken = inspect.signature(method).parameters.values()
    return [meant(hints[one.name]) for one in taken if one.name in hints and one.kind in POSITIONAL]


def fits(said: list[set[object]], taken: list[set[object]]) -> bool:
    return len(said) == len(taken) and all(map(set.issubset, said, taken))


def test_every_event_has_its_change_and_no_change_is_left_over(game: CardGame[Any, Any]) -> None:
    assert called(game.course, "_when_") == {in_words(name) for name in game.events}
    for kind in game.events.values():
        change = getattr(game.course, f"_when_{in_words(kind.__name__)}")
        assert list(inspect.signature(change).parameters) == ["self", "event", "state"], kind
        assert issubclass(kind, get_type_hints(change)["event"]), kind


def test_every_action_has_what_comes_of_it_and_nothing_is_left_over(
    game: CardGame[Any, Any],
) -> None:
    booked = {
        name
        for name, kind in game.actions.items()
        if game.name == "tarok" and tarok.entry_of(kind(*[0] * len(fields(kind))))
    }
    done, granted = called(game.course, "_do_"), game.course.grants.keys()

    assert sorted([*done, *granted, *booked]) == sorted(game.actions)
    for name in done:
        assert fits(said_by(game.actions[name]), taken_by(getattr(game.course, f"_do_{name}"))), (
            name
        )
    for name, kind in game.course.grants.items():
        assert fits(said_by(game.actions[name]), said_by(kind)), name


def test_an_action_or_event_is_there_by_being_declared() -> None:
    names = vars(tarok)

    assert {"declare", "deal", "fine_pot"} <= set(actions_in(names, Deal))
    assert "telling" not in actions_in(names)  # what others are made of
    assert "deal" not in actions_in(names)  # declared elsewhere
    assert "Declared" in events_in(names)
    assert not {"Entry", "Event"} & set(events_in(names))
