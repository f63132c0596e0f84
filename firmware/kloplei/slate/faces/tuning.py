"""The table is tuned or recorded: what to do in one word, exactly when, and how loud it is."""

from PIL import Image, ImageDraw

from kloplei.frozen import dataclass
from kloplei.games.scoreboard import Tuning
from kloplei.slate.drawing import (
    BOLD,
    HUGE,
    LARGE,
    LARGER,
    MEDIUM_BOLD,
    SHOUT,
    Area,
    draw_centred,
    inner,
    invert,
    largest_fitting,
    place,
    shout_centred,
)
from kloplei.slate.faces.overlays import (
    SEAT_PX,
    WORD_PX,
    draw_done,
    draw_how,
    draw_seats,
    draw_word,
)

_BOXES_PX = 9
_METER_PX = 7
_MOST_BOXES = 5
_FULL = 100
_MARKS = 6  # of the meter, 10 dB each


def draw_tuning(sheet: Image.Image, word: str, how: str, tuning: Tuning) -> None:
    """Draw *word* large, *how* below it, then what is done and the meter; the seat beside them."""
    across, down = inner(sheet)
    left = 0
    if tuning.seat is not None:
        left = SEAT_PX + 3
        box = Area(0, 0, SEAT_PX, down - _METER_PX - 2)
        place(sheet, box, draw_seats, (tuning.seat.shown,))
    width = across - left
    count_top = down - _METER_PX - 2 - _BOXES_PX
    place(sheet, Area(left, 0, width, WORD_PX), draw_word, word)
    place(sheet, Area(left, WORD_PX, width, count_top - WORD_PX), draw_how, how)
    if tuning.of:
        box = Area(left, count_top, width, _BOXES_PX)
        place(sheet, box, draw_done, tuning.count, tuning.of, _MOST_BOXES)
    foot = Area(0, down - _METER_PX, across, _METER_PX)
    place(sheet, foot, _draw_meter, tuning.level)


def _draw_meter(draw: ImageDraw.ImageDraw, width: int, height: int, level: int) -> None:
    draw.line((0, height - 1, width - 1, height - 1), fill=1)
    for mark in range(_MARKS + 1):
        x = (width - 1) * mark // _MARKS
        draw.line((x, height - 3, x, height - 1), fill=1)
    reached = (width - 1) * min(max(level, 0), _FULL) // _FULL
    if reached:
        draw.rectangle((0, 0, reached, height - 4), fill=1)


_BAR_PX = 5
_BEAT_BOXES_PX = 8
_SMALL_WORD_PX = 13
_BEAT_MOST_BOXES = 6


@dataclass(frozen=True, slots=True)
class Beat:
    """Where a thing to be done is: *done* of *of*, and *filled*, 0 to 1, of the way to the next.

    *count* is the number of the countdown, None where none runs, and *is_now* the moment to
    do it. *go* is the word for that, "" where the countdown goes on meanwhile.
    """

    done: int = 0
    of: int = 0
    count: int | None = None
    is_now: bool = False
    filled: float = 0.0
    go: str = ""


def draw_beat(sheet: Image.Image, seats: tuple[int, ...], word: str, how: str, beat: Beat) -> None:
    """Draw the numbers of *seats*, and beside them *word* and *how*, or the countdown of *beat*."""
    across, down = inner(sheet)
    left = 0
    if seats:
        left = SEAT_PX + 3
        place(sheet, Area(0, 0, SEAT_PX, down - _BAR_PX - 2), draw_seats, seats)
    width = across - left
    foot = down - _BAR_PX - 2 - (_BEAT_BOXES_PX if beat.of else 0)
    if beat.count is None and not beat.is_now:
        place(sheet, Area(left, 0, width, WORD_PX), draw_word, word)
        place(sheet, Area(left, WORD_PX, width, foot - WORD_PX), draw_how, how)
    else:
        box = Area(left, 0, width, _SMALL_WORD_PX)
        place(sheet, box, draw_centred, word, (LARGE, MEDIUM_BOLD, BOLD))
        _place_moment(sheet, Area(left, _SMALL_WORD_PX, width, foot - _SMALL_WORD_PX - 1), beat)
    if beat.of:
        box = Area(left, foot, width, _BEAT_BOXES_PX)
        place(sheet, box, draw_done, beat.done, beat.of, _BEAT_MOST_BOXES)
    bar = Area(0, down - _BAR_PX, across, _BAR_PX)
    place(sheet, bar, _draw_bar, beat.filled)


def _place_moment(sheet: Image.Image, box: Area, beat: Beat) -> None:
    """Place the countdown, or the word to go by, light on dark until it is now."""
    told = beat.go if beat.is_now and beat.go else str(beat.count)
    place(sheet, box, _draw_moment, told)
    if beat.is_now:
        invert(sheet, box)


def _draw_moment(draw: ImageDraw.ImageDraw, width: int, height: int, told: str) -> None:
    font = largest_fitting(told, width - 4, (SHOUT, HUGE, LARGER, LARGE))
    shout_centred(draw, width / 2, (height - font.capital) // 2, told, font)


def _draw_bar(draw: ImageDraw.ImageDraw, width: int, height: int, filled: float) -> None:
    draw.line((0, height - 1, width - 1, height - 1), fill=1)
    reached = round((width - 1) * min(max(filled, 0.0), 1.0))
    if reached:
        draw.rectangle((0, 0, reached, height - 2), fill=1)
