"""The seam: everything outside sees the table through `TableClient`.

Two bodies pass the same contract tests: in memory (`kloplei.table.session`) and over a
Unix socket (`kloplei.table.rpc_server`).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from inspect import isfunction
from types import NoneType, SimpleNamespace
from typing import (
    TYPE_CHECKING,
    Annotated,
    Protocol,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from kloplei.files import KlopleiError
from kloplei.games.game import Facts, IllegalAction, Seat
from kloplei.games.scoreboard import Line, Scoreboard

if TYPE_CHECKING:
    from kloplei.table.doctor import DoctorClient
    from kloplei.table.door import DoorClient
    from kloplei.table.ears import EarsClient

_NO_FACTS: Facts = {}

T = TypeVar("T")

__all__ = [
    "Frame",
    "IllegalAction",
    "LogEntry",
    "NotKept",
    "ShortText",
    "TableClient",
    "TableSilent",
    "Unreadable",
    "absent",
    "methods_of",
]


class Unreadable(KlopleiError, ValueError):
    """An action that nobody could understand: unknown name, missing or wrong facts."""


class TableSilent(KlopleiError, ConnectionError):
    """The table does not answer: not started yet, stopped, or at odds with itself."""


class NotKept(TableSilent):
    """The table could not write it down, so it was not done; the message says what to do."""


@dataclass(frozen=True, slots=True)
class ShortText:
    """Beside an annotation: the text is printable, and has *most* characters at most."""

    most: int

    def holds(self, text: str) -> bool:
        """Tell whether *text* is like that."""
        return len(text) <= self.most and text.isprintable()


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands on the slate: *bits* is row by row, 8 pixels a byte, most significant first."""

    width: int
    height: int
    bits: bytes


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One step of the evening.

    What was done, by which *seat* (None = the slate's keeper), and how: *via* is ``pad``,
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


class TableClient(Protocol):
    """The table as phones, slate and other edges see it; safe from any thread."""

    def submit(
        self,
        seat: Seat | None,
        action: str,
        *,
        seen: int | None = None,
        facts: Facts = _NO_FACTS,
        via: Annotated[str, ShortText(20)] = "phone",
    ) -> int:
        """Ask for *action* and return the journal number once it is on disk.

        Args:
            seat: Who asks; None is the keeper of the slate.
            action: A name out of the scoreboard's offers.
            seen: The ``seq`` that the asker was looking at; None skips the check.
            facts: What the offer needs. Seats in it are `Seat`.
            via: How it was asked, for the trail.

        Raises:
            IllegalAction: Refused: by the rules, or ``stale`` when *seen* shows a
                question that is closed by now.
            Unreadable: No such action, or facts that do not fit it.
            NotKept: The table could not write it down.
            TableSilent: The table does not answer.
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
        """What the box heard and how it is tuned; see `kloplei.table.ears`."""
        ...

    @property
    def doctor(self) -> "DoctorClient":
        """What works in the box, and what can be tried; see `kloplei.table.doctor`."""
        ...

    @property
    def door(self) -> "DoorClient":
        """Who asks to be let in by a knock; see `kloplei.table.door`."""
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
        Unreadable: By what it returns, wherever there is no empty answer.
    """

    def refuse(*_: object, **__: object) -> object:
        raise Unreadable(sentence)

    def answering(method: Callable[..., object]) -> Callable[..., object]:
        result = get_type_hints(method)["return"]
        if get_origin(result) is tuple:
            return lambda *_, **__: ()
        return (lambda *_, **__: None) if NoneType in get_args(result) else refuse

    found = {name: answering(method) for name, method in methods_of(protocol).items()}
    return cast("T", SimpleNamespace(**(found | answers)))
