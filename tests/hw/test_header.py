"""The picture of the header shows each wire where it is on the board."""

import html
import re
from pathlib import Path

import pytest

from hw import header
from hw.drawings import BUILDS, Drawing, read
from hw.pictures import FOLDER
from tests.pin_map import HEADER

Texts = list[tuple[float, float, str]]
"""Where each text stands, and what it says."""


def texts_of(picture: Path) -> Texts:
    svg = picture.read_text(encoding="utf-8")
    found = re.findall(r'<text x="([^"]+)" y="([^"]+)".*?>(?:<tspan[^>]*>)?([^<]+)<', svg)
    return [(float(x), float(y), html.unescape(words)) for x, y, words in found]


def beside(texts: Texts, position: int) -> list[str]:
    """Return what stands on the side of *position*, from its number outwards."""
    at, level = next((x, y) for x, y, words in texts if words == str(position))
    outward = 1 if position % 2 == 0 else -1
    row = [(outward * (x - at), words) for x, y, words in texts if abs(y - level) < 3]
    return [words for distance, words in sorted(row) if distance > 0 and not words.isdigit()]


@pytest.fixture(params=BUILDS)
def drawing(request: pytest.FixtureRequest) -> Drawing:
    return read(request.param)


def test_each_wire_stands_at_its_pin_and_nothing_at_the_others(drawing: Drawing) -> None:
    texts = texts_of(FOLDER / f"header-{drawing.build}.svg")
    gpio_at = {position: f"GPIO {gpio}" for gpio, position in HEADER.items()}
    from_pi = (wire for wire in drawing.wires if wire.near == "PI")  # plugs count their pins too
    ends = {wire.near_pin: f"{wire.far} {wire.far_pin}" for wire in from_pi}

    for position in range(1, header.PINS + 1):
        name, *end = beside(texts, position)
        assert name == gpio_at.get(position, name)
        assert end == ([ends[position]] if position in ends else [])


def test_pins_stand_in_two_rows_from_the_card_to_the_sockets(drawing: Drawing) -> None:
    places = {
        int(words): (round(x), round(y))
        for x, y, words in texts_of(FOLDER / f"header-{drawing.build}.svg")
        if words.isdigit()
    }

    assert len(places) == header.PINS
    assert len({places[position][0] for position in range(1, 41, 2)}) == 1
    assert places[1][0] < places[2][0]
    assert places[1][1] == places[2][1] < places[3][1] < places[39][1]


def test_nothing_is_said_to_go_to_5_v(drawing: Drawing) -> None:
    texts = texts_of(FOLDER / f"header-{drawing.build}.svg")

    assert [beside(texts, position) for position in (2, 4)] == [["5 V: nothing here"]] * 2


def test_the_picture_is_what_the_source_makes(drawing: Drawing, tmp_path: Path) -> None:
    header.draw(drawing, tmp_path / "now.svg")

    assert texts_of(tmp_path / "now.svg") == texts_of(FOLDER / f"header-{drawing.build}.svg")
