"""Who takes a trick of each Watten (watten.md § 3, § 4)."""

from itertools import pairwise

import pytest

from kloplei.games.cards import Card, read_cards
from kloplei.games.house_rules import BadOption
from kloplei.games.trick import NoTrick
from kloplei.games.watten import PACK, judge

ROWS = {
    "tyrol": "C9 | H9 D9 S9 | CA CK CQ CJ C10 C8 C7 | D6 | SA SK SQ SJ S10 S8 S7",
    "guate": "C10 | C9 | H9 D9 S9 | CA CK CQ CJ C8 C7 | D6 | SA SK SQ SJ S10 S8 S7",
    "blind": "C10 | C9 | H9 D9 S9 | CA CK CQ CJ C8 C7 | SA SK SQ SJ S10 S8 S7",
    "kritisch": "HK | D6 | S7 | C9 | H9 D9 S9 | CA CK CQ CJ C10 C8 C7 | SA SK SQ SJ S10 S8",
    "bohemian": "C9 | H9 D9 S9 | CA CK CQ CJ C10 C8 C7 | SA SK SQ SJ S10 S8 S7",
}
"""From the best down, with Schlag 9, trump clubs and spades led; Linken stand together."""
LINKEN = "H9 D9 S9"


def row_of(variant: str) -> list[Card]:
    return [card for part in ROWS[variant].split("|") for card in read_cards(part.split(), PACK)]


def winner(cards: list[Card], variant: str, schlag: str = "9", trump: str = "C") -> int:
    return judge(cards, {"variant": variant, "schlag": schlag, "trump": trump}).place


@pytest.mark.parametrize("variant", ROWS)
def test_each_card_beats_the_next_one_after_a_plain_lead(variant: str) -> None:
    led = Card("S", "8")
    for higher, lower in pairwise(row_of(variant)):
        if {str(higher), str(lower)} <= set(LINKEN.split()):
            continue
        cards = [card for card in (led, lower, higher) if card != led or led not in (higher, lower)]
        if led in (higher, lower):
            cards = [led, higher if lower == led else lower]

        assert cards[winner(cards, variant)] == higher, (variant, str(higher), str(lower))


@pytest.mark.parametrize("variant", ROWS)
def test_of_linken_the_first_one_played_is_the_best(variant: str) -> None:
    for linken in (LINKEN, "S9 D9 H9", "D9 S9 H9"):
        assert winner([Card("S", "8"), *read_cards(linken.split())], variant) == 1


@pytest.mark.parametrize("variant", ROWS)
def test_cards_of_other_suits_never_win(variant: str) -> None:
    shown = set(row_of(variant))
    others = [card for card in PACK if card not in shown and str(card) != "D6"]

    assert others
    for card in others:
        assert winner([Card("S", "8"), card], variant) == 0, str(card)


@pytest.mark.parametrize(("schlag", "guate"), [("10", "CJ"), ("K", "CA"), ("A", "C7"), ("7", "C8")])
def test_the_guate_is_one_above_the_schlag_and_begins_again_after_the_ace(
    schlag: str, guate: str
) -> None:
    cards = [*read_cards([f"C{schlag}", guate])]

    assert judge(cards, {"variant": "blind", "schlag": schlag, "trump": "C"}).why == "guate"


@pytest.mark.parametrize("variant", ["tyrol", "guate", "blind"])
@pytest.mark.parametrize(("trump", "place", "why"), [("D", 1, "rechte"), ("H", 2, "led suit")])
def test_with_the_six_as_schlag_the_weli_is_the_rechte_or_the_lowest_diamond(
    variant: str, trump: str, place: int, why: str
) -> None:
    taken = judge(
        read_cards(["D7", "D6", "DA"], PACK), {"variant": variant, "schlag": "6", "trump": trump}
    )

    assert (taken.place, taken.why) == (place, why)


def test_a_weli_thrown_on_a_diamond_is_of_no_suit_in_blind_watten() -> None:
    assert winner([*read_cards(["D7", "D6"], PACK)], "blind") == 0
    assert winner([*read_cards(["D6", "DA"], PACK)], "blind") == 0


def test_small_letters_and_blanks_do_no_harm() -> None:
    said = {"variant": "Kritisch", "schlag": " k ", "trump": "s"}

    assert judge(read_cards(["SK", "HK"]), said).why == "kritisch"


@pytest.mark.parametrize(
    ("cards", "said", "complaint"),
    [
        ("", {}, "Say the trump as well: H D S C"),
        ("H7", {"trump": "H"}, "Say the schlag as well: 6 7 8"),
        ("H7", {"trump": "H", "schlag": "5"}, "schlag cannot be '5'; it is one of 6 7 8 9 10 J"),
        ("H7", {"trump": "", "schlag": "9"}, "trump cannot be ''"),
        ("", {"trump": "H", "schlag": "9"}, "1 to 4 cards, not 0"),
        ("H7 H8 H9 H10 HJ", {"trump": "H", "schlag": "9"}, "1 to 4 cards, not 5"),
        ("H7", {"trump": "H", "schlag": "6", "variant": "kritisch"}, "the six cannot be"),
        (
            "H7",
            {"trump": "H", "schlag": "6", "options": {"weli": "not in the pack"}},
            "the six cannot be",
        ),
        ("H7", {"trump": "H", "schlag": "9", "variant": "x" * 99}, "has no variant 'x"),
        (
            "H7",
            {"trump": "H", "schlag": "9", "variant": "tyrol", "options": {"variant": "blind"}},
            "variant is 'tyrol', but an option makes it 'blind'",
        ),
        (
            "D6",
            {"trump": "H", "schlag": "9", "options": {"weli": "not in the pack"}},
            "not in the pack",
        ),
    ],
)
def test_what_is_no_trick_is_told_why(cards: str, said: dict[str, object], complaint: str) -> None:
    with pytest.raises(NoTrick, match=complaint):
        judge(read_cards(cards.split(), PACK), said)


def test_a_house_rule_that_is_none_is_told_as_one() -> None:
    with pytest.raises(BadOption, match="Watten has no option 'gaute'"):
        judge(read_cards(["H7"]), {"trump": "H", "schlag": "9", "options": {"gaute": "on"}})


def test_six_play_to_a_trick_of_bohemian_watten() -> None:
    assert winner([*read_cards(["S8", "SA", "H7", "H8", "D7", "D8"])], "bohemian") == 1
