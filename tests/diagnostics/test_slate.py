"""What one sees of the test picture leads to the setting that is right."""

from pathlib import Path

import pytest

from kloplei.config.reader import parse_config
from kloplei.config.settings import Config, SlateConfig, SocketConfig
from kloplei.devices import oled
from kloplei.devices.glass import SlateMissing, column_picture
from kloplei.devices.virtual import VirtualOled
from kloplei.diagnostics.slate import QUESTIONS, advise, picture_shown
from kloplei.table.client import BadRequest, Frame
from kloplei.table.doctor_client import SEEN, FindingState
from tests.diagnostics.machines import english

SSD, SH, SSD9 = (SlateConfig(driver=name) for name in ("ssd1306", "sh1106", "ssd1309"))
SH_AT_0 = SlateConfig(driver="sh1106", column_offset=0)


@pytest.mark.parametrize(
    ("slate", "seen", "setting"),
    [
        (SSD, "garbled", 'driver = "sh1106"'),
        (SSD, "left-2", 'driver = "sh1106"'),
        (SSD9, "garbled", 'driver = "sh1106"'),
        (SH, "garbled", 'driver = "ssd1306"'),
        (SH, "right-2", 'driver = "ssd1306"'),
        (SH, "left-2", "column_offset = 4"),
        (SH, "right-1", "column_offset = 1"),
        (SH_AT_0, "left-2", "column_offset = 2"),
        (SH_AT_0, "right-2", 'driver = "ssd1306"'),
    ],
)
def test_what_one_sees_says_what_to_set(slate: SlateConfig, seen: str, setting: str) -> None:
    advice = advise(slate, seen)

    assert advice.state is not FindingState.GOOD
    assert setting in english(advice)
    parse_config(f"[slate]\ndriver = 'sh1106'\n{setting}" if "column" in setting else "", "it")


def test_a_picture_that_stands_right_needs_nothing() -> None:
    assert english(advise(SH, "right")) == "The picture stands right: sh1106 it is."


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("slate", [SSD, SH, SSD9, SH_AT_0])
def test_every_answer_has_its_advice(slate: SlateConfig, seen: str) -> None:
    advice = advise(slate, seen)

    assert (advice.step is None) == (seen == "right")


@pytest.mark.parametrize(("slate", "seen"), [(SSD, "stars"), (SlateConfig(driver="none"), "right")])
def test_what_nobody_can_see_is_refused(slate: SlateConfig, seen: str) -> None:
    with pytest.raises(BadRequest):
        advise(slate, seen)


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
