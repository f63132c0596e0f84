"""How house rules of Watten are spelled, and what the presets are."""

import pytest

from kloplei.games.cards import GERMAN_SUITS, SUITS
from kloplei.games.house_rules import BadOption
from kloplei.games.watten import PRESETS, VARIANTS, Options


@pytest.mark.parametrize(
    ("name", "written", "meant"),
    [
        ("target", "11", 11),
        ("raise_lock", "target_minus_2", "target_minus_2"),
        ("raise_lock", "none", None),
        ("raise_lock", 10, 10),
        ("max_value", "none", None),
        ("guate", True, True),
        ("kritische", 3, "3"),
        ("kritische", "4", "4"),
        ("kritische", "HK D6 D7 S7", "4"),
        ("kritische", "hk d7 c7", "bavarian"),
        ("kritische", "[HK, D6, S7]", "3"),
        ("kritische_cards", "as kritische", None),
        ("kritische_cards", "hk, d6 [s7]", "HK D6 S7"),
        ("kritische_cards", "♥K ♦10", "HK D10"),
        ("acorn_suit", "♣", "C"),
        ("stop_at_three", "play all five", False),
        ("stop_at_three", True, True),
        ("bohemian_exchange", "3, dealer 2", "3 and dealer 2"),
        ("bohemian_schlag", "none", "no rank"),
        ("three_player", "one against two", "one against two"),
        ("three_player_pair_lock", "all", "both of them"),
        ("misdeal_penalty", "2 to opponents", "opponents_2"),
        ("look_early_penalty", "none", "costs nothing"),
        ("last_card_raise", "only with trump, Schlag or led suit", "trump_schlag_or_led"),
        ("schoener", "with cards shuffled back in", "shuffled back"),
    ],
)
def test_options_are_read_as_the_rules_spell_them(
    name: str, written: object, meant: object
) -> None:
    house = Options.from_mapping({name: written})

    assert getattr(house, name) == meant
    assert Options.from_mapping(house.as_facts()) == house


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("target", 2),
        ("kritische", 5),
        ("kritische", "HK"),
        ("kritische_cards", ""),
        ("kritische_cards", "HK HK"),
        ("kritische_cards", "HK D5"),
        ("kritische_cards", "HK D6 S7 C7 D7 HA"),
        ("kritische_cards", True),
        ("raise_lock", 0),
        ("variant", "x"),
        ("three_player", "all against all"),
    ],
)
def test_a_wrong_value_is_told_with_what_is_allowed(name: str, written: object) -> None:
    with pytest.raises(BadOption) as complaint:
        Options.from_mapping({name: written})

    assert Options.choices()[name] in str(complaint.value)


def test_no_spelling_hides_a_comma_from_the_pages_that_list_them() -> None:
    spelled = {word for what in Options.choices().values() for word in what.split(", ")}

    assert {"3 and dealer 2", "4 with two players", "trump_schlag_or_led"} <= spelled


@pytest.mark.parametrize(
    ("options", "lock"),
    [({}, 13), ({"target": 18}, 16), ({"raise_lock": 10}, 10), ({"raise_lock": "none"}, None)],
)
def test_the_lock_stands_two_below_the_target_unless_the_house_says(
    options: dict[str, object], lock: int | None
) -> None:
    assert Options.from_mapping(options).lock == lock


def test_presets_are_the_variants_players_know() -> None:
    assert Options().name_in(PRESETS) == "tirol"
    assert VARIANTS["guate"].name_in(PRESETS) == "suedtirol"
    assert Options(target=13).name_in(PRESETS) is None
    assert {one.variant for one in PRESETS.values()} == {"tyrol", "kritisch", "blind", "bohemian"}
    assert (PRESETS["turnier 11"].target, PRESETS["turnier 11"].lock) == (11, 9)


@pytest.mark.parametrize(
    ("written", "acorns"),
    [
        ({}, "C"),
        ({"variant": "kritisch"}, "S"),
        ({"variant": "kritisch", "acorn_suit": "C"}, "C"),
        ({"variant": "kritisch", "kritische_cards": "HK D6 C7"}, "C"),
        ({"acorn_suit": "S"}, "C"),
    ],
)
def test_the_seven_that_is_a_kritische_is_the_one_of_acorns(
    written: dict[str, object], acorns: str
) -> None:
    """watten.md 1.2: the seed calls it a spade, other pages a club."""
    suits = dict(zip(SUITS, Options.from_mapping(written).german_suits, strict=True))

    assert suits[acorns] == "acorn"
    assert {suits["H"], suits["D"]} == {"heart", "bell"}
    assert sorted(suits.values()) == sorted(GERMAN_SUITS)
