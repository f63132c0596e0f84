"""Evenings from paper: a club's old notebook, written as records, read as history alone.

A notebook is a file of records as `kloplei replay` plays them (docs/rules/<game>.md), each with the
day on which it was played. What it expects is checked, and a notebook in which anything comes out
otherwise is not taken. Records of one day that follow each other are one evening; where no day is
said, those with the same players are. `NotebookStore` keeps them as they were written, beside the
journal and never in it: nobody at the table is asked about them, and undo does not reach them.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from datetime import date, datetime, time
from itertools import count, groupby
from pathlib import Path
from typing import Any, cast

from kloplei.config.settings import NOTEBOOKS
from kloplei.files import KlopleiError, atomic_write
from kloplei.frozen import dataclass, replace
from kloplei.games.card_game import CardGame
from kloplei.games.game import Event, IllegalAction, Seat
from kloplei.history.evenings import Fold, Folded
from kloplei.history.steps import Written
from kloplei.replay.play import PlayedCourse
from kloplei.replay.reader import records_in
from kloplei.table.actions import EveningBegun, encode, house_rules
from kloplei.table.journal import Entry
from kloplei.table.ledger import draw_up
from kloplei.table.seating import Seating, TableSetup, TableState, checked_name, standing
from kloplei.words.letters import NAME_MAX

MOST = 200
"""So many notebooks a box keeps; each is half a megabyte at the most."""
_MOST_LETTERS = 8_000_000
"""In all of them: a small Pi has to hold them at once. A club's hundred years have fewer."""
_NOON = time(12)


class NotANotebook(KlopleiError, ValueError):
    """There is no evening in it, or no such notebook; the message says what to do."""


class DidNotGoLikeThis(KlopleiError):
    """What a notebook says of an evening is not what the rules make of it; it names the line."""


class NotebooksUnkept(KlopleiError, OSError):
    """The notebooks cannot be read or kept; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Notebook:
    """The records in *text*, which stood in the file *name*."""

    name: str
    text: str

    @property
    def id(self) -> str:
        """What it is taken away by; the same text has the same."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class ReadNotebook:
    """A notebook that was read: its *evenings*, and how many records of it are none."""

    evenings: tuple[Folded, ...]
    left_out: int


class NotebookStore:
    """The notebooks that were brought, in one file of the folder *data*; the oldest first."""

    def __init__(self, data: Path) -> None:
        self._path = data / NOTEBOOKS

    def read(self) -> tuple[Notebook, ...]:
        """Return those that are kept.

        Raises:
            NotebooksUnkept: What stands there is none of them.
        """
        try:
            told = json.loads(self._path.read_bytes())
            return tuple(Notebook(str(one["name"]), str(one["text"])) for one in told)
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
            raise NotebooksUnkept(
                f"{self._path} cannot be read ({error}). Put it back from a backup, or take it "
                "away and import the notebooks again."
            ) from error

    def put(self, notebook: Notebook) -> bool:
        """Keep *notebook*, and return whether it was not here yet.

        Raises:
            NotebooksUnkept: It could not be written, or there is no room for more.
        """
        kept = self.read()
        if any(one.id == notebook.id for one in kept):
            return False
        if len(kept) >= MOST:
            raise NotebooksUnkept(f"There are {MOST} notebooks already; take one away first.")
        if sum(len(one.text) for one in (*kept, notebook)) > _MOST_LETTERS:
            raise NotebooksUnkept("There is no room for so long a notebook; take one away first.")
        self._write((*kept, notebook))
        return True

    def remove(self, name: str) -> bool:
        """Take the notebook away of which *name* is the id; return whether there was one.

        Raises:
            NotebooksUnkept: It could not be written.
        """
        kept = self.read()
        left = tuple(one for one in kept if one.id != name)
        if left != kept:
            self._write(left)
        return left != kept

    def _write(self, notebooks: tuple[Notebook, ...]) -> None:
        told = [{"name": one.name, "text": one.text} for one in notebooks]
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_write(self._path, json.dumps(told, ensure_ascii=False).encode(), 0o600)
        except OSError as error:
            raise NotebooksUnkept(f"{self._path} could not be written: {error}.") from error


def read_notebook(notebook: Notebook, pause: Callable[[], None] = lambda: None) -> ReadNotebook:
    """Return the evenings in *notebook*, in the order in which they stand there.

    Args:
        notebook: What somebody wrote.
        pause: Called for each record and evening: a long one takes a minute on a small Pi.

    Raises:
        NotARecord: It cannot be read; the message names file and line.
        NotANotebook: There is no evening in it.
        DidNotGoLikeThis: Something in it came out otherwise than it says.
    """
    courses: list[PlayedCourse] = []
    left_out = 0
    for record in records_in(notebook.text, notebook.name):
        pause()
        if differs := record.play().difference:
            raise DidNotGoLikeThis(f"{str(differs).rstrip('.')}. Nothing of the file was taken.")
        # What only judges a trick, or says why a hand is refused, tells of no evening.
        course = record.course() if hasattr(record, "course") else None
        if course is None:
            left_out += 1
        else:
            courses.append(course)
    found: list[Folded] = []
    for _, some in groupby(courses, key=_evening_of):
        pause()
        found += filter(None, [_folded(list(some), notebook.name)])
    evenings = tuple(found)
    if not evenings:
        raise NotANotebook(
            f"{notebook.name}: no hand was played to its end here, so there is no evening in it."
        )
    return ReadNotebook(evenings, left_out)


def _evening_of(course: PlayedCourse) -> tuple[date | None, tuple[str, ...]]:
    # What was played on one day is one evening, whoever played; without a day, who plays tells.
    return course.day, () if course.day else tuple(course.start.players)


def _folded(courses: list[PlayedCourse], file: str) -> Folded | None:
    day = courses[0].day
    at = None if day is None else datetime.combine(day, _NOON).astimezone().timestamp()
    fold, numbers = Fold(), count(1)
    for course in courses:
        names = _names_of(course, file)
        for step in _steps(course, names, is_first=course is courses[0]):
            fold.take(_written(step, numbers, at))
    folded = fold.running()
    if folded is None:
        return None
    line = replace(folded.evening.line, at=at, until=at, imported=True)
    return replace(folded, evening=replace(folded.evening, line=line))


def _names_of(course: PlayedCourse, file: str) -> dict[Seat, str]:
    """Return who plays in *course*, as the table would chalk them: pages and pictures do."""
    names: dict[Seat, str] = {}
    for name, seat in course.start.players.items():
        try:
            names[seat] = checked_name(name, names.values())
        except IllegalAction:
            raise NotANotebook(
                f"{file}: {ascii(name)[:60]} is no name for a slate: that is 1 to {NAME_MAX} "
                "characters that can be seen, and no two who read the same in one record."
            ) from None
    return names


def _steps(
    course: PlayedCourse, names: dict[Seat, str], *, is_first: bool
) -> Iterator[tuple[Event, ...]]:
    """Yield the steps of *course*, behind those that say what stood there as it began."""
    start, seating = course.start, Seating(TableSetup())
    game = cast("CardGame[Any, Any]", start.game)
    house = house_rules(game.options.as_facts())
    state = TableState(game.name, None, house, names, start.state)
    if is_first:
        yield (EveningBegun(game.name, None, house, tuple(sorted(names.items()))),)
    yield (standing(state, draw_up(seating, state)),)
    yield from filter(None, course.steps)


def _written(events: tuple[Event, ...], numbers: "count[int]", at: float | None) -> Written:
    told = [(next(numbers), *encode(event)) for event in events]
    last = told[-1][0]
    return Written(
        tuple(Entry(seq, last, at, None, "table", name, facts) for seq, name, facts in told)
    )
