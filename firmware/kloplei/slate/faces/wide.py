"""Faces for the wide glass of 256 x 64 in greys: the same, with more on it.

Four players or fewer stand beside what is past, eight in two columns of four as high as four. What
is past is grey: who folded or is out, strokes of earlier hands, and the last hands of the rubber.
What passes covers nobody: it stands light where the past does, and a crowd moves aside for it, as
the seats to take do and the end of a rubber.
"""

from collections.abc import Callable, Mapping

from PIL import Image, ImageDraw

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Hand, Scoreboard
from kloplei.network.addresses import Wifi
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
    breaks_words,
    cut,
    inner,
    invert,
    largest_fitting,
    lay,
    leading,
    place,
    width_of,
    wrap,
    write,
    write_centred,
)
from kloplei.slate.faces import join, table
from kloplei.slate.faces.overlays import Overlay
from kloplei.slate.faces.rows import TableScene, draw_cells, draw_rows
from kloplei.words.letters import legible

_SIDE_PX = 46
_PAST_PX = 72
_BESIDE_PX = (_PAST_PX, 90, 108)
_BESIDE_CROWD_PX = (60, *_BESIDE_PX)
"""How wide what passes may be: no wider than it needs to be, where a crowd has to move aside."""
_GAP_PX = 5
_LINE_PX = 9
_RIM_PX = 2
_MARK_PX = 17
_BAR_PX = 4
_MOST_LINES = 9
_MOST_HANDS = 3
_NEWS_LINES = 6
_FOUR = 4  # so many rows are of a height that is read from afar


def draw_table(sheet: Image.Image, scene: TableScene) -> None:
    """Draw the rows on the left, then what is past, and on the right what the hand costs."""
    if _is_few(scene.board):
        past = _draw_players(sheet, scene, _PAST_PX)
        lay(sheet, past, PAST, _draw_past, scene)
    else:
        _draw_players(sheet, scene, 0)


def draw_table_beside(sheet: Image.Image, scene: TableScene, passes: Overlay) -> None:
    """Draw the rows on the left, then what *passes*, and on the right what the hand costs."""
    width = _width_of(sheet, passes, _BESIDE_PX if _is_few(scene.board) else _BESIDE_CROWD_PX)
    box = _draw_players(sheet, scene, width)
    _place_passing(sheet, box, passes)


def draw_face_beside(
    sheet: Image.Image, passes: Overlay, draw_face: Callable[[Image.Image], None]
) -> None:
    """Let *draw_face* draw on what is left of *sheet* beside what *passes*, on the right."""
    across, down = inner(sheet)
    width = _width_of(sheet, passes, _BESIDE_PX)
    left = across - width
    narrower = Image.new(sheet.mode, (left - _GAP_PX, sheet.height))
    draw_face(narrower)
    sheet.paste(narrower, (0, 0))
    invert(sheet, Area(left - _GAP_PX // 2 - 1, 0, 1, down))
    _place_passing(sheet, Area(left, 1, width, down - 1), passes)


def sentence_fits(sheet: Image.Image, sentence: str) -> bool:
    """Return whether all of *sentence* fits beside a face."""
    passes = Overlay(sentence)
    return _tall(passes, _lines_of(passes, _BESIDE_PX[-1])) <= inner(sheet)[1] - 1


def _width_of(sheet: Image.Image, passes: Overlay, widths: tuple[int, ...]) -> int:
    """Return how wide what *passes* has to be: the least of *widths* in which all of it fits."""
    height = inner(sheet)[1] - 1
    low = [one for one in widths if _tall(passes, _lines_of(passes, one)) <= height] or widths[-1:]
    return next((one for one in low if not _breaks(passes, one)), low[-1])


def _place_passing(sheet: Image.Image, box: Area, passes: Overlay) -> None:
    place(sheet, box, _draw_passing, passes)
    if passes.light:
        invert(sheet, box)


def _is_few(board: Scoreboard) -> bool:
    return bool(board.duel) or len(board.rows) <= _FOUR


def _draw_players(sheet: Image.Image, scene: TableScene, beside_px: int) -> Area:
    """Draw players and column; return what is kept free between them, *beside_px* wide."""
    board, names = scene.board, scene.names
    side = table.side_of(sheet, _SIDE_PX)
    rows = table.draw_beside(sheet, side, scene)
    blink = scene.blinks
    width = rows.width - (beside_px + _GAP_PX if beside_px else 0)
    if _is_few(board):
        draw = table.draw_sides if board.duel else draw_rows
        draw(sheet, rows._replace(width=width), board, names, blink=blink)
    elif beside_px:
        # Names tell people apart, and digits say what strokes would: there is not room for all.
        box = rows._replace(width=width)
        draw_cells(sheet, box, board, board.rows, names, across=2, blink=blink)
    else:
        _draw_columns(sheet, rows, board, names, blink=blink)
    table.draw_stray_echo(sheet, side, board)
    return Area(rows.x + width + _GAP_PX, rows.y, beside_px, rows.height)


def draw_shout(sheet: Image.Image, scene: TableScene, shout: tuple[str, str]) -> Area:
    """Draw a *shout* in place of the rows, as on the small glass; return where the word is."""
    side = table.side_of(sheet, _SIDE_PX)
    return table.draw_shout_beside(sheet, side, scene, shout)


def draw_join(sheet: Image.Image, title: str, url: str, pin: str, code: str = "") -> None:
    """Draw the QR code for *url* with *code*, and large beside it the address to type and *pin*."""
    join.draw_code(sheet, url, code)
    box = _beside_code(sheet)
    font = MEDIUM if len(join.typed(url, box.width, MEDIUM)) == 1 else SMALL
    place(sheet, box, _draw_way_in, title, join.typed(url, box.width, font), font, pin)


def draw_wifi(sheet: Image.Image, title: str, wifi: Wifi) -> None:
    """Draw the code that joins *wifi*, and large beside it what to type, where it is not long."""
    box, name, password = _beside_code(sheet), legible(wifi.name), wifi.password or ""
    if max(width_of(one, MEDIUM_BOLD) for one in (name, password)) > box.width:
        join.draw_wifi(sheet, title, wifi)
        return
    join.draw_wifi_code(sheet, wifi)
    place(sheet, box, _draw_way_in, title, [name], MEDIUM_BOLD, password)


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


_Line = tuple[str, Font]


def _lines_of(passes: Overlay, width: int) -> list[_Line]:
    """Return what of *passes* is written in a box *width* wide, line by line."""
    room = width - 2 * _RIM_PX
    what = BOLD if passes.steps and not passes.word else SMALL
    head = [(passes.word, BOLD)] if passes.word else []
    said = ((part, font) for part, font in ((passes.what, what), (passes.how, SMALL)) if part)
    return head + [
        (line, font)
        for part, font in said
        for row in part.splitlines()
        for line in wrap(row, font, room, _MOST_LINES)
    ]


def _breaks(passes: Overlay, width: int) -> bool:
    """Return whether a word of *passes* is longer than a line."""
    room = width - 2 * _RIM_PX
    return any(breaks_words(part, BOLD, room) for part in (passes.what, passes.how))


def _tall(passes: Overlay, lines: list[_Line]) -> int:
    mark = _MARK_PX if passes.is_doubtful else 0
    return mark + len(lines) * _pitch(lines) + 1 + (_BAR_PX + 2 if passes.steps else 0)


def _pitch(lines: list[_Line]) -> int:
    return leading(_LINE_PX, *(line for line, _ in lines))


def _draw_passing(draw: ImageDraw.ImageDraw, width: int, height: int, passes: Overlay) -> None:
    """Draw *passes* with a mark above where it is doubtful, and a bar below while it waits."""
    lines = _lines_of(passes, width)
    pitch, foot = _pitch(lines), height - (_BAR_PX + 2 if passes.steps else 0)
    top = 0
    if passes.is_doubtful:
        top = _MARK_PX
        draw.rectangle((0, 0, width - 1, _MARK_PX - 2), fill=1)
        write_centred(draw, width / 2, (_MARK_PX - LARGER.capital) // 2, "?", LARGER, ink=0)
    top += max((foot - top - len(lines) * pitch) // 2, 0) + 1
    for number, (line, font) in enumerate(lines):
        y = top + number * pitch
        ink = 1
        if line == passes.word and not number:
            draw.rectangle((0, y - 2, width - 1, y + pitch - 2), fill=1)
            ink = 0
        write_centred(draw, width / 2, y, cut(line, font, width - 2 * _RIM_PX), font, ink)
    if passes.steps:
        draw.rectangle((0, height - _BAR_PX - 1, width - 1, height - 2), outline=1)
        end = (width - 1) * passes.left // passes.steps
        draw.rectangle((0, height - _BAR_PX - 1, end, height - 2), fill=1)


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


def _draw_past(draw: ImageDraw.ImageDraw, width: int, height: int, scene: TableScene) -> None:
    """Draw what happened last, whole, and the last hands below it, the newest at the foot."""
    hands = [_hand_line(hand, scene.names) for hand in scene.board.hands if hand.winner is not None]
    news = _news_lines(scene, width)
    pitch = leading(_LINE_PX, *news, *(winner for winner, _ in hands))
    room = (height - len(news) * pitch - _RIM_PX) // pitch if news else _MOST_HANDS
    shown = hands[max(len(hands) - min(room, _MOST_HANDS), 0) :]
    top = height - len(shown) * pitch
    for number, (winner, stake) in enumerate(shown):
        y = top + number * pitch
        room = width - width_of(stake, BOLD) - 2
        write(draw, 0, y, cut(winner, SMALL, room, ending="."), SMALL)
        write(draw, width - width_of(stake, BOLD), y, stake, BOLD)
    for number, line in enumerate(news):
        write(draw, 0, 1 + number * pitch, line, SMALL)


def _news_lines(scene: TableScene, width: int) -> list[str]:
    """Return what happened last, in lines, where there are words for it."""
    news = scene.board.news
    if news is None:
        return []
    said = scene.words.say(news.key, news.facts, scene.names)
    if said == news.key:
        return []
    return wrap(legible(said), SMALL, width, _NEWS_LINES)


def _hand_line(hand: Hand, names: Mapping[Seat, str]) -> tuple[str, str]:
    """Return who won *hand*, and the most that it cost anybody."""
    winner = "" if hand.winner is None else names.get(hand.winner, str(hand.winner.shown))
    most = max(map(abs, hand.paid.values()), default=0)
    return f"{hand.number} {winner}", str(most) if most else ""
