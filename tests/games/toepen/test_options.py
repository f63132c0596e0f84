"""How house rules are spelled, refused and shown."""

from dataclasses import fields

import pytest

from kloplei.files import KlopleiError
from kloplei.games.house_rules import BadOption
from kloplei.games.toepen import PRESETS, Options


@pytest.mark.parametrize(
    ("name", "written", "meant"),
    [
        ("max_lives", 15, 15),
        ("max_lives", "15", 15),
        ("min_players", 2, 2),
        ("armoede", "off", False),
        ("armoede", False, False),
        ("armoede", True, True),
        ("armoede_may_knock", "yes", True),
        ("over_knock_while_pending", True, True),
        ("over_knock_while_pending", "no", False),
        ("knock_limit_basis", False, "off"),
        ("same_player_reknock", False, "no"),
        ("same_player_reknock", True, "yes"),
        ("max_stake", "none", None),
        ("max_stake", 4, 4),
        ("exchange_limit", "stock", None),
        ("exchange_limit", "1 per hand", 1),
        ("exchange_limit", 1, 1),
        ("exchange_limit", 0, 0),
        ("new_rubber_lead", "as usual", "as usual"),
        ("new_rubber_lead", "previous_loser_leads", "previous loser leads"),
        ("toepkoning", "3 in a row", "3 in a row"),
        ("tournament_points", "5/3/2/1/0", "5/3/2/1/0"),
        ("exchange_definition", "akqj_OR_three_plus_7", "AKQJ_or_three_plus_7"),
    ],
)
def test_options_are_read_as_the_rules_spell_them(
    name: str, written: object, meant: object
) -> None:
    assert getattr(Options.from_mapping({name: written}), name) == meant


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("max_lives", 0),
        ("max_lives", 101),
        ("max_lives", -10),  # was read as ten
        ("max_lives", "-10"),
        ("max_lives", "ten"),
        ("max_lives", True),
        ("max_lives", 10.0),
        ("max_lives", None),
        ("max_lives", "9" * 5000),
        ("max_lives", "¹"),
        ("min_players", 4),
        ("rubber_mode", "first_in_pays"),
        ("rubber_mode", False),
        ("rubber_mode", ["last_standing"]),
        ("armoede", "maybe"),
        ("max_stake", 1),
        ("exchange_penalty", 3),
        ("four_of_a_kind", True),
        ("exchange_limit", "1 per player"),
        ("toepkoning", 3),
    ],
)
def test_a_wrong_value_names_the_option_the_value_and_what_is_allowed(
    name: str, written: object
) -> None:
    with pytest.raises(BadOption) as complaint:
        Options.from_mapping({name: written})

    assert f"Option {name} cannot be {repr(written)[:20]}" in str(complaint.value)
    assert Options.choices()[name] in str(complaint.value)
    assert isinstance(complaint.value, KlopleiError)
    assert isinstance(complaint.value, ValueError)


def test_an_unknown_option_is_told_which_there_are() -> None:
    with pytest.raises(BadOption, match=r"no option 'maximum'; it has max_lives, min_players"):
        Options.from_mapping({"maximum": 10})


@pytest.mark.parametrize("wrong", [{"max_lives": True}, {"armoede": "off"}, {"max_stake": 1}])
def test_options_refuse_wrong_values_from_code_as_well(wrong: dict[str, object]) -> None:
    with pytest.raises(BadOption):
        Options(**wrong)  # type: ignore[arg-type]


def test_facts_tell_only_what_differs_and_read_back_the_same() -> None:
    house = Options(max_lives=15, armoede=False, exchange_limit=1, max_stake=4, min_players=2)

    facts = house.as_facts()

    assert facts == {
        "max_lives": 15,
        "min_players": 2,
        "armoede": "off",
        "max_stake": 4,
        "exchange_limit": "1 per hand",
    }
    assert Options.from_mapping(facts) == house
    assert Options().as_facts() == {}


def test_options_come_on_top_of_a_preset() -> None:
    house = Options.from_mapping({"max_stake": 6}, PRESETS["vijftien"])

    assert (house.max_lives, house.answer_order, house.max_stake) == (15, "any", 6)


def test_presets_are_the_named_houses() -> None:
    assert list(PRESETS)[:4] == ["seed", "kroeg", "vijftien", "laatste man"]
    assert PRESETS["seed"] == Options()
    assert PRESETS["kroeg"].as_facts() == {"answer_order": "any"}
    assert PRESETS["vijftien"].max_lives == 15
    assert PRESETS["laatste man"].rubber_mode == "last_standing"


def test_the_german_sisters_have_seven_strokes_and_no_new_cards() -> None:
    sisters = [PRESETS["schroeoemen"], PRESETS["siebenschraem"]]

    assert {(one.max_lives, one.exchange_limit, one.min_players) for one in sisters} == {(7, 0, 2)}
    assert [one.armoede for one in sisters] == [False, True]


def test_a_house_of_its_own_has_no_preset() -> None:
    assert Options(answer_order="any").name_in(PRESETS) == "kroeg"
    assert Options(max_lives=7).name_in(PRESETS) is None


def test_every_option_says_what_may_be_written() -> None:
    assert set(Options.choices()) == {one.name for one in fields(Options)}
    assert Options.choices()["max_stake"] == "none, a whole number, 2 or more"
    assert Options.choices()["exchange_penalty"] == "a whole number, 1 to 2"
