"""The short hints beside the rows: two lines of a quarter of the slate."""

import pytest

from kloplei.slate.faces.table import _SIDE_PX
from kloplei.slate.lettering import LETTERS_FOR, SMALL, wrap
from kloplei.words import Words

HINTS = ("stay-or-fold", "two-to-deal", "three-to-exchange", "drink-hint")


@pytest.mark.parametrize("hint", HINTS)
@pytest.mark.parametrize("language", LETTERS_FOR)
def test_a_hint_fits_beside_the_rows_uncut(language: str, hint: str) -> None:
    """The hint "3 knocks: swap" used to fit only as long as its last letter was drawn cut off."""
    sentence = Words(language).say(f"slate.{hint}")

    lines = wrap(sentence, SMALL, _SIDE_PX, 2)

    assert " ".join(lines) == sentence
