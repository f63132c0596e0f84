"""The record of a course of events, of any game: read by the game's form, played, compared."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, get_args, get_type_hints

from kloplei.replay.checks import (
    Check,
    Players,
    Readers,
    counts,
    player,
    read_checks,
    read_players,
)
from kloplei.replay.record import Difference, Outcome, differs
from kloplei.replay.yaml_values import REMARKS, Value, check_keys
from kloplei.rules.game import Action, Game, IllegalAction, Seat

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
