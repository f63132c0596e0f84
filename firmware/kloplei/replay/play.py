"""Records of any game, played: a course of events, or who takes a trick."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, TypeVar, get_args, get_type_hints

from kloplei.files import KlopleiError
from kloplei.replay.reader import REMARKS, Difference, Outcome, Value, check_keys, differs
from kloplei.rules.cards import Card, read_cards
from kloplei.rules.catalogue import GameKind
from kloplei.rules.game import Action, Game, IllegalAction, Seat
from kloplei.rules.house_rules import BadOption, HouseRules

Players = Mapping[str, Seat]
Reader = Callable[[Value, str, Players], object]
"""Reads what is expected; its arguments are the value, its name, and who plays."""
Readers = Mapping[str, Reader]


@dataclass(frozen=True, slots=True)
class Check:
    """*key* of the table must be *wanted*; the record says so in *line*."""

    key: str
    wanted: object
    line: int


def read_checks(
    found: Mapping[str, Value], readers: Readers, players: Players
) -> tuple[Check, ...]:
    """Return what a record expects of those keys in *found* that *readers* know."""
    return tuple(
        Check(key, readers[key](value, key, players), value.line)
        for key, value in found.items()
        if key in readers
    )


def read_players(value: Value) -> Players:
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


def player(value: Value, what: str, players: Players) -> Seat:
    """Return the seat of the player named by *value*."""
    name = value.text(what)
    if name not in players:
        raise value.wrong(
            f"{what} is {name!r:.40}, who does not play; there are {', '.join(players)}."
        )
    return players[name]


def counts(value: Value, what: str, players: Players) -> dict[Seat, int]:
    """Return the numbers by player in *value*; none may be less than 0."""
    found = {}
    for name, number in value.mapping(what).items():
        if name not in players:
            raise number.wrong(
                f"{what} names {name!r}, who does not play; there are {', '.join(players)}."
            )
        found[players[name]] = number.whole(f"{what} of {name}")
        if found[players[name]] < 0:
            raise number.wrong(f"{what} of {name} cannot be less than 0.")
    return found


def names_of(seats: Iterable[Seat], players: Players) -> list[str]:
    """Return the players in *seats*, in the order of the record."""
    chosen = set(seats)
    return [name for name, seat in players.items() if seat in chosen]


def whole(value: Value, what: str, _: Players) -> int:
    """Read a whole number."""
    return value.whole(what)


def text(value: Value, what: str, _: Players) -> str:
    """Read a text."""
    return value.text(what)


def name(value: Value, what: str, players: Players) -> str:
    """Read the name of a player."""
    player(value, what, players)
    return value.text(what)


def name_or_nobody(value: Value, what: str, players: Players) -> str | None:
    """Read the name of a player, or null for nobody."""
    return None if value.plain(what) is None else name(value, what, players)


def names(value: Value, what: str, players: Players) -> list[str]:
    """Read a list of names of players."""
    return [name(one, f"a player in {what}", players) for one in value.items(what)]


def numbers(value: Value, what: str, players: Players) -> dict[str, int]:
    """Read numbers by name; who has 0 may be left out."""
    named = {seat: one for one, seat in players.items()}
    return {named[seat]: n for seat, n in counts(value, what, players).items() if n}


R = TypeVar("R", bound=HouseRules)


def read_house(
    found: Mapping[str, Value],
    presets: Mapping[str, R],
    base: R,
    *,
    but: Collection[str] = (),
) -> R:
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
    for name, value in read_options(found).items():
        if name in but:
            continue
        try:
            rules = type(rules).from_mapping({name: value[1]}, rules)
        except BadOption as error:
            raise value[0].wrong(str(error)) from None
    return rules


def read_options(found: Mapping[str, Value]) -> dict[str, tuple[Value, object]]:
    """Return each option that a record says: where it stands, and as it is written.

    A list of several words, such as cards, is the same as those words with blanks between them.
    """
    if "options" not in found:
        return {}
    return {
        name: (value, _written(value, name))
        for name, value in found["options"].mapping("options").items()
    }


def _written(value: Value, name: str) -> object:
    if value.is_list() and len(value.items(name)) > 1:
        return " ".join(one.label(f"a word of {name}") for one in value.items(name))
    return value.plain(name)


_NEEDED = {"id", "players", "dealer", "events"}
_ALLOWED = {*REMARKS, "game", "preset", "options", "start", "expected"}

Found = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Form:
    """How the records of one game are written.

    *setup* returns the game and the table before the first event; *keys* are what a record
    may say besides what all do. *actions* go by the record's own word; *renamed* says where
    a fact of one is called otherwise. The *words* are the table as the readers expect it,
    from the game, its state and who plays.
    """

    setup: Callable[[Found, Players], tuple[Game[Any], Any]]
    keys: frozenset[str]
    actions: Mapping[str, type[Action]]
    renamed: Mapping[str, Mapping[str, str]]
    step_readers: Readers
    final_readers: Readers
    step_words: Callable[[Any, Any, Players], dict[str, object]]
    final_words: Callable[[Any, Any, Players], dict[str, object]]


@dataclass(frozen=True, slots=True)
class Step:
    """One event of a record; *illegal* is the code it must be refused with, if any."""

    name: str
    action: Action
    illegal: str | None
    checks: tuple[Check, ...]
    line: int


@dataclass(frozen=True, slots=True)
class CourseRecord:
    """One example, ready to be played."""

    file: str
    id: str
    form: Form
    game: Game[Any]
    players: Players
    start: Any
    steps: tuple[Step, ...]
    expected: tuple[Check, ...]

    def play(self) -> Outcome:
        """Play the events and compare what came with what the record says."""
        state, reports = self.start, []
        differences: list[Difference] = []
        for number, step in enumerate(self.steps, start=1):
            state, refused = _try(self.game, state, step.action)
            report = {**self.form.step_words(self.game, state, self.players), "refused": refused}
            reports.append(report)
            what = f"event {number} ({step.name})"
            if refused != step.illegal:
                differences.append(self._difference(step.line, what, _verdict(step, refused)))
            differences += self._compare(step.checks, report, what)
        final = self.form.final_words(self.game, state, self.players)
        differences += self._compare(self.expected, final, "at the end")
        return Outcome(
            {"id": self.id, "game": self.game.name, "steps": reports, "final": final},
            differences[0] if differences else None,
        )

    def _compare(
        self, checks: tuple[Check, ...], came: Mapping[str, object], what: str
    ) -> list[Difference]:
        return [
            self._difference(
                check.line, what, differs(check.key, check.wanted, came.get(check.key))
            )
            for check in checks
            if came.get(check.key) != check.wanted
        ]

    def _difference(self, line: int, what: str, sentence: str) -> Difference:
        return Difference(f"{self.file}:{line}", self.id, what, sentence)


def read_course(value: Value, form: Form) -> CourseRecord:
    """Return the record written in *value*, in the *form* of its game.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    found = value.mapping("a record")
    check_keys(found, value, "a record", _NEEDED, _ALLOWED | form.keys)
    for remark in REMARKS:
        if remark in found:
            found[remark].plain(remark)
    players = read_players(found["players"])
    game, start = form.setup(found, players)
    return CourseRecord(
        file=value.file,
        id=found["id"].label("id"),
        form=form,
        game=game,
        players=players,
        start=start,
        steps=tuple(_read_step(one, form, players) for one in found["events"].items("events")),
        expected=_read_expected(found.get("expected"), form, players),
    )


def _try(game: Game[Any], state: Any, action: Action) -> tuple[Any, str | None]:
    try:
        events = game.decide(state, action)
    except IllegalAction as refusal:
        return state, refusal.reason
    for event in events:
        state = game.apply(state, event)
    return state, None


def _verdict(step: Step, refused: str | None) -> str:
    if step.illegal is None:
        return f"expected to be done, but it is refused: {refused}"
    if refused is None:
        return f"expected to be refused ({step.illegal}), but it is done"
    return f"expected to be refused with {step.illegal}, but the reason is {refused}"


def _read_step(value: Value, form: Form, players: Players) -> Step:
    found = value.mapping("an event")
    if "ev" not in found:
        raise value.wrong("an event lacks the key 'ev'.")
    name = found["ev"].text("ev")
    if name not in form.actions:
        known = ", ".join(form.actions)
        raise found["ev"].wrong(f"there is no event {name!r:.40}; there are {known}.")
    kind = form.actions[name]
    renamed = {"seat": "p", **form.renamed.get(name, {})}
    keys = {one.name: renamed.get(one.name, one.name) for one in fields(kind)}
    needed = {keys[one.name] for one in fields(kind) if one.default is MISSING}
    allowed = {*keys.values(), "illegal", *form.step_readers}
    check_keys(found, value, f"the event {name}", {"ev"} | needed, allowed)
    hints = get_type_hints(kind)
    asked = {
        fact: _read_fact(found[key], f"{key} of {name}", hints[fact], players)
        for fact, key in keys.items()
        if key in found
    }
    return Step(
        name=name,
        action=kind(**asked),
        illegal=found["illegal"].text("illegal") if "illegal" in found else None,
        checks=read_checks(found, form.step_readers, players),
        line=value.line,
    )


def _read_fact(value: Value, what: str, hint: Any, players: Players) -> object:
    if hint is Seat:
        return player(value, what, players)
    if hint is int:
        return value.whole(what)
    if hint == tuple[int, ...]:
        found = counts(value, what, players)
        return tuple(found.get(seat, 0) for seat in players.values())
    word = value.label(what)
    if word not in get_args(hint):
        raise value.wrong(f"{what} must be {' or '.join(get_args(hint))}, not {word!r}.")
    return word


def _read_expected(value: Value | None, form: Form, players: Players) -> tuple[Check, ...]:
    if value is None:
        return ()
    found = value.mapping("expected")
    readers = {**form.final_readers, **form.step_readers}
    check_keys(found, value, "expected", set(), set(readers))
    return read_checks(found, readers, players)


_TRICK_NEEDS = {"id", "plays", "winner"}
_TRICK_MAY_SAY = {*REMARKS, "game"}


@dataclass(frozen=True, slots=True)
class TrickRecord:
    """One trick: *cards* by who played them, in order, and who must take it."""

    file: str
    line: int
    id: str
    kind: GameKind
    cards: dict[str, Card]
    took: str
    why: str | None
    besides: Mapping[str, object]
    wanted: str

    def play(self) -> Outcome:
        """Compare the winner with what the record says."""
        final: dict[str, object] = {"winner": self.took, "card": str(self.cards[self.took])}
        if self.why:
            final["why"] = self.why
        final.update(self.besides)
        difference = None
        if self.took != self.wanted:
            sentence = differs("winner", self.wanted, self.took)
            difference = Difference(f"{self.file}:{self.line}", self.id, "the trick", sentence)
        return Outcome(
            {"id": self.id, "game": self.kind.name, "steps": [], "final": final}, difference
        )


def read_trick(value: Value, kind: GameKind) -> TrickRecord:
    """Return the judge record of the game *kind* written in *value*.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    found = value.mapping("a trick")
    check_keys(found, value, "a trick", _TRICK_NEEDS, _TRICK_MAY_SAY | set(kind.judged_by))
    cards = _read_plays(found["plays"], kind)
    names = list(cards)
    said = {
        word: _READERS[word](found[word], word, cards) for word in kind.judged_by if word in found
    }
    try:
        taken = kind.judge(list(cards.values()), said)
    except KlopleiError as error:
        raise found["plays"].wrong(str(error)) from None
    return TrickRecord(
        file=value.file,
        line=found["winner"].line,
        id=found["id"].label("id"),
        kind=kind,
        cards=cards,
        took=names[taken.place],
        why=taken.why,
        besides=taken.besides,
        wanted=_read_name(found["winner"], "winner", cards),
    )


def _read_plays(value: Value, kind: GameKind) -> dict[str, Card]:
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
    try:
        return dict(zip(names, read_cards(cards, kind.pack), strict=True))
    except KlopleiError as error:
        raise value.wrong(str(error)) from None


def _read_name(value: Value, what: str, cards: dict[str, Card]) -> str:
    name = value.text(what)
    if name not in cards:
        raise value.wrong(f"{what} is {name!r}, who played no card.")
    return name


def _read_folded(value: Value, what: str, cards: dict[str, Card]) -> object:
    names = list(cards)
    return {names.index(_read_name(one, what, cards)) for one in value.items(what)}


def _read_word(value: Value, what: str, _: dict[str, Card]) -> object:
    return value.label(what)


def _read_options(value: Value, what: str, _: dict[str, Card]) -> object:
    return {name: written for name, (_, written) in read_options({what: value}).items()}


_READERS: dict[str, Callable[[Value, str, dict[str, Card]], object]] = {
    "folded": _read_folded,
    "options": _read_options,
    **dict.fromkeys(("variant", "schlag", "trump", "set", "trick", "named"), _read_word),
}
"""How a record writes what a judge may be told."""
