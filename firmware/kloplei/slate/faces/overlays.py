"""What comes over a face, or in its place for a moment: notices, questions, shouts, echoes.

A band across the foot tells what passes, what waits and what is in doubt; an echo shows at once
what is being heard, a dot a knock. Words to do something (`draw_word` and its like) serve the
tuning and the recordings as well.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Concatenate, ParamSpec

from PIL import Image, ImageDraw

from kloplei.frozen import dataclass
from kloplei.games.scoreboard import Heard
from kloplei.slate.drawing import (
    BOLD,
    HUGE,
    LARGE,
    LARGER,
    MEDIUM,
    MEDIUM_BOLD,
    SHOUT,
    SMALL,
    STAKE,
    Area,
    Font,
    breaks_words,
    cut,
    doubled,
    fits_in,
    ink_of,
    inner,
    largest_fitting,
    leading,
    place,
    shortened,
    shout_centred,
    stacked,
    width_of,
    wipe,
    wrap,
    write,
    write_centred,
)
from kloplei.slate.faces import icons
from kloplei.words.letters import is_japanese

_LINE_PX = 9
_MOST_LINES = 3
_SIDE_PX = 3
_BAR_PX = 6
_DOUBT_PX = 27
_MARK_PX = 19
_DASH_PX, _DASH_EVERY_PX = 4, 7

_P = ParamSpec("_P")


@dataclass(frozen=True, slots=True)
class Overlay:
    """What passes over a table, or beside it: *what* it is, and *how* one answers to it.

    *left* of *steps* are left to do so, where it waits for anybody. *word* is that of a phone at
    the door; *light* has to be noticed; what *is_doubtful* was hardly heard.
    """

    what: str
    how: str = ""
    word: str = ""
    left: int = 0
    steps: int = 0
    light: bool = False
    is_doubtful: bool = False


def draw_sentence(sheet: Image.Image, sentence: str, *, light: bool = False) -> Area:
    """Draw *sentence* over the foot of *sheet*; *light* when it has to be noticed.

    Returns what of the sheet is left above it.
    """
    across, _ = inner(sheet)
    lines = wrap(sentence, SMALL, across - 2 * _SIDE_PX, _MOST_LINES)
    height = len(lines) * leading(_LINE_PX, *lines) + 3
    foot = _draw_foot(sheet, height, _draw_sentence_lines, lines, light=light)
    return Area(0, 0, across, foot.y)


def sentence_fits(sheet: Image.Image, sentence: str) -> bool:
    """Return whether `draw_sentence` draws all of *sentence*."""
    return fits_in(sentence, SMALL, inner(sheet)[0] - 2 * _SIDE_PX, _MOST_LINES)


def draw_grace(sheet: Image.Image, what: str, how: str, left: int, steps: int) -> Area:
    """Draw *what* will happen, *how* to stop it, and *left* of *steps* of a bar.

    Returns where *what* stands.
    """
    line = leading(_LINE_PX, what, how)
    foot = _draw_foot(sheet, 2 * line + _BAR_PX + 5, _draw_bar, what, how, left, steps)
    return foot._replace(height=4 + line + 1)


def draw_doubt(sheet: Image.Image, what: str, how: str, left: int, steps: int) -> None:
    """Ask whether *what* was heard right and tell *how* to say yes, in a frame of dashes.

    *left* of *steps* of the line below are left to do so.
    """
    _draw_foot(sheet, _DOUBT_PX, _draw_doubt, what, how, left, steps)


def _draw_foot(
    sheet: Image.Image,
    height: int,
    drawing: Callable[Concatenate[ImageDraw.ImageDraw, int, int, _P], None],
    *args: _P.args,
    **kwargs: _P.kwargs,
) -> Area:
    across, down = inner(sheet)
    box = Area(0, down - height, across, height)
    wipe(sheet, box)
    place(sheet, box, drawing, *args, **kwargs)
    return box


def _draw_sentence_lines(
    draw: ImageDraw.ImageDraw, width: int, height: int, lines: list[str], *, light: bool
) -> None:
    draw.rectangle((0, 0, width, height), fill=int(light))
    draw.line((0, 0, width, 0), fill=int(not light))
    font: Font = SMALL
    for number, line in enumerate(lines):
        y = 3 + number * leading(_LINE_PX, *lines)
        write_centred(draw, width / 2, y, line, font, ink=int(not light))


def _draw_bar(
    draw: ImageDraw.ImageDraw, width: int, height: int, what: str, how: str, left: int, steps: int
) -> None:
    draw.line((0, 1, width, 1), fill=1)
    font = largest_fitting(what, width - 1, (BOLD, SMALL))
    write(draw, 1, 4, _by_whom(what, font, width - 1), font)
    write(draw, 1, 4 + leading(_LINE_PX, what, how), how, SMALL)
    top = height - _BAR_PX
    draw.rectangle((0, top, width - 1, height - 1), outline=1)
    draw.rectangle((0, top, (width - 1) * left // steps, height - 1), fill=1)


def _draw_doubt(
    draw: ImageDraw.ImageDraw, width: int, height: int, what: str, how: str, left: int, steps: int
) -> None:
    draw.rectangle((0, 2, _MARK_PX - 1, height - 1), fill=1)
    write_centred(draw, _MARK_PX / 2, 2 + (height - 2 - HUGE.capital) // 2, "?", HUGE, ink=0)
    for x in range(_MARK_PX, width, _DASH_EVERY_PX):
        draw.line((x, 2, min(x + _DASH_PX, width) - 1, 2), fill=1)
    for y in range(2, height, _DASH_EVERY_PX):
        draw.line((width - 1, y, width - 1, min(y + _DASH_PX, height) - 1), fill=1)
    room = width - _MARK_PX - 2 * _SIDE_PX
    font = largest_fitting(what, room, (BOLD, SMALL))
    write(draw, _MARK_PX + _SIDE_PX, 6, _by_whom(what, font, room), font)
    y = 6 + leading(_LINE_PX, what, how)
    write(draw, _MARK_PX + _SIDE_PX, y, cut(how, SMALL, room), SMALL)
    end = _MARK_PX + (width - _MARK_PX) * left // steps
    draw.rectangle((_MARK_PX, height - 2, max(end - 1, _MARK_PX), height - 1), fill=1)


def _by_whom(what: str, font: Font, width: int) -> str:
    """Return *what*, a name and what it does; the name is cut where both are too wide."""
    who, colon, does = what.rpartition(": ")

    def told(names: list[str]) -> str:
        return f"{names[0]}{colon}{does}"

    return cut(shortened([who], told, lambda said: width_of(said, font) <= width), font, width)


_DOT_PX = 5
_GAP_PX = 3
_HOLD_PX = 25
_MOST_DOTS = 6  # no gesture has more knocks
_ROW_PX = 11
_STIR_PX = _DOT_PX + 2


def echo_width(heard: Heard) -> int:
    """Return how wide the box for *heard* has to be."""
    if heard.holding:
        return _HOLD_PX + 2 * _GAP_PX
    return min(max(heard.knocks, 1), _MOST_DOTS) * (_DOT_PX + _GAP_PX) + _GAP_PX + 2


def draw_echo(draw: ImageDraw.ImageDraw, width: int, height: int, heard: Heard) -> None:
    """Draw *heard* dark on light: tok, tok-tok, or a hand that stays down."""
    draw.rectangle((1, 0, width - 1, height - 1), fill=1)
    draw.line((0, 0, 0, height - 1), fill=0)  # keeps it apart from the strokes beside it
    top = (height - _DOT_PX) // 2
    if heard.holding:
        draw.rectangle((_GAP_PX, top, width - 1 - _GAP_PX, top + _DOT_PX - 1), fill=0)
        return
    for knock in range(min(heard.knocks, _MOST_DOTS)):
        left = 2 + _GAP_PX + knock * (_DOT_PX + _GAP_PX)
        _draw_dot(draw, left, top, ink=0, hollow=heard.doubtful)


def echo_in_row(sheet: Image.Image, row: Area, heard: Heard) -> None:
    """Draw *heard* at the end of a *row* of the slate, over what stands there."""
    width, height = echo_width(heard), min(row.height, _ROW_PX)
    box = Area(row.x + row.width - width, row.y + (row.height - height) // 2, width, height)
    wipe(sheet, box)
    place(sheet, box, draw_echo, heard)


def draw_stir(sheet: Image.Image) -> None:
    """Draw a small ring in the corner: the wood moved, and nobody knows yet what it was."""
    across, _ = inner(sheet)
    corner = Area(across - _STIR_PX, 0, _STIR_PX, _STIR_PX)
    wipe(sheet, corner)
    place(sheet, corner, _draw_ring)


def _draw_ring(draw: ImageDraw.ImageDraw, width: int, height: int) -> None:
    _draw_dot(draw, (width - _DOT_PX) // 2, (height - _DOT_PX) // 2, ink=1, hollow=True)


def _draw_dot(draw: ImageDraw.ImageDraw, left: int, top: int, *, ink: int, hollow: bool) -> None:
    # Drawn by hand: Pillow's circles of this size are lopsided.
    right, foot = left + _DOT_PX - 1, top + _DOT_PX - 1
    draw.rectangle((left + 1, top, right - 1, foot), fill=ink)
    draw.rectangle((left, top + 1, right, foot - 1), fill=ink)
    if hollow:
        draw.rectangle((left + 1, top + 1, right - 1, foot - 1), fill=1 - ink)


_MARGIN_PX = 16


def draw_question(sheet: Image.Image, sentence: str) -> None:
    """Draw *sentence* as large as it can be, beside a question mark dark on light."""
    across, down = inner(sheet)
    place(sheet, Area(0, 0, _MARGIN_PX, down), _draw_mark)
    box = Area(_MARGIN_PX + 2, 0, across - _MARGIN_PX - 2, down)
    place(sheet, box, draw_paragraph, sentence)


def question_fits(sheet: Image.Image, sentence: str) -> bool:
    """Return whether `draw_question` draws all of *sentence*."""
    across, down = inner(sheet)
    return paragraph_fits(sentence, across - _MARGIN_PX - 2, down)


def draw_paragraph(draw: ImageDraw.ImageDraw, width: int, height: int, sentence: str) -> None:
    """Draw *sentence* in the middle of the box, in the largest letters in which it fits."""
    font, lines = largest_setting(sentence, width, height)
    pitch = _pitch(font, sentence)
    if is_japanese(sentence) and len(lines) * (pitch + 1) <= height:
        pitch += 1
    top = (height - len(lines) * pitch) // 2 + 2
    for number, line in enumerate(lines):
        write_centred(draw, width / 2, top + number * pitch, line, font)


def largest_setting(sentence: str, width: int, height: int) -> tuple[Font, list[str]]:
    """Return the largest letters in which *sentence* fits such a box, and its lines."""
    for font in (LARGE, MEDIUM, SMALL):
        if font is not SMALL and breaks_words(sentence, font, width):
            continue
        # What stands on a line of its own, as each of several choices does, keeps it.
        lines = [one for part in sentence.splitlines() for one in wrap(part, font, width, 99)]
        if len(lines) * _pitch(font, sentence) <= height:
            return font, lines
    return SMALL, wrap(sentence, SMALL, width, height // _pitch(SMALL, sentence))


def paragraph_fits(sentence: str, width: int, height: int) -> bool:
    """Return whether `draw_paragraph` draws all of *sentence* in such a box."""
    # Where each of several choices has no line of its own, they stand one behind the other.
    return fits_in(sentence, SMALL, width, height // _pitch(SMALL, sentence))


def _pitch(font: Font, sentence: str) -> int:
    return leading(font.capital + font.depth + 2, sentence, font=font)


def _draw_mark(draw: ImageDraw.ImageDraw, width: int, height: int) -> None:
    draw.rectangle((0, 0, width, height), fill=1)
    write_centred(draw, width / 2, (height - SHOUT.capital) // 2, "?", SHOUT, ink=0)


_SIGN_PX = 20


def draw_notice(sheet: Image.Image, sentence: str) -> None:
    """Draw *sentence* beside a warning sign."""
    across, down = inner(sheet)
    place(sheet, Area(0, 0, _SIGN_PX, down), icons.draw_beside, icons.TROUBLE)
    box = Area(_SIGN_PX, 0, across - _SIGN_PX, down)
    place(sheet, box, draw_paragraph, sentence)


def notice_fits(sheet: Image.Image, sentence: str) -> bool:
    """Return whether `draw_notice` draws all of *sentence*."""
    across, down = inner(sheet)
    return paragraph_fits(sentence, across - _SIGN_PX, down)


_SHOUT_PX = 32  # of the box; below stands who shouts


def shouted_word(sheet: Image.Image, box: Area) -> Area:
    """Return where in *box* of *sheet* the word stands that `draw_shouted` has drawn there."""
    top, foot = box.y + 2, box.y + 2 + _SHOUT_PX
    found = sheet.crop((box.x, top, box.x + box.width, foot)).getbbox() or (0, 0, 1, 1)
    left, upper, right, lower = found
    return Area(box.x + left, top + upper, right - left, lower - upper)


def draw_shouted(draw: ImageDraw.ImageDraw, width: int, height: int, word: str, name: str) -> None:
    """Draw *word* as large as it goes, and below it *name*, who says it.

    Two words stand one below the other where that makes them larger.
    """
    lines = [word] if width_of(word, HUGE) < width else word.split(" ", 1)
    longest = max(lines, key=lambda line: width_of(line, HUGE))
    fonts = (SHOUT, HUGE, LARGER, LARGE)[len(lines) - 1 :]
    font = largest_fitting(longest, width - 1, fonts)
    for number, line in enumerate(stacked(Area(0, 2, width, _SHOUT_PX), len(lines))):
        y = line.y + (line.height - font.capital) // 2
        shout_centred(draw, width / 2, y, lines[number], font)
    font = largest_fitting(name, width, (LARGER, LARGE, BOLD))
    write_centred(draw, width / 2, height - 21, cut(name, font, width), font)


def write_stake(
    draw: ImageDraw.ImageDraw, width: int, top: int, foot: int, stake: int, *, ink: int = 1
) -> None:
    """Write *stake* as large as *width* allows, in the middle between *top* and *foot*."""
    number, room = str(stake), foot - top
    if width_of(number, STAKE) <= width and STAKE.capital <= room:
        write_centred(draw, width / 2, top + (room - STAKE.capital) // 2, number, STAKE, ink)
        return
    between = _between(number)
    if between.width <= width and between.height <= room:
        # Two digits on the wide glass, and one where kana take what it lacks.
        at = (width - between.width) // 2, top + (room - between.height) // 2
        draw.bitmap(at, between, fill=ink)
    else:
        shout_centred(draw, width / 2, top + (room - SHOUT.capital) // 2, number, SHOUT, ink)


@lru_cache(maxsize=8)
def _between(number: str) -> Image.Image:
    """Return *number* in digits of a size between `SHOUT` and `STAKE`."""
    begins, ends = ink_of(number, HUGE)
    small = Image.new("1", (ends - begins, HUGE.capital))
    write(ImageDraw.Draw(small), -begins, 0, number, HUGE)
    return doubled(small)


SEAT_PX, _SEAT_GAP_PX = 34, 3
WORD_PX = 24
_HOW_LINE_PX = 10
_HOW_LINES = 2


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
    fonts = (SHOUT, HUGE, LARGER, LARGE, MEDIUM_BOLD)[int(is_japanese(word)) :]
    font = largest_fitting(word, width - 2, fonts)
    shout_centred(draw, width / 2, (height - font.capital) // 2 + 1, word, font)


def draw_how(draw: ImageDraw.ImageDraw, width: int, height: int, how: str) -> None:
    """Write *how* in one line of large letters, else in two of small ones."""
    font = largest_fitting(how, width, (LARGE, BOLD, SMALL))
    lines = wrap(how, font, width, _HOW_LINES)
    pitch = leading(_HOW_LINE_PX, how, font=font)
    top = (height - len(lines) * pitch) // 2 + 1
    for number, line in enumerate(lines):
        write_centred(draw, width / 2, top + number * pitch, cut(line, font, width), font)


def how_fits(sheet: Image.Image, how: str) -> bool:
    """Return whether `draw_how` draws all of *how* beside the number of a seat."""
    return fits_in(how, SMALL, inner(sheet)[0] - SEAT_PX - _SEAT_GAP_PX, _HOW_LINES)


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
