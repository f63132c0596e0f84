"""The players, one row each: mark, name, strokes, tricks or the last swing, number.

How wide the parts of all rows are is settled first, and in which letters: names claim what numbers
can spare. Strokes stand in fives, as on every slate behind a bar; a number that may be less than
nothing has a sign of chalk that stands off its digits.
"""

from collections.abc import Mapping, Sequence

from PIL import Image, ImageDraw

from kloplei.frozen import dataclass, replace
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Row, Scoreboard
from kloplei.slate.drawing import (
    BOLD,
    LARGE,
    LARGER,
    LIGHT,
    MEDIUM,
    MEDIUM_BOLD,
    PAST,
    SMALL,
    Area,
    Font,
    Motion,
    cut,
    has_grey,
    ink_of,
    inner,
    invert,
    lay,
    place,
    stacked,
    width_of,
    write,
)
from kloplei.slate.faces import icons
from kloplei.slate.faces.overlays import echo_in_row
from kloplei.words import Words

_FIVE = 5


@dataclass(frozen=True, slots=True)
class _Hand:
    """How somebody writes: width of a stroke, gap between two of them, gap after a five."""

    stroke_px: int
    gap_px: int
    after_px: int

    @property
    def five_px(self) -> int:
        """Width of four strokes and the one across, which sticks out at both ends."""
        return 4 * self.stroke_px + 3 * self.gap_px + 2

    def width(self, strokes: int) -> int:
        """Return the width that *strokes* take, with all the fives begun."""
        fives = -(-strokes // _FIVE)
        return max(fives * (self.five_px + self.after_px) - self.after_px, 0)


# From large to small. Two dark pixels between light ones keep them apart across a table.
_HANDS = (_Hand(2, 2, 3), _Hand(1, 2, 3), _Hand(1, 2, 2), _Hand(1, 1, 2))


def tally_width(limit: int, most: int) -> int:
    """Return the width for up to *limit* strokes, no more than *most* pixels if it can be."""
    return _hand(limit, most).width(limit)


def draw_tally(draw: ImageDraw.ImageDraw, width: int, height: int, row: Row) -> None:
    """Draw *row* as chalk strokes, every fifth one across the four before it.

    The box is *width* x *height* pixels from (0, 0), as luma's ``hotspot`` hands it out.
    Strokes that do not fit are left off: the number beside them is exact.
    """
    hand = _hand(row.limit or row.tally, width)
    for number in range(row.tally):
        five, at = divmod(number, _FIVE)
        left = five * (hand.five_px + hand.after_px)
        across = at == _FIVE - 1
        x = left + 1 + at * (hand.stroke_px + hand.gap_px)
        if (left + hand.five_px if across else x + hand.stroke_px) > width:
            return
        if across:
            _draw_across(draw, left, height, hand)
        else:
            _draw_stroke(draw, x, at, height, hand)


def _hand(limit: int, width: int) -> _Hand:
    """Return the largest hand in which the whole *limit* fits, or the smallest."""
    return next((hand for hand in _HANDS if hand.width(limit) <= width), _HANDS[-1])


def _draw_stroke(draw: ImageDraw.ImageDraw, x: int, at: int, height: int, hand: _Hand) -> None:
    # No two strokes of a hand are of one length; where there is room for it, ours are not either.
    uneven = (0, 1, 0, 1)[at] if height > 8 else 0
    shorter = (1, 0, 0, 1)[at] if height > 10 else 0
    draw.rectangle((x, uneven, x + hand.stroke_px - 1, height - 1 - shorter), fill=1)


def _draw_across(draw: ImageDraw.ImageDraw, left: int, height: int, hand: _Hand) -> None:
    foot, head = height - 1 - height // 5, height // 5
    draw.line((left, foot, left + hand.five_px - 1, head), fill=1, width=hand.stroke_px)


_TRICK_GAP_PX = 1


def tricks_width(count: int, box_px: int) -> int:
    """Return how many pixels *count* tricks take, each *box_px* wide."""
    return max(count * (box_px + _TRICK_GAP_PX) - _TRICK_GAP_PX, 0)


def draw_tricks(
    draw: ImageDraw.ImageDraw, width: int, height: int, taken: int, needed: int | None
) -> None:
    """Draw *taken* tricks; with *needed* as many boxes as win the deal, or more if it goes on.

    The box is *width* x *height* pixels; a trick is as wide as the box is high.
    """
    boxes = taken if needed is None else max(needed, taken)
    for number in range(boxes):
        left = number * (height + _TRICK_GAP_PX)
        if left + height > width:
            return
        draw.rectangle(
            (left, 0, left + height - 1, height - 1), outline=1, fill=int(number < taken)
        )


MARK_PX = 9
_TWO_PX = 15  # a row so high holds two marks, one above the other


def marks(board: Scoreboard, row: Row, height: int) -> list[icons.Icon]:
    """Return what tells most about *row*, and the dealer's card where it fits below that.

    Args:
        board: The whole table.
        row: One of its rows.
        height: Of the row, in pixels.
    """
    first = _mark(board, row)
    found = [] if first is None else [first]
    if row.seat == board.dealer and (not found or height >= _TWO_PX):
        found.append(icons.DEALER)
    return found


def draw_marks(draw: ImageDraw.ImageDraw, width: int, height: int, shown: list[icons.Icon]) -> None:
    """Draw the marks *shown*, one above the other."""
    for number, icon in enumerate(shown):
        wide, tall = icons.size_of(icon)
        room = height // len(shown)
        icons.draw_icon(draw, (width - 1 - wide) // 2, number * room + (room - tall) // 2, icon)


def _mark(board: Scoreboard, row: Row) -> icons.Icon | None:
    flags = row.flags
    if "must_answer" in flags:
        return icons.ANSWERS
    if "rubber_winner" in flags or ("toepkoning" in flags and board.stake is None):
        return icons.CROWN_SMALL
    if "owes_drink" in flags:
        return icons.BEER_SMALL
    if "out" in flags or "folded" in flags:
        return icons.FOLDED
    if "sits_out" in flags:
        return icons.CHAIR
    if "raised" in flags:
        return icons.RAISED
    if board.to_answer and "in_hand" in flags and row.committed is not None:
        return icons.KNOCKED if "last_knocker" in flags else icons.STAYS
    if row.seat == board.leader:
        return icons.LEADS
    if "open_exchange" in flags:
        return icons.EXCHANGED
    return icons.KNOCKED if "last_knocker" in flags else None


# The dash of our fonts runs into the digits, and their hyphen is a dot from afar.
_SIGN_GAP_PX = 2
_ARM_PX = 2  # by so much a sign reaches beyond the middle of its cross


def signed(number: int, *, plus: bool = False) -> str:
    """Return *number* as `write_signed` writes it, in letters of a keyboard."""
    return f"+{number}" if plus and number > 0 else str(number)


def signed_width(text: str, font: Font) -> int:
    """Return how many pixels `write_signed` takes for *text*."""
    sign, digits = _parted(text)
    return _after_sign(digits, font) + width_of(digits, font) if sign else width_of(text, font)


def write_signed(draw: ImageDraw.ImageDraw, x: int, y: int, text: str, font: Font) -> None:
    """Write *text*, a number with or without a sign, from *x* on; *y* is the top of its digits."""
    sign, digits = _parted(text)
    if sign:
        _draw_sign(draw, x, y, font, upright=sign == "+")
        x += _after_sign(digits, font)
    write(draw, x, y, digits, font)


def _parted(text: str) -> tuple[str, str]:
    return (text[0], text[1:]) if text[:1] in ("+", "-") else ("", text)


def _after_sign(digits: str, font: Font) -> int:
    """Return how far behind the sign *digits* are written: by their ink they all stand alike."""
    sign_px = font.stroke + 2 * _ARM_PX
    return sign_px + _SIGN_GAP_PX - ink_of(digits, font)[0]


def _draw_sign(draw: ImageDraw.ImageDraw, x: int, y: int, font: Font, *, upright: bool) -> None:
    thick = font.stroke
    left, top = x + _ARM_PX, y + (font.capital - thick) // 2
    right, foot = left + thick - 1, top + thick - 1
    draw.rectangle((left - _ARM_PX, top, right + _ARM_PX, foot), fill=1)
    if upright:
        draw.rectangle((left, top - _ARM_PX, right, foot + _ARM_PX), fill=1)


NAME_X = MARK_PX
GAP_PX = 2
BESIDE_PX = 3  # between a name and a sign beside it

_LAST_CHANCE = frozenset({"gestrichen", "swims"})  # flags whose number stands dark on light
_FONTS = (LARGER, LARGE, MEDIUM_BOLD, MEDIUM, BOLD)
_NAME_CLAIM_PX = 38  # so much a name may ask for before the strokes get theirs
_NAME_LEAST_PX = 24  # and so much it keeps, however many strokes there are
# Letters of numbers and of swings, and what a name may ask for before the next ones are tried.
_SWINGING = (
    (LARGER, MEDIUM, _NAME_CLAIM_PX),
    (LARGE, MEDIUM, _NAME_CLAIM_PX),
    (LARGE, SMALL, _NAME_CLAIM_PX),
    (LARGE, SMALL, _NAME_LEAST_PX),
    (MEDIUM_BOLD, SMALL, _NAME_LEAST_PX),
)
_TRICK_PX = 5
_SMALL_TRICK_PX = 4  # where five of them have to fit
_MOST_TRICKS = 5  # drawn in a row; nobody counts more of them in a deal


@dataclass(frozen=True, slots=True)
class Columns:
    """How wide the parts of every row are, and in which letters names and numbers stand.

    *beside* are the signs that stand beside a name; *middle_px* is for strokes, tricks or
    swings.
    """

    name_px: int
    middle_px: int
    name: Font
    number: Font
    swing: Font
    beside: Mapping[Seat, tuple[icons.Icon, ...]]


def fit_columns(width: int, height: int, board: Scoreboard, names: Mapping[Seat, str]) -> Columns:
    """Return the columns of rows of *height* that are *width* pixels wide together."""
    fonts = [font for font in _FONTS if font.capital + font.depth <= height] or [BOLD]
    beside = {row.seat: _beside(board, row, height) for row in board.rows}
    needs = {font: _name_need(board, names, font, beside) for font in fonts}
    most = width - NAME_X - 2 * GAP_PX - 1
    claim = min(needs[fonts[-1]], _NAME_CLAIM_PX)
    number, swing = next((one for one in (LARGE, MEDIUM_BOLD) if one in fonts), BOLD), SMALL
    if _swings(board):
        uncut = (needs[one] for one in (MEDIUM_BOLD, MEDIUM) if one in fonts)
        claim = next((need for need in uncut if need <= _NAME_CLAIM_PX), claim)
        number, swing = _swinging_fonts(board, fonts, most, claim)
    room = most - _digits_px(board, number)
    middle_px = min(_middle_need(board, room - claim, swing), room - min(claim, _NAME_LEAST_PX))
    name_px = room - middle_px
    fitting = (font for font in fonts if needs[font] <= name_px)
    return Columns(name_px, middle_px, next(fitting, fonts[-1]), number, swing, beside)


def width_beside(beside: tuple[icons.Icon, ...]) -> int:
    """Return how many pixels the signs *beside* a name take."""
    return sum(BESIDE_PX + icons.size_of(icon)[0] for icon in beside)


def trick_px(board: Scoreboard) -> int:
    """Return how wide a trick is."""
    return _SMALL_TRICK_PX if board.tricks_to_win is None else _TRICK_PX


def tricks_in(board: Scoreboard, row: Row) -> tuple[int, int | None]:
    """Return how many tricks the side of *row* has, and how many it needs."""
    return board.tricks_of(row.seat) or 0, board.tricks_to_win


def _swings(board: Scoreboard) -> bool:
    return any(row.swing is not None for row in board.rows)


def _swinging_fonts(
    board: Scoreboard, fonts: list[Font], most: int, claim: int
) -> tuple[Font, Font]:
    """Return the letters of numbers and swings that leave of *most* what names *claim*."""
    return next(
        (
            (number, swing)
            for number, swing, cap in _SWINGING
            if number in fonts
            and _digits_px(board, number) + _swing_px(board, swing) + min(claim, cap) <= most
        ),
        (BOLD, SMALL),
    )


def _digits_px(board: Scoreboard, font: Font) -> int:
    """Return how wide the widest number is; it stands still while its digits come and go."""
    return max(signed_width(_zeros(row.tally), font) for row in board.rows)


def _swing_px(board: Scoreboard, font: Font) -> int:
    swings = [row.swing for row in board.rows if row.swing]
    widths = (signed_width(signed(one, plus=True), font) for one in swings)
    return max((wide + 2 * GAP_PX for wide in widths), default=0)


def _zeros(tally: int) -> str:
    """Return a number as long as *tally* whose width does not depend on its digits."""
    return "".join("0" if one.isdigit() else one for one in str(tally))


def _middle_need(board: Scoreboard, most: int, swing: Font) -> int:
    """Return how wide strokes, tricks or swings are, no more than *most* pixels if it can be."""
    if _swings(board):
        return _swing_px(board, swing)
    if any(row.falls or row.tricks is not None for row in board.rows):
        boxes = board.tricks_to_win or _MOST_TRICKS
        most_taken = max(tricks_in(board, row)[0] for row in board.rows)
        return tricks_width(max(boxes, most_taken), trick_px(board)) + GAP_PX
    return tally_width(max(row.limit or row.tally for row in board.rows), most)


def _beside(board: Scoreboard, row: Row, height: int) -> tuple[icons.Icon, ...]:
    """Return what stands beside the name in *row*: who plays alone, and a card without room."""
    found = [icons.ALONE] if "soloist" in row.flags else []
    if row.seat == board.dealer and icons.DEALER not in marks(board, row, height):
        found.append(icons.DEALER)
    return tuple(found)


def _name_need(
    board: Scoreboard,
    names: Mapping[Seat, str],
    font: Font,
    beside: Mapping[Seat, tuple[icons.Icon, ...]],
) -> int:
    """Return the width in which every name fits in *font*."""
    return max(
        width_of(names[row.seat], font) + width_beside(beside[row.seat]) for row in board.rows
    )


_LIGHTER = {LARGER: MEDIUM, LARGE: MEDIUM, MEDIUM_BOLD: MEDIUM}  # of who sits out; else SMALL
# Dots and tails of letters reach into the rows above and below.
_ABOVE_PX, _BELOW_PX = 1, 2


@dataclass(frozen=True, slots=True)
class TableScene:
    """What a face of the table shows: a *board*, in the *words* of its language and its game.

    *names* are those of who sits there, as they can be chalked; *motion* says what of it moves,
    and learns when the picture is over.
    """

    board: Scoreboard
    names: Mapping[Seat, str]
    words: Words
    motion: Motion

    @property
    def blinks(self) -> bool:
        """Whether what blinks while somebody has to answer is on."""
        return bool(self.board.to_answer) and self.motion.blink()

    @property
    def dealer(self) -> str:
        """The name of who deals, empty where nobody does."""
        return "" if self.board.dealer is None else self.names.get(self.board.dealer, "")

    @property
    def hint(self) -> str:
        """What a hand does now or who is at it, empty where there are no words for it."""
        prompt = self.board.prompt
        if prompt is None:
            return ""
        key = f"slate.hint.{prompt.key.removeprefix('prompt.')}"
        said = self.words.say(key, prompt.facts, self.names)
        return "" if said == key else said


def draw_rows(
    sheet: Image.Image,
    box: Area,
    board: Scoreboard,
    names: Mapping[Seat, str],
    *,
    blink: bool,
    shown: Sequence[Row] | None = None,
) -> None:
    """Draw a row for each player into *box*, or for those *shown*.

    *blink* tells whether what blinks is on. Letters are as large as all players of the board allow.
    """
    shown = board.rows if shown is None else shown
    if not shown:
        return
    boxes = stacked(box, len(shown))
    columns = fit_columns(box.width, min(row.height for row in boxes), board, names)
    for row, part in zip(shown, boxes, strict=True):
        ink = PAST if has_grey(sheet) and _is_past(row) else LIGHT
        _lay_row(sheet, _taller(part), ink, board, row, names[row.seat], columns)
        lay(sheet, part._replace(width=MARK_PX), ink, draw_marks, marks(board, row, part.height))
    for row, part in zip(shown, boxes, strict=True):
        if "armoede" in row.flags:
            invert(sheet, part._replace(x=part.x + MARK_PX, width=part.width - MARK_PX + 1))
        if not _LAST_CHANCE.isdisjoint(row.flags):
            invert(sheet, _around_number(part, row, columns.number))
        if "must_answer" in row.flags and blink:
            invert(sheet, part._replace(width=MARK_PX - 1, height=part.height - 1))
        if board.heard is not None and board.heard.seat == row.seat:
            echo_in_row(sheet, part, board.heard)


def _is_past(row: Row) -> bool:
    """Return whether *row* plays no more in this deal, or in this rubber."""
    return "folded" in row.flags or "out" in row.flags


def _lay_row(
    sheet: Image.Image,
    box: Area,
    ink: int,
    board: Scoreboard,
    row: Row,
    name: str,
    columns: Columns,
) -> None:
    """Draw *row* but for its marks, strokes of earlier hands as what is past."""
    fades = _is_past(row) and not has_grey(sheet)
    lay(sheet, box, ink, _draw_row, board, row, name, columns, fades=fades)
    if not has_grey(sheet) or row.swing is not None or row.tricks is not None or row.falls:
        return
    last = board.hands[-1].paid.get(row.seat, 0) if board.hands else 0
    before = replace(row, tally=max(row.tally - last, 0), limit=row.limit or row.tally)
    lay(sheet, box, PAST, _draw_strokes, board, before, columns)


def _draw_strokes(
    draw: ImageDraw.ImageDraw,
    width: int,
    height: int,
    board: Scoreboard,
    row: Row,
    columns: Columns,
) -> None:
    """Draw nothing of *row* but what stands between name and number, where `_draw_row` does."""
    middle = _draw_middle(height, board, row, columns, fades=False)
    draw.bitmap((NAME_X + columns.name_px + GAP_PX, 0), middle, fill=1)


def _around_number(part: Area, row: Row, font: Font) -> Area:
    """Return where the number of *row* stands, with a rim that keeps off the next one."""
    wide = signed_width(signed(row.tally), font) + GAP_PX
    tall = min(font.capital + 2 * GAP_PX, part.height - 1)
    left, top = part.x + part.width - wide, part.y + (part.height - 1 - tall) // 2
    return Area(left, top, wide + 1, tall)


def _draw_row(
    draw: ImageDraw.ImageDraw,
    width: int,
    height: int,
    board: Scoreboard,
    row: Row,
    name: str,
    columns: Columns,
    *,
    fades: bool,
) -> None:
    """Draw all of *row* but its marks."""
    beside = columns.beside.get(row.seat, ())
    font = columns.name
    if icons.CHAIR in marks(board, row, height):
        font = _LIGHTER.get(font, SMALL)
    y = _middle(height, font.capital)
    shown = cut(name, font, columns.name_px - width_beside(beside), ending=".")
    write(draw, NAME_X, y, shown, font)
    x = NAME_X + width_of(shown, font)
    for icon in beside:
        wide, tall = icons.size_of(icon)
        icons.draw_icon(draw, x + BESIDE_PX, _middle(height, tall), icon)
        x += BESIDE_PX + wide
    number, font = signed(row.tally), columns.number
    x = width - signed_width(number, font)
    write_signed(draw, x, _middle(height, font.capital), number, font)
    middle = _draw_middle(height, board, row, columns, fades=fades)
    draw.bitmap((NAME_X + columns.name_px + GAP_PX, 0), middle, fill=1)


def _draw_middle(
    height: int, board: Scoreboard, row: Row, columns: Columns, *, fades: bool
) -> Image.Image:
    """Return what stands between name and number: the last swing, tricks, else chalk strokes."""
    middle = Image.new("1", (max(columns.middle_px, 1), height))
    if row.swing is not None:
        _draw_swing(ImageDraw.Draw(middle), *middle.size, row.swing, columns.swing)
    elif row.tricks is not None:
        part = Image.new("1", (middle.width, trick_px(board)))
        draw_tricks(ImageDraw.Draw(part), *part.size, *tricks_in(board, row))
        middle.paste(part, (0, _middle(height, part.height)))
    elif not row.falls:
        inside = height - _ABOVE_PX - _BELOW_PX
        margin = 1 if inside > MEDIUM_BOLD.capital else 0
        part = Image.new("1", (middle.width, inside - 1 - margin))
        draw_tally(ImageDraw.Draw(part), *part.size, row)
        if fades:
            _fade(part)
        middle.paste(part, (0, _ABOVE_PX + margin))
    return middle


def _draw_swing(draw: ImageDraw.ImageDraw, width: int, height: int, swing: int, font: Font) -> None:
    """Draw *swing* with its sign; nothing where nothing moved, or half of it could be read."""
    text = signed(swing, plus=True)
    x = width - GAP_PX - signed_width(text, font)
    if swing and x >= 0:
        write_signed(draw, x, _middle(height, font.capital), text, font)


def _fade(strokes: Image.Image) -> None:
    """Leave out every other line: a seat out of this hand; its name has to stay readable."""
    draw = ImageDraw.Draw(strokes)
    for y in range(1, strokes.height, 2):
        draw.line((0, y, strokes.width, y), fill=0)


def _middle(height: int, tall: int) -> int:
    """Return where something *tall* begins, in the middle of a box of `_taller`."""
    return _ABOVE_PX + (height - _ABOVE_PX - _BELOW_PX - tall) // 2


def _taller(row: Area) -> Area:
    return row._replace(y=row.y - _ABOVE_PX, height=row.height + _ABOVE_PX + _BELOW_PX)


PAGE_ROWS = 4
"""So many players stand on a page; more would be too small to be read from afar."""
_PAGE_DOT_PX = 4
_PAGE_S, _HIT_S, _ANSWERED_S = 5.0, 4.0, 1.5


def pages_of(board: Scoreboard) -> list[tuple[Row, ...]]:
    """Return the rows of *board* page by page: up to four, and on two pages as many on each."""
    count = -(-len(board.rows) // PAGE_ROWS)
    size = -(-len(board.rows) // max(count, 1))
    return [board.rows[at : at + size] for at in range(0, len(board.rows), max(size, 1))]


def page_of(board: Scoreboard, motion: Motion) -> tuple[Row, ...]:
    """Return the page that matters now: who is at it, who was just hit, who has to answer.

    Where that is on several pages, or nothing is, they take turns.
    """
    pages = pages_of(board)
    if len(pages) < 2:
        return board.rows
    matters = _seats_that_matter(board, motion)
    wanted = [page for page in pages if any(row.seat in matters for row in page)] or pages
    if len(wanted) == 1:
        return wanted[0]
    return wanted[motion.turn(*(_PAGE_S for _ in wanted))]


def newest_of(board: Scoreboard) -> set[Seat]:
    """Return who is at it, else who the news are about."""
    facts = {} if board.news is None else board.news.facts
    named = facts.get("seats", (facts.get("seat"),))
    return _at_it(board) or {
        seat
        for seat in named  # type: ignore[attr-defined]
        if isinstance(seat, Seat)
    }


def _at_it(board: Scoreboard) -> set[Seat]:
    asked = [one.seat for one in (board.heard, board.doubt, board.grace) if one is not None]
    refused = None if board.refused is None else board.refused.facts.get("seat")
    return {seat for seat in (*asked, refused) if isinstance(seat, Seat)}


def _seats_that_matter(board: Scoreboard, motion: Motion) -> set[Seat]:
    """Return who is at it, else for some seconds who was just hit, else who has to answer.

    While somebody has to answer, those seconds are few: whoever has answered is seen, and who has
    not soon again.
    """
    if at_it := _at_it(board):
        return at_it
    if motion.frame(_ANSWERED_S if board.to_answer else _HIT_S, 1) is None:
        return set(board.to_answer)
    last = board.hands[-1].paid if board.hands and not board.deal_runs else {}
    return {seat for seat, paid in last.items() if paid} or newest_of(board)


def draw_page_mark(
    sheet: Image.Image, x: int, pages: Sequence[Sequence[Row]], shown: Sequence[Row]
) -> None:
    """Leave no more than dots of the chalk line at *x* beside those of *pages* not *shown*."""
    if len(pages) < 2:
        return
    _, down = inner(sheet)
    for page, part in zip(pages, stacked(Area(x, 0, 1, down), len(pages)), strict=True):
        if page != shown:
            for top in range(part.y, part.y + part.height, _PAGE_DOT_PX):
                foot = min(top + _PAGE_DOT_PX, part.y + part.height)
                invert(sheet, part._replace(y=top + 1, height=foot - top - 1))


_CELL_NAMES = (MEDIUM_BOLD, BOLD)
_CELL_NUMBERS = (LARGER, LARGE, MEDIUM_BOLD)
_CELL_NAME_PX = 20  # a name shorter than that tells nobody apart
_CELL_GAP_PX = 3


def draw_cells(
    sheet: Image.Image,
    box: Area,
    board: Scoreboard,
    shown: Sequence[Row],
    names: Mapping[Seat, str],
    *,
    across: int,
    blink: bool,
) -> None:
    """Draw those *shown* in cells, *across* of them side by side: mark, name and digits.

    Seats run down the first column, then down the next one. *blink* is that of `draw_rows`.
    """
    lines = max(-(-len(shown) // across), 1)
    width = (box.width - (across - 1) * _CELL_GAP_PX) // across
    for at, row in enumerate(shown):
        column, line = divmod(at, lines)
        left = box.x + column * (width + _CELL_GAP_PX)
        part = stacked(Area(left, box.y, width, box.height), lines)[line]
        place(sheet, part._replace(width=MARK_PX), draw_marks, marks(board, row, part.height)[:1])
        place(sheet, part, _draw_cell, names[row.seat], signed(row.tally))
        if "armoede" in row.flags or not _LAST_CHANCE.isdisjoint(row.flags):
            invert(sheet, part._replace(x=left + MARK_PX, width=width - MARK_PX))
        if "must_answer" in row.flags and blink:
            invert(sheet, part._replace(width=MARK_PX - 1, height=part.height - 1))
        if board.heard is not None and board.heard.seat == row.seat:
            echo_in_row(sheet, part, board.heard)


def _draw_cell(draw: ImageDraw.ImageDraw, width: int, height: int, name: str, number: str) -> None:
    digits = next(
        (
            font
            for font in _CELL_NUMBERS
            if font.capital + 2 <= height
            and width - MARK_PX - GAP_PX - signed_width(number, font) >= _CELL_NAME_PX
        ),
        BOLD,
    )
    x = width - 1 - signed_width(number, digits)
    write_signed(draw, x, (height - digits.capital) // 2, number, digits)
    room = x - MARK_PX - BESIDE_PX
    font = next(
        (
            one
            for one in _CELL_NAMES
            if one.capital + one.depth < height and width_of(name, one) <= room
        ),
        BOLD,
    )
    y = (height - font.capital) // 2
    write(draw, MARK_PX, y, cut(name, font, room, ending="."), font)
