"""A set of faces for each size of glass, and what another size takes."""

from collections.abc import Callable

import pytest
from PIL import Image, ImageDraw

from kloplei.config.settings import GLASS_OF, GLASSES_OF, SMALL_GLASS, Glass
from kloplei.devices.glass import column_picture
from kloplei.devices.oled_drivers import DRIVERS
from kloplei.devices.virtual import VirtualOled
from kloplei.slate.faces import FACE_SETS, FaceSet, faces_for
from kloplei.slate.painter import Painter
from kloplei.slate.picture import DisplaySettings, Picture, draw_goodbye, draw_pause
from kloplei.table.client import Frame
from kloplei.table.session import Session
from kloplei.words import Words
from tests.table.memory_journal import MemoryJournal

WIDE = Glass(192, 64)  # which nobody sells with a chip of ours
PATIENCE_S = 30.0


class WideFaces(FaceSet):
    """Greets and tells the seats over all of a wide glass; the rest is left as it is."""

    @staticmethod
    def draw_greeting(sheet: Image.Image, word: str) -> None:
        """Draw a frame round the whole glass."""
        ImageDraw.Draw(sheet).rectangle((0, 0, WIDE.width - 2, WIDE.height - 2), outline=1)


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> Glass:
    monkeypatch.setitem(FACE_SETS, WIDE, WideFaces)
    return WIDE


def test_every_driver_has_its_glass_and_every_glass_its_faces() -> None:
    assert set(DRIVERS) == set(GLASS_OF)
    assert {glass for glasses in GLASSES_OF.values() for glass in glasses} == set(FACE_SETS)
    assert faces_for(SMALL_GLASS) is FaceSet


def test_faces_of_another_size_are_painted_by_the_painter_as_it_is(wide: Glass) -> None:
    oled, shown = VirtualOled(wide), list[Frame | None]()
    with Session(MemoryJournal()) as table:
        painter = Painter(
            table,
            oled.open,
            Words("nl"),
            DisplaySettings(glass=wide),
            inbox=table,
            show=shown.append,
        )
        painter.start()
        try:
            assert oled.first_frame.wait(PATIENCE_S)
        finally:
            painter.close()

    assert shown
    assert {(one.width, one.height) for one in shown if one is not None} == {WIDE}
    assert oled.size == WIDE
    greeting = Image.frombytes("1", WIDE, shown[0].bits if shown[0] else b"")
    assert greeting.getpixel((WIDE.width - 2, WIDE.height // 2))


@pytest.mark.parametrize("draw", [draw_pause, draw_goodbye])
def test_what_is_drawn_without_a_table_fills_the_glass_it_is_for(
    wide: Glass, draw: Callable[[Words, Glass], Picture]
) -> None:
    assert draw(Words("nl"), wide).image.size == wide


def test_the_test_picture_reaches_both_edges_of_any_glass(wide: Glass) -> None:
    picture = column_picture(wide)

    assert picture.size == wide
    left, _, right, _ = picture.getbbox() or (0, 0, 0, 0)
    assert (left, right) == (0, wide.width)
