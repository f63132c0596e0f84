"""The scoreboard on the wire: as promised to the world, and back again through the socket."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kloplei.games.game import Facts, Seat
from kloplei.games.scoreboard import Grace, Hand, Heard, Line, Offer, Row, Scoreboard, Tone, Tuning
from kloplei.table.client import LogEntry
from kloplei.table.schema import MOST_WHOLE, WORLD, dump, load

PROMISED = """
    {"seq": 41, "game": "toepen", "phase": "answering", "stake": 3, "dealer": 4, "leader": 1,
     "to_answer": [2, 4],
     "prompt": {"key": "stay-or-fold", "facts": {"seat": 1, "seats": [2, 4], "stake": 3}},
     "pots": {}, "actions": [{"action": "undo"}],
     "rows": [{"seat": 1, "name": "Thijs", "tally": 3, "limit": 10, "flags": ["in_hand", "armoede"],
               "actions": [{"action": "knock"},
                           {"action": "challenge", "needs": ["of", "found"]}]}]}
"""

BOARD = Scoreboard(
    seq=41,
    game="toepen",
    phase="answering",
    stake=3,
    dealer=Seat(3),
    leader=Seat(0),
    to_answer=(Seat(1), Seat(3)),
    prompt=Line("prompt.stay-or-fold", {"seat": Seat(0), "seats": (Seat(1), Seat(3)), "stake": 3}),
    offers=(Offer("undo"),),
    rows=(
        Row(
            Seat(0),
            tally=3,
            limit=10,
            name="Thijs",
            flags=("in_hand", "armoede"),
            offers=(Offer("knock"), Offer("challenge", needs=("of", "found"))),
        ),
    ),
)


def test_every_word_promised_to_the_world_is_on_the_wire() -> None:
    """The example of the design; what stands beside it is extra."""
    promised = json.loads(PROMISED)
    promised_row, row = promised.pop("rows")[0], dump(BOARD, form=WORLD)["rows"][0]

    assert {word: dump(BOARD, form=WORLD).get(word) for word in promised} == promised
    assert {word: row.get(word) for word in promised_row} == promised_row


def test_what_does_not_apply_is_absent() -> None:
    wire = dump(Scoreboard(game="toepen", phase="seating"), form=WORLD)

    assert wire == {
        "game": "toepen",
        "phase": "seating",
        "seq": 0,
        "seats": 0,
        "to_answer": [],
        "pots": {},
        "actions": [],
        "rows": [],
        "hands": [],
        "options": {},
        "notices": [],
    }


def test_seats_are_counted_from_one_wherever_they_stand() -> None:
    board = Scoreboard(
        game="toepen",
        phase="play",
        rows=(
            Row(
                Seat(2),
                tally=0,
                offers=(Offer("challenge", ("of",), {"of": (Seat(0), Seat(1))}),),
            ),
        ),
        heard=Heard(Seat(1), knocks=2),
        grace=Grace(Seat(4), "trick", 101.5, 3.0),
        news=Line("news.folded", {"seat": Seat(0), "n": 0}),
        hands=(Hand(1, Seat(2), "how.trick", {Seat(0): 2}),),
    )

    wire = dump(board, form=replace(WORLD, clock=lambda: 100.0))

    assert wire["rows"][0]["seat"] == 3
    assert wire["rows"][0]["actions"][0]["choices"] == {"of": [1, 2]}
    assert wire["heard"] == {"seat": 2, "knocks": 2, "holding": False}
    assert wire["grace"] == {"seat": 5, "action": "trick", "left_s": 1.5, "total_s": 3.0}
    assert wire["news"] == {"key": "folded", "facts": {"seat": 1, "n": 0}}
    assert wire["hands"] == [{"number": 1, "winner": 3, "how": "trick", "paid": {"1": 2}}]


def test_the_world_hears_what_is_left_of_a_deadline_and_the_socket_when_it_is() -> None:
    grace = Grace(Seat(4), "trick", 101.5, 3.0)

    late = dump(grace, form=replace(WORLD, clock=lambda: 102.0))

    assert late == {"seat": 5, "action": "trick", "left_s": 0.0, "total_s": 3.0}
    assert dump(grace) == {"seat": 5, "action": "trick", "until_s": 101.5, "total_s": 3.0}
    assert load(Grace, dump(grace)) == grace


def test_facts_and_the_log_are_as_the_world_reads_them() -> None:
    entry = LogEntry(
        7, Seat(1), "pad", Line("news.stayed", {"seat": Seat(1)}), undone=True, game="toepen"
    )

    assert dump({"seat": Seat(0), "of": None}, form=WORLD) == {"seat": 1, "of": None}
    assert dump(entry, form=WORLD) == {
        "seq": 7,
        "seat": 2,
        "via": "pad",
        "line": {"key": "stayed", "facts": {"seat": 2}},
        "undone": True,
        "names": {},
        "before": [],
        "game": "toepen",
    }


words = st.text(max_size=8)
seats = st.integers(0, 15).map(Seat)
numbers = st.integers(-MOST_WHOLE, MOST_WHOLE)
scalars = st.one_of(st.none(), st.booleans(), numbers, words, seats)
facts = st.dictionaries(words, scalars | st.lists(scalars, max_size=3).map(tuple), max_size=4)
lines = st.builds(Line, words, facts, st.sampled_from(Tone))
offers = st.builds(
    Offer,
    words,
    st.lists(words, max_size=2).map(tuple),
    st.dictionaries(words, st.lists(scalars, max_size=3).map(tuple), max_size=2),
)
counts = st.dictionaries(words, numbers, max_size=3)


def some(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


def several(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(strategy, max_size=3).map(tuple)


boards = st.builds(
    Scoreboard,
    words,
    words,
    rows=several(
        st.builds(
            Row,
            seats,
            numbers,
            limit=some(numbers),
            name=words,
            flags=several(words),
            counts=counts,
            committed=some(numbers),
            tricks=some(numbers),
            offers=several(offers),
        )
    ),
    seq=numbers,
    seats=numbers,
    stake=some(numbers),
    dealer=some(seats),
    leader=some(seats),
    proposed=some(numbers),
    announced=st.dictionaries(words, words, max_size=2),
    sides=several(several(seats)),
    accounts=several(several(seats)),
    tricks_to_win=some(numbers),
    to_answer=several(seats),
    prompt=some(lines),
    news=some(lines),
    pots=counts,
    offers=several(offers),
    hands=several(
        st.builds(Hand, numbers, some(seats), words, st.dictionaries(seats, numbers, max_size=3))
    ),
    options=facts,
    preset=some(words),
    heard=some(st.builds(Heard, some(seats), numbers, st.booleans())),
    grace=some(st.builds(Grace, seats, words, st.floats(0, 9), st.floats(0, 9))),
    asking=some(lines),
    refused=some(lines),
    shown=some(lines),
    notices=several(lines),
    tuning=some(
        st.builds(Tuning, words, lines, some(seats), numbers, numbers, numbers, some(lines))
    ),
)
entries = st.builds(
    LogEntry,
    numbers,
    some(seats),
    words,
    lines,
    undone=st.booleans(),
    at=some(st.floats(0, 2e9)),
    undone_by=some(seats),
    names=st.dictionaries(seats, words, max_size=3),
    game=words,
)


def through_json(value: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads(json.dumps(value)))


@given(boards)
def test_a_scoreboard_comes_through_the_socket_as_it_was(board: Scoreboard) -> None:
    back = load(Scoreboard, through_json(dump(board)))

    assert repr(back) == repr(board)  # repr, for a Seat equals a number and True equals 1


@given(entries)
def test_a_log_entry_comes_through_the_socket_as_it_was(entry: LogEntry) -> None:
    assert repr(load(LogEntry, through_json(dump(entry)))) == repr(entry)


@given(facts)
def test_facts_come_through_the_socket_as_they_were(some_facts: dict[str, object]) -> None:
    assert repr(load(Facts, through_json(dump(some_facts)))) == repr(some_facts)


@given(boards)
def test_the_world_gets_plain_json_without_marks(board: Scoreboard) -> None:
    wire = dump(board, form=WORLD)

    assert through_json(wire) == wire
    assert '"$seat"' not in json.dumps(wire) or "$seat" in repr(board)


def test_a_newer_table_may_say_more_than_we_know() -> None:
    json_board = dump(BOARD) | {"weather": "rain"}

    assert load(Scoreboard, json_board) == BOARD


@pytest.mark.parametrize(
    "garbage",
    [
        {},
        {"game": "toepen"},
        {"game": 3, "phase": "play"},
        {"game": "toepen", "phase": "play", "dealer": "x"},
        {"game": "toepen", "phase": "play", "rows": 3},
        {"game": "toepen", "phase": "play", "rows": [{}]},
        {"game": "toepen", "phase": "play", "hands": [{"number": 1, "how": "", "paid": {"x": 1}}]},
        {"game": "toepen", "phase": "play", "pots": []},
    ],
)
def test_what_is_no_scoreboard_is_told_apart(garbage: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        load(Scoreboard, garbage)


def test_the_world_hears_how_much_a_sentence_matters() -> None:
    loud = Line("news.raised", {"seat": Seat(1)}, Tone.SHOUT)

    assert dump(LogEntry(7, None, "pad", loud), form=WORLD)["line"]["tone"] == "shout"
    assert "tone" not in dump(LogEntry(7, None, "pad", Line("news.raised")), form=WORLD)["line"]
