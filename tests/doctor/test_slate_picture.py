"""The test picture without a table: the doctor opens the slate itself, and lets it go."""

from pathlib import Path

import pytest

from kloplei.config import Config, SlateConfig, SocketConfig
from kloplei.devices import oled
from kloplei.devices.columns import column_picture
from kloplei.devices.oled import SlateMissing
from kloplei.devices.virtual_oled import VirtualOled
from kloplei.doctor.slate_picture import QUESTIONS, picture_shown
from kloplei.table.client import Frame
from kloplei.table.doctor import SEEN


def test_it_stands_there_until_the_question_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    glass = VirtualOled()
    monkeypatch.setattr(oled, "open_slate", lambda _slate, pin_factory: glass.open())

    with picture_shown(Config(socket=SocketConfig(tmp_path / "nobody.sock"))):
        shown = glass.frame

    assert shown == Frame(128, 64, column_picture().tobytes())


def test_without_a_slate_it_says_so(tmp_path: Path) -> None:
    nobody = SocketConfig(tmp_path / "nobody.sock")

    with (
        pytest.raises(SlateMissing, match="no slate is fitted"),
        picture_shown(Config(slate=SlateConfig(driver="none"), socket=nobody)),
    ):
        pytest.fail("it was shown")


def test_all_that_can_be_judged_is_asked_for() -> None:
    assert {seen for seen, _ in QUESTIONS} == set(SEEN)
