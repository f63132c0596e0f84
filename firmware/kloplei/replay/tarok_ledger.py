"""What a record of Tarok expects of the ledger, and where it comes out otherwise (§ 10)."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kloplei.replay.checks import Players
from kloplei.replay.record import differs
from kloplei.replay.tarok_table import POTS, chips, read_pots
from kloplei.replay.yaml_values import Value, check_keys
from kloplei.rules.game import Seat
from kloplei.rules.tarok.events import Booked
from kloplei.rules.tarok.lines import LINES

Line = dict[str, str | int]
"""A line as records write it: its name, and what is not 0 by player and pot."""
Found = tuple[int, str, str]
"""Where something differs: line of the file, place in the ledger, and the sentence."""


@dataclass(frozen=True, slots=True)
class ExpectedLine:
    """One line that the ledger must have; the record says so at line *at*."""

    line: Line
    at: int


@dataclass(frozen=True, slots=True)
class ExpectedSum:
    """What a sum of the ledger must be, by player or pot; what is not named is 0."""

    key: str
    wanted: Mapping[str, int]
    at: int


@dataclass(frozen=True, slots=True)
class Expected:
    """All that a record expects of a hand; *lines* None is that it expects nothing of them."""

    lines: tuple[ExpectedLine, ...] | None = None
    sums: tuple[ExpectedSum, ...] = ()
    at: int = 0

    def difference(self, lines: list[Line], sums: Mapping[str, Mapping[str, int]]) -> Found | None:
        """Return the first of *lines* or *sums* that came otherwise."""
        if self.lines is not None and (found := self._of_lines(lines)):
            return found
        for one in self.sums:
            came = sums.get(one.key)
            if came is None or _nonzero(came) != _nonzero(one.wanted):
                return one.at, "at the end", differs(one.key, one.wanted, came)
        return None

    def _of_lines(self, came: list[Line]) -> Found | None:
        left = list(came)
        step = 0
        for number, one in enumerate(self.lines or (), start=1):
            where = f"line {number} ({one.line['line']})"
            own = LINES.get(str(one.line["line"]), step)
            if own < step:
                return one.at, where, "it is booked before the line above it."
            step = own
            if one.line not in left:
                return one.at, where, _missing(one.line, left)
            left.remove(one.line)
        if left:
            return self.at, "the ledger", f"it has one line more: {json.dumps(left[0])}."
        return None


def as_written(line: Booked, players: Players) -> Line:
    """Return *line* as records write it."""
    named = {name: line.amounts[seat] for name, seat in players.items()}
    return {"line": line.line, **_nonzero({**named, "king": line.king, "pagat": line.pagat})}


def net(lines: Iterable[Booked], players: Players, *, pots: bool) -> dict[str, int]:
    """Return the sum of *lines* by player, and by pot where there are *pots*."""
    lines = tuple(lines)
    sums = {name: sum(one.amounts[seat] for one in lines) for name, seat in players.items()}
    if pots:
        sums["king"] = sum(one.king for one in lines)
        sums["pagat"] = sum(one.pagat for one in lines)
    return sums


def read_expected(value: Value, players: Players) -> Expected:
    """Return what *value* expects of a hand.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    found = value.mapping("out")
    check_keys(found, value, "out", set(), {"lines", "net", "pots_after", "final"})
    lines = None
    if "lines" in found:
        lines = tuple(_line(one, players) for one in found["lines"].items("lines"))
    sums = tuple(
        ExpectedSum(key, _sum(found[key], key, players), found[key].line)
        for key in ("net", "pots_after", "final")
        if key in found
    )
    return Expected(lines, sums, value.line)


def _line(value: Value, players: Players) -> ExpectedLine:
    found = value.mapping("a line")
    if "line" not in found:
        raise value.wrong("a line lacks the key 'line'.")
    line: Line = {"line": found["line"].text("line")}
    for name, one in found.items():
        if name == "line":
            continue
        if name not in players and name not in POTS:
            there = ", ".join((*players, *POTS))
            raise one.wrong(f"a line names {name!r:.40}; there are {there}.")
        if amount := one.whole(f"{name} of a line"):
            line[name] = amount
    return ExpectedLine(line, value.line)


def _sum(value: Value, key: str, players: Players) -> dict[str, int]:
    if key == "pots_after":
        return read_pots(value, key)
    with_pots = dict(players) if key == "final" else {**players, **_POT_SEATS}
    named = {seat: name for name, seat in with_pots.items()}
    return {named[seat]: amount for seat, amount in chips(value, key, with_pots).items()}


_POT_SEATS = {"king": Seat(-1), "pagat": Seat(-2)}
"""Pots stand in a sum beside the players."""


def _missing(wanted: Line, left: list[Line]) -> str:
    """Return the sentence that *wanted* is not there, but perhaps something like it."""
    like = [one for one in left if one["line"] == wanted["line"]]
    if not like:
        return f"expected {json.dumps(wanted, ensure_ascii=False)}, but no such line is booked"
    return differs("the line", wanted, like[0])


def _nonzero(amounts: Mapping[str, int]) -> dict[str, int]:
    return {name: amount for name, amount in amounts.items() if amount}
