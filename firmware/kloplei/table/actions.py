"""What can be asked of the table itself, and what happened at it, whatever game is played there.

Class names and fields of events are the journal's, those of actions the phones': they stay.
"""

from collections.abc import Mapping
from dataclasses import field, fields, replace
from typing import ClassVar

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.games.card_game import Telling, shown, told
from kloplei.games.game import (
    Action,
    Answered,
    Event,
    Facts,
    Seat,
    SeatAction,
    actions_in,
    events_in,
)
from kloplei.games.scoreboard import Line, Tone
from kloplei.table.client import BadRequest
from kloplei.table.schema import JOURNAL, Form, Misfit, dump, load, wire_name
from kloplei.words import Sentence

_NAME_FACT: Mapping[str, str] = {"wire": "name"}
"""On the wire a player's name is the fact ``name``; on an `Action` that is its own word."""


@dataclass(frozen=True, slots=True)
class SitDown(SeatAction):
    """Somebody takes a free seat; without a name the seat lends its own ("Plek 3").

    A *person* is one whom the box knows; *remember* makes one of who is *called* so. Everybody else
    is a guest.
    """

    called: str | None = field(default=None, metadata=_NAME_FACT)
    person: int | None = None
    remember: bool = False


@dataclass(frozen=True, slots=True)
class StandUp(SeatAction):
    """Whoever sits here leaves."""


@dataclass(frozen=True, slots=True)
class Swap(SeatAction):
    """Whoever sits here changes places with seat *of*, which may be free."""

    of: Seat


@dataclass(frozen=True, slots=True)
class Rename(SeatAction):
    """Whoever sits here is called something else."""

    called: str = field(metadata=_NAME_FACT)


@dataclass(frozen=True, slots=True)
class Recognise(SeatAction):
    """Whoever sits here is a *person* whom the box knows, is to be one, or is a *guest* again.

    With *remember* the guest becomes a person of the name that stands there.
    """

    person: int | None = None
    remember: bool = False
    guest: bool = False


@dataclass(frozen=True, slots=True)
class Shorten(SeatAction):
    """Whoever sits here has a name that no slate can write, and a *short* one beside it."""

    short: str


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

    seat: Seat | None = None
    dealer: Seat | None = None


@dataclass(frozen=True, slots=True)
class Wipe(Action):
    """Abandon the running rubber: everybody back to nothing lost, honours stay."""

    rewrites: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class NewEvening(Action):
    """Begin afresh: honours gone, players stay seated."""

    rewrites: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Undo(Action):
    """Take back the last *steps*; *seat* None is the keeper, or nobody knows."""

    rewrites: ClassVar[bool] = True
    steps: int = 1
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Redo(Action):
    """Do again *steps* that were taken back, the last one taken back first."""

    rewrites: ClassVar[bool] = True
    steps: int = 1
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Cancel(Action):
    """Stop the action that waits in its grace; leaves no entry in the journal."""

    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class ItWasMe(SeatAction):
    """Answer the slate's question who knocked on the shared sensor."""


@dataclass(frozen=True, slots=True)
class AcceptKnock(Action):
    """Say that the doubtful knock was one; *doubt* is its number, None the one that stands."""

    seat: Seat | None = None
    doubt: int | None = None


@dataclass(frozen=True, slots=True)
class DismissKnock(Action):
    """Say that what was doubtful was no knock; what was sure still counts."""

    seat: Seat | None = None
    doubt: int | None = None


@dataclass(frozen=True, slots=True)
class AcceptCall(Action):
    """Those whom a house calls to this table sit down, in place of whoever sat there."""

    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class DismissCall(Action):
    """Show no longer whom a house calls to this table; leaves no entry in the journal."""

    seat: Seat | None = None


TABLE_ACTIONS = actions_in(globals())


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
        BadRequest: With a sentence that names what does not fit.
    """
    if name not in actions:
        raise BadRequest(Sentence("no-such-action", action=repr(name)))
    kind = actions[name]
    whole: dict[str, object] = dict(facts)
    if seat is not None and "seat" in [one.name for one in fields(kind)]:
        said = whole.get("seat", seat)
        if said != (seat if isinstance(said, Seat) else seat.shown):
            raise BadRequest(Sentence("two-seats", action=name, number=seat.shown))
        whole["seat"] = seat
    for one in fields(kind):
        if "implied" in one.metadata:
            whole.setdefault(wire_name(one), one.metadata["implied"])
    try:
        return load(kind, whole, Form(marks=False, whole=True, seats=seats))
    except Misfit as misfit:
        raise BadRequest(Sentence("misfit", action=name, why=misfit.as_fact())) from None


Options = tuple[tuple[str, str | int | bool | None], ...]
"""House rules that differ from the preset: (option, value), sorted by option."""


class UnknownEntry(KlopleiError, ValueError):
    """An entry of the journal that this version cannot read."""


def house_rules(options: Facts) -> Options:
    """Return *options* as events keep them."""
    return tuple(sorted(options.items()))  # type: ignore[arg-type]  # checked by who read them


@dataclass(frozen=True, slots=True)
class SatDown(Event):
    """*seat* was taken by *name*, who is that *person*; None is a guest.

    Here and below, the name of a person is not written but stands beside (`kloplei.table.people`).
    """

    seat: Seat
    name: str
    person: int | None = None


@dataclass(frozen=True, slots=True)
class StoodUp(Event):
    """*name* left *seat*, who is that *person*; None is a guest."""

    seat: Seat
    name: str
    person: int | None = None


@dataclass(frozen=True, slots=True)
class Swapped(Event):
    """Who sat at *seat* and who sat at *of*, if anybody, changed places; *free*: nobody did."""

    seat: Seat
    of: Seat
    free: bool = False


@dataclass(frozen=True, slots=True)
class Renamed(Event):
    """Who sits at *seat* was *before* and is now called *name*.

    Only guests are; *person* tells who a guest of that name was, where somebody has said so later.
    It is written where that guest is forgotten alone.
    """

    seat: Seat
    name: str
    before: str
    person: int | None = None


@dataclass(frozen=True, slots=True)
class Recognised(Event):
    """Who sits at *seat* is that *person*, or a guest again (None), and called *name*."""

    seat: Seat
    person: int | None
    name: str = ""


@dataclass(frozen=True, slots=True)
class OptionsChosen(Event):
    """From now on *game* is played by *preset*, with *options* on top.

    *changed* are the options that are otherwise than before, where it is the same game.
    """

    unseals: ClassVar[bool] = True
    game: str
    preset: str | None
    options: Options
    changed: Options = ()


@dataclass(frozen=True, slots=True)
class Started(Event):
    """The game began with *seats*, clockwise; *dealer* deals first."""

    unseals: ClassVar[bool] = True
    seats: tuple[Seat, ...]
    dealer: Seat


@dataclass(frozen=True, slots=True)
class RubberAbandoned(Event):
    """The slate was wiped before the rubber was over."""

    unseals: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class EveningBegun(Event):
    """An evening began with these *players*; holds all that outlives an evening.

    *people* are those of them who are no guests, by their ids.
    """

    unseals: ClassVar[bool] = True
    game: str
    preset: str | None
    options: Options
    players: tuple[tuple[Seat, str], ...] = ()
    people: tuple[tuple[Seat, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Recovered(Event):
    """What stood when the last hand had ended was written down again: the journal had lost it.

    *players* and *people* as in `EveningBegun`; *dealer* deals next, None where nobody had started.
    What each had is told as the scoreboard tells it, so that every game reads it for all time.
    *lost* is how many entries of the log are gone for good.
    """

    unseals: ClassVar[bool] = True
    game: str
    preset: str | None
    options: Options
    players: tuple[tuple[Seat, str], ...] = ()
    dealer: Seat | None = None
    tallies: tuple[tuple[Seat, int], ...] = ()
    counts: tuple[tuple[Seat, str, int], ...] = ()
    pots: tuple[tuple[str, int], ...] = ()
    lost: int = 0
    people: tuple[tuple[Seat, int], ...] = ()


@dataclass(frozen=True, slots=True)
class EntryLost(Event):
    """What stood here is gone; it keeps the numbers of all that came after it."""


@dataclass(frozen=True, slots=True)
class Undone(Event):
    """The last *n* steps were taken back."""

    n: int


@dataclass(frozen=True, slots=True)
class Redone(Event):
    """*n* steps that were taken back hold again."""

    n: int


TABLE_EVENTS = events_in(globals())


def encode(event: Event) -> tuple[str, dict[str, object]]:
    """Return *event* as its name and its facts, ready for JSON; seats in it count from 0.

    No person's name stands in it, and nothing of people where there are guests alone, nor of how
    something was answered where nobody knows: that is how a Kloplei of before wrote it, and reads
    it.
    """
    facts = dump(_unnamed(event), form=JOURNAL)
    if isinstance(event, SatDown | StoodUp | Renamed) and event.person is None:
        del facts["person"]
    if isinstance(event, EveningBegun | Recovered) and not event.people:
        del facts["people"]
    if isinstance(event, Answered):
        for unknown in [how for how in ("strength", "waited_s") if facts[how] is None]:
            del facts[unknown]
    return type(event).__name__, facts


def _unnamed(event: Event) -> Event:
    match event:
        case SatDown() | StoodUp() | Recognised() if event.person is not None:
            return replace(event, name="")
        case EveningBegun() | Recovered() if event.people:
            people = dict(event.people)
            named = ((seat, "" if seat in people else name) for seat, name in event.players)
            return replace(event, players=tuple(named))
    return event


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


_FEW_RULES = 3
"""So many changed rules are told one by one; more go by the name of their preset."""
_BY_NAME = told("options", "game", "preset")


def _rules_told(chosen: OptionsChosen) -> Line:
    if not (chosen.preset or chosen.options or chosen.changed):
        return Line("news.game-chosen", {"game": chosen.game}, Tone.TOLD)
    if not 0 < len(chosen.changed) <= _FEW_RULES:
        return _BY_NAME(chosen)
    rules = tuple(rule_told(*one).as_fact() for one in chosen.changed)
    return Line("news.rules-changed", {"rules": rules}, Tone.TOLD)


def rule_told(option: str, value: object) -> Line:
    """Return the line that says how a house rule is, to be quoted or listed."""
    # A number is no word: "3" is a choice of some houses, and called otherwise there.
    said = value if type(value) is int else str(value)
    return Line("rule.changed", {"option": option, "option-value": said})


def _swap_told(swapped: Swapped) -> Line:
    if swapped.free:
        return Line("news.moved", {"of": swapped.of, "place": swapped.of.shown}, Tone.TOLD)
    return Line("news.swapped", {"seat": swapped.seat, "of": swapped.of}, Tone.TOLD)


def _recognised_told(recognised: Recognised) -> Line:
    place = {"place": recognised.seat.shown}
    if recognised.person is None:
        return Line("news.guest-again", place, Tone.TOLD)
    return Line("news.recognised", {"name": recognised.name, **place}, Tone.TOLD)


def _recovered_told(recovered: Recovered) -> Line:
    if not recovered.lost:
        return Line("news.recovered", {}, Tone.TOLD)
    return Line("news.recovered-from-less", {"n": recovered.lost}, Tone.TOLD)


_SENTENCES: Mapping[type[Event], Telling] = {
    SatDown: shown("sat-down", "seat"),
    StoodUp: told("stood-up", "seat", "name"),
    Swapped: _swap_told,
    Renamed: told("renamed", "seat", "name", "before"),
    Recognised: _recognised_told,
    OptionsChosen: _rules_told,
    Started: shown("started", seat="dealer"),
    RubberAbandoned: told("slate-wiped"),
    EveningBegun: told("evening"),
    Recovered: _recovered_told,
    Undone: told("undone", "n"),
    Redone: told("redone", "n"),
}


def names_before(event: Event, names: Mapping[Seat, str]) -> Mapping[Seat, str]:
    """Return who sat where before *event*, which left *names*."""
    match event:
        case Swapped(seat, of):
            other = {seat: of, of: seat}
            return {other.get(one, one): name for one, name in names.items()}
        case StoodUp(seat, name):
            return {**names, seat: name}
    return names


def called_then(
    seat: Seat | None, then: Mapping[Seat, str], now: Mapping[Seat, str]
) -> Seat | str | None:
    """Return *seat*, or what who sat there was called *then*, if they have left it *now*."""
    if seat is None or (name := then.get(seat)) in (None, now.get(seat)):
        return seat
    # Where nobody is called so any more, who sits there goes by another name.
    return name if seat not in now or name in now.values() else seat


def step_told(
    line: Line,
    event: Event,
    seat: Seat | None,
    then: Mapping[Seat, str],
    now: Mapping[Seat, str],
) -> Line:
    """Return what a step was that *line* and its *event* tell, and that *seat* asked for.

    Who has another place *now* than *then*, after it, goes by name.
    """
    if isinstance(event, SatDown | Swapped):
        seats = {fact: one for fact, one in line.facts.items() if isinstance(one, Seat)}
        named = {fact: called_then(one, then, now) for fact, one in seats.items()}
        line = replace(line, facts={**line.facts, **named})
    of = called_then(seat, names_before(event, then), now)
    return Line("step.told", {"of": of, "step": line.as_fact()})


def news_of(event: Event) -> Line | None:
    """Return the line that tells *event*, or None if it is a game's own."""
    tell = _SENTENCES.get(type(event))
    return tell(event) if tell else None
