"""The first hand of a new box: what the table is told while it learns to knock.

`Guide` judges alone. In come scoreboards, out comes one sentence for each thing that the table
waits for (``guide.deal``, in Watten ``guide.watten.play``), each once, until a hand has ended.
`follow_guide` tells them as an announcement that gives way to the first knock: who knows how needs
no lesson, and never waits for one. Whether a box has been shown stands in its folder (`GuideFile`).
"""

import logging
import threading
from pathlib import Path

from kloplei.files import FlagFile, UnreadableFile
from kloplei.games.scoreboard import GUIDE, SEATING, Line, Scoreboard
from kloplei.table.client import Followed, show_all
from kloplei.table.messages import Announced, Inbox
from kloplei.words import Words

logger = logging.getLogger(__name__)
GUIDE_FILE = "guide.json"
GUIDE_S = 20.0
"""So long a sentence stands where nobody knocks."""
_PROMPT = "prompt."


class Guide:
    """Tells what to do next; safe from any thread.

    Args:
        wanted: Whether it begins at once, and not first when somebody asks.
    """

    def __init__(self, *, wanted: bool) -> None:
        self._lock = threading.Lock()
        self._words = Words("en")
        self._wanted = wanted
        self._told: set[str] = set()
        self._hands: int | None = None

    @property
    def is_over(self) -> bool:
        """Whether it has nothing to tell, until somebody asks."""
        with self._lock:
            return not self._wanted

    def begin(self) -> None:
        """Tell it all once more, from what the table waits for next."""
        with self._lock:
            self._wanted, self._hands = True, None
            self._told.clear()

    def next(self, board: Scoreboard) -> Line | None:
        """Return what is to be told now that *board* stands, None where there is nothing new."""
        with self._lock:
            if not self._wanted:
                return None
            hands = len(board.hands)
            if self._hands is None or hands < self._hands:
                self._hands = hands
            if hands > self._hands:
                self._wanted = False
                return Line(f"{GUIDE}end")
            return self._step(board)

    def _step(self, board: Scoreboard) -> Line | None:
        key = _key_of(board)
        if key in self._told or not self._can_say(key, board.game):
            return None
        self._told.add(key)
        return Line(key, board.prompt.facts if board.prompt else {})

    def _can_say(self, key: str, game: str) -> bool:
        return self._words.of_game(game).say(key) != key


def _key_of(board: Scoreboard) -> str:
    if board.phase == SEATING:
        may_start = any(offer.action == "start" for offer in board.offers)
        return f"{GUIDE}{'begin' if may_start else 'sit-down'}"
    return GUIDE + (board.prompt.key.removeprefix(_PROMPT) if board.prompt else "")


class GuideFile:
    """Where a box keeps whether it has shown its table a first hand: a file in its folder."""

    def __init__(self, data: Path) -> None:
        self._told = FlagFile(data / GUIDE_FILE, "told")

    def is_wanted(self, *, is_new: bool) -> bool:
        """Return whether a first hand is still to be shown; without the file a *new* box wants it.

        What stands there and is none of ours wants nothing: a lesson too few harms no evening.
        """
        try:
            return not self._told.read()
        except FileNotFoundError:
            return is_new
        except UnreadableFile:
            return False

    def keep(self, *, told: bool) -> None:
        """Keep it, or log why that cannot be."""
        try:
            self._told.write(told)
        except OSError as error:
            path = self._told.path
            logger.warning("%s cannot be written (%s); a restart begins anew", path, error)


def follow_guide(guide: Guide, table: Followed, inbox: Inbox, file: GuideFile) -> None:
    """Tell *inbox* what *guide* has to say of each board, on this thread, as long as *table* runs.

    Of a board that the guide stumbles over nothing is told; it goes on with the next.
    """

    def tell(board: Scoreboard) -> None:
        line = guide.next(board)
        if line is not None:
            inbox.put(Announced((line,), lasts_s=GUIDE_S, gives_way=True))
            file.keep(told=guide.is_over)

    show_all(table, tell, lambda: False, "the guide")
