"""QR codes for phones: the address of the panel, and the Wi-Fi it is in."""

from functools import cache

from PIL import Image, ImageDraw

from kloplei.joining import Wifi
from kloplei.slate.lettering import (
    BOLD,
    LARGE,
    LARGER,
    MEDIUM,
    MEDIUM_BOLD,
    SMALL,
    cut,
    largest_fitting,
    legible,
    width_of,
    wrap,
    write,
)
from kloplei.slate.sheet import HEIGHT, SHEET_HEIGHT, SHEET_WIDTH, Box, place

_QUIET = 1  # light modules around the code, at least: phones do with less than the standard's 4
_LINE_PX = 9
_TEXT = Box(HEIGHT + 3, 1, SHEET_WIDTH - HEIGHT - 3, HEIGHT - 2)


def draw_join(sheet: Image.Image, title: str, url: str, pin: str) -> None:
    """Draw the code for *url*, its address to type, and *pin* (empty where none is needed)."""
    _draw_page(sheet, url, title, _typed(url), pin)


def draw_wifi(sheet: Image.Image, title: str, name: str, password: str | None) -> None:
    """Draw the code that joins the Wi-Fi *name*, and what to type; None is an open one."""
    lines = wrap(legible(name), SMALL, _TEXT.width, 2)
    _draw_page(sheet, Wifi(name, password).code, title, lines, password or "")


def draw_offline(sheet: Image.Image, title: str, sentence: str) -> None:
    """Draw *title* large and *sentence* below: no phone can come, and the evening goes on."""
    place(sheet, Box(2, 1, SHEET_WIDTH - 4, SHEET_HEIGHT - 1), _draw_offline, title, sentence)


def _typed(url: str) -> list[str]:
    """Return *url* as a phone's owner types it, in lines that break where one takes a breath."""
    address = url.removeprefix("http://").removesuffix("/")
    if width_of(address, SMALL) <= _TEXT.width:
        return [address]
    host, colon, port = address.partition(":")
    if width_of(host, SMALL) <= _TEXT.width:
        return [host, colon + port]
    at = host.rfind(".", 0, len(host) * 2 // 3) + 1 or len(host) // 2
    return [host[:at], host[at:] + colon + port]


def _draw_page(sheet: Image.Image, content: str, title: str, first: list[str], second: str) -> None:
    sheet.paste(_code(content), (0, 0))
    place(sheet, _TEXT, _draw_text, title, first, second)


@cache
def _code(content: str) -> Image.Image:
    """Return the QR code of *content* on a light square as high as the glass.

    Modules are as large as can be: two pixels up to 53 characters, then one.
    """
    import segno  # here, since the first picture does without

    modules = [bytes(row) for row in segno.make_qr(content, error="l", boost_error=False).matrix]
    scale = max(HEIGHT // (len(modules) + 2 * _QUIET), 1)
    square = Image.new("1", (HEIGHT, HEIGHT), 1)
    draw = ImageDraw.Draw(square)
    margin = (HEIGHT - len(modules) * scale) // 2
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
