"""`kloplei judge`: who takes the trick."""

import json

import pytest

from tests.replay.replayed import Terminal


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
    ("words", "said"),
    [
        (["--schlag", "10", "--trump", "C", "CA", "C10", "H10", "D6"], "C10 (card 2): rechte"),
        (["--schlag", "8", "--trump", "S", "HA", "D6", "HK", "CA"], "D6 (card 2): weli"),
        (["--variant", "guate", "--schlag", "K", "--trump", "s", "SK", "SA"], "SA (card 2): guate"),
        (
            ["--variant", "blind", "--schlag", "9", "--trump", "C", "d6", "DA"],
            "D6 (card 1): led suit",
        ),
        (
            ["-o", "linke_vs_trump=trump_high", "--schlag", "9", "--trump", "H", "S9", "HA"],
            "HA (card 2): trump",
        ),
        (
            ["--variant", "bohemian", "-o", "bohemian_schlag=none", "--trump", "H", "S9", "S10"],
            "S10 (card 2): led suit",
        ),
    ],
)
def test_watten_is_judged_by_what_was_announced(
    terminal: Terminal, words: list[str], said: str
) -> None:
    assert terminal.run("judge", "--game", "watten", *words).out == f"{said}\n"


def test_json_says_why_as_well(terminal: Terminal) -> None:
    words = ["--variant", "kritisch", "--schlag", "7", "--trump", "D", "D7", "H7", "S7", "DA"]

    result = terminal.run("judge", "--json", "--game", "watten", *words)

    assert json.loads(result.out) == {
        "game": "watten",
        "cards": ["D7", "H7", "S7", "DA"],
        "winner": "S7",
        "place": 3,
        "why": "kritisch",
    }


def test_tarok_tells_what_became_of_pagat_and_kings(terminal: Terminal) -> None:
    words = ["--game", "tarok", "--set", "c", "--trick", "7"]

    result = terminal.run("judge", *words, "ks", "T2", "T1")

    assert result.out == ('T2 (card 2): tarok\nevents: {"king_lost": [1], "pagat_lost": [3]}\n')


def test_tarok_tells_whose_the_fool_is(terminal: Terminal) -> None:
    words = ["--game", "tarok", "--json", "--trick", "25"]

    result = terminal.run("judge", *words, "KS", "EX", "QS")

    assert json.loads(result.out) == {
        "game": "tarok",
        "cards": ["KS", "EX", "QS"],
        "winner": "KS",
        "place": 1,
        "why": "led suit",
        "last": {"1": "king", "2": "other", "3": "other"},
        "fool": "winner",
    }


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["H7", "X9"], "'X9' is not a card"),
        (["H7", "H7"], "H7 lies there twice"),
        (["--game", "skat", "H7"], "only knows toepen, watten, tarok"),
        (["--game", "tarok", "H7"], "write taroks as T1 to T21, the Fool as EX"),
        (["--game", "tarok", "KS", "T1", "QS", "JS"], "A trick of Tarok has 3 cards, not 4"),
        (["--game", "tarok", "EX", "QS", "JS"], "Say what who led the Fool has named"),
        (["--game", "tarok", "--named", "X", "EX", "QS", "JS"], "Named was 'X'; it can be H D S C"),
        (["--game", "tarok", "--set", "a", "EX"], "The Fool alone takes no trick"),
        (["--game", "tarok", "--trick", "26", "KS"], "a number from 1 to 25, not '26'"),
        (["--game", "tarok", "-o", "pips=upside", "KS"], "Option pips cannot be 'upside'"),
        (["--game", "tarok", "--trump", "H", "KS"], "A trick of tarok has no trump"),
        (["--game", "watten", "S7"], "Say the trump as well"),
        (["--game", "watten", "--trump", "C", "S7"], "Say the schlag as well"),
        (["--game", "watten", "--trump", "X", "--schlag", "7", "S7"], "trump cannot be 'X'"),
        (["--game", "watten", "--variant", "skat", "S7"], "has no variant 'skat'; it has tyrol"),
        (["--game", "watten", "--variant", "", "S7"], "has no variant ''"),
        (["--game", "watten", "--trump", "", "--schlag", "7", "S7"], "The trump cannot be ''"),
        (["--game", "watten", "--option", "guate", "S7"], "NAME=VALUE, not 'guate'"),
        (["--game", "watten", "-o", "guate=x", "S7"], "guate cannot be 'x'; allowed: on, off"),
        (["--trump", "H", "H7"], "A trick of toepen has no trump"),
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
