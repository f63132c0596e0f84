"""Two slates on one box: the same on both, and each may be lost and come back alone."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kloplei.config.settings import SMALL_GLASS
from kloplei.devices.virtual import VirtualOled
from kloplei.slate import painter as painting
from kloplei.slate.painter import Painter
from kloplei.slate.picture import DisplaySettings
from kloplei.table.session import Session
from kloplei.words import Words
from tests.table.memory_journal import MemoryJournal
from tests.until import until


@pytest.fixture(autouse=True)
def _soon_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(painting, "RETRY_S", 0.02)


@contextmanager
def painted(first: VirtualOled, second: VirtualOled) -> Iterator[Session]:
    with Session(MemoryJournal()) as table:
        painter = Painter(
            table.onlookers,
            first.open,
            Words("nl"),
            DisplaySettings(),
            inbox=table,
            show=lambda _: None,
            open_second=second.open,
        )
        painter.start()
        try:
            yield table
        finally:
            painter.close()


def lost(table: Session) -> set[object]:
    return {notice.facts.get("part") for notice in table.scoreboard().notices}


def test_both_show_the_same() -> None:
    first, second = VirtualOled(SMALL_GLASS), VirtualOled(SMALL_GLASS)

    with painted(first, second):
        until(lambda: first.frame is not None and first.frame == second.frame)


@pytest.mark.parametrize("at", [0, 1])
def test_one_is_lost_and_comes_back_while_the_other_goes_on(at: int) -> None:
    glasses = (VirtualOled(SMALL_GLASS), VirtualOled(SMALL_GLASS))
    gone, kept = glasses[at], glasses[1 - at]
    part = ("slate", "second slate")[at]

    with painted(*glasses) as table:
        until(lambda: gone.frame is not None)
        gone.unplug()
        until(lambda: lost(table) == {part})
        until(lambda: kept.frame is not None)
        gone.plug()
        until(lambda: lost(table) == set())
        until(lambda: gone.frame is not None and gone.frame == kept.frame)


def test_an_evening_with_neither_goes_on_and_names_both() -> None:
    first, second = VirtualOled(SMALL_GLASS), VirtualOled(SMALL_GLASS)
    first.unplug()
    second.unplug()

    with painted(first, second) as table:
        until(lambda: lost(table) == {"slate", "second slate"})
        second.plug()
        until(lambda: lost(table) == {"slate"})
        until(lambda: second.frame is not None)
