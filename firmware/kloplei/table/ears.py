"""The seam to the ears: what the box heard, what people say it was, and how it is tuned.

`TableClient.ears` is an `EarsClient`, in memory and over the Unix socket alike. Errors are those
of the table: `Unreadable` for a number, a word or a fact that fits nothing, `IllegalAction` with
a reason where it fits but may not be now, `TableSilent` where the ears do not answer or cannot
write down what they should.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, NoReturn, Protocol

from kloplei.games.game import Facts, IllegalAction, Seat
from kloplei.games.scoreboard import Line, Seconds, Share
from kloplei.knock.judgement import Verdict
from kloplei.table.client import Unreadable, absent

MOST_EVENTS = 200
"""Of so many events at most an answer tells, whatever was asked for."""

_NO_FACTS: Facts = {}


@dataclass(frozen=True, slots=True)
class Shape:
    """The outline of a blow where it was felt most.

    *lows* and *highs* are the extremes of equal stretches of *span_s* seconds, in thousandths of
    full scale; the blow began *onset_s* after the first of them.
    """

    span_s: Annotated[Seconds, "How long all of it lasts"]
    onset_s: Annotated[Seconds, "When the blow began, from the left"]
    lows: Annotated[tuple[int, ...], "Lowest sample of equal stretches, in 1/1000 of full scale"]
    highs: Annotated[tuple[int, ...], "Highest sample of each"]


@dataclass(frozen=True, slots=True)
class HeardEvent:
    """One blow on the wood, and what the box took it for.

    As in `kloplei.knock.judgement.Judgement`. *number* counts up and is never given twice at one
    table. *shape* is None where only edges are known. *was* and *was_seat* are what somebody has
    said that it was in truth.
    """

    number: Annotated[int, "Counts up"]
    verdict: Verdict
    likelihood: Annotated[Share, "How sure the box was that it was a knock"]
    strength: Share
    confidence: Annotated[Share, "How sure the box was of the seat"]
    part: Annotated[str, "The sensor that felt it, such as `piezos` or `pad 3`"]
    seat: Annotated[Seat | None, "Absent where the box could not say"] = None
    at: Annotated[float | None, "Wall clock, seconds since 1970"] = None
    shape: Annotated[Shape | None, "Absent where only edges are known"] = None
    was: Annotated[Verdict | None, "What somebody has said that it was: knock or noise"] = None
    was_seat: Annotated[Seat | None, "Whose it was, by the same mark"] = None


@dataclass(frozen=True, slots=True)
class Change:
    """What a suggestion would make of one event."""

    number: int
    before: Verdict
    after: Verdict
    seat_before: Seat | None = None
    seat_after: Seat | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What the marks suggest; nothing of it is done until it is taken.

    *moves* say what it would turn, *changes* which of the *kept* events would be judged in
    another way. Of the *marked* ones *right_before* are judged as they were marked, and
    *right_after* would be. A suggestion with other moves has another *id*.
    """

    id: Annotated[str, "What it is taken or declined by"]
    moves: Annotated[tuple[Line, ...], "What it would turn: stricter, milder, louder ..."]
    kept: Annotated[int, "So many events were judged anew"]
    changes: Annotated[tuple[Change, ...], "Those of them that would come out otherwise"]
    marked: Annotated[int, "So many of them are marked"]
    right_before: Annotated[int, "So many of the marked ones are right now"]
    right_after: Annotated[int, "So many would be"]


@dataclass(frozen=True, slots=True)
class Keeping:
    """What is kept of what was heard.

    *trouble* is one sentence about a disk that does not take them, which holds nothing up.
    *taken* are the moves of the suggestion taken last, as long as it may be taken back;
    *weighing* tells that a suggestion is being worked out, and may be there in a moment.
    """

    most: Annotated[int, "So many events; 0 is switched off"]
    kept: int
    trouble: Annotated[str | None, "Why the disk does not take it"] = None
    taken: Annotated[tuple[Line, ...], "What was taken last and may be taken back"] = ()
    weighing: Annotated[bool, "Whether a suggestion is being worked out"] = False


@dataclass(frozen=True, slots=True)
class Loudness:
    """How loud it was on each channel of a sensor in the last second."""

    part: str
    peaks: Annotated[tuple[Share, ...], "By channel"]
    age_s: Seconds


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

        Which steps there are, with which facts, `kloplei.review.tuning` says; ``look`` is always
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
