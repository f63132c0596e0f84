"""Bots with phones play every kind of Watten to its end, and leave the slate's keeper alone."""

import contextlib
import random
from collections.abc import Mapping
from dataclasses import fields

import pytest

from kloplei.demo.bots import OFTEN, ON_THE_WOOD, WITH_THOUGHT, Bots, Press, next_press
from kloplei.demo.table import Demo
from kloplei.games.catalogue import GAMES, build_game
from kloplei.games.game import Action, IllegalAction, Seat
from kloplei.games.scoreboard import Grace, Offer, Row, Scoreboard
from kloplei.table.actions import TABLE_ACTIONS

MOST_THOUGHTS = 4000


def board(*offers: Offer, grace: Grace | None = None) -> Scoreboard:
    return Scoreboard("watten", "play", (Row(Seat(1), 0, offers=offers),), grace=grace)


def presses(looking_at: Scoreboard) -> set[str | None]:
    found = (next_press(looking_at, random.Random(luck)) for luck in range(200))
    return {None if press is None else press.action for press in found}


def test_a_bot_does_what_its_phone_offers_and_thinks_in_between() -> None:
    assert presses(board(Offer("trick"), Offer("raise"))) == {None, "trick", "raise"}


def test_a_bot_leaves_the_slate_to_people() -> None:
    keeping = [Offer(name) for name in ("undo", "chalk", "correct", "misdeal", "wipe", "stand_up")]

    assert presses(board(*keeping)) == {None}


def test_a_bot_presses_a_word_of_which_nobody_has_told_it() -> None:
    """A fixed list of words once stalled every game that it did not know."""
    assert presses(board(Offer("swim"), Offer("chalk"))) == {None, "swim"}


def test_a_bot_knocks_on_the_wood_where_a_game_hears_it() -> None:
    knocked: list[tuple[int, int]] = []
    with Demo() as demo:
        bots = Bots(demo.client, lambda seat, times: knocked.append((seat, times)))
        for _ in range(20):
            bots._move(board(Offer("knock")))

    assert set(knocked) == {(1, 1)}


def test_a_bot_says_along_what_is_asked_for_and_writes_no_text() -> None:
    named = board(Offer("schlag", ("rank",), {"rank": ("9",)}), Offer("trump", ("suit",)))

    found = {str(next_press(named, random.Random(luck))) for luck in range(50)}

    assert found == {str(None), str(Press(Seat(1), "schlag", {"rank": "9"}))}


def test_a_bot_lets_others_object_first() -> None:
    waiting = Grace(Seat(0), "trick", until_s=2.0, total_s=3.0)

    assert presses(board(Offer("trick"), grace=waiting)) == {None}


def asked_for(press: Press, actions: Mapping[str, type[Action]]) -> Action:
    kind = actions[press.action]
    own = {"seat": press.seat} if any(one.name == "seat" for one in fields(kind)) else {}
    return kind(**own, **press.facts)


@pytest.mark.parametrize(
    ("name", "preset"),
    [
        (name, preset)
        for name, kind in GAMES.items()
        if name not in {*WITH_THOUGHT, ON_THE_WOOD}
        for preset in kind.presets
    ],
)
def test_bots_play_a_game_to_its_end(name: str, preset: str) -> None:
    game = build_game(name, preset, {})
    state = game.start(tuple(map(Seat, range(4))), Seat(3))
    dice = random.Random(3)
    for _ in range(MOST_THOUGHTS):
        if state.phase in ("game_over", "rubber_over"):
            return
        if press := next_press(game.scoreboard(state), dice):
            # Six of hearts: a rank and a suit that are there, and yet no such card.
            with contextlib.suppress(IllegalAction):
                for event in game.decide(state, asked_for(press, game.actions)):
                    state = game.apply(state, event)
    pytest.fail(f"after {MOST_THOUGHTS} thoughts: {state}")


def test_all_that_bots_do_is_an_action_of_some_game() -> None:
    of_games = {name for kind in GAMES.values() for name in kind.actions}
    assert set(OFTEN) - set(TABLE_ACTIONS) <= of_games


def test_when_another_game_is_chosen_somebody_begins_it() -> None:
    with Demo() as demo:
        demo.client.submit(None, "options", facts={"game": "watten"})
        found = demo.client.scoreboard()

    assert presses(found) == {None, "start"}
