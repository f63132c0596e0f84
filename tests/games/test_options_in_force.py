"""No option is shown where it changes nothing; those of Watten have tests of their own."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from kloplei.games.eenendertigen import Eenendertigen
from kloplei.games.game import Seat
from kloplei.games.tarok import Tarok, judge
from kloplei.games.tarok import actions as of_tarok
from kloplei.games.tarok.cards import PACK
from kloplei.games.toepen import Toepen
from kloplei.games.toepen.actions import Chalk
from tests.games.in_force import Toggler

RULES = Path(__file__).parents[2] / "docs" / "rules"
FOR_PEOPLE = {
    "toepen": {"exchange_definition", "exchange_bluff_effect"},
    "tarok": set[str](),
    "eenendertigen": set[str](),
}
"""What the page of the game lists as for people's eyes, since the box sees no cards."""
TOGGLERS: Mapping[str, Toggler] = {
    "toepen": Toggler(
        Toepen,
        numbers={"max_lives": 5},
        walks=250,
        asked_first=(Chalk(Seat(0), 2), Chalk(Seat(1), 1)),
        weights={
            "Trick": 4,
            "Knock": 6,
            "Stand": 2,
            "Stay": 6,
            "Fold": 4,
            "late": 0.2,
            "Exchange": 4,
            "Challenge": 10,
            "Chalk": 0.5,
            "WonBefore": 0.2,
            "Amend": 0.2,
            "Correct": 0.3,
            "Misdeal": 0.2,
        },
    ),
    "tarok": Toggler(
        Tarok,
        weights={
            "Fine": 0.2,
            "FineIntoPot": 0.2,
            "ThrowIn": 0.05,
            "TakeBack": 0.2,
            "Pass": 0.2,
            "Book": 20,
            "Points": 10,
            "LastTrick": 4,
            "TellFeat": 4,
            "LastCard": 3,
            "late": 0.1,
            "Settle": 0.2,
            "Reopen": 0.2,
            "Declare": 1,
            "TellFate": 3,
            "Deal": 6,
        },
        asked_besides=(of_tarok.Result((5, 0, 0)),),
    ),
    "eenendertigen": Toggler(
        Eenendertigen, weights={"Chalk": 0.5, "Knock": 3, "Lowest": 3, "late": 0.5}
    ),
}
HOUSES: Mapping[str, Mapping[str, Any]] = {
    # Where few lives stand on the slate, much happens with the last of them.
    "toepen": {called: replace(one, max_lives=3) for called, one in Toepen.presets.items()},
    "tarok": {
        **Tarok.presets,
        **{
            f"{called}, only points": replace(Tarok.presets[called], only_points=True)
            for called in ("dansk", "grosstarock", "taroc 1754")
        },
    },
    "eenendertigen": Eenendertigen.presets,
}


def shown() -> Iterator[tuple[str, str, str]]:
    for game, houses in HOUSES.items():
        for called, house in houses.items():
            for one in fields(house):
                if one.name not in house.idle() | FOR_PEOPLE[game]:
                    yield game, called, one.name


def judged(house: Any) -> list[int]:
    """Return who takes a trick of two red cards of one suit, which is for the judge to say."""
    red = [card for card in PACK if card.suit in "HD" and card.rank in ("A", "10")]
    said = {"set": house.rule_set, "trick": "2", "named": "H", "options": {"pips": house.pips}}
    return [judge([*two, PACK[-1]], said).place for two in permutations(red, 2)]


@pytest.mark.parametrize(("game", "called", "option"), list(shown()))
def test_every_option_that_is_shown_changes_something(game: str, called: str, option: str) -> None:
    toggler, house = TOGGLERS[game], HOUSES[game][called]

    if option == "pips":
        others = toggler.others(option, house)
        assert any(judged(other) != judged(house) for other in others)
    else:
        assert toggler.changes(option, house)


@pytest.mark.parametrize("game", [game for game, names in FOR_PEOPLE.items() if names])
def test_what_people_see_to_is_told_as_such(game: str) -> None:
    told = next(
        line
        for line in (RULES / f"{game}.md").read_text("utf-8").splitlines()
        if "eyes only" in line
    )

    assert all(f"`{option}`" in told for option in FOR_PEOPLE[game])
