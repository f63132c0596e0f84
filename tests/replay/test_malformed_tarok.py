"""What is no record of Tarok gets one sentence with file and line, and exit code 2."""

import re

import pytest

from tests.replay.replayed import Terminal

GOOD = """\
id: T
set: c
kind: hand
in:
  players: [A, B, C, D]
  dealer: A
  options: {c_tout: 85}
  session_start: false
  scores: {A: -60, B: -40}
  pots_before: {king: 50, pagat: 50}
  declare: [{by: B, what: taroks, count: 10, pagat: true}, {by: D, what: cavalry_over, suit: S}]
  fines: [{by: D, each: 5, king_pot: 5}]
  in_play: [{by: B, what: pagat_lost}]
  last_trick: {winner: D, cards: {A: king, B: other}}
  feats: [{what: nolo, by: A, announced: null, made: true}]
out:
  lines: [{line: dealer_extra, A: -10, king: 5, pagat: 5}]
  net: {A: 5, king: 10}
  pots_after: {king: 60, pagat: 65}
  final: {A: 5}
"""
CARDS = """\
judge:
  - {id: J, set: c, trick: 7, cards: [KS, T2, T1], winner: 2, events: {king_lost: [1]}}
  - {id: K, set: c, trick: 25, cards: [KS, T2, T1], winner: 2, last: {1: king}}
count:
  - {id: N, cards: [KS, QS, AS], points: 8}
  - {id: P, piles: {A: {size: 27, fives: 3, queens: 1}}, points: {A: 24}}
"""


def test_the_good_ones_can_be_read(terminal: Terminal) -> None:
    assert terminal.replay(GOOD).code == 1
    assert terminal.replay(CARDS).code == 1


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        # keys
        ("id: T\n", "", 1, "a record lacks the key 'id'"),
        ("set: c\n", "", 1, "a record lacks the key 'set'"),
        ("out:\n", "outs:\n", 17, "a record has the unknown key 'outs'"),
        ("  dealer: A\n", "", 5, "in lacks the key 'dealer'"),
        ("  scores", "  score", 9, "in has the unknown key 'score'"),
        ("{by: B, what: taroks,", "{what: taroks,", 11, "a declaration lacks the key 'by'"),
        ("each: 5", "sum: 5", 12, "a fine has the unknown key 'sum'"),
        ("what: pagat_lost", "wat: pagat_lost", 13, "an event in play has the unknown key 'wat'"),
        ("winner: D", "taker: D", 14, "last_trick has the unknown key 'taker'"),
        ("made: true", "maid: true", 15, "a feat has the unknown key 'maid'"),
        ("  net:", "  nett:", 18, "out has the unknown key 'nett'"),
        ("{line: dealer_extra,", "{name: dealer_extra,", 17, "a line lacks the key 'line'"),
        ("id: T\n", "id: T\nreject: V-78\n", 2, "expects either 'out' or 'reject'"),
        # words
        ("set: c", "set: d", 2, "set must be a or b or c, not 'd'"),
        ("kind: hand", "kind: evening", 3, "kind must be hand or session_end, not 'evening'"),
        ("suit: S", "suit: X", 11, "suit must be H or D or S or C, not 'X'"),
        ("A: king,", "A: queen,", 14, "a card is pagat or king or other, not 'queen'"),
        ("c_tout: 85", "c_tout: 81", 7, "Option c_tout cannot be 81"),
        ("c_tout: 85", "c_toot: 85", 7, "Tarok has no option 'c_toot'"),
        ("c_tout: 85", "rule_set: a", 7, "which game it is says the key 'set'"),
        ("options:", "preset: grosstarock\n  options:", 7, "this preset is not of set c"),
        ("options:", "preset: skat\n  options:", 7, "there is no preset 'skat'"),
        # names
        ("[A, B, C, D]", "[A, B, C, B]", 5, "two players are called 'B'"),
        ("[A, B, C, D]", "[A, B, C, king]", 5, "nobody can be called 'king'"),
        ("[A, B, C, D]", "[A, B]", 5, "Tarok is for 3 to 4 players, not 2"),
        ("[A, B, C, D]", "[A, B, C]\n  sitter: B", 5, "nobody sits out where three play"),
        ("dealer: A", "dealer: A\n  sitter: E", 7, "sitter is 'E', who does not play"),
        ("dealer: A", "dealer: E", 6, "dealer is 'E', who does not play; there are A, B, C, D"),
        ("{A: -60,", "{E: -60,", 9, "scores names 'E', who does not play"),
        ("{by: B, what: taroks", "{by: E, what: taroks", 11, "by of a declaration is 'E'"),
        ("winner: D", "winner: E", 14, "winner is 'E', who does not play"),
        ("{A: king,", "{E: king,", 14, "cards names 'E', who does not play"),
        ("{king: 50,", "{queen: 50,", 10, "pots_before names 'queen'; the pots are king and"),
        ("extra, A: -10", "extra, E: -10", 17, "a line names 'E'; there are A, B, C, D, king"),
        ("net: {A: 5,", "net: {E: 5,", 18, "net names 'E', who does not play"),
        ("{king: 60, pagat: 65}", "{A: 60}", 19, "pots_after names 'A'; the pots are king"),
        ("final: {A: 5}", "final: {king: 5}", 20, "final names 'king', who does not play"),
        # kinds of values
        ("id: T", "id: [T]", 1, "id must be a single value"),
        ("[A, B, C, D]", "A", 5, "players must be a list"),
        ("session_start: false", "session_start: 1", 8, "session_start must be true or false"),
        ("king: 50,", "king: -5,", 10, "pots_before of king cannot be less than 0"),
        ("c_tout: 85", "c_pots: no, c_ante: x", 7, "Option c_ante cannot be 'x'"),
        ("{king: 50, pagat: 50}", "7", 10, "pots_before must be a mapping"),
        ("king: 50,", "king: x,", 10, "pots_before of king must be a whole number"),
        ("count: 10", "count: ten", 11, "count must be a whole number, not 'ten'"),
        ("pagat: true}", "pagat: 1}", 11, "pagat must be true or false, not 1"),
        ("each: 5", "each: 5.5", 12, "each must be a whole number, not 5.5"),
        ("announced: null", "announced: early", 15, "announced must be a whole number"),
        ("made: true", "made: yes", 15, "made must be true or false, not 'yes'"),
        ("  feats: [{what: nolo", "  feats: {what: [nolo", 15, "this is not YAML"),
        ("what: taroks", "what: [taroks]", 11, "what must be a single value"),
    ],
)
def test_a_broken_record_is_told_where_and_why(
    terminal: Terminal, old: str, new: str, line: int, sentence: str
) -> None:
    assert old in GOOD

    result = terminal.replay(GOOD.replace(old, new, 1))

    told_once(result.err, sentence, line)
    assert (result.code, result.out) == (2, "")


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("[KS, T2, T1], winner: 2, ev", "[KS, T2, T22], winner: 2, ev", 2, "'T22' is not a card"),
        ("[KS, T2, T1], winner: 2, ev", "[KS, T2, KS], winner: 2, ev", 2, "KS lies there twice"),
        ("[KS, T2, T1], winner: 2, ev", "[KS, T2, T1, T3], ev", 2, "A trick of Tarok has 3 cards"),
        ("[KS, T2, T1], winner: 2, ev", "[EX, KS, T1], ev", 2, "Say what who led the Fool"),
        ("trick: 7", "trick: 0", 2, "The trick has a number from 1 to 25, not '0'"),
        ("trick: 7", "trick: ²", 2, "The trick has a number from 1 to 25"),
        ("set: c, trick: 7", "set: z, trick: 7", 2, "Option rule_set cannot be 'z'"),
        ("trick: 7", "trik: 7", 2, "a trick has the unknown key 'trik'"),
        ("set: c, trick: 7", "set: c,\n     trick: [7]", 3, "trick must be a single value"),
        ("king_lost: [1]", "king_lost: 1", 2, "king_lost must be a list"),
        ("{1: king}", "{one: king}", 3, "a key of last must be a whole number, not 'one'"),
        ("{1: king}", "{1: king, 1: king}", 3, "last has the key 1 twice"),
        ("{id: N, cards: [KS", "{id: N, cards: [SK", 5, "'SK' is not a card; write taroks as T1"),
        ("points: 8", "points: many", 5, "points must be a whole number"),
        ("{id: N, cards", "{id: N, piles: {}, cards", 5, "has either 'cards' or 'piles'"),
        ("size: 27", "size: 3", 6, "A pile of 3 has not so many cards that count"),
        ("fives: 3", "fives: 8", 6, "A pile has 0 to 7 fives, not 8"),
        ("size: 27, ", "", 6, "the pile of A lacks the key 'size'"),
        ("queens: 1", "quins: 1", 6, "the pile of A has the unknown key 'quins'"),
    ],
)
def test_a_broken_trick_or_count_is_told_where_and_why(
    terminal: Terminal, old: str, new: str, line: int, sentence: str
) -> None:
    assert old in CARDS

    result = terminal.replay(CARDS.replace(old, new, 1))

    told_once(result.err, sentence, line)
    assert (result.code, result.out) == (2, "")


def told_once(err: str, sentence: str, line: int) -> None:
    assert sentence in err
    assert re.match(rf"kloplei: .*record\.yaml:{line}: ", err), err
    assert len(err.splitlines()) == 1
    assert err.count("record.yaml:") == 1
