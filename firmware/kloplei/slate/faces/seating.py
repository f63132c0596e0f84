"""Who sits where before anybody has dealt, and which places are free."""

from collections.abc import Mapping

from PIL import Image, ImageDraw

from kloplei.rules.game import Seat
from kloplei.rules.scoreboard import Scoreboard
from kloplei.slate.faces.echo import draw_echo, echo_width
from kloplei.slate.lettering import BOLD, MEDIUM_BOLD, SMALL, cut, write, write_centred
from kloplei.slate.sheet import SHEET_HEIGHT, SHEET_WIDTH, Box, place, wipe

_COLUMNS = 2
_FOOT_PX = 11
_NUMBER_PX = 11


def draw_seating(
    sheet: Image.Image, board: Scoreboard, names: Mapping[Seat, str], hint: str
) -> None:
    """Draw a place for every seat of the table, in two columns, and *hint* below."""
    lines = -(-max(board.seats, 1) // _COLUMNS)
    height = (SHEET_HEIGHT - _FOOT_PX - 1) // lines
    width = SHEET_WIDTH // _COLUMNS
    for seat in map(Seat, range(board.seats)):
        column, line = divmod(seat, lines)
        box = Box(column * (width + 1), line * height, width, height)
        place(sheet, box, _draw_place, seat, names.get(seat))
        if board.heard is not None and board.heard.seat == seat:
            wide = min(echo_width(board.heard), width)
            at = Box(box.x + width - wide, box.y, wide, height - 1)
            wipe(sheet, at)
            place(sheet, at, draw_echo, board.heard)
    place(sheet, Box(0, SHEET_HEIGHT - _FOOT_PX, SHEET_WIDTH, _FOOT_PX), _draw_foot, hint)


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


def _draw_foot(draw: ImageDraw.ImageDraw, width: int, height: int, hint: str) -> None:
    draw.rectangle((0, 0, width, height), fill=1)
    write_centred(draw, width / 2, 3, cut(hint, SMALL, width), SMALL, ink=0)
