"""The waist of the hourglass: all that slate, phones, TV and exports ever read.

Games fill in what is theirs; the table adds names, ``seq`` and what it hears. One frozen
object, drawn by edges that know no game. What an annotation says beside the type goes to the
world with it: `kloplei.table.schema` makes the API's description of it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, NamedTuple

from kloplei.frozen import dataclass
from kloplei.games.cards import LOW_TO_HIGH
from kloplei.games.game import DEADLINE, SENTENCE, SPARSE, Action, Facts, Seat, seat_of

SEATING = "seating"
"""The phase in which people sit down and choose what is played."""
KITTY = "kitty"
"""The pot of what still lies there although nobody plays for it any more."""
_DUELLISTS = 2
_ACTIONS: Mapping[str, object] = {"wire": "actions"}


def _sparse(default: object) -> Any:
    """Declare a field that is left out of what is written while it holds its *default*."""
    return field(default=default, metadata=SPARSE)


def _sparse_mapping() -> Any:
    """Declare a mapping that is left out of what is written while it is empty."""
    return field(default_factory=dict, metadata=SPARSE)


@dataclass(frozen=True, slots=True)
class Within:
    """What a number in an annotation is at *least*, and at *most*; None is no bound."""

    least: float
    most: float | None = None


Seconds = Annotated[float, Within(0)]
Share = Annotated[float, Within(0, 1)]


@dataclass(frozen=True, slots=True)
class Offer:
    """An action that would be accepted now.

    A page can offer it by its *choices* without knowing the game. What is said in a *secret* one
    nobody may read afterwards, not even on the phone that sent it.
    """

    action: str
    needs: Annotated[tuple[str, ...], "Names of the facts to send along"] = _sparse(())
    choices: Annotated[
        Mapping[str, tuple[object, ...]], "For each fact the values that are legal now"
    ] = _sparse_mapping()
    secret: Annotated[bool, "What is sent along is repeated to nobody"] = _sparse(False)
    about: Annotated["Line | None", "What it speaks of, such as the step to be taken back"] = field(
        default=None, metadata=SPARSE
    )
    brings: Annotated[
        "tuple[Posting, ...]", "What it would write down, to be seen before it does"
    ] = field(default=(), metadata=SPARSE)


class Tone(StrEnum):
    """How much a sentence matters to who only looks at the slate."""

    PLAIN = ""  # the rows show it by themselves
    TOLD = "told"  # no row shows it: it passes by
    SHOUT = "shout"  # for a moment there is nothing else
    FANFARE = "fanfare"  # somebody has won
    CROWN = "crown"  # and earns more than a cup


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence in no language yet: its key, and its facts.

    The *key* stands in ``words/``, below a family. Its *tone* goes with what it says, and so does
    what it *tells*, so that two lines that say the same are equal.
    """

    key: str = field(metadata=SENTENCE)
    facts: Annotated[Facts, "What the sentence speaks of; seats in it are counted from 1"] = field(
        default_factory=dict
    )
    tone: Annotated[Tone, "How much it matters: told, shout, fanfare or crown"] = field(
        default=Tone.PLAIN, compare=False, metadata=SPARSE
    )
    tells: Annotated[str, "Of a prompt: the news that need not be told beside it"] = field(
        default="", compare=False, metadata={**SENTENCE, **SPARSE}
    )

    def as_fact(self) -> Facts:
        """Return the line as a fact of another, which quotes it."""
        return {"key": self.key, "facts": self.facts}


@dataclass(frozen=True, slots=True)
class Row:
    """One player's line on the slate.

    *tally* counts up to *limit* (lives lost in toepen), or down where *limit* is 0; None means
    no end. With a *swing* the tally goes up and down as chips do, and is a number, never strokes.
    Further *flags* are ``owes_drink``, ``rubber_winner``, ``soloist``.
    """

    seat: Seat
    tally: Annotated[int, "Lives lost (toepen) or points so far"]
    limit: Annotated[int | None, "Where the tally ends; one that runs down ends at 0"] = None
    name: str = ""
    flags: Annotated[
        tuple[str, ...], "Such as in_hand, folded, out, armoede, raised, gestrichen"
    ] = ()
    counts: Annotated[
        Mapping[str, int], "Honours and debts of the evening: rubbers_won, drinks"
    ] = field(default_factory=dict)
    committed: Annotated[int | None, "Stake that this seat alone has accepted"] = None
    tricks: Annotated[int | None, "Tricks it took in this deal, where they are counted"] = None
    swing: Annotated[int | None, "By how much the last deal moved a tally that is a number"] = None
    offers: Annotated[tuple[Offer, ...], "What this seat may do now"] = field(
        default=(), metadata=_ACTIONS
    )
    person: Annotated[int | None, "Whom the box knows by that id; absent for a guest"] = None

    @property
    def falls(self) -> bool:
        """Whether the tally runs down to nothing, and rises only for who has bad luck."""
        return self.limit == 0


@dataclass(frozen=True, slots=True)
class Heard:
    """A pattern of knocks that is still growing.

    So many *knocks* at *seat* so far, or the button held down. *seat* None means that one sensor
    serves the whole table and nobody can say whose it is. In a *doubtful* one at least one of the
    knocks may have been something else.
    """

    seat: Annotated[Seat | None, "Absent where one sensor serves the whole table"]
    knocks: int = 0
    holding: bool = False
    doubtful: Annotated[bool, "Some of it may have been no knock"] = _sparse(False)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A pattern that may have been none, until one knock or `accept_knock` says that it was.

    *knocks* counts the doubtful ones too, *sure* leaves them out. *action* is what it would
    ask for, None where that is more than one word; *number* tells it from the next doubt.
    """

    seat: Annotated[Seat | None, "Absent where one sensor serves the whole table"]
    knocks: Annotated[int, "How many, the doubtful ones included"]
    sure: Annotated[int, "How many of them are beyond doubt"]
    until_s: Annotated[Seconds, "Seconds left when this was sent"] = field(metadata=DEADLINE)
    total_s: Seconds
    number: Annotated[int, "What `accept_knock` and `dismiss_knock` may name it by"]
    action: Annotated[str | None, "What it would ask for"] = None


@dataclass(frozen=True, slots=True)
class Grace:
    """An action that waits, and that a knock of another seat cancels.

    It is done at *until_s*. Nothing here runs down: who draws a moving bar has a clock.
    """

    seat: Annotated[Seat | None, "Who asked for it; absent for the keeper of the slate"]
    action: str
    until_s: Annotated[Seconds, "Seconds left when this was sent"] = field(metadata=DEADLINE)
    total_s: Seconds
    about: Annotated[Line | None, "What it speaks of, such as the step to be taken back"] = field(
        default=None, metadata=SPARSE
    )


@dataclass(frozen=True, slots=True)
class Tuning:
    """The table is being tuned, and nobody plays.

    All follow what *prompt* asks for; *count* of *of* are done.
    """

    step: Annotated[str, "quiet, glass, phone, knocks, weighing or result"]
    prompt: Annotated[Line, "What is to be done now"]
    seat: Annotated[Seat | None, "Whose knocks are wanted"] = None
    count: Annotated[int, "So much of it is done"] = 0
    of: int = 0
    level: Annotated[int, "How loud the wood is now, 0 to 100"] = 0
    hint: Annotated[Line | None, "What was wrong with the last try"] = None


@dataclass(frozen=True, slots=True)
class Door:
    """A phone asks to be let in, and shows the same word; a knock on the table lets it.

    It asks for *seat*, or to keep the slate. So many *knocks* on the table let it in just now, 0
    where none would; *press* is how a seat's button does so as well: "press", "hold" or not at all.
    *number* tells it from the next one. *let_in* tells that it is in, for a moment.
    """

    word: str
    number: Annotated[int, "What it is refused by"]
    seat: Annotated[Seat | None, "The seat it asks for; absent where it is the keeper's place"]
    until_s: Annotated[Seconds, "Seconds left when this was sent"] = field(metadata=DEADLINE)
    total_s: Seconds
    knocks: Annotated[int, "So many knocks let it in now; absent where none would"] = _sparse(0)
    press: Annotated[str, "press or hold, where a seat's button lets it in as well"] = _sparse("")
    let_in: Annotated[bool, "Somebody knocked for it a moment ago"] = _sparse(False)


@dataclass(frozen=True, slots=True)
class Called:
    """A house calls *players* to this table, for a *round* of something; they sit in that order.

    So many *knocks* take them in now, 0 where none would. It goes when they sit, or in time.
    """

    table: Annotated[str, "What the house calls this table"]
    players: Annotated[tuple[str, ...], "Their names, in order of their seats"] = ()
    round: int | None = None
    game: Annotated[str | None, "What they are to play; absent where that is not said"] = None
    knocks: Annotated[int, "So many knocks take them in now; absent where none would"] = _sparse(0)

    @property
    def title(self) -> Line:
        """What table it is, and which round."""
        return Line("told.called-table", {"table": self.table, "round": self.round})

    @property
    def line(self) -> Line:
        """The same, and who is called."""
        facts = {"table": self.table, "round": self.round, "name": self.players}
        return Line("told.called", facts) if self.players else self.title


@dataclass(frozen=True, slots=True)
class Posting:
    """One line of a ledger; all its amounts together come to nothing.

    Whom it does not move is not named. *entry* None cannot be taken back.
    """

    line: Annotated[Line, "What it is for"]
    amounts: Annotated[
        Mapping[Seat, int], "What it brings, by seat; who is not named gets nothing"
    ] = field(default_factory=dict)
    pots: Annotated[Mapping[str, int], "What goes into the pots; less than 0 comes out of them"] = (
        _sparse_mapping()
    )
    entry: Annotated[int | None, "What `take_back` names it by, while its deal is told"] = None


@dataclass(frozen=True, slots=True)
class Payment:
    """What one player hands another when all is over.

    Without *chips* it is paid as people like.
    """

    payer: Seat
    payee: Seat
    amount: int
    chips: Annotated[tuple[int, ...], "What each chip is worth, the largest first"] = _sparse(())


@dataclass(frozen=True, slots=True)
class Hand:
    """One finished deal of the running rubber.

    *paid* is less than 0 for a tally that went down, and missing for nothing.
    """

    number: Annotated[int, "What `correct` names it by"]
    winner: Seat | None
    how: Annotated[str, "How it ended: tricks, folds, given-up, revoke"] = field(metadata=SENTENCE)
    paid: Annotated[Mapping[Seat, int], "By how much each tally went up in it, by seat"] = field(
        default_factory=dict
    )
    told: Annotated[tuple[Line, ...], "What else may be said of it now that it is over"] = _sparse(
        ()
    )
    ledger: Annotated[tuple[Posting, ...], "The lines it was booked in, where a game books"] = (
        _sparse(())
    )
    stake: Annotated[int | None, "What it was played for, where `amend` may tell it anew"] = (
        _sparse(None)
    )
    stayed: Annotated[Mapping[Seat, int], "Who was in to the end, and what each paid there"] = (
        field(default_factory=dict, metadata=SPARSE)
    )
    folded: Annotated[Mapping[Seat, int], "Who folded, and what that cost each"] = field(
        default_factory=dict, metadata=SPARSE
    )


GUIDE = "guide."
"""How the keys of sentences begin that lead a table through its first hand (`Scoreboard.shown`)."""


@dataclass(frozen=True, slots=True)
class Scoreboard:
    """The whole table at one moment. None means "does not apply".

    *sides* is empty where everybody plays alone, *accounts* where each has its own tally. *refused*
    is why the last gesture did nothing, *shown* one that is only shown
    (`kloplei.games.game.Show`). A *deaf* table lets every blow on its wood pass: people press or
    tap. *heard*, *struck*, *doubt*, *grace*, *asking*, *refused*, *shown*, *tuning*, *door* and
    *called* come and go without a new ``seq``.
    """

    game: str
    phase: str
    rows: Annotated[tuple[Row, ...], "The players"] = ()
    seq: Annotated[int, "Number of the newest entry in the journal"] = 0
    seats: Annotated[int, "Places at the table, taken or free"] = 0
    stake: Annotated[int | None, "What this deal costs now, or is worth"] = None
    unpriced: Annotated[bool, "No deal of this game has a stake"] = _sparse(False)
    dealer: Seat | None = None
    leader: Annotated[Seat | None, "Who leads to the next trick"] = None
    proposed: Annotated[int | None, "What the stake would be if those in to_answer hold it"] = None
    announced: Annotated[
        Mapping[str, str], "What was said aloud and this deal is played by: schlag, trump"
    ] = _sparse_mapping()
    sides: Annotated[
        tuple[Annotated[tuple[Seat, ...], "One side"], ...], "Who plays together now"
    ] = _sparse(())
    accounts: Annotated[
        tuple[Annotated[tuple[Seat, ...], "One account"], ...], "Who shares one tally"
    ] = _sparse(())
    tricks_to_win: Annotated[int | None, "Tricks with which a side has won the deal"] = None
    to_answer: Annotated[tuple[Seat, ...], "Who must answer; of a side one does for all"] = ()
    prompt: Annotated[Line | None, "What the table waits for"] = None
    news: Annotated[Line | None, "What happened last"] = None
    told: Annotated[tuple[Line, ...], "What has to be said besides"] = _sparse(())
    pots: Annotated[Mapping[str, int], "What lies in the middle and outlives a deal"] = field(
        default_factory=dict
    )
    offers: Annotated[tuple[Offer, ...], "What the keeper of the slate may do now"] = field(
        default=(), metadata=_ACTIONS
    )
    draft: Annotated[
        tuple[Posting, ...], "What was told of this deal; nothing of it counts yet"
    ] = _sparse(())
    hands: Annotated[tuple[Hand, ...], "The log of the running rubber"] = ()
    payments: Annotated[tuple[Payment, ...], "Who pays whom, once all is over"] = _sparse(())
    options: Annotated[Facts, "The house rules"] = field(default_factory=dict)
    preset: Annotated[str | None, "Name under which the house rules go"] = None
    suits: Annotated[
        tuple[str, ...], "What H, D, S and C are in the German pack on the table, if it is one"
    ] = _sparse(())
    later: Annotated[Mapping[str, Line], "What has to wait, players or rules, and why"] = (
        _sparse_mapping()
    )
    deaf: Annotated[bool, "Blows on the wood mean nothing now: buttons and phones only"] = _sparse(
        False
    )
    heard: Heard | None = None
    struck: Annotated[bool, "The wood moved just now, and nobody knows yet what it was"] = _sparse(
        False
    )
    doubt: Doubt | None = None
    grace: Grace | None = None
    asking: Annotated[Line | None, "What a seat is asked, to answer with knocks"] = None
    refused: Annotated[Line | None, "Why the last gesture did nothing"] = None
    shown: Annotated[Line | None, "A gesture that is only shown"] = None
    notices: Annotated[tuple[Line, ...], "What is wrong with the box"] = ()
    tuning: Tuning | None = None
    door: Door | None = None
    called: Annotated[Called | None, "Who is called to this table"] = _sparse(None)

    @property
    def names(self) -> dict[Seat, str]:
        """Who sits where; what `kloplei.words` needs to say a `Line`."""
        return {row.seat: row.name for row in self.rows}

    def row(self, seat: Seat) -> Row | None:
        """Return the row of *seat*, or None if nobody plays there."""
        return next((row for row in self.rows if row.seat == seat), None)

    @property
    def has_price(self) -> bool:
        """Whether a deal has a stake, or is played by something else that stands in its place."""
        if self.phase == SEATING:
            return False  # what is played may be another game by then
        chalked = any(row.swing is None for row in self.rows)
        return self.stake is not None or bool(self.announced) or (chalked and not self.unpriced)

    @property
    def deal_runs(self) -> bool:
        """Whether cards are on the table."""
        return self.stake is not None or self.leader is not None

    @property
    def plays_for_pot(self) -> bool:
        """Whether debts go into a pot; what is left of another evening's rules is none."""
        return bool(self.pots.keys() - {KITTY})

    @property
    def fresh_news(self) -> Line | None:
        """The news, unless the prompt tells them as well."""
        repeated = self.news and self.prompt and self.news.key == self.prompt.tells
        return None if repeated else self.news

    @property
    def duel(self) -> tuple[tuple[Seat, ...], ...]:
        """The two accounts that race each other for tricks; empty where it is no such race."""
        seated = {row.seat for row in self.rows}
        accounts = self.accounts or tuple((row.seat,) for row in self.rows)
        found = tuple(one for one in accounts if one and seated.issuperset(one))
        return found if self.tricks_to_win is not None and len(found) == _DUELLISTS else ()

    def tricks_of(self, seat: Seat) -> int | None:
        """Return how many tricks the side of *seat* took in this deal, None if none are counted."""
        side = next((side for side in self.sides if seat in side), (seat,))
        taken = [row.tricks for row in self.rows if row.seat in side and row.tricks is not None]
        return sum(taken) if taken else None


def offers(actions: Iterable[Action]) -> tuple[Offer, ...]:
    """Gather *actions* of one seat (or of the table) into one `Offer` a name.

    What a dataclass field other than ``seat`` holds is a need; the values seen are its choices,
    unless the field is `OPEN`. Each value of a field that is a `KIND` gets an offer of its own.
    """
    found: dict[tuple[str, str], dict[str, set[object]]] = {}
    secrets: set[str] = set()
    for action in actions:
        # Any, because mypy takes a class for something that cannot be hashed.
        word: Any = type(action)
        needs = _needs_of(word)
        kind = "".join([str(getattr(action, name)) for name in needs.kinds])
        choices = found.get((action.name, kind))
        if choices is None:
            choices = found[action.name, kind] = {name: set() for name in needs.names}
        for name in needs.listed:
            choices[name].add(getattr(action, name))
        if needs.is_secret:
            secrets.add(action.name)
    return tuple(
        Offer(
            name,
            tuple(needs),
            {need: tuple(sorted(v, key=_rising)) for need, v in needs.items() if v},
            name in secrets,
        )
        for (name, _), needs in sorted(found.items())
    )


class _Needs(NamedTuple):
    """What an action has to know: all of it, what has a list of values, and what tells kinds."""

    names: tuple[str, ...]
    listed: tuple[str, ...]
    kinds: tuple[str, ...]
    is_secret: bool


@cache
def _needs_of(kind: type[Any]) -> _Needs:
    """Return what *kind* of action has to know; a board asks this of some hundred actions."""
    needs = [one for one in fields(kind) if one.name != "seat"]
    return _Needs(
        tuple(one.name for one in needs),
        tuple(one.name for one in needs if "open" not in one.metadata),
        tuple(one.name for one in needs if "kind" in one.metadata),
        any("secret" in one.metadata for one in needs),
    )


def by_seat(
    actions: Iterable[Action], dealer: Seat, dealers: tuple[type[Action], ...]
) -> Mapping[Seat | None, list[Action]]:
    """Gather *actions* by who may ask for them, None for anybody.

    Those of the kinds of *dealers* anybody may ask for, but the *dealer* is offered them as well.
    """
    found: dict[Seat | None, list[Action]] = defaultdict(list)
    for action in actions:
        found[seat_of(action)].append(action)
    found[dealer] += [one for one in found[None] if isinstance(one, dealers)]
    return found


def _rising(value: object) -> tuple[int, str]:
    """Sort numbers by size, ranks of cards by what they are worth, and other texts as they are."""
    if isinstance(value, int):
        return value, ""
    text = str(value)
    return (LOW_TO_HIGH.index(text), "") if text in LOW_TO_HIGH else (0, text)
