"""Cards by their short names."""

import pytest

from kloplei.games.cards import RANKS, SUITS, BadCard, Card, read_card, read_cards


def test_every_card_of_the_pack_reads_back() -> None:
    pack = [Card(suit, rank) for suit in SUITS for rank in RANKS]

    assert len(pack) == 32
    assert [read_card(str(card)) for card in pack] == pack


def test_small_letters_and_blanks_do_no_harm() -> None:
    assert read_card(" h10 ") == Card("H", "10")


@pytest.mark.parametrize("name", ["", "H", "10H", "H6", "X7", "H1", "H11", "HT", "♥7", "x" * 500])
def test_what_is_no_card_gets_one_short_sentence(name: str) -> None:
    with pytest.raises(BadCard, match=r"is not a card; write the suit \(H D S C\)") as complaint:
        read_card(name)

    assert len(str(complaint.value)) < 200


def test_a_card_lies_there_once() -> None:
    with pytest.raises(BadCard, match="H10 lies there twice"):
        read_cards(["H10", "S7", "h10"])
