"""The table is being tuned: what to do in one word, how far it is, and how loud the wood is."""

from PIL import Image, ImageDraw

from kloplei.rules.scoreboard import Tuning
from kloplei.slate.faces.asked import (
    SEAT_PX,
    WORD_PX,
    draw_done,
    draw_how,
    draw_seats,
    draw_word,
)
from kloplei.slate.sheet import SHEET_HEIGHT, SHEET_WIDTH, Box, place

_COUNT_PX = 9
_METER_PX = 7
_MOST_BOXES = 5
_FULL = 100
_MARKS = 6  # of the meter, 10 dB each


def draw_tuning(sheet: Image.Image, word: str, how: str, tuning: Tuning) -> None:
    """Draw *word* large, *how* below it, then what is done and the meter; the seat beside them."""
    left = 0
    if tuning.seat is not None:
        left = SEAT_PX + 3
        box = Box(0, 0, SEAT_PX, SHEET_HEIGHT - _METER_PX - 2)
        place(sheet, box, draw_seats, (tuning.seat.shown,))
    width = SHEET_WIDTH - left
    count_top = SHEET_HEIGHT - _METER_PX - 2 - _COUNT_PX
    place(sheet, Box(left, 0, width, WORD_PX), draw_word, word)
    place(sheet, Box(left, WORD_PX, width, count_top - WORD_PX), draw_how, how)
    if tuning.of:
        box = Box(left, count_top, width, _COUNT_PX)
        place(sheet, box, draw_done, tuning.count, tuning.of, _MOST_BOXES)
    place(
        sheet,
        Box(0, SHEET_HEIGHT - _METER_PX, SHEET_WIDTH, _METER_PX),
        _draw_meter,
        tuning.level,
    )


def _draw_meter(draw: ImageDraw.ImageDraw, width: int, height: int, level: int) -> None:
    draw.line((0, height - 1, width - 1, height - 1), fill=1)
    for mark in range(_MARKS + 1):
        x = (width - 1) * mark // _MARKS
        draw.line((x, height - 3, x, height - 1), fill=1)
    reached = (width - 1) * min(max(level, 0), _FULL) // _FULL
    if reached:
        draw.rectangle((0, 0, reached, height - 4), fill=1)
