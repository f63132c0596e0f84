"""What is no record of Watten gets one sentence with file and line, and exit code 2."""

import re

import pytest

from tests.replay.replayed import Terminal

LONGEST = 1000  # letters, with what there is instead; nobody reads more
GOOD = """\
id: W
variant: tyrol
players: [A, B, C, D]
dealer: D
start: {AC: 3, BD: 4}
options: {target: 15}
events:
  - {ev: deal, pts: [3, 4], pending: null}
  - {ev: schlag, p: A, rank: 10}
  - {ev: trump, p: D, suit: H}
  - {ev: trick, p: A, tricks_now: {AC: 1, BD: 0}}
expected: {points: {AC: 3, BD: 4}, winner: []}
"""
BOHEMIAN = """\
id: B
variant: bohemian
players: [A, B]
dealer: A
events:
  - {ev: deal, pts: [20, 20]}
  - {ev: turnup, suit: S, rank: 7}
  - {ev: swap, p: B, n: 3}
  - {ev: result, tricks: {A: 5}}
"""


@pytest.mark.parametrize("text", [GOOD, BOHEMIAN])
def test_the_good_ones_are_good(terminal: Terminal, text: str) -> None:
    assert terminal.replay(text).code == 0


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("variant: tyrol", "variant: skat", 2, "no variant 'skat': tyrol, guate, kritisch, blind"),
        (
            "variant: tyrol",
            "variant: blind\npreset: tirol",
            2,
            "the preset or an option says other",
        ),
        (
            "variant: tyrol",
            "variant: guate\npreset: tirol",
            2,
            "the preset or an option says other",
        ),
        ("target: 15", "variant: blind", 2, "variant is 'tyrol', but the preset or an option says"),
        ("variant: tyrol", "variant: 5", 2, "variant must be a text, not 5"),
        ("[A, B, C, D]", "[]", 3, "players names nobody"),
        ("[A, B, C, D]", "[A, B, C, D, E]", 3, "This Watten is for 2 to 4 players, not 5"),
        ("tyrol\nplayers: [A, B, C, D]", "blind\nplayers: [A, B, D]", 3, "for 4 players, not 3"),
        ("AC: 3,", "A: 3,", 5, "start names 'A', who does not score; there are AC, BD"),
        ("AC: 3,", "AC: 3, A+C: 3,", 5, "start names 'AC' twice"),
        ("AC: 3,", "A+D: 3,", 5, "start names 'AD', who does not score; there are AC, BD"),
        ("AC: 3,", "AC: 15,", 5, "Points run from 0 to 14"),
        ("AC: 3,", "AC: -1,", 5, "Points run from 0 to 14"),
        ("AC: 3,", "AC: many,", 5, "start of AC must be a whole number"),
        ("target: 15", "target: 2", 6, "Option target cannot be 2"),
        ("target: 15", "kritische: [HK, D6]", 6, "Option kritische cannot be 'HK D6'"),
        ("target: 15", "guate: [[on]]", 6, "guate must be a single value"),
        ("target: 15", "gaute: on", 6, "Watten has no option 'gaute'"),
        ("pts: [3, 4]", "pts: [3]", 8, "pts has 1 numbers, but there are 4 players"),
        ("pts: [3, 4]", "lives: [3, 4]", 8, "the event deal has the unknown key 'lives'"),
        ("pending: null", "pending: none", 8, "pending must be a whole number"),
        ("rank: 10", "rank: 11", 9, "rank of schlag must be 6 or 7 or 8"),
        ("p: A, rank: 10", "p: A", 9, "the event schlag lacks the key 'rank'"),
        ("suit: H", "suit: X", 10, "suit of trump must be H or D or S or C, not 'X'"),
        ("{AC: 1, BD: 0}", "{AB: 1}", 11, "'AB', who does not play; there are A, AC, B, BD, C, D"),
        ("{AC: 1, BD: 0}", "{C+A: 1, AC: 1}", 11, "tricks_now names 'AC' twice"),
        ("winner: []", "winner: [X]", 12, "a name in winner is 'X', who does not play"),
        ("ev: trick", "ev: exchange", 11, "there is no event 'exchange'"),
        ("ev: trick", f"ev: {'x' * 999}", 11, "there is no event 'xxxxxxxxxx"),
        ("p: A, tricks", f"p: {'A' * 999}, tricks", 11, "p of trick is 'AAAA"),
    ],
)
def test_a_broken_record_is_told_where_and_why(
    terminal: Terminal, old: str, new: str, line: int, sentence: str
) -> None:
    assert old in GOOD

    result = terminal.replay(GOOD.replace(old, new, 1))

    assert (result.code, result.out) == (2, "")
    assert re.match(rf"kloplei: .*record\.yaml:{line}: ", result.err), result.err
    assert sentence in result.err
    assert len(result.err.splitlines()) == 1
    assert len(result.err) < LONGEST


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("tricks: {A: 5}", "tricks: {C: 5}", "tricks of result names 'C', who does not play"),
        ("tricks: {A: 5}", "tricks: {A: -5}", "tricks of result of A cannot be less than 0"),
        ("tricks: {A: 5}", "tricks: 5", "tricks of result must be a mapping"),
        ("n: 3", "n: three", "n of swap must be a whole number"),
        ("dealer: A", "dealer: A\nstart: {A: 0}", "With these points the game is over"),
    ],
)
def test_a_broken_bohemian_record_is_told_why(
    terminal: Terminal, old: str, new: str, sentence: str
) -> None:
    result = terminal.replay(BOHEMIAN.replace(old, new, 1))

    assert result.code == 2
    assert sentence in result.err


def test_sides_of_longer_names_are_joined_by_a_plus(terminal: Terminal) -> None:
    text = GOOD.replace("[A, B, C, D]", "[Ann, Bob, Cor, Dirk]").replace("AC", "Ann+Cor")
    text = text.replace("BD", "Bob+Dirk").replace("p: A", "p: Ann").replace("p: D", "p: Dirk")

    assert terminal.replay(text.replace("dealer: D", "dealer: Dirk")).code == 0


def test_sides_of_single_letters_may_be_joined_by_a_plus_as_well(terminal: Terminal) -> None:
    text = GOOD.replace("AC", "A+C").replace("BD", "D+B")

    result = terminal.replay(text, "--json")

    assert result.code == 0
    assert result.report[0]["final"]["points"] == {"AC": 3, "BD": 4}
    assert terminal.replay(text.replace("A+C: 1", "A+C: 2")).code == 1


def test_a_preset_may_be_of_the_same_variant(terminal: Terminal) -> None:
    assert terminal.replay(GOOD.replace("tyrol", "tyrol\npreset: suedtirol")).code == 0
