"""The slate is read from where people sit: pictures are reduced to what an eye gets of them."""

from pathlib import Path

import pytest
import zxingcpp
from PIL import Image, ImageDraw, ImageOps

from kloplei.config.settings import SMALL_GLASS, TINY_GLASS, WIDE_GLASS, Glass, SlateConfig
from kloplei.games.scoreboard import Scoreboard
from kloplei.slate.drawing import (
    _KANA,
    LARGE,
    LARGER,
    MEDIUM_BOLD,
    SMALL,
    Area,
    FrameTime,
    stacked,
    write,
)
from kloplei.slate.faces.rows import pages_of
from kloplei.slate.picture import DisplaySettings, draw
from kloplei.words import Words
from tests.slate.boards import SCENES, table
from tests.slate.eye import PITCH_MM, TYPEFACES, chart, minutes, part_of, read, seen
from tests.slate.redraw import drawn
from tests.slate.test_pictures import IN

READ_FROM_M = {"0.91": 0.9, "0.96": 0.9, "1.3": 1.2, "2.42": 2.0, "3.12": 1.6}
"""By inches: from so far its numbers are read."""
SMALL_ONES = ("0.96", "1.3", "2.42")
ACUITY_MIN = 5.0
"""How high a letter is that eyes of 6/6 read; its strokes are a fifth of that."""
PLAYERS = range(2, 9)
LOST = (3, 7, 0, 5, 9, 2, 6, 8)
LOST_MORE = (13, 14, 10, 15, 12, 10, 11, 14)
PAGE = Path(__file__).parents[2] / "docs" / "show.md"
CELL_DIGIT_PX, DIGIT_PX = 9.5, 8.0


def shown(
    board: Scoreboard, glass: Glass = SMALL_GLASS, *, crowd: str = "pages", page: int = 0
) -> Image.Image:
    look = DisplaySettings(slate=SlateConfig(crowd=crowd), glass=glass)
    return draw(board, FrameTime(now_s=60.0 + 6 * page), Words("nl"), look).image


def row_numbers(left: int, width: int, rows: int) -> list[Area]:
    """Return where the numbers of *rows* end, each in an area as high as its row."""
    return stacked(Area(left, 1, width, SMALL_GLASS.height - 2), rows)


def cell_numbers(box: Area, cells: int) -> list[Area]:
    """Return the same of *cells* in two columns, one below the other in each."""
    lines, width = -(-cells // 2), (box.width - 3) // 2
    columns = (box._replace(x=left, width=width - 1) for left in (0, width + 3))
    return [area for column in columns for area in stacked(column, lines)][:cells]


def digits_in(
    eyeful: Image.Image, where: Area, count: int, pixel_min: float, wide: float = DIGIT_PX
) -> str:
    """Return the *count* digits that are read at the right end of *where*."""
    right, foot = where.x + where.width, where.y + where.height
    ends = [right - number * wide for number in reversed(range(count))]
    boxes = ((end - wide, where.y, end, foot) for end in ends)
    return "".join(part_of(eyeful, box, pixel_min) for box in boxes)


def numbers_read(lost: tuple[int, ...], pixel_min: float) -> list[str]:
    """Return what is read of each number in the rows of a small glass, page by page."""
    board = table(lost, 15 if max(lost) > 10 else 10)
    pages = pages_of(board) if len(lost) >= 6 else [board.rows]
    found = []
    for number, page in enumerate(pages):
        eyeful = seen(shown(board, page=number), pixel_min)
        for row, where in zip(page, row_numbers(0, 90, len(page)), strict=True):
            found.append(digits_in(eyeful, where, len(str(row.tally)), pixel_min))
    return found


@pytest.mark.parametrize(("high_min", "at_least", "at_most"), [(5.0, 0.95, 1.0), (2.0, 0.0, 0.7)])
def test_the_reader_has_eyes_as_good_as_healthy_ones(
    high_min: float, at_least: float, at_most: float
) -> None:
    """Of a typeface that it does not know: five minutes of arc it reads, two it does not."""
    right = [
        read(chart(digit, typeface, high_min), tuple(set(TYPEFACES) - {typeface})) == digit
        for typeface in TYPEFACES
        for digit in "0123456789"
    ]

    assert at_least <= sum(right) / len(right) <= at_most


@pytest.mark.parametrize("inches", READ_FROM_M)
def test_numbers_are_larger_than_what_eyes_tell_apart(inches: str) -> None:
    pixel_min = minutes(PITCH_MM[inches], READ_FROM_M[inches])

    assert LARGE.capital * pixel_min > ACUITY_MIN
    assert LARGE.stroke * pixel_min > ACUITY_MIN / 5


@pytest.mark.parametrize("inches", READ_FROM_M)
def test_the_page_of_the_show_says_how_large_numbers_look(inches: str) -> None:
    pitch_mm, metres = PITCH_MM[inches], READ_FROM_M[inches]
    pixel_min = minutes(pitch_mm, metres)
    row = f"{pitch_mm:g} mm | {metres:g} m | {pixel_min:.2f}' | {LARGE.capital * pixel_min:.1f}'"

    lines = [one for one in PAGE.read_text().splitlines() if one.startswith(f'| {inches}"')]

    assert any(row in line for line in lines)


@pytest.mark.parametrize("inches", SMALL_ONES)
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("lost", [LOST, LOST_MORE], ids=["one digit", "two digits"])
def test_every_number_is_read_from_where_people_sit(
    inches: str, players: int, lost: tuple[int, ...]
) -> None:
    found = numbers_read(lost[:players], minutes(PITCH_MM[inches], READ_FROM_M[inches]))

    assert found == [str(tally) for tally in lost[:players]]


@pytest.mark.parametrize("players", PLAYERS)
def test_every_number_of_the_wide_glass_is_read(players: int) -> None:
    pixel_min = minutes(PITCH_MM["3.12"], READ_FROM_M["3.12"])
    eyeful = seen(shown(table(LOST[:players]), WIDE_GLASS), pixel_min)
    half = -(-players // 2)
    one, two = row_numbers(0, 129, players), row_numbers(0, 100, half) + row_numbers(105, 100, half)

    found = [
        digits_in(eyeful, where, 1, pixel_min) for where in (one if players <= 4 else two)[:players]
    ]

    assert found == [str(tally) for tally in LOST[:players]]


@pytest.mark.parametrize("players", PLAYERS)
def test_every_number_of_the_tiny_glass_is_read(players: int) -> None:
    pixel_min = minutes(PITCH_MM["0.91"], READ_FROM_M["0.91"])
    board, box = table(LOST[:players]), Area(0, 0, 94, TINY_GLASS.height - 1)

    found = [
        digits_in(
            seen(shown(board, TINY_GLASS, page=number), pixel_min),
            where,
            1,
            pixel_min,
            CELL_DIGIT_PX,
        )
        for number, page in enumerate(pages_of(board))
        for where in cell_numbers(box, len(page))
    ]

    assert found == [str(tally) for tally in LOST[:players]]


@pytest.mark.parametrize("inches", SMALL_ONES)
@pytest.mark.parametrize("players", [6, 7, 8])
def test_every_number_of_a_crowd_by_digits_is_read(inches: str, players: int) -> None:
    pixel_min = minutes(PITCH_MM[inches], READ_FROM_M[inches])
    eyeful = seen(shown(table(LOST[:players]), crowd="digits"), pixel_min)
    box = Area(0, 1, 90, SMALL_GLASS.height - 2)

    found = [
        digits_in(eyeful, where, 1, pixel_min, CELL_DIGIT_PX)
        for where in cell_numbers(box, players)
    ]

    assert found == [str(tally) for tally in LOST[:players]]


@pytest.mark.parametrize(
    ("inches", "nearer", "wrong"),
    [*((inches, 1, range(3, 9)) for inches in SMALL_ONES), ("0.96", 3, range(3))],
)
def test_eight_in_one_column_are_read_from_near_alone(
    inches: str, nearer: int, wrong: range
) -> None:
    """That the tests above can fail, and why there are pages: letters of 4 minutes of arc."""
    pixel_min = minutes(PITCH_MM[inches], READ_FROM_M[inches] / nearer)
    eyeful = seen(shown(table(LOST), crowd="strokes"), pixel_min)

    found = [digits_in(eyeful, where, 1, pixel_min, 6) for where in row_numbers(0, 90, 8)]

    assert sum(one != str(tally) for one, tally in zip(found, LOST, strict=True)) in wrong


def test_from_twice_as_far_nobody_reads_the_numbers() -> None:
    found = numbers_read(LOST, minutes(PITCH_MM["1.3"], 2 * READ_FROM_M["1.3"]))

    assert found != [str(tally) for tally in LOST]


@pytest.mark.parametrize(("times", "codes"), [(1, [IN]), (3, [])])
@pytest.mark.parametrize("inches", ["1.3", "2.42"])
def test_the_code_is_read_from_there_and_not_from_three_times_as_far(
    inches: str, times: int, codes: list[str]
) -> None:
    pixel_min = minutes(PITCH_MM[inches], times * READ_FROM_M[inches])
    eyeful = seen(drawn(SCENES["join"]), pixel_min)
    large = eyeful.resize((eyeful.width * 2, eyeful.height * 2), Image.Resampling.BICUBIC)

    assert [code.text for code in zxingcpp.read_barcodes(ImageOps.expand(large, 40))] == codes


HIRAGANA = (
    "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをん"
)
KATAKANA = (
    "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
)
OF_HINTS = "勝負降配賭取札交換最後上下着席押回点数王者次人"
OUTLINES = ("M PLUS", "M PLUS Regular")


def signs_read(signs: str, pixel_min: float) -> int:
    """Return how many of *signs* are read among their like, by who knows them from outlines."""
    right = 0
    for sign in signs:
        sheet = Image.new("1", (40, 40))
        write(ImageDraw.Draw(sheet), 12, 14, sign, SMALL)
        right += read(seen(sheet, pixel_min), OUTLINES, signs) == sign
    return right


@pytest.mark.parametrize(
    ("signs", "known"),
    [(HIRAGANA, 42), (KATAKANA, 45), (OF_HINTS, 22)],
    ids=["hira", "kata", "kanji"],
)
def test_kana_and_the_kanji_of_hints_are_known_from_where_people_sit(
    signs: str, known: int
) -> None:
    """The smallest of them, on the glass of 3.12", whose pixels look smallest."""
    pixel_min = minutes(PITCH_MM["3.12"], READ_FROM_M["3.12"])

    assert signs_read(signs, pixel_min) >= known


def test_from_three_times_as_far_most_kanji_are_not_known() -> None:
    pixel_min = minutes(PITCH_MM["3.12"], 3 * READ_FROM_M["3.12"])

    assert signs_read(OF_HINTS, pixel_min) < 0.6 * len(OF_HINTS)


@pytest.mark.parametrize("inches", READ_FROM_M)
def test_the_page_of_the_show_says_how_large_kana_look(inches: str) -> None:
    pixel_min = minutes(PITCH_MM[inches], READ_FROM_M[inches])
    heights = (_KANA[font].tall_px * pixel_min for font in (SMALL, MEDIUM_BOLD, LARGER))
    told = " | ".join(f"{height:.1f}'" for height in heights)

    lines = [one for one in PAGE.read_text().splitlines() if one.startswith(f'| {inches}"')]

    assert any(told in line for line in lines)
