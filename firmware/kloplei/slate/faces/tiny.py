"""Faces for the tiny glass of 128 x 32: half as high, so less of everything, in letters as large.

Four players stand in two lines, by digits and never by strokes, more of them on pages that change
with what matters. Where a QR code would be, the address and the PIN stand, to be typed.
"""

from collections.abc import Callable, Mapping

from PIL import Image, ImageDraw

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard, Tuning
from kloplei.network.addresses import Wifi
from kloplei.slate.drawing import (
    BOLD,
    HUGE,
    LARGE,
    LARGER,
    MEDIUM_BOLD,
    SHOUT,
    SMALL,
    Area,
    Font,
    cut,
    cut_names,
    draw_centred,
    fits_in,
    inner,
    invert,
    largest_fitting,
    leading,
    place,
    shortened,
    stacked,
    width_of,
    wipe,
    wrap,
    write,
    write_centred,
)
from kloplei.slate.faces import icons, join, table
from kloplei.slate.faces.end import Paid
from kloplei.slate.faces.overlays import draw_paragraph, echo_in_row, paragraph_fits
from kloplei.slate.faces.rows import (
    MARK_PX,
    TableScene,
    draw_cells,
    draw_marks,
    draw_page_mark,
    draw_tricks,
    marks,
    page_of,
    pages_of,
)
from kloplei.slate.faces.tuning import Beat
from kloplei.words import Words
from kloplei.words.letters import is_japanese, legible

_ANY_SIZE = (SHOUT, HUGE, LARGER, LARGE, MEDIUM_BOLD, BOLD, SMALL)
_RIM_PX = 1
_LINE_PX = 9
_SIDE_PX, _WIDER_PX = 30, 34  # names need what hints can spare
_BETWEEN_PX = 3
_HINT_PX = 9
_HINT_S = 2.0
_GAP_PX = 2
_CELLS_ACROSS = 2
_TRICK_PX = 4
_SCORE_PX = 22


def draw_table(sheet: Image.Image, scene: TableScene) -> None:
    """Draw four players on the left, what the hand costs on the right, a chalk line between."""
    board, blink = scene.board, scene.blinks
    rows = _draw_beside(sheet, scene)
    if board.duel:
        _draw_sides(sheet, rows, board, scene.names, blink=blink)
    else:
        shown = page_of(board, scene.motion)
        draw_cells(sheet, rows, board, shown, scene.names, across=_CELLS_ACROSS, blink=blink)
        draw_page_mark(sheet, rows.width + 1, pages_of(board), shown)
    width = inner(sheet)[0] - rows.width - _BETWEEN_PX
    table.draw_stray_echo(sheet, table.side_of(sheet, width), board)


def draw_shout(sheet: Image.Image, scene: TableScene, shout: tuple[str, str]) -> Area:
    """Draw a *shout*, and below it who says it, in place of the players; return where it is."""
    rows = _draw_beside(sheet, scene)
    foot_px = leading(_LINE_PX, shout[1])
    word = rows._replace(height=rows.height - foot_px)
    place(sheet, word, _draw_largest, shout[0])
    foot = rows._replace(y=word.height, height=foot_px)
    place(sheet, foot, draw_centred, shout[1], (BOLD, SMALL))
    return word


def _draw_beside(sheet: Image.Image, scene: TableScene) -> Area:
    """Draw all but the players; return where they go."""
    _, down = inner(sheet)
    board, said = scene.board, scene.hint
    hints = said.split(", ") if ", " in said else wrap(said, SMALL, _WIDER_PX, 2)
    side = table.side_of(sheet, _side_px(hints))
    rows = Area(0, 0, side.x - _BETWEEN_PX, down)
    invert(sheet, Area(rows.width + 1, 0, 1, down))
    hint = hints[scene.motion.turn(*(_HINT_S for _ in hints))] if hints else ""
    foot_px = leading(_HINT_PX, hint) if hint else 0
    above = side._replace(height=side.height - foot_px)
    _draw_worth(sheet, above, scene)
    foot = side._replace(y=above.height, height=foot_px)
    place(sheet, foot, _draw_line, hint)
    if board.notices and board.deal_runs:
        table.draw_trouble(sheet, side, beside=True)
    return rows


def _side_px(hints: list[str]) -> int:
    """Return how wide the column is: a little wider where no hint is cut by that."""
    widest = max((width_of(cut(one, SMALL, _WIDER_PX), SMALL) for one in hints), default=0)
    is_whole = all("…" not in cut(one, SMALL, _WIDER_PX) for one in hints)
    return _WIDER_PX if is_whole and widest > _SIDE_PX else _SIDE_PX


def _draw_worth(sheet: Image.Image, box: Area, scene: TableScene) -> None:
    """Draw what this deal is worth and is played by, what lies in the pots, or who deals."""
    board, words, dealer = scene.board, scene.words, scene.dealer
    flags = {flag for row in board.rows for flag in row.flags}
    if "owes_drink" in flags:
        place(sheet, box, icons.draw_beside, icons.BEER_SMALL)
    elif "rubber_winner" in flags:
        place(sheet, box, icons.draw_beside, icons.CROWN_SMALL)
    elif board.stake is None and any(board.pots.values()):
        for line, chips in zip(stacked(box, len(board.pots)), board.pots.values(), strict=True):
            place(sheet, line, _draw_largest, str(chips))
    elif board.deal_runs:
        _draw_stake(sheet, box, board, words)
    elif dealer:
        top, foot = stacked(box, 2)
        place(sheet, top, draw_centred, dealer, (BOLD, SMALL))
        place(sheet, foot, draw_centred, words.say("slate.deals"), (SMALL,))


def _draw_stake(sheet: Image.Image, box: Area, board: Scoreboard, words: Words) -> None:
    rank, suit = table.words_of_play(board, words)
    if rank or suit:
        line_px = leading(_LINE_PX, rank)
        place(sheet, box._replace(height=line_px), table.draw_called, rank, suit)
        box = box._replace(y=box.y + line_px, height=box.height - line_px)
    if board.stake is None:
        return
    asked = board.proposed is not None
    worth = board.proposed if board.proposed is not None else board.stake
    place(sheet, box, _draw_largest, f"{worth}?" if asked else str(worth))
    if asked:
        invert(sheet, box)


def _draw_largest(draw: ImageDraw.ImageDraw, width: int, height: int, text: str) -> None:
    """Write *text* in the middle, as large as the box is wide and high."""
    low = tuple(font for font in _ANY_SIZE if font.capital + _RIM_PX <= height) or (SMALL,)
    draw_centred(draw, width, height, text, low)


def _draw_line(draw: ImageDraw.ImageDraw, width: int, height: int, line: str) -> None:
    write_centred(draw, width / 2, 1, cut(line, SMALL, width), SMALL)


def _draw_sides(
    sheet: Image.Image, box: Area, board: Scoreboard, names: Mapping[Seat, str], *, blink: bool
) -> None:
    """Draw a line for each side of a duel: its names, its tricks, and large what it has."""
    for account, block in zip(board.duel, stacked(box, len(board.duel)), strict=True):
        rows = [row for row in board.rows if row.seat in account]
        own = [mark for row in rows for mark in marks(board, row, block.height)][:1]
        place(sheet, block._replace(width=MARK_PX), draw_marks, own)
        if blink and any("must_answer" in row.flags for row in rows):
            invert(sheet, block._replace(width=MARK_PX - 1, height=block.height - 1))
        text = block._replace(x=MARK_PX, width=block.width - MARK_PX - _SCORE_PX)
        said = ", ".join(names[row.seat] for row in rows)
        tricks = board.tricks_of(account[0])
        place(sheet, text, _draw_side, said, tricks, board.tricks_to_win)
        score = block._replace(x=block.x + block.width - _SCORE_PX, width=_SCORE_PX)
        place(sheet, score, _draw_largest, str(rows[0].tally))
        if "gestrichen" in rows[0].flags:
            invert(sheet, score._replace(height=score.height - 1))
        heard = board.heard
        if heard is not None and heard.seat in account:
            echo_in_row(sheet, text, heard)


def _draw_side(
    draw: ImageDraw.ImageDraw,
    width: int,
    height: int,
    names: str,
    tricks: int | None,
    needed: int | None,
) -> None:
    font = largest_fitting(names, width, (BOLD, SMALL))
    top = 1 if tricks is not None else (height - font.capital) // 2
    write(draw, 0, top, cut_names(names, font, width), font)
    if tricks is not None:
        boxes = Image.new("1", (width, _TRICK_PX))
        draw_tricks(ImageDraw.Draw(boxes), width, _TRICK_PX, tricks, needed)
        draw.bitmap((0, height - _TRICK_PX - 1), boxes, fill=1)


_Line = tuple[str, tuple[Font, ...]]


def _place_lines(sheet: Image.Image, box: Area, *lines: _Line) -> None:
    """Write *lines* into *box*, each with the fonts it may be in, the largest first.

    Each line gets a share of the height by the largest of its fonts.
    """
    shown = [(text, fonts) for text, fonts in lines if text]
    needs = [
        leading(fonts[0].capital + fonts[0].depth + 1, text, font=fonts[0]) for text, fonts in shown
    ]
    y = box.y + max((box.height - sum(needs)) // 2, 0)
    for (text, fonts), need in zip(shown, needs, strict=True):
        place(sheet, box._replace(y=y, height=need), draw_centred, text, fonts)
        y += need


def _all(sheet: Image.Image, left: int = 0) -> Area:
    across, down = inner(sheet)
    return Area(left, 0, across - left, down)


def draw_greeting(sheet: Image.Image, word: str) -> None:
    """Draw a slate with Kloplei's name chalked on it, and *word* below."""
    across, down = inner(sheet)
    ImageDraw.Draw(sheet).rectangle((0, 0, across - 1, down - 1), outline=1)
    _place_lines(sheet, _all(sheet), ("Kloplei", (HUGE,)), (word, (SMALL,)))


def draw_pause(sheet: Image.Image, word: str, sentence: str) -> None:
    """Draw *word* and below it *sentence*."""
    _place_lines(sheet, _all(sheet), (word, (LARGE, MEDIUM_BOLD, BOLD)), (sentence, (SMALL,)))


def draw_goodbye(sheet: Image.Image, word: str, sentence: str) -> None:
    """Draw *word* and below it *sentence*, until the plug is pulled."""
    _place_lines(sheet, _all(sheet), (word, (LARGER, LARGE, BOLD)), (sentence, (SMALL,)))


def draw_offline(sheet: Image.Image, title: str, sentence: str) -> None:
    """Draw *title* and *sentence*: no phone can come, and the evening goes on."""
    across, down = inner(sheet)
    line_px = leading(_LINE_PX, title)
    place(sheet, Area(0, 0, across, line_px), draw_centred, title, (BOLD, SMALL))
    box = Area(0, line_px, across, down - line_px)
    place(sheet, box, draw_paragraph, sentence)


def draw_join(sheet: Image.Image, title: str, url: str, pin: str, code: str = "") -> None:
    """Draw the address of *url* and *pin*, to be typed: a code this low no phone can read.

    *code*, which only a QR code could hold, is left out.
    """
    del code
    across, _ = inner(sheet)
    fonts = (MEDIUM_BOLD, BOLD, SMALL)
    address = join.typed(url, across, SMALL)
    lines: list[_Line] = [(line, fonts) for line in address]
    if len(lines) == 1 or not pin:
        lines.insert(0, (title, (SMALL,)))
    _place_lines(sheet, _all(sheet), *lines, (pin, (MEDIUM_BOLD, BOLD)))


def draw_wifi(sheet: Image.Image, title: str, wifi: Wifi) -> None:
    """Draw the name of *wifi* and its password, to be typed."""
    name = (legible(wifi.name), (MEDIUM_BOLD, BOLD, SMALL))
    _place_lines(sheet, _all(sheet), (title, (SMALL,)), name, (wifi.password or "", (BOLD, SMALL)))


_SEATS_ACROSS = 4
_SEAT_PX = 10
_NUMBER_PX = 7


def draw_seating(
    sheet: Image.Image, board: Scoreboard, names: Mapping[Seat, str], hint: str
) -> None:
    """Draw a place for every seat of the table in rows of four, and *hint* below."""
    across, down = inner(sheet)
    for seat in map(Seat, range(board.seats)):
        line, column = divmod(seat, _SEATS_ACROSS)
        wide = across // _SEATS_ACROSS
        box = Area(column * wide, line * _SEAT_PX, wide - 1, _SEAT_PX)
        place(sheet, box, _draw_place, seat, names.get(seat))
        if board.heard is not None and board.heard.seat == seat:
            echo_in_row(sheet, box, board.heard)
    top = down - leading(_LINE_PX, hint) - 1
    wipe(sheet, Area(0, top, across, down - top))
    place(sheet, Area(0, top, across, down - top), _draw_line, hint)
    invert(sheet, Area(0, top - 1, across, down - top + 1))


def _draw_place(
    draw: ImageDraw.ImageDraw, width: int, height: int, seat: Seat, name: str | None
) -> None:
    taken = name is not None
    draw.rectangle((0, 0, _NUMBER_PX, height - 2), fill=int(taken), outline=1)
    write_centred(draw, _NUMBER_PX / 2 + 0.5, 1, str(seat.shown), SMALL, ink=int(not taken))
    if name is not None:
        room = width - _NUMBER_PX - _GAP_PX
        write(draw, _NUMBER_PX + _GAP_PX + 1, 1, cut(name, SMALL, room, ending=""), SMALL)


_BAR_PX = 2
_WORD_PX = 12


def draw_door(sheet: Image.Image, who: str, word: str, how: str, left: int, steps: int) -> None:
    """Draw the *word* of the phone dark on light, *who* it wants to be and *how* to say yes.

    *left* of *steps* of the line at the foot are left to do so; without *steps* it is over.
    """
    across, down = inner(sheet)
    line_px = leading(_HINT_PX, who, how)
    place(sheet, Area(0, 0, across, line_px), _draw_line, who)
    middle = Area(0, line_px, across, min(_WORD_PX, down - 2 * line_px))
    place(sheet, middle, draw_centred, word, (LARGE, MEDIUM_BOLD))
    invert(sheet, middle)
    place(sheet, Area(0, line_px + middle.height, across, line_px), _draw_line, how)
    _draw_left(sheet, left, steps)


def draw_door_at_foot(
    sheet: Image.Image, who: str, word: str, how: str, left: int, steps: int
) -> None:
    """Draw *word* and *how* over the foot of *sheet*, while cards are on the table."""
    across, down = inner(sheet)
    line_px = leading(_LINE_PX, how or who)
    top = down - line_px - 1 - _BAR_PX
    wipe(sheet, Area(0, top, across, down - top))
    wide = width_of(word, BOLD) + 2 * _GAP_PX
    shown = Area(0, top, wide, _LINE_PX)
    place(sheet, shown, draw_centred, word, (BOLD,))
    invert(sheet, shown)
    rest = Area(wide + _GAP_PX, top + 1, across - wide - _GAP_PX, line_px)
    place(sheet, rest, _draw_line, how or who)
    _draw_left(sheet, left, steps)


def _draw_left(sheet: Image.Image, left: int, steps: int) -> None:
    if steps:
        across, down = inner(sheet)
        end = (across - 1) * left // steps
        ImageDraw.Draw(sheet).rectangle((0, down - 1, end, down - 1), fill=1)


def draw_call(
    sheet: Image.Image, title: str, names: list[str], listed: Callable[[list[str]], str], how: str
) -> None:
    """Draw which table it is and which round, *names* of who is called, and *how* they sit down.

    *listed* makes one phrase of them; where that is too long for the glass each name is cut.
    """
    across, down = inner(sheet)
    if not names:
        place(sheet, _all(sheet), draw_paragraph, title)
        return
    head = Area(0, 0, across, leading(_LINE_PX, title))
    place(sheet, head, draw_centred, title, (BOLD, SMALL))
    invert(sheet, head)
    foot_px = leading(_HINT_PX, how) if how else 0
    middle = Area(0, head.height, across, down - head.height - foot_px)
    place(sheet, middle, join.draw_called, names, listed)
    if how:
        place(sheet, Area(0, down - foot_px, across, foot_px), _draw_line, how)


_MARGIN_PX = 12


def draw_question(sheet: Image.Image, sentence: str) -> None:
    """Draw *sentence* beside a question mark dark on light."""
    margin = Area(0, 0, _MARGIN_PX, inner(sheet)[1])
    place(sheet, margin, draw_centred, "?", (HUGE,))
    invert(sheet, margin)
    place(sheet, _all(sheet, _MARGIN_PX + _GAP_PX), draw_paragraph, sentence)


def question_fits(sheet: Image.Image, sentence: str) -> bool:
    """Return whether `draw_question` draws all of *sentence*."""
    box = _all(sheet, _MARGIN_PX + _GAP_PX)
    return paragraph_fits(sentence, box.width, box.height)


def draw_notice(sheet: Image.Image, sentence: str) -> None:
    """Draw *sentence* beside a warning sign."""
    margin = Area(0, 0, _MARGIN_PX + _GAP_PX, inner(sheet)[1])
    place(sheet, margin, icons.draw_beside, icons.TROUBLE)
    place(sheet, _beside_sign(sheet), draw_paragraph, sentence)


def notice_fits(sheet: Image.Image, sentence: str) -> bool:
    """Return whether `draw_notice` draws all of *sentence*."""
    box = _beside_sign(sheet)
    return paragraph_fits(sentence, box.width, box.height)


def _beside_sign(sheet: Image.Image) -> Area:
    return _all(sheet, _MARGIN_PX + 2 * _GAP_PX)


_DOT_EVERY_PX = 6


def draw_fanfare(
    sheet: Image.Image, name: str, title: str, frame: int, *, crowned: bool = False
) -> None:
    """Draw *name* and what it has won beside a cup or crown; dots run along with *frame*."""
    icon = icons.CROWN if crowned else icons.CUP
    wide, _ = icons.size_of(icon)
    across, down = inner(sheet)
    draw = ImageDraw.Draw(sheet)
    for x in range(frame % 2 * _DOT_EVERY_PX // 2, across, _DOT_EVERY_PX):
        draw.line((x, 0, x + 1, 0), fill=1)
        draw.line((across - 2 - x, down - 1, across - 1 - x, down - 1), fill=1)
    place(sheet, Area(_GAP_PX, 0, wide + _GAP_PX, down), icons.draw_beside, icon)
    box = _all(sheet, wide + 3 * _GAP_PX)
    name = cut_names(name, BOLD, box.width)
    _place_lines(sheet, box, (name, (LARGER, LARGE, MEDIUM_BOLD, BOLD)), (title, (BOLD, SMALL)))


def draw_result(sheet: Image.Image, won: tuple[str, str], tallies: str, games: str) -> None:
    """Draw who *won*, the *tallies* of all sides, and the *games* of the evening.

    Where who won takes two lines, the games are left off: the tallies tell this one.
    """
    said = _told(sheet, won, 2)
    tall = (LARGE, BOLD) if len(said) == 1 or not is_japanese(won[1]) else (BOLD,)
    rest = ((games, (SMALL,)),) if len(said) == 1 else ()
    lines = ((one, (BOLD, SMALL)) for one in said)
    _place_lines(sheet, _all(sheet), *lines, (tallies, tall), *rest)


def draw_debts(sheet: Image.Image, won: tuple[str, str], owed: tuple[str, str], hint: str) -> None:
    """Draw who *won*, by whom drinks are *owed*, and how a drink is paid.

    Where many owe one, how it is paid is left off: the slate says so in its turn.
    """
    owing = _told(sheet, owed, 2)
    lines = ((one, (BOLD, SMALL)) for one in (*_told(sheet, won, 1), *owing))
    _place_lines(sheet, _all(sheet), *lines, (hint if len(owing) == 1 else "", (SMALL,)))


def _told(sheet: Image.Image, who: tuple[str, str], most: int) -> list[str]:
    """Return names and what is said of them in *most* lines of small letters, or fewer."""
    names, says = who

    def told(shown: list[str]) -> str:
        return f"{', '.join(shown)} {says}"

    def lines(said: str) -> list[str]:
        return wrap(said, SMALL, inner(sheet)[0], most + 1)

    said = shortened(names.split(", "), told, lambda said: len(lines(said)) <= most)
    shown = said.removesuffix(f" {says}")
    is_apart = len(lines(said)) > 1 and width_of(shown, SMALL) <= inner(sheet)[0]
    return [shown, says] if is_apart else lines(said)


_MOST_PAID = 3


def draw_payments(sheet: Image.Image, won: tuple[str, str], payments: list[Paid]) -> None:
    """Draw *payments*, and above them who *won* where there is room."""
    lines = [_payment(sheet, paid) for paid in payments[:_MOST_PAID]]
    if len(lines) < _MOST_PAID:
        lines = [*_told(sheet, won, 1), *lines]
    _place_lines(sheet, _all(sheet), *((line, (BOLD, SMALL)) for line in lines))


def _payment(sheet: Image.Image, paid: Paid) -> str:
    def told(names: list[str]) -> str:
        payer, payee = names
        return f"{payer} > {payee}  {paid.amount}"

    def fits(said: str) -> bool:
        return width_of(said, SMALL) <= inner(sheet)[0]

    return shortened((paid.payer, paid.payee), told, fits)


_METER_PX = 3
_SEAT_NUMBER_PX = 20
_FULL = 100


def draw_tuning(sheet: Image.Image, word: str, how: str, tuning: Tuning) -> None:
    """Draw *word*, *how* below it and the meter; the seat beside them and how much is done."""
    left = 0
    if tuning.seat is not None:
        left = _draw_seats(sheet, (tuning.seat.shown,))
    done = f"{tuning.count}/{tuning.of}" if tuning.of else ""
    _draw_asked(sheet, left, word, how, done)
    _draw_bar(sheet, min(max(tuning.level, 0), _FULL) / _FULL)


def draw_beat(sheet: Image.Image, seats: tuple[int, ...], word: str, how: str, beat: Beat) -> None:
    """Draw the numbers of *seats*, and beside them *word* and *how*, or the countdown of *beat*."""
    left = _draw_seats(sheet, seats) if seats else 0
    done = f"{beat.done}/{beat.of}" if beat.of else ""
    if beat.count is None and not beat.is_now:
        _draw_asked(sheet, left, word, how, done)
    else:
        box = _all(sheet, left)._replace(height=inner(sheet)[1] - _METER_PX - 1)
        told = beat.go if beat.is_now and beat.go else str(beat.count)
        place(sheet, box, _draw_largest, told)
        if beat.is_now:
            invert(sheet, box)
    _draw_bar(sheet, min(max(beat.filled, 0.0), 1.0))


def _draw_seats(sheet: Image.Image, seats: tuple[int, ...]) -> int:
    """Draw the numbers of *seats* dark on light; return where the rest begins."""
    box = Area(0, 0, _SEAT_NUMBER_PX, inner(sheet)[1] - _METER_PX - 1)
    place(sheet, box, _draw_largest, "+".join(map(str, seats)))
    invert(sheet, box)
    return _SEAT_NUMBER_PX + _GAP_PX


def _draw_asked(sheet: Image.Image, left: int, word: str, how: str, done: str) -> None:
    box = _all(sheet, left)._replace(height=inner(sheet)[1] - _METER_PX)
    said = f"{word} {done}".strip()
    below: list[_Line] = [(line, (SMALL,)) for line in wrap(how, SMALL, box.width, 2)]
    fonts = (LARGE, MEDIUM_BOLD, BOLD, SMALL) if len(below) == 1 else (BOLD, SMALL)
    if len(below) > 1 and is_japanese(how):
        said = ""  # kana are higher, and what to do better says more than what is done
    _place_lines(sheet, box, (said, fonts), *below)


def how_fits(sheet: Image.Image, how: str) -> bool:
    """Return whether all of *how* is drawn beside the number of a seat."""
    return fits_in(how, SMALL, _all(sheet, _SEAT_NUMBER_PX + _GAP_PX).width, 2)


def _draw_bar(sheet: Image.Image, filled: float) -> None:
    across, down = inner(sheet)
    draw = ImageDraw.Draw(sheet)
    draw.line((0, down - 1, across - 1, down - 1), fill=1)
    reached = round((across - 1) * filled)
    if reached:
        draw.rectangle((0, down - _METER_PX, reached, down - 1), fill=1)
