"""Recordings of the table, as pages and commands see them: `RecordingsClient` and its shapes."""

from collections.abc import Mapping
from typing import Annotated, Literal, Protocol

from kloplei.frozen import dataclass
from kloplei.games.game import NO_FACTS, Facts, Seat
from kloplei.games.scoreboard import Line, Seconds
from kloplei.table.client import ShortText, absent
from kloplei.words import Sentence

RECORDING = "record"
"""What a recording is called among the steps of `kloplei.games.scoreboard.Tuning`."""
Walk = Literal["short", "long"]
RECORDING_STEPS = ("begin", "go", "hold", "skip", "seat", "again", "stop")
HELD_BY = ("unknown", "glued", "wax", "tape", "foam")
"""What a table's discs may be said to be held to its wood by; unsaid they are ``unknown``."""

CHUNK_BYTES = 131_072  # of a recording at once, on its way to a phone


@dataclass(frozen=True, slots=True)
class RecordedTable:
    """A recording that is kept: one file with nothing private in it, whole unless it is spoilt."""

    name: Annotated[str, "What it is downloaded and deleted by"]
    size: Annotated[int, "In bytes"]
    walk: Annotated[Walk | None, "short is two minutes, long ten; absent where it is spoilt"]
    recordings: Annotated[int, "So many steps are in it"]
    seconds: Annotated[Seconds, "How long they last together"]
    knocks: Annotated[int, "So many knocks were found in it"]
    unseen: Annotated[int, "So many were asked for and cannot be seen"]
    spoilt: Annotated[bool, "It cannot be read any more, and is counted until it is deleted"] = (
        False
    )


@dataclass(frozen=True, slots=True)
class AskedStep:
    """What is asked of the table now, the *number*-th thing of *of*.

    *kind* is one of the kinds of step of docs/listen.md. It *runs*, or is about to. *count* is
    what a countdown says: ticks to the next blow, seconds of what lasts, or until it begins.
    """

    kind: Annotated[str, "silence, usual, glass and so on: hw/bench.md"]
    number: int
    of: int
    runs: Annotated[bool, "Else people read what comes, and go there"]
    is_now: Annotated[bool, "This is the moment to strike"]
    seats: Annotated[tuple[Seat, ...], "Who does it; nobody in particular where it is empty"] = ()
    count: Annotated[int | None, "What the countdown says"] = None
    done: Annotated[int, "So many blows should have fallen"] = 0
    beats: Annotated[int, "Of so many"] = 0
    next_s: Annotated[Seconds | None, "How long until the next blow"] = None
    left_s: Annotated[Seconds, "How long the rest takes, at the least"] = 0.0


@dataclass(frozen=True, slots=True)
class RecordingStand:
    """A recording at one moment, and those that are kept.

    *said* is what came of the last one, or what is wrong with this one; *why_not* why none may
    begin now.
    """

    state: Literal["idle", "recording", "packing"]
    commands: Annotated[tuple[str, ...], "The steps that make sense now"]
    seats: Annotated[tuple[Seat, ...], "Who may be asked to knock"]
    files: tuple[RecordedTable, ...]
    most: Annotated[int, "So many are kept"]
    free: Annotated[int, "Bytes that are free where they are kept"]
    needs: Annotated[Mapping[str, int], "Bytes that each walk needs, by its name"]
    walk: Walk | None = None
    asked: AskedStep | None = None
    held: Annotated[bool, "It waits until somebody says go"] = False
    left_over: Annotated[Walk | None, "One that was cut off; begin goes on with it"] = None
    said: Annotated[Sentence | None, "What came of it, or what is wrong"] = None
    why_not: Annotated[Line | None, "Why none may begin now"] = None


class RecordingsClient(Protocol):
    """Recordings of the table, as the keeper's phone makes them; safe from any thread."""

    def look(self) -> RecordingStand:
        """Return where it stands; small enough to be asked for several times a second."""
        ...

    def step(self, step: Annotated[str, ShortText(20)], facts: Facts = NO_FACTS) -> RecordingStand:
        """Do one of `RECORDING_STEPS`.

        ``begin`` takes a ``walk``, how many ``seats`` knock and what the discs are ``held_by``, one
        of `HELD_BY`, and goes on with one of that kind that was cut off; ``go`` begins what is
        asked for at once, ``hold`` lets it wait; ``skip`` leaves it out, ``seat`` all that the
        same seat does, ``again`` does it anew; ``stop`` ends it and keeps what there is.

        Raises:
            BadRequest: No such step, or facts that do not fit it.
            IllegalAction: Not now: ``evening_runs``, ``tuning``, ``recording``,
                ``not_recording``, ``no_room``, ``recordings_full``.
        """
        ...

    def read(self, name: Annotated[str, ShortText(40)], start: int) -> bytes:
        """Return up to `CHUNK_BYTES` of the file *name*, from byte *start* on; none at its end.

        Raises:
            BadRequest: No such file is kept.
            TableUnavailable: It cannot be read.
        """
        ...

    def delete(self, name: Annotated[str, ShortText(40)]) -> None:
        """Throw the file *name* away.

        Raises:
            BadRequest: No such file is kept.
            TableUnavailable: It cannot be.
        """
        ...


def no_recordings() -> RecordingsClient:
    """Return what a table answers whose sensors give no waves."""
    return absent(RecordingsClient, Sentence("no-waves"))
