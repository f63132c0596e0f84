"""The painter at a running table, on virtual glass."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise

import pytest
from PIL import Image

from kloplei.config.settings import SlateConfig
from kloplei.devices.schedule import ManualSchedule
from kloplei.devices.virtual import VirtualOled
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Grace, Scoreboard
from kloplei.network.addresses import JoinAddress
from kloplei.slate.painter import Painter
from kloplei.slate.picture import DisplaySettings, draw_pause
from kloplei.table.client import Frame
from kloplei.table.session import Session
from kloplei.words import Words
from tests.slate.boards import answering
from tests.table.memory_journal import MemoryJournal

PATIENCE_S = 30.0


class JammedOled(VirtualOled):
    """A glass whose wire is stuck in the middle of a picture while it is not `free`."""

    def __init__(self) -> None:
        super().__init__()
        self.free = threading.Event()
        self.free.set()

    def display(self, image: Image.Image) -> None:
        assert self.free.wait(PATIENCE_S)
        super().display(image)


@dataclass
class Slate:
    """A table, its painter and its glass."""

    table: Session
    oled: VirtualOled
    painter: Painter
    shown: list[Frame | None]

    @property
    def pictures(self) -> int:
        return len(self.shown)


@contextmanager
def painted(
    oled: VirtualOled | None = None,
    look: DisplaySettings | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Slate]:
    """Run a table of three, who have started, and its painter."""
    oled = oled or VirtualOled()
    shown: list[Frame | None] = []
    with Session(MemoryJournal()) as table:

        def show(frame: Frame | None) -> None:
            shown.append(frame)
            table.show(frame)

        words, look = Words("nl"), look or DisplaySettings()
        painter = Painter(table, oled.open, words, look, inbox=table, show=show, clock=clock)
        for seat in range(3):
            table.submit(Seat(seat), "sit_down", facts={"name": f"Speler {seat}"})
        table.submit(Seat(2), "start")
        painter.start()
        try:
            assert oled.first_frame.wait(PATIENCE_S)
            yield Slate(table, oled, painter, shown)
        finally:
            painter.close()


def eventually(holds: Callable[[], bool]) -> bool:
    """Wait until *holds*, no longer than patience lasts."""
    deadline_s = time.monotonic() + PATIENCE_S
    while not holds() and time.monotonic() < deadline_s:
        threading.Event().wait(0.01)
    return holds()


def settled(slate: Slate, quiet_s: float = 0.3) -> Frame:
    """Return the picture once no new one has come for *quiet_s*; a restless slate fails."""
    deadline_s = time.monotonic() + PATIENCE_S
    while True:
        before = slate.pictures
        threading.Event().wait(quiet_s)
        if slate.pictures == before and slate.oled.frame is not None:
            return slate.oled.frame
        assert time.monotonic() < deadline_s


def is_dark(frame: Frame | None) -> bool:
    """Return whether there is a picture, and nothing in it."""
    return frame is not None and not any(frame.bits)


def test_what_happens_at_the_table_stands_on_the_glass() -> None:
    with painted() as slate:
        between = settled(slate)

        slate.table.submit(Seat(2), "deal")

        assert eventually(lambda: slate.oled.frame not in (None, between))
        assert eventually(lambda: slate.table.frame() == slate.oled.frame)


def test_nothing_is_drawn_while_nothing_changes() -> None:
    with painted() as slate:
        before = settled(slate)
        slate.table.submit(Seat(2), "deal")

        assert eventually(lambda: slate.oled.frame != before)
        settled(slate, quiet_s=0.7)


def test_a_new_look_is_taken_at_once() -> None:
    with painted(look=DisplaySettings(SlateConfig(contrast=160))) as slate:
        assert eventually(lambda: slate.oled.contrast_level == 160)

        slate.painter.use(DisplaySettings(SlateConfig(contrast=40)))

        assert eventually(lambda: slate.oled.contrast_level == 40)


def test_another_language_is_spoken_at_once() -> None:
    with painted() as slate:
        dutch = settled(slate)

        slate.painter.speak(Words("da"))

        assert eventually(lambda: slate.oled.frame not in (None, dutch))


def test_a_picture_that_is_lent_stands_for_its_time_and_gives_way_by_itself() -> None:
    test_picture = Image.new("1", (128, 64), 1)
    time_s = ManualSchedule()
    with painted(clock=time_s.now_s) as slate:
        table = settled(slate)

        slate.painter.lend(test_picture, 0.4)

        assert eventually(lambda: slate.oled.frame == Frame(128, 64, test_picture.tobytes()))
        time_s.advance(0.4)
        assert eventually(lambda: slate.oled.frame == table)


def test_a_picture_that_is_lent_does_not_keep_the_goodbye_away() -> None:
    test_picture = Image.new("1", (128, 64), 1)
    with painted() as slate:
        slate.painter.lend(test_picture, PATIENCE_S)
        assert eventually(lambda: slate.oled.frame == Frame(128, 64, test_picture.tobytes()))

        slate.painter.close()

        assert slate.oled.frame != Frame(128, 64, test_picture.tobytes())


def test_an_unplugged_slate_is_told_and_comes_back_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kloplei.slate.painter.RETRY_S", 0.05)
    with painted() as slate:
        settled(slate)

        slate.oled.unplug()
        slate.table.submit(Seat(2), "deal")
        told = eventually(lambda: bool(slate.table.scoreboard().notices))
        notices = slate.table.scoreboard().notices
        slate.oled.plug()
        healed = eventually(lambda: not slate.table.scoreboard().notices)

        assert told
        assert notices[0].facts["part"] == "slate"
        assert healed
        assert eventually(lambda: slate.oled.frame == slate.table.frame() is not None)


def test_phones_see_the_slate_even_if_there_is_no_glass() -> None:
    oled = VirtualOled()
    oled.unplug()
    shown: list[Frame | None] = []
    with Session(MemoryJournal()) as table:
        painter = Painter(
            table, oled.open, Words("nl"), DisplaySettings(), inbox=table, show=shown.append
        )
        painter.start()

        seen = eventually(lambda: bool(shown))
        painter.close()

    assert seen
    assert shown[0] is not None
    assert any(shown[0].bits)


def test_a_box_without_a_slate_misses_none_and_draws_for_who_looks_alone() -> None:
    """A bar of grace was drawn ten times a second for a glass that is not there."""
    shown: list[Frame | None] = []
    now_s = 100.0
    with Session(MemoryJournal()) as table:
        painter = Painter(
            *(table, None, Words("nl"), DisplaySettings()),
            inbox=table,
            show=shown.append,
            clock=lambda: now_s,
        )
        painter.start()
        for seat in range(3):
            table.submit(Seat(seat), "sit_down", facts={"name": f"Speler {seat}"})
        table.submit(None, "start")
        table.submit(None, "deal")
        assert table.scoreboard().notices == ()
        assert eventually(lambda: painter._presenter._board == table.scoreboard())
        assert shown == []

        now_s += 10.0
        looked = [painter.look() for _ in range(3)]

        assert len(shown) == 1
        assert looked == 3 * shown
        table.submit(Seat(0), "knock")
        assert eventually(lambda: painter.look() != looked[0])
        painter.close()
        assert painter.look() == Frame(128, 64, draw_pause(Words("nl")).image.tobytes())


def test_a_slow_glass_does_not_hold_up_the_table() -> None:
    with painted(oled := JammedOled()) as slate:
        oled.free.clear()
        slate.table.submit(Seat(2), "deal")
        for seat in (0, 1, 0, 1):
            slate.table.submit(Seat(seat), "knock")
            slate.table.submit(Seat(1 - seat), "stay")
            slate.table.submit(Seat(2), "stay")
        oled.free.set()

        assert eventually(lambda: slate.oled.frame == slate.table.frame())


def test_who_looks_from_afar_sees_the_pin_only_where_there_is_no_other_glass() -> None:
    open_table, covered = pages_shown(covers=False), pages_shown(covers=True)

    assert len(open_table - covered) == len(covered - open_table) == 1  # the page with the PIN


def pages_shown(*, covers: bool) -> set[bytes]:
    """Return what phones see of an empty table's slate in half a minute."""
    look = DisplaySettings(join=JoinAddress("http://192.168.1.9:8080/"), pin="4711")
    shown: list[Frame | None] = []
    with Session(MemoryJournal()) as table:
        words, show = Words("nl"), shown.append
        painter = Painter(
            *(table, None, words, look),
            inbox=table,
            show=show,
            covers=covers,
            clock=lambda: 0.0,
        )
        painter._presenter.saw(table.scoreboard(), 0.0)
        for now_s in range(2, 30):
            painter._once(float(now_s))
    return {frame.bits for frame in shown if frame is not None}


class SlowOled(VirtualOled):
    """A glass of which every picture takes its wires as long as luma's take an I2C of 100 kHz."""

    def display(self, image: Image.Image) -> None:
        super().display(image)
        self.wire_s += 0.093


def painted_at(oled: VirtualOled, board: Scoreboard, from_s: float, to_s: float) -> list[float]:
    """Return when a painter that wakes only when it asks to wakes at *board*, and draws."""
    table = Session(MemoryJournal())
    look = DisplaySettings(SlateConfig(sleep_after_s=60.0))
    painter = Painter(
        *(table, oled.open, Words("nl"), look),
        inbox=table,
        show=lambda _: None,
        clock=lambda: 0.0,
    )
    painter._presenter.saw(board, from_s)
    found, now_s = [], from_s
    while now_s < to_s:
        found.append(now_s)
        wakes_s = painter._once(now_s)
        if wakes_s is None:
            break
        now_s = wakes_s
    return found


def test_on_slow_wires_what_moves_is_drawn_no_oftener_than_they_bear() -> None:
    """A bar of grace has a step every tenth of a second, and a picture took 93 ms of them."""
    board = replace(answering((3, 7, 0, 5), stake=2), grace=Grace(Seat(0), "trick", 13.0, 3.0))

    slow, quick = (painted_at(oled, board, 10.0, 13.0) for oled in (SlowOled(), VirtualOled()))

    assert len(quick) >= 30
    assert len(slow) <= 3.0 / (2 * 0.093) + 1
    assert min(later - sooner for sooner, later in pairwise(slow)) > 0.185


def test_nothing_is_drawn_for_a_glass_that_sleeps() -> None:
    """Somebody is to answer, so a mark blinks for ever."""
    woken = painted_at(VirtualOled(), answering((3, 7, 0, 5), stake=2), 10.0, 1000.0)

    assert woken[-2] < 70.0 <= woken[-1] < 70.1


def test_a_sleeping_glass_wakes_for_a_new_scoreboard() -> None:
    with painted(look=DisplaySettings(SlateConfig(dim_after_s=0.1, sleep_after_s=0.4))) as slate:
        assert eventually(lambda: slate.oled.frame is None and is_dark(slate.shown[-1]))
        asleep = slate.pictures

        slate.table.submit(Seat(2), "deal")

        # It sleeps again before a busy machine has looked; what was shown tells.
        assert eventually(lambda: any(not is_dark(one) for one in slate.shown[asleep:]))


def test_a_face_that_cannot_be_drawn_does_not_end_the_slate(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with painted() as slate:
        before = settled(slate)

        with monkeypatch.context() as broken:
            broken.setattr("kloplei.slate.painter.draw", None)
            slate.table.submit(Seat(0), "rename", facts={"name": "Tame"})
            assert eventually(lambda: "cannot be drawn" in caplog.text)
        slate.table.submit(Seat(2), "deal")

        assert eventually(lambda: slate.oled.frame not in (None, before))


def test_closing_leaves_on_the_glass_that_the_table_pauses_and_not_that_the_plug_may_go() -> None:
    with painted() as slate:
        before = settled(slate)

        slate.painter.close()

        pause = Frame(128, 64, draw_pause(Words("nl")).image.tobytes())
        assert slate.oled.frame == pause != before
        assert slate.oled.persist
        assert slate.table.frame() == slate.oled.frame
        slate.painter.close()


def test_a_painter_that_never_began_can_be_closed() -> None:
    with Session(MemoryJournal()) as table:
        oled = VirtualOled()

        Painter(
            table, oled.open, Words("nl"), DisplaySettings(), inbox=table, show=table.show
        ).close()

        assert oled.frame is None


_FIRST_PICTURE = """
import sys, threading
from luma.core.device import dummy
from kloplei.slate.picture import DisplaySettings
from kloplei.slate.painter import Painter
from tests.slate.boards import answering
from tests.table.memory_journal import MemoryJournal
from kloplei.table.session import Session
from kloplei.words import Words

drawn = threading.Event()
class Oled(dummy):
    wire_s = 0.0

    def display(self, image):
        super().display(image)
        drawn.set()
with Session(MemoryJournal()) as table:
    look = DisplaySettings()
    painter = Painter(table, Oled, Words("nl"), look, inbox=table, show=table.show)
    painter.start()
    assert drawn.wait(60)
    print(sorted({"flask", "gpiozero", "segno", "waitress", "yaml"} & sys.modules.keys()))
    painter.close()
"""


def test_the_first_picture_waits_for_no_library_it_does_not_need() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _FIRST_PICTURE], capture_output=True, text=True, timeout=120
    )

    assert (ran.stdout, ran.returncode) == ("[]\n", 0), ran.stderr
