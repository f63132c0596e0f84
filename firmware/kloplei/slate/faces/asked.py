"""What somebody is asked to do: whose turn it is, one word, how, and how much of it is done."""

from PIL import ImageDraw

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

SEAT_PX = 34
WORD_PX = 24
_LINE_PX = 10
_LINES = 2


def draw_seats(draw: ImageDraw.ImageDraw, width: int, height: int, seats: tuple[int, ...]) -> None:
    """Draw the numbers of *seats*, as people count them, dark on light, one below the other."""
    draw.rectangle((0, 0, width, height), fill=1)
    font = STAKE if len(seats) == 1 else SHOUT
    pitch = height // len(seats)
    for at, seat in enumerate(seats):
        top = at * pitch + (pitch - font.capital) // 2
        write_centred(draw, width / 2, top, str(seat), font, ink=0)


def draw_word(draw: ImageDraw.ImageDraw, width: int, height: int, word: str) -> None:
    """Write *word* as large as it goes."""
    font = largest_fitting(word, width - 2, (SHOUT, HUGE, LARGER, LARGE, MEDIUM_BOLD))
    shout_centred(draw, width / 2, (height - font.capital) // 2 + 1, word, font)


def draw_how(draw: ImageDraw.ImageDraw, width: int, height: int, how: str) -> None:
    """Write *how* in one line of large letters, else in two of small ones."""
    font = largest_fitting(how, width, (LARGE, BOLD, SMALL))
    lines = wrap(how, font, width, _LINES)
    top = (height - len(lines) * _LINE_PX) // 2 + 1
    for number, line in enumerate(lines):
        write_centred(draw, width / 2, top + number * _LINE_PX, cut(line, font, width), font)


def draw_done(
    draw: ImageDraw.ImageDraw, width: int, height: int, done: int, of: int, most: int
) -> None:
    """Draw a box for each thing to do, light once done; of more than *most*, some share one."""
    boxes = min(of, most)
    pitch = width // most
    left = (width - pitch * boxes) // 2 + 1
    for number in range(boxes):
        x = left + number * pitch
        is_done = (number + 1) * of <= done * boxes
        draw.rectangle((x, 1, x + pitch - 4, height - 2), fill=int(is_done), outline=1)
