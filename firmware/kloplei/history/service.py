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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

from kloplei.files import UnreadableFile
from kloplei.frozen import replace
from kloplei.games.catalogue import GAMES
from kloplei.games.scoreboard import Scoreboard
from kloplei.history._store import HISTORY, HistoryStore, evening_of, line_of, open_to_tell
from kloplei.history.evenings import NIGHT_S, guest_key
from kloplei.history.seasons import Honour, SeasonFile, Won, ranked, span_of
from kloplei.table.client import BadRequest, TableUnavailable
from kloplei.table.history_client import (
    MOST_EVENINGS,
    Evening,
    EveningLine,
    HistoryStand,
    PersonLine,
    PersonNumbers,
    PersonPage,
    Player,
    Rule,
    Season,
    SeasonTable,
)
from kloplei.table.journal_file import open_to_read
from kloplei.table.people import KnownPeople, KnownPerson, Register, read_register
from kloplei.words import Sentence

logger = logging.getLogger(__name__)
_SLICE_S = 0.001  # the table's thread waits for no more than that
_REST_S = 0.003
_FEWEST_S = 0.5  # between two readings
_SHARE = 10.0  # ... and so many times as long as the last one took
_WITHIN = "(?1 IS NULL OR at >= ?1) AND (?2 IS NULL OR at < ?2)"
_HONOURS = "rubbers, bought, drunk, crowns, points, settled"


class _Closing(Exception):
    """The table closes; what is not told yet is told after the next start."""


class HistoryService:
    """The evenings of the *journal*; safe from any thread.

    Args:
        journal: Of the table, which writes on.
        wall: Seconds since the epoch.
        path: The file that can be thrown away; None is beside the journal.
    """

    def __init__(
        self,
        journal: Path,
        wall: Callable[[], float] = time.time,
        path: Path | None = None,
    ) -> None:
        self._journal = journal
        self._path = path or journal.with_name(HISTORY)
        self._wall = wall
        self._store = HistoryStore(journal, self._path, self._breathe)
        self._seasons = SeasonFile(journal.parent)
        self._writing = threading.Lock()
        self._choosing = threading.Lock()
        self._trouble: Sentence | None = None
        self._closed = threading.Event()
        self._rested_s = 0.0
        self._slices = False

    def follow(self, boards: Iterable[Scoreboard | None]) -> None:
        """Keep the history up as long as there are *boards*, on a thread of its own."""
        self._slices = True
        done = -1
        for board in boards:
            if self._closed.is_set():
                return
            if board is None or board.deal_runs or board.seq == done:
                continue
            done = board.seq
            began = time.monotonic()
            self.update()
            took = time.monotonic() - began
            self._closed.wait(max(_FEWEST_S, _SHARE * took))

    def close(self) -> None:
        """Let who follows end, and wait until nothing is written any more."""
        self._closed.set()
        with self._writing:
            pass

    def update(self) -> None:
        """Tell what is new in the journal; what stands in the way is kept as the trouble."""
        try:
            with self._writing:
                self._store.update()
            self._trouble = None
        except _Closing:
            pass
        except FileNotFoundError:
            pass  # nobody has played here yet
        except (sqlite3.Error, OSError) as error:
            if self._trouble is None:
                logger.warning("The history cannot be kept up, and play goes on: %s", error)
            self._trouble = Sentence("history-unkept", error=str(error))
        except Exception:
            # A mistake of ours costs what stays of evenings, and nothing else.
            logger.exception("The history stumbled, and play goes on.")
            self._trouble = Sentence("history-unkept", error="kloplei")

    def _breathe(self) -> None:
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
            return tuple(told.lines(before, limit))

    def evening(self, number: int) -> Evening:
        """Return the evening *number*; see `HistoryClient`."""
        with self._telling() as told:
            found = told.evening(number)
        if found is None:
            raise BadRequest(Sentence("no-such-evening"))
        return found

    def people(self) -> tuple[PersonLine, ...]:
        """Return the people that the box knows and may show; see `HistoryClient`."""
        with self._telling() as told:
            return tuple(told.people())

    def person(self, person: int) -> PersonPage:
        """Return what is told of a person; see `HistoryClient`."""
        with self._telling() as told:
            found = told.person(person)
        if found is None:
            raise BadRequest(Sentence("no-such-person"))
        return found

    def statistics(
        self, game: str | None = None, since: float | None = None, person: int | None = None
    ) -> tuple[PersonNumbers, ...]:
        """Return the numbers of everybody, or of one; see `HistoryClient`."""
        if game is not None and game not in GAMES:
            raise BadRequest(Sentence("no-such-game"))
        return ()

    def seasons(self) -> tuple[Season, ...]:
        """Return the seasons, newest first."""
        with self._seasons_read() as seasons:
            return seasons.read()

    def table(self, season: int | None = None) -> SeasonTable:
        """Return the table of honour of *season*; see `HistoryClient`."""
        seasons = self.seasons()
        chosen = next((one for one in seasons if one.id == season), None)
        if season is not None and chosen is None:
            raise BadRequest(Sentence("no-such-season"))
        span = (None, None) if chosen is None else span_of(chosen, seasons)
        with self._telling() as told:
            won = told.won(*span)
            count = told.count(*span)
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

    @contextmanager
    def _telling(self) -> Iterator["_Telling"]:
        try:
            with _Telling(self._journal, self._path, self._wall()) as told:
                yield told
        except (sqlite3.Error, OSError) as error:
            raise TableUnavailable(Sentence("history-unread", error=str(error))) from error


class _Names:
    """What everybody is called today, by the register of the journal."""

    def __init__(self, register: Register) -> None:
        self.people = KnownPeople("en")
        self.people.learn(register)
        self.aliases = {guest_key(one.name): one for one in register.aliases}

    def of_key(self, key: str, after: int) -> KnownPerson | None:
        """Return who goes by *key* in an evening after entry *after*, None for a guest."""
        if key.startswith("p"):
            return self.people.find(int(key[1:]))
        alias = self.aliases.get(key[1:])
        return self.people.find(alias.person) if alias and after < alias.upto else None

    def today(self, player: Player, after: int) -> Player:
        """Return *player* of an evening after entry *after* as one calls them today."""
        key = f"g{guest_key(player.name)}" if player.person is None else f"p{player.person}"
        found = self.of_key(key, after)
        if found is None:
            return replace(player, person=None)
        return Player(player.number, found.name, found.id)


class _Telling:
    """One look into the history and at what people are called; a context."""

    def __init__(self, journal: Path, path: Path, now: float) -> None:
        self._paths = (journal, path)
        self._now = now

    def __enter__(self) -> Self:
        journal, path = self._paths
        with ExitStack() as opening:
            # Nobody has played before there is a journal.
            self._journal = open_to_read(journal) if journal.exists() else None
            if self._journal is not None:
                opening.callback(self._journal.close)
            self._history = open_to_tell(path)
            opening.callback(self._history.close)
            self._names = _Names(read_register(self._journal) if self._journal else Register())
            self._opened = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def count(self, since: float | None = None, until: float | None = None) -> int:
        """Return how many evenings began from *since* on and before *until*."""
        ask = f"SELECT count(*) FROM evenings WHERE {_WITHIN}"  # noqa: S608 - a text of ours
        (n,) = self._history.execute(ask, (since, until)).fetchone()
        return int(n)

    def behind(self) -> int:
        """Return how many entries of the journal are not told yet."""
        if self._journal is None:
            return 0
        ask = "SELECT coalesce(max(seq), 0) FROM entries"
        (last,) = self._journal.execute(ask).fetchone()
        told = self._history.execute("SELECT last FROM read_upto").fetchone()
        return max(0, int(last) - (told[0] if told else 0))

    def lines(self, before: int | None, limit: int) -> Iterator[EveningLine]:
        """Yield evenings, newest first."""
        ask = (
            "SELECT number, after, line FROM evenings WHERE number < ? ORDER BY number DESC LIMIT ?"
        )
        most = before if before is not None else 1 << 40
        for number, after, line in self._history.execute(ask, (most, limit)):
            yield self._today(line_of(line), number, after)

    def evening(self, number: int) -> Evening | None:
        """Return the evening of that number, or the newest for -1."""
        ask = "SELECT number, after, told FROM evenings WHERE number = ?"
        if number == -1:
            ask = "SELECT number, after, told FROM evenings ORDER BY number DESC LIMIT 1"
        found = self._history.execute(ask, (number,) if number != -1 else ()).fetchone()
        if found is None:
            return None
        evening = evening_of(found[2])
        return replace(evening, line=self._today(evening.line, *found[:2]))

    def _today(self, line: EveningLine, number: int, after: int) -> EveningLine:
        players = tuple(self._names.today(one, after) for one in line.players)
        return replace(line, number=number, players=players, runs=self._runs(line, after))

    def _runs(self, line: EveningLine, after: int) -> bool:
        begun = self._history.execute("SELECT begun FROM read_upto").fetchone()
        is_fresh = line.until is None or self._now - line.until < NIGHT_S
        return is_fresh and begun == (after,)

    def _here(self) -> dict[int, list[tuple[int, float | None]]]:
        """Return who was here in which evenings, and when: newest first, by a person's id."""
        ask = (
            "SELECT key, evening, after, at FROM players JOIN evenings ON evening = number "
            "ORDER BY evening DESC"
        )
        found: dict[int, list[tuple[int, float | None]]] = {}
        for key, evening, after, at in self._history.execute(ask):
            person = self._names.of_key(key, after)
            if person is not None:
                evenings = found.setdefault(person.id, [])
                if not evenings or evenings[-1][0] != evening:
                    evenings.append((evening, at))
        return found

    def people(self) -> Iterator[PersonLine]:
        """Yield who is known and may be shown, who was here last first."""
        here = self._here()
        known = [one for one in self._names.people if not one.hidden]
        known.sort(key=lambda one: (-here.get(one.id, [(0, None)])[0][0], one.name))
        for number, one in enumerate(known, start=1):
            evenings = here.get(one.id, [])
            last = next((at for _, at in evenings if at is not None), None)
            yield PersonLine(Player(number, one.name, one.id), len(evenings), last)

    def person(self, person: int) -> PersonPage | None:
        """Return what is told of a person, None where there is none."""
        found = self._names.people.find(person)
        if found is None:
            return None
        evenings = self._here().get(found.id, [])
        known = [at for _, at in evenings if at is not None]
        newest = evenings[:MOST_EVENINGS]
        lines = (line for number, _ in newest for line in self.lines(number + 1, 1))
        return PersonPage(
            player=Player(1, found.name, found.id),
            first=known[-1] if known else None,
            last=known[0] if known else None,
            evenings=tuple(lines),
            numbers=(),
            hidden=found.hidden,
        )

    def won(self, since: float | None, until: float | None) -> Mapping[str, list[Won]]:
        """Return what was won from *since* on and before *until*, by game."""
        ask = (
            f"SELECT player, name, honours.evening, after, game, {_HONOURS} FROM honours "  # noqa: S608
            "JOIN evenings ON honours.evening = number "
            "JOIN players ON key = player AND players.evening = number "
            f"WHERE {_WITHIN} ORDER BY number"
        )
        found: dict[str, list[Won]] = {}
        for key, name, evening, after, game, *told in self._history.execute(ask, (since, until)):
            person = self._names.of_key(key, after)
            player = Player(0, name) if person is None else Player(0, person.name, person.id)
            known = key if person is None else f"p{person.id}"
            found.setdefault(game, []).append(Won(known, player, evening, Honour(*told)))
        return found
