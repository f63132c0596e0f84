"""No option is shown where it changes nothing, and none changes anything where it is not."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest

from kloplei.games.card_game import Deal, Revoke
from kloplei.games.eenendertigen import Eenendertigen
from kloplei.games.game import Action, Seat
from kloplei.games.tarok import Tarok, judge
from kloplei.games.tarok.actions import Book, LastCard, LastTrick, Points, Result, SitOut, TellFeat
from kloplei.games.tarok.cards import PACK
from kloplei.games.toepen import Toepen
from kloplei.games.toepen.actions import (
    Chalk,
    Challenge,
    Drink,
    Exchange,
    Fold,
    Knock,
    Stay,
    Trick,
    WonBefore,
)
from kloplei.games.trick import NoTrick
from kloplei.games.watten import VARIANTS, Options, Watten
from kloplei.games.watten import actions as of_watten
from kloplei.games.watten.trick import ladder
from tests.games.in_force import Toggler

RULES = Path(__file__).parents[2] / "docs" / "rules"
FOR_PEOPLE = {
    "toepen": {"exchange_definition", "exchange_bluff_effect"},
    "watten": {
        *("last_card_raise", "raise_turn", "rechte_exempt", "schoener", "blind_show"),
        "open_first_trick",
    },
    "tarok": set[str](),
    "eenendertigen": set[str](),
}
"""What the page of the game lists as for people's eyes, since the box sees no cards."""


def by_pips(house: Any) -> list[int]:
    """Return who takes a trick of two red cards of one suit, in Tarok."""
    red = [card for card in PACK if card.suit in "HD" and card.rank in ("A", "10")]
    said = {"set": house.rule_set, "trick": "2", "named": "H", "options": {"pips": house.pips}}
    return [judge([*two, PACK[-1]], said).place for two in permutations(red, 2)]


@cache
def by_ladder(house: Any) -> list[object]:
    """Return what beats what in every deal of Watten."""
    said = {"variant": house.variant, "options": house.as_facts()}
    found: list[object] = []
    for schlag, trump in product(("6", "7", "9", "A"), "HDSC"):
        try:
            found.append(ladder({**said, "schlag": schlag, "trump": trump}))
        except NoTrick as refused:
            found.append(str(refused))
    return found


def chalked(*lives: int) -> list[Action]:
    """Return what puts so many *lives* on the slate."""
    return [Chalk(Seat(at), lost) for at, lost in enumerate(lives) if lost]


A, B, C, D = map(Seat, range(4))
STAY_ALL = tuple(map(Stay, (A, B, C, D)))
OF_TOEPEN: tuple[tuple[Action, ...], ...] = (
    (Deal(), Knock(A), *STAY_ALL, Knock(A), Knock(B), Stay(C), Stay(D), Fold(A)),
    # In armoede twice; a fold that ends a rubber in mid-hand; nothing more to lose.
    (*chalked(2, 1), Deal(), *STAY_ALL, Revoke(C), Deal()),
    (*chalked(0, 2), Deal(), *STAY_ALL, Knock(A), Fold(B)),
    (*chalked(2, 1), Deal(), Exchange(B), Challenge(A, of=B, found="dirty"), Fold(B)),
    # The rubber after one that was lost; a card of a hand that was folded too late.
    (*chalked(3, 3, 3), Drink(A), Drink(B), Drink(C), Deal()),
    (WonBefore(A, 3), WonBefore(B, 3), *chalked(0, 3, 3, 3), Drink(B), Drink(C), Drink(D)),
    (Deal(), Knock(A), Fold(B), Stay(C), Stay(D), Trick(B, 4)),
    (),
)

OF_TAROK: tuple[tuple[Action, ...], ...] = (
    (),
    # Pots that are taken and filled up again; an ultimo that takes the last trick.
    (SitOut(C), Deal(), LastTrick(A), TellFeat(A, "tout", made=True), Book(), Deal()),
    (
        *(Deal(), LastTrick(C), LastCard(C, "king"), Points(A, 39), Points(B, 29), Points(C, 29)),
        *(Book(), Deal()),
    ),
    (Deal(), Points(A, 29), Points(B, 24), LastTrick(A), LastCard(C, "pagat"), Book(), Deal()),
)

TOGGLERS: Mapping[str, Toggler] = {
    "toepen": Toggler(
        Toepen,
        numbers={"max_lives": 5},
        walks=60,
        scripts=OF_TOEPEN,
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
    "watten": Toggler(
        Watten,
        numbers={"target": 5, "raise_lock": 1, "max_value": 3},
        scripts=((), (of_watten.Chalk(A, 13), of_watten.Chalk(B, 13))),
        judged=by_ladder,
        weights={"Trick": 6, "Trump": 3, "Show": 3, "Raise": 3, "Misdeal": 0.5, "late": 0.2},
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
        scripts=OF_TAROK,
        asked_besides=(Result((5, 0, 0)),),
        judged=by_pips,
    ),
    "eenendertigen": Toggler(
        Eenendertigen, weights={"Chalk": 0.5, "Knock": 3, "Lowest": 3, "late": 0.5}
    ),
}
HOUSES: Mapping[str, Mapping[str, Any]] = {
    # Where few lives stand on the slate, much happens with the last of them.
    "toepen": {called: replace(one, max_lives=3) for called, one in Toepen.presets.items()},
    "watten": {
        **VARIANTS,
        "Bohemian with Kritische": Options(variant="bohemian", bohemian_kritische=True),
        "Kritische of its own": Options(variant="kritisch", kritische_cards="HK CA"),
    },
    "tarok": {
        **Tarok.presets,
        **{
            f"{called}, only points": replace(Tarok.presets[called], only_points=True)
            for called in ("dansk", "grosstarock", "taroc 1754")
        },
    },
    "eenendertigen": Eenendertigen.presets,
}


def told_apart() -> Iterator[tuple[str, str]]:
    """Yield one house for all of a game that show the same options."""
    for game, houses in HOUSES.items():
        showing = {shown(game, houses[called]): called for called in reversed(list(houses))}
        yield from ((game, called) for called in showing.values())


def shown(game: str, house: Any) -> frozenset[str]:
    """Return the options of *house* that offer another value, but those for people's eyes."""
    names = {one.name for one in fields(house) if TOGGLERS[game].values(one.name, house)}
    return frozenset(names - house.idle() - FOR_PEOPLE[game])


@pytest.mark.parametrize(("game", "called"), list(told_apart()))
def test_every_option_that_is_shown_changes_something(game: str, called: str) -> None:
    toggler, house = TOGGLERS[game], HOUSES[game][called]

    assert [one for one in sorted(shown(game, house)) if not toggler.changes(one, house)] == []


@pytest.mark.parametrize(("game", "called"), list(told_apart()))
def test_options_that_are_not_shown_change_nothing(game: str, called: str) -> None:
    """All of them at once, to each of their values in turn."""
    toggler, house = TOGGLERS[game], HOUSES[game][called]
    hidden = {one: toggler.values(one, house) for one in sorted(house.idle() - FOR_PEOPLE[game])}

    for turn in range(max(map(len, hidden.values()), default=0)):
        changes = {name: some[turn % len(some)] for name, some in hidden.items() if some}
        assert not toggler.tells_apart(house, [replace(house, **changes)], walks=2), changes


def test_blind_watten_offers_no_guate_and_lets_the_weli_be_a_trump() -> None:
    idle = VARIANTS["blind"].idle()

    assert {"guate", "kritische", "maschine", "bohemian_start"} <= idle
    assert not {"weli", "supergute", "blind_show", "trick_by"} & idle


@pytest.mark.parametrize("game", [game for game, names in FOR_PEOPLE.items() if names])
def test_what_people_see_to_is_told_as_such(game: str) -> None:
    assert all(f"`{option}`" in of_eyes(game) for option in FOR_PEOPLE[game])


def test_that_only_the_judge_of_tarok_asks_for_the_order_of_pips_is_told() -> None:
    """It stood among options that move chips, with no word that it moves none."""
    house = HOUSES["tarok"]["dansk"]
    unjudged = replace(TOGGLERS["tarok"], judged=lambda _: None)

    assert "`pips` is for the judge only" in of_eyes("tarok")
    assert not unjudged.tells_apart(house, [replace(house, pips="reversed")], walks=2)


def of_eyes(game: str) -> str:
    """Return what the page of *game* says of what people's eyes see to."""
    return (RULES / f"{game}.md").read_text("utf-8").partition("eyes only")[2].partition("\n## ")[0]
