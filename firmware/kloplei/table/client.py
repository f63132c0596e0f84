"""The seam: everything outside sees the table through `TableClient`.

Its parts are Protocols as well: `EarsClient` for what the box heard, what people say it was and
how it is tuned; `DoorClient` for a phone that asks to be let in by a knock; and those of the
modules beside this one, each for its own noun.
All have two bodies that pass the same contract tests: in memory (`kloplei.table.session`) and
over a Unix socket (`kloplei.table.rpc_server`).

Errors are the same everywhere: `BadRequest` for a number, a word or a fact that fits nothing,
`IllegalAction` with a reason where it fits but may not be now, `TableUnavailable` where nobody
answers or what was asked could not be written down.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from enum import StrEnum
from inspect import isfunction
from types import NoneType, SimpleNamespace
from typing import (
    TYPE_CHECKING,
    Annotated,
    ClassVar,
    Final,
    Literal,
    NoReturn,
    Protocol,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.games.game import NO_FACTS, Facts, IllegalAction, Seat
from kloplei.games.scoreboard import Line, Scoreboard, Seconds, Share
from kloplei.knock.judgement import KNOCK_LINE, Verdict
from kloplei.table.people_client import PeopleClient
from kloplei.words import Sentence

if TYPE_CHECKING:
    from PIL import Image

    from kloplei.table.doctor_client import DoctorClient
    from kloplei.table.history_client import HistoryClient
    from kloplei.table.recordings_client import RecordingsClient
    from kloplei.table.uplink_client import UplinkClient
    from kloplei.table.voice_client import VoiceClient

T = TypeVar("T")
logger = logging.getLogger(__name__)

SWAP = "swap"
"""The action by which somebody takes another seat, or two change places."""


class BadRequest(KlopleiError, ValueError):
    """An action that nobody could understand: unknown name, missing or wrong facts."""


class TableUnavailable(KlopleiError, ConnectionError):
    """The table does not answer: not started yet, stopped, or at odds with itself."""


class JournalWriteError(TableUnavailable):
    """The table could not write it down, so it was not done; the message says what to do."""


@dataclass(frozen=True, slots=True)
class ShortText:
    """Beside an annotation: the text is printable, and has *most* characters at most."""

    most: int

    def holds(self, text: str | None) -> bool:
        """Tell whether *text* is like that; none at all is."""
        return text is None or (len(text) <= self.most and text.isprintable())


@dataclass(frozen=True, slots=True)
class AddedLater:
    """Beside the annotation of a parameter: clients of before ask without it."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands on the slate: *bits* is row by row, 8 pixels a byte, most significant first.

    Of a glass with greys (*depth* 8, in bits) each byte is a pixel, 0 dark to 255 light.
    """

    width: int
    height: int
    bits: bytes
    depth: int = 1

    @classmethod
    def of(cls, image: "Image.Image") -> "Frame":
        """Return *image*, of one bit a pixel or of 256 greys, as it stands there."""
        return cls(image.width, image.height, image.tobytes(), 1 if image.mode == "1" else 8)


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One step of the evening.

    What was done, by which *seat* (None = the slate's keeper), *about* which other one, as one
    phone tells of several, and how: *via* is ``pad``,
    ``button``, ``phone`` or ``table``; *undone* tells that it was taken back, *undone_by* by which
    seat. *names* tells who sat where at that time. *line* stood on the slate afterwards; *before*
    is what the same step told before it, such as the correction that ended a rubber. *game* is what
    was played then.
    """

    seq: int
    seat: Annotated[Seat | None, "Who did it; absent for the keeper of the slate"]
    via: Annotated[str, "How it was asked: pad, button, phone or table"]
    line: Annotated[Line, "What happened, as the slate told it afterwards"]
    undone: Annotated[bool, "Whether it was taken back"] = False
    at: Annotated[float | None, "Wall clock, seconds since 1970; order is seq"] = None
    undone_by: Annotated[Seat | None, "Who took it back"] = None
    names: Annotated[Mapping[Seat, str], "Who sat where then, by seat"] = field(
        default_factory=dict
    )
    before: Annotated[tuple[Line, ...], "What the same step told before that, in order"] = ()
    game: Annotated[str, "What was played then"] = ""
    about: Annotated[Seat | None, "Whom it was about, where another one did it"] = None


KEEPER: Final = "keeper"
Doer = Seat | Literal["keeper"] | None
"""Who does what is asked for: a seat or the keeper; None is the one that it is asked for."""


class Followed(Protocol):
    """What of a table one may follow."""

    def follow(self, after: int | None = None) -> Iterator[Scoreboard | None]:
        """Yield the scoreboard at once and at every change; see `TableClient.follow`."""
        ...


def show_all(
    table: Followed, show: Callable[[Scoreboard], None], is_closing: Callable[[], bool], who: str
) -> None:
    """Let *show* see every scoreboard of *table*, on this thread, as long as there is a table.

    A board that it stumbles over is logged and left out: a mistake of ours costs one moment, and
    not all that happens thereafter.

    Args:
        table: Followed from now on.
        show: Takes each scoreboard in.
        is_closing: Whether this is to end; asked at each board and each sign of life.
        who: Who looks on, for the log.
    """
    try:
        for board in table.follow():
            if is_closing():
                return
            if board is not None:
                _show(board, show, who)
    except KlopleiError:
        logger.exception("%s lost sight of the table", who)


def _show(board: Scoreboard, show: Callable[[Scoreboard], None], who: str) -> None:
    try:
        show(board)
    except Exception:
        logger.exception("%s stumbled over entry %d, and looks on", who, board.seq)


class TableClient(Protocol):
    """The table as phones, slate and other edges see it; safe from any thread."""

    def submit(
        self,
        seat: Seat | None,
        action: str,
        *,
        seen: int | None = None,
        facts: Facts = NO_FACTS,
        via: Annotated[str, ShortText(20)] = "phone",
        waits: bool = False,
        by: Annotated[Doer, AddedLater()] = None,
    ) -> int:
        """Ask for *action* and return the journal number once it is on disk.

        Args:
            seat: Whom it is asked for; None is the keeper of the slate.
            action: A name out of the scoreboard's offers.
            seen: The ``seq`` that the asker was looking at; None skips the check.
            facts: What the offer needs. Seats in it are `Seat`.
            via: How it was asked, for the trail.
            waits: Let others call it off first, as long as what hands ask for at the table
                waits; the number is then that of the newest entry.
            by: Who asks, for the trail, where that is another: the keeper or the dealer may
                tell what a player did, and whoever sits at a seat may keep the slate.

        Raises:
            IllegalAction: Refused: by the rules, or ``stale`` when *seen* shows a
                question that is closed by now.
            BadRequest: No such action, or facts that do not fit it.
            JournalWriteError: The table could not write it down.
            TableUnavailable: The table does not answer.
        """
        ...

    def scoreboard(self) -> Scoreboard:
        """Return the table as it stands."""
        ...

    def follow(self, after: int | None = None) -> Iterator[Scoreboard | None]:
        """Yield the scoreboard at once and at every change, the newest only if one is slow.

        None is yielded every few seconds without a change, so that a reader that has gone
        is noticed. Ends when the table closes. *after* is the last ``seq`` the reader saw;
        it gets the whole state in any case.
        """
        ...

    def log(self, limit: int = 50) -> tuple[LogEntry, ...]:
        """Return the last *limit* steps of the evening, newest first."""
        ...

    def frame(self) -> Frame | None:
        """Return what stands on the slate, or None if there is no slate."""
        ...

    @property
    def ears(self) -> "EarsClient":
        """What the box heard and how it is tuned; see `kloplei.table.client`."""
        ...

    @property
    def doctor(self) -> "DoctorClient":
        """What works in the box, and what can be tried; see `kloplei.table.client`."""
        ...

    @property
    def recordings(self) -> "RecordingsClient":
        """Recordings of the table, made and kept; see `kloplei.table.recordings_client`."""
        ...

    @property
    def door(self) -> "DoorClient":
        """Who asks to be let in by a knock; see `kloplei.table.client`."""
        ...

    @property
    def history(self) -> "HistoryClient":
        """What stays of the evenings; see `kloplei.table.history_client`."""
        ...

    @property
    def people(self) -> PeopleClient:
        """Whom the box knows; see `kloplei.table.people_client`."""
        ...

    @property
    def uplink(self) -> "UplinkClient":
        """What leaves the table for a house; see `kloplei.table.uplink_client`."""
        ...

    @property
    def voice(self) -> "VoiceClient":
        """What a house says itself; see `kloplei.table.voice_client`."""
        ...


def methods_of(protocol: Callable[..., object]) -> dict[str, Callable[..., object]]:
    """Return the methods of *protocol* that one may call, by name."""
    return {
        name: method
        for name, method in vars(protocol).items()
        if isfunction(method) and not name.startswith("_")
    }


def absent(protocol: Callable[..., T], sentence: str, **answers: Callable[..., object]) -> T:
    """Return a *protocol* whose part is not there: it finds nothing, and refuses to do anything.

    Args:
        protocol: What is wanted.
        sentence: Why it is refused, and what helps.
        answers: Methods that answer otherwise.

    Raises:
        BadRequest: By what it returns, wherever there is no empty answer.
    """

    def refuse(*_: object, **__: object) -> object:
        raise BadRequest(sentence)

    def answering(method: Callable[..., object]) -> Callable[..., object]:
        result = get_type_hints(method)["return"]
        if get_origin(result) is tuple:
            return lambda *_, **__: ()
        return (lambda *_, **__: None) if NoneType in get_args(result) else refuse

    found = {name: answering(method) for name, method in methods_of(protocol).items()}
    return cast("T", SimpleNamespace(**(found | answers)))


MOST_EVENTS = 200
"""Of so many events at most an answer tells, whatever was asked for."""


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
    table. *shape* is None where only edges are known.
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
    line: Annotated[Share, "Likelihood from which on it was a knock, as the game stood"] = (
        KNOCK_LINE
    )


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
    """

    most: Annotated[int, "So many events; 0 is switched off"]
    kept: int
    trouble: Annotated[Sentence | None, "Why the disk does not take it"] = None
    taken: Annotated[tuple[Line, ...], "What was taken last and may be taken back"] = ()
    weighing: Annotated[bool, "Whether a suggestion is being worked out"] = False


@dataclass(frozen=True, slots=True)
class Loudness:
    """How loud it was on each channel of a sensor in the last second."""

    part: str
    peaks: Annotated[tuple[Share, ...], "By channel"]
    age_s: Seconds


@dataclass(frozen=True, slots=True)
class LessonHeard:
    """A blow of which the table learned while people played, for somebody to take back.

    *said* is how it was told: ``mark``, ``answer``, ``undo``, ``repeat`` or ``silence``
    (`kloplei.knock.lessons.LessonSource`); *event* is its number among the `HeardEvent`.
    """

    number: Annotated[int, "What it is taken back by"]
    was_knock: Annotated[bool, "Whether it was a knock"]
    said: Annotated[
        str, {"enum": ["mark", "answer", "undo", "repeat", "silence"]}, "How that was told"
    ]
    event: Annotated[int, "The number of the blow among the events"]
    at: Annotated[float | None, "Wall clock, seconds since 1970"] = None


@dataclass(frozen=True, slots=True)
class TakenForKnock:
    """How many *of* some blows the box takes for knocks: *before* it learned in play, and now."""

    of: int = 0
    before: int = 0
    now: int = 0


LearnsNothing = Literal["keep", "edges", "deaf"]


@dataclass(frozen=True, slots=True)
class LearnedInPlay:
    """What the table learned while people played, the newest of its *lessons* first.

    *knocks* and *others* are what it makes of the blows of its lessons. *softer_db* is by how much
    it listens for softer knocks. While it *is_learning* a lesson is not in force yet. *trouble* is
    one sentence about a disk that does not take the lessons. Where nothing is learned any more,
    *learns_nothing* says why: the settings ``keep`` no blow, pads feel ``edges`` alone, or the
    table is ``deaf``, without a sensor that hears the wood.
    """

    lessons: tuple[LessonHeard, ...]
    knocks: TakenForKnock = TakenForKnock()
    others: TakenForKnock = TakenForKnock()
    softer_db: Annotated[float, "By how much softer blows wake it"] = 0.0
    is_learning: Annotated[bool, "Whether the newest lesson is still being learned"] = False
    trouble: Annotated[Sentence | None, "Why the disk does not take the lessons"] = None
    learns_nothing: Annotated[
        LearnsNothing | None, "Why nothing is learned here, null where it is"
    ] = None

    @property
    def lines(self) -> tuple[Line, ...]:
        """What all of it comes to, in words for page and terminal.

        There is none where nothing was learned, but might be.
        """
        blows = {"learned.knocks": self.knocks, "learned.others": self.others}
        # Right after the last one was forgotten, what it came to is told for a moment still.
        lines = [
            Line(key, {"of": one.of, "before": one.before, "now": one.now})
            for key, one in blows.items()
            if one.of and self.lessons
        ]
        if self.softer_db and self.lessons:
            lines.append(Line("learned.softer", {"db": self.softer_db}))
        if self.learns_nothing:
            lines.append(Line(f"learned.nothing-{self.learns_nothing}"))
        return tuple(lines)


IDLE = "idle"
RESULT = "result"
STEPS = ("quiet", "glass", "phone", "knocks", RESULT)
"""What is done one after the other; before the result it says ``weighing`` for a moment."""
TUNE_COMMANDS = ("look", "begin", "next", "skip", "redo", "save", "quit", "back", "wood")
"""What may be asked for in a tuning; which make sense now, `TuneStand` tells."""
_STEPS_OF_PADS = ("knocks", "glass", RESULT)


@dataclass(frozen=True, slots=True)
class SeatStand:
    """How far one seat is."""

    described_as: ClassVar[str] = "TuneSeat"
    seat: Seat
    count: int
    of: int
    state: Literal["to_come", "now", "done", "skipped"]


@dataclass(frozen=True, slots=True)
class TuningRemark:
    """One sentence of the result: *grade* is ``good``, ``fair`` or ``poor``."""

    grade: str
    line: Line


@dataclass(frozen=True, slots=True)
class Taught:
    """What a tuning has taught the ears, as far as people want to know."""

    tuned: bool
    gain_db: float
    strictness: float
    wary: Annotated[bool, "Glasses or phones taught it"]
    floor: Annotated[tuple[float, ...], "Loudest sample by channel in silence"]
    seats: Annotated[tuple[Seat, ...], "The seats that are told by how their knocks run"]


@dataclass(frozen=True, slots=True)
class WoodStand:
    """The table top as somebody told it, so that seats are told without a lesson.

    *told* is ``settings`` or ``table`` for who told it, ``nobody`` where it is to be asked; then
    the rest is what is likeliest. Spots are in metres from the left and towards the slate, as they
    follow from the rest; empty where they do not fit.
    """

    told: Annotated[str, {"enum": ["nobody", "settings", "table"]}]
    size: Annotated[str, "1.4x0.8, or 1.1 of a round one; in metres"] = ""
    planks: bool = False
    around: Annotated[int, "So many sit there"] = 0
    discs: Annotated[str, "corners, seats, or spots by channel"] = ""
    length_m: float = 0.0
    width_m: float = 0.0
    is_round: bool = False
    places: Annotated[tuple[tuple[float, ...], ...], "Where hands knock"] = ()
    spots: Annotated[tuple[tuple[float, ...], ...], "Where discs are, by channel"] = ()
    channels: Annotated[tuple[int, ...], "Those channels, as wired"] = ()


@dataclass(frozen=True, slots=True)
class TuneStand:
    """A tuning at one moment; `kloplei.games.scoreboard.Tuning` says what is like it there.

    *commands* are the steps that make sense now. *edges* tells that of this seat only edges are
    known, and no loudness. *in_force* is what was taught, *proposed* what would be. *wood* is the
    table top; None where fewer than two piezos are wired, and it would tell nothing. *trouble* is
    why what was taught before cannot be read, and the table listens as it came.
    """

    step: str
    commands: tuple[str, ...]
    in_force: Taught
    prompt: Line | None = None
    hint: Line | None = None
    seat: Seat | None = None
    count: int = 0
    of: int = 0
    level: int = 0
    edges: bool = False
    seats: tuple[SeatStand, ...] = ()
    remarks: tuple[TuningRemark, ...] = ()
    proposed: Taught | None = None
    wood: WoodStand | None = None
    trouble: Sentence | None = None

    @property
    def is_under_way(self) -> bool:
        """Whether somebody tunes."""
        return self.step != IDLE

    @property
    def way(self) -> tuple[str, ...]:
        """The steps from first to last; at a pad there is no silence, and glasses come last."""
        return _STEPS_OF_PADS if self.edges else STEPS

    @property
    def way_done(self) -> int:
        """How many steps of the way are behind; while it is worked out only the result is not."""
        return self.way.index(self.step) if self.step in self.way else len(self.way) - 1


class EarsClient(Protocol):
    """The ears of the box as pages and commands see them; safe from any thread."""

    def heard_events(self, limit: int = 50) -> tuple[HeardEvent, ...]:
        """Return the last *limit* events that are kept, newest first.

        Raises:
            BadRequest: *limit* is below 0 or beyond `MOST_EVENTS`.
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
            BadRequest: Nothing can be like that.
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
            TableUnavailable: It could not be written.
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
            TableUnavailable: It could not be written.
        """
        ...

    def learned_in_play(self) -> LearnedInPlay:
        """Return what the table learned while people played, and what that makes of blows."""
        ...

    def forget_lesson(self, number: int) -> None:
        """Take one lesson of play back, and learn from the others alone.

        Raises:
            IllegalAction: ``lesson_gone``: there is no such lesson (any more).
        """
        ...

    def forget_lessons(self) -> None:
        """Take back all that was learned while people played; tuning and marks stay."""
        ...

    def meter(self) -> tuple[Loudness, ...]:
        """Return the live meter: each part that measures how loud it is."""
        ...

    def tune(self, step: str, facts: Facts = NO_FACTS) -> TuneStand:
        """Do one step of a tuning, and return where it stands.

        It is one of `TUNE_COMMANDS`, with the facts that `kloplei.review.tuning` names; ``look``
        may always be asked for, and changes nothing. The answer is small enough to be asked for
        several times a second.

        Raises:
            BadRequest: No such step, or facts that do not fit it.
            IllegalAction: Not now; the reason is a ``reason.<code>`` of `kloplei.words`.
            TableUnavailable: The ears do not answer, or cannot write what they learned.
        """
        ...


def check_limit(limit: int) -> None:
    """Refuse a *limit* that makes no sense.

    Raises:
        BadRequest: It is below 0 or beyond `MOST_EVENTS`.
    """
    if not 0 <= limit <= MOST_EVENTS:
        raise BadRequest(f"The limit is {limit}, but must be from 0 to {MOST_EVENTS} events.")


def no_ears() -> EarsClient:
    """Return what a table without sensors answers: it heard nothing, and cannot be tuned."""
    return absent(
        EarsClient,
        Sentence("no-sensors"),
        heard_events=_nothing_heard,
        mark=_nothing_marked,
        keeping=lambda: Keeping(most=0, kept=0),
        learned_in_play=lambda: LearnedInPlay((), learns_nothing="deaf"),
    )


def _nothing_heard(limit: int = 50) -> tuple[HeardEvent, ...]:
    check_limit(limit)
    return ()


def _nothing_marked(number: int, _was: Verdict | None, _seat: Seat | None = None) -> NoReturn:
    raise IllegalAction("event_gone", number=number)


WELCOME = "notice.welcome"
"""Key of what the scoreboard shows while the table lets in who asks, past all limits."""
ASK_S = 30.0  # so long a question stands on the slate
TAKE_S = 60.0  # so long a phone that was let in may take to hear of it; Wi-Fi comes and goes

_Ticket = Annotated[str, ShortText(64)]
_Asker = Annotated[str, ShortText(64)]


class DoorState(StrEnum):
    """What has become of a phone's question."""

    QUEUED = "queued"  # another phone asks just now; its own word comes later
    ASKING = "asking"  # its word stands on the slate
    GRANTED = "granted"  # somebody at the table knocked for it
    REFUSED = "refused"  # the keeper of the slate said no
    GONE = "gone"  # nobody knocked in time, or there never was such a question


@dataclass(frozen=True, slots=True)
class DoorAnswer:
    """How the question with *ticket* stands.

    *ticket* is a secret of the phone that asked: whoever shows it is let in when it is granted.
    *word* stands on the slate too, and is empty until it does. *seat* is the one it asked for,
    None the keeper's place. It is asked until *until_s*, which is long over where it is not.
    """

    state: DoorState
    ticket: str = field(default="", repr=False)
    word: str = ""
    seat: Seat | None = None
    until_s: float = 0.0


class DoorClient(Protocol):
    """The door of the table as phones see it; safe from any thread."""

    def ask(
        self, seat: Seat | None, asker: _Asker, phone: Annotated[_Asker, AddedLater()] = ""
    ) -> DoorAnswer:
        """Ask to be let in at *seat*, or as the keeper of the slate (None).

        Args:
            seat: The place.
            asker: Address of the phone; some phones of one address may wait for each other.
            phone: What tells it from others there; it asks one question at a time.

        Raises:
            IllegalAction: ``door_asked``: this phone asks already, or as many of its address as
                may; ``door_wait``: it asked in vain of late, and the fact ``wait_s`` says for
                how long it has to wait; ``door_busy``: too many wait before it;
                ``door_tuning``: the table is being tuned.
            BadRequest: No such seat.
            TableUnavailable: The table does not answer.
        """
        ...

    def look(self, ticket: _Ticket) -> DoorAnswer:
        """Return how the question with *ticket* stands; granted ones for `TAKE_S` more."""
        ...

    def withdraw(self, ticket: _Ticket) -> None:
        """Ask no longer; a ticket that nobody knows does no harm."""
        ...

    def forget_phones(self) -> None:
        """Take a new key, so that no phone is let in any more that was before.

        Raises:
            BadRequest: This table keeps no key.
            TableUnavailable: The new one could not be written.
        """
        ...

    def refuse(self, number: int) -> None:
        """Turn the phone away that `Scoreboard.door` shows under *number*.

        Raises:
            IllegalAction: ``door_gone``: it asks no longer.
        """
        ...
