"""A class of ours is made by stand-ins, and behaves as one of `dataclasses` from its first call."""

import copy
import dataclasses
import pickle
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field, fields
from pathlib import Path
from typing import Any

import pytest

from kloplei.frozen import dataclass, replace

MAKERS = [dataclass, dataclasses.dataclass]


@dataclass(frozen=True, slots=True)
class Kept:
    """For pickle, which finds it by its name."""

    seat: int
    cards: tuple[str, ...] = ()


def both(make: Callable[..., Any]) -> tuple[type[Any], type[Any], type[Any]]:
    """Return a class, one that adds to it, and one that only inherits."""

    @make(frozen=True, slots=True)
    class First:
        """The first."""

        seat: int
        stake: int = 1
        names: dict[str, int] = field(default_factory=dict, compare=False)
        hidden: str = field(default="", repr=False, metadata={"told": False})

        @property
        def doubled(self) -> int:
            return 2 * self.stake

    @make(frozen=True, slots=True, kw_only=True)
    class Second(First):
        """The second."""

        why: str

        def __post_init__(self) -> None:
            if not self.why:
                raise ValueError("why?")

    class Third(First):
        """No dataclass of its own."""

    return First, Second, Third


def remembering(make: Callable[..., Any]) -> type[Any]:
    """Return a class that remembers something of itself, which no other of it is given."""

    @make(frozen=True, slots=True)
    class Remembering:
        """It looks twice."""

        seat: int
        stake: int = 1
        seen: list[int] = field(default_factory=list, init=False, compare=False)

    return Remembering


def told(do: Callable[[], object]) -> object:
    """Return what comes of it, an error as its kind and what it says."""
    try:
        return do()
    except Exception as error:  # noqa: BLE001 - it is what is compared
        return type(error), str(error)


ASKED: list[Callable[[type[Any], type[Any], type[Any]], object]] = [
    lambda first, _, __: repr(first(2)).partition(".<locals>.")[2],
    lambda first, _, __: first(2, stake=3) == first(2, 3, {"a": 1}),
    lambda first, _, __: first(2) == first(3),
    lambda first, second, _: first(2) == second(2, why="so"),
    lambda first, _, third: (first(2) == third(2), third(2) == third(2)),
    lambda first, _, __: hash(first(2, 3)) == hash((2, 3, "")),
    lambda first, _, __: {first(2), first(2), first(3)} == {first(3), first(2)},
    lambda first, _, __: (first(2).names, first(2).names is first(2).names),
    lambda first, _, __: first(2, 4).doubled,
    lambda first, _, __: first.__match_args__,
    lambda _, second, __: second.__match_args__,
    lambda _, second, __: [one.name for one in fields(second)],
    lambda first, _, __: dict(fields(first)[3].metadata),
    lambda first, _, __: replace(first(2), stake=5).stake,
    lambda first, _, __: repr(replace(first(2, 3, {"a": 1}, "x"), seat=9)).partition(".")[2],
    lambda first, _, __: (one := first(2), replace(one) == one, replace(one) is one)[1:],
    lambda _, second, __: replace(second(2, why="so"), seat=3).why,
    lambda _, __, third: type(replace(third(2), seat=3)) is third,
    lambda _, second, __: second(2, why="so").why,
    lambda first, _, __: copy.copy(first(2, 7)) == first(2, 7),
    lambda first, _, __: copy.deepcopy(first(2, names={"a": 1})).names,
    lambda first, _, __: hasattr(first(2), "__dict__"),
    lambda first, _, __: dataclasses.asdict(first(2)),
    lambda first, _, __: bool(first.__dataclass_params__.frozen),
    # What goes wrong.
    lambda first, _, __: setattr(first(2), "seat", 3),
    lambda first, _, __: delattr(first(2), "seat"),
    lambda first, _, third: setattr(third(2), "seat", 3),
    lambda _, second, __: second(2, why=""),
    lambda _, second, __: replace(second(2, why="so"), why=""),
]


@pytest.mark.parametrize("ask", ASKED)
def test_it_does_what_a_class_of_the_standard_library_does(
    ask: Callable[[type[Any], type[Any], type[Any]], object],
) -> None:
    ours, theirs = map(both, MAKERS)

    assert told(lambda: ask(*ours)) == told(lambda: ask(*theirs))


@pytest.mark.parametrize("changes", [{"sit": 1}, {"seen": []}, {"seat": 3, "sit": 1}])
def test_what_cannot_be_changed_is_refused_as_the_standard_library_does(
    changes: dict[str, Any],
) -> None:
    ours, theirs = (remembering(make)(2) for make in MAKERS)

    refused = told(lambda: replace(ours, **changes))

    assert refused == told(lambda: dataclasses.replace(theirs, **changes))
    assert isinstance(refused, tuple)


def test_what_is_changed_remembers_nothing_of_what_it_was() -> None:
    for one in (remembering(make)(2) for make in MAKERS):
        one.seen.append(1)

        assert replace(one, stake=3).seen == replace(one).seen == []
        assert one.seen == [1]


def test_wrong_arguments_are_refused_from_the_first_call_on() -> None:
    first, second, _ = both(dataclass)

    for wrong in (first, lambda: first(1, 2, {}, "", 5), lambda: second(1), lambda: first(seats=1)):
        with pytest.raises(TypeError):
            wrong()


@pytest.mark.parametrize("eq", [True, False])
def test_what_is_not_frozen_may_change_and_is_as_equal_as_it_says(*, eq: bool) -> None:
    def made(make: Callable[..., Any]) -> type[Any]:
        @make(slots=True, eq=eq)
        class Open:
            """May change."""

            seat: int
            heard: list[int] = field(default_factory=list)

        return Open

    def asked(one: type[Any]) -> list[object]:
        first, second = one(1), one(1, [])
        first.seat = 2
        second.seat += 1
        del second.heard
        return [
            first.seat,
            first == one(2),
            first != one(2),
            told(lambda: {first} == {first}),
            told(lambda: second.heard),
            told(lambda: setattr(first, "other", 1)),
            repr(first).partition(".<locals>.")[2],
            one.__dataclass_params__.frozen,
        ]

    assert asked(made(dataclass)) == asked(made(dataclasses.dataclass))


def test_what_stood_in_is_gone_after_the_first_call() -> None:
    first, _, third = both(dataclass)
    stand_in = vars(first)["__init__"]

    third(1)

    assert vars(first)["__init__"] is not stand_in
    assert vars(first)["__init__"].__annotations__["seat"] is int


def test_only_what_is_called_is_written() -> None:
    """To write them all at the first call took seven times as long as to write the first."""
    first, _, _ = both(dataclass)
    stand_ins = {name: vars(first)[name] for name in ("__init__", "__eq__", "__hash__")}

    first(1)

    written = {name for name, method in stand_ins.items() if vars(first)[name] is not method}
    assert written == {"__init__"}


def test_what_is_not_asked_for_is_filled_in_as_well() -> None:
    def made(make: Callable[..., Any]) -> type[Any]:
        @make(frozen=True, slots=True)
        class Filled:
            """Filled in by itself."""

            seat: int
            tally: int = field(default=3, init=False)
            marks: list[int] = field(default_factory=lambda: [1], init=False)

        return Filled

    ours, theirs = map(made, MAKERS)
    one, other = ours(2), theirs(2)

    assert (one.seat, one.tally, one.marks) == (other.seat, other.tally, other.marks)
    assert told(lambda: ours(2, 4)) == told(lambda: theirs(2, 4))


def test_who_still_holds_a_stand_in_gets_the_same_answer() -> None:
    """Two threads may meet it at once, and one of them comes too late to write."""
    first, _, _ = both(dataclass)
    equal, begin = vars(first)["__eq__"], vars(first)["__init__"]
    one, other = first(1), first(2)
    assert one != other

    assert equal(one, first(1))
    begin(other, 1)
    assert one == other


def test_methods_of_ones_own_are_kept() -> None:
    @dataclass(frozen=True, slots=True)
    class Own:
        """Has its say."""

        seat: int

        def __repr__(self) -> str:
            return "mine"

        def __hash__(self) -> int:
            return 7

        def __eq__(self, other: object) -> bool:
            return True

    assert (repr(Own(1)), hash(Own(1)), Own(1) == 2) == ("mine", 7, True)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("base", MAKERS)
def test_it_inherits_from_others_and_others_from_it(
    base: Callable[..., Any], make: Callable[..., Any]
) -> None:
    @base(frozen=True, slots=True)
    class Base:
        """One."""

        seat: int

    @make(frozen=True, slots=True)
    class Heir(Base):
        """Another."""

        stake: int = 2

    heir: Any = Heir
    assert heir(1) == heir(1, 2) != heir(1, 3)
    with pytest.raises(FrozenInstanceError):
        heir(1).seat = 2
    with pytest.raises(TypeError, match="frozen"):
        make(slots=True)(type("Thawed", (Base,), {"__annotations__": {"more": int}}))


def test_it_is_pickled() -> None:
    pickled = pickle.dumps(Kept(2, ("H7",)))

    assert pickle.loads(pickled) == Kept(2, ("H7",))  # noqa: S301 - our own


def test_classes_with_slots_are_made_so_wherever_a_box_may_load_them() -> None:
    """Fifty that were not took a fifth of the imports of `kloplei run`."""
    root, of_the_library = Path(__file__).parents[1], r"^from dataclasses import .*\bdataclass\b"
    sources = {
        str(path.relative_to(root)): path.read_text(encoding="utf-8")
        for folder in ("firmware", "webpanel")
        for path in (root / folder).rglob("*.py")
    }

    slow = [
        name
        for name, text in sources.items()
        if re.search(of_the_library, text, re.MULTILINE) and "slots=True" in text
    ]

    assert "firmware/kloplei/unit.py" in sources
    assert slow == []
