"""The evening to take along: as a text to share, as a table of steps, or as JSON for a program."""

import csv
import io
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from kloplei.backup import NOT_HERE, BackupFailed, copy_journal
from kloplei.config.settings import JOURNAL
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Hand, Scoreboard
from kloplei.table.client import LogEntry
from kloplei.table.core import Table
from kloplei.table.journal import Journal
from kloplei.words import Words

_ALL = 1_000_000  # steps; no evening has so many
# What a spreadsheet takes for a formula, and may run; the wide ones mean the same to some.
_RUNS = tuple("=+-@\t\r\n|%\uff1d\uff0b\uff0d\uff20")
# Where a comma stands in numbers, a spreadsheet parts cells at semicolons, in quotes or not.
_CELL_BEGINS = re.compile(rf';(?=[\s"]*[{re.escape("".join(_RUNS))}])')
# New ones stand at the end: who reads them by their place finds them there.
_COLUMNS = ("seq", "at", "seat", "name", "via", "undone", "what", "about", "about_name")


@dataclass(frozen=True, slots=True)
class RunningEvening:
    """The table as it stands, and every step that led there, oldest first."""

    board: Scoreboard
    log: tuple[LogEntry, ...]


def read_evening(data: Path) -> RunningEvening:
    """Return the evening in the folder *data*; the table may go on meanwhile.

    Raises:
        BackupFailed: There is no journal there.
        JournalError: It cannot be read.
    """
    if not (data / JOURNAL).exists():
        raise BackupFailed(f"There is no journal in {data} to export: {NOT_HERE}.")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / JOURNAL
        copy_journal(data / JOURNAL, copy)
        with closing(Journal(copy, reach=None)) as journal:
            table = Table(journal)
            return RunningEvening(table.scoreboard(), table.log(_ALL)[::-1])


def as_json(evening: RunningEvening, _: Words) -> str:
    """Return scoreboard and log as the panel sends them (``/api/v1/openapi.json``)."""
    from kloplei.table.schema import WORLD, dump

    told = dump({"scoreboard": evening.board, "log": evening.log}, form=WORLD)
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"


def as_csv(evening: RunningEvening, words: Words) -> str:
    """Return a line a step, with a heading: who did it, how, when, what it was, and about whom."""
    written = io.StringIO()
    table = csv.writer(written)
    table.writerow(_COLUMNS)
    for one in evening.log:
        table.writerow(
            (
                one.seq,
                "" if one.at is None else datetime.fromtimestamp(one.at, UTC).isoformat(),
                *_who(one.seat, one),
                _as_text(one.via),
                "yes" if one.undone else "no",
                _as_text(_told(one, words)),
                *_who(one.about, one),
            )
        )
    return written.getvalue()


def as_text(evening: RunningEvening, words: Words) -> str:
    """Return what one sends to friends: who stands where, who pays whom, and hand by hand."""
    board = evening.board
    said = words.of_game(board.game)
    lines = [_title(board, said), "", *(f"{row.name}: {row.tally}" for row in board.rows)]
    if board.payments:
        paid = (
            f"{board.names[one.payer]} -> {board.names[one.payee]}: {one.amount}"
            for one in board.payments
        )
        lines += ["", *paid]
    for hand in board.hands:
        lines += ["", *_hand(hand, board, said)]
    return "\n".join(lines) + "\n"


FORMATS: Mapping[str, Callable[[RunningEvening, Words], str]] = {
    "text": as_text,
    "csv": as_csv,
    "json": as_json,
}
"""What an evening can be written as."""


def _who(seat: Seat | None, step: LogEntry) -> tuple[object, str]:
    """Return number and name of who sat at *seat* at that *step*."""
    return ("", "") if seat is None else (seat.shown, _as_text(step.names.get(seat, "")))


def _title(board: Scoreboard, words: Words) -> str:
    game = words.name("game", board.game)
    preset = words.name("preset", board.preset) if board.preset else ""
    return f"{game}: {preset}" if preset and preset != game else game


def _hand(hand: Hand, board: Scoreboard, words: Words) -> Iterator[str]:
    """Yield what *hand* brought everybody, and below it why, as far as the game tells."""
    brought = _amounts(hand.paid, board.names)
    won = "" if hand.winner is None else f"{board.names.get(hand.winner, '')}: "
    yield f"{hand.number}. {won}{words.say(hand.how)}{f' ({brought})' if brought else ''}"
    for told in hand.told:
        yield f"   {words.say(told.key, told.facts, board.names)}"
    for line in hand.ledger:
        why = words.say(line.line.key, line.line.facts, board.names)
        pots = ", ".join(f"{words.name('pot', pot)} {sum_:+}" for pot, sum_ in line.pots.items())
        yield f"   {why}: {', '.join(filter(None, (_amounts(line.amounts, board.names), pots)))}"


def _amounts(amounts: Mapping[Seat, int], names: Mapping[Seat, str]) -> str:
    return ", ".join(f"{names.get(seat, '')} {amounts[seat]:+}" for seat in sorted(amounts))


def _as_text(cell: str) -> str:
    """Return *cell* so that a spreadsheet reads it and runs nothing of it."""
    told = f"'{cell}" if cell.lstrip(" ").startswith(_RUNS) else cell
    return _CELL_BEGINS.sub(";'", told)


def _told(entry: LogEntry, words: Words) -> str:
    said = words.of_game(entry.game)
    lines = (*entry.before, entry.line)
    return " ".join(said.say(one.key, one.facts, entry.names) for one in lines)
