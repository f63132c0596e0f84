"""Faces of coming and going: QR codes, a phone at the door, seats to take, and goodbye."""

from collections.abc import Callable, Mapping
from functools import lru_cache

from PIL import Image, ImageDraw

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.network.addresses import Wifi
from kloplei.slate.drawing import (
    BOLD,
    HUGE,
    LARGE,
    LARGER,
    MEDIUM,
    MEDIUM_BOLD,
    SHOUT,
    SMALL,
    Area,
    Font,
    cut,
    draw_centred,
    inner,
    largest_fitting,
    place,
    shortened,
    shout_centred,
    width_of,
    wipe,
    wrap,
    write,
    write_centred,
)
from kloplei.slate.faces import icons
from kloplei.slate.faces.overlays import draw_echo, draw_paragraph, echo_width, paragraph_fits
from kloplei.words.letters import legible

_QUIET = 1  # light modules around the code, at least: phones do with less than the standard's 4
_MODULE_PX = 2  # smaller ones a phone cannot tell apart
_SLASHES_OF_SCHEME = 2
_LINE_PX = 9
_TEXT_GAP_PX = 3


def draw_join(sheet: Image.Image, title: str, url: str, pin: str, code: str = "") -> None:
    """Draw the QR code for *url*, its address to type, and *pin* (empty where none is needed).

    *code* goes into the QR code as well, unless its modules would get too small for a phone.
    """
    draw_code(sheet, url, code)
    box = _text_of(sheet)
    place(sheet, box, _draw_text, title, typed(url, box.width), pin)


def draw_code(sheet: Image.Image, url: str, code: str) -> None:
    """Draw the QR code for *url* alone, with *code* in it if it may be, on the left."""
    lets_in = _compact(f"{url.removesuffix('/')}/in/{code}") if code else ""
    fits = bool(lets_in) and _scale(len(_modules(lets_in)), sheet.height) >= _MODULE_PX
    sheet.paste(_code(lets_in if fits else _compact(url), sheet.height), (0, 0))


def draw_wifi(sheet: Image.Image, title: str, wifi: Wifi) -> None:
    """Draw the code that joins *wifi*, and what to type."""
    lines = wrap(legible(wifi.name), SMALL, _text_of(sheet).width, 2)
    draw_wifi_code(sheet, wifi)
    place(sheet, _text_of(sheet), _draw_text, title, lines, wifi.password or "")


def draw_wifi_code(sheet: Image.Image, wifi: Wifi) -> None:
    """Draw the code that joins *wifi* alone, on the left."""
    sheet.paste(_code(wifi.code, sheet.height), (0, 0))


def draw_offline(sheet: Image.Image, title: str, sentence: str) -> None:
    """Draw *title* large and *sentence* below: no phone can come, and the evening goes on."""
    across, down = inner(sheet)
    place(sheet, Area(2, 1, across - 4, down - 1), _draw_offline, title, sentence)


def _compact(url: str) -> str:
    """Return *url* in capitals where it means the same: a code holds half as much again of them.

    A smaller code leaves a wider light rim, without which many a phone does not find it on a dark
    glass. Scheme and host mean the same in any case, and the panel takes ``/IN/`` for ``/in/``.
    """
    start, _, secret = url.partition("/in/")
    at_root = start.removesuffix("/").count("/") == _SLASHES_OF_SCHEME
    return url.upper() if at_root and secret == secret.upper() else url


def _text_of(sheet: Image.Image) -> Area:
    """Return what of *sheet* is left beside a code as high as it is."""
    across, _ = inner(sheet)
    left = sheet.height + _TEXT_GAP_PX
    return Area(left, 1, across - left, sheet.height - 2)


def typed(url: str, width: int, font: Font = SMALL) -> list[str]:
    """Return *url* as a phone's owner types it, in two lines if it does not fit in one.

    They break before the port, else behind a dot of the host. None is wider than *width* pixels in
    *font*, unless a host is longer than two of them.
    """
    address = url.removeprefix("http://").removesuffix("/")
    if width_of(address, font) <= width:
        return [address]
    host, colon, port = address.partition(":")
    if width_of(host, font) <= width:
        return [host, colon + port]
    at = host.rfind(".", 0, len(host) * 2 // 3) + 1 or len(host) // 2
    return [host[:at], host[at:] + colon + port]


@lru_cache(maxsize=8)  # each evening has a code of its own
def _modules(content: str) -> list[bytes]:
    import segno  # here, since the first picture does without

    return [bytes(row) for row in segno.make_qr(content, error="l", boost_error=False).matrix]


def _scale(modules: int, height: int) -> int:
    return max(height // (modules + 2 * _QUIET), 1)


@lru_cache(maxsize=8)
def _code(content: str, height: int) -> Image.Image:
    """Return the QR code of *content* on a light square as high as the glass, *height* pixels.

    Modules are as large as can be: of 64 pixels two up to 77 capitals or 53 characters, then one.
    Up to 47 capitals, or 32 characters, there is a light rim of 3.5 modules, beyond that of 1.5.
    """
    modules = _modules(content)
    scale = _scale(len(modules), height)
    square = Image.new("1", (height, height), 1)
    draw = ImageDraw.Draw(square)
    margin = (height - len(modules) * scale) // 2
    for y, row in enumerate(modules):
        for x, dark in enumerate(row):
            if dark:
                left, top = margin + x * scale, margin + y * scale
                draw.rectangle((left, top, left + scale - 1, top + scale - 1), fill=0)
    return square


def _draw_text(
    draw: ImageDraw.ImageDraw, width: int, height: int, title: str, first: list[str], second: str
) -> None:
    font = largest_fitting(title, width, (MEDIUM_BOLD, BOLD))
    write(draw, 0, 1, title, font)
    for number, line in enumerate(first):
        write(draw, 0, 18 + number * _LINE_PX, cut(line, SMALL, width), SMALL)
    if second:
        font = largest_fitting(second, width, (MEDIUM_BOLD, BOLD, SMALL))
        lines = wrap(second, font, width, 2)
        for number, line in enumerate(lines):
            y = height - (len(lines) - number) * (font.capital + 3)
            write(draw, 0, y, line, font)


def _draw_offline(
    draw: ImageDraw.ImageDraw, width: int, height: int, title: str, sentence: str
) -> None:
    font = largest_fitting(title, width, (LARGER, LARGE, MEDIUM_BOLD))
    write(draw, 0, 3, title, font)
    font = MEDIUM if len(wrap(sentence, MEDIUM, width, 4)) <= 3 else SMALL
    step = font.capital + 5
    for number, line in enumerate(wrap(sentence, font, width, 3)):
        write(draw, 0, 22 + number * step, line, font)


_TITLE_PX = 14
_WHO_PX, _HOW_PX, _BAR_PX = 14, 14, 4
_DOOR_FOOT_PX = 24
_SIDE_PX = 3


def draw_door(sheet: Image.Image, who: str, word: str, how: str, left: int, steps: int) -> None:
    """Draw the *word* of the phone large, *who* it wants to be above and *how* to say yes below.

    *left* of *steps* of the line at the foot are left to do so; without *steps* it is over.
    """
    across, down = inner(sheet)
    how_top = down - _BAR_PX - _HOW_PX
    place(sheet, Area(0, 0, across, _WHO_PX), _draw_who, who)
    place(sheet, Area(0, _WHO_PX, across, how_top - _WHO_PX), _draw_door_word, word)
    foot = Area(0, how_top, across, _HOW_PX)
    place(sheet, foot, draw_centred, how, (MEDIUM_BOLD, BOLD, SMALL))
    if steps:
        bar = Area(0, down - _BAR_PX, across, _BAR_PX)
        place(sheet, bar, _draw_left, left, steps)


def draw_door_at_foot(
    sheet: Image.Image, who: str, word: str, how: str, left: int, steps: int
) -> None:
    """Draw the same over the foot of *sheet*, while cards are on the table."""
    across, down = inner(sheet)
    box = Area(0, down - _DOOR_FOOT_PX, across, _DOOR_FOOT_PX)
    wipe(sheet, box)
    place(sheet, box, _draw_door_foot, who, word, how, left, steps)


def draw_call(
    sheet: Image.Image, title: str, names: list[str], listed: Callable[[list[str]], str], how: str
) -> None:
    """Draw which table it is and which round, *names* of who is called, and *how* they sit down.

    *listed* makes one phrase of them; where that is too long for the glass each name is cut.
    """
    across, down = inner(sheet)
    if not names:
        place(sheet, Area(0, 0, across, down), draw_paragraph, title)
        return
    place(sheet, Area(0, 0, across, _TITLE_PX), _draw_title, title)
    how_px = _HOW_PX if how else 0
    box = Area(0, _TITLE_PX + 1, across, down - _TITLE_PX - 1 - how_px)
    place(sheet, box, draw_called, names, listed)
    if how:
        foot = Area(0, down - how_px, across, how_px)
        place(sheet, foot, draw_centred, how, (BOLD, SMALL))


def draw_called(
    draw: ImageDraw.ImageDraw,
    width: int,
    height: int,
    names: list[str],
    listed: Callable[[list[str]], str],
) -> None:
    """Draw *names* as *listed* says them, whole or cut alike."""

    def fits(said: str) -> bool:
        return paragraph_fits(said, width, height)

    draw_paragraph(draw, width, height, shortened(names, listed, fits))


def _draw_title(draw: ImageDraw.ImageDraw, width: int, height: int, title: str) -> None:
    draw.rectangle((0, 0, width, height - 1), fill=1)
    font = largest_fitting(title, width - 2 * _SIDE_PX, (MEDIUM_BOLD, BOLD, SMALL))
    said = cut(title, font, width - 2 * _SIDE_PX)
    write_centred(draw, width / 2, (height - font.capital) // 2, said, font, ink=0)


def _draw_who(draw: ImageDraw.ImageDraw, width: int, height: int, who: str) -> None:
    font = largest_fitting(who, width, (BOLD, SMALL))
    write_centred(draw, width / 2, 3, cut(who, font, width), font)


def _draw_door_word(draw: ImageDraw.ImageDraw, width: int, height: int, word: str) -> None:
    draw.rectangle((0, 0, width, height), fill=1)
    font = largest_fitting(word, width - 2 * _SIDE_PX, (SHOUT, HUGE, LARGER, LARGE, MEDIUM_BOLD))
    shout_centred(draw, width / 2, (height - font.capital) // 2, word, font, ink=0)


def _draw_left(draw: ImageDraw.ImageDraw, width: int, height: int, left: int, steps: int) -> None:
    draw.rectangle((0, height - 2, (width - 1) * left // steps, height - 1), fill=1)


def _draw_door_foot(
    draw: ImageDraw.ImageDraw,
    width: int,
    height: int,
    who: str,
    word: str,
    how: str,
    left: int,
    steps: int,
) -> None:
    draw.line((0, 0, width, 0), fill=1)
    after = width_of(word, BOLD) + 2 * _SIDE_PX
    draw.rectangle((0, 2, after, 11), fill=1)
    write(draw, _SIDE_PX, 4, word, BOLD, ink=0)
    write(draw, after + _SIDE_PX, 4, cut(who, SMALL, width - after - _SIDE_PX), SMALL)
    write(draw, 1, 14, cut(how, SMALL, width), SMALL)
    if steps:
        _draw_left(draw, width, height, left, steps)


def draw_goodbye(sheet: Image.Image, word: str, sentence: str) -> None:
    """Draw *word* and *sentence* beside a glass."""
    across, down = inner(sheet)
    wide, _ = icons.size_of(icons.BEER)
    place(sheet, Area(4, 0, wide + 2, down), icons.draw_beside, icons.BEER)
    box = Area(wide + 8, 0, across - wide - 8, down)
    place(sheet, box, _draw_goodbye, word, sentence)


def draw_pause(sheet: Image.Image, word: str, sentence: str) -> None:
    """Draw two bars, as on whatever else pauses, with *word* and *sentence* below."""
    across, _ = inner(sheet)
    place(sheet, Area(0, 6, across, 22), _draw_bars)
    place(sheet, Area(0, 36, across, 26), _draw_pause_words, word, sentence)


def _draw_goodbye(
    draw: ImageDraw.ImageDraw, width: int, height: int, word: str, sentence: str
) -> None:
    font = largest_fitting(word, width, (LARGER, LARGE, MEDIUM_BOLD))
    write(draw, 0, 20, cut(word, font, width), font)
    write(draw, 0, 38, cut(sentence, SMALL, width), SMALL)


def _draw_bars(draw: ImageDraw.ImageDraw, width: int, height: int) -> None:
    for left in (width // 2 - 10, width // 2 + 3):
        draw.rectangle((left, 0, left + 6, height - 1), fill=1)


def _draw_pause_words(
    draw: ImageDraw.ImageDraw, width: int, height: int, word: str, sentence: str
) -> None:
    font = largest_fitting(word, width, (LARGE, MEDIUM_BOLD))
    write_centred(draw, width / 2, 0, cut(word, font, width), font)
    write_centred(draw, width / 2, height - 9, cut(sentence, SMALL, width), SMALL)


_COLUMNS = 2
_HINT_PX = 11
_NUMBER_PX = 11


def draw_seating(
    sheet: Image.Image, board: Scoreboard, names: Mapping[Seat, str], hint: str
) -> None:
    """Draw a place for every seat of the table, in two columns, and *hint* below."""
    across, down = inner(sheet)
    lines = -(-max(board.seats, 1) // _COLUMNS)
    height = (down - _HINT_PX - 1) // lines
    width = across // _COLUMNS
    for seat in map(Seat, range(board.seats)):
        column, line = divmod(seat, lines)
        box = Area(column * (width + 1), line * height, width, height)
        place(sheet, box, _draw_place, seat, names.get(seat))
        if board.heard is not None and board.heard.seat == seat:
            wide = min(echo_width(board.heard), width)
            at = Area(box.x + width - wide, box.y, wide, height - 1)
            wipe(sheet, at)
            place(sheet, at, draw_echo, board.heard)
    place(sheet, Area(0, down - _HINT_PX, across, _HINT_PX), _draw_seating_hint, hint)


def _draw_place(
    draw: ImageDraw.ImageDraw, width: int, height: int, seat: Seat, name: str | None
) -> None:
    """Draw the number of *seat*, light when it is taken, and who sits there."""
    taken = name is not None
    tall = min(height - 2, 10)
    top = (height - tall) // 2
    draw.rectangle((0, top, _NUMBER_PX - 1, top + tall - 1), fill=int(taken), outline=1)
    middle = (height - BOLD.capital) // 2
    write_centred(draw, _NUMBER_PX / 2, middle, str(seat.shown), BOLD, ink=int(not taken))
    if name is not None:
        room = width - _NUMBER_PX - 3
        font = MEDIUM_BOLD if height >= 13 else BOLD
        write(draw, _NUMBER_PX + 3, (height - font.capital) // 2, cut(name, font, room), font)
        return
    for x in range(_NUMBER_PX + 3, width - 6, 4):
        draw.point((x, middle + BOLD.capital - 1), fill=1)


def _draw_seating_hint(draw: ImageDraw.ImageDraw, width: int, height: int, hint: str) -> None:
    draw.rectangle((0, 0, width, height), fill=1)
    write_centred(draw, width / 2, 3, cut(hint, SMALL, width), SMALL, ink=0)
