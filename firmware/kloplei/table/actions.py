"""What can be asked of the table itself, whatever game is played on it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import ClassVar

from kloplei.games.game import Action, Facts, Seat, SeatAction
from kloplei.table.client import Unreadable
from kloplei.table.schema import Form, Misfit, load, wire_name

_NAME_FACT: Mapping[str, str] = {"wire": "name"}
"""On the wire a player's name is the fact ``name``; on an `Action` that is its own word."""


@dataclass(frozen=True, slots=True)
class SitDown(SeatAction):
    """Somebody takes a free seat; without a name the seat lends its own ("Plek 3")."""

    name: ClassVar[str] = "sit_down"
    called: str | None = field(default=None, metadata=_NAME_FACT)


@dataclass(frozen=True, slots=True)
class StandUp(SeatAction):
    """Whoever sits here leaves."""

    name: ClassVar[str] = "stand_up"


@dataclass(frozen=True, slots=True)
class Swap(SeatAction):
    """Whoever sits here changes places with seat *of*, which may be free."""

    name: ClassVar[str] = "swap"
    of: Seat


@dataclass(frozen=True, slots=True)
class Rename(SeatAction):
    """Whoever sits here is called something else."""

    name: ClassVar[str] = "rename"
    called: str = field(metadata=_NAME_FACT)


@dataclass(frozen=True, slots=True)
class ChooseOptions(Action):
    """Play another game, preset or house rules; None keeps what is, *options* come on top."""

    name: ClassVar[str] = "options"
    game: str | None = None
    preset: str | None = None
    options: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Start(Action):
    """Begin to play with who sits; *dealer* None is the asker, else the first seat taken."""

    name: ClassVar[str] = "start"
    seat: Seat | None = None
    dealer: Seat | None = None


@dataclass(frozen=True, slots=True)
class Wipe(Action):
    """Abandon the running rubber: everybody back to nothing lost, honours stay."""

    name: ClassVar[str] = "wipe"
    rewrites: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class NewEvening(Action):
    """Begin afresh: honours gone, players stay seated."""

    name: ClassVar[str] = "new_evening"
    rewrites: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Undo(Action):
    """Take back the last *steps*."""

    name: ClassVar[str] = "undo"
    rewrites: ClassVar[bool] = True
    steps: int = 1


@dataclass(frozen=True, slots=True)
class Redo(Action):
    """Do again *steps* that were taken back, the last one taken back first."""

    name: ClassVar[str] = "redo"
    rewrites: ClassVar[bool] = True
    steps: int = 1


@dataclass(frozen=True, slots=True)
class Cancel(Action):
    """Stop the action that waits in its grace; leaves no entry in the journal."""

    name: ClassVar[str] = "cancel"
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class ItWasMe(SeatAction):
    """Answer the slate's question who knocked on the shared sensor."""

    name: ClassVar[str] = "it_was_me"


@dataclass(frozen=True, slots=True)
class AcceptKnock(Action):
    """Say that the doubtful knock was one; *doubt* is its number, None the one that stands."""

    name: ClassVar[str] = "accept_knock"
    seat: Seat | None = None
    doubt: int | None = None


@dataclass(frozen=True, slots=True)
class DismissKnock(Action):
    """Say that what was doubtful was no knock; what was sure still counts."""

    name: ClassVar[str] = "dismiss_knock"
    seat: Seat | None = None
    doubt: int | None = None


TABLE_ACTIONS: Mapping[str, type[Action]] = {
    one.name: one
    for one in (
        SitDown,
        StandUp,
        Swap,
        Rename,
        ChooseOptions,
        Start,
        Wipe,
        NewEvening,
        Undo,
        Redo,
        Cancel,
        ItWasMe,
        AcceptKnock,
        DismissKnock,
    )
}


def asked(
    actions: Mapping[str, type[Action]],
    name: str,
    seat: Seat | None,
    facts: Facts,
    *,
    seats: int,
) -> Action:
    """Return the action *name* of *seat* with *facts*.

    Args:
        actions: Every action there is, by name.
        name: The word on the wire.
        seat: Who asks; None is the keeper of the slate, who may give it as a fact.
        facts: Seats in them are `Seat`, or 1-based plain numbers.
        seats: Places at the table; a seat beyond them is unreadable.

    Raises:
        Unreadable: With a sentence that names what does not fit.
    """
    if name not in actions:
        raise Unreadable(f"No action is called {name!r}; the scoreboard lists those there are.")
    kind = actions[name]
    whole: dict[str, object] = dict(facts)
    if seat is not None and "seat" in [one.name for one in fields(kind)]:
        said = whole.get("seat", seat)
        if said != (seat if isinstance(said, Seat) else seat.shown):
            raise Unreadable(f"{name!r} is asked at seat {seat.shown}, but its facts say another.")
        whole["seat"] = seat
    for one in fields(kind):
        if "implied" in one.metadata:
            whole.setdefault(wire_name(one), one.metadata["implied"])
    try:
        return load(kind, whole, Form(marks=False, whole=True, seats=seats))
    except Misfit as misfit:
        raise Unreadable(f"{name!r} cannot be done like this: {misfit}.") from None


REASONS = (
    "already_started",
    "bad_name",
    "door_asked",
    "door_busy",
    "door_gone",
    "door_tuning",
    "door_wait",
    "grace_running",
    "name_taken",
    "not_seated",
    "not_started",
    "nothing_asked",
    "nothing_doubtful",
    "nothing_to_redo",
    "nothing_to_undo",
    "nothing_waits",
    "same_seat",
    "seat_empty",
    "seat_taken",
    "slate_clean",
    "stale",
    "too_few_players",
    "too_many_players",
)
"""Every reason for which the table itself refuses; ``words/`` holds ``reason.<code>``."""
