"""The slate while cards are on the table, and between two hands."""

from collections.abc import Mapping

from PIL import Image, ImageDraw

from kloplei.rules.game import Seat
from kloplei.rules.scoreboard import Heard, Scoreboard
from kloplei.slate.faces import icons
from kloplei.slate.faces.echo import draw_echo, echo_width
from kloplei.slate.faces.rows import draw_rows
from kloplei.slate.faces.stake import draw_deal, draw_drinks, draw_stake, upright
from kloplei.slate.motion import Motion
from kloplei.slate.sheet import SHEET_HEIGHT, SHEET_WIDTH, Box, invert, place, wipe
from kloplei.words import Words

_SIDE_PX = 34  # so wide are the longest hints
_ROWS = Box(0, 1, 90, SHEET_HEIGHT - 1)
_SIDE = Box(SHEET_WIDTH - _SIDE_PX, 0, _SIDE_PX, SHEET_HEIGHT)
_ECHO_PX, _FOOT_PX = 11, 17
_HINTS = {
    "exchange": "slate.three-to-exchange",
    "armoede": "slate.stay-or-fold",
    "answering": "slate.stay-or-fold",
}


def draw_table(
    sheet: Image.Image,
    board: Scoreboard,
    names: Mapping[Seat, str],
    words: Words,
    motion: Motion,
) -> None:
    """Draw the rows on the left, what the hand costs on the right, a chalk line between."""
    blink = bool(board.to_answer) and motion.blink()
    rows = _ROWS
    if any("armoede" in row.flags for row in board.rows):
        strip = upright(words.say("slate.armoede"), SHEET_HEIGHT)
        left = _SIDE.x - 1 - strip.width
        sheet.paste(strip, (left, 0))
        rows = rows._replace(width=left - 2)
    else:
        invert(sheet, Box(_ROWS.width + 1, 0, 1, SHEET_HEIGHT))
    draw_rows(sheet, rows, board, names, blink=blink)
    _draw_side(sheet, board, names, words)
    if board.heard is not None and _has_no_row(board, board.heard):
        _draw_echo(sheet, board.heard)


def _draw_side(
    sheet: Image.Image, board: Scoreboard, names: Mapping[Seat, str], words: Words
) -> None:
    if board.phase == "rubber_over":
        place(sheet, _SIDE, draw_drinks, words.say("slate.drinks"), words.say("slate.drink-hint"))
    elif board.stake is not None:
        word, hint = words.say("slate.stake"), _hint(board, names, words)
        place(sheet, _SIDE, draw_stake, "" if board.notices else word, board.stake, hint)
    elif board.dealer is not None:
        deals, how = words.say("slate.deals"), words.say("slate.two-to-deal")
        place(sheet, _SIDE, draw_deal, names.get(board.dealer, ""), deals, how)
    if board.notices and board.stake is not None:
        wide, _ = icons.size_of(icons.TROUBLE_SMALL)
        x = _SIDE.x + (_SIDE.width - wide) // 2
        icons.draw_icon(ImageDraw.Draw(sheet), x, 0, icons.TROUBLE_SMALL)


def _hint(board: Scoreboard, names: Mapping[Seat, str], words: Words) -> str:
    """Return what a knock does now, or who is at it."""
    if board.phase in _HINTS:
        return words.say(_HINTS[board.phase])
    if board.leader is None:
        return ""
    return f"{names.get(board.leader, '')}, {words.say('slate.leads')}"


def _has_no_row(board: Scoreboard, heard: Heard) -> bool:
    return heard.seat is None or board.row(heard.seat) is None


def _draw_echo(sheet: Image.Image, heard: Heard) -> None:
    """Draw at the foot of the column what cannot be drawn in a row: nobody knows whose it is."""
    foot = Box(_SIDE.x, SHEET_HEIGHT - _FOOT_PX, _SIDE.width, _FOOT_PX)
    wipe(sheet, foot)
    width = echo_width(heard)
    left = min(foot.x + (foot.width - width) // 2, SHEET_WIDTH - width)
    box = Box(left, foot.y + (foot.height - _ECHO_PX) // 2, width, _ECHO_PX)
    wipe(sheet, box)
    place(sheet, box, draw_echo, heard)
