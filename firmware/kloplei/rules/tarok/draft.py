"""The running hand as it stands so far: what was told, and what each of it would pay."""

from kloplei.rules.game import Seat
from kloplei.rules.scoreboard import Posting
from kloplei.rules.tarok import entries
from kloplei.rules.tarok.booking import preview
from kloplei.rules.tarok.entries import AnyEntry
from kloplei.rules.tarok.events import Booked
from kloplei.rules.tarok.news import ledger_line, said_of
from kloplei.rules.tarok.options import Options
from kloplei.rules.tarok.state import State


def posting(line: Booked) -> Posting:
    """Return *line* of the ledger, as everybody may see it."""
    said = ledger_line(line.line, seat=line.seat, count=line.count)
    return Posting(said, _amounts(line), _pots(line))


def draft(options: Options, state: State) -> tuple[Posting, ...]:
    """Return what was paid at the deal, each entry with its own line, and what follows besides."""
    left = list(preview(options, state))
    entry_of = dict(enumerate(state.entries, start=1))
    # The fine for a wrong discard is booked before all others of the same player.
    as_booked = sorted(
        entry_of, key=lambda n: not isinstance(entry_of[n], entries.WrongDiscardFound)
    )
    line_of = {number: _taken(left, entry_of[number]) for number in as_booked}
    told = (_entry(number, entry, line_of[number]) for number, entry in entry_of.items())
    return (*map(posting, state.lines), *told, *map(posting, left))


def _entry(number: int, entry: AnyEntry, line: Booked | None) -> Posting:
    said = said_of(entry)
    if line is None:
        return Posting(said, entry=number)
    return Posting(said, _amounts(line), _pots(line), number)


def _taken(lines: list[Booked], entry: AnyEntry) -> Booked | None:
    """Take the line that *entry* alone brought about from *lines*, if there is one."""
    for line in lines:
        if _tells(entry, line):
            lines.remove(line)
            return line
    return None


def _tells(entry: AnyEntry, line: Booked) -> bool:
    if not isinstance(entry, entries.Entry):
        return isinstance(entry, entries.ResultTold) and line.line == "result"
    return entry.seat == line.seat and _is_called(entry, line.line)


def _is_called(entry: entries.Entry, line: str) -> bool:
    match entry:
        case entries.Declared(what=what) | entries.FateTold(what=what):
            return line == what
        case entries.Fined() | entries.WrongDiscardFound():
            return line == "fine"
        case entries.LastTrickTold():
            return line == "last_trick"
        case entries.LastCardTold(card=card):
            return line.startswith(f"{card}_ultimo")
        case entries.FeatTold(what=what):
            return line in (what, f"{what}_made", f"{what}_failed")
        case entries.FoolLeft():
            return line == "excuse_alone"
    return False


def _amounts(line: Booked) -> dict[Seat, int]:
    return {Seat(n): amount for n, amount in enumerate(line.amounts) if amount}


def _pots(line: Booked) -> dict[str, int]:
    pots = {"king": line.king, "pagat": line.pagat}
    return {pot: chips for pot, chips in pots.items() if chips}
