"""What a game counts for years: numbers that add up over hands, evenings and seasons.

A game that wants to be remembered gives a module ``statistics`` with ``notes(game)``, the `Notes`
that count the steps which hold, ``STATISTICS``, what is told of them, and ``RETOLD``, how an
evening of it is told to others. One that tells ``derived`` numbers gives ``DERIVED`` as well: by
their keys, what makes each of somebody's own `Totals` and the table's. It is pure, as all of the
game is: who sat where, and when, `kloplei.history` knows.

A game's `Notes` first gather what happened, let corrections put it right, and count when they are
asked, hand by hand.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from math import inf
from typing import Any, Generic, Literal, NewType, TypeVar

from kloplei.frozen import dataclass
from kloplei.games.game import Answered, Event, Seat, in_words


@dataclass(frozen=True, slots=True)
class Played:
    """One *event* that holds, with the game's own state *before* and *after* it.

    *seq* is its number in the journal. Events of the table itself are told as well, such as
    somebody who left; the states around them may be None. *game* is by the house rules that hold
    then, None where they are those that the counts are asked by.
    """

    seq: int
    event: Event
    before: Any
    after: Any
    game: Any = None


@dataclass(frozen=True, slots=True)
class Count:
    """What one thing came to for whoever had *seat* at entry *seq*.

    Counts of the same *what*, *detail*, person and *against* add up: *value* and *n* by addition,
    and of all values the largest and the smallest are kept, so that a share, a mean, a sum and a
    record can each be told of them later.

    Attributes:
        seq: The entry at which *seat* and *against* are meant.
        what: What was counted, such as ``steal``; a name that stays.
        seat: Whose it is.
        value: What it came to: 1 and 0 for yes and no, lives, points, seconds.
        n: On how many cases it stands; mostly 1.
        detail: Of which kind, such as the stake, or the line of the tariff.
        against: The other one that it was about, such as whose knock was folded to.
    """

    seq: int
    what: str
    seat: Seat
    value: float = 1
    n: int = 1
    detail: str = ""
    against: Seat | None = None


@dataclass(slots=True)
class Total:
    """What all counts of one kind came to: *value* on *n* cases, and the *most* and *least*."""

    value: float = 0
    n: int = 0
    most: float = -inf
    least: float = inf

    def add(self, value: float, n: int, most: float, least: float) -> None:
        """Let more of them come to it."""
        self.value += value
        self.n += n
        if most > self.most:
            self.most = most
        if least < self.least:
            self.least = least


Totals = Mapping[tuple[str, str], Total]
"""What somebody's counts, or those of all, came to, by `Count.what` and `Count.detail`."""

Counts = Mapping[tuple[int, str, str, str, int | None], Total]
"""What was counted of an evening, by player, game, what, detail, and the player it is against."""

Kind = Literal["share", "mean", "sum", "cases", "most", "least", "derived"]


@dataclass(frozen=True, slots=True)
class Statistic:
    """One number that may be told of a person.

    Its name and its definition are the sentences ``statistic.<key>`` and ``statistic.<key>.how``.

    Attributes:
        key: What it goes by, for years.
        of: The `Count.what` that it is made of.
        kind: A share (value of n), a mean, a sum, how many cases, the most or the least;
            ``derived`` is made of several counts by what the game's ``DERIVED`` holds.
        few: On fewer cases than this nothing is told.
        unit: ``share``, ``lives``, ``points``, ``chips``, ``s``, ``hands`` or nothing.
        is_against: Whether it is told of the one it is largest against (whose it is by name).
        by_detail: Whether it is told of each `Count.detail` by itself.
    """

    key: str
    of: str
    kind: Kind
    few: int
    unit: str = ""
    is_against: bool = False
    by_detail: bool = False


@dataclass(frozen=True, slots=True)
class Retold:
    """How an evening of a game is told to those who were not there.

    Attributes:
        by_tally: Whether what stands on the slate goes up and down all evening, and is the score.
        knocks_raise: Whether a knock raises the stake, so that it tells why a hand moved much.
        costs_lives: Whether a hand costs who lost it lives; else it brings who won it points.
    """

    by_tally: bool = False
    knocks_raise: bool = False
    costs_lives: bool = False


Person = NewType("Person", int)
"""Whoever sat somewhere in an evening, until they stood up; a number that means nothing else."""


class Sitting:
    """Who sits where, through all that a table does with seats between hands."""

    def __init__(self) -> None:
        self._at: dict[Seat, Person] = {}
        self._many = 0

    def at(self, seats: Iterable[Seat]) -> dict[Seat, Person]:
        """Return who sits at *seats* now."""
        for seat in seats:
            if seat not in self._at:
                self._many += 1
                self._at[seat] = Person(self._many)
        return {seat: self._at[seat] for seat in seats}

    def follow(self, event: Any) -> None:
        """Let people move as the table's *event* says."""
        # Games know no table: its events go by the names that they have on disk for all time.
        match type(event).__name__:
            case "EveningBegun" | "Recovered":
                self._at.clear()
            case "SatDown" | "StoodUp":
                self._at.pop(event.seat, None)
            case "Swapped":
                pair = (event.seat, event.of)
                moved = {to: self._at.pop(at, None) for at, to in (pair, pair[::-1])}
                self._at |= {seat: who for seat, who in moved.items() if who is not None}


H = TypeVar("H")
R = TypeVar("R")


class Notes(ABC, Generic[H]):
    """What is gathered of an evening, and what it counts so far.

    For each event that it minds a game's own notes have a method by its name: ``_when_knocked`` is
    given a `Played`, and the `Knocked` in it. What they keep of a hand is an *H*. Nothing is
    counted otherwise as long as `finished`, `between` and `retold` say the same.
    """

    def __init__(self, game: Any) -> None:
        self.game = game
        self.people = Sitting()
        self.retold = 0
        """How often something became known of a hand that had counted by then."""

    def follow(self, step: Played) -> None:
        """Gather the next *step*."""
        self.people.follow(step.event)
        if step.game is not None:
            self.game = step.game
        mind = getattr(self, f"_when_{in_words(type(step.event).__name__)}", None)
        if mind is not None:
            mind(step, step.event)

    @abstractmethod
    def begin_slate(self) -> None:
        """Take note that the slate begins anew; what was over by then counts on."""

    def _when_slate_wiped(self, _: Played, __: Event) -> None:
        self.begin_slate()

    _when_rubber_abandoned = _when_started = _when_recovered = _when_slate_wiped

    @abstractmethod
    def finished(self) -> Iterable[H]:
        """Return the hands that count, oldest first; one that is booked anew is another object."""

    @abstractmethod
    def of_hand(self, hand: H) -> Iterator[Count]:
        """Yield what *hand* came to."""

    @abstractmethod
    def between(self) -> Iterable[object]:
        """Return what counts besides hands, such as rubbers; it stays as it is, or is another."""

    @abstractmethod
    def of_evening(self) -> Iterator[Count]:
        """Yield what all hands together came to, and what was `between` them."""


class RubberNotes(Notes[H], Generic[H, R]):
    """Notes of a game whose hands make rubbers, in which rounds are drunk; an *R* is one of those.

    The game's own notes open a `hand` as it is dealt, close it and `keep` it.
    """

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.hand: H | None = None
        self.hands: list[H] = []
        self.by_number: dict[int, H] = {}  # of this rubber
        self.rubbers: list[R] = []
        self.rounds: list[Count] = []

    def close_hand(self, number: int) -> H | None:
        """Return the hand that has ended as *number* of its rubber; None where none was dealt."""
        hand, self.hand = self.hand, None
        if number == 1:
            self.by_number.clear()
        return hand

    def keep(self, number: int, hand: H) -> None:
        """Let *hand* count as the *number* of this rubber."""
        self.hands.append(hand)
        self.by_number[number] = hand

    def begin_slate(self) -> None:
        """Take note that the slate begins anew; what was over by then counts on."""
        self.hand = None
        self.by_number.clear()

    def drink(self, step: Played, buyer: Seat) -> None:
        """Take note that *buyer* stood a round for all others who sit there."""
        self.rounds.append(Count(step.seq, "bought", buyer))
        others = [seat for seat in step.before.seats if seat != buyer]
        self.rounds += [Count(step.seq, "drunk", seat) for seat in others]

    def finished(self) -> Iterable[H]:
        """Return hands that are over."""
        return self.hands

    def between(self) -> Iterable[object]:
        """Return rubbers and rounds."""
        return (*self.rubbers, *self.rounds)

    def _when_rubber_reopened(self, _: Played, __: Event) -> None:
        del self.rubbers[-1:]


def strength_of(event: Answered) -> float | None:
    """Return how hard a hand knocked for *event*: 0 to 1, among all that its sensor has heard."""
    return None if event.strength is None else event.strength / 100


def longest_runs(
    course: Iterable[tuple[Person, bool, tuple[int, Seat]]],
) -> Iterator[tuple[int, tuple[int, Seat]]]:
    """Yield how long each person's longest run was, and where it ended, if there was one.

    *course* tells of each case in its order whose it is, whether it went so, and where.
    """
    running: dict[Person, int] = {}
    longest: dict[Person, tuple[int, tuple[int, Seat]]] = {}
    for who, went_so, where in course:
        running[who] = running.get(who, 0) + 1 if went_so else 0
        if running[who] > longest.get(who, (0, where))[0]:
            longest[who] = running[who], where
    yield from longest.values()
