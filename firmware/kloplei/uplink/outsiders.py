"""Who outside is told of the moments of a table: by a broker (`home_agent`), or a `webhook`.

An `Outsider` has a thread of its own, so that one that is away or hangs holds up neither the table
nor the house nor another outsider. It keeps little: what happened while nobody could hear it is
told to nobody, or for some minutes at most.
"""

import logging
import threading
import time
from collections import deque
from typing import Final, Self

from kloplei.frozen import replace
from kloplei.games.moments import Moment, moments_between
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import TableClient, TableUnavailable
from kloplei.table.outbox import for_house
from kloplei.table.uplink_client import HousePerson, OutsiderKind, OutsiderStatus
from kloplei.words import Sentence

AGREED_S: Final = 10.0
"""So often one looks who agreed to be known; nobody else has a name outside."""
LOOK_S: Final = 1.0
LEAVE_S: Final = 3.0
"""So long it may take to end; what hangs on the network then ends with the program."""
AGAIN_S: Final = 5.0
"""So long it rests when it has stumbled: what makes it do so may still be there."""
_MOST_BOARDS = 100
logger = logging.getLogger(__name__)


class Outsider:
    """Takes in how a table stands, and tells it in a thread of its own; a context manager.

    Args:
        table: Asked who agreed; its boards come by `show`.
        kind: Who they are.
    """

    def __init__(self, table: TableClient, kind: OutsiderKind) -> None:
        self.table = table
        self._status = OutsiderStatus(kind)
        self.board: Scoreboard | None = None
        """The newest, with all names; for the thread alone."""
        self._shown: deque[Scoreboard | None] = deque(maxlen=_MOST_BOARDS)
        self._before: Scoreboard | None = None
        self._agreed: tuple[HousePerson, ...] = ()
        self._asked_s = float("-inf")
        self._stirred = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"kloplei-{kind}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self.stir()
        self._thread.join(LEAVE_S)

    @property
    def status(self) -> OutsiderStatus:
        """How it goes; from any thread."""
        return self._status

    def took(self) -> None:
        """Note that they were reached, and take what is told."""
        self._status = replace(self._status, at=time.time(), trouble=None)

    def fails(self, trouble: Sentence) -> None:
        """Note why they hear nothing."""
        self._status = replace(self._status, trouble=trouble)

    def show(self, board: Scoreboard | None) -> None:
        """Take in how the table stands now, from any thread; None: nobody looked for a while."""
        self._shown.append(board)
        self.stir()

    def stir(self) -> None:
        """Let the thread come round soon."""
        self._stirred.set()

    def told(self, board: Scoreboard) -> Scoreboard:
        """Return *board* with the names of those alone who agreed to be known outside."""
        return for_house(board, self._agreed)

    def come_round(self, now_s: float) -> None:
        """Do what is due; at least every `LOOK_S`."""

    def happened(self, moment: Moment, board: Scoreboard) -> None:
        """Take in *moment*, at a table that stands like *board* now; names as in `told`."""

    def finish(self) -> None:
        """End it in good order."""

    def is_closing(self) -> bool:
        """Whether it is to end."""
        return self._closing.is_set()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._go_round()
            self._stirred.wait(LOOK_S)
            self._stirred.clear()
        self.finish()

    def _go_round(self) -> None:
        try:
            self._take_in(time.monotonic())
            self.come_round(time.monotonic())
        except TableUnavailable:
            pass  # what it says once it is back is told then
        except Exception:
            # A mistake of ours costs what it stumbled over, and not all that happens thereafter.
            logger.exception("Something cannot be told to %s, who hears on", self._status.kind)
            self._closing.wait(AGAIN_S)

    def _take_in(self, now_s: float) -> None:
        if now_s >= self._asked_s + AGREED_S:
            self._agreed, self._asked_s = self.table.uplink.agreed(), now_s
        while self._shown:
            board = self._shown.popleft()
            told = None if board is None else self.told(board)
            before, self._before = self._before, told
            self.board = board or self.board
            if told is not None:
                for moment in moments_between(before, told):
                    self.happened(moment, told)
