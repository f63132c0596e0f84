"""Records of Tarok: hands told in full, and the end of an evening.

The format is that of the worked examples in docs/rules/tarok.md (§ 10). A hand goes the road
of a table: it is dealt, told entry by entry, and booked.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from kloplei.replay.record import Difference, Outcome, Record
from kloplei.replay.tarok_cards import read_count, read_judged
from kloplei.replay.tarok_hand import HAND_KEYS, Named, read_entries
from kloplei.replay.tarok_ledger import Expected, as_written, net, read_expected
from kloplei.replay.tarok_table import Table, read_table
from kloplei.replay.trick import read_trick
from kloplei.replay.yaml_values import REMARKS, Value, check_keys
from kloplei.rules.catalogue import game_kind
from kloplei.rules.game import Action, Event, IllegalAction
from kloplei.rules.tarok import State, actions
from kloplei.rules.tarok.course import Course
from kloplei.rules.tarok.entries import AnyEntry
from kloplei.rules.tarok.events import Booked
from kloplei.rules.tarok.hand import Hand
from kloplei.rules.tarok.told_wrong import warnings

SETS = ("a", "b", "c")

_NEEDED = {"id", "set", "in"}
_ALLOWED = {*REMARKS, "game", "kind", "out", "reject"}
_KINDS = ("hand", "session_end")
_AT_TABLE = {"dealer", "options", "preset", "sitter", "scores", "pots_before"}


@dataclass(frozen=True, slots=True)
class TarokRecord:
    """One example, ready to be played: *first* and *last* are asked for around its *entries*.

    *rejects* are codes it must be refused for, with the line that says so.
    """

    file: str
    line: int
    id: str
    table: Table
    first: tuple[Action, ...]
    entries: tuple[AnyEntry, ...]
    last: Action
    expected: Expected
    rejects: tuple[tuple[str, int], ...]

    def play(self) -> Outcome:
        """Play the hand and compare what came with what the record says."""
        game = self.table.game
        course = Course(game.options, self.table.state)
        for action in self.first:
            _tell_all(course, game.decide(course.state, action))
        _tell_all(course, self.entries)
        told = course.state.hand
        try:
            _tell_all(course, game.decide(course.state, self.last))
        except IllegalAction as refusal:
            return self._refused(cast("tuple[str, ...]", refusal.facts["codes"]))
        return self._done(told, course)

    def _refused(self, codes: tuple[str, ...]) -> Outcome:
        """Return how it went where the rules refuse the hand for all those *codes*."""
        came = ", ".join(codes)
        difference = None
        if not self.rejects:
            difference = self._difference(self.line, "the hand", f"it is refused: {came}")
        for code, line in self.rejects:
            if code not in codes and difference is None:
                sentence = f"expected to be refused with {code}, but it is {came}"
                difference = self._difference(line, "the hand", sentence)
        return self._outcome({"rejects": list(codes)}, self.table.state, difference)

    def _done(self, told: Hand, course: Course) -> Outcome:
        """Return how it went where the hand *told* is booked."""
        options, state, players = course.options, course.state, self.table.players
        lines = [one for one in course.events if isinstance(one, Booked)]
        ledger = [as_written(line, players) for line in lines]
        sums = {"net": net(lines, players, pots=options.has_pots)}
        if options.has_pots:
            sums["pots_after"] = {"king": state.pots.king, "pagat": state.pots.pagat}
        report: dict[str, object] = {"lines": ledger, **sums}
        if odd := warnings(options, told):
            report["warnings"] = list(odd)
        if self.rejects:
            code, line = self.rejects[0]
            sentence = f"expected to be refused with {code}, but it is booked"
            return self._outcome(report, state, self._difference(line, "the hand", sentence))
        found = self.expected.difference(ledger, {**sums, "final": self._scores(state)})
        return self._outcome(report, state, found and self._difference(*found))

    def _outcome(
        self, report: Mapping[str, object], state: State, difference: Difference | None
    ) -> Outcome:
        final = self._scores(state)
        whole = {"id": self.id, "game": "tarok", "set": self.table.game.options.rule_set}
        step = {**report, "final": final}
        return Outcome({**whole, "steps": [step], **step}, difference)

    def _scores(self, state: State) -> dict[str, int]:
        return {name: state.scores[seat] for name, seat in self.table.players.items()}

    def _difference(self, line: int, what: str, sentence: str) -> Difference:
        return Difference(f"{self.file}:{line}", self.id, what, sentence)


@dataclass(frozen=True, slots=True)
class _Told:
    """What a record tells to be played."""

    table: Table
    first: tuple[Action, ...]
    entries: tuple[AnyEntry, ...]
    last: Action


def read_tarok(value: Value) -> Record:
    """Return the record of Tarok written in *value*, of whatever kind.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    found = value.mapping("a record")
    if "plays" in found:
        return read_trick(value, game_kind("tarok"))
    if "piles" in found or "points" in found:
        return read_count(value)
    return read_judged(value) if "cards" in found else _read_hand(value, found)


def _read_hand(value: Value, found: Mapping[str, Value]) -> TarokRecord:
    check_keys(found, value, "a record", _NEEDED, _ALLOWED)
    if "out" in found and "reject" in found:
        raise found["reject"].wrong("a record expects either 'out' or 'reject'.")
    for remark in REMARKS:
        if remark in found:
            found[remark].plain(remark)
    told = _told_end(found) if _kind(found) == "session_end" else _told_hand(found)
    players = told.table.players
    return TarokRecord(
        file=value.file,
        line=value.line,
        id=found["id"].label("id"),
        table=told.table,
        first=told.first,
        entries=told.entries,
        last=told.last,
        expected=read_expected(found["out"], players) if "out" in found else Expected(),
        rejects=_rejects(found["reject"]) if "reject" in found else (),
    )


def _kind(found: Mapping[str, Value]) -> str:
    kind = found["kind"].text("kind") if "kind" in found else "hand"
    if kind not in _KINDS:
        raise found["kind"].wrong(f"kind must be {' or '.join(_KINDS)}, not {kind!r:.40}.")
    return kind


def _told_hand(found: Mapping[str, Value]) -> _Told:
    told = found["in"].mapping("in")
    allowed = {*_AT_TABLE, *HAND_KEYS, "session_start", "redeal"}
    check_keys(told, found["in"], "in", {"players", "dealer"}, allowed)
    starts = "session_start" in told and told["session_start"].switch("session_start")
    again = "redeal" in told and told["redeal"].switch("redeal")
    table = read_table(read_set(found["set"]), told, opened=not starts)
    # Antes and extras of a hand thrown in are in the pots already.
    table = replace(table, state=replace(table.state, paid=again))
    entries = read_entries(told, Named(table.players, strangers="reject" in found))
    return _Told(table, (actions.Deal(),), entries, actions.Book())


def _told_end(found: Mapping[str, Value]) -> _Told:
    told = found["in"].mapping("in")
    check_keys(told, found["in"], "in", {"players"}, _AT_TABLE)
    table = read_table(read_set(found["set"]), told, opened=True)
    if "dealer" in told:
        # Who dealt last; the next one would be the first to deal again.
        table = replace(table, state=replace(table.state, dealer=table.state.next_dealer))
    return _Told(table, (), (), actions.Settle())


def read_set(value: Value) -> str:
    """Return which game of the family *value* says."""
    rule_set = value.text("set")
    if rule_set not in SETS:
        raise value.wrong(f"set must be {' or '.join(SETS)}, not {rule_set!r:.40}.")
    return rule_set


def _tell_all(course: Course, events: Iterable[Event]) -> None:
    for event in events:
        course.tell(event)


def _rejects(value: Value) -> tuple[tuple[str, int], ...]:
    codes = value.items("reject") if value.is_list() else [value]
    if not codes:
        raise value.wrong("reject names no code.")
    return tuple((one.text("reject"), one.line) for one in codes)
