"""The slate while cards are on the table, and between two hands."""

from collections.abc import Mapping

from PIL import Image, ImageDraw

from kloplei.rules.game import Seat
from kloplei.rules.scoreboard import Heard, Scoreboard
from kloplei.slate.faces import icons
from kloplei.slate.faces.echo import draw_echo, echo_width
from kloplei.slate.faces.pots import draw_pots
from kloplei.slate.faces.rows import draw_rows
from kloplei.slate.faces.sides import draw_sides
from kloplei.slate.faces.stake import (
    draw_announced,
    draw_called,
    draw_deal,
    draw_drinks,
    draw_raise,
    draw_stake,
    draw_won,
    upright,
)
from kloplei.slate.motion import Motion
from kloplei.slate.sheet import SHEET_HEIGHT, SHEET_WIDTH, Box, invert, place, wipe
from kloplei.words import Words

_SIDE_PX = 34  # so wide are the longest hints
_ROWS = Box(0, 1, 90, SHEET_HEIGHT - 1)
_SIDE = Box(SHEET_WIDTH - _SIDE_PX, 0, _SIDE_PX, SHEET_HEIGHT)
_ECHO_PX, _FOOT_PX = 11, 17
_HINT_S = 4.0


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
    draw = draw_sides if board.duel else draw_rows
    draw(sheet, rows, board, names, blink=blink)
    _draw_side(sheet, board, names, words, motion)
    if board.heard is not None and _has_no_row(board, board.heard):
        _draw_echo(sheet, board.heard)


def _draw_side(
    sheet: Image.Image,
    board: Scoreboard,
    names: Mapping[Seat, str],
    words: Words,
    motion: Motion,
) -> None:
    hint = hint_of(board, names, words)
    dealer = "" if board.dealer is None else names.get(board.dealer, "")
    deals = words.say("slate.deals")
    if any("owes_drink" in row.flags for row in board.rows):
        place(sheet, _SIDE, draw_drinks, words.say("slate.drinks"), hint)
    elif any("rubber_winner" in row.flags for row in board.rows):
        place(sheet, _SIDE, draw_won, words.say("slate.over"), hint)
    elif board.pots and (board.deal_runs or any(board.pots.values())):
        if dealer and not board.deal_runs:
            hint = (hint, f"{dealer}, {deals}")[motion.turn(_HINT_S, _HINT_S)]
        place(sheet, _SIDE, draw_pots, board.pots, hint)
    elif board.deal_runs:
        _draw_running(sheet, board, words, hint)
    elif board.dealer is not None:
        place(sheet, _SIDE, draw_deal, dealer, deals, hint)
    if board.notices and board.deal_runs:
        _draw_trouble(sheet, beside=bool(board.pots))


def _draw_trouble(sheet: Image.Image, *, beside: bool) -> None:
    """Draw in place of what stands above, or *beside* it, that something is wrong with the box."""
    wide, tall = icons.size_of(icons.TROUBLE_SMALL)
    x = _SIDE.x + (_SIDE.width - wide if beside else (_SIDE.width - wide) // 2)
    wipe(sheet, Box(x - 1, 0, wide + 1, tall) if beside else Box(_SIDE.x, 0, _SIDE.width, tall + 1))
    icons.draw_icon(ImageDraw.Draw(sheet), x, 0, icons.TROUBLE_SMALL)


def _draw_running(sheet: Image.Image, board: Scoreboard, words: Words, hint: str) -> None:
    """Draw what the running deal is worth and is played by."""
    rank, suit = _said(board, words)
    if board.stake is None:
        place(sheet, _SIDE, draw_announced, rank, suit or "", hint)
    elif board.proposed is not None:
        place(sheet, _SIDE, draw_raise, board.stake, board.proposed, hint)
    else:
        place(sheet, _SIDE, draw_stake, "" if rank else words.say("slate.stake"), board.stake, hint)
        place(sheet, _SIDE, draw_called, rank, suit)


def _said(board: Scoreboard, words: Words) -> tuple[str, str | None]:
    """Return the rank that was announced, as one says it, and the suit."""
    rank = board.announced.get("schlag", "")
    key = f"rank.{rank}"
    spoken = words.say(key)
    return rank if spoken == key else spoken, board.announced.get("trump")


def hint_of(board: Scoreboard, names: Mapping[Seat, str], words: Words) -> str:
    """Return what a hand does now or who is at it, where there are words for it."""
    if board.prompt is None:
        return ""
    key = f"slate.hint.{board.prompt.key.removeprefix('prompt.')}"
    said = words.say(key, board.prompt.facts, names)
    return "" if said == key else said


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
