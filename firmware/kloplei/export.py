"""Evenings to take along: as a text to share, as a table, or as JSON for a program.

The one that runs is told by the table itself, step by step (`read_evening`, `FORMATS`); those of
the history hand by hand, as it keeps them (`read_history`, `HISTORY_FORMATS`).
"""

import csv
import io
import json
import re
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from kloplei.backup import NOT_HERE, BackupFailed, copy_journal
from kloplei.config.settings import HISTORY, JOURNAL, NOTEBOOKS
from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Hand, Scoreboard
from kloplei.history.service import HistoryService
from kloplei.history.summary import as_text as recap_of
from kloplei.table.client import LogEntry
from kloplei.table.core import Table
from kloplei.table.history_client import (
    MOST_EVENINGS,
    Evening,
    EveningLine,
    PlayedHand,
    Player,
)
from kloplei.table.journal import Journal
from kloplei.words import Words
from kloplei.words.dates import is_known, short_day_of

_ALL = 1_000_000  # steps; no evening has so many
# What a spreadsheet takes for a formula, and may run; the wide ones mean the same to some.
_RUNS = tuple("=+-@\t\r\n|%\uff1d\uff0b\uff0d\uff20")
# Where a comma stands in numbers, a spreadsheet parts cells at semicolons, in quotes or not.
_CELL_BEGINS = re.compile(rf';(?=[\s"]*[{re.escape("".join(_RUNS))}])')
# New ones stand at the end: who reads them by their place finds them there.
_HANDS = (
    *("evening", "date", "hand", "game", "rubber", "player", "won", "paid", "tally", "stake"),
    *("raised", "folded", "dealt", "how", "corrected"),
)
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
    _demand_journal(data)
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
    said = words.of_game(board.game, board.suits)
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


@contextmanager
def read_history(data: Path) -> Iterator[HistoryService]:
    """Give the history of the folder *data*, up to the last step; the table may go on meanwhile.

    Nothing is written there: what the table has told of it already is gone on from in a copy.

    Raises:
        BackupFailed: There is neither a journal nor a notebook, or it cannot be read.
    """
    if not (data / NOTEBOOKS).exists():  # evenings from paper need nobody to have played here
        _demand_journal(data)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / HISTORY
        if (data / HISTORY).is_file():  # to open a pipe is to wait at it
            with suppress(sqlite3.Error):  # then all is told anew
                copy_journal(data / HISTORY, copy)
        history = HistoryService(data / JOURNAL, path=copy)
        history.update()
        if (trouble := history.stand().trouble) is not None:
            raise BackupFailed(f"The evenings in {data} cannot be told: {trouble}")
        yield history


def evenings_in(history: HistoryService) -> list[EveningLine]:
    """Return all evenings, oldest first."""
    found: list[EveningLine] = []
    while page := history.evenings(found[-1].number if found else None, MOST_EVENINGS):
        found += page
    return found[::-1]


def evenings_as_text(evenings: Sequence[Evening], words: Words) -> str:
    """Return what one sends to friends: who won, titles, rounds, and how each rubber went."""
    told = ("\n".join(_evening_told(one, words)) for one in evenings)
    return "\n\n".join(told) + "\n" if evenings else ""


def evenings_as_csv(evenings: Sequence[Evening], _: Words) -> str:
    """Return a line for each player of each hand, with a heading."""
    written = io.StringIO()
    table = csv.writer(written)
    table.writerow(_HANDS)
    for evening in evenings:
        for hand in evening.hands:
            table.writerows(_hand_rows(evening, hand))
    return written.getvalue()


def evenings_as_json(evenings: Sequence[Evening], _: Words) -> str:
    """Return all that is told of them, as the panel sends it (``/api/v1/openapi.json``)."""
    from kloplei.table.schema import WORLD, dump

    told = [dump(one, form=WORLD) for one in evenings]
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"


HISTORY_FORMATS: Mapping[str, Callable[[Sequence[Evening], Words], str]] = {
    "text": evenings_as_text,
    "csv": evenings_as_csv,
    "json": evenings_as_json,
}
"""What evenings of the history can be written as."""


def _demand_journal(data: Path) -> None:
    if not (data / JOURNAL).exists():
        raise BackupFailed(f"There is no journal in {data}: {NOT_HERE}.")


def line_told(line: EveningLine, words: Words) -> str:
    """Return *line* of the list of evenings as the terminal shows it."""
    games = ", ".join(words.name("game", game) for game in line.games)
    names = ", ".join(_called(one, words) for one in line.players)
    hands = words.say("recap.hands", {"n": line.hands})
    return f"{line.number:>5}  {short_day_of(line.at, words):<12}  {games}: {names} ({hands})"


def _called(player: Player, words: Words) -> str:
    """Return what *player* is called in those *words*, as the recap does."""
    return words.called(player.name) or words.say("recap.player", {"number": player.number})


def _evening_told(evening: Evening, words: Words) -> Iterator[str]:
    """Yield the recap of *evening*, and in it who won each rubber, and how all stood then."""
    title, *recap, goodbye = recap_of(evening, words).rstrip("\n").split("\n")
    yield title
    names = {one.number: _called(one, words) for one in evening.line.players}
    comma = words.name("list", "comma")
    yield comma.join(names.values())
    yield from recap
    for rubber in evening.rubbers:
        hands = [one for one in evening.hands if one.rubber == rubber.number]
        if hands:
            won = words.listed([names[player] for player in rubber.winners])
            stood = comma.join(f"{names[player]} {n}" for player, n in hands[-1].tallies.items())
            played = words.say("recap.hands", {"n": len(hands)})
            yield f"{rubber.number}. {won or words.name('game', rubber.game)}: {played} ({stood})"
    yield goodbye


def _hand_rows(evening: Evening, hand: PlayedHand) -> Iterator[tuple[object, ...]]:
    line = evening.line
    at = line.at
    date = f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%d}" if is_known(at) else ""
    for one in line.players:
        if one.number in hand.tallies:
            who = one.number
            yield (
                *(line.number, date, hand.number, hand.game, hand.rubber),
                _as_text(one.name or f"({who})"),
                _yes(who in hand.winners),
                *(hand.paid.get(who, 0), hand.tallies[who], hand.stake or ""),
                sum(knock.player == who for knock in hand.knocks),
                hand.folded.get(who, ""),
                _yes(who == hand.dealer),
                hand.how.key.partition(".")[2],
                _yes(hand.corrected),
            )


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


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
