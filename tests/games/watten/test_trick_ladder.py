"""What beats what after the announcement, told as the judge decides it."""

from itertools import product

import pytest

from kloplei.games.cards import Card
from kloplei.games.catalogue import game_kind
from kloplei.games.trick import NoTrick, Rung
from kloplei.games.watten import PRESETS, judge, ladder
from kloplei.games.watten.trick import WHYS

WATTEN = game_kind("watten")
ANNOUNCEMENTS = (("9", "H"), ("6", "D"), ("6", "S"), ("K", "H"), ("7", "D"), ("A", "C"))
HOUSES = (
    *((preset, {}) for preset in PRESETS),
    ("suedtirol", {"supergute": "on"}),
    ("suedtirol", {"seven_guate": "on", "weli": "second best"}),
    ("tirol", {"linke_vs_trump": "trump_high", "weli_as_schlag": "weli_top"}),
    ("tirol", {"weli": "not in the pack"}),
    ("kritisch", {"kritische": "bavarian", "acorn_suit": "C"}),
    ("boehmisch", {"bohemian_kritische": "on"}),
)


def rungs(preset: str, schlag: str, trump: str, **options: object) -> tuple[Rung, ...]:
    return ladder({**WATTEN.bench(preset, options).said, "schlag": schlag, "trump": trump})


def told(preset: str, schlag: str, trump: str, **options: object) -> list[str]:
    """Return each rung as one line: its word and its cards."""
    found = rungs(preset, schlag, trump, **options)
    return [" ".join((rung.why, *map(str, rung.cards))) for rung in found]


def test_the_ladder_of_a_tyrolean_deal() -> None:
    assert told("tirol", "9", "H") == [
        "rechte H9",
        "linke D9 S9 C9",
        "trump HA HK HQ HJ H10 H8 H7",
        "weli D6",
        "led suit",
    ]


def test_the_guate_stands_above_the_rechte() -> None:
    assert told("suedtirol", "A", "H")[:2] == ["guate H7", "rechte HA"]


def test_where_the_rechte_is_a_kritisch_there_is_none() -> None:
    assert told("kritisch", "K", "H")[:2] == ["kritisch HK D6 S7", "linke DK SK CK"]


def test_with_the_six_as_schlag_there_are_trumps_and_nothing_else() -> None:
    assert told("tirol", "6", "S") == ["trump SA SK SQ SJ S10 S9 S8 S7", "led suit"]


@pytest.mark.parametrize(
    ("preset", "options", "schlag", "trump"),
    [
        (preset, options, schlag, trump)
        for (preset, options), (schlag, trump) in product(HOUSES, ANNOUNCEMENTS)
        if schlag in WATTEN.bench(preset, options).asks["schlag"].values  # not all may name the six
    ],
)
def test_the_judge_decides_as_the_ladder_says(
    preset: str, options: dict[str, object], schlag: str, trump: str
) -> None:
    bench = WATTEN.bench(preset, options)
    said = {**bench.said, "schlag": schlag, "trump": trump}
    best_first = [(rung, card) for rung in ladder(said) for card in rung.cards]

    assert len({card for _, card in best_first}) == len(best_first)
    assert {rung.why for rung in ladder(said)} <= set(WHYS)
    for (at, (rung, better)), (below, (lower, worse)) in product(
        enumerate(best_first), enumerate(best_first)
    ):
        if at >= below or (rung is lower and rung.equal):
            continue
        assert judge([worse, better], said).place == 1, (worse, better)
        assert judge([better, worse], said).place == 0, (better, worse)


@pytest.mark.parametrize(("preset", "options"), HOUSES)
def test_what_stands_on_no_rung_beats_nothing_that_does(
    preset: str, options: dict[str, object]
) -> None:
    bench = WATTEN.bench(preset, options)
    said = {**bench.said, "schlag": "9", "trump": "H"}
    ranked = [card for rung in ladder(said) for card in rung.cards]
    plain = sorted(set(bench.pack) - set(ranked), key=str)

    assert plain
    for low, high in product(plain, ranked):
        assert judge([low, high], said).place == 1, (low, high)


def test_of_equal_cards_the_first_one_played_is_the_best() -> None:
    (linke,) = [rung for rung in rungs("tirol", "9", "H") if rung.equal]
    said = {**WATTEN.bench("tirol").said, "schlag": "9", "trump": "H"}

    assert linke.cards == (Card("D", "9"), Card("S", "9"), Card("C", "9"))
    for cards in product(linke.cards, linke.cards):
        if cards[0] != cards[1]:
            assert judge(cards, said).place == 0


def test_there_is_no_ladder_before_the_announcement() -> None:
    with pytest.raises(NoTrick) as refused:
        ladder(WATTEN.bench("tirol").said)

    assert refused.value.reason == "not_announced"
