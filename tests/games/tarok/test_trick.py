"""Who takes a trick of Tarok, and what a pile counts (§ 2, § 6)."""

from itertools import pairwise
from random import Random
from typing import cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kloplei.games.cards import SUITS, Card, read_card, read_cards
from kloplei.games.scoreboard import Line
from kloplei.games.tarok import PACK, bench, judge
from kloplei.games.tarok.cards import FOOL, PAGAT, BadPile, Pile, count, face, strength
from kloplei.games.tarok.trick import SENTENCES
from kloplei.games.trick import NoTrick, Taken

NATURAL = "K Q C J 10 9 8 7 6 5 4 3 2 A"
REVERSED = "K Q C J A 2 3 4 5 6 7 8 9 10"


def taken(cards: str, **said: object) -> Taken:
    return judge(read_cards(cards.split(), PACK), said)


def test_there_are_78_cards_that_all_read_back() -> None:
    assert len(PACK) == len(set(PACK)) == 78
    assert [read_card(str(card), PACK) for card in PACK] == list(PACK)
    assert sum(card.suit == "T" for card in PACK) == 21
    assert str(read_card("cc", PACK)) == "CC"


@pytest.mark.parametrize("name", ["H10", "T0", "T22", "F", "SK", "1S", "", "EXX", "x" * 400])
def test_what_is_no_card_is_told_how_cards_are_written(name: str) -> None:
    with pytest.raises(ValueError, match="write taroks as T1 to T21, the Fool as EX") as complaint:
        read_card(name, PACK)

    assert len(str(complaint.value)) < 200


@pytest.mark.parametrize(
    ("rule_set", "suit", "order"),
    [
        *(("a", suit, REVERSED if suit in "HD" else NATURAL) for suit in SUITS),
        *(("b", suit, REVERSED if suit in "HD" else NATURAL) for suit in SUITS),
        *(("c", suit, NATURAL) for suit in SUITS),
    ],
)
def test_each_card_beats_the_next_one_wherever_it_lies(
    rule_set: str, suit: str, order: str
) -> None:
    other = "D" if suit != "D" else "S"
    for higher, lower in pairwise(order.split()):
        down = f"{higher}{suit} {lower}{suit} 5{other}"
        up = f"{lower}{suit} 5{other} {higher}{suit}"

        assert taken(down, set=rule_set).place == 0
        assert taken(up, set=rule_set).place == 2


def test_every_tarok_beats_every_suit_card_and_the_next_one() -> None:
    for number in range(1, 21):
        assert taken(f"KS T{number} QS").place == 1
        assert taken(f"T{number} T{number + 1} KS").place == 1
        assert taken(f"T{number + 1} T{number} KS").place == 0


def test_a_card_of_another_suit_never_wins() -> None:
    assert taken("AC KH KD").place == 0
    assert taken("KH AC 2C", set="b").why == "led suit"
    assert taken("KH T3 T2", set="b").why == "tarok"


@pytest.mark.parametrize("rule_set", ["a", "b", "c"])
def test_the_fool_never_wins(rule_set: str) -> None:
    for cards in ("EX AC 2D", "AC EX 2D", "AC 2D EX"):
        assert taken(cards, set=rule_set, named="C").place != cards.split().index("EX")


@pytest.mark.parametrize(
    ("rule_set", "owner", "winner", "illegal"),
    [
        ("a", range(1, 26), (), ()),
        ("b", range(1, 23), (23, 24, 25), ()),
        ("c", range(1, 24), (25,), (24,)),
    ],
)
def test_whose_the_fool_is_depends_on_the_trick(
    rule_set: str, owner: range, winner: tuple[int, ...], illegal: tuple[int, ...]
) -> None:
    fools = {
        number: taken("T9 EX T14", set=rule_set, trick=str(number)).besides["fool"]
        for number in range(1, 26)
    }

    assert [number for number, fool in fools.items() if fool == "owner"] == list(owner)
    assert tuple(number for number, fool in fools.items() if fool == "winner") == winner
    assert tuple(number for number, fool in fools.items() if fool == "illegal") == illegal


def test_what_came_of_a_trick_is_told_in_sentences_too() -> None:
    """Every sentence there is, and no other, over tricks of all three games."""
    luck, told = Random(7), set()
    honours = read_cards(["T1", "EX", "KH", "KD"], PACK)
    for rule_set in ("a", "b", "c"):
        for number in (1, 23, 24, 25):
            for _ in range(60):
                cards = luck.sample([*honours, *luck.sample(PACK[:20], 2), PACK[-1], PACK[-5]], 3)
                found = judge(cards, {"set": rule_set, "trick": str(number), "named": "T"})
                told |= {line.key for line in found.told}
                lost = cast("dict[str, list[int]]", found.besides.get("events", {}))
                assert len(
                    [one for one in found.told if "home" in one.key or "lost" in one.key]
                ) == (sum(map(len, lost.values())))

    assert told == set(SENTENCES)


def test_the_last_trick_names_the_cards_that_count() -> None:
    told = [(one.key, one.facts) for one in taken("KH T1 KD", trick="25").told]

    assert told == [
        ("trick.last_king_beaten", {"card": "KH"}),
        ("trick.last_pagat_won", {"card": "T1"}),
        ("trick.last_king_beaten", {"card": "KD"}),
    ]


@pytest.mark.parametrize(
    ("preset", "options", "note"),
    [
        ("dansk", {}, "note.red-natural"),
        ("dansk", {"pips": "reversed"}, "note.red-reversed"),
        ("grosstarock", {}, "note.red-reversed"),
    ],
)
def test_the_bench_says_how_red_pips_rank_and_what_it_asks(
    preset: str, options: dict[str, object], note: str
) -> None:
    seen = bench(preset, options)

    assert seen.note == Line(note)
    assert seen.asks["trick"].usual == "1"
    assert {word: ask.concerns([FOOL, PAGAT]) for word, ask in seen.asks.items()} == (
        {"trick": True, "named": True} if preset == "dansk" else {"trick": True}
    )
    assert [word for word, ask in seen.asks.items() if ask.concerns([PAGAT, FOOL])] == ["trick"]


def test_two_cards_say_who_leads_and_no_more() -> None:
    assert taken("KS T1") == Taken(1, "tarok")
    assert taken("KS") == Taken(0, "led suit")


@pytest.mark.parametrize(
    ("cards", "reason"),
    [("KS QS JS CS", "trick_size"), ("EX", "no_trick"), ("EX KS T1", "not_announced")],
)
def test_what_is_no_trick_says_why(cards: str, reason: str) -> None:
    with pytest.raises(NoTrick) as refused:
        taken(cards, set="c")

    assert refused.value.reason == reason


@pytest.mark.parametrize("number", ["0", "26", "-1", "x", "", "00199999", "025000", "9" * 5000])
def test_a_trick_has_a_number_from_1_to_25(number: str) -> None:
    """Of long numbers only the first digits were looked at: trick 00199999 was judged."""
    with pytest.raises(NoTrick, match="a number from 1 to 25"):
        taken("T9 EX T14", trick=number)


def test_of_the_red_pips_only_the_order_is_turned_round() -> None:
    for card in PACK:
        natural, turned = (strength(card, red_reversed=way) for way in (False, True))
        moved = card.suit in ("H", "D") and card.rank in (*"23456789A", "10")
        assert (natural != turned) is moved, str(card)
        if moved:
            assert natural + turned == 11


def test_all_cards_are_worth_130_and_count_78() -> None:
    assert sum(map(face, PACK)) == 130
    assert count(PACK) == 78
    worth = {"T1": 5, "T21": 5, "EX": 5, "KH": 5, "QH": 4, "CH": 3, "JH": 2, "AH": 1, "T2": 1}
    assert {name: face(read_card(name, PACK)) for name in worth} == worth


@given(seed=st.integers(), first=st.integers(0, 26), second=st.integers(0, 26))
def test_three_piles_counted_in_threes_make_78(seed: int, first: int, second: int) -> None:
    cards: list[Card] = Random(seed).sample(PACK, len(PACK))
    ends = sorted((3 * first, 3 * second))
    piles = cards[: ends[0]], cards[ends[0] : ends[1]], cards[ends[1] :]

    assert sum(map(count, piles)) == 78


@given(st.sets(st.sampled_from(PACK)))
@example(set(PACK[:1]))
@example(set(PACK[:2]))
@example(set(PACK[:3]))
def test_the_quick_count_is_the_same(cards: set[Card]) -> None:
    worth = [face(card) for card in cards]
    pile = Pile(len(cards), *(worth.count(number) for number in (5, 4, 3, 2)))

    assert pile.points == count(sorted(cards, key=str))
    assert pile.is_uneven is (len(cards) % 3 != 0)


@pytest.mark.parametrize(
    "pile",
    [(-1,), (79,), (3, 4), (27, 8), (27, 0, 5), (27, 0, 0, 5), (27, 0, 0, 0, 5), (9, -1)],
)
def test_no_pile_has_more_than_there_is(pile: tuple[int, ...]) -> None:
    with pytest.raises(BadPile):
        Pile(*pile)


def test_the_fool_is_the_only_card_of_its_kind() -> None:
    assert [card for card in PACK if card.suit == FOOL.suit] == [FOOL]
