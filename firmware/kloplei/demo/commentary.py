"""Say what the table makes of the knocks it hears: the slate's sentences, for a terminal."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile

from kloplei.rules.scoreboard import Line, Scoreboard
from kloplei.table.client import TableClient
from kloplei.words import Words

NOTHING = "nothing came of it."
PASSED_OVER = "cards are slammed in this game: the table lets every blow on its wood pass."
WAITS = "granted in {total_s:g} s, unless another seat knocks."
TOLD_AT_MOST = 8  # moments of knocks in one heading


def heading(recording: str, place: str, knocks_s: Sequence[float]) -> str:
    """Return one line on what is about to be played: *recording* at *place*, knocks in seconds."""
    if not knocks_s:
        return f"{recording} at {place}: no knock in it."
    moments = ", ".join(f"{at_s:.2f}" for at_s in knocks_s[:TOLD_AT_MOST])
    more = ", ..." if len(knocks_s) > TOLD_AT_MOST else ""
    return f"{recording} at {place}: {_counted(len(knocks_s))}, at {moments}{more} s."


def comment(before: Scoreboard, boards: Iterable[Scoreboard | None], words: Words) -> Iterator[str]:
    """Yield a sentence for each pattern of knocks that ends and for all that comes of it.

    Args:
        before: The table before the first of *boards*.
        boards: As `TableClient.follow` gives them.
        words: The language of the sentences.
    """
    for board in boards:
        if board is None:
            continue
        own = words.of_game(board.game)
        said = " ".join(own.say(line.key, line.facts, board.names) for line in _new(before, board))
        if before.heard and before.heard.knocks and board.heard is None:
            yield f"{_counted(before.heard.knocks)}: {said or _waiting(before, board)}"
        elif said:
            yield said
        before = board


def _new(before: Scoreboard, board: Scoreboard) -> list[Line]:
    """Return what *board* says that *before* did not."""
    passing = [
        (before.refused, board.refused),
        (before.shown, board.shown),
        (before.asking, board.asking),
    ]
    lines = [now for then, now in passing if now is not None and now != then]
    if board.news is not None and board.seq != before.seq:
        lines.insert(0, board.news)
    return lines


def _waiting(before: Scoreboard, board: Scoreboard) -> str:
    if board.grace is None or before.grace is not None:
        return NOTHING
    return WAITS.format(total_s=board.grace.total_s)


def _counted(knocks: int) -> str:
    return f"{knocks} knock" if knocks == 1 else f"{knocks} knocks"


class Commentator:
    """A thread that comments on *table* for *for_s* seconds, or until the table closes.

    Args:
        table: Where it looks.
        say: Gets each sentence.
        for_s: How long it has something to tell.
    """

    def __init__(self, table: TableClient, say: Callable[[str], None], for_s: float) -> None:
        self._table = table
        self._say = say
        self._before = table.scoreboard()
        self._until_s = time.monotonic() + for_s
        threading.Thread(target=self._comment, name="commentator", daemon=True).start()

    def _comment(self) -> None:
        boards = takewhile(lambda _: time.monotonic() < self._until_s, self._table.follow())
        for sentence in comment(self._before, boards, Words("en")):
            self._say(sentence)
