import pytest
from PIL import Image, ImageDraw

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Row, Scoreboard
from kloplei.slate.drawing import BOLD, HUGE, LARGE, LARGER, MEDIUM, MEDIUM_BOLD, SMALL, Area, Font
from kloplei.slate.faces.rows import draw_rows, signed, signed_width, write_signed

FONTS = (SMALL, BOLD, MEDIUM, MEDIUM_BOLD, LARGE, LARGER, HUGE)


def written(text: str, font: Font) -> Image.Image:
    image = Image.new("1", (80, 24))
    write_signed(ImageDraw.Draw(image), 0, 4, text, font)
    return image


def lit_columns(image: Image.Image) -> list[bool]:
    return [
        image.crop((x, 0, x + 1, image.height)).getbbox() is not None for x in range(image.width)
    ]


def rows_of(*rows: Row, width: int = 90) -> Image.Image:
    sheet = Image.new("1", (128, 64))
    names = {row.seat: row.name for row in rows}
    draw_rows(
        sheet, Area(0, 1, width, 62), Scoreboard("any", "play", rows=rows), names, blink=False
    )
    return sheet


@pytest.mark.parametrize("font", FONTS)
@pytest.mark.parametrize("text", ["-1", "-285", "+45", "+1", "-4", "+70"])
def test_a_sign_stands_off_its_digits(font: Font, text: str) -> None:
    """The dash of the fonts ran into a 1, and "+4" was one blot."""
    lit = lit_columns(written(text, font))

    sign_ends = lit.index(False)
    assert lit[0]
    assert sign_ends > 3
    assert lit[sign_ends : sign_ends + 3] == [False, False, True]


@pytest.mark.parametrize("font", FONTS)
@pytest.mark.parametrize("text", ["0", "-1", "-1285", "+45", "120"])
def test_a_number_is_as_wide_as_it_says(font: Font, text: str) -> None:
    box = written(text, font).getbbox()

    assert box is not None
    assert box[2] == signed_width(text, font)


@pytest.mark.parametrize(("swing", "text"), [(45, "+45"), (-20, "-20"), (0, "0")])
def test_what_was_won_has_a_sign_as_what_was_lost(swing: int, text: str) -> None:
    assert signed(swing, plus=True) == text


def test_a_tally_that_swings_is_never_strokes() -> None:
    strokes = rows_of(Row(Seat(0), 12, name="Anna"))
    number = rows_of(Row(Seat(0), 12, name="Anna", swing=0))

    middle = (48, 0, 70, 64)
    assert strokes.crop(middle).getbbox() is not None
    assert number.crop(middle).getbbox() is None


def test_the_last_swing_stands_beside_the_tally() -> None:
    moved = rows_of(Row(Seat(0), -285, name="Bo", swing=-20))
    still = rows_of(Row(Seat(0), -285, name="Bo", swing=0))

    number = (58, 0, 90, 64)
    assert moved.crop(number).tobytes() == still.crop(number).tobytes()
    assert moved.crop((28, 0, 58, 64)).getbbox() is not None
    assert still.crop((28, 0, 58, 64)).getbbox() is None


@pytest.mark.parametrize("tally", [-9999, 9999, -285, 0])
@pytest.mark.parametrize("swing", [-9999, 9999, -45, 5])
def test_a_number_is_whole_however_long_names_are(tally: int, swing: int) -> None:
    long = rows_of(*(Row(Seat(n), tally, name="W" * 20, swing=swing) for n in range(4)))
    short = rows_of(*(Row(Seat(n), tally, name="W" * 4, swing=swing) for n in range(4)))
    wide = signed_width(signed(tally), BOLD)

    number = (90 - wide, 0, 128, 64)
    assert long.crop(number).getbbox() is not None
    assert long.crop(number).tobytes() == short.crop(number).tobytes()


def test_who_sits_out_stands_back() -> None:
    plays = rows_of(*(Row(Seat(n), 5, name="Anna", swing=5) for n in range(4)))
    sits = rows_of(
        *(
            Row(Seat(n), 5, name="Anna", swing=5, flags=("sits_out",) if n == 1 else ())
            for n in range(4)
        )
    )

    def light(image: Image.Image, row: int) -> int:
        name = image.crop((9, 1 + row * 62 // 4, 50, 1 + (row + 1) * 62 // 4))
        return sum(name.histogram()[1:])

    assert light(sits, 0) == light(plays, 0)
    assert 0 < light(sits, 1) < light(plays, 1)
