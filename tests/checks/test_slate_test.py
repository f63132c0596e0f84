"""What one sees of the test picture leads to the setting that is right."""

import pytest

from kloplei.checks.slate_test import advise
from kloplei.config import SlateConfig
from kloplei.config.reader import parse_config
from kloplei.table.client import Unreadable
from kloplei.table.doctor import SEEN, State
from tests.checks.machines import english

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

    assert advice.state is not State.GOOD
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
    with pytest.raises(Unreadable):
        advise(slate, seen)
