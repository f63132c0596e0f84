"""What every game is to the table: actions in, events out, a scoreboard to look at.

A game never sees a pin, a pixel or a page. ``decide`` may refuse an action and never
changes anything; ``apply`` may not refuse and never judges. See ``docs/adding-a-game.md``.
"""

import re
from collections.abc import Mapping
from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass

if TYPE_CHECKING:
    from kloplei.games.scoreboard import Line, Scoreboard

K = TypeVar("K")
Facts = Mapping[str, object]
"""Named facts of a refusal or a prompt: str, int, bool, None, Seat, or tuples of these."""
NO_FACTS: Facts = {}


@cache
def in_words(name: str) -> str:
    """Return the *name* of a class as that of what goes by it: ``blind_knock`` for BlindKnock."""
    return re.sub("(?<!^)(?=[A-Z])", "_", name).lower()


class Seat(int):
    """A place at the table, 0-based and clockwise from the slate.

    A class of its own, not a bare int, so that every edge can tell a seat from a number:
    outside the code seats are shown 1-based (`shown`).
    """

    __slots__ = ()

    @property
    def shown(self) -> int:
        """Number that people see: 1-based."""
        return self + 1

    def __repr__(self) -> str:
        return f"Seat({int(self)})"


SECRET: Mapping[str, object] = {"secret": True}
"""Metadata of a field whose value no sentence, answer or log line may repeat to anybody."""
KIND: Mapping[str, object] = {"kind": True}
"""Metadata of a field on whose value depends what else there is to say: one offer for each."""
OPEN: Mapping[str, object] = {"open": True}
"""Metadata of a field with more values than anybody could list; `Game.decide` judges them."""
SPARSE: Mapping[str, object] = {"sparse": True}
"""Metadata of a field that is left out where it is written while it holds nothing."""
SENTENCE: Mapping[str, object] = {"sentence": True}
"""Metadata of the key of a sentence in ``words/``; outside, the family goes without saying."""
DEADLINE: Mapping[str, object] = {"deadline": "left_s"}
"""Metadata of a moment on the table's clock; outside, it is the seconds left until then."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something that is asked for; it may be refused. Subclasses are frozen dataclasses.

    An answer to what the table waits for is refused once it waits for something else. One that
    *rewrites* what stands on the slate is only taken from somebody who looks at the newest one;
    one that *records* something of the running deal may be told in any order, as long as it is
    that deal. One *by_anybody* who sits at the table is told for all of them: it is nobody's own
    word, everybody sees it, and it can be taken back. What is true *of_several* may be said at one
    seat while it waits for another (`Game.together`). A field's metadata may hold what is
    *implied* when it is left out, and that it is a `SECRET`.
    """

    # The word on the wire and in records: `BlindKnock` is "blind_knock" unless the class says
    # otherwise. Both are read by others for years, so neither is ever renamed.
    name: ClassVar[str]
    rewrites: ClassVar[bool] = False
    records: ClassVar[bool] = False
    by_anybody: ClassVar[bool] = False
    of_several: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        if "name" not in vars(cls):
            cls.name = in_words(cls.__name__)

    @property
    def said(self) -> tuple[Any, ...]:
        """What it says, in the order of its fields."""
        names: tuple[str, ...] = self.__match_args__
        return tuple([getattr(self, name) for name in names])


@dataclass(frozen=True, slots=True)
class SeatAction(Action):
    """An action that one seat asks for itself."""

    seat: Seat


def seat_of(action: Action) -> Seat | None:
    """Return the seat that *action* is of, or tells of; None where it is the whole table's."""
    seat: Seat | None = getattr(action, "seat", None)
    return seat


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, in the past tense, carrying results and not requests.

    Fields are JSON-able: int, str, bool, None, `Seat`, and tuples of these. A field is
    never renamed or dropped once released; new ones come with a default. One with a field that is
    `SECRET` seals what it says, until one that *unseals* tells it or ends what it was good for.
    """

    unseals: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Answered(Event):
    """What a hand at the table brought about, with how it did so, which no game ever reads.

    *strength* is how hard it knocked: of the last sure knocks on the same sensor, so many in a
    hundred were weaker; None where it did not knock, or nobody can say. *waited_s* is how long the
    table had waited for it in seconds, None where it waited for nothing or began to before a
    restart. `decide` leaves both out, and the table fills them in as it writes.
    """

    strength: int | None = field(default=None, kw_only=True)
    waited_s: float | None = field(default=None, kw_only=True)

    @property
    def is_answer(self) -> bool:
        """Whether a hand did this, and not a rule for it."""
        return True


def actions_in(names: Mapping[str, Any], *shared: type[Action]) -> Mapping[str, type[Action]]:
    """Return the actions that the module with these *names* declares, and *shared* ones, by name.

    One that others there are made of is none itself.
    """
    return {one.name: one for one in (*_declared(Action, names), *shared)}


def events_in(names: Mapping[str, Any]) -> Mapping[str, type[Event]]:
    """Return the events that the module with these *names* declares, by their class names.

    One that others there are made of is none itself.
    """
    return {one.__name__: one for one in _declared(Event, names)}


def _declared(base: type[K], names: Mapping[str, Any]) -> list[type[K]]:
    found = [one for one in names.values() if isinstance(one, type) and issubclass(one, base)]
    own = [one for one in found if one.__module__ == names["__name__"]]
    return [one for one in own if not any(one in other.__mro__[1:] for other in own)]


class IllegalAction(KlopleiError, ValueError):
    """A game refused an action, and nothing changed.

    Args:
        reason: Code of the game's document, such as ``knock_limit``.
        facts: What a sentence about it needs; ``words/`` holds ``reason.<reason>``.
    """

    def __init__(self, reason: str, **facts: object) -> None:
        self.reason = reason
        self.facts: Facts = facts
        super().__init__(f"Refused: {reason}")


@dataclass(frozen=True, slots=True)
class Slate:
    """What stood on the scoreboard between two deals, by the names that it has there."""

    tallies: Mapping[Seat, int]
    counts: Mapping[tuple[Seat, str], int]
    pots: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Gesture:
    """What a hand did at a seat, once the pattern has ended: so many knocks, or a hold.

    A short press of the button is a knock as well; *presses* of the *knocks* were one, the
    others were blows on the wood. Only a button can be held.
    """

    knocks: int = 0  # 1, 2, 3 ...; 0 for a hold
    hold: bool = False
    presses: int = 0


@dataclass(frozen=True, slots=True)
class Do:
    """A gesture asks for *action*; with *grace* others may still cancel it for some seconds."""

    action: Action
    grace: bool = False


@dataclass(frozen=True, slots=True)
class Choose:
    """A gesture opens a question that the same seat answers with so many knocks.

    *key* names the sentence (``ask.<key>`` in ``words/``), which may say *facts*; *choices* maps
    knocks to actions.
    """

    key: str
    choices: tuple[tuple[int, Action], ...]
    facts: Facts = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Show:
    """A gesture is only shown on the slate (``show.<key>`` in ``words/``): "hurry up"."""

    key: str


Meaning = Do | Choose | Show

S = TypeVar("S")


class Game(Protocol[S]):
    """One family of card games: *S* is its frozen state, which keeps the latest *news*.

    ``legal_actions`` is exactly what ``decide`` accepts, but for `OPEN` fields: one action
    stands there for all that differ in these alone.
    """

    name: str
    min_seats: int
    max_seats: int
    preset: str | None  # the name of its house rules, if they have one
    actions: Mapping[str, type[Action]]  # by name, as on the wire
    events: Mapping[str, type[Event]]  # by class name, as in the journal

    def start(self, seats: tuple[Seat, ...], dealer: Seat) -> S:
        """Return the state before the first deal; *seats* stand in the order of play."""
        ...

    def recover(self, seats: tuple[Seat, ...], dealer: Seat, slate: Slate) -> S:
        """Return the state before a deal with what stood on a *slate* that was lost; never refuses.

        What does not fit any more, such as a rubber that was over, is left out.
        """
        ...

    def legal_actions(self, state: S) -> frozenset[Action]:
        """Return every action that `decide` would accept now; `OPEN` fields hold any value."""
        ...

    def decide(self, state: S, action: Action) -> tuple[Event, ...]:
        """Return what happens if *action* is done.

        Raises:
            IllegalAction: The rules refuse it; reason codes are those of ``docs/rules``.
        """
        ...

    def apply(self, state: S, event: Event) -> S:
        """Return the state after *event*; never refuses, so that old journals replay."""
        ...

    def meaning(self, state: S, seat: Seat, gesture: Gesture) -> Meaning | None:
        """Return what *gesture* at *seat* asks for in this phase, or None if it is noise."""
        ...

    def together(self, state: S, waiting: Action, asked: Action) -> tuple[Action, ...]:
        """Return what it comes to that *asked* is said while *waiting* waits for objections.

        All but the last are done at once, and the last waits in its turn; empty: the one
        objects to the other.
        """
        ...

    def hears_wood(self, state: S) -> bool:
        """Return whether blows on the wood may mean anything now.

        Where cards are slammed they may not: the table then lets every blow pass, unheard by
        patterns, graces and questions, and leaves all to buttons and phones.
        """
        ...

    def scoreboard(self, state: S) -> "Scoreboard":
        """Return the neutral picture; the table fills in names, ``seq`` and what it hears."""
        ...

    def news(self, event: Event) -> "Line | None":
        """Return the sentence that tells *event*, or None if players need not hear of it."""
        ...

    def note(self, event: Event) -> "Line | None":
        """Return what the log says of *event* where no news tell what was done, or None."""
        ...

    def is_clean(self, state: S) -> bool:
        """Return whether nothing stands on the slate that wiping it would take away."""
        ...

    def why_not_reseat(self, state: S) -> str | None:
        """Return the reason players may not come, go or swap now, or None if they may."""
        ...

    def why_not_change(self, state: S) -> str | None:
        """Return the reason house rules may not change now, or None if they may."""
        ...

    def why_not_go_on(
        self, state: S, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat], before: Self
    ) -> str | None:
        """Return why what stands in *state* cannot go on with *seats*, or None if it can.

        *before* are the rules it was played by until now; it is only asked where the slate is
        not clean.
        """
        ...

    def go_on(self, state: S, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat]) -> S:
        """Return *state* going on with *seats*, in the middle of it; see `reseat` for *moved*."""
        ...

    def reseat(self, state: S, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat]) -> S:
        """Return the state with new *seats*; *moved* maps the old seat of who stays to the new.

        Honours of the evening follow the person; who came new starts without any.
        """
        ...
