"""What the moments of an evening cost on the wire to the glass: bytes, never milliseconds."""

from collections.abc import Callable

import pytest
from PIL import Image

from kloplei.games.game import Seat
from kloplei.slate.drawing import FrameTime
from kloplei.slate.painter import OPENING_S, SHIFT_EVERY_S
from kloplei.slate.picture import DisplaySettings, draw
from kloplei.words import Words
from tests.slate.boards import table
from tests.slate.wired import FAST_HZ, WiredGlass, WiredTable

CHIPS = ("ssd1306", "sh1106")
STEP_BYTES = 100  # the most that something small and moving takes
TOEP_BYTES, TRICK_BYTES = 3500, 2200  # luma, with every picture whole: 16,544 and 35,156
WHOLE_BYTES = 1034
PRESS_S = 0.008  # from what is decided to its last byte, on the bus as it should be


@pytest.fixture(params=CHIPS)
def four(request: pytest.FixtureRequest) -> WiredTable:
    """Four at toepen; the hand has been dealt and the slate is at rest."""
    table = WiredTable(driver=request.param)
    table.wait(30)
    table.ask(0, "deal")
    table.wait(10)
    return table


def knock_and_answers(table: WiredTable) -> None:
    for seat, action in ((0, "knock"), (1, "stay"), (2, "stay"), (3, "stay")):
        table.ask(seat, action).wait(5)


def test_a_toep_and_its_ten_seconds(four: WiredTable) -> None:
    sent = four.cost(lambda: four.ask(0, "knock").wait(10))

    assert len(sent) == 17
    assert sum(one.size for one in sent) < TOEP_BYTES


def test_a_question_mark_that_blinks(four: WiredTable) -> None:
    four.ask(0, "knock")
    four.wait(2)

    blinking = four.cost(lambda: four.wait(8))

    assert len(blinking) > 10
    assert max(one.size for one in blinking) < STEP_BYTES


def test_a_trick_and_its_bar_of_grace(four: WiredTable) -> None:
    knock_and_answers(four)

    sent = four.cost(lambda: four.ask(1, "trick", waits=True).wait(9))

    bar = sent[2:-3]
    assert len(bar) >= 28
    assert max(one.size for one in bar) < STEP_BYTES
    assert sum(one.size for one in sent) < TRICK_BYTES


def test_nobody_wakes_but_for_a_new_picture(four: WiredTable) -> None:
    knock_and_answers(four)

    sent = four.cost(lambda: four.wait(60).ask(1, "trick", waits=True).wait(60))

    assert 30 < four.woken < len(sent)


def test_a_table_where_nobody_does_anything_heals_its_glass(four: WiredTable) -> None:
    """Its picture moves by a pixel every three minutes, and goes out whole."""
    begun_s = four.now_s

    (moved, *_) = four.cost(lambda: four.wait(2 * SHIFT_EVERY_S))

    assert moved.size > WHOLE_BYTES
    assert moved.at_s - begun_s <= SHIFT_EVERY_S


@pytest.mark.parametrize("driver", CHIPS)
@pytest.mark.parametrize("seats", [3, 4, 8])
@pytest.mark.parametrize("lost", [0, 3, 4, 5, 8, 10])  # the fifth of five goes across
def test_a_strike(driver: str, seats: int, lost: int) -> None:
    glass = WiredGlass(driver)
    others = [2] * (seats - 1)  # the tenth, which moves all columns by a digit, is dearer

    glass.show(tallies(lost, *others))
    size = glass.show(tallies(lost + 1, *others))

    assert 0 < size < STEP_BYTES


def tallies(*lost: int) -> Image.Image:
    return draw(table(lost), FrameTime(60.0, 0.0), Words("nl"), DisplaySettings()).image


@pytest.mark.parametrize(
    "press",
    [
        lambda four: four.knock(1),  # heard, and shown at once
        lambda four: four.ask(1, "stay"),
        lambda four: four.ask(3, "fold"),
    ],
    ids=["heard", "stay", "fold"],
)
def test_what_a_press_decides_is_on_the_glass_within_some_milliseconds_of_the_bus(
    four: WiredTable, press: Callable[[WiredTable], object]
) -> None:
    four.ask(0, "knock").wait(3)

    assert 0 < max(one.seconds for one in four.cost(lambda: press(four))) < PRESS_S


@pytest.mark.parametrize("driver", CHIPS)
@pytest.mark.parametrize("seats", [4, 8])
@pytest.mark.parametrize("moved", [0, 2])  # moved by a pixel, letters reach into more bytes
def test_what_says_a_big_moment_goes_ahead_of_the_rest(driver: str, seats: int, moved: int) -> None:
    table = WiredTable(seats, driver)
    table.wait(moved * SHIFT_EVERY_S + 20)
    table.ask(0, "deal").wait(10)

    shout = table.cost(lambda: table.ask(0, "knock").wait(0.1))
    for seat in range(1, seats):
        table.ask(seat, "stay").wait(5)
    grace = table.cost(lambda: table.ask(1, "trick", waits=True).wait(0.1))
    table.knock(2)  # no
    table.wait(10)
    result = table.cost(lambda: table.ask(1, "trick").wait(0.1))

    for ahead, rest in (shout, grace[:2], result):
        assert 0 < ahead.seconds < PRESS_S < (ahead.size + rest.size) * 9 / FAST_HZ
        assert rest.at_s - ahead.at_s == pytest.approx(OPENING_S, abs=1e-6)


@pytest.mark.parametrize("driver", CHIPS)
@pytest.mark.parametrize("seat", [0, 7])
def test_a_knock_goes_ahead_of_the_page_that_it_turns(driver: str, seat: int) -> None:
    table = WiredTable(8, driver)
    table.wait(30)
    table.ask(0, "deal").wait(12)

    heard = table.cost(lambda: table.knock(seat))

    assert 0 < heard[0].seconds < PRESS_S


@pytest.mark.parametrize("driver", CHIPS)
def test_a_deal_is_on_the_glass_as_soon(driver: str) -> None:
    four = WiredTable(driver=driver)
    four.wait(30)

    (dealt,) = four.cost(lambda: four.ask(0, "deal"))

    assert 0 < dealt.size * 9 / FAST_HZ < PRESS_S


def test_a_shout_leaves_the_column_beside_it_as_the_table_has_it(four: WiredTable) -> None:
    four.ask(0, "knock").wait(0.1)
    shouted = four.last
    four.wait(1.5)

    column = (93, 0, 128, 64)
    assert shouted.crop((0, 0, 91, 64)).tobytes() != four.last.crop((0, 0, 91, 64)).tobytes()
    assert shouted.crop(column).tobytes() == four.last.crop(column).tobytes()
    assert four.table.scoreboard().to_answer == (Seat(1), Seat(2), Seat(3))
