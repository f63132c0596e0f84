"""`kloplei judge`: who takes the trick."""

import json

import pytest

from tests.records.replayed import Terminal


def test_the_winning_card_and_its_place_are_printed(terminal: Terminal) -> None:
    result = terminal.run("judge", "--game", "toepen", "H7", "HA", "H10", "S10")

    assert (result.code, result.out) == (0, "H10 (card 3)\n")


def test_cards_of_who_has_folded_do_not_count(terminal: Terminal) -> None:
    result = terminal.run("judge", "H7", "H10", "H9", "--folded", "2", "--folded", "3")

    assert result.out == "H7 (card 1)\n"


def test_json_tells_the_same(terminal: Terminal) -> None:
    result = terminal.run("judge", "--json", "h7", "H10")

    assert json.loads(result.out) == {
        "game": "toepen",
        "cards": ["H7", "H10"],
        "winner": "H10",
        "place": 2,
    }


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["H7", "X9"], "'X9' is not a card"),
        (["H7", "H7"], "H7 lies there twice"),
        (["--game", "watten", "H7"], "only knows toepen"),
        (["H7", "H8", "--folded", "3"], "whose card lies there"),
        (["H7", "H8", "--folded", "0"], "whose card lies there"),
        (["H7", "--folded", "1"], "Everybody has folded"),
        (["H7", "H8", "H9", "H10", "HJ", "HQ", "HK", "HA", "S7"], "not 9"),
    ],
)
def test_nonsense_gets_one_sentence(terminal: Terminal, words: list[str], sentence: str) -> None:
    result = terminal.run("judge", *words)

    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("kloplei: ")
    assert sentence in result.err
    assert len(result.err.splitlines()) == 1
