"""What lets tournaments go on by themselves, beside the telling of evenings: `TournamentWorker`.

Whenever evenings are told anew the results in them are taken, rounds that are due are drawn, and
who has not sat down is called again. Nothing is remembered here: two of these at once, or one that
was killed at any moment, do no harm (`kloplei_hub.referee`).
"""

import logging
import threading
from contextlib import closing
from typing import Final, Self

import psycopg

from kloplei_hub.database import Connection, HouseUnavailable, connect
from kloplei_hub.referee import HouseReferee

logger = logging.getLogger(__name__)
LOOK_S: Final = 15.0
"""So long at most nobody looks, whatever is told: calls are due by the clock."""
_BREATH_S: Final = 0.5
_WAKES_S: Final = 1.0
_PAUSE_S: Final = 2.0


class TournamentWorker:
    """Lets tournaments go on from a thread of its own; a context.

    Args:
        dsn: How it reaches the database.
        look_s: So long at most nobody looks.
    """

    def __init__(self, dsn: str, *, look_s: float = LOOK_S) -> None:
        self._dsn, self._look_s = dsn, look_s
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="tournaments", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._closing.is_set():
            try:
                with (
                    closing(connect(self._dsn, autocommit=True)) as connection,
                    closing(connect(self._dsn, autocommit=True)) as listening,
                ):
                    listening.execute("LISTEN evenings")
                    self._keep_up(HouseReferee(connection), listening)
            except (HouseUnavailable, psycopg.OperationalError, psycopg.InterfaceError) as error:
                logger.warning("No tournament goes on until the database answers: %s", error)
            except Exception:
                # One that cannot be read must not end the others for the rest of the evening.
                logger.exception("A tournament does not go on by itself")
            self._closing.wait(_PAUSE_S)

    def _keep_up(self, referee: HouseReferee, listening: Connection) -> None:
        while not self._closing.is_set():
            referee.go_on()
            for _ in range(max(1, round(self._look_s / _WAKES_S))):
                if self._closing.is_set() or self._is_woken(listening):
                    break

    def _is_woken(self, listening: Connection) -> bool:
        """Wait a second for evenings that are told anew, and for others of the same breath."""
        if not list(listening.notifies(timeout=_WAKES_S, stop_after=1)):
            return False
        self._closing.wait(_BREATH_S)
        list(listening.notifies(timeout=0))
        return True
