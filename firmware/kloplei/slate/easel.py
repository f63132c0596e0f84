"""What has to stand on the glass, and until when: told the time, it never asks for it."""

from dataclasses import dataclass, replace

from PIL import Image

from kloplei.rules.passing import at_rest
from kloplei.rules.scoreboard import Line, Scoreboard
from kloplei.slate.look import Look
from kloplei.slate.motion import Moment
from kloplei.slate.picture import Picture, draw, draw_greeting, draw_pause, with_letters
from kloplei.words import Words

GREETING_S = 1.2
SHIFT_EVERY_S = 180.0
_SHIFTS = ((0, 0), (1, 0), (1, 1), (0, 1))  # pixels right and down


@dataclass(frozen=True, slots=True)
class Hanging:
    """What hangs on the easel: *image* (None: the glass sleeps) at *contrast*, until *until_s*.

    *covered* is for who is not at the table, where *image* tells what only the table may know.
    """

    image: Image.Image | None
    contrast: int
    until_s: float | None = None
    covered: Image.Image | None = None


class Easel:
    """Chooses the picture and lets the glass rest; no thread, no clock, no device.

    The picture moves about by a pixel, dims and goes dark when nothing happens, so that
    names do not burn into the glass; any new scoreboard wakes it.
    """

    def __init__(self, words: Words, look: Look, now_s: float) -> None:
        self._words = with_letters(words)
        self._look = look
        self._board: Scoreboard | None = None
        self._began_s = self._moved_s = self._board_s = self._news_s = now_s
        self._trouble: Line | None = None
        self._trouble_s = now_s
        self._pausing = False

    def saw(self, board: Scoreboard, now_s: float) -> None:
        """Take *board* as what the table shows from *now_s* on."""
        if self._board is not None and at_rest(board) == at_rest(self._board):
            # A blow that nobody has judged is shown, and neither wakes nor moves anything.
            self._board = replace(self._board, struck=board.struck)
            return
        if self._board is None or _news(board) != _news(self._board):
            self._news_s = now_s
        told = () if self._board is None else self._board.notices
        for notice in board.notices:
            if notice not in told:
                self._trouble, self._trouble_s = notice, now_s
        self._board = board
        self._board_s = self._moved_s = now_s

    def look_by(self, look: Look) -> None:
        """Take *look* from now on; it wakes nobody."""
        self._look = look

    def pause(self) -> None:
        """Show from now on that the table pauses: whoever stops it, whatever for."""
        self._pausing = True

    def hanging(self, now_s: float) -> Hanging:
        """Return what has to stand on the glass at *now_s*."""
        if self._pausing:
            return Hanging(draw_pause(self._words).image, self._look.contrast)
        idle_s = now_s - self._moved_s
        if self._board is not None and idle_s >= self._look.sleep_after_s:
            return Hanging(None, self._look.dimmed)
        picture, ends_s = self._picture(now_s)
        dim = idle_s >= self._look.dim_after_s
        shift, shift_ends_s = self._shift(now_s)
        rest_s = self._look.sleep_after_s if dim else self._look.dim_after_s
        ends = [self._moved_s + rest_s, shift_ends_s, *ends_s]
        contrast = self._look.dimmed if dim else self._look.contrast
        covered = None if picture.covered is None else _moved(picture.covered, shift)
        return Hanging(_moved(picture.image, shift), contrast, min(ends), covered)

    def _picture(self, now_s: float) -> tuple[Picture, list[float]]:
        greeting_ends_s = self._began_s + GREETING_S
        if self._board is None:
            return draw_greeting(self._words), []
        if self._board.phase == "seating" and now_s < greeting_ends_s:
            return draw_greeting(self._words), [greeting_ends_s]
        moment = Moment(now_s, self._board_s, self._news_s, self._trouble_s, self._trouble)
        picture = draw(self._board, moment, self._words, self._look)
        return picture, [] if picture.lasts_s is None else [now_s + picture.lasts_s]

    def _shift(self, now_s: float) -> tuple[tuple[int, int], float]:
        number = int((now_s - self._began_s) / SHIFT_EVERY_S)
        return _SHIFTS[number % len(_SHIFTS)], self._began_s + (number + 1) * SHIFT_EVERY_S


def _news(board: Scoreboard) -> tuple[object, ...]:
    return (board.seq, board.phase, board.news)


def _moved(image: Image.Image, shift: tuple[int, int]) -> Image.Image:
    """Return *image* moved by *shift*; faces leave the last pixels on the right and below dark."""
    if shift == (0, 0):
        return image
    moved = Image.new("1", image.size)
    moved.paste(image, shift)
    return moved
