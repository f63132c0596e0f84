"""What happened at the table itself, whatever game is played on it."""

from collections.abc import Mapping
from dataclasses import dataclass

from kloplei.files import KlopleiError
from kloplei.games.game import Event, Facts, Seat
from kloplei.games.scoreboard import Line, Tone
from kloplei.table.schema import JOURNAL, Misfit, dump, load

Options = tuple[tuple[str, str | int | bool | None], ...]
"""House rules that differ from the preset: (option, value), sorted by option."""


class UnknownEntry(KlopleiError, ValueError):
    """An entry of the journal that this version cannot read."""


def house_rules(options: Facts) -> Options:
    """Return *options* as events keep them."""
    return tuple(sorted(options.items()))  # type: ignore[arg-type]  # checked by who read them


@dataclass(frozen=True, slots=True)
class SatDown(Event):
    """*seat* was taken by *name*."""

    seat: Seat
    name: str


@dataclass(frozen=True, slots=True)
class StoodUp(Event):
    """*name* left *seat*."""

    seat: Seat
    name: str


@dataclass(frozen=True, slots=True)
class Swapped(Event):
    """Who sat at *seat* and who sat at *of*, if anybody, changed places."""

    seat: Seat
    of: Seat


@dataclass(frozen=True, slots=True)
class Renamed(Event):
    """Who sits at *seat* was *before* and is now called *name*."""

    seat: Seat
    name: str
    before: str


@dataclass(frozen=True, slots=True)
class OptionsChosen(Event):
    """From now on *game* is played by *preset*, with *options* on top."""

    game: str
    preset: str | None
    options: Options


@dataclass(frozen=True, slots=True)
class Started(Event):
    """The game began with *seats*, clockwise; *dealer* deals first."""

    seats: tuple[Seat, ...]
    dealer: Seat


@dataclass(frozen=True, slots=True)
class RubberAbandoned(Event):
    """The slate was wiped before the rubber was over."""


@dataclass(frozen=True, slots=True)
class EveningBegun(Event):
    """An evening began with these *players*; holds all that outlives an evening."""

    game: str
    preset: str | None
    options: Options
    players: tuple[tuple[Seat, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Undone(Event):
    """The last *n* steps were taken back."""

    n: int


@dataclass(frozen=True, slots=True)
class Redone(Event):
    """*n* steps that were taken back hold again."""

    n: int


TABLE_EVENTS: Mapping[str, type[Event]] = {
    one.__name__: one
    for one in (
        SatDown,
        StoodUp,
        Swapped,
        Renamed,
        OptionsChosen,
        Started,
        RubberAbandoned,
        EveningBegun,
        Undone,
        Redone,
    )
}


def encode(event: Event) -> tuple[str, dict[str, object]]:
    """Return *event* as its name and its facts, ready for JSON; seats in it count from 0."""
    return type(event).__name__, dump(event, form=JOURNAL)


def decode(name: str, facts: Mapping[str, object], events: Mapping[str, type[Event]]) -> Event:
    """Return the event *name* with *facts*, as `encode` wrote them.

    Raises:
        UnknownEntry: No such event, or facts that do not fit it.
    """
    if name not in events:
        raise UnknownEntry(
            f"The journal holds an event {name!r} that this version does not know. "
            "Install the version that wrote it."
        )
    try:
        return load(events[name], facts, JOURNAL)
    except Misfit as misfit:
        raise UnknownEntry(f"The journal's event {name!r} cannot be read: {misfit}.") from None


_SHOWN = frozenset({"sat-down", "started"})  # the rows tell it by themselves


def news_of(event: Event) -> Line | None:
    """Return the line that tells *event*, or None if it is a game's own."""
    match event:
        case SatDown(seat):
            return _news("sat-down", seat=seat)
        case StoodUp(seat, name):
            return _news("stood-up", seat=seat, name=name)
        case Swapped(seat, of):
            return _news("swapped", seat=seat, of=of)
        case Renamed(seat, name, before):
            return _news("renamed", seat=seat, name=name, before=before)
        case OptionsChosen(game, preset):
            return _news("options", game=game, preset=preset)
        case Started(_, dealer):
            return _news("started", seat=dealer)
        case RubberAbandoned():
            return _news("slate-wiped")
        case EveningBegun():
            return _news("evening")
        case Undone(n):
            return _news("undone", n=n)
        case Redone(n):
            return _news("redone", n=n)
        case _:
            return None


def _news(key: str, **facts: object) -> Line:
    told: Facts = facts
    return Line(f"news.{key}", told, Tone.PLAIN if key in _SHOWN else Tone.TOLD)
