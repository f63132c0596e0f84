"""What games of cards do alike: `CardGame`, its states, and the run of events from one action.

A game's own package says the rest: its words, what may be done, what follows, and what of it people
see (`docs/adding-a-game.md`). Actions that every game has stand here once; their names are those on
the wire, so a game that means something else by one has a class of its own.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass, replace
from kloplei.games.game import (
    Action,
    Event,
    Facts,
    Game,
    Gesture,
    IllegalAction,
    Meaning,
    Seat,
    SeatAction,
    Slate,
    in_words,
)
from kloplei.games.house_rules import HouseRules
from kloplei.games.scoreboard import Hand, Line, Payment, Scoreboard, Tone


class BadSeating(KlopleiError, ValueError):
    """Nobody can play like this: too few or too many seats, or a slate that nobody can have."""


@dataclass(frozen=True, slots=True)
class Deal(Action):
    """Deal the next cards."""


@dataclass(frozen=True, slots=True)
class Ready(Action):
    """Nobody exchanges any more."""


@dataclass(frozen=True, slots=True)
class Misdeal(Action):
    """The cards were dealt wrongly."""

    by_anybody: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Revoke(SeatAction):
    """*seat* did not play what it had to."""


@dataclass(frozen=True, slots=True)
class Correct(Action):
    """Deal number *hand* on the slate was really won by *winner*, or the side of *winner*."""

    rewrites: ClassVar[bool] = True
    hand: int
    winner: Seat


@dataclass(frozen=True, slots=True)
class NewGame(Action):
    """Wipe the slate when all is over, and begin anew."""


@dataclass(frozen=True, slots=True)
class GameState:
    """A table between two events; *seats* stand in the order of play, *news* is what was told last.

    What a game remembers besides stands in its own class.
    """

    seats: tuple[Seat, ...]
    dealer: Seat
    news: Line | None = field(default=None, kw_only=True)

    def after(self, seat: Seat) -> tuple[Seat, ...]:
        """Return all seats in the order of play from the one after *seat*, which comes last."""
        start = self.seats.index(seat) + 1
        return self.seats[start:] + self.seats[:start]

    def zeros(self) -> tuple[int, ...]:
        """Return a tuple by seat index that holds nothing."""
        return (0,) * (max(self.seats) + 1)

    def telling(self, line: Line | None) -> Self:
        """Return the table with *line* as the latest news, if there is one worth telling."""
        return replace(self, news=line) if line else self

    def heir(self, moved: Mapping[Seat, Seat]) -> Seat | None:
        """Return where who deals next now sits, as *moved* says, or None if nobody stayed."""
        order = (self.dealer, *self.after(self.dealer))
        return next((moved[seat] for seat in order if seat in moved), None)


class OnSlate(NamedTuple):
    """What of a table is looked at after every event, when years are told.

    Whether a hand *runs*, the finished *hands* of the running rubber as the game keeps them, and
    the *tallies* by seat index.
    """

    runs: bool
    hands: tuple[Any, ...]
    tallies: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished hand as it is remembered: what the slate shows of it, and what besides.

    *folded* is who left it, and what that cost.
    """

    shown: Hand
    winners: tuple[Seat, ...] = ()
    stake: int | None = None
    dealer: Seat | None = None
    folded: Mapping[Seat, int] = field(default_factory=dict)


Telling = Callable[[Any], Line | None]
"""Returns how an event is told, if it is."""


def told(key: str, *facts: str, tone: Tone = Tone.TOLD, **others: str) -> Callable[[Any], Line]:
    """Return what tells an event by ``news.<key>``, with its *facts*; *others* it calls otherwise.

    Most pass by; what the rows show by themselves is plain.
    """
    called = dict.fromkeys(facts) | others
    return lambda event: Line(
        f"news.{key}", {fact: getattr(event, name or fact) for fact, name in called.items()}, tone
    )


def shown(key: str, *facts: str, **others: str) -> Callable[[Any], Line]:
    """Return what tells an event as `told` does, where the rows show it by themselves."""
    return told(key, *facts, tone=Tone.PLAIN, **others)


O = TypeVar("O", bound=HouseRules)  # noqa: E741 - the house rules of a game
S = TypeVar("S", bound=GameState)


class Course(Generic[O, S]):
    """The run of events that follows from one action: those told so far, and where they lead.

    For each event of the game it has a method by the name of that: ``_when_knocked`` is given a
    `Knocked` and the state before, and returns the state that it leaves. For each action it has
    ``_do_knock``, which is given what a `Knock` says, and tells what comes of it.

    Args:
        options: The house rules that judge what follows.
        state: The table before the first event.
    """

    sentences: ClassVar[Mapping[type[Event], Telling]]  # how each is told that players wait for
    noted: ClassVar[Mapping[type[Event], Telling]] = {}  # likewise, for the log alone
    grants: ClassVar[Mapping[str, type[Event]]]  # by actions whose event says the same, and no more

    def __init__(self, options: O, state: S) -> None:
        self.options = options
        self.state = state
        self.events: tuple[Event, ...] = ()

    def follow(self, action: Action) -> None:
        """Tell what comes of *action*, which is legal."""
        if granted := self.grants.get(action.name):
            self.tell(granted(*action.said))
        else:
            getattr(self, f"_do_{action.name}")(*action.said)

    def tell(self, event: Event) -> None:
        """Let *event* happen; what comes next looks at the state that it leaves."""
        self.events = (*self.events, event)
        self.state = self.after(event)

    def after(self, event: Event) -> S:
        """Return the state after *event*, with that as the latest news if it tells anything."""
        # An event has happened: a journal of years ago comes through here under the rules of today,
        # and whatever refused one of its lines would lose the evening behind it.
        changed: S = getattr(self, f"_when_{in_words(type(event).__name__)}")(event, self.state)
        return changed.telling(self.news(event))

    @classmethod
    def news(cls, event: Event) -> Line | None:
        """Return the news that *event* is, or None if it says nothing that players wait for."""
        tell = cls.sentences.get(type(event))
        return tell(event) if tell else None


class Referee(ABC, Generic[O, S]):
    """Says of one state of the table what may be done there, and why not.

    For each action of the game it has a method by the name of that: ``_why_not_knock`` is given
    what a `Knock` says, and returns the reason it is refused, or None if it may be done.

    Args:
        options: The house rules.
        state: The table as it stands.
    """

    def __init__(self, options: O, state: S) -> None:
        self.options = options
        self.state = state

    @abstractmethod
    def why_not(self, action: Action) -> str | None:
        """Return the reason *action* is refused, or None if it may be done."""

    @abstractmethod
    def facts(self, action: Action) -> Facts:
        """Return what the sentence of a refusal may want to say."""

    def sift(self, imaginable: Iterable[Collection[Action]]) -> Iterator[Collection[Action]]:
        """Yield those of *imaginable* that may be done; of actions together all may, or none."""
        for alike in imaginable:
            if alike and self.why_not(next(iter(alike))) is None:
                yield alike

    def _why_not_by_name(self, action: Action) -> str | None:
        """Return what the method says that goes by the name of *action*."""
        reason: str | None = getattr(self, f"_why_not_{action.name}")(*action.said)
        return reason


class CardGame(Game[S], Generic[O, S]):
    """The rules of one game as a house plays them.

    A game names the parts of its package, which stand alone and are given the house rules:
    the *referee* of a state, the *course* that knows what comes of an action, the
    *picture* of a state, and what *gestures* mean in it.

    Args:
        options: The house rules; without them those of the rule document.
    """

    presets: Mapping[str, O]
    house_rules: type[O]
    referee: type[Referee[O, S]]
    course: type[Course[O, S]]
    picture: Callable[[O, S, Iterable[Action]], Scoreboard]
    gestures: Callable[[O, S, Seat, Gesture], Meaning | None]

    def __init__(self, options: O | None = None) -> None:
        self.options = options or self.house_rules()
        self.preset = self.options.name_in(self.presets)
        self._legal: tuple[S, frozenset[Action]] | None = None

    @classmethod
    def of_house(cls, preset: str, options: Mapping[str, object]) -> Self:
        """Return the game by the house rules *preset*, changed by *options*.

        Raises:
            BadOption: No such option, or a value that it cannot have.
        """
        return cls(cls.house_rules.from_mapping(options, cls.presets[preset]))

    def recover(self, seats: tuple[Seat, ...], dealer: Seat, _: Slate) -> S:
        """Return a clean slate: what this game keeps on one, only its own class can read back."""
        return self.start(seats, dealer)

    @property
    def falls(self) -> bool:
        """Whether who has less on the slate is better off."""
        return False

    @abstractmethod
    def on_slate(self, state: S) -> OnSlate:
        """Return what is looked at after every event; cheap."""

    @abstractmethod
    def finished(self, state: S, hand: Any) -> Finished:
        """Return what is remembered of *hand*, one of those of `on_slate`."""

    def payments(self, state: S) -> tuple[Payment, ...]:
        """Return who pays whom, now that all is over; nobody, unless a game settles so."""
        return ()

    def legal_actions(self, state: S) -> frozenset[Action]:
        """Return every action that `decide` would accept now."""
        # A table draws itself several times between two events, and each time would have some
        # hundred actions to look at.
        if self._legal is None or self._legal[0] is not state:
            possible = self.referee(self.options, state).sift(self._imaginable(state))
            # What is put together of sets is not hashed again.
            self._legal = state, frozenset[Action]().union(*possible)
        return self._legal[1]

    def decide(self, state: S, action: Action) -> tuple[Event, ...]:
        """Return what happens if *action* is done.

        Raises:
            IllegalAction: The rules refuse it; reasons are the ``REASONS`` of the game.
        """
        if type(action) is not self.actions.get(getattr(action, "name", "")):
            raise TypeError(f"{action!r} is no action of {self.options.game}")
        # The same referee as behind `legal_actions`: what is offered is accepted, and nothing else.
        referee = self.referee(self.options, state)
        if reason := referee.why_not(action):
            raise IllegalAction(reason, **referee.facts(action))
        course = self.course(self.options, state)
        course.follow(action)
        return course.events

    def apply(self, state: S, event: Event) -> S:
        """Return the state after *event*; never refuses, so that old journals replay."""
        if type(event) is not self.events.get(type(event).__name__):
            raise TypeError(f"{event!r} is no event of {self.options.game}")
        return self.course(self.options, state).after(event)

    def news(self, event: Event) -> Line | None:
        """Return the sentence that tells *event*, or None if players need not hear of it."""
        return self.course.news(event)

    def note(self, event: Event) -> Line | None:
        """Return what the log says of *event* where no news tell what was done, or None."""
        tell = self.course.noted.get(type(event))
        return tell(event) if tell else None

    def meaning(self, state: S, seat: Seat, gesture: Gesture) -> Meaning | None:
        """Return what *gesture* at *seat* asks for, or None if it is noise."""
        return type(self).gestures(self.options, state, seat, gesture)

    def scoreboard(self, state: S) -> Scoreboard:
        """Return the neutral picture; the table fills in names and ``seq``."""
        board = type(self).picture(self.options, state, self.legal_actions(state))
        return replace(board, news=state.news, options=self._house, preset=self.preset)

    def is_clean(self, state: S) -> bool:
        """Return whether nothing stands on the slate: where players may come, unless said else."""
        return self.why_not_reseat(state) is None

    def why_not_change(self, state: S) -> str | None:
        """Return why house rules may not change now: when players may not, unless said else."""
        return self.why_not_reseat(state)

    def together(self, state: S, waiting: Action, asked: Action) -> tuple[Action, ...]:
        """Return nothing: the one objects to the other, unless a game says otherwise."""
        return ()

    def why_not_go_on(
        self, state: S, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat], before: Self
    ) -> str | None:
        """Return why *state* cannot go on with *seats*: it never can, unless a game says how."""
        return "slate_not_clean"

    def go_on(self, state: S, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat]) -> S:
        """Return a clean slate, as `reseat` does: a game says itself what goes on."""
        return self.reseat(state, seats, moved)

    def reseat(self, state: S, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat]) -> S:
        """Return a clean slate for *seats*; *moved* maps the old seat of who stays to the new.

        The deal stays with who had it, or goes to the next who stays; honours of the evening
        follow the person.

        Raises:
            BadSeating: Too few or too many seats.
        """
        heir = state.heir(moved)
        fresh = self.start(seats, seats[0] if heir is None else heir)
        return self._with_honours(fresh, state, moved).telling(state.news)

    @cached_property
    def _house(self) -> Mapping[str, str | int]:
        return self.options.as_facts()

    @abstractmethod
    def _imaginable(self, state: S) -> Iterator[Collection[Action]]:
        """Yield every action that could be legal now, those together of which all are or none."""

    def _with_honours(self, fresh: S, _: S, __: Mapping[Seat, Seat]) -> S:
        """Return *fresh* with what followed people from the table before, as they moved."""
        return fresh


def latecomer_lives(rule: str, lost: Sequence[int], left: int, limit: int) -> int:
    """Return how many lives who comes late has lost, in the middle of a rubber.

    Nobody comes back with more lives than were left there, and nobody comes to be out.

    Args:
        rule: What is fair: ``highest``, ``average`` or ``nothing``.
        lost: What those have lost who are still in.
        left: What was left at this seat in this rubber; 0 where nobody has left it.
        limit: So many lives lost and one is out.
    """
    fair = {"highest": max(lost), "average": -(-sum(lost) // len(lost)), "nothing": 0}
    return min(max(fair[rule], left), limit - 1)


def check_seating(
    who: str, seats: Sequence[Seat], dealer: Seat, least: int, most: int, hint: str = ""
) -> None:
    """Check that so many can sit at a table of *who* plays there, *dealer* among them.

    Raises:
        BadSeating: With a sentence that says what does not fit, and *hint* if it is their number.
    """
    if not least <= len(seats) <= most:
        wanted = f"{least} to {most}" if least < most else f"{least}"
        raise BadSeating(f"{who} is for {wanted} players, not {len(seats)}{hint}.")
    if len(set(seats)) != len(seats):
        raise BadSeating("Every player needs a seat of his own.")
    if dealer not in seats:
        raise BadSeating("The dealer must be one of the players.")


def put(values: tuple[int, ...], seat: Seat, value: int) -> tuple[int, ...]:
    """Return *values* with *value* at *seat*."""
    return (*values[:seat], value, *values[seat + 1 :])


def add(values: tuple[int, ...], seat: Seat, more: int) -> tuple[int, ...]:
    """Return *values* with *more* added at *seat*."""
    return put(values, seat, values[seat] + more)
