"""The seam to the ears: what the box heard, what people say it was, and how it is tuned.

`TableClient.ears` is an `EarsClient`, in memory and over the Unix socket alike. Errors are those
of the table: `Unreadable` for a number, a word or a fact that fits nothing, `IllegalAction` with
a reason where it fits but may not be now, `TableSilent` where the ears do not answer or cannot
write down what they should.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn, Protocol

from kloplei.knock.verdict import Verdict
from kloplei.rules.game import Facts, IllegalAction, Seat
from kloplei.rules.scoreboard import Line
from kloplei.table.client import Unreadable, absent

MOST_EVENTS = 200
"""Of so many events at most an answer tells, whatever was asked for."""

_NO_FACTS: Facts = {}


@dataclass(frozen=True, slots=True)
class Shape:
    """The outline of a blow on the channel that felt it most, for a small picture.

    *lows* and *highs* are the extremes of equal stretches of *span_s* seconds, in thousandths of
    full scale; the blow began *onset_s* after the first of them.
    """

    span_s: float
    onset_s: float
    lows: tuple[int, ...]
    highs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HeardEvent:
    """One blow as the ears judged it; see `kloplei.knock.verdict.Judgement`.

    *number* counts up and is never given twice at one table. *shape* is None where only edges
    are known. *was* and *was_seat* are what somebody has said that it was in truth.
    """

    number: int
    verdict: Verdict
    likelihood: float
    strength: float
    confidence: float
    part: str
    seat: Seat | None = None
    at: float | None = None  # wall clock, seconds; only to show
    shape: Shape | None = None
    was: Verdict | None = None
    was_seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What a suggestion would make of the kept event *number*."""

    number: int
    before: Verdict
    after: Verdict
    seat_before: Seat | None = None
    seat_after: Seat | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What the ears propose after events were marked; nothing of it is done until it is taken.

    *moves* say what it would turn, *changes* which of the *kept* events would be judged in
    another way. Of the *marked* ones *right_before* are judged as they were marked, and
    *right_after* would be. A suggestion with other moves has another *id*.
    """

    id: str
    moves: tuple[Line, ...]
    kept: int
    changes: tuple[Change, ...]
    marked: int
    right_before: int
    right_after: int


@dataclass(frozen=True, slots=True)
class Keeping:
    """What the ears keep: the last *most* events, 0 when that is switched off; *kept* by now.

    *trouble* is one sentence about a disk that does not take them, which holds nothing up.
    *taken* are the moves of the suggestion taken last, as long as it may be taken back;
    *weighing* tells that a suggestion is being worked out, and may be there in a moment.
    """

    most: int
    kept: int
    trouble: str | None = None
    taken: tuple[Line, ...] = ()
    weighing: bool = False


@dataclass(frozen=True, slots=True)
class Loudness:
    """The loudest that each channel of *part* felt of late, 0 to 1, *age_s* seconds ago."""

    part: str
    peaks: tuple[float, ...]
    age_s: float


@dataclass(frozen=True, slots=True)
class TuneState:
    """Where a tuning stands: what it waits for, and all that a page or the slate shows of it.

    *facts* hold what JSON can, nested as one likes; seats in them are `Seat` and stay it.
    """

    step: str
    facts: Mapping[str, object] = field(default_factory=dict)


class EarsClient(Protocol):
    """The ears of the box as pages and commands see them; safe from any thread."""

    def heard_events(self, limit: int = 50) -> tuple[HeardEvent, ...]:
        """Return the last *limit* events that are kept, newest first.

        Raises:
            Unreadable: *limit* is below 0 or beyond `MOST_EVENTS`.
        """
        ...

    def mark(self, number: int, was: Verdict | None, seat: Seat | None = None) -> HeardEvent:
        """Say what event *number* was in truth, and return it so marked.

        Args:
            number: As in `HeardEvent`.
            was: A knock or noise; None takes the mark back.
            seat: Who knocked, where the ears said another; None leaves that open.

        Raises:
            IllegalAction: ``event_gone``: that event is not kept (any more).
            Unreadable: Nothing can be like that.
        """
        ...

    def keeping(self) -> Keeping:
        """Return what is kept, and what was taken of late."""
        ...

    def suggestion(self) -> Suggestion | None:
        """Return what the marks suggest, with its effect; None where they suggest nothing.

        None as well while it is worked out, which `keeping` tells.
        """
        ...

    def take(self, suggestion: str) -> None:
        """Do what the suggestion with that id says: a new calibration is written and used.

        Raises:
            IllegalAction: ``stale``: the marks suggest something else by now.
            TableSilent: It could not be written.
        """
        ...

    def decline(self, suggestion: str) -> None:
        """Hear no more of that suggestion until the marks suggest another.

        Raises:
            IllegalAction: ``stale``, as for `take`.
        """
        ...

    def take_back(self) -> None:
        """Undo the `take` before: the calibration is again as it was.

        Raises:
            IllegalAction: ``nothing_to_undo``.
            TableSilent: It could not be written.
        """
        ...

    def meter(self) -> tuple[Loudness, ...]:
        """Return the live meter: each part that measures how loud it is."""
        ...

    def tune(self, step: str, facts: Facts = _NO_FACTS) -> TuneState:
        """Do one step of a tuning, and return where it stands.

        Which steps there are, with which facts, `kloplei.ears.tuning` says; ``look`` is always
        one of them, and changes nothing. The state is small enough to be asked for several times
        a second.

        Raises:
            Unreadable: No such step, or facts that do not fit it.
            IllegalAction: Not now; the reason is a ``reason.<code>`` of `kloplei.words`.
            TableSilent: The ears do not answer, or cannot write what they learned.
        """
        ...


def check_limit(limit: int) -> None:
    """Refuse a *limit* that makes no sense.

    Raises:
        Unreadable: It is below 0 or beyond `MOST_EVENTS`.
    """
    if not 0 <= limit <= MOST_EVENTS:
        raise Unreadable(f"The limit is {limit}, but must be from 0 to {MOST_EVENTS} events.")


def not_kept(number: int) -> IllegalAction:
    """Return the refusal for an event that is not kept (any more), to be raised."""
    return IllegalAction("event_gone", number=number)


def no_ears() -> EarsClient:
    """Return what a table without sensors answers: it heard nothing, and cannot be tuned."""
    return absent(
        EarsClient,
        "This table has no sensors that listen. Start it with: kloplei run",
        heard_events=_nothing_heard,
        mark=_nothing_marked,
        keeping=lambda: Keeping(most=0, kept=0),
    )


def _nothing_heard(limit: int = 50) -> tuple[HeardEvent, ...]:
    check_limit(limit)
    return ()


def _nothing_marked(number: int, _was: Verdict | None, _seat: Seat | None = None) -> NoReturn:
    raise not_kept(number)
