"""Faces for the wide glass of 256 x 64 in greys: the same, with more on it.

Four players or fewer stand beside what is past, eight in two columns of four as high as four. What
is past is grey: who folded or is out, strokes of earlier hands, and the last hands of the rubber.
"""

from collections.abc import Mapping

from PIL import Image, ImageDraw

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Hand, Scoreboard
from kloplei.slate.drawing import (
    BOLD,
    HUGE,
    LARGE,
    LARGER,
    MEDIUM,
    MEDIUM_BOLD,
    PAST,
    SMALL,
    Area,
    Font,
    Motion,
    cut,
    inner,
    largest_fitting,
    lay,
    place,
    width_of,
    wrap,
    write,
)
from kloplei.slate.faces import join, table
from kloplei.slate.faces.rows import draw_rows
from kloplei.words import Words

_SIDE_PX = 46
_PAST_PX = 72
_GAP_PX = 5
_LINE_PX = 9
_MOST_HANDS = 3
_NEWS_LINES = 3
_FOUR = 4  # so many rows are of a height that is read from afar


def draw_table(
    sheet: Image.Image,
    board: Scoreboard,
    names: Mapping[Seat, str],
    words: Words,
    motion: Motion,
) -> None:
    """Draw the rows on the left, then what is past, and on the right what the hand costs."""
    side = table.side_of(sheet, _SIDE_PX)
    rows = table.draw_beside(sheet, side, board, names, words, motion)
    blink = table.blinks(board, motion)
    if board.duel or len(board.rows) <= _FOUR:
        width = rows.width - _PAST_PX - _GAP_PX
        past = Area(rows.x + width + _GAP_PX, rows.y, _PAST_PX, rows.height)
        draw = table.draw_sides if board.duel else draw_rows
        draw(sheet, rows._replace(width=width), board, names, blink=blink)
        lay(sheet, past, PAST, _draw_past, board, names, words)
    else:
        _draw_columns(sheet, rows, board, names, blink=blink)
    table.draw_stray_echo(sheet, side, board)


def draw_shout(
    sheet: Image.Image,
    board: Scoreboard,
    names: Mapping[Seat, str],
    words: Words,
    motion: Motion,
    shout: tuple[str, str],
) -> Area:
    """Draw a *shout* in place of the rows, as on the small glass; return where the word is."""
    side = table.side_of(sheet, _SIDE_PX)
    return table.draw_shout_beside(sheet, side, board, names, words, motion, shout)


def draw_join(sheet: Image.Image, title: str, url: str, pin: str, code: str = "") -> None:
    """Draw the QR code for *url* with *code*, and large beside it the address to type and *pin*."""
    join.draw_code(sheet, url, code)
    box = _beside_code(sheet)
    font = MEDIUM if len(join.typed(url, box.width, MEDIUM)) == 1 else SMALL
    place(sheet, box, _draw_way_in, title, join.typed(url, box.width, font), font, pin)


def _beside_code(sheet: Image.Image) -> Area:
    across, _ = inner(sheet)
    left = sheet.height + _GAP_PX
    return Area(left, 1, across - left, sheet.height - 2)


def _draw_way_in(
    draw: ImageDraw.ImageDraw,
    width: int,
    height: int,
    title: str,
    address: list[str],
    font: Font,
    pin: str,
) -> None:
    heading = largest_fitting(title, width, (LARGER, LARGE, MEDIUM_BOLD, BOLD))
    write(draw, 0, 2, title, heading)
    for number, line in enumerate(address):
        write(draw, 0, 22 + number * (font.capital + 3), cut(line, font, width), font)
    large = largest_fitting(pin, width, (HUGE, LARGER, LARGE, MEDIUM_BOLD))
    write(draw, 0, height - large.capital - 4, cut(pin, large, width), large)


def _draw_columns(
    sheet: Image.Image,
    box: Area,
    board: Scoreboard,
    names: Mapping[Seat, str],
    *,
    blink: bool,
) -> None:
    """Draw the rows of *board* in two columns, the first seats on the left."""
    half = -(-len(board.rows) // 2)
    width = (box.width - _GAP_PX) // 2
    for number in range(2):
        rows = board.rows[number * half : (number + 1) * half]
        left = box.x + number * (width + _GAP_PX)
        # As many rows in each, so that letters and lines are the same on both sides.
        tall = box.height * len(rows) // half
        column = Area(left, box.y, width, tall)
        draw_rows(sheet, column, board, names, blink=blink, shown=rows)


def _draw_past(
    draw: ImageDraw.ImageDraw,
    width: int,
    height: int,
    board: Scoreboard,
    names: Mapping[Seat, str],
    words: Words,
) -> None:
    """Draw the last hands, the newest at the foot, and what happened last above them."""
    hands = [_hand_line(hand, names) for hand in board.hands if hand.winner is not None]
    shown = hands[-_MOST_HANDS:]
    top = height - len(shown) * _LINE_PX
    for number, (winner, stake) in enumerate(shown):
        y = top + number * _LINE_PX
        room = width - width_of(stake, BOLD) - 2
        write(draw, 0, y, cut(winner, SMALL, room, ending="."), SMALL)
        write(draw, width - width_of(stake, BOLD), y, stake, BOLD)
    news = board.news
    if news is None:
        return
    lines = min((top - 2) // _LINE_PX, _NEWS_LINES)
    said = words.say(news.key, news.facts, names)
    if lines > 0 and said != news.key:
        for number, line in enumerate(wrap(said, SMALL, width, lines)):
            write(draw, 0, 1 + number * _LINE_PX, line, SMALL)


def _hand_line(hand: Hand, names: Mapping[Seat, str]) -> tuple[str, str]:
    """Return who won *hand*, and the most that it cost anybody."""
    winner = "" if hand.winner is None else names.get(hand.winner, str(hand.winner.shown))
    most = max(map(abs, hand.paid.values()), default=0)
    return f"{hand.number} {winner}", str(most) if most else ""
