"""What annotations say is written, read and checked: for the socket, the world and the journal."""

import inspect
import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Annotated, Any, Literal, get_type_hints

import pytest

from kloplei.games.catalogue import GAMES
from kloplei.games.game import Facts, Seat
from kloplei.games.scoreboard import Line, Scoreboard, Seconds, Share, Within
from kloplei.knock.judgement import Verdict
from kloplei.table import schema
from kloplei.table.client import (
    Change,
    DoorAnswer,
    DoorClient,
    DoorState,
    EarsClient,
    Frame,
    HeardEvent,
    Keeping,
    LogEntry,
    Loudness,
    SeatStand,
    Shape,
    Suggestion,
    TableClient,
    Taught,
    TuneStand,
    TuningRemark,
)
from kloplei.table.doctor_client import DoctorClient, Finding, FindingState
from kloplei.table.schema import (
    ASKED,
    JOURNAL,
    MOST_WHOLE,
    SOCKET,
    WORLD,
    Form,
    Misfit,
    describe,
    dump,
    load,
    shapes,
)
from kloplei.table.session import Session
from kloplei.words import LANGUAGES, Words
from tests.table.memory_journal import MemoryJournal
from tests.table.streaming_table import anything

TAUGHT = Taught(True, 2.5, 0.5, True, (0.25, 0.5), (Seat(0), Seat(3)))


class Suit(Enum):
    HEARTS = "hearts"
    SPADES = "spades"


class Mood(StrEnum):
    GAY = "gay"


@dataclass(frozen=True, slots=True)
class Story:
    """What others are told as."""


@dataclass(frozen=True, slots=True)
class Short(Story):
    """A story."""

    n: int


@dataclass(frozen=True, slots=True)
class Long(Short):
    """A story that takes longer."""

    seats: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class Other:
    """No story."""

    n: int = 0


@dataclass(frozen=True, slots=True)
class Counted:
    """Holds what is worked out from the rest."""

    n: int
    twice: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "twice", 2 * self.n)


def through_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("form", [SOCKET, JOURNAL])
@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (int, 3),
        (bool, True),
        (float, 0.5),
        (str, "jas"),
        (bytes, b"\x00\xff"),
        (None.__class__, None),
        (Seat, Seat(2)),
        (Seat | None, None),
        (Seat | None, Seat(0)),
        (Suit, Suit.SPADES),
        (Mood | None, Mood.GAY),
        (Literal["clean", "dirty"], "dirty"),
        (Literal["clean"] | None, None),
        (tuple[Seat, ...], (Seat(0), Seat(3))),
        (tuple[Seat, int], (Seat(1), 1)),
        (tuple[tuple[str, str | int | bool | None], ...], (("a", True), ("b", 1), ("c", None))),
        (frozenset[Seat], frozenset({Seat(3), Seat(0)})),
        (Mapping[Seat, str], {Seat(1): "Tame"}),
        (Mapping[str, int], {"pot": 5}),
        (Mapping[str, tuple[Seat, ...]], {"side": (Seat(1),)}),
        (Facts, {"seat": Seat(1), "n": 1, "cards": ("H7", (Seat(0), True)), "in": {"x": Seat(2)}}),
        (object, (1, Seat(1))),
        (Line, Line("news.stayed", {"seat": Seat(1)})),
        (Line | None, Line("news.stayed")),
        (Story, Story()),
        (Story, Long(3, (Seat(1),))),
        (Short | None, Short(3)),
        (Short | None, Long(3)),
        (tuple[Short | Other, ...], (Short(1), Other(2), Long(3))),
        (Short | int, 5),
        (Short | Other | None, None),
        (Counted, Counted(4)),
        (Frame, Frame(8, 1, b"\x81")),
        (Frame | None, None),
        (DoorAnswer, DoorAnswer(DoorState.ASKING, "t", "jas", Seat(1), 2.5)),
        (Finding, Finding("slate", FindingState.POOR, Line("doctor.slate"), Line("doctor.step"))),
        (HeardEvent, HeardEvent(7, Verdict.KNOCK, 0.5, 0.25, 1.0, "pads", Seat(1))),
        (tuple[HeardEvent, ...], (HeardEvent(7, Verdict.NOISE, 0.5, 0.25, 1.0, "pads"),)),
        (Shape, Shape(0.1, 0.01, (-3, -2), (2, 3))),
        (Suggestion, Suggestion("1f", (), 3, (Change(3, Verdict.KNOCK, Verdict.NOISE),), 1, 0, 1)),
        (Keeping, Keeping(200, 3, None, (Line("ears.milder"),), True)),
        (tuple[Loudness, ...], (Loudness("piezos", (0.1, 0.0), 0.25),)),
        (Facts, {"seats": ({"seat": Seat(1), "of": 3},)}),
        (TuneStand, TuneStand("x", ("a",), TAUGHT, seats=(SeatStand(Seat(1), 1, 5, "now"),))),
        (TuningRemark, TuningRemark("good", Line("tune.fine"))),
        (LogEntry, LogEntry(7, Seat(1), "pad", Line("news.x"), names={Seat(2): "Stan"})),
    ],
)
def test_what_is_written_is_read_as_it_was(hint: Any, value: object, form: Form) -> None:
    back = load(hint, through_json(dump(value, hint, form)), form)

    assert back == value
    assert repr(back) == repr(value) or isinstance(value, frozenset)


@pytest.mark.parametrize("client", [TableClient, EarsClient, DoctorClient, DoorClient])
def test_every_call_of_the_seam_can_be_read(client: type) -> None:
    """Save for streams and the seams inside the seam, which are no shapes."""
    for name, call in vars(client).items():
        if callable(call) and not name.startswith("_") and name != "follow":
            for hint in get_type_hints(call).values():
                with pytest.raises(Misfit):
                    load(hint, {"no": ["such", "thing"]} if hint != Facts else 3)


@pytest.mark.parametrize("name", GAMES)
def test_the_state_of_any_game_comes_back_as_it_was(name: str) -> None:
    chance, played = random.Random(7), 0
    with Session(MemoryJournal()) as session:
        session.submit(None, "options", facts={"game": name})
        for _ in range(150):
            seat, action, facts = anything(session.scoreboard(), chance)
            try:
                session.submit(seat, action, facts=facts)
            except ValueError:
                continue
            play = session._table._ledger.state.play
            if play is not None:
                back = load(type(play), through_json(dump(play, form=JOURNAL)), JOURNAL)
                played += 1
                assert back == play
                assert repr(back) == repr(play) or "frozenset" in repr(play)
    assert played > 20


def test_only_the_world_takes_a_seat_for_a_number() -> None:
    facts = {"seat": Seat(1), "n": 1}

    assert dump(facts, Facts, WORLD) == {"seat": 2, "n": 1}
    assert dump(facts, Facts, SOCKET) == {"seat": {"$seat": 2}, "n": 1}
    assert dump(facts, Facts, JOURNAL) == {"seat": {"$seat": 1}, "n": 1}
    assert dump(Seat(1), form=JOURNAL) == 1


def test_what_is_another_than_announced_is_marked_by_name() -> None:
    assert dump(Short(1), Story) == {"$": "Short", "n": 1}
    assert dump(Short(1), Short) == {"n": 1}
    assert dump(Short(1), Short | Other) == {"$": "Short", "n": 1}


@pytest.mark.parametrize(
    ("hint", "plain", "said"),
    [
        (int, True, "a whole number"),
        (int, 1.0, "a whole number"),
        (bool, 1, "true or false"),
        (str | None, 3, "a text or nothing"),
        (Seat, True, "a seat number from 1"),
        (Literal["a", "b"], "c", "one of 'a', 'b'"),
        (Literal["a", "b"], ["a"], "one of 'a', 'b'"),
        (Suit, "clubs", "one of 'hearts', 'spades'"),
        (tuple[int, ...], 3, "a list"),
        (tuple[int, int], [3], "a list of 2"),
        (bytes, "?", "bytes in base64"),
        (Mapping[Seat, int], {"x": 1}, "numbers with what belongs to each"),
        (Mapping[str, int], [], "names with what belongs to each"),
        (Short, {"n": "3"}, "the fact 'n' must be a whole number, not '3'"),
        (Short, {}, "the fact 'n' is missing"),
        (Short, [], "a Short"),
        (Short, {"$": "Other"}, "a Short"),
        (Story, {"$": "Scoreboard", "game": "", "phase": ""}, "a Story"),
        (Short | Other, {"n": 1}, "a Short or a Other"),
        (Frame, {"width": 8, "height": 1, "bits": 3}, "'bits' must be bytes in base64, not 3"),
        (Scoreboard, {"game": "", "phase": "", "rows": [{"seat": 1}]}, "'tally' is missing"),
    ],
)
def test_what_does_not_fit_is_told(hint: Any, plain: object, said: str) -> None:
    with pytest.raises(Misfit) as misfit:
        load(hint, plain)

    assert said in str(misfit.value)


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_does_not_fit_has_its_words(language: str) -> None:
    source = inspect.getsource(schema)
    keys = {*re.findall(r'(?:Misfit|_Told)\("([\w-]+)"', source), *schema._SCALARS.values()}
    words = Words(language)

    assert len(keys) > 20
    assert [one for one in keys if words.unfilled(f"misfit.{one}") is None] == []
    assert {f"misfit.{one}" for one in keys} == set(words.keys("misfit."))


def test_only_the_whole_must_be_known_word_for_word() -> None:
    assert load(Other, {"n": 1, "hat": "red"}) == Other(1)
    with pytest.raises(Misfit, match="no fact 'hat'"):
        load(Other, {"n": 1, "hat": "red"}, JOURNAL)


def test_two_lists_of_the_same_words_are_each_told_in_their_own_order() -> None:
    """A cache takes them for one."""

    @dataclass
    class First:
        pot: Literal["king", "pagat"]

    @dataclass
    class Second:
        pot: Literal["pagat", "king"]

    for kind, said in ((First, "'king', 'pagat'"), (Second, "'pagat', 'king'")):
        with pytest.raises(Misfit, match=f"one of {said}"):
            load(kind, {"pot": "x"})


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (Seat, {"type": "integer", "minimum": 1, "description": "Seat, counted from 1"}),
        (int | None, {"type": ["integer", "null"]}),
        (Literal["a", "b"] | None, {"enum": ["a", "b", None]}),
        (Short | None, {"oneOf": [{"$ref": "#/components/schemas/Short"}, {"type": "null"}]}),
        (Suit, {"type": "string", "enum": ["hearts", "spades"]}),
        (Share, {"type": "number", "minimum": 0, "maximum": 1}),
        (Annotated[Seconds, "So long"], {"type": "number", "minimum": 0, "description": "So long"}),
        (tuple[object, ...], {"type": "array"}),
        (tuple[str, ...], {"type": "array", "items": {"type": "string"}}),
        (Mapping[Seat, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Facts, {"type": "object", "additionalProperties": True}),
    ],
)
def test_an_annotation_is_described(hint: Any, schema: dict[str, Any]) -> None:
    assert describe(hint) == schema


def test_what_a_field_means_stands_in_its_annotation() -> None:
    @dataclass
    class Guest:
        """Who sits here. No more."""

        called: Annotated[str, "As the slate has it"] = field(metadata={"wire": "name"})
        mood: Mood | None = None
        loud: bool = field(default=False, metadata={"sparse": True})

    assert shapes(tuple[Guest, ...]) == {
        "Guest": {
            "type": "object",
            "description": "Who sits here",
            "required": ["name"],
            "properties": {
                "name": {"type": "string", "description": "As the slate has it"},
                "mood": {"type": "string", "enum": ["gay"]},
                "loud": {"type": "boolean", "const": True},
            },
        }
    }


@dataclass(frozen=True, slots=True)
class Wish:
    """What a guest asks for."""

    what: Annotated[str, Within(1)]
    seat: Seat | None
    n: Annotated[int, Within(1, 8)] = 2
    facts: Facts = field(default_factory=dict, metadata={"rest": True})


@dataclass(frozen=True, slots=True)
class Found:
    """What there is of it."""

    n: int | None = field(metadata={"nullable": True})
    more: int | None = None


def test_who_asks_may_leave_out_what_has_a_default_and_send_more() -> None:
    asked = load(Wish, {"what": "x", "seat": None, "where": [{"$seat": 1}]}, ASKED)

    assert asked == Wish("x", None, 2, {"where": [{"$seat": 1}]})


@pytest.mark.parametrize(
    ("plain", "fact"),
    [
        ({"seat": 1}, "what"),
        ({"what": "", "seat": 1}, "what"),
        ({"what": "x"}, "seat"),
        ({"what": "x", "seat": 1, "n": 0}, "n"),
        ({"what": "x", "seat": 1, "n": 9}, "n"),
        ({"what": "x", "seat": 1, "n": None}, "n"),
        ({"what": "x", "seat": 1, "n": True}, "n"),
    ],
)
def test_what_does_not_fit_is_named_to_who_asks(plain: Mapping[str, object], fact: str) -> None:
    with pytest.raises(Misfit) as misfit:
        load(Wish, plain, ASKED)

    assert misfit.value.fact == fact


def test_what_is_asked_for_is_described_as_it_is_read() -> None:
    assert shapes(Wish, form=ASKED)["Wish"] == {
        "type": "object",
        "description": "What a guest asks for",
        "required": ["what", "seat"],
        "properties": {
            "what": {"type": "string", "minLength": 1},
            "seat": {
                "type": ["integer", "null"],
                "minimum": 1,
                "description": "Seat, counted from 1",
                "maximum": MOST_WHOLE,
            },
            "n": {"type": "integer", "minimum": 1, "maximum": 8, "default": 2},
        },
        "additionalProperties": True,
    }


def test_what_may_be_null_is_written_so_and_the_rest_left_out() -> None:
    assert dump(Found(None), form=WORLD) == {"n": None}
    assert shapes(Found)["Found"]["required"] == ["n"]
    assert shapes(Found)["Found"]["properties"]["n"] == {"type": ["integer", "null"]}
