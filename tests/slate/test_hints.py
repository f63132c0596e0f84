"""The short hints beside the rows: two lines of a quarter of the slate."""

import pytest

from kloplei.slate.drawing import SMALL, cut, width_of, wrap
from kloplei.slate.faces import tiny
from kloplei.slate.faces.table import _SIDE_PX
from kloplei.words import LANGUAGES, Words
from tests.words.sources import sentences

HINTS = sorted(key for key in sentences("en") if key.startswith("slate.hint."))
NAMES = ("{seat}", "{of}")  # cut to fit, whatever they are


@pytest.mark.parametrize("hint", HINTS)
@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "ja"])
def test_a_hint_fits_beside_the_rows_uncut(language: str, hint: str) -> None:
    """The hint "3 knocks: swap" used to fit only as long as its last letter was drawn cut off."""
    (sentence,) = sentences(language)[hint]
    halves = sentence.split(", ")

    assert tiny._WIDER_PX == _SIDE_PX  # so that the low glass shows it whole as well
    if len(halves) == 2:
        wide = [one for one in halves if one not in NAMES and width_of(one, SMALL) > _SIDE_PX]
        assert wide == []
    else:
        assert " ".join(wrap(sentence, SMALL, _SIDE_PX, 2)) == sentence


@pytest.mark.parametrize("width", [_SIDE_PX, tiny._WIDER_PX])
@pytest.mark.parametrize("hint", HINTS)
def test_a_japanese_hint_fits_beside_the_rows_of_each_glass(hint: str, width: int) -> None:
    """Its katakana may stand half as wide; what is on a line is said by its comma."""
    (sentence,) = sentences("ja")[hint]
    lines = [one for one in sentence.split(", ") if one not in (*NAMES, "{next}")]

    assert sentence.count(", ") <= 1
    assert [one for one in lines if cut(one, SMALL, width).endswith("…")] == []


def test_there_is_a_hint_for_all_that_a_table_can_wait_for() -> None:
    """Where it waits for nobody's hand, as while places are taken, other words stand there."""
    prompts = {key for key in sentences("en") if key.startswith("prompt.")}
    waited_for = {key.removeprefix("prompt.") for key in prompts if ".without-" not in key}

    assert waited_for - {key.removeprefix("slate.hint.") for key in HINTS} == {"sit-down"}
    assert Words("en").say("slate.hint.play", {}) != "slate.hint.play"


@pytest.mark.parametrize(
    ("hints", "width"),
    [(["Thijs", "komt uit"], 30), (["2x knop", "opnieuw"], 34), (["Willemijntje", "komt uit"], 30)],
)
def test_the_column_of_the_low_glass_is_wider_where_a_hint_would_be_cut(
    hints: list[str], width: int
) -> None:
    """It said "2x kn…" and "opgev…"; a name that is cut anyway takes no room from the others."""
    assert tiny._side_px(hints) == width
