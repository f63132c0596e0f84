"""Records of toepen: players, events and what is expected, read and played.

The format is that of the worked examples in docs/rules/toepen.md (§ 12).
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, get_args, get_type_hints

from kloplei.records.checks import (
    FINAL_CHECKS,
    STEP_CHECKS,
    Check,
    Players,
    counts,
    final_words,
    player,
    read_final_check,
    read_step_check,
    step_words,
)
from kloplei.records.record import Difference, Outcome, differs
from kloplei.records.yaml_values import REMARKS, Value, check_keys
from kloplei.rules.game import Action, IllegalAction, Seat
from kloplei.rules.toepen import PRESETS, BadOption, BadSeating, Options, State, Toepen
from kloplei.rules.toepen.actions import ACTIONS

_NEEDED = {"id", "players", "dealer", "events"}
_ALLOWED = {*REMARKS, "game", "preset", "options", "start", "rubbers_won", "expected"}
_KEYS = {"seat": "p"}
# `lives` is what the record expects of all, so a line by hand is `{ev: chalk, p: A, n: 3}`.
_KEYS_OF_CHALK = {"seat": "p", "lives": "n"}


@dataclass(frozen=True, slots=True)
class Step:
    """One event of a record; *illegal* is the code it must be refused with, if any."""

    action: Action
    illegal: str | None
    checks: tuple[Check, ...]
    line: int


@dataclass(frozen=True, slots=True)
class ToepenRecord:
    """One example of toepen, ready to be played."""

    file: str
    id: str
    game: Toepen
    players: Players
    start: State
    steps: tuple[Step, ...]
    expected: tuple[Check, ...]

    def play(self) -> Outcome:
        """Play the events and compare what came with what the record says."""
        state, reports = self.start, []
        differences: list[Difference] = []
        for number, step in enumerate(self.steps, start=1):
            state, refused = _try(self.game, state, step.action)
            report = {**step_words(state, self.players), "refused": refused}
            reports.append(report)
            what = f"event {number} ({step.action.name})"
            if refused != step.illegal:
                differences.append(self._difference(step.line, what, _verdict(step, refused)))
            differences += self._compare(step.checks, report, what)
        final = final_words(state, self.players)
        differences += self._compare(self.expected, final, "at the end")
        return Outcome(
            {"id": self.id, "game": self.game.name, "steps": reports, "final": final},
            differences[0] if differences else None,
        )

    def _compare(
        self, checks: tuple[Check, ...], came: Mapping[str, object], what: str
    ) -> list[Difference]:
        return [
            self._difference(check.line, what, differs(check.key, check.wanted, came[check.key]))
            for check in checks
            if came[check.key] != check.wanted
        ]

    def _difference(self, line: int, what: str, sentence: str) -> Difference:
        return Difference(f"{self.file}:{line}", self.id, what, sentence)


def read_record(value: Value) -> ToepenRecord:
    """Return the record written in *value*.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    found = value.mapping("a record")
    check_keys(found, value, "a record", _NEEDED, _ALLOWED)
    for remark in REMARKS:
        if remark in found:
            found[remark].plain(remark)
    players = _read_players(found["players"])
    game = Toepen(_read_options(found))
    return ToepenRecord(
        file=value.file,
        id=found["id"].label("id"),
        game=game,
        players=players,
        start=_read_start(found, game, players),
        steps=tuple(_read_step(one, players) for one in found["events"].items("events")),
        expected=_read_expected(found.get("expected"), players),
    )


def _try(game: Toepen, state: State, action: Action) -> tuple[State, str | None]:
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


def _read_players(value: Value) -> Players:
    players: dict[str, Seat] = {}
    for one in value.items("players"):
        name = one.text("a player")
        if name in players:
            raise one.wrong(f"two players are called {name!r}.")
        players[name] = Seat(len(players))
    return players


def _read_options(found: Mapping[str, Value]) -> Options:
    options = Options()
    if "preset" in found:
        preset = found["preset"].text("preset")
        if preset not in PRESETS:
            raise found["preset"].wrong(f"there is no preset {preset!r}: {', '.join(PRESETS)}.")
        options = PRESETS[preset]
    if "options" in found:
        for name, value in found["options"].mapping("options").items():
            try:
                options = Options.from_mapping({name: value.plain(name)}, options)
            except BadOption as error:
                raise value.wrong(str(error)) from None
    return options


def _read_start(found: Mapping[str, Value], game: Toepen, players: Players) -> State:
    seats, dealer = tuple(players.values()), player(found["dealer"], "dealer", players)
    try:
        game.start(seats, dealer)
    except BadSeating as error:
        raise found["players"].wrong(str(error)) from None
    lost, won = (
        counts(found[key], key, players) if key in found else {} for key in ("start", "rubbers_won")
    )
    try:
        return game.start(seats, dealer, lives_lost=lost, rubbers_won=won)
    except BadSeating as error:
        raise found["start"].wrong(str(error)) from None


def _read_step(value: Value, players: Players) -> Step:
    found = value.mapping("an event")
    if "ev" not in found:
        raise value.wrong("an event lacks the key 'ev'.")
    name = found["ev"].text("ev")
    if name not in ACTIONS:
        raise found["ev"].wrong(f"there is no event {name!r}; there are {', '.join(ACTIONS)}.")
    kind = ACTIONS[name]
    special = _KEYS_OF_CHALK if name == "chalk" else _KEYS
    keys = {one.name: special.get(one.name, one.name) for one in fields(kind)}
    needed = {keys[one.name] for one in fields(kind) if one.default is MISSING}
    allowed = {*keys.values(), "illegal"} | STEP_CHECKS
    check_keys(found, value, f"the event {name}", {"ev"} | needed, allowed)
    hints = get_type_hints(kind)
    asked = {
        fact: _read_fact(found[key], f"{key} of {name}", hints[fact], players)
        for fact, key in keys.items()
        if key in found
    }
    return Step(
        action=kind(**asked),
        illegal=found["illegal"].text("illegal") if "illegal" in found else None,
        checks=tuple(
            read_step_check(key, one, players) for key, one in found.items() if key in STEP_CHECKS
        ),
        line=value.line,
    )


def _read_fact(value: Value, what: str, hint: Any, players: Players) -> object:
    if hint is Seat:
        return player(value, what, players)
    if hint is int:
        return value.whole(what)
    word = value.text(what)
    if word not in get_args(hint):
        raise value.wrong(f"{what} must be {' or '.join(get_args(hint))}, not {word!r}.")
    return word


def _read_expected(value: Value | None, players: Players) -> tuple[Check, ...]:
    if value is None:
        return ()
    found = value.mapping("expected")
    check_keys(found, value, "expected", set(), set(FINAL_CHECKS))
    return tuple(read_final_check(key, one, players) for key, one in found.items())
