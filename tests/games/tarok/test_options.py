"""How house rules of Tarok are spelled, and what the presets are."""

from dataclasses import fields

import pytest

from kloplei.games.house_rules import BadOption
from kloplei.games.tarok import PRESETS, Options, Tarok


def test_the_presets_are_the_games_by_the_names_players_know() -> None:
    assert [(name, one.rule_set, one.has_pots) for name, one in PRESETS.items()] == [
        ("dansk", "c", True),
        ("dansk uden kopper", "c", False),
        ("dansk ordret", "c", True),
        ("grosstarock", "b", False),
        ("taroc 1754", "a", False),
    ]
    assert Options(a_fine=6).name_in(PRESETS) is None
    assert Tarok().preset == "dansk"


@pytest.mark.parametrize(
    ("name", "written", "meant"),
    [
        ("cards", True, True),
        ("cards", "false", False),
        ("cards", "no", False),
        ("c_pots", False, False),
        ("c_ante", 40, 40),
        ("c_rounding", 1, 1),
        ("c_tout", 135, 135),
        ("c_pagat_ultimo", 50, 50),
        ("c_last_trick", 0, 0),
        ("a_excuse_alone_cards", 4, 4),
        ("sitter", "opposite the dealer", "opposite"),
        ("a_fine", 0, 0),
    ],
)
def test_options_are_read_as_the_rules_spell_them(
    name: str, written: object, meant: object
) -> None:
    assert getattr(Options.from_mapping({name: written}), name) == meant


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("rule_set", "d"),
        ("c_ante", 0),
        ("c_ante", 7),
        ("c_ante", -5),
        ("c_dealer_extra", 3),
        ("c_rounding", 3),
        ("c_rounding", 10),
        ("c_tout", 82),
        ("c_nolo", 26),
        ("c_lost", -5),
        ("a_excuse_alone_cards", 2),
        ("a_fine", -1),
        ("c_ante", 10_005),
        ("cards", 1),
    ],
)
def test_what_an_option_cannot_be_is_told(name: str, written: object) -> None:
    with pytest.raises(BadOption, match=f"Option {name} cannot be"):
        Options.from_mapping({name: written})


def test_numbers_in_steps_say_so() -> None:
    assert Options.choices()["c_ante"] == "a whole number, 5 to 10000 by 5"
    assert Options.choices()["c_rounding"] == "a whole number, 1 to 5 by 4"
    assert set(Options.choices()) == {one.name for one in fields(Options)}
