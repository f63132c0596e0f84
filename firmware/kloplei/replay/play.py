"""Records of any game, played: a course of events, or who takes a trick.

How the records of a game are written is its `RecordForm`: each `Word` that they may expect is
described once, and read, compared and told for ``--json`` from there. A `Value` comes in and
becomes a record; played, that gives an `Outcome` with the first difference. Then stand the readers
that forms are put together from.
"""

import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import MISSING, field, fields, replace
from datetime import date
from typing import Any, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

from kloplei.frozen import dataclass
from kloplei.games.card_game import CardGame, GameState
from kloplei.games.cards import read_cards
from kloplei.games.catalogue import game_kind
from kloplei.games.game import Action, Event, Game, IllegalAction, Seat
from kloplei.games.house_rules import HouseRules
from kloplei.replay.reader import DATE, REMARKS, Difference, Outcome, Record, Value, differs
from kloplei.table.actions import ChooseOptions, SitDown, StandUp, Swap, house_rules
from kloplei.table.seating import Seating, TableSetup, TableState
from kloplei.validation import meant

_YEARS = range(1900, 9999)  # as `kloplei.words.dates` tells them
_NEEDED = ("id", "players", "dealer", "events")
_ALLOWED = (*REMARKS, "game", "preset", "options", "start", "expected")

G = TypeVar("G", bound=Game[Any])
S = TypeVar("S")
R = TypeVar("R", bound=HouseRules)
Found = Mapping[str, Value]
Players = Mapping[str, Seat]
Reader = Callable[[Value, str], object]
"""Reads what is written; its arguments are the value, and its name."""


_SEATING = Seating(TableSetup(language="en"))
OF_THE_TABLE: dict[str, type[Action]] = {
    one.name: one for one in (SitDown, StandUp, Swap, ChooseOptions)
}
"""What people ask of the table rather than of the game."""


@dataclass(frozen=True, slots=True)
class At(Generic[G, S]):
    """A table of a *game* in some *state*, and which of the *players* sits where."""

    game: G
    state: S
    players: Players

    def names(self, seats: Iterable[Seat]) -> list[str]:
        """Return the players in *seats*, in the order of the record."""
        return names_of(seats, self.players)

    def name(self, seat: Seat | None) -> str | None:
        """Return who sits at *seat*, None for nobody's."""
        return None if seat is None else self.names([seat])[0]

    def numbers(self, of: Callable[[Seat], int]) -> dict[str, int]:
        """Return the number *of* each player's seat, but for those who have 0."""
        return {name: of(seat) for name, seat in self.players.items() if of(seat)}

    def does(self, action: Action) -> tuple["At[G, S]", tuple[Event, ...]]:
        """Return the table after *action*, and what happened.

        Raises:
            IllegalAction: The rules refuse it.
        """
        events = self.game.decide(self.state, action)
        return self.after(events), events

    def after(self, events: Iterable[Event]) -> "At[G, S]":
        """Return the table after *events*."""
        state = self.state
        for event in events:
            state = self.game.apply(state, event)
        return replace(self, state=state)


class PeopleComeAndGo(At[G, S]):
    """A table of a card game that lets them."""

    def does(self, action: Action) -> tuple["PeopleComeAndGo[G, S]", tuple[Event, ...]]:
        """Return the table after *action*, and what happened.

        Raises:
            IllegalAction: The rules refuse it.
        """
        if action.name not in OF_THE_TABLE:
            return super().does(action)  # type: ignore[return-value]  # `replace` keeps the class
        played = cast("CardGame[Any, Any]", self.game)
        house = played.options.as_facts()
        if isinstance(action, ChooseOptions) and action.preset is None:
            action = replace(action, options={**house, **action.options})
        preset = played.house_rules().name_in(played.presets)
        names = {seat: name for name, seat in self.players.items() if seat in self._seats}
        after = TableState(played.name, preset, house_rules(house), names, self.state)
        events = _SEATING.decide(after, action)
        for event in events:
            after = _SEATING.apply(after, event)
        return type(self)(cast("G", _SEATING.game(after)), after.play, self.players), events

    @property
    def lives(self) -> list[int]:
        """Lives lost by each player of the record, 0 for who does not sit there now."""
        lost = self.of_each(cast("Any", self.state).lives_lost.__getitem__)
        return [lost.get(name, 0) for name in self.players]

    def of_each(self, of: Callable[[Seat], int]) -> dict[str, int]:
        """Return the number *of* each player who sits there, but for those who have 0."""
        return self.numbers(lambda seat: of(seat) if seat in self._seats else 0)

    @property
    def _seats(self) -> tuple[Seat, ...]:
        return cast("GameState", self.state).seats


@dataclass(frozen=True, slots=True)
class Word(Generic[G, S]):
    """One word of the records of a game: how it is *read* where it is expected, and *told*.

    It is told only *when* the game has it, and of all games without.
    """

    read: Reader
    tell: Callable[[At[G, S]], object]
    when: Callable[[G], bool] | None = None


@dataclass(frozen=True, slots=True)
class RecordForm(Generic[G, S]):
    """How the records of one *game* are written.

    *setup* returns the table before the first event; *keys* are what a record may say
    besides what all do. *actions* go by the record's own word; *renamed* says where a fact
    of one is called otherwise, and *meant* what one of them is at a table. What is told after
    each event are *words*, and *final* at the end.
    """

    game: str
    setup: Callable[[Found, Players], At[G, S]]
    actions: Mapping[str, type[Action]]
    words: Mapping[str, Word[G, S]]
    final: Mapping[str, Word[G, S]]
    keys: tuple[str, ...] = ()
    renamed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    meant: Callable[[At[G, S], Action], Action] = lambda _, action: action


@dataclass(frozen=True, slots=True)
class RecordCheck:
    """*key* of the table must be *wanted*; the record says so in *line*."""

    key: str
    wanted: object
    line: int


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One event of a record; *illegal* is the code it must be refused with, if any."""

    name: str
    action: Action
    illegal: str | None
    checks: tuple[RecordCheck, ...]
    line: int


@dataclass(frozen=True, slots=True)
class PlayedCourse:
    """What happened in a record: from *start* on the events of each step that was done."""

    start: At[Any, Any]
    steps: tuple[tuple[Event, ...], ...]
    day: date | None


@dataclass(frozen=True, slots=True)
class RecordExample:
    """One example of a file, ready to be played; *day* is when it was, if that is said."""

    file: str
    id: str
    day: date | None = field(default=None, kw_only=True)

    def difference(self, line: int, what: str, sentence: str) -> Difference:
        """Return that something came out otherwise than *line* of the file expects."""
        return Difference(f"{self.file}:{line}", self.id, what, sentence)

    def compared(
        self,
        checks: Iterable[RecordCheck],
        came: Mapping[str, object],
        what: str,
        same: Callable[[Any, Any], object] = operator.eq,
    ) -> Iterator[Difference]:
        """Yield where what *came* is not the *same* as *checks* want."""
        for check in checks:
            found = came.get(check.key)
            if not same(check.wanted, found):
                yield self.difference(check.line, what, differs(check.key, check.wanted, found))


@dataclass(frozen=True, slots=True)
class CourseRecord(RecordExample, Generic[G, S]):
    """A course of events from *start* on."""

    form: RecordForm[G, S]
    start: At[G, S]
    steps: tuple[ReplayStep, ...]
    expected: tuple[RecordCheck, ...]

    def play(self) -> Outcome:
        """Play the events and compare what came with what the record says."""
        at, reports = self.start, []
        differences: list[Difference] = []
        for number, step in enumerate(self.steps, start=1):
            at, refused = _tried(at, self.form.meant(at, step.action))
            report = {**_told(self.form.words, at), "refused": refused}
            reports.append(report)
            what = f"event {number} ({step.name})"
            if refused != step.illegal:
                differences.append(self.difference(step.line, what, _verdict(step, refused)))
            differences += self.compared(step.checks, report, what)
        final = _told(self.form.final, at)
        differences += self.compared(self.expected, final, "at the end")
        return Outcome(
            {"id": self.id, "game": self.form.game, "steps": reports, "final": final},
            differences[0] if differences else None,
        )

    def course(self) -> PlayedCourse:
        """Return what happened; what the rules refused did not."""
        at, steps = self.start, list[tuple[Event, ...]]()
        for step in self.steps:
            with suppress(IllegalAction):
                at, events = at.does(self.form.meant(at, step.action))
                steps.append(events)
        return PlayedCourse(self.start, tuple(steps), self.day)


@dataclass(frozen=True, slots=True)
class JudgedRecord(RecordExample):
    """Cards that have been judged as they were read: what *came* of them, and is *wanted*."""

    game: str
    what: str
    came: Mapping[str, object]
    wanted: tuple[RecordCheck, ...]

    def play(self) -> Outcome:
        """Compare what came with what the record says."""
        report = {"id": self.id, "game": self.game, "steps": [], "final": self.came}
        differences = self.compared(self.wanted, self.came, self.what, _same_or_nothing)
        return Outcome(report, next(differences, None))


def read_record(value: Value, form: RecordForm[Any, Any]) -> Record:
    """Return the record written in *value*, in the *form* of its game, or the trick.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    if "plays" in value.mapping("a record"):
        return read_trick(value, form.game)
    found = value.keyed("a record", _NEEDED, (*_ALLOWED, *form.keys))
    day = read_remarks(found)
    found = playing(found, read_players(found["players"]))
    return CourseRecord(
        file=value.file,
        id=found["id"].label("id"),
        form=form,
        start=form.setup(found, found["players"].players),
        steps=tuple(_read_step(one, form) for one in found["events"].items("events")),
        expected=_read_expected(found["expected"], form) if "expected" in found else (),
        day=day,
    )


def read_trick(value: Value, game: str) -> JudgedRecord:
    """Return the record in *value* of who played what to a trick of *game*, and who takes it.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    kind = game_kind(game)
    words = kind.judged_by or ()
    found = value.keyed("a trick", ("id", "plays", "winner"), (*REMARKS, "game", *words))
    names, written = _read_plays(found["plays"])
    cards = found["plays"].makes(read_cards, written, kind.pack)
    said = {word: _read_said(found[word], word, names) for word in words if word in found}
    taken = found["plays"].makes(kind.judge, cards, said)
    came = {"winner": names[taken.place], "card": str(cards[taken.place])}
    return JudgedRecord(
        file=value.file,
        id=found["id"].label("id"),
        game=game,
        what="the trick",
        came={**came, **({"why": taken.why} if taken.why else {}), **taken.besides},
        wanted=(
            RecordCheck(
                "winner", _who_played(found["winner"], "winner", names), found["winner"].line
            ),
        ),
    )


def read_remarks(found: Found) -> date | None:
    """Look at what no rule asks for: it must be readable. Return the day, if one is said."""
    for remark in REMARKS:
        if remark in found:
            found[remark].plain(remark)
    return _read_day(found[DATE]) if DATE in found else None


def _read_day(value: Value) -> date:
    written = value.text(DATE)
    with suppress(ValueError):
        day = date.fromisoformat(written)
        if day.year in _YEARS:
            return day
    raise value.wrong(f"{DATE} is {written!r:.40}, but must be a day such as 2019-03-08.")


def playing(found: Found, players: Players) -> dict[str, Value]:
    """Return what was *found*, as values that name *players*."""
    return {key: value.playing(players) for key, value in found.items()}


def read_checks(found: Found, readers: Mapping[str, Reader]) -> tuple[RecordCheck, ...]:
    """Return what a record expects of those keys in *found* that *readers* know."""
    return tuple(
        RecordCheck(key, readers[key](value, key), value.line)
        for key, value in found.items()
        if key in readers
    )


def read_players(value: Value) -> dict[str, Seat]:
    """Return the seats of the players named in *value*, clockwise."""
    players: dict[str, Seat] = {}
    for one in value.items("players"):
        name = one.text("a player")
        if name in players:
            raise one.wrong(f"two players are called {name!r}.")
        players[name] = Seat(len(players))
    if not players:
        raise value.wrong("players names nobody; write who plays, clockwise.")
    return players


def read_house(found: Found, presets: Mapping[str, R], base: R, *, but: Collection[str] = ()) -> R:
    """Return the house rules that a record says, on top of the *base* of its game.

    Options in *but* the game reads for itself.

    Raises:
        NotARecord: No such preset or option, or a value that it cannot have.
    """
    rules = base
    if "preset" in found:
        preset = found["preset"].text("preset")
        if preset not in presets:
            raise found["preset"].wrong(f"there is no preset {preset!r}: {', '.join(presets)}.")
        rules = presets[preset]
    for name, (value, written) in read_options(found).items():
        if name not in but:
            rules = value.makes(type(rules).from_mapping, {name: written}, rules)
    return rules


def read_options(found: Found) -> dict[str, tuple[Value, object]]:
    """Return each option that a record says: where it stands, and as it is written.

    A list of several words, such as cards, is the same as those words with blanks between them.
    """
    if "options" not in found:
        return {}
    return {
        name: (value, _written(value, name))
        for name, value in found["options"].mapping("options").items()
    }


def player(value: Value, what: str) -> Seat:
    """Return the seat of the player named by *value*."""
    name = value.text(what)
    return _seat(value, f"{what} is {name!r:.40}", name)


def each_player(value: Value, what: str) -> Iterator[tuple[str, Seat, Value]]:
    """Yield name and seat of each player in the mapping *value*, and what stands there."""
    for name, one in value.mapping(what).items():
        yield name, _seat(one, f"{what} names {name!r}", name), one


def amounts(value: Value, what: str, least: int | None = None) -> dict[str, int]:
    """Return whole numbers by player, none below *least*."""
    return {
        name: one.whole(f"{what} of {name}", least) for name, _, one in each_player(value, what)
    }


def by_seat(value: Value, what: str) -> dict[Seat, int]:
    """Return numbers by the seats of the players in *value*; none may be less than 0."""
    return {value.players[name]: number for name, number in amounts(value, what, 0).items()}


def names_of(seats: Iterable[Seat], players: Players) -> list[str]:
    """Return the players in *seats*, in the order of the record."""
    chosen = set(seats)
    return [name for name, seat in players.items() if seat in chosen]


def name(value: Value, what: str) -> str:
    """Read the name of a player."""
    player(value, what)
    return value.text(what)


def numbers(value: Value, what: str) -> dict[str, int]:
    """Read numbers by name; who has 0 may be left out."""
    return {name: number for name, number in amounts(value, what, 0).items() if number}


def or_nothing(read: Reader) -> Reader:
    """Return a reader of what *read* reads, or of null for None."""
    return lambda value, what: None if value.plain(what) is None else read(value, what)


def listed(one: str, read: Reader) -> Callable[[Value, str], list[Any]]:
    """Return a reader of lists of what *read* reads, each called *one*."""
    return lambda value, what: [read(each, f"{one} in {what}") for each in value.items(what)]


def one_each(value: Value, what: str, *, sides: int | None = None) -> list[int]:
    """Read a list with a number for each of the players, or for each of so many *sides*."""
    read: list[int] = listed("a number", Value.whole)(value, what)
    there = len(value.players)
    if len(read) not in (there, sides):
        raise value.wrong(f"{what} has {len(read)} numbers, but there are {there} players.")
    return read


def _seat(value: Value, said: str, name: str) -> Seat:
    try:
        return value.players[name]
    except KeyError:
        there = ", ".join(value.players)
        raise value.wrong(f"{said}, who does not play; there are {there}.") from None


def _told(words: Mapping[str, Word[G, S]], at: At[G, S]) -> dict[str, object]:
    return {
        key: word.tell(at) for key, word in words.items() if word.when is None or word.when(at.game)
    }


def _tried(at: At[G, S], action: Action) -> tuple[At[G, S], str | None]:
    try:
        return at.does(action)[0], None
    except IllegalAction as refusal:
        return at, refusal.reason


def _verdict(step: ReplayStep, refused: str | None) -> str:
    if step.illegal is None:
        return f"expected to be done, but it is refused: {refused}"
    if refused is None:
        return f"expected to be refused ({step.illegal}), but it is done"
    return f"expected to be refused with {step.illegal}, but the reason is {refused}"


def _same_or_nothing(wanted: object, came: object) -> bool:
    """Where nothing came of the cards, a record may say so or leave it away."""
    return wanted == came or not (wanted or came)


def _read_step(value: Value, form: RecordForm[Any, Any]) -> ReplayStep:
    found = value.mapping("an event")
    if "ev" not in found:
        raise value.wrong("an event lacks the key 'ev'.")
    name = found["ev"].text("ev")
    if name not in form.actions:
        there = meant(name, form.actions, f"there are {', '.join(form.actions)}.")
        raise found["ev"].wrong(f"there is no event {name!r:.40}; {there}")
    kind = form.actions[name]
    renamed = {"seat": "p", **form.renamed.get(name, {})}
    keys = {one.name: renamed.get(one.name, one.name) for one in fields(kind)}
    needed = {keys[one.name] for one in fields(kind) if one.default is MISSING}
    readers = {key: word.read for key, word in form.words.items()}
    allowed = (*keys.values(), "illegal", *readers)
    value.check_keys(found, f"the event {name}", {"ev", *needed}, allowed)
    hints = get_type_hints(kind)
    asked = {
        fact: _read_fact(found[key], f"{key} of {name}", hints[fact])
        for fact, key in keys.items()
        if key in found
    }
    return ReplayStep(
        name=name,
        action=kind(**asked),
        illegal=found["illegal"].text("illegal") if "illegal" in found else None,
        checks=read_checks(found, readers),
        line=value.line,
    )


def _read_fact(value: Value, what: str, hint: Any) -> object:
    if hint in (Seat, Seat | None):
        return player(value, what)
    if hint is int:
        return value.whole(what)
    if hint == tuple[int, ...]:
        if value.is_list():
            return tuple(one_each(value, what))
        found = by_seat(value, what)
        return tuple(found.get(seat, 0) for seat in value.players.values())
    if hint == str | None:
        return value.label(what)
    if get_origin(hint) is Mapping:
        return {name: _written(one, name) for name, one in value.mapping(what).items()}
    if not get_args(hint):
        raise value.wrong(f"{what} cannot be told in a record yet.")
    word = value.label(what)
    if word not in get_args(hint):
        raise value.wrong(f"{what} must be {' or '.join(get_args(hint))}, not {word!r}.")
    return word


def _read_expected(value: Value, form: RecordForm[Any, Any]) -> tuple[RecordCheck, ...]:
    readers = {key: word.read for key, word in form.final.items()}
    return read_checks(value.keyed("expected", (), readers), readers)


def _written(value: Value, name: str) -> object:
    if value.is_list() and len(value.items(name)) > 1:
        return " ".join(one.label(f"a word of {name}") for one in value.items(name))
    return value.plain(name)


def _read_plays(value: Value) -> tuple[list[str], list[str]]:
    """Return who played to a trick, and which card each."""
    names: list[str] = []
    cards: list[str] = []
    for play in value.items("plays"):
        pair = play.items("a play")
        if len(pair) != 2:
            raise play.wrong("a play must be a player and a card, as in [A, H10].")
        name = pair[0].text("a player")
        if name in names:
            raise play.wrong(f"{name!r} plays twice to this trick.")
        names.append(name)
        cards.append(pair[1].text("a card"))
    return names, cards


def _who_played(value: Value, what: str, names: list[str]) -> str:
    name = value.text(what)
    if name not in names:
        raise value.wrong(f"{what} is {name!r}, who played no card.")
    return name


def _read_said(value: Value, word: str, names: list[str]) -> object:
    """Return what a record says of a trick besides its cards, as the judge is told it."""
    match word:
        case "folded":
            return {names.index(_who_played(one, word, names)) for one in value.items(word)}
        case "options":
            return {name: written for name, (_, written) in read_options({word: value}).items()}
        case _:
            return value.label(word)
