"""Events to the journal and back; facts from outside to actions, with sentences for what is not."""

import json
from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kloplei.games.catalogue import GAMES
from kloplei.games.game import SECRET, Action, Event, Seat, SeatAction
from kloplei.games.toepen.actions import ACTIONS as OF_TOEPEN
from kloplei.games.toepen.actions import Trick as ToepenTrick
from kloplei.table.actions import (
    TABLE_ACTIONS,
    TABLE_EVENTS,
    ChooseOptions,
    EveningBegun,
    Rename,
    SatDown,
    SitDown,
    Start,
    Swap,
    UnknownEntry,
    asked,
    decode,
    encode,
)
from kloplei.table.client import SWAP, BadRequest


class Suit(Enum):
    HEARTS = "hearts"
    SPADES = "spades"


@dataclass(frozen=True, slots=True)
class Everything(Event):
    seat: Seat
    maybe: Seat | None
    seats: tuple[Seat, ...]
    pair: tuple[Seat, int]
    nested: tuple[tuple[str, bool | None], ...]
    word: str
    n: int
    yes: bool
    suit: Suit
    how: Literal["clean", "dirty"]
    late: int = 7


EVENTS: dict[str, type[Event]] = {"Everything": Everything}

seats = st.integers(0, 7).map(Seat)
everything = st.builds(
    Everything,
    seat=seats,
    maybe=seats | st.none(),
    seats=st.lists(seats).map(tuple),
    pair=st.tuples(seats, st.integers()),
    nested=st.lists(st.tuples(st.text(), st.booleans() | st.none())).map(tuple),
    word=st.text(st.characters(exclude_categories=["Cs"])),
    n=st.integers(),
    yes=st.booleans(),
    suit=st.sampled_from(Suit),
    how=st.sampled_from(["clean", "dirty"]),
    late=st.integers(),
)


@given(event=everything)
def test_every_event_comes_back_from_json_as_it_was(event: Everything) -> None:
    name, facts = encode(event)

    read = decode(name, json.loads(json.dumps(facts)), EVENTS)

    assert read == event
    assert isinstance(read, Everything)
    assert type(read.seat) is Seat
    assert all(type(seat) is Seat for seat in read.seats)


def test_seats_stand_in_the_journal_as_numbers_from_0() -> None:
    assert encode(SatDown(Seat(2), "Stan")) == ("SatDown", {"seat": 2, "name": "Stan"})


def test_a_field_that_came_later_has_its_default_in_old_entries() -> None:
    old: dict[str, object] = {"game": "toepen", "preset": None, "options": []}

    assert decode("EveningBegun", old, TABLE_EVENTS) == EveningBegun("toepen", None, ())


@pytest.mark.parametrize(
    ("name", "facts", "said"),
    [
        ("Flew", {}, "'Flew'"),
        ("SatDown", {"seat": 2}, "'name' is missing"),
        ("SatDown", {"seat": 2, "name": "Stan", "hat": "red"}, "no fact 'hat'"),
        ("SatDown", {"seat": -1, "name": "Stan"}, "'seat' must be a seat number"),
        ("SatDown", {"seat": True, "name": "Stan"}, "'seat' must be"),
        ("SatDown", {"seat": 2, "name": None}, "'name' must be a text"),
        ("Undone", {"n": True}, "'n' must be a whole number"),
        ("Started", {"seats": 3, "dealer": 0}, "'seats' must be a list"),
    ],
)
def test_what_this_version_cannot_read_is_named(
    name: str, facts: dict[str, object], said: str
) -> None:
    with pytest.raises(UnknownEntry, match=said):
        decode(name, facts, TABLE_EVENTS)


@dataclass(frozen=True, slots=True)
class Trick(SeatAction):
    name: ClassVar[str] = "trick"
    n: int = field(metadata={"implied": 4})


@dataclass(frozen=True, slots=True)
class Bet(Action):
    name: ClassVar[str] = "bet"
    suit: Suit
    how: Literal["clean", "dirty"] = "clean"
    sure: bool = False


@dataclass(frozen=True, slots=True)
class Whisper(Action):
    name: ClassVar[str] = "whisper"
    suit: Suit = field(metadata=SECRET)


ACTIONS: dict[str, type[Action]] = {
    **TABLE_ACTIONS,
    "trick": Trick,
    "bet": Bet,
    "whisper": Whisper,
}


def ask(name: str, seat: Seat | None, /, **facts: object) -> Action:
    return asked(ACTIONS, name, seat, facts, seats=4)


@pytest.mark.parametrize(
    ("wanted", "action"),
    [
        (ask("swap", Seat(0), of=Seat(3)), Swap(Seat(0), Seat(3))),
        (ask("swap", Seat(0), of=3), Swap(Seat(0), Seat(2))),
        (ask("sit_down", Seat(1)), SitDown(Seat(1), None)),
        (ask("sit_down", Seat(1), name="Tame"), SitDown(Seat(1), "Tame")),
        (ask("sit_down", None, seat=2, name=None), SitDown(Seat(1), None)),
        (ask("sit_down", Seat(1), seat=2), SitDown(Seat(1), None)),
        (ask("rename", Seat(1), name="Tame"), Rename(Seat(1), "Tame")),
        (ask("start", None), Start(None, None)),
        (ask("start", Seat(1), dealer=4), Start(Seat(1), Seat(3))),
        (ask("trick", Seat(1)), Trick(Seat(1), 4)),
        (ask("trick", Seat(1), n=2), Trick(Seat(1), 2)),
        (ask("bet", Seat(1), suit="spades"), Bet(Suit.SPADES)),
        (ask("bet", None, suit="hearts", how="dirty", sure=True), Bet(Suit.HEARTS, "dirty", True)),
        (
            ask("options", None, options={"max_lives": 15, "armoede": False}),
            ChooseOptions(options={"max_lives": 15, "armoede": False}),
        ),
    ],
)
def test_facts_become_an_action(wanted: Action, action: Action) -> None:
    assert wanted == action


def test_who_claims_a_trick_of_toepen_without_a_number_means_the_one_that_counts() -> None:
    """Which trick that is, the game says; the table once knew it by heart."""
    assert asked(OF_TOEPEN, "trick", Seat(1), {}, seats=4) == ToepenTrick(Seat(1), n=4)


@pytest.mark.parametrize(
    ("name", "seat", "facts", "said"),
    [
        ("jump", Seat(0), {}, "'jump'"),
        ("swap", Seat(0), {}, "'of' is missing"),
        ("swap", Seat(0), {"of": 0}, "'of' must be a seat from 1 to 4, not 0"),
        ("swap", Seat(0), {"of": 5}, "'of' must be a seat from 1 to 4"),
        ("swap", Seat(0), {"of": Seat(4)}, "'of' must be a seat from 1 to 4"),
        ("swap", Seat(0), {"of": True}, "'of' must be"),
        ("swap", Seat(0), {"of": "2"}, "'of' must be"),
        ("swap", Seat(0), {"of": 2.0}, "'of' must be"),
        ("swap", None, {"of": 2}, "'seat' is missing"),
        ("swap", Seat(0), {"of": 2, "seat": 3}, "asked at seat 1"),
        ("swap", Seat(2), {"of": 2, "seat": Seat(3)}, "asked at seat 3"),
        ("swap", Seat(0), {"of": 2, "hard": 1}, "no fact 'hard'"),
        ("wipe", Seat(0), {"seat": 1}, "no fact 'seat'"),
        ("rename", Seat(0), {"name": None}, "'name' must be a text"),
        ("rename", Seat(0), {"called": "Tame"}, "no fact 'called'"),
        ("undo", Seat(0), {"steps": "2"}, "'steps' must be a whole number"),
        ("undo", Seat(0), {"steps": True}, "'steps' must be a whole number"),
        ("bet", Seat(0), {"suit": "clubs"}, "'suit' must be one of 'hearts', 'spades'"),
        ("bet", Seat(0), {"suit": "hearts", "how": True}, "'how' must be one of"),
        ("bet", Seat(0), {"suit": "hearts", "sure": 1}, "'sure' must be true or false"),
        ("options", None, {"options": ["max_lives"]}, "'options' must be"),
        ("options", None, {"options": {"max_lives": [1]}}, "'options' must be"),
        ("options", None, {"options": {7: 1}}, "'options' must be"),
    ],
)
def test_facts_that_do_not_fit_are_named(
    name: str, seat: Seat | None, facts: dict[str, object], said: str
) -> None:
    with pytest.raises(BadRequest, match=said):
        asked(ACTIONS, name, seat, facts, seats=4)


def test_half_a_secret_is_not_repeated_to_who_got_it_wrong() -> None:
    for word, value in (("bet", "Spades"), ("whisper", "Spades")):
        with pytest.raises(BadRequest) as refused:
            asked(ACTIONS, word, None, {"suit": value}, seats=4)

        assert "'suit' must be one of" in str(refused.value)
        assert (value in str(refused.value)) == (word == "bet")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@given(
    name=st.sampled_from([*sorted(ACTIONS), "nonsense"]),
    seat=st.none() | st.integers(0, 3).map(Seat),
    facts=st.dictionaries(
        st.sampled_from(["of", "n", "name", "seat", "options", "steps", "suit", "x"]), json_values
    ),
)
def test_whatever_comes_in_is_an_action_or_unreadable(
    name: str, seat: Seat | None, facts: dict[str, object]
) -> None:
    try:
        action = asked(ACTIONS, name, seat, facts, seats=4)
    except BadRequest as error:
        assert str(error).endswith(".")
    else:
        assert action.name == name


@pytest.mark.parametrize("kind", GAMES.values(), ids=GAMES)
def test_no_game_uses_a_word_of_the_table(kind: object) -> None:
    """Else the table would take a game's event or action for its own."""
    game = kind.build()  # type: ignore[attr-defined]

    assert not set(game.events) & set(TABLE_EVENTS)
    assert not set(game.actions) & set(TABLE_ACTIONS)


def test_what_the_panel_calls_a_swap_is_one() -> None:
    """It says so without loading what a table can do."""
    assert TABLE_ACTIONS[SWAP].name == SWAP
