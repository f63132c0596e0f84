"""What stays of the evenings, for who asks: `HistoryService`, the body of `HistoryClient`.

One thread keeps the history up (`HistoryService.follow`), when a hand has ended and in small
slices; whoever asks reads what is told by then, through a connection of its own. What people are
called is looked up in the journal at that moment, so that who was renamed, merged or forgotten is
so in all evenings at once.
"""

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from kloplei.config.settings import HISTORY
from kloplei.files import UnreadableFile
from kloplei.games.catalogue import GAMES
from kloplei.games.scoreboard import Line, Scoreboard
from kloplei.history._answers import Answers
from kloplei.history._store import SPOILT, HistoryStore
from kloplei.history.evenings import NIGHT_S
from kloplei.history.seasons import SeasonFile, chosen_season, ranked
from kloplei.history.titles import announced
from kloplei.table.client import BadRequest, TableUnavailable
from kloplei.table.history_client import (
    MOST_EVENINGS,
    Evening,
    EveningLine,
    HistoryStand,
    PersonLine,
    PersonNumbers,
    PersonPage,
    Rule,
    Season,
    SeasonTable,
)
from kloplei.table.journal_file import is_full
from kloplei.words import Sentence

logger = logging.getLogger(__name__)
_SLICE_S = 0.001  # the table's thread waits for no more than that
_REST_S = 0.003
_MOST = 1 << 53
_MOST_KEPT = 8
_FRESH_S = 60.0  # an answer says what runs now
_Number = TypeVar("_Number", int, float)
_Answer = TypeVar("_Answer")
_FEWEST_S = 0.5  # between two readings
_SHARE = 10.0  # ... and so many times as long as the last one took
_MOST_S = 30.0  # but not where that was all of it, which on a small Pi takes half an hour


def _changed(path: Path) -> tuple[int, ...]:
    """Return what is another one when somebody has written *path*."""
    try:
        found = path.stat()
    except OSError:
        return ()
    # Whoever reads first leaves an empty log behind.
    return (found.st_ino, found.st_size, found.st_mtime_ns) if found.st_size else ()


def _storable(number: _Number) -> _Number:
    """Return *number*, or the nearest that a database can be asked for."""
    return max(-_MOST, min(number, _MOST))


class _Kept:
    """Answers that hold until what they were made of is another; one is made at a time.

    So a viewer takes no more of the table's time than it takes to make one, however many phones
    ask for how much.
    """

    def __init__(self) -> None:
        self._making = threading.Lock()
        self._answers: dict[Hashable, tuple[object, Any]] = {}

    def answer(self, about: Hashable, made_of: object, make: Callable[[], _Answer]) -> _Answer:
        """Return what was answered *about* that, or what *make* does now."""
        with self._making:
            before = self._answers.pop(about, None)
            found = before if before and before[0] == made_of else (made_of, make())
            self._answers[about] = found
            if len(self._answers) > _MOST_KEPT:
                del self._answers[next(iter(self._answers))]
        answer: _Answer = found[1]
        return answer


class _Closing(Exception):
    """The table closes; what is not told yet is told after the next start."""


class HistoryService:
    """The evenings of the *journal*; safe from any thread.

    Args:
        journal: Of the table, which writes on.
        wall: Seconds since the epoch.
        path: The file that can be thrown away; None is beside the journal.
        announce: Told when an evening has ended, with its titles as the slate may say them.
    """

    def __init__(
        self,
        journal: Path,
        wall: Callable[[], float] = time.time,
        path: Path | None = None,
        announce: Callable[[tuple[Line, ...]], None] = lambda lines: None,
    ) -> None:
        self._announce = announce
        self._journal = journal
        self._path = path or journal.with_name(HISTORY)
        self._wall = wall
        self._store = HistoryStore(journal, self._path, self._pause)
        self._seasons = SeasonFile(journal.parent)
        self._kept = _Kept()
        self._updates = 0
        self._writing = threading.Lock()
        self._choosing = threading.Lock()
        self._trouble: Sentence | None = None
        self._doubted = threading.Event()  # somebody could not read what is told
        self._closed = threading.Event()
        self._rested_s = 0.0
        self._slices = False
        self._played_s: float | None = None  # when a hand had ended, since the box was started

    def follow(self, boards: Iterable[Scoreboard | None]) -> None:
        """Keep the history up as long as there are *boards*, on a thread of its own."""
        self._slices = True
        done, ran = -1, None
        for board in boards:
            if self._closed.is_set():
                return
            if not self._is_due(board, done):
                continue
            if board is not None:
                if done not in (-1, board.seq):
                    self._played_s = time.monotonic()
                done = board.seq
            began = time.monotonic()
            self.update()
            ran = self._tell_end_of(ran)
            took = time.monotonic() - began
            self._closed.wait(min(max(_FEWEST_S, _SHARE * took), _MOST_S))

    def _tell_end_of(self, ran: int | None) -> int | None:
        """Announce the titles of evening *ran* if somebody has just ended it; return which runs."""
        try:
            newest = self.evenings(limit=1)
            runs = newest[0].number if newest and newest[0].runs else None
            if ran is not None and newest and runs is None and newest[0].number == ran:
                self._announce(announced(self.evening(ran)))
        except (BadRequest, TableUnavailable):
            return ran  # its trouble is told elsewhere; no title is worth more
        except Exception:
            logger.exception("The titles of an evening are not announced.")
            return None
        return runs

    def _is_due(self, board: Scoreboard | None, done: int) -> bool:
        if board is None:  # nothing new, but the disk may be free, or somebody forgotten, by now
            failed = self._trouble is not None or self._doubted.is_set()
            return failed or not self._store.is_current
        return not board.deal_runs and (board.seq != done or not self._store.is_current)

    def close(self) -> None:
        """Let who follows end, and wait until nothing is written any more."""
        self._closed.set()
        with self._writing:
            pass

    def update(self) -> None:
        """Tell what is new in the journal; what stands in the way is kept as the trouble."""
        try:
            with self._writing:
                if self._doubted.is_set():
                    self._store.look_through()
                    self._doubted.clear()
                self._store.update()
            self._trouble = None
            self._updates += 1
        except _Closing:
            pass
        except FileNotFoundError:
            pass  # nobody has played here yet
        except (sqlite3.Error, OSError) as error:
            if self._trouble is None:
                logger.warning("The history cannot be kept up, and play goes on: %s", error)
            self._trouble = self._sentence_for(error)
        except Exception:
            # A mistake of ours costs what stays of evenings, and nothing else.
            logger.exception("The history stumbled, and play goes on.")
            self._trouble = Sentence("history-unkept", error="kloplei")

    def _sentence_for(self, error: sqlite3.Error | OSError) -> Sentence:
        if is_full(self._path, error):
            return Sentence("history-full", folder=str(self._path.parent))
        return Sentence("history-unkept", error=str(error))

    def _pause(self) -> None:
        """Sleep a moment where one slice is over, or give up where the box goes down.

        Raises:
            _Closing: Nobody waits for what is read.
        """
        if self._closed.is_set():
            raise _Closing
        if self._slices and time.perf_counter() - self._rested_s > _SLICE_S:
            time.sleep(_REST_S)
            self._rested_s = time.perf_counter()

    def stand(self) -> HistoryStand:
        """Return how far the history is."""
        try:
            with self._telling() as told:
                return HistoryStand(told.count(), told.behind(), self._trouble)
        except TableUnavailable:
            return HistoryStand(0, 0, self._trouble)

    def evenings(self, before: int | None = None, limit: int = 50) -> tuple[EveningLine, ...]:
        """Return evenings, newest first; see `HistoryClient`."""
        if not 0 <= limit <= MOST_EVENINGS:
            raise BadRequest(Sentence("history-limit", most=MOST_EVENINGS))
        with self._telling() as told:
            return tuple(told.lines(None if before is None else _storable(before), limit))

    def evening(self, number: int) -> Evening:
        """Return the evening *number*; see `HistoryClient`."""
        with self._telling() as told:
            found = told.evening(_storable(number))
        if found is None:
            raise BadRequest(Sentence("no-such-evening"))
        return found

    def people(self) -> tuple[PersonLine, ...]:
        """Return the people that the box knows and may show; see `HistoryClient`."""
        return self._answer("people", lambda told: tuple(told.people()))

    def person(self, person: int) -> PersonPage:
        """Return what is told of a person; see `HistoryClient`."""
        found = self._answer(("person", person), lambda told: told.person(person))
        if found is None:
            raise BadRequest(Sentence("no-such-person"))
        return found

    def statistics(
        self, game: str | None = None, since: float | None = None, person: int | None = None
    ) -> tuple[PersonNumbers, ...]:
        """Return the numbers of everybody, or of one; see `HistoryClient`."""
        if game is not None and game not in GAMES:
            raise BadRequest(Sentence("no-such-game"))
        begun = None if since is None else _storable(since)
        about = ("statistics", game, begun, person)
        found = self._answer(about, lambda told: told.statistics(game, begun, person))
        if found is None:
            raise BadRequest(Sentence("no-such-person"))
        return found

    def seasons(self) -> tuple[Season, ...]:
        """Return the seasons, newest first."""
        with self._seasons_read() as seasons:
            return seasons.read()

    def table(self, season: int | None = None) -> SeasonTable:
        """Return the table of honour of *season*; see `HistoryClient`."""
        chosen, span = chosen_season(self.seasons(), season)
        won, count = self._answer(("won", span), lambda told: (told.won(*span), told.count(*span)))
        games = {game: ranked(won[game], chosen) for game in GAMES if game in won}
        return SeasonTable(chosen, games, count)

    def begin_season(
        self,
        name: str,
        since: float | None = None,
        rule: Rule = "wins",
        points: int = 1,
        best: int = 0,
    ) -> Season:
        """Begin a season; see `HistoryClient`."""
        begins = self._wall() if since is None else since
        with self._seasons_read() as seasons:
            return seasons.begin(Season(0, name, begins, rule, points, best))

    def end_season(self, season: int) -> None:
        """Take a season away; see `HistoryClient`."""
        with self._seasons_read() as seasons:
            seasons.end(season)

    @contextmanager
    def _seasons_read(self) -> Iterator[SeasonFile]:
        try:
            with self._choosing:
                yield self._seasons
        except (OSError, UnreadableFile) as error:
            raise TableUnavailable(Sentence("seasons-unkept", error=str(error))) from error

    def _answer(self, about: Hashable, make: Callable[[Answers], _Answer]) -> _Answer:
        """Return what *make* finds, or found before in just the same."""
        moment = (self._updates, self._wall() // _FRESH_S, *map(_changed, self._files))
        with self._telling() as told:
            return self._kept.answer(about, (moment, told.register), lambda: make(told))

    @property
    def _plays(self) -> bool:
        return self._played_s is not None and time.monotonic() - self._played_s < NIGHT_S

    @property
    def _files(self) -> tuple[Path, ...]:
        return self._path, self._path.with_name(f"{self._path.name}-wal")

    @contextmanager
    def _telling(self) -> Iterator[Answers]:
        try:
            with Answers(self._journal, self._path, self._wall(), plays=self._plays) as told:
                yield told
        except (*SPOILT, OSError) as error:
            self._doubted.set()
            raise TableUnavailable(Sentence("history-unread", error=str(error))) from error
