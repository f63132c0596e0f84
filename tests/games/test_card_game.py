"""What is found by the name of an event: no type checker sees whether it is there."""

import inspect
from collections.abc import Iterable
from typing import Any, get_type_hints

import pytest

from kloplei.games.card_game import CardGame
from kloplei.games.catalogue import build_game
from kloplei.games.game import in_words


def game_called(name: str) -> CardGame[Any, Any]:
    game = build_game(name)
    assert isinstance(game, CardGame)
    return game


def called(course: type, prefix: str) -> set[str]:
    return {one.removeprefix(prefix) for one in dir(course) if one.startswith(prefix)}


def in_all_words(names: Iterable[str]) -> set[str]:
    return {in_words(name) for name in names}


@pytest.mark.parametrize("name", ["toepen", "watten", "tarok"])
def test_every_event_has_its_change_and_no_change_is_left_over(name: str) -> None:
    game = game_called(name)

    assert called(game.course, "_when_") == in_all_words(game.events)
    for kind in game.events.values():
        change = getattr(game.course, f"_when_{in_words(kind.__name__)}")
        hints = get_type_hints(change)
        assert list(inspect.signature(change).parameters) == ["self", "event", "state"], kind
        assert issubclass(kind, hints["event"]), kind
