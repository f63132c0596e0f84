"""The table is being tuned: what to do in one word, how far it is, and how loud the wood is."""

from PIL import Image, ImageDraw

from kloplei.rules.scoreboard import Tuning
from kloplei.slate.lettering import (
    BOLD,
    HUGE,
    LARGE,
    LARGER,
    MEDIUM_BOLD,
    SHOUT,
    SMALL,
    STAKE,
    cut,
    largest_fitting,
    shout_centred,
    wrap,
    write_centred,
)
from kloplei.slate.sheet import SHEET_HEIGHT, SHEET_WIDTH, Box, place

_SEAT_PX = 34
_WORD_PX = 24
_COUNT_PX = 9
_METER_PX = 7
_LINE_PX = 10
_LINES = 2
_MOST_BOXES = 5
_FULL = 100
_MARKS = 6  # of the meter, 10 dB each


def draw_tuning(sheet: Image.Image, word: str, how: str, tuning: Tuning) -> None:
    """Draw *word* large, *how* below it, then what is done and the meter; the seat beside them."""
    left = 0
    if tuning.seat is not None:
        left = _SEAT_PX + 3
        box = Box(0, 0, _SEAT_PX, SHEET_HEIGHT - _METER_PX - 2)
        place(sheet, box, _draw_seat, str(tuning.seat.shown))
    width = SHEET_WIDTH - left
    count_top = SHEET_HEIGHT - _METER_PX - 2 - _COUNT_PX
    place(sheet, Box(left, 0, width, _WORD_PX), _draw_word, word)
    place(sheet, Box(left, _WORD_PX, width, count_top - _WORD_PX), _draw_how, how)
    if tuning.of:
        place(sheet, Box(left, count_top, width, _COUNT_PX), _draw_count, tuning.count, tuning.of)
    place(
        sheet,
        Box(0, SHEET_HEIGHT - _METER_PX, SHEET_WIDTH, _METER_PX),
        _draw_meter,
        tuning.level,
    )


def _draw_seat(draw: ImageDraw.ImageDraw, width: int, height: int, number: str) -> None:
    draw.rectangle((0, 0, width, height), fill=1)
    write_centred(draw, width / 2, (height - STAKE.capital) // 2, number, STAKE, ink=0)


def _draw_word(draw: ImageDraw.ImageDraw, width: int, height: int, word: str) -> None:
    font = largest_fitting(word, width - 2, (SHOUT, HUGE, LARGER, LARGE, MEDIUM_BOLD))
    shout_centred(draw, width / 2, (height - font.capital) // 2 + 1, word, font)


def _draw_how(draw: ImageDraw.ImageDraw, width: int, height: int, how: str) -> None:
    """Write *how* in one line of large letters, else in two of small ones."""
    font = largest_fitting(how, width, (LARGE, BOLD, SMALL))
    lines = wrap(how, font, width, _LINES)
    top = (height - len(lines) * _LINE_PX) // 2 + 1
    for number, line in enumerate(lines):
        write_centred(draw, width / 2, top + number * _LINE_PX, cut(line, font, width), font)


def _draw_count(draw: ImageDraw.ImageDraw, width: int, height: int, count: int, of: int) -> None:
    """Draw a box for each thing to do, light once it is done; of many, some make a box."""
    boxes = min(of, _MOST_BOXES)
    pitch = width // _MOST_BOXES
    left = (width - pitch * boxes) // 2 + 1
    for number in range(boxes):
        x = left + number * pitch
        is_done = (number + 1) * of <= count * boxes
        draw.rectangle((x, 1, x + pitch - 4, height - 2), fill=int(is_done), outline=1)


def _draw_meter(draw: ImageDraw.ImageDraw, width: int, height: int, level: int) -> None:
    draw.line((0, height - 1, width - 1, height - 1), fill=1)
    for mark in range(_MARKS + 1):
        x = (width - 1) * mark // _MARKS
        draw.line((x, height - 3, x, height - 1), fill=1)
    reached = (width - 1) * min(max(level, 0), _FULL) // _FULL
    if reached:
        draw.rectangle((0, 0, reached, height - 4), fill=1)
