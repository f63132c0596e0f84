"""The slate while cards are on the table, and between two hands: the rows, and the column beside.

The column tells what this deal is worth, large, and what a hand does now; where chips lie in the
middle, each pot under its sign. Those who share a tally stand in one block.
"""

from collections.abc import Mapping

from PIL import Image, ImageDraw

from kloplei.frozen import dataclass
from kloplei.games.cards import SUITS
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Row, Scoreboard
from kloplei.slate.drawing import (
    BOLD,
    HUGE,
    LARGE,
    LARGER,
    MEDIUM_BOLD,
    SHOUT,
    SMALL,
    STAKE,
    Area,
    Font,
    cut,
    inner,
    invert,
    largest_fitting,
    leading,
    place,
    stacked,
    width_of,
    wipe,
    wrap,
    write,
    write_centred,
)
from kloplei.slate.faces import icons
from kloplei.slate.faces.overlays import (
    draw_echo,
    draw_shouted,
    echo_in_row,
    echo_width,
    shouted_word,
    write_stake,
)
from kloplei.slate.faces.rows import (
    MARK_PX,
    TableScene,
    draw_cells,
    draw_marks,
    draw_page_mark,
    draw_rows,
    draw_tricks,
    marks,
    newest_of,
    page_of,
    pages_of,
    tricks_width,
)
from kloplei.words import Words
from kloplei.words.letters import is_japanese

_HINT_LINES = 2
_HINT_LINE_PX = 9  # tails of one line keep off the next
_LINE_PX = 8
_TOP_PX = 1  # a dot on an i needs it
_ARROW_GAP_PX = 3
_BELOW_DIGITS_PX = 7  # digits have no tails
_SIGN_GAP_PX = 2
_DASH = "ー"  # makes a vowel long, and lies along the line
_SUIT_SCALE = 2
_ABOVE_PX = 9  # the word above the number, and its descenders


def draw_stake(
    draw: ImageDraw.ImageDraw, width: int, height: int, word: str, stake: int, hint: str
) -> None:
    """Draw *stake* as large as the box allows, *word* above it and *hint* below."""
    above, foot = leading(_ABOVE_PX, word), height - hint_px(hint, width)
    if is_japanese(word) and foot - above < STAKE.capital:
        word, above = "", 0  # kana would make the number small, which says it as well
    write_centred(draw, width / 2, _TOP_PX, cut(word, SMALL, width), SMALL)
    write_stake(draw, width, above, foot, stake)
    draw_hint(draw, width, height, hint)


def draw_raise(
    draw: ImageDraw.ImageDraw, width: int, height: int, stake: int, proposed: int, hint: str
) -> None:
    """Draw *proposed* dark on light as long as it is only asked for, and where it comes from."""
    asked = f"{proposed}?"
    arrow, _ = icons.size_of(icons.LEADS)
    inked = width_of(str(stake), BOLD) + arrow + width_of(asked, BOLD)
    gap = min(_ARROW_GAP_PX, max((width - inked) // 2, 1))
    x = (width - inked - 2 * gap) // 2
    write(draw, x, 0, str(stake), BOLD)
    x += width_of(str(stake), BOLD) + gap
    icons.draw_icon(draw, x, 0, icons.LEADS)
    write(draw, x + arrow + gap, 0, asked, BOLD)
    foot = height - hint_px(hint, width)
    draw.rectangle((0, _BELOW_DIGITS_PX, width - 1, foot - 1), fill=1)
    write_stake(draw, width, _BELOW_DIGITS_PX, foot, proposed, ink=0)
    draw_hint(draw, width, height, hint)


def draw_announced(
    draw: ImageDraw.ImageDraw, width: int, height: int, rank: str, suit: str, hint: str
) -> None:
    """Draw the *suit* (one of `icons.SUITS_LARGE`) large, *rank* above it and *hint* below."""
    font = largest_fitting(rank, width, (BOLD, SMALL))
    write_centred(draw, width / 2, _TOP_PX, cut(rank, font, width), font)
    icon = icons.SUITS_LARGE.get(suit, icons.CARDS)
    scale = _SUIT_SCALE if suit in icons.SUITS_LARGE else 1
    wide, tall = (scale * side for side in icons.size_of(icon))
    above = leading(_ABOVE_PX, rank)
    room = height - above - hint_px(hint, width)
    x, y = (width - wide) // 2, above + (room - tall) // 2
    icons.draw_icon(draw, x, y, icon, scale=scale)
    draw_hint(draw, width, height, hint)


def draw_called(
    draw: ImageDraw.ImageDraw, width: int, height: int, rank: str, suit: str | None
) -> None:
    """Draw the *rank* that was announced and, once it was, the sign of the *suit*."""
    sign = icons.SUITS.get(suit or "")
    beside = 0 if sign is None else icons.size_of(sign)[0] + _SIGN_GAP_PX
    shown = cut(rank, BOLD, width - beside, ending="")
    x = (width - width_of(shown, BOLD) - beside) // 2
    write(draw, x, _TOP_PX, shown, BOLD)
    if sign is not None:
        icons.draw_icon(draw, x + width_of(shown, BOLD) + _SIGN_GAP_PX, 0, sign)


def draw_over(
    draw: ImageDraw.ImageDraw, width: int, height: int, icon: icons.Icon, word: str, hint: str
) -> None:
    """Draw *icon* for what a game has ended with; *word* says it, *hint* what comes next."""
    write_centred(draw, width / 2, _TOP_PX, cut(word, SMALL, width), SMALL)
    _draw_picture(draw, width, height - hint_px(hint, width), leading(_LINE_PX, word), icon)
    draw_hint(draw, width, height, hint)


def draw_deal(
    draw: ImageDraw.ImageDraw, width: int, height: int, name: str, word: str, hint: str
) -> None:
    """Draw a hand of cards: *name* is to deal; *word* says so, *hint* how."""
    write_centred(draw, width / 2, _TOP_PX, cut(name, BOLD, width), BOLD)
    line = leading(_LINE_PX, name, word)
    write_centred(draw, width / 2, _TOP_PX + line, cut(word, SMALL, width), SMALL)
    _draw_picture(draw, width, height - hint_px(hint, width), 2 * line, icons.CARDS)
    draw_hint(draw, width, height, hint)


def draw_hint(draw: ImageDraw.ImageDraw, width: int, height: int, hint: str) -> None:
    """Draw *hint* in the last `hint_px` rows of the box."""
    lines = _hint_lines(hint, width)
    pitch = leading(_HINT_LINE_PX, *lines)
    for number, line in enumerate(lines):
        y = height - (len(lines) - number) * pitch + (2 if is_japanese(hint) else 1)
        write_centred(draw, width / 2, y, line, SMALL)


def hint_px(hint: str, width: int) -> int:
    """Return how many rows are kept free for *hint*: for two lines, of kana for as many as it has.

    What stands above is as high in every Western language.
    """
    lines = _hint_lines(hint, width) if is_japanese(hint) else ["", ""]
    return len(lines) * leading(_HINT_LINE_PX, *lines)


def upright(word: str, height: int) -> Image.Image:
    """Return *word* dark on light, running upwards over *height* pixels; kana run down."""
    if is_japanese(word):
        return _downwards(word, height)
    font = largest_fitting(word, height - 4, (LARGE, MEDIUM_BOLD, BOLD))
    strip = Image.new("1", (height, MEDIUM_BOLD.capital + 2), 1)
    top = (strip.height - font.capital) // 2
    write_centred(ImageDraw.Draw(strip), height / 2, top, cut(word, font, height), font, ink=0)
    return strip.transpose(Image.Transpose.ROTATE_90)


def _downwards(word: str, height: int) -> Image.Image:
    side = leading(0, word)
    strip = Image.new("1", (side + 2, height), 1)
    shown = word[: height // side]
    top = (height - len(shown) * side) // 2
    for number, letter in enumerate(shown):
        square = Image.new("1", (side, side), 1)
        write(ImageDraw.Draw(square), 0, 0, letter, BOLD, ink=0)
        turned = square.transpose(Image.Transpose.TRANSPOSE) if letter == _DASH else square
        strip.paste(turned, (1, top + number * side))
    return strip


def _draw_picture(
    draw: ImageDraw.ImageDraw, width: int, height: int, top: int, icon: icons.Icon
) -> None:
    """Draw *icon* in the middle of what is free between *top* and *height*."""
    wide, tall = icons.size_of(icon)
    room = height - top
    icons.draw_icon(draw, (width - wide) // 2, top + (room - tall + 1) // 2, icon)


def _hint_lines(hint: str, width: int) -> list[str]:
    """Return *hint* in two lines, each of them one of its two answers if it names two."""
    answers = [cut(answer, SMALL, width) for answer in hint.split(", ")]
    return answers if len(answers) == _HINT_LINES else wrap(hint, SMALL, width, _HINT_LINES)


_POT_FONTS = (SHOUT, HUGE, LARGER, LARGE, MEDIUM_BOLD, BOLD, SMALL)
_SIGN_PX = 7  # the line with the sign, and what keeps the number off it
_RIM_PX = 2


def draw_pots(
    draw: ImageDraw.ImageDraw, width: int, height: int, pots: Mapping[str, int], hint: str
) -> None:
    """Draw all *pots* one above the other, in letters of one size, and *hint* below."""
    boxes = stacked(Area(0, 0, width, height - hint_px(hint, width)), len(pots))
    font = _pots_font([str(chips) for chips in pots.values()], boxes)
    for (name, chips), box in zip(pots.items(), boxes, strict=True):
        _draw_sign(draw, box, icons.POTS.get(name, icons.POT))
        room = box.height - _SIGN_PX
        y = box.y + _SIGN_PX + (room - font.capital) // 2
        write_centred(draw, width / 2, y, cut(str(chips), font, width, ending=""), font)
    draw_hint(draw, width, height, hint)


def _draw_sign(draw: ImageDraw.ImageDraw, box: Area, icon: icons.Icon) -> None:
    """Draw *icon* in the middle of a chalk line along the top of *box*."""
    wide, tall = icons.size_of(icon)
    left, y = (box.width - wide) // 2, box.y + tall // 2
    draw.line((0, y, left - 1 - _RIM_PX, y), fill=1)
    draw.line((left + wide + _RIM_PX, y, box.width - 1, y), fill=1)
    icons.draw_icon(draw, left, box.y, icon)


def _pots_font(numbers: list[str], boxes: list[Area]) -> Font:
    """Return the largest letters in which all *numbers* fit, or the smallest."""
    width, height = boxes[0].width, min(box.height for box in boxes) - _SIGN_PX
    return next(
        (
            font
            for font in _POT_FONTS
            if font.capital <= height and all(width_of(one, font) <= width for one in numbers)
        ),
        SMALL,
    )


_SIDE_NAME_FONTS = (LARGER, LARGE, MEDIUM_BOLD, BOLD)
_SCORE_PX = 33
_TRICK_PX = 5
_GAP_PX = 2
_DOT_EVERY_PX = 3


@dataclass(frozen=True, slots=True)
class _Side:
    """One block: who is in it, what they hold together, and the tricks of this deal."""

    rows: tuple[Row, ...]
    tricks: int | None


def draw_sides(
    sheet: Image.Image, box: Area, board: Scoreboard, names: Mapping[Seat, str], *, blink: bool
) -> None:
    """Draw a block for each side into *box*; *blink* tells whether what blinks is on."""
    sides = _sides(board)
    blocks = stacked(box, len(sides))
    font = _sides_font(sides, blocks, names)
    for number, (side, block) in enumerate(zip(sides, blocks, strict=True)):
        if number:
            _draw_dots(sheet, block)
        _draw_names(sheet, block, board, side, names, font, blink=blink)
        score = Area(block.x + block.width - _SCORE_PX, block.y + 1, _SCORE_PX, block.height - 2)
        place(sheet, score, _draw_score, side, board.tricks_to_win)
        if "gestrichen" in side.rows[0].flags:
            invert(sheet, _around_tally(score, side.rows[0]))


def _sides(board: Scoreboard) -> list[_Side]:
    return [
        _Side(tuple(row for row in board.rows if row.seat in account), board.tricks_of(account[0]))
        for account in board.duel
    ]


def _draw_names(
    sheet: Image.Image,
    block: Area,
    board: Scoreboard,
    side: _Side,
    names: Mapping[Seat, str],
    font: Font,
    *,
    blink: bool,
) -> None:
    lines, room = stacked(block, len(side.rows)), _room(block)
    for row, line in zip(side.rows, lines, strict=True):
        at = line._replace(x=line.x + MARK_PX, width=room)
        place(sheet, at, _draw_name, names[row.seat], font)
        place(sheet, line._replace(width=MARK_PX), draw_marks, marks(board, row, line.height))
        if "must_answer" in row.flags and blink:
            invert(sheet, line._replace(width=MARK_PX - 1, height=line.height - 1))
        if board.heard is not None and board.heard.seat == row.seat:
            echo_in_row(sheet, line._replace(width=line.width - _SCORE_PX), board.heard)


def _room(block: Area) -> int:
    """Return how wide a name in *block* may be."""
    return block.width - MARK_PX - _SCORE_PX - _GAP_PX


def _sides_font(sides: list[_Side], blocks: list[Area], names: Mapping[Seat, str]) -> Font:
    """Return the largest letters in which all names fit, on both sides the same."""
    height = min(block.height // len(side.rows) for side, block in zip(sides, blocks, strict=True))
    fitting = [font for font in _SIDE_NAME_FONTS if font.capital + font.depth + 2 <= height] or [
        BOLD
    ]
    all_names = [names[row.seat] for side in sides for row in side.rows]
    return next(
        (
            one
            for one in fitting
            if all(width_of(name, one) <= _room(blocks[0]) for name in all_names)
        ),
        fitting[-1],
    )


def _draw_name(draw: ImageDraw.ImageDraw, width: int, height: int, name: str, font: Font) -> None:
    write(draw, 0, (height - font.capital) // 2, cut(name, font, width, ending="."), font)


def _draw_score(
    draw: ImageDraw.ImageDraw, width: int, height: int, side: _Side, needed: int | None
) -> None:
    """Draw the tally large, and below it the tricks and how far the tally runs."""
    row = side.rows[0]
    tally = str(row.tally)
    foot = height - SMALL.capital - 1
    x = width - _RIM_PX - width_of(tally, HUGE)
    write(draw, x, _tally_top(height), tally, HUGE)
    limit = "" if row.limit is None else f"/{row.limit}"
    write(draw, width - width_of(limit, SMALL), foot, limit, SMALL)
    if side.tricks is not None:
        boxes = Image.new("1", (tricks_width(max(side.tricks, needed or 0), _TRICK_PX), _TRICK_PX))
        draw_tricks(ImageDraw.Draw(boxes), *boxes.size, side.tricks, needed)
        x = width - width_of(limit, SMALL) - _GAP_PX - boxes.width
        draw.bitmap((max(x, 0), foot), boxes, fill=1)


def _around_tally(score: Area, row: Row) -> Area:
    """Return the part of *score* in which the tally of *row* stands."""
    wide = width_of(str(row.tally), HUGE) + 2 * _RIM_PX
    top = _tally_top(score.height) - _RIM_PX
    left = score.x + score.width - wide
    return Area(left, score.y + top, wide, HUGE.capital + 2 * _RIM_PX)


def _tally_top(height: int) -> int:
    """Return where the tally begins: in the middle of what is free above the foot."""
    return max((height - SMALL.capital - HUGE.capital - 2) // 2, _RIM_PX)


def _draw_dots(sheet: Image.Image, block: Area) -> None:
    """Draw a dotted line along the top of *block*."""
    draw = ImageDraw.Draw(sheet)
    for x in range(block.x, block.x + block.width - _GAP_PX, _DOT_EVERY_PX):
        draw.point((x, block.y), fill=1)


_SIDE_PX = 34  # so wide are the longest hints
_BETWEEN_PX = 3  # a chalk line, and what keeps off it
_ECHO_PX, _FOOT_PX = 11, 17
_CROWD = 6
_CELLS_ACROSS = 2
_HINT_S = 4.0


def draw_table(sheet: Image.Image, scene: TableScene) -> Area | None:
    """Draw the rows on the left, what the hand costs on the right, a chalk line between.

    Six players or more stand on pages of four at most, which change with what matters. Return the
    row of who has just done something there: that goes ahead of a page that turns.
    """
    board = scene.board
    if not is_crowd(board):
        draw_one_page(sheet, scene)
        return None
    side = side_of(sheet)
    rows = draw_beside(sheet, side, scene)
    shown = page_of(board, scene.motion)
    draw_rows(sheet, rows, board, scene.names, blink=scene.blinks, shown=shown)
    draw_page_mark(sheet, rows.width + 1, pages_of(board), shown)
    draw_stray_echo(sheet, side, board)
    newest = newest_of(board)
    parts = zip(shown, stacked(rows, len(shown)), strict=True)
    return next((part for row, part in parts if row.seat in newest), None)


def draw_one_page(sheet: Image.Image, scene: TableScene) -> None:
    """Draw as `draw_table` does, with all players in one column, as low as they have to be."""
    side = side_of(sheet)
    rows = draw_beside(sheet, side, scene)
    draw = draw_sides if scene.board.duel else draw_rows
    draw(sheet, rows, scene.board, scene.names, blink=scene.blinks)
    draw_stray_echo(sheet, side, scene.board)


def draw_digits(sheet: Image.Image, scene: TableScene) -> None:
    """Draw as `draw_table` does, six players or more all at once by large digits, in two columns.

    There is no room for strokes, and less for names.
    """
    board = scene.board
    if not is_crowd(board):
        draw_one_page(sheet, scene)
        return
    side = side_of(sheet)
    rows = draw_beside(sheet, side, scene)
    blink = scene.blinks
    draw_cells(sheet, rows, board, board.rows, scene.names, across=_CELLS_ACROSS, blink=blink)
    draw_stray_echo(sheet, side, board)


def is_crowd(board: Scoreboard) -> bool:
    """Return whether so many play that in one column nobody reads them from afar."""
    return not board.duel and len(board.rows) >= _CROWD


def draw_shout(sheet: Image.Image, scene: TableScene, shout: tuple[str, str]) -> Area:
    """Draw a *shout*, the word and who says it, in place of the rows; return where the word is.

    The column beside stays: how one answers is read off it at once, and only half of the glass
    changes when the rows come back.
    """
    return draw_shout_beside(sheet, side_of(sheet), scene, shout)


def draw_shout_beside(
    sheet: Image.Image, side: Area, scene: TableScene, shout: tuple[str, str]
) -> Area:
    """Draw as `draw_shout` does, with the column in *side*."""
    _, down = inner(sheet)
    rows = draw_beside(sheet, side, scene)._replace(y=0, height=down)
    place(sheet, rows, draw_shouted, *shout)
    return shouted_word(sheet, rows)


def side_of(sheet: Image.Image, width: int = _SIDE_PX) -> Area:
    """Return where the column stands, *width* pixels wide and as high as *sheet*."""
    across, down = inner(sheet)
    return Area(across - width, 0, width, down)


def draw_beside(sheet: Image.Image, side: Area, scene: TableScene) -> Area:
    """Draw all but the rows, the column in *side*; return where the rows go."""
    _, down = inner(sheet)
    rows = Area(0, 1, side.x - _BETWEEN_PX, down - 1)
    if any("armoede" in row.flags for row in scene.board.rows):
        strip = upright(scene.words.say("slate.armoede"), down)
        left = side.x - 1 - strip.width
        sheet.paste(strip, (left, 0))
        rows = rows._replace(width=left - 2)
    else:
        invert(sheet, Area(rows.width + 1, 0, 1, down))
    _draw_side(sheet, side, scene)
    return rows


def _draw_side(sheet: Image.Image, side: Area, scene: TableScene) -> None:
    board, words, hint, dealer = scene.board, scene.words, scene.hint, scene.dealer
    deals = words.say("slate.deals")
    if any("owes_drink" in row.flags for row in board.rows):
        place(sheet, side, draw_over, icons.BEER, words.say("slate.drinks"), hint)
    elif any("rubber_winner" in row.flags for row in board.rows):
        place(sheet, side, draw_over, icons.CUP, words.say("slate.over"), hint)
    elif board.stake is None and board.pots and (board.deal_runs or any(board.pots.values())):
        if dealer and not board.deal_runs:
            hint = (hint, f"{dealer}, {deals}")[scene.motion.turn(_HINT_S, _HINT_S)]
        place(sheet, side, draw_pots, board.pots, hint)
    elif board.deal_runs:
        _draw_running(sheet, side, board, words, hint)
    elif board.dealer is not None:
        place(sheet, side, draw_deal, dealer, deals, hint)
    if board.notices and board.deal_runs:
        draw_trouble(sheet, side, beside=board.stake is None and bool(board.pots))


def draw_trouble(sheet: Image.Image, side: Area, *, beside: bool) -> None:
    """Draw in place of what stands above in *side* that something is wrong with the box.

    *beside* it where that is a sign.
    """
    wide, tall = icons.size_of(icons.TROUBLE_SMALL)
    x = side.x + (side.width - wide if beside else (side.width - wide) // 2)
    wipe(sheet, Area(x - 1, 0, wide + 1, tall) if beside else Area(side.x, 0, side.width, tall + 1))
    icons.draw_icon(ImageDraw.Draw(sheet), x, 0, icons.TROUBLE_SMALL)


def _draw_running(
    sheet: Image.Image, side: Area, board: Scoreboard, words: Words, hint: str
) -> None:
    """Draw what the running deal is worth and is played by."""
    rank, suit = words_of_play(board, words)
    if board.stake is None:
        place(sheet, side, draw_announced, rank, suit or "", hint)
    elif board.proposed is not None:
        place(sheet, side, draw_raise, board.stake, board.proposed, hint)
    else:
        place(sheet, side, draw_stake, "" if rank else words.say("slate.stake"), board.stake, hint)
        place(sheet, side, draw_called, rank, suit)


def words_of_play(board: Scoreboard, words: Words) -> tuple[str, str | None]:
    """Return the rank that was announced, as one says it, and the suit: one of `icons.SUITS`."""
    rank, suit = board.announced.get("schlag", ""), board.announced.get("trump")
    german = dict(zip(SUITS, board.suits, strict=False))
    return words.name("rank", rank), german.get(suit or "", suit)


def draw_stray_echo(sheet: Image.Image, side: Area, board: Scoreboard) -> None:
    """Draw at the foot of *side* what is heard and stands in no row: nobody knows whose it is."""
    heard = board.heard
    if heard is None or (heard.seat is not None and board.row(heard.seat) is not None):
        return
    across, down = inner(sheet)
    foot = Area(side.x, down - _FOOT_PX, side.width, _FOOT_PX)
    wipe(sheet, foot)
    width = echo_width(heard)
    left = min(foot.x + (foot.width - width) // 2, across - width)
    box = Area(left, foot.y + (foot.height - _ECHO_PX) // 2, width, _ECHO_PX)
    wipe(sheet, box)
    place(sheet, box, draw_echo, heard)
