import pytest
from PIL import Image, ImageDraw

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Row
from kloplei.slate.faces.rows import draw_tally, tally_width


def chalked(tally: int, limit: int = 15, width: int = 60, height: int = 12) -> Image.Image:
    image = Image.new("1", (width, height))
    draw_tally(ImageDraw.Draw(image), width, height, Row(Seat(0), tally, limit))
    return image


def strokes(image: Image.Image) -> int:
    """Return how many light runs cross the second row from below, below what strikes across."""
    y = image.height - 2
    lit = [bool(image.getpixel((x, y))) for x in range(image.width)]
    return sum(now and not before for before, now in zip([False, *lit], lit, strict=False))


@pytest.mark.parametrize("tally", range(5))
def test_up_to_four_lives_are_upright_strokes(tally: int) -> None:
    assert strokes(chalked(tally)) == tally


@pytest.mark.parametrize(("tally", "upright"), [(5, 4), (6, 5), (9, 8), (10, 8), (15, 12)])
def test_every_fifth_stroke_lies_across_the_four_before_it(tally: int, upright: int) -> None:
    assert strokes(chalked(tally)) == upright


def test_the_fifth_stroke_sticks_out_on_both_sides() -> None:
    four, five = chalked(4).getbbox(), chalked(5).getbbox()

    assert four is not None
    assert five is not None
    assert (five[0], five[2]) == (four[0] - 1, four[2] + 1)


def test_strokes_that_do_not_fit_are_left_off() -> None:
    width = tally_width(10, 0)

    assert strokes(chalked(40, limit=40, width=width)) == strokes(
        chalked(10, limit=10, width=width)
    )


@pytest.mark.parametrize("limit", [10, 15])
def test_the_whole_limit_fits_where_it_says(limit: int) -> None:
    for most in range(30, 80):
        width = tally_width(limit, most)
        drawn = {chalked(tally, limit, width).tobytes() for tally in range(limit + 1)}
        assert len(drawn) == limit + 1


def test_no_lives_lost_is_an_empty_slate() -> None:
    assert chalked(0).getbbox() is None
