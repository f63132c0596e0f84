"""Bots with phones play evenings of every Tarok: hand after hand, told so that it can be booked."""

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, replace

import pytest

from kloplei.demo.bots import HANDS, Press, next_tarok_press
from kloplei.games.catalogue import build_game, game_kind
from kloplei.games.game import Action, Seat
from kloplei.games.scoreboard import Grace, Line, Offer, Row, Scoreboard

MOST_THOUGHTS = 200 * HANDS
ASKED = Seat(1)
HELD = Offer("declare", ("what", "count"), {"what": ("taroks",), "count": (10, 11, 12)})


def asked_for(press: Press, actions: Mapping[str, type[Action]]) -> Action:
    kind = actions[press.action]
    own = {"seat": press.seat} if any(one.name == "seat" for one in fields(kind)) else {}
    return kind(**own, **press.facts)


def evening(preset: str, seats: int, options: Mapping[str, object]) -> Counter[str]:
    """Let bots play until the slate is wiped, and return what they did; nothing is refused."""
    game = build_game("tarok", preset, options)
    state = game.start(tuple(map(Seat, range(seats))), Seat(2))
    dice = random.Random(seats)
    done: Counter[str] = Counter()
    for _ in range(MOST_THOUGHTS):
        if press := next_tarok_press(game.scoreboard(state), dice):
            done[press.action] += 1
            for event in game.decide(state, asked_for(press, game.actions)):
                state = game.apply(state, event)
        if done["new_game"]:
            return done
    pytest.fail(f"after {MOST_THOUGHTS} thoughts: {state}")


@pytest.mark.parametrize(
    ("preset", "seats"), list(zip(game_kind("tarok").presets, (4, 3, 4, 3, 4), strict=True))
)
def test_an_evening_is_told_booked_and_settled(preset: str, seats: int) -> None:
    done = evening(preset, seats, {})

    assert done["deal"] == done["book"] == HANDS <= done["last_trick"]
    assert 3 * HANDS == done["pass"] > done["declare"] > 0
    assert done["fate"] > 0
    assert (done["settle"], done["throw_in"]) == (1, 0)
    assert done["take_back"] < HANDS  # bots see no cards, and now and then tell what cannot be


@pytest.mark.parametrize("seats", [3, 4])
def test_where_only_points_are_kept_bots_make_them_up(seats: int) -> None:
    done = evening("dansk", seats, {"only_points": True})

    assert done == {"deal": HANDS, "result": HANDS, "settle": 1, "new_game": 1}


def board(prompt: Line | None, *offers: Offer) -> Scoreboard:
    return Scoreboard("tarok", "hand", (Row(ASKED, 0, offers=offers),), prompt=prompt)


def presses(looking_at: Scoreboard) -> set[str | None]:
    found = (next_tarok_press(looking_at, random.Random(luck)) for luck in range(200))
    return {None if press is None else press.action for press in found}


def test_who_is_asked_passes_or_now_and_then_declares() -> None:
    asked = board(Line("prompt.declare", {"seat": ASKED}), Offer("pass"), HELD)

    done = Counter(str(next_tarok_press(asked, random.Random(luck))) for luck in range(400))

    assert done[str(Press(ASKED, "pass"))] > 150
    assert 0 < sum(done[one] for one in done if "declare" in one) < 100
    assert all("count" in one for one in done if "declare" in one)


def test_nobody_declares_out_of_turn() -> None:
    asked = board(Line("prompt.declare", {"seat": Seat(2)}), Offer("pass"), HELD)

    assert presses(asked) == {None, "pass"}


def test_a_bot_lets_others_object_first_and_asks_for_nothing_that_is_not_offered() -> None:
    ready = board(Line("prompt.last-trick"), Offer("last_trick"))
    waiting = replace(ready, grace=Grace(ASKED, "last_trick", until_s=2.0, total_s=3.0))

    assert presses(ready) == {None, "last_trick"}
    assert presses(waiting) == presses(board(Line("prompt.last-trick"))) == {None}
    assert presses(board(None)) == presses(board(Line("prompt.sit-down"))) == {None}


def test_a_pile_counts_what_it_still_can() -> None:
    left = board(Line("prompt.card-points"), Offer("points", ("points",), {"points": (78,)}))

    done = {str(next_tarok_press(left, random.Random(luck))) for luck in range(50)}

    assert done == {str(None), str(Press(ASKED, "points", {"points": 78}))}


def test_bots_take_back_the_last_of_what_cannot_go_together() -> None:
    at_odds = board(Line("prompt.held", {"said": (), "entries": (2, 5)}))

    done = {str(next_tarok_press(at_odds, random.Random(luck))) for luck in range(200)}

    assert done == {str(None), str(Press(None, "take_back", {"entry": 5}))}


@pytest.mark.parametrize("what", ["nolo", "tout", "vole"])
def test_bots_own_up_to_what_their_points_prove(what: str) -> None:
    asked = Line(f"prompt.untold-{what}", {"seat": ASKED})
    may_tell = Offer(
        "feat",
        ("what", "announced", "made"),
        {"what": (what,), "announced": (None,), "made": (True,)},
    )

    assert presses(board(asked, may_tell, Offer("unclaimed"))) == {None, "feat"}
    assert presses(board(asked, Offer("unclaimed"))) == {None, "unclaimed"}
