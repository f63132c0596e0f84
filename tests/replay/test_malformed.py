"""What is no record gets one sentence with file and line, and exit code 2."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kloplei.games.catalogue import GAMES
from kloplei.replay.reader import NotARecord, read_records
from tests.examples import examples
from tests.replay.replayed import EXAMPLES, Terminal

GOOD = """\
id: M1
players: [A, B, C]
dealer: C
options: {max_lives: 10}
start: {A: 3}
events:
  - {ev: deal, lives: [3, 0, 0]}
  - {ev: exchange, p: A}
  - {ev: challenge, p: B, of: A, found: clean}
  - {ev: trick, n: 4, p: A, armoede: []}
expected: {lives: [3, 2, 1]}
"""


def test_the_good_one_is_good(terminal: Terminal) -> None:
    assert terminal.replay(GOOD).code == 0


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        # keys
        ("id: M1\n", "", 1, "a record lacks the key 'id'"),
        ("players: [A, B, C]\n", "", 1, "a record lacks the key 'players'"),
        ("dealer: C\n", "", 1, "a record lacks the key 'dealer'"),
        ("dealer: C", "deeler: C", 3, "a record has the unknown key 'deeler'"),
        ("dealer: C", "dealer: C\ndealer: B", 4, "has the key 'dealer' twice"),
        ("{ev: deal,", "{evt: deal,", 7, "an event lacks the key 'ev'"),
        ("{ev: deal,", "{ev: deal, p: C,", 7, "the event deal has the unknown key 'p'"),
        ("ev: exchange, p: A", "ev: exchange", 8, "the event exchange lacks the key 'p'"),
        ("n: 4, ", "", 10, "the event trick lacks the key 'n'"),
        (", found: clean", "", 9, "the event challenge lacks the key 'found'"),
        ("expected: {lives", "expected: {live", 11, "expected has the unknown key 'live'"),
        # names
        ("ev: exchange", "ev: swop", 8, "there is no event 'swop'"),
        ("dealer: C", "dealer: D", 3, "dealer is 'D', who does not play; there are A, B, C"),
        ("exchange, p: A", "exchange, p: Q", 8, "p of exchange is 'Q', who does not play"),
        ("of: A", "of: Q", 9, "of of challenge is 'Q', who does not play"),
        ("start: {A", "start: {Q", 5, "start names 'Q', who does not play"),
        ("armoede: []", "armoede: [Q]", 10, "a player in armoede is 'Q', who does not play"),
        ("[A, B, C]", "[A, B, B]", 2, "two players are called 'B'"),
        # numbers of players
        ("[A, B, C]", "[C, B]", 2, "Toepen is for 3 to 8 players, not 2"),
        ("[A, B, C]", "[A, B, C, D, E, F, G, H, I]", 2, "Toepen is for 3 to 8 players, not 9"),
        # kinds of values
        ("id: M1", "id: [M1]", 1, "id must be a single value"),
        ("id: M1", "id:", 1, "id must be a text, not None"),
        ("[A, B, C]", "A, B, C", 2, "players must be a list"),
        ("[A, B, C]", "[A, B, 3]", 2, "a player must be a text, not 3"),
        ("[A, B, C]", "[A, B, [C]]", 2, "a player must be a single value"),
        ("dealer: C", "dealer: true", 3, "dealer must be a text, not True"),
        ("{max_lives: 10}", "[max_lives]", 4, "options must be a mapping"),
        ("{max_lives: 10}", "{max_lives: [10]}", 4, "max_lives must be a single value"),
        ("{A: 3}", "{A: x}", 5, "start of A must be a whole number, not 'x'"),
        ("{A: 3}", "{A: 3.5}", 5, "start of A must be a whole number, not 3.5"),
        ("{A: 3}", "{A: -1}", 5, "start of A cannot be less than 0"),
        ("n: 4", "n: four", 10, "n of trick must be a whole number, not 'four'"),
        ("n: 4", 'n: "4"', 10, "n of trick must be a whole number, not '4'"),
        ("n: 4", "n: true", 10, "n of trick must be a whole number, not True"),
        ("n: 4", "n: " + "x" * 5000, 10, f"must be a whole number, not '{'x' * 39}."),
        ("n: 4", "n: " + "4" * 5000, 10, "n of trick is too long a number"),
        ("found: clean", "found: torn", 9, "found of challenge must be clean or dirty"),
        ("[3, 0, 0]", "[3, 0]", 7, "lives has 2 numbers, but there are 3 players"),
        ("[3, 0, 0]", "[3, 0, no]", 7, "a number in lives must be a whole number"),
        ("[3, 0, 0]", "3", 7, "lives must be a list"),
        ("  - {ev: exchange, p: A}", "  - exchange", 8, "an event must be a mapping"),
        ("  - {ev: exchange, p: A}", "  - [exchange, A]", 8, "an event must be a mapping"),
        ("{lives: [3, 2, 1]}", "[3, 2, 1]", 11, "expected must be a mapping"),
        ("id: M1", "id: !!python/object:os.system M1", 1, "id has the tag"),
        ("dealer: C", "? [x]\n: C", 3, "a key of a record must be a single value"),
        # rules
        ("max_lives: 10", "max_lives: ten", 4, "Option max_lives cannot be 'ten'"),
        ("max_lives: 10", "most_lives: 10", 4, "Toepen has no option 'most_lives'"),
        ("{A: 3}", "{A: 11}", 5, "Nobody can have lost 11 of 10 lives"),
        ("{A: 3}", "{A: 10}", 5, "the rubber is over"),
        ("id: M1", "id: M1\npreset: cafe", 2, "there is no preset 'cafe'"),
        ("id: M1", "id: M1\ngame: skat", 2, "This version only knows toepen"),
    ],
)
def test_a_broken_record_is_told_where_and_why(
    terminal: Terminal, old: str, new: str, line: int, sentence: str
) -> None:
    assert old in GOOD

    result = terminal.replay(GOOD.replace(old, new, 1))

    assert result.code == 2
    assert result.out == ""
    assert re.match(rf"kloplei: .*record\.yaml:{line}: ", result.err), result.err
    assert sentence in result.err
    assert len(result.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("", 1, "there is no record in this file"),
        ("# only a remark\n", 1, "there is no record in this file"),
        ("[]", 1, "this list holds no record"),
        ("examples: []", 1, "this list holds no record"),
        ("examples: 5", 1, "examples must be a list"),
        ("examples: []\nexample: []", 2, "has the unknown key 'example'"),
        ("hello", 1, "a record must be a mapping"),
        ("- hello", 1, "a record must be a mapping"),
        ("id: [1, 2", 1, "this is not YAML"),
        ("id: 1\n\tplayers: 2", 2, "this is not YAML"),
        ("id: *nobody", 1, "this is not YAML"),
        ("a: b: c", 1, "this is not YAML"),
        ('id: "\\UFFFFFFFF"', 1, "this is not YAML"),
        ("[" * 800, 1, "nested too deeply"),
        ("id: a\nx: \x01", 2, "this is not text"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", 1, "this is not text in UTF-8"),
        (b"id: ok\nname: J\xfcrgen", 2, "this is not text in UTF-8"),
        (b"\xff\xfei\x00d\x00", 1, "this is not text in UTF-8"),
        (b"\x00\x01\x02", 1, "this is not text"),
        ("&a [*a]", 1, "aliases repeat too often"),
        ("{id: J, plays: [[A, H7]]}", 1, "a trick lacks the key 'winner'"),
        ("{id: J, plays: [[A, H7]], winner: B}", 1, "winner is 'B', who played no card"),
        ("{id: J, plays: [[A, H7]], winner: A, folded: [B]}", 1, "folded is 'B'"),
        ("{id: J, plays: [[A, H7], [A, H8]], winner: A}", 1, "'A' plays twice"),
        ("{id: J, plays: [[A, H7], [B, H7]], winner: A}", 1, "H7 lies there twice"),
        ("{id: J, plays: [[A, X7]], winner: A}", 1, "'X7' is not a card"),
        ("{id: J, plays: [[A, 7]], winner: A}", 1, "a card must be a text, not 7"),
        ("{id: J, plays: [[A]], winner: A}", 1, "a play must be a player and a card"),
        ("{id: J, plays: [], winner: A}", 1, "1 to 8 cards, not 0"),
        ("{id: J, plays: [[A, H7]], winner: A, folded: [A]}", 1, "Everybody has folded"),
        ("{id: J, plays: [[A, H7]], winner: A, extra}", 1, "unknown key 'extra'"),
    ],
)
def test_what_is_no_record_at_all(
    terminal: Terminal, text: str | bytes, line: int, sentence: str
) -> None:
    result = terminal.replay(text)

    assert result.code == 2
    assert re.match(rf"kloplei: .*record\.yaml:{line}: ", result.err), result.err
    assert sentence in result.err
    assert len(result.err.splitlines()) == 1


def test_a_page_without_records_is_none(terminal: Terminal) -> None:
    result = terminal.replay("# A page\n\n```python\n1\n```\n", name="page.md")

    assert (result.code, result.out) == (2, "")
    assert "there is no record in this file" in result.err


def test_a_broken_block_is_told_by_the_line_of_the_page(terminal: Terminal) -> None:
    result = terminal.replay(f"# Toepen\n\n```yaml\n{GOOD}x: 1\n```\n", name="page.md")

    assert result.code == 2
    assert "page.md:15: a record has the unknown key 'x'" in result.err


@pytest.mark.parametrize("name", ["missing.yaml", ".", "a\0b"])
def test_what_cannot_be_opened_is_told_so(terminal: Terminal, name: str) -> None:
    result = terminal.run("replay", str(terminal.folder / name))

    assert result.code == 2
    assert "cannot be read" in result.err
    assert len(result.err.splitlines()) == 1


def test_a_monster_file_is_not_swallowed(terminal: Terminal) -> None:
    assert "too large" in terminal.replay(b"#" * 5_000_000).err


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [("id: M1", "id: !!int M1", 1), ("{A: 3}", "{A: !!int three}", 5), ("3}", '!!float ""}', 5)],
)
def test_a_tag_that_its_value_belies_is_no_crash(
    terminal: Terminal, old: str, new: str, line: int
) -> None:
    """It once ended in a traceback and exit code 1, as if a hand had come out otherwise."""
    result = terminal.replay(GOOD.replace(old, new, 1))

    assert result.code == 2
    assert re.search(rf":{line}: .* has the tag (int|float), but ", result.err)


@pytest.mark.parametrize(
    "bomb",
    [
        "- &e\n  events:\n    - &x {ev: deal}\n" + "    - *x\n" * 3000 + "- *e\n" * 3000,
        "- &a [x, x]\n"
        + "".join(f"- &{b} [*{a}, *{a}]\n" for a, b in pairwise("abcdefghijklmnopqrst")),
        "&a {examples: [*a]}",
    ],
    ids=["records of records", "doubling", "examples in themselves"],
)
def test_aliases_cannot_make_a_small_file_endless(terminal: Terminal, bomb: str) -> None:
    result = terminal.replay(bomb)

    assert result.code == 2
    assert "aliases repeat too often" in result.err


def test_an_alias_that_saves_some_typing_is_fine(terminal: Terminal) -> None:
    assert terminal.replay(GOOD.replace("id: M1", "id: &a M1\ntitle: *a")).code == 0


def test_a_complaint_is_one_line_whatever_people_are_called(terminal: Terminal) -> None:
    result = terminal.replay(
        GOOD.replace("[A, B, C]", '[A, B, C, "D\\n\\e[31m"]').replace(": C", ": Q")
    )

    assert "there are A, B, C, D\\n\\x1b[31m" in result.err
    assert len(result.err.splitlines()) == 1


def test_one_bad_file_among_good_ones_is_enough(terminal: Terminal) -> None:
    good, bad = terminal.write(GOOD), terminal.write("[", "bad.yaml")

    assert terminal.run("replay", good, bad).code == 2


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_text_is_a_record_or_is_not(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Real records with pieces cut out, doubled and scribbled over; and plain noise."""
    whole = EXAMPLES.read_text("utf-8")
    start = data.draw(st.integers(0, len(whole)))
    piece = whole[start : start + data.draw(st.integers(0, 600))]
    at = data.draw(st.integers(0, len(piece)))
    noise = data.draw(
        st.text(max_size=8) | st.sampled_from(["[", "}", ": ", "- ", "\n", "&a ", "*a", "!x ", "|"])
    )
    path = tmp_path_factory.getbasetemp() / "noise.yaml"
    path.write_bytes((piece[:at] + noise + piece[at:]).encode("utf-8", "surrogatepass"))

    assert plays_or_complains(path)


@settings(max_examples=examples(150))
@given(raw=st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode()))
def test_any_bytes_are_a_record_or_are_not(
    raw: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "noise.yaml"
    path.write_bytes(raw)

    assert plays_or_complains(path)


def plays_or_complains(path: Path) -> bool:
    try:
        for record in read_records(str(path)):
            record.play()
    except NotARecord as complaint:
        assert "\n" not in str(complaint)
    return True


def test_a_game_that_has_not_told_how_its_records_are_written_says_so(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    unwritten = replace(GAMES["toepen"], name="bridge")
    monkeypatch.setattr("kloplei.games.catalogue.GAMES", {**GAMES, "bridge": unwritten})

    result = terminal.replay("game: bridge\n" + GOOD)

    assert result.code == 2
    assert "how records of bridge are written is not told yet" in result.err
