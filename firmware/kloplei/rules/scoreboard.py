"""The waist of the hourglass: all that slate, phones, TV and exports ever read.

Games fill in what is theirs; the table adds names, ``seq`` and what it hears. One frozen
object, drawn by edges that know no game.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum

from kloplei.rules.cards import LOW_TO_HIGH
from kloplei.rules.game import SENTENCE, SPARSE, Action, Facts, Seat

_DUELLISTS = 2
_ACTIONS: Mapping[str, object] = {"wire": "actions"}


@dataclass(frozen=True, slots=True)
class Offer:
    """An action that would be accepted now.

    *needs* names the facts to send along; *choices* holds the values that are legal for
    each of them now, so that a page can offer them without knowing the game. What is said in
    a *secret* one nobody may read afterwards, not even on the phone that sent it.
    """

    action: str
    needs: tuple[str, ...] = field(default=(), metadata=SPARSE)
    choices: Mapping[str, tuple[object, ...]] = field(default_factory=dict, metadata=SPARSE)
    secret: bool = field(default=False, metadata=SPARSE)


class Tone(StrEnum):
    """How much a sentence matters to who only looks at the slate."""

    PLAIN = ""  # the rows show it by themselves
    TOLD = "told"  # no row shows it: it passes by
    SHOUT = "shout"  # for a moment there is nothing else
    FANFARE = "fanfare"  # somebody has won
    CROWN = "crown"  # and earns more than a cup


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence to be said in the reader's language: key in ``words/``, and its facts.

    Its *tone* goes with what it says, so that two lines that say the same are equal.
    """

    key: str = field(metadata=SENTENCE)
    facts: Facts = field(default_factory=dict)
    tone: Tone = field(default=Tone.PLAIN, compare=False, metadata=SPARSE)


@dataclass(frozen=True, slots=True)
class Row:
    """One player's line on the slate.

    *tally* counts up to *limit* (lives lost in toepen), or down where *limit* is 0; None means
    no end. *flags* are words such as ``in_hand``, ``armoede``, ``folded``, ``out``,
    ``owes_drink``, ``rubber_winner``, ``raised``, ``gestrichen``, ``soloist``. *counts* are
    honours and debts of the evening (``rubbers_won``, ``drinks``); *committed* is the stake
    this seat has accepted, *tricks* how many it took in the running deal, None where nobody
    counts them. *swing* is by how much the last deal moved the tally, where that goes up and
    down as chips do: such a tally is a number, never strokes.
    """

    seat: Seat
    tally: int
    limit: int | None = None
    name: str = ""
    flags: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    committed: int | None = None
    tricks: int | None = None
    swing: int | None = None
    offers: tuple[Offer, ...] = field(default=(), metadata=_ACTIONS)

    @property
    def falls(self) -> bool:
        """Whether the tally runs down to nothing, and rises only for who has bad luck."""
        return self.limit == 0


@dataclass(frozen=True, slots=True)
class Heard:
    """A pattern that is still growing at *seat*: *knocks* so far, or the button held down.

    *seat* None means that one sensor serves the whole table and nobody can say whose it is.
    In a *doubtful* one at least one of the knocks may have been something else.
    """

    seat: Seat | None
    knocks: int = 0
    holding: bool = False
    doubtful: bool = field(default=False, metadata=SPARSE)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A pattern at *seat* that may have been none: anybody's one knock says that it was.

    *knocks* counts the doubtful ones too, *sure* leaves them out. *action* is what it would
    ask for, None where that is more than one word; *number* tells it from the next doubt.
    *left_s* was true when the board was made, as that of a `Grace` is.
    """

    seat: Seat | None
    knocks: int
    sure: int
    left_s: float
    total_s: float
    number: int
    action: str | None = None


@dataclass(frozen=True, slots=True)
class Grace:
    """An action that waits *total_s* seconds, in which another seat's knock cancels it.

    *left_s* was true when the board was made; who draws a moving bar counts down from there.
    """

    seat: Seat
    action: str
    left_s: float
    total_s: float


@dataclass(frozen=True, slots=True)
class Tuning:
    """The table is being tuned: nobody plays, and all follow what *prompt* asks for.

    *step* is where it stands: ``quiet``, ``glass``, ``phone``, ``knocks``, ``weighing`` or
    ``result``. *seat* is whose knocks are wanted now. *count* of *of* are done; *level* is how
    loud the wood is at this moment, 0 to 100; *hint* is what was wrong with the last try.
    """

    step: str
    prompt: Line
    seat: Seat | None = None
    count: int = 0
    of: int = 0
    level: int = 0
    hint: Line | None = None


@dataclass(frozen=True, slots=True)
class Door:
    """A phone asks to be let in at *seat*, or as the keeper of the slate, and shows *word* too.

    So many *knocks* on the table let it in just now, 0 where none would; *press* is how a seat's
    button does so as well: "press", "hold" or not at all. *number* tells it from the next one;
    *left_s* was true when the board was made. *let_in* tells that it is in, for a moment.
    """

    word: str
    number: int
    seat: Seat | None
    left_s: float
    total_s: float
    knocks: int = field(default=0, metadata=SPARSE)
    press: str = field(default="", metadata=SPARSE)
    let_in: bool = field(default=False, metadata=SPARSE)


@dataclass(frozen=True, slots=True)
class Posting:
    """One line of a ledger: the *amounts* that what *line* tells brings each seat, and the pots.

    Together they come to nothing; whom it does not move is not named. *entry* is the number by
    which it can be taken back, as long as its deal is told; None where it cannot.
    """

    line: Line
    amounts: Mapping[Seat, int] = field(default_factory=dict)
    pots: Mapping[str, int] = field(default_factory=dict, metadata=SPARSE)
    entry: int | None = None


@dataclass(frozen=True, slots=True)
class Payment:
    """*payer* owes *payee* so much at the end; *chips* are those to hand over, the largest first.

    Without chips it is paid as people like.
    """

    payer: Seat
    payee: Seat
    amount: int
    chips: tuple[int, ...] = field(default=(), metadata=SPARSE)


@dataclass(frozen=True, slots=True)
class Hand:
    """One finished deal of the running rubber, as the log shows it and `correct` names it.

    *paid* is by how much each tally went up in it (missing = nothing), less than 0 for down;
    *how* is a ``words/`` key; *told* is what else may be said of it now that it is over.
    *ledger* are the lines it was booked in, where a game books.
    """

    number: int
    winner: Seat | None
    how: str = field(metadata=SENTENCE)
    paid: Mapping[Seat, int] = field(default_factory=dict)
    told: tuple[Line, ...] = field(default=(), metadata=SPARSE)
    ledger: tuple[Posting, ...] = field(default=(), metadata=SPARSE)


@dataclass(frozen=True, slots=True)
class Scoreboard:
    """The whole table at one moment. None means "does not apply".

    *proposed* is what the *stake* would be if those in *to_answer* hold it. *announced* is what
    was said for all to hear and the deal is played by: ``schlag``, ``trump``. *sides* are who
    plays together now, empty where everybody plays alone; *accounts* are who shares one tally,
    empty where each has its own. A side with *tricks_to_win* has won the deal.
    *draft* is what was told of the running deal and what that would pay if nothing more came:
    nothing of it counts yet. *payments* settle all that was won and lost, once it is over.
    *news* is what happened last, *told* what has to be said besides. *prompt* is what the
    table waits for, *refused* why the last gesture did nothing, *shown* a gesture that is only
    shown (`kloplei.rules.game.Show`), *notices* what is wrong with the box. A *deaf* table lets
    every blow on its wood pass now: people press or tap. *struck* means that the wood moved a
    moment ago and nobody knows yet what it was. *heard*, *struck*, *doubt*,
    *grace*, *asking*, *refused*, *shown*, *tuning* and *door* come and go without a new ``seq``.
    """

    game: str
    phase: str
    rows: tuple[Row, ...] = ()
    seq: int = 0
    seats: int = 0  # places at the table, taken or free
    stake: int | None = None
    dealer: Seat | None = None
    leader: Seat | None = None
    proposed: int | None = None
    announced: Mapping[str, str] = field(default_factory=dict, metadata=SPARSE)
    sides: tuple[tuple[Seat, ...], ...] = field(default=(), metadata=SPARSE)
    accounts: tuple[tuple[Seat, ...], ...] = field(default=(), metadata=SPARSE)
    tricks_to_win: int | None = None
    to_answer: tuple[Seat, ...] = ()
    prompt: Line | None = None
    news: Line | None = None
    told: tuple[Line, ...] = field(default=(), metadata=SPARSE)
    pots: Mapping[str, int] = field(default_factory=dict)
    offers: tuple[Offer, ...] = field(default=(), metadata=_ACTIONS)
    draft: tuple[Posting, ...] = field(default=(), metadata=SPARSE)
    hands: tuple[Hand, ...] = ()
    payments: tuple[Payment, ...] = field(default=(), metadata=SPARSE)
    options: Facts = field(default_factory=dict)
    preset: str | None = None
    deaf: bool = field(default=False, metadata=SPARSE)
    heard: Heard | None = None
    struck: bool = field(default=False, metadata=SPARSE)
    doubt: Doubt | None = None
    grace: Grace | None = None
    asking: Line | None = None
    refused: Line | None = None
    shown: Line | None = None
    notices: tuple[Line, ...] = ()
    tuning: Tuning | None = None
    door: Door | None = None

    @property
    def names(self) -> dict[Seat, str]:
        """Who sits where; what `kloplei.words` needs to say a `Line`."""
        return {row.seat: row.name for row in self.rows}

    def row(self, seat: Seat) -> Row | None:
        """Return the row of *seat*, or None if nobody plays there."""
        return next((row for row in self.rows if row.seat == seat), None)

    @property
    def deal_runs(self) -> bool:
        """Whether cards are on the table."""
        return self.stake is not None or self.leader is not None

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
        told = [one for one in fields(action) if one.name != "seat"]
        kind = "".join(str(getattr(action, one.name)) for one in told if "kind" in one.metadata)
        needs = found.setdefault((action.name, kind), {})
        for one in told:
            seen = needs.setdefault(one.name, set())
            if "open" not in one.metadata:
                seen.add(getattr(action, one.name))
            if "secret" in one.metadata:
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


def by_seat(
    actions: Iterable[Action], dealer: Seat, dealers: tuple[type[Action], ...]
) -> Mapping[Seat | None, list[Action]]:
    """Gather *actions* by who may ask for them, None for anybody.

    Those of the kinds of *dealers* anybody may ask for, but the *dealer* is offered them as well.
    """
    found: dict[Seat | None, list[Action]] = defaultdict(list)
    for action in actions:
        found[getattr(action, "seat", None)].append(action)
    found[dealer] += [one for one in found[None] if isinstance(one, dealers)]
    return found


def _rising(value: object) -> tuple[int, str]:
    """Sort numbers by size, ranks of cards by what they are worth, and other texts as they are."""
    if isinstance(value, int):
        return value, ""
    text = str(value)
    return (LOW_TO_HIGH.index(text), "") if text in LOW_TO_HIGH else (0, text)
