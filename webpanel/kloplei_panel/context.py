"""The panel's context: the parts that one app works with, which `panel` finds for each request.

`PanelSettings` come from the configuration, the `TableClient` is the table, and a `DemoTable`,
where there is one, is the virtual wood under it. `Feed` follows the table once for all the phones,
however many look on; its follower is the only thread that begins here.
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from itertools import count
from pathlib import Path
from typing import Any, Literal, Protocol, cast, get_args

from flask import current_app, g, request

from kloplei.diagnostics.registry import Examination
from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.knock.judgement import Landing
from kloplei.network.addresses import JoinAddress
from kloplei.table.client import LogEntry, TableClient, TableUnavailable
from kloplei.table.schema import WORLD, Form
from kloplei_panel.followers import Follower, Followers
from kloplei_panel.pairing import Pairing, RateLimiter
from kloplei_panel.stage import Break, Reactions, Stage

# A clumsy thumb, a wrong PIN or two, and asking at the door.
ASKS_EACH = 20
# Phones at once: two full pub rooms; with what they ask for besides, within 1024 open files.
CLIENTS = 200
# What the server calls the connection of a request, beside what WSGI tells.
CONNECTION = "kloplei.connection"
# By then what a phone did has long come back from the table.
_CATCHES_UP_S = 1.0
LOG_STEPS = 40
"""So many of the last steps the keeper's page shows."""
FRESH_S = 0.05  # so long what one phone was told of a deadline is right for the others
SHOWS = ("loud", "quiet")
"""How loud a large screen may be; quiet moves nothing."""
logger = logging.getLogger(__name__)
Kind = Literal[
    "knuckle", "soft", "glass", "card", "deal", "dice", "keys", "phone", "drum", "bump"
]  # fmt: skip
"""What may land on the virtual wood; the first one is what a hand does unless told otherwise."""
KINDS: tuple[Kind, ...] = get_args(Kind)
Spot = tuple[float, float]
"""A place on the wood: along its length from the left, across its width from the top, 0 to 1."""


@dataclass(frozen=True, slots=True)
class PanelSettings:
    """Settings of the panel; the demo takes the defaults.

    Args:
        language: What pages speak to who has chosen none.
        locked: Makes every phone a viewer until somebody knocks for it, or it enters *pin*.
        pin: The PIN that the slate shows; one that is set goes before the evening's.
        secret_key: Signs the phones' cookies: give one that survives a restart, or every phone
            pairs anew.
        join_url: Stands in the QR code of ``/tv``; empty means the address the reader came by.
        clients: How many phones may follow at once.
        keepalive_s: How soon a phone that has left without a word is noticed.
        hosts: Host names beyond the local ones that posts may come to.
        asks_each: How much a phone that may only look may ask for at once.
        read_key: Returns *secret_key* as it is now, where it can change while the panel runs.
        read_evening: Returns the PIN and the code of the slate's QR code that let phones in this
            evening.
        read_seal: Returns what rights given so far hang on: they end when it changes. Without one
            it is *pin*.
        join_address: Returns how phones get here now, where that can change; goes before
            *join_url*.
        data: The folder of the journal, whose disk may be full; None is looked at nowhere.
        recordings_to: Where the distributor of the box asks for recordings; empty where none does.
        place: What the pub is called, on the picture of an evening.
        people: Whether the pages of people are for phones that were let in ("paired") or "all".
        show: How loud large screens are, one of `SHOWS`, unless their address says otherwise.
        reactions: Whether players may throw pictures on to them.
        caller: Whether the box calls out what happens; then the keeper may hush it.
        cache: A folder of our own where pages are kept compiled; None compiles at each start.
        clock: The table's: a virtual one has its own, from which deadlines are seconds left.
    """

    language: str = "nl"
    locked: bool = False
    pin: str | None = field(default=None, repr=False)
    secret_key: str = field(default_factory=lambda: secrets.token_hex(32), repr=False)
    join_url: str = ""
    clients: int = CLIENTS
    keepalive_s: float = 6.0
    hosts: tuple[str, ...] = ()
    asks_each: int = ASKS_EACH
    read_key: Callable[[], str] | None = field(default=None, repr=False)
    read_evening: Callable[[], tuple[str, str]] | None = field(default=None, repr=False)
    read_seal: Callable[[], str] | None = field(default=None, repr=False)
    join_address: Callable[[], JoinAddress] | None = None
    data: Path | None = None
    recordings_to: str = ""
    place: str = ""
    people: str = "paired"
    show: str = "loud"
    reactions: bool = False
    caller: bool = False
    cache: Path | None = None
    clock: Callable[[], float] = time.monotonic

    def where(self) -> str:
        """Return the address that phones are told now; empty where nobody knows."""
        return (self.join_address().url if self.join_address else None) or self.join_url


class DemoTable(Protocol):
    """A table on virtual pins and virtual wood; `kloplei.demo` builds one.

    Seats are 1-based here, as on the page. Every method may be called from any thread.
    """

    @property
    def seats(self) -> int:
        """How many places the virtual table has."""
        ...

    @property
    def size_m(self) -> tuple[float, float]:
        """How long and how wide the table top is."""
        ...

    @property
    def places(self) -> Sequence[Spot]:
        """Where the hand of each seat comes down, seat 1 first, clockwise from the slate."""
        ...

    @property
    def piezos(self) -> Sequence[Spot]:
        """Where the piezos are glued under the wood, by channel."""
        ...

    @property
    def has_own_piezos(self) -> bool:
        """Whether each seat has its own piezo, seat 1 first; else they are anywhere."""
        ...

    @property
    def is_real(self) -> bool:
        """Whether a real table is listened to: then nothing can land on the drawn one."""
        ...

    @property
    def bots_speed(self) -> float | None:
        """How many times as fast as people the bots play, or None while they do not."""
        ...

    def strike(self, kind: str, spot: Spot) -> int | None:
        """Let *kind*, one of `KINDS`, land at *spot*, and return its number at once.

        None is returned when too much is under way already; then nothing lands.
        """
        ...

    def heard(self, after: int = 0) -> Sequence[Landing]:
        """Return what landed after number *after*, oldest first; only the last ones are kept."""
        ...

    def speak(self, language: str) -> None:
        """Let the virtual slate speak *language*, if nobody chose another."""
        ...

    def knock(self, seat: int, times: int) -> None:
        """Move the virtual pin of *seat* as *times* blows on the wood would."""
        ...

    def hold(self, seat: int, for_s: float) -> None:
        """Hold the button of *seat* down for *for_s* seconds; returns at once."""
        ...

    def box(self) -> dict[str, object]:
        """Return ``lamp`` ("#rrggbb") and ``buzzer_hz`` (a number, or None when silent)."""
        ...

    def set_bots(self, speed: float | None) -> None:
        """Let bots play at *speed* times human pace, or stop them with None."""
        ...

    def choose_game(self, game: str) -> None:
        """Let those who sit play *game* by its usual house rules; it may be refused."""
        ...


@dataclass(slots=True)
class _Following:
    """What one run of the follower has heard; the table may go and come back between two."""

    before: Scoreboard | None = None
    """As the table was read when this run began: what it says next has happened since."""
    board: Scoreboard | None = None
    heard: int = 0
    is_over: bool = False


class Feed:
    """Hands every scoreboard to all who watch.

    Args:
        table: Followed once anybody has watched, or `attend` was called.
        most: How many may watch at once.
        keepalive_s: Who watches gets None after so long without a change.
    """

    def __init__(self, table: TableClient, most: int, keepalive_s: float) -> None:
        self._places = Followers(most)
        self._table = table
        self._keepalive_s = keepalive_s
        self._changed = threading.Condition()
        self._following = _Following(is_over=True)
        self._told: tuple[Scoreboard, float, str] | None = None
        self._closed = False
        self._turns = count()
        self._log: tuple[int, tuple[LogEntry, ...]] | None = None
        self._log_names: Mapping[Seat, str] | None = None  # None: somebody may be called otherwise
        self._unsure_until_s = 0.0
        self.stage = Stage()
        """What large screens show of all that it has seen happen."""
        self.on_news: Callable[[], None] = lambda: None
        """Called at every change, and when nothing more comes; must not wait."""

    @property
    def most(self) -> int:
        """How many may watch at once."""
        return self._places.most

    @most.setter
    def most(self, most: int) -> None:
        self._places.most = most

    @property
    def watching(self) -> int:
        """How many watch now."""
        return len(self._places)

    def take_place(self, wanted: Follower) -> bool:
        """Give *wanted* a place to watch from and return True, or False when there is none."""
        with self._changed:
            if self._closed or not self._places.take(wanted):
                return False
            wanted.turn = next(self._turns)
            self._changed.notify_all()
        if wanted.connection is not None:
            wanted.connection.follow(lambda: self.give_back_place(wanted))
        return True

    def give_back_place(self, place: Follower) -> None:
        """Let nobody watch from *place* any more."""
        with self._changed:
            self._places.give_back(place)
            self._changed.notify_all()

    def draws_for(self, place: Follower, reads: Hashable) -> bool:
        """Return whether the page of who *reads* so is drawn for who watches from *place*."""
        with self._changed:
            return self._places.draws_for(place, reads)

    def note_done(self) -> None:
        """Take note that a phone has just done something, and has to see that in what it reads."""
        self._unsure_until_s = time.monotonic() + _CATCHES_UP_S
        self._log_names = None

    @property
    def known(self) -> Scoreboard | None:
        """What the table would say now, as far as its last word tells; None where it may not."""
        board, is_over = self.newest
        return None if is_over or time.monotonic() < self._unsure_until_s else board

    def keep_log(self, board: Scoreboard) -> None:
        """Have the log at hand that fits *board*: a new name changes it as well, and no number.

        Raises:
            TableUnavailable: The table does not answer.
        """
        names = board.names
        if self.log_at(board.seq) is None or self._log_names != names:
            self._log, self._log_names = (board.seq, tuple(self._table.log(LOG_STEPS))), names

    def log_at(self, seq: int) -> tuple[LogEntry, ...] | None:
        """Return the log as it is after entry *seq*, or later; None if it is not at hand."""
        log = self._log
        return None if log is None or log[0] < seq else log[1]

    def note_asked(self, household: str) -> None:
        """Take note that a phone of *household* has asked for something: it reads."""
        with self._changed:
            self._places.note_asked(household)

    def close(self) -> None:
        """End every `watch` at once."""
        with self._changed:
            self._closed = True
            self._tell_all()

    def begin(self) -> Scoreboard:
        """Follow the table from now on, and return the scoreboard as it stands.

        Raises:
            TableUnavailable: The table does not answer.
        """
        board = replace(self._table.scoreboard(), struck=False)
        self._follow(board)
        return board

    def attend(self) -> None:
        """Follow the table from now on, though nobody watches: `stage` sees it all."""
        self._follow()

    @property
    def newest(self) -> tuple[Scoreboard | None, bool]:
        """What the table said last, None if nothing yet, and whether nothing more comes."""
        with self._changed:
            return self._following.board, self._following.is_over or self._closed

    def watch(self, place: Follower, last: Scoreboard) -> Generator[Scoreboard | None, None, None]:
        """Yield the scoreboard at every change since *last*, the newest only if one is slow.

        None is yielded when nothing changes, so that a watcher who has gone is noticed. Ends
        when the table or the feed closes, or *place* is taken away.
        """
        following, heard = self._follow(), 0
        while self._wait(following, heard, place):
            board, is_news, heard = following.board, following.heard != heard, following.heard
            if not is_news:
                yield None
            elif board is not None and board != last and board.seq >= last.seq:
                last = board
                yield board

    def told(self, board: Scoreboard, form: Form, tell: Callable[[Scoreboard, Form], str]) -> str:
        """Return what *tell* makes of *board*: it is asked once for all who watch.

        Deadlines are told as what is left by the clock of *form*, so that a text with one ages at
        once.
        """
        now_s = form.clock() if form.clock else 0.0
        told = self._told
        runs = board.grace or board.doubt or board.door
        if told is None or told[0] is not board or (runs and not 0 <= now_s - told[1] <= FRESH_S):
            told = self._told = board, now_s, tell(board, form)
        return told[-1]

    def _wait(self, following: _Following, heard: int, place: Follower) -> bool:
        """Wait for news or until a keep-alive is due; return whether there is more to come."""
        with self._changed:

            def is_over() -> bool:
                return self._closed or following.is_over or place.is_over

            self._changed.wait_for(lambda: is_over() or following.heard != heard, self._keepalive_s)
            return not is_over()

    def _follow(self, before: Scoreboard | None = None) -> _Following:
        with self._changed:
            if self._following.is_over and not self._closed:
                self._following = _Following(before)
                threading.Thread(
                    target=self._hear, args=(self._following,), name="panel-feed", daemon=True
                ).start()
            return self._following

    def _hear(self, following: _Following) -> None:
        try:
            for newest in self._table.follow():
                self._have_log_for(newest)
                with self._changed:
                    if self._closed:
                        return
                    board = newest and replace(newest, struck=False)
                    if board is not None and board != following.board:
                        self.stage.see(following.board or following.before, board)
                        following.board = board
                        following.heard += 1
                        self._places.note_news()
                        self._tell_all()
        except TableUnavailable as error:
            logger.warning("The table has fallen silent: %s", error)
        finally:
            with self._changed:
                following.is_over = True
                self._tell_all()

    def _have_log_for(self, board: Scoreboard | None) -> None:
        """Ask for the log where the page of a keeper, which shows it, is drawn with the board."""
        with self._changed:
            is_wanted = board is not None and self._places.want_log
        if is_wanted and board is not None:
            # Without it that phone asks for its page itself.
            with suppress(TableUnavailable):
                self.keep_log(board)

    def _tell_all(self) -> None:
        self._changed.notify_all()
        self.on_news()


@dataclass(frozen=True, slots=True)
class Panel:
    """The parts that one app works with.

    *own* is what the panel looks at by itself, *alone* what besides while no table answers.
    *drawn* is what `kloplei_panel.fragments` has drawn last for each reading. *reactions* is None
    in a house that wants none; *pause* is what all large screens tell while nobody plays.
    """

    table: TableClient
    settings: PanelSettings
    feed: Feed
    pairing: Pairing
    flood: RateLimiter
    own: Examination
    alone: Examination
    demo: DemoTable | None = None
    reactions: Reactions | None = None
    drawn: dict[object, Any] = field(default_factory=dict, repr=False)
    pause: Break = field(default_factory=Break, repr=False)

    @property
    def form(self) -> Form:
        """How phones are told things: a deadline as the seconds left by the table's clock."""
        return replace(WORLD, clock=self.settings.clock)


def panel() -> Panel:
    """Return the parts of the app that serves this request."""
    return cast("Panel", current_app.extensions["kloplei"])


def board_found() -> Scoreboard:
    """Return the scoreboard as this request found it, before it changed anything.

    The table is asked once, however much has to be looked up before: to ask and to read the answer
    takes as long as to write an action down.

    Raises:
        TableUnavailable: The table does not answer.
    """
    if "board_found" not in g:
        g.board_found = panel().table.scoreboard()
    found: Scoreboard = g.board_found
    return found


def join_address() -> JoinAddress:
    """Return how phones get to the table now; where nobody knows, as the reader did."""
    settings = panel().settings
    found = JoinAddress() if settings.join_address is None else settings.join_address()
    url = found.url or settings.join_url or request.host_url
    return JoinAddress(url, found.wifi, on_hotspot=found.on_hotspot)
