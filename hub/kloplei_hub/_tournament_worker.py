"""What lets tournaments go on by themselves, beside the telling of evenings: `TournamentWorker`.

Whenever evenings are told anew the results in them are taken, rounds that are due are drawn, and
who has not sat down is called again. Nothing is remembered here: two of these at once, or one that
was killed at any moment, do no harm (`kloplei_hub.referee`).
"""

from typing import Final

from kloplei_hub.database import Connection, ListeningWorker, is_news
from kloplei_hub.referee import HouseReferee

LOOK_S: Final = 15.0
"""So long at most nobody looks, whatever is told: calls are due by the clock."""
_BREATH_S: Final = 0.5
_WAKES_S: Final = 1.0


class TournamentWorker(ListeningWorker):
    """Lets tournaments go on from a thread of its own; a context.

    Args:
        dsn: How it reaches the database.
        look_s: So long at most nobody looks.
    """

    def __init__(self, dsn: str, *, look_s: float = LOOK_S) -> None:
        super().__init__(dsn, "evenings", "No tournament goes on")
        self._look_s = look_s

    def keep_up(self, connection: Connection, listening: Connection) -> None:
        """Let all of them go on whenever evenings are told."""
        referee = HouseReferee(connection)
        while not self.is_closing():
            referee.go_on()
            for _ in range(max(1, round(self._look_s / _WAKES_S))):
                if self.is_closing() or self._is_woken(listening):
                    break

    def _is_woken(self, listening: Connection) -> bool:
        """Wait a second for evenings that are told anew, and for others of the same breath."""
        if not is_news(listening, _WAKES_S):
            return False
        self.pause(_BREATH_S)
        list(listening.notifies(timeout=0))
        return True
