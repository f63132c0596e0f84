"""What stays of the evenings, as pages and commands see it: `HistoryClient` and its shapes.

Nothing here is needed to play. It is read out of the journal by `kloplei.history`, in a file that
can be thrown away; `HistoryStand.behind` says how much of the journal is not told yet. People are
meant by the number that they have in one answer (`Player.number`), for seats change hands.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Literal, Protocol

from kloplei.frozen import dataclass
from kloplei.games.game import SPARSE
from kloplei.games.scoreboard import Line
from kloplei.table.client import AddedLater, ShortText, absent
from kloplei.words.catalogue import Sentence

MOST_EVENINGS = 100
"""So many evenings at most stand on one page of the list."""


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody who played: a *person* that the box knows, or a guest of that name.

    *number* counts from 1 in the answer that this stands in; all else there means the player by
    it. A person who was forgotten has no name.
    """

    number: int
    name: Annotated[str, "Empty where the person was forgotten"]
    person: Annotated[int | None, "By what /people/<id> names them; absent for a guest"] = None


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """What was played from hand *first* on; *changed* are house rules besides the preset.

    It *falls* where its tally is lost lives, or points that run down, so that less is better.
    """

    game: str
    preset: str | None
    first: int
    changed: Annotated[tuple[Line, ...], "House rules that differ from the preset"] = field(
        default=(), metadata=SPARSE
    )
    falls: Annotated[bool, "Whether who has less on the slate is better off"] = False


@dataclass(frozen=True, slots=True)
class EveningLine:
    """One evening in a list; *at* is when it began, None where the box did not know the time."""

    number: Annotated[int, "What /evenings/<n> names it by"]
    at: Annotated[float | None, "Wall clock, seconds since 1970; absent where nobody knew"]
    until: Annotated[float | None, "When its last step was"]
    games: tuple[str, ...]
    players: tuple[Player, ...]
    hands: int
    rubbers: int
    runs: Annotated[bool, "Whether it is the one that is played now"] = False
    imported: Annotated[bool, "Whether somebody brought it, from paper for one"] = False


@dataclass(frozen=True, slots=True)
class Knock:
    """*player* raised to *stake* in a hand; *strength* and *waited_s* where they were heard."""

    player: int
    stake: int
    strength: Annotated[float | None, "0 to 1, among all that this sensor has heard"] = None
    waited_s: Annotated[float | None, "Since the question"] = None


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """One finished hand, as it counts in the end: what was corrected later is told corrected.

    *tallies* is what stood on the slate after it, by player, corrections and all; *paid* by how
    much that went up in it. A seat in the facts of a line is the number of a player.
    """

    number: Annotated[int, "From 1, in this evening"]
    game: str
    rubber: Annotated[int, "From 1, in this evening"]
    winners: Annotated[tuple[int, ...], "Players; empty where nobody won"]
    how: Annotated[Line, "How it ended"]
    paid: Mapping[int, int]
    tallies: Mapping[int, int]
    stake: int | None = None
    knocks: tuple[Knock, ...] = field(default=(), metadata=SPARSE)
    folded: Annotated[Mapping[int, int], "Who left it, and what that cost"] = field(
        default_factory=dict, metadata=SPARSE
    )
    told: Annotated[tuple[Line, ...], "What else may be said of it"] = field(
        default=(), metadata=SPARSE
    )
    corrected: Annotated[bool, "Whether it was told otherwise at first"] = False
    dealer: int | None = None


@dataclass(frozen=True, slots=True)
class PlayedRubber:
    """One rubber or game that came to its end; who bought a round for it is in the settlements."""

    number: int
    game: str
    winners: tuple[int, ...]
    losers: tuple[int, ...]
    last_hand: int
    points: Annotated[Mapping[int, int], "What it was worth, where a tournament counts"] = field(
        default_factory=dict, metadata=SPARSE
    )
    crowned: tuple[int, ...] = field(default=(), metadata=SPARSE)


@dataclass(frozen=True, slots=True)
class Settlement:
    """*payer* treated *payee*, or paid so much: rounds in toepen, chips in tarok."""

    payer: int
    payee: int
    amount: int
    unit: Literal["round", "chips"] = "round"
    rubber: Annotated[int, "For which it was; who treats several, treats them to one round"] = 0


@dataclass(frozen=True, slots=True)
class Title:
    """A title of the evening; its name and its reason are sentences (``title.<key>``).

    A seat among the facts of *why* is no place, but the player of that number, both counted from 1.
    """

    key: str
    player: int
    why: Line
    shared: Annotated[tuple[int, ...], "Who earned it just as well"] = field(
        default=(), metadata=SPARSE
    )


@dataclass(frozen=True, slots=True)
class Evening:
    """All that is told of one evening.

    *turning* is the hand that moved most. It is *broken* where a part of it cannot be read, or
    told, any more.
    """

    line: EveningLine
    games: tuple[PlayedGame, ...]
    hands: tuple[PlayedHand, ...]
    rubbers: tuple[PlayedRubber, ...]
    settled: tuple[Settlement, ...]
    titles: tuple[Title, ...] = ()
    turning: Annotated[int | None, "Number of the hand that moved most"] = None
    winners: Annotated[tuple[int, ...], "Who had the best of the evening"] = ()
    corrections: int = 0
    undone: Annotated[int, "Steps that were taken back"] = 0
    broken: Annotated[bool, "Whether some of it cannot be read any more"] = False


@dataclass(frozen=True, slots=True)
class Told:
    """One number about a player: *value* on *n* cases; None where there are too few to say.

    *low* and *high* is where a share may well lie in truth, nine times out of ten.
    """

    key: Annotated[str, "Its name is statistic.<key>, its definition statistic.<key>.how"]
    game: str
    value: float | None
    n: int
    few: Annotated[int, "So many it takes to be told"]
    unit: str = ""
    mean: Annotated[float | None, "What it is at the whole table"] = None
    against: Annotated[str, "The other one it is about"] = ""
    detail: Annotated[str, "Of which kind, where each is told by itself"] = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class PersonPage:
    """What is told of one person: their newest evenings, their numbers and titles.

    *first* and *last* are when their evenings began of which the day is known.
    """

    player: Player
    first: float | None
    last: float | None
    evenings: Annotated[tuple[EveningLine, ...], "Newest first, a page of them at most"]
    numbers: tuple[Told, ...]
    titles: Annotated[Mapping[str, int], "How often each title was won"] = field(
        default_factory=dict
    )
    hidden: bool = False
    in_all: Annotated[int, "In so many evenings they played"] = 0


@dataclass(frozen=True, slots=True)
class PersonLine:
    """One person in the list of people."""

    player: Player
    evenings: int
    last: float | None


@dataclass(frozen=True, slots=True)
class PersonNumbers:
    """The numbers of one player, where those of several are asked for."""

    player: Player
    numbers: tuple[Told, ...]


Rule = Literal["wins", "points", "best"]
"""How a season counts: rubbers won; points a rubber; the best evenings of each."""


@dataclass(frozen=True, slots=True)
class Season:
    """A season is a name and a start: it lasts until the next one begins."""

    id: int
    name: str
    since: Annotated[float, "Wall clock, seconds since 1970"]
    rule: Rule = "wins"
    points: Annotated[int, "So many a rubber, for rule points"] = 1
    best: Annotated[int, "So many evenings count, for rule best; 0 is all"] = 0


@dataclass(frozen=True, slots=True)
class Honours:
    """One line of a season's table of honour, for one game."""

    player: Player
    evenings: int
    rubbers: int
    score: Annotated[float, "By the season's rule"]
    bought: Annotated[int, "Rounds bought"] = 0
    drunk: Annotated[int, "Rounds drunk on others"] = 0
    crowns: int = 0
    points: int = 0
    settled: int = 0
    place: int = 0


@dataclass(frozen=True, slots=True)
class SeasonTable:
    """The table of honour of a season, by game."""

    season: Season | None
    games: Mapping[str, tuple[Honours, ...]]
    evenings: int


@dataclass(frozen=True, slots=True)
class HistoryStand:
    """How far the history is: *behind* entries of the journal are not told yet.

    *trouble* is one sentence about a disk that does not take it; play goes on.
    """

    evenings: int
    behind: int = 0
    trouble: Annotated[Sentence | None, "Why it cannot be kept up"] = None


class HistoryClient(Protocol):
    """What stays of the evenings; safe from any thread, and never in the way of the table."""

    def stand(self) -> HistoryStand:
        """Return how far the history is."""
        ...

    def evenings(self, before: int | None = None, limit: int = 50) -> tuple[EveningLine, ...]:
        """Return evenings, newest first: up to *limit* of those that come *before* that one.

        Raises:
            BadRequest: *limit* is not from 0 to `MOST_EVENINGS`.
            TableUnavailable: The history cannot be read now.
        """
        ...

    def evening(self, number: int) -> Evening:
        """Return the evening *number*; -1 is the newest one.

        Raises:
            BadRequest: There is none.
            TableUnavailable: The history cannot be read now.
        """
        ...

    def people(self) -> tuple[PersonLine, ...]:
        """Return the people that the box knows and may show, who was here last first."""
        ...

    def person(self, person: int) -> PersonPage:
        """Return what is told of the person with that id.

        Raises:
            BadRequest: There is none, or nobody may see them.
        """
        ...

    def statistics(
        self,
        game: Annotated[str | None, ShortText(40)] = None,
        since: float | None = None,
        person: int | None = None,
    ) -> tuple[PersonNumbers, ...]:
        """Return the numbers of everybody, or of one *person*, in one *game* or in all.

        Args:
            game: A game's name; None is all.
            since: Evenings that began then or later; those of unknown date count without it alone.
            person: An id; None is everybody.

        Raises:
            BadRequest: No such game or person.
        """
        ...

    def seasons(self) -> tuple[Season, ...]:
        """Return the seasons, newest first."""
        ...

    def table(self, season: int | None = None) -> SeasonTable:
        """Return the table of honour of *season*; None is all evenings there are.

        Raises:
            BadRequest: There is no such season.
        """
        ...

    def begin_season(
        self,
        name: Annotated[str, ShortText(40)],
        since: float | None = None,
        rule: Annotated[Rule, AddedLater()] = "wins",
        points: Annotated[int, AddedLater()] = 1,
        best: Annotated[int, AddedLater()] = 0,
    ) -> Season:
        """Begin a season, now or at *since*, and return it.

        Raises:
            BadRequest: A name that cannot be written, or numbers that make no rule.
            TableUnavailable: It could not be written.
        """
        ...

    def end_season(self, season: int) -> None:
        """Take a *season* away; its evenings stay.

        Raises:
            BadRequest: There is no such season.
        """
        ...


def no_history() -> HistoryClient:
    """Return what a table answers that keeps no history."""
    return absent(HistoryClient, Sentence("no-history"), stand=lambda: HistoryStand(0))
